"""Passes over memory: elements, norms, losses, casts, gathers, optimizers; each eager, and compiled where that is one kernel instead of several."""

import random

import torch
from torch.nn import functional as F

from .timing import Job, event, quick

COLUMNS = ["pass", "phase", "implementation", "type", "rows", "columns", "bytes", "in_cache", "timed", "seconds", "sm_mhz"]
KEYS = 6
SIZES = [(256, 2048), (512, 4096), (1024, 4096), (2048, 4096), (4096, 4096), (8192, 4096), (8192, 8192), (16384, 8192), (32768, 16384)]
COMPILED_SIZES = [(8192, 4096), (32768, 8192)]
BF16, FP32, FP8 = torch.bfloat16, torch.float32, torch.float8_e4m3fn


def rand(*sizes, dtype=BF16):
    return torch.randn(sizes, device="cuda", dtype=torch.float32 if dtype == FP32 else BF16).to(dtype)


def swiglu(gate, up):
    return F.silu(gate) * up


def rms_norm_by_hand(x, weight):
    wide = x.float()
    return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-5)).to(x.dtype) * weight


def rotary(x, cos, sin):
    first, second = x.chunk(2, -1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), -1)


def cast_fp8(x):
    """Scales by the largest value, then casts."""
    scale = 448.0 / x.abs().max().float()
    return (x * scale).to(FP8)


def cast_fp8_given(x, scale):
    return (x * scale).clamp(-448.0, 448.0).to(FP8)


def bias_dropout_add(x, bias, residual):
    return F.dropout(x + bias, 0.1, True) + residual


def residual_norm(x, residual, weight):
    total = x + residual
    return F.rms_norm(total, (x.shape[-1],), weight, 1e-5), total


def widened_loss(logits, targets):
    return F.cross_entropy(logits.float(), targets)


# What passes do that need no gradient: a function of the operands, the types of matrices among them ("row" is a vector), bytes an element as one ideal pass.
PLAIN = {
    "copy": (lambda x: x.clone(), [BF16], 4),
    "zero": (lambda x: x.zero_(), [BF16], 2),
    "add": (torch.add, [BF16, BF16], 6),
    "add_bias": (torch.add, [BF16, "row"], 4),
    "cast_fp32_bf16": (lambda x: x.to(BF16), [FP32], 6),
    "cast_bf16_fp32": (lambda x: x.to(FP32), [BF16], 6),
    "accumulate_bf16_in_fp32": (lambda total, x: total.add_(x), [FP32, BF16], 10),
    "transpose": (lambda x: x.t().contiguous(), [BF16], 4),
    "transpose_fp8": (lambda x: x.t().contiguous(), [FP8], 2),
    "column_sum": (lambda x: x.sum(0), [BF16], 2),
    "norm_of_gradient": (torch.linalg.vector_norm, [FP32], 4),
    "cast_fp8_scale_given": (cast_fp8_given, [BF16, "scale"], 3),
    "cast_fp8_dynamic": (cast_fp8, [BF16], 3),
    "softmax": (lambda x: F.softmax(x, -1), [BF16], 4),
}
# Passes with a gradient: as above, and bytes an element forward and backward (gradient of the result read, what is needed read again, gradients written).
TRAINED = {
    "gelu": (lambda x: F.gelu(x, approximate="tanh"), [BF16], 4, 6),
    "swiglu": (swiglu, [BF16, BF16], 6, 10),
    "rms_norm": (lambda x, w: F.rms_norm(x, (x.shape[-1],), w, 1e-5), [BF16, "row"], 4, 6),
    "rms_norm_by_hand": (rms_norm_by_hand, [BF16, "row"], 4, 6),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (x.shape[-1],), w, b), [BF16, "row", "row"], 4, 6),
    "dropout": (lambda x: F.dropout(x, 0.1, True), [BF16], 5, 5),
    "bias_dropout_add": (bias_dropout_add, [BF16, "row", BF16], 7, 7),
    "residual_rms_norm": (residual_norm, [BF16, BF16, "row"], 8, 8),
    "rotary": (rotary, [BF16, "rotary", "rotary"], 4, 4),
}
COMPILED = ["swiglu", "rms_norm", "layer_norm", "residual_rms_norm", "rotary", "bias_dropout_add", "cast_fp8_dynamic", "gelu"]


def operands(kinds, rows, cols):
    made = []
    for kind in kinds:
        if kind == "row":
            made.append(rand(cols))
        elif kind == "scale":
            made.append(torch.ones((), device="cuda"))
        elif kind == "rotary":
            made.append(rand(rows, 1, 64))
        else:
            made.append(rand(rows, cols, dtype=kind))
    if "rotary" in kinds:
        made[0] = made[0].view(rows, cols // 128, 128)
    return made


def compiled(function):
    torch._dynamo.reset()
    torch._functorch.config.donated_buffer = False  # a gradient is taken more than once
    return torch.compile(function, dynamic=False, fullgraph=True)


def columns(context, size, found):
    seconds, how = found
    return {"bytes": size, "in_cache": int(size <= context.l2), "timed": how, "seconds": f"{seconds:.4g}", "sm_mhz": context.gpu.clock()}


def measure(context, name, phase, implementation, rows, cols):
    function, kinds, *widths = TRAINED.get(name) or PLAIN[name]
    if implementation == "compiled":
        function = compiled(function)
    given = operands(kinds, rows, cols)
    size = widths[phase == "backward"] * rows * cols
    if phase == "plain":
        with torch.no_grad():
            return columns(context, size, quick(lambda _: function(*given)))
    wanted = [x.requires_grad_() for x, kind in zip(given, kinds) if kind != "rotary"]
    if phase == "forward":
        return columns(context, size, quick(lambda _: function(*given)))
    results = function(*given)
    results = results if isinstance(results, tuple) else (results,)
    gradients = [torch.randn_like(r) for r in results]
    return columns(context, size, quick(lambda _: torch.autograd.grad(results, wanted, gradients, retain_graph=True)))


def loss(context, phase, implementation, rows, vocab):
    """Cross entropy of bf16 logits: eager widens them to fp32 first. Ideal: logits read, then read and their gradient written."""
    function = compiled(widened_loss) if implementation == "compiled" else widened_loss
    logits = rand(rows, vocab).requires_grad_()
    targets = torch.randint(vocab, (rows,), device="cuda")
    if phase == "forward":
        return columns(context, 2 * rows * vocab, quick(lambda _: function(logits, targets)))
    result = function(logits, targets)
    return columns(context, 4 * rows * vocab, quick(lambda _: torch.autograd.grad(result, logits, retain_graph=True)))


def embedding(context, phase, tokens, hidden, vocab):
    table = rand(vocab, hidden).requires_grad_()
    ids = torch.randint(vocab, (tokens,), device="cuda")
    if phase == "forward":
        return columns(context, 4 * tokens * hidden, quick(lambda _: F.embedding(ids, table)))
    result = F.embedding(ids, table)
    gradient = torch.randn_like(result)
    size = 2 * tokens * hidden + 2 * vocab * hidden
    return columns(context, size, quick(lambda _: torch.autograd.grad(result, table, gradient, retain_graph=True)))


def optimizer(context, implementation, dtype, tensors, elements):
    """A step of AdamW: weight, gradient and two moments of one type read, all but the gradient written."""
    parameters = [rand(elements, dtype=dtype).requires_grad_() for _ in range(tensors)]
    for p in parameters:
        p.grad = torch.randn_like(p)
    step = torch.optim.AdamW(parameters, lr=1e-4, fused=implementation == "fused", foreach=implementation == "foreach").step
    for _ in range(3):
        step()
    times = []
    for _ in range(5):
        begin = event()
        step()
        end = event()
        end.synchronize()
        times.append(begin.elapsed_time(end) / 1e3)
    return columns(context, 7 * parameters[0].element_size() * tensors * elements, (sorted(times)[2], "eager"))


def clip(context, tensors, elements):
    parameters = [torch.zeros(elements, device="cuda").requires_grad_() for _ in range(tensors)]
    for p in parameters:
        p.grad = torch.randn_like(p)
    call = lambda _: torch.nn.utils.clip_grad_norm_(parameters, 1.0, foreach=True)
    return columns(context, 12 * tensors * elements, quick(call))


def permute(context, name, tokens, hidden, topk, experts):
    """Tokens gathered in the order of their experts, and the gradient of that: sums of the rows of each token."""
    x = rand(tokens, hidden)
    chosen = torch.rand(tokens, experts, device="cuda").topk(topk, -1).indices
    source = chosen.flatten().argsort() // topk
    if name == "route":
        scores = rand(tokens, experts)

        def call(_):
            weight, expert = F.softmax(scores.float(), -1).topk(topk, -1)
            return weight, expert.flatten().argsort(), (expert.flatten()[:, None] == torch.arange(experts, device="cuda")).sum(0)

        return columns(context, 2 * tokens * experts, quick(call))
    size = 2 * tokens * hidden * (1 + topk)
    if name == "permute":
        return columns(context, size, quick(lambda _: x.index_select(0, source)))
    rows = rand(tokens * topk, hidden)
    if name == "unpermute_index_add":
        return columns(context, size, quick(lambda _: torch.zeros_like(x).index_add_(0, source, rows)))
    return columns(context, size, quick(lambda _: torch.zeros_like(x).index_put_((source,), rows, accumulate=True)))


def others(context):
    """Passes that are no function of matrices of one size."""

    def job(name, phase, implementation, dtype, rows, cols, measured):
        return Job(dict(zip(COLUMNS, (name, phase, implementation, dtype, rows, cols))), measured)

    for rows, vocab in ((2048, 32000), (8192, 32000), (2048, 128256), (8192, 128256)):
        for phase in ("forward", "backward"):
            for way in ("eager", "compiled") if (rows, vocab) in ((8192, 32000), (2048, 128256)) else ("eager",):
                run = lambda p=phase, w=way, r=rows, v=vocab: loss(context, p, w, r, v)
                yield job("cross_entropy", phase, way, "bf16", rows, vocab, run)
    for tokens, hidden, vocab in ((4096, 2048, 32000), (8192, 4096, 32000), (8192, 4096, 128256), (16384, 8192, 128256)):
        for phase in ("forward", "backward"):
            run = lambda p=phase, t=tokens, h=hidden, v=vocab: embedding(context, p, t, h, v)
            yield job(f"embedding_of_{vocab}", phase, "eager", "bf16", tokens, hidden, run)
    for tensors, elements in ((1, 100_000_000), (64, 4_194_304), (300, 65_536), (16, 33_554_432)):
        for way, dtype in (("fused", FP32), ("foreach", FP32), ("fused", BF16)):
            run = lambda w=way, d=dtype, t=tensors, e=elements: optimizer(context, w, d, t, e)
            yield job("adamw", "step", way, str(dtype).split(".")[1], tensors, elements, run)
        run = lambda t=tensors, e=elements: clip(context, t, e)
        yield job("clip_gradient", "step", "foreach", "float32", tensors, elements, run)
    for tokens, hidden, topk, experts in ((8192, 4096, 2, 8), (4096, 7168, 8, 256), (16384, 2048, 8, 128), (2048, 4096, 2, 8)):
        for name in ("permute", "unpermute_index_add", "unpermute_index_put", "route"):
            run = lambda n=name, t=tokens, h=hidden, k=topk, e=experts: permute(context, n, t, h, k, e)
            yield job(f"{name}_{topk}_of_{experts}", "forward", "eager", "bf16", tokens, hidden, run)


def jobs(context):
    listed = list(others(context))

    def add(name, phase, way, size):
        label = dict(zip(COLUMNS, (name, phase, way, "bf16", *size)))
        listed.append(Job(label, lambda: measure(context, name, phase, way, *size)))

    for name in [*PLAIN, *TRAINED]:
        phases = ["plain"] if name in PLAIN else ["forward", "backward"]
        for phase in phases:
            for size in SIZES:
                add(name, phase, "eager", size)
            for size in COMPILED_SIZES if name in COMPILED else []:
                add(name, phase, "compiled", size)
    random.Random(13).shuffle(listed)
    return listed
