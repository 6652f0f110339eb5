# SPDX-License-Identifier: Apache-2.0
"""Faults of files, disks and folders: damage, no room, no right to write, foreign folders, several masters at once."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import shutil
import signal
import time
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from types import ModuleType

from arena import MOODY, REPOSITORY, Arena, demand, strike
from kinds import CALM, FAILED, REGRESS, ended, kind, resume, same, undisturbed

_MUTATIONS = 25
"""Damaged files of one fault: most are refused in a millisecond."""


# -- files that are read ----------------------------------------------------------------------------------------------


@cache
def _module(name: str) -> ModuleType:
    """A module of tests, for what it knows of good files and who reads them; forks share it."""
    spec = importlib.util.spec_from_file_location(Path(name).name, REPOSITORY / "tests" / "tb" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _read(module: str, makers: Sequence[str], arena: Arena, rng: random.Random) -> str:
    maker, seed = rng.choice(list(makers)), rng.randrange(1 << 30)
    _module(module)

    def survey() -> None:
        reader = getattr(_module(module), maker)(arena.folder)
        reader.check(_MUTATIONS, seed)

    said = arena.fork(survey).wait()
    demand(said.code == 0, said.err[-2000:])
    for path in arena.folder.iterdir():
        # These commands ran where they liked.
        if path.name not in ("build", "project", "tmp") and path.is_dir():
            shutil.rmtree(path)
    return f"{_MUTATIONS} files of {maker[1:]}, seed {seed}"


for _name, _where, _makers in (
    ("plio", "designs/plio/test_damaged", ("_cint16", "_float", "_int8", "_packets", "_csv", "_samples")),
    ("model-container", "cli/test_damaged_files", ("_bmodel", "_stream", "_profile", "_table")),
    ("network", "cli/test_damaged_files", ("_network", "_network_json", "_weights_bin", "_weights_npy", "_image_npy")),
    ("description", "cli/test_damaged_files", ("_limits", "_suite", "_description")),
    ("prediction", "cli/test_damaged_files", ("_report", "_trace", "_trace_columns")),
    ("results", "cli/test_damaged_files", ("_database", "_columns")),
):
    kind(f"damaged-{_name}", weight=12, cheap=_name in ("plio", "results"))(partial(_read, _where, _makers))


# -- the cache --------------------------------------------------------------------------------------------------------


def _damage(path: Path, rng: random.Random) -> str:
    """Put a damaged copy in a file's place, or nothing."""
    data = bytearray(path.read_bytes())
    how = rng.choice(["cut", "flip", "empty", "zeros", "gone"])
    if how == "cut":
        del data[rng.randrange(len(data)) :]
    elif how == "flip":
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif how == "empty":
        data.clear()
    elif how == "zeros":
        start = rng.randrange(len(data))
        data[start : start + 4096] = bytes(len(data[start : start + 4096]))
    mode = path.stat().st_mode
    path.unlink()
    if how != "gone":
        path.write_bytes(data)
        path.chmod(mode)
    return how


@kind("damaged-simulator", weight=0.4, own_cache=True)
def _simulator(arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    name, seed = rng.choice(["sim", "sim.sha256"]), rng.random()
    noticed = True
    # Builds of other versions of Goldbeat may lie beside the one that is used.
    for path in sorted((arena.build / "sim").glob(f"*/{name}")):
        before = path.read_bytes().split()
        how = _damage(path, random.Random(seed))
        there = path.is_file()
        noticed &= path.read_bytes().split() != before if there else name != "sim"
    said = arena.goldbeat("regress", arena.suite(**CALM), *REGRESS)
    ended(said, FAILED, text="is damaged" if noticed else "")
    same(arena, expected)
    return f"{name}: {how}"


@kind("damaged-object", weight=0.2, own_cache=True)
def _object(arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    sealed = sorted((arena.build / "runtime").rglob("*.sha256"))
    path = rng.choice(sealed).with_suffix("")
    how = _damage(path, rng)
    for folder in (arena.build / "sim").iterdir():
        if folder.is_dir():
            shutil.rmtree(folder)
    ended(arena.goldbeat("regress", arena.suite(**CALM), *REGRESS), FAILED)
    same(arena, expected)
    return f"{path.name}: {how}"


# -- disks and folders ------------------------------------------------------------------------------------------------


@kind("disk-full", weight=2, needs="root")
def _full(arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    size = rng.choice([40, 100, 150, 200, 400, 3000])
    suite = arena.suite(**CALM)
    with arena.mounted(arena.build / "regress", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs"):
        said = arena.goldbeat("regress", suite, *REGRESS)
        ended(said, 2, FAILED)
        demand(said.code == FAILED or "full" in said.err or "space" in said.err, said.err)
        before = arena.ends()
        # Somebody makes room.
        os.system(f"mount -o remount,size=100m {arena.build / 'regress'}")
        resume(arena, before, expected)
        arena.settle()
    return f"{size} KiB: exit code {said.code}, {len(before)} results kept"


@kind("disk-full-of-jobs", weight=1, needs="root")
def _full_jobs(arena: Arena, rng: random.Random) -> str:
    options = {"seeds": 4, "moods": "lie@1", "beats": 20_000}
    expected = undisturbed(arena, **options)
    size = rng.choice([8, 100, 500, 1000])
    with arena.mounted(arena.build / "jobs", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs"):
        said = arena.goldbeat("regress", arena.suite(**options), *REGRESS)
        ended(said, 2, text="No space left on device")
    resume(arena, {}, expected)
    return f"{size} KiB"


@kind("read-only-results", needs="root")
def _read_only(arena: Arena, rng: random.Random) -> str:
    options = {"seeds": 2, "moods": "lie@1"}
    undisturbed(arena, **options)
    ended(arena.goldbeat("regress", arena.suite(**options), *REGRESS), FAILED)
    folder = arena.build / "regress"
    before = arena.ends()
    with arena.mounted(folder, "--bind", str(folder)):
        os.system(f"mount -o remount,bind,ro {folder}")
        for line in (["history"], ["show", "1"], ["show", "last", "--failed"], ["compare", "1", "1"]):
            ended(arena.goldbeat(*line), 0)
        said = arena.goldbeat("regress", arena.project / "suite.toml", *REGRESS)
        ended(said, 2, text="ead-only")
    demand(arena.ends() == before, "results changed")
    return "history, show, compare"


@kind("read-only-build", needs="root")
def _read_only_build(arena: Arena, rng: random.Random) -> str:
    with arena.mounted(arena.build, "--bind", str(arena.build)):
        os.system(f"mount -o remount,bind,ro {arena.build}")
        line = rng.choice([("regress", arena.suite(seeds=1), *REGRESS), ("run", MOODY), ("run", MOODY, "--name", "x")])
        ended(arena.goldbeat(*line), 2, text="ead-only")
    return str(line[0])


def _whole(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@kind("hostile-name", weight=10, cheap=True)
def _hostile(arena: Arena, rng: random.Random) -> str:
    mine = arena.project / "mine"
    mine.mkdir()
    (mine / "report.json").write_text("mine")
    (mine / "traces").mkdir()
    (mine / "traces" / "x.npz").write_text("mine")
    names = ["../mine", "../../project/mine", str(mine), ".", "..", "a/b", "a\nb", "\x1b[2J", "-x", "a\0b"[:1] + "/"]
    name = rng.choice(names)
    before = _whole(arena.project)
    said = arena.goldbeat("run", MOODY, f"--name={name}")
    ended(said, 2)
    demand("\x1b" not in said.out + said.err, "an escape sequence reached the terminal")
    demand(_whole(arena.project) == before, "the user's files changed")
    return repr(name)


@kind("foreign-run-folder", weight=10, cheap=True)
def _foreign(arena: Arena, rng: random.Random) -> str:
    folder = arena.build / "runs" / "mine"
    folder.mkdir(parents=True)
    taken = rng.choice(["report.json", "traces/x.npz", "output/y.txt", "goldbeat-run.json", "sim/a"])
    (folder / taken).parent.mkdir(exist_ok=True)
    (folder / taken).write_text(rng.choice(["mine", "{}", '{"schema": "goldbeat-run-99"}', "[" * 5000]))
    before = _whole(folder)
    ended(arena.goldbeat("run", MOODY, "--name", "mine"), 2, text="was not written by a run")
    demand(_whole(folder) == before, "the user's files changed")
    return taken


@kind("closed-pipe", weight=4)
def _pipe(arena: Arena, rng: random.Random) -> str:
    line = rng.choice([("list",), ("doctor",), ("--help",), ("run", "--help"), ("list", "--json")])
    said = arena.start(*line, closed=True).wait()
    demand("Traceback" not in said.err, said.err)
    return f"{line[0]}: exit code {said.code}"


# -- several at once --------------------------------------------------------------------------------------------------


@kind("two-masters", weight=2)
def _two(arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    suite = arena.suite(**CALM)
    first = arena.start("regress", suite, *REGRESS)
    time.sleep(rng.uniform(0, 1.5))
    second = arena.start("regress", suite, *REGRESS)
    killed = rng.random() < 0.5
    if killed:
        time.sleep(rng.uniform(0, 2))
        strike(first.pid, signal.SIGKILL)
    ended(second.wait(), FAILED)
    ended(first.wait(), -9, FAILED)
    runs = arena.runs()
    if killed and len(arena.ends(1)) < len(expected) and runs == 2:
        arena.goldbeat("regress", "--resume", "--trust", *REGRESS)
    for run in range(1, runs + 1):
        same(arena, expected, run)
    return f"{runs} runs{', one killed' if killed else ''}"


@kind("two-masters-on-one-run")
def _one_run(arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    command = arena.start("regress", arena.suite(**CALM), *REGRESS)
    while command.running() and not arena.ends():
        time.sleep(0.02)
    strike(command.pid, signal.SIGKILL)
    command.wait()
    both = [arena.start("regress", "--resume", "--trust", *REGRESS) for _ in range(2)]
    said = [c.wait() for c in both]
    for one in said:
        ended(one, FAILED, 2)
    same(arena, expected)
    demand(any(one.code == FAILED for one in said) or len(arena.ends()) == len(expected), str(said))
    return f"exit codes {[one.code for one in said]}"


@kind("two-runs-in-one-folder")
def _one_folder(arena: Arena, rng: random.Random) -> str:
    line = ("run", MOODY, "--name", "same", "--set", "moods=nap@0 nap@1", "--seeds", "2", "--seed", "0")
    first = arena.start(*line)
    time.sleep(rng.uniform(0, 1))
    both = [first.wait(), arena.start(*line).wait()] if rng.random() < 0.2 else []
    if not both:
        second = arena.start(*line)
        both = [first.wait(), second.wait()]
    for said in both:
        ended(said, 0, 2)
        demand(said.code == 0 or "another process is writing to" in said.err, said.err)
    demand(any(said.code == 0 for said in both), "none of them ran")
    _passed(arena, "same")
    return f"exit codes {[said.code for said in both]}"


def _passed(arena: Arena, name: str) -> None:
    report = json.loads((arena.build / "runs" / name / "report.json").read_text())
    demand(report["status"] == "pass", f"the report says {report['status']}")


def _run(number: signal.Signals, codes: tuple[int, ...], arena: Arena, rng: random.Random) -> str:
    line = ("run", MOODY, "--name", "mine", "--set", "moods=nap@0 nap@1 nap@2", "--seeds", "3", "--seed", "0")
    command = arena.start(*line)
    pause = rng.uniform(0, 2.5)
    time.sleep(pause)
    strike(command.pid, number)
    said = command.wait()
    ended(said, *codes, 0)
    ended(arena.goldbeat(*line), 0)
    _passed(arena, "mine")
    return f"after {pause:.2f} s: exit code {said.code}"


kind("run-kill", weight=2, cheap=True)(partial(_run, signal.SIGKILL, (-9,)))
kind("run-int")(partial(_run, signal.SIGINT, (130,)))
kind("run-term")(partial(_run, signal.SIGTERM, (143, -15)))


@kind("clock-jumps", weight=2)
def _clock(arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    jump = rng.choice([-1, 1]) * rng.choice([3600.0, 86_400.0, 4e8])
    more = {"ATTACK_JUMP_S": str(jump)}
    said = arena.goldbeat("regress", arena.suite(**CALM), *REGRESS, fresh=True, more=more)
    ended(said, FAILED)
    same(arena, expected)
    return f"{jump:g} s to and fro"
