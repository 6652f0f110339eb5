# SPDX-License-Identifier: Apache-2.0
"""The NVDLA hardware in RTL: many random operations against timed and functional models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from goldbeat.pymodels.nvdla.engines import hardware
from goldbeat.pymodels.nvdla.engines.registers import register_at
from goldbeat.pymodels.nvdla.timed.memory import READ, WRITE
from goldbeat.pymodels.stimulus import Clock
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.designs.nvdla.bench import DESIGN
from goldbeat.tb.designs.nvdla.traffic import MemorySpace, dbb_timing, operations_program, random_pdp, random_sdp
from goldbeat.tb.run.runs import Request, run


def check(case, seeds, tmp_path, design=DESIGN, **options):
    results = run(Request(design, design.case(case), seeds, {}, options), tmp_path)
    broken = [r for r in results if not r.passed]
    assert not broken, "\n".join([*broken[0].failures[:2], "repeat: " + broken[0].request.command(broken[0].seed)])
    return sum(r.compared for r in results)


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("case", ["sdp", "pdp"])
def test_200_operations(case, tmp_path):
    """50 seeds of 4 operations: data, every burst and every access to the cycle."""
    assert check(case, range(2000, 2050), tmp_path, operations=4) > 10_000


@pytest.mark.sim
@pytest.mark.slow
def test_all_engines_at_once(tmp_path):
    assert check("engines", range(3000, 3100), tmp_path, operations=6) > 10_000


def functional(params, stimulus):
    """What the memory holds after all operations, each taken by itself by the functional model; no cycles."""
    outcome = DESIGN.model(params, stimulus)
    producer, values = {}, {}
    memory = [replace(r, data=r.data.copy()) for r in stimulus.memories["dbb"].regions]
    for access in stimulus.program["csb"]:
        if access.op not in ("write", "post") or (one := register_at(access.address)) is None:
            continue
        if one.name == "S_POINTER":
            producer[one.block] = access.value
        elif one.name == "D_OP_ENABLE" and one.block in ("SDP", "PDP"):
            group = {a: v for (a, block), v in values.items() if block in (one.block, f"{one.block}_RDMA")}
            after = hardware.run_operation(one.block, group, memory).memory
            memory = [replace(r, data=after[r.name].copy()) for r in memory]
        elif one.name.startswith("D_"):
            values[access.address, one.block] = access.value
    contents = {r.name: r.data for r in memory}
    return replace(outcome, memories={"dbb": replace(outcome.memories["dbb"], regions=contents, log=None)})


@pytest.mark.sim
def test_operations_equal_the_functional_models(tmp_path):
    """The same results as the models that know nothing of our hardware, three operations of each engine a seed."""

    def make(setting):
        rng = np.random.default_rng(setting.seed)
        space = MemorySpace(rng)
        operations = [make_one(rng, space) for make_one in (random_sdp, random_pdp) for _ in range(3)]
        timing = dbb_timing(rng, setting.seed)
        stimulus = DESIGN.case("random").make(setting)[0]
        image = space.image(timing)
        return [replace(stimulus, program={"csb": operations_program(operations, rng)}, memories={"dbb": image})]

    case = DESIGN.case("random").model_copy(update={"make": make})
    design = DESIGN.model_copy(update={"model": functional, "cases": (case,)})
    assert check("random", range(12), tmp_path, design) > 1000


@pytest.mark.parametrize("seed", range(4))
def test_engines_reach_all_the_writes_that_they_may_have_open(seed):
    """The memory of ``outstanding`` is late enough for both limits of docs/nvdla-hardware.md: no case is needed beyond it."""
    clocks = {c.name: Clock(c.period_ps, c.period_ps) for c in DESIGN.clocks}
    params = {name: p.default for name, p in DESIGN.parameters.items()}
    most = dict.fromkeys((READ, WRITE), 0)
    for stimulus in DESIGN.case("outstanding").make(CaseContext(params, {}, seed, clocks=clocks)):
        log = DESIGN.model(params, stimulus).memories["dbb"].log
        for kind in most:
            for engine in (0, 1):
                mine = log[(log["kind"] == kind) & (log["id"] == engine)]
                here = max(int(((mine["cycle"] <= c) & (mine["done"] > c)).sum()) for c in mine["cycle"])
                most[kind] = max(most[kind], here)
    assert most[WRITE] == 8
    assert most[READ] > 8
