# SPDX-License-Identifier: Apache-2.0
"""The backlog between two ports, against counting event by event."""

import numpy as np
import pytest

from goldbeat.pymodels.backlog import BACKLOG_UNITS, backlog, backlog_curve
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.measure import UnmatchedError, UnmeasurableError
from goldbeat.pymodels.stored_trace import Shelf
from goldbeat.pymodels.trace import Trace


def pair(rng, beats=200, width=4, clocks=(4000, 4000)):
    """Beats in and the same beats out, later."""
    came = np.cumsum(rng.integers(1, 4, beats))
    keep = np.ones((beats, width), bool)
    last = rng.random(beats) < 0.2
    last[-1] = True
    keep[last] = np.arange(width) < rng.integers(1, width + 1, int(last.sum()))[:, None]
    source = Trace.from_bytes(np.zeros((beats, width)), keep=keep, last=last, cycle=came, clock_ps=clocks[0])
    went, free = [], 0
    for time in source.time_ps.tolist():
        free = max(free + int(rng.integers(1, 5)), -(-time // clocks[1]) + int(rng.integers(0, 3)))
        went.append(free)
    return source, Trace.from_bytes(
        np.zeros((beats, width)), keep=keep, last=last, cycle=went, clock_ps=clocks[1], offset_ps=0
    )


def counted(source, sink, unit):
    """Most, when it was first there, and the area under it, one event after the other."""
    weigh = {
        "beats": lambda t, i: 1,
        "bytes": lambda t, i: int(t.keep[i].sum()),
        "frames": lambda t, i: int(t.last[i]),
    }[unit]
    events = [(int(t), 0, -weigh(sink, i)) for i, t in enumerate(sink.time_ps)]
    events += [(int(t), 1, weigh(source, i)) for i, t in enumerate(source.time_ps)]
    level = most = 0
    when, before, area = None, None, 0
    times = sorted({time for time, _, _ in events})
    for time in times:
        area += 0 if before is None else level * (time - before)
        level += sum(step for t, _, step in events if t == time)
        entered = any(t == time and kind for t, kind, _ in events)
        if entered and (when is None or level > most):
            most, when = level, time
        before = time
    return most, when, area / (times[-1] - times[0])


@pytest.mark.parametrize("unit", BACKLOG_UNITS)
@pytest.mark.parametrize("clocks", [(4000, 4000), (4000, 6600)])
def test_backlog_is_what_counting_gives(unit, clocks):
    for seed in range(5):
        source, sink = pair(np.random.default_rng(seed), clocks=clocks)
        found = backlog(source, sink, unit=unit)
        most, when, mean = counted(source, sink, unit)
        assert (found.most, found.at_ps) == (most, when)
        assert found.mean == pytest.approx(mean)
        assert int(source.time_ps[found.beat]) == when
        assert int(backlog_curve(source, sink, unit=unit, points=50)[1].max()) == most


def test_a_stored_trace_gives_the_same():
    source, sink = pair(np.random.default_rng(1), 600_000)
    shelf = Shelf()
    stored = [shelf.keep(trace.parts(1 << 17)) for trace in (source, sink)]
    assert backlog(*stored) == backlog(source, sink)


def test_what_passes_straight_through_adds_nothing():
    source = Trace.from_bytes(np.zeros((5, 4)), clock_ps=4000)
    assert backlog(source, source).most == 0
    assert backlog(source, source.with_cycles(np.arange(5) + 3)).most == 3


def test_what_cannot_be_measured_is_said():
    source, sink = pair(np.random.default_rng(3))
    with pytest.raises(UnmatchedError, match="200 beats at the input and 199 at the output"):
        backlog(source, sink[:199])
    with pytest.raises(UnmeasurableError, match="no beats"):
        backlog(source[:0], sink[:0])
    with pytest.raises(UsageError, match="more beats have left than have entered"):
        backlog(sink, source)
    wide = Trace.from_bytes(np.zeros((100, 8)), clock_ps=4000)
    with pytest.raises(UnmatchedError, match="count bytes instead"):
        backlog(source, wide)
    with pytest.raises(UsageError, match="known: beats, bytes, frames"):
        backlog(source, sink, unit="words")  # type: ignore[arg-type]
