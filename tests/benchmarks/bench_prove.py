# SPDX-License-Identifier: Apache-2.0
"""How many mutants Yosys proves to be equivalent: of those that are waived by hand, and, which must be none, of the others.

A proof counts if it holds for all sets of parameter values of the cases of ``goldbeat mutate``. N of the others, which cases
notice, are drawn from a seed.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from measured import Row, benchmark

from goldbeat.tb.build.yosys import yosys
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.mutate.campaign import plan_cases
from goldbeat.tb.mutate.equivalence import LIMIT_S, EquivalenceProver, parameter_sets
from goldbeat.tb.mutate.points import find_mutants
from goldbeat.tb.mutate.waivers import match, waivers_of_design

FILES = ("tb/mutate/*.py", "tb/build/yosys.py", "hdl/**/mutants.toml", "hdl/axis/*.sv", "hdl/plio/*.sv")
DESIGNS = (
    "axis_skid",
    "axis_async_fifo",
    "axis_upsizer",
    "axis_downsizer",
    "plio_pkt_split",
    "plio_pkt_merge",
    "plio_port",
    "plio_fir",
)


def measure(name: str, others: int, limit: int, folder: Path) -> Iterator[Row]:
    """What is proven of a design; of the others it must be nothing."""
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
        yield Row(name, len(proven), column=f"{what}: proven", goal="0" if what == "noticed" else "")
        yield Row(name, len(some), column=f"{what}: tried")
        yield Row(name, seconds, "s", column=f"{what}: by the clock")
        if what == "noticed" and proven:
            raise SystemExit(f"{name}: mutants that cases notice are proven to be equivalent")


def run(designs: tuple[str, ...], others: int, limit: int) -> Iterator[Row]:
    """Measure each design."""
    with tempfile.TemporaryDirectory() as place:
        for name in designs:
            yield from measure(name, others, limit, Path(place))


if __name__ == "__main__":
    full = {"designs": DESIGNS, "others": 20, "limit": LIMIT_S}
    benchmark(run, FILES, full, {"designs": DESIGNS[:1], "others": 3})
