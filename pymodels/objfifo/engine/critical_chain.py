# SPDX-License-Identifier: Apache-2.0
"""What held up what in a run of the array under ``npu1``: the chain of events that makes its length, from the end to the start.

Every event of the model waits for others: a word for the word before it, for room and for its source; a descriptor for its lock;
a task for the controller. Of these the chain takes the one that came last. What is left beside it is arbitration.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import NamedTuple

from goldbeat.pymodels.axis.skid import SKID_DEPTH, SKID_LATENCY
from goldbeat.pymodels.objfifo.engine import npu1
from goldbeat.pymodels.objfifo.engine.array import ArrayRun, FromOutside, ToOutside
from goldbeat.pymodels.objfifo.engine.hop import Hop, HopSource, HopTarget
from goldbeat.pymodels.objfifo.engine.npu1_array_ends import BoundedWay, Npu1EngineIn, Npu1EngineOut
from goldbeat.pymodels.objfifo.engine.npu1_controller import ControllerStart
from goldbeat.pymodels.objfifo.engine.npu1_engine import DescriptorEdges, Npu1Engine
from goldbeat.pymodels.objfifo.engine.packet_switch import PacketSender
from goldbeat.pymodels.objfifo.plan.plan import ChannelKey


class TimePart(StrEnum):
    """Who needs time."""

    CONTROLLER = "controller"
    SHIM = "shim"
    STREAMS = "streams"
    LOCKS = "locks"
    CORES = "cores"
    ARBITRATION = "arbitration"


@dataclass(frozen=True)
class ChainSegment:
    """A part of the chain.

    Attributes:
        begin, end: cycles.
        part, what: who needs the time.
    """

    begin: float
    end: float
    part: TimePart
    what: str

    @property
    def cycles(self) -> float:
        """How long it takes."""
        return self.end - self.begin


@dataclass(frozen=True)
class HostStream:
    """The tasks of a channel of a shim.

    Attributes:
        fifo: whose words they move.
        outside: number of the array's stream.
        fills: they send to the array.
        first, last: number of the first and of the last beat of each task.
        started, ended: when each was in its queue, and when it ended.
        least: cycles of each by itself.
    """

    fifo: str
    outside: int
    fills: bool
    first: tuple[int, ...]
    last: tuple[int, ...]
    started: tuple[float, ...]
    ended: tuple[float, ...]
    least: tuple[float, ...]


@dataclass(frozen=True)
class ArrayNames:
    """What the parts of an array are called.

    Attributes:
        channels: the fifo of a DMA channel, or the core that a channel stands for, by engine and channel.
        locks: by engine and number.
    """

    channels: Mapping[tuple[int, int], str]
    locks: Mapping[tuple[int, int], str]


class CriticalEvent(NamedTuple):
    """An event of a run.

    Attributes:
        kind: what happens.
        a, b: where: an engine and its channel, or the number of a stream.
        n: which word, descriptor or task.
    """

    kind: str
    a: int = 0
    b: int = 0
    n: int = 0


class _Cause(NamedTuple):
    """An event that another one waited for, at least ``delay`` cycles before it, and who needs these."""

    event: CriticalEvent
    delay: float
    part: TimePart
    what: str


_BEGIN = CriticalEvent("begin")

_LISTS = {"start": "started", "grant": "granted", "enter": "entered", "load": "fetched", "release": "released"}
"""Which edges of a descriptor an event is one of."""


class CriticalChain:
    """The chain of a run.

    Args:
        run: of the array under ``npu1``, with the end of a descriptor at its last fetch.
        names: of its parts.
        host: tasks of the shims' channels, by channel.
        controller: what the controller started, in order; empty: all tasks at the start.
    """

    def __init__(
        self,
        run: ArrayRun,
        names: ArrayNames,
        host: Mapping[ChannelKey, HostStream],
        controller: Sequence[ControllerStart],
    ) -> None:
        self._run, self._names, self._controller = run, names, controller
        self._keys = [*host]
        self._host = [*host.values()]
        self._starts = {(start.channel, start.place): n for n, start in enumerate(controller)}
        self._edges: dict[tuple[int, int], DescriptorEdges] = {}
        self._first: dict[tuple[int, int], list[int]] = {}
        self._ends: dict[int, tuple[int, int]] = {}
        self._cores: set[tuple[int, int]] = set()
        self._by_header: set[tuple[int, int]] = set()
        self._releases: defaultdict[tuple[int, int], list[tuple[int, int, int]]] = defaultdict(list)
        self._senders: list[PacketSender] = [*run.packets.senders.values()]
        self._numbers = {id(sender): s for s, sender in enumerate(self._senders)}
        self._places = {
            id(target): {(self._numbers[id(sender)], n): place for place, (sender, n) in enumerate(arrivals)}
            for target, arrivals in run.packets.arrivals.items()
        }
        self._fills = {id(run.inside[one.outside]): k for k, one in enumerate(self._host) if one.fills}
        self._whose: dict[int, tuple[TimePart, str]] = {}
        self._out_of: dict[int, CriticalEvent] = {}
        self._into: dict[int, tuple[int, Hop]] = {}
        self._index()
        self._of = {
            "move": self._move, "sent": self._sent, "take": self._take, "fetch": self._fetch, "start": self._start,
            "grant": self._grant, "enter": self._enter, "load": self._load, "out": self._out, "release": self._release,
            "begun": self._begun, "ended": self._ended, "started": self._started, "turned": self._turned,
        }  # fmt: skip

    def _index(self) -> None:
        for e, engine in enumerate(self._run.engines):
            assert isinstance(engine, Npu1Engine)
            for c, edges in enumerate(engine.edges):
                self._edges[e, c] = edges
                headers = int(engine.channels[c].by_header)
                if headers:
                    self._by_header.add((e, c))
                self._first[e, c] = [0, *accumulate(words + headers for words in edges.words)]
                self._ends[id(engine.ends[c])] = e, c
                if engine.channels[c].of_core:
                    self._cores.add((e, c))
                for d, at in enumerate(edges.released):
                    if (given := edges.descriptors[d].release) is not None:
                        self._releases[e, given[0]].append((at, c, d))
        for releases in self._releases.values():
            releases.sort()
        for h, hop in enumerate(self._run.hops):
            self._out_of[id(hop.source)] = CriticalEvent("move", h)
            for target in hop.targets:
                self._into[id(target)] = h, hop
        for s, sender in enumerate(self._senders):
            self._out_of[id(sender.words)] = CriticalEvent("sent", s)

    def segments(self) -> list[ChainSegment]:
        """The chain from the start to the end of the last task; neighbours of one part are joined."""
        ends = [
            (one.ended[-1], CriticalEvent("ended", k, 0, len(one.ended) - 1))
            for k, one in enumerate(self._host)
            if one.ended
        ]
        if not ends:
            return []
        at, event = max(ends)
        found: list[ChainSegment] = []
        while event != _BEGIN:
            best = self._cause(event)
            before = self._time(best.event)
            spare = TimePart.LOCKS if event.kind == "grant" else TimePart.ARBITRATION
            if at > before + best.delay:
                _put(found, ChainSegment(before + best.delay, at, spare, best.what))
            if best.delay:
                _put(found, ChainSegment(before, before + best.delay, best.part, best.what))
            at, event = before, best.event
        return found[::-1]

    def spare(self, event: CriticalEvent) -> float:
        """Cycles from the last of its causes to an event: those of arbitration."""
        best = self._cause(event)
        return self._time(event) - self._time(best.event) - best.delay

    def _cause(self, event: CriticalEvent) -> _Cause:
        """What an event waited for last."""
        return max(self._of[event.kind](event), key=lambda cause: self._time(cause.event) + cause.delay)

    # -- when

    def _time(self, event: CriticalEvent) -> float:
        kind, a, b, n = event
        if kind == "begin":
            return 0.0
        if kind == "move":
            return self._run.hops[a].edges[n]
        if kind == "sent":
            return self._senders[a].edges[n]
        if kind in ("begun", "ended", "started"):
            return self._host_time(kind, a, n)
        if kind == "turned":
            return self._controller[n].begin + self._controller[n].waits
        if kind == "out":
            return self._run.outside[a].left[n]
        if kind in ("take", "fetch"):
            end = self._run.engines[a].ends[b]
            return int((end.takes if kind == "take" else end.fetches)[n])
        return int(getattr(self._edges[a, b], _LISTS[kind])[n])

    def _host_time(self, kind: str, stream: int, task: int) -> float:
        one = self._host[stream]
        if kind == "started":
            return one.started[task] if task < len(one.started) else 0.0
        if kind == "ended":
            return one.ended[task]
        return max(self._host_time("started", stream, task), one.ended[task - 1] if task else 0.0)

    # -- words

    def _word(self, end: HopTarget, n: int) -> CriticalEvent:
        """The move that brought a word to a target."""
        found = self._into.get(id(end))
        if found is not None:
            return CriticalEvent("move", found[0], 0, n)
        sender, which = self._run.packets.arrivals[end][n]
        return CriticalEvent("sent", self._numbers[id(sender)], 0, which)

    def _part(self, channel: tuple[int, int]) -> tuple[TimePart, str]:
        part = TimePart.CORES if channel in self._cores else TimePart.STREAMS
        return part, self._names.channels.get(channel, "")

    def _stream(self, hop: Hop) -> tuple[TimePart, str]:
        """Whose words go over a hop."""
        while isinstance(hop.source, BoundedWay) and id(hop.source) in self._into:
            hop = self._into[id(hop.source)][1]
        if id(hop.source) in self._ends:
            return self._part(self._ends[id(hop.source)])
        if id(hop.source) in self._fills:
            return TimePart.STREAMS, self._host[self._fills[id(hop.source)]].fifo
        targets = list(hop.targets)
        for target in targets:
            if id(target) in self._ends:
                return self._part(self._ends[id(target)])
            if isinstance(target, BoundedWay):
                targets += self._run.hops[self._out_of[id(target)].a].targets
        return TimePart.STREAMS, ""

    def _move(self, event: CriticalEvent) -> list[_Cause]:
        """A word goes from a source to all its targets."""
        hop, n = self._run.hops[event.a], event.n
        if event.a not in self._whose:
            self._whose[event.a] = self._stream(hop)
        whose = self._whose[event.a]
        found = self._there(hop.source, event, whose)
        for target in hop.targets:
            found += self._room(target, n, event._replace(n=n - 1), whose)
        return found or [_Cause(_BEGIN, 0, *whose)]

    def _sent(self, event: CriticalEvent) -> list[_Cause]:
        """A word of a packet goes through its arbiter."""
        sender = self._senders[event.a]
        whose = (TimePart.STREAMS, self._sender_name(sender))
        found = self._there(sender.words, event, whose)
        for target in self._run.packets.arrivals:
            if (place := self._places[id(target)].get((event.a, event.n))) is not None:
                found += self._room(target, place, event._replace(n=event.n - 1), whose)
        return found or [_Cause(_BEGIN, 0, *whose)]

    def _sender_name(self, sender: PacketSender) -> str:
        """The fifo of a source of packets."""
        source = sender.words
        if isinstance(source, BoundedWay):
            source = self._into[id(source)][1].source
        if id(source) in self._ends:
            return self._names.channels.get(self._ends[id(source)], "")
        return self._host[self._fills[id(source)]].fifo if id(source) in self._fills else ""

    def _there(self, source: HopSource, event: CriticalEvent, whose: tuple[TimePart, str]) -> list[_Cause]:
        """What a word's source waited for."""
        n, before = event.n, event._replace(n=event.n - 1)
        found = [_Cause(before, 1, *whose)] if n else []
        if isinstance(source, BoundedWay):
            found.append(_Cause(self._word(source, n), source.latency, *whose))
        elif isinstance(source, Npu1EngineOut):
            e, c = self._ends[id(source)]
            found.append(_Cause(CriticalEvent("fetch", e, c, n), self._latency(e), *whose))
            if n and _at(self._first[e, c], n) is not None:
                found[0] = _Cause(before, 1 + npu1.OUT_BUBBLE, *whose)
        elif isinstance(source, FromOutside):
            found += self._offered(source, event, whose)
        return found

    def _latency(self, engine: int) -> int:
        found = self._run.engines[engine]
        assert isinstance(found, Npu1Engine)
        return found.tile.out_latency

    def _offered(self, source: FromOutside, event: CriticalEvent, whose: tuple[TimePart, str]) -> list[_Cause]:
        """A word that comes from outside: at the start of a fill, behind a gap, or behind the word before it."""
        gap, before = int(source.gaps[event.n]), event._replace(n=event.n - 1)
        k = self._fills.get(id(source))
        if k is not None and (task := _at(self._host[k].first, event.n)) is not None:
            begun = CriticalEvent("begun", k, 0, task)
            offered = (self._time(before) + 1 if event.n else 0) + gap
            cycles = max(0.0, offered - self._time(begun))
            return [_Cause(begun, cycles, TimePart.SHIM, f"{whose[1]}: start of a fill")]
        if event.n and gap:
            return [_Cause(before, 1 + gap, TimePart.SHIM, f"{whose[1]}: gaps of the host's memory")]
        return []

    def _room(self, target: HopTarget, n: int, before: CriticalEvent, whose: tuple[TimePart, str]) -> list[_Cause]:
        """What a target waited for, until it had room for its word n."""
        if isinstance(target, BoundedWay):
            place = n - target.depth
            return [_Cause(self._out_of[id(target)]._replace(n=place), target.latency, *whose)] if place >= 0 else []
        if isinstance(target, ToOutside):
            x = self._run.outside.index(target)
            return [_Cause(CriticalEvent("out", x, 0, n - SKID_DEPTH), 1, *whose)] if n >= SKID_DEPTH else []
        if not isinstance(target, Npu1EngineIn):
            return []
        e, c = self._ends[id(target)]
        part, name = self._part((e, c))
        found = []
        header = (e, c) in self._by_header
        if header and _at(self._first[e, c], n) is not None:
            # It is awaited from the end of the descriptor before it on, the first one from the start on.
            awaited = _Cause(CriticalEvent("take", e, c, n - 1), npu1.HAND_TO_ACCEPT, part, name)
            found.append(awaited if n else _Cause(_BEGIN, self._time(before._replace(n=n)), part, name))
        elif (run := _at(self._first[e, c], n - header)) is not None:
            found.append(_Cause(CriticalEvent("load", e, c, run), npu1.HAND_TO_ACCEPT, part, name))
            if n and before.n >= 0:
                bubble = 0 if (e, c) in self._cores else npu1.IN_BUBBLE
                found.append(_Cause(self._word(target, n - 1), 1 + bubble, part, name))
        if n >= npu1.IN_DEPTH:
            found.append(_Cause(CriticalEvent("take", e, c, n - npu1.IN_DEPTH), 1, part, name))
        return found

    def _take(self, event: CriticalEvent) -> list[_Cause]:
        """A word leaves an input FIFO."""
        _, e, c, n = event
        part, name = self._part((e, c))
        brought = _Cause(self._word(self._run.engines[e].ends[c], n), npu1.IN_LATENCY, part, name)
        header = (e, c) in self._by_header
        run = bisect_right(self._first[e, c], n) - 1
        if n == self._first[e, c][run] + header:
            return [_Cause(CriticalEvent("start", e, c, run), 1, part, name), brought]
        return [_Cause(event._replace(n=n - 1), 1, part, name), brought] if n else [brought]

    def _fetch(self, event: CriticalEvent) -> list[_Cause]:
        """Words are fetched for an output, those of one access at once."""
        _, e, c, n = event
        part, name = self._part((e, c))
        end = self._run.engines[e].ends[c]
        first = n
        while first and end.fetches[first - 1] == end.fetches[n]:
            first -= 1
        last = bisect_right(end.fetches, end.fetches[n]) - 1
        run = bisect_right(self._first[e, c], first) - 1
        if first == self._first[e, c][run]:
            found = [_Cause(CriticalEvent("start", e, c, run), 1, part, name)]
        else:
            found = [_Cause(event._replace(n=first - 1), 1, part, name)]
        spent = last - self._tile_depth(e)
        if spent >= 0:
            found.append(_Cause(self._out_of[id(end)]._replace(n=spent), 1, part, name))
        return found

    def _tile_depth(self, engine: int) -> int:
        found = self._run.engines[engine]
        assert isinstance(found, Npu1Engine)
        return found.tile.out_depth

    def _out(self, event: CriticalEvent) -> list[_Cause]:
        """A word leaves the array."""
        _, x, _, n = event
        target = self._run.outside[x]
        name = next((one.fifo for one in self._host if not one.fills and one.outside == x), "")
        found = [_Cause(self._word(target, n), SKID_LATENCY, TimePart.STREAMS, name)]
        return [*found, _Cause(event._replace(n=n - 1), 1, TimePart.STREAMS, name)] if n else found

    # -- descriptors

    def _start(self, event: CriticalEvent) -> list[_Cause]:
        """A descriptor comes to work."""
        _, e, c, d = event
        part, name = self._part((e, c))
        edges = self._edges[e, c]
        found = []
        if edges.granted[d] >= 0:
            locks = TimePart.LOCKS, self._lock(e, c, d)
            found.append(_Cause(event._replace(kind="grant"), edges.ready[d] - edges.granted[d], *locks))
        else:
            found.append(_Cause(event._replace(kind="enter"), 1, part, name))
        return [*found, self._finished(e, c, d - 1, 0, part, name)] if d else found

    def _finished(self, e: int, c: int, d: int, delay: float, part: TimePart, what: str) -> _Cause:
        """Behind the last word of a descriptor."""
        kind = "take" if self._is_input(e, c) else "fetch"
        return _Cause(CriticalEvent(kind, e, c, self._first[e, c][d + 1] - 1), delay, part, what)

    def _is_input(self, e: int, c: int) -> bool:
        return isinstance(self._run.engines[e].ends[c], Npu1EngineIn)

    def _lock(self, e: int, c: int, d: int) -> str:
        acquire = self._edges[e, c].descriptors[d].acquire
        return "" if acquire is None else self._names.locks.get((e, acquire[0]), "")

    def _grant(self, event: CriticalEvent) -> list[_Cause]:
        """A descriptor gets its lock."""
        _, e, c, d = event
        part, name = self._part((e, c))
        found = [_Cause(event._replace(kind="enter"), 1, part, name)]
        acquire = self._edges[e, c].descriptors[d].acquire
        assert acquire is not None
        releases = self._releases[e, acquire[0]]
        # The last one that shows at the edge of the grant.
        place = bisect_right(releases, (self._edges[e, c].granted[d] - 1, 1 << 30, 0)) - 1
        if place >= 0:
            _, other, which = releases[place]
            found.append(_Cause(CriticalEvent("release", e, other, which), 1, TimePart.LOCKS, self._lock(e, c, d)))
        return found

    def _release(self, event: CriticalEvent) -> list[_Cause]:
        """A lock has its new value."""
        _, e, c, d = event
        given = self._edges[e, c].descriptors[d].release
        assert given is not None
        name = self._names.locks.get((e, given[0]), "")
        finish = self._edges[e, c].finished[d]
        return [self._finished(e, c, d, self._time(event) - finish, TimePart.LOCKS, name)]

    def _enter(self, event: CriticalEvent) -> list[_Cause]:
        """A descriptor queues for its lock."""
        whose = self._part((event.a, event.b))
        found = [_Cause(event._replace(kind="load"), 1, *whose)]
        return [*found, _Cause(event._replace(kind="start", n=event.n - 1), 0, *whose)] if event.n else found

    def _load(self, event: CriticalEvent) -> list[_Cause]:
        """A descriptor is read."""
        whose = self._part((event.a, event.b))
        if (event.a, event.b) in self._by_header:
            named = self._first[event.a, event.b][event.n]
            return [_Cause(CriticalEvent("take", event.a, event.b, named), 1, *whose)]
        if not event.n:
            return [_Cause(_BEGIN, self._time(event), *whose)]
        before = event._replace(n=event.n - 1)
        return [_Cause(before, 1, *whose), _Cause(before._replace(kind="enter"), 0, *whose)]

    # -- the host

    def _begun(self, event: CriticalEvent) -> list[_Cause]:
        """A task is at work: it is in its queue, and the one before it has ended."""
        one = self._host[event.a]
        found = [_Cause(event._replace(kind="started"), 0, TimePart.SHIM, one.fifo)]
        before = event._replace(kind="ended", n=event.n - 1)
        return [*found, _Cause(before, 0, TimePart.SHIM, one.fifo)] if event.n else found

    def _ended(self, event: CriticalEvent) -> list[_Cause]:
        """A task ends behind its last word; a drain takes its own time, too."""
        one, n = self._host[event.a], event.n
        if one.fills:
            source = self._run.inside[one.outside]
            return [_Cause(self._out_of[id(source)]._replace(n=one.last[n]), 1, TimePart.STREAMS, one.fifo)]
        drain = _Cause(event._replace(kind="begun"), one.least[n], TimePart.SHIM, f"{one.fifo}: a drain by itself")
        return [_Cause(CriticalEvent("out", one.outside, 0, one.last[n]), 1, TimePart.STREAMS, one.fifo), drain]

    def _started(self, event: CriticalEvent) -> list[_Cause]:
        """The controller has written a task."""
        number = self._starts.get((self._keys[event.a], event.n))
        if number is None:
            return [_Cause(_BEGIN, 0, TimePart.CONTROLLER, "")]
        turned = CriticalEvent("turned", n=number)
        cost = self._controller[number].end - self._time(turned)
        return [_Cause(turned, cost, TimePart.CONTROLLER, "writes of tasks")]

    def _turned(self, event: CriticalEvent) -> list[_Cause]:
        """The controller comes to a task, behind the one before it or behind a wait."""
        start = self._controller[event.n]
        before = _BEGIN
        if start.after is not None:
            before = CriticalEvent("ended", self._keys.index(start.after[0]), 0, start.after[1])
        elif event.n:
            one = self._controller[event.n - 1]
            before = CriticalEvent("started", self._keys.index(one.channel), 0, one.place)
        return [_Cause(before, start.waits, TimePart.CONTROLLER, "from a wait to the next write")]


def _at(firsts: Sequence[int], n: int) -> int | None:
    """Which part begins with word ``n``, None if none does."""
    place = bisect_left(firsts, n)
    return place if place < len(firsts) and firsts[place] == n else None


def _put(found: list[ChainSegment], new: ChainSegment) -> None:
    """Put a segment in front of the others, which are in reverse order."""
    if found and (found[-1].part, found[-1].what) == (new.part, new.what):
        new = ChainSegment(new.begin, found.pop().end, new.part, new.what)
    found.append(new)
