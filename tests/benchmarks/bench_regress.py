# SPDX-License-Identifier: Apache-2.0
"""What a regression costs beside its simulations.

Run as a script: prints a table and writes ``build/bench/regress.json``. Three figures:

* overhead a case: a regression with one worker against one call of ``goldbeat.tb.run.runs.run`` with the same seeds,
  which predicts, simulates and compares them in a single process and records nothing; the difference, divided by the cases; in
  processor time of all processes, which other work on the machine does not change much, and in wall time, which it does. The short
  regression holds what every one costs at its start and end (workers, plan, reports), the long one shows what a case more costs;
* efficiency: the same regression, of longer cases, with one worker on one core and with two workers on two, from its plan to its
  last record, the master included. A worker judges one case while its simulator runs the next, so that without this limit one
  worker keeps more than one core busy. ``work`` is the processor time with one worker over that with two: what a second worker
  costs, whatever else the machine is doing;
* dry cases: 100,000 cases planned, put into batches, run by something that simulates nothing, recorded and reported.

The first two take turns with their peers; medians are compared.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldbeat.tb.design.catalog import designs
from goldbeat.tb.regress.item import Batch, BatchResult, Item, ItemResult, Status
from goldbeat.tb.regress.plan import make_plan
from goldbeat.tb.regress.pool import send_ahead
from goldbeat.tb.regress.run import BatchBackend, Observer, Settings, begin, go_on
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.suite import Suite
from goldbeat.tb.run.runs import Request, run

OUT = Path("build/bench/regress.json").resolve()
ROUNDS = int(os.environ.get("ROUNDS", "3"))
CASES, MANY_CASES = 512, 4096
LONG_CASES = 512
LONG_BEATS = 100_000
LONG_ROUNDS = min(ROUNDS, 2)
"""A round takes a minute and a half."""
DRY_CASES = 100_000


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


def measure() -> list[dict[str, Any]]:
    """Rows of name, value, unit, peer (its value), ratio and goal."""
    long = _suite(seeds=LONG_CASES, options={"beats": LONG_BEATS})
    _alone(CASES)
    pairs = {n: [(_regress(_suite(seeds=n), 1), _alone(n)) for _ in range(ROUNDS)] for n in (CASES, MANY_CASES)}
    scaled = [(_on_cores(long, 1), _on_cores(long, 2)) for _ in range(LONG_ROUNDS)]
    dry = _regress(_suite(seeds=DRY_CASES), 2, BatchBackend(dry_run, dry_build))

    def middle(values: Iterable[float]) -> float:
        return statistics.median(values)

    def row(name: str, value: float, unit: str, peer: float, goal: float) -> dict[str, Any]:
        return {"name": name, "value": value, "unit": unit, "peer": peer, "ratio": value / peer, "goal": goal}

    def overheads(cases: int) -> list[dict[str, Any]]:
        found = []
        for name, kind in (("processor", "cpu"), ("wall", "wall")):
            ours, alone = ([getattr(took[who], kind) for took in pairs[cases]] for who in (0, 1))
            more = middle(a - b for a, b in zip(ours, alone, strict=True))
            text = f"overhead a case of {cases}, {name}"
            found.append(row(text, more * 1000 / cases, "ms", middle(alone) * 1000 / cases, 1.5))
        return found

    return [
        *overheads(CASES),
        *overheads(MANY_CASES),
        row("2 workers, wall", middle(a.wall / b.wall / 2 for a, b in scaled), "", 1, 0.95),
        row("2 workers, work", middle(a.cpu / b.cpu for a, b in scaled), "", 1, 0.95),
        row(f"{DRY_CASES} dry cases", dry.wall, "s", 30, 30),
        row(f"{DRY_CASES} dry cases, processor", dry.cpu, "s", 30, 30),
    ]


def main() -> None:
    """Print the figures and keep them."""
    with tempfile.TemporaryDirectory() as folder:
        # Results of its own; simulators from the cache.
        cache = Path(os.environ.get("GOLDBEAT_BUILD", "build")).resolve()
        for name in ("sim", "runtime"):
            (cache / name).mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).symlink_to(cache / name)
        os.environ["GOLDBEAT_BUILD"] = folder
        rows = measure()
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for row in rows:
        print(f"{row['name']:<38}{row['value']:>10.3f} {row['unit']:<4} peer {row['peer']:.3f}, goal {row['goal']}")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(rows, indent=1) + os.linesep)


if __name__ == "__main__":
    main()
