"""Columns as NumPy arrays and pandas DataFrames. Both are imported when they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Sequence, Tuple, Union

from ._core import Column

if TYPE_CHECKING:
    import numpy
    import pandas

#: Title, unit, values.
Told = Tuple[str, str, Union[Column, List[Any]]]


def array(column: Union[Column, List[Any]]) -> "numpy.ndarray[Any, Any]":
    """The numbers of a column, not copied; of words their texts."""
    import numpy

    if isinstance(column, list):
        return numpy.array(column, dtype=object)
    numbers = numpy.asarray(column)
    if column.words is not None:
        numbers = numpy.array([*column.words, None], dtype=object)[numbers]
    return numpy.broadcast_to(numbers, len(column)) if len(numbers) != len(column) else numbers


def series(column: Union[Column, List[Any]]) -> Any:
    """What pandas makes a column of: words become categories."""
    import numpy
    import pandas

    if isinstance(column, list) or column.words is None:
        values = array(column)
        return values if values.flags.writeable else values.copy()
    codes = numpy.asarray(column)
    small = codes.astype("int8" if len(column.words) < 128 else "int32")
    if len(codes) != len(column):
        small = numpy.repeat(small, len(column))
    return pandas.Categorical.from_codes(small, column.words)


def frame(columns: Sequence[Told], attrs: Dict[str, Any]) -> "pandas.DataFrame":
    """A DataFrame whose ``attrs["units"]`` has the units of its columns."""
    import pandas

    out = pandas.DataFrame({title: series(values) for title, _, values in columns}, copy=False)
    out.attrs.update(attrs)
    out.attrs["units"] = {title: unit for title, unit, _ in columns if unit}
    return out
