# SPDX-License-Identifier: Apache-2.0
"""A lowered design without its fifos: what registers or lowered text say. It becomes a design with a fixed plan.

What a core acquires is in its program, which is not read. The ends of its rings say what it can: a channel into memory gives it
filled objects, a channel out of memory takes them. Each becomes a fifo with one end, which a stand-in uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.plan.access import LockAccess, call
from goldbeat.pymodels.objfifo.plan.design import Core, Fifo, FifoDesign, FixedPlan, Host, Transfer
from goldbeat.pymodels.objfifo.plan.device import Device
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import (
    Bd,
    Buffer,
    Direction,
    DmaChannel,
    End,
    FifoEnd,
    FifoPlan,
    Flow,
    Lock,
    PacketHeader,
    Plan,
    Pool,
    Segment,
    StreamEnd,
    Task,
    TilePlan,
)
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, TileKind

ChannelKey = tuple[Direction, int]
_HOST_ALIGN = 4096


@dataclass
class RawChannel:
    """A DMA channel: its descriptors, what it is started with, the word that its padding is made of."""

    bds: list[Bd] = field(default_factory=list)
    queue: list[Task] = field(default_factory=list)
    pad_value: int = 0


@dataclass
class RawTile:
    """A tile.

    Attributes:
        buffers: places in its memory that descriptors walk.
        locks: initial value by id.
        names: names of locks, where they have some.
        channels: those in use.
        program: what is known of its core's program, empty where it has none.
    """

    buffers: list[Buffer] = field(default_factory=list)
    locks: dict[int, int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    channels: dict[ChannelKey, RawChannel] = field(default_factory=dict)
    program: str = ""


@dataclass(frozen=True)
class RawFlow:
    """A stream: its source, its receivers, the header it has if it is a packet stream."""

    source: StreamEnd
    dests: tuple[StreamEnd, ...]
    packet: PacketHeader | None = None


def untyped_words(words: int) -> ObjectType:
    """An array of words of which a compiled file does not say what they hold."""
    return ObjectType((words,), np.dtype(np.int32), untyped=True)


@dataclass
class RawDesign:
    """All of it.

    Attributes:
        device: what it is for.
        tiles: in use.
        flows: the streams.
        hosts: types of the host's arrays by name.
        remarks: what was left out without harm.
        unsupported: what keeps the design from being planned.
        executed: those of them that an execution of the whole has.
    """

    device: Device
    tiles: dict[Tile, RawTile] = field(default_factory=dict)
    flows: list[RawFlow] = field(default_factory=list)
    hosts: dict[str, ObjectType] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    unsupported: list[str] = field(default_factory=list)
    executed: set[str] = field(default_factory=set)

    def lacks(self, text: str, *, executed: bool = False) -> None:
        """Note once what a plan does not have; ``executed``: an execution has it."""
        if text not in self.unsupported:
            self.unsupported.append(text)
        self.executed |= {text} if executed else set()

    def tile(self, tile: Tile) -> RawTile:
        """A tile, empty at first."""
        return self.tiles.setdefault(tile, RawTile())


@dataclass(frozen=True)
class CoreHandle:
    """One end of a core's ring, for a stand-in: ``acquire`` and ``release`` as a worker's handles."""

    fifo: str
    port: FifoEnd
    consumer: int = 0

    def acquire(self, count: int = 1) -> Any:
        """Wait for objects: an array (of a lowered design, of 32-bit words), or a list of them."""
        return call(LockAccess(True, self.fifo, self.port, self.consumer, count))

    def release(self, count: int = 1) -> None:
        """Give objects back."""
        call(LockAccess(False, self.fifo, self.port, self.consumer, count))


StandIn = Callable[..., Any]
"""What stands for a core's program: called with its handles, those into the core first, in the order of channels."""


def copy_objects(*handles: CoreHandle) -> None:
    """A stand-in that copies each object of its one input to its one output."""
    ins = [h for h in handles if h.port is FifoEnd.CONSUME]
    outs = [h for h in handles if h.port is FifoEnd.PRODUCE]
    if len(ins) != 1 or len(outs) != 1:
        raise UsageError(f"copy stands for a core with one input and one output, this one has {len(ins)}, {len(outs)}")
    given, made = ins[0].acquire(1), outs[0].acquire(1)
    if given.size != made.size:
        raise UsageError(f"copy stands for a core with equal objects, these have {given.size} and {made.size} words")
    made[...] = given
    ins[0].release(1)
    outs[0].release(1)


def fixed_design(raw: RawDesign, stand_ins: Mapping[Tile, StandIn] | None = None) -> FifoDesign:
    """A design with a fixed plan.

    Args:
        raw: what was read.
        stand_ins: what stands for the cores' programs.

    Raises:
        UsageError: a stand-in for a tile without rings.
    """
    return _Fixing(raw, dict(stand_ins or {})).run()


class _Fixing:
    def __init__(self, raw: RawDesign, stand_ins: dict[Tile, StandIn]) -> None:
        self.raw = raw
        self.stand_ins = stand_ins
        self.names: dict[tuple[Tile, Direction, int], str] = {}
        self.fifos: list[Fifo] = []
        self.plans: list[FifoPlan] = []
        self.pools: list[Pool] = []
        self.ends: dict[Tile, list[CoreHandle]] = {}
        self.unsupported = list(raw.unsupported)
        self.remarks = list(raw.remarks)

    def run(self) -> FifoDesign:
        hosts, at = {}, 0
        for name, kind in self.raw.hosts.items():
            size = -(-kind.size // WORD_BYTES) * WORD_BYTES
            hosts[name] = Buffer(name, at, size, 0, name, 0)
            at += -(-size // _HOST_ALIGN) * _HOST_ALIGN
        flows = tuple(self._flow(flow) for flow in self.raw.flows)
        for tile, one in sorted(self.raw.tiles.items()):
            if tile.kind is TileKind.CORE:
                self._core(tile, one)
        tiles = tuple(self._tile(tile, one, hosts) for tile, one in sorted(self.raw.tiles.items()))
        plan = Plan(self.raw.device.name, tiles, tuple(self.plans), (), tuple(self.pools), flows, tuple(hosts.values()))
        missing = set(self.stand_ins) - set(self.ends)
        if missing:
            raise UsageError(f"a stand-in for {min(missing)}: no ring of its DMA has an end for its core")
        cores = [
            Core(tile, getattr(fn, "__name__", "stand-in"), partial(fn, *self.ends[tile]))
            for tile, fn in sorted(self.stand_ins.items())
        ]
        kept = [Host(name, kind) for name, kind in self.raw.hosts.items()]
        transfers = [*self._transfers(plan)]
        waiting = [
            f"the core of {tile} has {one.program} and no stand-in"
            for tile, one in sorted(self.raw.tiles.items())
            if one.program and tile not in self.stand_ins and tile in self.ends
        ]
        fixed = FixedPlan(plan, tuple(self.remarks), tuple(self.unsupported), tuple(waiting))
        return FifoDesign(self.raw.device, self.fifos, [], cores, kept, transfers, fixed)

    # -- streams

    def _flow(self, flow: RawFlow) -> Flow:
        source = flow.source
        name = f"{source.tile.name}_MM2S_{source.channel}"
        self.names[source.tile, Direction.MM2S, source.channel] = name
        ends = [End(name, FifoEnd.PRODUCE, 0, source.tile, None, None, source.channel, True)]
        for number, dest in enumerate(flow.dests):
            self.names[dest.tile, Direction.S2MM, dest.channel] = name
            ends.append(End(name, FifoEnd.CONSUME, number, dest.tile, None, None, dest.channel, True))
        words = self._words(source.tile, Direction.MM2S, source.channel)
        self._fifo(name, source.tile, tuple(d.tile for d in flow.dests), words, tuple(ends))
        return Flow(name, source, flow.dests, flow.packet)

    def _words(self, tile: Tile, direction: Direction, channel: int) -> int:
        found = self.raw.tile(tile).channels.get((direction, channel))
        return found.bds[0].length if found is not None and found.bds else 1

    def _fifo(self, name: str, tile: Tile, dests: tuple[Tile, ...], words: int, ends: tuple[End, ...]) -> None:
        self.fifos.append(Fifo(name, tile, dests, 1, ObjectType((words,), np.dtype(np.int32))))
        self.plans.append(FifoPlan(name, (words,), "int32", 1, False, ends))

    # -- cores

    def _core(self, tile: Tile, one: RawTile) -> None:
        taken = {bd.acquire.lock for c in one.channels.values() for bd in c.bds if bd.acquire is not None}
        given = {bd.release.lock for c in one.channels.values() for bd in c.bds if bd.release is not None}
        order = {Direction.S2MM: 0, Direction.MM2S: 1}
        for (direction, index), channel in sorted(one.channels.items(), key=lambda c: (order[c[0][0]], c[0][1])):
            linked = taken if direction is Direction.S2MM else given
            locks = {u.lock for bd in channel.bds for u in (bd.acquire, bd.release) if u is not None}
            if locks and locks <= taken & given:
                continue  # another channel is at the ring's other end
            self._core_end(tile, direction, index, channel, linked)
        for number in sorted(set(one.locks) - taken - given):
            if one.locks[number]:
                self.remarks.append(f"lock {number} of {tile} (initially {one.locks[number]}) is used by no DMA")

    def _core_end(self, tile: Tile, direction: Direction, index: int, channel: RawChannel, linked: set[int]) -> None:
        one = self.raw.tiles[tile]
        what = f"{direction} {index} of {tile}"
        into = direction is Direction.S2MM
        pairs = {(bd.acquire, bd.release) for bd in channel.bds}
        sizes = {b.name: b.size for b in one.buffers}
        if not channel.bds:
            return
        if len(pairs) != 1 or any(sizes[bd.buffer] != bd.length * WORD_BYTES for bd in channel.bds):
            self.unsupported.append(
                f"{what}: a ring of a core whose descriptors are not whole objects under one pair of locks"
            )
            return
        ((take, give),) = pairs
        if take is None or give is None:
            self.unsupported.append(f"{what}: a core's ring without locks")
            return
        buffers = tuple(dict.fromkeys(bd.buffer for bd in channel.bds))
        units = len(channel.bds) // len(buffers)
        if (give.value if into else take.value) != 1 or (into and take.value != 1):
            self.unsupported.append(f"{what}: a core's ring that takes {take.value} and gives {give.value}")
            return
        name = f"{tile.name}_{'in' if into else 'out'}{index}"
        locks = (take.lock, give.lock) if into else (give.lock, take.lock)
        segment = Segment(0, channel.bds[0].length, name, *locks)
        port = FifoEnd.CONSUME if into else FifoEnd.PRODUCE
        self.pools.append(Pool(name, name, tile, buffers, (segment,), 1 if into else units))
        end = End(name, port, 0, tile, name, 0, index, False)
        self._fifo(name, tile, (tile,), channel.bds[0].length, (end,))
        self.ends.setdefault(tile, []).append(CoreHandle(name, port))

    # -- tiles

    def _tile(self, tile: Tile, one: RawTile, hosts: dict[str, Buffer]) -> TilePlan:
        locks = dict(one.locks)
        users: dict[int, tuple[str, FifoEnd]] = {}
        channels = []
        for (direction, index), raw in sorted(one.channels.items(), key=lambda c: (c[0][0] is Direction.MM2S, c[0][1])):
            fifo = self.names.get((tile, direction, index))
            if fifo is None:
                fifo = f"{tile.name}_{direction}_{index}_unconnected"
                self._fifo(fifo, tile, (tile,), 1, ())
                self.remarks.append(f"{direction} {index} of {tile} has no stream")
            bds = [self._bd(tile, bd, hosts) for bd in raw.bds]
            for bd in bds:
                for use, port in ((bd.acquire, FifoEnd.PRODUCE), (bd.release, FifoEnd.CONSUME)):
                    if use is not None:
                        into = direction is Direction.S2MM
                        users.setdefault(use.lock, (fifo, port if into else _other(port)))
                        locks.setdefault(use.lock, 0)
            channels.append(DmaChannel(direction, index, fifo, tuple(bds), tuple(raw.queue), raw.pad_value))
        made = [
            Lock(n, one.names.get(n, f"{tile.name}_lock_{n}"), value, *users.get(n, ("", FifoEnd.PRODUCE)))
            for n, value in sorted(locks.items())
        ]
        return TilePlan(tile, tuple(one.buffers), tuple(made), tuple(channels))

    def _bd(self, tile: Tile, bd: Bd, hosts: dict[str, Buffer]) -> Bd:
        if tile.kind is not TileKind.SHIM:
            return bd
        return replace(bd, base_bytes=bd.base_bytes + hosts[bd.buffer].address)

    def _transfers(self, plan: Plan) -> Iterator[Transfer]:
        for one in plan.tiles:
            if one.tile.kind is not TileKind.SHIM:
                continue
            for channel in one.channels:
                port = FifoEnd.PRODUCE if channel.direction is Direction.MM2S else FifoEnd.CONSUME
                for bd in channel.bds:
                    yield Transfer(channel.fifo, port, bd.buffer, 0, ((bd.length, 1),))


def _other(port: FifoEnd) -> FifoEnd:
    return FifoEnd.CONSUME if port is FifoEnd.PRODUCE else FifoEnd.PRODUCE
