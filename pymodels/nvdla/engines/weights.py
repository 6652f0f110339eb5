# SPDX-License-Identifier: Apache-2.0
"""Weights of direct convolutions in the order of nv_small's hardware.

Kernels go in groups of 8. A group goes block by block of 8 channels, within a block row by row and column by column of
the kernel, and at each point kernel by kernel with the block's channels next to each other. The last group and the last
block may be smaller; nothing is padded but the end of it all.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError

ATOM_K = 8
"""Kernels of a group."""
ATOM_C = 8
"""Channels of a block."""
LARGEST_WEIGHTS = 1 << 26
"""Bytes that the model takes on: it needs a dozen times as many while it works."""
ALIGNMENT = 128
"""What weights are filled up to here; the driver takes any size, compilers fill up to 8 bytes."""


def _order(kernels: int, channels: int, rows: int, columns: int, joined: int = 1) -> npt.NDArray[np.int32]:
    """(n,) index into (K, C, R, S) of each byte."""
    index = np.arange(kernels * channels * rows * columns, dtype=np.int32).reshape(kernels, channels, rows, columns)
    if joined > 1:
        parts = [
            index[k : k + ATOM_K, :, r : r + joined].transpose(3, 0, 2, 1).reshape(-1)
            for k in range(0, kernels, ATOM_K)
            for r in range(0, rows, joined)
        ]
        return np.concatenate(parts)
    parts = [
        index[k : k + ATOM_K, c : c + ATOM_C].transpose(2, 3, 0, 1).reshape(-1)
        for k in range(0, kernels, ATOM_K)
        for c in range(0, channels, ATOM_C)
    ]
    return np.concatenate(parts) if parts else np.zeros(0, np.int32)


def pack_weights(weights: npt.ArrayLike, joined: int = 1) -> npt.NDArray[np.uint8]:
    """(K, C, R, S) int8 weights as bytes, zeros up to a multiple of 128.

    Args:
        weights: the kernels; for pixel input S is 1, C the kernel's width times the channels of a pixel.
        joined: rows that lie together kernel by kernel: 2 or 4 with CSC's post-extension of pixel input.
    """
    array = np.asarray(weights, np.int8)
    if array.ndim != 4:
        raise InputError(f"weights of shape {array.shape}", "(kernels, channels, rows, columns)")
    kernels, channels, rows, columns = array.shape
    plain = array.reshape(-1)[_order(kernels, channels, rows, columns, joined)]
    out = np.zeros(len(plain) + -len(plain) % ALIGNMENT, np.int8)
    out[: len(plain)] = plain
    return out.view(np.uint8)


def unpack_weights(
    data: npt.NDArray[np.uint8], kernels: int, channels: int, rows: int, columns: int, joined: int = 1
) -> npt.NDArray[np.int8]:
    """(K, C, R, S) int8 weights from bytes; ``joined`` as for :func:`pack_weights`."""
    size = kernels * channels * rows * columns
    if size > LARGEST_WEIGHTS:
        raise InputError(f"weights of {size} bytes", f"at most {LARGEST_WEIGHTS}")
    if len(data) < size:
        raise InputError(f"weights of {len(data)} bytes", f"at least {size}")
    out = np.empty(size, np.int8)
    out[_order(kernels, channels, rows, columns, joined)] = data[:size].view(np.int8)
    return out.reshape(kernels, channels, rows, columns)
