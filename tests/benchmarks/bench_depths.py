# SPDX-License-Identifier: Apache-2.0
"""How long ``goldbeat size`` takes to size the ten depths of ``examples/pipeline``.

The cache has what all simulators share, and no simulator of these depths. Results go to an empty folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from measured import ROOT, Row, benchmark, spent

from goldbeat.tb.build.simulator import QUICKEST, build
from goldbeat.tb.design.catalog import find_design

FILES = ("tb/size/*.py", "tb/build/*.py", "examples/pipeline/*.*")


def run(depths: str, cache: str) -> Iterator[Row]:
    """By the clock and in processor time."""
    shared = find_design("axis_skid")
    with tempfile.TemporaryDirectory() as folder:
        if cache == "new":
            os.environ["GOLDBEAT_CACHE"] = f"{folder}/cache"
        build(shared, shared.params(shared.cases[0], {}), quick=QUICKEST)
        words = ("size", "pipeline.toml", "--param", f"{depths}=1..16", "--limits", "limits.toml")
        command = [sys.executable, "-m", "goldbeat.tb.cli", *words, "--case", "stream", "--out", f"{folder}/out"]
        started = time.monotonic()
        cpu = spent(
            lambda: subprocess.run(command, cwd=ROOT / "examples" / "pipeline", check=True, capture_output=True)
        )
        clock = time.monotonic() - started
    yield Row(f"{depths}, by the clock", clock, "s", goal="60 s")
    yield Row(f"{depths}, processor time", cpu, "s")


if __name__ == "__main__":
    benchmark(run, FILES, {"depths": "DEPTH_*", "cache": "new"}, {"depths": "DEPTH_0", "cache": "kept"})
