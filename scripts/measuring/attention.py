"""Attention alone, forward and backward apart, by the kernels behind torch's scaled_dot_product_attention."""

import random

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from .timing import BOTH, Job, both

COLUMNS = ["precision", "kernel", "phase", "causal", "batch", "seq", "heads", "kv_heads", "qk_dim", "v_dim", *BOTH]
KEYS = 10
KERNELS = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}

# batch, seq, heads, kv_heads, qk_dim, v_dim, causal
SHAPES = [
    (32, 512, 32, 32, 128, 128, 1), (8, 2048, 16, 16, 128, 128, 1), (4, 4096, 32, 8, 128, 128, 1), (2, 8192, 32, 8, 128, 128, 1),
    (1, 16384, 32, 8, 128, 128, 1), (1, 32768, 8, 1, 128, 128, 1), (1, 8192, 64, 8, 128, 128, 1), (1, 4096, 8, 1, 128, 128, 1),
    (1, 2048, 4, 4, 128, 128, 1), (1, 8192, 16, 2, 128, 128, 1), (16, 1024, 16, 16, 128, 128, 0), (8, 2048, 16, 16, 128, 128, 0),
    (1, 16384, 16, 16, 128, 128, 0), (32, 512, 16, 16, 64, 64, 1), (16, 1024, 32, 32, 64, 64, 1), (8, 2048, 32, 8, 64, 64, 1),
    (4, 4096, 32, 32, 64, 64, 1), (1, 16384, 32, 32, 64, 64, 1), (4, 4096, 32, 32, 64, 64, 0), (1, 1024, 16, 16, 64, 64, 1),
    (1, 4096, 128, 128, 192, 128, 1), (4, 4096, 16, 16, 192, 128, 1), (1, 4096, 12, 12, 96, 96, 1), (2, 8192, 40, 40, 128, 128, 1),
    (1, 32768, 32, 32, 128, 128, 1), (4, 2048, 8, 8, 128, 128, 1), (2, 4096, 16, 16, 80, 80, 1), (1, 512, 16, 16, 128, 128, 1),
]


def attend(kernel, shape):
    batch, seq, heads, groups, qk, v, causal = shape
    sizes = [(batch, seq, heads, qk), (batch, seq, groups, qk), (batch, seq, groups, v)]
    q, k, v = (torch.randn(s, device="cuda", dtype=torch.bfloat16).transpose(1, 2).requires_grad_() for s in sizes)

    def forward(_):
        with sdpa_kernel(KERNELS[kernel]):
            return scaled_dot_product_attention(q, k, v, is_causal=bool(causal), enable_gqa=heads != groups)

    return (q, k, v), forward


def measure(context, kernel, phase, shape):
    operands, call = attend(kernel, shape)
    if phase == "backward":
        result = call(0)
        gradient = torch.randn_like(result)
        call = lambda _: torch.autograd.grad(result, operands, gradient, retain_graph=True)
    return both(context, call, context.row_seconds * 0.6)


def jobs(context):
    chosen = SHAPES[:]
    random.Random(11).shuffle(chosen)
    for shape in chosen:
        *sizes, causal = shape
        for kernel in KERNELS:
            for phase in ("forward", "backward"):
                label = dict(zip(COLUMNS, ("bf16", kernel, phase, causal, *sizes)))
                yield Job(label, lambda k=kernel, p=phase, s=shape: measure(context, k, p, s))
