# SPDX-License-Identifier: Apache-2.0
"""What a regression costs beside its simulations.

Four figures:

* overhead a case: a regression with one worker against one call of ``goldbeat.tb.run.runs.run`` with the same seeds,
  which predicts, simulates and compares them in a single process and records nothing; the difference, divided by the cases; in
  processor time of all processes, which other work on the machine does not change much, and in wall time, which it does. The short
  regression holds what every one costs at its start and end (workers, plan, reports), the long one shows what a case more costs;
* efficiency: the same regression, of longer cases, with one worker on one core and with two workers on two, from its plan to its
  last record, the master included. A worker judges one case while its simulator runs the next, so that without this limit one
  worker keeps more than one core busy. ``work`` is the processor time with one worker over that with two: what a second worker
  costs, whatever else the machine is doing;
* dry cases: cases planned, put into batches, run by something that simulates nothing, recorded and reported;
* a suite, in an empty cache and again.

The first two take turns with their peers; medians are compared.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measured import Row, benchmark

from goldbeat.tb.design.catalog import designs
from goldbeat.tb.regress.item import Batch, BatchResult, Item, ItemResult, Status
from goldbeat.tb.regress.plan import make_plan
from goldbeat.tb.regress.pool import send_ahead
from goldbeat.tb.regress.run import BatchBackend, Observer, Settings, begin, go_on
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.suite import Suite
from goldbeat.tb.run.runs import Request, run

FILES = ("tb/regress/**/*.py", "tb/run/*.py", "tb/kernel/**/*.*")
LONG_BEATS = 100_000


def _suite(**entry: Any) -> Suite:
    return Suite.model_validate({"run": [{"designs": ["axis_skid"], "cases": ["random"], **entry}]})


@dataclass(frozen=True)
class Took:
    """Seconds: wall time, and processor time of this process and its children."""

    wall: float
    cpu: float


def _cpu() -> float:
    mine, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return mine.ru_utime + mine.ru_stime + children.ru_utime + children.ru_stime


def _regress(suite: Suite, jobs: int, backend: BatchBackend | None = None) -> Took:
    started, cpu = time.monotonic(), _cpu()
    items = make_plan(suite, Path())
    settings = Settings(jobs=jobs, waves=0)
    with Store() as store:
        record = begin(store, "bench", items, settings, seed=0)
        record = go_on(store, record, settings, Observer(), backend)
        if store.counts(record.id) != {"pass": len(items)}:
            raise SystemExit(f"run {record.id}: {store.counts(record.id)}")
    return Took(time.monotonic() - started, _cpu() - cpu)


def _on_cores(suite: Suite, jobs: int) -> Took:
    """A regression in which as many cores as workers do everything."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(cores)[:jobs])
    try:
        return _regress(suite, jobs)
    finally:
        os.sched_setaffinity(0, cores)


def _alone(cases: int) -> Took:
    """The same cases without a regression around them."""
    design = designs()["axis_skid"]
    started, cpu = time.monotonic(), _cpu()
    results = run(Request(design, design.case("random"), range(cases)))
    if not all(r.passed for r in results):
        raise SystemExit("a case fails")
    return Took(time.monotonic() - started, _cpu() - cpu)


def dry_run(batch: Batch, attempt: int = 1, content: object = None) -> BatchResult:
    """What takes the place of a simulation."""
    results = [ItemResult(i.index, i.key, Status.PASS, cycles=i.seed, trace_hash=i.key) for i in batch.items]
    for result in results:
        send_ahead(result)
    return BatchResult(results)


def dry_build(item: Item, root: str | None, *, coverage: bool = False, cases: int = 1) -> tuple[str, float]:
    """What takes the place of a build."""
    return "none", 0.0


def measure(rounds: int, cases: tuple[int, ...], long_cases: int, dry_cases: int, suite: str) -> Iterator[Row]:
    """Overheads, efficiency, dry cases."""
    _alone(cases[0])
    for count in cases:
        pairs = [(_regress(_suite(seeds=count), 1), _alone(count)) for _ in range(rounds)]
        for name, kind in (("processor time", "cpu"), ("by the clock", "wall")):
            ours, alone = ([getattr(took[who], kind) for took in pairs] for who in (0, 1))
            each = [statistics.median(a - b for a, b in zip(ours, alone, strict=True)), statistics.median(alone)]
            more, peer = (seconds * 1000 / count for seconds in each)
            what = f"overhead per case of {count:,}, {name}"
            yield Row(what, more, "ms", "one call", peer, goal="at most 1.5 ms")
    long = _suite(seeds=long_cases, options={"beats": LONG_BEATS})
    # A round takes a minute and a half.
    scaled = [(_on_cores(long, 1), _on_cores(long, 2)) for _ in range(min(rounds, 2))]
    for name, kind, share in (("by the clock", "wall", 2), ("work", "cpu", 1)):
        found = statistics.median(getattr(a, kind) / getattr(b, kind) / share for a, b in scaled)
        yield Row(f"efficiency of 2 workers, {name}", found, goal="at least 0.95")
    dry = _regress(_suite(seeds=dry_cases), 2, BatchBackend(dry_run, dry_build))
    yield Row(f"{dry_cases:,} dry cases, by the clock", dry.wall, "s", goal="30 s")
    yield Row(f"{dry_cases:,} dry cases, processor time", dry.cpu, "s")
    if suite:
        with tempfile.TemporaryDirectory() as cache:
            for state, goal in (("an empty cache", "180 s"), ("everything in the cache", "")):
                words = [sys.executable, "-m", "goldbeat.tb.cli", "regress", suite, "--jobs", "2"]
                started = time.monotonic()
                subprocess.run(words, env=os.environ | {"GOLDBEAT_CACHE": cache}, capture_output=True, check=True)
                yield Row(f"suite {suite}, {state}, by the clock", time.monotonic() - started, "s", goal=goal)


def run_apart(**settings: Any) -> Iterator[Row]:
    """Results in a store of this run; simulators from the cache."""
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(os.environ.get("GOLDBEAT_BUILD", "build")).resolve()
        for name in ("sim", "runtime"):
            (cache / name).mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).symlink_to(cache / name)
        os.environ["GOLDBEAT_BUILD"] = folder
        yield from measure(**settings)


if __name__ == "__main__":
    full = {"rounds": 3, "cases": (512, 4096), "long_cases": 512, "dry_cases": 100_000, "suite": "smoke"}
    benchmark(
        run_apart, FILES, full, {"rounds": 1, "cases": (128,), "long_cases": 16, "dry_cases": 10_000, "suite": ""}
    )
