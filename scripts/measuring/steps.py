"""Whole training steps of small transformers on one GPU: seconds, memory, and kernels by class."""

import gc
import statistics
import time
from dataclasses import dataclass, replace

import pynvml
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from .profile import classes
from .timing import SAMPLED, Job, event


@dataclass(frozen=True)
class Config:
    """bf16: weights, gradients and both moments in bf16. autocast: all of them in fp32, products in bf16."""

    model: str  # llama, gpt, moe
    hidden: int
    ffn: int
    layers: int
    heads: int
    kv_heads: int
    seq: int
    microbatch: int
    vocab: int = 32000
    precision: str = "bf16"
    compiled: int = 0
    recompute: int = 0


A = Config("llama", 4096, 14336, 8, 32, 8, 4096, 1)
B = Config("llama", 2048, 5632, 16, 16, 16, 2048, 4)
C = Config("llama", 8192, 28672, 2, 64, 8, 4096, 1)
G = Config("gpt", 2048, 8192, 24, 16, 16, 2048, 4, 50304)
M = Config("moe", 2048, 4096, 8, 16, 16, 4096, 2)
CONFIGS = [
    A, replace(B, compiled=1), replace(A, precision="autocast"), replace(C, compiled=1), B, C, replace(G, precision="autocast"),
    replace(A, seq=8192, recompute=1), replace(A, compiled=1), M, replace(B, microbatch=1), replace(A, microbatch=4, seq=2048),
    Config("llama", 5120, 13824, 6, 40, 40, 2048, 2), replace(A, layers=4, vocab=128256), replace(B, seq=8192, microbatch=2, recompute=1, compiled=1),
    G, replace(A, precision="autocast", seq=2048, microbatch=2, recompute=1), replace(A, precision="autocast", compiled=1),
    replace(C, microbatch=2, recompute=1), replace(B, seq=4096, microbatch=2), replace(A, layers=16), replace(C, layers=4),
]
COLUMNS = [
    *Config.__dataclass_fields__, "parameters", "step_s", "forward_s", "backward_s", "optimizer_step_s", "max_allocated", "max_reserved", "device_used",
    "device_used_before", *SAMPLED, "kernels", "span_s", "products_s", "attention_s", "optimizer_s", "other_s",
]
KEYS = len(Config.__dataclass_fields__)


def rotate(x, cos, sin):
    first, second = x.chunk(2, -1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), -1)


class Mlp(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.gated, bias = c.model != "gpt", c.model == "gpt"
        self.up = nn.Linear(c.hidden, c.ffn * (2 if self.gated else 1), bias=bias)
        self.down = nn.Linear(c.ffn, c.hidden, bias=bias)

    def forward(self, x):
        if not self.gated:
            return self.down(F.gelu(self.up(x), approximate="tanh"))
        gate, up = self.up(x).chunk(2, -1)
        return self.down(F.silu(gate) * up)


class Experts(nn.Module):
    """Eight experts, two for each token, by one grouped product."""

    def __init__(self, c, experts=8, topk=2):
        super().__init__()
        self.experts, self.topk = experts, topk
        self.router = nn.Linear(c.hidden, experts, bias=False)
        self.up = nn.Parameter(torch.randn(experts, c.hidden, 2 * c.ffn) * 0.02)
        self.down = nn.Parameter(torch.randn(experts, c.ffn, c.hidden) * 0.02)

    def forward(self, x):
        flat = x.view(-1, x.shape[-1])
        weight, expert = F.softmax(self.router(flat).float(), -1).topk(self.topk, -1)
        order = expert.flatten().argsort()
        source = order // self.topk
        ends = (expert.flatten()[:, None] == torch.arange(self.experts, device=x.device)).sum(0).cumsum(0).to(torch.int32)
        gate, up = torch._grouped_mm(flat.index_select(0, source), self.up, offs=ends).chunk(2, -1)
        rows = torch._grouped_mm(F.silu(gate) * up, self.down, offs=ends)
        rows = rows * weight.flatten()[order, None].to(rows.dtype)
        return torch.zeros_like(flat).index_add(0, source, rows).view_as(x)


class Block(nn.Module):
    """Projections to queries, keys and values are one product, so are gate and up."""

    def __init__(self, c):
        super().__init__()
        norm = nn.LayerNorm if c.model == "gpt" else nn.RMSNorm
        self.heads, self.groups, self.size, self.rotary = c.heads, c.kv_heads, c.hidden // c.heads, c.model != "gpt"
        self.norm1, self.norm2 = norm(c.hidden), norm(c.hidden)
        self.qkv = nn.Linear(c.hidden, (c.heads + 2 * c.kv_heads) * self.size, bias=c.model == "gpt")
        self.out = nn.Linear(c.hidden, c.hidden, bias=c.model == "gpt")
        self.mlp = Experts(c) if c.model == "moe" else Mlp(c)

    def forward(self, x, cos, sin):
        batch, seq, hidden = x.shape
        parts = self.qkv(self.norm1(x)).view(batch, seq, -1, self.size)
        q, k, v = (t.transpose(1, 2) for t in parts.split([self.heads, self.groups, self.groups], 2))
        if self.rotary:
            q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=self.heads != self.groups)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, seq, hidden))
        return x + self.mlp(self.norm2(x))


def loss_of(logits, targets):
    return F.cross_entropy(logits.float().view(-1, logits.shape[-1]), targets.view(-1))


class Model(nn.Module):
    def __init__(self, c):
        super().__init__()
        size = c.hidden // c.heads
        self.recompute, self.learned = c.recompute, c.model == "gpt"
        self.tokens = nn.Embedding(c.vocab, c.hidden)
        if self.learned:
            self.positions = nn.Embedding(c.seq, c.hidden)
        self.blocks = nn.ModuleList(Block(c) for _ in range(c.layers))
        self.norm = nn.LayerNorm(c.hidden) if self.learned else nn.RMSNorm(c.hidden)
        self.head = nn.Linear(c.hidden, c.vocab, bias=False)
        angle = torch.arange(c.seq)[:, None] / 10000 ** (torch.arange(0, size, 2) / size)
        self.register_buffer("cos", angle.cos().bfloat16())
        self.register_buffer("sin", angle.sin().bfloat16())
        self.loss = torch.compile(loss_of, dynamic=False) if c.compiled else loss_of
        if c.compiled:
            for block in self.blocks:
                block.compile(dynamic=False)

    def forward(self, ids, targets):
        x = self.tokens(ids)
        if self.learned:
            x = x + self.positions.weight
        for block in self.blocks:
            x = checkpoint(block, x, self.cos, self.sin, use_reentrant=False) if self.recompute else block(x, self.cos, self.sin)
        return self.loss(self.head(self.norm(x)), targets)


def build(c):
    torch._dynamo.reset()
    torch.set_default_dtype(torch.bfloat16 if c.precision == "bf16" else torch.float32)
    try:
        with torch.device("cuda"):
            model = Model(c)
    finally:
        torch.set_default_dtype(torch.float32)
    return model, torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)


def one_step(c, model, optimizer, ids, targets):
    """Runs a step; returns the events between its parts."""
    marks = [event()]
    with torch.autocast("cuda", torch.bfloat16, enabled=c.precision == "autocast"):
        loss = model(ids, targets)
    marks.append(event())
    loss.backward()
    marks.append(event())
    optimizer.step()
    optimizer.zero_grad()
    marks.append(event())
    return marks


def used(context):
    return pynvml.nvmlDeviceGetMemoryInfo(context.gpu.handle).used


def clean():
    gc.collect()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()


def measure(context, c):
    clean()
    before = used(context)
    model, optimizer = build(c)
    ids = torch.randint(c.vocab, (c.microbatch, c.seq), device="cuda")
    targets = ids.roll(-1, 1)
    run = lambda: one_step(c, model, optimizer, ids, targets)
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    begin = time.monotonic()
    steps = []
    while time.monotonic() - begin < context.step_seconds or len(steps) < 3:
        steps.append(run())
        if len(steps) > 2:
            steps[-3][-1].synchronize()
    torch.cuda.synchronize()
    end = time.monotonic()
    parts = [statistics.median(a[i].elapsed_time(a[i + 1]) for a in steps) / 1e3 for i in range(3)]
    whole = statistics.median(a[0].elapsed_time(b[0]) for a, b in zip(steps, steps[1:])) / 1e3
    memory = torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved(), used(context), before
    found = [sum(p.numel() for p in model.parameters()), *(f"{s:.4g}" for s in (whole, *parts)), *memory]
    result = dict(zip(COLUMNS[KEYS:], found)) | context.gpu.between(begin + (end - begin) / 2, end)
    try:
        result |= classes(run)
    except Exception as error:  # the times stand without the trace
        context.say(f"no trace: {error!r}")
    return result


def jobs(context):
    for c in CONFIGS:
        c = replace(c, layers=min(c.layers, context.layers))
        label = {name: getattr(c, name) for name in Config.__dataclass_fields__}
        yield Job(label, lambda c=c: measure(context, c))
