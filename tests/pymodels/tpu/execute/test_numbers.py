# SPDX-License-Identifier: Apache-2.0
"""Rounding: each mode at ties, next to them, and at the limits."""

import numpy as np
import pytest

from goldbeat.pymodels.tpu.execute.elementwise import converted
from goldbeat.pymodels.tpu.execute.numbers import (
    BF16,
    FP16,
    FP32,
    INT8,
    INT32,
    Element,
    round_to_integers,
    rounded_shift,
    to_stored,
)

VALUES = np.array([-2.5, -1.5, -0.5, -0.25, 0.5, 1.5, 2.5, 2.75])
MODES = {
    0: [-2, -2, 0, 0, 0, 2, 2, 3],
    1: [-3, -2, -1, 0, 1, 2, 3, 3],
    2: [-2, -1, 0, 0, 0, 1, 2, 2],
    3: [-3, -2, -1, -1, 0, 1, 2, 2],
    4: [-2, -1, 0, 0, 1, 2, 3, 3],
    5: [-2, -1, 0, 0, 1, 2, 3, 3],
    6: [-3, -2, -1, 0, 0, 1, 2, 3],
}


@pytest.mark.parametrize("mode", MODES)
def test_modes(mode: int):
    assert round_to_integers(VALUES, mode).tolist() == MODES[mode]
    assert rounded_shift((VALUES * 4).astype(np.int64), 2, mode).tolist() == MODES[mode]


def test_shift_to_the_left():
    assert rounded_shift(np.array([3, -3]), -4, 0).tolist() == [48, -48]


def test_integers_are_held_within_limits():
    values = np.array([-1e9, -129, 128, 1e9, np.inf, -np.inf, np.nan], np.float32)
    assert to_stored(values, Element(INT8)).tolist() == [-128, -128, 127, 127, 127, -128, 0]
    assert to_stored(values, Element(INT8, signed=False)).tolist() == [0, 0, 128, 255, 255, 0, 0]


def test_floats_go_to_even():
    values = np.array([1 + 2**-8, 1 + 3 * 2**-8, np.nan, np.inf], np.float32)
    assert to_stored(values, Element(BF16)).tolist() == [0x3F80, 0x3F82, 0x7FFF, 0x7F80]
    assert to_stored(np.array([65519, 65520], np.float32), Element(FP16)).tolist() == [65504, np.inf]


NARROWED = {
    0: [0, 2, 0, 2, 0, 3, 0, 3],
    1: [1, 2, 1, 2, 0, 3, 0, 3],
    2: [0, 1, 0, 1, 0, 2, 0, 2],
    3: [0, 1, 1, 2, 0, 2, 1, 3],
    4: [1, 2, 0, 1, 1, 3, 0, 2],
    5: [1, 2, 1, 2, 0, 3, 0, 3],
    6: [0, 1, 0, 1, 0, 3, 0, 3],
}
"""Steps of fp16 from 1 or -1, by the functional models: ties are those of the magnitude."""


@pytest.mark.parametrize("mode", NARROWED)
def test_a_conversion_to_a_narrower_float_is_rounded_by_its_mode(mode: int):
    steps = np.array([0.5, 1.5, 0.5, 1.5, 0.25, 2.75, 0.25, 2.75])
    values = (1 + steps * 2**-10) * np.array([1, 1, -1, -1, 1, 1, -1, -1])
    found = converted(values.astype(np.float32), Element(FP32), Element(FP16), mode).astype(float)
    assert ((np.abs(found) - 1) * 2**10).tolist() == NARROWED[mode]


def test_a_conversion_of_integers_rounds_ties_by_their_sign():
    values = np.array([2**24 + 1, -(2**24 + 1)], np.int32)
    for mode, steps in ((1, (2, -2)), (5, (2, 0)), (6, (0, -2))):
        found = converted(values, Element(INT32), Element(FP32), mode).astype(np.int64)
        assert found.tolist() == [2**24 + steps[0], -(2**24) + steps[1]], mode


def test_what_is_no_number_has_all_bits_in_another_type():
    values = np.array([0x7FC00000, 0xFFC00000], np.uint32).view(np.float32)
    assert converted(values, Element(FP32), Element(FP16), 1).view(np.uint16).tolist() == [0x7FFF, 0xFFFF]
    assert converted(values, Element(FP32), Element(FP32), 1).view(np.uint32).tolist() == [0x7FC00000, 0xFFC00000]
