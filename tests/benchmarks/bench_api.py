# SPDX-License-Identifier: Apache-2.0
"""How much of the kernel's own speed a call of `goldbeat.load(...)` has on large arrays.

The kernel's own speed is that of its transactors in a separate session, with all beats in arrays before it starts
(``kernel_session.py``). A call counts from array to array: making beats, handing them to the simulator, reset,
simulation, waiting for the end, and the way back. Seconds are processor seconds of all processes. The best of several
rounds counts, and every output is compared with numpy's.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import bench_kernel
import numpy as np
from measured import Row, benchmark

import goldbeat
from goldbeat.pymodels.pattern import Pattern
from goldbeat.tb.build.simulator import build

FILES = (*bench_kernel.FILES[:1], "tb/api/*.py", "hdl/axis/*.sv", "examples/pipeline/*.*v")
PIPELINE = Path(__file__).resolve().parents[2] / "examples" / "pipeline" / "pipeline.toml"
DESIGNS: dict[str, Path | str] = {"axis_fifo": "axis_fifo", "axis_skid": "axis_skid", "ten stages": PIPELINE}
"""What is called, with beats of 32 bits."""
ADDED = {"ten stages": 10}
"""What a design adds to each word."""


def _processor_s(pid: int) -> float:
    """Processor seconds of all threads of another process up to now, to the nanosecond; its times in ticks are too coarse."""
    return sum(int(task.read_text().split()[0]) for task in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9


def measure(name: str, rounds: int, beats: int) -> Row:
    """Nanoseconds per beat of both ways."""
    rng = np.random.default_rng(1)
    kernel_s = call_s = float("inf")
    with goldbeat.load(DESIGNS[name]) as dut:
        x = rng.integers(0, 1 << 32, beats, dtype=np.uint32)
        expected = x + np.uint32(ADDED.get(name, 0))
        assert np.array_equal(dut(x), expected), f"{name}: outputs differ"
        executable = build(dut.design, dut.params).executable
        clock = dut.design.clocks[0].period_ps
        trace = goldbeat.Trace.from_samples(x, "uint32", 32, clock_ps=clock, last=True)
        for _ in range(rounds):
            job = {"way": "native", "stimulus": trace, "ready": Pattern(), "beats_out": beats, "rounds": 3}
            kernel_s = min(kernel_s, bench_kernel.run_session(executable, job)["seconds"])
            pid = dut.process_id
            begin = time.process_time() + _processor_s(pid)
            y = dut(x)
            call_s = min(call_s, time.process_time() + _processor_s(pid) - begin)
            assert np.array_equal(y, expected), f"{name}: outputs differ"
    return Row(name, call_s / beats * 1e9, "ns", "kernel alone", kernel_s / beats * 1e9, goal="0.9 times")


def run(rounds: int, beats: int) -> Iterator[Row]:
    """Each design."""
    yield from (measure(name, rounds, beats) for name in DESIGNS)


if __name__ == "__main__":
    benchmark(run, FILES, {"rounds": 5, "beats": 1_000_000}, {"rounds": 1, "beats": 1_000_000})
