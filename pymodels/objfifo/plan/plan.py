# SPDX-License-Identifier: Apache-2.0
"""The lowered design: what stands in each tile's memory, locks, buffer descriptors and channels.

A plan is plain data. It is what the golden models execute, what is programmed into the RTL, and what is printed.
Every address and size that a buffer descriptor holds is in 32-bit words, as the hardware counts; bytes are named so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile


class Direction(StrEnum):
    """Which way a channel moves data."""

    S2MM = "S2MM"
    """From the stream to memory."""
    MM2S = "MM2S"
    """From memory to the stream."""


class FifoEnd(StrEnum):
    """Which end of a fifo somebody holds."""

    PRODUCE = "produce"
    CONSUME = "consume"


@dataclass(frozen=True)
class Dim:
    """One dimension of a walk.

    Attributes:
        size: how many steps.
        step: distance of two steps in words, at least 1.
    """

    size: int
    step: int


@dataclass(frozen=True)
class Iteration:
    """What moves a descriptor's base from one use to the next.

    Attributes:
        size: uses before the base returns to the start.
        step: distance in words.
        current: the use it begins with.
    """

    size: int = 1
    step: int = 0
    current: int = 0


@dataclass(frozen=True)
class Pad:
    """Padding around one dimension: words in dimension 0, runs of the dimensions below in the others."""

    before: int
    after: int


@dataclass(frozen=True)
class LockUse:
    """A lock of the same tile, and by how much: AcquireGE waits for it and subtracts it, Release adds it."""

    lock: int
    value: int


@dataclass(frozen=True)
class PacketHeader:
    """The header word before the data of a descriptor.

    Attributes:
        id: 0 to 31.
        type: 0 to 7.
    """

    id: int
    type: int = 0


@dataclass(frozen=True)
class Bd:
    """One buffer descriptor.

    Attributes:
        id: its number in the tile; of a shim's that is written again, the number and a multiple of how many there are.
        buffer: name of the buffer that it walks.
        base_bytes: where the walk starts: the buffer's address and the segment's offset.
        length: words on the stream, padding included.
        dims: the walk, innermost dimension first; empty for a plain run of ``length`` words. Length ends the walk: the
            outermost dimension never wraps.
        iteration: what moves the base between uses.
        padding: around dimensions 0, 1 and 2, innermost first; empty for none.
        acquire: lock taken before the first word, None for none.
        release: lock given after the last word, None for none.
        next: the descriptor that follows, None ends the chain.
        packet: header inserted before the first word, None for none.
        suppress_tlast: leave the last word without TLAST.
        segment: which part of the object this is, 0 where there is one.
    """

    id: int
    buffer: str
    base_bytes: int
    length: int
    dims: tuple[Dim, ...] = ()
    iteration: Iteration = field(default_factory=Iteration)
    padding: tuple[Pad, ...] = ()
    acquire: LockUse | None = None
    release: LockUse | None = None
    next: int | None = None
    packet: PacketHeader | None = None
    suppress_tlast: bool = False
    segment: int = 0

    @property
    def base_words(self) -> int:
        """Where the walk starts, in words."""
        return self.base_bytes // WORD_BYTES


@dataclass(frozen=True)
class Task:
    """One entry of a channel's start queue.

    Attributes:
        bd: the first descriptor.
        repeat: how many times more than once the chain runs (an endless ring never comes to it).
        token: report the end of the task.
    """

    bd: int
    repeat: int = 0
    token: bool = False


ChannelKey = tuple[Tile, Direction, int]
"""Tile, direction and index of a DMA channel."""


@dataclass(frozen=True)
class HostStep:
    """What a runtime sequence does with a channel of a shim: it starts a task, or it waits for a token.

    Attributes:
        channel: which one.
        descriptors: how many a task has; 0: a wait.
        token: report the end of the task.
    """

    channel: ChannelKey
    descriptors: int = 0
    token: bool = False


@dataclass(frozen=True)
class DmaChannel:
    """One DMA channel in use.

    Attributes:
        direction, index: which one.
        fifo: whose data it moves.
        bds: its descriptors in ring order.
        queue: what it is started with, in order. More than the hardware's four are pushed as places become free.
        pad_value: the 32-bit word that padding is made of.
    """

    direction: Direction
    index: int
    fifo: str
    bds: tuple[Bd, ...]
    queue: tuple[Task, ...]
    pad_value: int = 0

    @property
    def name(self) -> str:
        """``MM2S 0`` and the like."""
        return f"{self.direction} {self.index}"


@dataclass(frozen=True)
class Lock:
    """One lock.

    Attributes:
        id: its number in the tile.
        name: for people.
        initial: value at the start.
        fifo: the fifo that owns the pool.
        port: who acquires it: ``produce`` for free objects, ``consume`` for filled ones.
        segment: which part of the object it guards.
    """

    id: int
    name: str
    initial: int
    fifo: str
    port: FifoEnd
    segment: int = 0


@dataclass(frozen=True)
class Buffer:
    """One object's place in a tile's memory.

    Attributes:
        name: unique in the plan.
        address: byte address in the tile's memory (in the host's for a shim).
        size: bytes.
        bank: the memory bank it starts in.
        fifo: the fifo that owns the pool, or the host buffer's name.
        index: place in the pool.
        initial: words it holds at the start; None for undefined.
    """

    name: str
    address: int
    size: int
    bank: int
    fifo: str
    index: int
    initial: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Segment:
    """One part of a pool's objects, with its pair of locks; of a fifo without synchronization it has none.

    Attributes:
        offset: words from the start of the object.
        length: words.
        leg: name of the fifo that this part belongs to.
        producer_lock: id of the lock that counts free parts.
        consumer_lock: id of the lock that counts filled parts.
    """

    offset: int
    length: int
    leg: str
    producer_lock: int | None
    consumer_lock: int | None

    @property
    def locks(self) -> tuple[int, ...]:
        """Its locks, that of free parts first."""
        return tuple(n for n in (self.producer_lock, self.consumer_lock) if n is not None)


@dataclass(frozen=True)
class Pool:
    """The objects of one end of a fifo, of a whole fifo in shared memory, or of a link.

    Attributes:
        name: the owning fifo's name, with ``_cons`` (``_N_cons`` in a broadcast) for a consumer's end.
        fifo: the owning fifo.
        tile: where it lies.
        buffers: names of its buffers in order.
        segments: parts of its objects.
        units: how much the filling end acquires and releases for each object: the repeat count.
    """

    name: str
    fifo: str
    tile: Tile
    buffers: tuple[str, ...]
    segments: tuple[Segment, ...]
    units: int = 1

    @property
    def depth(self) -> int:
        """How many objects."""
        return len(self.buffers)


@dataclass(frozen=True)
class End:
    """Who stands at one end of a fifo.

    Attributes:
        fifo: the fifo.
        port: which end.
        consumer: number of the consumer in a broadcast, 0 otherwise and for producers.
        tile: where.
        pool: name of the pool; None for the shim, whose data is the host's.
        segment: the part of the pool's objects, None for whole objects (the joining or splitting side of a link).
        channel: index of the DMA channel; None in shared memory.
        linked: the DMA alone uses it, no core program does.
    """

    fifo: str
    port: FifoEnd
    consumer: int
    tile: Tile
    pool: str | None
    segment: int | None
    channel: int | None
    linked: bool


@dataclass(frozen=True)
class StreamEnd:
    """One end of a stream: a tile's DMA channel, or a core's port.

    Attributes:
        tile: where.
        channel: the channel's number, or the port's.
        bundle: ``DMA`` or ``Core``.
    """

    tile: Tile
    channel: int
    bundle: str = "DMA"


@dataclass(frozen=True)
class Flow:
    """A stream from one MM2S channel to one or more S2MM channels.

    A word moves when every receiver takes it.
    """

    fifo: str
    source: StreamEnd
    dests: tuple[StreamEnd, ...]
    packet: PacketHeader | None = None


@dataclass(frozen=True)
class TilePlan:
    """Everything in one tile, in the order of ids."""

    tile: Tile
    buffers: tuple[Buffer, ...]
    locks: tuple[Lock, ...]
    channels: tuple[DmaChannel, ...]

    def channel(self, direction: Direction, index: int) -> DmaChannel:
        """The channel with this direction and index; KeyError if it is not in use."""
        for channel in self.channels:
            if channel.direction is direction and channel.index == index:
                return channel
        raise KeyError(f"{self.tile}: no channel {direction} {index}")

    def lock(self, number: int) -> Lock:
        """The lock with this id; KeyError if it is not in use."""
        for lock in self.locks:
            if lock.id == number:
                return lock
        raise KeyError(f"{self.tile}: no lock {number}")

    def buffer(self, name: str) -> Buffer:
        """The buffer with this name; KeyError if there is none."""
        for buffer in self.buffers:
            if buffer.name == name:
                return buffer
        raise KeyError(f"{self.tile}: no buffer {name}")


@dataclass(frozen=True)
class FifoPlan:
    """What became of one fifo.

    Attributes:
        name: its name.
        shape: of one object.
        dtype: numpy name of its elements.
        depth: as written: one number, or one for the producer and each consumer.
        shared: True where cores share the memory and no DMA moves the data.
        ends: the producer's, then the consumers'.
        plio: its shim end is a PLIO port.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    depth: int | tuple[int, ...]
    shared: bool
    ends: tuple[End, ...]
    plio: bool = False


@dataclass(frozen=True)
class LinkPlan:
    """What became of one link: where its data lies."""

    ins: tuple[str, ...]
    outs: tuple[str, ...]
    tile: Tile
    pool: str


@dataclass(frozen=True)
class Plan:
    """The whole lowered design.

    Attributes:
        device: name of the device.
        tiles: in the order of columns and rows.
        fifos: in the order of declaration.
        links: in the order of declaration.
        pools: in the order of locks' allocation.
        flows: in the order of declaration of the fifos.
        hosts: the host's arrays, which the shim's descriptors walk.
    """

    device: str
    tiles: tuple[TilePlan, ...]
    fifos: tuple[FifoPlan, ...]
    links: tuple[LinkPlan, ...]
    pools: tuple[Pool, ...]
    flows: tuple[Flow, ...]
    hosts: tuple[Buffer, ...] = ()

    def tile(self, tile: Tile) -> TilePlan:
        """What is planned in one tile; KeyError if it is not in use."""
        for plan in self.tiles:
            if plan.tile == tile:
                return plan
        raise KeyError(f"{tile} is not used")

    def fifo(self, name: str) -> FifoPlan:
        """The fifo of this name; KeyError if there is none."""
        for fifo in self.fifos:
            if fifo.name == name:
                return fifo
        raise KeyError(f"no fifo {name}")

    def pool(self, name: str) -> Pool:
        """The pool of this name; KeyError if there is none."""
        for pool in self.pools:
            if pool.name == name:
                return pool
        raise KeyError(f"no pool {name}")
