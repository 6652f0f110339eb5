# SPDX-License-Identifier: Apache-2.0
"""Coverage points against counts by hand and by a naive loop."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldbeat.pymodels.coverpoints import Coverpoint, Cross, Sampled, Transitions, one_each, parts
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Outcome, Stimulus

EPISODE = Sampled({}, Stimulus({}), Outcome({}))


def given_values(values):
    return lambda sampled: np.array(values, np.int64)


def test_bins_count_what_belongs_to_them():
    bins = {
        "zero": 0,
        "small": (1, 3),
        "large": (10, None),
        "negative": (None, -1),
        "some": [3, 5, 7],
        "tens": range(0, 50, 10),
    }
    point = Coverpoint("p", given_values([0, 0, 1, 3, 5, 10, 11, -4, 40]), bins, illegal={"no": 11, "never": 99})
    assert point.hits(EPISODE) == {"zero": 2, "small": 2, "large": 3, "negative": 1, "some": 2, "tens": 4}
    assert point.forbidden(EPISODE) == {"no": 1}


@given(st.integers(-5, 5), st.integers(1, 40), st.data())
def test_parts_cover_a_range_without_gap_or_overlap(low, size, data):
    count = data.draw(st.integers(1, size))
    bins = parts(low, low + size - 1, count)
    assert len(bins) == count
    assert [v for a, b in bins.values() for v in range(a, b + 1)] == list(range(low, low + size))
    sizes = {b - a for a, b in bins.values()}
    assert max(sizes) - min(sizes) <= 1


@given(st.lists(st.integers(0, 3), max_size=30), st.lists(st.integers(0, 3), min_size=1, max_size=3))
def test_transitions_are_those_of_a_loop(values, steps):
    found = Transitions("t", given_values(values), {"seen": steps}).hits(EPISODE)
    naive = sum(values[n : n + len(steps)] == steps for n in range(len(values) - len(steps) + 1))
    assert found == {"seen": naive}


def test_a_cross_counts_combinations():
    one = Coverpoint("a", given_values([0, 1, 1, 0]), one_each(range(2)))
    other = Coverpoint("b", given_values([5, 5, 6, 6]), {"five": 5, "six": 6})
    assert Cross("x", [one, other]).hits(EPISODE) == {"0 x five": 1, "0 x six": 1, "1 x five": 1, "1 x six": 1}
    kept = Cross("x", [one, other], ignore=lambda a, b: a == "0" and b == "six").hits(EPISODE)
    assert list(kept) == ["0 x five", "1 x five", "1 x six"]


@pytest.mark.parametrize("values", [[0.5], [[1, 2]], ["a"]])
def test_samples_that_are_no_whole_numbers_are_refused(values):
    with pytest.raises(UsageError, match=r"coverpoint 'p': samples of shape .* expected \(n,\) whole numbers"):
        Coverpoint("p", lambda sampled: np.array(values), {"a": 1}).hits(EPISODE)


def test_points_of_a_cross_have_as_many_samples():
    points = [Coverpoint("a", given_values([1]), {"x": 1}), Coverpoint("b", given_values([1, 2]), {"y": 1})]
    with pytest.raises(UsageError, match=r"its points have \{'a': 1, 'b': 2\} samples"):
        Cross("c", points).hits(EPISODE)
    with pytest.raises(UsageError, match="9 bins from 0 to 3"):
        parts(0, 3, 9)
