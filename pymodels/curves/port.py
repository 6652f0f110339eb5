# SPDX-License-Identifier: Apache-2.0
"""The slowest and the fastest window of a port at each of a few lengths: what tables, pages and JSON show of its curves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from goldbeat.pymodels.curves.service import Windows, right_after
from goldbeat.pymodels.edges import counted_on_edges, edges_ps
from goldbeat.pymodels.measure import Rate, rate_of
from goldbeat.pymodels.samples import SampleType
from goldbeat.pymodels.stored_trace import StoredTrace
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.usual_clocks import Period

SHORTEST = 16
"""Cycles of the shortest window that is shown; each next one is four times as long."""
_LONGEST_STORED = 1 << 16
"""Cycles of the longest window of a trace that is too long to hold."""
TOO_FEW = f"too few beats to say: the shortest window has {SHORTEST} cycles"


@dataclass(frozen=True)
class PortWindow:
    """All windows of one length.

    Attributes:
        cycles: length in cycles of the port's clock.
        least, most: rates of the emptiest and of the fullest.
        start_ps: start of the first of the emptiest.
        cycle: the same in cycles of the trace, rounded down.
        beat: number of the last beat before it; -1: it begins with the first beat.
        seed, episode: where it is; None for a file.
    """

    cycles: int
    least: Rate
    most: Rate
    start_ps: int
    cycle: int
    beat: int
    seed: int | None = None
    episode: int | None = None


def shown_lengths(longest: int) -> list[int]:
    """Lengths in cycles of the windows that are shown of a stream."""
    found = [SHORTEST]
    while found[-1] * 4 <= longest:
        found.append(found[-1] * 4)
    return [n for n in found if n <= longest]


def port_windows(
    trace: Trace, dtype: str | SampleType | None = None, *, clock_ps: Period | None = None, cycles: Sequence[int] = ()
) -> list[PortWindow]:
    """The windows of one trace, in ascending order; none where it is too short.

    A trace that stays in files is read a part at a time, and has no windows of more than 65,536 cycles.

    Args:
        trace: payload of the port.
        dtype: sample type; None: rates are in bytes alone.
        clock_ps: period of the port's clock where the trace's own is finer.
        cycles: lengths; none: those that are shown.
    """
    period = clock_ps or trace.clock_ps
    if not isinstance(trace, StoredTrace):
        return _windows(trace, dtype, period, cycles)
    longest = min(_LONGEST_STORED, max(cycles, default=_LONGEST_STORED))
    lengths = shown_lengths(longest) if not cycles else [n for n in cycles if n <= longest]
    return worst_windows(
        [replace(one, beat=one.beat + first) for one in _windows(part, dtype, period, lengths)]
        for first, part in _overlapping(trace, int(longest * period // trace.clock_ps))
    )


def _overlapping(trace: StoredTrace, cycles: int) -> Iterator[tuple[int, Trace]]:
    """Parts of a trace with the numbers of their first beats: every window of so many of its cycles lies within one of them."""
    first, kept = 0, None
    for part in trace.parts():
        whole = part if kept is None else Trace.concat([kept, part])
        yield first, whole
        # A window starts with the first beat or right behind one.
        left_out = max(0, int(np.searchsorted(whole.cycle, int(whole.cycle[-1]) - cycles)) - 1)
        first, kept = first + left_out, whole[left_out:]


def _windows(trace: Trace, dtype: str | SampleType | None, period: Period, cycles: Sequence[int]) -> list[PortWindow]:
    counted = counted_on_edges(trace, period)
    if counted is not None:
        found = _windows(counted, dtype, 1, cycles)
        return [_on_edges(one, trace, dtype, period) for one in found]
    fine = period != trace.clock_ps
    windows = Windows(trace, in_ps=fine, cycle_ps=period if fine else None)
    step = period if fine else 1
    lengths = [n for n in sorted(cycles) or shown_lengths(int(windows.span // step)) if n * step <= windows.span]
    found = []
    # Edges between two picoseconds are rounded: the slowest window may be too long by that, the fastest too short.
    longer, shorter = [ceil(n * step) for n in lengths], [floor(n * step) for n in lengths]
    for n, least, most in zip(lengths, windows.least(longer), windows.most(shorter), strict=True):
        slow = windows.emptiest(ceil(n * step))
        assert slow is not None
        start = slow.start if fine else trace.offset_ps + slow.start * trace.clock_ps
        low, high = (rate_of(units * windows.unit, dtype, n * period) for units in (least, most))
        found.append(PortWindow(n, low, high, start, int((start - trace.offset_ps) // period), slow.beat))
    return found


def _on_edges(one: PortWindow, trace: Trace, dtype: str | SampleType | None, period: Period) -> PortWindow:
    """A window of cycles of a clock whose edges lie between picoseconds, as one in time."""
    least, most = (rate_of(rate.bytes, dtype, one.cycles * period) for rate in (one.least, one.most))
    return replace(one, least=least, most=most, start_ps=right_after(trace, one.beat))


def worst_windows(found: Iterable[Sequence[PortWindow]]) -> list[PortWindow]:
    """Of several traces the worst of each length: the first of the slowest, and the fastest rate of all."""
    worst: dict[int, PortWindow] = {}
    for rows in found:
        for one in rows:
            kept = worst.get(one.cycles, one)
            slow = one if _less(one.least, kept.least) else kept
            worst[one.cycles] = replace(slow, most=one.most if _less(kept.most, one.most) else kept.most)
    return [worst[n] for n in sorted(worst)]


def _less(one: Rate, other: Rate) -> bool:
    return one.bytes * other.span_ps < other.bytes * one.span_ps


def rate_over_time(trace: Trace, step: Period) -> Iterable[tuple[int, int, int]]:
    """Start in picoseconds, beats and payload bytes of stretches of so many picoseconds, from the first beat of a trace on.

    The start is rounded up to whole picoseconds.
    """
    if not len(trace):
        return
    time = trace.time_ps
    exact, span = Fraction(step), int(time[-1]) - int(time[0])
    edges = int(time[0]) + edges_ps(np.arange(int(span // exact) + 2, dtype=np.int64), exact)
    at = np.searchsorted(time, edges)
    before = np.concatenate([[0], np.cumsum(trace.valid_bytes())])
    for start, first, last in zip(edges[:-1].tolist(), at[:-1], at[1:], strict=True):
        yield start, int(last - first), int(before[last] - before[first])


def windows_json(windows: Sequence[PortWindow]) -> list[dict[str, Any]]:
    """For JSON: rates in all units, times in nanoseconds."""
    return [
        {
            "cycles": one.cycles,
            "ns": float(one.least.span_ps) / 1000,
            "least": _rate_json(one.least),
            "most": _rate_json(one.most),
            "slowest": {
                "start_ns": one.start_ps / 1000,
                "cycle": one.cycle,
                "beat": one.beat,
                **({} if one.seed is None else {"seed": one.seed, "episode": one.episode}),
            },
        }
        for one in windows
    ]


def _rate_json(rate: Rate) -> dict[str, float | None]:
    return {"bytes": rate.bytes, "msamples_per_s": rate.msamples_per_s, "mb_per_s": rate.mb_per_s}
