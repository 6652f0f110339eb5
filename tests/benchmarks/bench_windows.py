# SPDX-License-Identifier: Apache-2.0
"""What service curves cost, and whether limits on windows find planted slow spots and are silent without one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
from measured import ROOT, Row, benchmark

from goldbeat.pymodels.curves import service_curve
from goldbeat.pymodels.curves.spans import WindowSpan, extreme_window
from goldbeat.pymodels.trace import Trace

sys.path.insert(0, str(ROOT / "tests" / "support"))

from slow_spots import spotted_stream

FILES = ("pymodels/curves/*.py", "pymodels/trace.py", "tests/support/slow_spots.py")
LENGTHS = 60
Gaps = Callable[[np.random.Generator, int], np.ndarray]


def _bursts(rng: np.random.Generator, beats: int) -> np.ndarray:
    gaps = np.ones(beats, np.int64)
    gaps[::256] = 400
    gaps[::4096] += rng.integers(1, 30_000, len(gaps[::4096]))
    return gaps


STREAMS: dict[str, tuple[Gaps, int]] = {
    "back to back": (lambda _, n: np.ones(n, np.int64), 0),
    "1 to 3 cycles per beat": (lambda rng, n: rng.integers(1, 4, n), 0),
    "1 to 40 cycles per beat": (lambda rng, n: rng.integers(1, 41, n), 0),
    "1 to 3000 cycles per beat": (lambda rng, n: rng.integers(1, 3001, n), 0),
    "bursts of 256 beats": (_bursts, 0),
    "128 bit, each frame with a short last beat": (lambda rng, n: rng.integers(1, 4, n), 12),
    "the same, 1 to 40 cycles per beat": (lambda rng, n: rng.integers(1, 41, n), 12),
    "the same, 1 to 3000 cycles per beat": (lambda rng, n: rng.integers(1, 3001, n), 12),
}
"""By name: cycles from beat to beat, and bytes that are left out of the last beat of each frame."""


def _stream(name: str, beats: int) -> Trace:
    gaps, left_out = STREAMS[name]
    keep = np.ones((beats, 16 if left_out else 4), np.bool_)
    if left_out:
        keep[255::256, -left_out:] = False
    cycle = np.cumsum(gaps(np.random.default_rng(1), beats))
    return Trace.from_bytes(np.zeros(keep.shape, np.uint8), keep=keep, cycle=cycle, clock_ps=4000)


def _seconds(trace: Trace) -> float:
    span = int(trace.cycle[-1] - trace.cycle[0]) + 1
    lengths = {max(1, round(span ** (n / (LENGTHS - 1)))) for n in range(LENGTHS)}
    # The short lengths of a logarithmic grid fall together.
    lengths |= set([n for n in range(1, 200) if n not in lengths][: LENGTHS - len(lengths)])
    assert len(lengths) == LENGTHS
    begin = time.process_time()
    service_curve(trace, sorted(lengths))
    return time.process_time() - begin


def _spots(streams: int, *, slow: bool) -> int:
    """How many streams break the limit that sound ones keep."""
    found = 0
    for seed in range(streams):
        stream = spotted_stream(seed, slow=slow)
        worst = extreme_window(stream.trace, WindowSpan.parse("64 cycles"))
        assert worst is not None
        found += worst.payload / 4 * 1e6 / worst.length < stream.rate
    return found


def run(beats: int, streams: int) -> Iterator[Row]:
    """Rows: processor seconds of a curve, slow spots found and clean streams reported."""
    for name in STREAMS:
        seconds = _seconds(_stream(name, beats))
        yield Row(f"{beats:,} beats, {LENGTHS} lengths: {name}", seconds, "s", goal="at most 1 s of 1 M beats")
    planted, clean = (_spots(streams, slow=slow) for slow in (True, False))
    yield Row(f"slow spots found of {streams}", planted, "found", goal="all")
    yield Row(f"clean streams reported of {streams}", clean, "reported", goal="none")


if __name__ == "__main__":
    benchmark(run, FILES, {"beats": 1_000_000, "streams": 200}, {"beats": 100_000, "streams": 50})
