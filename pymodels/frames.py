# SPDX-License-Identifier: Apache-2.0
"""A trace from frames of bytes, or from a frame with values per byte as other benches have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

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
        tuser: of every beat, or of each frame; None: the port has none.

    Raises:
        UsageError: an empty frame, or a width that is not a multiple of 8.
    """
    if width < 8 or width % 8:
        raise UsageError(f"width: found {width} bits, expected a multiple of 8")
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
    sides = (
        {} if tuser is None else {"tuser": np.repeat(np.broadcast_to(np.asarray(tuser, np.uint64), len(beats)), beats)}
    )
    return Trace.from_bytes(rows, keep=keep, last=last, clock_ps=clock.period_ps, offset_ps=clock.offset_ps, **sides)


class Framed(Protocol):
    """A frame with a value for each of its bytes, such as cocotbext-axi's ``AxiStreamFrame``.

    Attributes:
        tdata: the bytes.
        tkeep: 0 or 1 a byte; None: all are kept.
        tid, tdest, tuser: one value for all, or one a byte; None: 0. A beat has the value of its last byte.
    """

    tdata: Sequence[int]
    tkeep: Sequence[int] | None
    tid: int | Sequence[int] | None
    tdest: int | Sequence[int] | None
    tuser: int | Sequence[int] | None


_SIDES = ("tid", "tdest", "tuser")


def trace_of_frame(frame: Framed, width: int, clock: Clock, sides: Sequence[str]) -> Trace:
    """One frame, back to back from lane 0 on.

    Args:
        frame: at least one byte.
        width: of TDATA in bits.
        clock: the port's.
        sides: the sidebands that the port has.

    Raises:
        UsageError: an empty frame, values that are not one a byte, or a value other than 0 for a sideband that is not there.
    """
    count = len(frame.tdata)
    trace = trace_of_frames([bytes(frame.tdata)], width, clock)
    places = np.minimum(np.arange(1, len(trace) + 1) * (width // 8), count) - 1
    columns: dict[str, npt.NDArray[np.uint64]] = {}
    for name in _SIDES:
        values = _each_byte(name, getattr(frame, name, None), count)
        if name in sides:
            columns[name] = values[places]
        elif values.any():
            raise UsageError(f"the frame has a {name}, the port has none")
    kept = trace.keep
    if (keep := getattr(frame, "tkeep", None)) is not None:
        kept = np.zeros(trace.keep.shape, np.bool_)
        kept.reshape(-1)[:count] = _each_byte("tkeep", keep, count) & 1
    return Trace.from_bytes(
        trace.data, keep=kept, last=trace.last, clock_ps=trace.clock_ps, offset_ps=trace.offset_ps, **columns
    )


def _each_byte(name: str, values: int | Sequence[int] | None, count: int) -> npt.NDArray[np.uint64]:
    """A value for each byte."""
    found = np.asarray(0 if values is None else values, np.uint64)
    if found.ndim and found.shape != (count,):
        raise UsageError(f"{name}: found {len(found)} values, expected one for all, or {count}, one a byte")
    return np.broadcast_to(found, (count,))
