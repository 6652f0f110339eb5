# SPDX-License-Identifier: Apache-2.0
"""What a second worker of a farm brings.

Two farms on loopback, one with a single worker and one with two, run the same regression in turns: cases of ``axis_skid``
with up to ``BEATS`` beats each. The farm with one worker, its master and its simulators have one core, the other one
has two. A first run is not counted: the simulator travels then, and workers load their modules. The peer of everything is the farm
with one worker:

* ``wall``: its wall time over twice that of the farm with two, the median of all rounds; from the connection to the last result;
* ``work``: its processor time (worker, watcher and simulators) over that of the farm with two: what is lost by sharing the work,
  whatever else the machine is doing.
"""

from __future__ import annotations

import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from measured import Row, benchmark

from goldbeat.tb.regress.plan import make_plan
from goldbeat.tb.regress.run import Observer, Settings, begin, go_on
from goldbeat.tb.regress.store import Run, Store
from goldbeat.tb.regress.suite import Suite

FILES = ("tb/regress/**/*.py", "tb/run/runs.py", "tb/run/simulate.py")
BEATS = 100_000
_JOBS = 2
"""As many batches for both farms."""


@dataclass(frozen=True)
class Farm:
    """A farm that is running."""

    address: str
    process: int


@dataclass(frozen=True)
class Took:
    """Seconds: wall time, and processor time of the farm."""

    wall: float
    cpu: float


@contextmanager
def _cores(count: int) -> Iterator[None]:
    """This process, and what it starts, on so many cores: a worker keeps more than one busy where it may."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(cores)[:count])
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


@contextmanager
def farm(workers: int) -> Iterator[Farm]:
    """A scheduler and workers on loopback."""
    process = subprocess.Popen(
        [sys.executable, "-m", "goldbeat.tb.cli", "farm", "local", "--workers", str(workers), "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"COLUMNS": "400"},
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if found := re.match(r"goldbeat regress --engine (\S+)", line):
                yield Farm(found[1], process.pid)
                break
        else:
            raise SystemExit("the farm does not start")
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def _cpu(pid: int) -> float:
    """Processor seconds of a process, of all below it, and of those that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = [int(p) for f in Path(f"/proc/{pid}/task").glob("*/children") for p in f.read_text().split()]
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + sum(map(_cpu, children))


def _regress(on: Farm, cases: int) -> Took:
    suite = Suite.model_validate(
        {"run": [{"designs": ["axis_skid"], "cases": ["random"], "seeds": cases, "options": {"beats": BEATS}}]}
    )
    settings = Settings(jobs=_JOBS, engine=on.address, waves=0)
    began = [0.0]
    seen: list[float] = []

    def started(run: Run, done: int) -> None:
        began[0] = time.monotonic()

    with Store() as store:
        run = begin(store, "bench", make_plan(suite, Path()), settings, seed=0)
        cpu = _cpu(on.process)
        go_on(store, run, settings, Observer(started=started, results=lambda _: seen.append(time.monotonic())))
        if store.counts(run.id) != {"pass": cases}:
            raise SystemExit(f"run {run.id}: {store.counts(run.id)}")
    return Took(seen[-1] - began[0], _cpu(on.process) - cpu)


def measure(rounds: int, cases: int) -> Iterator[Row]:
    """Both farms in turns."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        # Results of its own; simulators from the cache.
        cache = Path(os.environ.get("GOLDBEAT_BUILD", "build")).resolve()
        farms = []
        for workers in (1, 2):
            # Two farms in one folder would share their workers' folders.
            os.environ["GOLDBEAT_BUILD"] = str(Path(folder) / f"farm-{workers}")
            with _cores(workers):
                farms.append(stack.enter_context(farm(workers)))
        os.environ["GOLDBEAT_BUILD"] = folder
        for name in ("sim", "runtime"):
            (cache / name).mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).symlink_to(cache / name)
        found = []
        for number in range(rounds + 1):
            took = []
            for workers, one in enumerate(farms, 1):
                with _cores(workers):
                    took.append(_regress(one, cases if number else cases // 8))
            found.append((took[0], took[1]))
    walls = statistics.median(a.wall / b.wall / 2 for a, b in found[1:])
    yield Row("second worker, by the clock", walls, "", "one worker", 1, goal="0.9 times")
    work = statistics.median(a.cpu / b.cpu for a, b in found[1:])
    yield Row("second worker, by processor time", work, "", "one worker", 1, goal="0.9 times")


if __name__ == "__main__":
    benchmark(measure, FILES, {"rounds": 2, "cases": 512}, {"rounds": 1, "cases": 64})
