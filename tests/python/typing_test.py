"""Type checks of the package and of a program that uses it."""

import subprocess
import sys

from support import ROOT

USED = """
import opledger as ol

run = ol.Run("llama-3-8b", "llama-3-8b-16xh100", "h100-80g-sxm", tp=2)
names: list[str] = run.tables
unit: str = run["mfu"].unit
text: str = str(run.explain("mfu", depth=1))
found: ol.SearchResult = ol.search("standard", "llama-3-8b", "h100-80g-sxm", pareto=["memory"])
best: ol.Run = found.run(0).with_(seq=4096)
for status in ol.search("standard", "llama-3-8b", progress=True):
    done: int = status.done
found = ol.search("standard", "llama-3-8b", progress=True).result()
model: ol.Model = ol.Model.from_hf("config.json")
try:
    ol.Run(model, path="documents")
except ol.DocumentError as error:
    line: int | None = error.messages[0].line
"""

WRONG = """
import opledger as ol

ol.Run(3)
ol.search("standard", tops=3).best.run
ol.Run("gpt2").explain(4)
wrong: int = ol.Run("gpt2").tables
ol.search("standard", progress=False).stop()
"""


def checked(tmp_path, *words):
    config = ["--config-file", str(ROOT / "python/pyproject.toml"), "--cache-dir", str(tmp_path / "cache")]
    return subprocess.run([sys.executable, "-m", "mypy", *config, *words], capture_output=True, text=True, cwd=ROOT / "python")


def test_the_package_and_its_users_are_typed(tmp_path):
    (tmp_path / "used.py").write_text(USED)
    done = checked(tmp_path, "opledger", str(tmp_path / "used.py"), str(ROOT / "docs/examples/sweep.py"))
    assert done.stdout.startswith("Success: "), done.stdout + done.stderr
    (tmp_path / "wrong.py").write_text(WRONG)
    lines = {line.split(":")[1] for line in checked(tmp_path, str(tmp_path / "wrong.py")).stdout.splitlines() if ": error: " in line}
    assert {"4", "6", "7", "8"} <= lines
