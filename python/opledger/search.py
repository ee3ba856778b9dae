"""Search of a design space for the best configurations."""

from __future__ import annotations

import atexit
import os
import threading
import time
import warnings
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple, Union, overload

from . import _core
from .request import RequestBuilder, DocumentLike, Folders, Names, Settings, names, pairs
from .errors import InterruptedSearchWarning, warn
from .frames import TitledColumn, frame
from .run import Run

if TYPE_CHECKING:
    from typing import Literal

    import pandas

_MOST = 10**9
_PAUSE = 0.1  # Seconds between two statuses.


class Status(NamedTuple):
    """The progress of a search."""

    done: int  #: Number of evaluated candidates.
    total: int  #: Number of candidates; 0: unknown.
    best: str  #: The best value so far, for people; empty: no feasible candidate.
    seconds: float  #: Seconds since the start.

    def __str__(self) -> str:
        of = f" of {self.total:,}" if self.total else " candidates"
        rate = f", {self.done / self.seconds:,.0f}/s" if self.seconds > 0 and self.done else ""
        return f"{self.done:,}{of}{rate}" + (f", best {self.best}" if self.best else "")


class SearchResult:
    """The answer of a search. It refers to no documents, and can be pickled."""

    def __init__(self, data: Dict[str, Any], arguments: Tuple[Any, ...]) -> None:
        self._data = data
        self._all: Optional["pandas.DataFrame"] = None
        self._arguments = arguments  # Model, accounting, path, settings, space, system.
        self.objective: str = data["objective"]
        self.maximise: bool = data["maximise"]
        self.axes: List[str] = data["axes"]
        self.metrics: List[str] = data["metrics"]
        self.pareto: Dict[str, str] = data["pareto"]  #: Direction of each metric of the front: `maximise` or `minimise`.
        self.candidates: int = data["counts"]["candidates"]
        self.feasible: int = data["counts"]["feasible"]
        self.infeasible: Dict[str, int] = data["counts"]["infeasible"]  #: Number of candidates by reason.
        self.skipped: int = data["counts"]["skipped"]  #: Number of combinations skipped by a stop condition of an axis.
        self.sums: Dict[str, float] = data["sums"]
        self.partial: bool = data["partial"]  #: True if the search ended before every candidate was tried.
        self.seconds: float = data["seconds"]

    def _frame(self, columns: Sequence[TitledColumn]) -> "pandas.DataFrame":
        return frame(columns, {"objective": self.objective})

    @property
    def best(self) -> "pandas.DataFrame":
        """The best candidates, best first. `candidates`: number of stored candidates that are the same run."""
        return self._frame(self._data["best"]).copy()

    @property
    def front(self) -> "pandas.DataFrame":
        """The Pareto front: candidates that no candidate exceeds in a metric of `pareto` without being worse in another."""
        return self._frame(self._data["front"]).copy()

    @property
    def simplest(self) -> "pandas.DataFrame":
        """The simplest candidate that is almost as good as the best, by the space's measure; no row without one."""
        return self._frame(self._data["simplest"]).copy()

    @property
    def held_axes(self) -> Dict[str, Tuple[Any, List[str]]]:
        """Axes of one value in the whole space: the value, and the inputs of the space that may allow further values."""
        return {axis: (value, list(inputs)) for axis, value, inputs in self._data["held_axes"]}

    @property
    def frame(self) -> "pandas.DataFrame":
        """Every feasible candidate, in the order of the space, if `all=True`; else the front, if requested; else the best."""
        if self._data["found"] is None:
            return self.front if self.pareto else self.best
        if self._all is None:  # The frame shares the memory of the columns.
            self._all = self._frame(self._data["found"])
        return self._all

    def arrays(self) -> Dict[str, Any]:
        """Returns the columns of `frame` as NumPy arrays."""
        from .frames import array

        columns = self._data["found"] if self._data["found"] is not None else self._data["front" if self.pareto else "best"]
        return {title: array(values) for title, _, values in columns}

    def run(self, rank: int = 0, *, front: bool = False, simplest: bool = False) -> Run:
        """Returns a candidate of `best`, of `front` or of `simplest` as a run; rank 0 is the first."""
        if front and simplest:
            raise ValueError("a candidate is of `front` or of `simplest`, not of both")
        settings = self._data["front_settings" if front else "simplest_settings" if simplest else "best_settings"]
        if not -len(settings) <= rank < len(settings):
            raise IndexError(f"there is no candidate {rank}: the result has {len(settings)}")
        system, values = settings[rank]
        return self._run_of(system, values)

    def _run_of(self, system: str, values: Sequence[Tuple[str, str]]) -> Run:
        model, accounting, path, provided, space, own_system = self._arguments
        axes = {axis for axis, _ in values} | set(self.axes)
        machine = own_system if not isinstance(own_system, str) and own_system is not None else system or own_system
        return Run._of(model, None, machine, accounting, None, path, [*((k, v) for k, v in provided if k not in axes), *values], space)

    @property
    def refused(self) -> Dict[str, Tuple[str, Run]]:
        """The best infeasible candidate for each reason: the missing amount, and its run. Requires `refused=True`."""
        return {reason: (message, self._run_of(*settings[0])) for reason, message, _, settings in self._data["refused"]}

    @property
    def played(self) -> List[Tuple[Any, Any, str]]:
        """The objective of the best candidates by formulas and by simulation, or the reason for no simulation. Requires `played=N`."""
        return list(self._data["played"])

    def __str__(self) -> str:
        return str(self._data["text"]).strip("\n")

    def __repr__(self) -> str:
        partial = " so far" if self.partial else ""
        return f"<opledger.SearchResult: {self.feasible:,} of {self.candidates:,} candidates are feasible{partial}, in {self.seconds:.2f} s; .best, .front, .frame, .run(0)>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"


class _Worker:
    """The thread of a search. The thread has no reference to the Search, so an unreachable Search is collected and stops its thread."""

    def __init__(self, handle: _core.Search) -> None:
        self.handle = handle
        self.error: Optional[BaseException] = None
        self.done = threading.Event()
        _WORKING.add(self)
        threading.Thread(target=self.run, name="opledger search", daemon=True).start()

    def run(self) -> None:
        try:
            self.handle.run()
        except BaseException as error:
            self.error = error
        finally:
            self.done.set()
            _WORKING.discard(self)

    def end(self) -> None:
        self.handle.halt()
        self.done.wait()


_WORKING: Set[_Worker] = set()


@atexit.register
def _end_all() -> None:
    """Stops running searches at exit, because a thread must not call a finalized interpreter."""
    for worker in list(_WORKING):
        worker.end()


class Search:
    """A running search: `for status in search:` yields its progress, `search.result()` waits for the answer.

    Ctrl-C during the loop's waiting, or `stop()`, ends the search; found candidates remain.
    """

    def __init__(self, handle: _core.Search, arguments: Tuple[Any, ...]) -> None:
        self._arguments = arguments
        self._result: Optional[SearchResult] = None
        self._start = time.monotonic()
        self._worker = _Worker(handle)

    def status(self) -> Status:
        """Returns the progress."""
        done, total, _, best = self._worker.handle.status
        return Status(done, total, best, time.monotonic() - self._start)

    @property
    def running(self) -> bool:
        """True until the search has ended."""
        return not self._worker.done.is_set()

    def stop(self) -> None:
        """Ends the search; the result contains the candidates found so far."""
        self._worker.handle.halt()

    def __iter__(self) -> Iterator[Status]:
        try:
            while not self._worker.done.wait(_PAUSE):
                yield self.status()
        except KeyboardInterrupt:
            self._worker.end()
        yield self.status()

    def result(self) -> SearchResult:
        """Waits for the end of the search and returns its answer. Ctrl-C ends the search."""
        try:
            self._worker.done.wait()
        except KeyboardInterrupt:
            self._worker.end()
        if self._worker.error is not None:
            raise self._worker.error
        if self._result is None:
            self._result = _result(self._worker.handle, self._arguments, 3)
        return self._result

    def __enter__(self) -> "Search":
        return self

    def __exit__(self, *_: object) -> None:
        self._worker.end()

    def __del__(self) -> None:
        if hasattr(self, "_worker"):
            self._worker.handle.halt()

    def __repr__(self) -> str:
        return f"<opledger.Search: {self.status()}{'' if self.running else ', done'}>"


def _result(handle: _core.Search, arguments: Tuple[Any, ...], stacklevel: int) -> SearchResult:
    warn(handle.remarks, stacklevel)
    out = SearchResult(handle.result(), arguments)
    if out.partial:
        warnings.warn("interrupted: not all candidates were tried", InterruptedSearchWarning, stacklevel=stacklevel)
    return out


@overload
def search(
    space: DocumentLike,
    model: Optional[DocumentLike] = None,
    system: Optional[DocumentLike] = None,
    *,
    metrics: Names = (),
    pareto: Names = (),
    where: Names = (),
    sums: Names = (),
    stop: Names = (),
    top: int = 10,
    all: bool = False,
    refused: bool = False,
    played: int = 0,
    store: Any = None,
    resume: bool = False,
    jobs: int = 0,
    accounting: Optional[DocumentLike] = None,
    set: Settings = None,
    path: Folders = (),
    progress: "Literal[False]" = False,
    **settings: Any,
) -> SearchResult:
    ...


@overload
def search(
    space: DocumentLike,
    model: Optional[DocumentLike] = None,
    system: Optional[DocumentLike] = None,
    *,
    metrics: Names = (),
    pareto: Names = (),
    where: Names = (),
    sums: Names = (),
    stop: Names = (),
    top: int = 10,
    all: bool = False,
    refused: bool = False,
    played: int = 0,
    store: Any = None,
    resume: bool = False,
    jobs: int = 0,
    accounting: Optional[DocumentLike] = None,
    set: Settings = None,
    path: Folders = (),
    progress: "Literal[True]",
    **settings: Any,
) -> Search:
    ...


def search(
    space: DocumentLike,
    model: Optional[DocumentLike] = None,
    system: Optional[DocumentLike] = None,
    *,
    metrics: Names = (),
    pareto: Names = (),
    where: Names = (),
    sums: Names = (),
    stop: Names = (),
    top: int = 10,
    all: bool = False,
    refused: bool = False,
    played: int = 0,
    store: Any = None,
    resume: bool = False,
    jobs: int = 0,
    accounting: Optional[DocumentLike] = None,
    set: Settings = None,
    path: Folders = (),
    progress: bool = False,
    **settings: Any,
) -> Union[SearchResult, Search]:
    """Returns the best candidates of a space. Further keywords, and `set`, fix axes and inputs.

    `metrics`, `pareto`, `where`, `sums`, `stop`, `top`, `refused`, `played`, `store`, `resume`, `jobs` are the options of `opledger search` (`store`: `-o FILE.sqlite`).
    With `all`, the result has every feasible candidate. The interpreter's lock is released. Ctrl-C ends the search, and `partial` is then true.
    With `progress`, the search runs in a thread and a Search is returned, which yields the progress.
    """
    provided = pairs(set, settings)
    folders = path
    handle = _core.Search(RequestBuilder(folders).build(model, None, system, accounting, provided, None, space))
    handle.metrics, handle.pareto, handle.where = names(metrics), names(pareto), names(where)
    handle.sums, handle.stop = names(sums), names(stop)
    for word, number in (("top", top), ("played", played), ("jobs", jobs)):
        if not 0 <= number <= _MOST:
            raise ValueError(f"`{word}` must be from 0 to {_MOST:,}")
    handle.top, handle.jobs, handle.refused, handle.all = top, jobs, refused, all
    handle.played, handle.resume = played, resume
    handle.store = os.fspath(store) if store is not None else ""
    arguments = (model, accounting, folders, provided, space, system)
    if all and store is not None:
        raise ValueError("`all` and `store` exclude each other: each keeps every candidate")
    if progress:
        return Search(handle, arguments)
    handle.run()
    return _result(handle, arguments, 3)
