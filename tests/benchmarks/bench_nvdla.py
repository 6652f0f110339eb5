# SPDX-License-Identifier: Apache-2.0
"""How fast compiled models run on NVDLA hardware: ours, and the vendor's nv_small where GOLDBEAT_NVDLA_RTL names a generated tree.

Peer: the cycles of the vendor's own recorded runs (their last access counted from the first), which ours should repeat.
Rates are in the simulator's processor time, the start of the process included.

With GOLDBEAT_NVDLA_NETWORK, a compiled network, the same run on both RTLs in turn. Peer: the vendor's RTL under Goldbeat.
"""

from __future__ import annotations

import os
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from loadable_runs import run_loadable

from goldbeat.tb.designs.nvdla.bench import DESIGN
from goldbeat.tb.designs.nvdla.memory_settings import SETTLE_CYCLES
from goldbeat.tb.designs.nvdla.rtl import find_rtl

RECORDED = {"SDP_X1_L0_0_small": 2342, "PDP_L0_0_small": 2357, "CONV_D_L0_0_small": 39773}


def measure(data: Path, name: str, rtl: str | None) -> None:
    """One loadable, built beforehand by a run that does not count."""
    design = DESIGN if rtl is None else find_rtl(Path(rtl))
    file = data / "data" / "nvdla" / "loadables" / f"{name}_fbuf"
    with tempfile.TemporaryDirectory() as folder:
        run_loadable(file, design, Path(folder))
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, time.monotonic()
        result = run_loadable(file, design, Path(folder))
    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    simulated = result.cycles + (0 if rtl is None else SETTLE_CYCLES)
    ratio = f", {result.cycles / RECORDED[name]:.3f} of the recorded run" if rtl else ""
    print(
        f"{design.top} {name}: {result.status}, {result.cycles} cycles{ratio}; "
        f"{simulated / spent:,.0f} cycles/s in {spent:.1f} s of processor time, {time.monotonic() - started:.1f} s by the clock"
    )


def compare(network: Path, rtl: str, rounds: int = 3) -> None:
    """A network on our RTL and on the vendor's in turn: simulation alone, then with all comparisons. Medians by the clock."""
    designs = (DESIGN, find_rtl(Path(rtl)))
    for unchecked in (True, False):
        spent: tuple[list[float], list[float]] = ([], [])
        for number in range(rounds + 1):
            for design, times in zip(designs, spent, strict=True):
                with tempfile.TemporaryDirectory() as folder:
                    started = time.monotonic()
                    result = run_loadable(network, design, Path(folder), unchecked=unchecked)
                    # The first round builds, and loads the model.
                    if number:
                        times.append(time.monotonic() - started)
                    print(f"{design.top}: {result.status}, {result.cycles} cycles")
        ours, vendors = (statistics.median(times) for times in spent)
        what = "simulation" if unchecked else "with all comparisons"
        print(f"{what}: ours {ours:.1f} s, vendor's {vendors:.1f} s by the clock, ratio {vendors / ours:.2f}")


def main() -> int:
    """Measure what is there."""
    network, vendor = os.environ.get("GOLDBEAT_NVDLA_NETWORK"), os.environ.get("GOLDBEAT_NVDLA_RTL")
    if network and vendor:
        compare(Path(network), vendor)
    data = os.environ.get("GOLDBEAT_DATA")
    if not data:
        print("GOLDBEAT_DATA is not set: no loadables")
        return 0
    for rtl in dict.fromkeys((None, vendor)):
        for name in RECORDED:
            measure(Path(data), name, rtl)
    return 0


if __name__ == "__main__":
    sys.exit(main())
