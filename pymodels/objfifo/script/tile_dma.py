# SPDX-License-Identifier: Apache-2.0
"""DMA programs as objects: ``TileDma``, ``DmaChannel``, ``Bd`` and what they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from goldbeat.pymodels.objfifo.plan.plan import Direction
from goldbeat.pymodels.objfifo.script.explicit import (
    DmaProgram,
    DmaStart,
    ScriptBd,
    ScriptBlock,
    ScriptBlocks,
    ScriptLock,
    enum_text,
)


@dataclass
class LockAcquire:
    """A lock that a descriptor takes before its first word."""

    lock: ScriptLock
    value: int = 1
    greater_equal: bool = True


@dataclass
class LockRelease:
    """A lock that a descriptor gives after its last word."""

    lock: ScriptLock
    value: int = 1


@dataclass
class TileBdIteration:
    """What moves a descriptor's base from one use to the next, in elements."""

    size: int
    stride: int
    current: int = 0


@dataclass
class TileBd:
    """A descriptor; ``next`` is ``self``, a number in the channel's list, or None for the end."""

    buffer: Any
    offset: int = 0
    length: int | None = None
    acquires: list[LockAcquire] = field(default_factory=list)
    releases: list[LockRelease] = field(default_factory=list)
    next: int | str | None = "self"
    packet: tuple[int, int] | None = None
    sizes: Sequence[int] = ()
    strides: Sequence[int] = ()
    pad_dimensions: Sequence[Sequence[int]] | None = None
    iteration: TileBdIteration | None = None
    bd_id: int | None = None
    out_of_order_id: int | None = None


@dataclass
class TileDmaChannel:
    """A channel with its descriptors, by its number or an end of a flow.

    Without ``loop`` the descriptors run once. Out of order, ``repeat_count`` counts rounds of all their packets after
    the first.
    """

    direction: Any
    channel: Any
    bds: list[TileBd]
    pad_value: int = 0
    repeat_count: int = 0
    out_of_order: bool = False
    loop: bool = True

    @property
    def repeat(self) -> int:
        """Runs after the first one, packets after the first one where it is out of order."""
        if not self.out_of_order:
            return int(self.repeat_count)
        packets = sum(1 if bd.iteration is None else bd.iteration.size for bd in self.bds)
        return packets * (int(self.repeat_count) + 1) - 1


@dataclass
class TileDmaProgram:
    """The DMA program of a tile."""

    tile: Any
    channels: list[TileDmaChannel]

    def program(self) -> DmaProgram:
        """The same as blocks."""
        made = DmaProgram(self.tile, ScriptBlock(), ScriptBlocks())
        number = 0
        for channel in self.channels:
            chained_blocks(channel.bds, made.blocks, number, loop=channel.loop, pad_value=channel.pad_value)
            blocks = [made.blocks[number + n] for n in range(len(channel.bds))]
            number += len(blocks)
            if channel.out_of_order:  # packets name their descriptors: a chain only lists them
                for block, following in zip(blocks, [*blocks[1:], None], strict=True):
                    block.next = following
            way = Direction(enum_text(channel.direction))
            index = channel.channel if isinstance(channel.channel, int) else channel.channel.channel
            start = DmaStart(way, index, blocks[0], channel.repeat, channel.out_of_order)
            made.entry.starts.append(start)
        return made


def chained_blocks(
    bds: Sequence[TileBd], blocks: ScriptBlocks, first: int, *, loop: bool, pad_value: int = 0
) -> ScriptBlocks:
    """Write descriptors into blocks from a number on; without ``loop`` a chain goes through its list and ends."""
    mine = [blocks[first + n] for n in range(len(bds))]
    for at, (block, bd) in enumerate(zip(mine, bds, strict=True)):
        block.bd = _bd(bd, pad_value)
        for take in bd.acquires:
            block.use(take.lock, take.value, equal=not take.greater_equal)
        for give in bd.releases:
            block.use(give.lock, give.value, release=True)
        if bd.next == "self":
            block.next = block if loop else mine[at + 1] if at + 1 < len(mine) else None
        else:
            block.next = None if bd.next is None else mine[int(bd.next)]
    return blocks


def _bd(bd: TileBd, pad_value: int) -> ScriptBd:
    turn = bd.iteration
    return ScriptBd(
        bd.buffer,
        bd.offset,
        bd.length,
        [(int(n), int(s)) for n, s in zip(bd.sizes, bd.strides, strict=True)],
        [(int(a), int(b)) for a, b in bd.pad_dimensions or ()],
        bd.packet,
        None if turn is None else (turn.size, turn.stride, turn.current),
        bd.bd_id,
        pad_value=pad_value,
        slot=bd.out_of_order_id,
    )
