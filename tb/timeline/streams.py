# SPDX-License-Identifier: Apache-2.0
"""Rows of stream ports: frames, what beats waited for, throughput, and the backlog between two ports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.curves.port import port_windows, shown_lengths
from goldbeat.pymodels.packet_payload import payload_of
from goldbeat.pymodels.pattern import Pattern, ReadyCycles
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.timeline.rows import Column, Counts, Entry, Named, Numbers, Slices
from goldbeat.tb.timeline.side import TimelineSide

_WAITS = ("gap", "stall", "never taken")
_GAP, _STALL, _OPEN = range(3)
_MOST_PAIRS = 16
_SLOWEST = 64
"""Cycles of the slowest window, as in the tables of runs."""


def stream_rows(side: TimelineSide, port: StreamPort, window: int, end_ps: int, *, exact: bool) -> Iterator[Entry]:
    """Everything about one port.

    Args:
        side: model or RTL.
        port: which.
        window: cycles in which beats are counted for the throughput.
        end_ps: the last moment of the episode.
        exact: ready patterns are those that the sinks follow.
    """
    trace = side.outcome.ports[port.name]
    yield frame_rows(side, port.name, trace)
    cycle = trace.cycle
    stalls = wait_cycles(side, port, cycle) if exact else np.zeros(len(cycle), np.int64)
    yield _waits(side, port, trace, cycle, stalls, end_ps)
    if len(cycle):
        count = np.bincount(cycle // window)
        at = side.beats(trace, np.arange(len(count) + 1) * window)
        yield Counts(f"{port.name} throughput", f"beats in {window} cycles", at, np.append(count, 0))
    yield from _slowest(side, port, trace)


def _slowest(side: TimelineSide, port: StreamPort, trace: Trace) -> Iterator[Slices]:
    """The window that tables show of a port as its slowest; none of short traces."""
    found = port_windows(payload_of(trace), cycles=shown_lengths(_SLOWEST))
    for one in found[-1:]:
        start = np.array([one.cycle])
        args: dict[str, Column] = {"first_cycle": start, "bytes": np.array([one.least.bytes])}
        ends = side.beats(trace, start + one.cycles)
        yield Slices(f"{port.name} slowest window", side.beats(trace, start), ends, f"{one.cycles} cycles", None, args)


def frame_rows(side: TimelineSide, row: str, trace: Trace) -> Slices:
    """Frames by TLAST; of a port that never has TLAST, beats that follow each other without a pause."""
    cycle, last = trace.cycle, trace.last
    framed = bool(last.any())
    n = len(cycle)
    ends = np.flatnonzero(last) if framed else np.flatnonzero(np.diff(cycle) > 1)
    if n and (not len(ends) or ends[-1] != n - 1):
        ends = np.append(ends, n - 1)
    starts = np.concatenate([[0], ends[:-1] + 1]) if n else ends
    args: dict[str, Column] = {
        "beats": ends - starts + 1,
        "first_beat": starts,
        "first_cycle": cycle[starts],
        "last_cycle": cycle[ends],
        "tlast": last[ends].astype(np.int64),
    }
    for name in ("tid", "tdest"):
        column = getattr(trace, name)
        if column is not None:
            args[name] = column[starts]
    return Slices(
        row,
        side.beats(trace, cycle[starts]),
        side.beats(trace, cycle[ends] + 1),
        "frame" if framed else "beats",
        np.arange(len(starts)) if framed else None,
        args,
        ("beats",),
    )


def wait_cycles(side: TimelineSide, port: StreamPort, cycle: Numbers) -> Numbers:
    """(n,) cycles that each beat has waited for ready.

    Of an input, valid was up in all of them, as the stimulus says when a beat is offered. Of an output, they are those in which
    the sink was not ready, right before the beat: valid was up in the last of them, and may have come later than the first.
    """
    if not port.has("tready") or not len(cycle):
        return np.zeros(len(cycle), np.int64)
    before: Numbers = np.concatenate([[-1], cycle[:-1]])
    if port.direction == "in":
        waited: Numbers = np.maximum(cycle - _offered(side, port.name, cycle, before), 0)
        return waited
    pattern = side.stimulus.pattern(port.name)
    if pattern.waits:
        held: Numbers = np.minimum(pattern.distances(len(cycle)), cycle - before - 1)
        return held
    if pattern.kind == "none":
        return np.zeros(len(cycle), np.int64)
    busy: Numbers = cycle - np.maximum(_ready_before(pattern, cycle), before) - 1
    return busy


def _offered(side: TimelineSide, name: str, cycle: Numbers, before: Numbers) -> Numbers:
    """(n,) first cycle in which each beat was offered."""
    given = side.stimulus.inputs.get(name)
    if given is None:
        return cycle
    gaps = given.gaps[: len(cycle)]
    offered = before[: len(gaps)] + 1 + gaps
    # Reset is seen at the first edge, so nothing is offered at edge 0 unless something ran before.
    offered = np.maximum(offered, 0 if side.stimulus.settled else 1)
    return np.concatenate([offered, cycle[len(gaps) :]])


def _ready_before(pattern: Pattern, cycle: Numbers) -> Numbers:
    """(n,) the last cycle before each of these in which a sink is ready, -1 where there is none; ``cycle`` ascends."""
    stretches: list[Numbers] = []
    source = ReadyCycles(pattern)
    while not stretches or stretches[-1][-1] < cycle[-1]:
        stretches.append(source.next())
    ready = np.concatenate([[-1], *stretches])
    found: Numbers = ready[np.searchsorted(ready, cycle) - 1]
    return found


def _waits(side: TimelineSide, port: StreamPort, trace: Trace, cycle: Numbers, stalls: Numbers, end_ps: int) -> Slices:
    """What was there between the beats: gaps, in which nothing was offered, and stalls behind them."""
    before = np.concatenate([[-1], cycle[:-1]]) if len(cycle) else cycle
    split = cycle - stalls
    begin, end = np.stack([before + 1, split], 1).reshape(-1), np.stack([split, cycle], 1).reshape(-1)
    kind = np.tile(np.array([_GAP, _STALL], np.int64), len(cycle))
    beat = np.repeat(np.arange(len(cycle)), 2)
    there = np.flatnonzero(end > begin)
    begin, end, kind, beat = begin[there], end[there], kind[there], beat[there]
    since = _never_taken(side, port, cycle)
    until = (end_ps - side.lead_ps - trace.offset_ps) // trace.clock_ps
    if since is not None and since < until:
        begin, end = np.append(begin, since), np.append(end, until)
        kind, beat = np.append(kind, _OPEN), np.append(beat, len(cycle))
    long = end - begin
    args: dict[str, Column] = {
        "before_beat": beat,
        "first_cycle": begin,
        "gap_cycles": np.where(kind == _GAP, long, 0),
        "stall_cycles": np.where(kind == _GAP, 0, long),
    }
    return Slices(
        f"{port.name} waits",
        side.beats(trace, begin),
        side.beats(trace, end),
        Named(_WAITS, kind),
        None,
        args,
        ("gap_cycles", "stall_cycles"),
    )


def _never_taken(side: TimelineSide, port: StreamPort, cycle: Numbers) -> int | None:
    """Since when a beat of an input is offered that was not taken any more; None: all were."""
    given = side.stimulus.inputs.get(port.name)
    if port.direction != "in" or given is None or len(given) <= len(cycle):
        return None
    n = len(cycle)
    before = np.append([-1], cycle)[-1:] if n else np.array([-1])
    gap = int(given.gaps[n])
    return max(int(before[0]) + 1 + gap, 0 if side.stimulus.settled else 1)


def backlogs(side: TimelineSide, pairs: Sequence[tuple[str, str]]) -> Iterator[Counts]:
    """How many bytes have gone in and not come out, for pairs of ports, in beats of the input."""
    for source, sink in pairs:
        given, taken = side.outcome.ports[source], side.outcome.ports[sink]
        entered, left = side.beats(given, given.cycle + 1), side.beats(taken, taken.cycle + 1)
        # Both ascend, which a stable sort makes use of.
        at = np.sort(np.concatenate([entered, left]), kind="stable")
        at = at[np.flatnonzero(np.diff(at, prepend=-1))]
        unit = given.width // 8
        inside = unit * np.searchsorted(entered, at, "right") - (taken.width // 8) * np.searchsorted(left, at, "right")
        if len(at):
            at, inside = np.append(0, at), np.append(0, inside)
        yield Counts(f"backlog {source}->{sink}", "beats", at, _up(inside, unit))


def _up(size: npt.NDArray[np.int64], unit: int) -> npt.NDArray[np.int64]:
    """Whole beats, what is left over counting as one."""
    found: npt.NDArray[np.int64] = -(-size // unit)
    return found


def paired(ports: Sequence[StreamPort], side: TimelineSide) -> list[tuple[str, str]]:
    """Inputs and outputs whose backlog means something: all of what goes in comes out, or there is one of each."""
    carried = [p for p in ports if p.from_file and p.name in side.outcome.ports]
    sources = [p.name for p in carried if p.direction == "in" and len(side.outcome.ports[p.name])]
    sinks = [p.name for p in carried if p.direction == "out" and len(side.outcome.ports[p.name])]

    def size(name: str) -> int:
        trace = side.outcome.ports[name]
        return len(trace) * trace.width

    alone = len(sources) == len(sinks) == 1
    found = ((one, other) for one in sources for other in sinks if alone or size(one) == size(other))
    return list(islice(found, _MOST_PAIRS))
