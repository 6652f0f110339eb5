# SPDX-License-Identifier: Apache-2.0
"""How many mutants an hour of one core judges, with the cases that ``goldbeat mutate`` runs without --case.

One mutant at a time: simulator and judge take turns, so it is one core that works. Counted from the first mutant on, by the clock
and by the processor's seconds (which a busy machine does not stretch), those that survive with the second build and run that tell
whether they are reached; the first build, predictions and the cases without a mutant come beside it, as they are made once.
"""

from __future__ import annotations

import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from measured import Row, benchmark

from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.mutate.campaign import Campaign, plan_cases
from goldbeat.tb.mutate.points import find_mutants

FILES = ("tb/mutate/*.py", "tb/run/*.py")
DESIGNS = ("plio_fir", "zynqnet_icache", "zynqnet_wcache", "zynqnet_memctl", "zynqnet_gpool")


def processor_s() -> float:
    """Seconds of processor that this process and those it has ended have taken."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def measured(name: str, count: int, seed: int) -> Iterator[Row]:
    """The figures of one design."""
    design = find_design(name)
    mutants = find_mutants(design.sources(), include_dirs=design.include_paths())
    chosen = random.Random(seed).sample(mutants, min(count, len(mutants)))
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        with Campaign(plan_cases(name), chosen, Path(folder) / "campaign") as campaign:
            campaign.check_original()
            begun, used = time.monotonic(), processor_s()
            fates = list(campaign.fates(chosen, 1))
            killing = time.monotonic() - begun
            left = [fate.mutant for fate in fates if fate.status != "killed"]
            if left:
                campaign.watch(left)
                again = time.monotonic()
                fates = [fate for fate in fates if fate.status == "killed"] + list(campaign.fates(left, 1))
                killing += time.monotonic() - again
        # What has run is counted when it has ended.
        used = processor_s() - used
    killed = sum(fate.status == "killed" for fate in fates)
    yield Row(name, len(chosen), "", column="mutants")
    yield Row(name, killed, "", column="killed")
    yield Row(name, round(3600 * len(chosen) / used), "", column="per core and hour")
    yield Row(name, round(3600 * len(chosen) / killing), "", column="per hour by the clock")
    yield Row(name, begun - started, "s", column="before the first")


def run(designs: tuple[str, ...], mutants: int, seed: int) -> Iterator[Row]:
    """The figures of each design."""
    for name in designs:
        yield from measured(name, mutants, seed)


if __name__ == "__main__":
    full = {"designs": DESIGNS, "mutants": 60, "seed": 1}
    benchmark(run, FILES, full, {"designs": DESIGNS[:1], "mutants": 10})
