# SPDX-License-Identifier: Apache-2.0
"""Converters of the NVDLA integer pipelines, bit for bit.

A right shift rounds halves away from zero and saturates; a left shift saturates. Source: public C model and RTL of
nvdla/hw, branch nv_small (rounding and saturation modes of its fixed-point types).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.rounding import round_shift, saturate

Ints = npt.NDArray[np.int64]


def shift_right(values: Ints, shift: int, in_bits: int, out_bits: int) -> Ints:
    """``values / 2**shift``, halves away from zero, saturated; 0 when nothing of ``in_bits`` bits is left.

    Args:
        values: numbers of ``in_bits`` bits, any shape.
        shift: 0..63.
        in_bits: at most 62.
        out_bits: of the result.
    """
    if shift >= in_bits:
        return np.zeros_like(values)
    return saturate(round_shift(values, shift, "half_away"), out_bits)


def shift_left(values: Ints, shift: int, out_bits: int) -> Ints:
    """``values * 2**shift``, saturated to ``out_bits`` (at most 32); values of 16 bits, shift 0..63."""
    # A shift of 47 takes any 16-bit number but 0 out of 32 bits, and not out of 64.
    return saturate(values << np.int64(min(shift, 47)), out_bits)


def wrap(values: Ints, bits: int) -> Ints:
    """The low bits as a signed number."""
    return saturate(values, bits, "none")


def signed(value: int, bits: int) -> int:
    """The low bits of one number as a signed number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value
