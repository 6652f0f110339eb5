# SPDX-License-Identifier: Apache-2.0
"""Throughput, gaps and latency: functions of one trace or two.

Everything is computed from whole picoseconds and whole samples; only the last division is in floating point. What a
trace cannot tell (a frame interval without frames, a rate of one beat) is never a number: the single functions raise
:class:`UnmeasurableError`, and :func:`measure` gives None together with the reason.

Words used here:

* the *raw* rate is the samples of all beats but the last / (last - first time stamp): N - 1 beats in the N - 1 periods
  that the time stamps span, so it never exceeds what the port carries;
* the rate *by frames* is the samples of all frames but the last / (start of the last frame - start of the first). The
  pauses between frames count. Source: the throughput section of UG1076;
* the *continuous* rate is the rate inside the frames: all their samples / the cycles that they occupy, from the first
  beat to the last one inclusive. The time between frames is left out;
* the *sustained* rate is the lowest of the three. The rate by frames does not know the last frame and what comes after the
  last TLAST, the raw one neither the pause after the last frame nor how full the last beat is: use this one;
* a *gap* is the time from one beat to the next (one clock period where beats are back to back); the *idle cycles* of
  a gap are those in which nothing transferred (0 where beats are back to back).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import GoldbeatError, InputError, UsageError
from goldbeat.pymodels.samples import SampleType, sample_type
from goldbeat.pymodels.trace import Trace, in_step
from goldbeat.pymodels.usual_clocks import Period, exact_period, whole_cycles

STEADY_TOLERANCE = 0.05
"""Frame intervals agree when the longest is at most this share longer than the shortest."""
STEADY_INTERVALS = 3
"""So many intervals at the end have to agree (two, where there are only two)."""
_FEW_GAPS = 1 << 20
"""Idle cycles up to which gaps are counted in an array."""
AIE_STREAM_MB_PER_S = 4000.0
"""What one AI Engine stream carries: 4 bytes per cycle at 1 GHz."""

LatencyBy = Literal["beat", "frame", "frame-end", "frame-total"]
LATENCY_BY: tuple[LatencyBy, ...] = ("beat", "frame", "frame-end", "frame-total")

_T = TypeVar("_T")


class UnmeasurableError(GoldbeatError):
    """The trace does not contain what was to be measured; the message says what is missing."""


class UnmatchedError(UnmeasurableError):
    """There are events to measure between, but those of one side do not pair off with those of the other."""


class EarlyOutputError(UsageError):
    """An output comes before its input: ports are swapped, time bases differ, or the design makes up beats."""


@dataclass(frozen=True)
class Rate:
    """So much in so much time.

    Attributes:
        bytes: valid bytes.
        samples: the same in samples, None where the sample type is not known.
        parts: values a sample: 2 for complex types.
        span_ps: the time it took; no whole number for cycles of a clock whose period is none.
    """

    bytes: int
    samples: int | None
    parts: int
    span_ps: Period

    @property
    def mb_per_s(self) -> float:
        """Millions of bytes per second."""
        return float(self.bytes * 10**6 / self.span_ps)

    @property
    def msamples_per_s(self) -> float | None:
        """Millions of samples per second, a complex sample counting as one."""
        return None if self.samples is None else float(self.samples * 10**6 / self.span_ps)

    @property
    def mvalues_per_s(self) -> float | None:
        """Millions of values a second, a complex sample counting as two."""
        return None if self.samples is None else float(self.samples * self.parts * 10**6 / self.span_ps)


@dataclass(frozen=True)
class Steady:
    """Whether the frame intervals settle.

    Attributes:
        holds: the last :data:`STEADY_INTERVALS` intervals agree within :data:`STEADY_TOLERANCE`, and beats after the last TLAST
            take no longer.
        since_frame: the first frame, counted from 0, from whose TLAST on all intervals agree; None when none do.
        rate: the rate from there to the last TLAST; None when not steady.
        why: what is not steady; empty when it is.
    """

    holds: bool
    since_frame: int | None
    rate: Rate | None
    why: str = ""


@dataclass(frozen=True)
class Intervals:
    """Times from one TLAST to the next, in picoseconds.

    Attributes:
        min_ps, mean_ps, max_ps: over all intervals.
        count: of intervals.
    """

    min_ps: Period
    mean_ps: float
    max_ps: Period
    count: int


@dataclass(frozen=True)
class Latency:
    """Times from an input event to the matching output event, in picoseconds.

    Attributes:
        by: what was matched with what.
        count: pairs of events.
        first_ps, last_ps: latency of the first and of the last pair.
        min_ps, mean_ps, max_ps: over all pairs.
    """

    by: LatencyBy
    count: int
    first_ps: int
    last_ps: int
    min_ps: int
    mean_ps: float
    max_ps: int


@dataclass(frozen=True)
class Throughput:
    """All that :func:`measure` finds in one trace.

    Attributes:
        beats: transfers.
        samples: valid samples; None where the sample type is not known.
        bytes: valid bytes.
        frames: beats with TLAST.
        open_beats: beats after the last TLAST; all of them where there is none.
        first_ps, last_ps: time of the first and of the last beat; None without beats.
        width: port width in bits.
        clock_ps: period of the port's clock.
        raw, by_frames, continuous: rates as this module's docstring defines them.
        gap_ps: time from one beat to the next -> how often, in ascending order; the time before the first is none.
        intervals: TLAST-to-TLAST intervals.
        longest_frame_ps: the longest time without TLAST: an interval, or from the first beat to the first TLAST, or from the last
            TLAST to the last beat.
        steady: whether they settle.
        reasons: name of a field that is None -> why.
    """

    beats: int
    samples: int | None
    bytes: int
    frames: int
    open_beats: int
    first_ps: int | None
    last_ps: int | None
    width: int
    clock_ps: Period
    raw: Rate | None
    by_frames: Rate | None
    continuous: Rate | None
    gap_ps: Mapping[Period, int]
    intervals: Intervals | None
    longest_frame_ps: Period | None
    steady: Steady | None
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def sustained(self) -> Rate | None:
        """The rate that reports show and limits apply to: the lowest of the three; None with fewer than two beats."""
        return _lowest(self.by_frames, self.raw, self.continuous)

    @property
    def limit_mb_per_s(self) -> float:
        """What the port can carry: its width every clock cycle, of the rounded or the exact period, whichever is shorter."""
        return port_limit_mb_per_s(self.width, self.clock_ps)

    @property
    def gaps(self) -> Mapping[float, int]:
        """Idle cycles -> how often, in ascending order; whole numbers unless a gap lies off the clock's grid."""
        found: Counter[float] = Counter()
        for gap, count in self.gap_ps.items():
            found[self.idle_cycles(gap)] += count
        return dict(found)

    def idle_cycles(self, gap_ps: Period) -> float:
        """Cycles of a gap in which nothing transferred."""
        whole, rest = divmod(gap_ps, self.clock_ps)
        exact = exact_period(self.clock_ps)
        near = round(gap_ps / exact)
        if rest and abs(gap_ps - near * exact) < 1:
            # Two edges that were rounded to picoseconds.
            return near - 1
        return round(float(gap_ps / self.clock_ps) - 1, 3) if rest else whole - 1

    @property
    def max_idle_cycles(self) -> float | None:
        """Idle cycles of the longest gap; None with fewer than two beats."""
        return max(self.gaps) if self.gap_ps else None

    @property
    def max_gap_ps(self) -> Period | None:
        """The longest time from one beat to the next; None with fewer than two beats."""
        return max(self.gap_ps) if self.gap_ps else None

    def share(self, rate: Rate) -> float:
        """``rate`` as a share of what the port can carry."""
        return port_share(rate, self.width, self.clock_ps)

    def reason(self, name: str) -> str:
        """Why the field ``name`` is None; empty when it is not."""
        return self.reasons.get(name, "")


def port_limit_mb_per_s(width: int, clock_ps: Period) -> float:
    """What a port carries in every cycle of a period, rounded or exact, whichever is shorter."""
    return width / 8 * 1e6 / float(_shortest(clock_ps))


def port_share(rate: Rate, width: int, clock_ps: Period) -> float:
    """A rate as a share of that; 1 exactly for a port that never pauses."""
    return float(8 * rate.bytes * _shortest(clock_ps) / (rate.span_ps * width))


def _shortest(clock_ps: Period) -> Fraction:
    return min(Fraction(clock_ps), exact_period(clock_ps))


def _lowest(*rates: Rate | None) -> Rate | None:
    found = [rate for rate in rates if rate is not None]
    return min(found, key=lambda rate: rate.bytes / rate.span_ps, default=None)


def _kind(dtype: str | SampleType | None) -> SampleType | None:
    return None if dtype is None else sample_type(dtype)


def rate_of(size: int, dtype: str | SampleType | None, span_ps: Period) -> Rate:
    """Bytes of a sample type over a time."""
    return _rate(size, _kind(dtype), span_ps)


def _rate(size: int, kind: SampleType | None, span_ps: Period) -> Rate:
    samples = None if kind is None else kind.samples_in(size)
    return Rate(size, samples, 1 if kind is None else kind.parts, span_ps)


def _need_beats(beats: int, least: int = 2) -> None:
    if beats < least:
        what = "no beats" if beats == 0 else "one beat"
        raise UnmeasurableError(f"{what}, and a rate needs at least two" if least > 1 else what)


@dataclass(frozen=True)
class _Tails:
    """Frame intervals from one on, to the last one so far, for each of them from which on all agree.

    Those whose longest and shortest interval are the same count as one, the first.

    Attributes:
        index: (k,) number of the first interval.
        longest, shortest: (k,) of all from there on, in picoseconds.
        size, cycle: (k,) at the TLAST that the first one begins with: bytes so far, and its cycle.
    """

    index: npt.NDArray[np.int64]
    longest: npt.NDArray[np.int64]
    shortest: npt.NDArray[np.int64]
    size: npt.NDArray[np.int64]
    cycle: npt.NDArray[np.int64]

    @classmethod
    def none(cls) -> _Tails:
        """Before the first interval."""
        return cls(*(np.zeros(0, np.int64) for _ in range(5)))

    def with_intervals(
        self,
        first: int,
        intervals: npt.NDArray[np.int64],
        size: npt.NDArray[np.int64],
        cycle: npt.NDArray[np.int64],
    ) -> _Tails:
        """The same with intervals from number ``first`` on, at least one, and what stands at the beginning of each."""
        longest = np.concatenate(
            [np.maximum(self.longest, intervals.max()), np.maximum.accumulate(intervals[::-1])[::-1]]
        )
        shortest = np.concatenate(
            [np.minimum(self.shortest, intervals.min()), np.minimum.accumulate(intervals[::-1])[::-1]]
        )
        agree = longest <= shortest * (1 + STEADY_TOLERANCE)
        # From a later one on, what is left agrees all the more.
        agree[1:] &= (np.diff(longest) != 0) | (np.diff(shortest) != 0) | ~agree[:-1]
        index = np.concatenate([self.index, first + np.arange(len(intervals))])
        kept = (index, longest, shortest, np.concatenate([self.size, size]), np.concatenate([self.cycle, cycle]))
        return _Tails(*(column[agree] for column in kept))


class _Meter:
    """Sums up a trace part by part.

    Args:
        trace: all of it.
        kind: sample type, None where it is not known.
        rates: for rates alone: neither gaps nor intervals.
        cycle_ps: what a beat occupies; None: a cycle of the trace.
    """

    def __init__(
        self, trace: Trace, kind: SampleType | None, *, rates: bool = False, cycle_ps: Period | None = None
    ) -> None:
        self.kind, self._rates = kind, rates
        self.clock_ps = trace.clock_ps
        self.cycle_ps: Period = trace.clock_ps if cycle_ps is None else cycle_ps
        self.beats = self.size = self.frames = self.closed = 0
        self.first = self.latest = self.last_size = 0
        self.ended = True
        # Of beats that begin a frame: how many, bytes before the last one, its cycle; picoseconds between frames.
        self.starts = self.before_start = self.start_cycle = self.apart_ps = 0
        self.idle: Counter[int] = Counter()
        # TLAST: number of intervals, the latest one's cycle and bytes up to it; sum and limits of the intervals.
        self.end_cycle = self.end_size = self.total = self.first_end = 0
        self.shortest = self.longest = 0
        self.tails = _Tails.none()
        if kind is not None:
            kind.per_beat(trace.width)
        for part in trace.parts():
            self._add(part)

    def _add(self, part: Trace) -> None:
        size = part.valid_bytes()
        if self.kind is not None and (ragged := size % self.kind.bytes != 0).any():
            at = int(np.argmax(ragged))
            found = f"{size[at]} valid bytes in beat {self.beats + at}"
            raise InputError(found, f"a multiple of {self.kind.bytes} for {self.kind.name}")
        if not self.beats:
            self.first = self.latest = int(part.cycle[0])
        gaps = part.gaps_after(self.latest)
        if not self._rates:
            self._add_gaps(gaps[1:] if not self.beats else gaps)
        self._add_starts(part, size, gaps)
        if self._rates:
            self.frames += int(np.count_nonzero(part.last))
        elif part.last.any():
            self._add_ends(part, size)
        self.beats += len(part)
        self.size += int(size.sum())
        self.last_size = int(size[-1])
        self.latest = int(part.cycle[-1])
        self.ended = bool(part.last[-1])

    def _add_gaps(self, gaps: npt.NDArray[np.int64]) -> None:
        if len(gaps) and int(gaps.max()) < _FEW_GAPS:
            # Counting takes a tenth of the time of sorting.
            counts = np.bincount(gaps)
            idle = np.flatnonzero(counts)
            self.idle.update(dict(zip(idle.tolist(), counts[idle].tolist(), strict=True)))
            return
        values, often = np.unique(gaps, return_counts=True)
        self.idle.update(dict(zip(values.tolist(), often.tolist(), strict=True)))

    def _add_starts(self, part: Trace, size: npt.NDArray[np.int64], gaps: npt.NDArray[np.int64]) -> None:
        starts = np.flatnonzero(np.concatenate([[self.ended], part.last[:-1]]))
        if not len(starts):
            return
        later = starts[1:] if not self.beats else starts
        self.apart_ps += int(np.maximum((gaps[later] + 1) * self.clock_ps - ceil(self.cycle_ps), 0).sum())
        self.starts += len(starts)
        self.before_start = self.size + int(size[: starts[-1]].sum())
        self.start_cycle = int(part.cycle[starts[-1]])

    def _add_ends(self, part: Trace, size: npt.NDArray[np.int64]) -> None:
        ends = np.flatnonzero(part.last)
        cycles = part.cycle[ends]
        sizes = self.size + np.cumsum(size)[ends]
        if not self.frames:
            self.first_end = int(cycles[0])
        if self.frames:
            cycles, sizes = (
                np.concatenate([[before], now]) for before, now in ((self.end_cycle, cycles), (self.end_size, sizes))
            )
        intervals = np.diff(cycles) * self.clock_ps
        if len(intervals):
            found = max(0, self.frames - 1)
            low, high = int(intervals.min()), int(intervals.max())
            self.shortest = min(self.shortest, low) if found else low
            self.longest = max(self.longest, high)
            self.total += int(intervals.sum())
            self.tails = self.tails.with_intervals(found, intervals, sizes[:-1], cycles[:-1])
        self.frames += len(ends)
        self.closed = self.beats + int(ends[-1]) + 1
        self.end_cycle, self.end_size = int(cycles[-1]), int(sizes[-1])

    # -- what it comes to -----------------------------------------------------------------------------------------

    def raw(self) -> Rate:
        """As :func:`raw_rate`."""
        _need_beats(self.beats)
        return self._rate(self.size - self.last_size, (self.latest - self.first) * self.clock_ps)

    def by_frames(self) -> Rate:
        """As :func:`frame_rate`."""
        _need_beats(self.beats)
        if self.starts < 2:
            raise UnmeasurableError(
                "no TLAST, so no frames"
                if not self.frames
                else "one frame, and a rate by frames needs the start of a second one"
            )
        return self._rate(self.before_start, (self.start_cycle - self.first) * self.clock_ps)

    def continuous(self) -> Rate:
        """As :func:`continuous_rate`."""
        _need_beats(self.beats)
        span_ps = (self.latest - self.first) * self.clock_ps + self.cycle_ps - self.apart_ps
        return self._rate(self.size, span_ps)

    def _rate(self, size: int, span_ps: Period) -> Rate:
        return _rate(size, self.kind, whole_cycles(span_ps, self.cycle_ps))

    def gaps(self) -> dict[Period, int]:
        """Times from one beat to the next -> how often, in ascending order."""
        found: Counter[Period] = Counter()
        for idle, count in self.idle.items():
            found[whole_cycles((idle + 1) * self.clock_ps, self.cycle_ps)] += count
        return dict(sorted(found.items()))

    def intervals(self) -> Intervals:
        """Limits and mean of the frame intervals."""
        if self.frames < 2:
            raise UnmeasurableError(f"{'one' if self.frames else 'no'} TLAST, and an interval needs two")
        count = self.frames - 1
        shortest, longest = (whole_cycles(span, self.cycle_ps) for span in (self.shortest, self.longest))
        return Intervals(shortest, self.total / count, longest, count)

    def longest_frame(self) -> Period:
        """The longest time without TLAST."""
        if not self.frames:
            raise UnmeasurableError("no TLAST, so no frames")
        ends = max(self.first_end - self.first, self.latest - self.end_cycle) * self.clock_ps
        return whole_cycles(max(self.longest, ends), self.cycle_ps)

    def steady(self) -> Steady:
        """As :func:`steady_state`."""
        if self.frames < 3:
            raise UnmeasurableError(
                f"{self.frames or 'no'} TLAST, and agreement of frame intervals needs at least three"
            )
        count, since = self.frames - 1, int(self.tails.index[0])
        tail = (self.latest - self.end_cycle) * self.clock_ps
        if count - since < min(STEADY_INTERVALS, count):
            return Steady(False, None, None, "the last frame intervals differ by more than 5 %")
        if tail > self.tails.shortest[0] * (1 + STEADY_TOLERANCE):
            usual = f"{self.tails.shortest[0] / 1000:g} ns from TLAST to TLAST"
            why = f"beats after the last TLAST take {tail / 1000:g} ns, more than 5 % above {usual}"
            return Steady(False, None, None, why)
        span_ps = (self.end_cycle - int(self.tails.cycle[0])) * self.clock_ps
        return Steady(True, since, self._rate(self.end_size - int(self.tails.size[0]), span_ps))


def raw_rate(trace: Trace, dtype: str | SampleType | None = None) -> Rate:
    """The samples of all beats but the last over the time from the first beat to the last.

    Raises:
        UnmeasurableError: fewer than two beats.
    """
    return _Meter(trace, _kind(dtype)).raw()


def frame_rate(trace: Trace, dtype: str | SampleType | None = None) -> Rate:
    """The samples of all frames but the last over the time between the starts of the first and the last frame.

    Beats after the last TLAST are the beginning of one more frame, whose start counts.

    Raises:
        UnmeasurableError: fewer than two frames.
    """
    return _Meter(trace, _kind(dtype)).by_frames()


def continuous_rate(trace: Trace, dtype: str | SampleType | None = None) -> Rate:
    """The rate inside frames: the samples of all frames over the cycles from each frame's first beat to its last.

    Both of these beats count, and a trace without TLAST is one frame.

    Raises:
        UnmeasurableError: fewer than two beats.
    """
    return _Meter(trace, _kind(dtype)).continuous()


def gap_histogram(trace: Trace) -> dict[int, int]:
    """Idle cycles between two beats -> how often, ascending; empty with fewer than two beats."""
    return dict(sorted(_Meter(trace, None).idle.items()))


def frame_intervals(trace: Trace) -> npt.NDArray[np.int64]:
    """(frames - 1,) times from one TLAST to the next in picoseconds.

    Raises:
        UnmeasurableError: fewer than two TLAST.
    """
    none = np.zeros(0, np.int64)
    ends = np.concatenate([none, *(part.cycle[part.last] for part in trace.parts())]) * trace.clock_ps
    if len(ends) < 2:
        raise UnmeasurableError(f"{'one' if len(ends) else 'no'} TLAST, and an interval needs two")
    return np.diff(ends)


def steady_state(trace: Trace, dtype: str | SampleType | None = None) -> Steady:
    """Whether the last frame intervals agree within :data:`STEADY_TOLERANCE`, since when, and at what rate.

    Raises:
        UnmeasurableError: fewer than three TLAST, that is two intervals to compare.
    """
    return _Meter(trace, _kind(dtype)).steady()


@dataclass(frozen=True)
class MeanRate:
    """Attributes: beats and frames of a trace, its sustained rate (None: fewer than two beats), and its share of the port's."""

    beats: int
    frames: int
    rate: Rate | None
    share: float | None


def mean_rate(trace: Trace, dtype: str | SampleType | None = None) -> MeanRate:
    """What :func:`measure` says of the sustained rate, in a fraction of its time.

    Raises:
        InputError: a beat's valid bytes are not whole samples.
        UsageError: the type does not fit the port.
    """
    meter = _Meter(trace, _kind(dtype), rates=True)
    if meter.beats < 2:
        return MeanRate(meter.beats, meter.frames, None, None)
    rate = _lowest(None if meter.starts < 2 else meter.by_frames(), meter.raw(), meter.continuous())
    assert rate is not None
    return MeanRate(meter.beats, meter.frames, rate, port_share(rate, trace.width, trace.clock_ps))


def measure(trace: Trace, dtype: str | SampleType | None = None, *, clock_ps: Period | None = None) -> Throughput:
    """Everything one trace says about its rate.

    Args:
        trace: transfers with their times; where the times come from nowhere (a text file without time stamps), the
            result means nothing, which is for the caller to know.
        dtype: sample type; without it rates are in bytes only.
        clock_ps: period of the port's clock where the trace's own is finer, as its times lie off the clock's grid.

    Raises:
        InputError: a beat's valid bytes are not whole samples.
        UsageError: the type does not fit the port.
    """
    kind = _kind(dtype)
    meter = _Meter(trace, kind, cycle_ps=clock_ps)
    reasons: dict[str, str] = {}

    def attempt(name: str, function: Callable[[], _T]) -> _T | None:
        try:
            return function()
        except UnmeasurableError as why:
            reasons[name] = str(why)
            return None

    if kind is None:
        reasons["samples"] = "the sample type is not known"
    if meter.beats < 2:
        reasons["sustained"] = "too few beats to say"
    if meter.beats == 0:
        reasons["first_ps"] = reasons["last_ps"] = "no beats"
    if meter.beats < 2:
        why = "no beats" if meter.beats == 0 else "one beat, and a gap needs two"
        reasons["max_idle_cycles"] = reasons["max_gap_ps"] = why
    return Throughput(
        beats=meter.beats,
        samples=None if kind is None else kind.samples_in(meter.size),
        bytes=meter.size,
        frames=meter.frames,
        open_beats=meter.beats - meter.closed,
        first_ps=trace.offset_ps + meter.first * trace.clock_ps if meter.beats else None,
        last_ps=trace.offset_ps + meter.latest * trace.clock_ps if meter.beats else None,
        width=trace.width,
        clock_ps=trace.clock_ps if clock_ps is None else clock_ps,
        raw=attempt("raw", meter.raw),
        by_frames=attempt("by_frames", meter.by_frames),
        continuous=attempt("continuous", meter.continuous),
        gap_ps=meter.gaps(),
        intervals=attempt("intervals", meter.intervals),
        longest_frame_ps=attempt("longest_frame_ps", meter.longest_frame),
        steady=attempt("steady", meter.steady),
        reasons=reasons,
    )


def latencies(
    source: Trace, sink: Trace, *, by: LatencyBy = "beat", kept_inside: bool = False
) -> npt.NDArray[np.int64]:
    """The time from each input event to the output event of the same number, in picoseconds.

    Args:
        source: transfers into a design.
        sink: transfers out of it, on the same time base.
        by: ``beat``: beat i to beat i; ``frame``: first beat of frame i to first beat of frame i; ``frame-end``: TLAST
            to TLAST; ``frame-total``: first beat of frame i to its TLAST at the output. Beats behind the last TLAST are one more
            frame, which ends with the last of them.
        kept_inside: by frame, what is behind the last TLAST of the input may stay in the design: a golden model says so.

    Raises:
        UnmatchedError: not as many events on one side as on the other; by ``beat``, frames with other numbers of beats.
        UnmeasurableError: nothing to match.
        EarlyOutputError: an output comes before its input.
    """
    if by not in LATENCY_BY:
        raise UsageError(f"latency by {by!r} is not known; known: {', '.join(LATENCY_BY)}")
    begin: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    if by == "beat":
        unit, hint = "beats", "; measure by frame instead"
        if len(source) != len(sink):
            raise UnmatchedError(
                f"{len(source)} {unit} at the input and {len(sink)} at the output are not equal in number{hint}"
            )
        check_frames_agree(source, sink, _each_beat, unit)
        begin, end = _beat_times(source), _beat_times(sink)
    else:
        for name, trace in (("input", source), ("output", sink)):
            if not _framed(trace):
                kind = UnmatchedError if _framed(source) or _framed(sink) else UnmeasurableError
                raise kind(f"no TLAST at the {name}, so no frames to match")
        left_out = check_tails_agree(source, sink, kept_inside=kept_inside)
        starts, ends = ([_events(t, ends=at_end) for t in (source, sink)] for at_end in (False, True))
        if left_out:
            starts[0], ends[0] = starts[0][:-1], ends[0][:-1]
        begin = ends[0] if by == "frame-end" else starts[0]
        end = starts[1] if by == "frame" else ends[1]
        unit, hint = "frames", ""
    if len(begin) != len(end):
        raise UnmatchedError(
            f"{len(begin)} {unit} at the input and {len(end)} at the output are not equal in number{hint}"
        )
    if len(begin) == 0:
        raise UnmeasurableError("no beats")
    return _differences(begin, end, unit)


def check_frames_agree(
    source: Trace, sink: Trace, weights: Callable[[Trace], npt.NDArray[np.int64]], unit: str
) -> None:
    """Refuse to match by number where frames show that something was lost, added or moved to another frame.

    Args:
        source: transfers into a design.
        sink: transfers out of it; without TLAST on either side, nothing is refused.
        weights: (n,) what each beat of a trace counts.
        unit: what it counts.

    Raises:
        UnmatchedError: the frames of both do not hold the same.
    """
    if not (_framed(source) and _framed(sink)):
        return
    one, other = (_frame_sizes(trace, weights) for trace in (source, sink))
    if len(one) != len(other):
        raise UnmatchedError(
            f"{len(one)} frames at the input and {len(other)} at the output, so {unit} cannot be matched by number"
        )
    if len(at := np.flatnonzero(one != other)):
        found = f"frame {at[0]} has {one[at[0]]} {unit} at the input and {other[at[0]]} at the output"
        raise UnmatchedError(f"{found}, so {unit} cannot be matched by number; measure by frame instead")


def check_tails_agree(source: Trace, sink: Trace, *, kept_inside: bool = False) -> int:
    """Refuse to match frames where what is behind the last TLAST is lost or added.

    Where all complete frames hold as many bytes at both ends, so must the one that is not complete.

    Args:
        source: transfers into a design.
        sink: transfers out of it.
        kept_inside: less at the output is not refused.

    Returns:
        How many beats are behind the last TLAST at the input alone.

    Raises:
        UnmatchedError: beats behind the last TLAST at one side alone, or not as many bytes.
    """
    tails = [open_tail(trace) for trace in (source, sink)]
    found = f"{tails[0]} beats behind the last TLAST at the input and {tails[1]} at the output"
    if tails[0] and not tails[1] and kept_inside:
        return tails[0]
    if bool(tails[0]) != bool(tails[1]):
        raise UnmatchedError(f"{found}; a frame that is not complete counts as one")
    if tails[0]:
        one, other = (_frame_sizes(trace, Trace.valid_bytes) for trace in (source, sink))
        wrong = one[-1] < other[-1] if kept_inside else one[-1] != other[-1]
        if wrong and np.array_equal(one[:-1], other[:-1]):
            raise UnmatchedError(f"{found} hold {one[-1]} and {other[-1]} bytes, and complete frames hold the same")
    return 0


def open_tail(trace: Trace) -> int:
    """How many beats are behind the last TLAST."""
    beats = 0
    for part in trace.parts():
        ends = np.flatnonzero(part.last)
        beats = len(part) - 1 - int(ends[-1]) if len(ends) else beats + len(part)
    return beats


def _each_beat(trace: Trace) -> npt.NDArray[np.int64]:
    return np.ones(len(trace), np.int64)


def _frame_sizes(trace: Trace, weights: Callable[[Trace], npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """(frames,) what each frame counts, beats after the last TLAST as one more frame."""
    before, ends = 0, [np.zeros(1, np.int64)]
    for part in trace.parts():
        sums = before + np.cumsum(weights(part))
        ends.append(sums[part.last])
        before = int(sums[-1])
    if not trace[-1:].last.all():
        ends.append(np.array([before]))
    through = np.concatenate(ends)
    return through[1:] - through[:-1]


def _differences(
    begin: npt.NDArray[np.int64], end: npt.NDArray[np.int64], unit: str, number: int = 0
) -> npt.NDArray[np.int64]:
    """(n,) times between events of equal number; the first has this ``number``."""
    took = end - begin
    if int(took.min()) < 0:
        at = int(np.argmax(took < 0))
        raise EarlyOutputError(
            f"{unit[:-1]} {number + at} leaves {-took[at]} ps before it enters: "
            "input and output are swapped, or have different time bases"
        )
    return took


def _beat_times(trace: Trace) -> npt.NDArray[np.int64]:
    """(n,) times of all beats; of a trace in files, nothing else is held."""
    return np.concatenate([np.zeros(0, np.int64), *(part.time_ps for part in trace.parts())])


def _framed(trace: Trace) -> bool:
    return any(part.last.any() for part in trace.parts())


def _events(trace: Trace, *, ends: bool) -> npt.NDArray[np.int64]:
    """(frames,) times of the first or of the last beats of frames; beats behind the last TLAST are one more."""
    found, before = [np.zeros(0, np.int64)], True
    for part in trace.parts():
        rows = part.last if ends else np.concatenate([[before], part.last[:-1]])
        found.append(part.time_ps[rows])
        before = bool(part.last[-1])
    return np.concatenate([*found, trace[-1:].time_ps] if ends and not before else found)


def latency(source: Trace, sink: Trace, *, by: LatencyBy = "beat") -> Latency:
    """First, last, smallest, average and largest of :func:`latencies`."""
    if by != "beat" or len(source) != len(sink) or len(source) == 0:
        took = latencies(source, sink, by=by)
        return Latency(by, len(took), int(took[0]), int(took[-1]), int(took.min()), float(took.mean()), int(took.max()))
    check_frames_agree(source, sink, _each_beat, "beats")
    low: list[int] = []
    high: list[int] = []
    ends: list[int] = []
    total = 0
    for start, one, other in in_step(source, sink):
        took = _differences(one.time_ps, other.time_ps, "beats", start)
        low.append(int(took.min()))
        high.append(int(took.max()))
        ends += [int(took[0]), int(took[-1])]
        total += int(took.sum())
    return Latency(by, len(source), ends[0], ends[-1], min(low), total / len(source), max(high))


PERCENTILES = {"p50": 500, "p90": 900, "p99": 990, "p999": 999}
"""Names of percentiles, and how many of a thousand they are."""


def percentiles(took: npt.NDArray[np.int64]) -> dict[str, int]:
    """Each of :data:`PERCENTILES`: the smallest value that so many of all do not exceed.

    Args:
        took: (n,) in any order, at least one.
    """
    ranks = {name: -(-len(took) * share // 1000) - 1 for name, share in PERCENTILES.items()}
    ordered = np.partition(took, sorted(set(ranks.values())))
    return {name: int(ordered[rank]) for name, rank in ranks.items()}


def latency_figures(took: npt.NDArray[np.int64]) -> dict[str, float]:
    """What limits on latencies look at, by their names: ``max_ns``, ``max_mean_ns``, ``max_first_ns``, ``max_p99_ns`` and so on."""
    low, high = int(took.min()), int(took.max())
    # Where all take as long, every percentile is the same.
    of_all = percentiles(took) if low < high else dict.fromkeys(PERCENTILES, high)
    found = {"max_ns": float(high), "max_mean_ns": float(took.mean()), "max_first_ns": float(took[0])}
    return found | {f"max_{name}_ns": float(value) for name, value in of_all.items()}


_JSON_NAMES = {
    "first_ps": "first_ns",
    "last_ps": "last_ns",
    "max_gap_ps": "max_gap_ns",
    "intervals": "frame_interval_ns",
    "longest_frame_ps": "longest_frame_ns",
}


def measures_dict(result: Throughput) -> dict[str, Any]:
    """For JSON: nanoseconds, rates in all units, and for each null the reason under ``reasons``."""

    def rate(value: Rate | None) -> dict[str, Any] | None:
        if value is None:
            return None
        return {
            "msamples_per_s": value.msamples_per_s,
            "mvalues_per_s": value.mvalues_per_s,
            "mb_per_s": value.mb_per_s,
            "share_of_port": result.share(value),
            "share_of_aie_stream": value.mb_per_s / AIE_STREAM_MB_PER_S,
            "span_ns": float(value.span_ps) / 1000,
        }

    def ns(value: float | None) -> float | None:
        return None if value is None else value / 1000

    i, s = result.intervals, result.steady
    return {
        "beats": result.beats,
        "samples": result.samples,
        "bytes": result.bytes,
        "frames": result.frames,
        "open_beats": result.open_beats,
        "first_ns": ns(result.first_ps),
        "last_ns": ns(result.last_ps),
        "width": result.width,
        "clock_ps": round(result.clock_ps),
        "limit_mb_per_s": result.limit_mb_per_s,
        "raw": rate(result.raw),
        "by_frames": rate(result.by_frames),
        "sustained": rate(result.sustained),
        "continuous": rate(result.continuous),
        "gaps": [
            {"idle_cycles": result.idle_cycles(gap), "ns": float(gap) / 1000, "count": n}
            for gap, n in result.gap_ps.items()
        ],
        "max_idle_cycles": result.max_idle_cycles,
        "max_gap_ns": None if result.max_gap_ps is None else float(result.max_gap_ps) / 1000,
        "frame_interval_ns": None
        if i is None
        else {"min": float(i.min_ps) / 1000, "mean": i.mean_ps / 1000, "max": float(i.max_ps) / 1000, "count": i.count},
        "longest_frame_ns": None if result.longest_frame_ps is None else float(result.longest_frame_ps) / 1000,
        "steady": None if s is None else {"holds": s.holds, "since_frame": s.since_frame, "rate": rate(s.rate)},
        "reasons": {_JSON_NAMES.get(name, name): why for name, why in result.reasons.items()},
    }
