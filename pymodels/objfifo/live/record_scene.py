# SPDX-License-Identifier: Apache-2.0
"""A recorded run as episodes of the DMA engine: for each tile, what the engine is given and what it must send."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.engine import descriptor_addresses
from goldbeat.pymodels.objfifo.engine.registers import (
    LOCK_MAX,
    MOST_BDS,
    MOST_CHANNELS,
    Descriptor,
    EngineTask,
    encode_descriptor,
)
from goldbeat.pymodels.objfifo.live.dma import LiveBd, LiveChannel
from goldbeat.pymodels.objfifo.live.record_channels import channel_program, padding_value, words_on_stream
from goldbeat.pymodels.objfifo.live.record_cores import core_channel
from goldbeat.pymodels.objfifo.live.record_events import BdBegun, RunRecord, WordsChanged, WordsMoved
from goldbeat.pymodels.objfifo.live.record_joined import joined_tiles, tile_groups
from goldbeat.pymodels.objfifo.live.record_memory import BLOCK_WORDS, PackedWords
from goldbeat.pymodels.objfifo.live.record_segments import ChannelPart, TileSegment, channel_homes, tile_segments
from goldbeat.pymodels.objfifo.plan.plan import Direction
from goldbeat.pymodels.objfifo.plan.tile import Tile

_MOST_READ = 1024
"""Words of memory that are compared at the end of an episode."""


@dataclass(frozen=True)
class EpisodeStream:
    """What stands behind a channel of the engine.

    Attributes:
        name: of the tile's channel or of the core.
        core: it stands for a core.
    """

    name: str
    core: bool


@dataclass(eq=False)
class LiveEpisode:
    """One engine's run.

    Attributes:
        tile, label: whose run.
        descriptors, tasks, locks, memory, cores, pads: as the engine is programmed; MM2S channel n of a task is number -1 - n.
        out_of_order: S2MM channels that take packets by the ids in their headers.
        sources, sinks: what stands behind each S2MM and each MM2S channel.
        words: what comes in, by S2MM channel.
        wanted: what must go out, by MM2S channel.
        final: words of the memory afterwards, by address.
        used: words of memory that the engine needs.
        notes: what a user should know.
    """

    tile: Tile
    label: str
    descriptors: dict[int, Descriptor] = field(default_factory=dict)
    tasks: list[EngineTask] = field(default_factory=list)
    locks: dict[int, int] = field(default_factory=dict)
    memory: dict[int, npt.NDArray[np.uint32]] = field(default_factory=dict)
    cores: tuple[int, ...] = ()
    pads: dict[int, int] = field(default_factory=dict)
    out_of_order: tuple[int, ...] = ()
    sources: list[EpisodeStream] = field(default_factory=list)
    sinks: list[EpisodeStream] = field(default_factory=list)
    words: dict[int, npt.NDArray[np.uint32]] = field(default_factory=dict)
    wanted: dict[int, npt.NDArray[np.uint32]] = field(default_factory=dict)
    final: dict[int, npt.NDArray[np.uint32]] = field(default_factory=dict)
    used: int = 0
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class RecordedScenes:
    """All episodes of a run, and what the engine does not have, a text for each tile."""

    episodes: tuple[LiveEpisode, ...]
    refused: tuple[str, ...]


def recorded_scenes(record: RunRecord, prefix: str = "") -> RecordedScenes:
    """Every tile whose DMA moved words.

    Args:
        record: of the run.
        prefix: of the labels.
    """
    homes = channel_homes(record)
    episodes: list[LiveEpisode] = []
    refused: dict[str, None] = {}
    for tiles in tile_groups(homes):
        try:
            one = record if len(tiles) == 1 else joined_tiles(record, tiles)
            label = prefix + " with ".join(str(t) for t in tiles)
            episodes += _tile(one, tiles[0], {c for c, used in homes.items() if used & set(tiles)}, label)
        except UsageError as error:
            refused[str(error)] = None
    return RecordedScenes(tuple(episodes), tuple(refused))


def _tile(record: RunRecord, tile: Tile, mine: set[LiveChannel], name: str) -> list[LiveEpisode]:
    segments = tile_segments(record, tile, mine)
    found = []
    for number, segment in enumerate(segments, 1):
        label = name + (f" part {number}" if len(segments) > 1 else "")
        found.append(_Episode(record, segment, LiveEpisode(tile, label)).run())
    return found


class _Episode:
    def __init__(self, record: RunRecord, segment: TileSegment, made: LiveEpisode) -> None:
        self.record, self.segment, self.made = record, segment, made
        self.scratch = (len(segment.memory) // BLOCK_WORDS + 1) * BLOCK_WORDS
        self.readers: list[Descriptor] = []
        self.core_writers: list[Descriptor] = []
        self.unsettled: list[npt.NDArray[np.int64]] = []

    def run(self) -> LiveEpisode:
        made, segment = self.made, self.segment
        for number, value in segment.locks.items():
            if not 0 <= value <= LOCK_MAX:
                raise UsageError(f"{segment.tile}: lock {number} is {value}; the engine's locks are 0..{LOCK_MAX}")
        made.locks = {n: v for n, v in segment.locks.items() if v}
        parts = sorted((p for p in segment.channels.values() if p.moved), key=lambda p: _order(p, segment.tile))
        for part in parts:
            self._channel(part)
        own = f"the core of {segment.tile}"
        for name in sorted(segment.cores, key=lambda n: (n != own, n)):
            self._core(name)
        for way, ends in (("S2MM", made.sources), ("MM2S", made.sinks)):
            if len(ends) > MOST_CHANNELS:
                names = ", ".join(e.name for e in ends)
                raise UsageError(
                    f"{segment.tile}: {len(ends)} {way} channels ({names}); the engine has {MOST_CHANNELS}"
                )
        self._memory()
        if segment.early is not None:
            made.notes.append(f"{made.label}: {segment.early}; here its tasks wait from the beginning")
        return made

    def _locks(self, bd: LiveBd) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
        places = self.record.places
        takes = None if bd.takes is None else (places[id(bd.takes[0])][1], bd.takes[1])
        return takes, None if bd.gives is None else (places[id(bd.gives[0])][1], bd.gives[1])

    def _channel(self, part: ChannelPart) -> None:
        made, channel = self.made, part.channel
        left = MOST_BDS - len(made.descriptors)
        if channel.compressed:
            raise UsageError(f"{channel.name}: compression, which the engine has not")
        try:
            program = channel_program(part, self._locks, left)
            pad = padding_value(part)
            for one in program.descriptors:
                encode_descriptor(replace(one, base=0, next=None))
        except UsageError as error:
            raise UsageError(f"{channel.name}: {error}") from error
        reads = channel.direction is Direction.MM2S
        if reads:
            self.readers += program.descriptors
            made.pads |= {len(made.sinks): pad} if pad else {}
        ends = made.sinks if reads else made.sources
        number = len(ends)
        ends.append(EpisodeStream(channel.name, False))
        first = self._add(program.descriptors)
        made.out_of_order += (number,) if program.packets else ()
        words = words_on_stream(part, [first + one for one in program.packets])
        (made.wanted if reads else made.words)[number] = words
        for start, repeat, token in program.tasks:
            made.tasks.append(EngineTask(-1 - number if reads else number, first + start, repeat, token))
        if program.linked:
            made.notes.append(f"{made.label}: the descriptors of {channel.name} stand in one chain")
        if not reads:
            done = [bd.addresses_of(use) for task in part.tasks for run in task.runs for bd, use in run]
            if part.moved < sum(len(at) for at in done):
                self.unsettled.append(done[-1])

    def _core(self, name: str) -> None:
        made, segment = self.made, self.segment
        buffers = self.record.buffers.get(segment.tile, [])
        left = MOST_BDS - len(made.descriptors)
        try:
            core = core_channel(segment, name, buffers, self.scratch, left)
            for one in core.descriptors:
                encode_descriptor(replace(one, base=0, next=None))
        except UsageError as error:
            raise UsageError(f"{segment.tile}: {name}: {error}") from error
        number = len(made.sources)
        self.core_writers += core.descriptors
        made.sources.append(EpisodeStream(name, True))
        made.words[number] = core.words
        first = self._add(core.descriptors)
        made.tasks += [EngineTask(number, first + start, repeat) for start, repeat in core.tasks]
        made.cores += (number,)

    def _add(self, descriptors: Sequence[Descriptor]) -> int:
        first = len(self.made.descriptors)
        for number, one in enumerate(descriptors, first):
            self.made.descriptors[number] = replace(one, next=None if one.next is None else first + one.next)
        return first

    # -- memory

    def _memory(self) -> None:
        made, segment = self.made, self.segment
        packed = PackedWords(made.descriptors.values())
        made.used = packed.words
        made.descriptors = {n: replace(d, base=packed.place(d.base)) for n, d in made.descriptors.items()}
        needed, written = self._used()
        for first, last in _runs(np.flatnonzero(needed)):
            made.memory[packed.place(first)] = segment.memory[first : last + 1].copy()
        for at in (*self.unsettled, np.array(sorted(segment.foreign), np.int64)):
            written[at] = False
        runs = list(_runs(np.flatnonzero(written)))
        each = _MOST_READ // max(1, len(runs))
        for first, last in runs[:_MOST_READ]:
            end = min(last + 1, first + max(1, each))
            made.final[packed.place(first)] = segment.after[first:end].copy()

    def _used(self) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Words that must be in memory before the start, and words that are written."""
        segment = self.segment
        needed = np.zeros(len(segment.memory) + 2 * BLOCK_WORDS, np.bool_)
        written = needed.copy()
        for writes, at in _touched(segment):
            if writes:
                written[at] = True
            else:
                needed[at[~written[at]]] = True
        for one in self.core_writers:
            written[descriptor_addresses(one)] = True
        for one in self.readers:
            for at in _all_uses(one):
                needed[at[~written[at]]] = True
        written[len(segment.memory) :] = False
        return needed[: len(segment.memory)], written[: len(segment.memory)]


def _order(part: ChannelPart, tile: Tile) -> tuple[bool, Tile, int]:
    """A tile's own channels first."""
    return part.channel.tile != tile, part.channel.tile, part.channel.index


def _touched(segment: TileSegment) -> Iterator[tuple[bool, npt.NDArray[np.int64]]]:
    """Every movement of words: whether it writes, and its addresses."""
    begun: dict[LiveChannel, tuple[BdBegun, int]] = {}
    for event in segment.events:
        if isinstance(event, BdBegun):
            begun[event.channel] = event, 0
        elif isinstance(event, WordsMoved) and event.channel in begun:
            one, done = begun[event.channel]
            at = one.bd.addresses_of(one.use)[done : done + len(event.words)]
            begun[event.channel] = one, done + len(event.words)
            yield event.channel.direction is Direction.S2MM, at[at >= 0]
        elif isinstance(event, WordsChanged) and event.by is not None:
            yield True, event.addresses


def _all_uses(one: Descriptor) -> Iterator[npt.NDArray[np.int64]]:
    at = descriptor_addresses(one)
    at = at[at >= 0]
    for use in range(one.iteration_size if one.iteration_step else 1):
        yield at + use * one.iteration_step


def _runs(addresses: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """First and last of each run of words."""
    if not len(addresses):
        return
    for run in np.split(addresses, np.flatnonzero(np.diff(addresses) != 1) + 1):
        yield int(run[0]), int(run[-1])
