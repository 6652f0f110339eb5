# SPDX-License-Identifier: Apache-2.0
"""Floating-point numbers narrower than float32, as bit patterns: float16 and the 8-bit formats.

Numbers come from and go to float32, which holds every value of each format. bfloat16, whose patterns are the upper
halves of float32's, is in :mod:`goldbeat.pymodels.samples`. Sources: IEEE 754 (float16); the OCP 8-bit Floating Point
Specification (E4M3 has one NaN per sign and no infinity, E5M2 has both, as IEEE 754 does).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

_F32_FRACTION = 23
_F32_BIAS = 127
_F32_INFINITY = 0x7F800000
_QUIET = 0x400000


@dataclass(frozen=True)
class Narrow:
    """A sign bit, then ``exponent`` bits, then ``fraction`` bits.

    Attributes:
        exponent, fraction: widths in bits.
        infinities: the highest exponent is for infinities and NaNs, as in IEEE 754. False: it holds numbers too, but for
            the pattern of all ones, which is the NaN.
    """

    exponent: int
    fraction: int
    infinities: bool = True

    @property
    def bits(self) -> int:
        """Width in bits: 8 or 16."""
        return 1 + self.exponent + self.fraction

    @property
    def dtype(self) -> np.dtype[Any]:
        """Little-endian unsigned integer that holds a pattern."""
        return np.dtype(f"<u{self.bits // 8}")

    def widen(self, patterns: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Bit patterns to float32, exactly; a NaN keeps its sign and fraction."""
        values: npt.NDArray[np.float32] = _values(self)[patterns]
        return values

    def narrow(self, values: npt.NDArray[np.float32]) -> npt.NDArray[Any]:
        """The nearest pattern of each number, half to even; what is too large becomes infinite (E4M3: NaN).

        A NaN keeps its sign and the fraction bits that fit, or becomes the quiet one where none of those is set.
        """
        bits = np.ascontiguousarray(values, dtype="<f4").view("<u4").astype(np.int64)
        magnitude, sign = bits & 0x7FFFFFFF, bits >> 31
        cut = _F32_FRACTION - self.fraction
        least = 1 - self.bias
        # Numbers of float32's lowest exponent have no leading one.
        field32 = magnitude >> _F32_FRACTION
        exponent = np.maximum(field32, 1) - _F32_BIAS
        # Below the smallest normal number there are fewer fraction bits; 25 places more leave nothing.
        shift = np.clip(least - exponent, 0, _F32_FRACTION + 2)
        whole = (magnitude & ((1 << _F32_FRACTION) - 1)) | np.where(field32 > 0, 1 << _F32_FRACTION, 0)
        place = cut + shift
        kept = (whole + (np.int64(1) << (place - 1)) - 1 + ((whole >> place) & 1)) >> place
        # A normal number's leading one adds to the exponent field; a carry out of the fraction does as well.
        field = np.where(shift == 0, exponent + self.bias - 1, 0) << self.fraction
        pattern = np.minimum(field + kept, self._overflow)
        nan = magnitude > _F32_INFINITY
        if nan.any():
            fraction = (magnitude >> cut) & ((1 << self.fraction) - 1)
            fraction = np.where(fraction == 0, 1 << (self.fraction - 1), fraction)
            top = ((1 << self.exponent) - 1) << self.fraction
            pattern = np.where(nan, top | fraction if self.infinities else self._overflow, pattern)
        found: npt.NDArray[Any] = (pattern | sign << (self.bits - 1)).astype(self.dtype)
        return found

    def overflows(self, values: npt.NDArray[np.float32], patterns: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """(n,) whether a number that the format cannot hold has become an infinity or a NaN."""
        top = patterns.astype(np.int64) & ((1 << (self.bits - 1)) - 1)
        there = np.isfinite(values) if self.infinities else ~np.isnan(values)
        found: npt.NDArray[np.bool_] = (top == self._overflow) & there
        return found

    @property
    def largest(self) -> float:
        """The largest finite number."""
        return float(_values(self)[self._overflow - 1])

    @property
    def bias(self) -> int:
        """Exponent bias."""
        return (1 << (self.exponent - 1)) - 1

    @property
    def _overflow(self) -> int:
        """The pattern above the largest number: infinity, or the NaN where there is none."""
        every = (1 << (self.bits - 1)) - 1
        return every - ((1 << self.fraction) - 1) if self.infinities else every


@cache
def _values(form: Narrow) -> npt.NDArray[np.float32]:
    """The float32 of every pattern."""
    pattern = np.arange(1 << form.bits, dtype=np.int64)
    sign, field = pattern >> (form.bits - 1), (pattern >> form.fraction) & ((1 << form.exponent) - 1)
    fraction = pattern & ((1 << form.fraction) - 1)
    scale = np.exp2((np.maximum(field, 1) - form.bias - form.fraction).astype(np.float64))
    number = (fraction + np.where(field > 0, 1 << form.fraction, 0)) * scale
    if form.infinities:
        odd = field == (1 << form.exponent) - 1
        wide = _F32_INFINITY | fraction << (_F32_FRACTION - form.fraction)
    else:
        odd = pattern & ((1 << (form.bits - 1)) - 1) == (1 << (form.bits - 1)) - 1
        wide = np.full(len(pattern), _F32_INFINITY | _QUIET)
    value = np.where(odd, 0, np.where(sign == 1, -number, number)).astype(np.float32)
    value[odd] = (wide | sign << 31).astype("<u4").view("<f4")[odd]
    return value


FLOAT16 = Narrow(5, 10)
FLOAT8_E4M3 = Narrow(4, 3, infinities=False)
FLOAT8_E5M2 = Narrow(5, 2)
