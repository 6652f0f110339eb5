# SPDX-License-Identifier: Apache-2.0
"""Payload in windows of one trace, by prefix sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.trace import Trace

_SPARSE = 16
"""A trace with more cycles per beat than this is searched beat by beat instead of cycle by cycle."""

_Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class SlowWindow:
    """A window and its payload.

    Attributes:
        start: its first cycle, or picosecond.
        payload: bytes of the beats in it.
    """

    start: int
    payload: int


@dataclass(frozen=True, eq=False)
class ServiceCurve:
    """Payload by length of window, in ascending order of the lengths.

    Attributes:
        lengths: (k,) cycles; only those that fit from the first beat to the end of the last one's cycle.
        least, most: (k,) bytes that the emptiest and the fullest window hold.
    """

    lengths: _Ints
    least: _Ints
    most: _Ints


class _Payload:
    """Bytes before each cycle, counted from the first beat; a cycle may be a picosecond. The last beat takes ``beat`` of them."""

    def __init__(self, trace: Trace, *, in_ps: bool = False, beat: int = 1) -> None:
        place = trace.time_ps if in_ps else trace.cycle
        self.first = int(place[0]) if len(trace) else 0
        self.cycle = place - self.first
        self.span = int(self.cycle[-1]) + beat if len(trace) else 0
        size = trace.valid_bytes()
        self._before = np.concatenate([[0], np.cumsum(size)])
        self._dense: _Ints | None = None
        if self.span <= _SPARSE * len(trace):
            each = np.zeros(self.span + 1, np.int64)
            each[self.cycle + 1] = size
            self._dense = np.cumsum(each)

    def _counted(self, starts: _Ints, length: int) -> _Ints:
        ends = np.searchsorted(self.cycle, starts + length)
        held: _Ints = self._before[ends] - self._before[np.searchsorted(self.cycle, starts)]
        return held

    def in_windows(self, length: int, *, most: bool) -> tuple[_Ints, _Ints]:
        """Starts, counted from the first beat, among which the extreme is, and the payload from each."""
        last = self.span - length
        if self._dense is not None:
            return np.arange(last + 1), self._dense[length:] - self._dense[: last + 1]
        # The payload grows only where a beat enters at the end, and shrinks only where one leaves at the start.
        starts = np.concatenate([self.cycle, [last]] if most else [[0], self.cycle + 1])
        starts = starts[starts <= last]
        return starts, self._counted(starts, length)


def slowest_window(trace: Trace, length: int, *, in_ps: bool = False, cycle_ps: int | None = None) -> SlowWindow | None:
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
    payload = _Payload(trace, in_ps=in_ps, beat=(cycle_ps or trace.clock_ps) if in_ps else 1)
    if length > payload.span:
        return None
    starts, held = payload.in_windows(length, most=False)
    at = int(np.argmin(held))
    return SlowWindow(payload.first + int(starts[at]), int(held[at]))


def service_curve(trace: Trace, lengths: Sequence[int]) -> ServiceCurve:
    """Least and most payload for each length of window that fits.

    Raises:
        UsageError: a length below 1.
    """
    wanted = sorted(set(lengths))
    if wanted and wanted[0] < 1:
        raise UsageError(f"a window of {wanted[0]} cycles, expected at least 1")
    payload = _Payload(trace)
    fitting = [length for length in wanted if length <= payload.span]
    least = [int(payload.in_windows(length, most=False)[1].min()) for length in fitting]
    most = [int(payload.in_windows(length, most=True)[1].max()) for length in fitting]
    return ServiceCurve(*(np.array(column, np.int64) for column in (fitting, least, most)))
