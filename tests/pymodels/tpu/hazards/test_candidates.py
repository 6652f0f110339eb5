# SPDX-License-Identifier: Apache-2.0
"""Pairs whose outlines meet, against all pairs."""

import numpy as np
import pytest

from goldbeat.pymodels.tpu.hazards.access import Accesses, empty_accesses
from goldbeat.pymodels.tpu.hazards.candidates import touching


def table(rng: np.random.Generator, many: int, span: int) -> Accesses:
    """Operands anywhere, some short and some long."""
    lanes, zero = np.full(many, 8), np.zeros(many, np.int64)
    length = rng.integers(1, max(2, span // int(rng.choice([4, 100, 3000]))), many)
    fixed = [zero, np.sort(rng.integers(0, many, many)), zero, rng.integers(0, 2, many), zero, lanes]
    place = [rng.integers(0, 8, many), rng.integers(0, span, many)]
    shape = [zero + 1, rng.integers(1, 12, many), zero + 1, length]
    return Accesses(*fixed, *place, *shape, zero, length, zero, zero + 1, zero + 1, zero)


@pytest.mark.parametrize("span", [3, 500, 10_000, 3_000_000])
@pytest.mark.parametrize("seed", range(5))
def test_touching_finds_the_pairs_that_all_pairs_have(seed, span):
    rng = np.random.default_rng(seed)
    one, two = table(rng, 60, span), table(rng, 90, span)
    low = rng.integers(0, 90, 60)
    high = np.minimum(low + rng.integers(0, 90, 60), 90)
    found = sorted((int(a), int(b)) for i, j in touching(one, two, low, high) for a, b in zip(i, j, strict=True))
    expected = [
        (i, j)
        for i in range(60)
        for j in range(int(low[i]), int(high[i]))
        if (one.write[i] or two.write[j])
        and one.offset[i] < two.end[j]
        and two.offset[j] < one.end[i]
        and one.first_lane[i] <= two.last_lane[j]
        and two.first_lane[j] <= one.last_lane[i]
    ]
    assert found == expected
    assert expected or span > 500


def test_nothing_meets_nothing():
    none = np.zeros(0, np.int64)
    assert list(touching(empty_accesses(), empty_accesses(), none, none)) == []
