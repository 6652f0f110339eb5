# SPDX-License-Identifier: Apache-2.0
"""The beats of a run as lanes of a timeline, in few bytes: what the page's script draws, beat by beat or as a density."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.transactions import Transactions
from goldbeat.tb.page.kept_run import KeptPort, KeptRun

DENSITY_BINS = 600
"""Of the whole time, where not every beat is on the page."""
DATA_BYTES = 16
"""Of a beat that are shown, the low ones."""


@dataclass(frozen=True)
class LaneSource:
    """What a lane is made of: beats, or transactions of a bus port.

    Attributes:
        name: as it is labelled.
        port: whose.
        beats: of a stream port; None for a bus.
        other: the beats that these are held against; None where there are none, or nothing differs.
        has_data: the beats have their data.
        timed: a beat in another cycle differs.
        bus: transactions; None for a stream port.
    """

    name: str
    port: str
    beats: Trace | None = None
    other: Trace | None = None
    has_data: bool = False
    timed: bool = True
    bus: Transactions | None = None

    def __len__(self) -> int:
        return len(self.bus) if self.bus is not None else 0 if self.beats is None else len(self.beats)

    @cached_property
    def begun_ps(self) -> npt.NDArray[np.int64]:
        """(n,) when each transaction of a bus begins, in order; of a stream port nothing."""
        return np.zeros(0, np.int64) if self.bus is None else np.sort((self.bus.begin + 1) * self.bus.period_ps)

    def before(self, time_ps: int) -> int:
        """How many begin before a time."""
        return int(np.searchsorted(self.begun_ps, time_ps)) if self.beats is None else self.beats.beats_before(time_ps)

    def time_of(self, number: int) -> int:
        """When one begins, in picoseconds."""
        return int((self.begun_ps[number:] if self.beats is None else self.beats[number : number + 1].time_ps)[0])


@dataclass(frozen=True)
class BeatTimeline:
    """The lanes of a page.

    Attributes:
        lanes: as the script takes them.
        span: first and last time in ns; None without beats.
        window: where every beat is on the page, in ns.
        total, shown: beats and transactions in all, and on the page.
    """

    lanes: Sequence[dict[str, Any]]
    span: tuple[float, float] | None
    window: tuple[float, float] | None
    total: int
    shown: int

    @property
    def is_thinned(self) -> bool:
        """Not every beat is on the page."""
        return self.shown < self.total


def lane_sources(run: KeptRun) -> list[LaneSource]:
    """The lanes of a run: a port has a second one for what was expected of it, where that is not the same."""
    found = []
    for port in run.ports:
        if not len(port.trace) and not (port.expected is not None and len(port.expected)):
            continue
        differs = port.expected is not None and _differs(port)
        against = port.expected if differs else None
        timed = run.report.time_compared
        if against is not None and timed:
            found.append(LaneSource(f"{port.name} expected", port.name, against, port.trace, True, timed))
        name = f"{port.name} got" if differs and timed else port.name
        found.append(LaneSource(name, port.name, port.trace, against, port.has_data, timed))
    for bus, all_of_it in run.buses.items():
        for kind, write in (("reads", False), ("writes", True)):
            mine = all_of_it.write == write
            if mine.any():
                columns = {name: getattr(all_of_it, name)[mine] for name in Transactions.columns()}
                found.append(LaneSource(f"{bus} {kind}", bus, bus=replace(all_of_it, **columns)))
    return found


def _differs(port: KeptPort) -> bool:
    """Whether the verdict says so; of older runs, whether the traces are not the same."""
    if port.entry.model is not None:
        return port.entry.model == "differs"
    return port.expected is not None and port.entry.direction == "out" and port.trace != port.expected


def make_timeline(sources: Sequence[LaneSource], most: int, around_ps: int | None) -> BeatTimeline:
    """The lanes, with at most so many beats.

    Args:
        sources: what they are made of.
        most: beats and transactions on the page; of more, those around a time.
        around_ps: that time; None: the beginning.
    """
    ends = [t for source in sources if len(source) for t in _ends_ps(source)]
    total = sum(map(len, sources))
    if not ends:
        return BeatTimeline([], None, None, total, 0)
    first, last = min(ends), max(ends)
    window = (first, last + 1) if total <= most else _window(sources, first, last, most, around_ps)
    lanes = [_lane(source, window, (first, last), thin=total > most) for source in sources if len(source)]
    shown = sum(len(lane["c"]) for lane in lanes)
    span = (first / 1000, last / 1000)
    held = (max(window[0], first) / 1000, min(window[1], last) / 1000)
    return BeatTimeline(lanes, span, held, total, shown)


def _ends_ps(source: LaneSource) -> tuple[int, int]:
    """When the first begins, and when the last is over."""
    if source.bus is not None:
        period = source.bus.period_ps
        return int(source.bus.begin.min() + 1) * period, int(source.bus.end.max() + 2) * period
    assert source.beats is not None
    first, last = source.beats[:1], source.beats[-1:]
    return int(first.time_ps[0]), int(last.time_ps[0]) + source.beats.clock_ps


def _density(source: LaneSource, span: tuple[int, int]) -> npt.NDArray[np.int64]:
    """(:data:`DENSITY_BINS`,) beats over the whole time."""
    size = (span[1] - span[0]) / DENSITY_BINS or 1.0
    counts = np.zeros(DENSITY_BINS, np.int64)
    parts = [source.begun_ps] if source.beats is None else (part.time_ps for part in source.beats.parts())
    for times in parts:
        at = np.minimum(((times - span[0]) / size).astype(np.int64), DENSITY_BINS - 1)
        counts += np.bincount(at, minlength=DENSITY_BINS)
    return counts


def _window(sources: Sequence[LaneSource], first: int, last: int, most: int, around_ps: int | None) -> tuple[int, int]:
    """A time around another in which no lane has more than its part of so many beats."""
    middle = first if around_ps is None else min(max(around_ps, first), last)
    filled = [source for source in sources if len(source)]
    each = most // (2 * len(filled))
    half = min(_reach(source, middle, each, last + 1 - first) for source in filled)
    return middle - half, middle + half


def _reach(source: LaneSource, middle: int, each: int, whole: int) -> int:
    """How far from a time the next so many beats are on either side; ``whole`` where there are fewer."""
    at, reach = source.before(middle), whole
    if at + each < len(source):
        reach = min(reach, source.time_of(at + each) - middle)
    if at - each > 0:
        reach = min(reach, middle - source.time_of(at - each - 1) - 1)
    return max(0, reach)


def _lane(source: LaneSource, window: tuple[int, int], span: tuple[int, int], *, thin: bool) -> dict[str, Any]:
    lane: dict[str, Any] = {"n": source.name, "total": len(source)}
    if thin:
        lane["density"] = _density(source, span).tolist()
    if source.bus is not None:
        return lane | _bus_lane(source.bus, window)
    beats = source.beats
    assert beats is not None
    start, end = (beats.beats_before(t) for t in window)
    held = beats[start:end]
    cycles = held.cycle
    lane |= {"clock": beats.clock_ps / 1000, "offset": beats.offset_ps / 1000, "start": start}
    lane["c"] = np.diff(cycles, prepend=0).tolist()
    lane["l"] = np.diff(np.flatnonzero(held.last), prepend=0).tolist()
    if source.has_data and len(held):
        lane["d"], lane["cut"] = _hex(held)
    if source.other is not None:
        lane["bad"] = _ranges(_differing(held, source.other[start:end], timed=source.timed))
    return lane


def _hex(beats: Trace) -> tuple[str, int]:
    """The low bytes of all beats in hex, the high one first, ``--`` where it is not kept; and how many bytes are left out."""
    shown = min(DATA_BYTES, beats.data.shape[1])
    digits = np.array([list(f"{n:02x}") for n in range(256)] + [["-", "-"]])
    codes = np.where(beats.keep[:, :shown], beats.data[:, :shown].astype(np.int64), 256)[:, ::-1]
    return "".join(digits[codes].ravel().tolist()), beats.data.shape[1] - shown


def _differing(one: Trace, other: Trace, *, timed: bool) -> npt.NDArray[np.bool_]:
    """(n,) beats of one trace that the other has not, or has otherwise."""
    bad = np.ones(len(one), np.bool_)
    n = min(len(one), len(other))
    a, b = one[:n], other[:n]
    both = a.keep & b.keep
    bad[:n] = (((a.data != b.data) & both) | (a.keep != b.keep)).any(axis=1) | (a.last != b.last)
    for side in set(a.sides) & set(b.sides):
        bad[:n] |= getattr(a, side) != getattr(b, side)
    if timed:
        bad[:n] |= a.cycle != b.cycle
    return bad


def _ranges(flags: npt.NDArray[np.bool_]) -> list[int]:
    """Where flags are set: first and one past the last of each run, one after the other."""
    edges: list[int] = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8))).tolist()
    return edges


def _bus_lane(bus: Transactions, window: tuple[int, int]) -> dict[str, Any]:
    order = np.argsort(bus.begin, kind="stable")
    begin, first, end, size = (column[order] for column in (bus.begin, bus.first, bus.end, bus.bytes))
    times = (begin + 1) * bus.period_ps
    low, high = np.searchsorted(times, window).tolist()
    held = slice(low, high)
    return {
        "clock": bus.period_ps / 1000,
        "offset": bus.period_ps / 1000,
        "start": int(low),
        "c": np.diff(begin[held], prepend=0).tolist(),
        "f": (first[held] - begin[held]).tolist(),
        "e": (end[held] - begin[held]).tolist(),
        "b": size[held].tolist(),
    }
