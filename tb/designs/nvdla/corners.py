# SPDX-License-Identifier: Apache-2.0
"""Register programs for the corners of the NVDLA hardware that random operations hardly reach."""

from __future__ import annotations

from goldbeat.pymodels.nvdla.engines.registers import all_registers
from goldbeat.pymodels.stimulus import Access
from goldbeat.tb.design.traffic import Rng
from goldbeat.tb.designs.nvdla.cdp_operations import random_cdp
from goldbeat.tb.designs.nvdla.convolution_mixes import small_convolution
from goldbeat.tb.designs.nvdla.traffic import (
    DrawnOperation,
    MemorySpace,
    OperationProgram,
    Size,
    random_pdp,
    random_sdp,
)

_LONG = 200
"""Cycles in which an operation that may begin would have written something."""
_ALL_BITS = 0x003F_03FF
_ONE = (1, 1, 1)
"""The output of the smallest convolution."""
_SMALLEST = 20, 80
"""Cycles from the last enable of such a convolution to its first status bit and to that of SDP, and some more."""


def on_the_fly(rng: Rng, space: MemorySpace, size: Size) -> DrawnOperation:
    """An SDP operation that takes a convolution's sums and reads nothing; its units rest, or work with operands of registers."""
    op = random_sdp(rng, space, flying=True, size=size)
    for unit in ("BS", "BN"):
        if rng.integers(2):
            op.set("SDP", f"D_DP_{unit}_CFG", **{f"{unit}_BYPASS": 1})
        for part in ("ALU", "MUL"):
            op.set("SDP", f"D_DP_{unit}_{part}_CFG", **{f"{unit}_{part}_SRC": 0})
    return op


def at_the_limits(rng: Rng, space: MemorySpace, moved: int) -> DrawnOperation:
    """An SDP operation whose sums and products are as large as 33 and 49 bits hold, and saturate to either side.

    Its operands of 16 bits are moved up by 16, or by more, which saturates.
    """
    op = random_sdp(rng, space, size=(int(rng.integers(1, 20)), 1, 8))
    # The least number of 32 bits, in both units: the second one's sum is twice that.
    factors = {"BS": 1, "BN": int(rng.choice([0x7FFF, 0x8000, 0x8000]))}
    for unit in ("BS", "BN"):
        bits = {"BYPASS": 0, "ALU_BYPASS": 0, "MUL_BYPASS": 0, "ALU_ALGO": 2, "MUL_PRELU": 0, "RELU_BYPASS": 1}
        op.set("SDP", f"D_DP_{unit}_CFG", **{f"{unit}_{name}": value for name, value in bits.items()})
        for part, operand, shift in (("ALU", 0x8000, moved), ("MUL", factors[unit], 0)):
            op.set("SDP", f"D_DP_{unit}_{part}_CFG", **{f"{unit}_{part}_SRC": 0, f"{unit}_{part}_SHIFT_VALUE": shift})
            op.set("SDP", f"D_DP_{unit}_{part}_SRC_VALUE", **{f"{unit}_{part}_OPERAND": operand})
    op.set("SDP", "D_CVT_OFFSET", CVT_OFFSET=0)
    op.set("SDP", "D_CVT_SCALE", CVT_SCALE=1)
    op.set("SDP", "D_CVT_SHIFT", CVT_SHIFT=int(rng.integers(22, 26)))
    return op


def without_sums(rng: Rng, space: MemorySpace) -> DrawnOperation:
    """An SDP operation whose X1 gets factors out of memory, and none of the operands that its sums are to have from there."""
    op = random_sdp(rng, space, size=(int(rng.integers(9, 20)), 1, 16), starved=True)
    bits = {"BYPASS": 0, "ALU_BYPASS": 0, "ALU_ALGO": 2, "RELU_BYPASS": 1}
    op.set("SDP", "D_DP_BS_CFG", **{f"BS_{name}": value for name, value in bits.items()})
    op.set("SDP", "D_DP_BS_ALU_CFG", BS_ALU_SRC=1, BS_ALU_SHIFT_VALUE=0)
    op.set("SDP", "D_DP_BN_CFG", BN_BYPASS=1)
    op.set("SDP_RDMA", "D_BRDMA_CFG", BRDMA_DISABLE=0, BRDMA_DATA_USE=0)
    return op


def refused(rng: Rng, space: MemorySpace, line_atoms: int | None) -> tuple[Access, ...]:
    """Operations that do not begin or do not end, others behind them, CDP, which does its work, a convolution without SDP.

    PDP has a line that is one atom too long, and SDP waits for it; without ``line_atoms`` PDP waits for more than SDP has.
    """
    stuck = OperationProgram(rng)
    sdp = random_sdp(rng, space, size=(5, 2, 8))
    sdp.set("SDP", "D_FEATURE_MODE_CFG", OUTPUT_DST=1)
    stuck.run(sdp)
    if line_atoms is None:
        pdp = random_pdp(rng, space, size=(9, 4, 8))
        pdp.set("PDP", "D_OPERATION_MODE_CFG", FLYING_MODE=0)
    else:
        pdp = random_pdp(rng, space, size=(line_atoms + 1, 1, 8))
    stuck.run(pdp)
    for behind in (random_sdp(rng, space, size=(3, 1, 8)), random_pdp(rng, space, size=(4, 3, 8))):
        stuck.run(behind)
    stuck.run(small_convolution(rng, space).conv)
    others = OperationProgram(rng)
    others.run(random_cdp(rng, space).op)
    others.settle()
    stuck.wait(_LONG)
    stuck.look()
    return (*stuck.steps[:-1], *others.steps, *stuck.steps[-1:])


def written_as_it_is_set(rng: Rng, space: MemorySpace) -> tuple[Access, ...]:
    """Status bits cleared, or set, in every cycle around the one in which an engine sets them; they stand before or they do not.

    A convolution sets three, and SDP one behind them.
    """
    made = OperationProgram(rng)
    convolution = small_convolution(rng, space, _ONE).conv
    for pause in range(*_SMALLEST):
        made.run(on_the_fly(rng, space, _ONE))
        made.post("GLB", "S_INTR_SET", int(rng.choice([0, _ALL_BITS])))
        _written_behind(made, convolution, pause, "S_INTR_STATUS", int(rng.choice([_ALL_BITS, 0xFFFF_FFFF])))
        made.run(on_the_fly(rng, space, _ONE))
        made.post("GLB", "S_INTR_STATUS", _ALL_BITS)
        _written_behind(made, convolution, pause, "S_INTR_SET", _ALL_BITS)
    made.look()
    return tuple(made.steps)


def _written_behind(made: OperationProgram, op: DrawnOperation, pause: int, name: str, value: int) -> None:
    """An operation, and a register of GLB written so many cycles later."""
    made.run(op)
    made.wait(pause)
    made.post("GLB", name, value)
    made.read("GLB", "S_INTR_STATUS")
    made.settle()


def under_way(rng: Rng, space: MemorySpace) -> tuple[Access, ...]:
    """Every engine at work, with status bits set and some of them masked, sums of a convolution not taken."""
    made = OperationProgram(rng)
    made.post("GLB", "S_INTR_MASK", int(rng.integers(1 << 22)))
    made.post("GLB", "S_INTR_SET", int(rng.integers(1 << 22)))
    first, second = (small_convolution(rng, space) for _ in range(2))
    made.run(first.conv)
    for op in (random_sdp(rng, space, size=(20, 4, 8)), random_pdp(rng, space, size=(20, 4, 8))):
        made.run(op)
    made.run(random_cdp(rng, space).op)
    made.run(second.conv)
    return tuple(made.steps)


def after_reset(rng: Rng, space: MemorySpace) -> tuple[Access, ...]:
    """Registers have their reset values, no engine is at work, and SDP waits for the sums of a new convolution."""
    made = OperationProgram(rng)
    made.steps += [Access("read", r.address) for r in all_registers() if r.name.startswith("S_")]
    small = small_convolution(rng, space)
    made.run(small.sdp)
    made.wait(_LONG)
    made.look()
    for op in (small.conv, random_pdp(rng, space), random_cdp(rng, space).op, random_sdp(rng, space)):
        made.run(op)
    made.settle()
    made.look()
    return tuple(made.steps)
