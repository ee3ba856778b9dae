"""Times of operators on one GPU: in a burst, and sustained at the power limit."""

import collections
import statistics
import threading
import time

import pynvml
import torch

# A job has columns that say what is measured, and a function that measures and returns the other columns.
Job = collections.namedtuple("Job", "columns measure")


class Gpu(threading.Thread):
    """Reads clock, power, temperature and what holds the clock down every few milliseconds."""

    def __init__(self, interval=0.01):
        super().__init__(daemon=True)
        pynvml.nvmlInit()
        self.handle = pynvml.nvmlDeviceGetHandleByIndex(torch.cuda.current_device())
        self.interval = interval
        self.samples = collections.deque(maxlen=4000)
        self.start()

    def power(self):
        """Watts at this moment; nvmlDeviceGetPowerUsage is a mean over a second on Hopper."""
        try:
            value = pynvml.nvmlDeviceGetFieldValues(self.handle, [pynvml.NVML_FI_DEV_POWER_INSTANT])[0]
            if value.nvmlReturn == 0:
                return value.value.uiVal / 1e3
        except (pynvml.NVMLError, AttributeError):
            pass
        return pynvml.nvmlDeviceGetPowerUsage(self.handle) / 1e3

    def clock(self):
        return pynvml.nvmlDeviceGetClockInfo(self.handle, pynvml.NVML_CLOCK_SM)

    def limits(self):
        """The reasons, a set of bits, that hold the clock down."""
        name = "nvmlDeviceGetCurrentClocksEventReasons"
        read = getattr(pynvml, name, None) or pynvml.nvmlDeviceGetCurrentClocksThrottleReasons
        return read(self.handle)

    def run(self):
        while True:
            celsius = pynvml.nvmlDeviceGetTemperature(self.handle, pynvml.NVML_TEMPERATURE_GPU)
            self.samples.append((time.monotonic(), self.clock(), self.power(), celsius, self.limits()))
            time.sleep(self.interval)

    def between(self, begin, end):
        """Means of clock, power and temperature, and the share of samples in which power held the clock down."""
        samples = [s for s in list(self.samples) if begin <= s[0] <= end]
        if not samples:
            return {"sm_mhz": "", "power_w": "", "celsius": "", "power_limited": ""}
        power_cap = 0x4 | 0x80  # software power cap, hardware power brake
        return {
            "sm_mhz": round(statistics.fmean(s[1] for s in samples)),
            "power_w": round(statistics.fmean(s[2] for s in samples)),
            "celsius": round(statistics.fmean(s[3] for s in samples)),
            "power_limited": round(statistics.fmean(bool(s[4] & power_cap) for s in samples), 2),
        }


SAMPLED = ["sm_mhz", "power_w", "celsius", "power_limited"]


def event():
    e = torch.cuda.Event(enable_timing=True)
    e.record()
    return e


def capture(call, repetitions):
    """A CUDA graph of call(0), call(1), … The current stream must not be the default one."""
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    graph.capture_begin()
    try:
        for i in range(repetitions):
            call(i)
    finally:
        graph.capture_end()
    return graph


def warm_up(call, times=3):
    for i in range(times):
        call(i)
    torch.cuda.synchronize()


def burst(call, pause, repetitions=6):
    """Seconds of a call: six in a CUDA graph after six to warm up, after a pause. Calls shorter than a millisecond are timed five times: the median."""
    warm_up(call)
    graph = capture(call, repetitions)
    torch.cuda.synchronize()
    time.sleep(pause)
    graph.replay()
    times = []
    for _ in range(5):
        begin = event()
        graph.replay()
        end = event()
        end.synchronize()
        times.append(begin.elapsed_time(end) / 1e3 / repetitions)
        if times[0] > 1e-3:
            break
    return statistics.median(times)


def repeated(call, seconds, estimate, counted=0.5):
    """Seconds of a call run back to back for so long, the mean of the last part that is counted; with the times that this part begins and ends at."""
    repetitions = max(1, min(2000, round(0.01 / estimate)))
    graph = capture(call, repetitions)
    begin = time.monotonic()
    events = [event()]
    while time.monotonic() - begin < seconds or len(events) < 4:
        graph.replay()
        events.append(event())
        if len(events) > 3:
            events[-3].synchronize()
    torch.cuda.synchronize()
    end = time.monotonic()
    whole = events[0].elapsed_time(events[-1])
    first = next(i for i, e in enumerate(events) if events[0].elapsed_time(e) >= (1 - counted) * whole)
    first = min(first, len(events) - 2)
    took = events[first].elapsed_time(events[-1]) / 1e3
    return took / (len(events) - 1 - first) / repetitions, end - took, end


def both(context, call, seconds):
    """Columns of a burst and of a sustained run."""
    short = burst(call, context.pause)
    clock = context.gpu.clock()
    long, begin, end = repeated(call, seconds, short)
    return {"burst_s": f"{short:.4g}", "burst_sm_mhz": clock, "sustained_s": f"{long:.4g}", **context.gpu.between(begin, end)}


BOTH = ["burst_s", "burst_sm_mhz", "sustained_s", *SAMPLED]


def quick(call):
    """Seconds of a call, the median of seven rounds: in a CUDA graph long enough for its start not to count, or, where a call can't be in one, launched one by
    one; and which of both."""
    warm_up(call, 2)
    begin = event()
    call(0)
    end = event()
    end.synchronize()
    repetitions = max(4, min(200, round(0.004 / max(begin.elapsed_time(end) / 1e3, 2e-6))))
    how = "graph"
    try:
        run = capture(call, repetitions).replay
    except RuntimeError:
        how = "eager"
        torch.cuda.synchronize()
        run = lambda: [call(i) for i in range(repetitions)]
    run()
    times = []
    for _ in range(7):
        begin = event()
        run()
        end = event()
        end.synchronize()
        times.append(begin.elapsed_time(end) / 1e3 / repetitions)
    return statistics.median(times), how


def copies(size, most=5, limit=8e9):
    """How many sets of operands of this many bytes to go round through, so that they come from memory."""
    return max(1, min(most, int(limit // size)))
