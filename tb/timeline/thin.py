# SPDX-License-Identifier: Apache-2.0
"""Rows with more slices than a viewer takes: slices that follow each other are merged, and the trace says so."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from goldbeat.tb.timeline.rows import Counts, Slices

MERGED = "merged"
"""Argument of a slice that stands for several: how many."""


@dataclass(frozen=True)
class Thinned:
    """What was merged on a row.

    Attributes:
        row: its name.
        entries: slices, or values of a counter, that there are.
        written: those in the trace.
        within_ps: slices at most so far apart were merged; of a counter the largest value in each stretch of so much was kept.
    """

    row: str
    entries: int
    written: int
    within_ps: int


def thin_slices(slices: Slices, most: int) -> tuple[Slices, Thinned | None]:
    """At most so many slices: first those back to back are merged, then those at most so far apart, as little as it takes.

    Args:
        slices: of one row.
        most: at least 1.
    """
    if len(slices) <= most:
        return slices, None
    apart = slices.begin[1:] - np.maximum.accumulate(slices.end)[:-1]
    # The largest distances stay.
    within = max(0, int(np.partition(apart, len(apart) - most)[len(apart) - most]))
    starts = np.concatenate([[0], np.flatnonzero(apart > within) + 1])
    merged = _merged(slices, starts)
    return merged, Thinned(slices.row, len(slices), len(merged), within)


def _merged(slices: Slices, starts: npt.NDArray[np.int64]) -> Slices:
    first = slices[starts]
    args = dict(first.args)
    for name in slices.summed:
        column = slices.args[name]
        assert isinstance(column, np.ndarray)
        args[name] = np.add.reduceat(column, starts)
    args[MERGED] = np.diff(np.append(starts, len(slices)))
    return replace(first, end=np.maximum.reduceat(slices.end, starts), args=args)


def thin_counts(counts: Counts, most: int) -> tuple[Counts, Thinned | None]:
    """At most so many values: of each stretch of time the largest one.

    Args:
        counts: one counter.
        most: at least 1.
    """
    n = len(counts.at)
    if n <= most:
        return counts, None
    width = -(-(int(counts.at[-1]) - int(counts.at[0]) + 1) // most)
    stretch = (counts.at - counts.at[0]) // width
    starts = np.concatenate([[0], np.flatnonzero(np.diff(stretch)) + 1])
    kept = replace(counts, at=counts.at[starts], value=np.maximum.reduceat(counts.value, starts))
    return kept, Thinned(counts.row, n, len(starts), width)
