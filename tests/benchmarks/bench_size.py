# SPDX-License-Identifier: Apache-2.0
"""What long runs and many results cost: processor time and bytes per beat, seconds and megabytes of reports.

    python tests/benchmarks/bench_size.py [--beats N] [--results N] [--before DIR]
    python tests/benchmarks/bench_size.py --long [--longest N]

``--before`` is a checkout of another version, which runs the same commands in turn with this one; its simulators go to
``DIR/build``. Memory is the largest sum over all processes at one moment, looked at every 20 ms.

``--long`` measures one run of ``axis_fifo`` with 1, 10 and 100 million beats instead, and what reads its folder; it takes minutes
and some 10 GB on the disk, and writes ``long.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from many_results import make_run

from goldbeat.pymodels.plio_file.generate import generate
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.regress.store import Store

ROOT = Path(__file__).resolve().parents[2]
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
Row = dict[str, object]


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


def row(name: str, value: float, unit: str, peer: float | None = None, peer_name: str = "") -> Row:
    ratio = None if peer is None else round(peer / value, 2)
    print(
        f"{name}: {value:.3g} {unit}" + ("" if peer is None else f"; {peer_name} {peer:.3g}, ratio {ratio}"), flush=True
    )
    return {"name": name, "value": value, "unit": unit, "peer": peer, "peer_name": peer_name, "ratio": ratio}


# -- beats ------------------------------------------------------------------------------------------------------------


def beats(count: int, before: Path | None) -> list[Row]:
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
    scale = (1e6, 1e6)
    return [
        row(
            f"plio_fir, {count:,} beats: {what}",
            figures["now"][n] * scale[n],
            unit,
            None if old[n] is None else old[n] * scale[n],
            "before",
        )
        for n, (what, unit) in enumerate((("processor time per beat", "us"), ("memory per beat", "bytes")))
    ]


def long_runs(longest: int) -> list[Row]:
    """One run of the FIFO as a user calls it, ten times as long each time; then sign-off of the longest."""
    words = ("run", "axis_fifo", "--case", "long", "--name", "bench_size_long", "--force", "--set")
    base, _ = spent(_GOLDBEAT, *words, "beats=1000")
    base, _ = spent(_GOLDBEAT, *words, "beats=1000")
    rows = [row("axis_fifo, 1,000 beats in one run: processor time", base, "s")]
    for count in (longest // 100, longest // 10, longest):
        time_s, memory = spent(_GOLDBEAT, *words, f"beats={count}")
        name = f"axis_fifo, {count:,} beats in one run"
        rows.append(row(f"{name}: processor time per beat, start left out", (time_s - base) / count * 1e6, "us"))
        rows.append(row(f"{name}: memory, all processes", memory, "MB"))
    folder = ROOT / "build" / "runs" / "bench_size_long"
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    rows.append(row(f"{name}: the run's folder per beat", size / longest, "bytes"))
    with tempfile.TemporaryDirectory() as scratch:
        limits = Path(scratch, "limits.toml")
        limits.write_text(_LIMITS)
        time_s, memory = spent(_GOLDBEAT, "signoff", str(folder), "--limits", str(limits))
    rows.append(
        row("sign-off of that run, throughput, gaps and latency: processor time per beat", time_s / longest * 1e6, "us")
    )
    rows.append(row("the same: memory", memory, "MB"))
    return rows


# -- trace files ------------------------------------------------------------------------------------------------------


def traces(count: int) -> list[Row]:
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
    name = f"trace file, zlib {zlib.ZLIB_VERSION} of whole columns as peer"
    return [
        row(f"{name}: time per beat", new[0], "ns", old[0], "zlib"),
        row(f"{name}: size per beat", new[1], "bytes", old[1], "zlib"),
    ]


# -- results ----------------------------------------------------------------------------------------------------------


def results(count: int, before: Path | None) -> list[Row]:
    """Commands on two runs of so many results."""
    commands = {
        "show": (_GOLDBEAT, "show", "2"),
        "show --json": (_GOLDBEAT, "show", "2", "--json"),
        "compare": (_GOLDBEAT, "compare", "1", "2"),
        "all reports": (_REPORTS,),
    }
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        build = Path(folder)
        (build / "regress").mkdir()
        with Store(build / "regress" / "results.sqlite") as store:
            for seed in range(2):
                make_run(store, count, seed=seed)
        for name, words in commands.items():
            old = None if before is None else spent(*words, tree=before, build=build)
            now = spent(*words, build=build)
            for n, unit in enumerate(("s", "MB")):
                rows.append(row(f"{count:,} results, {name}", now[n], unit, None if old is None else old[n], "before"))
        size = (build / "regress" / "run-2" / "report.json").stat().st_size / 1e6
        rows.append(row(f"{count:,} results, report.json", size, "MB"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--beats", type=int, default=2_000_000)
    parser.add_argument("--results", type=int, default=100_000)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--longest", type=int, default=100_000_000)
    given = parser.parse_args()
    if given.long:
        rows = long_runs(given.longest)
    else:
        rows = [*traces(min(given.beats, 2_000_000)), *beats(given.beats, given.before)]
        rows += results(given.results, given.before)
    out = ROOT / "build" / "bench" / ("long.json" if given.long else "size.json")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
