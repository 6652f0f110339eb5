# SPDX-License-Identifier: Apache-2.0
"""Payload in windows of one trace: how long the longest window is that holds at most so much.

The answer for a length is found by bisection of that function, which looks at all windows at once. So a length takes a
few passes over the beats, however sparse they are.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.usual_clocks import Period, whole_cycles

_Ints = npt.NDArray[np.int64]
_SMALL = 1 << 12
"""Cycles up to which all windows of a length are counted one by one, which takes less time there."""
_SPREAD = 8
"""The same per beat, where beats differ in payload."""
_GUESSES = 6
"""Guesses by interpolation before a range is halved."""


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
        self._dense: npt.NDArray[np.signedinteger] | None = None
        if self.occupied == 1 and self.span <= max(_SMALL, 0 if even else _SPREAD * len(trace)):
            each = np.zeros(self.span + 1, np.int32 if units.sum() < 1 << 31 else np.int64)
            each[place + 1] = units
            self._dense = np.cumsum(each, dtype=each.dtype)
            self._room = np.empty_like(self._dense)
            return
        # Of each unit of payload its place; of each start of a window, its place and the units before it.
        self._units = place if even else np.repeat(place, units)
        self._starts = np.concatenate([np.zeros(1, small), place + small(1)])
        self._before = None if even else np.concatenate([[0], np.cumsum(units)])
        self._room, self._end = np.empty(len(place) + 1, small), np.empty(0 if even else len(place) + 1, small)

    def _ends(self, units: int) -> npt.NDArray[np.signedinteger]:
        """Where windows that hold so many units have to end, for the starts after which there are more units."""
        if self._before is None:
            return self._units[units:]
        some = int(np.searchsorted(self._before, len(self._units) - units))
        # Clipping lets numpy write into the place that is given; no index needs it.
        found: npt.NDArray[Any] = self._end[:some]
        np.take(self._units[units:], self._before[:some], out=found, mode="clip")
        return found

    def _rooms(self, units: int) -> tuple[npt.NDArray[np.signedinteger], int]:
        """Lengths of the longest windows with at most so many units, for some starts, and for the start after these."""
        ends = self._ends(units)
        found = np.subtract(ends, self._starts[: len(ends)], out=self._room[: len(ends)])
        return found, self.span - int(self._starts[len(ends)])

    def _longest(self, units: int) -> int:
        found, last = self._rooms(units)
        return max(last, int(found.max())) if len(found) else last

    def _shortest(self, units: int) -> int:
        """Length of the shortest window that holds at least so many units."""
        if not units:
            return 0
        if units > len(self._units):
            return self.span + 1
        ends = self._ends(units - 1)
        return int(np.subtract(ends, self._place[: len(ends)], out=self._room[: len(ends)]).min()) + self.occupied

    def _held(self, length: int) -> npt.NDArray[np.signedinteger]:
        """Units in the window from each cycle on, where they are counted one by one."""
        assert self._dense is not None
        count = self.span + 1 - length
        found: npt.NDArray[np.signedinteger] = self._room[:count]
        np.subtract(self._dense[length:], self._dense[:count], out=found)
        return found

    def least(self, lengths: Sequence[int]) -> list[int]:
        """Units of payload in the emptiest window of each length; ascending lengths that fit."""
        if self._dense is not None:
            return [int(self._held(n).min()) for n in lengths]
        return _crossings(self._longest, lengths, len(self._units))

    def most(self, lengths: Sequence[int]) -> list[int]:
        """The same in the fullest window."""
        if self._dense is not None:
            return [int(self._held(n).max()) for n in lengths]
        beyond = [length + 1 for length in lengths]
        return [units - 1 for units in _crossings(self._shortest, beyond, len(self._units) + 1)]

    def emptiest(self, length: int) -> SlowWindow | None:
        """The first of the emptiest windows of a length; None where none is so long."""
        if length > self.span:
            return None
        if self._dense is not None:
            held = self._held(length)
            start = int(np.argmin(held))
            before = int(np.searchsorted(self._place, start)) - 1
            return SlowWindow(self.first + start, length, int(held[start]) * self.unit, before)
        (units,) = self.least([length])
        found, _ = self._rooms(units)
        fitting = found >= length
        at = int(np.argmax(fitting)) if fitting.any() else len(found)
        return SlowWindow(self.first + int(self._starts[at]), length, units * self.unit, at - 1)


def _crossings(value: Callable[[int], int], targets: Sequence[int], most: int) -> list[int]:
    """For each target, the first number up to ``most`` whose value is not below it.

    Args:
        value: never falls; its last one reaches every target.
        targets: ascending.
        most: the largest number.
    """
    known, values, found = [0, most], [value(0), value(most)], list[int]()
    for target in targets:
        tries = 0
        while True:
            above = bisect_left(values, target)
            if above == 0 or known[above] - known[above - 1] == 1:
                break
            low, high = known[above - 1], known[above]
            guess = (low + high) // 2
            if tries < _GUESSES:
                # The value beside what is wanted first, then the next one: streams are even more often than not.
                part = (target - values[above - 1]) / max(1, values[above] - values[above - 1])
                guess = min(high - 1, max(low + 1, low + int(np.ceil(part * (high - low))) - tries % 2))
            known.insert(above, guess)
            values.insert(above, value(guess))
            tries += 1
        found.append(known[above])
    return found


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
