#!/usr/bin/env python3
"""Measures a GPU for a system document: products, attention, passes over memory, experts, launches, whole steps.

  python3 scripts/measure_gpu.py --machine h100-80g-sxm --out measured [--sections products,attention] [--seconds 120,products=200]

Needs PyTorch with CUDA (written for 2.11), and nvidia-ml-py. Writes a CSV for each section, row by row, and conditions.json. Within a section what is measured comes
in a fixed shuffled order, so that rows cut off by a limit of time are a sample of all. --resume FOLDER leaves out the rows that are there already.
Data are normal random numbers: zeros draw less power and run faster.
"""

import argparse
import csv
import datetime
import itertools
import json
import os
import platform
import time

import pynvml
import torch

from measuring import attention, experts, launches, passes, products, steps, timing

# A section: file that it writes, its columns, how many of them say what is measured, its jobs.
SECTIONS = {
    "launches": ("launches", launches, launches.jobs),
    "products": ("products", products, products.jobs_bf16),
    "products_fp8": ("products", products, products.jobs_fp8),
    "skinny": ("products", products, products.jobs_skinny),
    "attention": ("attention", attention, attention.jobs),
    "passes": ("passes", passes, passes.jobs),
    "experts": ("experts", experts, experts.shuffled),
    "steps": ("steps", steps, steps.jobs),
}


class Context:
    """What sections need to know: options, the processor, where to say things."""

    def __init__(self, options):
        self.row_seconds, self.pause = options.row_seconds, options.pause
        self.step_seconds, self.layers = options.step_seconds, options.layers
        self.gpu = timing.Gpu()
        self.l2 = torch.cuda.get_device_properties().L2_cache_size
        self.log = open(os.path.join(options.out, "log.txt"), "a", encoding="utf-8")

    def say(self, text):
        print(text, flush=True)
        print(text, file=self.log, flush=True)


class Table:
    """A CSV file that rows are added to."""

    def __init__(self, options, name, columns, keys):
        self.machine, self.columns, self.keys, self.known = options.machine, columns, columns[:keys], set()
        path = os.path.join(options.out, f"{name}.csv")
        fresh = not os.path.exists(path)
        for old in filter(None, [path, options.resume and os.path.join(options.resume, f"{name}.csv")]):
            if os.path.exists(old):
                with open(old, newline="", encoding="utf-8") as file:
                    self.known |= {self.key(row) for row in csv.DictReader(file)}
        self.file = open(path, "a", newline="", encoding="utf-8")
        self.writer = csv.DictWriter(self.file, ["machine", *columns], lineterminator="\n", restval="")
        if fresh:
            self.writer.writeheader()

    def key(self, row):
        return tuple(str(row[c]) for c in self.keys)

    def add(self, row):
        self.writer.writerow({"machine": self.machine, **row})
        self.file.flush()


def run_section(context, name, table, jobs, limit):
    """Measures until the limit; a row that fails is said and left out."""
    begin, done, failed = time.monotonic(), 0, 0
    jobs = [j for j in jobs if table.key(j.columns) not in table.known]
    for left, job in zip(itertools.count(len(jobs), -1), jobs):
        if time.monotonic() - begin > limit:
            context.say(f"{name}: out of time, {left} rows left out")
            break
        try:
            table.add(job.columns | job.measure())
            done += 1
        except Exception as error:
            failed += 1
            context.say(f"{name}: {' '.join(map(str, job.columns.values()))}: {type(error).__name__}: {' '.join(str(error).split())[:300]}")
        if torch.cuda.memory_reserved() > 0.5 * torch.cuda.get_device_properties().total_memory:
            torch.cuda.empty_cache()
    context.say(f"{name}: {done} rows, {failed} failed, {time.monotonic() - begin:.0f} s")


def host_cpu():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return {"name": names[0] if names else platform.processor(), "cores": os.cpu_count()}


def conditions(context, machine):
    """The circumstances of the measurement."""
    gpu, h = torch.cuda.get_device_properties(), context.gpu.handle
    ask = {
        "driver": lambda: pynvml.nvmlSystemGetDriverVersion(),
        "power_limit_w": lambda: pynvml.nvmlDeviceGetEnforcedPowerLimit(h) / 1e3,
        "power_limits_w": lambda: [x / 1e3 for x in pynvml.nvmlDeviceGetPowerManagementLimitConstraints(h)],
        "max_sm_mhz": lambda: pynvml.nvmlDeviceGetMaxClockInfo(h, pynvml.NVML_CLOCK_SM),
        "max_memory_mhz": lambda: pynvml.nvmlDeviceGetMaxClockInfo(h, pynvml.NVML_CLOCK_MEM),
        "ecc": lambda: pynvml.nvmlDeviceGetEccMode(h)[0],
        "idle_w": lambda: context.gpu.power(),
        "cudnn": lambda: torch.backends.cudnn.version(),
        "triton": lambda: __import__("triton").__version__,
    }
    found = {"machine": machine, "gpu": gpu.name, "memory": gpu.total_memory, "multiprocessors": gpu.multi_processor_count, "l2": gpu.L2_cache_size}
    found |= {"torch": torch.__version__, "cuda": torch.version.cuda, "python": platform.python_version(), "host": host_cpu()}
    for name, read in ask.items():
        try:
            found[name] = read()
        except Exception as error:
            found[name] = f"not readable: {error}"
    return found | {"date": datetime.date.today().isoformat(), "row_seconds": context.row_seconds, "pause": context.pause, "step_seconds": context.step_seconds}


def write(path, facts):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(facts, file, indent=1)
        file.write("\n")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--machine", required=True, help="name of the system document")
    parser.add_argument("--out", required=True, help="folder to write to")
    parser.add_argument("--sections", default=",".join(SECTIONS), help=f"in this order; of {', '.join(SECTIONS)}")
    parser.add_argument("--seconds", default="1e9", help="limit for a section: S or S,SECTION=S,…")
    parser.add_argument("--row-seconds", type=float, default=1.5, help="length of a sustained run; attention and experts take 0.6 of it")
    parser.add_argument("--pause", type=float, default=0.3, help="seconds of rest before a burst")
    parser.add_argument("--step-seconds", type=float, default=3, help="length of each measurement of whole steps")
    parser.add_argument("--layers", type=int, default=1000, help="at most so many layers in whole steps (to try it out)")
    parser.add_argument("--settling", type=float, default=10, help="seconds of the one long run whose speed is written over time")
    parser.add_argument("--resume", help="folder of an earlier run")
    return parser.parse_args()


def main():
    options = parse()
    os.makedirs(options.out, exist_ok=True)
    limits = dict(s.split("=") if "=" in s else ("", s) for s in options.seconds.split(","))
    context = Context(options)
    facts = conditions(context, options.machine)
    path = os.path.join(options.out, f"conditions-{options.sections.split(',')[0]}.json")
    write(path, facts)
    # Not the default stream: that one can't be captured in a graph, and a gradient runs on the stream of its forward.
    with torch.cuda.stream(torch.cuda.Stream()):
        for name in options.sections.split(","):
            file, module, jobs = SECTIONS[name]
            if name == "products" and options.settling:
                write(path, facts | {"settling": products.settling(options.settling)})
            table = Table(options, file, module.COLUMNS, module.KEYS)
            run_section(context, name, table, jobs(context), float(limits.get(name, limits.get("", "1e9"))))


if __name__ == "__main__":
    main()
