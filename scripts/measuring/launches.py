"""What launches cost: the host's time of an operator, the gap between kernels of a graph."""

import time

import torch
from torch import nn
from torch.nn import functional as F

from .profile import kernels
from .timing import Job, capture, event

COLUMNS = ["what", "mode", "kernels", "seconds"]
KEYS = 2


def host(call, times=400):
    """Seconds of a call that a host makes over and over, the processor's work being nearly nothing: the best of five rounds."""
    found = []
    for _ in range(5):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(times):
            call()
        torch.cuda.synchronize()
        found.append((time.perf_counter() - begin) / times)
    return min(found)


def in_graph(call, times=1000):
    call()
    graph = capture(lambda _: call(), times)
    graph.replay()
    found = []
    for _ in range(5):
        begin = event()
        graph.replay()
        end = event()
        end.synchronize()
        found.append(begin.elapsed_time(end) / 1e3 / times)
    return min(found)


def row(seconds):
    return {"seconds": f"{seconds:.4g}"}


def operators():
    """Operators on tensors so small that only launches count: a function, and the tensors whose gradients it has."""
    x = torch.randn(64, 256, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    wide = torch.randn(64, 256, device="cuda", requires_grad=True)
    heads = torch.randn(1, 4, 64, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    targets = torch.randint(256, (64,), device="cuda")
    linear = nn.Linear(256, 256, bias=False, device="cuda", dtype=torch.bfloat16)
    cast = nn.Linear(256, 256, bias=False, device="cuda")
    biased = nn.Linear(256, 256, device="cuda", dtype=torch.bfloat16)
    rms = nn.RMSNorm(256, device="cuda", dtype=torch.bfloat16)
    layer = nn.LayerNorm(256, device="cuda", dtype=torch.bfloat16)
    table = nn.Embedding(256, 256, device="cuda", dtype=torch.bfloat16)

    def autocast():
        with torch.autocast("cuda", torch.bfloat16):
            return cast(wide)

    return {
        "linear": (lambda: linear(x), [x, linear.weight]),
        "linear_with_bias": (lambda: biased(x), [x, biased.weight, biased.bias]),
        "linear_autocast": (autocast, [wide, cast.weight]),
        "rms_norm": (lambda: rms(x), [x, rms.weight]),
        "layer_norm": (lambda: layer(x), [x, layer.weight, layer.bias]),
        "attention_flash": (lambda: F.scaled_dot_product_attention(heads, heads, heads, is_causal=True), [heads]),
        "silu_times": (lambda: F.silu(x) * x, [x]),
        "gelu": (lambda: F.gelu(x), [x]),
        "add": (lambda: x + x, [x]),
        "cross_entropy": (lambda: F.cross_entropy(x.float(), targets), [x]),
        "embedding": (lambda: table(targets), [table.weight]),
    }


def no_grad(function):
    with torch.no_grad():
        return row(host(function))


def backward(function, wanted, measured):
    result = function()
    gradient = torch.ones_like(result)
    return measured(lambda: torch.autograd.grad(result, wanted, gradient, retain_graph=True))


def chain(function, phase, length=32):
    """Seconds of one of many modules in a row: what a backward costs each operator, without the start of a backward as a whole."""
    x = torch.randn(64, 256, device="cuda", dtype=torch.bfloat16, requires_grad=True)

    def forward():
        y = x
        for _ in range(length):
            y = function(y)
        return y

    if phase == "forward":
        return row(host(forward, 30) / length)
    result = forward()
    gradient = torch.ones_like(result)
    return row(host(lambda: result.backward(gradient, retain_graph=True), 30) / length)


def modules():
    made = {
        "linear": nn.Linear(256, 256, bias=False),
        "rms_norm": nn.RMSNorm(256),
        "layer_norm": nn.LayerNorm(256),
        "gelu": nn.GELU(),
    }
    return {name: module.to("cuda", torch.bfloat16) for name, module in made.items()} | {"add": lambda x: x + x}


def adamw(way, tensors=100):
    parameters = [torch.randn(64, device="cuda", requires_grad=True) for _ in range(tensors)]
    for p in parameters:
        p.grad = torch.randn_like(p)
    step = torch.optim.AdamW(parameters, lr=1e-4, fused=way == "fused", foreach=way == "foreach").step
    step()
    return step


def graph_of_one(tensor):
    return row(host(capture(lambda _: tensor.add_(1), 1).replay, 500))


def job(what, mode, measured):
    return Job({"what": what, "mode": mode}, measured)


def jobs(context):
    """Times first: a trace, which counts kernels, may leave launches slower."""
    tiny, larger = torch.zeros(16, device="cuda"), torch.zeros(1 << 16, device="cuda")
    listed = operators().items()
    count = lambda call: {"kernels": kernels(call)}
    add = lambda: row(host(lambda: tiny.add_(1), 2000))
    yield job("add_in_place_16", "host", add)
    yield job("add_in_place_16", "graph", lambda: row(in_graph(lambda: tiny.add_(1))))
    yield job("add_in_place_65536", "graph", lambda: row(in_graph(lambda: larger.add_(1))))
    yield job("graph_of_one_kernel", "host", lambda: graph_of_one(tiny))
    for name, (function, wanted) in listed:
        yield job(name, "forward_no_grad", lambda f=function: no_grad(f))
        yield job(name, "forward", lambda f=function: row(host(f)))
        yield job(name, "backward", lambda f=function, w=wanted: backward(f, w, lambda call: row(host(call))))
    for way in ("fused", "foreach"):
        yield job("adamw_of_100_tensors", way, lambda w=way: row(host(adamw(w), 20)))
    for name, function in modules().items():
        for phase in ("forward", "backward"):
            yield job(name, f"{phase}_each_of_32", lambda f=function, p=phase: chain(f, p))
    for name, (function, wanted) in listed:
        yield job(name, "kernels_forward", lambda f=function: count(f))
        yield job(name, "kernels_backward", lambda f=function, w=wanted: backward(f, w, count))
    for way in ("fused", "foreach"):
        yield job("adamw_of_100_tensors", f"kernels_{way}", lambda w=way: count(adamw(w)))
    yield job("add_in_place_16", "host_after_traces", add)
