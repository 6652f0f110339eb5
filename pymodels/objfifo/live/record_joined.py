# SPDX-License-Identifier: Apache-2.0
"""Tiles whose channels use each other's memory or locks, as one tile with all of their memory and locks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.registers import MOST_BDS
from goldbeat.pymodels.objfifo.live.dma import LiveBd, LiveChannel
from goldbeat.pymodels.objfifo.live.record_events import BdBegun, LockChanged, RecordedEvent, RunRecord, WordsChanged
from goldbeat.pymodels.objfifo.live.record_memory import BLOCK_WORDS
from goldbeat.pymodels.objfifo.plan.tile import Tile


def tile_groups(homes: Mapping[LiveChannel, frozenset[Tile]]) -> list[tuple[Tile, ...]]:
    """Tiles that have to be on one engine, in order.

    Args:
        homes: the tiles whose memory and locks each channel uses.
    """
    groups: list[set[Tile]] = []
    for tiles in homes.values():
        touched = [g for g in groups if g & tiles]
        groups = [g for g in groups if not g & tiles] + [set(tiles).union(*touched)]
    return sorted(tuple(sorted(g)) for g in groups)


def joined_tiles(record: RunRecord, tiles: Sequence[Tile]) -> RunRecord:
    """A record in which these tiles are the first of them: their memories one behind the other, their locks renumbered.

    Raises:
        UsageError: more locks than an engine has.
    """
    return _Joiner(record, tiles).run()


class _Joiner:
    def __init__(self, record: RunRecord, tiles: Sequence[Tile]) -> None:
        self.record, self.tiles, self.first = record, tiles, tiles[0]
        self.offsets: dict[Tile, int] = {}
        at = 0
        for tile in tiles:
            self.offsets[tile] = at
            # A tile whose locks alone are used has no memory here.
            at += (len(record.memories.get(tile, ())) // BLOCK_WORDS + 2) * BLOCK_WORDS
        self.size = at
        self.numbers: dict[tuple[Tile, int], int] = {}
        self.bds: dict[int, LiveBd] = {}

    def run(self) -> RunRecord:
        record = self.record
        events = [self._event(event) for event in record.events]
        locks = {n: record.locks.get(tile, {}).get(old, 0) for (tile, old), n in self.numbers.items()}
        buffers = [(at + o, n) for t, o in self.offsets.items() for at, n in record.buffers.get(t, [])]
        return replace(
            record,
            events=events,
            memories={**record.memories, self.first: self._memory(record.memories)},
            after={**record.after, self.first: self._memory(record.after)},
            locks={**record.locks, self.first: locks},
            buffers={**record.buffers, self.first: buffers},
            homes={key: self.first if tile in self.offsets else tile for key, tile in record.homes.items()},
            places={
                key: (self.first, self.numbers[place]) if place in self.numbers else place
                for key, place in record.places.items()
            },
            owners=(record.owners, record.events),
        )

    def _memory(self, memories: Mapping[Tile, np.ndarray]) -> np.ndarray:
        found = np.zeros(self.size, np.uint32)
        for tile, at in self.offsets.items():
            words = memories.get(tile, np.zeros(0, np.uint32))
            found[at : at + len(words)] = words
        return found

    def _event(self, event: RecordedEvent) -> RecordedEvent:
        if isinstance(event, LockChanged) and event.tile in self.offsets:
            number = self.numbers.setdefault((event.tile, event.number), len(self.numbers))
            if number >= MOST_BDS:
                raise UsageError(f"{' and '.join(map(str, self.tiles))}: more than {MOST_BDS} locks")
            return replace(event, tile=self.first, number=number)
        if isinstance(event, WordsChanged) and event.tile in self.offsets:
            return replace(event, tile=self.first, addresses=event.addresses + self.offsets[event.tile])
        if isinstance(event, BdBegun):
            tile = self.record.tile_of(event.bd)
            if tile in self.offsets:
                return replace(event, bd=self._bd(event.bd, self.offsets[tile]))
        return event

    def _bd(self, bd: LiveBd, offset: int) -> LiveBd:
        if id(bd) not in self.bds:
            bd.addresses_of(0)
            assert bd.walk is not None
            self.bds[id(bd)] = replace(bd, walk=np.where(bd.walk < 0, -1, bd.walk + offset))
        return self.bds[id(bd)]
