# SPDX-License-Identifier: Apache-2.0
"""Clocks whose every edge a simulator and a golden model know alike, jitter included."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import splitmix64

_BLOCK = 1024


@dataclass(frozen=True)
class Clock:
    """A free-running clock.

    Attributes:
        period_ps: period in picoseconds.
        offset_ps: time of its edge 0, the first rising edge after the start of the run (reset release), counted from
            that start.
        jitter_ps: how far a rising edge may lie from where it belongs, at most a quarter of the period. Edges up to number 0 have
            no jitter, so that the start of a run is the same for all.
        seed: draws the displacement of each edge.
    """

    period_ps: int
    offset_ps: int
    jitter_ps: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.period_ps < 2 or self.period_ps % 2:
            raise UsageError(f"a clock period of {self.period_ps} ps is not an even number of at least 2")
        if not 0 < self.offset_ps <= self.period_ps:
            raise UsageError(f"a clock offset of {self.offset_ps} ps is not in (0, {self.period_ps}]")
        if not 0 <= self.jitter_ps <= self.period_ps // 4:
            raise UsageError(
                f"a clock jitter of {self.jitter_ps} ps is not in [0, {self.period_ps // 4}], a quarter of its period"
            )

    def nominal(self, cycle: int) -> int:
        """Time at which rising edge ``cycle`` would come without jitter, in picoseconds."""
        return self.offset_ps + cycle * self.period_ps

    def time(self, cycle: int) -> int:
        """Time of rising edge ``cycle`` in picoseconds."""
        if not self.jitter_ps or cycle <= 0:
            return self.nominal(cycle)
        block, at = divmod(cycle, _BLOCK)
        return self.nominal(cycle) + _displacements(self.seed, self.jitter_ps, block)[at]

    def first_edge_after(self, time_ps: int) -> int:
        """The first edge strictly later than ``time_ps``; edges before the start count as negative numbers."""
        cycle = (time_ps - self.offset_ps) // self.period_ps + 1
        if self.jitter_ps:
            # An edge is never displaced by more than a quarter of a period: only the neighbours come into question.
            if self.time(cycle - 1) > time_ps:
                return cycle - 1
            if self.time(cycle) <= time_ps:
                return cycle + 1
        return cycle

    def divides(self, time_ps: int) -> bool:
        """Whether each edge is as surely before or after that time as it would be without jitter; false at an edge."""
        near = (time_ps - self.offset_ps) // self.period_ps
        for cycle in (near - 1, near, near + 1, near + 2):
            first, last = sorted((self.time(cycle), self.nominal(cycle)))
            if first <= time_ps <= last:
                return False
        return True

    @property
    def shortest_ps(self) -> int:
        """The least time between two rising edges."""
        return self.period_ps - 2 * self.jitter_ps


@lru_cache(maxsize=256)
def _displacements(seed: int, jitter_ps: int, block: int) -> list[int]:
    """Displacements of the edges of one block, in picoseconds; ``Clock::displacement`` in kernel.h gives the same."""
    index = np.arange(block * _BLOCK, (block + 1) * _BLOCK, dtype=np.uint64)
    drawn = splitmix64(seed, index) % np.uint64(2 * jitter_ps + 1)
    return [int(d) - jitter_ps for d in drawn]
