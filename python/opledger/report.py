"""Reports of commands: metrics and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional

from . import _core
from .frames import frame
from .notebook import report_html
from .quantity import metric_value

if TYPE_CHECKING:
    import pandas


class Report:
    """Metrics and tables. ``report["stages"]`` is a DataFrame, ``report.metrics["mfu"]`` a number; ``print(report)`` shows the program's output."""

    def __init__(self, handle: _core.Report, shown: Optional[Callable[[], _core.Report]] = None) -> None:
        """`shown`: returns the shorter report for people; default: the same report."""
        self._handle = handle
        self._shown = shown or (lambda: handle)

    @property
    def metrics(self) -> Dict[str, Any]:
        """The metrics by their ids."""
        return {name: metric_value(name, *rest) for name, *rest in self._handle.metrics}

    @property
    def tables(self) -> List[str]:
        """The names of the tables."""
        return self._handle.tables

    @property
    def failures(self) -> List[str]:
        """The failed checks of an audit, as sentences."""
        return self._handle.failures

    def __getitem__(self, table: str) -> "pandas.DataFrame":
        return table_frame(self._handle.table(table))

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def __contains__(self, table: object) -> bool:
        return table in self.tables

    def to_text(self, format: str = "text", columns: int = 100) -> str:
        """Returns the report in a format: ``text``, ``markdown``, ``csv`` or ``json``."""
        if format not in ("text", "markdown", "csv", "json"):
            raise ValueError(f"`{format}` is no format: there are text, markdown, csv, json")
        return (self._shown() if format in ("text", "markdown") else self._handle).written(format, columns)

    def __str__(self) -> str:
        return self.to_text().strip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return report_html(self._shown().for_people())

    def _ipython_key_completions_(self) -> List[str]:
        return self.tables


def table_frame(table: _core.Table) -> "pandas.DataFrame":
    """Returns a table as a DataFrame; ``attrs`` contains its title and, if present, the totals, notes, and number of omitted rows."""
    columns = list(table["columns"])
    if table["under"] is not None:
        columns.append(("under", "", table["under"]))
    attrs: Dict[str, Any] = {"title": table["title"]}
    if table["total"]:
        attrs["total"] = table["total"]
    if table["notes"]:
        attrs["notes"] = table["notes"]
    if table["left_out"]:
        attrs["left_out"] = table["left_out"]
    return frame(columns, attrs)
