# SPDX-License-Identifier: Apache-2.0
"""From the columns of a parsed PLIO file to a trace: the last steps that every reader shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.plio_file.clock import PortClock, given_clock, infer_clock, whole_multiples
from goldbeat.pymodels.plio_file.words import KEEP_IGNORED
from goldbeat.pymodels.samples import SampleType
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.usual_clocks import Period

WIDTHS = (32, 64, 128)
"""Widths of PLIO ports in bits."""

WORD_BYTES = 4
"""TLAST beats end on whole words of so many bytes."""

MAX_BEATS = 1 << 28
"""More beats than this in one file are taken for a mistake (``DATA:n`` can ask for any number)."""


def check_port(kind: SampleType, width: int, clock_ps: Period | None) -> int:
    """Samples in a full beat.

    Raises:
        UsageError: no such port width, a type that does not fit it, or an impossible clock.
    """
    if width not in WIDTHS:
        raise UsageError(f"a PLIO port is 32, 64 or 128 bits wide, not {width}")
    if clock_ps is not None and clock_ps < 1:
        raise UsageError(f"a clock period of {float(clock_ps):g} ps is not positive")
    return kind.per_beat(width)


MAX_STALL = 1 << 40
"""More idle cycles than this in one file are taken for a mistake."""


@dataclass(frozen=True)
class Beats:
    """n beats as they stand in a file, all checked.

    Attributes:
        parts: parts (samples, or re and im) of all beats one after the other, in the sample type's ``part_dtype``.
        counts: (n,) integers, parts of each beat.
        last: (n,) bool.
        keep: (n,) int64 valid bytes of each beat from the low end, or negative: those that are there.
        time: (n,) int64 picoseconds, or None for a file without times.
        cycle: (n,) int64, or None: from the times, or back to back.
        line: (n,) int32 line of each beat.
        time_line: (n,) int32 line of each time, or None.
        big: for each part, whether it was written as a number of 2**31 or more; None where that cannot be.
    """

    parts: npt.NDArray[Any]
    counts: npt.NDArray[np.int8]
    last: npt.NDArray[np.bool_]
    keep: npt.NDArray[np.int64] | None
    time: npt.NDArray[np.int64] | None
    cycle: npt.NDArray[np.int64] | None
    line: npt.NDArray[np.int32]
    time_line: npt.NDArray[np.int32] | None
    big: npt.NDArray[np.bool_] | None = None

    @property
    def ignored_keeps(self) -> int:
        """Beats whose TKEEP says that no byte is valid, and is ignored."""
        return 0 if self.keep is None else int(np.count_nonzero(self.keep == KEEP_IGNORED))


@dataclass(frozen=True)
class Rows:
    """m DATA rows of a CSV file, all checked.

    Attributes:
        parts: (m * parts a beat,) in the sample type's ``part_dtype``.
        big: for each part, whether it was written as a number of 2**31 or more; None where that cannot be.
        last: (m,) bool.
        keep: (m,) int64 valid bytes from the low end, negative for all; None where all are -1.
        gap: (m,) int64 idle cycles before the row.
        repeat: (m,) int64 beats the row makes.
        line: (m,) int32 line of each row.
    """

    parts: npt.NDArray[Any]
    big: npt.NDArray[np.bool_] | None
    last: npt.NDArray[np.bool_]
    keep: npt.NDArray[np.int64] | None
    gap: npt.NDArray[np.int64]
    repeat: npt.NDArray[np.int64]
    line: npt.NDArray[np.int32]

    def beats(self) -> Beats:
        """Each row ``repeat`` times, its idle cycles before the first of them."""
        rows = len(self.repeat)
        full = len(self.parts) // max(rows, 1)
        step = np.ones(int(self.repeat.sum()), np.int64)
        step[np.cumsum(self.repeat) - self.repeat] += self.gap

        def each(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return np.repeat(column, self.repeat, axis=0)

        return Beats(
            parts=each(self.parts.reshape(rows, full)).reshape(-1),
            counts=np.full(len(step), full, np.int8),
            last=each(self.last),
            keep=None if self.keep is None else each(self.keep),
            time=None,
            cycle=np.cumsum(step) - 1,
            line=each(self.line),
            time_line=None,
            big=None if self.big is None else each(self.big.reshape(rows, full)).reshape(-1),
        )


def join_rows(chunks: Sequence[Rows]) -> Rows:
    """One after the other; at least one."""
    return chunks[0] if len(chunks) == 1 else Rows(**_columns(chunks, [len(c.repeat) for c in chunks]))


def join(chunks: Sequence[Beats]) -> Beats:
    """One after the other; at least one."""
    return chunks[0] if len(chunks) == 1 else Beats(**_columns(chunks, [len(c.counts) for c in chunks]))


def _columns(chunks: Sequence[Beats] | Sequence[Rows], sizes: list[int]) -> dict[str, Any]:
    """The columns of chunks put together, by name; None where no chunk has one."""
    columns: dict[str, Any] = {}
    for field in fields(chunks[0]):
        pieces = [getattr(c, field.name) for c in chunks]
        if field.name == "keep" and any(p is not None for p in pieces):
            pieces = [np.full(n, -1, np.int64) if p is None else p for p, n in zip(pieces, sizes, strict=True)]
        there = [p for p in pieces if p is not None]
        columns[field.name] = np.concatenate(there) if there else None
    return columns


def build_trace(beats: Beats, kind: SampleType, width: int, clock_ps: Period | None) -> tuple[Trace, PortClock]:
    """The trace of the beats, and the port's clock.

    The trace's own period is the clock's where all times lie on its grid, else the longest one that all of them are
    multiples of: no picosecond is lost.
    """
    n, size = len(beats.counts), width // 8
    full = kind.per_beat(width) * kind.parts
    raw = np.ascontiguousarray(beats.parts, dtype=kind.part_dtype)
    if raw.size == n * full:
        data = kind.pack(raw).reshape(n, size)
        keep = np.ones((n, size), np.bool_)
    else:
        there = np.arange(full) < beats.counts[:, None]
        padded = np.zeros((n, full), kind.part_dtype)
        padded[there] = raw
        data = kind.pack(padded.reshape(-1)).reshape(n, size)
        # Short beats fill whole words, so no byte is half there.
        keep = there[:, ::2] if kind.part_bits < 8 else np.repeat(there, kind.part_bits // 8, axis=1)
    if beats.keep is not None:
        keep = keep & ((beats.keep < 0)[:, None] | (np.arange(size) < beats.keep[:, None]))
    step = np.zeros(0, np.int64) if beats.time is None else np.diff(beats.time)
    # Stamps in whole nanoseconds may have been rounded.
    resolution = 1 if beats.time is None or (beats.time % 1000).any() else 1000
    if clock_ps is not None:
        clock = given_clock(clock_ps, step, resolution)
    else:
        clock = infer_clock(step)
        if whole_multiples(step, clock.period_ps):
            clock = replace(clock, exact_ps=Fraction(clock.period_ps))
    period, offset, cycle = clock.period_ps, 0, beats.cycle
    if beats.time is not None:
        if (step % period).any():
            period = int(np.gcd.reduce(step))
        offset = int(beats.time[0]) % period
        cycle = (beats.time - offset) // period
    trace = Trace.from_bytes(data, keep=keep, last=beats.last, cycle=cycle, clock_ps=period, offset_ps=offset)
    return trace, clock
