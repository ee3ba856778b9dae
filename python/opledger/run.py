"""One run: what a model costs on a machine, split a given way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple

from . import _core
from .asking import Asking, DocumentLike, Folders, Settings, pairs, written
from .documents import Document
from .errors import UnknownNameError, warn
from .explanation import Explanation
from .notebook import run_html
from .page import Page
from .quantity import worth
from .report import Report, table_frame

if TYPE_CHECKING:
    import pandas

_RANKS = ("stages", "kinds", "all")


def _called(document: DocumentLike, kind: str) -> str:
    """A document in a few words."""
    if isinstance(document, Mapping):
        return str(document.get("name", kind))
    return document.name if isinstance(document, Document) else str(document)


class Run:
    """A model, how it is split over processors, and a machine: `Run("gpt3-175b", "gpt3-175b-64xa100", "a100-80g-sxm", tp=4)`.

    Documents are names of the library, paths, `Document`s or dicts. Without an execution one processor works on one sequence; without a system what needs one
    is left out. Further keywords replace fields of the execution, parameters of the model, degrees of mesh axes; `set` takes names with dots:
    `set={"system.memory.capacity": "96 GiB"}`. `rules` stands in place of the execution's list.

    `run["memory"]` and `run.memory` are metrics.
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
    _held: _core.Run

    def _prepare(self, arguments: Tuple[Any, ...], stacklevel: int) -> None:
        model, execution, system, accounting, rules, path, settings, space = arguments
        self._arguments = arguments
        self._held = _core.Run(Asking(path).done(model, execution, system, accounting, settings, rules, space))
        warn(self._held.remarks, stacklevel)

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

    # What it is of.

    @property
    def model(self) -> Optional[DocumentLike]:
        """As it was given."""
        return self._arguments[0]  # type: ignore[no-any-return]

    @property
    def execution(self) -> Optional[DocumentLike]:
        """As it was given; without one, the name of what is assumed."""
        return self._arguments[1] or self._held.execution

    @property
    def system(self) -> Optional[DocumentLike]:
        return self._arguments[2]  # type: ignore[no-any-return]

    @property
    def accounting(self) -> str:
        return self._held.accounting

    @property
    def settings(self) -> Dict[str, str]:
        """What replaces values of the documents, as they would write it."""
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
        """Another run that differs in this."""
        old = self._arguments
        new = [b if b is not None else a for a, b in zip(old[:5], (model, execution, system, accounting, rules))]
        return Run._of(*new, old[5], [*old[6], *pairs(set, settings)], old[7])

    # Numbers.

    def __getitem__(self, name: str) -> Any:
        """A metric, or any other name of the accounting that has one value."""
        return worth(*self._held.metric(name))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except UnknownNameError:
            meant = _core.suggestion(name, [n for n in dir(self) if not n.startswith("_")])
            raise AttributeError(f"a run has neither a metric nor a method `{name}`{meant}") from None

    @property
    def metrics(self) -> Dict[str, Any]:
        """All that can be computed: numbers as `Quantity`, with unit and doc."""
        return {told[0]: worth(*told) for told in self._held.metrics()}

    @property
    def violations(self) -> List[str]:
        """Why the run is impossible."""
        return [message for _, message, _ in self._held.violations()]

    @property
    def feasible(self) -> bool:
        return not self._held.violations()

    # Tables.

    @property
    def tables(self) -> List[str]:
        """Names for `table()`."""
        return self._held.table_names

    @property
    def reports(self) -> List[str]:
        """Names for `report()`."""
        return self._held.report_names

    def table(self, name: str) -> "pandas.DataFrame":
        """A table of the accounting: numbers in base units, which `attrs["units"]` has; words as categories."""
        return table_frame(self._held.table(name).table(name))

    def report(self, name: str = "eval") -> Report:
        """What the command of this name prints: `eval`, `params`, `flops`, `memory`, `comm`, …"""
        return Report(self._held.report(name), lambda: self._held.shown_report(name))

    def timeline(self, *, operators: bool = False, ranks: str = "stages", microbatches: int = 0) -> Report:
        """One step played out: `["works"]`, or with `operators` every kernel and message in `["operators"]`. `ranks`: `stages`, `kinds` or `all`."""
        if ranks not in _RANKS:
            raise ValueError(f"`ranks` is one of {', '.join(_RANKS)}, not `{ranks}`")
        if microbatches < 0:
            raise ValueError("`microbatches` must be at least 0")
        return Report(self._held.timeline(microbatches, _RANKS.index(ranks), operators))

    def groups(self) -> Report:
        """The groups of ranks that communicate."""
        return Report(self._held.groups())

    # Questions.

    def explain(self, name: str, *, depth: int = 3, terms: int = 4, at: Optional[Mapping[str, Any]] = None) -> Explanation:
        """How a metric, another name of the accounting, or the cost of nodes (`decoder.attention.*`) is computed. `at={"stage": 0}` chooses among several values."""
        return Explanation(*self._held.explain(name, depth, terms, [(str(k), written(v)) for k, v in (at or {}).items()]))

    def diff(self, other: "Run") -> "pandas.DataFrame":
        """What differs in another run: inputs, metrics, nodes (`entries`), messages, kept tensors and weights (`elements`); with the rules behind it."""
        import pandas

        report, text = self._held.diff(other._held)
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
        """Checks of the run against itself and against what is expected: `expect={"memory": "70 GiB+-1%"}`. `failures` has what does not hold."""
        expected = pairs(expect, {})
        return Report(self._held.audit(expected, False), lambda: self._held.audit(expected, True))

    def export(self, format: str, *, mapping: str = "") -> str:
        """What starts a framework on this run: `megatron`, … as `opledger export` calls it. What the framework can't do is an error."""
        model, execution, system, accounting, rules, path, settings, space = self._arguments
        return _core.export_run(Asking(path).done(model, execution, system, accounting, settings, rules, space), format, mapping)

    def explore(self, against: Optional["Run"] = None, *, height: int = 800) -> Page:
        """The page of the run, with another one beside it."""
        difference = ""
        if against is not None:
            changed = [(k, v) for k, v in against.settings.items() if self.settings.get(k) != v]
            difference = " ".join(f"{k}={v}" for k, v in changed) or " ".join(str(d) for d in against._documents())
        return Page(self._held.page(against._held if against is not None else None, difference), height)

    # What people see.

    def _documents(self) -> List[str]:
        documents = [("model", self.model), ("execution", self.execution), ("system", self.system)]
        return [_called(d, kind) for kind, d in documents if d]

    def __repr__(self) -> str:
        said = ", ".join(f"{word} {text}" for word, text in self._held.headline())
        impossible = "" if self.feasible else ", infeasible"
        settings = "".join(f" {k}={v}" for k, v in self.settings.items())
        return f"<opledger.Run {' '.join(self._documents())}{settings}{': ' if said else ''}{said}{impossible}>"

    def __str__(self) -> str:
        return str(self.report()) if "eval" in self.reports else repr(self)

    def _repr_html_(self) -> str:
        title = " · ".join([*self._documents(), *(f"{k}={v}" for k, v in self.settings.items())])
        return run_html(title, self._held.headline(), self.violations, self._held.stacks(), self._held.shown_report("eval").for_people())

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *(n for n in self._held.metric_names if n.isidentifier())})

    def _ipython_key_completions_(self) -> List[str]:
        return self._held.metric_names
