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
from goldbeat.pymodels.objfifo.engine.engine import DIMENSIONS, descriptor_addresses
from goldbeat.pymodels.objfifo.engine.registers import QUEUE_DEPTH, Descriptor, EngineShape, EngineTask
from goldbeat.pymodels.objfifo.engine.walk_fit import fit_walk
from goldbeat.pymodels.objfifo.plan.plan import Bd, Dim, Direction, DmaChannel, TilePlan
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
    """One planned descriptor as the engine's: its walk in the fewest dimensions, however it was written."""
    return replace(
        descriptor_of_walk(bd, bd_addresses(bd)),
        iteration_size=bd.iteration.size,
        iteration_step=bd.iteration.step,
        iteration_start=bd.iteration.current,
        acquire=None if bd.acquire is None else (bd.acquire.lock, bd.acquire.value),
        release=None if bd.release is None else (bd.release.lock, bd.release.value),
        next=bd.next,
        tlast=not bd.suppress_tlast,
        packet=None if bd.packet is None else (bd.packet.id, bd.packet.type),
    )


def descriptor_of_walk(bd: Bd, walk: npt.NDArray[np.int64]) -> Descriptor:
    """The engine's descriptor of a walk, -1 for padding, without locks: in the fewest dimensions, else as ``bd`` has it."""
    try:
        return fit_walk(walk)
    except UsageError:
        return _as_written(bd)  # Nothing but padding, or what only lax planning makes.


def _as_written(bd: Bd) -> Descriptor:
    wraps, steps = _walk(bd)
    pads = [*((p.before, p.after) for p in bd.padding), *[(0, 0)] * (DIMENSIONS - len(bd.padding))]
    before, after = ((pads[0][n], pads[1][n], pads[2][n]) for n in range(2))
    return Descriptor(bd.base_words, bd.length, wraps, steps, pad_before=before, pad_after=after)


def _walk(bd: Bd) -> tuple[tuple[int, int, int], tuple[int, int, int, int]]:
    """Wraps and steps. The outermost dimension has no size unless zeros stand around it: length ends it."""
    padded = any(p.before or p.after for p in bd.padding)
    dims = list(bd.dims)
    if not dims:
        around = sum(p.before + p.after for p in bd.padding[:1])
        dims = [Dim(bd.length - around, 1)]
    if not padded and len(dims) == 1:
        return (0, 0, 0), (dims[0].step, 0, 0, 0)
    if not padded and len(dims) <= DIMENSIONS:
        # The outermost dimension goes where none wraps; those in between are 1 long.
        dims = [*dims[:-1], *[Dim(1, 0)] * (DIMENSIONS + 1 - len(dims)), dims[-1]]
    dims += [Dim(1, 0)] * (DIMENSIONS + 1 - len(dims))
    a, b, c, d = dims
    return (a.size, b.size, c.size), (a.step, b.step, c.step, d.step)


def _number(channel: DmaChannel, shape: EngineShape, what: str) -> int:
    to_memory = channel.direction is Direction.S2MM
    _within(channel.index, shape.ns if to_memory else shape.nm, f"{what}: {channel.direction} channel")
    return channel.index if to_memory else shape.ns + channel.index


def _within(number: int, count: int, what: str) -> None:
    if number >= count:
        raise UsageError(f"{what} {number}: the engine has {count}")
