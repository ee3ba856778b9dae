"""Kernels that a call launches, read from a trace."""

import json
import os
import re
import tempfile

import torch

CLASSES = [
    ("attention", re.compile(r"flash|fmha|sdpa|attention", re.I)),
    ("optimizer", re.compile(r"adam|multi_tensor", re.I)),
    ("products", re.compile(r"gemm|nvjet|cutlass|xmma|splitk|cublas", re.I)),
]


def trace(call):
    """Kernels, copies and sets of memory: name, begin and duration in seconds."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
        call()
        torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        profiler.export_chrome_trace(path)
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
    ran = [e for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    return sorted(((e["name"], e["ts"] / 1e6, e["dur"] / 1e6) for e in ran), key=lambda e: e[1])


def kernels(call):
    call()
    return len(trace(call))


def classes(call):
    """Columns: how many kernels, their seconds by class, and the span from the first to the last one."""
    ran = trace(call)
    seconds = {name: 0.0 for name, _ in CLASSES} | {"other": 0.0}
    for name, _, took in ran:
        seconds[next((c for c, pattern in CLASSES if pattern.search(name)), "other")] += took
    span = ran[-1][1] + ran[-1][2] - ran[0][1]
    return {"kernels": len(ran), "span_s": f"{span:.4g}", **{f"{c}_s": f"{s:.4g}" for c, s in seconds.items()}}
