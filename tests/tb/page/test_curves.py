# SPDX-License-Identifier: Apache-2.0
"""What pages draw over time keeps what it stands for."""

import numpy as np
import pytest
from kept_runs import beats, transactions

from goldbeat.pymodels.backlog import backlog
from goldbeat.pymodels.pattern import Pattern
from goldbeat.tb.page.curves import MOST_PAIRS, bus_curves, histogram, open_over_time, pair_curves, thin_curve
from goldbeat.tb.page.kept_run import KeptEntry, KeptPort


def port(name, direction, trace):
    return KeptPort(name, KeptEntry(direction=direction, width=trace.width), trace, None, True)


def test_a_thinned_curve_has_the_least_and_the_most_of_what_it_leaves_out():
    y = np.random.default_rng(1).normal(size=10_007)
    x = np.arange(10_007.0)
    curve = thin_curve(x, y, 100)
    assert len(curve.x) == 100
    assert curve.is_thinned
    assert (curve.low.min(), curve.high.max()) == (y.min(), y.max())
    for n, start in enumerate(curve.x.astype(int)):
        end = int(curve.x[n + 1]) if n < 99 else 10_007
        assert curve.mean[n] == pytest.approx(y[start:end].mean())
    assert not thin_curve(x[:100], y[:100], 100).is_thinned


def test_open_intervals_are_counted_as_one_would_by_hand():
    curve = open_over_time(np.array([0.0, 1.0, 2.0, 9.0]), np.array([2.0, 5.0, 5.0, 9.5]))
    assert dict(zip(curve.x.tolist(), curve.mean.tolist(), strict=True)) == {0: 1, 1: 2, 2: 2, 5: 0, 9: 1, 9.5: 0}


def test_every_value_is_in_a_histogram_once():
    rng = np.random.default_rng(2)
    for values in (np.array([4.0]), np.full(9, 8.0), rng.integers(3, 20, 500) * 4.0, rng.exponential(50, 10_000)):
        found = histogram(values)
        assert found.counts.sum() == len(values)
        assert len(found.edges) == len(found.counts) + 1
    few = histogram(np.array([4.0, 8.0, 8.0, 16.0]))
    assert [(e + 2, c) for e, c in zip(few.edges, few.counts, strict=False) if c] == [(4, 1), (8, 2), (16, 1)]


def test_latency_and_backlog_of_a_pair_are_what_the_cycles_say():
    source = beats(100)
    held = np.minimum(np.arange(100), 30)
    (pair,), notes = pair_curves(
        [port("s", "in", source), port("m", "out", source.with_cycles(source.cycle + 5 + held))]
    )
    assert notes == []
    assert (pair.name, pair.by, pair.least_ns, pair.most_ns) == ("s->m", "beat", 20, 140)
    # A beat comes out 35 cycles after it went in, one a cycle: so many are inside.
    assert pair.most_inside == 35 == backlog(source, source.with_cycles(source.cycle + 5 + held)).most
    assert pair.latency.mean[0] == 20
    assert pair.backlog.mean[-1] == 0
    assert pair.histogram.counts.sum() == 100


def test_frames_pair_where_beats_do_not():
    source, sink = beats(40, frame=8), beats(10, frame=2, first=100)
    (pair,), _ = pair_curves([port("s", "in", source), port("m", "out", sink)])
    assert (pair.by, len(pair.latency.x)) == ("frame", 5)
    assert pair.least_ns == (108 - 32) * 4
    assert pair_curves([port("s", "in", source), port("m", "out", beats(11, frame=3, first=100))])[0] == []
    # What comes out before it goes in is no pair.
    assert pair_curves([port("s", "in", beats(4, first=9)), port("m", "out", beats(4))])[0] == []


def test_many_pairs_are_cut_and_said():
    ports = [port(f"s{n}", "in", beats(4)) for n in range(4)] + [
        port(f"m{n}", "out", beats(4, first=9)) for n in range(3)
    ]
    pairs, notes = pair_curves(ports)
    assert len(pairs) == MOST_PAIRS
    assert "12 pairs" in notes[0]


def test_the_bytes_of_a_bus_are_all_in_its_traffic():
    bus = transactions(50)
    curves = bus_curves("m", bus)
    assert dict(curves.counts) == {"read": 25, "write": 25}
    for step in curves.rates.values():
        moved = (step.values * np.diff(step.edges)).sum() / 1000
        assert moved == pytest.approx(25 * 64)
    # One ends in the cycle in which the next but one begins.
    assert curves.open.high.max() == 2
    assert set(curves.latency["read"].mean) == {80.0}


def test_gaps_of_a_port_do_not_move_its_beats():
    bursty = beats(500).with_gaps(Pattern("bursty", burst=9).gaps(500))
    (pair,), _ = pair_curves([port("s", "in", bursty), port("m", "out", bursty.with_cycles(bursty.cycle + 3))])
    assert (pair.least_ns, pair.most_ns) == (12, 12)
