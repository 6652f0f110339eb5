# SPDX-License-Identifier: Apache-2.0
"""Traffic that counts on cycles and places: exact pauses, errors at the ends of long bursts."""

from __future__ import annotations

import numpy as np

from goldbeat.tb.design.bus_scene import few_places
from goldbeat.tb.design.traffic import pauses_around


def test_pauses_are_a_cycle_apart_around_each_number() -> None:
    assert pauses_around([3, 1000]) == [*range(997, 1005)]
    assert pauses_around([1000, 40]) == [*range(37, 45), *range(997, 1005)]
    # What would take too long is left out, the largest first.
    assert pauses_around([20_000, 19_000, 40]) == [*range(37, 45)]


def test_errors_are_at_the_ends_of_long_bursts() -> None:
    seen = [set(few_places(512, np.random.default_rng(seed))) for seed in range(20)]
    assert all(len(places) <= 2 for places in seen)
    assert {0, 255, 256, 511} <= set().union(*seen)
    assert few_places(1, np.random.default_rng(0)) == [0]
