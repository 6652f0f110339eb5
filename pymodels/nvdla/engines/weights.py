# SPDX-License-Identifier: Apache-2.0
"""Weights of direct convolutions in the order of the hardware.

Kernels go in groups. A group goes block by block of channels, within a block row by row and column by column of the
kernel, and at each point kernel by kernel with the block's channels next to each other. The last group and the last block
may be smaller; nothing is padded but the end of it all. nv_small has groups of 8 kernels and blocks of 8 channels.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.engines.configuration import BYTES, INT8, KINDS, NV_SMALL, Configuration

ATOM_K, ATOM_C = NV_SMALL.kernels[INT8], NV_SMALL.depth
"""Kernels of a group and channels of a block, of nv_small."""
LARGEST_WEIGHTS = 1 << 26
"""Bytes that the model takes on: it needs a dozen times as many while it works."""
ALIGNMENT = 128
"""What weights are filled up to here; the driver takes any size, compilers fill up to 8 bytes."""


def _order(shape: tuple[int, int, int, int], group: int, block: int, joined: int) -> npt.NDArray[np.int32]:
    """(n,) index into (K, C, R, S) of each element."""
    kernels, channels, rows, columns = shape
    index = np.arange(kernels * channels * rows * columns, dtype=np.int32).reshape(kernels, channels, rows, columns)
    if joined > 1:
        parts = [
            index[k : k + group, :, r : r + joined].transpose(3, 0, 2, 1).reshape(-1)
            for k in range(0, kernels, group)
            for r in range(0, rows, joined)
        ]
        return np.concatenate(parts)
    parts = [
        index[k : k + group, c : c + block].transpose(2, 3, 0, 1).reshape(-1)
        for k in range(0, kernels, group)
        for c in range(0, channels, block)
    ]
    return np.concatenate(parts) if parts else np.zeros(0, np.int32)


def pack_weights(
    weights: npt.ArrayLike, joined: int = 1, configuration: Configuration = NV_SMALL, precision: int = INT8
) -> npt.NDArray[np.uint8]:
    """(K, C, R, S) weights as bytes, zeros up to a multiple of 128.

    Args:
        weights: the kernels; for pixel input S is 1, C the kernel's width times the channels of a pixel.
        joined: rows that lie together kernel by kernel: 2 or 4 with CSC's post-extension of pixel input.
        configuration: of the hardware.
        precision: of the weights.
    """
    array = np.asarray(weights, KINDS[precision])
    if array.ndim != 4:
        raise InputError(f"weights of shape {array.shape}", "(kernels, channels, rows, columns)")
    order = _order(array.shape, configuration.kernels[precision], configuration.depth, joined)
    raw = array.reshape(-1)[order].view(np.uint8)
    return np.concatenate([raw, np.zeros(-len(raw) % ALIGNMENT, np.uint8)])


def unpack_weights(
    data: npt.NDArray[np.uint8],
    shape: tuple[int, int, int, int],
    joined: int = 1,
    configuration: Configuration = NV_SMALL,
    precision: int = INT8,
) -> npt.NDArray[np.number]:
    """(K, C, R, S) weights of this shape from bytes; the others as for :func:`pack_weights`."""
    size = int(np.prod(shape)) * BYTES[precision]
    if size > LARGEST_WEIGHTS:
        raise InputError(f"weights of {size} bytes", f"at most {LARGEST_WEIGHTS}")
    if len(data) < size:
        raise InputError(f"weights of {len(data)} bytes", f"at least {size}")
    order = _order(shape, configuration.kernels[precision], configuration.depth, joined)
    out = np.empty(len(order), KINDS[precision])
    out[order] = np.ascontiguousarray(data[:size]).view(KINDS[precision])
    return out.reshape(shape)
