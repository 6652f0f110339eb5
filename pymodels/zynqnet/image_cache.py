# SPDX-License-Identifier: Apache-2.0
"""The image cache: four lines of the input, written one after the other for ever."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError

IMAGE_CACHE_WORDS = 32_768
IMAGE_CACHE_LINES = 4


class ImageCache:
    """Four lines of ``width`` pixels of ``ch_in`` words.

    Pixel (y, x), channel ci lies at ``(y % 4) * width * ch_in + x * ch_in + ci``. Words arrive in this very order, so that a
    pointer that wraps after four lines is all that writing needs.

    Args:
        width, height: of the input.
        ch_in: channels.
        dtype: of a word.

    Raises:
        UsageError: four lines do not fit.
    """

    def __init__(self, width: int, height: int, ch_in: int, dtype: npt.DTypeLike = np.float32) -> None:
        self.width, self.height, self.ch_in = width, height, ch_in
        self.size = IMAGE_CACHE_LINES * width * ch_in
        if self.size > IMAGE_CACHE_WORDS:
            raise UsageError(
                f"four lines of {width} x {ch_in} words are {self.size}, the cache has {IMAGE_CACHE_WORDS}"
            )
        self._words: npt.NDArray[Any] = np.zeros(IMAGE_CACHE_WORDS, dtype)
        self.pointer = 0

    def address(self, y: int, x: int, ci: int) -> int:
        """Where a word of a pixel inside the image lies."""
        return ((y % IMAGE_CACHE_LINES) * self.width + x) * self.ch_in + ci

    def write(self, value: Any) -> int:
        """Store the next word; its address."""
        at = self.pointer
        self._words[at] = value
        self.pointer = 0 if at + 1 == self.size else at + 1
        return at

    def inside(self, y: int, x: int) -> bool:
        """Whether a pixel is one of the image."""
        return 0 <= y < self.height and 0 <= x < self.width

    def read(self, y: int, x: int, ci: int) -> Any:
        """One word; +0 outside of the image."""
        return self._words[self.address(y, x, ci)] if self.inside(y, x) else self._words.dtype.type(0)

    def window(self, y: int, x: int, ci: int) -> npt.NDArray[Any]:
        """(9,) the 3x3 pixels around one, row by row."""
        return np.array([self.read(y + dy, x + dx, ci) for dy in (-1, 0, 1) for dx in (-1, 0, 1)], self._words.dtype)
