# SPDX-License-Identifier: Apache-2.0
"""What a regression costs beside its simulations.

Run as a script: prints a table and writes ``build/bench/regress.json``. Three figures:

* overhead a case: a regression with one worker against one call of ``tb.run.run`` with the same seeds, which predicts, simulates
  and compares them in a single process and records nothing; the difference, divided by the cases;
* efficiency: the same regression with one worker and with two, from the first result to the last;
* dry cases: 10,000 cases planned, put into batches, run by something that simulates nothing, recorded and reported.

The first two take turns; medians are compared.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from tb.benches import designs
from tb.regress.item import Batch, BatchResult, Item, ItemResult, Status
from tb.regress.plan import make_plan
from tb.regress.pool import send_ahead
from tb.regress.run import Backend, Observer, Settings, begin, go_on
from tb.regress.store import Store
from tb.regress.suite import Suite
from tb.run import Request, run

OUT = Path("build/bench/regress.json").resolve()
ROUNDS = int(os.environ.get("ROUNDS", "3"))
CASES = 512
LONG_CASES = 256
LONG_BEATS = 20_000
DRY_CASES = 10_000


def _suite(**entry: Any) -> Suite:
    return Suite.model_validate({"run": [{"designs": ["axis_skid"], "cases": ["random"], **entry}]})


def _regress(suite: Suite, jobs: int, backend: Backend | None = None) -> tuple[float, float]:
    """Wall time of all, and from the first result to the last."""
    seen: list[float] = []
    started = time.monotonic()
    items = make_plan(suite, Path())
    settings = Settings(jobs=jobs, waves=0)
    with Store() as store:
        record = begin(store, "bench", items, settings, seed=0)
        observer = Observer(results=lambda results: seen.append(time.monotonic()))
        record = go_on(store, record, settings, observer, backend)
        if store.counts(record.id) != {"pass": len(items)}:
            raise SystemExit(f"run {record.id}: {store.counts(record.id)}")
    return time.monotonic() - started, seen[-1] - seen[0]


def _alone() -> float:
    """Wall time of the same cases without a regression around them."""
    design = designs()["axis_skid"]
    started = time.monotonic()
    results = run(Request(design, design.case("random"), range(CASES)))
    if not all(r.passed for r in results):
        raise SystemExit("a case fails")
    return time.monotonic() - started


def dry_run(batch: Batch, attempt: int = 1, content: object = None) -> BatchResult:
    """What takes the place of a simulation."""
    results = [ItemResult(i.index, i.key, Status.PASS, cycles=i.seed, trace_hash=i.key) for i in batch.items]
    for result in results:
        send_ahead(result)
    return BatchResult(results)


def dry_build(item: Item, root: str | None, *, coverage: bool = False) -> tuple[str, float]:
    """What takes the place of a build."""
    return "none", 0.0


def measure() -> list[dict[str, Any]]:
    """Rows of name, value, unit, peer (its value), ratio and goal."""
    short = _suite(seeds=CASES)
    long = _suite(seeds=LONG_CASES, options={"beats": LONG_BEATS})
    _alone()
    pairs = [(_regress(short, 1)[0], _alone()) for _ in range(ROUNDS)]
    overhead = statistics.median((whole - alone) / CASES for whole, alone in pairs)
    alone = statistics.median(alone for _, alone in pairs) / CASES
    spans = [(_regress(long, 1)[1], _regress(long, 2)[1]) for _ in range(ROUNDS)]
    one, two = (statistics.median(s[i] for s in spans) for i in (0, 1))
    dry, _ = _regress(_suite(seeds=DRY_CASES), 2, Backend(dry_run, dry_build))
    return [
        {
            "name": "overhead a case",
            "value": overhead * 1000,
            "unit": "ms",
            "peer": alone * 1000,
            "ratio": overhead / alone,
            "goal": 10,
        },
        {
            "name": "efficiency of 2 workers",
            "value": one / two / 2,
            "unit": "",
            "peer": one,
            "ratio": one / two,
            "goal": 0.9,
        },
        {"name": f"{DRY_CASES} dry cases", "value": dry, "unit": "s", "peer": 30.0, "ratio": dry / 30, "goal": 30},
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
        print(f"{row['name']:<26}{row['value']:>10.3f} {row['unit']:<4} peer {row['peer']:.3f}, goal {row['goal']}")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(rows, indent=1) + os.linesep)


if __name__ == "__main__":
    main()
