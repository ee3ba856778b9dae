"""Executes docs/examples/run.ipynb and checks its outputs."""

import json
import os
import subprocess
import sys

from support import ROOT


def test_the_notebook_runs(tmp_path):
    environment = {**os.environ, "HOME": str(tmp_path), "IPYTHONDIR": str(tmp_path), "JUPYTER_PLATFORM_DIRS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", str(tmp_path), "--output", "run.ipynb", str(ROOT / "docs/examples/run.ipynb")],
        capture_output=True, text=True, env=environment,
    )
    assert done.returncode == 0, done.stderr
    cells = [cell for cell in json.loads((tmp_path / "run.ipynb").read_text())["cells"] if cell["cell_type"] == "code"]
    shown = ["".join(text for output in cell["outputs"] for text in output.get("data", {}).get("text/html", [])) for cell in cells]
    assert not [output for cell in cells for output in cell["outputs"] if output["output_type"] == "error"]
    for words in ("peak memory", "<details open>", "<iframe src=", "<table border", "class=\"dataframe\""):
        assert any(words in html for html in shown), words
