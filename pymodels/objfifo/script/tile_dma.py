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
    ScriptFlow,
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


@dataclass
class TileDmaChannel:
    """A channel with its descriptors."""

    direction: Any
    channel: int
    bds: list[TileBd]
    pad_value: int = 0


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
            blocks = [made.blocks[number + n] for n in range(len(channel.bds))]
            number += len(blocks)
            for block, bd in zip(blocks, channel.bds, strict=True):
                block.bd = _bd(bd, channel.pad_value)
                for take in bd.acquires:
                    block.takes = (take.lock, take.value, not take.greater_equal) if take.value else None
                for give in bd.releases:
                    block.gives = (give.lock, give.value) if give.value else None
                block.next = block if bd.next == "self" else None if bd.next is None else blocks[int(bd.next)]
            made.entry.starts.append(DmaStart(Direction(enum_text(channel.direction)), channel.channel, blocks[0]))
        return made


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
        pad_value=pad_value,
    )


def tile_flow(
    src: Any, dst: Any, src_port: Any = "DMA", src_channel: int = 0, dst_port: Any = "DMA", dst_channel: int = 0, **_: Any
) -> ScriptFlow:  # fmt: skip
    """``Flow``: a stream that a runtime is given."""
    ends = dst if isinstance(dst, list) else [dst]
    found = [(one, enum_text(dst_port), int(dst_channel)) for one in ends]
    return ScriptFlow((src, enum_text(src_port), int(src_channel)), found)


def tile_packet_flow(
    pkt_id: int,
    src: Any,
    dst: Any,
    src_port: Any = "DMA",
    src_channel: int = 0,
    dst_port: Any = "DMA",
    dst_channel: int = 0,
    keep_pkt_header: bool = False,
    **_: Any,
) -> ScriptFlow:
    """``PacketFlow``: packets of an id."""
    made = tile_flow(src, dst, src_port, src_channel, dst_port, dst_channel)
    made.packet, made.keep = int(pkt_id), bool(keep_pkt_header)
    return made
