"""A run for every row of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional

from . import _core
from .asking import Asking, DocumentLike, Folders, Names, Settings, names, pairs, written
from .errors import UnknownNameError
from .frames import series

if TYPE_CHECKING:
    import pandas


def _cell(value: Any) -> str:
    """As documents write it; nothing where there is none."""
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
    """A run for every row of `frame`, a DataFrame or what makes one; runs that differ in numbers alone share what was compiled.

    The columns `model`, `execution`, `system` name documents, `rules` lists them; every other one is a field of the execution or a parameter of the model. The
    result has the same rows and columns, then `outcome` (`ok`, or `error:` and the reason) and the metrics, or those named; NaN where a run can't be.
    """
    import pandas

    rows = frame if isinstance(frame, pandas.DataFrame) else pandas.DataFrame(frame)
    columns: List[str] = [str(c) for c in rows.columns]
    twice = sorted({c for c in columns if columns.count(c) > 1})
    if twice:
        raise ValueError(f"the columns {', '.join(twice)} are there twice")
    cells = [[_cell(value) for value in row] for row in rows.itertuples(index=False, name=None)]
    asked = Asking(path).done(model, execution, system, accounting, pairs(set, {}))
    outcome, told = _core.evaluate(asked, columns, cells)
    wanted = [name for name, _, _ in told] if metrics is None else names(metrics)
    found = {name: (unit, values) for name, unit, values in told}
    for name in wanted:
        if name not in found:
            raise UnknownNameError(f"there is no metric `{name}`{_core.suggestion(name, list(found))}")
    kept = [c for c in rows.columns if str(c) not in found and str(c) != "outcome"]
    more = pandas.DataFrame({"outcome": outcome, **{name: series(found[name][1]) for name in wanted}}, index=rows.index, copy=False)
    out = pandas.concat([rows[kept], more], axis=1)
    out.attrs["units"] = {name: found[name][0] for name in wanted if found[name][0]}
    return out
