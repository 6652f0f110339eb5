# SPDX-License-Identifier: Apache-2.0
"""What a page draws over time, thinned to what can be seen: throughput, latency, backlog, the traffic of buses.

Times are nanoseconds from the start of the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.measure import LatencyBy, UnmeasurableError, latencies
from goldbeat.pymodels.samples import sample_type
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.transactions import Transactions
from goldbeat.tb.page.kept_run import KeptPort
from goldbeat.tb.run.plot import binned
from goldbeat.tb.run.service import MOST_PAIRED, MOST_PAIRS

MOST_POINTS = 600
"""Points of a curve; of more there are the least, the mean and the most of neighbours."""
_BUCKETS = 40

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TimeCurve:
    """A quantity over time.

    Attributes:
        x: (n,) times in ns.
        low, mean, high: (n,) of what each point stands for; all the same where nothing was thinned.
    """

    x: Numbers
    low: Numbers
    mean: Numbers
    high: Numbers

    @property
    def is_thinned(self) -> bool:
        """Points stand for several values."""
        return not (np.array_equal(self.low, self.mean) and np.array_equal(self.high, self.mean))


@dataclass(frozen=True)
class StepCurve:
    """A rate in bins of time: (n + 1,) edges in ns, (n,) values."""

    edges: Numbers
    values: Numbers


@dataclass(frozen=True)
class Histogram:
    """(n + 1,) edges in ns and (n,) how many values lie between them."""

    edges: Numbers
    counts: npt.NDArray[np.int64]


@dataclass(frozen=True)
class PairCurves:
    """From one port to another: how long beats or frames took, and how many were inside.

    Attributes:
        name: ``source->sink``.
        by: what was matched: ``beat`` or ``frame``, by number.
        least_ns, mean_ns, most_ns: latency.
        most_inside: largest backlog.
        latency, backlog: over the time at which an event went in, and over time.
        histogram: of the latency.
    """

    name: str
    by: LatencyBy
    least_ns: float
    mean_ns: float
    most_ns: float
    most_inside: int
    latency: TimeCurve
    backlog: TimeCurve
    histogram: Histogram


@dataclass(frozen=True)
class BusCurves:
    """The traffic of a bus port, reads and writes: bytes over time, how many were open, how long each took.

    Attributes:
        name: of the port.
        counts: transactions by kind.
        rates: MB/s by kind.
        open: transactions that have begun and not ended.
        latency: by kind.
        histograms: of the latency, by kind.
    """

    name: str
    counts: Mapping[str, int]
    rates: Mapping[str, StepCurve]
    open: TimeCurve
    latency: Mapping[str, TimeCurve]
    histograms: Mapping[str, Histogram]


def thin_curve(x: Numbers, y: Numbers, most: int = MOST_POINTS) -> TimeCurve:
    """(n,) values over increasing times, in at most ``most`` points that keep the least and the most."""
    if len(x) <= most:
        return TimeCurve(x, y, y, y)
    starts = np.linspace(0, len(x), most, endpoint=False).astype(np.int64)
    sizes = np.diff(np.append(starts, len(x)))
    low, high = (function.reduceat(y, starts) for function in (np.minimum, np.maximum))
    return TimeCurve(x[starts], low, np.add.reduceat(y, starts) / sizes, high)


def histogram(values: Numbers) -> Histogram:
    """At least one value; of few different ones each has its own bar."""
    low, high = float(values.min()), float(values.max())
    single = np.unique(values)
    if 1 < len(single) <= _BUCKETS and (step := float(np.diff(single).min())) * _BUCKETS >= high - low:
        edges = np.arange(low - step / 2, high + step, step)
    elif low == high:
        edges = np.array([low - 0.5, high + 0.5])
    else:
        edges = np.linspace(low, high, _BUCKETS + 1)
    counts, edges = np.histogram(values, edges)
    return Histogram(edges, counts.astype(np.int64))


def throughput_curve(port: KeptPort) -> tuple[StepCurve, str, float]:
    """The throughput of a port over time, its unit, and what the port can carry in that unit."""
    kind = None if port.entry.dtype is None else sample_type(port.entry.dtype)
    unit, per_byte = ("MB/s", 1.0) if kind is None else ("Msamples/s", 8.0 / kind.bits)
    edges, rate = binned(port.trace, MOST_POINTS // 2)
    limit = port.trace.width / 8 * 1e6 / port.trace.clock_ps
    return StepCurve(edges / 1000, rate * per_byte), unit, limit * per_byte


def pair_curves(ports: Sequence[KeptPort]) -> tuple[list[PairCurves], list[str]]:
    """From every input to every output whose beats, or else frames, pair off by number; and what is to be said of others."""
    found: list[PairCurves] = []
    notes: list[str] = []
    inputs, outputs = ([p for p in ports if p.entry.direction == d and len(p.trace)] for d in ("in", "out"))
    for source in inputs:
        for sink in outputs:
            name = f"{source.name}->{sink.name}"
            if max(len(source.trace), len(sink.trace)) > MOST_PAIRED:
                notes.append(f"{name}: more than {MOST_PAIRED:,} beats; latency and backlog are not drawn")
                continue
            pair = _paired(name, source.trace, sink.trace)
            if pair is not None:
                found.append(pair)
    if len(found) > MOST_PAIRS:
        notes.append(f"{len(found)} pairs of ports have equal traffic; the first {MOST_PAIRS} are drawn")
    return found[:MOST_PAIRS], notes


def _paired(name: str, source: Trace, sink: Trace) -> PairCurves | None:
    by: LatencyBy
    for by in ("beat", "frame"):
        try:
            took = latencies(source, sink, by=by) / 1000
        except (UnmeasurableError, UsageError):
            continue
        entered = (source.time_ps if by == "beat" else _frame_starts(source))[: len(took)] / 1000
        inside = open_over_time(entered, entered + took)
        figures = (float(took.min()), float(took.mean()), float(took.max()), int(inside.high.max()))
        return PairCurves(name, by, *figures, thin_curve(entered, took), inside, histogram(took))
    return None


def _frame_starts(trace: Trace) -> npt.NDArray[np.int64]:
    """(f,) times of the first beats of all frames."""
    starts: npt.NDArray[np.int64] = trace.time_ps[np.concatenate([[True], trace.last[:-1]])]
    return starts


def open_over_time(begin: Numbers, end: Numbers) -> TimeCurve:
    """How many intervals are open, after each time at which one begins or ends."""
    times = np.unique(np.concatenate([begin, end]))
    begun, ended = (np.searchsorted(np.sort(side), times, side="right") for side in (begin, end))
    return thin_curve(times, (begun - ended).astype(np.float64))


def bus_curves(name: str, bus: Transactions) -> BusCurves:
    """The curves of a bus port that had at least one transaction."""
    period = bus.period_ps / 1000
    begin, end = ((column + 1).astype(np.float64) * period for column in (bus.begin, bus.end))
    kinds = dict(_kinds(bus))
    edges = np.linspace(float(begin.min()), float(end.max()) + period, MOST_POINTS // 2 + 1)
    took = {kind: end[mine] - begin[mine] for kind, mine in kinds.items()}
    return BusCurves(
        name,
        {kind: int(mine.sum()) for kind, mine in kinds.items()},
        {kind: StepCurve(edges, _spread(bus, mine, edges)) for kind, mine in kinds.items()},
        open_over_time(begin, end),
        {kind: _in_order(begin[mine], took[kind]) for kind, mine in kinds.items()},
        {kind: histogram(took[kind]) for kind in kinds},
    )


def _kinds(bus: Transactions) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
    for kind, mine in (("read", ~bus.write), ("write", bus.write)):
        if mine.any():
            yield kind, mine


def _in_order(x: Numbers, y: Numbers) -> TimeCurve:
    order = np.argsort(x, kind="stable")
    return thin_curve(x[order], y[order])


def _spread(bus: Transactions, mine: npt.NDArray[np.bool_], edges: Numbers) -> Numbers:
    """MB/s between edges, the bytes of a transaction being spread evenly from its first data to its end."""
    period = bus.period_ps / 1000
    first = (bus.first[mine] + 1).astype(np.float64) * period
    end = np.maximum((bus.end[mine] + 2).astype(np.float64) * period, first + period)
    rate = bus.bytes[mine] / (end - first)

    def since(start: Numbers) -> Numbers:
        order = np.argsort(start)
        rates = np.concatenate([[0.0], np.cumsum(rate[order])])
        offsets = np.concatenate([[0.0], np.cumsum((rate * start)[order])])
        begun = np.searchsorted(start[order], edges)
        total: Numbers = rates[begun] * edges - offsets[begun]
        return total

    moved: Numbers = np.maximum(0.0, np.diff(since(first) - since(end))) / np.diff(edges) * 1000
    return moved
