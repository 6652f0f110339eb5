# SPDX-License-Identifier: Apache-2.0
"""The int8 format: dynamic fixed point with a rounding rule of its own.

A value with fraction length f stands for ``q / 2**f``, q in -128..127. A layer's result is
``v = acc 2**-(fi+fw) + bias 2**-fw``, stored as ``saturate(round(v 2**fo))``, halves rounded away from zero, then ReLU. The two
layers of a split pair are brought to the fraction length of their concatenation by the same rule. Half-up and half-even
give other values. Source of the rule: Ristretto (P. Gysel et al., 2016), as its Caffe layers do it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.rounding import round_shift, saturate
from goldbeat.pymodels.zynqnet.shifts import Shifts
from goldbeat.pymodels.zynqnet.taps import size_out, taps_by_rows

Ints = npt.NDArray[np.int32]

INT8_BITS = 8
_BLOCK = 1 << 18


def requantise(values: npt.NDArray[np.int64], shift: int) -> npt.NDArray[np.int64]:
    """``saturate(round(values / 2**shift))``: halves away from zero, to -128..127; a negative shift goes up."""
    moved = round_shift(values, shift, "half_away") if shift >= 0 else values << np.int64(-shift)
    return saturate(moved, INT8_BITS)


def finish(acc: npt.NDArray[np.int64], biases: npt.NDArray[np.int64], shifts: Shifts, relu: bool) -> Ints:
    """From the exact sum of products to what is stored.

    Args:
        acc: (..., ch_out) sums of products.
        biases: (ch_out,).
        shifts: of the layer.
        relu: negative results become 0.
    """
    up = np.int64(abs(shifts.bias))
    total = acc + (biases << up) if shifts.bias >= 0 else (acc << up) + biases
    out = requantise(total, shifts.out)
    if relu:
        out = np.maximum(out, 0)
    return requantise(out, shifts.concat).astype(np.int32)


def quantise(values: npt.ArrayLike, fraction: int) -> Ints:
    """The nearest int8 to ``values * 2**fraction``, halves away from zero."""
    scaled = np.ldexp(np.asarray(values, np.float64), fraction)
    nearest = np.trunc(scaled + np.copysign(0.5, scaled))
    clipped: Ints = np.clip(nearest, -128, 127).astype(np.int32)
    return clipped


def fraction_for(largest: float) -> int:
    """The most fraction bits with which numbers of this size still fit."""
    if largest <= 0:
        return INT8_BITS - 1
    # frexp: largest = m 2**e with m in [0.5, 1), so that e bits stand before the point.
    fraction = INT8_BITS - 1 - int(np.frexp(largest)[1])
    return fraction if largest * 2.0**fraction <= 127.5 - 2.0**-20 else fraction - 1


def sums(image: Ints, weights: Ints, kernel: int, stride: int) -> npt.NDArray[np.int64]:
    """Exact sums of products.

    Args:
        image: (height, width, ch_in) int8 values.
        weights: (ch_in, ch_out, taps) int8 values.
        kernel: 3 or 1.
        stride: 1 or 2.

    Returns:
        (height_out, width_out, ch_out).
    """
    rows, columns = size_out(image, stride)
    channels = weights.shape[1]
    flat = weights.transpose(1, 0, 2).reshape(channels, -1).astype(np.float64)
    out = np.empty((rows, columns, channels), np.int64)
    at_once = max(1, _BLOCK // (columns * flat.shape[1]))
    for first, end, taps in taps_by_rows(image, kernel, stride, at_once):
        # Products below 2**14 and fewer than 2**14 of them: every partial sum is exact in double, in any order.
        product = flat @ taps.reshape(flat.shape[1], -1).astype(np.float64)
        out[first:end] = product.T.reshape(end - first, columns, channels)
    return out


def convolve(image: Ints, weights: Ints, biases: Ints, kernel: int, stride: int, relu: bool, shifts: Shifts) -> Ints:
    """A whole layer: :func:`sums`, then :func:`finish`; (height_out, width_out, ch_out)."""
    return finish(sums(image, weights, kernel, stride), biases.astype(np.int64), shifts, relu)


def pool(image: Ints) -> Ints:
    """(ch_out,) exact sums over all pixels of (height, width, ch_out)."""
    total: Ints = image.sum(axis=(0, 1), dtype=np.int32)
    return total
