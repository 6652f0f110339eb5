# SPDX-License-Identifier: Apache-2.0
"""How many mutants Yosys proves to be equivalent: of those that are waived by hand, and, which must be none, of the others.

    python tests/benchmarks/bench_prove.py [--designs NAMES] [--others N] [--limit S]

A proof counts if it holds for all sets of parameter values of the cases of ``goldbeat mutate``. N of the others, which cases
notice, are drawn from a seed.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from goldbeat.tb.build.yosys import yosys
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.mutate.campaign import plan_cases
from goldbeat.tb.mutate.equivalence import LIMIT_S, EquivalenceProver, parameter_sets
from goldbeat.tb.mutate.points import find_mutants
from goldbeat.tb.mutate.waivers import match, waivers_of_design

DESIGNS = "axis_skid,axis_async_fifo,axis_upsizer,axis_downsizer,plio_pkt_split,plio_pkt_merge,plio_port,plio_fir"


def measure(name: str, others: int, limit: int, folder: Path) -> None:
    """Print what is proven of a design, and a line for all of it."""
    design = find_design(name)
    macros = [f.removeprefix("-D") for f in design.compile_flags() if f.startswith("-D")]
    mutants = find_mutants(design.sources(), include_dirs=design.include_paths(), defines=macros)
    reasons, _ = match(waivers_of_design(design, None, None), mutants)
    waived = [m for m in mutants if m.number in reasons]
    noticed = [m for m in mutants if m.number not in reasons]
    sets = parameter_sets(plan_cases(name), design)
    prover = EquivalenceProver(yosys(), design, sets, folder, limit)
    drawn = random.Random(1).sample(noticed, min(others, len(noticed)))
    for what, some in (("waived", waived), ("noticed", drawn)):
        began = time.monotonic()
        proven = [mutant for mutant, is_equal in prover.proven(some, 1) if is_equal]
        for m in sorted(proven, key=lambda one: one.number):
            print(f"  {m.number} {m.place.file.name}:{m.place.line} {m.operator}: {m.change}")
        seconds = time.monotonic() - began
        print(f"{name}: {len(proven)} of {len(some)} {what} proven, {len(sets)} set(s), {seconds:.0f} s", flush=True)


def main() -> None:
    """Measure each design."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--designs", default=DESIGNS)
    parser.add_argument("--others", type=int, default=20)
    parser.add_argument("--limit", type=int, default=LIMIT_S)
    wishes = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        for name in wishes.designs.split(","):
            measure(name, wishes.others, wishes.limit, Path(place))


if __name__ == "__main__":
    main()
