# SPDX-License-Identifier: Apache-2.0
"""The memory behind one engine of the command front end: what it answers to its reads, and when."""

from __future__ import annotations

from collections.abc import Sequence

from goldbeat.pymodels.axi.burst import DECERR, OKAY, SLVERR
from goldbeat.pymodels.axi.memory import READ_JITTER, Gaps, Jitter, MemoryTiming, Region, check_regions
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import NextReady
from goldbeat.pymodels.tpu.front_end.kinds import BLOCK

BEAT = 16
BEATS = BLOCK // BEAT


class ReadPort:
    """One engine's read port: what it answers and when (the page's last section but one, and docs/memory.md)."""

    def __init__(self, regions: Sequence[Region], timing: MemoryTiming) -> None:
        check_regions(regions)
        if timing.read_bandwidth != (1, 1) or timing.ar_ready.kind not in ("none", "after-valid"):
            raise UsageError("read_bandwidth and ar_ready depend on the cycle number: not with this design")
        self._ready = NextReady(timing.ar_ready)
        self._regions = regions
        self._timing = timing
        self._gaps = Gaps(timing.r_gaps)
        self._jitter = Jitter(timing, READ_JITTER)
        self._moved = -1  # edge of the last beat
        self.ends: list[int] = []  # edge of the last beat of each read

    def earliest(self, offered: int) -> int:
        """When the next address is taken if it is offered in a cycle. Each address asks once."""
        n, most = len(self.ends), self._timing.max_reads
        return self._ready(max(offered, self.ends[n - most] + 1) if n >= most else offered)

    def read(self, address: int, handshake: int) -> list[tuple[int, bytes, bool]]:
        """(edge, data, whether it is OKAY) of each beat of a block."""
        data, response = self._fetch(address)
        due = handshake + self._timing.read_latency + self._jitter()
        beats = []
        for j in range(BEATS):
            gap = self._gaps()
            at = due if self._moved < 0 else max(due, self._moved + 1 + gap)
            self._moved = at
            beats.append((at, data[BEAT * j : BEAT * j + BEAT], response == OKAY))
        self.ends.append(self._moved)
        return beats

    def _fetch(self, address: int) -> tuple[bytes, int]:
        for region in self._regions:
            if region.base <= address and address + BLOCK <= region.end:
                if not region.readable:
                    return bytes(BLOCK), SLVERR
                at = address - region.base
                return region.data[at : at + BLOCK].tobytes(), OKAY
        return bytes(BLOCK), DECERR
