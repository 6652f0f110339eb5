# SPDX-License-Identifier: Apache-2.0
"""Cycles of the ZynqNet accelerator per frame, and how long its models and its simulation take.

Cycles are those of the timed model; a run of the RTL compares every counter of every layer with it. The bounds are sums
over the layers: of the issues, and of the largest of issues, beats read and beats written.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from measured import Row, benchmark, spent

FILES = ("hdl/zynqnet/*.sv", "pymodels/zynqnet/**/*.py", "tb/designs/zynqnet/*.py")
GOLDBEAT = (sys.executable, "-m", "goldbeat.tb.cli")
CLOCK_MHZ = 200


def printed(*words: str, folder: str | None = None) -> str:
    """What a command prints."""
    return subprocess.run([*GOLDBEAT, *words], cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout


def cycles(width: int) -> Iterator[Row]:
    """A frame with one width of the AXI4 port."""
    name = f"{width} bit"
    counters = json.loads(printed("zynqnet", "time", "--json", "--data-width", str(width)))
    layers = counters["layers"]
    yield Row(name, counters["cycles"], column="cycles per frame", table="cycles")
    yield Row(name, counters["cycles"] / CLOCK_MHZ / 1000, "ms", column=f"at {CLOCK_MHZ} MHz", table="cycles")
    yield Row(name, sum(one["ISSUES"] for one in layers), column="bound: issues", table="cycles")
    overlapped = sum(max(one[k] for k in ("ISSUES", "READ_BEATS", "WRITE_BEATS")) for one in layers)
    yield Row(name, overlapped, column="bound: issues or traffic", table="cycles")


def run(case: str) -> Iterator[Row]:
    """Cycles, then processor time of commands."""
    for width in (128, 64, 32):
        yield from cycles(width)
    for name, words in {
        "golden network, 27 layers": ("zynqnet", "golden", "--json"),
        "timed model, 128 bit": ("zynqnet", "time"),
        "timed model, 32 bit": ("zynqnet", "time", "--data-width", "32"),
    }.items():
        goal = "3 s" if "golden" in name else ""
        yield Row(name, spent(lambda words=words: printed(*words)), "s", goal=goal, table="commands")
    with tempfile.TemporaryDirectory() as folder:
        words = ("run", "zynqnet", "--case", case, "--weights", "synth:1")
        # The first run builds the simulator.
        printed(*words, folder=folder)
        started = time.monotonic()
        seconds = spent(lambda: printed(*words, "--force", folder=folder))
        clock = time.monotonic() - started
    yield Row(f"run of case {case}, processor time", seconds, "s", goal="60 s", table="commands")
    yield Row(f"run of case {case}, by the clock", clock, "s", table="commands")


if __name__ == "__main__":
    benchmark(run, FILES, {"case": "full"}, {"case": "mini"})
