# SPDX-License-Identifier: Apache-2.0
"""Random CDP operations through the timed model, against the functional one; what the cases hold."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from turns import in_turn

from goldbeat.pymodels.nvdla.engines.cdp import cdp_from_registers
from goldbeat.pymodels.nvdla.engines.hardware import run_operation
from goldbeat.pymodels.nvdla.engines.lookup import Table
from goldbeat.pymodels.nvdla.engines.registers import Values, csb_register
from goldbeat.pymodels.nvdla.timed import predict
from goldbeat.pymodels.stimulus import Clock, Stimulus
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.designs.nvdla.bench import DESIGN
from goldbeat.tb.designs.nvdla.cdp_cases import CDP_CASES, cdp_program, some_cdp, wild_cdp
from goldbeat.tb.designs.nvdla.cdp_operations import random_cdp, steep_slopes
from goldbeat.tb.designs.nvdla.traffic import MemorySpace, dbb_timing

PARAMS = {"LINE_ATOMS": 1024}
INT8 = {csb_register("CDP", "D_DATA_FORMAT").address: 0}


def check(mix, seed, count):
    """Draws, runs and compares; how many bytes the functional model changed."""
    rng = np.random.default_rng(seed)
    space = MemorySpace(rng)
    drawn = mix(rng, space, count)
    steps = cdp_program(drawn, rng)
    image = space.image(dbb_timing(rng, seed))
    got = predict(PARAMS, Stimulus({}, program={"csb": steps}, memories={"dbb": image}))
    memory = list(image.regions)
    tables = None
    for one in drawn:
        tables = one.tables or tables
        values = {**one.op.values(), **tables.registers(), **INT8}
        after = run_operation("CDP", low_addresses(values), memory, luts=tables.entries).memory
        memory = [replace(r, data=after[r.name]) for r in memory]
    for region in memory:
        wrong = np.flatnonzero(got.memories["dbb"].regions[region.name] != region.data)
        assert not len(wrong), f"seed {seed}: {len(wrong)} bytes differ"
    return int(np.count_nonzero(memory[0].data != image.regions[0].data))


def low_addresses(values):
    """What the functional model must see, whose addresses have 64 bits."""
    found = dict(values)
    for block, way in (("CDP_RDMA", "SRC"), ("CDP", "DST")):
        found[csb_register(block, f"D_{way}_BASE_ADDR_HIGH").address] = 0
        for side in ("LINE", "SURFACE"):
            stride = csb_register(block, f"D_{way}_{side}_STRIDE").address
            found[stride] = found[stride] - (1 << 32) if found[stride] >> 31 else found[stride]
    return found


def steep_cdp(rng, space, count):
    return [steep_slopes(rng, space) for _ in range(count)]


def test_the_steepest_slopes():
    assert sum(check(steep_cdp, seed, 2) for seed in range(3)) > 100


@pytest.mark.parametrize("mix", [some_cdp, wild_cdp])
def test_bytes_are_those_of_the_functional_model(mix):
    assert sum(check(mix, seed, 3) for seed in range(6)) > 1000


@pytest.mark.slow
@pytest.mark.parametrize("mix", [some_cdp, wild_cdp])
def test_many_operations(mix):
    assert sum(check(mix, seed, 5) for seed in in_turn(range(1000, 1100))) > 5_000


@pytest.mark.parametrize("wild", [False, True])
def test_operations_reach_every_branch(wild, monkeypatch):
    seen = Counter()
    lookup = {}

    def watch(table, x):
        found, below, above = call(table, x)
        name = "LE" if len(table.entries) == 65 else "LO"
        kind = "exponential" if table.select is None else "up" if table.select < 0 else "down"
        for what, where in (("below", below), ("above", above), ("hit", ~below & ~above)):
            number = int(np.count_nonzero(where))
            seen[name, kind, what] += number
            lookup[name, what] = where
            full = np.count_nonzero(where & ((found == 32767) | (found == -32768)))
            seen[what, "saturated"] += int(full)
        if name == "LO":
            for le in ("below", "above", "hit"):
                for lo in ("below", "above", "hit"):
                    seen["pair", le, lo] += int(np.count_nonzero(lookup["LE", le] & lookup["LO", lo]))
        return found, below, above

    call = Table.__call__
    monkeypatch.setattr(Table, "__call__", watch)
    for seed in range(120):
        rng = np.random.default_rng(seed)
        out = operation(random_cdp(rng, MemorySpace(rng), wild=wild))(rng.integers(-128, 128, (24, 3, 5)))
        seen["bytes", "in between"] += int(np.count_nonzero(np.abs(out) < 127))
    pairs = [("pair", le, lo) for le in ("below", "above", "hit") for lo in ("below", "above", "hit")]
    kinds = [("LE", "exponential"), ("LE", "down"), ("LE", "up"), ("LO", "down"), ("LO", "up")]
    wanted = [*pairs, *((*kind, what) for kind in kinds for what in ("below", "above", "hit"))]
    wanted += [("below", "saturated"), ("above", "saturated"), ("bytes", "in between")]
    assert {key: seen[key] for key in wanted if seen[key] < 20} == {}


def operation(drawn):
    """The functional model of a drawn operation."""
    return cdp_from_registers(Values({**drawn.op.values(), **drawn.tables.registers(), **INT8}, drawn.tables.entries))


def contexts(case, seeds):
    clocks = {c.name: Clock(c.period_ps, c.period_ps) for c in DESIGN.clocks}
    return [CaseContext(PARAMS, dict(case.options), seed, clocks=clocks) for seed in seeds]


@pytest.mark.parametrize("case", [c for c in CDP_CASES if c.name != "cdp_large"], ids=lambda c: c.name)
def test_every_case_comes_to_its_end(case):
    for context in contexts(case, range(1)):
        for stimulus in case.make(context):
            # An episode that is cut off is predicted whole: the run is compared up to the cut.
            answers = predict(PARAMS, stimulus).accesses["csb"]
            assert len(answers) == len(stimulus.program["csb"])


@pytest.mark.slow
def test_the_largest_cubes():
    case = next(c for c in CDP_CASES if c.name == "cdp_large")
    for stimulus in case.make(contexts(case, [1])[0]):
        predict(PARAMS, stimulus)


def test_tables_change_only_while_cdp_rests():
    """No case writes an entry or a setting of the tables between start and end of an operation."""
    settings = set(range(0xD00C, 0xD048, 4))
    enables = {csb_register(block, "D_OP_ENABLE").address for block in ("CDP", "CDP_RDMA")}
    checked = 0
    for case in CDP_CASES:
        if case.name in ("cdp_large", "cdp_reset"):
            continue
        for stimulus in case.make(contexts(case, [3])[0]):
            open_, way = False, 0
            for step in stimulus.program["csb"]:
                if step.op == "poll" and step.address == csb_register("CDP", "S_STATUS").address:
                    open_ = open_ and step.mask != 3 << 16
                if step.op in ("post", "write") and step.address in enables and step.value:
                    open_ = True
                if step.op in ("post", "write") and step.address == 0xD008:
                    way = step.value >> 17 & 1
                if step.op in ("post", "write") and step.address in settings and (step.address != 0xD00C or way):
                    checked += 1
                    assert not open_, (case.name, step)
    assert checked > 1000
