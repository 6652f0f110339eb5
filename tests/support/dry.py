# SPDX-License-Identifier: Apache-2.0
"""A back end that simulates nothing: what an item does follows from its seed. Workers find this module on their path."""

import os
import signal
import time
from pathlib import Path

from goldbeat.tb.obligations.obligation import Obligation
from goldbeat.tb.regress.item import BatchResult, Item, ItemResult, Status
from goldbeat.tb.regress.pool import send_ahead
from goldbeat.tb.regress.run import BatchBackend
from goldbeat.tb.run.code_coverage import add


def items(count, key="dry/case"):
    return [Item(index=i, key=f"{key}#{i}", design="axis_skid", case="random", seed=i) for i in range(count)]


def result(item, attempt=1, status=Status.PASS, **more):
    return ItemResult(
        item.index, item.key, status, cycles=10 + item.seed, trace_hash=f"{item.seed:x}", attempt=attempt, **more
    )


def build(item, root=None, *, coverage=False, cases=1):
    return "simulator", 0.0


def build_file(item, root=None, *, coverage=False, cases=1):
    """A simulator that can be read, to travel to workers elsewhere."""
    path = Path(root) / "program"
    path.write_bytes(b"a simulator")
    return str(path), 0.0


def run(batch, attempt=1, content=None):
    done = []
    for item in batch.items:
        done.append(result(item, attempt))
        send_ahead(done[-1])
    return BatchResult(done)


def run_slowly(batch, attempt=1, content=None):
    """A hundredth of a second per item; each says which worker of a farm ran it."""
    time.sleep(0.01 * len(batch.items))
    return BatchResult([result(item, attempt, log=os.environ.get("FAKE_WORKER", "")) for item in batch.items])


def run_and_die_once(batch, attempt=1, content=None):
    """The worker is killed at seed 5, the first time."""
    done = []
    for item in batch.items:
        if item.seed == 5 and attempt == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        done.append(result(item, attempt))
        send_ahead(done[-1])
    return BatchResult(done)


def run_and_die(batch, attempt=1, content=None):
    """Seed 5 kills every worker."""
    done = []
    for item in batch.items:
        if item.seed == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        done.append(result(item, attempt))
        send_ahead(done[-1])
    return BatchResult(done)


def run_and_fail(batch, attempt=1, content=None):
    done = []
    for item in batch.items:
        bad = item.seed % 7 == 3
        # The master gets its turn.
        time.sleep(0.01 * bad)
        done.append(result(item, attempt, Status.FAIL if bad else Status.PASS, failures=("differs",) if bad else ()))
        send_ahead(done[-1])
    return BatchResult(done)


PORT = {"direction": "out", "beats": 9, "frames": 3, "mb_per_s": 9.5, "share": 0.25}


def covered(item, attempt=1, bad=False):
    """A result with all figures: obligation N is met by every Nth seed, the last by none."""
    tried = [Obligation("sizes", "m", f"{n} beats", item.seed % n == n - 1 and n < 60) for n in (1, 2, 30, 50, 60)]
    return result(
        item,
        attempt,
        Status.FAIL if bad else Status.PASS,
        failures=(f"differs: {item.seed}",) if bad else (),
        ports={"m": PORT},
        coverage={"m": {"gap": item.seed % 2}},
        obligations=tuple(tried),
        traffic=f"{item.seed:x}",
    )


def covered_points(item):
    """Hits of code coverage, one file of the project."""
    file = next(iter(item.inputs.values()), "/x.sv")
    return {f"line\t{file}\t{n}\t1\tblock": int(item.seed % n == 0) for n in (1, 3, 100)}


def run_and_cover(batch, attempt=1, content=None, bad=lambda item: False):
    total = {}
    for item in batch.items:
        add(total, covered_points(item))
    return BatchResult([covered(item, attempt, bad(item)) for item in batch.items], total)


def run_and_fail_covered(batch, attempt=1, content=None):
    return run_and_cover(batch, attempt, bad=lambda item: item.seed % 7 == 3)


def run_into_full_disk(batch, attempt=1, content=None):
    from goldbeat.tb.regress.store import DiskFullError

    send_ahead(result(batch.items[0], attempt))
    raise DiskFullError("no room")


def run_into_bug(batch, attempt=1, content=None):
    raise RuntimeError("a bug in the worker")


def run_without_a_file(batch, attempt=1, content=None):
    raise FileNotFoundError(2, "a bug in the worker: no such file", "somewhere")


DRY = BatchBackend(run, build)
