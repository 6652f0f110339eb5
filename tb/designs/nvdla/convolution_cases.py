# SPDX-License-Identifier: Apache-2.0
"""Cases of the convolution core (docs/nvdla-convolution.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from goldbeat.pymodels.axi.memory import MemoryTiming
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.traffic import Rng
from goldbeat.tb.designs.nvdla.cdp_operations import cdp_operation
from goldbeat.tb.designs.nvdla.convolution_mixes import (
    alternate,
    buffer_convolutions,
    chained_convolutions,
    convolutions_of_pixels,
    corner_convolutions,
    fill_ignored_convolution,
    ring_convolutions,
    saturating_convolutions,
    shared_out,
    some_convolutions,
    stripe_convolutions,
    two_plane_convolutions,
)
from goldbeat.tb.designs.nvdla.convolutions import (
    ConvolutionShape,
    DrawnConvolution,
    draw_convolution,
    random_convolution_shape,
)
from goldbeat.tb.designs.nvdla.ports import CLOCK
from goldbeat.tb.designs.nvdla.stimuli import program_stimulus
from goldbeat.tb.designs.nvdla.traffic import (
    CONV_BLOCKS,
    DrawnOperation,
    MemorySpace,
    OperationProgram,
    dbb_timing,
    operations_program,
    random_pdp,
    random_sdp,
)

Mix = Callable[[Rng, MemorySpace, int], list[DrawnConvolution]]
"""Draws convolutions, each with its SDP operation."""


def _timing(rng: Rng, setting: CaseContext) -> MemoryTiming:
    return dbb_timing(rng, setting.seed) if setting.options["memory"] == "random" else MemoryTiming()


def _mixed(mix: Mix, *, meddle: bool = False, fields: bool = False) -> Callable[[CaseContext], Sequence[Stimulus]]:
    def make(setting: CaseContext) -> Sequence[Stimulus]:
        rng = np.random.default_rng(setting.seed)
        space = MemorySpace(rng)
        operations = alternate(mix(rng, space, int(setting.options["operations"])), rng)
        if fields:
            operations = [fill_ignored_convolution(op, rng) if op.engine == "CONV" else op for op in operations]
        steps = operations_program(operations, rng, meddle=meddle)
        return [program_stimulus(setting, steps, space, _timing(rng, setting))]

    return make


def _network(setting: CaseContext) -> Sequence[Stimulus]:
    """Convolutions among operations of all other engines."""
    rng = np.random.default_rng(setting.seed)
    space = MemorySpace(rng)
    operations: list[DrawnOperation] = []
    for drawn in some_convolutions(rng, space, int(setting.options["operations"])):
        operations += alternate([drawn], rng)
        others = [random_sdp(rng, space), random_pdp(rng, space), cdp_operation(rng, space)]
        operations += [others[i] for i in rng.permutation(3)[: int(rng.integers(3))].tolist()]
    return [program_stimulus(setting, operations_program(operations, rng), space, _timing(rng, setting))]


def _stalled(setting: CaseContext) -> Sequence[Stimulus]:
    """SDP comes late, or takes the sums in two operations; blocks are enabled far apart."""
    rng = np.random.default_rng(setting.seed)
    episodes = []
    for _ in range(2):
        space = MemorySpace(rng)
        made = OperationProgram(rng)
        for op in shared_out(rng, space, random_convolution_shape(rng)):
            made.wait(int(rng.integers(1, 1500)))
            made.run(op)
            made.look()
        made.settle()
        made.look()
        episodes.append(program_stimulus(setting, tuple(made.steps), space, dbb_timing(rng, setting.seed)))
    space = MemorySpace(rng)
    drawn = draw_convolution(rng, space, random_convolution_shape(rng))
    steps = [_apart(step, rng) for step in operations_program([drawn.sdp, drawn.conv], rng)]
    flat = tuple(step for group in steps for step in group)
    return [*episodes, program_stimulus(setting, flat, space, _timing(rng, setting))]


def _ahead(setting: CaseContext) -> Sequence[Stimulus]:
    """Both groups of CDMA enabled long before the computation of the first one; later fetches ahead of theirs, too."""
    rng = np.random.default_rng(setting.seed)
    space = MemorySpace(rng)
    drawn = chained_convolutions(rng, space, int(setting.options["operations"]))
    made = OperationProgram(rng)
    others = tuple(block for block in CONV_BLOCKS if block != "CDMA")
    for number, one in enumerate([*drawn[1:], None]):
        if number == 0:
            made.run(drawn[0].conv, ("CDMA",))
        if one is not None:
            made.run(one.conv, ("CDMA",))
        made.wait(int(rng.integers(1, 900)))
        made.look()
        made.run(drawn[number].sdp)
        made.run(drawn[number].conv, others)
    made.settle()
    made.look()
    return [program_stimulus(setting, tuple(made.steps), space, _timing(rng, setting))]


def _slow(setting: CaseContext) -> Sequence[Stimulus]:
    """Weights that come one by one, so that the multipliers have done all blocks but the one whose weights are missing."""
    rng = np.random.default_rng(setting.seed)
    episodes = []
    for beats in (5, 12):
        space = MemorySpace(rng)
        # One element of which most outputs see the padding only: two stripes and more, and weights come last.
        sides = int(rng.integers(6, 9)), int(rng.integers(6, 9))
        pad = (sides[0] - 1, sides[1] - 1, sides[0] - 1, sides[1] - 1)
        padded = ConvolutionShape((1, 1), int(rng.integers(8, 25)), sides, int(rng.integers(1, 9)), pad=pad)
        drawn = [*stripe_convolutions(rng, space, 1), draw_convolution(rng, space, padded)]
        operations = alternate(drawn, rng)
        timing = MemoryTiming(read_bandwidth=(1, beats), seed=setting.seed)
        episodes.append(program_stimulus(setting, operations_program(operations, rng), space, timing))
    return episodes


def _apart(step: Access, rng: Rng) -> list[Access]:
    """The step, now and then behind a pause."""
    return [Access("wait", cycles=int(rng.integers(1, 60))), step] if rng.integers(4) == 0 else [step]


def _reset(setting: CaseContext) -> Sequence[Stimulus]:
    """Resets while convolutions are at work, each followed by others."""
    rng = np.random.default_rng(setting.seed)
    episodes = []
    for _ in range(3):
        space = MemorySpace(rng)
        steps = operations_program(alternate(chained_convolutions(rng, space, 3), rng), rng)
        cut = program_stimulus(setting, steps, space, dbb_timing(rng, setting.seed))
        cycles = int(rng.integers(100, 3000))
        episodes.append(replace(cut, stop_ps=cycles * setting.clocks[CLOCK.name].period_ps + 1))
        space = MemorySpace(rng)
        steps = operations_program(alternate(chained_convolutions(rng, space, 2), rng), rng)
        episodes.append(program_stimulus(setting, steps, space, MemoryTiming()))
    return episodes


_OPTIONS = {"operations": 4, "memory": "random"}

CONVOLUTION_CASES = (
    Case(
        name="conv", summary="convolutions of any shape, both groups", make=_mixed(some_convolutions), options=_OPTIONS
    ),
    Case(
        name="conv_pixels",
        summary="convolutions of pixels of every format",
        make=_mixed(convolutions_of_pixels),
        options=_OPTIONS,
    ),
    Case(
        name="conv_reuse",
        summary="data, slices and weights that are used again, kept for nothing, or not kept",
        make=_mixed(chained_convolutions),
        options=_OPTIONS,
    ),
    Case(
        name="conv_stripes",
        summary="outputs around the limits of stripes, kernels around those of groups and blocks",
        make=_mixed(stripe_convolutions),
        options=_OPTIONS,
    ),
    Case(
        name="conv_buffer",
        summary="banks that are full, weights that go round in one bank, banks that change",
        make=_mixed(buffer_convolutions),
        options=_OPTIONS,
    ),
    Case(
        name="conv_ring",
        summary="images of pixels that go round in one bank",
        make=_mixed(ring_convolutions),
        options=_OPTIONS,
    ),
    Case(
        name="conv_planes",
        summary="images of two planes with lines around multiples of 64 pixels",
        make=_mixed(two_plane_convolutions),
        options=_OPTIONS,
    ),
    Case(
        name="conv_corners",
        summary="shapes that need the highest bits of the registers' fields",
        make=_mixed(corner_convolutions),
        options={"operations": 20, "memory": "plain"},
    ),
    Case(
        name="conv_limits",
        summary="sums of 32 and of 34 bits that saturate",
        make=_mixed(saturating_convolutions),
        options={"operations": 2, "memory": "plain"},
        slow=True,
    ),
    Case(name="conv_network", summary="convolutions among all other engines", make=_network, options=_OPTIONS),
    Case(name="conv_stalled", summary="SDP comes late, takes sums in two operations", make=_stalled, options=_OPTIONS),
    Case(name="conv_slow", summary="weights that come one by one", make=_slow),
    Case(
        name="conv_ahead",
        summary="data and weights fetched long before their computation is enabled",
        make=_ahead,
        options={"operations": 3, "memory": "random"},
    ),
    Case(
        name="conv_fields",
        summary="random values in fields of convolutions that do not count",
        make=_mixed(some_convolutions, fields=True),
        options=_OPTIONS,
    ),
    Case(
        name="conv_locked",
        summary="convolutions, their groups written to while they are enabled",
        make=_mixed(some_convolutions, meddle=True),
        options=_OPTIONS,
    ),
    Case(name="conv_reset", summary="resets while convolutions are at work, then others", make=_reset),
)
