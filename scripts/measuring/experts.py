"""Grouped products of experts, by one kernel for all groups or a loop of products."""

import random

import torch

from .timing import BOTH, Job, both, copies

COLUMNS = ["precision", "phase", "kernel", "load", "groups", "m", "n", "k", *BOTH]
KEYS = 8

# Groups, hidden size, width of an expert (gate and up together are twice that), mean rows of a group.
EXPERTS = [
    (8, 4096, 14336, 1024), (8, 4096, 14336, 4096), (8, 4096, 1792, 2048), (8, 2048, 5632, 2048), (8, 7168, 2048, 512),
    (32, 7168, 2048, 1024), (16, 2048, 768, 1024), (64, 2048, 1408, 768), (32, 7168, 2048, 128), (2, 6144, 16384, 2048), (128, 2048, 768, 512),
]


def loads(groups, m, uneven):
    """Rows of each group; uneven ones fall as a power law, in multiples of 8."""
    if not uneven:
        return [m] * groups
    weight = [(i + 1) ** -0.6 for i in range(groups)]
    rows = [max(8, round(m * groups * w / sum(weight) / 8) * 8) for w in weight]
    random.Random(groups).shuffle(rows)
    return rows


def operands(phase, rows, n, k):
    """The two operands of the products and where each group ends; rows are those of all groups together."""
    ends, total = torch.tensor(rows, device="cuda").cumsum(0).to(torch.int32), sum(rows)

    def random_matrix(*sizes):
        return torch.randn(sizes, device="cuda", dtype=torch.bfloat16)

    if phase == "forward":
        return random_matrix(total, k), random_matrix(len(rows), n, k).transpose(1, 2), ends
    if phase == "dgrad":
        return random_matrix(total, k), random_matrix(len(rows), k, n), ends
    return random_matrix(total, k).t(), random_matrix(total, n), ends


def loop(phase, a, b, rows):
    ends = [sum(rows[: i + 1]) for i in range(len(rows))]
    for i, (end, size) in enumerate(zip(ends, rows)):
        if phase == "wgrad":
            torch.mm(a[:, end - size : end], b[end - size : end])
        else:
            torch.mm(a[end - size : end], b[i])


def measure(context, phase, kernel, rows, n, k):
    """Products of rows x n x k; of a weight gradient k x n over rows."""
    weights = 0 if phase == "wgrad" else len(rows) * n * k
    result = len(rows) * n * k if phase == "wgrad" else sum(rows) * n
    sets = [operands(phase, rows, n, k) for _ in range(copies(2 * (weights + sum(rows) * (n + k) + result), 3))]

    def call(i):
        a, b, ends = sets[i % len(sets)]
        return torch._grouped_mm(a, b, offs=ends) if kernel == "grouped" else loop(phase, a, b, rows)

    return both(context, call, context.row_seconds * 0.6)


def jobs(context):
    """m, n, k of one group: rows, columns and depth of its product, the depth of a weight gradient being the group's tokens."""
    for groups, hidden, width, m in EXPERTS:
        for uneven in (False, True):
            rows = loads(groups, m, uneven)
            products = [("forward", 2 * width, hidden), ("forward", hidden, width), ("dgrad", hidden, 2 * width), ("wgrad", hidden, 2 * width)]
            for phase, n, k in products[: 4 if not uneven else 1]:
                for kernel in ("grouped", "loop"):
                    sizes = (groups, k, n, m) if phase == "wgrad" else (groups, m, n, k)
                    label = dict(zip(COLUMNS, ("bf16", phase, kernel, "uneven" if uneven else "even", *sizes)))
                    yield Job(label, lambda a=(phase, kernel, rows, n, k): measure(context, *a))


def shuffled(context):
    listed = list(jobs(context))
    random.Random(15).shuffle(listed)
    return listed
