"""The best configurations of a design space."""

from __future__ import annotations

import atexit
import os
import threading
import time
import warnings
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple, Union, overload

from . import _core
from .asking import Asking, DocumentLike, Folders, Names, Settings, names, pairs
from .errors import InterruptedSearchWarning, warn
from .frames import Told, frame
from .run import Run

if TYPE_CHECKING:
    from typing import Literal

    import pandas

_MOST = 10**9
_PAUSE = 0.1  # seconds between two statuses


class Status(NamedTuple):
    """How far a search is."""

    done: int  #: Candidates.
    total: int  #: 0: not known.
    best: str  #: What is best so far, for people; empty: nothing is feasible.
    seconds: float  #: Since it began.

    def __str__(self) -> str:
        of = f" of {self.total:,}" if self.total else " candidates"
        rate = f", {self.done / self.seconds:,.0f}/s" if self.seconds > 0 and self.done else ""
        return f"{self.done:,}{of}{rate}" + (f", best {self.best}" if self.best else "")


class SearchResult:
    """What a search found. It keeps no documents, and can be pickled."""

    def __init__(self, told: Dict[str, Any], arguments: Tuple[Any, ...]) -> None:
        self._told = told
        self._all: Optional["pandas.DataFrame"] = None
        self._arguments = arguments  # model, accounting, path, settings, space
        self.objective: str = told["objective"]
        self.maximise: bool = told["maximise"]
        self.axes: List[str] = told["axes"]
        self.metrics: List[str] = told["metrics"]
        self.pareto: Dict[str, str] = told["pareto"]  #: Which metrics the front is of, and whether each is to be large or small.
        self.candidates: int = told["counts"]["candidates"]
        self.feasible: int = told["counts"]["feasible"]
        self.infeasible: Dict[str, int] = told["counts"]["infeasible"]  #: By reason.
        self.skipped: int = told["counts"]["skipped"]  #: No candidates, because an axis stopped before.
        self.sums: Dict[str, float] = told["sums"]
        self.partial: bool = told["partial"]  #: It was ended before it had tried all candidates.
        self.seconds: float = told["seconds"]

    def _frame(self, columns: Sequence[Told]) -> "pandas.DataFrame":
        return frame(columns, {"objective": self.objective})

    @property
    def best(self) -> "pandas.DataFrame":
        """The best candidates, the best first. `candidates`: how many of those that were kept are the same run."""
        return self._frame(self._told["best"]).copy()

    @property
    def front(self) -> "pandas.DataFrame":
        """Candidates of which no other is as good in all metrics of `pareto` and better in one."""
        return self._frame(self._told["front"]).copy()

    @property
    def frame(self) -> "pandas.DataFrame":
        """With `all=True` every feasible candidate, in the order of the space; else the front, where one was asked for; else the best."""
        if self._told["found"] is None:
            return self.front if self.pareto else self.best
        if self._all is None:  # it shares the memory of its columns
            self._all = self._frame(self._told["found"])
        return self._all

    def arrays(self) -> Dict[str, Any]:
        """The columns of `frame` as NumPy arrays."""
        from .frames import array

        columns = self._told["found"] if self._told["found"] is not None else self._told["front" if self.pareto else "best"]
        return {title: array(values) for title, _, values in columns}

    def run(self, rank: int = 0, *, front: bool = False) -> Run:
        """A candidate of `best`, or of `front`, as a run: 0 is the first."""
        settings = self._told["front_settings" if front else "best_settings"]
        if not -len(settings) <= rank < len(settings):
            raise IndexError(f"there is no candidate {rank}: {len(settings)} are told")
        system, values = settings[rank]
        return self._run_of(system, values)

    def _run_of(self, system: str, values: Sequence[Tuple[str, str]]) -> Run:
        model, accounting, path, given, space, own_system = self._arguments
        axes = {axis for axis, _ in values} | set(self.axes)
        machine = own_system if not isinstance(own_system, str) and own_system is not None else system or own_system
        return Run._of(model, None, machine, accounting, None, path, [*((k, v) for k, v in given if k not in axes), *values], space)

    @property
    def refused(self) -> Dict[str, Tuple[str, Run]]:
        """With `refused=True`: of each reason why candidates are infeasible what the best of them lacks, and its run."""
        return {reason: (message, self._run_of(*settings[0])) for reason, message, _, settings in self._told["refused"]}

    @property
    def played(self) -> List[Tuple[Any, Any, str]]:
        """With `played=N`: of the best the objective by formulas and as the step is played, or why it can't be."""
        return list(self._told["played"])

    def __str__(self) -> str:
        return str(self._told["text"]).strip("\n")

    def __repr__(self) -> str:
        partial = " so far" if self.partial else ""
        return f"<opledger.SearchResult: {self.feasible:,} of {self.candidates:,} candidates are feasible{partial}, in {self.seconds:.2f} s; .best, .front, .frame, .run(0)>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"


class _Worker:
    """The thread that searches: it knows nothing of who waits for it, so that a search that nobody can ask any more ends."""

    def __init__(self, held: _core.Search) -> None:
        self.held = held
        self.error: Optional[BaseException] = None
        self.done = threading.Event()
        _WORKING.add(self)
        threading.Thread(target=self.run, name="opledger search", daemon=True).start()

    def run(self) -> None:
        try:
            self.held.run()
        except BaseException as error:
            self.error = error
        finally:
            self.done.set()
            _WORKING.discard(self)

    def end(self) -> None:
        self.held.halt()
        self.done.wait()


_WORKING: Set[_Worker] = set()


@atexit.register
def _end_all() -> None:
    """No thread may ask Python for anything once it is gone."""
    for worker in list(_WORKING):
        worker.end()


class Search:
    """A search that is running: `for status in search:` tells how far it is, `search.result()` what it found.

    Ctrl-C inside the loop's own waiting ends the search with what was found, and so does `stop()`.
    """

    def __init__(self, held: _core.Search, arguments: Tuple[Any, ...]) -> None:
        self._arguments = arguments
        self._result: Optional[SearchResult] = None
        self._start = time.monotonic()
        self._worker = _Worker(held)

    def status(self) -> Status:
        done, total, _, best = self._worker.held.status
        return Status(done, total, best, time.monotonic() - self._start)

    @property
    def running(self) -> bool:
        return not self._worker.done.is_set()

    def stop(self) -> None:
        """Ends the search: the result has what was found."""
        self._worker.held.halt()

    def __iter__(self) -> Iterator[Status]:
        try:
            while not self._worker.done.wait(_PAUSE):
                yield self.status()
        except KeyboardInterrupt:
            self._worker.end()
        yield self.status()

    def result(self) -> SearchResult:
        """What was found; waits until the search has ended. Ctrl-C ends it."""
        try:
            self._worker.done.wait()
        except KeyboardInterrupt:
            self._worker.end()
        if self._worker.error is not None:
            raise self._worker.error
        if self._result is None:
            self._result = _result(self._worker.held, self._arguments, 3)
        return self._result

    def __enter__(self) -> "Search":
        return self

    def __exit__(self, *_: object) -> None:
        self._worker.end()

    def __del__(self) -> None:
        if hasattr(self, "_worker"):
            self._worker.held.halt()

    def __repr__(self) -> str:
        return f"<opledger.Search: {self.status()}{'' if self.running else ', done'}>"


def _result(held: _core.Search, arguments: Tuple[Any, ...], stacklevel: int) -> SearchResult:
    warn(held.remarks, stacklevel)
    out = SearchResult(held.result(), arguments)
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
    """The best candidates of a space. Further keywords, and `set`, fix axes and inputs.

    `metrics`, `pareto`, `where`, `sums`, `stop`, `top`, `refused`, `played`, `store`, `resume`, `jobs` are the options of `opledger search` (`store`: `-o FILE.sqlite`).
    With `all` the result has every feasible candidate. Other threads go on meanwhile. Ctrl-C ends the search with what was found: `partial` says so.
    With `progress` the search goes on beside the caller, and `for status in …` tells how far it is.
    """
    given = pairs(set, settings)
    folders = path
    held = _core.Search(Asking(folders).done(model, None, system, accounting, given, None, space))
    held.metrics, held.pareto, held.where = names(metrics), names(pareto), names(where)
    held.sums, held.stop = names(sums), names(stop)
    for word, number in (("top", top), ("played", played), ("jobs", jobs)):
        if not 0 <= number <= _MOST:
            raise ValueError(f"`{word}` must be from 0 to {_MOST:,}")
    held.top, held.jobs, held.refused, held.all = top, jobs, refused, all
    held.played, held.resume = played, resume
    held.store = os.fspath(store) if store is not None else ""
    arguments = (model, accounting, folders, given, space, system)
    if all and store is not None:
        raise ValueError("`all` and `store` are two places for all candidates: give one of them")
    if progress:
        return Search(held, arguments)
    held.run()
    return _result(held, arguments, 3)
