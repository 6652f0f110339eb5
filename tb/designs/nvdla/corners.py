# SPDX-License-Identifier: Apache-2.0
"""Register programs for the corners of the NVDLA hardware that random operations hardly reach."""

from __future__ import annotations

from collections.abc import Iterator

from goldbeat.pymodels.nvdla.engines.registers import all_registers
from goldbeat.pymodels.stimulus import Access
from goldbeat.tb.design.traffic import Rng
from goldbeat.tb.designs.nvdla.traffic import (
    DrawnOperation,
    MemorySpace,
    OperationProgram,
    Size,
    random_pdp,
    random_sdp,
    stub_operation,
)

_LONG = 200
"""Cycles in which an operation that may begin would have written something."""
_ALL_BITS = 0x003F_03FF
_FINISHED = 3
"""Finished convolutions that are counted."""


def _convolution(data: int, weights: int, all_of_it: int) -> DrawnOperation:
    op = DrawnOperation("CONV")
    op.set("CDMA", "D_CYA", CYA=weights << 16 | data)
    op.set("CACC", "D_CYA", CYA=all_of_it)
    return op


def on_the_fly(rng: Rng, space: MemorySpace, size: Size = (3, 1, 8)) -> DrawnOperation:
    """An SDP operation that takes a convolution's data and reads nothing."""
    op = random_sdp(rng, space, flying=True, size=size)
    for unit in ("BS", "BN"):
        op.set("SDP", f"D_DP_{unit}_CFG", **{f"{unit}_BYPASS": 1})
    return op


def refused(rng: Rng, space: MemorySpace, line_atoms: int) -> tuple[Access, ...]:
    """Operations that must not begin, beside stubs that do their work."""
    stuck = OperationProgram(rng)
    sdp = random_sdp(rng, space, size=(5, 2, 8))
    sdp.set("SDP", "D_FEATURE_MODE_CFG", OUTPUT_DST=1)
    stuck.run(sdp)
    if rng.integers(2):
        pdp = random_pdp(rng, space, size=(9, 4, 8))
        pdp.set("PDP", "D_OPERATION_MODE_CFG", FLYING_MODE=0)
    else:
        pdp = random_pdp(rng, space, size=(line_atoms + 1, 1, 8))
    stuck.run(pdp)
    others = OperationProgram(rng)
    for engine in ("CDP", "CONV"):
        others.run(stub_operation(rng, engine))
    others.settle()
    stuck.wait(_LONG)
    stuck.look()
    return (*stuck.steps[:-1], *others.steps, *stuck.steps[-1:])


def counted(rng: Rng, space: MemorySpace) -> tuple[Access, ...]:
    """More convolutions than are counted, then more SDP operations on the fly than convolutions."""
    made = OperationProgram(rng)
    for _ in range(_FINISHED + 2):
        made.run(_convolution(1, 2, 3))
    made.settle()
    for _ in range(_FINISHED + 1):
        made.run(on_the_fly(rng, space))
    made.wait(_LONG)
    made.look()
    made.run(_convolution(4, 4, 4))
    made.settle()
    made.look()
    return tuple(made.steps)


def taken_as_it_ends(rng: Rng, space: MemorySpace) -> Iterator[tuple[Access, ...]]:
    """SDP takes one convolution in about the cycle, and in just the cycle, in which another one ends."""
    last = 12
    for pause in range(last - 6, last + 3):
        sdp, conv = OperationProgram(rng), OperationProgram(rng)
        sdp.run(on_the_fly(rng, space))
        enable = sdp.steps.pop()
        conv.run(_convolution(1, 1, 1))
        conv.run(_convolution(1, 1, last))
        conv.wait(pause)
        sdp.steps += [*conv.steps, enable]
        for _ in range(2):
            sdp.run(on_the_fly(rng, space))
        sdp.wait(_LONG)
        sdp.look()
        yield tuple(sdp.steps)


def cleared_as_it_is_set(rng: Rng) -> tuple[Access, ...]:
    """Status bits cleared in every cycle around the one in which an engine sets them; they stand before or they do not."""
    made = OperationProgram(rng)
    for pause in range(3, 17):
        for op in (_convolution(6, 9, 13), _stub(rng, "CDP", pause + int(rng.integers(-1, 3)))):
            made.post("GLB", "S_INTR_SET", int(rng.choice([0, _ALL_BITS])))
            made.run(op)
            made.wait(pause)
            made.post("GLB", "S_INTR_STATUS", int(rng.choice([_ALL_BITS, 0xFFFF_FFFF])))
            made.read("GLB", "S_INTR_STATUS")
            made.settle()
    made.look()
    return tuple(made.steps)


def _stub(rng: Rng, engine: str, cycles: int) -> DrawnOperation:
    op = stub_operation(rng, engine)
    op.set(engine, "D_CYA", CYA=cycles)
    return op


def under_way(rng: Rng, space: MemorySpace) -> tuple[Access, ...]:
    """Every engine at work, with status bits set and some of them masked, a finished convolution not taken."""
    made = OperationProgram(rng)
    made.post("GLB", "S_INTR_MASK", int(rng.integers(1 << 22)))
    made.post("GLB", "S_INTR_SET", int(rng.integers(1 << 22)))
    made.run(_convolution(1, 1, 1))
    for op in (random_sdp(rng, space, size=(20, 4, 8)), random_pdp(rng, space, size=(20, 4, 8))):
        made.run(op)
    made.run(_stub(rng, "CDP", int(rng.integers(1, 300))))
    made.run(_convolution(20, 200, 300))
    return tuple(made.steps)


def after_reset(rng: Rng, space: MemorySpace) -> tuple[Access, ...]:
    """Registers have their reset values, no engine is at work, and SDP waits for a new convolution."""
    made = OperationProgram(rng)
    made.steps += [Access("read", r.address) for r in all_registers() if r.name.startswith("S_")]
    made.run(on_the_fly(rng, space))
    made.wait(_LONG)
    made.look()
    for op in (_convolution(3, 5, 9), random_pdp(rng, space), _stub(rng, "CDP", 30), random_sdp(rng, space)):
        made.run(op)
    made.settle()
    made.look()
    return tuple(made.steps)
