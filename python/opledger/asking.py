"""What is asked for, in words of the program: documents by name, values as `--set` takes them."""

from __future__ import annotations

import json
import math
import os
from typing import Any, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _core
from .documents import Document
from .quantity import Quantity

#: A name of the library, a path, a document in memory, or what one holds.
DocumentLike = Union[str, "os.PathLike[str]", Document, Mapping[str, Any]]
#: Where documents are looked for first.
Folders = Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]]]
Settings = Optional[Mapping[str, Any]]
#: One name or several.
Names = Union[str, Iterable[str]]


def names(some: Names) -> List[str]:
    return [some] if isinstance(some, str) else list(some)


def on_disk(name: str) -> Any:
    """Names of files may have bytes that are no UTF-8."""
    return os.fsencode(name) if any("\ud800" <= c <= "\udfff" for c in name) else name


def folders(path: Folders) -> List[str]:
    return [on_disk(os.fspath(p)) for p in ([path] if isinstance(path, (str, os.PathLike)) else path)]


def _plain(value: Any) -> Any:
    """Without the types of NumPy."""
    return value.item() if hasattr(value, "item") and not isinstance(value, (str, Quantity)) and getattr(value, "ndim", 0) == 0 else value


def _flow(value: Any) -> Any:
    """What JSON can write."""
    value = _plain(value)
    if isinstance(value, Mapping):
        return {str(k): _flow(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        return [_flow(v) for v in value]
    return written(value) if isinstance(value, Quantity) else value


def written(value: Any) -> str:
    """A value as documents write it: `true`, `7168 byte`, `[1, 2]`."""
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


def pairs(given: Settings, more: Mapping[str, Any]) -> List[Tuple[str, str]]:
    return [(str(key), written(value)) for key, value in [*(given or {}).items(), *more.items()]]


class Asking:
    """Fills what the extension module is asked with."""

    def __init__(self, path: Folders) -> None:
        self.asked = _core.Asked()
        self.asked.path = folders(path)
        self._documents: List[Tuple[str, str]] = []

    def name(self, document: Optional[DocumentLike], kind: str) -> Any:
        """What the program may call the document; a document in memory is handed over."""
        if document is None:
            return ""
        if isinstance(document, Mapping):
            document = Document.from_dict(document, kind)
        if isinstance(document, (str, os.PathLike)):
            return on_disk(os.path.abspath(document) if isinstance(document, os.PathLike) else document)
        if not isinstance(document, Document):
            raise TypeError(f"a document is a name, a path, a dict or an opledger.Document, not {document!r}")
        if document.asked is not None:
            return document.asked
        name, taken = document.name, [n for n, _ in self._documents]
        while name in taken:
            name += "'"
        self._documents.append((name, document.text))
        return name

    def done(
        self,
        model: Optional[DocumentLike],
        execution: Optional[DocumentLike],
        system: Optional[DocumentLike],
        accounting: Optional[DocumentLike],
        settings: Sequence[Tuple[str, str]],
        rules: Optional[Sequence[Any]] = None,
        space: Optional[DocumentLike] = None,
    ) -> _core.Asked:
        asked = self.asked
        asked.model, asked.system = self.name(model, "model"), self.name(system, "system")
        if execution is not None:
            asked.execution = self.name(execution, "execution")
        asked.accounting, asked.space = self.name(accounting, "accounting"), self.name(space, "search")
        asked.settings = list(settings)
        if rules is not None:
            asked.rules = json.dumps([self.name(r, "rules") if isinstance(r, (Document, os.PathLike)) else r for r in ([rules] if isinstance(rules, str) else rules)])
        asked.documents = self._documents
        return asked
