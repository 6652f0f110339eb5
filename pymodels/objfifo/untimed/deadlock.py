# SPDX-License-Identifier: Apache-2.0
"""Does a design hang? Decided before any run, from locks, descriptors and the order of acquires alone.

The design is executed without data (:mod:`goldbeat.pymodels.objfifo.untimed.machine`), once with streams that hold
nothing and, if that stands still, once with streams that hold any number of words. More storage never stops what went
on with less, so the two decide: it completes, it hangs, or it depends on how many words are under way.

Limits: a program is what was recorded with objects of zeros, or declared; acquires that depend on data are not seen.
An iteration count bounds the search: what fills up more slowly than that is not found.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from goldbeat.pymodels.objfifo.plan.access import MOST_PASSES, varying
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.layout import DesignLayout, EndKey
from goldbeat.pymodels.objfifo.plan.lower import plan as lower
from goldbeat.pymodels.objfifo.plan.plan import Plan, Pool
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.plan.tile import Tile
from goldbeat.pymodels.objfifo.untimed.machine import LockAgent, LockKey, Machine
from goldbeat.pymodels.objfifo.untimed.recorded_cores import recorded_cores
from goldbeat.pymodels.objfifo.untimed.waits import lock_givers, waited_for, waiting_agents, waiting_circle

ITERATIONS = 64
"""Passes asked of every program that never ends, where the host's transfers ask for nothing."""
_TOO_LONG = "too many steps"
_DEEPER = 16
"""How many more objects are tried in the search for a depth that helps."""


class DesignVerdict(StrEnum):
    """What becomes of a design."""

    COMPLETES = "completes"
    HANGS = "hangs"
    DEPENDS = "depends on the streams' storage"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class BlockedAgent:
    """Somebody who waits for ever.

    Attributes:
        waiter: a core's program or a DMA channel.
        state: what the waiter has in the meantime.
        tile: where the lock is.
        lock: the lock's name, None where a stream is waited for.
        lock_id: its number.
        value: what it stands at.
        needed: what is waited for.
        fifo: the fifo concerned.
        holders: who would have to give, and what they do instead.
    """

    waiter: str
    state: str
    tile: Tile
    lock: str | None
    lock_id: int | None
    value: int
    needed: int
    fifo: str
    holders: tuple[str, ...]

    def __str__(self) -> str:
        if self.lock is None:
            what = f"the stream of {self.fifo}"
        else:
            what = f"lock {self.lock} ({self.lock_id}) of {self.tile}, which is {self.value}, to reach {self.needed}"
        held = "; ".join(self.holders) or "nobody ever gives it"
        return f"{self.waiter} ({self.state}) waits for {what}; held by: {held}"


@dataclass(frozen=True)
class Help:
    """Depths that end the hang.

    Attributes:
        depths: for each pool, its fifo, its end (0 the producer, then the consumers), objects now and then.
    """

    depths: tuple[tuple[str, int, int, int], ...]

    def __str__(self) -> str:
        return " and ".join(
            f"depth {then} at the {'producer' if end == 0 else f'consumer {end - 1}'} end of {fifo} (now {now})"
            for fifo, end, now, then in self.depths
        )


@dataclass(frozen=True)
class Report:
    """The outcome.

    Attributes:
        verdict: what becomes of the design.
        iterations: passes that were asked for.
        blocked: everybody who waits, those in the circle first.
        cycle: names of those who wait for each other in a circle, empty if there is none.
        help: the smallest depths that end the hang, None if none were found.
        storage: where streams that hold words under way would let it complete, how many words each must hold.
        reason: why it is undecided.
        idle: nothing moved at all, so that nothing could hang.
    """

    verdict: DesignVerdict
    iterations: int
    blocked: tuple[BlockedAgent, ...] = ()
    cycle: tuple[str, ...] = ()
    help: Help | None = None
    storage: int | None = None
    reason: str = ""
    idle: bool = False

    @property
    def hangs(self) -> bool:
        """True unless it completes whatever the streams hold."""
        return self.verdict is not DesignVerdict.COMPLETES

    def text(self) -> str:
        """For people."""
        lines = [f"undecided: {self.reason}" if self.reason else f"the design {self.verdict}"]
        if self.idle:
            lines[0] = "nothing moves: no transfer, no program and no stream has anything to do"
        if self.storage is not None:
            lines[0] += f": it hangs unless every stream holds {self.storage} words under way"
        lines += [f"  {b}" for b in self.blocked]
        if self.cycle:
            lines.append(f"  circle: {' -> '.join([*self.cycle, self.cycle[0]])}")
        if self.blocked:
            lines.append(f"  help: {self.help}" if self.help else "  help: no depth was found that ends it")
        return "\n".join(lines)


def analyse(
    design: FifoDesign,
    *,
    iterations: int = ITERATIONS,
    strict: bool = True,
    search: bool = True,
) -> Report:
    """Decide whether a design hangs.

    Args:
        design: what was written.
        iterations: passes asked of programs that never end; where the host fills and drains, its transfers count.
        strict: as for planning; hangs that come from what mlir-aie does not check need False.
        search: look for depths that help; a fixed plan has none to change.

    Raises:
        RuleError: the design cannot be planned.
    """
    plan = lower(design, strict=strict)
    reason = _undecidable(design)
    if reason:
        return Report(DesignVerdict.UNDECIDED, iterations, reason=reason)
    machine = machine_without_data(design, plan, iterations)
    outcome = machine.run()
    if outcome is True:
        return Report(DesignVerdict.COMPLETES, iterations, idle=not _active(design, plan, machine))
    if outcome is None:
        return Report(DesignVerdict.UNDECIDED, iterations, reason=_TOO_LONG)
    roomy = machine_without_data(design, plan, iterations, storage=None).run()
    verdict = {True: DesignVerdict.DEPENDS, False: DesignVerdict.HANGS, None: DesignVerdict.UNDECIDED}[roomy]
    storage = _storage(design, plan, iterations) if roomy else None
    blocked, cycle, pools = _blame(plan, machine)
    found = _search(design, plan, pools, iterations, strict) if search and design.fixed is None else None
    return Report(verdict, iterations, blocked, cycle, found, storage, _TOO_LONG if roomy is None else "")


def machine_without_data(design: FifoDesign, plan: Plan, iterations: int, storage: int | None = 0) -> Machine:
    """A design at work, before its first step; the host moves what its transfers say, and nothing else.

    Args:
        design: for the cores' programs.
        plan: what it is lowered to.
        iterations: passes asked of programs that never end.
        storage: words that each stream holds, None for any number.
    """
    return Machine(plan, recorded_cores(design, plan, iterations), storage=storage, endless=False)


def _active(design: FifoDesign, plan: Plan, machine: Machine) -> bool:
    """Whether something moves in a design that completes, if cores without a program do nothing."""
    if not machine.active or not any(core.assumed for core in machine.cores):
        return machine.active
    cores = [core for core in recorded_cores(design, plan, 0) if not core.assumed]
    alone = Machine(plan, cores, storage=None, endless=False)
    alone.run()
    return alone.active


def _undecidable(design: FifoDesign) -> str:
    """What keeps a design from being executed without data; empty where nothing does."""
    if design.unplanned:
        return f"parts that are only executed: {'; '.join(design.unplanned)}"
    if design.fixed is not None and design.fixed.unsupported:
        return "; ".join(design.fixed.unsupported)
    for core, steps in zip(design.cores, DesignLayout(design).programs.values(), strict=True):
        if varying(steps):
            return f"{core.name} has a loop of more than {MOST_PASSES} passes that are not all the same"
    return ""


def _storage(design: FifoDesign, plan: Plan, iterations: int) -> int:
    """The fewest words that each stream must hold for the design to complete; it does with enough of them."""

    def enough(words: int) -> bool:
        return machine_without_data(design, plan, iterations, storage=words).run() is True

    high = 1
    while not enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


# -- who waits for whom -----------------------------------------------------------------------------------------------


def _blame(plan: Plan, machine: Machine) -> tuple[tuple[BlockedAgent, ...], tuple[str, ...], list[Pool]]:
    givers = lock_givers(machine)
    waiting = waiting_agents(machine, givers)
    circle = waiting_circle(waiting, givers)
    order = [*circle, *(a for a in waiting if a not in circle)]
    pools: list[Pool] = []
    for agent in order:
        for pool in plan.pools:
            keys = {(pool.tile, n) for s in pool.segments for n in s.locks}
            if keys & (agent.takes | agent.gives) and pool not in pools:
                pools.append(pool)
    return tuple(_blocked(plan, machine, a, givers) for a in order), tuple(a.name for a in circle), pools


def _blocked(plan: Plan, machine: Machine, agent: LockAgent, givers: dict[LockKey, list[LockAgent]]) -> BlockedAgent:
    wait = agent.wait
    assert wait is not None
    holders = tuple(f"{a.name}, which {_doing(plan, a)}" for a in waited_for(agent, givers))
    if wait.lock is None:
        return BlockedAgent(agent.name, agent.state, agent.tile, None, None, 0, 0, wait.stream or "", holders)
    tile, number = wait.lock
    lock = plan.tile(tile).lock(number)
    return BlockedAgent(
        agent.name, agent.state, tile, lock.name, number, machine.locks[wait.lock], wait.needed, lock.fifo, holders
    )


def _doing(plan: Plan, agent: LockAgent) -> str:
    wait = agent.wait
    if wait is None:
        return agent.state
    if wait.lock is None:
        return f"{agent.state} and waits for the stream of {wait.stream}"
    tile, number = wait.lock
    return f"{agent.state} and waits for {plan.tile(tile).lock(number).name}"


# -- what would help --------------------------------------------------------------------------------------------------


def _key(plan: Plan, pool: Pool) -> EndKey:
    """The end that a pool's depth is written at."""
    fifo = plan.fifo(pool.fifo)
    for number, end in enumerate(fifo.ends):
        if end.pool == pool.name and end.tile == pool.tile:
            return fifo.name, number
    raise KeyError(pool.name)


def _search(design: FifoDesign, plan: Plan, pools: list[Pool], iterations: int, strict: bool) -> Help | None:
    now = {_key(plan, pool): pool.depth for pool in pools}
    for more in range(1, _DEEPER + 1):
        for key, depth in now.items():
            if _completes(design, {key: depth + more}, iterations, strict):
                return Help(((*key, depth, depth + more),))
    for more in range(1, _DEEPER + 1):
        every = {key: depth + more for key, depth in now.items()}
        if len(now) > 1 and _completes(design, every, iterations, strict):
            needed = dict(every)
            for key, depth in now.items():
                fewer = {**needed, key: depth}
                if _completes(design, fewer, iterations, strict):
                    needed = fewer
            return Help(tuple((*key, now[key], then) for key, then in needed.items() if then != now[key]))
    return None


def _completes(design: FifoDesign, depths: dict[EndKey, int], iterations: int, strict: bool) -> bool:
    try:
        plan = lower(design, strict=strict, depths=depths)
    except RuleError:
        return False
    return machine_without_data(design, plan, iterations).run() is True
