# SPDX-License-Identifier: Apache-2.0
"""A register program and its memory as a stimulus."""

from __future__ import annotations

from goldbeat.pymodels.axi.memory import MemoryTiming
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.designs.nvdla.ports import CLOCK, CSB, DBB
from goldbeat.tb.designs.nvdla.traffic import MemorySpace

_LEAST_CYCLES = 50
"""How long to look on after a program, for what should not come any more."""


def program_stimulus(
    setting: CaseContext, steps: tuple[Access, ...], space: MemorySpace, timing: MemoryTiming
) -> Stimulus:
    """The steps on the register bus, the space's memory with this timing on DBB."""
    clock = setting.clocks[CLOCK.name]
    return Stimulus(
        inputs={},
        clocks=setting.clocks,
        program={CSB.name: steps},
        memories={DBB.name: space.image(timing)},
        least_ps=_LEAST_CYCLES * clock.period_ps,
    )
