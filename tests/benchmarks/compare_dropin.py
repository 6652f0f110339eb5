# SPDX-License-Identifier: Apache-2.0
"""Compares cocotb suites of a checkout of yours: stock, and with ``-p goldbeat.dropin``.

    python tests/benchmarks/compare_dropin.py KEEP --checkout ~/taxi --tests src/axis/tb src/apb/tb --minutes 5
    python tests/benchmarks/compare_dropin.py KEEP

KEEP is a folder outside of the repository: two copies of the checkout, and ``results.json``. The first line runs what has not
been run yet, one parameter set after the other, and starts none after so many minutes: repeat it until nothing is left. Both
lines print what there is. Of each test function the first parameter set runs, with ``--ends`` the last one too.

With ``--record``, both kinds also write down every step of the suite's own tasks: when it is, in which line, in which order. The
first difference is printed and counts like a verdict; times are not to be used then.

Per test of cocotb: verdict and seconds in both runs, as cocotb has them (starts of processes and builds are not in them). Both
kinds draw the same random numbers. On a busy machine a time is the least of two runs, of sets that take less than a minute.
Needs ``cocotb-test`` beside Goldbeat where the suites use it. Suites for cocotb 1 that ask for ``cocotb.SIM_NAME`` outside of a
simulator get the answer of cocotb 1: None.
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
from itertools import zip_longest
from pathlib import Path
from xml.etree import ElementTree

from goldbeat.tb.build.toolchain import verilator

KINDS = ("stock", "dropin")
NEVER_ENDED = "time-out"
FIXED = {"COCOTB_RANDOM_SEED": "1", "SIM": "verilator"}
START = """
import sys, cocotb, pytest
vars(cocotb).setdefault("SIM_NAME", None)
if sys.argv.pop(1) == "lenient":
    import cocotb_test.simulator as one
    run = one.run
    one.run = lambda *args, **more: run(*args, **more | {"compile_args": [*more.get("compile_args", []), "-Wno-fatal"]})
sys.exit(pytest.main(sys.argv[1:]))
"""
STRICTNESS = "strict"
"""Whether warnings of Verilator are errors, as they are unless a suite says otherwise, or ``lenient``."""
SHORT = 60.0
"""Seconds of a run that is repeated."""
WHOLE = "(pytest)"
"""The verdict of pytest on all tests of a parameter set."""
STEPS = "(steps)"
"""In place of the verdict, a hash of all steps."""
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
    return {"GOLDBEAT_SEEN": str(steps), "PYTHONHASHSEED": "0"}


def environment(kind: str) -> dict[str, str]:
    """What pytest runs in."""
    tool = verilator()
    made = tool.environment() | FIXED
    made["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p.endswith("site-packages"))
    if kind == "stock":
        made["MAKEFLAGS"] = " ".join([*tool.make_variables, "OPT_FAST=-O3"])
    return made


def pytest(
    kind: str, folder: Path, *words: str, limit: float, steps: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder of a copy. After the time limit (TimeoutExpired), its simulators are ended too."""
    plugin = ("-p", "goldbeat.dropin") if kind == "dropin" else ()
    command = [sys.executable, "-c", START, STRICTNESS, "-q", "-p", "no:cacheprovider", "--rootdir=.", *plugin, *words]
    pipe = subprocess.PIPE
    variables = environment(kind)
    if steps is not None:
        variables |= recording(steps)
        variables["PYTHONPATH"] = f"{RECORDER}{os.pathsep}{variables['PYTHONPATH']}"
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
    found = []
    for part in tests:
        run = pytest("stock", keep / "stock" / part, "--collect-only", ".", limit=240)
        functions: dict[str, list[str]] = {}
        for line in run.stdout.splitlines():
            if "::" in line and not line.startswith("ERROR"):
                functions.setdefault(line.partition("[")[0], []).append(line.strip())
        if run.returncode:
            print(f"{part}: pytest cannot collect all of it, stock\n{run.stdout[-1000:]}")
        for sets in functions.values():
            found += [(part, name) for name in dict.fromkeys([sets[0], *([sets[-1]] if ends else [])])]
    return found


def cases(folder: Path, since: float) -> Cases:
    """What cocotb has written in a folder since then."""
    found: Cases = {}
    for path in folder.rglob("*results.xml"):
        if path.stat().st_mtime < since or not path.stat().st_size:
            continue
        for case in ElementTree.parse(path).iter("testcase"):
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
        found[STEPS] = hashlib.sha256(seen).hexdigest()[:8] if seen else "none", 0.0
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
    keep: Path, results: dict[str, dict[str, Cases]], sets: list[tuple[str, str]], args: argparse.Namespace
) -> None:
    """Run what has not been run, until the time is over."""
    end = time.monotonic() + 60 * args.minutes
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
            (keep / "results.json").write_text(json.dumps(results, indent=1))


def first_difference(keep: Path, key: str) -> str:
    """The first step in which both kinds differ."""
    kinds = [steps_of(keep, kind, key) for kind in KINDS]
    lines = [path.read_text().splitlines() if path.is_file() else [] for path in kinds]
    pairs = enumerate(zip_longest(*lines, fillvalue="the end"), 1)
    return next((f"  step {k}: {one}, with the drop-in {other}" for k, (one, other) in pairs if one != other), "")


def show(results: dict[str, dict[str, Cases]], keep: Path) -> int:
    """Print the comparison; 1 where a verdict differs."""
    ratios, differ, ran, open_ends = [], 0, 0, 0
    common = sorted(results["stock"].keys() & results["dropin"].keys())
    print(f"{'stock':>8} {'dropin':>8} {'stock s':>9} {'dropin s':>9} {'ratio':>8}  test")
    for key in common:
        before, after = results["stock"][key], results["dropin"][key]
        if before[WHOLE][0] == NEVER_ENDED:
            open_ends += 1
            print(f"{NEVER_ENDED:>8} {after[WHOLE][0]:>8} {'':28}  {Path(key).name}: no verdict of stock (see --limit)")
            continue
        for name in sorted(before.keys() | after.keys()):
            verdict, slow = before.get(name, ("missing", 0.0))
            other, quick = after.get(name, ("missing", 0.0))
            differ += verdict != other
            ran += name not in (WHOLE, STEPS) and "skip" not in (verdict, other)
            times = ""
            if slow and quick:
                ratios.append(slow / quick)
                times = f"{slow:9.3f} {quick:9.3f} {slow / quick:8.1f}"
            mark = " OTHER VERDICT" if verdict != other else ""
            print(f"{verdict:>8} {other:>8} {times:28}  {Path(key).name} {name}{mark}")
            if name == STEPS and mark:
                print(first_difference(keep, key))
    if ratios:
        print(
            f"{len(common) - open_ends} parameter sets ({open_ends} more reached the limit, stock),"
            f" {ran} tests: {differ} with another verdict; {len(ratios)} timed:"
            f" ratio median {statistics.median(ratios):.1f}, least {min(ratios):.1f}, most {max(ratios):.1f}"
        )
    return 1 if differ else 0


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
    parser.add_argument("--lenient", action="store_true", help="build in spite of Verilator's warnings (cocotb-test)")
    args = parser.parse_args()
    os.nice(5)
    if args.lenient:
        global STRICTNESS
        STRICTNESS = "lenient"
    keep = args.keep.absolute()
    keep.mkdir(parents=True, exist_ok=True)
    kept = keep / "results.json"
    results = json.loads(kept.read_text()) if kept.is_file() else {kind: {} for kind in KINDS}
    if args.checkout:
        copies(args.checkout, keep)
        run_missing(keep, results, chosen(keep, args.tests, args.ends), args)
    return show(results, keep)


if __name__ == "__main__":
    sys.exit(main())
