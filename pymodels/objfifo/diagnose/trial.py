# SPDX-License-Identifier: Apache-2.0
"""A design that hangs, tried again with one thing changed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from goldbeat.pymodels.objfifo.plan.access import Steps
from goldbeat.pymodels.objfifo.plan.design import Core, FifoDesign
from goldbeat.pymodels.objfifo.plan.layout import DesignLayout
from goldbeat.pymodels.objfifo.plan.plan import Plan
from goldbeat.pymodels.objfifo.untimed.deadlock import machine_without_data
from goldbeat.pymodels.objfifo.untimed.machine import Machine

_ROUNDS = 20_000
"""Rounds of a trial; one that takes longer counts as no cure."""


@dataclass
class TrialBudget:
    """How long changes are searched for.

    Attributes:
        seconds: of processor time.
        stopped: changes were left untried.
    """

    seconds: float = 20.0
    stopped: bool = False

    def __post_init__(self) -> None:
        self._end = time.process_time() + self.seconds

    def left(self) -> bool:
        """True while there is time; once there is none, ``stopped`` says so."""
        self.stopped = self.stopped or time.process_time() > self._end
        return not self.stopped


@dataclass(frozen=True)
class HangTrial:
    """What a change is tried on.

    Attributes:
        design: as written.
        plan: what it is lowered to.
        iterations: passes asked of programs without end.
        budget: of the whole search.
    """

    design: FifoDesign
    plan: Plan
    iterations: int
    budget: TrialBudget = field(default_factory=TrialBudget)

    def machine(self, change: Callable[[Machine], None] | None = None) -> Machine:
        """The design at work, before its first step, after a change."""
        made = machine_without_data(self.design, self.plan, self.iterations)
        if change is not None:
            change(made)
        return made

    def completes(self, change: Callable[[Machine], None] | None = None) -> bool:
        """True if the design completes after a change."""
        return self.ends(self.machine(change))

    def ends(self, machine: Machine) -> bool:
        """Run a machine; True if it completes, False also for what is no longer tried."""
        return self.budget.left() and machine.run(_ROUNDS) is True

    def steps(self, core: Core) -> Steps:
        """A core's recorded program."""
        programs = DesignLayout(self.design).programs.values()
        return next(s for c, s in zip(self.design.cores, programs, strict=True) if c is core)

    def with_program(self, core: Core, steps: Steps) -> HangTrial:
        """The same with another program of one core."""
        cores = [replace(c, recorded=steps) if c is core else c for c in self.design.cores]
        return replace(self, design=replace(self.design, cores=cores))


def smallest_enough(enough: Callable[[int], bool], most: int) -> int | None:
    """The smallest number from 1 to ``most`` that is enough, where every larger one is enough too; None if none is."""
    if most < 1:
        return None
    high = 1
    while not enough(high):
        if high >= most:
            return None
        high = min(2 * high, most)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
