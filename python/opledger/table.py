"""Evaluation of a run for each row of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional

from . import _core
from .request import RequestBuilder, DocumentLike, Folders, Names, Settings, names, pairs, written
from .errors import UnknownNameError
from .frames import series

if TYPE_CHECKING:
    import pandas


def _cell(value: Any) -> str:
    """Returns a cell in the notation of documents; empty for a missing value."""
    if value is None or value != value or type(value).__name__ in ("NAType", "NaTType"):
        return ""
    return value if isinstance(value, str) else written(value)


def evaluate(
    frame: Any,
    *,
    model: Optional[DocumentLike] = None,
    execution: Optional[DocumentLike] = None,
    system: Optional[DocumentLike] = None,
    metrics: Optional[Names] = None,
    accounting: Optional[DocumentLike] = None,
    set: Settings = None,
    path: Folders = (),
) -> "pandas.DataFrame":
    """Evaluates a run for each row of `frame`, a DataFrame or its data. Runs that differ only in numbers share a compiled program.

    The columns `model`, `execution`, `system` name documents, and `rules` lists rules; further columns are fields of the execution, parameters of the model or fields
    of the system, such as `system.memory.capacity`. The result has the same rows and columns, then `outcome` (`ok`, or `infeasible:` or `error:` and the reason), then
    the metrics, or only the named ones. Infeasible rows keep the metrics that have values; rows with an error have NaN.
    """
    import pandas

    rows = frame if isinstance(frame, pandas.DataFrame) else pandas.DataFrame(frame)
    columns: List[str] = [str(c) for c in rows.columns]
    twice = sorted({c for c in columns if columns.count(c) > 1})
    if twice:
        raise ValueError(f"duplicate columns: {', '.join(twice)}")
    cells = [[_cell(value) for value in row] for row in rows.itertuples(index=False, name=None)]
    request = RequestBuilder(path).build(model, execution, system, accounting, pairs(set, {}))
    outcome, columns_found = _core.evaluate(request, columns, cells)
    requested = [name for name, _, _ in columns_found] if metrics is None else names(metrics)
    found = {name: (unit, values) for name, unit, values in columns_found}
    for name in requested:
        if name not in found:
            raise UnknownNameError(f"there is no metric `{name}`{_core.suggestion(name, list(found))}")
    inputs = [c for c in rows.columns if str(c) not in found and str(c) != "outcome"]
    more = pandas.DataFrame({"outcome": outcome, **{name: series(found[name][1]) for name in requested}}, index=rows.index, copy=False)
    out = pandas.concat([rows[inputs], more], axis=1)
    out.attrs["units"] = {name: found[name][0] for name in requested if found[name][0]}
    return out
