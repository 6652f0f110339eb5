# SPDX-License-Identifier: Apache-2.0
"""What a run of a live array is recorded as: events in order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.objfifo.live.dma import LiveBd, LiveChannel, LiveTask, LiveWords
from goldbeat.pymodels.objfifo.plan.tile import Tile


@dataclass(frozen=True, eq=False)
class TaskPushed:
    """The host puts a task into a channel's queue."""

    channel: LiveChannel
    task: LiveTask


@dataclass(frozen=True, eq=False)
class TaskBegun:
    """A task has left its queue."""

    channel: LiveChannel
    task: LiveTask


@dataclass(frozen=True, eq=False)
class BdBegun:
    """A descriptor has its lock and begins; ``use`` counts from 0."""

    channel: LiveChannel
    bd: LiveBd
    use: int


@dataclass(frozen=True, eq=False)
class WordsMoved:
    """Words have gone between memory and a channel's stream."""

    channel: LiveChannel
    words: LiveWords


@dataclass(frozen=True, eq=False)
class BdEnded:
    """A descriptor is done.

    Attributes:
        run_ends: it was the last one of its chain.
        following: the next one of the task, None where the task is done.
        runs: of the chain, the one that follows included.
    """

    channel: LiveChannel
    run_ends: bool
    following: LiveBd | None
    runs: int


@dataclass(frozen=True, eq=False)
class ChannelReset:
    """A channel has forgotten its queue and its descriptor."""

    channel: LiveChannel


@dataclass(frozen=True, eq=False)
class LockChanged:
    """A lock's value has changed.

    Attributes:
        tile, number: which one.
        difference: what was added.
        by: the channel or the core's name; None: the host.
        equal: it was taken at one value alone.
    """

    tile: Tile
    number: int
    difference: int
    by: LiveChannel | str | None
    equal: bool


@dataclass(frozen=True, eq=False)
class WordsChanged:
    """A core (by its name) or the host (None) has changed words of a tile's memory."""

    tile: Tile
    by: str | None
    addresses: npt.NDArray[np.int64]
    values: LiveWords


RecordedEvent = TaskPushed | TaskBegun | BdBegun | WordsMoved | BdEnded | ChannelReset | LockChanged | WordsChanged


@dataclass(frozen=True, eq=False)
class RunRecord:
    """A run of an array.

    Attributes:
        events: in order.
        memories: of every tile, as they were before.
        after: the same when the run was over.
        locks: values before, by tile and number.
        buffers: first word and words of each declared buffer, by tile.
        homes: the tile of a memory, by the identity of its array.
        places: tile and number of a lock, by its identity.
        owners: of the arrays and locks; they keep identities alive.
    """

    events: list[RecordedEvent]
    memories: dict[Tile, LiveWords]
    after: dict[Tile, LiveWords]
    locks: dict[Tile, dict[int, int]]
    buffers: dict[Tile, list[tuple[int, int]]]
    homes: dict[int, Tile]
    places: dict[int, tuple[Tile, int]]
    owners: object

    def tile_of(self, bd: LiveBd) -> Tile | None:
        """Whose memory a descriptor walks; None: the host's."""
        return self.homes.get(id(bd.memory))
