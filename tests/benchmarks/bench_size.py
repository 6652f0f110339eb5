# SPDX-License-Identifier: Apache-2.0
"""What long runs and many results cost: processor time and bytes per beat, seconds and megabytes of reports.

``--before`` is a checkout of another version, which runs the same commands in turn with this one; its simulators go to
``DIR/build``. Memory is the largest sum over all processes at one moment, looked at every 20 ms.

The longest run of ``axis_fifo`` takes minutes and some 10 GB on the disk.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import numpy as np
from many_results import make_run
from measured import ROOT, Row, benchmark

from goldbeat.pymodels.plio_file.generate import generate
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.regress.store import Store

FILES = (
    "pymodels/stored_trace.py",
    "pymodels/trace_file.py",
    "tb/regress/*.py",
    "tb/run/*.py",
    "tb/kernel/**/*.*",
    "tests/benchmarks/many_results.py",
)
ROUNDS = 3
# Versions before the import name goldbeat have their packages at the top of the tree.
_GOLDBEAT = """
try:
    from goldbeat.tb.cli import main
except ImportError:
    from tb.cli import main
main()
"""
_REPORTS = """
try:
    from goldbeat.tb.regress.reports import write_reports
    from goldbeat.tb.regress.store import Store
except ImportError:
    from tb.regress.reports import write_reports
    from tb.regress.store import Store
with Store() as store:
    write_reports(store, store.run(2))
"""
_LIMITS = """
[port.m_axis]
min_mb_per_s = 100
max_gap_ns = 1000
[latency."s_axis->m_axis"]
max_ns = 1000
"""


def spent(program: str, *words: str, tree: Path = ROOT, build: Path | None = None) -> tuple[float, float]:
    """Processor time in seconds of a Python program with all its children, and the most megabytes that they held at once."""
    home = tree / "src" if (tree / "src").is_dir() else tree
    environment = os.environ | {"PYTHONPATH": str(home)} | ({} if build is None else {"GOLDBEAT_BUILD": str(build)})
    process = subprocess.Popen(
        [sys.executable, "-c", program, *words], env=environment, cwd=tree, stdout=subprocess.DEVNULL
    )
    most, ended = 0, 0
    while not ended:
        most = max(most, resident(process.pid))
        time.sleep(0.02)
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
    process.returncode = os.waitstatus_to_exitcode(status)
    # 1: a run of results in which cases fail.
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(words)} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, most / 1e6


def resident(process: int) -> int:
    """Bytes that a process and its children hold."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except (OSError, IndexError):
        return 0
    return pages * resource.getpagesize() + sum(resident(int(child)) for child in children)


# -- beats ------------------------------------------------------------------------------------------------------------


def runs_of_fir(count: int, before: Path | None) -> Iterator[Row]:
    """A run of the FIR: from one of few beats to one of many, per beat."""
    trees = [("now", ROOT, None), *([] if before is None else [("before", before, before / "build")])]
    few, found = 1000, {name: [] for name, _, _ in trees}
    for _, tree, build in trees:
        # Simulators are built before anything is measured.
        spent(_GOLDBEAT, "run", "plio_fir", "--name", "bench_size", tree=tree, build=build)
    for _ in range(ROUNDS):
        for name, tree, build in trees:
            words = ("run", "plio_fir", "--name", "bench_size", "--set")
            base, many = (spent(_GOLDBEAT, *words, f"samples={n}", tree=tree, build=build) for n in (few, count))
            found[name].append(tuple((m - b) / (count - few) for m, b in zip(many, base, strict=True)))
    figures = {name: [median(column) for column in zip(*rows, strict=True)] for name, rows in found.items()}
    old = figures.get("before", (None, None))
    for n, (what, unit) in enumerate((("processor time per beat", "us"), ("memory per beat", "bytes"))):
        peer = None if old[n] is None else old[n] * 1e6
        yield Row(f"plio_fir, {what}", figures["now"][n] * 1e6, unit, "before" if peer else "", peer)


def long_runs(longest: int) -> Iterator[Row]:
    """One run of the FIFO as a user calls it, ten times as long each time; then sign-off of the longest."""
    words = ("run", "axis_fifo", "--case", "long", "--name", "bench_size_long", "--force", "--set")
    base, _ = spent(_GOLDBEAT, *words, "beats=1000")
    base, _ = spent(_GOLDBEAT, *words, "beats=1000")
    table = "long runs"
    yield Row("1,000 beats in one run, processor time", base, "s", table=table)
    for count in (longest // 100, longest // 10, longest):
        time_s, memory = spent(_GOLDBEAT, *words, f"beats={count}")
        name = f"{count:,} beats in one run"
        yield Row(f"{name}, processor time per beat", (time_s - base) / count * 1e6, "us", goal="2 us", table=table)
        yield Row(f"{name}, memory", memory, "MB", goal="2,000 MB", table=table)
    folder = ROOT / "build" / "runs" / "bench_size_long"
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    yield Row("folder of the longest run, per beat", size / longest, "bytes", table=table)
    with tempfile.TemporaryDirectory() as scratch:
        limits = Path(scratch, "limits.toml")
        limits.write_text(_LIMITS)
        time_s, memory = spent(_GOLDBEAT, "signoff", str(folder), "--limits", str(limits))
    yield Row("sign-off of that run, processor time per beat", time_s / longest * 1e6, "us", table=table)
    yield Row("sign-off of that run, memory", memory, "MB", table=table)


# -- trace files ------------------------------------------------------------------------------------------------------


def traces(count: int) -> Iterator[Row]:
    """A trace as a file: against the ``np.savez_compressed`` of columns as they are."""
    samples = generate("chirp", count, "cint16", amplitude=20000, noise=2000, seed=1)
    trace = Trace.from_samples(samples, "cint16", 32, clock_ps=4000, frame=256)
    trace = trace.with_gaps(np.random.default_rng(1).integers(0, 4, len(trace)))

    def timed(write: Callable[[Path], None], path: Path) -> tuple[float, float]:
        start = time.process_time()
        write(path)
        return (time.process_time() - start) / count * 1e9, path.stat().st_size / count

    def zipped(path: Path) -> None:
        np.savez_compressed(path, data=trace.data, keep=trace.keep, last=trace.last, cycle=trace.cycle)

    with tempfile.TemporaryDirectory() as folder:
        rounds = [(timed(trace.save, Path(folder, "t")), timed(zipped, Path(folder, "t.npz"))) for _ in range(ROUNDS)]
    new, old = ([median(c) for c in zip(*side, strict=True)] for side in zip(*rounds, strict=True))
    peer = f"zlib {zlib.ZLIB_VERSION}"
    yield Row("trace file, time per beat", new[0], "ns", peer, old[0])
    yield Row("trace file, size per beat", new[1], "bytes", peer, old[1])


# -- results ----------------------------------------------------------------------------------------------------------


def stored_results(count: int, before: Path | None) -> Iterator[Row]:
    """Commands on two runs of so many results."""
    commands = {
        "show": (_GOLDBEAT, "show", "2"),
        "show --json": (_GOLDBEAT, "show", "2", "--json"),
        "compare": (_GOLDBEAT, "compare", "1", "2"),
        "all reports": (_REPORTS,),
    }
    with tempfile.TemporaryDirectory() as folder:
        build = Path(folder)
        (build / "regress").mkdir()
        with Store(build / "regress" / "results.sqlite") as store:
            for seed in range(2):
                make_run(store, count, seed=seed)
        for name, words in commands.items():
            old = None if before is None else spent(*words, tree=before, build=build)
            now = spent(*words, build=build)
            for n, (what, unit) in enumerate((("processor time", "s"), ("memory", "MB"))):
                peer = None if old is None else old[n]
                yield Row(f"{count:,} results, {name}, {what}", now[n], unit, "before" if old else "", peer)
        size = (build / "regress" / "run-2" / "report.json").stat().st_size / 1e6
        yield Row(f"{count:,} results, report.json", size, "MB")


def run(beats: int, results: int, longest: int, before: str) -> Iterator[Row]:
    """Traces, runs, results, and a long run."""
    yield from traces(beats)
    yield from runs_of_fir(beats, Path(before) if before else None)
    yield from stored_results(results, Path(before) if before else None)
    yield from long_runs(longest)


if __name__ == "__main__":
    full = {"beats": 2_000_000, "results": 100_000, "longest": 100_000_000, "before": ""}
    benchmark(run, FILES, full, {"beats": 200_000, "results": 2_000, "longest": 1_000_000})
