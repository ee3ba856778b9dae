"""Searches: columns equal the output of the program; interruption and threads."""

import csv
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy
import pytest

import opledger as ol
from support import answer, printed

SMALL = ("standard", "llama-3-8b", "h100-80g-sxm")
SET = ("--set", "processors=4", "--set", "batch_size=128")


@pytest.fixture(scope="module")
def found():
    return ol.search(*SMALL, processors=4, batch_size=128, metrics="mfu", pareto=["iteration_time", "memory"], sums="memory", top=3)


def test_results_equal_the_program(found):
    expected = answer("search", *SMALL, *SET, "--metrics", "mfu", "--pareto", "iteration_time,memory", "--sums", "memory", "--top", "3")
    counts = expected["counts"]
    assert (found.candidates, found.feasible, found.infeasible) == (counts["candidates"], counts["feasible"], counts["infeasible"])
    for ours, theirs in ((found.best, expected["best"]), (found.front, expected["front"])):
        rows = [{**c["execution"], **c["metrics"], "candidates": c["candidates"]} for c in theirs]
        assert list(ours.columns) == list(rows[0]) and ours.to_dict("records") == rows
    assert found.sums["memory"] == expected["sums"]["memory"] and found.pareto == expected["pareto"]
    assert found.frame.equals(found.front) and found.frame.attrs["units"]["memory"] == "byte"
    assert len(found.frame) == len(expected["front"]) and str(found.frame["recompute"].dtype) == "category"


def test_a_candidate_is_a_run(found):
    for rank in range(len(found.best)):
        run = found.run(rank)
        assert (run.tokens_per_second, run.mfu) == (found.best["tokens_per_second"][rank], found.best["mfu"][rank])
    assert found.run(1, front=True).memory == found.front["memory"][1] and pickle.loads(pickle.dumps(found.run(0))).mfu == found.best["mfu"][0]
    assert found.run(-1).mfu == found.best["mfu"].iloc[-1] and found.run(0).with_(seq=4096).settings["seq"] == "4096"
    with pytest.raises(IndexError, match="there is no candidate 3: the result has 3"):
        found.run(3)


def test_the_simplest_candidate_and_held_axes():
    found = ol.search(*SMALL, processors=4, batch_size=128, deepest_pp=1)
    assert found.held_axes["pp"] == (1, ["deepest_pp"])
    best, simplest = found.best[found.objective][0], found.simplest[found.objective][0]
    assert len(found.simplest) == 1 and abs(simplest - best) <= 0.01 * abs(best)
    run = found.run(simplest=True)
    assert getattr(run, found.objective) == simplest
    assert all(str(run.settings[axis]) == str(found.simplest[axis][0]) for axis in ("tp", "pp", "microbatch_size"))
    with pytest.raises(ValueError, match="of `front` or of `simplest`"):
        found.run(front=True, simplest=True)
    assert len(ol.search(*SMALL, processors=4, batch_size=128, pareto=["iteration_time", "memory"]).simplest) == 0


def test_all_feasible_candidates_are_columns(tmp_path):
    every = ol.search(*SMALL, processors=4, batch_size=128, metrics=["memory", "mfu"], all=True)
    printed("search", *SMALL, *SET, "--metrics", "memory,mfu", "--all", "-o", str(tmp_path / "all.csv"))
    rows = list(csv.DictReader(open(tmp_path / "all.csv")))
    frame = every.frame
    assert len(frame) == len(rows) == every.feasible and list(frame.columns) == list(rows[0])
    for column in frame.columns:
        theirs = [row[column] for row in rows]
        kind = frame[column].dtype.kind if str(frame[column].dtype) != "category" else "O"
        convert = {"i": int, "f": float, "b": lambda text: text == "true"}.get(kind, str)
        assert frame[column].tolist() == [convert(t) for t in theirs], column
    arrays = every.arrays()
    assert isinstance(arrays["memory"], numpy.ndarray) and arrays["memory"].dtype == float and arrays["schedule"][0] == frame["schedule"][0]
    assert pickle.loads(pickle.dumps(every)).frame.equals(frame)


def test_a_space_with_other_kinds_of_columns():
    every = ol.search("serving", "llama-3-8b", "h200-141g-sxm", processors=2, all=True, top=1)
    assert len(every.frame) == every.feasible > 0 and every.run(0)[every.objective] == every.best[every.objective][0]


def test_infeasible_and_simulated_candidates():
    some = ol.search(*SMALL, processors=2, batch_size=64, refused=True, played=2, top=2)
    message, run = some.refused["out of memory"]
    assert "needs" in message and not run.feasible and len(some.played) == 2
    assert str(some).startswith("model       llama-3-8b") and "candidates are feasible" in repr(some) and some._repr_html_().startswith("<pre>")


def test_mistakes():
    for mistake, text in (
        (lambda: ol.search("standrd", *SMALL[1:]), "did you mean `standard`"),
        (lambda: ol.search(*SMALL, processors=4, batch_size=128, metrics="memry"), "unknown metric `memry` (did you mean `memory`?)"),
        (lambda: ol.search(*SMALL, processors=4, batch_size=128, where="memory <"), "where"),
        (lambda: ol.search(*SMALL), "processors"),
        (lambda: ol.search(*SMALL, processors=4, batch_size=128, pareto=["mfu", "+mfu"]), "there twice"),
    ):
        with pytest.raises(ol.DocumentError) as raised:
            mistake()
        assert text in str(raised.value)
    with pytest.raises(ol.DocumentError, match="standrd"):
        ol.search("standrd", *SMALL[1:], progress=True).result()
    with pytest.raises(ValueError, match="`top` must be from 0"):
        ol.search(*SMALL, processors=4, batch_size=128, top=-1)


def test_a_store_is_written_and_continued(tmp_path):
    first = ol.search(*SMALL, processors=4, batch_size=128, store=tmp_path / "runs.sqlite")
    again = ol.search(*SMALL, processors=4, batch_size=128, store=tmp_path / "runs.sqlite", resume=True)
    assert again.best.equals(first.best)
    with pytest.raises(ol.DocumentError, match="exists|resume"):
        ol.search(*SMALL, processors=4, batch_size=128, store=tmp_path / "runs.sqlite")


def test_progress_is_reported_until_the_end():
    search = ol.search("standard", "llama-3-70b", "h100-80g-sxm", processors=64, batch_size=256, progress=True)
    statuses = list(search)
    assert statuses[-1].done == statuses[-1].total == search.result().candidates and not search.running
    assert all(a.done <= b.done for a, b in zip(statuses, statuses[1:])) and "tokens_per_second" in statuses[-1].best and "of " in str(statuses[-1])


def test_stop_keeps_found_candidates():
    wide = {"processors": 1024, "batch_size": 2048, "widest_cp": 16, "offloads": True, "orders": True}
    with ol.search("standard", "llama-3-70b", "h100-80g-sxm", **wide, progress=True) as search:
        time.sleep(0.2)
        search.stop()
        with pytest.warns(ol.InterruptedSearchWarning):
            assert search.result().partial


def test_other_threads_go_on_meanwhile():
    counted = [0]
    done = threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = time.monotonic()
    ol.search("standard", "llama-3-70b", "h100-80g-sxm", processors=128, batch_size=256)
    seconds = time.monotonic() - before
    done.set()
    thread.join()
    assert counted[0] > 20 * seconds  # An idle machine counts about 900 a second.


INTERRUPTED = """
import sys, warnings, opledger as ol
warnings.simplefilter("ignore")
print("begun", flush=True)
found = ol.search("standard", "llama-3-70b", "h100-80g-sxm", processors=1024, batch_size=2048, widest_cp=16, offloads=True, orders=True, all=True)
print(found.partial, found.candidates < 6843552, len(found.frame) == found.feasible)
"""

IN_A_LOOP = """
import sys, warnings, opledger as ol
warnings.simplefilter("ignore")
search = ol.search("standard", "llama-3-70b", "h100-80g-sxm", processors=1024, batch_size=2048, widest_cp=16, offloads=True, orders=True, progress=True)
begun = False
for status in search:
    if status.done > 0 and not begun:
        print("begun", flush=True)
        begun = True
print(search.result().partial, 0 < search.result().candidates < 6843552, not search.running)
"""

OWN_HANDLER = """
import signal, opledger as ol
def late(*_): raise TimeoutError("late")
signal.signal(signal.SIGINT, late)
print("begun", flush=True)
try:
    ol.search("standard", "llama-3-70b", "h100-80g-sxm", processors=1024, batch_size=2048, widest_cp=16, offloads=True, orders=True)
except TimeoutError as error:
    print("True", error)
"""


@pytest.mark.parametrize("code", [INTERRUPTED, IN_A_LOOP, OWN_HANDLER])
def test_ctrl_c_keeps_found_candidates(code):
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begun\n"
    time.sleep(0.3)
    os.kill(child.pid, signal.SIGINT)
    before = time.monotonic()
    out, err = child.communicate(timeout=120)
    assert child.returncode == 0 and out.startswith("True") and "False" not in out, err
    assert time.monotonic() - before < 60


LEFT_RUNNING = """
import opledger as ol
search = ol.search("standard", "llama-3-70b", "h100-80g-sxm", processors=1024, batch_size=2048, widest_cp=16, offloads=True, orders=True, progress=True)
next(iter(search))
print("True")
"""


def test_a_search_that_nobody_waits_for_ends_with_the_program():
    before = time.monotonic()
    done = subprocess.run([sys.executable, "-c", LEFT_RUNNING], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "") and time.monotonic() - before < 60


def test_frames_are_the_users(found):
    found.best.loc[0, "memory"] = 1
    assert found.best.loc[0, "memory"] > 1
    with pytest.raises(ValueError, match="exclude each other"):
        ol.search(*SMALL, processors=4, batch_size=128, all=True, store="runs.sqlite")
