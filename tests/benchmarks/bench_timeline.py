# SPDX-License-Identifier: Apache-2.0
"""How long a timeline of a million beats takes to write, and how large it is.

Only the timeline is timed: stimulus and prediction are made before, and the record is the prediction.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from measured import Row, benchmark

from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Clock, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.designs.axis.bench_fifo import DESIGN
from goldbeat.tb.inside.job import Record
from goldbeat.tb.timeline.compose import TimelineEpisode, compose_timeline
from goldbeat.tb.timeline.write import write_timeline

FILES = ("tb/timeline/*.py", "pymodels/axis/*.py")
PERIOD = 4000
MIXES = {
    "frames of 16, random gaps and ready": (16, "random:0.3", "random:0.5"),
    "frames of 256, back to back": (256, "none", "none"),
    "frames of 1, random gaps and ready": (1, "random:0.3", "random:0.5"),
}


def make(beats: int, frame: int, gaps: str, ready: str) -> TimelineEpisode:
    """An episode of the FIFO whose RTL does what the model says."""
    rng = np.random.default_rng(1)
    params = DESIGN.params(DESIGN.case(None), {})
    last = np.zeros(beats, np.bool_)
    last[frame - 1 :: frame] = True
    cycle = np.cumsum(Pattern.parse(gaps, seed=1).gaps(beats) + 1) - 1
    data = rng.integers(0, 256, (beats, int(params["DATA_W"]) // 8), dtype=np.uint8)
    sides: dict[str, Any] = {name: np.zeros(beats, np.uint64) for name in ("tid", "tdest", "tuser")}
    trace = Trace.from_bytes(data, cycle=cycle, last=last, clock_ps=PERIOD, offset_ps=PERIOD, **sides)
    stimulus = Stimulus({"s_axis": trace}, {"m_axis": Pattern.parse(ready, seed=2)}, {"aclk": Clock(PERIOD, PERIOD)})
    expected = DESIGN.model(params, stimulus)
    return TimelineEpisode(DESIGN, params, stimulus, expected, Record(expected))


def rows_of(name: str, episode: TimelineEpisode, path: Path, repeats: int) -> Iterator[Row]:
    """Seconds by the clock and of the processor, the median of some runs, and what was written."""
    clock, processor = [], []
    metadata: dict[str, Any] = {}
    for _ in range(repeats):
        begun, used = perf_counter(), process_time()
        metadata = write_timeline(compose_timeline(episode, {}), path)
        clock.append(perf_counter() - begun)
        processor.append(process_time() - used)
    yield Row(name, statistics.median(processor), "s", column="processor time")
    yield Row(name, statistics.median(clock), "s", column="by the clock")
    yield Row(name, path.stat().st_size / 1e6, "MB", column="file")
    yield Row(name, len(metadata["thinned"]), column="rows and counters merged")


def run(beats: int, repeats: int) -> Iterator[Row]:
    """All mixes: beats through two ports, model and RTL."""
    with tempfile.TemporaryDirectory() as folder:
        for name, mix in MIXES.items():
            yield from rows_of(name, make(beats, *mix), Path(folder) / "trace.json.gz", repeats)


if __name__ == "__main__":
    benchmark(run, FILES, {"beats": 1_000_000, "repeats": 3}, {"beats": 200_000, "repeats": 1})
