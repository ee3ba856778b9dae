"""Writes expected.txt anew from the reference derivation, so that what is expected never comes from the code under test. The reference lies in
../shared/prototypes/sharding beside the checkout, or where OPLEDGER_SHARDING_REFERENCE says. Needs python3-yaml. Read the difference:

    python3 tests/data/sharding/regenerate.py && git diff tests/data/sharding

Of stages the reference says the same in other words, which are put in ours: it has no axis `pp` and repeats a send for each boundary between stages, where
one transfer stands for all of them here; and it names the tied weight, where a setting says what is tied to what."""
import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
REFERENCE = Path(os.environ.get("OPLEDGER_SHARDING_REFERENCE", HERE.parents[2].parent / "shared/prototypes/sharding"))
HEADER = """\
# Every collective of reference cases: case, then `model block | mesh | rules | options`, then bytes kept for backward on one rank, then one line
# per tensor (weights: per message): phase, kind, axes | what | dimensions / axes that split them | message bytes, bytes sent by one rank, cadence, rule.
"""
PHASES = ["forward", "recompute", "agrad", "wgrad", "optimizer"]
TIES = {"wte": "after=embedding tie=logits.w:embedding.word.table"}
STAGES, STAGE_RULE = 8, "megatron.shard[8]"


def definition(args, options, tie, staged):
    model, block, mesh, rules = args
    words = [TIES[tie]] if tie else []
    words += [f"{key}={value}" for key, value in options.items() if value is not True]
    words += [key for key, value in options.items() if value is True]
    mesh = json.dumps({**mesh, "pp": STAGES} if staged else mesh).replace('"', "")
    return f"{model} {block} | {mesh} | {' '.join(rules)} | {' '.join(words)}".rstrip()


def tensor(record):
    """A gradient is `d x`, there `dx`. Kept tensors that are read again and what an operator reduces inside itself are none; a state handed back is."""
    name = record.tensor.replace("+", " + ")
    if record.phase not in ("agrad", "wgrad") or name.endswith("(again)"):
        return name
    if "." in name:
        return "d " + name if name.endswith(".state") else name
    return "d " + name.removeprefix("d")


def dimensions(record):
    """`batch·seq/(tp·dp)` as `batch seq / dp tp`."""
    above, _, below = record.formula.partition("/")
    return " ".join(above.split("·")) + (" / " + " ".join(sorted(below.strip("()").split("·"))) if below else "")


def figures(records):
    """One line for each tensor, and for each message of weights."""
    sums = {}
    for r in records:
        stages = r.axes.startswith("pp")
        what = ("", "", "") if r.weight else (tensor(r), dimensions(r), STAGE_RULE if stages else r.why)
        total = sums.setdefault((r.phase, r.kind, "pp" if stages else r.axes, r.weight, r.cadence, *what), [0, 0, 0])
        for i, more in enumerate((1, r.message, r.sent)):
            total[i] += more
    lines = []
    for (phase, kind, axes, weight, cadence, name, dims, rule), (count, message, sent) in sums.items():
        name = f"{count} weights" if weight else name if count == 1 else f"{name} x{count}"
        line = f"{phase} {kind} {axes} | {name} | {dims} | {message:.0f} sent {sent:.0f} per {cadence} {rule}"
        lines.append((PHASES.index(phase), line.rstrip()))
    return [line for _, line in sorted(lines)]


def main():
    if not REFERENCE.is_dir():
        sys.exit(f"regenerate.py: there is no reference: {REFERENCE}")
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(REFERENCE))
    from cases import CASES, Derivation

    text = HEADER
    for name, args, _, _, _, _, options, tie, stages in CASES:
        staged = bool(tie or stages)
        try:
            derived = Derivation(*args, **options)
            if tie:
                derived.tie(tie)
            if staged:
                derived.pipeline(2)  # one boundary
            lines = [f"saved {derived.saved_bytes:.0f} rebuilt {derived.working_bytes:.0f}", *figures(derived.records)]
        except ValueError as error:
            lines = [f"error {error}"]
        text += "\n  ".join([name, definition(args, options, tie, staged), *lines]) + "\n"
    (HERE / "expected.txt").write_text(text)


main()
