"""What the commands of the program print: metrics and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional

from . import _core
from .frames import frame
from .notebook import report_html
from .quantity import worth

if TYPE_CHECKING:
    import pandas


class Report:
    """Metrics and tables. ``report["stages"]`` is a DataFrame, ``report.metrics["mfu"]`` a number; ``print(report)`` shows it as the program does."""

    def __init__(self, held: _core.Report, shown: Optional[Callable[[], _core.Report]] = None) -> None:
        """`shown`: the same as it is built for people, with less in it."""
        self._held = held
        self._shown = shown or (lambda: held)

    @property
    def metrics(self) -> Dict[str, Any]:
        """By their ids in the report."""
        return {name: worth(name, *rest) for name, *rest in self._held.metrics}

    @property
    def tables(self) -> List[str]:
        return self._held.tables

    @property
    def failures(self) -> List[str]:
        """Of an audit: checks that do not hold, in words."""
        return self._held.failures

    def __getitem__(self, table: str) -> "pandas.DataFrame":
        return table_frame(self._held.table(table))

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def __contains__(self, table: object) -> bool:
        return table in self.tables

    def to_text(self, format: str = "text", columns: int = 100) -> str:
        """In one of the program's formats: ``text``, ``markdown``, ``csv``, ``json``."""
        if format not in ("text", "markdown", "csv", "json"):
            raise ValueError(f"`{format}` is no format: there are text, markdown, csv, json")
        return (self._shown() if format in ("text", "markdown") else self._held).written(format, columns)

    def __str__(self) -> str:
        return self.to_text().strip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return report_html(self._shown().for_people())

    def _ipython_key_completions_(self) -> List[str]:
        return self.tables


def table_frame(table: _core.Table) -> "pandas.DataFrame":
    """``attrs`` also has the title, the row of sums, notes, and how many rows were left out, where there are such."""
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
