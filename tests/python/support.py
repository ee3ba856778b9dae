"""Helpers shared by the tests of the Python module."""

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ["OPLEDGER_PROGRAM"]

LLAMA = ("llama-3-8b", "llama-3-8b-16xh100", "h100-80g-sxm")
DEEPSEEK = ("deepseek-v3", "deepseek-v3-2048xh100", "h100-80g-sxm")


def printed(*words: str) -> str:
    """Returns the output of the program; the run may be infeasible."""
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
    assert done.returncode <= 1, done.stderr
    return done.stdout


def answer(*words: str):
    return json.loads(printed(*words, "--format", "json"))
