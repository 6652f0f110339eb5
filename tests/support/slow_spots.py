# SPDX-License-Identifier: Apache-2.0
"""Streams with and without a slow spot, drawn from a seed: of any base rate, framing and place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldbeat.pymodels.trace import Trace


@dataclass(frozen=True)
class SpottedStream:
    """A stream.

    Attributes:
        trace: what came out.
        rate: the lowest rate of any 64 cycles that is sound, in Msamples/s.
        spot: first and last cycle of the slow spot; None: there is none.
    """

    trace: Trace
    rate: float
    spot: tuple[int, int] | None


def spotted_stream(seed: int, *, slow: bool) -> SpottedStream:
    """A stream of some thousand beats of int32 on a 250 MHz port.

    A slow spot takes every second beat's cycle away for 64 to 200 cycles: anywhere, in the last frame, or behind the last TLAST.
    """
    rng = np.random.default_rng(seed)
    beats, every = int(rng.integers(600, 5000)), int(rng.choice([1, 1, 2, 5]))
    frame, pause = int(rng.choice([0, 64, 100, 256])), int(rng.integers(0, 5))
    tail = int(rng.integers(0, 150)) if frame else 0
    gaps = np.full(beats, every, np.int64)
    if frame:
        gaps[frame::frame] += pause
    spot = None
    if slow:
        length = -(-int(rng.integers(64, 200)) // (2 * every))
        place = rng.choice(["anywhere", "last frame", "tail", "first"])
        last = beats - length
        at = {"anywhere": int(rng.integers(1, last)), "first": 1}.get(str(place), last)
        gaps[at : at + length] += every
    cycle = np.cumsum(gaps) + int(rng.integers(0, 1000))
    if slow:
        spot = (int(cycle[at - 1]), int(cycle[at + length - 1]))
    ends = np.zeros(beats, np.bool_)
    if frame:
        ends[frame - 1 :: frame] = True
        ends[beats - tail :] = False
    trace = Trace.from_bytes(np.zeros((beats, 4)), last=ends, cycle=cycle, clock_ps=4000)
    # Of 64 cycles, a pause between frames and the grid of the beats take some.
    fewest = (64 - (2 * pause if frame == 64 else pause if frame else 0)) // every - 1
    return SpottedStream(trace, 250 * fewest / 64, spot)
