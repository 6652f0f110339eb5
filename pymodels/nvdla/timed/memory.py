# SPDX-License-Identifier: Apache-2.0
"""The memory behind DBB, one cycle at a time (docs/memory.md), for a master that is always ready for answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.burst import READ, WRITE
from goldbeat.pymodels.axi.memory import (
    READ_JITTER,
    READ_ORDER,
    WRITE_JITTER,
    WRITE_ORDER,
    BurstChoice,
    Gaps,
    Gate,
    Jitter,
    MemoryImage,
    MemoryTiming,
    Region,
)
from goldbeat.pymodels.pattern import Distances, Pattern

BEAT = 8
"""Bytes of a beat."""


@dataclass(eq=False)
class Burst:
    """A burst on its way.

    Attributes:
        kind: :data:`~goldbeat.pymodels.axi.burst.READ` or :data:`~goldbeat.pymodels.axi.burst.WRITE`.
        id: of the engine.
        address, beats: what it covers.
        tag: the engine's own note.
        cycle, first, last, done: of address, first and last data, and response; -1 before.
        due: first cycle of an answer.
        moved: beats that have moved.
    """

    kind: int
    id: int
    address: int
    beats: int
    tag: Any = None
    data: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))
    cycle: int = -1
    first: int = -1
    last: int = -1
    done: int = -1
    due: int = -1
    moved: int = 0
    region: Region | None = None

    def move(self, cycle: int) -> bool:
        """A beat moves; true for the last one."""
        if self.moved == 0:
            self.first = cycle
        self.moved += 1
        if self.moved == self.beats:
            self.last = cycle
        return self.moved == self.beats


class _Ready:
    """Whether a channel is ready in a cycle in which something stands on it; asked in each such cycle, once."""

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern
        self._values = np.zeros(0, np.bool_) if pattern.waits else pattern.ready(4096)
        self._distance = Distances(pattern) if pattern.waits else None
        self._since: int | None = None  # after-valid: from when on it is ready

    def moves(self) -> None:
        """What stands there is taken in this cycle."""
        self._since = None

    def __call__(self, cycle: int) -> bool:
        if self._distance is not None:
            if self._since is None:
                self._since = cycle + self._distance()
            return cycle >= self._since
        if cycle >= len(self._values):
            self._values = self._pattern.ready(2 * cycle)
        return bool(self._values[cycle])


class _Answers:
    """R or B: what is open, which goes next, and when the channel is free."""

    def __init__(self, timing: MemoryTiming, gaps: Pattern, kind: int) -> None:
        self.open: list[Burst] = []
        self._order = timing.order
        self._gaps = Gaps(gaps)
        self._free = self._gaps()
        self._jitter = Jitter(timing, READ_JITTER if kind == READ else WRITE_JITTER)
        self._choice = BurstChoice(timing, READ_ORDER if kind == READ else WRITE_ORDER)

    def due(self, cycle: int, latency: int) -> int:
        """When the next burst to become open is due."""
        return cycle + latency + self._jitter()

    def free(self, cycle: int) -> bool:
        return cycle >= self._free

    def moves(self, cycle: int) -> None:
        self._free = cycle + 1 + self._gaps()

    def choose(self, cycle: int) -> Burst | None:
        """The burst whose answer is offered in a cycle in which the channel is free."""
        if self._order == "in_order":
            return self.open[0] if self.open and self.open[0].due <= cycle else None
        seen: set[int] = set()
        ready = []
        for burst in self.open:
            if burst.id not in seen:
                seen.add(burst.id)
                if 0 <= burst.due <= cycle:
                    ready.append(burst)
        return ready[self._choice(len(ready))] if ready else None


class TimedMemory:
    """A memory with a state; the image's arrays stay as they are."""

    def __init__(self, image: MemoryImage) -> None:
        timing = image.timing
        self.regions = [Region(r.name, r.base, r.data.copy(), r.readable, r.writable) for r in image.regions]
        self.log: list[Burst] = []
        self._timing = timing
        self._ready = {"ar": _Ready(timing.ar_ready), "aw": _Ready(timing.aw_ready), "w": _Ready(timing.w_ready)}
        self._reads = _Answers(timing, timing.r_gaps, READ)
        self._writes = _Answers(timing, timing.b_gaps, WRITE)
        self._read_gate, self._write_gate = Gate(timing.read_bandwidth), Gate(timing.write_bandwidth)
        self._current: Burst | None = None
        self._owed = 0

    @property
    def quiet(self) -> bool:
        """Nothing is on its way."""
        return not self._reads.open and not self._writes.open

    def ar_ready(self, cycle: int) -> bool:
        """ARREADY, in a cycle of ARVALID."""
        return len(self._reads.open) < self._timing.max_reads and self._taken("ar", cycle)

    def aw_ready(self, cycle: int) -> bool:
        """AWREADY, in a cycle of AWVALID."""
        return len(self._writes.open) < self._timing.max_writes and self._taken("aw", cycle)

    def w_ready(self, cycle: int) -> bool:
        """WREADY, in a cycle of WVALID."""
        owed = self._owed + self._timing.data_ahead > 0
        return owed and self._taken("w", cycle, self._write_gate(cycle) == cycle)

    def _taken(self, channel: str, cycle: int, open_: bool = True) -> bool:
        ready = self._ready[channel]
        taken = ready(cycle) and open_
        if taken:
            ready.moves()
        return taken

    def read_beat(self, cycle: int) -> tuple[Burst, npt.NDArray[np.uint8]] | None:
        """The beat that moves in this cycle. To be asked before this cycle's write data are taken."""
        reads = self._reads
        if not reads.free(cycle) or self._read_gate(cycle) != cycle:
            return None
        burst = self._current
        if burst is None or self._timing.order == "interleaved":
            burst = reads.choose(cycle)
        if burst is None:
            return None
        at = burst.address + BEAT * burst.moved
        region = burst.region
        readable = region is not None and region.readable
        data = region.data[at - region.base :][:BEAT].copy() if region and readable else np.zeros(BEAT, np.uint8)
        self._current = burst
        if burst.move(cycle):
            burst.done = cycle
            reads.open.remove(burst)
            self._current = None
        reads.moves(cycle)
        return burst, data

    def response(self, cycle: int) -> Burst | None:
        """The write whose response moves in this cycle."""
        writes = self._writes
        if not writes.free(cycle):
            return None
        burst = writes.choose(cycle)
        if burst is None or burst.due < 0:
            return None
        burst.done = cycle
        writes.open.remove(burst)
        writes.moves(cycle)
        if self._timing.late_writes:
            _store(burst, 0, burst.beats)
        return burst

    def take_address(self, burst: Burst, cycle: int) -> None:
        """An address handshake."""
        burst.cycle = cycle
        size = BEAT * burst.beats
        burst.region = next(
            (r for r in self.regions if r.base <= burst.address and burst.address + size <= r.end), None
        )
        self.log.append(burst)
        if burst.kind == READ:
            burst.due = self._reads.due(cycle, self._timing.latency_of(burst.id))
            self._reads.open.append(burst)
        else:
            self._owed += burst.beats
            self._writes.open.append(burst)

    def take_data(self, burst: Burst, cycle: int) -> bool:
        """A beat of write data behind its address; true for the last one."""
        self._owed -= 1
        if not self._timing.late_writes:
            _store(burst, burst.moved, 1)
        last = burst.move(cycle)
        if last:
            burst.due = self._writes.due(max(burst.cycle, cycle), self._timing.write_latency)
        return last


def _store(burst: Burst, first: int, beats: int) -> None:
    """Some beats of write data take effect."""
    if burst.region is not None and burst.region.writable:
        data = burst.data[BEAT * first : BEAT * (first + beats)]
        place = burst.address + BEAT * first - burst.region.base
        burst.region.data[place : place + len(data)] = data


LOG = np.dtype([(name, np.int64) for name in ("kind", "id", "address", "len", "cycle", "first", "last", "done")])


def log_rows(memory: TimedMemory) -> npt.NDArray[Any]:
    """The log as rows, in the order of the address handshakes; of two in one cycle the write first."""
    bursts = sorted(memory.log, key=lambda b: (b.cycle, -b.kind))
    rows = [(b.kind, b.id, b.address, b.beats - 1, b.cycle, b.first, b.last, b.done) for b in bursts]
    return np.array(rows, LOG)
