"""Matrix products as in training and decoding: C[m,n] = A[m,k] B[k,n]."""

import random
import time

import torch

from .timing import BOTH, Job, both, burst, capture, copies, event, warm_up

COLUMNS = ["precision", "phase", "layout", "accumulate", "m", "n", "k", *BOTH]
KEYS = 7

# Linear layers of transformers: inputs, outputs, and which of both tensor parallelism divides.
LAYERS = [
    (2048, 6144, "outputs"), (2048, 2048, "inputs"), (2048, 11264, "outputs"), (5632, 2048, "inputs"), (2048, 8192, "outputs"),
    (4096, 6144, "outputs"), (4096, 12288, "outputs"), (4096, 4096, "inputs"), (4096, 28672, "outputs"), (14336, 4096, "inputs"),
    (5120, 15360, "outputs"), (5120, 5120, "inputs"), (5120, 27648, "outputs"), (13824, 5120, "inputs"),
    (8192, 10240, "outputs"), (8192, 8192, "inputs"), (8192, 57344, "outputs"), (28672, 8192, "inputs"),
    (12288, 36864, "outputs"), (12288, 12288, "inputs"), (12288, 49152, "outputs"), (49152, 12288, "inputs"),
    (16384, 18432, "outputs"), (16384, 106496, "outputs"), (53248, 16384, "inputs"),
    (2048, 32000, "outputs"), (4096, 32000, "outputs"), (4096, 128256, "outputs"), (8192, 128256, "outputs"), (16384, 128256, "outputs"),
]
TOKENS = [1024, 2048, 4096, 8192, 16384, 32768]
TP = [1, 2, 4, 8]
WORK = (4e9, 2e13)  # floating-point operations of a product

# A row more than a whole number of waves, and sizes that are no multiple of 8: m, n, k.
BORDERS = [
    (4096, 4096, 4096), (4097, 4096, 4096), (4224, 4096, 4096), (4225, 4096, 4096), (8192, 8192, 8192), (8193, 8192, 8192),
    (4096, 50257, 2048), (4096, 50304, 2048), (4096, 4100, 4096), (4096, 4104, 4096), (4096, 4097, 4096),
    (4096, 4096, 4100), (4096, 4096, 4097), (8192, 1536, 6144), (8192, 1540, 6144), (8192, 8190, 2048),
]
SKINNY = [(m, n, k) for m in (1, 2, 4, 8, 16, 32, 64) for n, k in ((6144, 4096), (4096, 14336), (57344, 8192), (128256, 4096))]


def shapes(phase, count, seed):
    """So many products of this phase, drawn among the layers, tokens and ways of tensor parallelism."""
    found = set()
    for inputs, outputs, divided in LAYERS:
        for tp in TP:
            i = inputs // tp if divided == "inputs" else inputs
            o = outputs // tp if divided == "outputs" else outputs
            for t in TOKENS:
                m, n, k = {"forward": (t, o, i), "dgrad": (t, i, o)}.get(phase, (o, i, t))
                if WORK[0] <= 2 * m * n * k <= WORK[1] and all(x % 16 == 0 for x in (m, n, k)):
                    found.add((m, n, k))
    return random.Random(seed).sample(sorted(found), count)


def bf16(phase, m, n, k):
    """A function that does the product with the i-th set of operands."""

    def random_sets(*sizes):
        number = copies(2 * (m * k + k * n) + (6 if "fp32" in phase or "add" in phase else 2) * m * n)
        return [[torch.randn(s, device="cuda", dtype=torch.bfloat16) for s in sizes] for _ in range(number)]

    if phase == "forward":
        sets = random_sets((m, k), (n, k), (m, n))
        return lambda i: torch.mm(sets[i % len(sets)][0], sets[i % len(sets)][1].t(), out=sets[i % len(sets)][2])
    if phase == "dgrad":
        sets = random_sets((m, k), (k, n), (m, n))
        return lambda i: torch.mm(sets[i % len(sets)][0], sets[i % len(sets)][1], out=sets[i % len(sets)][2])
    if phase == "wgrad":
        sets = random_sets((k, m), (k, n), (m, n))
        return lambda i: torch.mm(sets[i % len(sets)][0].t(), sets[i % len(sets)][1], out=sets[i % len(sets)][2])
    sets = random_sets((k, m), (k, n))
    total = torch.zeros(m, n, device="cuda")
    if phase == "wgrad_fp32":
        add = torch.ops.aten.addmm.dtype_out
        return lambda i: add(total, sets[i % len(sets)][0].t(), sets[i % len(sets)][1], torch.float32, out=total)
    product = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    return lambda i: total.add_(torch.mm(sets[i % len(sets)][0].t(), sets[i % len(sets)][1], out=product))


def fp8(fast, m, n, k):
    one = torch.ones((), device="cuda")
    sets = [
        [torch.randn(s, device="cuda", dtype=torch.bfloat16).to(torch.float8_e4m3fn) for s in ((m, k), (n, k))]
        for _ in range(copies(m * k + k * n + 2 * m * n))
    ]

    def call(i):
        a, b = sets[i % len(sets)]
        return torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=fast)

    return call


# Layout of the operands, and what the result is added to.
BF16 = {
    "forward": ("TN", "none"),
    "dgrad": ("NN", "none"),
    "wgrad": ("NT", "none"),
    "wgrad_fp32": ("NT", "fp32, same kernel"),
    "wgrad_add": ("NT", "fp32, another kernel"),
}


def columns(precision, phase, layout, accumulate, shape):
    return dict(zip(COLUMNS, (precision, phase, layout, accumulate, *shape)))


def jobs_bf16(context):
    chosen = [("forward", s) for s in shapes("forward", 26, 1) + BORDERS]
    chosen += [("dgrad", s) for s in shapes("dgrad", 22, 2)]
    weights = shapes("wgrad", 26, 3)
    chosen += [("wgrad", s) for s in weights[:16]] + [("wgrad_fp32", s) for s in weights[6:26]] + [("wgrad_add", s) for s in weights[:6]]
    random.Random(4).shuffle(chosen)
    for phase, shape in chosen:
        yield Job(columns("bf16", phase, *BF16[phase], shape), lambda p=phase, s=shape: both(context, bf16(p, *s), context.row_seconds))


def jobs_fp8(context):
    chosen = [("forward", s) for s in shapes("forward", 16, 5)] + [("dgrad", s) for s in shapes("dgrad", 12, 6)]
    chosen += [("wgrad", s) for s in shapes("wgrad", 12, 7)]
    random.Random(8).shuffle(chosen)
    for i, (phase, shape) in enumerate(chosen):
        for fast in (True, False) if i % 3 == 0 else (phase != "wgrad",):
            label = columns("fp8", phase, "TN", "fast" if fast else "exact", shape)
            yield Job(label, lambda f=fast, s=shape: both(context, fp8(f, *s), context.row_seconds))


def jobs_skinny(context):
    chosen = SKINNY[:]
    random.Random(9).shuffle(chosen)
    for shape in chosen:
        yield Job(columns("bf16", "decode", "TN", "none", shape), lambda s=shape: {"burst_s": f"{burst(bf16('forward', *s), 0.02):.4g}"})


def settling(seconds=6):
    """How the speed of one large product settles: seconds since its start, flop/s."""
    call = bf16("forward", 8192, 8192, 8192)
    warm_up(call)
    graph = capture(call, 20)
    time.sleep(1)
    events = [event()]
    begin = time.monotonic()
    while time.monotonic() - begin < seconds:
        graph.replay()
        events.append(event())
        if len(events) > 3:
            events[-3].synchronize()
    torch.cuda.synchronize()
    since = [events[0].elapsed_time(e) / 1e3 for e in events]
    speed = [20 * 2 * 8192**3 / (b - a) / 1e12 for a, b in zip(since, since[1:])]
    return {"product": [8192, 8192, 8192], "seconds": [round(t, 3) for t in since[1:]], "tflop_per_s": [round(s, 1) for s in speed]}
