# SPDX-License-Identifier: Apache-2.0
"""Payload in windows of one trace: how long the longest window is that holds at most so much.

The answer for a length is found by bisection of that function in one block of windows. The other blocks only show
whether theirs is better, so a length takes one or two passes over the beats, however sparse they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.usual_clocks import Period, whole_cycles

_Ints = npt.NDArray[np.int64]
_GUESSES = 6
"""Guesses by interpolation before a range is halved."""
_BLOCK = 1 << 15
"""Windows that are looked at together, which stay in the processor's cache."""


@dataclass(frozen=True)
class SlowWindow:
    """A window and its payload.

    Attributes:
        start: its first cycle, or picosecond.
        length: in the same unit.
        payload: bytes of the beats in it.
        beat: number of the last beat before it; -1: it begins with the first beat.
    """

    start: int
    length: int
    payload: int
    beat: int


@dataclass(frozen=True, eq=False)
class ServiceCurve:
    """Payload by length of window, in ascending order of the lengths.

    Attributes:
        lengths: (k,) cycles; only those that fit from the first beat to the end of the last one's cycle.
        least, most: (k,) bytes, or beats, that the emptiest and the fullest window hold.
    """

    lengths: _Ints
    least: _Ints
    most: _Ints


def window_lengths(longest: int, steps: int = 3) -> list[int]:
    """A grid of lengths up to the longest: ``steps`` in each doubling, and the longest itself."""
    count = max(1, int(np.log2(max(longest, 1)) * steps) + 1)
    grid = {round(2 ** (n / steps)) for n in range(count)} | {longest}
    return sorted(n for n in grid if 1 <= n <= longest)


class Windows:
    """All windows of a trace: from the first beat to the end of the last one's cycle.

    A window may start with the first beat or right after any beat: no other start leaves less in it.

    Args:
        trace: the stream.
        in_ps: count in picoseconds instead of cycles of the trace.
        cycle_ps: what a beat occupies then; None: a cycle of the trace.
        beats: count beats instead of bytes.
    """

    def __init__(
        self, trace: Trace, *, in_ps: bool = False, cycle_ps: Period | None = None, beats: bool = False
    ) -> None:
        place = trace.time_ps if in_ps else trace.cycle
        self.first = int(place[0]) if len(trace) else 0
        occupied = (cycle_ps or trace.clock_ps) if in_ps else 1
        self.occupied = ceil(occupied)
        # As long as the cycles are, however their edges are rounded.
        self.span = ceil(whole_cycles(int(place[-1]) - self.first, occupied) + occupied) if len(trace) else 0
        small = np.int32 if self.span < 1 << 31 else np.int64
        place = (place - self.first).astype(small)
        self._place = place
        size = np.ones(len(trace), np.int64) if beats else trace.valid_bytes()
        self.unit = int(np.gcd.reduce(size)) if len(size) else 1
        self.unit = self.unit or 1
        units = size // self.unit
        even = bool((units == 1).all())
        # Of each unit of payload its place; of each start of a window, its place and the units before it.
        self._units = place if even else np.repeat(place, units)
        self._starts = np.concatenate([np.zeros(1, small), place + small(1)])
        self._before = None if even else np.concatenate([[0], np.cumsum(units)])
        self._room = np.empty(min(_BLOCK, len(place) + 1), small)

    def _lengths(self, units: int, starts: npt.NDArray[np.signedinteger], begin: int) -> npt.NDArray[np.signedinteger]:
        """How far it is from starts of a block to the unit after so many; for those that have one.

        The next call overwrites what this one gives.
        """
        ends = self._units[units:]
        count = len(ends) if self._before is None else int(np.searchsorted(self._before, len(ends)))
        end = max(begin, min(begin + _BLOCK, count))
        found: npt.NDArray[Any] = self._room[: end - begin]
        if self._before is None:
            np.subtract(ends[begin:end], starts[begin:end], out=found)
        elif begin < end:
            # Clipping lets numpy write into the place that is given; no index needs it.
            np.take(ends, self._before[begin:end], out=found, mode="clip")
            np.subtract(found, starts[begin:end], out=found)
        return found

    def _longest(self, units: int, begin: int) -> int:
        """Length of the longest window with at most so many units that begins at a block's starts."""
        found = self._lengths(units, self._starts, begin)
        longest = int(found.max()) if len(found) else 0
        if len(found) == min(_BLOCK, len(self._starts) - begin):
            return longest
        return max(longest, self.span - int(self._starts[begin + len(found)]))

    def _shortest(self, units: int, begin: int) -> int:
        """Length of the shortest window with at least so many units that begins at a block's beats."""
        found = self._lengths(units - 1, self._place, begin) if units <= len(self._units) else self._room[:0]
        return int(found.min()) + self.occupied if len(found) else self.span + 1

    def least(self, lengths: Sequence[int]) -> list[int]:
        """Units of payload in the emptiest window of each length; ascending lengths that fit."""
        found = [0]
        for length in lengths:
            best = len(self._units)
            for begin in range(0, len(self._starts), _BLOCK):
                value = partial(self._longest, begin=begin)
                if best > found[-1] and value(best - 1) >= length:
                    best = _first(value, length, found[-1], best - 1)
            found.append(best)
        return found[1:]

    def most(self, lengths: Sequence[int]) -> list[int]:
        """The same in the fullest window."""
        found, largest = [0], len(self._units)
        for length in lengths:
            best = found[-1]
            for begin in range(0, len(self._place), _BLOCK):
                value = partial(self._shortest, begin=begin)
                if best < largest and value(best + 1) <= length:
                    best = _first(value, length + 1, best + 2, largest + 1) - 1
            found.append(best)
        return found[1:]

    def emptiest(self, length: int) -> SlowWindow | None:
        """The first of the emptiest windows of a length; None where none is so long."""
        if length > self.span:
            return None
        (units,) = self.least([length])
        begin = next(n for n in range(0, len(self._starts), _BLOCK) if self._longest(units, n) >= length)
        fitting = self._lengths(units, self._starts, begin) >= length
        at = begin + (int(np.argmax(fitting)) if fitting.any() else len(fitting))
        return SlowWindow(self.first + int(self._starts[at]), length, units * self.unit, at - 1)


def _first(value: Callable[[int], int], target: int, low: int, high: int) -> int:
    """The first number from ``low`` to ``high`` whose value is not below the target.

    Args:
        value: never falls; that of ``high`` reaches the target.
        target: what is to be reached.
        low: the least number.
        high: the greatest number.
    """
    if (least := value(low)) >= target:
        return low
    most, tries = value(high), 0
    while high - low > 1:
        guess = (low + high) // 2
        if tries < _GUESSES:
            # The value beside what is wanted first, then the next one: streams are even more often than not.
            part = (target - least) / (most - least)
            guess = min(high - 1, max(low + 1, low + ceil(part * (high - low)) - tries % 2))
        reached, tries = value(guess), tries + 1
        if reached < target:
            low, least = guess, reached
        else:
            high, most = guess, reached
    return high


def right_after(trace: Trace, beat: int) -> int:
    """Where a window begins that has a beat right before it, in picoseconds; -1: with the first beat."""
    return int(trace[max(0, beat) : max(0, beat) + 1].time_ps[0]) + (beat >= 0)


def slowest_window(
    trace: Trace, length: int, *, in_ps: bool = False, cycle_ps: Period | None = None
) -> SlowWindow | None:
    """The emptiest window of a length, the first of them; None where none is so long.

    The last window ends with the last beat's cycle.

    Args:
        trace: the stream.
        length: in cycles of the trace, at which windows start then; at least 1.
        in_ps: the length is in picoseconds, and a window starts at any time.
        cycle_ps: what the last beat occupies then; None: a cycle of the trace.

    Raises:
        UsageError: a length below 1.
    """
    if length < 1:
        raise UsageError(f"a window of {length} {'ps' if in_ps else 'cycles'}, expected at least 1")
    return Windows(trace, in_ps=in_ps, cycle_ps=cycle_ps).emptiest(length)


def service_curve(trace: Trace, lengths: Sequence[int], *, beats: bool = False) -> ServiceCurve:
    """Least and most payload for each length of window that fits.

    Args:
        trace: the stream.
        lengths: in cycles of the trace, in any order.
        beats: count beats instead of bytes.

    Raises:
        UsageError: a length below 1.
    """
    wanted = sorted(set(lengths))
    if wanted and wanted[0] < 1:
        raise UsageError(f"a window of {wanted[0]} cycles, expected at least 1")
    windows = Windows(trace, beats=beats)
    fitting = [length for length in wanted if length <= windows.span]
    columns = [windows.least(fitting), windows.most(fitting)]
    least, most = (np.array(column, np.int64) * windows.unit for column in columns)
    return ServiceCurve(np.array(fitting, np.int64), least, most)
