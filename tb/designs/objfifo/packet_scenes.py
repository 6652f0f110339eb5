# SPDX-License-Identifier: Apache-2.0
"""Random packet traffic on an array of engines, mixed with circuits. Contract: objfifo-array.md, Packets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from goldbeat.pymodels.objfifo.engine import switch_map as reg
from goldbeat.pymodels.objfifo.engine.array_shape import ArrayShape
from goldbeat.pymodels.objfifo.engine.registers import Descriptor, EngineTask, disarm, final_reads, memory_reads
from goldbeat.pymodels.objfifo.engine.switch_registers import (
    ARBITERS,
    MSEL_COUNT,
    SLOTS,
    SwitchSlot,
    SwitchTaker,
    packet_writes,
    route_writes,
)
from goldbeat.pymodels.stimulus import Access, Clock, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.traffic import Rng, random_trace
from goldbeat.tb.designs.objfifo.scene import EngineScene, random_halves

REGION = 192
"""Words of memory that the engines of a scene use."""

_TO_WORKERS = ARBITERS // 2
"""Arbiters below this one may lead to workers, those from it on take packets of workers: nothing goes round in circles."""

_FROM_WORKERS = ARBITERS - _TO_WORKERS

_MASKS = (0x1F, 0x1F, 0x1F, 0x1C, 0x13, 0x01, 0x00)
_IDS = 1 << 5
_LONGEST = 12
_FEW = 24
"""Words into each stream where every source and target has its turn."""
_PAUSE = 80
"""Cycles without a word, once in each of these streams."""
_MOST_REPEATS = 255


def packet_traffic(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
    """Random slots, targets and engines; about so many words into each stream from outside."""
    return _PacketDraw(ArrayShape.of(setting.params), rng, beats).stimulus(setting)


def meetings(setting: CaseContext) -> list[Stimulus]:
    """Every source at each arbiter that it may have, and every target behind each source of a circuit."""
    shape = ArrayShape.of(setting.params)
    rng = np.random.default_rng([setting.seed, 14])
    turns = [(number, packets) for packets, count in ((1, ARBITERS), (0, shape.sources)) for number in range(count)]
    return [_MeetingDraw(shape, rng, number, packets=bool(packets)).stimulus(setting) for number, packets in turns]


class _PacketDraw:
    """What random scenes are drawn from.

    Args:
        shape: of the array.
        rng: generator of the scene.
        beats: words into each stream from outside.
        packets: all sources have packets, or none; None: most have.
    """

    def __init__(self, shape: ArrayShape, rng: Rng, beats: int, packets: bool | None = None) -> None:
        self.shape, self.rng, self.beats = shape, rng, beats
        # Few arbiters and ids, so that sources meet.
        self.early = rng.choice(_TO_WORKERS, int(rng.integers(1, 3)), replace=False).tolist()
        self.late = (_TO_WORKERS + rng.choice(_TO_WORKERS, int(rng.integers(1, 3)), replace=False)).tolist()
        self.ids = rng.choice(_IDS, 4, replace=False).tolist()
        # Every other scene has nothing that stays closed, so that much moves.
        self.rough, self.sends = packets is None and self._chance(0.5), 0.8 if packets is None else 1.0
        share = 0.75 if packets is None else float(packets)
        self.packets = (rng.random(shape.sources) < share).tolist()
        self.scenes = [self._scene(engine) for engine in range(shape.engines)]

    def _chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def _one_of(self, values: Sequence[int]) -> int:
        return int(self.rng.choice(values))

    def _number(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))

    def stimulus(self, setting: CaseContext) -> Stimulus:
        clock = setting.clocks["aclk"]
        start = Trace.from_bytes(np.zeros((1, 1), np.uint8), clock_ps=clock.period_ps, offset_ps=clock.offset_ps)
        inputs = {"start": start}
        for x in range(self.shape.outside):
            packets = self.packets[self.shape.source("outside", x)]
            width = self.shape.engine.word_w
            inputs[f"s_axis_{x}"] = (
                self._stream(clock) if packets else random_trace(self.rng, width, self.beats, clock, keep="full")
            )
        before: dict[str, tuple[Access, ...]] = {"sw_axil": self._switch()}
        # With closed engines alone no word may come out; the routes are there to be compared in any case.
        after = {"sw_axil": tuple(Access("read", reg.ROUTE + reg.ROUTE_STRIDE * t) for t in range(self.shape.targets))}
        for e, scene in enumerate(self.scenes):
            if scene is not None:
                before[f"s_axil_{e}"] = scene.program()
                after[f"s_axil_{e}"] = final_reads(self.shape.engine)
                if self._chance(0.3):
                    lanes = self.shape.engine.lanes
                    after[f"s_axil_{e}"] += (*disarm(), *memory_reads(0, REGION * lanes))
        return Stimulus(inputs, {}, setting.clocks, before, after)

    # -- the switch

    def _switch(self) -> tuple[Access, ...]:
        """The switch's whole program; registers that must not count hold something too."""
        shape = self.shape
        first_worker = shape.source("worker", 0)
        senders = {s: self._slots(s >= first_worker) for s in range(shape.sources)}
        takers: dict[int, SwitchTaker] = {}
        routes: dict[int, int] = {}
        for target in range(shape.targets):
            kind = self.rng.random()
            if kind < 0.65:
                takers[target] = self._taker(target >= shape.target("worker", 0))
            elif kind < 0.9:
                routes[target] = self._circuit()
        workers = {w: (self._add(), self._one_of((0, 0, 1, 9))) for w in range(shape.workers)}
        unused = [Access("write", reg.SOURCE + reg.SOURCE_STRIDE * s, 0) for s, on in enumerate(self.packets) if not on]
        writes = [self._stale(access) for access in packet_writes(senders, takers)]
        return (*writes, *unused, *route_writes(routes, workers))

    def _stale(self, access: Access) -> Access:
        """A target of packets that has a circuit's source as well."""
        value = access.value or 0
        if access.address < reg.WORKER and self._chance(0.3):
            value |= reg.ROUTE_ROUTED | self._number(0, self.shape.sources - 1)
        return replace(access, value=value)

    def _slots(self, of_worker: bool) -> list[SwitchSlot | None]:
        found: list[SwitchSlot | None] = []
        arbiters = self.late if of_worker else [*self.early, *self.late]
        for _ in range(self._one_of((1, 2, 3, SLOTS, SLOTS))):
            packet_id = self._one_of(self.ids) if self._chance(0.8) else self._number(0, _IDS - 1)
            msel = self._number(0, 1) if self._chance(0.7) else self._number(0, MSEL_COUNT - 1)
            slot = SwitchSlot(packet_id, self._one_of(_MASKS), self._one_of(arbiters), msel)
            found.append(slot if self._chance(0.9) else None)
        return found

    def _taker(self, of_worker: bool) -> SwitchTaker:
        arbiter = self._one_of(self.early if of_worker else [*self.early, *self.late])
        msels = self._number(1, (1 << MSEL_COUNT) - 1) if self._chance(0.9) else 0
        return SwitchTaker(arbiter, msels, self._chance(0.5))

    def _circuit(self) -> int:
        plain = [s for s, packets in enumerate(self.packets) if not packets]
        if plain and self._chance(0.85):
            return self._one_of(plain)
        return self._number(0, self.shape.sources - 1)

    def _add(self) -> int:
        """What a worker adds: nothing to an id, or anything."""
        return self._number(0, (1 << 27) - 1) * _IDS if self._chance(0.7) else self._number(0, (1 << 32) - 1)

    # -- words

    def _stream(self, clock: Clock) -> Trace:
        """Packets from outside; the last one may have no end."""
        count, lengths = 0, []
        while count < self.beats:
            lengths.append(1 if self._chance(0.15) else self._number(2, _LONGEST))
            count += lengths[-1]
        data = random_halves(self.shape.engine, self.rng, count).reshape(count, -1)
        last = np.zeros(count, np.bool_)
        ends = np.cumsum(lengths)
        last[ends - 1] = True
        last[-1] = self._chance(0.8)
        for first in (ends - lengths).tolist():
            if self._chance(0.85):
                data[first, 0] = data[first, 0] // _IDS * _IDS + self._one_of(self.ids)
        words = data.astype("<u4").view(np.uint8)
        return Trace.from_bytes(words, last=last, clock_ps=clock.period_ps, offset_ps=clock.offset_ps)

    # -- engines

    def _scene(self, engine: int) -> EngineScene | None:
        """Channels that fill and send, with an end; None for an engine that is never started."""
        if self.rough and self._chance(0.3):
            return None
        shape = self.shape.engine
        scene = EngineScene(memory={0: random_halves(shape, self.rng, REGION)}, core=self._chance(0.5))
        share = min(3, shape.nbd // shape.channels)
        for c in range(shape.ns):
            if not self.rough or self._chance(0.7):
                self._fill(scene, c, share * c, self._number(1, share))
        for c in range(shape.nm):
            if self._chance(self.sends):
                number = shape.ns + c
                self._send(
                    scene, number, share * number, self._number(1, share), self.shape.source("engine", c, engine)
                )
        return scene

    def _walk(self, longest: int) -> Descriptor:
        """A run of words, or rows of it in another order."""
        length = self._number(1, longest)
        descriptor = Descriptor(self._number(0, REGION - longest), length)
        if length % 4 == 0 and self._chance(0.3):
            return replace(descriptor, wraps=(4, 0, 0), steps=(1, 4, 0, 0))
        return descriptor

    def _fill(self, scene: EngineScene, channel: int, first: int, count: int) -> None:
        """An endless ring or a chain; in the channel's locks each one of it makes a word for what is sent."""
        table = [self._walk(16) for _ in range(count)]
        if self.rough and 2 * channel + 1 < self.shape.engine.nlock and self._chance(0.5):
            scene.locks |= {2 * channel: self._number(1, 3), 2 * channel + 1: 0}
            table = [replace(d, acquire=(2 * channel, 1), release=(2 * channel + 1, 1)) for d in table]
        endless = not self.rough or self._chance(0.5)
        begin = scene.ring(first, table) if endless else scene.chain(first, table)
        scene.tasks.append(EngineTask(channel, begin, 0 if endless else self._number(0, 2)))

    def _send(self, scene: EngineScene, channel: int, first: int, count: int, source: int) -> None:
        """A chain with an end; what it sends waits for what another channel brings, if that one uses locks."""
        table: list[Descriptor] = []
        brings = 2 * (channel - self.shape.engine.ns)
        for _ in range(count):
            descriptor = replace(self._walk(_LONGEST), tlast=self._chance(0.85))
            if self.packets[source] and self._chance(0.85):
                packet_id = self._one_of(self.ids) if self._chance(0.85) else self._number(0, _IDS - 1)
                descriptor = replace(descriptor, packet=(packet_id, self._number(0, 7)))
            if brings in scene.locks:
                descriptor = replace(descriptor, acquire=(brings + 1, 1), release=(brings, 1))
            table.append(descriptor)
        most = min(_MOST_REPEATS, 1 + self.beats // sum(d.length for d in table))
        scene.tasks.append(EngineTask(channel, scene.chain(first, table), self._number(0, most)))


class _MeetingDraw(_PacketDraw):
    """All packets of a source to one arbiter, or all targets with circuits, which change places with the number of the scene."""

    def __init__(self, shape: ArrayShape, rng: Rng, number: int, *, packets: bool) -> None:
        super().__init__(shape, rng, _FEW, packets)
        self.number = number

    def _switch(self) -> tuple[Access, ...]:
        shape = self.shape
        first = shape.source("worker", 0), shape.target("worker", 0)
        if not self.packets[0]:
            routes = {t: (t + self.number) % shape.sources for t in range(shape.targets)}
            return route_writes(routes, dict.fromkeys(range(shape.workers), (0, 0)))
        senders: dict[int, list[SwitchSlot]] = {}
        for s in range(shape.sources):
            early = s < first[0]
            arbiter = (s + self.number) % ARBITERS if early else _TO_WORKERS + (s + self.number) % _FROM_WORKERS
            senders[s] = [SwitchSlot(0, 0, arbiter)]
        takers = {
            t: SwitchTaker((t + self.number) % (ARBITERS if t < first[1] else _TO_WORKERS))
            for t in range(shape.targets)
        }
        return packet_writes(senders, takers)

    def _stream(self, clock: Clock) -> Trace:
        found = super()._stream(clock)
        gaps = np.zeros(len(found), np.int64)
        gaps[len(found) // 2] = _PAUSE
        return found.with_gaps(gaps)


def head_of_line(shape: ArrayShape, clocks: Mapping[str, Clock], words: int) -> Stimulus:
    """X13: packets of two ids from outside to two engines, of which only the second is started (npu1.md, Experiments).

    Args:
        shape: of the array, at least two engines.
        clocks: of the design.
        words: of the packet for the closed engine; a packet of as many for the open one follows.
    """
    slots = (SwitchSlot(0), SwitchSlot(1, arbiter=1))
    targets = (shape.target("engine", 0, engine) for engine in range(2))
    takers = {target: SwitchTaker(arbiter, drop_header=True) for arbiter, target in enumerate(targets)}
    count = words + 1
    values = np.arange(2 * count, dtype="<u4") % count * _IDS + np.arange(2 * count, dtype="<u4") // count
    data = np.zeros((2 * count, shape.engine.lanes), "<u4")
    data[:, 0] = values
    clock = clocks["aclk"]
    stamps = {"clock_ps": clock.period_ps, "offset_ps": clock.offset_ps}
    last = np.arange(2 * count) % count == words
    inputs = {
        "start": Trace.from_bytes(np.zeros((1, 1), np.uint8), **stamps),
        "s_axis_0": Trace.from_bytes(data.view(np.uint8), last=last, **stamps),
    }
    scene = EngineScene()
    scene.chain(0, [Descriptor(0, words)])
    scene.tasks = [EngineTask(0, 0)]
    program = {
        "sw_axil": packet_writes({shape.source("outside", 0): slots}, takers),
        "s_axil_1": scene.program(),
    }
    return Stimulus(inputs, {}, clocks, program, {"s_axil_1": final_reads(shape.engine)}, label=f"X13 {words}")
