# SPDX-License-Identifier: Apache-2.0
"""What SDP, PDP and CDP have in common: units of reading, a core, chunks of writing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.nvdla.timed.activity import WORK
from goldbeat.pymodels.nvdla.timed.conv_buffer import NEVER, DeliveryFifo
from goldbeat.pymodels.nvdla.timed.conv_sums import ConvolutionSums
from goldbeat.pymodels.nvdla.timed.dbb import DbbPort
from goldbeat.pymodels.nvdla.timed.memory import BEAT, Burst

CHUNK = 16
"""Atoms of a chunk."""


@dataclass
class ReadRequest:
    """A stretch to read."""

    address: int
    beats: int


@dataclass(eq=False)
class Unit:
    """What is read together and fills one read slot: a chunk of SDP or CDP, an output row of PDP.

    Attributes:
        requests: in order.
        data: of each request, bytes as they come.
        read: t, the last data handshake.
        fed: f or e, the last edge at which the core took from it.
    """

    requests: list[ReadRequest]
    data: list[bytearray] = field(default_factory=list)
    left: int = 0
    read: int = NEVER
    fed: int = NEVER

    def __post_init__(self) -> None:
        self.data = [bytearray() for _ in self.requests]
        self.left = sum(r.beats for r in self.requests)


@dataclass(eq=False)
class Chunk:
    """Atoms that are written together.

    Attributes:
        unit: where its data come from.
        column: of its first atom.
        atoms: how many.
        address: in the output cube.
        filled: v, when its last atom enters the slot.
        sent: z, the last data handshake.
        data: bytes.
    """

    unit: int
    column: int
    atoms: int
    address: int
    filled: int = NEVER
    sent: int = NEVER
    data: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))


class BeatListener(Protocol):
    """Who hears of the beats that it asked for."""

    def arrived(self, cycle: int, unit: int, request: int, data: npt.NDArray[np.uint8]) -> None:
        """A beat of a request."""


@dataclass(frozen=True)
class Tag:
    """What a burst belongs to: for reads a unit and one of its requests, for writes a chunk."""

    owner: BeatListener
    unit: int
    request: int = 0


@dataclass(frozen=True)
class Decision:
    """Whether a read request, or an empty unit in its place, and a chunk to write are accepted at an edge."""

    read: bool
    write: bool


class EngineOperation:
    """An operation at work, from its start at edge ``s`` on.

    Args:
        ident: of the engine.
        port: to DBB.
        start: s.
        units: of reading.
        chunks: of writing, in order.
        steps: edges that the core needs for an atom.
        pipeline: from an atom's last step to its write slot.
        feed: sums on the fly, one for each atom.

    Attributes:
        held: units behind which the slot of a unit is free again.
    """

    held = 2

    def __init__(
        self,
        ident: int,
        port: DbbPort,
        start: int,
        units: list[Unit],
        chunks: list[Chunk],
        steps: int,
        pipeline: int,
        feed: DeliveryFifo | None = None,
    ) -> None:
        self.id = ident
        self._port = port
        self._start = start
        self.units = units
        self.chunks = chunks
        self._steps = steps
        self._pipeline = pipeline
        self._feed = feed
        self.taken: list[tuple[ConvolutionSums, int, int]] = []
        self._unit = self._request = 0
        self._chunk = self._step = 0
        self._accepted = 0
        self._last_burst: dict[int, Burst] = {}
        self._answers = 0
        self._wanted = 0
        self.done = NEVER

    @property
    def bytes_read(self) -> int:
        """Bytes of all read requests."""
        return BEAT * sum(request.beats for unit in self.units for request in unit.requests)

    @property
    def bytes_written(self) -> int:
        """Bytes of all chunks."""
        return BEAT * sum(chunk.atoms for chunk in self.chunks)

    def decide(self, cycle: int) -> Decision:
        """What happens at this edge, from what stood before it."""
        read = self._unit < len(self.units) and self._port.readers[self.id].free and self._slot(cycle)
        write = (
            self._accepted < len(self.chunks)
            and self._port.writers[self.id].free
            and cycle >= self.chunks[self._accepted].filled + 1
        )
        return Decision(read, write)

    def _slot(self, cycle: int) -> bool:
        """Whether there is a read slot for the next request."""
        return cycle >= self._slot_edge()

    def _slot_edge(self) -> int:
        """From when on there is one."""
        if self._request:
            return 0
        return max(self._start, self.units[self._unit - self.held].fed if self._unit >= self.held else 0) + 1

    def due(self, cycle: int) -> int:
        """The first edge from ``cycle`` on at which something happens here, if nothing else does and DBB rests."""
        found = self.done if self.done >= cycle else NEVER
        if self._unit < len(self.units):
            found = min(found, self._slot_edge())
        if self._accepted < len(self.chunks):
            found = min(found, self.chunks[self._accepted].filled + 1)
        if self._chunk < len(self.chunks):
            found = min(found, self._core_edge())
        return max(found, cycle)

    def state(self, cycle: int) -> str:
        """What the core does at this edge, from what stood before it: work, or what it waits for."""
        if self._chunk >= len(self.chunks):
            return "write"
        if cycle >= self._core_edge():
            return WORK
        if self._step == 0 and cycle < self._write_slot_edge():
            return "write"
        return "read" if self._step == 0 and cycle < self.readable(self.chunks[self._chunk]) else "sums"

    def _write_slot_edge(self) -> int:
        """From when on the next chunk has a write slot."""
        return (self.chunks[self._chunk - 2].sent if self._chunk >= 2 else -1) + 1

    def _core_edge(self) -> int:
        """From when on the core may make its next step."""
        edge = 0
        if self._step == 0:
            edge = max(self.readable(self.chunks[self._chunk]), self._write_slot_edge())
        if self._feed is not None:
            fed = self._feed.next_edge()
            edge = NEVER if fed is None else max(edge, fed)
        return edge

    def readable(self, chunk: Chunk) -> int:
        """The first edge at which the core may begin a chunk, as far as what it needs has been read."""
        return self.units[chunk.unit].read + 1

    def commit(self, cycle: int, decision: Decision) -> None:
        """Make it happen."""
        if decision.read:
            unit = self.units[self._unit]
            if unit.requests:
                request = unit.requests[self._request]
                tag = Tag(self, self._unit, self._request)
                self._port.readers[self.id].accept(request.address, request.beats, tag)
            else:
                unit.read = cycle
            self._request += 1
            if self._request >= len(unit.requests):
                self._unit, self._request = self._unit + 1, 0
        if decision.write:
            number = self._accepted
            chunk = self.chunks[number]
            bursts = self._port.writers[self.id].accept(chunk.address, chunk.atoms, Tag(self, number), chunk.data)
            self._last_burst[number] = bursts[-1]
            self._wanted += len(bursts)
            self._accepted += 1

    def core(self, cycle: int) -> None:
        """One edge of the core, looking at what stood before it."""
        if self._chunk >= len(self.chunks) or cycle < self._core_edge():
            return
        chunk = self.chunks[self._chunk]
        if self._feed is not None:
            self.taken.append(self._feed.take(cycle))
        self._step += 1
        if self._step < chunk.atoms * self._steps:
            return
        self._step = 0
        chunk.filled = cycle + self._pipeline
        chunk.data = self.compute(chunk)
        last = self._chunk + 1 == len(self.chunks) or self.chunks[self._chunk + 1].unit != chunk.unit
        if last:
            self.units[chunk.unit].fed = cycle
        self._chunk += 1

    def arrived(self, cycle: int, unit: int, request: int, data: npt.NDArray[np.uint8]) -> None:
        """A beat of a request."""
        one = self.units[unit]
        one.data[request] += data.tobytes()
        one.left -= 1
        if one.left == 0:
            one.read = cycle

    def sent(self, cycle: int, chunk: int, burst: Burst) -> None:
        """The last data of a write burst moved."""
        if burst is self._last_burst[chunk]:
            self.chunks[chunk].sent = cycle

    def answered(self, cycle: int) -> None:
        """A write was answered."""
        self._answers += 1
        if self._accepted == len(self.chunks) and self._answers == self._wanted:
            self.done = cycle + 1

    def compute(self, chunk: Chunk) -> npt.NDArray[np.uint8]:
        """The bytes of a chunk, all of its data having been read."""
        raise NotImplementedError


def line_chunks(base: int, surfaces: int, height: int, width: int, line: int, surface: int) -> list[Chunk]:
    """The chunks of an output cube in order; ``unit`` numbers them by lines."""
    return [
        Chunk(s * height + y, x, min(CHUNK, width - x), (base + s * surface + y * line + BEAT * x) & 0xFFFF_FFFF)
        for s in range(surfaces)
        for y in range(height)
        for x in range(0, width, CHUNK)
    ]
