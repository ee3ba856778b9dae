"""Numbers with name, unit and documentation."""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple, Union


class Quantity(float):
    """A number in its base ``unit`` (byte, flop, s, USD and combinations), documented by ``doc``.

    Arithmetic gives plain floats. ``repr()`` is rounded and uses a fitting unit; ``float()`` returns the exact number.
    """

    __slots__ = ("name", "unit", "doc", "text")

    name: str  #: Name of the metric.
    unit: str  #: Unit: ``byte``, ``flop/s``, ``count``, ``ratio``, ``1``.
    doc: str
    text: str  #: Text for people, such as ``45.6 GiB``.

    def __new__(cls, value: float, name: str = "", unit: str = "1", doc: str = "", text: str = "") -> "Quantity":
        self = super().__new__(cls, value)
        self.name, self.unit, self.doc = name, unit, doc
        self.text = text or f"{value!r}{'' if unit in ('1', '') else ' ' + unit}"
        return self

    def __repr__(self) -> str:
        return self.text

    __str__ = __repr__

    def __format__(self, how: str) -> str:
        return format(float(self), how) if how else self.text

    def __reduce__(self) -> Tuple[Callable[..., "Quantity"], Tuple[float, str, str, str, str]]:
        return Quantity, (float(self), self.name, self.unit, self.doc, self.text)

    def __copy__(self) -> "Quantity":
        return self

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Quantity":
        return self


#: The value of a metric, usually a number.
MetricValue = Union[Quantity, bool, str, None]


def metric_value(name: str, value: Any, unit: str, doc: str, text: str) -> Any:
    """Returns the value of a metric: a Quantity for a number."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Quantity(float(value), name, unit, doc, text)
    return value
