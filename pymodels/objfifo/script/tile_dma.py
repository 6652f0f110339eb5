# SPDX-License-Identifier: Apache-2.0
"""DMA programs as objects: ``TileDma``, ``DmaChannel``, ``Bd`` and what they are made of; tasks on a tile's channels.

Source: mlir-aie ``python/iron/dataflow/tile_dma.py`` and ``python/iron/runtime/tiledmatask.py``, autumn 2026.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.iron.keywords import only_harmless
from goldbeat.pymodels.objfifo.live.thread_program import in_program
from goldbeat.pymodels.objfifo.plan.access import written_at
from goldbeat.pymodels.objfifo.plan.plan import ChannelKey, Direction, Iteration
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind
from goldbeat.pymodels.objfifo.script.explicit import (
    DmaProgram,
    DmaStart,
    FlowChannel,
    ScriptBd,
    ScriptBlock,
    ScriptBlocks,
    ScriptLock,
    enum_text,
    explicit,
    written_header,
)
from goldbeat.pymodels.objfifo.script.host_calls import HostTask, host_now, write_task


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
    """A descriptor; ``next`` is ``self``, a number in the channel's list, or None to go on through the list.

    ``tap``: a pattern in place of offset, length, sizes and strides.
    """

    buffer: Any
    offset: int = 0
    length: int | None = None
    acquires: list[LockAcquire] = field(default_factory=list)
    releases: list[LockRelease] = field(default_factory=list)
    next: int | str | None = None
    packet: tuple[int, int] | None = None
    sizes: Sequence[int] = ()
    strides: Sequence[int] = ()
    pad_dimensions: Sequence[Sequence[int]] | None = None
    iteration: TileBdIteration | None = None
    bd_id: int | None = None
    out_of_order_id: int | None = None
    tap: Any = None
    where: str = field(default_factory=lambda: str(written_at() or ""), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.tap is None:
            return
        if self.offset or self.length is not None or self.sizes or self.strides:
            raise ValueError("found tap beside offset, length, sizes or strides of a Bd, expected one way")
        dims = list(zip(self.tap.sizes, self.tap.strides, strict=True))
        while len(dims) > 1 and dims[0][0] == 1:
            del dims[0]
        self.offset, self.length = int(self.tap.offset), math.prod(n for n, _ in dims)
        self.sizes, self.strides = [n for n, _ in dims], [s for _, s in dims]


@dataclass
class TileDmaChannel:
    """A channel with its descriptors, by its number or a :class:`DmaEnd`.

    Without ``loop`` the descriptors run once, else the first follows the last. Out of order, ``repeat_count`` counts
    rounds of all their packets after the first, and a descriptor without a number has that of its place.
    """

    direction: Any
    channel: Any
    bds: list[TileBd]
    pad_value: int = 0
    repeat_count: int = 0
    out_of_order: bool = False
    loop: bool = True
    where: str = field(default_factory=lambda: str(written_at() or ""), init=False, repr=False, compare=False)

    @property
    def repeat(self) -> int:
        """Runs after the first one, packets after the first one where it is out of order."""
        if not self.out_of_order:
            return int(self.repeat_count)
        packets = sum(1 if bd.iteration is None else bd.iteration.size for bd in self.bds)
        return packets * (int(self.repeat_count) + 1) - 1


class TileDmaProgram:
    """The DMA program of a tile.

    Args:
        tile: whose.
        channels: of it.

    Raises:
        UsageError: a channel twice, or one of another tile or direction.
    """

    def __init__(self, tile: Any, channels: Iterable[TileDmaChannel]) -> None:
        self.tile = tile
        self.channels: list[TileDmaChannel] = []
        self.add_channels(channels)

    def add_channel(self, channel: TileDmaChannel) -> None:
        """One more channel."""
        self.add_channels([channel])

    def add_channels(self, channels: Iterable[TileDmaChannel]) -> None:
        """More channels."""
        for one in channels:
            way = Direction(enum_text(one.direction))
            if isinstance(one.channel, DmaEnd):
                one.channel.check(self.tile, way)
            for other in self.channels:
                if Direction(enum_text(other.direction)) is way and other.channel == one.channel:
                    raise UsageError(f"found a second program of {way} {one.channel} in a TileDma, expected one")
            self.channels.append(one)

    def program(self) -> DmaProgram:
        """The same as blocks."""
        made = DmaProgram(self.tile, ScriptBlock(), ScriptBlocks())
        number = 0
        for channel in self.channels:
            chained_blocks(channel.bds, made.blocks, number, loop=channel.loop, pad_value=channel.pad_value)
            blocks = [made.blocks[number + n] for n in range(len(channel.bds))]
            number += len(blocks)
            if channel.out_of_order:  # packets name their descriptors: a chain only lists them
                for at, (block, following) in enumerate(zip(blocks, [*blocks[1:], None], strict=True)):
                    block.next = following
                    _number(block, at)
            way = Direction(enum_text(channel.direction))
            index = channel.channel if isinstance(channel.channel, int) else channel.channel.channel
            start = DmaStart(way, index, blocks[0], channel.repeat, channel.out_of_order, where=channel.where)
            made.entry.starts.append(start)
        return made


def chained_blocks(
    bds: Sequence[TileBd], blocks: ScriptBlocks, first: int, *, loop: bool, pad_value: int = 0
) -> ScriptBlocks:
    """Write descriptors into blocks from a number on; the list is a chain that ends, or begins again with ``loop``.

    Raises:
        UsageError: a ``next`` that is not in the list.
    """
    mine = [blocks[first + n] for n in range(len(bds))]
    for at, (block, bd) in enumerate(zip(mine, bds, strict=True)):
        block.bd = _bd(bd, pad_value)
        for take in bd.acquires:
            block.use(take.lock, take.value, equal=not take.greater_equal)
        for give in bd.releases:
            block.use(give.lock, give.value, release=True)
        if bd.next == "self":
            block.next = block
        elif bd.next is None:
            block.next = mine[at + 1] if at + 1 < len(mine) else mine[0] if loop else None
        elif isinstance(bd.next, int) and 0 <= bd.next < len(mine):
            block.next = mine[bd.next]
        else:
            expected = f"None, 'self' or 0 to {len(mine) - 1}"
            raise UsageError(f"{bd.where}: found next={bd.next!r} of a Bd, expected {expected}")
    return blocks


def _number(block: ScriptBlock, number: int) -> None:
    """The number of a descriptor that has none of its own."""
    assert block.bd is not None
    block.bd.number = number if block.bd.number is None else block.bd.number


class DmaEnd(FlowChannel):
    """``DmaEndpoint``: one DMA channel of a tile. Programs and tasks run on it.

    Args:
        tile: whose.
        direction: S2MM or MM2S.
        channel: its number; an end of a flow has one that is chosen.
    """

    def __init__(self, tile: Any, direction: Any, channel: Any) -> None:
        self.tile, self.direction, self.channel = tile, Direction(enum_text(direction)), channel
        if isinstance(channel, int) and not in_program():
            explicit().ends.append((tile, self.direction, channel))

    def __int__(self) -> int:
        return int(self.channel)

    def key(self, tile_of: Callable[[Any], Tile]) -> ChannelKey:
        """Tile, direction and number of the channel."""
        return tile_of(self.tile), self.direction, int(self.channel)

    @property
    def packet(self) -> tuple[int, int] | None:
        """Type and id of what it sends, where it is known."""
        return None

    def check(self, tile: Any, direction: Any) -> None:
        """Refuse another tile or direction than its own."""
        way = Direction(enum_text(direction))
        if self.tile != tile or self.direction is not way:
            raise UsageError(f"found {way} of {tile}, expected {self.direction} of {self.tile}, as the end says")

    def task(self, *bds: Any, runs: int = 1, wait: bool = False, out_of_order: bool = False, **more: Any) -> HostTask:
        """A task of the sequence on this channel, whose descriptors are written now; ``start`` pushes it.

        Args:
            bds: descriptors, one after the other; a buffer stands for a descriptor of all of it.
            runs: of the whole list, at each start; out of order, packets.
            wait: report its end.
            out_of_order: headers of packets name the descriptors, which have the numbers of their places.
            more: keywords without effect.

        Raises:
            UsageError: a channel of a shim, fewer than one run, or descriptors that a task has not.
        """
        only_harmless("task", more)
        host = host_now()
        key = self.key(host.tile_of)
        if key[0].kind is TileKind.SHIM:
            raise UsageError(f"found a task on {key[0]}, expected fill or drain of its flow")
        if int(runs) < 1 or not bds:
            raise UsageError(f"found task(runs={runs}) of {len(bds)} descriptors, expected at least 1 of each")
        listed = [one if isinstance(one, TileBd) else TileBd(one) for one in bds]
        for one in listed:
            if one.next is not None:
                raise UsageError(f"found next={one.next!r} in a task, expected descriptors that run in their order")
            if one.buffer.tile is not None and host.tile_of(one.buffer.tile) != key[0]:
                raise UsageError(
                    f"found a buffer of {host.tile_of(one.buffer.tile)} in a task, expected one of {key[0]}"
                )
        blocks = chained_blocks(listed, ScriptBlocks(), 0, loop=False)
        for number, block in blocks.blocks.items() if out_of_order else ():
            _number(block, number)
        made = HostTask(key, blocks, int(runs) - 1, bool(wait), None, self.packet, bool(out_of_order))
        write_task(made)
        return made


def _end(tile: Any, direction: Any, channel: Any) -> DmaEnd:
    if not isinstance(channel, DmaEnd):
        return DmaEnd(tile, direction, int(channel))
    channel.check(tile, direction)
    return channel


def tile_dma_task(
    tile: Any, direction: Any, channel: Any, buffer: Any, sizes: Sequence[int] | None = None,
    strides: Sequence[int] | None = None, offset: int | None = None, transfer_len: int | None = None,
    wait: bool = False, packet: Any = None, bd_id: int | None = None, acquire: LockAcquire | None = None,
    release: LockRelease | None = None, start: bool = True,
) -> HostTask:  # fmt: skip
    """A task of one descriptor on a tile's channel; the outermost of four sizes repeats it.

    Raises:
        UsageError: one lock without the other, or a repetition that moves.
    """
    if (acquire is None) != (release is None):
        raise UsageError("found one of acquire and release, expected both or neither in a tile_dma_task")
    whole = [(1, 0)] * 4 + [(int(n), int(s)) for n, s in zip(sizes or (), strides or (), strict=True)]
    (runs, moved), dims = whole[-4], whole[-3:] if sizes else []
    if (runs > 1 and moved) or len(whole) > 8:
        raise UsageError(
            f"found sizes {sizes} and strides {strides}, expected at most 4, and stride 0 of the outermost"
        )
    length = math.prod(n for n, _ in dims) if transfer_len is None and dims else transfer_len
    bd = TileBd(
        buffer, int(offset or 0), None if length is None else int(length), [one for one in [acquire] if one],
        [one for one in [release] if one], None, packet, [n for n, _ in dims], [s for _, s in dims], bd_id=bd_id,
    )  # fmt: skip
    made = _end(tile, direction, channel).task(bd, runs=runs, wait=wait)
    return made.start() if start else made


def tile_dma_chain(
    tile: Any, direction: Any, channel: Any, bds: Sequence[TileBd], repeat_count: int = 0, wait: bool = False,
    start: bool = True, out_of_order: bool = False,
) -> HostTask:  # fmt: skip
    """A task of several descriptors on a tile's channel; ``repeat_count`` counts runs, or packets, after the first."""
    end = _end(tile, direction, channel)
    made = end.task(*bds, runs=int(repeat_count) + 1, wait=wait, out_of_order=out_of_order)
    return made.start() if start else made


def _bd(bd: TileBd, pad_value: int) -> ScriptBd:
    turn = bd.iteration
    return ScriptBd(
        bd.buffer,
        bd.where,
        offset=bd.offset,
        length=bd.length,
        dims=tuple((int(n), int(s)) for n, s in zip(bd.sizes, bd.strides, strict=True)),
        pads=tuple((int(a), int(b)) for a, b in bd.pad_dimensions or ()),
        packet=written_header(bd.packet),
        iteration=Iteration() if turn is None else Iteration(turn.size, turn.stride, turn.current),
        number=bd.bd_id,
        pad_value=pad_value,
        slot=bd.out_of_order_id,
    )
