# SPDX-License-Identifier: Apache-2.0
"""Record a run of an array as events, edges and accesses: what happens before what under every legal timing.

Actors are cores, channels, the host and control packets. Edges are locks, words on streams and cascades, tasks that are
started, and tokens. A channel accesses the bytes of a descriptor from its acquire (or its first word) to its last word. A
program accesses what it touches between two of its events.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.dma import LiveBd, LiveChannel, LiveTask, LiveWords
from goldbeat.pymodels.objfifo.live.lock import LiveLock
from goldbeat.pymodels.objfifo.live.streams import LiveSource, TilePort
from goldbeat.pymodels.objfifo.plan.plan import ChannelKey, Direction, HostStep
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, TileKind
from goldbeat.pymodels.order.byte_walk import ByteRuns, ByteWalk, byte_ranges
from goldbeat.pymodels.order.conflicts import OrderedAccess
from goldbeat.pymodels.order.counters import CountingSemaphore
from goldbeat.pymodels.order.partial_order import PartialOrder
from goldbeat.pymodels.order.watched_memory import Steps

CONTROL = "control packets"
_PIECES = 1 << 14
"""Most pieces in which a channel sends what others write; each is an access."""


@dataclass(frozen=True)
class Accessor:
    """Who accesses memory: an actor between two of its events, or in a use of a descriptor.

    Attributes:
        actor, number: which one.
        place: in the user's file; empty for channels.
        since: what a program did before.
    """

    actor: str
    number: int
    place: str = field(default="", compare=False)
    since: str = field(default="", compare=False)


@dataclass
class _Touched:
    """Reads or writes of a memory: the parts, and where the program stood, by the number of 64 bytes."""

    parts: list[tuple[int, int, Steps]] = field(default_factory=list)
    places: dict[int, str] = field(default_factory=dict)


@dataclass
class _Span:
    """What a program does between two events."""

    begin: int
    since: str
    touched: dict[tuple[Hashable, bool], _Touched] = field(default_factory=lambda: defaultdict(_Touched))


@dataclass
class _Use:
    """A descriptor at work."""

    begin: int
    walk: ByteRuns
    causes: set[int] = field(default_factory=set)
    first: int | None = None


class OrderRecorder:
    """Records an array from now on.

    Args:
        array: set up with :func:`watched_memories`, not yet run.
        line: the place in a script that is at work.

    Attributes:
        order: events and edges.
        accesses: of all actors.
        labels: what happens at events.
        host_steps: what the host started and waited for, in order.
        counters, lock_names: of each lock that was used, by its identity.
    """

    def __init__(self, array: LiveArray, line: Callable[[], str]) -> None:
        self.array = array
        self.order = PartialOrder()
        self.accesses: list[OrderedAccess] = []
        self.labels: dict[int, str] = {}
        self.host_steps: list[HostStep] = []
        self.counters: dict[int, CountingSemaphore] = {}
        self.lock_names: dict[int, str] = {}
        self._line = line
        self._last: dict[str, int] = {}
        self._spans: dict[str, _Span] = {}
        self._uses: dict[str, _Use] = {}
        self._numbers = 0
        self._walks: dict[tuple[int, int], tuple[LiveBd, ByteRuns]] = {}
        self._pushed = {c.name: deque([-1] * len(c.queue)) for c in array.channels.values()}
        self._tokens: defaultdict[ChannelKey, deque[int]] = defaultdict(deque)
        self._sent: defaultdict[Hashable, deque[int]] = defaultdict(deque)
        self._left: dict[str, int] = {}
        self._regions: list[tuple[int, int, Hashable]] = []
        array.watched_by(self)
        array.recorded_by(self)

    @property
    def lock_changes(self) -> Callable[[LiveLock, int, LiveChannel | None, bool], None]:
        """See :class:`ArrayWatch`."""
        return self._lock_changes

    # -- events

    def _event(self, actor: str, *after: int, what: str = "") -> int:
        found = self.order.event(actor, *(one for one in after if one >= 0))
        self._last[actor] = found
        if what:
            self.labels[found] = what
        if (span := self._spans.pop(actor, None)) is not None:
            self._close(actor, span, found)
        if actor not in self._pushed:
            self._spans[actor] = _Span(found, what)
        return found

    def _actor(self) -> str:
        return CONTROL if self.array.running is None else self.array.running.name

    def _known(self, actor: str) -> int:
        """The last event of an actor."""
        return self._last[actor] if actor in self._last else self._event(actor)

    def _channel(self, channel: LiveChannel) -> str:
        self._pushed.setdefault(channel.name, deque())
        return channel.name

    def _lock_changes(self, lock: LiveLock, difference: int, channel: LiveChannel | None, equal: bool) -> None:
        """See :data:`LockWatch`."""
        actor = self._actor() if channel is None else self._channel(channel)
        verb = "waited for" if equal else "acquired" if difference <= 0 else "released"
        where = self._place() if channel is None and difference > 0 else ""
        event = self._event(actor, what=f"has {verb} lock {lock.name}{f' in {where}' if where else ''}")
        counter = self.counters.setdefault(id(lock), CountingSemaphore(lock.value - difference))
        self.lock_names[id(lock)] = lock.name
        if equal:
            counter.equals(actor, event, lock.value)
        elif difference > 0:
            counter.release(actor, event, difference)
        else:
            counter.acquire(actor, event, -difference)

    # -- channels

    def task_pushed(self, channel: LiveChannel, task: LiveTask) -> None:
        """See :class:`ArrayWatch`."""
        if self.array.running is not None and self.array.running is self.array.host:
            key = (channel.tile, channel.direction, channel.index)
            self.host_steps.append(HostStep(key, self._chain(channel, task), task.token))
        self._pushed.setdefault(self._channel(channel), deque()).append(
            self._event(self._actor(), what="started a task")
        )

    def _chain(self, channel: LiveChannel, task: LiveTask) -> int:
        """How many descriptors a task has."""
        seen: set[Hashable] = set()
        following: Hashable | None = task.bd
        while following is not None and following not in seen:
            seen.add(following)
            following = self.array.bds[channel.tile][following].next
        return len(seen)

    def task_begins(self, channel: LiveChannel, task: LiveTask) -> None:
        """See :class:`ChannelWatch`."""
        pushed = self._pushed[self._channel(channel)]
        # What was queued otherwise was queued by the host.
        host = self.array.host
        cause = pushed.popleft() if pushed else -1 if host is None else self._last.get(host.name, -1)
        self._event(channel.name, cause, what="begins a task")

    def descriptor_begins(self, channel: LiveChannel, bd: LiveBd, use: int) -> None:
        """See :class:`ChannelWatch`."""
        name = self._channel(channel)
        key = id(bd), bd.moved(use)
        if key not in self._walks:
            self._walks[key] = bd, self._walk(channel, bd.addresses_of(use))
        self._uses[name] = _Use(self._known(name), self._walks[key][1])

    def _walk(self, channel: LiveChannel, words: npt.NDArray[np.int64]) -> ByteRuns:
        assert channel.bd is not None
        memory, first = self._region(channel.bd.memory)
        if channel.bd.shape()[2]:
            begin = first + int(words[0]) * WORD_BYTES
            return ByteRuns(memory, np.array([begin, begin + len(words) * WORD_BYTES]).tobytes())
        found = words[words >= 0] * WORD_BYTES + first
        return ByteRuns.of(memory, found, found + WORD_BYTES)

    def words_move(self, channel: LiveChannel, words: LiveWords) -> None:
        """See :class:`ChannelWatch`."""
        name, ends = self._channel(channel), len(words) == channel.left
        use = self._uses[name]
        if channel.direction is Direction.S2MM:
            use.causes.update(channel.causes)
            if use.first is None:
                use.first = self._event(name, *channel.causes[:1], what="takes the first word of a descriptor")
        if ends or channel.tile.kind is TileKind.SHIM:
            said = "has moved all words of a descriptor" if ends else "has moved words"
            done = self._event(name, *(use.causes if ends else channel.causes), what=said)
            if channel.tile.kind is TileKind.SHIM and not channel.compresses:
                # No lock keeps host arrays: each part of a transfer counts by itself.
                use.walk = self._walk(channel, channel.reached(len(words)))
            self._finish(name, channel, use, done)
            use.begin, use.first = done, None
        self._left[name] = self._known(name)
        if ends:
            del self._uses[name]

    def _finish(self, name: str, channel: LiveChannel, use: _Use, done: int) -> None:
        self._numbers += 1
        write = channel.direction is Direction.S2MM
        begin = use.begin if use.first is None else use.first
        self.accesses.append(OrderedAccess(Accessor(name, self._numbers), use.walk, write, begin, done))

    def descriptor_ends(self, channel: LiveChannel, run_ends: bool, following: LiveBd | None, runs: int) -> None:
        """See :class:`ChannelWatch`."""

    def forgotten(self, channel: LiveChannel) -> None:
        """See :class:`ChannelWatch`."""
        self._pushed[self._channel(channel)].clear()
        self._uses.pop(channel.name, None)
        self._event(channel.name, self._known(self._actor()))

    def token_given(self, key: ChannelKey) -> None:
        """A channel gives a token."""
        self._tokens[key].append(self._known(self._channel(self.array.channels[key])))

    def token_taken(self, key: ChannelKey) -> None:
        """A program has waited for a token."""
        self.host_steps.append(HostStep(key))
        self._event(self._actor(), self._tokens[key].popleft(), what="has waited for a token")

    # -- streams

    def words_sent(self, source: LiveSource, count: int) -> int:
        """Words leave; the event after which they do."""
        if source.channel is not None:
            return self._left.get(source.channel.name, -1)
        sent = self._sent[source.port]
        return [sent.popleft() if sent else self._last.get(CONTROL, -1) for _ in range(count)][-1]

    def core_sends(self, port: TilePort | str) -> None:
        """A core has put a word into a stream or a cascade."""
        self._sent[port].append(self._event(self._actor(), what=f"sent a word by {port}"))

    def core_receives(self, *causes: int) -> None:
        """A core has got a word of a stream."""
        self._event(self._actor(), *causes, what="received a word")

    def cascade_taken(self, name: str) -> None:
        """A core has got a value of a cascade."""
        self.core_receives(self._sent[name].popleft())

    def control_words(self, cause: int) -> None:
        """Control packets arrive."""
        self._event(CONTROL, cause)

    # -- memory

    def touched(self, memory: Hashable, first: int, run: int, steps: Steps, write: bool) -> None:
        """The program that is at work accesses memory."""
        if self.array.running is None:
            return
        actor = self.array.running.name
        span = self._spans.get(actor)
        if span is None:
            self._known(actor)
            span = self._spans[actor]
        found = span.touched[memory, write]
        part = (first, run, steps)
        if not found.parts or found.parts[-1] != part:
            found.parts.append(part)
            if first >> 6 not in found.places:
                found.places[first >> 6] = self._place()

    def _place(self) -> str:
        running = self.array.running
        where = None if running is None else self.array.places.get(running.name)
        return self._line().removesuffix(": ") if where is None else where()

    def _close(self, actor: str, span: _Span, end: int) -> None:
        self._numbers += 1
        for (memory, write), touched in span.touched.items():
            by_place: dict[str, list[tuple[int, int, Steps]]] = defaultdict(list)
            for part in touched.parts:
                by_place[touched.places[part[0] >> 6]].append(part)
            for place, some in by_place.items():
                who = Accessor(actor, self._numbers, place, span.since)
                self.accesses.append(OrderedAccess(who, _runs(memory, some), write, span.begin, end))

    def _region(self, words: npt.NDArray[np.uint32]) -> tuple[Hashable, int]:
        """The memory of words, and their first byte in it."""
        at = int(words.__array_interface__["data"][0])
        for _ in range(2):
            for first, size, memory in self._regions:
                if first <= at < first + size:
                    return memory, at - first
            named: list[tuple[Hashable, LiveWords]] = [*self.array.memories.items(), *self.array.hosts.items()]
            self._regions = [(int(w.__array_interface__["data"][0]), w.nbytes, memory) for memory, w in named]
        return "", at

    def shared_fills(self) -> dict[str, int]:
        """Channels that send what another channel writes, and the words in which a second record must send them.

        A piece counts as read when its first word arrives: only single words show which of them a receiver may overwrite.
        """
        walks: dict[bool, dict[tuple[str, Hashable], list[tuple[int, int]]]] = {True: {}, False: {}}
        for one in self.accesses:
            if not isinstance(one.walk.memory, Tile) and isinstance(one.who, Accessor) and not one.walk.empty:
                walks[one.write].setdefault((one.who.actor, one.walk.memory), []).append(one.walk.outline)
        found = {}
        for (name, memory), reads in walks[False].items():
            writes = [outline for (_, other), some in walks[True].items() if other == memory for outline in some]
            low, high = min(low for low, _ in reads), max(high for _, high in reads)
            if any(first < high and low < end for first, end in writes):
                found[name] = -(-sum(end - first for first, end in reads) // (WORD_BYTES * _PIECES))
        return found

    # -- the end

    def finish(self) -> None:
        """The run is over: what channels hold, or would take next, counts as theirs."""
        for channel in list(self.array.channels.values()):
            channel.held, seen = False, set[int]()
            while id(channel.bd) not in seen or channel.left:
                seen.add(id(channel.bd))
                channel.advance()
                if channel.name in self._uses:
                    use = self._uses.pop(channel.name)
                    self._finish(channel.name, channel, use, self._event(channel.name))
                channel.skip()
        for actor in list(self._spans):
            self._event(actor)


class ValueRecorder(OrderRecorder):
    """Records what programs write into a part of a memory too.

    Args:
        array, line: as :class:`OrderRecorder` takes them.
        part: the tile, its first byte, and the byte after the last one.

    Attributes:
        values: by program, and by byte, all values that it leaves there.
    """

    def __init__(self, array: LiveArray, line: Callable[[], str], part: tuple[Tile, int, int]) -> None:
        self.values: defaultdict[str, defaultdict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
        self._part = part
        self._written: list[tuple[str, int, int]] = []
        super().__init__(array, line)

    def _event(self, actor: str, *after: int, what: str = "") -> int:
        self._look()
        return super()._event(actor, *after, what=what)

    def touched(self, memory: Hashable, first: int, run: int, steps: Steps, write: bool) -> None:
        """See :class:`OrderRecorder`. A write is reported before it is done: its bytes are looked at when something else is."""
        if not write:
            self._look()
        super().touched(memory, first, run, steps, write)
        if write and memory == self._part[0] and self.array.running is not None:
            actor = self.array.running.name
            parts = byte_ranges(ByteWalk(memory, first, run, steps)) if steps else [(first, first + run)]
            self._written += [(actor, int(low), int(high)) for low, high in parts]

    def _look(self) -> None:
        tile, least, end = self._part
        for actor, low, high in self._written:
            held = self.array.memories[tile].view(np.uint8)
            for at in range(max(low, least), min(high, end)):
                self.values[actor][at].add(int(held[at]))
        self._written.clear()

    def alike(self, actors: tuple[str, str]) -> bool:
        """Whether two programs leave one and the same value in each byte that both write."""
        one, other = (self.values[actor] for actor in actors)
        common = one.keys() & other.keys()
        return bool(common) and all(len(one[at] | other[at]) == 1 for at in common)


def _runs(memory: Hashable, parts: list[tuple[int, int, Steps]]) -> ByteRuns:
    plain = [(first, first + run) for first, run, steps in parts if not steps]
    strided = [byte_ranges(ByteWalk(memory, *part)) for part in parts if part[2]]
    found = np.concatenate([np.array(plain, np.int64).reshape(-1, 2), *strided])
    return ByteRuns.of(memory, found[:, 0], found[:, 1])
