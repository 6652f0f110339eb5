# SPDX-License-Identifier: Apache-2.0
"""A long sequence as parts that are repeated: what a channel's tasks can say."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.objfifo.engine.registers import QUEUE_DEPTH

T = TypeVar("T", bound=Hashable)
MOST_TIMES = 256
"""Runs of one task: its repeat field holds 255."""


@dataclass(frozen=True)
class RepeatedPart(Generic[T]):
    """Items that come one after the other, so many times."""

    items: tuple[T, ...]
    times: int


def rolled(sequence: Sequence[T], most: int) -> tuple[RepeatedPart[T], ...] | None:
    """A sequence in parts, as many as a queue has tasks, with the fewest items in all.

    Args:
        sequence: what is to be said.
        most: items that may be written down.

    Returns:
        the parts in order, None where no form is short enough.
    """
    numbers: dict[T, int] = {}
    codes = np.array([numbers.setdefault(item, len(numbers)) for item in sequence], np.int64)
    runs = [_matches(codes, period) for period in range(1, min(most, len(codes)) + 1)]
    # Cheapest way to each position with so many parts: items written, and the parts as (start, period, times).
    ways: dict[int, tuple[int, tuple[tuple[int, int, int], ...]]] = {0: (0, ())}
    best = ways.get(len(codes))
    for _ in range(QUEUE_DEPTH):
        further: dict[int, tuple[int, tuple[tuple[int, int, int], ...]]] = {}
        for start, (cost, parts) in ways.items():
            for period, run in enumerate(runs, 1):
                if cost + period > most or start + period > len(codes):
                    break
                times = min(MOST_TIMES, 1 + int(run[start]) // period)
                end = start + period * times
                if end not in further or cost + period < further[end][0]:
                    further[end] = cost + period, (*parts, (start, period, times))
        ways = further
        found = ways.get(len(codes))
        if found is not None and (best is None or found[0] < best[0]):
            best = found
    if best is None:
        return None
    return tuple(RepeatedPart(tuple(sequence[start : start + period]), times) for start, period, times in best[1])


def _matches(codes: npt.NDArray[np.int64], period: int) -> npt.NDArray[np.int64]:
    """For each place, how many places from there on hold what the place a period later holds."""
    same = np.zeros(len(codes), np.bool_)
    same[: len(codes) - period] = codes[period:] == codes[: len(codes) - period]
    ends = np.where(same, len(codes), np.arange(len(codes)))
    following = np.minimum.accumulate(ends[::-1])[::-1]
    return following - np.arange(len(codes))
