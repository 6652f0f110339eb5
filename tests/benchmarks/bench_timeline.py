# SPDX-License-Identifier: Apache-2.0
"""How long a timeline of a million beats takes to write, and how large it is.

Run as a script: ``python tests/benchmarks/bench_timeline.py [BEATS]`` prints a table and writes ``build/bench/timeline.json``.
Only the timeline is timed: stimulus and prediction are made before, and the record is the prediction.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Clock, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.designs.axis.bench_fifo import DESIGN
from goldbeat.tb.inside.job import Record
from goldbeat.tb.timeline.compose import TimelineEpisode, compose_timeline
from goldbeat.tb.timeline.write import write_timeline

PERIOD = 4000
REPEATS = 3
MIXES = {
    "frames of 16, random gaps and ready": (16, "random:0.3", "random:0.5"),
    "frames of 256, back to back": (256, "none", "none"),
    "frames of 1, random gaps and ready": (1, "random:0.3", "random:0.5"),
}
OUT = Path("build/bench/timeline.json")


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


def measured(episode: TimelineEpisode, path: Path) -> dict[str, Any]:
    """Seconds by the clock and of the processor, the median of some runs, and what was written."""
    clock, processor = [], []
    metadata: dict[str, Any] = {}
    for _ in range(REPEATS):
        begun, used = perf_counter(), process_time()
        metadata = write_timeline(compose_timeline(episode, {}), path)
        clock.append(perf_counter() - begun)
        processor.append(process_time() - used)
    merged = {f"{one['process']} {one['row']}": [one["entries"], one["written"]] for one in metadata["thinned"]}
    return {
        "seconds": statistics.median(clock),
        "processor_seconds": statistics.median(processor),
        "megabytes": path.stat().st_size / 1e6,
        "merged": merged,
    }


def main() -> None:
    """Measure all mixes."""
    beats = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    results = {}
    print(f"{beats} beats through two ports, model and RTL")
    print(f"{'traffic':<38} {'s':>6} {'cpu s':>6} {'MB':>6}  merged rows")
    with tempfile.TemporaryDirectory() as folder:
        for name, mix in MIXES.items():
            found = results[name] = measured(make(beats, *mix), Path(folder) / "trace.json.gz")
            row = (found["seconds"], found["processor_seconds"], found["megabytes"])
            print(f"{name:<38} {row[0]:6.2f} {row[1]:6.2f} {row[2]:6.1f}  {len(found['merged'])}")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps({"beats": beats, "results": results}, indent=2) + "\n")


if __name__ == "__main__":
    main()
