# SPDX-License-Identifier: Apache-2.0
"""Bytes that an access touches: runs at the places of a strided walk, or any runs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
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


@dataclass(frozen=True)
class ByteRuns:
    """Bytes without a pattern; :meth:`of` makes them.

    Attributes:
        memory: which memory.
        packed: the :data:`ByteRanges` as bytes.
    """

    memory: Hashable
    packed: bytes

    @classmethod
    def of(cls, memory: Hashable, first: npt.NDArray[np.int64], end: npt.NDArray[np.int64]) -> ByteRuns:
        """Runs from their first bytes and the bytes after their last ones, in any order."""
        return cls(memory, _joined(first, end).tobytes())

    @property
    def empty(self) -> bool:
        """Whether it touches nothing."""
        return not self.packed

    @property
    def outline(self) -> tuple[int, int]:
        """First byte and byte after the last one."""
        ranges = byte_ranges(self)
        return (int(ranges[0, 0]), int(ranges[-1, 1])) if len(ranges) else (0, 0)


def _joined(first: npt.NDArray[np.int64], end: npt.NDArray[np.int64]) -> ByteRanges:
    """Runs as ranges that neither overlap nor touch."""
    keep = np.flatnonzero(end > first)
    keep = keep[np.argsort(first[keep], kind="stable")]
    if not len(keep):
        return np.zeros((0, 2), np.int64)
    low, high = first[keep], np.maximum.accumulate(end[keep])
    new = np.flatnonzero(low[1:] > high[:-1]) + 1
    return _ranges(low, high, new)


def _ranges(low: npt.NDArray[np.int64], high: npt.NDArray[np.int64], new: npt.NDArray[np.int64]) -> ByteRanges:
    """Runs in order as ranges, of which all but the first begin at ``new``."""
    found = np.empty((len(new) + 1, 2), np.int64)
    found[0, 0], found[-1, 1] = low[0], high[-1]
    found[1:, 0], found[:-1, 1] = low[new], high[new - 1]
    return found


AnyWalk = ByteWalk | ByteRuns


@lru_cache(maxsize=1 << 12)
def byte_ranges(walk: AnyWalk) -> ByteRanges:
    """The bytes of a walk."""
    if isinstance(walk, ByteRuns):
        return np.frombuffer(walk.packed, np.int64).reshape(-1, 2)
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
    return _ranges(starts, starts + run, new)


def common_bytes(one: AnyWalk, other: AnyWalk) -> ByteRanges:
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


def packed_walk(memory: Hashable, first: int, run: int, steps: Iterable[tuple[int, int]]) -> ByteWalk:
    """A walk without loops that say nothing: runs that touch become one run, equal steps one loop, the largest stride first."""
    left: list[tuple[int, int]] = []
    for count, stride in sorted((s for s in steps if s[0] > 1 and s[1] > 0), key=lambda s: s[1]):
        if not left and stride <= run:
            run += (count - 1) * stride
        elif left and stride == left[-1][0] * left[-1][1]:
            left[-1] = (left[-1][0] * count, left[-1][1])
        else:
            left.append((count, stride))
    return ByteWalk(memory, first, run, tuple(reversed(left)))


def _starts(walk: ByteWalk, low: int, high: int) -> npt.NDArray[np.int64]:
    """Where the runs of a packed walk begin that reach into ``low .. high - 1``, in order."""
    found = np.array([walk.first], np.int64)
    rest = walk.outline[1] - walk.first
    for count, stride in walk.steps:
        rest -= (count - 1) * stride
        # Only the indices that can reach into the window are made: nothing is enumerated in vain.
        begin = np.maximum(0, -((found + rest - low - 1) // stride))
        stop = np.minimum(count, (high - 1 - found) // stride + 1)
        many = np.maximum(stop - begin, 0)
        which = np.repeat(np.arange(len(found)), many)
        step = np.arange(len(which)) - np.repeat(np.cumsum(many) - many, many) + begin[which]
        found = found[which] + step * stride
    return np.sort(found)


def first_common_byte(one: ByteWalk, other: ByteWalk) -> int | None:
    """The first byte that two packed walks of one memory share, None if they share none."""
    (first, end), (start, stop) = one.outline, other.outline
    low, high = max(first, start), min(end, stop)
    if low >= high:
        return None
    if not one.steps and not other.steps:
        return low
    mine, theirs = _starts(one, low, high), _starts(other, low, high)
    if not len(mine) or not len(theirs):
        return None
    if len(mine) > len(theirs):
        mine, theirs, one, other = theirs, mine, other, one
    # Runs of one walk may overlap each other, but they all have one length: the nearest on either side decides.
    after = np.searchsorted(theirs, mine)
    found: list[int] = []
    right = after < len(theirs)
    hits = np.flatnonzero(right)[theirs[after[right]] < mine[right] + one.run]
    if len(hits):
        found.append(int(theirs[after[hits[0]]]))
    left = after > 0
    hits = np.flatnonzero(left)[theirs[after[left] - 1] + other.run > mine[left]]
    if len(hits):
        found.append(int(mine[hits[0]]))
    return min(found, default=None)
