# SPDX-License-Identifier: Apache-2.0
"""How much is under way between two ports: what has gone in and has not come out yet, a function of two traces.

Transfers at the same time count together, those out before those in, so a beat that passes straight through adds nothing. Of a FIFO
it is the fill level, its output register included.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.measure import (
    EarlyOutputError,
    UnmatchedError,
    UnmeasurableError,
    check_frames_agree,
    check_tails_agree,
)
from goldbeat.pymodels.trace import Trace

BacklogUnit = Literal["beats", "bytes", "frames"]
BACKLOG_UNITS: tuple[BacklogUnit, ...] = ("beats", "bytes", "frames")

_Column = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Backlog:
    """What was under way between two ports.

    Attributes:
        unit: what was counted: beats, bytes that hold data, or frames (by their TLAST).
        total: how many went through.
        most: the largest backlog.
        at_ps: when it was there first, in picoseconds.
        beat: the input beat that made it so.
        mean: average over the time from the first beat in to the last beat out.
    """

    unit: BacklogUnit
    total: int
    most: int
    at_ps: int
    beat: int
    mean: float


def backlog(source: Trace, sink: Trace, *, unit: BacklogUnit = "beats", kept_inside: bool = False) -> Backlog:
    """The backlog between two ports of a design.

    Args:
        source: transfers into it.
        sink: transfers out of it, on the same time base.
        unit: what to count. Ports of different widths do not have the same beats: count bytes there.
        kept_inside: in frames, beats behind the last TLAST of the input may stay in the design: a golden model says so.

    Raises:
        UnmatchedError: not as much comes out as goes in, of all or of a frame.
        UnmeasurableError: nothing goes in.
        EarlyOutputError: more comes out than has gone in.
        UsageError: an unknown unit.
    """
    if unit not in BACKLOG_UNITS:
        raise UsageError(f"backlog in {unit!r} is not known; known: {', '.join(BACKLOG_UNITS)}")
    totals = [sum(int(_weights(part, unit).sum()) for part in trace.parts()) for trace in (source, sink)]
    if totals[0] != totals[1]:
        hint = "; count bytes instead" if unit == "beats" and source.width != sink.width else ""
        raise UnmatchedError(
            f"{totals[0]} {unit} at the input and {totals[1]} at the output are not equal in number{hint}"
        )
    if unit != "frames":
        check_frames_agree(source, sink, lambda trace: _weights(trace, unit), unit)
    elif totals[0]:
        check_tails_agree(source, sink, kept_inside=kept_inside)
    if not totals[0]:
        raise UnmeasurableError(f"no {unit}")
    most, at_ps, beat, area = -1, 0, 0, 0.0
    for time, level, number in _levels(source, sink, unit):
        top = int(np.argmax(level))
        if int(level[top]) > most:
            most, at_ps, beat = int(level[top]), int(time[top]), number + top
    # The area under the backlog is the time that all of it has spent inside.
    origin = int(source[:1].time_ps[0])
    for trace, sign in ((source, -1), (sink, 1)):
        area += sign * sum(float((_weights(p, unit) * (p.time_ps - origin)).sum()) for p in trace.parts())
    span = int(sink[-1:].time_ps[0]) - origin
    return Backlog(unit, totals[0], most, at_ps, beat, area / span if span else 0.0)


def backlog_curve(
    source: Trace, sink: Trace, *, unit: BacklogUnit = "beats", points: int = 4000
) -> tuple[_Column, _Column]:
    """The backlog over time, for a picture: times in picoseconds, and the backlog right behind the input beats of these times.

    Args:
        source: transfers into the design.
        sink: transfers out of it.
        unit: what to count.
        points: most of them; of more beats, the largest of each stretch is kept.
    """
    times, levels = [], []
    step = max(1, -(-len(source) // points))
    for time, level, _ in _levels(source, sink, unit):
        for start in range(0, len(time), step):
            top = start + int(np.argmax(level[start : start + step]))
            times.append(int(time[top]))
            levels.append(int(level[top]))
    return np.array(times, np.int64), np.array(levels, np.int64)


def _levels(source: Trace, sink: Trace, unit: BacklogUnit) -> Iterator[tuple[_Column, _Column, int]]:
    """Part by part: the times of the input beats, the backlog right behind each, and the number of the first beat."""
    came = went = out = number = 0
    for part in source.parts():
        time = part.time_ps
        behind = sink.beats_before(int(time[-1]) + 1)
        gone = sink[out:behind]
        inside = came + np.cumsum(_weights(part, unit))
        left = went + np.concatenate([[0], np.cumsum(_weights(gone, unit))])
        level = inside - left[np.searchsorted(gone.time_ps, time, side="right")]
        _check_order(unit, part, gone, came, went)
        yield time, level, number
        came, went, out, number = int(inside[-1]), int(left[-1]), behind, number + len(part)


def _check_order(unit: BacklogUnit, part: Trace, gone: Trace, came: int, went: int) -> None:
    """Refuse what comes out before it has gone in."""
    if not len(gone):
        return
    inside = came + np.concatenate([[0], np.cumsum(_weights(part, unit))])
    left = went + np.cumsum(_weights(gone, unit))
    early = left > inside[np.searchsorted(part.time_ps, gone.time_ps, side="right")]
    if early.any():
        at = int(gone.time_ps[int(np.argmax(early))])
        raise EarlyOutputError(
            f"at {at} ps more {unit} have left than have entered: "
            "input and output are swapped, or have different time bases"
        )


def _weights(trace: Trace, unit: BacklogUnit) -> _Column:
    """(n,) what each beat counts."""
    if unit == "bytes":
        return trace.valid_bytes()
    return trace.last.astype(np.int64) if unit == "frames" else np.ones(len(trace), np.int64)
