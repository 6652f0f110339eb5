# SPDX-License-Identifier: Apache-2.0
"""Run everything that is too long for a landing: one step after the other, each with a log, one page of results.

    python tests/nightly.py [--seed S] [--hours H] [--only GLOB]... [--resume] [--list]

Steps: lint, quick tests, twelve parts of the slow tests, benchmarks in short form, attack, mutants of changed modules, a wheel in a
clean environment, the newest packages that the ranges allow, other Pythons on PATH, bare Debian 12 and 13.
Results: build/nightly/results.md and results.json, a log per step. A step that did not run this time keeps its last result and age.
Exit code: 0 every step passed, 1 one failed, 2 bad usage, 3 none failed, but one did not run.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from goldbeat.tb.design.catalog import designs
from goldbeat.tb.git import git_revision

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDER = REPOSITORY / "build" / "nightly"
PARTS = 12
FAULTS = 100
"""Of the attack: ten take about half a minute on two cores."""
MUTANTS = 50
"""Per design with changed modules: one that survives is within the goal of 98 %."""
BEFORE = 60
"""Commits whose changes count where no earlier result says what has been tried."""
PYTHON = shlex.quote(sys.executable)


@dataclass(frozen=True)
class Step:
    """One thing to run: its name, a command for bash, its limit in minutes, and why it cannot run here (empty: it can)."""

    name: str
    command: str
    minutes: int
    lacks: str = ""


@dataclass(frozen=True)
class Result:
    """How a step ended: passed or failed; seconds, the revision (``+``: and changes), the seed, when it ended, its last line."""

    outcome: str
    seconds: float
    revision: str
    seed: int
    ended: str
    said: str


def git(*words: str) -> str:
    """What git prints."""
    return subprocess.run(["git", *words], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.strip()


def commits_since(result: Result) -> str:
    """How many there are since a result."""
    try:
        return git("rev-list", "--count", f"{result.revision.rstrip('+')}..HEAD")
    except subprocess.CalledProcessError:
        return "unknown"


def changed_modules(since: str) -> dict[str, list[str]]:
    """The SystemVerilog files that have changed since a commit, by the smallest design that holds them."""
    names = [REPOSITORY / name for name in git("diff", "--name-only", since, "--", "hdl/*.sv").splitlines()]
    held = {name: {path.resolve() for path in design.sources()} for name, design in designs().items()}
    by_size = sorted(held, key=lambda name: (len(held[name]), name))
    found: dict[str, list[str]] = {}
    for path in names:
        holders = [name for name in by_size if path in held[name]]
        if path.exists() and holders:
            found.setdefault(holders[0], []).append(path.name)
    return found


def mutants(seed: int, results: dict[str, Result]) -> Iterator[Step]:
    """A step for each design with modules that have changed since its mutants passed."""
    first = git("rev-list", "--max-count", str(BEFORE), "HEAD").splitlines()[-1]
    for design, files in changed_modules(first).items():
        name = f"mutants of {design}"
        last = results.get(name)
        if last and last.outcome == "passed" and commits_since(last) != "0":
            files = changed_modules(last.revision.rstrip("+")).get(design, [])
        if files:
            only = " ".join(f"--files {shlex.quote(file)}" for file in files)
            yield Step(
                name, f"{PYTHON} -m goldbeat mutate {design} {only} --sample {MUTANTS} --seed {seed} --jobs 2", 40
            )


def other_pythons() -> list[str]:
    """The oldest and the newest Python on PATH, if they are not the one that runs this."""
    # A name on PATH may be a launcher whose Python is not there.
    there = [
        name
        for name in (f"python3.{minor}" for minor in range(11, 15))
        if shutil.which(name) and not subprocess.run([name, "--version"], capture_output=True, check=False).returncode
    ]
    return sorted({*there[:1], *there[-1:]} - {f"python3.{sys.version_info.minor}"})


def in_clean_environment(name: str, install: str, then: str) -> str:
    """Commands for bash: install into a new virtual environment, whose programs are in ``$env``, and go on in an empty folder."""
    return (
        f'here="$PWD/build/nightly/{name}"; rm -rf "$here"; mkdir -p "$here/work" && {PYTHON} -m venv "$here/env"'
        f' && env="$here/env/bin" && {install} && cd "$here/work" && export GOLDBEAT_CACHE="$here/cache" && {then}'
    )


def steps(seed: int, results: dict[str, Result]) -> list[Step]:
    """Everything that a night runs, what fails soonest first."""
    root = shlex.quote(str(REPOSITORY))
    bare = "" if not os.geteuid() and shutil.which("debootstrap") else "needs root and debootstrap"
    run = '"$env/goldbeat" run plio_fir --seeds 2'
    wheel = '"$env/pip" install -q -c requirements/run.txt "$(ls dist/*.whl)[sim]"'
    extras = "sim,reference,waves,probe,synth,registers,images,plots,farm,dev"
    newest = f'"$env/pip" install -q --upgrade -e ".[{extras}]" && "$env/pip" list'
    tests = f'cd {root} && "$env/python" -m pytest -n 3 --dist worksteal -m "not slow"'
    return [
        Step("lint", "make lint", 15),
        Step("quick tests", "make test", 40),
        Step("wheel in a clean environment", "make wheel && " + in_clean_environment("wheel", wheel, run), 10),
        *(
            Step(f"slow tests {n}/{PARTS}", f"make test-slow SHARD={n}/{PARTS} TURN={seed}", 30)
            for n in range(1, PARTS + 1)
        ),
        Step("benchmarks in short form", "make bench SHORT=1", 60),
        Step("attack", f"make attack SEED={seed} FAULTS={FAULTS}", 40),
        *mutants(seed, results),
        Step("newest packages", in_clean_environment("newest", newest, tests), 40),
        *(
            Step(
                f"quick tests with {name}",
                f"rm -rf {clone} && git clone -q . {clone} && make -C {clone} PYTHON={name} test",
                40,
            )
            for name in other_pythons()
            for clone in [f"build/nightly/{name}"]
        ),
        *(Step(f"bare Debian {n}", f"{PYTHON} tests/bare_debian.py {n}", 60, bare) for n in (12, 13)),
    ]


def run(step: Step, log: Path, seconds: float) -> tuple[bool, str]:
    """Run a step with all its processes in a group of their own; whether it passed, and its last line."""
    with log.open("w") as stream:
        process = subprocess.Popen(
            ["bash", "-c", step.command],
            cwd=REPOSITORY,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False, f"did not end within {seconds / 60:.0f} minutes"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    lines = log.read_text(errors="replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return not code, last if code == 0 else f"exit code {code}: {last}"


def age(result: Result) -> str:
    """How old a result is, in commits and hours."""
    hours = (datetime.now(UTC) - datetime.fromisoformat(result.ended)).total_seconds() / 3600
    return f"{commits_since(result)} commits, {hours:.1f} h"


def page(planned: list[Step], results: dict[str, Result]) -> str:
    """The results as Markdown, a row per step that is planned or has a result."""
    commands = {step.name: step.command for step in planned}
    lines = ["| step | result | age | seconds | seed | last line |", "|---|---|---|---|---|---|"]
    for name in dict.fromkeys([*commands, *results]):
        found = results.get(name)
        if found is None:
            lines.append(f"| {name} | never run | | | | |")
            continue
        said = found.said.replace("|", "/")[:120]
        lines.append(
            f"| {name} | {found.outcome} | {age(found)} | {found.seconds:.0f} | {found.seed} | `{said or ' '}` |"
        )
    title = f"# Nightly: {git('log', '-1', '--format=%h %s')}"
    failed = [name for name in commands if name in results and results[name].outcome == "failed"]
    repeat = [f"* {name}: `{commands[name]}`" for name in failed]
    return "\n".join([title, "", *lines, "", *(["To repeat what failed:", "", *repeat, ""] if repeat else [])])


def load() -> dict[str, Result]:
    """The last result of each step."""
    path = FOLDER / "results.json"
    kept: dict[str, dict[str, Any]] = json.loads(path.read_text()) if path.exists() else {}
    return {name: Result(**fields) for name, fields in kept.items()}


def save(planned: list[Step], results: dict[str, Result]) -> None:
    """Write the results, as a whole or not at all."""
    for name, text in {
        "results.json": json.dumps({name: asdict(found) for name, found in results.items()}, indent=1),
        "results.md": page(planned, results),
    }.items():
        part = FOLDER / f"{name}.part"
        part.write_text(text + "\n")
        part.replace(FOLDER / name)


def parse() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, help="Seed of attack and mutants. Default: the date, as 20261127.")
    parser.add_argument(
        "--hours", type=float, default=3.0, help="Begin no step, and end the last one, after this. Default: 3."
    )
    parser.add_argument("--only", action="append", metavar="GLOB", help="Run only steps whose name matches.")
    parser.add_argument(
        "--resume", action="store_true", help="Leave out what passed at the same commit with the same seed."
    )
    parser.add_argument("--list", action="store_true", help="List the steps and their commands; run nothing.")
    given = parser.parse_args()
    given.seed = int(datetime.now(UTC).strftime("%Y%m%d")) if given.seed is None else given.seed
    return given


def main() -> int:
    """Run the steps; the exit code."""
    given = parse()
    FOLDER.mkdir(parents=True, exist_ok=True)
    results = load()
    everything = steps(given.seed, results)
    planned = [s for s in everything if not given.only or any(fnmatch.fnmatch(s.name, g) for g in given.only)]
    if not planned:
        print(f"no step matches {' or '.join(given.only)}; --list shows them", file=sys.stderr)
        return 2
    if given.list:
        print("\n".join(f"{step.name}: {step.command}" for step in planned))
        return 0
    revision, end = git_revision(REPOSITORY), time.monotonic() + given.hours * 3600
    outcomes: list[str] = []
    for number, step in enumerate(planned, 1):
        last = results.get(step.name)
        same = last is not None and (last.revision, last.seed, last.outcome) == (revision, given.seed, "passed")
        if given.resume and same and not revision.endswith("+"):
            outcomes.append("passed")
            continue
        print(f"{number}/{len(planned)} {step.name} ... ", end="", flush=True)
        begin, left = time.monotonic(), end - time.monotonic()
        lacks = step.lacks or ("" if left > 0 else f"{given.hours:g} hours are over")
        if lacks:
            outcomes.append("not run")
            print(f"not run: {lacks}", flush=True)
            continue
        passed, said = run(
            step, FOLDER / f"{step.name.replace(' ', '-').replace('/', '-of-')}.log", min(left, step.minutes * 60)
        )
        outcome = "passed" if passed else "failed"
        spent = time.monotonic() - begin
        now = datetime.now(UTC).isoformat(timespec="seconds")
        results[step.name] = Result(outcome, spent, revision, given.seed, now, said)
        outcomes.append(outcome)
        save(everything, results)
        print(f"{outcome}, {spent:.0f} s: {said}", flush=True)
    save(everything, results)
    counts = ", ".join(f"{outcomes.count(one)} {one}" for one in ("passed", "failed", "not run"))
    print(f"{counts}: {FOLDER / 'results.md'}")
    return 1 if "failed" in outcomes else 3 if "not run" in outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
