# SPDX-License-Identifier: Apache-2.0
"""Why a design hangs: the circle of waits, the first word that each side misses, the cause, and changes that end it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from goldbeat.pymodels.objfifo.diagnose.cures import HangCure, cures
from goldbeat.pymodels.objfifo.diagnose.missing import MissingWord, missing_word
from goldbeat.pymodels.objfifo.diagnose.trial import HangTrial
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.lower import plan as lower
from goldbeat.pymodels.objfifo.plan.plan import Plan, Pool
from goldbeat.pymodels.objfifo.plan.tile import TileKind
from goldbeat.pymodels.objfifo.untimed.deadlock import ITERATIONS, Report
from goldbeat.pymodels.objfifo.untimed.machine import ChannelAgent, CoreAgent, LockAgent, LockKey, Machine
from goldbeat.pymodels.objfifo.untimed.waits import lock_givers, waited_for, waiting_agents, waiting_circle


class HangCause(StrEnum):
    """What kind of mistake a hang is."""

    DEPTH = "depth"
    """A circle of waits that deeper fifos end."""
    ORDER = "order"
    """A circle of waits that no depth ends; another order of a core's accesses does."""
    RELEASE = "release"
    """A core keeps objects that it never releases."""
    INITIAL = "initial"
    """A circle of waits in which there is no object to begin with."""
    ACQUIRE = "acquire"
    """More objects are asked for at once than there are."""
    NO_GIVER = "no-giver"
    """A lock is waited for that nobody releases."""
    CORE_ENDED = "core-ended"
    """A core's program has ended and gives or takes too few objects."""
    HOST = "host"
    """The host moves too few or too many words."""
    NOT_STARTED = "not-started"
    """A channel was never started."""
    CHANNEL_ENDED = "channel-ended"
    """A channel's ring has ended, by its iteration count or its last descriptor."""
    CIRCLE = "circle"
    """A circle of waits for which no change was found."""


@dataclass(frozen=True)
class HangDiagnosis:
    """Why a design hangs.

    Attributes:
        cause: the kind of mistake.
        where: the fifo, core, channel or lock that it is about.
        text: a sentence that says so.
        circle: those who wait for each other, empty if there is no circle.
        missing: what each of those who wait stands before.
        cures: changes with which the design completes, one of each kind.
        stopped: the search for changes ran out of time.
    """

    cause: HangCause
    where: str
    text: str
    circle: tuple[str, ...]
    missing: tuple[MissingWord, ...]
    cures: tuple[HangCure, ...]
    stopped: bool = False

    def lines(self) -> list[str]:
        """For people."""
        found = [f"  cause: {self.text}"]
        found += [f"  missing: {one}" for one in self.missing]
        found += [f"  cure ({c.kind}): {c.text}" for c in self.cures]
        return found + (["  the search for cures ran out of time"] if self.stopped else [])


def explain_hang(
    design: FifoDesign, report: Report, *, iterations: int = ITERATIONS, strict: bool = True
) -> HangDiagnosis | None:
    """Why a design hangs; None where it completes or was not decided.

    Args:
        design: what was written.
        report: of :func:`goldbeat.pymodels.objfifo.untimed.deadlock.analyse` with the same arguments.
        iterations: as there.
        strict: as there.
    """
    if not report.blocked:
        return None
    made = lower(design, strict=strict)
    trial = HangTrial(design, made, iterations)
    machine = trial.machine()
    machine.run()
    givers = lock_givers(machine)
    waiting = waiting_agents(machine, givers)
    circle = waiting_circle(waiting, givers)
    pools = [p for p in made.pools if _touched(p, circle or waiting)]
    found = [HangCure("depth", report.help.depths[0][0], str(report.help))] if report.help is not None else []
    found += cures(trial, machine, waiting, pools, circle=bool(circle))
    cause, where, text = _cause(made, machine, waiting, circle, found)
    order = [*circle, *(a for a in waiting if a not in circle)]
    words = [w for w in (missing_word(machine, a) for a in order) if w is not None]
    return HangDiagnosis(
        cause, where, text, tuple(a.name for a in circle), tuple(words), tuple(found), trial.budget.stopped
    )


def _touched(pool: Pool, agents: list[LockAgent]) -> bool:
    keys = {(pool.tile, n) for s in pool.segments for n in s.locks}
    return any(keys & (a.takes | a.gives) for a in agents)


def _cause(
    made: Plan, machine: Machine, waiting: list[LockAgent], circle: list[LockAgent], found: list[HangCure]
) -> tuple[HangCause, str, str]:
    """The mistake: what can never come true, then what has ended, then the circle."""
    first = _never(made, machine, waiting)
    if first is not None:
        return first
    kinds = {c.kind: c for c in found}
    if "release" in kinds:
        cure = kinds["release"]
        return HangCause.RELEASE, cure.where, f"{cure.where} keeps objects that it never releases"
    ended = _ended(machine, waiting)
    if circle and not any(k in kinds for k in ("objects", "fill", "drain", "iterations")):
        return _of_circle(circle, kinds)
    for agent in ended:
        return _of_ended(machine, agent, kinds)
    if circle:
        return _of_circle(circle, kinds)
    names = ", ".join(a.name for a in waiting)
    return HangCause.HOST, names, f"{names}: more is asked for than there is"


def _never(made: Plan, machine: Machine, waiting: list[LockAgent]) -> tuple[HangCause, str, str] | None:
    """A lock that nobody gives, or that can never reach what is waited for."""
    givers = lock_givers(machine)
    most = _most(made)
    for agent in waiting:
        if isinstance(agent, ChannelAgent):
            silent = _silent(made, agent)
            if silent is not None:
                return silent
        wait = agent.wait
        if wait is None or wait.lock is None:
            continue
        tile, number = wait.lock
        lock = made.tile(tile).lock(number)
        if wait.lock in most and wait.needed > most[wait.lock]:
            text = f"{agent.name} asks for {wait.needed} at once of {lock.fifo}, there are {most[wait.lock]} at most"
            return HangCause.ACQUIRE, lock.fifo, text
        if not givers.get(wait.lock):
            idle = [c for c in made.tile(tile).channels if not c.queue]
            if idle:
                names = ", ".join(f"{c.name} of {tile}" for c in idle)
                return HangCause.NOT_STARTED, idle[0].name, f"{names} was never started, so nobody releases {lock.name}"
            return HangCause.NO_GIVER, lock.name, f"nobody releases lock {lock.name} ({number}) of {tile}"
    return None


def _silent(made: Plan, agent: ChannelAgent) -> tuple[HangCause, str, str] | None:
    """A descriptor that takes a lock and gives none, in a ring whose others do."""
    given = {bd.release.lock for bd in agent.channel.bds if bd.release is not None}
    for bd in agent.channel.bds:
        if given and bd.acquire is not None and bd.release is None:
            names = ", ".join(made.tile(agent.tile).lock(number).name for number in sorted(given))
            text = f"BD {bd.id} of {agent.name} releases no lock, the others of its ring release {names}"
            return HangCause.NO_GIVER, names, text
    return None


def _most(made: Plan) -> dict[LockKey, int]:
    """What each lock of a pool can reach."""
    return {(p.tile, lock): p.depth * p.units for p in made.pools for s in p.segments for lock in s.locks}


def _ended(machine: Machine, waiting: list[LockAgent]) -> list[LockAgent]:
    """Those who are waited for and will never do anything more, and the host's channels that were to go on."""
    givers = lock_givers(machine)
    found: list[LockAgent] = []
    for agent in waiting:
        found += [a for a in waited_for(agent, givers) if a.done and a not in found]
    return found


def _of_ended(machine: Machine, agent: LockAgent, kinds: dict[str, HangCure]) -> tuple[HangCause, str, str]:
    if isinstance(agent, CoreAgent):
        for kind in ("fill", "drain"):
            if kind in kinds and "objects" not in kinds:
                return HangCause.HOST, kinds[kind].where, kinds[kind].text
        return HangCause.CORE_ENDED, agent.name, f"{agent.name} has ended and is still waited for"
    assert isinstance(agent, ChannelAgent)
    fifo = agent.channel.fifo
    if not agent.passed and not agent.channel.queue:
        return HangCause.NOT_STARTED, fifo, f"{agent.name} was never started"
    if agent.tile.kind is TileKind.SHIM:
        found = [kinds[k] for k in ("fill", "drain") if k in kinds]
        text = next((c.text for c in found if c.where == fifo), f"{agent.name} has ended its transfers")
        return HangCause.HOST, fifo, text
    return HangCause.CHANNEL_ENDED, fifo, f"{agent.name} has ended after {agent.passed} words and is still waited for"


def _of_circle(circle: list[LockAgent], kinds: dict[str, HangCure]) -> tuple[HangCause, str, str]:
    who = f"{len(circle)} wait for each other in a circle" if len(circle) > 1 else f"{circle[0].name} waits for itself"
    for kind, cause in (
        ("depth", HangCause.DEPTH),
        ("order", HangCause.ORDER),
        ("initial", HangCause.INITIAL),
    ):
        if kind in kinds:
            return cause, kinds[kind].where, f"{who}; {kinds[kind].text} ends it"
    return HangCause.CIRCLE, circle[0].name, f"{who}; no change was found that ends it"


def hang_json(found: HangDiagnosis | None) -> dict[str, Any] | None:
    """A diagnosis for machines."""
    if found is None:
        return None
    missing = [{**asdict(m), "line": None if m.line is None else f"{m.line.file}:{m.line.line}"} for m in found.missing]
    return {
        "cause": found.cause.value,
        "where": found.where,
        "text": found.text,
        "circle": list(found.circle),
        "missing": missing,
        "cures": [asdict(c) for c in found.cures],
        "search_stopped": found.stopped,
    }
