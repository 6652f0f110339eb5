# SPDX-License-Identifier: Apache-2.0
"""Record a run of a live array: what locks, channels, cores and the host did, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.objfifo.live.agent import Blocked, LiveAgent
from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.dma import LiveBd, LiveChannel, LiveTask, LiveWords
from goldbeat.pymodels.objfifo.live.lock import LiveLock
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
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import Direction
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, TileKind


def zeros_of(_: str, kind: ObjectType) -> npt.NDArray[Any]:
    """An array of zeros."""
    return np.zeros(kind.shape, kind.dtype)


class _WatchedAgent(LiveAgent):
    """A program whose changes of memory are recorded."""

    def __init__(self, inner: LiveAgent, recorder: RunRecorder, core: str | None) -> None:
        self._inner, self._recorder, self._core = inner, recorder, core
        self.name, self.endless = inner.name, inner.endless

    @property
    def wait(self) -> Blocked | None:  # type: ignore[override]
        """What stopped it."""
        return self._inner.wait

    @property
    def done(self) -> bool:  # type: ignore[override]
        """It has ended."""
        return self._inner.done

    @property
    def taken(self) -> int:  # type: ignore[override]
        """What it has waited for and got."""
        return self._inner.taken

    def step(self) -> tuple[bool, bool]:
        """As the program."""
        self._recorder.begins(self._core)
        moved, ran = self._inner.step()
        self._recorder.stops(changed=moved or ran)
        return moved, ran

    def close(self) -> None:
        """End the program."""
        self._inner.close()


class RunRecorder:
    """Records an array from now on.

    Args:
        array: set up, its inputs handed in, not yet run.
    """

    def __init__(self, array: LiveArray) -> None:
        self.array = array
        self.events: list[RecordedEvent] = []
        self._before: dict[Tile, LiveWords] = {}
        self._shadow: dict[Tile, LiveWords] = {}
        self._homes: dict[int, Tile] = {}
        self._see_memories(fresh=False)
        self._locks = {t: {n: lock.value for n, lock in locks.items()} for t, locks in array.locks.items()}
        self._places: dict[int, tuple[Tile, int]] = {}
        self._core: str | None = None
        self._acts = False
        array.watched_by(self)
        array.cores = [_WatchedAgent(core, self, core.name) for core in array.cores]

    def watch_host(self) -> None:
        """Record the host's sequence, which has just been made."""
        if self.array.host is not None:
            self.array.host = _WatchedAgent(self.array.host, self, None)

    def _see_memories(self, *, fresh: bool) -> None:
        """Memories that are there now; one that nobody has used so far is made of zeros."""
        for tile, words in self.array.memories.items():
            if tile not in self._before and tile.kind is not TileKind.SHIM:
                self._before[tile] = np.zeros_like(words) if fresh else words.copy()
                self._shadow[tile] = self._before[tile].copy()
                self._homes[id(words)] = tile

    # -- programs

    def begins(self, core: str | None) -> None:
        """A program has its turn: a core, or None for the host."""
        # What control packets wrote in between is the host's.
        if any(s.control is not None for s in self.array.streams.sinks.values()):
            self._compare(None, list(self._shadow))
        self._core, self._acts = core, True

    def stops(self, changed: bool) -> None:
        """Its turn is over."""
        if changed:
            self._changed_words()
        self._core, self._acts = None, False

    def _changed_words(self) -> None:
        core = self._core
        if len(self._before) < len(self.array.memories):
            self._see_memories(fresh=True)
        self._compare(core, [t for t in self._shadow if core is None or t.kind is TileKind.CORE])

    def _compare(self, by: str | None, tiles: list[Tile]) -> None:
        for tile in tiles:
            now, before = self.array.memory(tile), self._shadow[tile]
            if np.array_equal(now, before):
                continue
            at = np.flatnonzero(now != before)
            self.events.append(WordsChanged(tile, by, at, now[at].copy()))
            before[at] = now[at]

    # -- locks and channels

    def lock_changes(self, lock: LiveLock, difference: int, channel: LiveChannel | None, equal: bool) -> None:
        """See :data:`LockWatch`."""
        if self._acts and channel is None and self._core is not None:
            self._changed_words()
        tile, number = self._place(lock)
        by = channel if channel is not None else self._core if self._acts else None
        self.events.append(LockChanged(tile, number, difference, by, equal))

    def _place(self, lock: LiveLock) -> tuple[Tile, int]:
        if id(lock) not in self._places:
            self._places = {id(one): (t, n) for t, locks in self.array.locks.items() for n, one in locks.items()}
        return self._places[id(lock)]

    def task_pushed(self, channel: LiveChannel, task: LiveTask) -> None:
        """See :class:`ArrayWatch`."""
        if channel.tile.kind is not TileKind.SHIM:
            self.events.append(TaskPushed(channel, task))

    def task_begins(self, channel: LiveChannel, task: LiveTask) -> None:
        """See :class:`ChannelWatch`."""
        if channel.tile.kind is not TileKind.SHIM:
            self.events.append(TaskBegun(channel, task))

    def descriptor_begins(self, channel: LiveChannel, bd: LiveBd, use: int) -> None:
        """See :class:`ChannelWatch`."""
        if channel.tile.kind is not TileKind.SHIM:
            if id(bd.memory) not in self._homes:
                self._see_memories(fresh=True)
            self.events.append(BdBegun(channel, bd, use))

    def words_move(self, channel: LiveChannel, words: LiveWords) -> None:
        """See :class:`ChannelWatch`."""
        if channel.tile.kind is TileKind.SHIM:
            return
        bd = channel.bd
        tile = None if bd is None else self._homes.get(id(bd.memory))
        if channel.direction is Direction.S2MM and tile is not None:
            at = channel.reached(len(words))
            self._shadow[tile][at] = words
        self.events.append(WordsMoved(channel, words.copy()))

    def descriptor_ends(self, channel: LiveChannel, run_ends: bool, following: LiveBd | None, runs: int) -> None:
        """See :class:`ChannelWatch`."""
        if channel.tile.kind is not TileKind.SHIM:
            self.events.append(BdEnded(channel, run_ends, following, runs))

    def forgotten(self, channel: LiveChannel) -> None:
        """See :class:`ChannelWatch`."""
        if channel.tile.kind is not TileKind.SHIM:
            self.events.append(ChannelReset(channel))

    def record(self) -> RunRecord:
        """What was recorded, when the run is over."""
        buffers: dict[Tile, list[tuple[int, int]]] = {}
        for one in self.array.buffers.values():
            first = (one.address or 0) // WORD_BYTES
            words = -(-((one.address or 0) % WORD_BYTES + one.obj.size) // WORD_BYTES)
            buffers.setdefault(one.tile, []).append((first, words))
        after = {t: self.array.memory(t).copy() for t in self._before}
        places = {id(one): (t, n) for t, locks in self.array.locks.items() for n, one in locks.items()}
        return RunRecord(self.events, self._before, after, self._locks, buffers, self._homes, places, self.array)


@dataclass(frozen=True, eq=False)
class RecordWish:
    """Every run is to be recorded.

    Attributes:
        records: where they go.
        fill: contents of a host array that nobody hands in, by its name and type.
    """

    fill: Callable[[str, ObjectType], npt.NDArray[Any]]
    records: list[RunRecord] = field(default_factory=list)


_wish: ContextVar[RecordWish | None] = ContextVar("record_wish", default=None)


@contextmanager
def recorded_runs(fill: Callable[[str, ObjectType], npt.NDArray[Any]] = zeros_of) -> Iterator[list[RunRecord]]:
    """Record every run inside the block, as it goes where the cores begin before the host.

    Args:
        fill: contents of a host array that nobody hands in.
    """
    found = RecordWish(fill)
    token = _wish.set(found)
    try:
        yield found.records
    finally:
        _wish.reset(token)


@contextmanager
def unrecorded() -> Iterator[None]:
    """Record no run inside the block."""
    token = _wish.set(None)
    try:
        yield
    finally:
        _wish.reset(token)


def record_wish() -> RecordWish | None:
    """Who wants a record; None: nobody."""
    return _wish.get()
