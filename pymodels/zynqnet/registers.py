# SPDX-License-Identifier: Apache-2.0
"""The AXI-Lite registers, most of them at the original's addresses, and what the host writes to them.

The host sets up the memory once, then for every layer writes its registers and the start bit and waits for done.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from goldbeat.pymodels.stimulus import Access
from goldbeat.pymodels.zynqnet.memory_map import MemoryMap
from goldbeat.pymodels.zynqnet.network import NAME_BYTES, Layer
from goldbeat.pymodels.zynqnet.shifts import Shifts

# Addresses count from the base of the block: 0x43C0_0000 on the public board.
AP_CTRL = 0x00
GIE = 0x04
IER = 0x08
ISR = 0x0C
NAME = 0x10
WIDTH = 0x18
HEIGHT = 0x20
CH_IN = 0x28
CH_OUT = 0x30
KERNEL = 0x38
STRIDE = 0x40
PAD = 0x48
RELU = 0x50
FIRST_SPLIT = 0x58
SECOND_SPLIT = 0x60
GLOBAL_POOL = 0x68
MEM_IN = 0x70
MEM_OUT = 0x78
MEM_WEIGHTS = 0x80
DRAM_BASE = 0x88
WEIGHTS_OFFSET = 0x90
NUM_WEIGHTS = 0x98
INPUT_OFFSET = 0xA0
# From here on they are ours (docs/zynqnet-hardware.md, Registers).
SHIFTS = 0xB0
MEM_WORDS = 0xB8
ID = 0x100
CONFIG = 0x104
ERROR = 0x108
COUNTERS = {
    "CYCLES": 0x10C,
    "ISSUES": 0x110,
    "WAIT_WEIGHTS": 0x114,
    "WAIT_PIXELS": 0x118,
    "WAIT_WRITE": 0x11C,
    "BUBBLES": 0x120,
    "READ_BEATS": 0x124,
    "WRITE_BEATS": 0x128,
    "LAYERS": 0x12C,
    "FIRST_ISSUE": 0x130,
}

WIDTHS = {
    **dict.fromkeys((NAME, NAME + 4, DRAM_BASE), 32),
    **dict.fromkeys((WIDTH, HEIGHT), 9),
    **dict.fromkeys((CH_IN, CH_OUT), 10),
    **dict.fromkeys((KERNEL, STRIDE), 2),
    **dict.fromkeys((PAD, RELU, FIRST_SPLIT, SECOND_SPLIT, GLOBAL_POOL, GIE), 1),
    **dict.fromkeys((MEM_IN, MEM_OUT, MEM_WEIGHTS, WEIGHTS_OFFSET, INPUT_OFFSET, MEM_WORDS), 23),
    NUM_WEIGHTS: 19,
    SHIFTS: 24,
    IER: 2,
}
"""Registers that hold what is written to them, and how many bits of it."""
READ_ONLY = (ID, CONFIG, ERROR, *COUNTERS.values())
"""Registers that nobody writes."""
KNOWN = (AP_CTRL, ISR, *WIDTHS, *READ_ONLY)
"""All registers."""

ID_VALUE = 0x5A4E_4554

# Bits of AP_CTRL.
START = 1 << 0
DONE = 1 << 1
IDLE = 1 << 2
READY = 1 << 3
AUTO_RESTART = 1 << 7


@dataclass(frozen=True)
class Row:
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


def setup_rows(memory: MemoryMap) -> Iterator[Row]:
    """What the host writes once."""
    yield Row("DRAM_BASE", DRAM_BASE, memory.base)
    yield Row("WEIGHTS_OFFSET", WEIGHTS_OFFSET, memory.weights_offset)
    yield Row("INPUT_OFFSET", INPUT_OFFSET, memory.data_offset)
    yield Row("MEM_WORDS", MEM_WORDS, memory.words)


def layer_rows(layer: Layer) -> Iterator[Row]:
    """What the host writes for a layer, the start bit last."""
    name = layer.name.encode("ascii").ljust(NAME_BYTES, b"\0")
    for at in range(0, NAME_BYTES, 4):
        yield Row(f"NAME{at // 4}", NAME + at, int.from_bytes(name[at : at + 4], "little"))
    yield Row("WIDTH", WIDTH, layer.width)
    yield Row("HEIGHT", HEIGHT, layer.height)
    yield Row("CH_IN", CH_IN, layer.ch_in)
    yield Row("CH_OUT", CH_OUT, layer.ch_out)
    yield Row("KERNEL", KERNEL, layer.kernel)
    yield Row("STRIDE", STRIDE, layer.stride)
    yield Row("PAD", PAD, layer.pad)
    yield Row("RELU", RELU, int(layer.relu))
    yield Row("FIRST_SPLIT", FIRST_SPLIT, int(layer.split == "first"))
    yield Row("SECOND_SPLIT", SECOND_SPLIT, int(layer.split == "second"))
    yield Row("GLOBAL_POOL", GLOBAL_POOL, int(layer.gpool))
    yield Row("MEM_IN", MEM_IN, layer.mem_in)
    yield Row("MEM_OUT", MEM_OUT, layer.mem_out)
    yield Row("MEM_WEIGHTS", MEM_WEIGHTS, layer.mem_weights)
    yield Row("NUM_WEIGHTS", NUM_WEIGHTS, layer.weights)
    if layer.shifts is not None:
        yield Row("SHIFTS", SHIFTS, shifts_word(layer.shifts))
    yield Row("AP_CTRL", AP_CTRL, START)


def shifts_word(shifts: Shifts) -> int:
    """The register SHIFTS."""
    return sum((value & 0xFF) << 8 * n for n, value in enumerate((shifts.bias, shifts.out, shifts.concat)))


def program(layer: Layer, memory: MemoryMap | None = None) -> tuple[Access, ...]:
    """The register program of a layer; with ``memory``, what the host writes once comes first."""
    rows = [*(setup_rows(memory) if memory is not None else ()), *layer_rows(layer)]
    return tuple(row.access() for row in rows)
