# SPDX-License-Identifier: Apache-2.0
"""How much of the kernel's own speed a call of `goldbeat.load(...)` has on large arrays.

Run as a script: prints a table and writes ``build/bench/api.json``. The kernel's own speed is that of its transactors in a session
of their own, with all beats in arrays before it starts (``kernel_session.py``). A call counts from array to array: making beats,
handing them to the simulator, reset, simulation, waiting for the end, and the way back. Seconds are processor seconds of
all processes; the best of several rounds counts, and every output is compared with numpy's.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import bench_kernel
import numpy as np

import goldbeat
from goldbeat.pymodels.pattern import Pattern
from goldbeat.tb.build.simulator import build

ROUNDS = 5
OUT = Path("build/bench/api.json")
PIPELINE = Path(__file__).resolve().parents[2] / "examples" / "pipeline" / "pipeline.toml"
DESIGNS: dict[str, tuple[Path | str, int]] = {
    "ten stages": (PIPELINE, 1_000_000),
    "axis_fifo": ("axis_fifo", 1_000_000),
    "axis_skid": ("axis_skid", 1_000_000),
}
"""What is called, and with how many beats of 32 bits."""
ADDED = {"ten stages": 10}
"""What a design adds to each word."""


def _processor_s(pid: int) -> float:
    """Processor seconds of all threads of another process up to now, to the nanosecond; its times in ticks are too coarse."""
    return sum(int(task.read_text().split()[0]) for task in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9


def measure(name: str, rounds: int = ROUNDS, scale: float = 1.0) -> dict[str, Any]:
    """Seconds per beat of both ways."""
    design, beats = DESIGNS[name]
    beats = int(beats * scale)
    rng = np.random.default_rng(1)
    kernel_s = call_s = wall_s = float("inf")
    with goldbeat.load(design) as dut:
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
            begin, wall = time.process_time() + _processor_s(pid), time.perf_counter()
            y = dut(x)
            wall_s = min(wall_s, time.perf_counter() - wall)
            call_s = min(call_s, time.process_time() + _processor_s(pid) - begin)
            assert np.array_equal(y, expected), f"{name}: outputs differ"
    return {
        "name": name,
        "beats": beats,
        "kernel_ns": kernel_s / beats * 1e9,
        "call_ns": call_s / beats * 1e9,
        "wall_ns": wall_s / beats * 1e9,
        "ratio": kernel_s / call_s,
    }


def main() -> int:
    """Print the table, write the JSON."""
    results = [measure(name) for name in DESIGNS]
    for r in results:
        print(
            f"{r['name']:<12} {r['beats']:>10,} beats  kernel {r['kernel_ns']:7.1f} ns  call {r['call_ns']:7.1f} ns per beat"
            f"  ({r['wall_ns']:.1f} by the clock)  {r['ratio']:.2f} of the kernel's own speed"
        )
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
