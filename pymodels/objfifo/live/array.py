# SPDX-License-Identifier: Apache-2.0
"""An array as it is set up and run: memories, locks, channels, streams, cores, the host."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import GoldbeatError, InputError, UsageError
from goldbeat.pymodels.objfifo.live.agent import Blocked, LiveAgent, LiveProgram
from goldbeat.pymodels.objfifo.live.core_control import CoreControl
from goldbeat.pymodels.objfifo.live.core_ports import CorePorts, CoreWatch, connect_cascade
from goldbeat.pymodels.objfifo.live.core_registers import ArrayRegisters, RegisterRead, RegisterWrite, serve_register
from goldbeat.pymodels.objfifo.live.dma import ChannelWatch, LiveBd, LiveChannel, LiveTask, LiveWords, QueueRoom
from goldbeat.pymodels.objfifo.live.lock import LiveLock, LockWatch
from goldbeat.pymodels.objfifo.live.scratchpad import Scratchpad
from goldbeat.pymodels.objfifo.live.streams import LiveSink, LiveSource, LiveStreams, StreamWatch, TilePort
from goldbeat.pymodels.objfifo.plan.access import MANY
from goldbeat.pymodels.objfifo.plan.device import Device
from goldbeat.pymodels.objfifo.plan.host_array import ArrayFile
from goldbeat.pymodels.objfifo.plan.memory import ALIGN, reserved
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import ChannelKey, Direction
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, TileKind, bd_ids
from goldbeat.pymodels.order.watched_memory import Steps, WatchedMemory, watching_memories

_SPINS = 20_000
"""Rounds in which programs run but nothing moves, before they count as waiting for ever."""

_SETTLES = 2_000
"""Rounds after the end in which words that are under way arrive."""
_STAY = "the host's transfers end only because the streams hold them"
_ENDLESS_LOOP = f"the host has all that it waits for; a loop that need not end has {MANY} passes or more"


@dataclass
class LiveBuffer:
    """A buffer in a tile's memory.

    Attributes:
        tile, name, obj: which one, and what it holds.
        address: bytes; None until it is placed.
        initial: what it holds at the start.
    """

    tile: Tile
    name: str
    obj: ObjectType
    address: int | None = None
    initial: npt.NDArray[Any] | None = None


class ArrayWatch(ChannelWatch, Protocol):
    """Told of what happens in an array."""

    @property
    def lock_changes(self) -> LockWatch:
        """Told of every change of a lock."""

    def task_pushed(self, channel: LiveChannel, task: LiveTask) -> None:
        """A task was put into a channel's queue while the array runs."""


class AccessWatch(CoreWatch, StreamWatch, Protocol):
    """Told of what orders programs and channels beside locks, and of what programs access."""

    def token_given(self, key: ChannelKey) -> None:
        """A channel gives a token."""

    def token_taken(self, key: ChannelKey) -> None:
        """A program has waited for a token."""

    def touched(self, memory: Hashable, first: int, run: int, steps: Steps, write: bool) -> None:
        """A program accesses memory: first byte, bytes of a run, count and stride of each loop."""


class LiveArray:
    """An array.

    Args:
        device: what it is.
        inputs: the host's arrays by name, or by position.

    Attributes:
        hosts: words of the host's arrays.
        scalars: numbers that the host's sequence is given.
        sequence: makes the program of the host's sequence, for a run; None without one.
        lose_pushes: a push to a full queue is lost, as on silicon; otherwise it waits.
        queue_room: how many tasks a channel takes.
        most_in_flight: tasks that a channel had at once, queued or at work.
        full_pushes: pushes that found a queue full, by channel.
        tokens: tokens that nobody has waited for, by channel.
        remarks: what a user should know of a run that went well.
        left: those remarks that say which of the host's words nothing takes, or which of its tasks never ends.
        leftovers: tell, after the end, what else of the host's words nothing takes.
        rescues: tried in turn when nothing moves; True if something will.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self.memories: dict[Tile, LiveWords] = {}
        self.buffers: dict[str, LiveBuffer] = {}
        self.locks: defaultdict[Tile, dict[int, LiveLock]] = defaultdict(dict)
        self.channels: dict[ChannelKey, LiveChannel] = {}
        self.bds: defaultdict[Tile, dict[Hashable, LiveBd]] = defaultdict(dict)
        self.streams = LiveStreams()
        self.hosts: dict[str, LiveWords] = {}
        self.host_types: dict[str, ObjectType] = {}
        self.scalars: dict[str, int] = {}
        self.tokens: Counter[ChannelKey] = Counter()
        self.cores: list[LiveAgent] = []
        self.core_controls: dict[Tile, CoreControl] = {}
        self._wanted: ChannelKey | None = None
        self.host: LiveAgent | None = None
        self.sequence: Callable[[], LiveProgram] | None = None
        self.host_error: GoldbeatError | None = None
        self.lose_pushes = False
        self.queue_room = QueueRoom()
        self.most_in_flight = 0
        self._pushing: LiveChannel | None = None
        self.full_pushes: Counter[str] = Counter()
        self.remarks: list[str] = []
        self.left: list[str] = []
        self.leftovers: list[Callable[[], Iterable[str]]] = []
        self.scratchpad = Scratchpad()
        self.registers: ArrayRegisters | None = None
        """What makes them enters itself."""
        self.rescues: list[Callable[[], bool]] = []
        self.running: LiveAgent | None = None
        """The program that has its turn."""
        self.at = ""
        """The place in its text, where it has one."""
        self.handed_back: Callable[[LiveLock | None], None] | None = None
        """Called after a program has released a lock, or (None) after the host has started a task."""
        self.never_end: list[str] = []
        """Programs that have an end and never reach it, although the host has all that it waits for."""
        self.held_program = ""
        self.held_core: int | None = None
        """The program that goes on only when nothing else can move."""
        self.places: dict[str, Callable[[], str]] = {}
        self.objects: dict[ChannelKey, tuple[str, int]] = {}
        """Fifos at shims' channels, and the words of an object."""
        """The line of a program in text that is at work, by its name."""
        self._given: defaultdict[ChannelKey, deque[int]] = defaultdict(deque)
        self._awaited: Counter[ChannelKey] = Counter()
        self._owners: dict[tuple[Tile, Hashable], tuple[LiveChannel, str]] = {}
        self._slow: Callable[[LiveChannel], bool] | None = None
        self._core_ports: dict[Tile, CorePorts] = {}
        self._watch: ArrayWatch | None = None
        self._accesses: AccessWatch | None = None
        self._watched: dict[Tile, WatchedMemory] | None = {} if watching_memories() else None

    def watched_by(self, watch: ArrayWatch) -> None:
        """Tell somebody of everything that locks and channels do from now on."""
        self._watch = watch
        for channel in self.channels.values():
            channel.watch = watch
        for lock in (lock for locks in self.locks.values() for lock in locks.values()):
            lock.watch = watch.lock_changes

    def recorded_by(self, watch: AccessWatch) -> None:
        """Tell somebody of streams, tokens, and of what programs access, if it was set up with watched memories."""
        self._accesses = self.streams.watch = watch
        for ports in self._core_ports.values():
            ports.watch = watch

    def _touched(self, memory: Hashable, first: int, run: int, steps: Steps, write: bool) -> None:
        if self._accesses is not None:
            self._accesses.touched(memory, first, run, steps, write)

    @property
    def locks_contended(self) -> bool:
        """Several have tried to acquire one lock, or one waited for a lock to equal a value: who is faster decides."""
        return any(len(one.askers) > 1 or one.equalled for locks in self.locks.values() for one in locks.values())

    @property
    def is_npu2(self) -> bool:
        """What was measured on npu2 is so on this device."""
        return self.device.name.startswith("npu2")

    # -- setting up

    def memory(self, tile: Tile) -> LiveWords:
        """A tile's words."""
        if tile not in self.memories:
            if tile.limits.memory is None:
                raise UsageError(f"{tile} has no memory")
            self.memories[tile] = np.zeros(tile.limits.memory // WORD_BYTES, np.uint32)
        return self.memories[tile]

    def add_buffer(self, buffer: LiveBuffer) -> LiveBuffer:
        """Declare a buffer; :meth:`place` gives it an address."""
        name = buffer.name
        while name in self.buffers:
            name += "_"
        buffer.name = name
        self.buffers[name] = buffer
        return buffer

    def place(self) -> None:
        """Give every buffer an address and its first contents.

        Those without one follow the others, as mlir-aie's ``--alloc-scheme=basic-sequential`` places them: most of its tests
        that write memory by address ask for it.

        Raises:
            UsageError: a tile's memory is too small, its neighbours' memory included.
        """
        tiles = {b.tile for b in self.buffers.values()}
        for tile in sorted(tiles):
            mine = [b for b in self.buffers.values() if b.tile == tile]
            open_ones = [b for b in mine if b.address is None]
            taken = max(((b.address or 0) + b.obj.size for b in mine if b.address is not None), default=0)
            end = max(taken, reserved(tile))
            for buffer in open_ones:
                buffer.address = -(-end // ALIGN) * ALIGN
                end = buffer.address + buffer.obj.size
            self.grow(tile, end)
            self._note_overlaps(mine)
            for buffer in mine:
                if buffer.initial is not None:
                    self.view(buffer)[...] = buffer.initial

    def _note_overlaps(self, buffers: Sequence[LiveBuffer]) -> None:
        placed = sorted(buffers, key=lambda b: b.address or 0)
        for one, after in pairwise(placed):
            if (one.address or 0) + one.obj.size > (after.address or 0):
                self.remarks.append(f"buffers {one.name} and {after.name} of {one.tile} overlap")

    def grow(self, tile: Tile, end: int) -> None:
        """A memory tile's buffers may lie in the memory tiles beside it."""
        limit = tile.limits.memory
        assert limit is not None
        if end <= max(limit, len(self.memory(tile)) * WORD_BYTES):
            return
        sides = [t for t in (tile.col - 1, tile.col + 1) if 0 <= t < self.device.columns]
        if tile.kind is not TileKind.MEM or end > limit * (1 + len(sides)):
            raise UsageError(f"{tile}: buffers of {end} bytes, its memory has {limit}")
        self.memories[tile] = np.zeros(_words(end) // WORD_BYTES, np.uint32)
        self.remarks.append(f"{tile}: {end - limit} bytes of its buffers lie in the memory tiles beside it")

    def view(self, buffer: LiveBuffer) -> npt.NDArray[Any]:
        """A buffer as an array that writes through."""
        first, words = buffer.address or 0, self.memory(buffer.tile)
        raw = words.view(np.uint8)[first : first + buffer.obj.size]
        found = raw.view(buffer.obj.dtype).reshape(buffer.obj.shape)
        if self._watched is None:
            return found
        if buffer.tile not in self._watched or not self._watched[buffer.tile].holds(found):
            self._watched[buffer.tile] = WatchedMemory(buffer.tile, words, self._touched)
        return self._watched[buffer.tile].view(found)

    def lock(self, tile: Tile, number: int, *, name: str | None = None, initial: int | None = None) -> LiveLock:
        """A lock by its number; made where there is none."""
        if number not in self.locks[tile]:
            made = self.locks[tile][number] = LiveLock(name or f"{number} of {tile}")
            made.watch = None if self._watch is None else self._watch.lock_changes
            made.handed_back = self.handed_back
            made.actor = lambda: self.running
        found = self.locks[tile][number]
        if name is not None:
            found.name = name
        if initial is not None:
            found.value = found.initial = initial
        return found

    def channel(self, tile: Tile, direction: Direction, index: int) -> LiveChannel:
        """A DMA channel; made where there is none."""
        key = (tile, direction, index)
        if key not in self.channels:
            if not 0 <= index < tile.limits.channels:
                raise UsageError(f"{tile} has no channel {direction} {index}")
            made = self.channels[key] = LiveChannel(
                tile, direction, index, self._finder(tile), self._counter(key), self.device.name
            )
            made.watch = self._watch
            made.held = self._slow is not None and self._slow(made)
        return self.channels[key]

    def writes_bd(self, tile: Tile, key: Hashable, place: str = "") -> str:
        """Say that the host writes a descriptor; gives the channel that still needs it, empty for none.

        A sender that is at work with it keeps what it read: mlir-aie has tests that rely on it and pass on silicon. That is a
        remark. Nothing says the same of a receiver.
        """
        mine = [one for one in self.channels.values() if one.tile == tile]
        for one in mine:
            if one.uses(key) or (one.works_with(key) and one.direction is Direction.S2MM):
                return one.name
        for one in mine:
            if one.works_with(key):
                what = f"descriptor {key} of {tile} is written while {one.name} works with it; missing: a wait before"
                self.remarks.append(f"{place}: {what}" if place else what)
        return ""

    def _finder(self, tile: Tile) -> Callable[[Hashable], LiveBd]:
        def find(key: Hashable) -> LiveBd:
            if key not in self.bds[tile]:
                raise UsageError(f"{tile}: descriptor {key} was never written")
            return self.bds[tile][key]

        return find

    def _counter(self, key: ChannelKey) -> Callable[[], None]:
        def count() -> None:
            self.tokens[key] += 1
            self._given[key].append(self.channels[key].tasks_done + 1)
            if self._accesses is not None:
                self._accesses.token_given(key)

        return count

    def host_array(self, name: str, obj: ObjectType) -> None:
        """Declare an array of the host, zeros as long as nothing is handed in."""
        self.host_types[name] = obj
        self.hosts[name] = np.zeros(-(-obj.size // WORD_BYTES), np.uint32)

    def hand_in(self, inputs: Mapping[str, npt.ArrayLike | ArrayFile]) -> None:
        """Contents of the host's arrays, of the others zeros.

        An array of Python is taken byte by byte, and may be of another size than the sequence says; one of a file must be
        what the sequence says.

        Raises:
            UsageError: no such array.
            InputError: parts of elements, or a file's array that is not that of the sequence.
        """
        for words in self.hosts.values():
            words[:] = 0
        for name, given in inputs.items():
            value: npt.ArrayLike
            if isinstance(given, ArrayFile):
                kind = self.host_types.get(name)
                value = given.values if kind is None else given.as_type(name, kind, elements=kind.elements)
            else:
                value = given
            if name in self.scalars:
                self.scalars[name] = _whole_number(name, value)
                continue
            if name in self.scratchpad.kinds:
                self.scratchpad.give(name, value)
                continue
            if name not in self.hosts:
                raise UsageError(f"no host array {name}; there are {', '.join(self.hosts) or 'none'}")
            if np.ndim(value) == 0 and not isinstance(given, ArrayFile):
                raise InputError(f"the number {value} for {name}", f"an array: {self.host_types[name]}")
            raw, kind = np.ascontiguousarray(value).reshape(-1).view(np.uint8), self.host_types[name]
            if len(raw) % kind.dtype.itemsize or not len(raw):
                raise InputError(f"{name} of {len(raw)} bytes", f"whole elements of {kind.dtype}")
            if len(raw) != kind.size:
                self.host_array(name, ObjectType((len(raw) // kind.dtype.itemsize,), kind.dtype))
            self.hosts[name].view(np.uint8)[: len(raw)] = raw

    def host_view(self, name: str) -> npt.NDArray[Any]:
        """A host array with its type."""
        obj = self.host_types[name]
        return self.hosts[name].view(np.uint8)[: obj.size].view(obj.dtype).reshape(obj.shape)

    def source(self, port: TilePort) -> LiveSource:
        """Where words leave."""
        found = self.streams.sources.get(port)
        if found is None:
            dma = port.bundle == "DMA"
            channel = self.channel(port.tile, Direction.MM2S, port.index) if dma else None
            found = self.streams.sources[port] = LiveSource(port, channel)
            self.streams.routes.setdefault(port, [])
        return found

    def sink(self, port: TilePort) -> LiveSink:
        """Where words arrive; ports other than of DMAs and cores lose them."""
        found = self.streams.sinks.get(port)
        if found is None:
            dma = port.bundle == "DMA"
            channel = self.channel(port.tile, Direction.S2MM, port.index) if dma else None
            found = LiveSink(port, channel, lost=port.bundle not in ("DMA", "Core", "TileControl"))
            self.streams.sinks[port] = found
        return found

    def flow(
        self,
        source: TilePort,
        dests: list[TilePort],
        packet: int | None = None,
        *,
        mask: int = 31,
        keep: bool = False,
        arbiters: Sequence[tuple[Tile, int]] = (),
    ) -> None:
        """A stream; with ``packet`` only for packets of that id, which pass these arbiters of switches."""
        sinks = [self.sink(d) for d in dests]
        self.streams.connect(self.source(source), sinks, packet, mask=mask, keep=keep, arbiters=arbiters)

    def core_ports(self, tile: Tile) -> CorePorts:
        """A core's streams, cascades and registers."""
        if tile not in self._core_ports:
            self._core_ports[tile] = CorePorts(
                lambda n: self.sink(TilePort(tile, "Core", n)),
                lambda n: self.source(TilePort(tile, "Core", n)),
                lambda wish: self._register(tile, wish),
            )
        return self._core_ports[tile]

    def _register(self, tile: Tile, wish: RegisterWrite | RegisterRead) -> Generator[Blocked, None, int | None]:
        assert self.registers is not None
        return serve_register(self.registers, tile, wish)

    def add_cascade(self, source: Tile, dest: Tile) -> None:
        """A cascade from one core to the next."""
        connect_cascade(source, self.core_ports(source), dest, self.core_ports(dest))

    def add_core(self, tile: Tile, name: str, make: Callable[[], LiveProgram], endless: Callable[[], bool]) -> None:
        """A core's program: ``make`` gives it from its start, ``endless`` tells whether it is in a loop without end."""
        self.cores.append(LiveAgent(name, make(), endless))
        self.core_controls[tile] = CoreControl(self.cores[-1], make)

    # -- what the host does

    def restart(self) -> None:
        """Let the host's sequence begin, or begin once more on the array as it is."""
        if self.host is not None:
            self.host.close()
        self.host = None if self.sequence is None else LiveAgent("the host's sequence", self._noted(self.sequence()))

    def _noted(self, program: LiveProgram) -> LiveProgram:
        """The host's sequence; its error is kept, to tell it from those of programs."""
        try:
            yield from program
        except GoldbeatError as error:
            self.host_error = error
            raise

    def claim_bd(self, tile: Tile, number: Hashable, key: ChannelKey, place: str) -> None:
        """Give a descriptor to a channel.

        A sender keeps what it read: mlir-aie has a test that gives one to two of them, and passes on silicon.

        Raises:
            InputError: it is another channel's, and the host has waited for nothing since; without a file.
        """
        channel = self.channel(*key)
        other, since = self._owners.setdefault((tile, number), (channel, place))
        if other.direction is channel.direction is Direction.MM2S:
            self._owners[tile, number] = channel, place
        elif other is not channel and isinstance(number, int):
            found = f"descriptor {number} for {channel.name}, which {other.name} has since {since}"
            raise InputError(found, "a wait before, or a descriptor of its own")

    def _reaches_bds(self, key: ChannelKey, first: Hashable) -> None:
        """A memory tile's channels reach half of its descriptors each."""
        tile, _, index = key
        known = bd_ids(tile, index)
        for number in sorted(n for n in self.channel(*key).chain(first) if isinstance(n, int) and n not in known):
            found = f"descriptor {number} for {self.channel(*key).name}"
            raise InputError(found, f"one of {known.start} to {known.stop - 1}, which that channel reaches")

    def push(self, tile: Tile, direction: Direction, index: int, task: LiveTask) -> Blocked:
        """Start a task; waits for a place in the queue, or loses the task where there is none."""
        channel = self.channel(tile, direction, index)
        self._reaches_bds((tile, direction, index), task.bd)
        seen = False

        def attempt() -> bool:
            nonlocal seen
            if not channel.accepts(self.queue_room):
                self.full_pushes[channel.name] += not seen
                seen, self._pushing = True, channel
                return self.lose_pushes
            self._pushing = None
            channel.queue.append(task)
            self.most_in_flight = max(self.most_in_flight, channel.in_flight)
            if self._watch is not None:
                self._watch.task_pushed(channel, task)
            if self.handed_back is not None:
                self.handed_back(None)
            return True

        return Blocked(f"a place in the queue of {channel.name}", attempt)

    def await_token(self, key: ChannelKey) -> Blocked:
        """Wait for a channel's token and take it."""

        def attempt() -> bool:
            self._wanted = None if self.tokens[key] else key
            if not self.tokens[key]:
                return False
            self.tokens[key] -= 1
            self._owners.clear()
            self._awaited[key] = self._given[key].popleft()
            if self._accesses is not None:
                self._accesses.token_taken(key)
            return True

        return Blocked(f"a token of {key[1]} {key[2]} of {key[0]}", attempt)

    @property
    def full_queue(self) -> str:
        """The channel in whose queue the host waits for a place at the end of a run; empty if it waits for none."""
        waits = self._pushing is not None and self.host is not None and not self.host.done and not self.lose_pushes
        return self._pushing.name if waits and self._pushing is not None else ""

    @property
    def lost_wait(self) -> str:
        """What the host waits for at the end of a run that hangs, a token or a place; empty if it waits for none."""
        if self.full_queue:
            return f"the host's sequence waits for a place in the queue of {self.full_queue}, whose tasks never end"
        key = self._wanted
        if key is None:
            return ""
        idle = key not in self.channels or self.channels[key].idle
        why = "which no task is left to give" if idle else "whose task never ends"
        return f"the host's sequence waits for a token of {key[1]} {key[2]} of {key[0]}, {why}"

    # -- running

    def run(self, *, host_first: bool = False) -> bool:
        """Run until the host's sequence and its transfers have ended; False if nothing moves before that."""
        spins = 0
        while True:
            moved, ran = self._round(host_first)
            if self.ended():
                self._note_unawaited()
                return True
            spins = 0 if moved else spins + 1
            if not moved and (not ran or spins > _SPINS):
                if self.host is not None and not self.host.done and any(rescue() for rescue in self.rescues):
                    continue
                return self._served()

    def end_programs(self, *, host_first: bool = False) -> bool:
        """After :meth:`run`: let the programs that have an end reach it; False if one never does."""
        spins = 0
        while waiting := [a for a in self.cores if not a.done and not a.endless()]:
            before = [a.taken for a in waiting]
            moved, ran = self._round(host_first)
            went = any(a.done or a.taken != n for a, n in zip(waiting, before, strict=True))
            spins = 0 if went else spins + 1
            if spins > _SPINS or not (moved or ran or any(rescue() for rescue in self.rescues)):
                self.never_end = [a.name for a in waiting]
                return False
        return True

    def _round(self, host_first: bool) -> tuple[bool, bool]:
        """Let every program and the streams go on: (something moved, some program ran)."""
        agents = [a for a in (self.host,) if a is not None]
        order = [*agents, *self.cores] if host_first else [*self.cores, *agents]
        moved = ran = False
        held = (
            [agent for agent in order if self._is_held(agent)]
            if self.held_program or self.held_core is not None
            else []
        )
        for late in (False, True):
            for agent in (held if not moved else ()) if late else order:
                if late or agent not in held:
                    did, went = self._step(agent)
                    moved, ran = moved or did, ran or went
                    if did:
                        moved |= self.streams.step()
            moved |= self.streams.step()
        if not moved and self._slow is not None:
            moved |= self._slow_channels_move()
        return moved, ran

    def _is_held(self, agent: LiveAgent) -> bool:
        """It goes on only when nothing else moves."""
        return agent.name == self.held_program or (self.held_core is not None and agent is self.cores[self.held_core])

    def _step(self, agent: LiveAgent) -> tuple[bool, bool]:
        """Let a program go on."""
        self.running = agent
        done = agent.step()
        self.running = None
        return done

    def hold_channels(self, slow: Callable[[LiveChannel], bool]) -> None:
        """From now on these channels begin a descriptor only when nothing else can move."""
        self._slow = slow
        for channel in self.channels.values():
            channel.held = slow(channel)

    def _slow_channels_move(self) -> bool:
        """Let one of them begin one descriptor; what has waited longest goes first."""
        assert self._slow is not None
        for key, channel in self.channels.items():
            if not channel.held or (not channel.left and channel.stuck):
                continue
            channel.once = True
            moved = self.streams.step_channel(channel)
            channel.once = False
            if moved:
                self.channels[key] = self.channels.pop(key)
                return True
        return False

    def ended(self) -> bool:
        """The host's sequence has ended and every transfer of a shim has."""
        if self.host is not None and not self.host.done:
            return False
        return all(c.idle for c in self.channels.values() if c.tile.kind is TileKind.SHIM)

    @property
    def released(self) -> bool:
        """A program has released a lock since :meth:`forget_releases`."""
        return any(lock.released for locks in self.locks.values() for lock in locks.values())

    def forget_releases(self) -> None:
        """Its locks have the values that they begin with."""
        for lock in (lock for locks in self.locks.values() for lock in locks.values()):
            lock.forget_releases()

    def _note_unawaited(self) -> None:
        """Transfers into host arrays that had ended here, which a host that does not wait cannot know."""
        for key, channel in self.channels.items() if self.host is not None else ():
            into_host = channel.tile.kind is TileKind.SHIM and channel.direction is Direction.S2MM
            left = channel.tasks_done - self._awaited[key]
            if into_host and channel.words and left:
                some = f"the last {left} of {channel.tasks_done} tasks of " if self._awaited[key] else ""
                text = f"nothing waits for {some}{channel.name}: on silicon its host array may be read too early"
                self.remarks += [text] * (text not in self.remarks)

    def _leave(self, text: str, *, counts: bool = True) -> None:
        self.remarks.append(text)
        self.left += [text] * counts

    def _host_sends(self) -> bool:
        """Words that are left over may be the host's: a core that makes them by itself makes more than are asked for."""
        sends = (c for c in self.channels.values() if c.direction is Direction.MM2S)
        return any(c.words for c in sends if c.tile.kind is TileKind.SHIM)

    def note_left(self) -> None:
        """After everything else: words that nothing takes, however long it goes on."""
        sinks = [s for s in self.streams.sinks.values() if not s.lost]
        inside = [s for s in sinks if s.port.tile.kind is not TileKind.SHIM]
        for _ in range(_SETTLES):
            under_way = any(s.stored or (s.channel is not None and s.channel.begun) for s in inside)
            under_way = under_way or any(text for tell in self.leftovers for text in tell())
            if not under_way or not any(self._round(False)):
                break
        for sink in sinks:
            if sink.port.tile.kind is TileKind.SHIM:
                if sink.stored and sink.channel is not None and sink.channel.idle:
                    text = f"{sink.stored} words have come to {sink.channel.name} and no task takes them"
                    self._leave(text, counts=self._host_sends())
                continue
            if sink.channel is not None and sink.channel.begun:
                self._leave(f"{sink.channel.name} {sink.channel.state}: no more come")
            if sink.stored:
                end = sink.port if sink.channel is None else sink.channel.name
                self._leave(f"{sink.stored} words stay in the stream to {end}: {_STAY}")
        for text in (text for tell in (*self.leftovers, self._brought) for text in tell()):
            self._leave(text)

    def _brought(self) -> Iterator[str]:
        """Words of the host in the memory of a tile whose locks nobody acquires any more."""
        for channel in self.channels.values():
            own = (
                () if channel.fifo or not channel.filled or not self.streams.from_host(channel.tile) else channel.filled
            )
            for lock in own:
                words = sum(count for _, count in lock.brought)
                if words and lock.value > 0:
                    text = f"{words} words have come by {channel.name} and nobody acquires lock {lock.name} after them"
                    yield text

    def _served(self) -> bool:
        """The host has all that it waits for, although some of what it sends was never taken, or never came."""
        shims = [c for c in self.channels.values() if c.tile.kind is TileKind.SHIM and not c.idle]
        if self.host is None and any(c.direction is Direction.S2MM for c in shims):
            return False
        if self.host is not None and not self.host.done:
            return False
        for channel in shims:
            fate = "the sequence waits for none of them" if channel.direction is Direction.S2MM else "nobody takes them"
            self._leave(f"{channel.name} {channel.state}: {fate}")
        return True

    def _nowhere(self, channel: LiveChannel) -> bool:
        """It has something to send, and no stream begins there."""
        port = TilePort(channel.tile, "DMA", channel.index)
        return channel.direction is Direction.MM2S and not channel.idle and not self.streams.routes.get(port)

    def report(self) -> list[str]:
        """Who waits for what."""
        agents = [a for a in (self.host, *self.cores) if a is not None and not a.done]
        lines = [lost] if (lost := self.lost_wait) else []
        agents = [a for a in agents if a is not self.host or not lost]
        lines += [f"{a.name} waits for {a.wait.text}" if a.wait else f"{a.name} runs" for a in agents]
        lines += [f"{name} never ends: {_ENDLESS_LOOP}" for name in self.never_end]
        lines += [*self.streams.lost_packets(), *self.streams.at_arbiters()]
        lines += [f"{c.name} sends into no stream" for c in self.channels.values() if self._nowhere(c)]
        return lines + [f"{c.name} {c.state}" for c in self.channels.values() if not c.idle]

    def unfinished(self) -> list[str]:
        """Fifos whose last object the host has moved in part; behind a channel that compresses, words are no measure of that."""
        if any(channel.compressed for channel in self.channels.values()):
            return []
        return [
            f"{name}: the host moves {self.channel(*key).words} words, objects have {size}: the last stays unfinished"
            for key, (name, size) in self.objects.items()
            if self.channel(*key).words % size
        ]

    def close(self) -> None:
        """End all programs."""
        for agent in (self.host, *self.cores):
            if agent is not None:
                agent.close()


def _whole_number(name: str, value: npt.ArrayLike) -> int:
    """A number of the sequence."""
    found = np.asarray(value)
    if found.size != 1 or found.dtype.kind not in "iuf" or found.item() != np.trunc(found.item()):
        what = f"{found.size} elements" if found.size != 1 else str(found.item())
        raise InputError(f"{what} for {name}", "one whole number")
    return int(found.item())


def _words(size: int) -> int:
    return -(-size // WORD_BYTES) * WORD_BYTES
