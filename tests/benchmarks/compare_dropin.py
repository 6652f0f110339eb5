# SPDX-License-Identifier: Apache-2.0
"""Compares cocotb suites of a checkout of yours: stock, and with ``-p goldbeat.dropin``.

    python tests/benchmarks/compare_dropin.py KEEP --checkout ~/taxi --tests src/axis/tb src/apb/tb --minutes 5
    python tests/benchmarks/compare_dropin.py KEEP

KEEP is a folder outside of the repository: two copies of the checkout, and ``results.json``. The first line runs what has not
been run yet, one parameter set after the other, and starts none after so many minutes: repeat it until nothing is left. What
the drop-in did with other code of Goldbeat is run again. Both lines print what there is. Of each test function the first
parameter set runs, with ``--ends`` the last one too. ``--summary`` prints one row of a table instead.

With ``--record``, both kinds also write down every step of the suite's own tasks: when it is, in which line, in which order. The
first difference is printed and counts like a verdict; times are not to be used then. Where one kind reached its time limit, the
tests that it has ended are compared, and the steps up to there.

Per test of cocotb: verdict and seconds in both runs, as cocotb has them (starts of processes and builds are not in them). Both
kinds draw the same random numbers. On a busy machine a time is the least of two runs, of sets that take less than a minute.
Needs ``cocotb-test`` beside Goldbeat where the suites use it. Suites for cocotb 1 that ask for ``cocotb.SIM_NAME`` outside of a
simulator get the answer of cocotb 1: None. With ``--cocotb1`` their values can be computed with too, as cocotb 1 allowed, and
parameters that a top module does not have are left out (``recorder/cocotb1.py``), in both kinds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from goldbeat.tb.build.toolchain import verilator

KINDS = ("stock", "dropin")
NEVER_ENDED = "time-out"
FIXED = {"COCOTB_RANDOM_SEED": "1", "SIM": "verilator"}
START = """
import os, sys, pytest
sys.path.append(sys.argv.pop(1))
import cocotb1
cocotb1.old_names()
lenient, old = (os.environ.get(f"GOLDBEAT_{name}") for name in ("LENIENT", "COCOTB_1"))
if lenient or old:
    import cocotb_test.simulator as one
    stock = one.run
    def run(*args, **more):
        if lenient:
            more["compile_args"] = [*more.get("compile_args", []), "-Wno-fatal"]
        return stock(*args, **(cocotb1.known_parameters(more) if old else more))
    one.run = run
sys.exit(pytest.main(sys.argv[1:]))
"""
SHORT = 60.0
"""Seconds of a run that is repeated."""
WHOLE = "(pytest)"
"""The verdict of pytest on all tests of a parameter set."""
STEPS = "(steps)"
"""In place of the verdict, a hash of all steps."""
NO_STEPS = "none"
ENDED = "ended: its processor time is over"
"""The last step of a simulator that was ended."""
MOST_SECONDS = [0.0]
"""Of processor time that a recorded simulator gets, 0 for any."""
SOURCES = Path(__file__).resolve().parents[2] / "tb"
RECORDER = Path(__file__).resolve().parent / "recorder"
Cases = dict[str, tuple[str, float]]
"""By test of cocotb: verdict and seconds."""


def copies(checkout: Path, keep: Path) -> None:
    """A copy of the checkout per kind of run, where there is none."""
    for kind in KINDS:
        if not (keep / kind).is_dir():
            left_out = shutil.ignore_patterns(".git", "sim_build", "__pycache__")
            shutil.copytree(checkout, keep / kind, ignore=left_out, symlinks=True)


def steps_of(keep: Path, kind: str, key: str) -> Path:
    """Where the steps of a parameter set are."""
    return keep / "steps" / kind / key.replace("/", "-")


def recording(steps: Path) -> dict[str, str]:
    """What makes simulators write down all steps."""
    steps.parent.mkdir(parents=True, exist_ok=True)
    steps.unlink(missing_ok=True)
    return {"GOLDBEAT_SEEN": str(steps), "GOLDBEAT_SEEN_SECONDS": str(MOST_SECONDS[0]), "PYTHONHASHSEED": "0"}


def environment(kind: str, optimise: str = "OPT_FAST=-O3") -> dict[str, str]:
    """What pytest runs in. ``optimise``: variables for the makefile of a stock simulator."""
    tool = verilator()
    made = tool.environment() | FIXED
    packages = [p for p in sys.path if p.endswith("site-packages")]
    made["PYTHONPATH"] = os.pathsep.join([str(RECORDER), *packages])
    if kind == "stock":
        made["MAKEFLAGS"] = " ".join([*tool.make_variables, optimise])
    return made


def pytest(
    kind: str, folder: Path, *words: str, limit: float, steps: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder of a copy. After the time limit (TimeoutExpired), its simulators are ended too."""
    plugin = ("-p", "goldbeat.dropin") if kind == "dropin" else ()
    command = [
        sys.executable,
        "-c",
        START,
        str(RECORDER),
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir=.",
        *plugin,
        *words,
    ]
    pipe = subprocess.PIPE
    variables = environment(kind)
    if steps is not None:
        # Times do not count: a simulator that is built soon is enough.
        variables = environment(kind, "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0") | recording(steps)
    run = subprocess.Popen(
        command, cwd=folder, env=variables, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    )
    try:
        out, err = run.communicate(timeout=limit)
    except BaseException:
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        raise
    return subprocess.CompletedProcess(command, run.returncode, out, err)


def chosen(keep: Path, tests: list[str], ends: bool) -> list[tuple[str, str]]:
    """Folder and pytest's name of each parameter set to run."""
    # Suites have modules of one name in many folders.
    words = ("--collect-only", "--continue-on-collection-errors", "--import-mode=importlib")
    run = pytest("stock", keep / "stock", *words, *tests, limit=600)
    functions: dict[str, list[str]] = {}
    for line in run.stdout.splitlines():
        if "::" in line and not line.startswith("ERROR"):
            functions.setdefault(line.partition("[")[0], []).append(line.strip())
    if run.returncode:
        print(f"pytest cannot collect all of it, stock\n{run.stdout[-3000:]}{run.stderr[-1000:]}")
    found = []
    for sets in functions.values():
        for name in dict.fromkeys([sets[0], *([sets[-1]] if ends else [])]):
            path, _, function = name.partition("::")
            found.append((str(Path(path).parent), f"{Path(path).name}::{function}"))
    return found


def cases(folder: Path, since: float) -> Cases:
    """What cocotb has written in a folder since then."""
    found: Cases = {}
    for path in folder.rglob("*results.xml"):
        if path.stat().st_mtime < since or not path.stat().st_size:
            continue
        try:
            tree = ElementTree.parse(path)
        except ElementTree.ParseError:
            continue
        for case in tree.iter("testcase"):
            passed = case.find("failure") is None and case.find("error") is None
            verdict = "skip" if case.find("skipped") is not None else "pass" if passed else "FAIL"
            found[case.get("name", "")] = verdict, float(case.get("time", 0))
    return found


def run_set(kind: str, keep: Path, place: str, name: str, limit: float, record: bool) -> Cases:
    """Run one parameter set."""
    folder, since = keep / kind / place, time.time()
    steps = steps_of(keep, kind, f"{place}/{name}") if record else None
    try:
        run = pytest(kind, folder, name, limit=limit, steps=steps)
        verdict = "pass" if run.returncode == 0 else "FAIL"
        if verdict == "FAIL":
            (keep / f"{kind}-{name.replace('/', '-')}.log").write_text(run.stdout + run.stderr)
    except subprocess.TimeoutExpired:
        verdict = NEVER_ENDED
    found = cases(folder, since) | {WHOLE: (verdict, 0.0)}
    if steps is not None:
        seen = steps.read_bytes() if steps.is_file() else b""
        if ENDED.encode() in seen[-100:]:
            found[WHOLE] = NEVER_ENDED, 0.0
        found[STEPS] = hashlib.sha256(seen).hexdigest()[:8] if seen else NO_STEPS, 0.0
    return found


def run_twice(kind: str, keep: Path, place: str, name: str, limit: float) -> Cases:
    """Run one parameter set; again where that is soon done. The least time of each test, and a verdict only where both agree."""
    first = run_set(kind, keep, place, name, limit, record=False)
    if first[WHOLE][0] == NEVER_ENDED or sum(seconds for _, seconds in first.values()) > SHORT:
        return first
    second = run_set(kind, keep, place, name, limit, record=False)
    both: Cases = {}
    for test in first.keys() | second.keys():
        (verdict, seconds), (other, again) = (run.get(test, ("missing", 0.0)) for run in (first, second))
        both[test] = verdict if verdict == other else f"{verdict}/{other}", min(seconds, again)
    return both


def run_missing(
    keep: Path, results: dict[str, dict[str, Any]], sets: list[tuple[str, str]], args: argparse.Namespace
) -> None:
    """Run what has not been run, until the time is over."""
    end = time.monotonic() + 60 * args.minutes
    measured = content_of_dropin()
    for key in [key for key in results["dropin"] if results["code"].get(key) != measured]:
        # What was measured of other code says nothing of this.
        del results["dropin"][key]
    for place, name in sets:
        for kind in reversed(KINDS):
            key = f"{place}/{name}"
            if key in results[kind]:
                continue
            if time.monotonic() > end:
                print("time is over: the same command goes on from here")
                return
            if args.record:
                results[kind][key] = run_set(kind, keep, place, name, args.limit, record=True)
            else:
                results[kind][key] = run_twice(kind, keep, place, name, args.limit)
            if kind == "dropin":
                results["code"][key] = measured
            (keep / "results.json").write_text(json.dumps(results, indent=1))


def content_of_dropin() -> str:
    """A hash of what the drop-in consists of."""
    kinds = ("dropin/*.py", "kernel/*.cpp", "kernel/*.h")
    files = (path for kind in kinds for path in sorted(SOURCES.glob(kind)))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


def both_steps(keep: Path, key: str) -> list[list[str]]:
    """The steps of both kinds."""
    kinds = [steps_of(keep, kind, key) for kind in KINDS]
    return [path.read_text().splitlines() if path.is_file() else [] for path in kinds]


def first_difference(keep: Path, key: str) -> str:
    """The first step in which both kinds differ."""
    pairs = enumerate(zip_longest(*both_steps(keep, key), fillvalue="the end"), 1)
    return next((f"  step {k}: {one}, with the drop-in {other}" for k, (one, other) in pairs if one != other), "")


def equal_so_far(keep: Path, key: str) -> bool:
    """Whether both kinds took the same steps until the first of them was ended. A last line may be cut."""
    one, other = both_steps(keep, key)
    common = min(len(one), len(other)) - 1
    return one[:common] == other[:common]


@dataclass
class Pair:
    """A parameter set in both kinds.

    Attributes:
        key: folder and name of pytest.
        stock: its cases.
        dropin: the other's.
        ended: neither was ended at its time limit.
        tests: of cocotb that have a verdict in both kinds, with both; of ended runs, what there is.
        same: verdicts, and steps if recorded.
    """

    key: str
    stock: Cases
    dropin: Cases
    ended: bool
    tests: dict[str, tuple[str, str]]
    same: bool

    @property
    def built(self) -> bool:
        """It came to a test in one kind at least."""
        return any(name not in (WHOLE, STEPS) for name in self.stock.keys() | self.dropin.keys()) or not self.ended


def pair_of(key: str, stock: Cases, dropin: Cases, keep: Path) -> Pair:
    """Compare a parameter set."""
    ended = NEVER_ENDED not in (stock[WHOLE][0], dropin[WHOLE][0])
    names = (stock.keys() | dropin.keys()) if ended else (stock.keys() & dropin.keys())
    missing = ("missing", 0.0)
    verdicts = {name: (stock.get(name, missing)[0], dropin.get(name, missing)[0]) for name in sorted(names)}
    tests = {name: both for name, both in verdicts.items() if name not in (WHOLE, STEPS)}
    same = all(one == other for name, (one, other) in verdicts.items() if ended or name not in (WHOLE, STEPS))
    if not ended and STEPS in verdicts:
        same = same and equal_so_far(keep, key)
    return Pair(key, stock, dropin, ended, tests, same)


def pairs_of(results: dict[str, dict[str, Cases]], keep: Path) -> list[Pair]:
    """All parameter sets that have run in both kinds."""
    common = sorted(results["stock"].keys() & results["dropin"].keys())
    return [pair_of(key, results["stock"][key], results["dropin"][key], keep) for key in common]


def show_pair(pair: Pair, keep: Path) -> list[float]:
    """Print a parameter set; the ratios of its times."""
    ratios = []
    for name in sorted(pair.stock.keys() | pair.dropin.keys()):
        verdict, slow = pair.stock.get(name, ("missing", 0.0))
        other, quick = pair.dropin.get(name, ("missing", 0.0))
        times = ""
        if slow and quick:
            ratios.append(slow / quick)
            times = f"{slow:9.3f} {quick:9.3f} {slow / quick:8.1f}"
        mark = " OTHER VERDICT" if verdict != other and pair.ended else ""
        print(f"{verdict:>8} {other:>8} {times:28}  {Path(pair.key).name} {name}{mark}")
    if not pair.ended:
        print(
            f"{'':37}  {Path(pair.key).name}: one kind reached its limit; {'equal' if pair.same else 'OTHER'} up to there"
        )
    if not pair.same and STEPS in pair.stock:
        print(first_difference(keep, pair.key))
    return ratios


def show(results: dict[str, dict[str, Cases]], keep: Path) -> int:
    """Print the comparison; 1 where anything differs."""
    pairs = pairs_of(results, keep)
    print(f"{'stock':>8} {'dropin':>8} {'stock s':>9} {'dropin s':>9} {'ratio':>8}  test")
    ratios = [ratio for pair in pairs for ratio in show_pair(pair, keep)]
    different = [pair for pair in pairs if not pair.same]
    ran = sum("skip" not in both for pair in pairs for both in pair.tests.values())
    if ratios:
        print(
            f"{len(pairs)} parameter sets ({sum(not pair.ended for pair in pairs)} of them reached the limit), {ran} tests:"
            f" {len(different)} sets differ; {len(ratios)} timed:"
            f" ratio median {statistics.median(ratios):.1f}, least {min(ratios):.1f}, most {max(ratios):.1f}"
        )
    return 1 if different else 0


SUMMARY = (
    "suite",
    "files",
    "sets",
    "not built",
    "ended early",
    "tests",
    "equal",
    "pass in both",
    "fail in both",
    "steps",
)
"""Columns: of files, of sets three, of tests with a verdict in both kinds four, and the equal steps of all."""


def summary(results: dict[str, dict[str, Cases]], keep: Path) -> int:
    """Print one row of the table of suites; 1 where anything differs."""
    pairs = pairs_of(results, keep)
    tests = [(pair, both) for pair in pairs for both in pair.tests.values()]
    row = (
        keep.name,
        len({pair.key.partition("::")[0] for pair in pairs}),
        len(pairs),
        sum(not pair.built for pair in pairs),
        sum(not pair.ended for pair in pairs),
        len(tests),
        sum(one == other for pair, (one, other) in tests if pair.same),
        sum(both == ("pass", "pass") for _, both in tests),
        sum(both == ("FAIL", "FAIL") for _, both in tests),
        sum(min(map(len, both_steps(keep, pair.key))) for pair in pairs if pair.same and STEPS in pair.stock),
    )
    print(f"| {' | '.join(SUMMARY)} |\n|{'---|' * len(SUMMARY)}\n| {' | '.join(map(str, row))} |")
    return 0 if all(pair.same for pair in pairs) else 1


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("keep", type=Path, help="folder for copies and results")
    parser.add_argument("--checkout", type=Path, help="repository with tests for cocotb")
    parser.add_argument("--tests", nargs="+", default=[], help="folders of tests in it")
    parser.add_argument("--ends", action="store_true", help="run the last parameter set too")
    parser.add_argument("--minutes", type=float, default=5, help="start no run after so many (default: %(default)s)")
    parser.add_argument("--limit", type=float, default=240, help="seconds until a run has hung (default: %(default)s)")
    parser.add_argument("--record", action="store_true", help="compare every step of the suite's tasks too, in one run")
    parser.add_argument(
        "--most", type=float, default=0, help="with --record: end simulators after so much processor time"
    )
    parser.add_argument("--lenient", action="store_true", help="build in spite of Verilator's warnings (cocotb-test)")
    parser.add_argument("--cocotb1", action="store_true", help="let suites compute with values as cocotb 1 did")
    parser.add_argument("--summary", action="store_true", help="print a row of a table instead of all tests")
    args = parser.parse_args()
    more = {"LENIENT": args.lenient, "COCOTB_1": args.cocotb1}
    MOST_SECONDS[0] = args.most
    FIXED.update({f"GOLDBEAT_{name}": "1" for name, asked in more.items() if asked})
    keep = args.keep.absolute()
    keep.mkdir(parents=True, exist_ok=True)
    kept = keep / "results.json"
    results = {"code": {}} | (json.loads(kept.read_text()) if kept.is_file() else {kind: {} for kind in KINDS})
    if args.checkout:
        copies(args.checkout, keep)
        run_missing(keep, results, chosen(keep, args.tests, args.ends), args)
    return (summary if args.summary else show)(results, keep)


if __name__ == "__main__":
    sys.exit(main())
