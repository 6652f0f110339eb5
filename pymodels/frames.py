# SPDX-License-Identifier: Apache-2.0
"""A trace from frames of bytes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.clock import Clock
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.trace import Trace


def trace_of_frames(
    frames: Sequence[npt.NDArray[np.uint8] | bytes], width: int, clock: Clock, tuser: npt.ArrayLike | None = None
) -> Trace:
    """Frames back to back, each from lane 0 on, all lanes kept but those behind its end.

    Args:
        frames: bytes, or (bytes,) uint8 each, at least one byte.
        width: of TDATA in bits.
        clock: the port's.
        tuser: of every beat; None: the port has none.

    Raises:
        UsageError: an empty frame.
    """
    if any(len(frame) == 0 for frame in frames):
        raise UsageError("a frame without bytes")
    lanes = width // 8
    beats = [-(-len(frame) // lanes) for frame in frames]
    rows = np.zeros((sum(beats), lanes), np.uint8)
    keep, last = np.zeros(rows.shape, np.bool_), np.zeros(len(rows), np.bool_)
    end = 0
    for frame, count in zip(frames, beats, strict=True):
        place = slice(end * lanes, end * lanes + len(frame))
        rows.reshape(-1)[place] = np.frombuffer(frame, np.uint8)
        keep.reshape(-1)[place] = True
        end += count
        last[end - 1] = True
    sides = {} if tuser is None else {"tuser": np.full(len(rows), tuser, np.uint64)}
    return Trace.from_bytes(rows, keep=keep, last=last, clock_ps=clock.period_ps, offset_ps=clock.offset_ps, **sides)
