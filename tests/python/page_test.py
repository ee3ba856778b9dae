"""Executes the examples after `>>>` in docs/python.md in one session, and compares their output; `…` matches any text.

After an intended change: OPLEDGER_UPDATE=1 ctest --preset release -R python.page, then read the difference.
"""

import doctest
import os
import re

import pytest

from support import ROOT

PAGE = ROOT / "docs/python.md"
BLOCK = re.compile(r"(?<=^```python\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


class Checker(doctest.OutputChecker):
    def check_output(self, want, got, flags):
        return super().check_output(want.replace("…", "..."), got, flags)


class Keeper(doctest.DocTestRunner):
    """Stores the output of each example."""

    def __init__(self):
        super().__init__(Checker(), verbose=False, optionflags=FLAGS)
        self.outputs, self.wrong = {}, []

    def report_failure(self, out, test, example, got):
        self.outputs[id(example)] = got
        self.wrong.append(f"{PAGE.name}:{test.lineno + example.lineno + 1}: >>> {example.source}  shows\n{example.want}  and gives\n{got}")

    def report_unexpected_exception(self, out, test, example, error):
        self.report_failure(out, test, example, f"{error[0].__name__}: {error[1]}\n")


def rewritten(text, tests, outputs):
    lines = text.splitlines(keepends=True)
    for test in reversed(tests):
        for example in reversed(test.examples):
            if id(example) in outputs:
                first = test.lineno + example.lineno + example.source.count("\n")
                lines[first : first + example.want.count("\n")] = [outputs[id(example)]]
    return "".join(lines)


@pytest.fixture
def tests(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    text, parser = PAGE.read_text(), doctest.DocTestParser()
    return [parser.get_doctest(m.group(), {}, PAGE.name, str(PAGE), text[: m.start()].count("\n")) for m in BLOCK.finditer(text)]


@pytest.mark.filterwarnings("ignore::opledger.DocumentWarning")
def test_examples_give_the_shown_output(tests):
    keeper, session = Keeper(), {}
    for test in tests:
        assert test.docstring.count(">>>") == len(test.examples) > 0
        test.globs = session
        keeper.run(test, clear_globs=False)
        session = test.globs
    if keeper.wrong and os.environ.get("OPLEDGER_UPDATE"):
        PAGE.write_text(rewritten(PAGE.read_text(), tests, keeper.outputs))
    assert not keeper.wrong, "\n".join(keeper.wrong)


WORD = re.compile(r"`((?:ol|run|best|found|model|warnings)(?:\.[a-z_]+)+\([^`…]*\)(?:\.[a-z]+\([^`…]*\))?)`")


def test_calls_within_the_text_work(tests, monkeypatch):
    """Provides files for calls that need one, and a stand-in for Matplotlib."""
    import pandas

    import opledger as ol

    drawn = []
    monkeypatch.setattr(pandas.plotting._core, "_get_plot_backend", lambda *_: type("Backend", (), {"plot": staticmethod(lambda data, **how: drawn.append((data, how)))}))
    open("config.json", "w").write((ROOT / "tests/data/import/hf/granitemoe.json").read_text())
    session = {"ol": ol, "warnings": __import__("warnings"), "model": ol.Model("llama-3-8b")}
    session["run"] = session["other"] = ol.Run("llama-3-8b", "llama-3-8b-16xh100", "h100-80g-sxm")
    session["best"] = session["found"] = ol.search("standard", "gpt2", "h100-80g-sxm", processors=1, batch_size=8, metrics=["memory", "mfu"], all=True)
    session["rank"] = 0
    calls = WORD.findall(PAGE.read_text())
    assert len(calls) > 10
    with __import__("warnings").catch_warnings():
        for call in calls:
            exec(call, session)
    assert drawn[0][1]["x"] == "memory" and drawn[0][0]["mfu"].dtype == float
    assert os.path.getsize("run.html") > 100000 and open("mine.yaml").read().startswith("kind: model")
