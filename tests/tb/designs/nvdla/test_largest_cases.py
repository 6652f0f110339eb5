# SPDX-License-Identifier: Apache-2.0
"""Cases of the largest sizes: every bit of the fields of sizes is needed, and registers have each of their bits."""

from __future__ import annotations

import pytest

from goldbeat.pymodels.nvdla.engines.registers import all_registers, csb_register, register_at
from goldbeat.pymodels.nvdla.timed import predict
from goldbeat.tb.designs.nvdla.bench import DESIGN
from goldbeat.tb.run.runs import Request

PARAMS = {"LINE_ATOMS": 1024}
SIZES = {
    "conv_largest": (
        ("CDMA", "D_DATAIN_SIZE_0", "DATAIN_WIDTH"),
        ("CDMA", "D_DATAIN_SIZE_0", "DATAIN_HEIGHT"),
        ("CDMA", "D_DATAIN_SIZE_1", "DATAIN_CHANNEL"),
        ("CSC", "D_WEIGHT_SIZE_EXT_0", "WEIGHT_WIDTH_EXT"),
        ("CSC", "D_WEIGHT_SIZE_EXT_0", "WEIGHT_HEIGHT_EXT"),
        ("CSC", "D_WEIGHT_SIZE_EXT_1", "WEIGHT_KERNEL"),
        ("CSC", "D_ENTRY_PER_SLICE", "ENTRIES"),
    ),
    "fly_largest": (("PDP", "D_DATA_CUBE_IN_CHANNEL", "CUBE_IN_CHANNEL"),),
}


def episodes(name):
    request = Request(DESIGN, DESIGN.case(name))
    return request.case.make(request.setting(1))


def written(name):
    """The writes of a case: register and value."""
    accesses = [access for episode in episodes(name) for access in episode.program["csb"]]
    return [(register_at(a.address), a.value) for a in accesses if a.op in ("write", "post")]


@pytest.mark.parametrize("name", SIZES)
def test_sizes_have_all_their_bits(name):
    found = {}
    for register, value in written(name):
        if register is not None:
            found[register.address] = found.get(register.address, 0) | value
    for block, register, field in SIZES[name]:
        one = csb_register(block, register)
        mask = one.field(field).mask
        assert found[one.address] & mask == mask, (register, field)


def test_every_bit_of_a_register_is_set_and_cleared_in_both_groups():
    rows, group = set(), {}
    for register, value in written("registers"):
        if register is None:
            continue
        if register.name == "S_POINTER":
            group[register.block] = value & 1
        rows.add((register.address, group.get(register.block, 0), value))
    grouped = [r for r in all_registers() if r.block == "CDMA" and r.name.startswith("D_") and r.name != "D_OP_ENABLE"]
    wanted = {(r.address, g, v) for r in grouped for g in (0, 1) for v in (0, 0xFFFF_FFFF)}
    assert len(wanted) > 100
    assert wanted - rows == set()


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZES)
def test_the_case_comes_to_its_end(name):
    for stimulus in episodes(name):
        assert len(predict(PARAMS, stimulus).accesses["csb"]) == len(stimulus.program["csb"])
