# SPDX-License-Identifier: Apache-2.0
"""Service curves against the definition, counted window by window."""

import numpy as np
import pytest

from goldbeat.pymodels.curves import service_curve, slowest_window
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.trace import Trace


def _trace(rng: np.random.Generator, beats: int, longest: int) -> Trace:
    cycle = np.cumsum(rng.integers(1, longest + 1, beats)) + 7
    keep = np.arange(4) < rng.integers(0, 5, beats)[:, None]
    return Trace.from_bytes(np.zeros((beats, 4)), keep=keep, cycle=cycle, clock_ps=4000)


def _windows(trace: Trace, length: int, occupied: int = 1) -> list[int]:
    """Payload of each window, from the definition; the last beat occupies so many cycles."""
    size, first, last = trace.keep.sum(axis=1), int(trace.cycle[0]), int(trace.cycle[-1])
    starts = range(first, last + occupied - length + 1)
    return [int(size[(trace.cycle >= s) & (trace.cycle < s + length)].sum()) for s in starts]


@pytest.mark.parametrize("longest", [1, 2, 9, 60])
def test_curves_hold_what_every_window_holds(longest: int) -> None:
    rng = np.random.default_rng(longest)
    for beats in (1, 2, 3, 17, 40):
        trace = _trace(rng, beats, longest)
        span = int(trace.cycle[-1] - trace.cycle[0]) + 1
        curve = service_curve(trace, [1, 2, 3, 10, max(1, span), span + 1])
        assert curve.lengths.tolist() == sorted({n for n in (1, 2, 3, 10, span) if n <= span})
        for length, least, most in zip(curve.lengths.tolist(), curve.least, curve.most, strict=True):
            held = _windows(trace, length)
            assert (least, most) == (min(held), max(held))
            found = slowest_window(trace, length)
            assert found is not None
            assert (found.payload, found.start) == (min(held), int(trace.cycle[0]) + held.index(min(held)))
            # In time, windows start between edges too.
            time = Trace.from_bytes(trace.data, keep=trace.keep, cycle=trace.cycle * 3 + 5, clock_ps=1)
            three = Trace.from_bytes(trace.data, keep=trace.keep, cycle=trace.cycle, clock_ps=3, offset_ps=5)
            held = _windows(time, 3 * length - 1, 3)
            found = slowest_window(three, 3 * length - 1, in_ps=True)
            assert found is not None
            assert (found.payload, found.start) == (min(held), int(time.cycle[0]) + held.index(min(held)))
        assert slowest_window(trace, span + 1) is None


def test_a_short_beat_is_in_a_window_wherever_it_stands() -> None:
    for beats in (2, 5, 24):
        for short in range(beats):
            keep = np.arange(16) < np.where(np.arange(beats) == short, 4, 16)[:, None]
            trace = Trace.from_bytes(np.zeros((beats, 16)), keep=keep, clock_ps=4000)
            for length in range(1, beats + 1):
                found = slowest_window(trace, 4000 * length, in_ps=True)
                assert found is not None
                assert found.payload == 16 * length - 12
            # On a finer grid, a beat still occupies a cycle of the port's clock.
            fine = Trace.from_bytes(trace.data, keep=keep, cycle=trace.cycle * 4000, clock_ps=1)
            assert slowest_window(fine, 4000 * beats, in_ps=True) is None
            assert slowest_window(fine, 4000 * beats, in_ps=True, cycle_ps=4000) == found


def test_no_window_holds_more_than_the_port_carries() -> None:
    trace = Trace.from_bytes(np.zeros((100, 4)), clock_ps=4000)
    curve = service_curve(trace, range(1, 200))
    assert (curve.most == 4 * curve.lengths).all()
    assert (curve.least == curve.most).all()
    assert len(service_curve(trace[:0], [1]).lengths) == 0


def test_a_window_has_at_least_one_cycle() -> None:
    trace = Trace.from_bytes(np.zeros((3, 4)), clock_ps=4000)
    for call in (lambda: slowest_window(trace, 0), lambda: service_curve(trace, [5, 0])):
        with pytest.raises(UsageError, match="a window of 0 cycles, expected at least 1"):
            call()
