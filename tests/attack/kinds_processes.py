# SPDX-License-Identifier: Apache-2.0
"""Faults of processes: signals to the master, its workers, simulators and compilers, at random moments."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from functools import partial

from arena import Arena, Command, demand, strike, until
from kinds import CALM, FAILED, REGRESS, ended, kind, resume, same, undisturbed


def _moment(arena: Arena, rng: random.Random, command: Command) -> str:
    """Wait for a random moment of a regression: some time, or some results."""
    if rng.random() < 0.5:
        count = rng.randrange(CALM["seeds"])
        while command.running() and len(arena.ends()) < count:
            time.sleep(0.02)
        pause = rng.uniform(0, 0.4)
        what = f"{count} results and {pause:.2f} s"
    else:
        pause = rng.uniform(0, 3)
        what = f"{pause:.2f} s"
    time.sleep(pause)
    return what


def _master(number: signal.Signals, codes: tuple[int, ...], arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    command = arena.start("regress", arena.suite(**CALM), *REGRESS)
    what = _moment(arena, rng, command)
    command.poll()
    before = arena.ends()
    strike(command.pid, number)
    said = command.wait()
    ended(said, *codes, FAILED)
    resume(arena, before, expected)
    return f"after {what}: exit code {said.code}, {len(before)} results kept"


for _name, _number, *_codes in (
    ("kill", signal.SIGKILL, -9),
    # Before it can, it does not stop in order.
    ("term", signal.SIGTERM, 143, -15),
    ("int", signal.SIGINT, 130),
    ("hup", signal.SIGHUP, -1),
):
    kind(f"master-{_name}", weight=4 if _name == "kill" else 2, cheap=_name == "kill")(
        partial(_master, _number, tuple(_codes))
    )


@kind("master-int-twice")
def _twice(arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    command = arena.start("regress", arena.suite(**CALM), *REGRESS)
    what = _moment(arena, rng, command)
    strike(command.pid, signal.SIGINT)
    time.sleep(rng.uniform(0, 0.3))
    if command.running():
        strike(command.pid, signal.SIGINT)
    said = command.wait()
    ended(said, 130, FAILED)
    resume(arena, arena.ends(), expected)
    return f"after {what}: exit code {said.code}"


@kind("ctrl-c-at-once", weight=6, cheap=True)
def _early(arena: Arena, rng: random.Random) -> str:
    suite = arena.suite(**CALM)
    line = rng.choice([("regress", suite, *REGRESS), ("run", "axis_skid"), ("history",), ("list",), ("doctor",)])
    command = arena.start(*line, fresh=True, more={"ATTACK_BEGUN": "1"})
    # Python's own start is not Goldbeat's.
    begun = arena.folder / f"begun-{command.pid}"
    while command.running() and not begun.exists():
        time.sleep(0.005)
    pause = rng.uniform(0, 1.0)
    time.sleep(pause)
    if command.running():
        os.killpg(command.pid, signal.SIGINT)
    said = command.wait()
    ended(said, 130, 0, 1, 2)
    return f"{line[0]} after {pause:.2f} s: exit code {said.code}"


@kind("master-stop")
def _stopped(arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    command = arena.start("regress", arena.suite(**CALM), *REGRESS)
    what = _moment(arena, rng, command)
    strike(command.pid, signal.SIGSTOP)
    time.sleep(rng.uniform(0.5, 1.5))
    strike(command.pid, signal.SIGCONT)
    ended(command.wait(), FAILED)
    same(arena, expected)
    return f"after {what}"


def _worker(number: signal.Signals, arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    command = arena.start("regress", arena.suite(**CALM), *REGRESS)
    what = _moment(arena, rng, command)
    worker = command.one_of(command.workers)
    if worker is not None:
        strike(worker, number)
        if number == signal.SIGSTOP:
            time.sleep(rng.uniform(0.5, 3))
            strike(worker, signal.SIGCONT)
    ended(command.wait(), FAILED)
    same(arena, expected)
    return f"after {what}"


for _name, _number in (
    ("kill", signal.SIGKILL),
    ("term", signal.SIGTERM),
    ("int", signal.SIGINT),
    ("stop", signal.SIGSTOP),
):
    kind(f"worker-{_name}", weight=4 if _name == "kill" else 1, cheap=_name == "kill")(partial(_worker, _number))


def _simulator(number: signal.Signals, arena: Arena, rng: random.Random) -> str:
    options = {**CALM, "timeout_s": 3} if number == signal.SIGSTOP else CALM
    expected = undisturbed(arena, **CALM)
    command = arena.start("regress", arena.suite(**options), *REGRESS)
    simulator = command.one_of(command.simulators)
    if simulator is not None and (number == signal.SIGSTOP or rng.random() < 0.7):
        # Most of its life it starts; one that is stopped then costs two minutes.
        until(lambda: not command.running() or list(arena.build.glob("jobs/*/record-0.pickle")), "a case is over")
    time.sleep(rng.uniform(0, 0.8))
    if simulator is not None:
        strike(simulator, number)
    ended(command.wait(), FAILED)
    hurt = {seed for seed, end in arena.ends().items() if end != expected[seed]}
    demand(len(hurt) <= 1, f"one simulator, and the cases {hurt} differ")
    same(arena, expected, but=frozenset(hurt))
    for seed in hurt:
        status = arena.ends()[seed][0]
        allowed = {signal.SIGSTOP: ("timeout",), signal.SIGINT: ("error", "killed"), signal.SIGSEGV: ("crash",)}.get(
            number, ("killed",)
        )
        why = arena.why()[seed]
        slow = status == "error" and why.startswith("infrastructure:")
        demand(status in allowed or slow, f"case {seed} is {status}, expected {allowed}: {why}")
    return f"hurt {sorted(hurt)}"


for _name, _number in (
    ("kill", signal.SIGKILL),
    ("term", signal.SIGTERM),
    ("int", signal.SIGINT),
    ("segv", signal.SIGSEGV),
    ("stop", signal.SIGSTOP),
):
    kind(f"simulator-{_name}", weight=2)(partial(_simulator, _number))


@kind("simulator-dies-at-start", weight=2)
def _dies(arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    deaths, number = rng.choice([1, 2, 3, 99]), rng.choice([0, int(signal.SIGSEGV), int(signal.SIGKILL)])
    more = {"ATTACK_DIE": f"{deaths}:{number}"}
    ended(arena.goldbeat("regress", arena.suite(**CALM), *REGRESS, more=more), FAILED)
    hurt = {seed for seed, end in arena.ends().items() if end != expected[seed]}
    demand(deaths > 2 or not hurt, f"{deaths} deaths, and the cases {hurt} differ")
    demand(deaths != 99 or len(hurt) == len(expected), f"no simulator ever started, and {len(hurt)} cases say so")
    same(arena, expected, but=frozenset(hurt))
    for seed in hurt:
        why = arena.why()[seed]
        demand(why.startswith("infrastructure: the simulator does not start, tried 3 time(s)"), why)
    return f"{deaths} deaths of signal {number}: {len(hurt)} cases without a result of their own"


# -- builds -----------------------------------------------------------------------------------------------------------


def _building(arena: Arena, rng: random.Random) -> Command | None:
    """A regression whose compiler is at work."""
    for path in (arena.build / "sim").iterdir():
        if path.is_dir():
            shutil.rmtree(path)
    command = arena.start("regress", arena.suite(**CALM), *REGRESS)
    compiler = command.one_of(command.compilers)
    time.sleep(rng.uniform(0, 1.0))
    return command if compiler is not None and command.running() else None


def _while_building(number: signal.Signals, code: int, arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    command = _building(arena, rng)
    if command is not None:
        strike(command.pid, number)
        ended(command.wait(), code)
    resume(arena, {}, expected)
    return "stopped" if command is not None else "too late"


kind("master-kill-while-building", weight=0.3, own_cache=True)(partial(_while_building, signal.SIGKILL, -9))
kind("ctrl-c-while-building", weight=0.3, own_cache=True)(partial(_while_building, signal.SIGINT, 130))


@kind("worker-kill-while-building", weight=0.3, own_cache=True)
def _builder(arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    command = _building(arena, rng)
    if command is not None:
        for worker in command.workers():
            strike(worker, signal.SIGKILL)
        ended(command.wait(), FAILED)
    same(arena, expected)
    return "killed" if command is not None else "too late"


@kind("compiler-kill", weight=0.3, own_cache=True)
def _compiler(arena: Arena, rng: random.Random) -> str:
    expected = undisturbed(arena, **CALM)
    command = _building(arena, rng)
    killed = [] if command is None else [p for p in command.compilers() if strike(p, signal.SIGKILL)]
    if command is not None:
        ended(command.wait(), FAILED)
    statuses = {end[0] for end in arena.ends().values()}
    if killed and statuses == {"error"}:
        demand(all("g++" in w or "make" in w or "Verilator" in w for w in arena.why().values()), str(arena.why()))
        ended(arena.goldbeat("regress", arena.project / "suite.toml", *REGRESS), FAILED)
        same(arena, expected, run=2)
    else:
        same(arena, expected)
    return f"{len(killed)} killed, then {sorted(statuses)}"
