# SPDX-License-Identifier: Apache-2.0
"""How far two values may lie apart and still count as equal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.samples import SampleType


@dataclass(frozen=True)
class Tolerance:
    """A value is close enough if it is by any of these; re and im of a complex sample are values of their own.

    Attributes:
        absolute: largest difference.
        relative: largest difference as a share of the expected value's magnitude.
        lsb: largest difference of integers, in units of their last place.
        ulp: largest distance of floats, in numbers that the type has between them (adjacent ones are 1 apart).
    """

    absolute: float = 0.0
    relative: float = 0.0
    lsb: int = 0
    ulp: int = 0

    def __post_init__(self) -> None:
        for name in ("absolute", "relative", "lsb", "ulp"):
            value = getattr(self, name)
            if not 0 <= value < np.inf:
                raise UsageError(f"a tolerance of {value} ({name}) is not a number of at least 0")

    def __str__(self) -> str:
        words = {"absolute": f"{self.absolute:g}", "relative": f"{self.relative:g} of the expected value"}
        words |= {"lsb": f"{self.lsb} LSB", "ulp": f"{self.ulp} ULP"}
        return " or ".join(text for name, text in words.items() if getattr(self, name)) or "0"

    def check(self, kind: SampleType) -> None:
        """Refuse what the type does not have.

        Raises:
            UsageError: LSB of floats, or ULP of integers.
        """
        if self.lsb and not kind.is_integer:
            raise UsageError(f"a tolerance in LSB is for integers, and {kind.name} is none: give one in ULP")
        if self.ulp and kind.is_integer:
            raise UsageError(f"a tolerance in ULP is for floats, and {kind.name} is none: give one in LSB")

    def far(
        self, expected: npt.NDArray[Any], got: npt.NDArray[Any], kind: SampleType
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
        """Which values lie too far apart.

        Args:
            expected: parts in ``kind.part_dtype``, of any shape.
            got: parts of the same shape.
            kind: their type.

        Returns:
            For each part: whether it is too far off, and by how much it is off (infinite where a NaN or infinity
            meets another value).
        """
        self.check(kind)
        return self._integers(expected, got) if kind.is_integer else self._floats(expected, got, kind)

    def _integers(
        self, expected: npt.NDArray[Any], got: npt.NDArray[Any]
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
        # 64-bit numbers lie up to 2**64 - 1 apart: subtracted modulo 2**64.
        high, low = (f(expected, got).astype(np.uint64) for f in (np.maximum, np.minimum))
        apart = high - low
        off = apart.astype(np.float64)
        near = (apart <= np.uint64(min(self.lsb, (1 << 64) - 1))) | (off <= self.absolute)
        return ~(near | (off <= self.relative * np.abs(expected.astype(np.float64)))), off

    def _floats(
        self, expected: npt.NDArray[Any], got: npt.NDArray[Any], kind: SampleType
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
        a, b = (kind.to_float(parts).astype(np.float64) for parts in (expected, got))
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        finite = np.isfinite(a) & np.isfinite(b)
        with np.errstate(invalid="ignore"):
            off = np.where(same, 0.0, np.where(finite, np.abs(a - b), np.inf))
            near = (off <= self.absolute) | (off <= self.relative * np.abs(a))
        order = [_order(parts, kind.part_bits) for parts in (expected, got)]
        near |= np.abs(order[0] - order[1]) <= self.ulp
        return ~(same | (finite & near)), off


def _order(parts: npt.NDArray[Any], bits: int) -> npt.NDArray[np.int64]:
    """Integers in the order of the floats that the patterns stand for."""
    pattern = parts.view(f"<u{parts.dtype.itemsize}").astype(np.int64)
    magnitude = pattern & ((1 << (bits - 1)) - 1)
    return np.where(pattern >> (bits - 1) == 1, -magnitude, magnitude)
