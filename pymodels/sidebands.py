# SPDX-License-Identifier: Apache-2.0
"""The sideband signals of AXI-Stream that a trace may have, TSTRB among them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

SIDEBANDS = ("tid", "tdest", "tuser", "tstrb")
"""In the order in which files and comparisons have them."""
MOST_LANES = 64
"""Bytes of the widest port whose TSTRB a trace has: one number per beat."""


def strobe_lanes(bits: npt.NDArray[np.uint64], count: int) -> npt.NDArray[np.bool_]:
    """(n, count) of (n,) numbers: their low bits, the lowest first."""
    raw = np.ascontiguousarray(bits, "<u8").view(np.uint8).reshape(len(bits), 8)
    return np.unpackbits(raw, axis=1, count=count, bitorder="little").view(np.bool_)


def strobe_bits(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint64]:
    """(n,) numbers of (n, B) bits, at most 64 of them, the lowest first."""
    packed = np.zeros((len(mask), 8), np.uint8)
    rows = np.packbits(mask, axis=1, bitorder="little")
    packed[:, : rows.shape[1]] = rows
    found: npt.NDArray[np.uint64] = packed.view("<u8").reshape(len(mask)).astype(np.uint64)
    return found
