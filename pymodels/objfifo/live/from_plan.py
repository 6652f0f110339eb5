# SPDX-License-Identifier: Apache-2.0
"""Object FIFOs of a plan in a live array: buffers, locks, rings, streams, and the hold that cores have on them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.live.agent import Blocked, LiveAgent
from goldbeat.pymodels.objfifo.live.array import LiveArray, LiveBuffer
from goldbeat.pymodels.objfifo.live.dma import LiveBd, LiveChannel, LiveTask
from goldbeat.pymodels.objfifo.live.lock import LiveLock
from goldbeat.pymodels.objfifo.live.streams import TilePort
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import ChannelKey, Direction, FifoEnd, LockUse, PacketHeader, Plan, TilePlan
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, TileKind
from goldbeat.pymodels.objfifo.untimed.machine import CoreEnd
from goldbeat.pymodels.objfifo.untimed.recorded_cores import core_ends

PlanEnd = tuple[str, FifoEnd, int]


@dataclass
class LiveEnd:
    """A core's hold on one end of a fifo.

    Attributes:
        end: its pool and what it holds.
        tile: of the core.
        takes, gives: its locks; none in a fifo without synchronization.
        objects: the pool's buffers in order, with the fifo's own shape and type.
        before: objects that were held before the last acquire.
    """

    end: CoreEnd
    tile: Tile
    takes: LiveLock | None
    gives: LiveLock | None
    objects: list[LiveBuffer]
    before: int = 0

    def acquire(self, count: int) -> Blocked | None:
        """Hold ``count`` objects: what to wait for, None if they are held already."""
        self.before = self.end.held
        need = max(0, count - self.end.held) * self.end.units
        self.end.held = max(self.end.held, count)
        return self.takes.blocked(need) if need and self.takes is not None else None

    def held_by(self, core: LiveAgent) -> int:
        """Objects that a program without an end has and keeps, while it waits."""
        if core.done or self.takes is None:
            return 0
        waits = core.wait is not None and core.wait.text.startswith(self.takes.phrase)
        return self.before if waits else self.end.held

    def release(self, count: int) -> None:
        """Give the oldest objects."""
        self.end.held -= count
        self.end.oldest += count
        if self.gives is not None:
            self.gives.value += count * self.end.units

    def views(self, array: LiveArray, count: int) -> list[npt.NDArray[np.generic]]:
        """The oldest objects that are held."""
        found = [self.objects[(self.end.oldest + n) % len(self.objects)] for n in range(count)]
        return [array.view(one) for one in found]


@dataclass
class LiveFifos:
    """A plan's fifos in an array.

    Attributes:
        ends: what cores hold, by fifo, port and consumer.
        shims: the shim's channel of each fifo that has one.
        resident: other channels of each fifo with their first tasks, and its locks.
        headers: of fifos that a shim sends as packets.
        constant: fifos of initial values that nobody replaces, with the lock that lets a memory tile send them.
        filled: fifos whose objects are the host's, links included.
    """

    ends: dict[PlanEnd, LiveEnd]
    shims: dict[str, ChannelKey]
    resident: dict[str, list[tuple[LiveChannel, list[LiveTask], list[LiveLock]]]] = field(default_factory=dict)
    headers: dict[str, PacketHeader] = field(default_factory=dict)
    constant: dict[str, LiveLock] = field(default_factory=dict)
    filled: set[str] = field(default_factory=set)

    def send_again(self, array: LiveArray) -> bool:
        """Send initial values once more to a core that waits for them: newer compilers let a memory tile do so for ever.

        Returns:
            True if there was such a core.
        """
        waits = {agent.wait.text for agent in array.cores if agent.wait is not None and not agent.done}
        starved = {
            name
            for (name, port, _), hold in self.ends.items()
            if port is FifoEnd.CONSUME
            and name in self.constant
            and hold.takes
            and any(w.startswith(hold.takes.phrase) for w in waits)
        }
        for name in starved:
            self.constant[name].value += self.constant[name].initial
            array.remarks.append(f"the initial values of {name} are sent again; older compilers send them once")
        return bool(starved)

    def untaken(self, array: LiveArray) -> Iterator[str]:
        """Objects of the host that came to a core whose program never acquires them, or never gives them back.

        A program without an end goes on from there when the sequence runs again. One that has ended is loaded anew.
        """
        for (name, port, _), hold in self.ends.items():
            tile = hold.end.pool.tile
            if port is FifoEnd.PRODUCE or name not in self.filled or tile not in array.core_controls:
                continue
            if hold.takes is not None and (count := hold.takes.value // hold.end.units) > 0:
                yield f"{count} object(s) of {name} stay in {tile}: its program never acquires them"
            control = array.core_controls.get(hold.tile)
            if control is not None and (count := hold.held_by(control.agent)):
                yield (
                    f"{control.agent.name} still holds {count} object(s) of {name} at the end: "
                    "if the sequence runs again, it begins with them"
                )

    def rearm(self, name: str) -> None:
        """Reset a fifo's channels other than the shim's, set their locks as at the start, start them again.

        Raises:
            UsageError: no fifo with such channels.
        """
        if name not in self.resident:
            raise UsageError(f"there is no fifo {name!r} with channels of core or memory tiles")
        for channel, tasks, locks in self.resident[name]:
            channel.clear()
            channel.queue += tasks
            for lock in locks:
                lock.value = lock.initial


def add_plan(array: LiveArray, plan: Plan, pinned: Mapping[Tile, Collection[int]] | None = None) -> LiveFifos:
    """Put a plan's tiles and streams into an array; the shim's queues are the sequence's.

    Args:
        array: what it becomes part of.
        plan: object fifos, lowered.
        pinned: numbers of locks that are others', beside those that the array has; fifos' locks take the next free ones.
    """
    numbers = _lock_numbers(array, plan, pinned or {})
    made: dict[str, LiveBuffer] = {}
    found = LiveFifos({}, {})
    for tile in plan.tiles:
        if tile.tile.kind is not TileKind.SHIM:
            _tile(array, tile, made, found, numbers)
    for flow in plan.flows:
        source = TilePort(flow.source.tile, flow.source.bundle, flow.source.channel)
        dests = [TilePort(d.tile, d.bundle, d.channel) for d in flow.dests]
        array.flow(source, dests, None if flow.packet is None else flow.packet.id)
        if flow.packet is not None and source.tile.kind is TileKind.SHIM:
            found.headers[flow.fifo] = flow.packet
    found.ends = live_ends(array, plan, made, numbers)
    types = {f.name: ObjectType(f.shape, np.dtype(f.dtype)) for f in plan.fifos}
    for fifo in plan.fifos:
        for one in fifo.ends:
            if one.tile.kind is TileKind.SHIM and one.channel is not None:
                way = Direction.MM2S if one.port is FifoEnd.PRODUCE else Direction.S2MM
                found.shims[fifo.name] = shim = (one.tile, way, one.channel)
                array.objects[shim] = fifo.name, types[fifo.name].size // WORD_BYTES
    found.filled = _host_filled(plan)
    array.rescues.append(lambda: found.send_again(array))
    array.leftovers.append(lambda: found.untaken(array))
    return found


def live_ends(
    array: LiveArray,
    plan: Plan,
    buffers: Mapping[str, LiveBuffer],
    numbers: Mapping[tuple[Tile, int], int] | None = None,
) -> dict[PlanEnd, LiveEnd]:
    """What cores hold.

    Args:
        array: with the plan's locks and buffers.
        plan: it.
        buffers: the array's, by their names in the plan.
        numbers: of the plan's locks in the array; None: as in the plan.
    """
    types = {f.name: ObjectType(f.shape, np.dtype(f.dtype)) for f in plan.fifos}
    found = {}
    for key, (core, end) in core_ends(plan).items():
        held = [buffers[name] for name in end.pool.buffers]
        objects = [LiveBuffer(one.tile, one.name, types[key[0]], one.address) for one in held]
        takes = gives = None
        if end.locked:
            takes, gives = (array.lock(at[0], at[1] if numbers is None else numbers[at]) for at in (end.take, end.give))
        found[key] = LiveEnd(end, core, takes, gives, objects)
    return found


def _host_filled(plan: Plan) -> set[str]:
    """Fifos that carry only what the host sends."""
    ends = [end for fifo in plan.fifos for end in fifo.ends]
    made = [end for end in ends if end.port is FifoEnd.PRODUCE]
    into = {end.fifo: {e.fifo for e in ends if e.port is FifoEnd.CONSUME and e.pool == end.pool} for end in made}
    found = {end.fifo for end in made if end.tile.kind is TileKind.SHIM}
    while more := {name for name, sources in into.items() if sources and sources <= found} - found:
        found |= more
    return found


def _lock_numbers(array: LiveArray, plan: Plan, pinned: Mapping[Tile, Collection[int]]) -> dict[tuple[Tile, int], int]:
    """The number of each lock of a plan: its own, unless somebody else has it.

    Raises:
        UsageError: more locks than a tile has.
    """
    found = {}
    for tile in plan.tiles:
        others = {*array.locks[tile.tile], *pinned.get(tile.tile, ())}
        free = (n for n in range(tile.tile.limits.locks) if n not in others and n not in {k.id for k in tile.locks})
        for lock in tile.locks:
            number = lock.id if lock.id not in others else next(free, None)
            if number is None:
                raise UsageError(f"{tile.tile}: more locks than it has")
            found[tile.tile, lock.id] = number
    return found


def _tile(
    array: LiveArray,
    plan: TilePlan,
    made: dict[str, LiveBuffer],
    found: LiveFifos,
    numbers: Mapping[tuple[Tile, int], int],
) -> None:
    tile = plan.tile
    end = max((b.address + b.size for b in plan.buffers), default=0)
    array.grow(tile, end)
    for buffer in plan.buffers:
        obj = ObjectType((buffer.size // WORD_BYTES,), np.dtype(np.uint32))
        one = LiveBuffer(tile, buffer.name, obj, buffer.address)
        if buffer.initial is not None:
            one.initial = np.zeros(obj.elements, np.uint32)
            one.initial[: len(buffer.initial)] = buffer.initial
        made[buffer.name] = array.add_buffer(one)
    for lock in plan.locks:
        array.lock(tile, numbers[tile, lock.id], name=lock.name, initial=lock.initial).of_objects = True

    def lock_of(use: LockUse) -> LiveLock:
        return array.lock(tile, numbers[tile, use.lock])

    inward = [bd for c in plan.channels if c.direction is Direction.S2MM for bd in c.bds]
    filled = [lock_of(bd.release) for bd in inward if bd.release is not None]
    for channel in plan.channels:
        live = array.channel(tile, channel.direction, channel.index)
        live.fifo = channel.fifo
        sends = tile.kind is TileKind.MEM and channel.direction is Direction.MM2S
        for bd in channel.bds:
            takes = None if bd.acquire is None else (lock_of(bd.acquire), bd.acquire.value, False)
            gives = None if bd.release is None else (lock_of(bd.release), bd.release.value)
            if takes is not None and sends and takes[0].initial and takes[0] not in filled:
                found.constant[channel.fifo] = takes[0]
            array.bds[tile][bd.id] = LiveBd(bd, array.memory(tile), takes, gives, bd.next, channel.pad_value)
        tasks = [LiveTask(t.bd, t.repeat, t.token) for t in channel.queue]
        live.queue += tasks
        locks = [lock_of(use) for bd in channel.bds for use in (bd.acquire, bd.release) if use is not None]
        found.resident.setdefault(channel.fifo, []).append((live, tasks, locks))
