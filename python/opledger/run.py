"""A run: the cost of a model on a machine with a distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple

from . import _core
from .request import RequestBuilder, DocumentLike, Folders, Settings, pairs, written
from .documents import Document
from .errors import UnknownNameError, warn
from .explanation import Explanation
from .notebook import run_html
from .page import Page
from .quantity import metric_value
from .report import Report, table_frame

if TYPE_CHECKING:
    import pandas

_RANKS = ("stages", "kinds", "all")


def _short_name(document: DocumentLike, kind: str) -> str:
    """Returns a short name for a document."""
    if isinstance(document, Mapping):
        return str(document.get("name", kind))
    return document.name if isinstance(document, Document) else str(document)


class Run:
    """A model, its distribution over processors, and a machine: `Run("gpt3-175b", "gpt3-175b-64xa100", "a100-80g-sxm", tp=4)`.

    Documents are names in the library, paths, `Document`s or dicts. The default execution is a single processor with a single sequence. Without a system,
    metrics that need one are missing. Keywords replace fields of the execution, parameters of the model and degrees of mesh axes. `set` accepts names with dots:
    `set={"system.memory.capacity": "96 GiB"}`. `rules` replaces the execution's list.

    Both `run["memory"]` and `run.memory` return metrics.
    """

    def __init__(
        self,
        model: Optional[DocumentLike] = None,
        execution: Optional[DocumentLike] = None,
        system: Optional[DocumentLike] = None,
        *,
        accounting: Optional[DocumentLike] = None,
        rules: Optional[Sequence[Any]] = None,
        set: Settings = None,
        path: Folders = (),
        **settings: Any,
    ) -> None:
        self._prepare((model, execution, system, accounting, rules, path, pairs(set, settings), None), 3)

    _arguments: Tuple[Any, ...]
    _handle: _core.Run

    def _prepare(self, arguments: Tuple[Any, ...], stacklevel: int) -> None:
        model, execution, system, accounting, rules, path, settings, space = arguments
        self._arguments = arguments
        self._handle = _core.Run(RequestBuilder(path).build(model, execution, system, accounting, settings, rules, space))
        warn(self._handle.remarks, stacklevel)

    @classmethod
    def _of(cls, *arguments: Any) -> "Run":
        self = cls.__new__(cls)
        self._prepare(arguments, 4)
        return self

    def __reduce__(self) -> Tuple[Any, ...]:
        return Run._of, self._arguments

    def __copy__(self) -> "Run":
        return self

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Run":
        return self

    # Documents and settings.

    @property
    def model(self) -> Optional[DocumentLike]:
        """The model as passed to the constructor."""
        return self._arguments[0]  # type: ignore[no-any-return]

    @property
    def execution(self) -> Optional[DocumentLike]:
        """The execution as passed to the constructor; the default's name without one."""
        return self._arguments[1] or self._handle.execution

    @property
    def system(self) -> Optional[DocumentLike]:
        """The system as passed to the constructor."""
        return self._arguments[2]  # type: ignore[no-any-return]

    @property
    def accounting(self) -> str:
        """The name of the accounting."""
        return self._handle.accounting

    @property
    def settings(self) -> Dict[str, str]:
        """The settings, in the notation of documents."""
        return dict(self._arguments[6])

    def with_(
        self,
        *,
        model: Optional[DocumentLike] = None,
        execution: Optional[DocumentLike] = None,
        system: Optional[DocumentLike] = None,
        accounting: Optional[DocumentLike] = None,
        rules: Optional[Sequence[Any]] = None,
        set: Settings = None,
        **settings: Any,
    ) -> "Run":
        """Returns a run with changed documents or settings."""
        old = self._arguments
        new = [b if b is not None else a for a, b in zip(old[:5], (model, execution, system, accounting, rules))]
        return Run._of(*new, old[5], [*old[6], *pairs(set, settings)], old[7])

    # Metrics.

    def __getitem__(self, name: str) -> Any:
        """Returns a metric, or a name of the accounting with a single value."""
        return metric_value(*self._handle.metric(name))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except UnknownNameError:
            suggested = _core.suggestion(name, [n for n in dir(self) if not n.startswith("_")])
            raise AttributeError(f"a run has neither a metric nor a method `{name}`{suggested}") from None

    @property
    def metrics(self) -> Dict[str, Any]:
        """Every metric that can be computed; numbers are `Quantity`s with unit and documentation."""
        return {metric[0]: metric_value(*metric) for metric in self._handle.metrics()}

    @property
    def violations(self) -> List[str]:
        """The violated constraints; empty for a feasible run."""
        return [message for _, message, _ in self._handle.violations()]

    @property
    def feasible(self) -> bool:
        """True if no constraint is violated."""
        return not self._handle.violations()

    # Tables.

    @property
    def tables(self) -> List[str]:
        """The names accepted by `table()`."""
        return self._handle.table_names

    @property
    def reports(self) -> List[str]:
        """The names accepted by `report()`."""
        return self._handle.report_names

    def table(self, name: str) -> "pandas.DataFrame":
        """Returns a table of the accounting. Numbers are in base units, listed in `attrs["units"]`; words are categories."""
        return table_frame(self._handle.table(name).table(name))

    def report(self, name: str = "eval") -> Report:
        """Returns the report printed by a command: `eval`, `params`, `flops`, `memory`, `comm`, …"""
        return Report(self._handle.report(name), lambda: self._handle.shown_report(name))

    def timeline(self, *, operators: bool = False, ranks: str = "stages", microbatches: int = 0) -> Report:
        """Simulates a step. `["works"]` contains the tasks; with `operators`, `["operators"]` contains every kernel and message. `ranks`: `stages`, `kinds` or `all`."""
        if ranks not in _RANKS:
            raise ValueError(f"`ranks` is one of {', '.join(_RANKS)}, not `{ranks}`")
        if microbatches < 0:
            raise ValueError("`microbatches` must be at least 0")
        return Report(self._handle.timeline(microbatches, _RANKS.index(ranks), operators))

    def groups(self) -> Report:
        """Returns the groups of communicating ranks."""
        return Report(self._handle.groups())

    # Queries.

    def explain(self, name: str, *, depth: int = 3, terms: int = 4, at: Optional[Mapping[str, Any]] = None) -> Explanation:
        """Explains a metric, a name of the accounting, or the cost of nodes (`decoder.attention.*`). `at={"stage": 0}` selects one of several values."""
        return Explanation(*self._handle.explain(name, depth, terms, [(str(k), written(v)) for k, v in (at or {}).items()]))

    def diff(self, other: "Run") -> "pandas.DataFrame":
        """Returns the differences to another run: inputs, metrics, nodes (`entries`), messages, saved tensors and weights (`elements`); with their rules."""
        import pandas

        report, text = self._handle.diff(other._handle)
        frames = []
        for of in report.tables:
            table = table_frame(report.table(of))
            if of != "against" and len(table):
                table.insert(0, "of", of)
                frames.append(table)
        columns = ["of", *(title for title, _, _ in report.table("inputs")["columns"])]
        out = pandas.concat(frames, ignore_index=True) if frames else pandas.DataFrame(columns=columns)
        out["of"] = out["of"].astype("category")
        out.attrs = {"text": text.strip("\n")}
        return out

    def audit(self, expect: Settings = None) -> Report:
        """Checks the run for consistency and against expected values: `expect={"memory": "70 GiB+-1%"}`. `failures` lists the failed checks."""
        expected = pairs(expect, {})
        return Report(self._handle.audit(expected, False), lambda: self._handle.audit(expected, True))

    def export(self, format: str, *, mapping: str = "") -> str:
        """Returns the launch files of a framework for this run; `format` is a format of `opledger export`, such as `megatron`. Features that the framework lacks are
        errors.
        """
        model, execution, system, accounting, rules, path, settings, space = self._arguments
        return _core.export_run(RequestBuilder(path).build(model, execution, system, accounting, settings, rules, space), format, mapping)

    def explore(self, against: Optional["Run"] = None, *, height: int = 800) -> Page:
        """Returns the explorer's page of the run, optionally compared with a second run."""
        difference = ""
        if against is not None:
            changed = [(k, v) for k, v in against.settings.items() if self.settings.get(k) != v]
            difference = " ".join(f"{k}={v}" for k, v in changed) or " ".join(str(d) for d in against._documents())
        return Page(self._handle.page(against._handle if against is not None else None, difference), height)

    # Display.

    def _documents(self) -> List[str]:
        documents = [("model", self.model), ("execution", self.execution), ("system", self.system)]
        return [_short_name(d, kind) for kind, d in documents if d]

    def __repr__(self) -> str:
        figures = ", ".join(f"{word} {text}" for word, text in self._handle.headline())
        impossible = "" if self.feasible else ", infeasible"
        settings = "".join(f" {k}={v}" for k, v in self.settings.items())
        return f"<opledger.Run {' '.join(self._documents())}{settings}{': ' if figures else ''}{figures}{impossible}>"

    def __str__(self) -> str:
        return str(self.report()) if "eval" in self.reports else repr(self)

    def _repr_html_(self) -> str:
        title = " · ".join([*self._documents(), *(f"{k}={v}" for k, v in self.settings.items())])
        return run_html(title, self._handle.headline(), self.violations, self._handle.stacks(), self._handle.shown_report("eval").for_people())

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *(n for n in self._handle.metric_names if n.isidentifier())})

    def _ipython_key_completions_(self) -> List[str]:
        return self._handle.metric_names
