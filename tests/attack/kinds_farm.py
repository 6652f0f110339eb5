# SPDX-License-Identifier: Apache-2.0
"""Faults of a farm: workers and schedulers killed or stopped, none there, other versions, damaged contents."""

from __future__ import annotations

import random
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial

from arena import Arena, BrokenError, Command, children, demand, strike, until, words
from kinds import CALM, FAILED, REGRESS, ended, kind, resume, same, undisturbed


@dataclass(frozen=True)
class Farm:
    """A farm that runs: its command, address, and the processes of the scheduler and the workers."""

    command: Command
    address: str
    scheduler: int
    workers: tuple[int, ...]


@contextmanager
def _farm(arena: Arena, workers: int) -> Iterator[Farm]:
    command = arena.start("farm", "local", "--workers", workers, "--port", "0")
    said = command.out

    def ready() -> bool:
        demand(command.running(), f"the farm does not start: {said.read_text()}")
        return "goldbeat regress --engine" in said.read_text()

    try:
        until(ready, "a farm")
        text = said.read_text()
        first = re.search(r"scheduler at (\S+), process (\d+)", text)
        demand(first is not None, text)
        assert first is not None
        pids = tuple(int(p) for p in re.findall(r"worker-\d+: process (\d+)", text))
        yield Farm(command, first[1], int(first[2]), pids)
    finally:
        for pid in (command.pid, *children(command.pid)):
            strike(pid, signal.SIGCONT)
        if command.running():
            strike(command.pid, signal.SIGINT)
    ended(command.wait(60), 0, 2)


def _working(nanny: int) -> int:
    """The process that works, below dask's that watches over it."""
    return int(until(lambda: next((p for p in children(nanny) if "spawn_main" in words(p)), 0), "a worker process"))


def _on(arena: Arena, farm: Farm, *more: object) -> Command:
    return arena.start("regress", arena.suite(**CALM), *REGRESS, "--engine", farm.address, *more)


def _some(arena: Arena, command: Command, rng: random.Random) -> str:
    """Wait for a random moment of a run that has begun."""
    while command.running() and not arena.runs():
        time.sleep(0.02)
    pause = rng.uniform(0, 4)
    end = time.monotonic() + pause
    while command.running() and time.monotonic() < end:
        time.sleep(0.02)
    return f"after {pause:.2f} s"


def _worker(number: signal.Signals, whole: bool, arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    with _farm(arena, 2) as farm:
        command = _on(arena, farm)
        what = _some(arena, command, rng)
        pid = rng.choice(farm.workers)
        pid = pid if whole else _working(pid)
        strike(pid, number)
        if number == signal.SIGSTOP:
            time.sleep(rng.uniform(1, 4))
            strike(pid, signal.SIGCONT)
        ended(command.wait(), FAILED)
        same(arena, expected)
    return what


kind("farm-worker-kill", weight=0.5, needs="farm")(partial(_worker, signal.SIGKILL, False))
kind("farm-worker-gone", weight=0.5, needs="farm")(partial(_worker, signal.SIGTERM, True))
kind("farm-worker-stop", weight=0.5, needs="farm")(partial(_worker, signal.SIGSTOP, False))


def _scheduler(number: signal.Signals, arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    with suppress(BrokenError) if number == signal.SIGKILL else _nothing(), _farm(arena, 1) as farm:
        command = _on(arena, farm, "--wait", "3")
        what = _some(arena, command, rng)
        strike(farm.scheduler, number)
        said = command.wait()
    ended(said, 2, FAILED)
    resume(arena, arena.ends(), expected)
    return f"{what}: exit code {said.code}"


@contextmanager
def _nothing() -> Iterator[None]:
    yield


kind("farm-scheduler-kill", weight=0.5, needs="farm")(partial(_scheduler, signal.SIGKILL))
kind("farm-scheduler-stop", weight=0.5, needs="farm")(partial(_scheduler, signal.SIGSTOP))


@kind("farm-master-kill", weight=0.5, needs="farm")
def _master(arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    with _farm(arena, 1) as farm:
        command = _on(arena, farm)
        what = _some(arena, command, rng)
        strike(command.pid, signal.SIGKILL)
        command.wait()
        before = arena.ends()
        resume(arena, before, expected)
    return f"{what}: {len(before)} results kept"


@kind("farm-without-workers", weight=0.5, needs="farm")
def _none(arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    wait_s = rng.choice([1, 3, 6])
    scheduler = arena.start("farm", "scheduler", "--port", "0")
    found = until(lambda: re.search(r"scheduler at (\S+)", scheduler.out.read_text()), "a scheduler")
    said = arena.goldbeat("regress", arena.suite(**CALM), *REGRESS, "--engine", found[1], "--wait", wait_s)
    ended(said, 2, text="the farm has none")
    demand("--resume" in said.err, said.err)
    strike(scheduler.pid, signal.SIGINT)
    ended(scheduler.wait(60), 0)
    resume(arena, arena.ends(), expected)
    return f"--wait {wait_s}"


@kind("farm-other-versions", weight=0.5, needs="farm")
def _stranger(arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    with _farm(arena, 1) as farm:
        other = {"ATTACK_NUMPY": "0.1", "GOLDBEAT_BUILD": str(arena.build / "farm" / "stranger")}
        stranger = arena.start("farm", "worker", farm.address, "--name", "stranger", fresh=True, more=other)
        until(lambda: "worker at" in stranger.out.read_text(), "a stranger")
        said = _on(arena, farm).wait()
        ended(said, FAILED, text="stranger is left out: it runs numpy 0.1 instead of")
        same(arena, expected)
        strike(stranger.pid, signal.SIGINT)
        stranger.wait(60)
    return "numpy 0.1"


@kind("farm-damaged-blob", weight=0.5, needs="farm")
def _blob(arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    with _farm(arena, 1) as farm:
        ended(_on(arena, farm).wait(), FAILED)
        blobs = [p for p in (arena.build / "farm" / "worker-0" / "blobs").iterdir() if p.is_file() and p.stat().st_size]
        path = rng.choice(sorted(blobs))
        data = bytearray(path.read_bytes())
        data[rng.randrange(len(data))] ^= 255
        mode = path.stat().st_mode
        path.unlink()
        path.write_bytes(data)
        path.chmod(mode)
        ended(_on(arena, farm).wait(), FAILED)
        same(arena, expected, 1)
        same(arena, expected, 2)
    return path.name[:12]
