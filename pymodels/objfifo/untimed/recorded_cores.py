# SPDX-License-Identifier: Apache-2.0
"""The cores of a machine: recorded programs, and ends that no program uses."""

from __future__ import annotations

from collections.abc import Iterator

from goldbeat.pymodels.objfifo.plan.access import MANY, LockAccess, Loop, Steps, each, unrolled
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.layout import DesignLayout
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd, Plan
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind
from goldbeat.pymodels.objfifo.untimed.machine import CoreAgent, CoreEnd

EndName = tuple[str, FifoEnd, int]


def core_ends(plan: Plan) -> dict[EndName, tuple[Tile, CoreEnd]]:
    """Every end that a core may use, with the core's tile."""
    found: dict[EndName, tuple[Tile, CoreEnd]] = {}
    pools = {p.name: p for p in plan.pools}
    for fifo in plan.fifos:
        for end in fifo.ends:
            if end.tile.kind is TileKind.CORE and not end.linked and end.pool is not None:
                found[fifo.name, end.port, end.consumer] = (end.tile, CoreEnd(end, pools[end.pool]))
    return found


def recorded_cores(design: FifoDesign, plan: Plan, iterations: int) -> list[CoreAgent]:
    """An agent for each core's recorded program, and one for each end whose core has no program.

    Args:
        design: for the programs.
        plan: for the locks.
        iterations: passes asked of a program that runs again and again.
    """
    ends = core_ends(plan)
    layout = DesignLayout(design)
    agents = []
    for core, steps in zip(design.cores, layout.programs.values(), strict=True):
        used = {a.key for a in each(steps)}
        mine = {key: end for key, (_, end) in ends.items() if key in used}
        program = _program(steps, core.endless) if used else iter(())
        endless = core.endless or _never_ends(steps)
        agents.append(CoreAgent(core.name, core.tile, mine, program, iterations if endless else None))
        agents[-1].many = any(isinstance(s, Loop) and (s.count or 0) >= MANY for s in steps)
    busy = {core.tile for core in design.cores}
    for key, (tile, end) in ends.items():
        if tile not in busy:
            name = f"the {'producer' if key[1] is FifoEnd.PRODUCE else 'consumer'} of {key[0]} (any program)"
            agents.append(CoreAgent(name, tile, {key: end}, _any(key), 0))
            agents[-1].assumed = True
    return agents


def _never_ends(steps: Steps) -> bool:
    return any(isinstance(s, Loop) and (s.count is None or _never_ends(s.body)) for s in steps)


def _program(steps: Steps, endless: bool) -> Iterator[LockAccess | None]:
    """The accesses of a program, None after each pass; a loop without end is a pass each time round."""
    while True:
        for step in steps:
            if isinstance(step, Loop) and step.count is None:
                yield from _program(step.body, True)
            elif isinstance(step, Loop):
                yield from unrolled((step,))
            else:
                yield step
        yield None
        if not endless:
            return


def _any(key: EndName) -> Iterator[LockAccess | None]:
    while True:
        yield LockAccess(True, *key, 1)
        yield LockAccess(False, *key, 1)
        yield None
