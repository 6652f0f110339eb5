# SPDX-License-Identifier: Apache-2.0
"""Clocks with jitter: every edge is known, and found again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldbeat.pymodels.clock import Clock
from goldbeat.pymodels.errors import UsageError


@st.composite
def clocks(draw):
    period = 2 * draw(st.integers(1, 3000))
    return Clock(
        period, draw(st.integers(1, period)), draw(st.integers(0, period // 4)), draw(st.integers(0, 2**64 - 1))
    )


@given(clocks(), st.integers(-3, 3000), st.integers(-2, 2))
def test_the_first_edge_after_any_time_is_found(clock, cycle, near):
    time = clock.time(cycle) + near
    found = clock.first_edge_after(time)
    assert clock.time(found) > time >= clock.time(found - 1)


@given(clocks(), st.integers(1, 3000))
def test_edges_stay_near_and_in_order(clock, cycle):
    assert abs(clock.time(cycle) - clock.nominal(cycle)) <= clock.jitter_ps
    assert clock.time(cycle) - clock.time(cycle - 1) >= clock.shortest_ps > 0


@given(clocks(), st.integers(0, 500), st.integers(-2000, 2000))
def test_a_time_that_divides_edges_does_so_with_and_without_jitter(clock, cycle, near):
    time = max(1, clock.nominal(cycle) + near)
    if clock.divides(time):
        edges = range(max(-2, cycle - 2100), cycle + 2100) if clock.period_ps < 10 else range(cycle - 400, cycle + 400)
        assert all((clock.time(k) < time) == (clock.nominal(k) < time) for k in edges)
        assert time not in (clock.time(k) for k in edges)


def test_jitter_is_drawn_from_the_seed_and_leaves_the_start_alone():
    one, other = (Clock(4000, 1000, 900, seed) for seed in (1, 2))
    assert [one.time(k) for k in range(-3, 1)] == [1000 + 4000 * k for k in range(-3, 1)]
    moved = [one.time(k) - one.nominal(k) for k in range(1, 2000)]
    assert min(moved) < -850
    assert max(moved) > 850
    assert abs(sum(moved)) < 2000 * 40
    assert [other.time(k) for k in range(9)] != [one.time(k) for k in range(9)] == [one.time(k) for k in range(9)]
    with pytest.raises(UsageError, match=r"jitter of 1001 ps is not in \[0, 1000\]"):
        Clock(4000, 1000, 1001)
