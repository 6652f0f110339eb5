# SPDX-License-Identifier: Apache-2.0
"""What is planned in one tile, as the register program of the DMA engine.

Contract of the engine: objfifo-engine.md. S2MM channel n of the tile is the engine's channel n, MM2S channel n its channel NS + n.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine import registers as reg
from goldbeat.pymodels.objfifo.engine.engine import descriptor_addresses
from goldbeat.pymodels.objfifo.engine.registers import QUEUE_DEPTH, Descriptor, EngineShape, EngineTask
from goldbeat.pymodels.objfifo.engine.walk_fit import fit_walk
from goldbeat.pymodels.objfifo.plan.plan import Bd, Direction, DmaChannel, TilePlan
from goldbeat.pymodels.objfifo.plan.strides import bd_addresses
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES
from goldbeat.pymodels.stimulus import Access


@dataclass(frozen=True)
class TileProgram:
    """Everything that one engine is loaded with.

    Attributes:
        shape: of the engine.
        descriptors, locks: by number.
        memory: first contents by word address.
        tasks: in the order in which they are pushed.
        pads: what padding holds, by MM2S channel, where it is not 0.
    """

    shape: EngineShape
    descriptors: dict[int, Descriptor]
    locks: dict[int, int]
    memory: dict[int, npt.NDArray[np.uint32]] = field(default_factory=dict)
    tasks: tuple[EngineTask, ...] = ()
    pads: dict[int, int] = field(default_factory=dict)

    def writes(self) -> tuple[Access, ...]:
        """The register program, armed at its end."""
        return reg.engine_program(self.descriptors, self.tasks, locks=self.locks, memory=self.memory, pads=self.pads)


def from_plan(tile: TilePlan, shape: EngineShape) -> TileProgram:
    """One tile's plan for an engine of this shape.

    Raises:
        UsageError: the engine has too little of something, or a field cannot hold a value.
    """
    what = str(tile.tile)
    if shape.lanes != 1:
        raise UsageError(f"{what}: planned in 32-bit words, the engine's words have {shape.word_w} bits")
    descriptors: dict[int, Descriptor] = {}
    tasks: list[EngineTask] = []
    for channel in tile.channels:
        number = _number(channel, shape, what)
        to_memory = channel.direction is Direction.S2MM
        for bd in channel.bds:
            _within(bd.id, shape.nbd, f"{what}: descriptor")
            descriptors[bd.id] = found = descriptor_of(bd)
            reach = max(
                int(descriptor_addresses(found, use, not to_memory).max()) for use in (0, found.iteration_size - 1)
            )
            _within(reach, shape.mem_words, f"{what}: descriptor {bd.id} reaches word")
        if len(channel.queue) > QUEUE_DEPTH:
            raise UsageError(
                f"{what}: {channel.name} starts {len(channel.queue)} tasks, before the start {QUEUE_DEPTH} can wait"
            )
        tasks += [EngineTask(number, t.bd, t.repeat, t.token) for t in channel.queue]
    for lock in tile.locks:
        _within(lock.id, shape.nlock, f"{what}: lock")
    memory = {}
    for buffer in tile.buffers:
        if buffer.initial is not None:
            words = np.asarray(buffer.initial, dtype=np.int64) & 0xFFFFFFFF
            memory[buffer.address // WORD_BYTES] = words.astype(np.uint32)
            _within(
                buffer.address // WORD_BYTES + len(words) - 1, shape.mem_words, f"{what}: buffer {buffer.name}: word"
            )
    locks = {lock.id: lock.initial for lock in tile.locks}
    pads = {c.index: c.pad_value for c in tile.channels if c.pad_value}
    return TileProgram(shape, descriptors, locks, memory, tuple(tasks), pads)


def descriptor_of(bd: Bd) -> Descriptor:
    """One planned descriptor as the engine's: its walk in the fewest dimensions, however it was written.

    Raises:
        UsageError: a walk that no descriptor of the engine has, which only lax planning makes.
    """
    return replace(
        fit_walk(bd_addresses(bd)),
        iteration_size=bd.iteration.size,
        iteration_step=bd.iteration.step,
        iteration_start=bd.iteration.current,
        acquire=None if bd.acquire is None else (bd.acquire.lock, bd.acquire.value),
        release=None if bd.release is None else (bd.release.lock, bd.release.value),
        next=bd.next,
        tlast=not bd.suppress_tlast,
        packet=None if bd.packet is None else (bd.packet.id, bd.packet.type),
    )


def _number(channel: DmaChannel, shape: EngineShape, what: str) -> int:
    to_memory = channel.direction is Direction.S2MM
    _within(channel.index, shape.ns if to_memory else shape.nm, f"{what}: {channel.direction} channel")
    return channel.index if to_memory else shape.ns + channel.index


def _within(number: int, count: int, what: str) -> None:
    if number >= count:
        raise UsageError(f"{what} {number}: the engine has {count}")
