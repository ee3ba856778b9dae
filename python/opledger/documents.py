"""Documents: of the library, of files, in memory, from the files of others."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple, Type, TypeVar, Union

from . import _core
from .errors import warn

if TYPE_CHECKING:
    import pandas

    from .asking import DocumentLike, Folders, Settings

_D = TypeVar("_D", bound="Document")


class Document:
    """A document, by its text. It can stand wherever a name or a path can."""

    kind: Optional[str] = None  #: Of a class for one kind: `model`.

    def __init__(self, name: Union[str, "os.PathLike[str]"], *, path: "Folders" = ()) -> None:
        """By its name in the library, or its path."""
        from .asking import Asking

        asking = Asking(path)
        wanted = [self.kind, ""] if self.kind else _core.kinds()
        self.name, self.path, self.text = _core.load(asking.done(None, None, None, None, []), asking.name(name, ""), wanted)
        of_library = isinstance(name, str) and not asking.asked.path and "/" not in name and not name.endswith((".yaml", ".yml", ".json"))
        self.asked = str(name) if of_library else self.path

    name: str
    asked: Optional[str]  #: What the program would call it: a name of the library, or a path; None: it is in memory only.
    path: Optional[str]  #: Of its file; None: it is in memory only.
    text: str

    @classmethod
    def from_yaml(cls: Type[_D], text: str, name: Optional[str] = None) -> _D:
        """A document in memory. What it names is looked for in the working folder and in the library."""
        self = cls.__new__(cls)
        self.text, self.path, self.asked = text, None, None
        data = _core.read(name or cls.kind or "document", text)
        given = data.get("name") if isinstance(data, dict) else None
        self.name = name or (given if isinstance(given, str) and given else None) or cls.kind or "document"
        return self

    @classmethod
    def from_dict(cls: Type[_D], document: Mapping[str, Any], kind: Optional[str] = None) -> _D:
        """The same of what it holds. `kind` and `name` may be left out."""
        kind = kind or cls.kind
        name = str(document.get("name", kind or "document"))
        whole = {**({"kind": kind} if kind else {}), "name": name, **document}
        return cls.from_yaml(json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False), name)

    @property
    def data(self) -> Dict[str, Any]:
        """What the text holds."""
        data: Dict[str, Any] = _core.read(self.name, self.text)
        return data

    @property
    def doc(self) -> str:
        return str(self.data.get("doc", "")).strip()

    def write(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """To a file, completely or not at all."""
        _core.write(os.fspath(path), self.text)

    def __repr__(self) -> str:
        return f"<opledger.{type(self).__name__} {self.name}: {self.path or 'in memory'}>"

    def __str__(self) -> str:
        return self.text


class Model(Document):
    """A model: parameters and a graph."""

    kind = "model"
    rules: Optional[Document] = None  #: Of an imported one, how its weights are quantised, where this was asked for: an execution may list it.

    @property
    def parameters(self) -> Dict[str, Any]:
        """As they are written: numbers, or formulas of others."""
        return dict(self.data.get("parameters") or {})

    @classmethod
    def from_hf(
        cls, config: Union[str, "os.PathLike[str]"], name: Optional[str] = None, *, rules: str = "", unquantised: bool = False, path: "Folders" = ()
    ) -> "Model":
        """From the config.json of Hugging Face, or the folder that has one.

        `rules`: what the config says of quantised weights becomes `model.rules`, a document of this name. `unquantised`: the model as it is trained, whatever
        the config says of that.
        """
        from .asking import Asking

        file, called = _config(os.fspath(config))
        text, rules_text, remarks = _core.import_config(Asking(path).done(None, None, None, None, []), file, name or called, rules, unquantised)
        warn(remarks, 2)
        self = cls.from_yaml(text, name or called)
        if rules_text:
            self.rules = Document.from_yaml(rules_text, rules)
        return self


    def export(
        self,
        format: str,
        execution: "DocumentLike",
        system: Optional["DocumentLike"] = None,
        *,
        mapping: str = "",
        accounting: Optional["DocumentLike"] = None,
        set: "Settings" = None,
        path: "Folders" = (),
        **settings: Any,
    ) -> str:
        """What starts a framework on a run of the model: `megatron`, … as `opledger export` calls it. What the framework can't do is an error."""
        from .asking import Asking, pairs

        return _core.export_run(Asking(path).done(self, execution, system, accounting, pairs(set, settings)), format, mapping)


def _config(path: str) -> Tuple[str, str]:
    """The file, and what the model is called: like its folder, if the file has the name that all have."""
    file = os.path.join(path, "config.json") if os.path.isdir(path) else path
    stem = os.path.basename(file)[: -len(".json")] if file.endswith(".json") else os.path.basename(file)
    return file, os.path.basename(os.path.dirname(os.path.abspath(file))) if os.path.isdir(path) else stem


def documents(kind: str = "model", *, path: "Folders" = ()) -> List[str]:
    """Names of all documents of a kind: `model`, `execution`, `system`, `rules`, `search`, …"""
    from .asking import Asking
    from .errors import UnknownNameError

    known = _core.kinds()
    if kind not in known:
        raise UnknownNameError(f"`{kind}` is no kind of document: there are {', '.join(known)}")
    return _core.names(Asking(path).done(None, None, None, None, []), kind)


def catalogue(of: str, document: str = "", *, path: "Folders" = ()) -> "pandas.DataFrame":
    """What documents offer: `metrics`, `inputs` or `quantities` of an accounting, `operators`, `block-definitions`; each with what it is."""
    import pandas

    from .asking import Asking

    title, facts, rows = _core.offers(Asking(path).done(None, None, None, None, []), of, document)
    return pandas.DataFrame([[name, *values, doc] for name, values, doc in rows], columns=[title, *facts, "doc"]).set_index(title)
