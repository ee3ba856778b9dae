"""Columns as NumPy arrays and pandas DataFrames. Both packages are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Sequence, Tuple, Union

from ._core import Column

if TYPE_CHECKING:
    import numpy
    import pandas

#: Title, unit and values of a column.
TitledColumn = Tuple[str, str, Union[Column, List[Any]]]


def array(column: Union[Column, List[Any]]) -> "numpy.ndarray[Any, Any]":
    """Returns the numbers of a column without a copy; for words, their texts."""
    import numpy

    if isinstance(column, list):
        return numpy.array(column, dtype=object)
    numbers = numpy.asarray(column)
    if column.words is not None:
        numbers = numpy.array([*column.words, None], dtype=object)[numbers]
    return numpy.broadcast_to(numbers, len(column)) if len(numbers) != len(column) else numbers


def series(column: Union[Column, List[Any]]) -> Any:
    """Returns a column for pandas; words become categories."""
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


def frame(columns: Sequence[TitledColumn], attrs: Dict[str, Any]) -> "pandas.DataFrame":
    """Returns a DataFrame; ``attrs["units"]`` contains the units of its columns."""
    import pandas

    out = pandas.DataFrame({title: series(values) for title, _, values in columns}, copy=False)
    out.attrs.update(attrs)
    out.attrs["units"] = {title: unit for title, unit, _ in columns if unit}
    return out
