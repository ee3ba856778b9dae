"""Requests to the extension module: documents by name, and values in the notation of `--set`."""

from __future__ import annotations

import json
import math
import os
from typing import Any, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _core
from .documents import Document
from .quantity import Quantity

#: A name in the library, a path, a document in memory, or its content.
DocumentLike = Union[str, "os.PathLike[str]", Document, Mapping[str, Any]]
#: Folders searched first for documents.
Folders = Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]]]
Settings = Optional[Mapping[str, Any]]
#: A name, or several names.
Names = Union[str, Iterable[str]]


def names(names: Names) -> List[str]:
    """Returns a list of names."""
    return [names] if isinstance(names, str) else list(names)


def on_disk(name: str) -> Any:
    """Returns a file name as bytes if it contains bytes that are not UTF-8."""
    return os.fsencode(name) if any("\ud800" <= c <= "\udfff" for c in name) else name


def folders(path: Folders) -> List[str]:
    """Returns a list of folders."""
    return [on_disk(os.fspath(p)) for p in ([path] if isinstance(path, (str, os.PathLike)) else path)]


def _plain(value: Any) -> Any:
    """Returns the Python value of a NumPy scalar."""
    return value.item() if hasattr(value, "item") and not isinstance(value, (str, Quantity)) and getattr(value, "ndim", 0) == 0 else value


def _flow(value: Any) -> Any:
    """Returns a value that JSON can represent."""
    value = _plain(value)
    if isinstance(value, Mapping):
        return {str(k): _flow(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        return [_flow(v) for v in value]
    return written(value) if isinstance(value, Quantity) else value


def written(value: Any) -> str:
    """Returns a value in the notation of documents: `true`, `7168 byte`, `[1, 2]`."""
    value = _plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Quantity):
        return written(float(value)) + ("" if value.unit in ("1", "", "count", "ratio") else " " + value.unit)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is no value that can be set")
        return str(int(value)) if value.is_integer() and abs(value) < 2**63 else repr(value)
    if isinstance(value, (int, str)):
        return str(value)
    if isinstance(value, (Mapping, list, tuple)) or hasattr(value, "tolist"):
        return json.dumps(_flow(value), allow_nan=False, ensure_ascii=False)
    raise TypeError(f"{value!r} is no value that can be set: a number, a text, True or False, or a list or dict of these")


def pairs(settings: Settings, more: Mapping[str, Any]) -> List[Tuple[str, str]]:
    """Returns the names and written values of two groups of settings."""
    return [(str(key), written(value)) for key, value in [*(settings or {}).items(), *more.items()]]


class RequestBuilder:
    """A builder of requests to the extension module."""

    def __init__(self, path: Folders) -> None:
        self.request = _core.Request()
        self.request.path = folders(path)
        self._documents: List[Tuple[str, str]] = []

    def name(self, document: Optional[DocumentLike], kind: str) -> Any:
        """Returns the document's name for the request; a document in memory becomes part of the request."""
        if document is None:
            return ""
        if isinstance(document, Mapping):
            document = Document.from_dict(document, kind)
        if isinstance(document, (str, os.PathLike)):
            return on_disk(os.path.abspath(document) if isinstance(document, os.PathLike) else document)
        if not isinstance(document, Document):
            raise TypeError(f"a document is a name, a path, a dict or an opledger.Document, not {document!r}")
        if document.reference is not None:
            return document.reference
        name, used = document.name, [n for n, _ in self._documents]
        while name in used:
            name += "'"
        self._documents.append((name, document.text))
        return name

    def build(
        self,
        model: Optional[DocumentLike],
        execution: Optional[DocumentLike],
        system: Optional[DocumentLike],
        accounting: Optional[DocumentLike],
        settings: Sequence[Tuple[str, str]],
        rules: Optional[Sequence[Any]] = None,
        space: Optional[DocumentLike] = None,
    ) -> _core.Request:
        """Returns the complete request."""
        request = self.request
        request.model, request.system = self.name(model, "model"), self.name(system, "system")
        if execution is not None:
            request.execution = self.name(execution, "execution")
        request.accounting, request.space = self.name(accounting, "accounting"), self.name(space, "search")
        request.settings = list(settings)
        if rules is not None:
            request.rules = json.dumps([self.name(r, "rules") if isinstance(r, (Document, os.PathLike)) else r for r in ([rules] if isinstance(rules, str) else rules)])
        request.documents = self._documents
        return request
