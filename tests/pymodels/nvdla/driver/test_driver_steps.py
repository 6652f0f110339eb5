# SPDX-License-Identifier: Apache-2.0
"""Steps that several engines' programs share."""

import pytest

from goldbeat.pymodels.nvdla.driver.driver_steps import unmask
from goldbeat.pymodels.nvdla.engines.registers import csb_register


@pytest.mark.parametrize(
    ("engine", "bits"),
    [("SDP", 0b11), ("CDP", 0b1100), ("PDP", 0b11_0000), ("BDMA", 0b1100_0000), ("RUBIK", 0b11_0000_0000)],
)
def test_unmasking_clears_both_groups_of_one_engine_and_nothing_else(engine: str, bits: int):
    steps = unmask(engine)
    read = next(steps)
    write = steps.send(0xFFFFFFFF)
    mask = csb_register("GLB", "S_INTR_MASK").address
    assert (read.kind, read.address) == ("read", mask)
    # Masks are 0 after reset, so a run alone would not see a wrong bit.
    assert (write.kind, write.address, write.value) == ("write", mask, 0xFFFFFFFF & ~bits)
