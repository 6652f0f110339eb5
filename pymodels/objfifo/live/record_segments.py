# SPDX-License-Identifier: Apache-2.0
"""What was recorded of one tile, cut where the host changes it: each part is a run of an engine by itself.

A part begins with the locks and the memory as they stand, and with each channel where it is in its task. It ends where the host
starts a task, or writes a lock or memory that the tile's DMA uses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.live.dma import LiveBd, LiveChannel, LiveTask, LiveWords
from goldbeat.pymodels.objfifo.live.record_events import (
    BdBegun,
    BdEnded,
    ChannelReset,
    LockChanged,
    RecordedEvent,
    RunRecord,
    TaskBegun,
    TaskPushed,
    WordsChanged,
    WordsMoved,
)
from goldbeat.pymodels.objfifo.plan.plan import Direction
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind

_SHIM = TileKind.SHIM


@dataclass(eq=False)
class TaskPart:
    """What a channel does of a task in a part of the run.

    Attributes:
        task: as it was queued.
        whole: it begins here.
        runs: of the chain, each its descriptors in order with the number of their use.
        ends: its last run is over.
    """

    task: LiveTask
    whole: bool
    runs: list[list[tuple[LiveBd, int]]] = field(default_factory=list)
    ends: bool = False
    open: bool = True
    """The next descriptor begins a run."""


@dataclass(eq=False)
class ChannelPart:
    """What a channel does in a part of the run: its tasks, and the words on its stream."""

    channel: LiveChannel
    tasks: list[TaskPart] = field(default_factory=list)
    words: list[LiveWords] = field(default_factory=list)

    @property
    def moved(self) -> int:
        """Words."""
        return sum(len(w) for w in self.words)


@dataclass(frozen=True, eq=False)
class CoreOp:
    """A core's step: it takes (a negative number) or gives a lock, or changes words.

    Attributes:
        at: index of the event in the part.
        equal: the value that it waits for, where it takes nothing; None for another step.
    """

    at: int
    lock: int = -1
    difference: int = 0
    equal: int | None = None
    addresses: npt.NDArray[np.int64] | None = None


@dataclass(eq=False)
class TileSegment:
    """A part of a tile's run.

    Attributes:
        tile: which one.
        locks, memory: as they stand at the beginning.
        after: the memory at the end.
        channels: in the order in which they begin.
        cores: steps of each core, by its name.
        events: of the tile, in order.
        foreign: addresses that the host writes without a cut, since no DMA reads them.
        early: a task of the host that begins too early here, since there was no place to cut.
    """

    tile: Tile
    locks: dict[int, int]
    memory: LiveWords
    after: LiveWords
    channels: dict[LiveChannel, ChannelPart] = field(default_factory=dict)
    cores: dict[str, list[CoreOp]] = field(default_factory=dict)
    events: list[RecordedEvent] = field(default_factory=list)
    foreign: set[int] = field(default_factory=set)
    early: str | None = None


@dataclass(eq=False)
class _ChannelState:
    """Where a channel is: task, descriptor at hand (begun or waiting), words moved of it, runs left."""

    task: LiveTask | None = None
    begun: BdBegun | None = None
    moved: int = 0
    starts_run: bool = True


def channel_homes(record: RunRecord) -> dict[LiveChannel, frozenset[Tile]]:
    """The tiles whose memory and locks each channel uses: a memory tile's channel may use its neighbours'."""
    found: dict[LiveChannel, set[Tile]] = defaultdict(set)
    for event in record.events:
        if isinstance(event, BdBegun):
            tile = record.tile_of(event.bd)
            assert tile is not None
            found[event.channel].add(tile)
        elif isinstance(event, LockChanged) and isinstance(event.by, LiveChannel) and event.by.tile.kind is not _SHIM:
            found[event.by].add(event.tile)
    return {channel: frozenset(tiles) for channel, tiles in found.items()}


def tile_segments(record: RunRecord, tile: Tile, mine: set[LiveChannel]) -> list[TileSegment]:
    """The parts of a tile's run in which its DMA moves words; ``mine`` are the channels that use its memory.

    Raises:
        UsageError: the host changes something while a channel is inside a descriptor.
    """
    return _Cutter(record, tile, mine).run()


class _Cutter:
    def __init__(self, record: RunRecord, tile: Tile, mine: set[LiveChannel]) -> None:
        self.record, self.tile, self.mine = record, tile, mine
        self.locks = dict(record.locks.get(tile, {}))
        self.memory = record.memories[tile].copy()
        self.states = {c: _ChannelState() for c in mine}
        self.read = _addresses_read(record.events, mine)
        self.found: list[TileSegment] = []
        self.part = self._fresh()

    def run(self) -> list[TileSegment]:
        for event in self.record.events:
            if self._concerns(event):
                self._take(event)
        self._close()
        return self.found

    def _concerns(self, event: RecordedEvent) -> bool:
        if isinstance(event, LockChanged | WordsChanged):
            return event.tile == self.tile
        return event.channel in self.mine

    def _fresh(self) -> TileSegment:
        return TileSegment(self.tile, dict(self.locks), self.memory.copy(), self.memory)

    def _close(self) -> None:
        self.part.after = self.memory.copy()
        if any(c.moved for c in self.part.channels.values()):
            self.found.append(self.part)

    # -- cuts

    def _cut(self, what: str, *, must: bool) -> None:
        """End the part here. A descriptor that has begun but moved no word belongs to the next one."""
        inside = [c for c, s in self.states.items() if s.begun is not None and s.moved]
        if inside:
            if must:
                raise UsageError(f"{self.tile}: {what} while {inside[0].name} is inside a descriptor")
            self.part.early = self.part.early or what
            return
        self._close()
        waiting = [(c, s, s.begun) for c, s in self.states.items() if s.begun is not None]
        for channel, _, begun in waiting:
            last = self.part.channels[channel].tasks[-1]
            last.runs[-1].pop()
            if begun.bd.takes is not None and not begun.bd.takes[2]:
                number = self._lock_number(begun.bd)
                self.locks[number] += begun.bd.takes[1]
        self.part = self._fresh()
        for channel, state in self.states.items():
            if state.task is not None:
                self._channel(channel).tasks.append(TaskPart(state.task, False))
        for channel, state, begun in waiting:
            if begun.bd.takes is not None and not begun.bd.takes[2]:
                self.locks[self._lock_number(begun.bd)] -= begun.bd.takes[1]
            self._begin(channel, state, begun)
            self.part.events.append(begun)

    def _lock_number(self, bd: LiveBd) -> int:
        assert bd.takes is not None
        return self.record.places[id(bd.takes[0])][1]

    # -- events

    def _take(self, event: RecordedEvent) -> None:
        if isinstance(event, TaskPushed):
            self._cut(f"the host starts a task of {event.channel.name}", must=False)
        elif isinstance(event, ChannelReset):
            self.states[event.channel] = _ChannelState()
            self._cut(f"the host resets {event.channel.name}", must=True)
        elif isinstance(event, LockChanged):
            self._lock(event)
        elif isinstance(event, WordsChanged):
            self._words(event)
        else:
            self._dma(event)
        self.part.events.append(event)

    def _lock(self, event: LockChanged) -> None:
        if event.by is None:
            self._cut(f"the host writes lock {event.number}", must=True)
            self.locks[event.number] = self.locks.get(event.number, 0) + event.difference
            self.part.locks[event.number] = self.part.locks.get(event.number, 0) + event.difference
            return
        self.locks[event.number] = self.locks.get(event.number, 0) + event.difference
        if isinstance(event.by, str):
            equal = self.locks[event.number] if event.equal else None
            self._core(event.by, CoreOp(len(self.part.events), event.number, event.difference, equal))

    def _words(self, event: WordsChanged) -> None:
        if event.by is None:
            read = self.read & set(event.addresses.tolist())
            if read:
                self._cut(f"the host writes word {min(read)} of the memory", must=True)
            self.part.foreign |= set(event.addresses.tolist())
            if read:
                self.part.memory[event.addresses] = event.values
        else:
            self._core(event.by, CoreOp(len(self.part.events), addresses=event.addresses))
        self.memory[event.addresses] = event.values

    def _core(self, name: str, op: CoreOp) -> None:
        self.part.cores.setdefault(name, []).append(op)

    def _dma(self, event: TaskBegun | BdBegun | WordsMoved | BdEnded) -> None:
        channel, state = event.channel, self.states[event.channel]
        if isinstance(event, TaskBegun):
            self.states[channel] = _ChannelState(event.task)
            self._channel(channel).tasks.append(TaskPart(event.task, True))
        elif isinstance(event, BdBegun):
            self._begin(channel, state, event)
        elif isinstance(event, WordsMoved):
            self._channel(channel).words.append(event.words)
            assert state.begun is not None
            if channel.direction is Direction.S2MM:
                at = state.begun.bd.addresses_of(state.begun.use)[state.moved : state.moved + len(event.words)]
                self.memory[at] = event.words
            state.moved += len(event.words)
        else:
            part = self._channel(channel).tasks[-1]
            part.open = state.starts_run = event.run_ends or not channel.ordered
            state.begun, state.moved = None, 0
            if event.following is None if channel.ordered else not event.runs:
                part.ends, state.task = True, None

    def _begin(self, channel: LiveChannel, state: _ChannelState, event: BdBegun) -> None:
        if state.task is None:
            raise UsageError(f"{channel.name}: a descriptor without a task")
        part = self._channel(channel).tasks[-1]
        if part.open or not part.runs:
            part.runs.append([])
        part.open = False
        part.runs[-1].append((event.bd, event.use))
        state.begun, state.moved = event, 0

    def _channel(self, channel: LiveChannel) -> ChannelPart:
        return self.part.channels.setdefault(channel, ChannelPart(channel))


def _addresses_read(events: Iterable[RecordedEvent], mine: set[LiveChannel]) -> set[int]:
    """Words that channels read from memory."""
    found: set[int] = set()
    for event in events:
        if isinstance(event, BdBegun) and event.channel in mine and event.channel.direction is Direction.MM2S:
            found.update(event.bd.addresses_of(event.use).tolist())
    return found - {-1}
