# SPDX-License-Identifier: Apache-2.0
"""What the benches of ZynqNet's single blocks share."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.trace import Trace

Words = npt.NDArray[np.uint32]
NAN = np.uint32(0x7FC00000)
_ADDRESS = ("addr", "len", "size", "burst", "valid", "ready")
MEMORY_ROLES = (
    *(f"{way}{role}" for way in ("aw", "ar") for role in _ADDRESS),
    *("wdata", "wstrb", "wlast", "wvalid", "wready", "bresp", "bvalid", "bready"),
    *("rdata", "rresp", "rlast", "rvalid", "rready"),
)
"""The AXI4 port has one ID, and neither locks nor protection."""
COUNTED_LATE = {"values zynqnet_fp_*.sv:*: (sh > 32'h1f) is true": "counted behind the limit; the choice itself is met"}
"""The simulator counts ``sh = sh > 31 ? 31 : sh`` with the new value."""


def packed_rows(
    rows: npt.NDArray[Any], like: Any, cycle: npt.NDArray[np.int64] | None = None, last: Any = None
) -> Trace:
    """Rows of 32-bit words as a trace, the first word lowest.

    Args:
        rows: (n, words) uint32, int32 or float32.
        like: a clock or a trace, for period and offset.
        cycle: (n,) of each beat; None: one after the other.
        last: (n,) ends of frames.
    """
    data = np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), rows.shape[1] * rows.itemsize)
    period = like.clock_ps if isinstance(like, Trace) else like.period_ps
    return Trace.from_bytes(data, cycle=cycle, last=last, clock_ps=period, offset_ps=like.offset_ps)


def row_words(trace: Trace) -> Words:
    """(n, words) of 32 bits."""
    return np.ascontiguousarray(trace.data).view(np.uint32).reshape(len(trace), -1)


def taken(trace: Trace) -> Trace:
    """When a stream without TREADY transfers: nothing does at edge 0, right behind reset release, and a late source stays late."""
    return trace.with_cycles(trace.cycle + int(len(trace) > 0 and trace.cycle[0] == 0))


def random_words(rng: np.random.Generator, shape: tuple[int, ...], int8: bool = False) -> Words:
    """Random numbers of the format, as bits: floats around 1 with zeros and a few subnormals, or bytes with their sign extended."""
    if int8:
        return rng.integers(-128, 128, shape).astype(np.int32).view(np.uint32)
    values = rng.standard_normal(shape).astype(np.float32)
    values[rng.random(shape) < 0.1] = 0
    tiny = rng.random(shape) < 0.05
    values[tiny] *= np.float32(1e-40)
    return values.view(np.uint32)


def nan_bits(values: npt.NDArray[Any]) -> Words:
    """Bits of floats, every NaN as the hardware writes it."""
    bits = np.ascontiguousarray(values).view(np.uint32).copy()
    bits[np.isnan(values)] = NAN
    return bits
