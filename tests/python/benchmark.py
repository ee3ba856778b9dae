"""Speed of the module: `PYTHONPATH=build/python python3 tests/python/benchmark.py [build/opledger]`.

The search is compared with the program's own, one thread each, in turn: seconds of the processor, which other work on the machine disturbs less than those of
the clock; medians.
"""

import json
import os
import statistics
import subprocess
import sys
import time

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "build/opledger"
TIMES = int(os.environ.get("TIMES", "5"))
SPACE = ("standard", "llama-3-70b", "h100-80g-sxm")
WIDE = {"processors": 1024, "batch_size": 2048, "widest_cp": 16, "offloads": True, "orders": True}


def child_seconds(words):
    before = os.times()
    answer = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system, answer["seconds"]


def program():
    settings = [word for key, value in WIDE.items() for word in ("--set", f"{key}={str(value).lower()}")]
    return child_seconds([PROGRAM, "search", *SPACE, *settings, "--jobs", "1", "--format", "json"])


def module(everything):
    code = (
        "import json, time, opledger as ol\n"
        "clock, own = time.monotonic(), time.process_time()\n"
        f"found = ol.search(*{SPACE}, **{WIDE}, jobs=1, all={everything})\n"
        "found.best if not found._data['found'] else found.arrays()\n"
        "print(json.dumps({'seconds': time.monotonic() - clock, 'own': time.process_time() - own, 'rows': found.feasible}))\n"
    )
    answer = json.loads(subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True).stdout)
    return answer["own"], answer["seconds"]


def timed(code, setup="import opledger as ol"):
    words = [sys.executable, "-c", f"{setup}\nimport time\nbefore = time.monotonic()\n{code}\nprint(time.monotonic() - before)"]
    return statistics.median(float(subprocess.run(words, capture_output=True, text=True, check=True).stdout) for _ in range(TIMES))


def main():
    print(f"import                    {timed('import opledger', 'pass') * 1e3:7.0f} ms")
    run = 'ol.Run("deepseek-v3", "deepseek-v3-2048xh100", "h100-80g-sxm")'
    print(f"Run of DeepSeek-V3        {timed(run) * 1e3:7.0f} ms")
    rows = 'ol.evaluate(rows, model="llama-3-70b", execution="llama-3-70b-64xh100", system="h100-80g-sxm")'
    setup = 'import opledger as ol, pandas, numpy\nrows = pandas.DataFrame({"batch_size": numpy.arange(1, 10001) * 64})'
    print(f"evaluate, 10,000 rows     {timed(rows, setup) * 1e3:7.0f} ms")
    measured = {"the program": [], "Python": [], "Python, all=True": []}
    for _ in range(TIMES):
        measured["the program"].append(program())
        measured["Python"].append(module(False))
        measured["Python, all=True"].append(module(True))
    base = statistics.median(own for own, _ in measured["the program"])
    for name, times in measured.items():
        own, clock = (statistics.median(column) for column in zip(*times))
        print(f"search, {name:18}{own * 1e3:7.0f} ms of the processor, {clock * 1e3:7.0f} ms of the clock, {own / base:.3f} times the program's")


if __name__ == "__main__":
    main()
