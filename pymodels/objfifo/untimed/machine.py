# SPDX-License-Identifier: Apache-2.0
"""A plan at work, without time: locks count, channels move words, cores acquire and release.

Every lock of a plan has one side that takes and one that gives, every channel one stream, and what an agent does next
never depends on who was faster: so every order of steps ends in the same state, and running one of them decides
whether a design hangs. With data or without is the caller's choice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.plan.access import LockAccess
from goldbeat.pymodels.objfifo.plan.core_streams import only_channels
from goldbeat.pymodels.objfifo.plan.plan import (
    Bd,
    Direction,
    DmaChannel,
    End,
    FifoEnd,
    Flow,
    Plan,
    Pool,
    Segment,
    TilePlan,
)
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind

LockKey = tuple[Tile, int]
_SLICE = 64
"""Steps an agent makes before the next one has its turn."""


class Mover(Protocol):
    """Who moves the data, if there is any."""

    def begin(self, tile: Tile, channel: DmaChannel, bd: Bd, use: int) -> None:
        """A descriptor starts; ``use`` counts its starts."""

    def move(self, flow: Flow, words: int) -> None:
        """So many words go from the source to every receiver of a stream."""


@dataclass(frozen=True)
class Wait:
    """What an agent waits for.

    Attributes:
        lock: the lock, None for a stream.
        needed: the value that it waits for, 0 for a stream.
        stream: the fifo whose stream it waits on, None for a lock.
        peers: for a stream, the agents at its other ends.
    """

    lock: LockKey | None
    needed: int
    stream: str | None = None
    peers: tuple[LockAgent, ...] = ()


class LockAgent:
    """Something that takes and gives locks.

    Attributes:
        name: for reports.
        tile: where it is.
        takes, gives: the locks it uses.
        wait: what stopped it, None if nothing did.
        done: True when it will never do anything more.
    """

    def __init__(self, name: str, tile: Tile) -> None:
        self.name = name
        self.tile = tile
        self.takes: set[LockKey] = set()
        self.gives: set[LockKey] = set()
        self.wait: Wait | None = None
        self.done = False

    def step(self, locks: dict[LockKey, int]) -> bool:
        """Go on as far as possible; True if there was anything to do."""
        raise NotImplementedError

    @property
    def met(self) -> bool:
        """True once it has done what is asked of it."""
        return True

    @property
    def state(self) -> str:
        """What it is doing, for reports."""
        return "has ended" if self.done else "runs"


class ChannelAgent(LockAgent):
    """One DMA channel.

    Attributes:
        left: words that the descriptor at work still has to move; 0 where it is not moving.
        passed: words that it has moved in all.
    """

    def __init__(self, tile: Tile, channel: DmaChannel, mover: Mover | None, endless: bool) -> None:
        super().__init__(f"{channel.name} of {tile} for {channel.fifo}", tile)
        self.channel = channel
        self.left = 0
        self.passed = 0
        self.free = not channel.queue and endless
        """A shim's end that nobody programmed: it gives or takes any number of words."""
        self._bds = {bd.id: bd for bd in channel.bds}
        self._mover = mover
        self._plan = self._sequence()
        self._bd: Bd | None = None
        self._uses: defaultdict[int, int] = defaultdict(int)
        for bd in channel.bds:
            if bd.acquire is not None:
                self.takes.add((tile, bd.acquire.lock))
            if bd.release is not None:
                self.gives.add((tile, bd.release.lock))
        self._advance()

    def _sequence(self) -> Iterator[Bd]:
        for task in self.channel.queue:
            for _ in range(task.repeat + 1):
                number: int | None = task.bd
                while number is not None:
                    yield self._bds[number]
                    number = self._bds[number].next

    def _advance(self) -> None:
        self._bd = next(self._plan, None)
        self.done = self._bd is None and not self.free

    def supply(self, words: int) -> None:
        """Make a shim's end give or take so many words and no more, whatever its tasks are."""
        self._bd, self._plan = None, iter(())
        self.free, self.left, self.done = False, words, words == 0

    def unbound(self) -> None:
        """Make a shim's end give or take any number of words, whatever its tasks are."""
        self._bd, self._plan = None, iter(())
        self.free, self.left, self.done = True, 0, False

    def step(self, locks: dict[LockKey, int]) -> bool:
        """Take the lock of the next descriptor."""
        bd = self._bd
        self.wait = None
        if self.left or bd is None:
            return False
        if bd.acquire is not None:
            key = (self.tile, bd.acquire.lock)
            if locks[key] < bd.acquire.value:
                self.wait = Wait(key, bd.acquire.value)
                return False
            locks[key] -= bd.acquire.value
        self.left = bd.length
        if self._mover is not None:
            self._mover.begin(self.tile, self.channel, bd, self._uses[bd.id])
        self._uses[bd.id] += 1
        return True

    def moved(self, words: int, locks: dict[LockKey, int]) -> None:
        """Words went by; with the last one the lock is given."""
        self.passed += words
        if self.free:
            return
        self.left -= words
        if self.left == 0:
            if self._bd is not None and self._bd.release is not None:
                locks[self.tile, self._bd.release.lock] += self._bd.release.value
            self._advance()

    @property
    def bd(self) -> Bd | None:
        """The descriptor that it works on or waits to begin; None at the end of its tasks."""
        return self._bd

    @property
    def met(self) -> bool:
        """A shim's channel is to end its tasks; the others only serve."""
        return self.done or self.tile.kind is not TileKind.SHIM or self.free

    @property
    def state(self) -> str:
        """What it is doing."""
        if self.done:
            return "has ended its tasks"
        return f"has {self.left} words of its descriptor to move" if self.left else "is between two descriptors"


class CoreEnd:
    """A core's hold on one end of a fifo.

    Attributes:
        pool: its objects.
        units: by how much an object counts.
        locked: False in a fifo without synchronization: nothing is ever waited for.
        held, oldest: objects that are held, and the number of the first.
    """

    def __init__(self, end: End, pool: Pool) -> None:
        segment: Segment = pool.segments[0]
        produce = end.port is FifoEnd.PRODUCE
        self.pool = pool
        self.units = pool.units if produce else 1
        self._name = end.fifo
        self._locks = segment.locks if produce else segment.locks[::-1]
        self.locked = bool(self._locks)
        self.held = 0
        self.oldest = 0

    @property
    def take(self) -> LockKey:
        """The lock that an acquire takes."""
        return self._lock(0)

    @property
    def give(self) -> LockKey:
        """The lock that a release gives."""
        return self._lock(1)

    def _lock(self, which: int) -> LockKey:
        if not self.locked:
            raise UsageError(f"{self._name} has no locks (disable_synchronization)")
        return self.pool.tile, self._locks[which]

    def names(self, count: int) -> list[str]:
        """The buffers of the oldest objects that are held."""
        return [self.pool.buffers[(self.oldest + i) % self.pool.depth] for i in range(count)]


class CoreAccesses(Protocol):
    """What a core does: the next access, None at the end of a pass, StopIteration at its end."""

    def __next__(self) -> LockAccess | None:
        """Go on, the access before having been granted."""


class CoreAgent(LockAgent):
    """One core's program, or one end of a fifo whose core has none.

    Args:
        name: for reports.
        tile: where it is.
        ends: the fifos' ends it uses.
        program: what it does.
        passes: how many of them are asked for; None asks for its end.
        granted: called for each acquire with the buffers that are held.
    """

    def __init__(
        self,
        name: str,
        tile: Tile,
        ends: dict[tuple[str, FifoEnd, int], CoreEnd],
        program: CoreAccesses,
        passes: int | None,
        granted: Callable[[LockAccess, CoreEnd], None] | None = None,
    ) -> None:
        super().__init__(name, tile)
        self.ends = ends
        self.takes = {e.take for e in ends.values() if e.locked}
        self.gives = {e.give for e in ends.values() if e.locked}
        self.passed = 0
        self.released = False
        self.many = False
        """It has so many passes that it may wait when all is done."""
        self.assumed = False
        """It stands for the program of a core that has none."""
        self._program = program
        self._asked = passes
        self._granted = granted
        self._access: LockAccess | None = None
        self._fresh = True

    def step(self, locks: dict[LockKey, int]) -> bool:
        """Go on until a lock stops it or its turn is over."""
        moved = False
        for _ in range(_SLICE):
            if self.done:
                return moved
            if self._fresh:
                try:
                    self._access = next(self._program)
                except StopIteration:
                    self.done, self.wait = True, None
                    return True
                self._fresh, moved = False, True
            if self._access is None:
                self.passed += 1
                self._fresh = True
                continue
            if not self._try(self._access, locks):
                return moved
            moved = self._fresh = True
        return moved

    @property
    def access(self) -> LockAccess | None:
        """The access that it waits at, None where it does not wait."""
        return None if self.wait is None else self._access

    def serve(self) -> None:
        """Ask for no passes: others decide when all is done."""
        if self._asked is not None or self.many:
            self._asked = 0

    def _try(self, access: LockAccess, locks: dict[LockKey, int]) -> bool:
        end = self.ends[access.key]
        if not access.acquire:
            self.released = True
            end.held -= access.count
            end.oldest += access.count
            if end.locked:
                locks[end.give] += access.count * end.units
            return True
        need = max(0, access.count - end.held) * end.units
        if end.locked and locks[end.take] < need:
            self.wait = Wait(end.take, need)
            return False
        if end.locked:
            locks[end.take] -= need
        self.wait = None
        end.held = max(end.held, access.count)
        if self._granted is not None:
            self._granted(access, end)
        return True

    @property
    def met(self) -> bool:
        """True after the passes that are asked for, or at its end."""
        return self.done or (self._asked is not None and self.passed >= self._asked)

    @property
    def state(self) -> str:
        """What it holds."""
        if self.done:
            return "has ended"
        held = [f"{e.held} object(s) of {key[0]}" for key, e in self.ends.items() if e.held]
        return "holds " + " and ".join(held) if held else "holds nothing"


class WordFlow:
    """One flow: words go when the source has some and every receiver takes them.

    Args:
        flow: from the plan.
        source, dests: its ends.
        storage: words that may be under way to a receiver; None for any number.
    """

    def __init__(
        self, flow: Flow, source: ChannelAgent, dests: list[ChannelAgent], storage: int | None, mover: Mover | None
    ) -> None:
        self.flow = flow
        self.source = source
        self.dests = dests
        self._storage = storage
        self._stored = [0] * len(dests)
        self._mover = mover

    def step(self, locks: dict[LockKey, int]) -> bool:
        """Move as many words as go at once."""
        moved = False
        if self._storage == 0:
            moved = self._straight(locks)
        else:
            for i, dest in enumerate(self.dests):
                count = self._stored[i] if dest.free else min(self._stored[i], dest.left)
                if count:
                    self._stored[i] -= count
                    dest.moved(count, locks)
                    moved = True
            room = 1 << 30 if self._storage is None else self._storage - max(self._stored)
            count = min(room, self.source.left)
            if self.source.free:
                count = max((d.left - s for d, s in zip(self.dests, self._stored, strict=True)), default=0)
            if count > 0:
                self._stored = [s + count for s in self._stored]
                self.source.moved(count, locks)
                moved = True
        self._blame()
        return moved

    def _straight(self, locks: dict[LockKey, int]) -> bool:
        busy = [a.left for a in (self.source, *self.dests) if not a.free]
        count = min(busy, default=0)
        if count == 0:
            return False
        if self._mover is not None:
            self._mover.move(self.flow, count)
        for agent in (self.source, *self.dests):
            agent.moved(count, locks)
        return True

    def _blame(self) -> None:
        idle = tuple(d for d in self.dests if not d.free and d.left == 0)
        if self.source.left and idle:
            self.source.wait = Wait(None, 0, self.flow.fifo, idle)
        for dest in self.dests:
            if not dest.left:
                continue
            if not self.source.free and self.source.left == 0:
                dest.wait = Wait(None, 0, self.flow.fifo, (self.source,))
            elif idle:
                dest.wait = Wait(None, 0, self.flow.fifo, idle)


def _whole(tile: TilePlan, channel: DmaChannel) -> None:
    for bd in channel.bds:
        if bd.length < 1:
            raise UsageError(
                f"{tile.tile}, {channel.name} of {channel.fifo}: buffer descriptor {bd.id} has {bd.length} words; "
                "it cannot be executed"
            )


class Machine:
    """All agents and streams of a plan.

    Args:
        plan: what they do.
        cores: the cores' agents.
        mover: moves the data, if there is any.
        storage: words that a stream holds under way.
        endless: shim ends without tasks give and take any number of words; PLIO ports always do.

    Raises:
        UsageError: a descriptor without words, which only lax planning makes; a fifo at a core's stream port.
    """

    def __init__(
        self,
        plan: Plan,
        cores: Iterable[CoreAgent],
        *,
        mover: Mover | None = None,
        storage: int | None = 0,
        endless: bool = True,
    ) -> None:
        only_channels(plan)
        for tile in plan.tiles:
            for channel in tile.channels:
                _whole(tile, channel)
        self.plan = plan
        self.locks: dict[LockKey, int] = {(t.tile, k.id): k.initial for t in plan.tiles for k in t.locks}
        ports = {f.name for f in plan.fifos if f.plio}
        self.channels = {
            (t.tile, c.direction, c.index): ChannelAgent(t.tile, c, mover, endless or c.fifo in ports)
            for t in plan.tiles
            for c in t.channels
        }
        self.cores = list(cores)
        self.streams = [
            WordFlow(
                flow,
                self.channels[flow.source.tile, Direction.MM2S, flow.source.channel],
                [self.channels[d.tile, Direction.S2MM, d.channel] for d in flow.dests],
                storage,
                mover,
            )
            for flow in plan.flows
        ]

    @property
    def active(self) -> bool:
        """A word has moved, or a core has released an object."""
        return any(c.passed for c in self.channels.values()) or any(c.released for c in self.cores)

    @property
    def agents(self) -> list[LockAgent]:
        """Channels and cores."""
        return [*self.channels.values(), *self.cores]

    def run(self, limit: int = 200_000, *, quiet: bool = False) -> bool | None:
        """Run until all is done that is asked for, or nothing moves.

        Where the host's tasks are part of it, they are what is asked for, not passes of programs without end.

        Args:
            limit: rounds in which every agent has its turn.
            quiet: go on until nothing moves.

        Returns:
            True when all is done, False when nothing moves before that, None after ``limit`` rounds.
        """
        verdict: bool | None = True
        for agents, streams in self._islands():
            if any(isinstance(a, ChannelAgent) and a.tile.kind is TileKind.SHIM and not a.free for a in agents):
                for agent in agents:
                    if isinstance(agent, CoreAgent):
                        agent.serve()
            one = self._run(agents, streams, limit, quiet)
            if one is not True:
                verdict = False if one is False or verdict is False else None
        return verdict

    def _run(self, agents: list[LockAgent], streams: list[WordFlow], limit: int, quiet: bool) -> bool | None:
        for _ in range(limit):
            moved = False
            for agent in agents:
                moved |= agent.step(self.locks)
            for stream in streams:
                moved |= stream.step(self.locks)
            if not (quiet and moved) and all(agent.met for agent in agents):
                return True
            if not moved:
                return False
        return None

    def _islands(self) -> list[tuple[list[LockAgent], list[WordFlow]]]:
        """Agents that have to do with each other: one island may stand still while another never ends."""
        head: dict[int, int] = {}

        def find(x: int) -> int:
            while head.setdefault(x, x) != x:
                x = head[x]
            return x

        users: dict[LockKey, LockAgent] = {}
        for agent in self.agents:
            for key in agent.takes | agent.gives:
                other = users.setdefault(key, agent)
                head[find(id(agent))] = find(id(other))
        for stream in self.streams:
            for dest in stream.dests:
                head[find(id(dest))] = find(id(stream.source))
        groups: dict[int, tuple[list[LockAgent], list[WordFlow]]] = {}
        for agent in self.agents:
            groups.setdefault(find(id(agent)), ([], []))[0].append(agent)
        for stream in self.streams:
            groups[find(id(stream.source))][1].append(stream)
        return list(groups.values())
