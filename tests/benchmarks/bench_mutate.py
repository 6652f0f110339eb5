# SPDX-License-Identifier: Apache-2.0
"""How many mutants an hour of one core judges, with the cases that ``goldbeat mutate`` runs without --case.

    python tests/benchmarks/bench_mutate.py [--designs NAMES] [--mutants N] [--seed S]

One mutant at a time: simulator and judge take turns, so it is one core that works. Counted from the first mutant on, by the clock
and by the processor's seconds (which a busy machine does not stretch), those that survive with the second build and run that tell
whether they are reached; the first build, predictions and the cases without a mutant come beside it, as they are made once.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.mutate.campaign import Campaign, plan_cases
from goldbeat.tb.mutate.points import find_mutants

OUT = Path("build/bench/mutate.json").resolve()
DESIGNS = "plio_fir,zynqnet_icache,zynqnet_wcache,zynqnet_memctl,zynqnet_gpool"


def processor_s() -> float:
    """Seconds of processor that this process and those it has ended have taken."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def measured(name: str, count: int, seed: int) -> dict[str, Any]:
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
    return {
        "design": name,
        "mutants": len(chosen),
        "before_s": round(begun - started, 1),
        "seconds": round(killing, 1),
        "per_hour": round(3600 * len(chosen) / killing),
        "per_core_hour": round(3600 * len(chosen) / used),
        "processor_s": round(used, 1),
        "fates": dict(Counter(fate.status for fate in fates)),
    }


def main() -> None:
    """Print a line for each design, and keep all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--designs", default=DESIGNS)
    parser.add_argument("--mutants", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rows = []
    for name in asked.designs.split(","):
        row = measured(name, asked.mutants, asked.seed)
        rows.append(row | {"load": os.getloadavg()[0]})
        print(
            f"{name:18} {row['per_core_hour']:6} mutants a core-hour ({row['processor_s']} s of processor), "
            f"{row['per_hour']} an hour by the clock; {row['mutants']} mutants, {row['before_s']} s before; {row['fates']}; "
            f"load average {os.getloadavg()[0]:.1f}",
            flush=True,
        )
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(rows, indent=1) + os.linesep)


if __name__ == "__main__":
    main()
