# SPDX-License-Identifier: Apache-2.0
"""The golden model without time: arrays in, arrays out, by executing the plan and the cores' functions.

Every word goes the way the plan sends it: read at a descriptor's addresses, over the stream, written at the addresses
of the receiving descriptor. Cores are the user's Python functions, on views of the tiles' memory.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import GoldbeatError, InputError, UsageError
from goldbeat.pymodels.objfifo.plan.access import LockAccess, ProgramError, each, endless, run_with
from goldbeat.pymodels.objfifo.plan.design import Core, FifoDesign
from goldbeat.pymodels.objfifo.plan.host_array import exact_values
from goldbeat.pymodels.objfifo.plan.layout import DesignLayout
from goldbeat.pymodels.objfifo.plan.lower import plan as lower
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import Bd, Direction, DmaChannel, FifoEnd, Flow, Plan
from goldbeat.pymodels.objfifo.plan.strides import bd_addresses
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, TileKind
from goldbeat.pymodels.objfifo.untimed.core_deeds import CoreDeed, CoreRun
from goldbeat.pymodels.objfifo.untimed.free_running import check_free_running
from goldbeat.pymodels.objfifo.untimed.machine import ChannelAgent, CoreAgent, CoreEnd, Machine
from goldbeat.pymodels.objfifo.untimed.recorded_cores import EndName, core_ends

Words = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class FunctionalResult:
    """What a run left behind.

    Attributes:
        hosts: the host's arrays after it, by name.
        outputs: what arrived at ends that neither a program nor the host uses, by fifo (``fifo[1]`` for the second
            consumer of a broadcast): objects in order, shape (objects, *shape).
        locks: every lock's value, by tile name and lock name.
        finished: all transfers and all programs with an end came to it.
        streams: the words that passed over each fifo's stream, by fifo.
        produced: the objects that cores gave to each fifo, as words one after the other, by fifo.
        cores: what every core has done, and every end that no program uses.
    """

    hosts: dict[str, npt.NDArray[Any]]
    outputs: dict[str, npt.NDArray[Any]]
    locks: dict[tuple[str, str], int]
    finished: bool
    streams: dict[str, Words]
    produced: dict[str, Words]
    cores: tuple[CoreRun, ...] = ()


def run_untimed(
    design: FifoDesign,
    inputs: Mapping[str, npt.ArrayLike] | None = None,
    *,
    iterations: int | None = None,
    strict: bool = True,
    plan: Plan | None = None,
    memory: TileMemory | None = None,
) -> FunctionalResult:
    """Run a design until nothing moves any more.

    Args:
        design: what was written.
        inputs: host arrays by name (``arg0``...), and objects for fifos whose producer is neither a program nor a
            transfer, by fifo.
        iterations: passes after which programs without end stop, as do loops without end (``range_`` of 2**31 - 1 and
            more); with none given they run while there is data, or once where there are neither inputs nor transfers.
        strict: as for planning.
        plan: the design's plan, if it is at hand.
        memory: of that plan, to look into afterwards.

    Raises:
        RuleError: the design cannot be planned.
        InputError: an input does not fit.
        UsageError: an input has no taker, a program runs on for ever, or a fifo without locks depends on timing.
        ProgramError: a program raised an error of its own.
    """
    made = lower(design, strict=strict) if plan is None else plan
    given = dict(inputs or {})
    check_free_running(design, made, given)
    if iterations is None and not design.transfers and not given:
        iterations = 1
    memory = memory or TileMemory(made)
    hosts = {h.name: h for h in design.hosts}
    for name in [n for n in given if n in hosts]:
        memory.give_host(name, given.pop(name), hosts[name].obj)
    opened = _Open(design, made, memory)
    agents, threads = _programs(design, made, memory, iterations)
    busy = {core.tile for core in design.cores}
    agents += [opened.core(key, tile, end, given) for key, (tile, end) in core_ends(made).items() if tile not in busy]
    machine = Machine(made, agents, mover=memory)
    _feed(design, machine, memory, given)
    if given:
        raise UsageError(f"no open end and no host array for input {', '.join(given)}")
    try:
        outcome = machine.run(quiet=True)
    finally:
        for thread in threads:
            thread.close()
    if outcome is None:
        raise UsageError("the programs run on for ever; give iterations")
    return FunctionalResult(
        {h.name: memory.host_values(h.name, h.obj) for h in design.hosts},
        opened.outputs(),
        {(t.tile.name, k.name): machine.locks[t.tile, k.id] for t in made.tiles for k in t.locks},
        outcome,
        {fifo: np.concatenate(words) for fifo, words in memory.passed.items()},
        {fifo: np.concatenate(words) for fifo, words in memory.produced.items()},
        (*(thread.run for thread in threads), *opened.runs()),
    )


def _feed(design: FifoDesign, machine: Machine, memory: TileMemory, given: dict[str, npt.ArrayLike]) -> None:
    """Put what is given for open ends into their channels, and take it out of ``given``."""
    for channel in machine.channels.values():
        if channel.free and channel.channel.direction is Direction.MM2S:
            fifo = design.fifo(channel.channel.fifo)
            words = _words(fifo.name, given.pop(fifo.name, ()), fifo.obj)
            memory.feed(channel, words)
            channel.supply(len(words))


def _programs(
    design: FifoDesign, made: Plan, memory: TileMemory, iterations: int | None
) -> tuple[list[CoreAgent], list[_Thread]]:
    """What acts for every core that has a program, and the threads that run the programs.

    Raises:
        UsageError: a core has no function to run, or the design has parts that no plan has.
    """
    if design.unplanned:
        raise UsageError(f"parts that are only executed (goldbeat objfifo exec): {'; '.join(design.unplanned)}")
    ends = core_ends(made)
    agents: list[CoreAgent] = []
    threads: list[_Thread] = []
    for core, steps in zip(design.cores, DesignLayout(design).programs.values(), strict=True):
        used = {a.key for a in each(steps)}
        if not used:
            continue
        if core.body is None or core.declared is not None:
            raise UsageError(f"{core.name} has no function to run: its acquires are only declared")
        thread = _Thread(core, iterations, memory, made)
        threads.append(thread)
        mine = {key: end for key, (_, end) in ends.items() if key in used}
        agents.append(CoreAgent(core.name, core.tile, mine, thread, None if not core.endless else 0, thread.granted))
    return agents, threads


def _words(name: str, value: npt.ArrayLike, kind: ObjectType) -> Words:
    flat = exact_values(np.asarray(value), name, kind, elements=None)
    if flat.nbytes % WORD_BYTES:
        raise InputError(f"{name} of {flat.nbytes} bytes", "a multiple of 4")
    return flat.view(np.uint32)


# -- memory and streams -----------------------------------------------------------------------------------------------


class _At:
    """Where a channel is in its descriptor."""

    def __init__(self, memory: Words, addresses: npt.NDArray[np.int64]) -> None:
        self.memory = memory
        self.addresses = addresses
        self.done = 0

    def take(self, words: int) -> npt.NDArray[np.int64]:
        """The next addresses."""
        found = self.addresses[self.done : self.done + words]
        self.done += words
        return found


class TileMemory:
    """The words of every tile and of the host; it moves them for a machine.

    Attributes:
        tiles: words of each tile but shims.
        host_words: words of the host's arrays, one behind the other.
    """

    def __init__(self, plan: Plan) -> None:
        self.tiles: dict[Tile, Words] = {}
        self._ends: dict[Tile, dict[str, tuple[int, int]]] = {}
        for one in plan.tiles:
            if one.tile.kind is TileKind.SHIM:
                continue
            end = max((b.address + b.size for b in one.buffers), default=0)
            words: Words = np.zeros(-(-end // WORD_BYTES), np.uint32)
            self.tiles[one.tile] = words
            self._ends[one.tile] = {b.name: (b.address, b.size) for b in one.buffers}
            for buffer in one.buffers:
                if buffer.initial is not None:
                    first = buffer.address // WORD_BYTES
                    words[first : first + len(buffer.initial)] = buffer.initial
        self._pads = {
            (one.tile, channel.index): np.uint32(channel.pad_value)
            for one in plan.tiles
            for channel in one.channels
            if channel.direction is Direction.MM2S
        }
        self._hosts = {h.name: h for h in plan.hosts}
        size = max((h.address + h.size for h in plan.hosts), default=0)
        self.host_words: Words = np.zeros(-(-size // WORD_BYTES), np.uint32)
        self._walks: dict[tuple[Tile, int, str], npt.NDArray[np.int64]] = {}
        self._at: dict[tuple[Tile, Direction, int], _At] = {}
        self._fed: set[tuple[Tile, Direction, int]] = set()
        self.arrived: dict[tuple[Tile, int], list[Words]] = {}
        self.passed: dict[str, list[Words]] = {}
        self.produced: dict[str, list[Words]] = {}

    def host(self, name: str) -> Words:
        """A host array's words."""
        found = self._hosts[name]
        return self.host_words[found.address // WORD_BYTES : (found.address + found.size) // WORD_BYTES]

    def give_host(self, name: str, values: npt.ArrayLike, kind: ObjectType) -> None:
        """Fill a host array."""
        given = exact_values(np.asarray(values), name, kind, elements=kind.elements)
        self.host(name).view(np.uint8)[: kind.size] = given.view(np.uint8)

    def host_values(self, name: str, kind: ObjectType) -> npt.NDArray[Any]:
        """A host array as it is now."""
        return self.host(name).view(np.uint8)[: kind.size].view(kind.dtype).reshape(kind.shape).copy()

    def view(self, tile: Tile, buffer: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """A buffer as an array that writes through."""
        address, size = self._ends[tile][buffer]
        return self.tiles[tile].view(np.uint8)[address : address + size].view(dtype).reshape(shape)

    def feed(self, channel: ChannelAgent, words: Words) -> None:
        """Let a channel send words that are in no memory."""
        key = (channel.tile, channel.channel.direction, channel.channel.index)
        self._at[key] = _At(words, np.arange(len(words), dtype=np.int64))
        self._fed.add(key)

    def begin(self, tile: Tile, channel: DmaChannel, bd: Bd, use: int) -> None:
        """A descriptor starts."""
        key = (tile, bd.id, bd.buffer)
        if key not in self._walks:
            self._walks[key] = bd_addresses(bd)
        found = self._walks[key]
        step = (bd.iteration.current + use) % bd.iteration.size * bd.iteration.step
        if step:
            found = np.where(found < 0, -1, found + step)
        memory = self.host_words if tile.kind is TileKind.SHIM else self.tiles[tile]
        if len(found) and int(found.max()) >= len(memory):
            raise UsageError(f"{tile}, buffer descriptor {bd.id}: word {int(found.max())} is outside the memory")
        self._at[tile, channel.direction, channel.index] = _At(memory, found)

    def ahead(self, tile: Tile, direction: Direction, channel: int, words: int) -> npt.NDArray[np.int64] | None:
        """The addresses of a channel's next words, -1 for padding; None where it walks no memory."""
        at = self._at.get((tile, direction, channel))
        if at is None or (tile, direction, channel) in self._fed:
            return None
        return at.addresses[at.done : at.done + words]

    def note(self, fifo: str, produced: npt.NDArray[Any]) -> Words:
        """A core gives an object to a fifo; its words."""
        words = np.ascontiguousarray(produced).reshape(-1).view(np.uint32).copy()
        self.produced.setdefault(fifo, []).append(words)
        return words

    def move(self, flow: Flow, words: int) -> None:
        """Words go from the source to every receiver."""
        source = self._at.get((flow.source.tile, Direction.MM2S, flow.source.channel))
        if source is None:
            values: Words = np.zeros(words, np.uint32)
        else:
            taken = source.take(words)
            pad = self._pads[flow.source.tile, flow.source.channel]
            values = np.where(taken < 0, pad, source.memory[taken]).astype(np.uint32)
        self.passed.setdefault(flow.fifo, []).append(values)
        for dest in flow.dests:
            at = self._at.get((dest.tile, Direction.S2MM, dest.channel))
            if at is None:
                self.arrived.setdefault((dest.tile, dest.channel), []).append(values)
            else:
                at.memory[at.take(words)] = values


# -- cores ------------------------------------------------------------------------------------------------------------


class _Closed(BaseException):
    """Ends a core's function that nobody waits for any more."""


class _Thread:
    """A core's function in a thread of its own; it and the machine never run at the same time."""

    def __init__(self, core: Core, passes: int | None, memory: TileMemory, plan: Plan) -> None:
        self._core = core
        self._passes = passes
        self._memory = memory
        self._types = {f.name: (np.dtype(f.dtype), f.shape) for f in plan.fifos}
        self._mine, self._other = threading.Semaphore(0), threading.Semaphore(0)
        self._says: deque[LockAccess | None] = deque()
        self._objects: list[npt.NDArray[Any]] = []
        self._held: dict[EndName, list[npt.NDArray[Any]]] = {}
        self._error: BaseException | None = None
        self.run = CoreRun(core.name, core.tile)
        self._ended = self._stop = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._started = False

    def __next__(self) -> LockAccess | None:
        """Let the function go on until it wants something."""
        if self._ended:
            raise StopIteration
        if self._started:
            self._mine.release()
        else:
            self._started = True
            self._thread.start()
        self._other.acquire()
        if self._error is not None:
            raise self._error
        if self._ended:
            raise StopIteration
        return self._says.popleft()

    def granted(self, access: LockAccess, end: CoreEnd) -> None:
        """The machine granted an acquire: these are the objects."""
        dtype, shape = self._types[access.fifo]
        names = end.names(access.count)
        self._objects = [self._memory.view(end.pool.tile, name, dtype, shape) for name in names]
        self._held[access.key] = self._objects

    def close(self) -> None:
        """End the function wherever it waits."""
        if self._started and not self._ended:
            self._stop = True
            self._mine.release()
            self._thread.join()

    # -- in the thread

    def _run(self) -> None:
        try:
            done = 0
            while True:
                assert self._core.body is not None
                run_with(self, self._core.body)
                done += 1
                if not self._core.endless or done == self._passes:
                    break
                self._ask(None)
        except _Closed:
            pass
        except GoldbeatError as error:
            self._error = error
        except Exception as error:
            self._error = ProgramError(self._core.name, error, "a function that can be run with these data")
            self._error.__cause__ = error
        except BaseException as error:
            self._error = error
        self._ended = True
        self._other.release()

    def _ask(self, access: LockAccess | None) -> None:
        self._says.append(access)
        self._other.release()
        self._mine.acquire()
        if self._stop:
            raise _Closed

    def acquire(self, access: LockAccess) -> list[npt.NDArray[Any]]:
        """Wait for objects."""
        self.run.deeds.append(CoreDeed(access))
        self._ask(access)
        return self._objects

    def release(self, access: LockAccess) -> None:
        """Give objects back."""
        held = self._held.get(access.key, [])
        given = held[: access.count] if access.port is FifoEnd.PRODUCE else []
        self.run.deeds.append(CoreDeed(access, tuple(self._memory.note(access.fifo, one) for one in given)))
        self._held[access.key] = held[access.count :]
        self._ask(access)

    def loop(self, numbers: range) -> Iterator[int]:
        """A loop is a loop; one without end is a program without end, whose passes are counted."""
        if self._passes is None or not endless(numbers):
            yield from numbers
            return
        yield from islice(numbers, self._passes)
        raise _Closed


class _Open:
    """Ends that no program and no transfer uses: inputs are handed in there, outputs collected."""

    def __init__(self, design: FifoDesign, plan: Plan, memory: TileMemory) -> None:
        self._design = design
        self._plan = plan
        self._memory = memory
        self._taken: dict[EndName, list[npt.NDArray[Any]]] = {}
        self._runs: dict[EndName, CoreRun] = {}

    def runs(self) -> list[CoreRun]:
        """What was done at these ends."""
        for key, objects in self._taken.items():
            self._runs[key].deeds = _deeds(key, [one.reshape(-1).view(np.uint32) for one in objects])
        return list(self._runs.values())

    def core(self, key: EndName, tile: Tile, end: CoreEnd, given: dict[str, npt.ArrayLike]) -> CoreAgent:
        """The agent of a core's end."""
        fifo = self._design.fifo(key[0])
        current: list[npt.NDArray[Any]] = []
        name = f"the open end of {fifo.name}"

        def granted(access: LockAccess, at: CoreEnd) -> None:
            current[:] = [self._memory.view(at.pool.tile, at.names(1)[0], fifo.obj.dtype, fifo.obj.shape)]

        if key[1] is FifoEnd.PRODUCE:
            words = _words(fifo.name, given.pop(fifo.name, ()), fifo.obj)
            if len(words) % fifo.obj.words:
                raise InputError(f"{fifo.name}: {len(words)} words", f"a multiple of {fifo.obj.words}, whole objects")
            objects = words.view(fifo.obj.dtype).reshape(-1, *fifo.obj.shape)
            program = _produce(key, objects, current)
            made = [self._memory.note(fifo.name, one) for one in objects]
            self._runs[key] = CoreRun(name, tile, _deeds(key, made))
        else:
            self._taken[key] = []
            self._runs[key] = CoreRun(name, tile)
            program = _consume(key, self._taken[key], current)
        return CoreAgent(name, tile, {key: end}, program, 0, granted)

    def outputs(self) -> dict[str, npt.NDArray[Any]]:
        """What arrived."""
        found = {}
        for (name, _, consumer), objects in self._taken.items():
            obj = self._design.fifo(name).obj
            found[_label(name, consumer)] = np.array(objects, obj.dtype).reshape(-1, *obj.shape)
        for plan in self._plan.fifos:
            obj = self._design.fifo(plan.name).obj
            for end in plan.ends:
                if end.port is FifoEnd.CONSUME and end.channel is not None:
                    words = self._memory.arrived.get((end.tile, end.channel))
                    if words is not None:
                        whole = np.concatenate(words)
                        whole = whole[: len(whole) // obj.words * obj.words]
                        found[_label(plan.name, end.consumer)] = whole.view(obj.dtype).reshape(-1, *obj.shape)
        return found


def _deeds(key: EndName, objects: Sequence[Words]) -> list[CoreDeed]:
    """One object after the other; a consumer's end gives no words."""
    found = []
    for words in objects:
        given = (words,) if key[1] is FifoEnd.PRODUCE else ()
        found += [CoreDeed(LockAccess(True, *key, 1)), CoreDeed(LockAccess(False, *key, 1), given)]
    return found


def _label(name: str, consumer: int) -> str:
    return f"{name}[{consumer}]" if consumer else name


def _produce(
    key: EndName, objects: Sequence[npt.NDArray[Any]] | npt.NDArray[Any], current: list[npt.NDArray[Any]]
) -> Iterator[LockAccess | None]:
    for one in objects:
        yield LockAccess(True, *key, 1)
        current[0][...] = one
        yield LockAccess(False, *key, 1)


def _consume(
    key: EndName, taken: list[npt.NDArray[Any]], current: list[npt.NDArray[Any]]
) -> Iterator[LockAccess | None]:
    while True:
        yield LockAccess(True, *key, 1)
        taken.append(current[0].copy())
        yield LockAccess(False, *key, 1)
