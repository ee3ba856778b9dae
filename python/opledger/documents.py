"""Documents: by name in the library, from files, in memory, or imported from other formats."""

from __future__ import annotations

import json
import os
import warnings
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple, Type, TypeVar, Union

from . import _core
from .errors import warn

if TYPE_CHECKING:
    import pandas

    from .request import DocumentLike, Folders, Settings

_D = TypeVar("_D", bound="Document")


class Document:
    """A document as text. Every function that accepts a name or a path accepts a Document."""

    kind: Optional[str] = None  #: The kind of a subclass, such as `model`.

    def __init__(self, name: Union[str, "os.PathLike[str]"], *, path: "Folders" = ()) -> None:
        """Loads a document by its name in the library or by its path."""
        from .request import RequestBuilder

        builder = RequestBuilder(path)
        kinds = [self.kind, ""] if self.kind else _core.kinds()
        self.name, self.path, self.text = _core.load(builder.build(None, None, None, None, []), builder.name(name, ""), kinds)
        of_library = isinstance(name, str) and not builder.request.path and "/" not in name and not name.endswith((".yaml", ".yml", ".json"))
        self.reference = str(name) if of_library else self.path

    name: str
    reference: Optional[str]  #: Name in the library, or path; None for a document in memory.
    path: Optional[str]  #: Path of the file; None for a document in memory.
    text: str

    @property
    def asked(self) -> Optional[str]:
        """Former name of `reference`, for one release."""
        warnings.warn("Document.asked is now Document.reference", DeprecationWarning, stacklevel=2)
        return self.reference

    @classmethod
    def from_yaml(cls: Type[_D], text: str, name: Optional[str] = None) -> _D:
        """Returns a document in memory. References to other documents are resolved in the working folder and in the library."""
        self = cls.__new__(cls)
        self.text, self.path, self.reference = text, None, None
        data = _core.read(name or cls.kind or "document", text)
        stated = data.get("name") if isinstance(data, dict) else None
        self.name = name or (stated if isinstance(stated, str) and stated else None) or cls.kind or "document"
        return self

    @classmethod
    def from_dict(cls: Type[_D], document: Mapping[str, Any], kind: Optional[str] = None) -> _D:
        """Returns a document in memory with this content. `kind` and `name` are optional."""
        kind = kind or cls.kind
        name = str(document.get("name", kind or "document"))
        whole = {**({"kind": kind} if kind else {}), "name": name, **document}
        return cls.from_yaml(json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False), name)

    @property
    def data(self) -> Dict[str, Any]:
        """The content of the document as a dict."""
        data: Dict[str, Any] = _core.read(self.name, self.text)
        return data

    @property
    def doc(self) -> str:
        """The documentation of the document."""
        return str(self.data.get("doc", "")).strip()

    def write(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the text to a file atomically."""
        _core.write(os.fspath(path), self.text)

    def __repr__(self) -> str:
        return f"<opledger.{type(self).__name__} {self.name}: {self.path or 'in memory'}>"

    def __str__(self) -> str:
        return self.text


class Model(Document):
    """A model: parameters and a graph."""

    kind = "model"
    rules: Optional[Document] = None  #: Rules for quantized weights of an imported model, if requested; an execution may list them.

    @property
    def parameters(self) -> Dict[str, Any]:
        """The parameters as written: numbers, or formulas."""
        return dict(self.data.get("parameters") or {})

    @classmethod
    def from_hf(
        cls, config: Union[str, "os.PathLike[str]"], name: Optional[str] = None, *, rules: str = "", unquantized: bool = False, unquantised: bool = False,
        path: "Folders" = (),
    ) -> "Model":
        """Imports the config.json of Hugging Face, or of the folder that contains it.

        `rules`: name of a document for the quantization of weights, which becomes `model.rules`. `unquantized`: ignore quantization in the config and
        import the model as trained; `unquantised` is its former name.
        """
        from .request import RequestBuilder

        if unquantised:
            warnings.warn("unquantised is now unquantized", DeprecationWarning, stacklevel=2)
        file, own_name = _config(os.fspath(config))
        text, rules_text, remarks = _core.import_config(RequestBuilder(path).build(None, None, None, None, []), file, name or own_name, rules, unquantized or unquantised)
        warn(remarks, 2)
        self = cls.from_yaml(text, name or own_name)
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
        """Returns the launch files of a framework for a run of the model; `format` is a format of `opledger export`, such as `megatron`. Features that the framework
        lacks are errors.
        """
        from .request import RequestBuilder, pairs

        return _core.export_run(RequestBuilder(path).build(self, execution, system, accounting, pairs(set, settings)), format, mapping)


def _config(path: str) -> Tuple[str, str]:
    """Returns the file and the model's name: the folder's name for `config.json` in a folder, else the file's name."""
    file = os.path.join(path, "config.json") if os.path.isdir(path) else path
    stem = os.path.basename(file)[: -len(".json")] if file.endswith(".json") else os.path.basename(file)
    return file, os.path.basename(os.path.dirname(os.path.abspath(file))) if os.path.isdir(path) else stem


def documents(kind: str = "model", *, path: "Folders" = ()) -> List[str]:
    """Returns the names of every document of a kind: `model`, `execution`, `system`, `rules`, `search`, …"""
    from .request import RequestBuilder
    from .errors import UnknownNameError

    known = _core.kinds()
    if kind not in known:
        raise UnknownNameError(f"`{kind}` is no kind of document: there are {', '.join(known)}")
    return _core.names(RequestBuilder(path).build(None, None, None, None, []), kind)


def catalogue(of: str, document: str = "", *, path: "Folders" = ()) -> "pandas.DataFrame":
    """Returns the contents of documents as a table: `metrics`, `inputs` or `quantities` of an accounting, `operators`, `block-definitions`; with documentation."""
    import pandas

    from .request import RequestBuilder

    title, facts, rows = _core.offers(RequestBuilder(path).build(None, None, None, None, []), of, document)
    return pandas.DataFrame([[name, *values, doc] for name, values, doc in rows], columns=[title, *facts, "doc"]).set_index(title)
