# SPDX-License-Identifier: Apache-2.0
"""From a design to its plan: pools, locks, channels, rings of buffer descriptors.

Source: mlir-aie's lowering of object FIFOs for AIE2, as far as its results can be observed.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.plan.checks import check_design, shim_of, transfer_waves
from goldbeat.pymodels.objfifo.plan.design import Fifo, FifoDesign, Transfer
from goldbeat.pymodels.objfifo.plan.layout import DesignLayout, EndKey, Joint
from goldbeat.pymodels.objfifo.plan.limits import check_limits, fitting
from goldbeat.pymodels.objfifo.plan.memory import place_buffers
from goldbeat.pymodels.objfifo.plan.plan import (
    Bd,
    Buffer,
    Dim,
    Direction,
    DmaChannel,
    End,
    FifoEnd,
    FifoPlan,
    Flow,
    LinkPlan,
    Lock,
    LockUse,
    PacketHeader,
    Pad,
    Plan,
    Pool,
    Segment,
    StreamEnd,
    Task,
    TilePlan,
)
from goldbeat.pymodels.objfifo.plan.rules import RULES, RuleError
from goldbeat.pymodels.objfifo.plan.strides import host_walk, in_words, pad_word, pads_in_words, stretched
from goldbeat.pymodels.objfifo.plan.tile import PACKET_IDS, WORD_BYTES, Tile, TileKind, bd_ids

_HOST_ALIGN = 4096


def plan(
    design: FifoDesign,
    *,
    strict: bool = True,
    depths: Mapping[EndKey, int] | None = None,
    packets: bool = False,
    spread: bool = False,
    taken: Collection[int] = (),
) -> Plan:
    """Lower a design; one that was read in lowered form has its plan.

    Args:
        design: what was written.
        strict: refuse what mlir-aie accepts although the data is lost.
        depths: depths that replace those of the design, by fifo and end (0 the producer, then the consumers).
        packets: send every stream with a packet header; ids in the order of declaration.
        spread: leave it to others whether the buffers of a memory tile fit, with its neighbours' memory.
        taken: ids of packets that are none of the fifos'.

    Raises:
        RuleError: the first rule that is broken.
    """
    if design.fixed is not None:
        return design.fixed.plan
    for error in check_design(design, strict=strict):
        raise _placed(design, error)
    found = _Lowering(DesignLayout(design, depths), packets, taken).run()
    for error in check_limits(found):
        if (strict or RULES[error.rule].lax is None) and not (spread and error.rule == "memory"):
            raise _placed(design, error)
    return found


def violations(design: FifoDesign, *, strict: bool = True) -> list[RuleError]:
    """Every broken rule; those of limits only where the design can be lowered. A fixed plan breaks none."""
    if design.fixed is not None:
        return []
    found = check_design(design, strict=strict)
    if not found:
        limits = check_limits(_Lowering(DesignLayout(design), False).run())
        found = [e for e in limits if strict or RULES[e.rule].lax is None]
    return [_placed(design, error) for error in found]


def _placed(design: FifoDesign, error: RuleError) -> RuleError:
    """The error with the place in the user's file of what it is about."""
    where = design.place_of(error.text)
    return RuleError(error.rule, f"{where}: {error.text}") if where else error


@dataclass
class _Draft:
    """A tile as it fills."""

    buffers: list[Buffer] = field(default_factory=list)
    locks: list[Lock] = field(default_factory=list)
    channels: list[DmaChannel] = field(default_factory=list)
    bds: set[int] = field(default_factory=set)
    spare: int = 0

    def take_bd(self, tile: Tile, channel: int) -> int:
        """The lowest free descriptor of a channel; past the end where there is none left, for the limits to find."""
        number = next((n for n in bd_ids(tile, channel) if n not in self.bds), None)
        if number is None:
            number = tile.limits.bds + self.spare
            self.spare += 1
        self.bds.add(number)
        return number


class _Lowering:
    def __init__(self, layout: DesignLayout, packets: bool, taken: Collection[int] = ()) -> None:
        self.layout = layout
        self.design = layout.design
        self.packets = packets
        self.taken = set(taken)
        self.named: defaultdict[tuple[Tile, Direction], set[int | None]] = defaultdict(set)
        """Channels that fifos name: no other fifo gets them."""
        for fifo in self.design.fifos:
            for end, tile in enumerate((fifo.producer, *fifo.consumers)):
                self.named[tile, Direction.S2MM if end else Direction.MM2S].add(fifo.channel(end))
        self.tiles: defaultdict[Tile, _Draft] = defaultdict(_Draft)
        self.pools: dict[EndKey, Pool] = {}
        self.order: list[Pool] = []
        self.channels: dict[EndKey, int] = {}
        self.packet: dict[str, PacketHeader] = {}
        self.hosts: dict[str, Buffer] = {}
        self.numbers: dict[int, int] = {}
        """The descriptor of each of the host's transfers."""

    def run(self) -> Plan:
        for fifo in self.design.fifos:
            self._pools(fifo)
        self._place_memory()
        self._place_hosts()
        for fifo in self.design.fifos:
            self._take_channels(fifo)
        flows = self._flows()
        self._number_transfers()
        for fifo in self.design.fifos:
            for end in range(1 + len(fifo.consumers)):
                if (fifo.name, end) in self.channels:
                    self._ring(fifo, end)
        tiles = tuple(
            TilePlan(tile, tuple(d.buffers), tuple(d.locks), self._in_order(tile, d.channels))
            for tile, d in sorted(self.tiles.items())
        )
        links = tuple(
            LinkPlan(link.ins, link.outs, joint.tile, self.pools[joint.owner, joint.end].name)
            for link in self.design.links
            for joint in [self.layout.joints[link.outs[0], 0]]
        )
        fifos = tuple(self._fifo(f) for f in self.design.fifos)
        return Plan(self.design.device.name, tiles, fifos, links, tuple(self.order), flows, tuple(self.hosts.values()))

    def _in_order(self, tile: Tile, channels: Sequence[DmaChannel]) -> tuple[DmaChannel, ...]:
        """Channels of a direction by their numbers, which are in order where no fifo names one."""
        if not any(self.named[tile, way] - {None} for way in Direction):
            return tuple(channels)
        return tuple(sorted(channels, key=lambda c: (c.direction, c.index)))

    # -- pools and locks ----------------------------------------------------------------------------------------------

    def _pools(self, fifo: Fifo) -> None:
        home = self.layout.shared(fifo)
        if home is not None:
            end = 0 if home == fifo.producer else 1
            pool = self._pool(fifo, end, home, fifo.name, 1, None)
            self.pools[fifo.name, 0] = self.pools[fifo.name, 1] = pool
            return
        for end in range(1 + len(fifo.consumers)):
            tile = fifo.producer if end == 0 else fifo.consumers[end - 1]
            if tile.kind is TileKind.SHIM or fifo.streams(end):
                continue
            joint = self.layout.joints.get((fifo.name, end))
            if joint is not None and (joint.owner, joint.end) != (fifo.name, end):
                continue
            several = f"_{end - 1}" if len(fifo.consumers) > 1 else ""
            name = fifo.name if end == 0 else f"{fifo.name}{several}_cons"
            repeat = self.layout.repeat(joint) if joint is not None else fifo.repeat_count if end == 0 else 1
            pool = self._pool(fifo, end, tile, name, repeat, joint)
            for key in self._linked(joint, (fifo.name, end)):
                self.pools[key] = pool

    def _linked(self, joint: Joint | None, key: EndKey) -> list[EndKey]:
        return [key] if joint is None else [k for k, j in self.layout.joints.items() if j is joint]

    def _pool(self, fifo: Fifo, end: int, tile: Tile, name: str, repeat: int, joint: Joint | None) -> Pool:
        draft = self.tiles[tile]
        depth = self.layout.depth(fifo, end)
        size = fifo.obj.size
        if joint is not None and joint.link.turns:
            depth, size = -(-depth // len(joint.parts)), size * len(joint.parts)
        values = fifo.init_values if end == 0 or self.layout.shared(fifo) is not None else None
        filled = min(len(values or ()), depth)
        names = tuple(f"{name}_buff_{i}" for i in range(depth))
        for i, label in enumerate(names):
            words = None
            if values is not None and i < filled:
                raw = np.ascontiguousarray(values[i]).reshape(-1).view(np.uint8)
                words = tuple(raw.view("<u4").tolist())
            draft.buffers.append(Buffer(label, 0, size, 0, fifo.name, i, words))
        parts = joint.parts if joint is not None else tuple(p for _, p in self.layout.parts(fifo, end))
        segments = []
        for number, part in enumerate(parts):
            if fifo.free_running or (end == 0 and joint is None and fifo.resends_values):
                segments.append(Segment(part.offset, part.length, part.leg, None, None))
                continue
            first = len(draft.locks)
            for port, count in ((FifoEnd.PRODUCE, depth - filled), (FifoEnd.CONSUME, filled)):
                label = f"{name}_{'prod' if port is FifoEnd.PRODUCE else 'cons'}_lock_{number}"
                draft.locks.append(Lock(len(draft.locks), label, count * repeat, fifo.name, port, number))
            segments.append(Segment(part.offset, part.length, part.leg, first, first + 1))
        pool = Pool(name, fifo.name, tile, names, tuple(segments), repeat)
        self.order.append(pool)
        return pool

    def _place_memory(self) -> None:
        for tile, draft in self.tiles.items():
            draft.buffers = list(place_buffers(tile, draft.buffers)[0])

    def _place_hosts(self) -> None:
        at = 0
        for host in self.design.hosts:
            self.hosts[host.name] = Buffer(host.name, at, host.obj.size, 0, host.name, 0)
            at += -(-host.obj.size // _HOST_ALIGN) * _HOST_ALIGN

    # -- channels and streams -----------------------------------------------------------------------------------------

    def _take_channels(self, fifo: Fifo) -> None:
        if self.layout.shared(fifo) is not None:
            return
        for end in range(1 + len(fifo.consumers)):
            tile = fifo.producer if end == 0 else fifo.consumers[end - 1]
            direction = Direction.MM2S if end == 0 else Direction.S2MM
            draft = self.tiles[tile]
            if fifo.streams(end):
                continue
            index = fifo.channel(end)
            if index is None:
                used = {c.index for c in draft.channels if c.direction is direction}
                index = next(n for n in itertools.count() if n not in used and n not in self.named[tile, direction])
            draft.channels.append(DmaChannel(direction, index, fifo.name, (), ()))
            self.channels[fifo.name, end] = index

    def _flows(self) -> tuple[Flow, ...]:
        flows: list[Flow] = []
        self.taken |= {f.packet[0] for f in self.design.fifos if f.packet is not None and f.packet[0] is not None}
        for fifo in self.design.fifos:
            if self.layout.shared(fifo) is not None:
                continue
            if fifo.packet is not None or self.packets:
                self._no_ports(fifo)
                number, kind = fifo.packet or (None, 0)
                if number is None:
                    number = next(n for n in itertools.count() if n not in self.taken)
                    self.taken.add(number)
                self.packet[fifo.name] = PacketHeader(number, kind)
            source = self._stream_end(fifo, 0, fifo.producer)
            dests = tuple(self._stream_end(fifo, 1 + i, t) for i, t in enumerate(fifo.consumers))
            flows.append(Flow(fifo.name, source, dests, self.packet.get(fifo.name)))
        if any(header.id >= PACKET_IDS for header in self.packet.values()):
            raise RuleError("packet-ids", f"{len(self.packet)} packet streams, there are {PACKET_IDS} ids")
        return tuple(flows)

    def _stream_end(self, fifo: Fifo, end: int, tile: Tile) -> StreamEnd:
        if fifo.stream is not None and fifo.streams(end):
            return StreamEnd(tile, fifo.stream[1], "Core")
        return StreamEnd(tile, self.channels[fifo.name, end])

    def _no_ports(self, fifo: Fifo) -> None:
        if fifo.streams(0):
            raise UsageError(f"{fifo.name}: a core's stream port sends no packet headers")

    # -- rings --------------------------------------------------------------------------------------------------------

    def _ring(self, fifo: Fifo, end: int) -> None:
        tile = fifo.producer if end == 0 else fifo.consumers[end - 1]
        draft = self.tiles[tile]
        direction = Direction.MM2S if end == 0 else Direction.S2MM
        index = self.channels[fifo.name, end]
        if tile.kind is TileKind.SHIM:
            bds, queue = self._transfers(fifo, end, tile)
        else:
            bds = self._bds(fifo, end, tile, index)
            repeat = 0
            if tile.kind is TileKind.MEM and fifo.iter_count is not None:
                bds[-1] = replace(bds[-1], next=None)
                repeat = fifo.iter_count - 1
            queue = [Task(bds[0].id, repeat)]
        at = next(i for i, c in enumerate(draft.channels) if (c.direction, c.index) == (direction, index))
        word = pad_word(fifo.pad_value, fifo.obj.dtype.itemsize) if any(bd.padding for bd in bds) else 0
        draft.channels[at] = DmaChannel(direction, index, fifo.name, tuple(bds), tuple(queue), word)

    def _bds(self, fifo: Fifo, end: int, tile: Tile, index: int) -> list[Bd]:
        draft, pool = self.tiles[tile], self.pools[fifo.name, end]
        places = {b.name: b for b in draft.buffers}
        joint = self.layout.joints.get((fifo.name, end))
        length = self.layout.length(fifo, end)
        dims, pads = self._walk(fifo, end, tile, length)
        send = end == 0
        order: list[tuple[str, int]] = []
        numbers = [n for n, _ in self.layout.parts(fifo, end)]
        for name in pool.buffers:
            for _ in range(pool.units if send else 1):
                order += [(name, n) for n in numbers]
        ids = [draft.take_bd(tile, index) for _ in order]
        bds = []
        for place, (name, number) in enumerate(order):
            part = pool.segments[number]
            take = part.consumer_lock if send else part.producer_lock
            give = part.producer_lock if send else part.consumer_lock
            units = 1 if send else pool.units
            whole = joint is None or joint.link.kind == "forward"
            bds.append(
                Bd(
                    id=ids[place],
                    buffer=name,
                    base_bytes=places[name].address + part.offset * WORD_BYTES,
                    length=length if whole else part.length,
                    dims=dims,
                    padding=pads,
                    acquire=None if take is None else LockUse(take, units),
                    release=None if give is None else LockUse(give, units),
                    next=ids[(place + 1) % len(ids)],
                    packet=self.packet.get(fifo.name) if send else None,
                    segment=number,
                )
            )
        return bds

    def _walk(self, fifo: Fifo, end: int, tile: Tile, length: int) -> tuple[tuple[Dim, ...], tuple[Pad, ...]]:
        written = fifo.to_stream if end == 0 else fifo.dims_from(end - 1)
        what = f"{fifo.name}, dims {list(written)}"
        item = self.layout.itemsize(fifo, end)
        dims = in_words(written, item, what, padded=end == 0 and bool(fifo.padding))
        pads: tuple[Pad, ...] = ()
        if end == 0 and tile.kind is TileKind.MEM:
            pads = pads_in_words(fifo.padding, item, what)[:3]
        return (dims, pads) if pads else (stretched(dims, length), ())

    # -- the host -----------------------------------------------------------------------------------------------------

    def _number_transfers(self) -> None:
        """Give each transfer the descriptor that it asks for, else the lowest that none has since the last wait."""
        taken: defaultdict[Tile, set[int]] = defaultdict(set)
        for wave in transfer_waves(self.design):
            asked = {(tile, move.bd) for _, move, tile in wave}
            used: set[tuple[Tile, int]] = set()
            for place, move, tile in wave:
                free = (n for n in bd_ids(tile, 0) if (tile, n) not in asked | used)
                number = next(free, 0) if move.bd is None else move.bd
                used.add((tile, number))
                # Descriptors that are written again need a name of their own in the plan.
                while number in taken[tile]:
                    number += tile.limits.bds
                taken[tile].add(number)
                self.numbers[place] = number

    def _transfers(self, fifo: Fifo, end: int, tile: Tile) -> tuple[list[Bd], list[Task]]:
        port = FifoEnd.PRODUCE if end == 0 else FifoEnd.CONSUME
        mine = [
            (self.numbers[n], t)
            for n, t in enumerate(self.design.transfers)
            if (t.fifo, t.port) == (fifo.name, port) and shim_of(fifo, port) == tile
        ]
        bds, queue = [], []
        for number, move in mine:
            bd, repeat = self._transfer(move, tile, number, self.packet.get(fifo.name) if end == 0 else None)
            bds.append(bd)
            queue.append(Task(number, repeat, move.token))
        return bds, queue

    def _transfer(self, move: Transfer, tile: Tile, number: int, packet: PacketHeader | None) -> tuple[Bd, int]:
        item = next(h.obj.dtype.itemsize for h in self.design.hosts if h.name == move.host)
        what = f"{f'{move.where}: ' if move.where else ''}{move.fifo}, transfer of {move.host}"
        walk, length, repeat, iteration = host_walk(move.dims, item, what)
        walk = tuple(fitting(tile.limits, length, walk))
        base = self.hosts[move.host].address + move.offset * item
        return Bd(number, move.host, base, length, walk, iteration, packet=packet), repeat

    # -- the summary --------------------------------------------------------------------------------------------------

    def _fifo(self, fifo: Fifo) -> FifoPlan:
        ends = []
        for end in range(1 + len(fifo.consumers)):
            pool = self.pools.get((fifo.name, end))
            numbers = [n for n, _ in self.layout.parts(fifo, end)]
            ends.append(
                End(
                    fifo=fifo.name,
                    port=FifoEnd.PRODUCE if end == 0 else FifoEnd.CONSUME,
                    consumer=max(0, end - 1),
                    tile=fifo.producer if end == 0 else fifo.consumers[end - 1],
                    pool=None if pool is None else pool.name,
                    segment=numbers[0] if len(numbers) == 1 else None,
                    channel=self.channels.get((fifo.name, end)),
                    linked=(fifo.name, end) in self.layout.joints,
                )
            )
        shared = self.layout.shared(fifo) is not None
        return FifoPlan(fifo.name, fifo.obj.shape, fifo.obj.type_name, fifo.depth, shared, tuple(ends), fifo.plio)
