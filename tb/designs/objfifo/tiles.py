# SPDX-License-Identifier: Apache-2.0
"""One planned tile on one engine; what its core would do with objects is done by channels behind those of its DMA."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.core_channels import channel_objects
from goldbeat.pymodels.objfifo.engine.from_plan import from_plan
from goldbeat.pymodels.objfifo.engine.registers import EngineShape, EngineTask
from goldbeat.pymodels.objfifo.plan.plan import Direction, FifoEnd, Plan, TilePlan
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, TileKind
from goldbeat.pymodels.objfifo.untimed.free_running import is_endless, words_taken
from goldbeat.pymodels.objfifo.untimed.machine import CoreEnd
from goldbeat.pymodels.objfifo.untimed.recorded_cores import core_ends
from goldbeat.tb.designs.objfifo.scene import EngineScene

MOST_LAPS = 256
"""Runs of a chain by one task of the engine."""


@dataclass(frozen=True)
class ChannelStream:
    """What stands behind a channel.

    Attributes:
        fifo: whose data it moves.
        core: True where the channel stands for the tile's core.
    """

    fifo: str
    core: bool


@dataclass(frozen=True)
class TileScene:
    """A tile on an engine.

    Attributes:
        tile: what was planned, its buffers where they are in the engine's memory.
        scene: what the engine is given; words are still missing.
        sources, sinks: what stands behind each S2MM and each MM2S channel.
    """

    tile: TilePlan
    scene: EngineScene
    sources: tuple[ChannelStream, ...]
    sinks: tuple[ChannelStream, ...]


def packed_tile(tile: TilePlan) -> TilePlan:
    """The same with its buffers one behind the other, in the order of addresses, for an engine with less memory than a tile."""
    at = 0
    moved: dict[str, int] = {}
    buffers = []
    for buffer in sorted(tile.buffers, key=lambda one: one.address):
        moved[buffer.name] = at - buffer.address
        buffers.append(replace(buffer, address=at))
        at += buffer.size
    channels = [
        replace(c, bds=tuple(replace(bd, base_bytes=bd.base_bytes + moved[bd.buffer]) for bd in c.bds))
        for c in tile.channels
    ]
    return replace(tile, buffers=tuple(buffers), channels=tuple(channels))


def cores_at(plan: Plan, tile: TilePlan) -> list[tuple[str, FifoEnd, CoreEnd]]:
    """The ends of fifos, moved by this tile's DMA, that its core uses."""
    shared = {f.name for f in plan.fifos if f.shared}
    return [
        (name, port, end)
        for (name, port, _), (at, end) in core_ends(plan).items()
        # Objects without locks that a program writes or reads depend on timing: what is run has none.
        if at == tile.tile and name not in shared and end.locked
    ]


def _end_rings(plan: Plan, tile: TilePlan, scene: EngineScene, shape: EngineShape) -> None:
    """Rings that nothing holds back send as often as the host takes their words; on silicon the stream holds them."""
    for channel in filter(is_endless, tile.channels):
        words = words_taken(plan, tile.tile, channel)
        laps = -(-words // sum(bd.length for bd in channel.bds))
        if laps > MOST_LAPS:
            raise UsageError(
                f"{tile.tile}: {channel.name} sends {channel.fifo} without locks {laps} times round; "
                f"the engine repeats a chain at most {MOST_LAPS} times"
            )
        last = channel.bds[-1].id
        scene.descriptors[last] = replace(scene.descriptors[last], next=None)
        number = shape.ns + channel.index
        scene.tasks = [t for t in scene.tasks if t.channel != number]
        if laps:
            scene.tasks.append(EngineTask(number, channel.bds[0].id, laps - 1))


def scene_of(plan: Plan, tile: TilePlan, shape: EngineShape) -> TileScene:
    """Put a tile on an engine of this shape. Of 128-bit words each one stands for a word of the plan.

    Raises:
        UsageError: the engine has too little of something.
    """
    tile = packed_tile(tile)
    loaded = from_plan(tile, replace(shape, word_w=8 * WORD_BYTES))
    scene = EngineScene(dict(loaded.descriptors), list(loaded.tasks), dict(loaded.locks))
    scene.pads = dict(loaded.pads)
    scene.core = tile.tile.kind is TileKind.CORE
    for address, values in loaded.memory.items():
        # In a wider word the value stands in the lowest part.
        wide = np.zeros((len(values), shape.lanes), np.uint32)
        wide[:, 0] = values
        scene.memory[address] = wide.reshape(-1)
    _end_rings(plan, tile, scene, shape)
    for direction in Direction:
        numbers = [c.index for c in tile.channels if c.direction is direction]
        if numbers != [*range(len(numbers))]:
            found = f"{tile.tile}: found channels {direction} {numbers} that fifos name"
            raise UsageError(f"{found}, expected none free below them (run --array has no such limit)")
    ends = {d: [ChannelStream(c.fifo, False) for c in tile.channels if c.direction is d] for d in Direction}
    free = (n for n in range(shape.nbd) if n not in loaded.descriptors)

    def place(name: str) -> tuple[int, int]:
        buffer = tile.buffer(name)
        return buffer.address // WORD_BYTES, buffer.size // WORD_BYTES

    for name, port, end in cores_at(plan, tile):
        direction = Direction.MM2S if port is FifoEnd.CONSUME else Direction.S2MM
        channel = len(ends[direction])
        if channel >= (shape.nm if direction is Direction.MM2S else shape.ns):
            raise UsageError(f"{tile.tile}: the engine has no {direction} channel {channel} for its core")
        ring = channel_objects(end, place, lambda key: key[1])
        descriptors = list(islice(free, len(ring)))
        if len(descriptors) < len(ring):
            raise UsageError(f"{tile.tile}: the engine has no descriptors left for its core")
        for n, descriptor in enumerate(ring):
            scene.descriptors[descriptors[n]] = replace(descriptor, next=descriptors[(n + 1) % len(descriptors)])
        scene.tasks.append(EngineTask(channel + (shape.ns if direction is Direction.MM2S else 0), descriptors[0]))
        scene.cores += (scene.tasks[-1].channel,)
        ends[direction].append(ChannelStream(name, True))
    return TileScene(tile, scene, tuple(ends[Direction.S2MM]), tuple(ends[Direction.MM2S]))
