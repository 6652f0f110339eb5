# SPDX-License-Identifier: Apache-2.0
"""Cases of SDP to PDP on the fly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from goldbeat.pymodels.axi.memory import MemoryTiming
from goldbeat.pymodels.nvdla.timed.pdp_fly import FLY_ROWS
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.traffic import Rng
from goldbeat.tb.designs.nvdla.flying import flying_mix, flying_pdp, pooled, pooled_convolution, to_pdp
from goldbeat.tb.designs.nvdla.ports import CLOCK
from goldbeat.tb.designs.nvdla.stimuli import program_stimulus
from goldbeat.tb.designs.nvdla.traffic import (
    ATOM,
    DrawnOperation,
    MemorySpace,
    OperationProgram,
    dbb_timing,
    operations_program,
    random_sdp,
)

_LATE = 600
"""Cycles after which PDP is enabled; what SDP can do without it is done by then."""


def _mixes(setting: CaseContext) -> Sequence[Stimulus]:
    rng = np.random.default_rng(setting.seed)
    space = MemorySpace(rng)
    operations = flying_mix(rng, space, int(setting.options["operations"]))
    timing = dbb_timing(rng, setting.seed) if setting.options["memory"] == "random" else MemoryTiming()
    return [program_stimulus(setting, operations_program(operations, rng), space, timing)]


def _shapes(setting: CaseContext) -> Sequence[Stimulus]:
    """Lines that just fit, more of them than fit, windows of 8 x 8 at every place, one atom, many surfaces, slow memories."""
    rng = np.random.default_rng(setting.seed)
    line = int(setting.params["LINE_ATOMS"])
    slow = Pattern.parse("random:0.2", seed=setting.seed)
    episodes = []
    for timing in (
        MemoryTiming(),
        MemoryTiming(read_latency=60, r_gaps=slow),
        MemoryTiming(write_latency=90, w_ready=slow),
    ):
        space = MemorySpace(rng)
        drawn = [
            flying_pdp(rng, space, (1, 1, 1), windows=(1, 1)),
            flying_pdp(rng, space, (1, 1, 80), windows=(1, 1)),
            flying_pdp(rng, space, (int(rng.integers(9, 20)), 10, 9), windows=(8, 8)),
            flying_pdp(rng, space, (3, 5, int(rng.integers(33, 80)))),
            flying_pdp(rng, space, (min(line, 200), 10, 8), windows=(1, 8)),
        ]
        operations = [op for pdp in drawn for op in pooled(rng, space, pdp)]
        episodes.append(program_stimulus(setting, operations_program(operations, rng), space, timing))
    space = MemorySpace(rng)
    widest = pooled(rng, space, flying_pdp(rng, space, (line, int(rng.integers(9, 12)), 8)))
    episodes.append(program_stimulus(setting, operations_program(widest, rng), space, MemoryTiming()))
    # More lines than the ring holds, and a point out for each point in, which memory takes slowly: SDP has to wait.
    space = MemorySpace(rng)
    full = pooled(rng, space, flying_pdp(rng, space, (line, 2 * FLY_ROWS, 8), windows=(1, 1)))
    timing = MemoryTiming(write_latency=90, w_ready=Pattern.parse("random:0.7", seed=setting.seed))
    episodes.append(program_stimulus(setting, operations_program(full, rng), space, timing))
    return episodes


def _late(setting: CaseContext) -> Sequence[Stimulus]:
    """SDP waits while PDP is idle, then PDP for SDP."""
    rng = np.random.default_rng(setting.seed)
    episodes = []
    for first in ("SDP", "PDP"):
        space = MemorySpace(rng)
        made = OperationProgram(rng)
        drawn = [*pooled(rng, space, flying_pdp(rng, space, (20, 5, 16))), *pooled_convolution(rng, space)]
        drawn.append(to_pdp(random_sdp(rng, space, size=(40, 1, ATOM))))
        drawn.append(flying_pdp(rng, space, (40, 1, ATOM), windows=(1, 1)))
        _apart(made, drawn, first)
        episodes.append(program_stimulus(setting, tuple(made.steps), space, dbb_timing(rng, setting.seed)))
    return episodes


def _apart(made: OperationProgram, drawn: list[DrawnOperation], first: str) -> None:
    """Run operations two of an engine at a time, those of one engine long before those of the other."""
    for part in (drawn[:5], drawn[5:]):
        for op in part:
            if op.engine in ("CONV", first):
                made.run(op)
        made.wait(_LATE)
        made.look()
        for op in part:
            if op.engine not in ("CONV", first):
                made.run(op)
        made.settle()
        made.look()


def _reset(setting: CaseContext) -> Sequence[Stimulus]:
    """Resets with atoms in the ring and on their way to it, each followed by a whole run."""
    rng = np.random.default_rng(setting.seed)
    episodes = []
    for _ in range(4):
        space = MemorySpace(rng)
        cut = program_stimulus(setting, _under_way(rng, space), space, dbb_timing(rng, setting.seed))
        cycles = int(rng.integers(300, 900))
        episodes.append(replace(cut, stop_ps=cycles * setting.clocks[CLOCK.name].period_ps + 1))
        space = MemorySpace(rng)
        whole = operations_program(pooled(rng, space, flying_pdp(rng, space)), rng)
        episodes.append(program_stimulus(setting, whole, space, MemoryTiming()))
    return episodes


def _under_way(rng: Rng, space: MemorySpace) -> tuple[Access, ...]:
    made = OperationProgram(rng)
    for op in pooled(rng, space, flying_pdp(rng, space, (20, 9, 24))):
        made.run(op)
    for op in pooled_convolution(rng, space):
        made.run(op)
    return tuple(made.steps)


FLYING_CASES = (
    Case(
        name="fly",
        summary="SDP to PDP on the fly, convolutions in front, operations from memory between",
        make=_mixes,
        options={"operations": 6, "memory": "random"},
    ),
    Case(
        name="fly_shapes",
        summary="on the fly: full lines, windows of every size, slow memories",
        make=_shapes,
        slow=True,
    ),
    Case(name="fly_late", summary="on the fly: SDP waits for PDP, PDP waits for SDP", make=_late),
    Case(name="fly_reset", summary="on the fly: resets under way, each followed by a whole run", make=_reset),
)
