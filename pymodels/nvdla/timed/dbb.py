# SPDX-License-Identifier: Apache-2.0
"""Requests on their way to DBB: cutters, the read address register and the write port."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.burst import READ, WRITE
from goldbeat.pymodels.nvdla.timed.memory import BEAT, Burst, TimedMemory

BURST_BYTES = 128
MAX_WRITES = 8
SDP, PDP, CDMA_DATA, CDMA_WEIGHTS, CDP = range(5)
"""Ids on DBB."""
READERS = (SDP, PDP, CDMA_DATA, CDMA_WEIGHTS, CDP)
WRITERS = (SDP, PDP, CDP)


class Cutter:
    """One request at a time, cut at multiples of :data:`BURST_BYTES`."""

    def __init__(self, kind: int, ident: int) -> None:
        self._kind = kind
        self._id = ident
        self.bursts: deque[Burst] = deque()

    @property
    def free(self) -> bool:
        """No burst is left to ask for."""
        return not self.bursts

    def accept(self, address: int, beats: int, tag: object, data: npt.NDArray[np.uint8] | None = None) -> list[Burst]:
        """Take a request; the bursts that it is cut into."""
        at = address & 0xFFFF_FFF8
        sent = 0
        while beats:
            size = min(beats, (BURST_BYTES - at % BURST_BYTES) // BEAT)
            piece = np.zeros(0, np.uint8) if data is None else data[BEAT * sent : BEAT * (sent + size)]
            self.bursts.append(Burst(self._kind, self._id, at, size, tag, piece))
            at = (at + BEAT * size) & 0xFFFF_FFFF
            sent += size
            beats -= size
        return list(self.bursts)


class DbbPort:
    """What all that read and write share, by id."""

    def __init__(self, memory: TimedMemory) -> None:
        self.memory = memory
        self.readers = {ident: Cutter(READ, ident) for ident in READERS}
        self.writers = {ident: Cutter(WRITE, ident) for ident in WRITERS}
        self.unanswered = dict.fromkeys(WRITERS, 0)
        # The search begins behind the last one of all.
        self._last_read, self._last_write = READERS[-1], WRITERS[-1]
        self._read: Burst | None = None
        self._write: Burst | None = None
        self._addressed = False

    @property
    def quiet(self) -> bool:
        """Nothing is asked for or on its way."""
        asked = any(not cutter.free for cutter in (*self.readers.values(), *self.writers.values()))
        return not asked and self._read is None and self._write is None and self.memory.quiet

    def edge(self, cycle: int) -> tuple[tuple[Burst, npt.NDArray[np.uint8]] | None, Burst | None, Burst | None]:
        """One edge: the beat that was read, the write burst whose last data moved, and the write that was answered."""
        memory = self.memory
        # Handshakes of this cycle, from what stood before.
        read_address = self._read is not None and memory.ar_ready(cycle)
        write_address = self._write is not None and not self._addressed and memory.aw_ready(cycle)
        write_data = self._write is not None and self._addressed and memory.w_ready(cycle)
        write_grant = self._choose_write() if self._write is None else None
        read_grant = self._choose_read() if self._read is None or read_address else None
        beat = memory.read_beat(cycle)
        answered = memory.response(cycle)
        sent = None
        if write_data:
            assert self._write is not None
            if memory.take_data(self._write, cycle):
                sent, self._write = self._write, None
        if write_address:
            assert self._write is not None
            memory.take_address(self._write, cycle)
            self._addressed = True
        if read_address:
            assert self._read is not None
            memory.take_address(self._read, cycle)
            self._read = None
        if read_grant is not None:
            self._last_read = read_grant
            self._read = self.readers[read_grant].bursts.popleft()
        if write_grant is not None:
            self._last_write = write_grant
            self._write = self.writers[write_grant].bursts.popleft()
            self._addressed = False
            self.unanswered[write_grant] += 1
        if answered is not None:
            self.unanswered[answered.id] -= 1
        return beat, sent, answered

    def _choose_read(self) -> int | None:
        return _turn([e for e in READERS if not self.readers[e].free], self._last_read)

    def _choose_write(self) -> int | None:
        asks = [e for e in WRITERS if not self.writers[e].free and self.unanswered[e] < MAX_WRITES]
        return _turn(asks, self._last_write)


def _turn(asks: Sequence[int], last: int) -> int | None:
    """The first one behind that granted last, in the cyclic order of the ids, which ``asks`` is sorted by."""
    return next((e for e in asks if e > last), asks[0] if asks else None)
