# SPDX-License-Identifier: Apache-2.0
"""Element types: how they are stored, and how numbers are rounded into them.

Codes of types and rounding modes: customlayer/include/kernel/tpu_defs.h of TPU-MLIR 1.30.2 (BSD-2-Clause).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
INT8, FP16, FP32, INT16, INT32, BF16, INT4, FP8 = range(8)
EVEN, AWAY, ZERO, DOWN, UP, HALF_UP, HALF_DOWN = range(7)
"""Rounding: ties to even, ties away from zero, towards zero, floor, ceiling, ties up, ties down."""
_BITS = {INT8: 8, INT16: 16, INT32: 32}
_FLOATS = {FP16: "fp16", FP32: "fp32", BF16: "bf16"}


@dataclass(frozen=True, slots=True)
class Element:
    """A type of elements.

    Attributes:
        code: as commands name it.
        signed: of integers.
    """

    code: int
    signed: bool = True

    @property
    def known(self) -> bool:
        """Whether its bytes are modelled: int4 and fp8 are not."""
        return self.code in _BITS or self.code in _FLOATS

    @property
    def floating(self) -> bool:
        """fp16, fp32 or bf16."""
        return self.code in _FLOATS

    @property
    def name(self) -> str:
        """Such as ``fp16``, ``int8``, ``uint32``."""
        if self.code in _BITS:
            return f"{'' if self.signed else 'u'}int{_BITS[self.code]}"
        return _FLOATS.get(self.code) or {INT4: "int4", FP8: "fp8"}.get(self.code, f"type {self.code}")

    @property
    def stored(self) -> np.dtype[Any]:
        """The numpy type in memory; bf16 is the upper half of fp32, as uint16."""
        if self.floating:
            return np.dtype({FP16: "<f2", FP32: "<f4", BF16: "<u2"}[self.code])
        return np.dtype(f"<{'i' if self.signed else 'u'}{_BITS[self.code] // 8}")

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest integer."""
        bits = _BITS[self.code]
        return (-(1 << bits - 1), (1 << bits - 1) - 1) if self.signed else (0, (1 << bits) - 1)


def to_numbers(stored: Array, element: Element) -> Array:
    """Elements as numbers: floats as float32, integers as int64."""
    if element.code == BF16:
        return (stored.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return stored.astype(np.float32 if element.floating else np.int64)


def to_bf16(values: Array) -> npt.NDArray[np.uint16]:
    """float32 to bf16, ties to even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))) >> np.uint32(16)
    return np.where(np.isnan(values), np.uint32(0x7FFF), rounded).astype(np.uint16)


FRACTION_BITS = {FP16: 10, BF16: 7, FP32: 23}
"""Bits behind the leading one."""
_EXPONENTS = {FP16: (-14, 15), BF16: (-126, 127), FP32: (-126, 127)}
"""Exponents of the least and the greatest normal number."""


def least_normal(element: Element) -> np.float32:
    """The least normal number of a float type."""
    return np.float32(2.0 ** _EXPONENTS[element.code][0])


def round_to_float(values: Array, element: Element, mode: int) -> Array:
    """Numbers rounded to those of a float type by a rounding mode, as float64; numbers beyond the last power are infinite.

    Ties "up" and "down" are those of the magnitude, except for integers and for results below the least normal number.
    """
    x = np.asarray(values, np.float64)
    bits, (least, greatest) = FRACTION_BITS[element.code], _EXPONENTS[element.code]
    with np.errstate(invalid="ignore", over="ignore"):
        step = np.maximum(np.frexp(x)[1] - 1, least) - bits
        size = np.ldexp(np.abs(x), -step)
        low = np.floor(size)
        rest = size - low
        tie, signed = rest == 0.5, (values.dtype.kind != "f") | (np.abs(x) < 2.0**least)
        upwards = {
            EVEN: tie & (low % 2 == 1),
            AWAY: tie,
            ZERO: False,
            DOWN: x < 0,
            UP: x > 0,
            HALF_UP: tie & ((x > 0) | ~signed),
            HALF_DOWN: tie & ((x < 0) & signed),
        }[mode]
        more = (rest > 0) & upwards if mode in (ZERO, DOWN, UP) else (rest > 0.5) | upwards
        found = np.ldexp(low + more, step)
        found = np.where(found >= 2.0 ** (greatest + 1), np.inf, found)
        rounded: Array = np.where(np.isfinite(x), np.copysign(found, x), x)
    return rounded


def round_to_integers(values: Array, mode: int) -> Array:
    """Floats without a fraction, by a rounding mode; exact for float32 in float64."""
    x = np.asarray(values, np.float64)
    low = np.floor(x)
    with np.errstate(invalid="ignore"):
        half = x - low
    if mode in (EVEN, ZERO, DOWN, UP):
        whole: Array = {EVEN: np.rint, ZERO: np.trunc, DOWN: np.floor, UP: np.ceil}[mode](x)
        return whole
    upwards = half >= 0.5 if mode == HALF_UP else half > 0.5
    if mode == AWAY:
        upwards = (half > 0.5) | ((half == 0.5) & (x > 0))
    # What is rounded to zero keeps its sign.
    found: Array = np.copysign(low + upwards, x)
    return found


def to_stored(values: Array, element: Element, mode: int = EVEN) -> Array:
    """Numbers as stored elements: rounded by the mode; integers are held within the limits."""
    if element.floating and mode != EVEN:
        values = round_to_float(values, element, mode).astype(np.float32)
    if element.code == BF16:
        return to_bf16(np.asarray(values, np.float32))
    if element.floating:
        with np.errstate(over="ignore", invalid="ignore"):
            floats: Array = np.asarray(values).astype(element.stored)
            return floats
    low, high = element.limits
    if values.dtype.kind == "f":
        values = np.nan_to_num(round_to_integers(values, mode), nan=0, posinf=high, neginf=low)
    held: Array = np.clip(values, low, high).astype(element.stored)
    return held


def rounded_shift(values: Array, bits: Array | int, mode: int) -> Array:
    """int64 divided by 2 to the power of ``bits``, rounded by a mode; negative bits shift to the left."""
    amount = np.asarray(bits, np.int64)
    right, left = np.clip(amount, 0, 62), np.clip(-amount, 0, 62)
    low = values >> right
    rest = values - (low << right)
    half = np.where(right > 0, np.int64(1) << np.maximum(right - 1, 0), 1)
    tie, above = (rest == half) & (right > 0), (rest > half) & (right > 0)
    more = {
        EVEN: above | (tie & (low & 1 == 1)),
        AWAY: above | (tie & (values > 0)),
        ZERO: (rest > 0) & (values < 0),
        DOWN: np.zeros_like(above),
        UP: rest > 0,
        HALF_UP: above | tie,
        HALF_DOWN: above,
    }[mode]
    found: Array = (low + more) << left
    return found
