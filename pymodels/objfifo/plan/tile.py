# SPDX-License-Identifier: Apache-2.0
"""Tiles of an AIE2 array, and what each kind has.

Source: the AIE-ML architecture manual (AM020) and mlir-aie's target models, for counts, field widths and memory
sizes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from goldbeat.pymodels.errors import UsageError

WORD_BYTES = 4
"""The DMA and its streams count 32-bit words."""
LOCK_MAX = 63
"""Largest value of a lock."""
QUEUE_DEPTH = 4
"""Entries of a channel's start queue."""
PAD_BITS = (6, 5, 4)
"""Widths of the zero padding fields (before and after alike) of dimensions 0, 1 and 2."""
ITERATIONS = 64
"""Uses of a descriptor before its iteration starts again."""
REPEATS = 256
"""Runs of a task in a channel's queue."""
PACKET_IDS = 32
PACKET_TYPES = 8


class TileKind(StrEnum):
    """What stands at a place of the array."""

    CORE = "core"
    MEM = "mem"
    SHIM = "shim"


@dataclass(frozen=True)
class TileLimits:
    """What one tile has.

    Attributes:
        dims: dimensions of a buffer descriptor.
        wrap_bits: width of a dimension's size; the last dimension has no size field, the length ends it.
        step_bits: width of a step in words, stored less one.
        length_bits: width of a length in words.
        bds, locks: how many there are.
        channels: DMA channels in each direction.
        memory: bytes of data memory; None where the memory is the host's.
        banks: equal parts of the memory.
    """

    dims: int
    wrap_bits: int
    step_bits: int
    length_bits: int
    bds: int
    locks: int
    channels: int
    memory: int | None
    banks: int


LIMITS: dict[TileKind, TileLimits] = {
    TileKind.CORE: TileLimits(3, 8, 13, 14, 16, 16, 2, 64 * 1024, 4),
    TileKind.MEM: TileLimits(4, 10, 17, 17, 48, 64, 6, 512 * 1024, 8),
    TileKind.SHIM: TileLimits(3, 10, 20, 32, 16, 16, 2, None, 1),
}


@dataclass(frozen=True, order=True)
class Tile:
    """One tile at a place of the array.

    Attributes:
        col, row: its place; row 0 is the shim's.
        kind: what it is.
    """

    col: int
    row: int
    kind: TileKind

    def __post_init__(self) -> None:
        if self.col < 0 or self.row < 0:
            raise UsageError(f"tile({self.col}, {self.row}): columns and rows start at 0")

    @property
    def limits(self) -> TileLimits:
        """What this tile has."""
        return LIMITS[self.kind]

    @property
    def name(self) -> str:
        """``mem_tile_0_1``, ``tile_0_2`` or ``shim_noc_tile_0_0``, as MLIR text names them."""
        prefix = {TileKind.CORE: "tile", TileKind.MEM: "mem_tile", TileKind.SHIM: "shim_noc_tile"}[self.kind]
        return f"{prefix}_{self.col}_{self.row}"

    @property
    def op(self) -> Tile:
        """Itself: scripts ask a tile for its operation."""
        return self

    def reaches(self, other: Tile) -> bool:
        """True where this tile's core can load from and store to the memory of ``other``.

        A core reaches its own memory and those to the west, north and south.
        """
        if self.kind is not TileKind.CORE or other.kind is not TileKind.CORE:
            return False
        return (other.col - self.col, other.row - self.row) in ((0, 0), (-1, 0), (0, 1), (0, -1))

    def dma_reaches(self, other: Tile) -> bool:
        """True where this tile's DMA can use the memory and locks of ``other``: its own, a memory tile's those beside it."""
        beside = self.kind is other.kind is TileKind.MEM and self.row == other.row and abs(self.col - other.col) == 1
        return self == other or beside

    def __str__(self) -> str:
        return f"{self.kind} tile ({self.col}, {self.row})"


def bd_number(tile: Tile, identity: int) -> int:
    """The number of a descriptor, of which a shim's plan has several: the host writes it again after a wait."""
    return identity % tile.limits.bds if tile.kind is TileKind.SHIM else identity


def bd_ids(tile: Tile, channel: int) -> range:
    """The buffer descriptors that a channel may use: halves for even and odd channels of a memory tile, else all."""
    count = tile.limits.bds
    if tile.kind is not TileKind.MEM:
        return range(count)
    return range(count // 2) if channel % 2 == 0 else range(count // 2, count)
