# SPDX-License-Identifier: Apache-2.0
"""The pixels that outputs are computed from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt


def size_out(image: npt.NDArray[Any], stride: int) -> tuple[int, int]:
    """Rows and columns of the output of (height, width, ...): those with even numbers where the stride is 2."""
    return -(-image.shape[0] // stride), -(-image.shape[1] // stride)


def taps_by_rows(
    image: npt.NDArray[Any], kernel: int, stride: int, rows: int
) -> Iterator[tuple[int, int, npt.NDArray[Any]]]:
    """Some rows of the output at a time.

    Args:
        image: (height, width, ch_in).
        kernel: 3 (centred) or 1.
        stride: 1 or 2.
        rows: of the output, at most, each time.

    Yields:
        first row, row behind the last one, and (ch_in, taps, pixels) their taps, 0 outside of the image.
    """
    height, width, channels = image.shape
    rows_out, columns = size_out(image, stride)
    above = kernel // 2
    padded = np.zeros((channels, height + 2 * above, width + 2 * above), image.dtype)
    padded[:, above : above + height, above : above + width] = image.transpose(2, 0, 1)
    for first in range(0, rows_out, rows):
        end = min(rows_out, first + rows)
        taps = np.empty((channels, kernel * kernel, end - first, columns), image.dtype)
        for tap in range(kernel * kernel):
            dy, dx = divmod(tap, kernel)
            taps[:, tap] = padded[
                :, first * stride + dy : (end - 1) * stride + dy + 1 : stride, dx : dx + width : stride
            ]
        yield first, end, taps.reshape(channels, kernel * kernel, -1)
