# SPDX-License-Identifier: Apache-2.0
"""Null bytes of AXI-Stream: bytes without TKEEP, which an interconnect may drop, move or add without changing the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.sidebands import strobe_bits
from goldbeat.pymodels.trace import Trace


def has_null_bytes(trace: Trace) -> bool:
    """Whether bytes are left out elsewhere than at the end of a frame, or a frame has none at all."""
    full = trace.keep.all(axis=1)
    lowest = np.arange(trace.keep.shape[1]) < trace.keep.sum(axis=1)[:, None]
    ends = trace.last & trace.keep[:, 0] & (trace.keep == lowest).all(axis=1)
    return not bool((full | ends).all())


def frames_with_null_bytes(trace: Trace) -> npt.NDArray[np.bool_]:
    """Which frames have null bytes anywhere, at the end as well; an unfinished one at the end counts as a frame."""
    frame = _frame_of(trace)
    return np.bincount(frame[~trace.keep.all(axis=1)], minlength=int(frame[-1]) + 1 if len(frame) else 0) > 0


def _frame_of(trace: Trace) -> npt.NDArray[np.int64]:
    """The number of each beat's frame."""
    return np.cumsum(trace.last) - trace.last


def without_null_bytes(trace: Trace, width: int | None = None, frames: npt.NDArray[np.bool_] | None = None) -> Trace:
    """The same kept bytes and ends of frames without null bytes, back to back from cycle 0.

    Each frame begins in a beat of its own; a frame without a byte is one beat that keeps none. Position bytes stay what they are,
    other sidebands are left out: a beat of one width has no counterpart at another.

    Args:
        trace: any.
        width: bits of the result's beats; None: those of the trace.
        frames: which frames may have null bytes; the beats of all others stay as they are. None: all may. For the same width.
    """
    lanes = (trace.width if width is None else width) // 8
    frame = _frame_of(trace)
    count = int(frame[-1]) + 1 if len(trace) else 0
    taken = trace.keep
    if frames is not None:
        taken = taken | ~np.pad(frames, (0, max(0, count - len(frames))))[frame, None]
    held = np.bincount(frame, taken.sum(axis=1), count).astype(np.int64)
    ended = np.zeros(count, np.bool_)
    ended[frame[trace.last]] = True
    beats = np.maximum(-(-held // lanes), ended)
    first = np.cumsum(beats) - beats
    of_byte = np.repeat(np.arange(count), held)
    place = np.arange(len(of_byte)) - np.repeat(np.cumsum(held) - held, held) + first[of_byte] * lanes
    total = int(beats.sum())
    data, keep, strobe = np.zeros(total * lanes, np.uint8), np.zeros(total * lanes, np.bool_), None
    data[place], keep[place] = trace.data[taken], trace.keep[taken]
    sides: dict[str, Any] = {}
    if trace.tstrb is not None:
        strobe = np.zeros(total * lanes, np.bool_)
        strobe[place] = trace.data_bytes[taken]
        sides["tstrb"] = strobe_bits(strobe.reshape(total, lanes))
    last = np.zeros(total, np.bool_)
    last[(first + beats - 1)[ended]] = True
    return Trace.from_bytes(
        data.reshape(total, lanes),
        keep=keep.reshape(total, lanes),
        last=last,
        clock_ps=trace.clock_ps,
        offset_ps=trace.offset_ps,
        **sides,
    )
