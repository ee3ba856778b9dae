"""What is wrong with what was asked, and where: the messages of the program, as exceptions and warnings."""

from __future__ import annotations

import warnings
from typing import NamedTuple, Optional, Sequence, Tuple


class Message(NamedTuple):
    """A message and the place that it is about. ``line`` and ``column`` count from 1."""

    severity: str  #: ``error``, ``warning`` or ``note``
    message: str
    file: Optional[str]
    line: Optional[int]
    column: Optional[int]
    text: str  #: As the program prints it, with the line and a caret.
    notes: Tuple["Message", ...]

    def __str__(self) -> str:
        return self.text.rstrip("\n")


class Error(Exception):
    """The base of all errors of opledger. ``str()`` is what the program prints; ``messages`` has it piece by piece."""

    def __init__(self, text: str, messages: Sequence[Message] = ()) -> None:
        super().__init__(text, messages)
        self.text = text.rstrip("\n").removeprefix("error: ")
        self.messages = list(messages)

    def __str__(self) -> str:
        return self.text


class DocumentError(Error, ValueError):
    """A document, or a value that replaces one of its fields, is wrong; or something of a run can't be computed."""


class UnknownNameError(Error, KeyError):
    """There is no metric, table, report or node of this name."""

    __str__ = Error.__str__


class DocumentWarning(UserWarning):
    """Something that is probably not meant, such as a rule that matches nothing."""


class InterruptedSearchWarning(UserWarning):
    """A search was ended before it had tried all candidates."""


def warn(messages: Sequence[Message], stacklevel: int) -> None:
    """Tells all that are no errors."""
    for message in messages:
        if message.severity != "error":
            warnings.warn(str(message), DocumentWarning, stacklevel=stacklevel + 1)
