# SPDX-License-Identifier: Apache-2.0
"""Caches that sum: the output cache over input channels, the pool cache over pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError

SUM_CACHE_WORDS = 512


class SumCache:
    """512 words, each of which is set once and then added to.

    Args:
        dtype: of a word.
    """

    def __init__(self, dtype: npt.DTypeLike = np.float32) -> None:
        self.words: npt.NDArray[Any] = np.zeros(SUM_CACHE_WORDS, dtype)

    def set(self, at: int, value: Any) -> None:
        """Forget what was there."""
        self.words[self._checked(at)] = value

    def add(self, at: int, value: Any) -> None:
        """Add to what is there: the new value is the second operand."""
        with np.errstate(all="ignore"):
            self.words[self._checked(at)] += value

    def get(self, at: int) -> Any:
        """What is there."""
        return self.words[self._checked(at)]

    def _checked(self, at: int) -> int:
        if not 0 <= at < SUM_CACHE_WORDS:
            raise UsageError(f"word {at} of a cache of {SUM_CACHE_WORDS} words")
        return at


class OutputCache(SumCache):
    """Results of one pixel by output channel: input channel 0 sets them, the others add."""


class PoolCache(SumCache):
    """Global pooling by output channel: the first pixel sets the sums, the others add, row by row."""
