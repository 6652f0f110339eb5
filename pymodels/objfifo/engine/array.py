# SPDX-License-Identifier: Apache-2.0
"""Model of several engines, the switch between them, workers, and streams to the outside: data and every cycle.

Contract: objfifo-array.md. A word's way through the switch is settled as soon as everything that it waits for is known;
that is never later than the edge before. Packets are arbitrated edge by edge (:mod:`.packet_switch`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from goldbeat.pymodels.axis.elastic import clock_of, offered, ready_from, transferred, unhindered
from goldbeat.pymodels.axis.skid import SKID_DEPTH, SKID_LATENCY
from goldbeat.pymodels.objfifo.engine import npu1
from goldbeat.pymodels.objfifo.engine.array_shape import ArrayShape
from goldbeat.pymodels.objfifo.engine.engine import (
    MM2S_LATENCY,
    NEVER,
    OUT_DEPTH,
    START_BITS,
    START_TO_POP,
    Engine,
    Hang,
    Stepped,
    Words,
    run_engines,
    sent,
    sink_of,
)
from goldbeat.pymodels.objfifo.engine.hop import Hop, HopSource, HopTarget, HopWord
from goldbeat.pymodels.objfifo.engine.npu1_array_ends import BoundedWay, Npu1EngineIn, Npu1EngineOut
from goldbeat.pymodels.objfifo.engine.npu1_engine import Npu1Engine
from goldbeat.pymodels.objfifo.engine.packet_switch import PacketSwitch
from goldbeat.pymodels.objfifo.engine.registers import EngineRegisters, Reply, TimingProfile
from goldbeat.pymodels.objfifo.engine.switch_registers import SwitchRegisters
from goldbeat.pymodels.stimulus import Outcome, Stimulus, answered
from goldbeat.pymodels.trace import Trace

SWITCH_LATENCY = 0
"""Edges that the switch itself costs (objfifo-array.md, Switch)."""


# -- what the switch connects ----------------------------------------------------------------------------------------


class _Skid:
    """Room in a skid buffer: when words have left it."""

    def __init__(self) -> None:
        self.arrived = 0
        self.left: list[int] = []

    def room(self) -> int:
        spent = self.arrived - SKID_DEPTH
        if spent < 0:
            return 0
        return self.left[spent] + 1 if spent < len(self.left) else NEVER


Touch = Callable[[], None]
"""Tells that something has changed for the hop on the other side."""


class _EngineIn(_Skid):
    """An engine's input: a target, and the end of a channel."""

    def __init__(self, memory: list[int]) -> None:
        super().__init__()
        self.wake: Callable[[int], None] = lambda edge: None
        self.touch: Touch = lambda: None
        self._memory = memory
        self._waiting: deque[tuple[int, int]] = deque()

    def put(self, edge: int, word: HopWord) -> None:
        self.arrived += 1
        self._waiting.append((edge + SKID_LATENCY, word[0]))
        self.wake(edge)

    def due(self) -> int:
        return self._waiting[0][0] if self._waiting else NEVER

    def word(self, edge: int, address: int) -> int:
        self._memory[address] = self._waiting.popleft()[1]
        self.left.append(edge)
        self.touch()
        return max(edge + 1, self.due())


class _EngineOut:
    """An engine's output: a source, and the end of a channel."""

    def __init__(self, memory: list[int]) -> None:
        self.wake: Callable[[int], None] = lambda edge: None
        self.touch: Touch = lambda: None
        self._memory = memory
        self._issued = 0
        self._gone: list[int] = []
        self._waiting: deque[list[Any]] = deque()

    def due(self) -> int:
        spent = self._issued - OUT_DEPTH
        if spent < 0:
            return 0
        return self._gone[spent] + 1 if spent < len(self._gone) else NEVER

    def word(self, edge: int, address: int) -> int:
        return self.put(edge, self._memory[address])

    def put(self, edge: int, row: int) -> int:
        self._issued += 1
        self._waiting.append([edge + MM2S_LATENCY, row, False])
        self.touch()
        return max(edge + 1, self.due())

    def last(self) -> None:
        self._waiting[-1][2] = True

    def there(self) -> int:
        return int(self._waiting[0][0]) if self._waiting else NEVER

    def peek(self) -> HopWord:
        _, row, last = self._waiting[0]
        return row, last

    def take(self, edge: int) -> HopWord:
        word = self.peek()
        self._waiting.popleft()
        self._gone.append(edge)
        self.wake(edge)
        return word


class FromOutside:
    """A stream from outside.

    Attributes:
        cycles: when its words have gone.
        gaps: idle cycles in front of each.
        held: the first word that is not offered yet; it, and what is behind it, wait for the host.
    """

    def __init__(self, trace: Trace, words: Words) -> None:
        self.trace = trace
        self.cycles: list[int] = []
        self._row = words.add(trace.data)
        self.gaps: list[int] = trace.gaps.tolist()
        self.held = len(self.gaps)

    def there(self) -> int:
        """The edge from which the next word is there, NEVER if none is left."""
        n = len(self.cycles)
        if n == self.held:
            return NEVER
        return (self.cycles[-1] + 1 if n else 0) + self.gaps[n]

    def peek(self) -> HopWord:
        """The next word."""
        n = len(self.cycles)
        return self._row + n, bool(self.trace.last[n])

    def take(self, edge: int) -> HopWord:
        """It goes at this edge."""
        word = self.peek()
        self.cycles.append(edge)
        return word


class ToOutside(_Skid):
    """A stream to the outside; ``left`` says when its words have gone."""

    def __init__(self, take: Callable[[int], int]) -> None:
        super().__init__()
        self.rows: list[int] = []
        self.lasts: list[int] = []
        self._take = take

    def put(self, edge: int, word: HopWord) -> None:
        """A word arrives at this edge."""
        self.arrived += 1
        self.left.append(self._take(max(edge + SKID_LATENCY, self.left[-1] + 1 if self.left else 0)))
        if word[1]:
            self.lasts.append(len(self.rows))
        self.rows.append(word[0])


class _Worker(_Skid):
    """A core's function: a target and a source."""

    def __init__(self, words: Words, add: int, work: int) -> None:
        super().__init__()
        self.touch: Touch = lambda: None  # the hop that ends here
        self.begin: Touch = lambda: None  # the hop that begins here
        self._words, self._add, self._work = words, add, work
        self._waiting: deque[tuple[int, HopWord]] = deque()
        self._free = 0

    def put(self, edge: int, word: HopWord) -> None:
        self.arrived += 1
        row, last = word
        self._waiting.append((edge + SKID_LATENCY, (self._words.make(self._add, row), last)))
        self.begin()

    def there(self) -> int:
        return max(self._free, self._waiting[0][0]) if self._waiting else NEVER

    def peek(self) -> HopWord:
        return self._waiting[0][1]

    def take(self, edge: int) -> HopWord:
        word = self._waiting.popleft()[1]
        self._free = edge + 1 + (self._work if word[1] else 0)
        self.left.append(edge)
        self.touch()
        return word


class _Started:
    """An engine from an edge on; packets may move before."""

    def __init__(self, engine: Engine, first: int) -> None:
        self._engine, self._first = engine, first

    def step(self, edge: int) -> None:
        if edge >= self._first:
            self._engine.step(edge)

    def next_edge(self, edge: int) -> int:
        return self._engine.next_edge(edge) if edge >= self._first else self._first


# -- a run -----------------------------------------------------------------------------------------------------------


class ArrayHost(Protocol):
    """Who holds back words from outside until others have reached it."""

    def begin(self, run: ArrayRun) -> None:
        """Hold back what is not offered at the start."""

    def goes_on(self, run: ArrayRun) -> bool:
        """Whether more words are offered than at the last call, with their gaps; asked for when nothing else goes on."""


class ArrayRun:
    """A run of the array.

    Args:
        params: of the array.
        stimulus: of the run.
        host: who offers its words; None: nobody holds them back.

    Attributes:
        hops: every circuit, or the part of one between two ways.
        packets: what goes by packets.
        engines, inside, outside: what they join, with what has passed.
    """

    def __init__(self, params: Mapping[str, Any], stimulus: Stimulus, host: ArrayHost | None = None) -> None:
        self.shape = shape = ArrayShape.of(params)
        self.clock = clock_of(stimulus, "aclk")
        self.registers = [EngineRegisters(shape.engine) for _ in range(shape.engines)]
        self.switch = SwitchRegisters(shape)
        self.before: dict[str, list[Reply]] = {
            f"s_axil_{e}": r.apply(stimulus.program.get(f"s_axil_{e}", ())) for e, r in enumerate(self.registers)
        }
        self.before["sw_axil"] = self.switch.apply(stimulus.program.get("sw_axil", ()))
        self.words = Words(shape.engine.word_bytes)
        self._npu1 = shape.engine.profile is TimingProfile.NPU1
        kind = Npu1Engine if self._npu1 else Engine
        self.engines = [kind(r, self.words) for r in self.registers]
        first = ready_from(stimulus)
        width = shape.engine.word_w
        self.inside = [
            FromOutside(offered(stimulus, f"s_axis_{x}", width, self.clock), self.words) for x in range(shape.outside)
        ]
        self.outside = [ToOutside(sink_of(stimulus.pattern(f"m_axis_{x}"))) for x in range(shape.outside)]
        self._workers = [_Worker(self.words, *self.switch.worker(w)) for w in range(shape.workers)]
        self._todo: deque[Hop] = deque()
        self._host = host
        if host is not None:
            host.begin(self)
        self.packets = self._connect(first)
        self.hops = (*self._todo,)
        self.start = offered(stimulus, "start", START_BITS, self.clock)
        self.starts = unhindered(self.start.gaps, first)
        self._between(0)
        started = [engine for engine in self.engines if len(self.starts) and engine.start()]
        from_edge = int(self.starts[0]) + START_TO_POP if started else 0
        stepped: list[Stepped] = [_Started(engine, from_edge) for engine in started]
        if self.packets.senders:
            stepped.append(self.packets)
        run_engines(stepped, 0, self._between)
        for engine in self.engines:
            engine.settle()

    def _connect(self, first: int) -> PacketSwitch:
        """All circuits as hops; what goes by packets."""
        ends = [self._ends(engine) for engine in self.engines]
        for engine, (mine, yours) in zip(self.engines, ends, strict=True):
            engine.ends = [*mine, *yours]
            for channel, end in enumerate(engine.ends):
                end.wake = partial(engine.wake, channel)
        sources: list[HopSource] = [*(o for _, outs in ends for o in outs), *self.inside, *self._workers]
        targets: list[HopTarget] = [*(i for ins, _ in ends for i in ins), *self.outside, *self._workers]
        senders = self.switch.packet_sources()
        hops = {n: Hop(source, first) for n, source in enumerate(sources) if n not in senders}
        self._todo += hops.values()
        for target, number in self.switch.circuits().items():
            if number in hops:
                self._lead(hops[number], targets[target])
        takers = [(taker, self._way_in(targets[t])) for t, taker in self.switch.takers().items()]
        ways_out = {n: (self._way_out(sources[n]), slots) for n, slots in senders.items()}
        for hop in [*self._todo]:
            touch = self._toucher(hop)
            if isinstance(hop.source, _EngineOut | Npu1EngineOut):
                hop.source.touch = touch
            if isinstance(hop.source, _Worker | BoundedWay):
                hop.source.begin = touch
            for target_ in hop.targets:
                if isinstance(target_, _EngineIn | Npu1EngineIn | _Worker | BoundedWay):
                    target_.touch = touch
        return PacketSwitch(ways_out, takers, self.words.low)

    def _ends(self, engine: Engine) -> tuple[list[HopTarget], list[HopSource]]:
        """Inputs and outputs of an engine."""
        ns, nm = engine.shape.ns, engine.shape.nm
        if isinstance(engine, Npu1Engine):
            outs = [Npu1EngineOut(engine.tile, partial(engine.sent, ns + n)) for n in range(nm)]
            return [Npu1EngineIn() for _ in range(ns)], [*outs]
        return [_EngineIn(engine.memory) for _ in range(ns)], [_EngineOut(engine.memory) for _ in range(nm)]

    def _lead(self, hop: Hop, target: HopTarget) -> None:
        """A target for a source, with the way from tile to tile."""
        ways = []
        if self._npu1 and not isinstance(hop.source, _Worker) and not isinstance(target, _Worker):
            ways += [npu1.OUT_CROSSING] if isinstance(hop.source, Npu1EngineOut) else []
            ways += [npu1.INTO_CROSSING] if isinstance(target, Npu1EngineIn) else []
        for crossing in ways:
            way = BoundedWay(*crossing)
            hop.targets.append(way)
            hop = self._from_way(way)
        hop.targets.append(target)

    def _way_out(self, source: HopSource) -> HopSource:
        """Where the words of a packet source come from: under npu1 those of an engine leave its tile first."""
        if not isinstance(source, Npu1EngineOut):
            return source
        hop, way = Hop(source, 0), BoundedWay(*npu1.OUT_CROSSING)
        hop.targets.append(way)
        self._todo.append(hop)
        return way

    def _way_in(self, target: HopTarget) -> HopTarget:
        """Where packets for a target go to: under npu1 the way into the tile, if it is an engine."""
        if not isinstance(target, Npu1EngineIn):
            return target
        way = BoundedWay(*npu1.PACKET_CROSSING)
        self._from_way(way).targets.append(target)
        return way

    def _from_way(self, way: BoundedWay) -> Hop:
        hop = Hop(way, 0)
        self._todo.append(hop)
        return hop

    def _toucher(self, hop: Hop) -> Touch:
        todo = self._todo

        def touch() -> None:
            if not hop.waits:
                hop.waits = True
                todo.append(hop)

        return touch

    def _between(self, edge: int) -> None:
        while True:
            while self._todo:
                hop = self._todo.popleft()
                hop.waits = False
                hop.settle()
            if self._host is None or not self._host.goes_on(self):
                return
            # Few of them can go on, and seldom.
            for hop in self.hops:
                if isinstance(hop.source, FromOutside):
                    self._toucher(hop)()

    def after(self, stimulus: Stimulus) -> dict[str, list[Reply]]:
        """Answers to the accesses behind the streams, by port."""
        found = {f"s_axil_{e}": r.apply(stimulus.after.get(f"s_axil_{e}", ())) for e, r in enumerate(self.registers)}
        return {**found, "sw_axil": self.switch.apply(stimulus.after.get("sw_axil", ()))}

    def outcome(self) -> Outcome:
        """What has passed at the ports."""
        ports = {f"s_axis_{x}": transferred(i.trace, self.clock, i.cycles) for x, i in enumerate(self.inside)}
        ports["start"] = transferred(self.start, self.clock, self.starts)
        for x, output in enumerate(self.outside):
            name = f"m_axis_{x}"
            ports[name] = sent(name, self.words, output.rows, output.left, output.lasts, self.clock)
        for e, engine in enumerate(self.engines):
            events, ports[f"lock_{e}"] = engine.logs(self.clock)
            ports |= {f"evt_{e * self.shape.engine.channels + c}": trace for c, trace in enumerate(events)}
        irq = sum(r.irq << e for e, r in enumerate(self.registers))
        return Outcome(ports, {"irq": irq})


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """Golden model; parameters ``NE NX NW`` and those of an engine."""
    array = ArrayRun(params, stimulus)
    outcome = array.outcome()
    before, after = array.before, array.after(stimulus)
    answers = {port: answered(stimulus, before[port], after[port]) for port in before}
    return replace(outcome, accesses=answers)


def predict_accesses(params: Mapping[str, Any], stimulus: Stimulus) -> dict[str, list[Reply]]:
    """The answers to the accesses of each AXI-Lite port, those before the streams and those after."""
    array = ArrayRun(params, stimulus)
    after = array.after(stimulus)
    return {port: [*before, *after[port]] for port, before in array.before.items()}


def final_states(params: Mapping[str, Any], stimulus: Stimulus) -> list[EngineRegisters]:
    """Each engine's registers, locks and memory after the streams."""
    return ArrayRun(params, stimulus).registers


def stream_edges(params: Mapping[str, Any], stimulus: Stimulus) -> dict[tuple[int, int], list[int]]:
    """When words pass at every channel's stream under ``npu1``, by engine and channel: accepted, or sent."""
    engines = ArrayRun(params, stimulus).engines
    ends = ((e, c, end) for e, engine in enumerate(engines) for c, end in enumerate(engine.ends))
    return {(e, c): end.edges for e, c, end in ends if isinstance(end, Npu1EngineIn | Npu1EngineOut)}


def hanging(params: Mapping[str, Any], stimulus: Stimulus) -> list[tuple[Hang, ...]]:
    """For each engine, what every channel that is not done waits for at the end of a run."""
    return [engine.hanging() for engine in ArrayRun(params, stimulus).engines]
