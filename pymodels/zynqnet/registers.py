# SPDX-License-Identifier: Apache-2.0
"""The AXI-Lite registers, most of them at the original's addresses, and what the host writes to them.

The host sets up the memory once, then for every layer writes its registers and the start bit and waits for done.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from goldbeat.pymodels.register_map import Register
from goldbeat.pymodels.stimulus import Access
from goldbeat.pymodels.zynqnet import device_map as reg
from goldbeat.pymodels.zynqnet.memory_map import MemoryMap
from goldbeat.pymodels.zynqnet.network import NAME_BYTES, Layer
from goldbeat.pymodels.zynqnet.shifts import Shifts


# Addresses count from the base of the block: 0x43C0_0000 on the public board.
def _plain(one: Register) -> bool:
    return one.held != 0 and one.address != reg.AP_CTRL


HELD = {r.address + r.stride * n: r.held for r in reg.REGISTERS.values() if _plain(r) for n in range(r.entries)}
"""Registers that hold what is written to them, and which bits of it."""
READ_ONLY = tuple(r.address for r in reg.REGISTERS.values() if not r.writable)
"""Registers that nobody writes."""
KNOWN = (reg.AP_CTRL, reg.ISR, *HELD, *READ_ONLY)
"""All registers."""
COUNTERS = {r.name: r.address for r in reg.REGISTERS.values() if not r.writable and r.address > reg.ERROR}
"""Name and address of the counters, which are the last registers of the map."""


@dataclass(frozen=True)
class RegisterRow:
    """One write of a register program.

    Attributes:
        register: its name.
        address: byte address, from the start of the registers.
        value: what is written.
    """

    register: str
    address: int
    value: int

    def access(self) -> Access:
        """As a simulation takes it."""
        return Access("write", self.address, self.value)


def setup_rows(memory: MemoryMap) -> Iterator[RegisterRow]:
    """What the host writes once."""
    yield RegisterRow("DRAM_BASE", reg.DRAM_BASE, memory.base)
    yield RegisterRow("WEIGHTS_OFFSET", reg.WEIGHTS_OFFSET, memory.weights_offset)
    yield RegisterRow("INPUT_OFFSET", reg.INPUT_OFFSET, memory.data_offset)
    yield RegisterRow("MEM_WORDS", reg.MEM_WORDS, memory.words)


def layer_rows(layer: Layer) -> Iterator[RegisterRow]:
    """What the host writes for a layer, the start bit last."""
    name = layer.name.encode("ascii").ljust(NAME_BYTES, b"\0")
    for at in range(0, NAME_BYTES, 4):
        yield RegisterRow(f"NAME{at // 4}", reg.NAME + at, int.from_bytes(name[at : at + 4], "little"))
    yield RegisterRow("WIDTH", reg.WIDTH, layer.width)
    yield RegisterRow("HEIGHT", reg.HEIGHT, layer.height)
    yield RegisterRow("CH_IN", reg.CH_IN, layer.ch_in)
    yield RegisterRow("CH_OUT", reg.CH_OUT, layer.ch_out)
    yield RegisterRow("KERNEL", reg.KERNEL, layer.kernel)
    yield RegisterRow("STRIDE", reg.STRIDE, layer.stride)
    yield RegisterRow("PAD", reg.PAD, layer.pad)
    yield RegisterRow("RELU", reg.RELU, int(layer.relu))
    yield RegisterRow("FIRST_SPLIT", reg.FIRST_SPLIT, int(layer.split == "first"))
    yield RegisterRow("SECOND_SPLIT", reg.SECOND_SPLIT, int(layer.split == "second"))
    yield RegisterRow("GLOBAL_POOL", reg.GLOBAL_POOL, int(layer.gpool))
    yield RegisterRow("MEM_IN", reg.MEM_IN, layer.mem_in)
    yield RegisterRow("MEM_OUT", reg.MEM_OUT, layer.mem_out)
    yield RegisterRow("MEM_WEIGHTS", reg.MEM_WEIGHTS, layer.mem_weights)
    yield RegisterRow("NUM_WEIGHTS", reg.NUM_WEIGHTS, layer.weights)
    if layer.shifts is not None:
        yield RegisterRow("SHIFTS", reg.SHIFTS, shifts_word(layer.shifts))
    yield RegisterRow("AP_CTRL", reg.AP_CTRL, reg.AP_CTRL_START)


def shifts_word(shifts: Shifts) -> int:
    """The register SHIFTS."""
    return reg.REGISTERS["SHIFTS"].pack(BIAS=shifts.bias, OUT=shifts.out, CONCAT=shifts.concat)


def layer_program(layer: Layer, memory: MemoryMap | None = None) -> tuple[Access, ...]:
    """The register program of a layer; with ``memory``, what the host writes once comes first."""
    rows = [*(setup_rows(memory) if memory is not None else ()), *layer_rows(layer)]
    return tuple(row.access() for row in rows)
