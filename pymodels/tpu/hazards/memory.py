# SPDX-License-Identifier: Apache-2.0
"""The memories of each chip: lanes of local memory, and what an address in a command means.

Source: the memory maps of the debugger of TPU-MLIR 1.30.2 (python/debugger/target_*/memmap.py and context.py, BSD-2-Clause) and
the numbers that its functional models report (lanes, bytes of a lane, execution units, input channels of a weight).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[np.int64]
GLOBAL, LOCAL, STATIC, NOWHERE = range(4)
STATIC_BYTES = 1 << 16
MEMORIES = ("global", "local", "static", "unknown")


@dataclass(frozen=True)
class ChipMemory:
    """Local memory of a chip, and how its commands address it.

    Attributes:
        lanes: lanes of local memory (powers of two); channels are dealt over them.
        lane_bytes: bytes of one lane.
        unit: bytes to which aligned layouts round a channel up.
        cube: input channels of a weight that lie side by side, for 8-bit elements.
        tag: (bit, width) of the memory tag of a DMA address, None: plain addresses.
        local_tags: tags that mean local memory.
        static_bit: bit of a local address that chooses the static memory.
        default_tag: tag 0 of a DMA address means this tag.
        local_base, static_base: of chips with plain addresses.
        tiu_base: whether addresses in TIU commands begin at ``local_base``, too.
    """

    lanes: int
    lane_bytes: int
    unit: int
    cube: int
    tag: tuple[int, int] | None = None
    local_tags: tuple[int, ...] = (31,)
    static_bit: int = 26
    default_tag: int = 0
    local_base: int = 0
    static_base: int = 0
    tiu_base: bool = False

    @property
    def bytes(self) -> int:
        """Of all lanes."""
        return self.lanes * self.lane_bytes

    def dma(self, address: Column) -> tuple[Column, Column]:
        """(n,) memory and address in it, of the addresses of DMA commands."""
        if self.tag is None:
            local = (address >= self.local_base) & (address < self.local_base + self.bytes)
            static = (
                (address >= self.static_base) & (address < self.static_base + STATIC_BYTES) & (self.static_base > 0)
            )
            return _choose(local, static, address, address - self.local_base, address - self.static_base)
        bit, width = self.tag
        tag = address >> bit & ((1 << width) - 1)
        inside = np.isin(tag, self.local_tags)
        static = inside & (address >> self.static_bit & 1 == 1)
        low = address & ((1 << self.static_bit) - 1)
        far = np.where(tag == 0, address | self.default_tag << bit, address)
        memory, there = _choose(inside & ~static, static, far, low, low)
        # Between the tag and the bit of the static memory nothing is addressed.
        beyond = inside & (address >> self.static_bit + 1 & ((1 << bit - self.static_bit - 1) - 1) != 0)
        return np.where(beyond, NOWHERE, memory), np.where(beyond, address, there)

    def tiu(self, address: Column) -> tuple[Column, Column]:
        """(n,) memory and address in it, of the addresses of TIU commands."""
        base = self.local_base if self.tiu_base else 0
        offset = address - base
        local = (offset >= 0) & (offset < self.bytes)
        first = self.static_base if self.tag is None else 1 << self.static_bit
        static = ~local & (address >= first) & (address < first + STATIC_BYTES) & (first > 0)
        return _choose(local, static, address, offset, address - first, NOWHERE)


def _choose(
    local: npt.NDArray[np.bool_],
    static: npt.NDArray[np.bool_],
    far: Column,
    near: Column,
    fixed: Column,
    other: int = GLOBAL,
) -> tuple[Column, Column]:
    memory = np.where(local, LOCAL, np.where(static, STATIC, other)).astype(np.int64)
    return memory, np.where(local, near, np.where(static, fixed, far))


_TAGGED = (40, 5)
MEMORY = {
    "BM1684": ChipMemory(64, 1 << 19, 128, 4, local_base=0x8000000, tiu_base=True),
    "BM1684X": ChipMemory(64, 1 << 18, 64, 64, local_base=0x8000000, static_base=0x9000000),
    "BM1688": ChipMemory(32, 1 << 17, 16, 32, (39, 1), (0,), 23),
    "BM1690": ChipMemory(64, 1 << 18, 64, 64, _TAGGED, (31,), 26, 1),
    "BM1690E": ChipMemory(64, 1 << 18, 64, 64, _TAGGED, (31,), 26, 1),
    "BM1684X2": ChipMemory(16, 1 << 18, 32, 32, _TAGGED, (31, 0), 22),
    "SG2380": ChipMemory(32, 1 << 17, 16, 64, _TAGGED, (31,), 22),
    "CV184X": ChipMemory(8, 1 << 16, 16, 16, _TAGGED, (31, 0), 22),
    "SGTPUV8": ChipMemory(8, 1 << 16, 16, 16, _TAGGED, (31, 0), 22),
}
"""By the name of the chip; of others no public source tells the memories."""
