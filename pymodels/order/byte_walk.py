# SPDX-License-Identifier: Apache-2.0
"""Bytes that an access touches: runs at the places of a strided walk."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

ByteRanges = npt.NDArray[np.int64]
"""(n, 2) first byte and byte after the last one; ascending, without overlap and without neighbours that touch."""


@dataclass(frozen=True)
class ByteWalk:
    """``run`` bytes at ``first`` plus every sum of multiples of the strides.

    Attributes:
        memory: which memory; walks of different memories never touch.
        first: byte at which the walk starts.
        run: bytes one after the other at each place.
        steps: count and stride in bytes of each loop, in any order; a stride may be 0 or negative.
    """

    memory: Hashable
    first: int
    run: int
    steps: tuple[tuple[int, int], ...] = ()

    @property
    def empty(self) -> bool:
        """Whether it touches nothing."""
        return self.run < 1 or any(count < 1 for count, _ in self.steps)

    @property
    def outline(self) -> tuple[int, int]:
        """First byte and byte after the last one."""
        reach = [(count - 1) * stride for count, stride in self.steps]
        return self.first + sum(r for r in reach if r < 0), self.first + sum(r for r in reach if r > 0) + self.run


@lru_cache(maxsize=1 << 12)
def byte_ranges(walk: ByteWalk) -> ByteRanges:
    """The bytes of a walk."""
    if walk.empty:
        return np.zeros((0, 2), np.int64)
    run = walk.run
    starts = np.array([walk.outline[0]], np.int64)
    for count, stride in sorted(((c, abs(s)) for c, s in walk.steps), key=lambda step: step[1]):
        if len(starts) == 1 and stride <= run:
            run += (count - 1) * stride
        else:
            starts = (starts[:, None] + np.arange(count, dtype=np.int64) * stride).reshape(-1)
    starts = np.unique(starts)
    new = np.flatnonzero(np.diff(starts) > run) + 1
    return np.stack((starts[np.r_[0, new]], starts[np.r_[new - 1, -1]] + run), axis=1)


def common_bytes(one: ByteWalk, other: ByteWalk) -> ByteRanges:
    """The bytes that both walks touch."""
    (low, high), (other_low, other_high) = one.outline, other.outline
    if one.memory != other.memory or one.empty or other.empty or high <= other_low or other_high <= low:
        return np.zeros((0, 2), np.int64)
    mine, theirs = byte_ranges(one), byte_ranges(other)
    first = np.searchsorted(theirs[:, 1], mine[:, 0], "right")
    count = np.searchsorted(theirs[:, 0], mine[:, 1], "left") - first
    row = np.repeat(np.arange(len(mine)), count)
    column = np.repeat(first, count) + np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    low_ends = np.maximum(mine[row, 0], theirs[column, 0])
    return np.stack((low_ends, np.minimum(mine[row, 1], theirs[column, 1])), axis=1)
