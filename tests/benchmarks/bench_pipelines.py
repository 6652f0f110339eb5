# SPDX-License-Identifier: Apache-2.0
"""Predicted delay and backlog of pipelines against the worst of many seeds, beat by beat as ``stage.sv`` works.

That the reckoning is that of the RTL, cycle by cycle, is tested (``tests/pymodels/test_compose.py``, also with 1,000 seeds).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from measured import ROOT, Row, benchmark

sys.path.insert(0, str(ROOT / "tests" / "support"))

from pipelines import draw_pipelines, worst_seen

FILES = ("pymodels/curves/*.py", "tests/support/pipelines.py", "examples/pipeline/stage.sv")


def run(pipelines: int, seeds: int) -> Iterator[Row]:
    """Rows: predicted over worst seen, of each pipeline."""
    for number, drawn in enumerate(draw_pipelines(pipelines)):
        traffic = [drawn.traffic(seed) for seed in range(seeds)]
        whole = drawn.prediction(traffic).whole
        seen = [worst_seen(t.cycle, np.array(drawn.reckoned(t.cycle.tolist()))) for t in traffic]
        name = f"pipeline {number}, {len(drawn.stages)} stages, {seeds} seeds"
        for what, predicted, at in (("delay", whole.delay, 0), ("backlog", whole.backlog, 1)):
            worst = max(one[at] for one in seen)
            yield Row(f"{name}: {what}, predicted {predicted}, seen {worst}", predicted / worst, goal="1.0 to 1.1")


if __name__ == "__main__":
    benchmark(run, FILES, {"pipelines": 10, "seeds": 1000}, {"pipelines": 3, "seeds": 200})
