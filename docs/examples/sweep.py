"""How the width of tensor parallelism changes a step: `python3 sweep.py MODEL EXECUTION SYSTEM`."""

import sys

import opledger as ol


def sweep(model: str, execution: str, system: str) -> None:
    base = ol.Run(model, execution, system)
    ranks = int(base["ranks"])
    for tp in (1, 2, 4, 8):
        run = base.with_(tp=tp, fsdp=ranks // tp)
        why = "" if run.feasible else "  " + run.violations[0]
        print(f"tp = {tp}  {run.iteration_time:6.2f} s  {run.memory / 2**30:5.1f} GiB  {run.mfu:.1%}{why}")


if __name__ == "__main__":
    sweep(*(sys.argv[1:] or ["llama-3-8b", "llama-3-8b-16xh100", "h100-80g-sxm"]))
