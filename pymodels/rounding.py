# SPDX-License-Identifier: Apache-2.0
"""Shift, round and saturate: how a wide accumulator becomes a narrow sample, bit for bit.

The rounding modes are those of the AI Engine's shift-round-saturate path, under plain names; the numbers are the codes
of the ROUND and SAT registers in ``docs/designs.md``. All arithmetic is exact on the whole int64 range.
Source: AM009, UG1079 (rounding and saturation modes).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError

Rounding = Literal["floor", "ceil", "half_up", "half_down", "half_even", "half_odd", "half_away", "half_to_zero"]
Saturation = Literal["none", "saturate", "symmetric"]

ROUNDINGS: tuple[Rounding, ...] = (
    "floor",
    "ceil",
    "half_up",
    "half_down",
    "half_even",
    "half_odd",
    "half_away",
    "half_to_zero",
)
"""Rounding modes in the order of their codes 0..7."""

SATURATIONS: dict[int, Saturation] = {0: "none", 1: "saturate", 2: "none", 3: "symmetric"}
"""Saturation modes by code; 2 is the same as 0."""

MAX_SHIFT = 63


def rounding_mode(mode: str | int) -> Rounding:
    """A rounding mode by name or code; an unknown one is a :class:`UsageError`."""
    for code, name in enumerate(ROUNDINGS):
        if mode == name or (not isinstance(mode, str) and mode == code):
            return name
    raise UsageError(f"unknown rounding {mode!r}; known: {', '.join(ROUNDINGS)}")


def saturation_mode(mode: str | int) -> Saturation:
    """A saturation mode by name or code; an unknown one is a :class:`UsageError`."""
    for code, name in SATURATIONS.items():
        if mode == name or (not isinstance(mode, str) and mode == code):
            return name
    raise UsageError(f"unknown saturation {mode!r}; known: none, saturate, symmetric")


def round_shift(values: npt.ArrayLike, shift: int, mode: str | int) -> npt.NDArray[np.int64]:
    """``values / 2**shift``, rounded to whole numbers.

    ============== ====================================== ====================
    mode           takes                                  AI Engine name
    ============== ====================================== ====================
    floor          the next number below                  floor
    ceil           the next number above                  ceil
    half_up        the nearest, ties towards +infinity    positive_inf
    half_down      the nearest, ties towards -infinity    negative_inf
    half_even      the nearest, ties to even              conv_even
    half_odd       the nearest, ties to odd               conv_odd
    half_away      the nearest, ties away from zero       symmetric_inf
    half_to_zero   the nearest, ties towards zero         symmetric_zero
    ============== ====================================== ====================

    Args:
        values: whole numbers that fit int64, any shape.
        shift: 0..63.
        mode: name or code.

    Returns:
        int64, the shape of ``values``.

    Raises:
        UsageError: an unknown mode, a shift out of range, or values that are not whole numbers of int64.
    """
    name = rounding_mode(mode)
    value = _int64(values)
    if not 0 <= shift <= MAX_SHIFT:
        raise UsageError(f"a shift of {shift} is not in 0..{MAX_SHIFT}")
    if shift == 0:
        return value.copy()
    quotient = value >> np.int64(shift)
    rest = value & np.int64((1 << shift) - 1)
    half = np.int64(1 << (shift - 1))
    # The quotient is rounded down; `up` says where it goes one up. It cannot overflow: it has lost a bit at least.
    if name == "floor":
        return quotient
    if name == "ceil":
        up = rest != 0
    elif name == "half_up":
        up = rest >= half
    elif name == "half_down":
        up = rest > half
    else:
        tie_up = {
            "half_even": (quotient & 1) == 1,
            "half_odd": (quotient & 1) == 0,
            "half_away": value >= 0,
            "half_to_zero": value < 0,
        }[name]
        up = (rest > half) | ((rest == half) & tie_up)
    rounded: npt.NDArray[np.int64] = quotient + up
    return rounded


def saturate(
    values: npt.ArrayLike, bits: int, mode: str | int = "saturate", signed: bool = True
) -> npt.NDArray[np.int64]:
    """Bring whole numbers into ``bits`` bits.

    Args:
        values: whole numbers that fit int64, any shape.
        bits: 1..64 for signed numbers, 1..63 for unsigned ones.
        mode: ``none`` keeps the low bits (wraps), ``saturate`` takes the nearest number that fits, ``symmetric`` is the
            same without the most negative number; for unsigned numbers it is ``saturate``. Or the mode's code.
        signed: the result is in two's complement.

    Returns:
        int64, the shape of ``values``.

    Raises:
        UsageError: an unknown mode, bits out of range, or values that are not whole numbers of int64.
    """
    name = saturation_mode(mode)
    value = _int64(values)
    most = 64 if signed else 63
    if not 1 <= bits <= most:
        raise UsageError(f"{bits} bits are not in 1..{most}")
    if name == "none":
        if not signed:
            return value & np.int64((1 << bits) - 1)
        spare = np.int64(64 - bits)
        return (value << spare) >> spare
    high = (1 << (bits - 1)) - 1 if signed else (1 << bits) - 1
    low = 0 if not signed else -high if name == "symmetric" else -high - 1
    return np.clip(value, np.int64(low), np.int64(high))


def shift_round_saturate(
    values: npt.ArrayLike,
    shift: int,
    bits: int,
    *,
    rounding: str | int = "floor",
    saturation: str | int = "saturate",
    signed: bool = True,
) -> npt.NDArray[np.int64]:
    """:func:`round_shift`, then :func:`saturate`."""
    return saturate(round_shift(values, shift, rounding), bits, saturation, signed)


def _int64(values: npt.ArrayLike) -> npt.NDArray[np.int64]:
    array = np.asarray(values)
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "iu" or (array.dtype.kind == "u" and int(array.max()) > np.iinfo(np.int64).max):
        raise UsageError(f"values of type {array.dtype} are not whole numbers of 64 bits")
    return array.astype(np.int64)
