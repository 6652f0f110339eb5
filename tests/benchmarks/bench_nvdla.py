# SPDX-License-Identifier: Apache-2.0
"""How fast compiled models run on NVDLA hardware: ours, and the vendor's nv_small where GOLDBEAT_NVDLA_RTL names a generated tree.

Peer: the cycles of the vendor's own recorded runs (their last access counted from the first), which ours should repeat.
Rates are in the simulator's processor time, the start of the process included.

With GOLDBEAT_NVDLA_NETWORK, compiled networks, the same runs on both RTLs in turn. Peer: the vendor's RTL under Goldbeat.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from loadable_runs import LoadableRun, run_loadable
from measured import Row, Skipped, benchmark, spent

from goldbeat.tb.designs.nvdla.bench import DESIGN
from goldbeat.tb.designs.nvdla.rtl import find_rtl

FILES = ("hdl/nvdla/*.*v", "tb/designs/nvdla/*.py", "pymodels/nvdla/**/*.py", "tb/kernel/**/*.*")
RECORDED = {"SDP_X1_L0_0_small": 2342, "PDP_L0_0_small": 2357, "CONV_D_L0_0_small": 39773}


def measure(data: Path, name: str, rtl: str | None) -> Iterator[Row]:
    """One loadable, built beforehand by a run that does not count."""
    design = DESIGN if rtl is None else find_rtl(Path(rtl))
    file = data / "data" / "nvdla" / "loadables" / f"{name}_fbuf"
    with tempfile.TemporaryDirectory() as folder:
        run_loadable(file, design, Path(folder))
        results: list[LoadableRun] = []
        started = time.monotonic()
        seconds = spent(lambda: results.append(run_loadable(file, design, Path(folder))))
        clock = time.monotonic() - started
    if results[0].status == "fail":
        raise SystemExit(f"{design.top} {name}: {results[0].status}")
    table, recorded = ("ours", None) if rtl is None else ("vendor", RECORDED[name])
    yield Row(name, results[0].cycles, "cycles", "recorded" if recorded else "", recorded, table=table)
    yield Row(f"{name}, processor time", seconds, "s", table=table)
    yield Row(f"{name}, by the clock", clock, "s", table=table)


def compare(network: Path, rtl: str, rounds: int) -> Iterator[Row]:
    """A network on our RTL and on the vendor's in turn: simulation alone, then with all comparisons. Medians by the clock."""
    designs, cycles = (DESIGN, find_rtl(Path(rtl))), {}
    for unchecked in (True, False):
        taken: tuple[list[float], list[float]] = ([], [])
        for number in range(rounds + 1):
            for design, times in zip(designs, taken, strict=True):
                with tempfile.TemporaryDirectory() as folder:
                    started = time.monotonic()
                    result = run_loadable(network, design, Path(folder), unchecked=unchecked)
                    # The first round builds, and loads the model.
                    if number:
                        times.append(time.monotonic() - started)
                cycles[design.top] = result.cycles
                if result.status == "fail":
                    raise SystemExit(f"{design.top}: {result.status}")
        ours, vendors = (statistics.median(times) for times in taken)
        what = "simulation" if unchecked else "with all comparisons"
        yield Row(f"{network.stem}, {what}", ours, "s", "vendor's RTL", vendors, table="networks")
    ours, vendors = cycles.values()
    yield Row(f"{network.stem}, cycles", ours, "cycles", "vendor's RTL", vendors, table="networks")


def run(loadables: tuple[str, ...], rounds: int) -> Iterator[Row | Skipped]:
    """Measure what is there."""
    given, vendor = os.environ.get("GOLDBEAT_NVDLA_NETWORK"), os.environ.get("GOLDBEAT_NVDLA_RTL")
    for network in given.split(os.pathsep) if given and vendor else ():
        yield from compare(Path(network), vendor or "", rounds)
    if not (given and vendor):
        yield Skipped("set GOLDBEAT_NVDLA_NETWORK and GOLDBEAT_NVDLA_RTL", "networks")
    data = os.environ.get("GOLDBEAT_DATA")
    for table, rtl, ready in (("ours", None, data), ("vendor", vendor, data and vendor)):
        if not ready:
            yield Skipped(f"set GOLDBEAT_DATA{' and GOLDBEAT_NVDLA_RTL' if table == 'vendor' else ''}", table)
            continue
        for name in loadables:
            yield from measure(Path(data or ""), name, rtl)


if __name__ == "__main__":
    benchmark(run, FILES, {"loadables": tuple(RECORDED), "rounds": 3}, {"loadables": ("SDP_X1_L0_0_small",)})
