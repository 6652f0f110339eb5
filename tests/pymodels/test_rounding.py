# SPDX-License-Identifier: Apache-2.0
"""Rounding and saturation against exact fractions and the decimal module."""

import decimal
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.rounding import ROUNDINGS, SATURATIONS, round_shift, saturate, shift_round_saturate

INT64 = st.integers(-(2**63), 2**63 - 1)
DECIMAL = {
    "floor": decimal.ROUND_FLOOR,
    "ceil": decimal.ROUND_CEILING,
    "half_even": decimal.ROUND_HALF_EVEN,
    "half_away": decimal.ROUND_HALF_UP,
    "half_to_zero": decimal.ROUND_HALF_DOWN,
}


def exact(value: int, shift: int, mode: str) -> int:
    x = Fraction(value, 1 << shift)
    below = math.floor(x)
    if mode == "floor" or x == below:
        return below
    if mode == "ceil":
        return below + 1
    if x - below != Fraction(1, 2):
        return round(x)
    return {
        "half_up": below + 1,
        "half_down": below,
        "half_even": below + below % 2,
        "half_odd": below + 1 - below % 2,
        "half_away": below + (x > 0),
        "half_to_zero": below + (x < 0),
    }[mode]


@pytest.mark.parametrize("mode", ROUNDINGS)
@given(values=st.lists(INT64, min_size=1, max_size=8), shift=st.integers(0, 63), ties=st.booleans())
@settings(max_examples=60, deadline=None)
def test_against_fractions(mode, values, shift, ties):
    if ties and shift:
        values = [(v >> shift << shift) + (1 << (shift - 1)) for v in values]
    expected = [exact(v, shift, mode) for v in values]
    assert round_shift(np.array(values), shift, mode).tolist() == expected
    assert round_shift(np.array(values), shift, ROUNDINGS.index(mode)).tolist() == expected


@pytest.mark.parametrize("mode", DECIMAL)
def test_against_decimal(mode):
    values = np.arange(-600, 601)
    for shift in range(8):
        with decimal.localcontext(prec=60):
            expected = [int((decimal.Decimal(v) / 2**shift).quantize(0, DECIMAL[mode])) for v in values.tolist()]
        assert round_shift(values, shift, mode).tolist() == expected


@pytest.mark.parametrize("mode", ROUNDINGS)
def test_ends_of_int64(mode):
    ends = [-(2**63), -(2**63) + 1, -1, 0, 1, 2**62, 2**63 - 1]
    for shift in (0, 1, 31, 62, 63):
        assert round_shift(np.array(ends), shift, mode).tolist() == [exact(v, shift, mode) for v in ends]


def test_quarters():
    """The table everybody looks up: 0.5, 1.5, -0.5, -1.5."""
    table = {mode: round_shift([1, 3, -1, -3], 1, mode).tolist() for mode in ROUNDINGS}
    assert table == {
        "floor": [0, 1, -1, -2],
        "ceil": [1, 2, 0, -1],
        "half_up": [1, 2, 0, -1],
        "half_down": [0, 1, -1, -2],
        "half_even": [0, 2, 0, -2],
        "half_odd": [1, 1, -1, -1],
        "half_away": [1, 2, -1, -2],
        "half_to_zero": [0, 1, 0, -1],
    }


@given(INT64, st.integers(1, 63))
@settings(max_examples=100, deadline=None)
def test_saturation(value, bits):
    high = 2 ** (bits - 1) - 1
    assert saturate(value, bits) == min(max(value, -high - 1), high)
    assert saturate(value, bits, "symmetric") == min(max(value, -high), high)
    assert saturate(value, bits, "none") == (value + high + 1) % 2**bits - high - 1
    assert saturate(value, bits, "saturate", signed=False) == min(max(value, 0), 2**bits - 1)
    assert saturate(value, bits, "symmetric", signed=False) == min(max(value, 0), 2**bits - 1)
    assert saturate(value, bits, "none", signed=False) == value % 2**bits


def test_64_bits():
    ends = [-(2**63), 2**63 - 1]
    assert saturate(ends, 64).tolist() == ends
    assert saturate(ends, 64, "none").tolist() == ends
    assert saturate(ends, 64, "symmetric").tolist() == [-(2**63) + 1, 2**63 - 1]


def test_codes():
    assert [SATURATIONS[c] for c in range(4)] == ["none", "saturate", "none", "symmetric"]
    assert saturate([-40000], 16, 3).tolist() == [-32767]
    assert saturate([40000], 16, 2).tolist() == [40000 - 65536]


def test_together():
    values = np.array([[-(2**20), 2**20], [12345, -12345]])
    got = shift_round_saturate(values, 4, 16, rounding="half_even", saturation="symmetric")
    assert got.tolist() == [[-32767, 32767], [772, -772]]
    assert got.dtype == np.int64
    assert shift_round_saturate([-20], 2, 8, signed=False).tolist() == [0]
    values = np.array([5])
    assert not np.shares_memory(round_shift(values, 0, "floor"), values)
    assert round_shift([], 3, "floor").tolist() == []


@pytest.mark.parametrize(
    "call",
    [
        lambda: round_shift([1], 64, "floor"),
        lambda: round_shift([1], -1, "floor"),
        lambda: round_shift([1], 1, "nearest"),
        lambda: round_shift([1], 1, 8),
        lambda: round_shift([1.5], 1, 0),
        lambda: round_shift(np.array([2**63], np.uint64), 1, 0),
        lambda: saturate([1], 0),
        lambda: saturate([1], 65),
        lambda: saturate([1], 64, signed=False),
        lambda: saturate([1], 8, "wrap"),
        lambda: saturate([1], 8, 4),
    ],
)
def test_usage(call):
    with pytest.raises(UsageError):
        call()
