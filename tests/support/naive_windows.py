# SPDX-License-Identifier: Apache-2.0
"""Windows, shares and latencies by their definitions: one window, cycle and pair at a time, in whole numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

Beat = tuple[int, int]
"""Cycle and payload bytes."""


def windows(beats: Sequence[Beat], length: int) -> Iterator[tuple[int, int]]:
    """Start and payload of every window of so many cycles, from the first beat to the end of the last one's cycle."""
    if not beats:
        return
    for start in range(beats[0][0], beats[-1][0] + 1 - length + 1):
        yield start, sum(size for cycle, size in beats if start <= cycle < start + length)


def slowest(beats: Sequence[Beat], length: int) -> tuple[int, int]:
    """Payload and start of the first of the emptiest windows."""
    return min((payload, start) for start, payload in windows(beats, length))


def fastest(beats: Sequence[Beat], length: int) -> int:
    """Payload of the fullest window."""
    return max(payload for _, payload in windows(beats, length))


def slowest_of(beats: Sequence[Beat], starts: Sequence[int], count: int) -> Fraction:
    """Bytes per cycle of the slowest of windows from each of some beats to the one ``count`` later; the end is one more."""
    rates = []
    for first, end in zip(starts, starts[count:], strict=False):
        until = beats[end][0] if end < len(beats) else beats[-1][0] + 1
        rates.append(Fraction(sum(size for _, size in beats[first:end]), until - beats[first][0]))
    return min(rates)


def shares(cycles: Sequence[tuple[bool, bool]]) -> dict[str, float]:
    """Busy, stalled and starved of VALID and READY in each cycle, from the first beat to the last."""
    beats = [n for n, (valid, ready) in enumerate(cycles) if valid and ready]
    inside = cycles[beats[0] : beats[-1] + 1]
    count = {"busy": 0, "stalled": 0, "starved": 0}
    for valid, ready in inside:
        count["busy" if valid and ready else "stalled" if valid else "starved"] += 1
    return {name: n / len(inside) for name, n in count.items()}


def percentile(values: Sequence[int], thousandths: int) -> int:
    """The smallest value that so many thousandths of all do not exceed."""
    return min(v for v in values if 1000 * sum(other <= v for other in values) >= thousandths * len(values))
