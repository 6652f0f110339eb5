# SPDX-License-Identifier: Apache-2.0
"""A whole plan on an array of engines: tiles on engines, streams through the switch, cores as channels.

Every engine stands for one tile or several, whose locks, descriptors and buffers are numbered anew. The shim is outside:
what the host sends comes in, what it is sent goes out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine import registers as reg
from goldbeat.pymodels.objfifo.engine.array_shape import ArrayShape
from goldbeat.pymodels.objfifo.engine.core_channels import channel_objects, core_program
from goldbeat.pymodels.objfifo.engine.core_stream import HEADER_CYCLES, SCRATCH_WORDS, CoreStream, core_stream
from goldbeat.pymodels.objfifo.engine.from_plan import descriptor_of
from goldbeat.pymodels.objfifo.engine.npu1_shim import fill_gaps, fills_by_fifo, packets_by_fifo
from goldbeat.pymodels.objfifo.engine.packet_routes import PacketRoutes, PacketStream, packet_routes
from goldbeat.pymodels.objfifo.engine.registers import Descriptor, EngineTask
from goldbeat.pymodels.objfifo.engine.rolled import rolled
from goldbeat.pymodels.objfifo.engine.switch_registers import packet_writes, route_writes
from goldbeat.pymodels.objfifo.plan.access import LockAccess as CoreAccess
from goldbeat.pymodels.objfifo.plan.access import Loop, each, unrolled
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.layout import DesignLayout
from goldbeat.pymodels.objfifo.plan.plan import Direction, FifoEnd, Flow, Plan, StreamEnd, TilePlan
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, TileKind
from goldbeat.pymodels.objfifo.untimed.core_deeds import CoreRun
from goldbeat.pymodels.objfifo.untimed.machine import CoreEnd, LockKey
from goldbeat.pymodels.objfifo.untimed.recorded_cores import EndName, core_ends
from goldbeat.pymodels.stimulus import Access, Clock, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.traffic import Rng
from goldbeat.tb.designs.objfifo.host_packets import HostPackets
from goldbeat.tb.designs.objfifo.scene import EngineScene, random_halves


@dataclass(frozen=True)
class ExecutedCores:
    """Cores as they were executed, each a channel that takes and gives its locks in order and writes the objects it made.

    Attributes:
        runs: of all of them.
        call: cycles of each acquire and release.
        work: cycles from a core's last acquire to the release behind it, by the core's key.
    """

    runs: Sequence[CoreRun]
    call: int = 1
    work: Mapping[str, int] = field(default_factory=dict)


Cores = Literal["programs", "workers"] | ExecutedCores
"""What stands for the cores: their programs, which only take and give locks; workers between a core's input and output; or
what they have done in an execution.
"""


@dataclass
class _Engine:
    """An engine as it fills."""

    scene: EngineScene = field(default_factory=EngineScene)
    channels: dict[Direction, int] = field(default_factory=lambda: dict.fromkeys(Direction, 0))
    bds: int = 0
    words: int = 0


@dataclass
class Whole:
    """A plan that was put on an array.

    Attributes:
        shape: of the array.
        home: the engine of each tile.
        locks: engine and number of each lock.
        channels: engine and channel of each DMA channel.
        cores: engine and channel of what stands for each core (or end of a fifo), by name.
        sources: external input by fifo; sinks: external output by fifo.
        routes: source by target.
        workers: ADD and WORK by worker.
        fills: words of each transfer of the host, by fifo.
        words: what comes in, by external input, where it is known.
        packets: how the host sends them, by fifo.
        packet_routes: what goes by packets, in place of ``routes``.
    """

    shape: ArrayShape
    home: dict[Tile, int]
    locks: dict[LockKey, tuple[int, int]] = field(default_factory=dict)
    channels: dict[tuple[Tile, Direction, int], tuple[int, int]] = field(default_factory=dict)
    cores: dict[str, tuple[int, int]] = field(default_factory=dict)
    sources: dict[str, int] = field(default_factory=dict)
    sinks: dict[str, int] = field(default_factory=dict)
    routes: dict[int, int] = field(default_factory=dict)
    workers: dict[int, tuple[int, int]] = field(default_factory=dict)
    engines: list[_Engine] = field(default_factory=list)
    fills: dict[str, tuple[int, ...]] = field(default_factory=dict)
    words: dict[int, npt.NDArray[np.uint32]] = field(default_factory=dict)
    packets: dict[str, HostPackets] = field(default_factory=dict)
    packet_routes: PacketRoutes = field(default_factory=lambda: PacketRoutes({}, {}))

    @property
    def supply(self) -> dict[str, int]:
        """Words that the host sends to each fifo."""
        return {name: sum(words) for name, words in self.fills.items()}

    def stimulus(
        self,
        rng: Rng,
        clocks: Mapping[str, Clock],
        supply: Mapping[str, int] | None = None,
        host_seed: int | None = None,
    ) -> Stimulus:
        """An episode without patterns.

        Args:
            rng: for the data.
            clocks: of the design.
            supply: words for each fifo that comes from the shim, where the host's transfers do not say.
            host_seed: the host's words come as they do on silicon, with gaps of this seed (npu1.md, Host side). None: at once.
        """
        clock = clocks["aclk"]
        stamps = {"clock_ps": clock.period_ps, "offset_ps": clock.offset_ps}
        inputs = {"start": Trace.from_bytes(np.zeros((1, 1), np.uint8), **stamps)}
        wanted = {**self.supply, **(supply or {})}
        for x in range(self.shape.outside):
            name = next((n for n, at in self.sources.items() if at == x), None)
            words = wanted.get(name, 0) if name else 0
            known = self.words.get(x)
            data = random_halves(self.shape.engine, rng, words) if known is None else known
            made = Trace.from_bytes(
                data.astype("<u4").view(np.uint8).reshape(-1, self.shape.engine.word_bytes), **stamps
            )
            if name and host_seed is not None:
                # Words that no transfer of the plan brings are one fill.
                fills = (words,) if supply and name in supply else self.fills[name] or (len(made),)
                # Each word of the shim is one beat here too, so gaps and beats have the same number.
                made = made.with_gaps(fill_gaps(fills, np.random.default_rng([host_seed, x])))
            inputs[f"s_axis_{x}"] = self.packets[name].packed(made) if name else made
        switch = (
            *packet_writes(self.packet_routes.senders, self.packet_routes.takers),
            *route_writes(self.routes, self.workers),
        )
        before: dict[str, tuple[Access, ...]] = {"sw_axil": switch}
        after: dict[str, tuple[Access, ...]] = {}
        for e, one in enumerate(self.engines):
            scene = one.scene
            before[f"s_axil_{e}"] = scene.program()
            after[f"s_axil_{e}"] = reg.final_reads(self.shape.engine)
        return Stimulus(inputs, {}, clocks, before, after)


def place_plan(
    design: FifoDesign,
    plan: Plan,
    shape: ArrayShape,
    cores: Cores,
    *,
    worker: tuple[int, int] = (1, 0),
    homes: Sequence[Tile] | None = None,
) -> Whole:
    """Put a plan on an array.

    Args:
        design: for the cores' programs.
        plan: what it was lowered to.
        shape: of the array.
        cores: what stands for them.
        worker: ADD and WORK of the workers.
        homes: the tiles of engine 0; all others go to the others in turn. None: as it fits.

    Raises:
        UsageError: the array has too little of something.
    """
    tiles = [t for t in plan.tiles if t.tile.kind is not TileKind.SHIM]
    groups = core_groups(design, plan, [t.tile for t in tiles])
    if homes is not None:
        return _Placing(design, plan, shape, cores, worker).run({t.tile: int(t.tile not in homes) for t in tiles})
    error: UsageError | None = None
    for number in range(shape.engines ** len(groups)):
        home: dict[Tile, int] = {}
        # The first ways spread the groups evenly.
        for place_, group in enumerate(groups):
            home |= dict.fromkeys(group, (number // shape.engines**place_ + place_) % shape.engines)
        try:
            return _Placing(design, plan, shape, cores, worker).run(home)
        except UsageError as found:
            error = error or found
    raise error or UsageError("nothing to place")


def place_at(design: FifoDesign, plan: Plan, shape: ArrayShape, cores: Cores, home: dict[Tile, int]) -> Whole:
    """Put a plan on an array, each tile but shims on the engine that ``home`` says.

    Raises:
        UsageError: the array has too little of something.
    """
    return _Placing(design, plan, shape, cores, (0, 0)).run(home)


def core_groups(design: FifoDesign, plan: Plan, tiles: Iterable[Tile]) -> list[list[Tile]]:
    """Tiles whose locks one core uses must be on one engine."""
    head = {tile: tile for tile in tiles}

    def find(tile: Tile) -> Tile:
        while head[tile] != tile:
            tile = head[tile]
        return tile

    ends = core_ends(plan)
    for steps in DesignLayout(design).programs.values():
        used = [ends[a.key][1].take[0] for a in each(steps)]
        for tile in used:
            head[find(tile)] = find(used[0])
    groups: dict[Tile, list[Tile]] = {}
    for tile in head:
        groups.setdefault(find(tile), []).append(tile)
    return list(groups.values())


class _Placing:
    def __init__(
        self, design: FifoDesign, plan: Plan, shape: ArrayShape, cores: Cores, worker: tuple[int, int]
    ) -> None:
        self.design, self.plan, self.shape, self.cores, self.worker = design, plan, shape, cores, worker
        self.whole = Whole(shape, {})
        self.places: dict[tuple[Tile, str], tuple[int, int]] = {}

    def run(self, home: dict[Tile, int]) -> Whole:
        lockless = {p.fifo for p in self.plan.pools if not p.segments[0].locks}
        free = next((f.name for f in self.design.fifos if f.name in lockless and not f.resends_values), None)
        if free is not None:
            raise UsageError(f"{free} has no locks (disable_synchronization), it cannot be put on an array")
        self.whole = Whole(self.shape, home, engines=[_Engine() for _ in range(self.shape.engines)])
        self.places.clear()
        for tile in self.plan.tiles:
            if tile.tile.kind is not TileKind.SHIM:
                self._tile(tile)
        self._flows()
        self._cores()
        return self.whole

    def _engine(self, tile: Tile) -> tuple[int, _Engine]:
        number = self.whole.home[tile]
        return number, self.whole.engines[number]

    def _fits(self, count: int, most: int, what: str) -> None:
        if count > most:
            raise UsageError(f"an engine of the array has {most} {what}, {count} are needed")

    def _channel(self, tile: Tile, direction: Direction) -> tuple[int, int]:
        """The next free channel of the tile's engine, numbered within its direction."""
        number, engine = self._engine(tile)
        index = engine.channels[direction]
        engine.channels[direction] += 1
        shape = self.shape.engine
        self._fits(index + 1, shape.ns if direction is Direction.S2MM else shape.nm, f"{direction} channels")
        return number, index

    def _chain(self, at: tuple[int, int], direction: Direction, ring: Sequence[Descriptor], repeat: int | None) -> None:
        """Descriptors of a channel, and its task; an endless ring for no ``repeat``."""
        engine = self.whole.engines[at[0]]
        first = engine.bds
        engine.bds += len(ring)
        self._fits(engine.bds, self.shape.engine.nbd, "descriptors")
        for n, descriptor in enumerate(ring):
            last = n + 1 == len(ring)
            following = None if last and repeat is not None else first + (n + 1) % len(ring)
            engine.scene.descriptors[first + n] = replace(descriptor, next=following)
        channel = at[1] + (self.shape.engine.ns if direction is Direction.MM2S else 0)
        engine.scene.tasks.append(EngineTask(channel, first, repeat or 0, token=repeat is not None))

    def _core(self, at: tuple[int, int], direction: Direction) -> None:
        """A channel stands for a core."""
        scene = self.whole.engines[at[0]].scene
        scene.cores += (at[1] + (self.shape.engine.ns if direction is Direction.MM2S else 0),)

    def _lock(self, key: LockKey) -> int:
        return self.whole.locks[key][1]

    def _use(self, tile: Tile, use: tuple[int, int] | None) -> tuple[int, int] | None:
        return None if use is None else (self._lock((tile, use[0])), use[1])

    def _tile(self, tile: TilePlan) -> None:
        number, engine = self._engine(tile.tile)
        if not engine.channels[Direction.S2MM] + engine.channels[Direction.MM2S]:
            engine.scene.core = tile.tile.kind is TileKind.CORE
        for lock in tile.locks:
            new = len(engine.scene.locks)
            self._fits(new + 1, self.shape.engine.nlock, "locks")
            engine.scene.locks[new] = lock.initial
            self.whole.locks[tile.tile, lock.id] = (number, new)
        moved = {}
        for buffer in tile.buffers:
            self.places[tile.tile, buffer.name] = (engine.words, buffer.size // WORD_BYTES)
            moved[buffer.name] = engine.words - buffer.address // WORD_BYTES
            if buffer.initial is not None:
                engine.scene.memory[engine.words] = np.array(buffer.initial, np.uint32)
            engine.words += buffer.size // WORD_BYTES
            self._fits(engine.words, self.shape.engine.mem_words - 1, "words of memory")
        for channel in tile.channels:
            at = self._channel(tile.tile, channel.direction)
            self.whole.channels[tile.tile, channel.direction, channel.index] = at
            if channel.pad_value:
                engine.scene.pads[at[1]] = channel.pad_value
            ring = []
            for bd in channel.bds:
                found = descriptor_of(bd)
                ring.append(
                    replace(
                        found,
                        base=found.base + moved[bd.buffer],
                        acquire=self._use(tile.tile, found.acquire),
                        release=self._use(tile.tile, found.release),
                    )
                )
            (task,) = channel.queue
            self._chain(at, channel.direction, ring, None if channel.bds[-1].next is not None else task.repeat)

    def _flows(self) -> None:
        """Streams as circuits, or through the packet switch if they have headers."""
        ins: dict[StreamEnd, int] = {}
        outs: dict[StreamEnd, int] = {}
        packets: list[PacketStream] = []
        for flow in self.plan.flows:
            source = self._source(flow, ins)
            targets = tuple(self._target(flow, dest, outs) for dest in flow.dests)
            if flow.packet is not None:
                packets.append(PacketStream(flow.fifo, flow.packet.id, source, targets))
            else:
                self.whole.routes |= dict.fromkeys(targets, source)
        self._fits(max(len(ins), len(outs)), self.shape.outside, "streams to the outside")
        self.whole.packet_routes = found = packet_routes(packets)
        plain = self.whole.routes
        if found.takers.keys() & plain.keys() or found.senders.keys() & set(plain.values()):
            raise UsageError("a channel has packets and plain words; the switch carries one of them")

    def _source(self, flow: Flow, ins: dict[StreamEnd, int]) -> int:
        if flow.source.tile.kind is not TileKind.SHIM:
            e, c = self.whole.channels[flow.source.tile, Direction.MM2S, flow.source.channel]
            return self.shape.source("engine", c, e)
        if flow.source in ins:
            raise UsageError(f"{flow.fifo}: a channel of the shim sends to one stream, this one to several")
        number = self.whole.sources[flow.fifo] = ins[flow.source] = len(ins)
        self.whole.fills[flow.fifo] = fills_by_fifo(self.plan)[flow.fifo]
        words = next(fifo.obj.words for fifo in self.design.fifos if fifo.name == flow.fifo)
        runs = packets_by_fifo(self.plan)[flow.fifo]
        self.whole.packets[flow.fifo] = HostPackets(flow.packet, runs, words)
        return self.shape.source("outside", number)

    def _target(self, flow: Flow, dest: StreamEnd, outs: dict[StreamEnd, int]) -> int:
        if dest.tile.kind is not TileKind.SHIM:
            e, c = self.whole.channels[dest.tile, Direction.S2MM, dest.channel]
            return self.shape.target("engine", c, e)
        number = self.whole.sinks[flow.fifo] = outs.setdefault(dest, len(outs))
        return self.shape.target("outside", number)

    # -- cores

    def _cores(self) -> None:
        ends = core_ends(self.plan)
        if isinstance(self.cores, ExecutedCores):
            for run in self.cores.runs:
                self._executed(run, self.cores, ends)
            return
        if self.cores == "workers":
            self._between(ends)
            return
        self._fill(ends)
        busy = set()
        for core, steps in zip(self.design.cores, DesignLayout(self.design).programs.values(), strict=True):
            busy.add(core.tile)
            if any(isinstance(s, Loop) and s.count is None for s in steps):
                raise UsageError(f"{core.name}: a loop without end inside a program cannot be put on an engine")
            accesses = list(unrolled(steps))
            used = {key: end for key, (_, end) in ends.items() if key in {a.key for a in accesses}}
            if not used:
                continue
            lock_tile = next(iter(used.values())).take[0]
            self._program(core.name, lock_tile, accesses, used, endless=core.endless)
        for key, (tile, end) in ends.items():
            if tile not in busy:
                once = [CoreAccess(True, *key, 1), CoreAccess(False, *key, 1)]
                self._program(f"{key[0]} {key[1]}", end.take[0], once, {key: end}, endless=True)

    def _fill(self, ends: dict[EndName, tuple[Tile, CoreEnd]]) -> None:
        """A program writes nothing into its objects: they hold numbers from the start."""
        for (_, port, _), (_, end) in ends.items():
            _, engine = self._engine(end.pool.tile)
            for name in end.pool.buffers if port is FifoEnd.PRODUCE else ():
                first, words = self.places[end.pool.tile, name]
                engine.scene.memory.setdefault(first, np.arange(first, first + words, dtype=np.uint32))

    def _program(
        self, name: str, tile: Tile, accesses: list[CoreAccess], used: dict[EndName, CoreEnd], *, endless: bool
    ) -> None:
        ring, repeat = core_program(accesses, used, self._lock, word=self.shape.engine.mem_words - 1)
        at = self._channel(tile, Direction.MM2S)
        self.whole.cores[name] = at
        self._core(at, Direction.MM2S)
        self._chain(at, Direction.MM2S, ring, None if endless else repeat)

    def _executed(self, run: CoreRun, cores: ExecutedCores, ends: dict[EndName, tuple[Tile, CoreEnd]]) -> None:
        """A channel that does what a core did; its words come from outside."""
        keys = {deed.access.key for deed in run.deeds}
        used = {key: end for key, (_, end) in ends.items() if key in keys}
        if not used:
            return
        tile = next(iter(used.values())).take[0]
        _, engine = self._engine(tile)
        scratch = self.shape.engine.mem_words - SCRATCH_WORDS * (1 + len(engine.scene.cores))
        self._fits(engine.words, scratch, "words of memory")
        places = {name: self.places[end.pool.tile, name] for end in used.values() for name in end.pool.buffers}
        stream = partial(
            core_stream,
            run.deeds,
            used,
            places.__getitem__,
            self._lock,
            scratch=scratch,
            call=cores.call,
            work=cores.work.get(run.key, 0),
        )
        at = self._channel(tile, Direction.S2MM)
        self.whole.cores[run.key] = at
        self._core(at, Direction.S2MM)
        plain = stream()
        words = plain.words
        if not self._in_tasks(at, plain.chain):
            words = self._by_headers(at, stream(header=HEADER_CYCLES[self.shape.engine.profile]))
        x = len(self.whole.sources) + len(self.whole.words)
        self._fits(x + 1, self.shape.outside, "streams to the outside")
        self.whole.words[x] = words
        self.whole.routes[self.shape.target("engine", at[1], at[0])] = self.shape.source("outside", x)

    def _in_tasks(self, at: tuple[int, int], chain: Sequence[Descriptor]) -> bool:
        """Descriptors one after the other, written once where they repeat; false where that takes more than there are."""
        found = rolled(chain, self.shape.engine.nbd - self.whole.engines[at[0]].bds)
        for part in found or ():
            self._chain(at, Direction.S2MM, part.items, part.times - 1)
        return found is not None

    def _by_headers(self, at: tuple[int, int], stream: CoreStream) -> npt.NDArray[np.uint32]:
        """Each descriptor once, and the words with headers that say which comes next."""
        engine = self.whole.engines[at[0]]
        first = engine.bds
        table, words = stream.with_headers(first)
        engine.bds += len(table)
        self._fits(engine.bds, self.shape.engine.nbd, "descriptors")
        engine.scene.descriptors |= dict(enumerate(table, first))
        engine.scene.tasks.append(EngineTask(at[1], first))
        engine.scene.out_of_order += (at[1],)
        return words

    def _between(self, ends: dict[EndName, tuple[Tile, CoreEnd]]) -> None:
        """For each core, a channel that reads its input, a worker, and a channel that fills its output."""
        by_tile: dict[Tile, dict[FifoEnd, tuple[str, CoreEnd]]] = {}
        for (name, port, _), (tile, end) in ends.items():
            by_tile.setdefault(tile, {})[port] = (name, end)
        self._fits(len(by_tile), self.shape.workers, "workers")
        for number, (tile, both) in enumerate(by_tile.items()):
            if len(both) != 2:
                raise UsageError(f"{tile}: a worker stands between one input and one output")
            self.whole.workers[number] = self.worker
            for port, direction in ((FifoEnd.CONSUME, Direction.MM2S), (FifoEnd.PRODUCE, Direction.S2MM)):
                fifo, end = both[port]
                at = self._channel(tile, direction)
                self.whole.cores[f"{fifo} {port}"] = at
                self._core(at, direction)
                places = {name: self.places[end.pool.tile, name] for name in end.pool.buffers}
                self._chain(at, direction, channel_objects(end, places.__getitem__, self._lock), None)
                if direction is Direction.MM2S:
                    self.whole.routes[self.shape.target("worker", number)] = self.shape.source("engine", at[1], at[0])
                else:
                    self.whole.routes[self.shape.target("engine", at[1], at[0])] = self.shape.source("worker", number)
