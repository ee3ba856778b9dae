"""Problems of a request and their places: the program's messages as exceptions and warnings."""

from __future__ import annotations

import warnings
from typing import NamedTuple, Optional, Sequence, Tuple


class Message(NamedTuple):
    """A message and its place in a file. ``line`` and ``column`` count from 1."""

    severity: str  #: ``error``, ``warning`` or ``note``
    message: str
    file: Optional[str]
    line: Optional[int]
    column: Optional[int]
    text: str  #: The text printed by the program, with the source line and a caret.
    notes: Tuple["Message", ...]

    def __str__(self) -> str:
        return self.text.rstrip("\n")


class Error(Exception):
    """The base of every error of opledger. ``str()`` returns the text printed by the program, ``messages`` its parts."""

    def __init__(self, text: str, messages: Sequence[Message] = ()) -> None:
        super().__init__(text, messages)
        self.text = text.rstrip("\n").removeprefix("error: ")
        self.messages = list(messages)

    def __str__(self) -> str:
        return self.text


class DocumentError(Error, ValueError):
    """An error in a document, in a value that replaces a field, or in the evaluation of a run."""


class UnknownNameError(Error, KeyError):
    """An unknown name of a metric, table, report or node."""

    __str__ = Error.__str__


class DocumentWarning(UserWarning):
    """A probable mistake, such as a rule that matches nothing."""


class InterruptedSearchWarning(UserWarning):
    """A search that ended before every candidate was tried."""


def warn(messages: Sequence[Message], stacklevel: int) -> None:
    """Issues a Python warning for each message that is not an error."""
    for message in messages:
        if message.severity != "error":
            warnings.warn(str(message), DocumentWarning, stacklevel=stacklevel + 1)
