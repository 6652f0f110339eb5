# SPDX-License-Identifier: Apache-2.0
"""Lengths of windows as a user writes them: time, clock cycles, beats or frames; and the worst window of such a length."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from typing import Literal

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.curves.service import SlowWindow, Windows, right_after
from goldbeat.pymodels.edges import counted_on_edges
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.usual_clocks import Period

_TIMES = {"ps": 1, "ns": 10**3, "us": 10**6, "µs": 10**6, "μs": 10**6, "ms": 10**9, "s": 10**12}
_PATTERN = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(ps|ns|us|[µμ]s|ms|s|cycle|beat|frame)s?\s*")
EXPECTED = 'a length such as "1 us", "64 cycles", "256 beats" or "4 frames"'

Kind = Literal["ps", "cycle", "beat", "frame"]


@dataclass(frozen=True)
class WindowSpan:
    """The length of a window.

    Attributes:
        count: picoseconds, or cycles, beats, frames; at least 1.
        kind: which.
        text: as the user wrote it.
    """

    count: int
    kind: Kind
    text: str

    @classmethod
    def parse(cls, text: str) -> WindowSpan:
        """Of ``1 us``, ``64 cycles``, ``256 beats``, ``4 frames``.

        Raises:
            UsageError: anything else, or a part of a picosecond, cycle, beat or frame.
        """
        found = _PATTERN.fullmatch(text)
        if found is None:
            raise UsageError(f"window {text!r}: expected {EXPECTED}")
        number, unit = Fraction(found[1]), found[2]
        count = number * _TIMES.get(unit, 1)
        if count < 1 or count.denominator != 1:
            raise UsageError(
                f"window {text!r}: expected a whole number of {'ps' if unit in _TIMES else unit + 's'}, at least 1"
            )
        kinds: dict[str, Kind] = {"cycle": "cycle", "beat": "beat", "frame": "frame"}
        return cls(int(count), kinds.get(unit, "ps"), text)


def extreme_window(
    trace: Trace, span: WindowSpan, *, clock_ps: Period | None = None, most: bool = False
) -> SlowWindow | None:
    """The window of a length with the lowest or the highest rate, in picoseconds; None where the trace is too short.

    A window of time or cycles starts at any time from the first beat on and ends with the last beat's cycle at the latest.
    Windows of beats and frames go from the first beat of some to the first beat after them, pauses included; the last one ends
    with the last beat's cycle. Of the fastest, only the payload is known.

    Args:
        trace: payload of the port.
        span: the length.
        clock_ps: period of the port's clock where the trace's own is finer.
        most: the highest rate.
    """
    period = clock_ps or trace.clock_ps
    counted = counted_on_edges(trace, period) if span.kind == "cycle" else None
    if counted is not None:
        found = extreme_window(counted, span, most=most)
        length = ceil(span.count * period)
        return found and replace(found, start=right_after(trace, found.beat), length=length)
    if span.kind in ("ps", "cycle"):
        exact = span.count * (1 if span.kind == "ps" else period)
        # Edges between two picoseconds are rounded: the slowest window may be too long by that, the fastest too short.
        length = floor(exact) if most else ceil(exact)
        windows = Windows(trace, in_ps=True, cycle_ps=period)
        if most and length <= windows.span:
            return SlowWindow(windows.first, length, windows.most([length])[0] * windows.unit, -1)
        return windows.emptiest(length)
    ends = np.arange(len(trace) + 1) if span.kind == "beat" else np.append(trace.frame_bounds()[:, 0], len(trace))
    if not len(trace) or len(ends) <= span.count or (span.kind == "frame" and not trace.last.any()):
        return None
    return _between(trace, ends, span.count, period, most=most)


def _between(trace: Trace, ends: npt.NDArray[np.int64], count: int, period: Period, *, most: bool) -> SlowWindow:
    """Of windows from each of some beats to the one ``count`` later, the one with the extreme rate, the first of them."""
    time = np.append(trace.time_ps, int(trace.time_ps[-1]) + floor(period))[ends]
    before = np.concatenate([[0], np.cumsum(trace.valid_bytes())])[ends]
    length, held = time[count:] - time[:-count], before[count:] - before[:-count]
    rate = held / length
    at = int(np.argmax(rate) if most else np.argmin(rate))
    return SlowWindow(int(time[at]), int(length[at]), int(held[at]), int(ends[at]) - 1)
