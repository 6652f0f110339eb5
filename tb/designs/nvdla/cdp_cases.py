# SPDX-License-Identifier: Apache-2.0
"""Cases of CDP, for the bench of the design that has it (docs/nvdla-cdp.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from goldbeat.pymodels.axi.memory import ORDERS, MemoryTiming
from goldbeat.pymodels.nvdla.engines.lookup import LE_ENTRIES, LO_ENTRIES
from goldbeat.pymodels.nvdla.engines.registers import csb_register
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.traffic import AFTER_VALID, Rng
from goldbeat.tb.designs.nvdla.cdp_operations import (
    DrawnCdp,
    far_tables,
    fill_ignored_cdp,
    follow_ups,
    random_cdp,
    run_cdp_operation,
    settle_cdp,
    steep_slopes,
    whole_steps,
)
from goldbeat.tb.designs.nvdla.ports import CLOCK, INTERRUPT
from goldbeat.tb.designs.nvdla.stimuli import program_stimulus
from goldbeat.tb.designs.nvdla.traffic import MemorySpace, OperationProgram, dbb_timing, random_pdp, random_sdp

CdpMix = Callable[[Rng, MemorySpace, int], Sequence[DrawnCdp]]
"""Draws CDP operations."""

_STATUS = csb_register("GLB", "S_INTR_STATUS").address
_ALL_BITS = 0x003F_03FF
_HALF = 1 << 12
"""Half of what the registers of sizes hold."""


def cdp_program(drawn: Sequence[DrawnCdp], rng: Rng, *, meddle: bool = False) -> tuple[Access, ...]:
    """The program that runs operations; at the end everything has been waited for."""
    made = OperationProgram(rng, meddle=meddle)
    for one in drawn:
        run_cdp_operation(made, one, rng)
    made.settle()
    made.look()
    made.wait(2)
    return tuple(made.steps)


def _timing(rng: Rng, setting: CaseContext) -> MemoryTiming:
    return dbb_timing(rng, setting.seed) if setting.options["memory"] == "random" else MemoryTiming()


def some_cdp(rng: Rng, space: MemorySpace, count: int) -> list[DrawnCdp]:
    """Operations as drivers make them, some with the tables of the one before."""
    return follow_ups([random_cdp(rng, space) for _ in range(count)], rng)


def wild_cdp(rng: Rng, space: MemorySpace, count: int) -> list[DrawnCdp]:
    """Any number in every field that counts and in every one that does not; strides may be negative."""
    drawn = [random_cdp(rng, space, wild=bool(rng.integers(4)), turned=True) for _ in range(count)]
    return [fill_ignored_cdp(one, rng) for one in follow_ups(drawn, rng)]


def _mixed(mix: CdpMix, *, meddle: bool = False) -> Callable[[CaseContext], Sequence[Stimulus]]:
    def make(setting: CaseContext) -> Sequence[Stimulus]:
        rng = np.random.default_rng(setting.seed)
        space = MemorySpace(rng)
        steps = cdp_program(mix(rng, space, int(setting.options["operations"])), rng, meddle=meddle)
        return [program_stimulus(setting, steps, space, _timing(rng, setting))]

    return make


def _engines(setting: CaseContext) -> Sequence[Stimulus]:
    """CDP beside SDP and PDP, each with both of its groups."""
    rng = np.random.default_rng(setting.seed)
    space = MemorySpace(rng)
    made = OperationProgram(rng)
    for one in some_cdp(rng, space, int(setting.options["operations"])):
        run_cdp_operation(made, one, rng)
        others = [random_sdp(rng, space), random_pdp(rng, space), random_sdp(rng, space)]
        for op in others[: int(rng.integers(4))]:
            made.run(op)
    made.settle()
    made.look()
    return [program_stimulus(setting, tuple(made.steps), space, _timing(rng, setting))]


def _sizes(setting: CaseContext) -> Sequence[Stimulus]:
    """Cubes of one element, chunks that are just full, surfaces that are just full, one surface and several."""
    rng = np.random.default_rng(setting.seed)
    episodes = []
    for width in (1, 2, 15, 16, 17, 32, 33):
        space = MemorySpace(rng)
        channels = rng.permutation([1, 2, 7, 8, 9, 15, 16, 17, 24, 33])[:3].tolist()
        sizes = [(width, int(rng.integers(1, 4)), channel) for channel in channels]
        drawn = [random_cdp(rng, space, size=size) for size in [*sizes, (1, 1, 1)]]
        steps = cdp_program(follow_ups(drawn, rng), rng)
        episodes.append(program_stimulus(setting, steps, space, dbb_timing(rng, setting.seed)))
    return episodes


def _slow(setting: CaseContext) -> Sequence[Stimulus]:
    """Every order of answers with each channel of the DBB held back in turn, late answers, little bandwidth."""
    rng = np.random.default_rng(setting.seed)
    timings: list[dict[str, Any]] = [{"max_reads": 64, "max_writes": 64, "read_latency": int(rng.integers(200, 500))}]
    timings += [{"max_reads": 64, "max_writes": 64, "write_latency": int(rng.integers(200, 900))}]
    timings += [{"read_bandwidth": (1, int(n))} for n in rng.integers(5, 12, 2)]
    timings += [{"write_bandwidth": (1, int(n))} for n in rng.integers(6, 12, 2)]
    for channel in ("ar_ready", "aw_ready", "w_ready", "r_gaps", "b_gaps"):
        timings.append({channel: Pattern.parse(str(rng.choice(["random:0.2", "bursty:9"])), seed=setting.seed)})
    ready = ("ar_ready", "aw_ready", "w_ready")
    timings.append({name: Pattern.parse(AFTER_VALID, seed=setting.seed + n) for n, name in enumerate(ready)})
    episodes = []
    for number, held in enumerate(timings):
        space = MemorySpace(rng)
        drawn = [random_cdp(rng, space, size=(int(rng.integers(1, 40)), 1, int(rng.integers(9, 50))))]
        order = ORDERS[(number + setting.seed) % len(ORDERS)]
        timing = MemoryTiming(order=order, seed=setting.seed, **held)
        episodes.append(program_stimulus(setting, cdp_program(drawn, rng), space, timing))
    return episodes


def _tables(setting: CaseContext) -> Sequence[Stimulus]:
    """The access registers: entries written, overwritten and read in any order, within the tables and beyond, also as CDP works."""
    rng = np.random.default_rng(setting.seed)
    space = MemorySpace(rng)
    made = OperationProgram(rng)
    reads = [Access("read", csb_register("CDP", f"S_LUT_ACCESS_{n}").address) for n in ("CFG", "DATA")]
    for one in [random_cdp(rng, space, size=(int(rng.integers(1, 20)), 1, 9)) for _ in range(3)]:
        for _ in range(20):
            number, last = _any_table(rng)
            first = int(rng.choice([0, last - 3, last - 1, last, last + 1, 1022, 1023, int(rng.integers(1024))]))
            way = int(rng.integers(2))
            made.post("CDP", "S_LUT_ACCESS_CFG", way << 17 | number << 16 | first)
            for _ in range(int(rng.integers(1, 7))):
                if rng.integers(2):
                    made.post("CDP", "S_LUT_ACCESS_DATA", int(rng.integers(1 << 32)))
                made.steps += reads if rng.integers(2) else reads[1:]
        run_cdp_operation(made, one, rng)
        # Nothing is shown meanwhile; the address steps. The last of these reads come as the operation ends, or behind.
        made.post("CDP", "S_LUT_ACCESS_CFG", _any_table(rng)[0] << 16 | int(rng.integers(LO_ENTRIES)))
        made.steps += reads[1:] * int(rng.integers(30, 300)) + reads
        settle_cdp(made)
    made.look()
    return [program_stimulus(setting, tuple(made.steps), space, _timing(rng, setting))]


def _any_table(rng: Rng) -> tuple[int, int]:
    """Number and last address of a table."""
    number = int(rng.integers(2))
    return number, (LE_ENTRIES, LO_ENTRIES)[number] - 1


def _reset(setting: CaseContext) -> Sequence[Stimulus]:
    """Resets while CDP works, then tables that are 0, and another operation."""
    rng = np.random.default_rng(setting.seed)
    config, data = (csb_register("CDP", f"S_LUT_ACCESS_{n}").address for n in ("CFG", "DATA"))
    episodes = []
    for number in range(3):
        space = MemorySpace(rng)
        drawn = random_cdp(rng, space, size=(20, 4, 24))
        program = cdp_program([drawn, DrawnCdp(drawn.op)], rng)
        cut = program_stimulus(setting, program, space, dbb_timing(rng, setting.seed))
        # Tables take some 350 cycles to load.
        cycles = int(rng.integers(300, 2500))
        episodes.append(replace(cut, stop_ps=cycles * setting.clocks[CLOCK.name].period_ps + 1))
        space = MemorySpace(rng)
        after = [Access("read", config), *[Access("read", data)] * (LE_ENTRIES + 1), Access("post", config, 1 << 16)]
        after += [*[Access("read", data)] * (LO_ENTRIES + 1), Access("read", config)]
        unloaded = random_cdp(rng, space)
        assert unloaded.tables is not None
        # The last time with tables of zeros.
        single = [Access("post", *pair) for pair in unloaded.tables.registers().items()]
        steps = [*(after + single), *cdp_program([DrawnCdp(unloaded.op) if number == 2 else unloaded], rng)]
        episodes.append(program_stimulus(setting, tuple(steps), space, MemoryTiming()))
    return episodes


def _steps(setting: CaseContext) -> Sequence[Stimulus]:
    """Tables with an entry per number, also with the steepest slopes beside them, and tables as far away as possible."""
    rng = np.random.default_rng(setting.seed)
    space = MemorySpace(rng)
    drawn = [whole_steps(rng, space), steep_slopes(rng, space), *(far_tables(rng, space) for _ in range(4))]
    steps = cdp_program(drawn, rng)
    return [program_stimulus(setting, steps, space, _timing(rng, setting))]


def _interrupt(setting: CaseContext) -> Sequence[Stimulus]:
    """An operation and its interrupt in both groups; the bit is cleared in every cycle around the one in which it is set."""
    rng = np.random.default_rng(setting.seed)
    space = MemorySpace(rng)
    made = OperationProgram(rng)
    for one in some_cdp(rng, space, 3):
        run_cdp_operation(made, one, rng)
        made.steps += [Access("wait_for", port=INTERRUPT.name, cycles=100_000), Access("read", _STATUS)]
        made.steps += [Access("write", _STATUS, _ALL_BITS), Access("wait_for", port=INTERRUPT.name, value=0)]
    waited = program_stimulus(setting, tuple(made.steps), space, dbb_timing(rng, setting.seed))
    space = MemorySpace(rng)
    made = OperationProgram(rng)
    tiny = random_cdp(rng, space, size=(1, 1, 8))
    assert tiny.tables is not None
    made.steps += tiny.tables.steps(rng)
    for pause in range(40, 70):
        made.run(tiny.op)
        made.wait(pause)
        made.steps += [Access("post", _STATUS, _ALL_BITS), Access("read", _STATUS)]
        settle_cdp(made)
        made.look()
    timing = MemoryTiming(read_latency=4, write_latency=4)
    return [waited, program_stimulus(setting, tuple(made.steps), space, timing)]


def _large(setting: CaseContext) -> Sequence[Stimulus]:
    """One side of the cube beyond what smaller counters hold, then up to their last bit."""
    rng = np.random.default_rng(setting.seed)
    spaces = MemorySpace(rng), MemorySpace(rng)
    small, large = ((257 + int(rng.integers(30)), 513 + int(rng.integers(30))), (_HALF + int(rng.integers(1, 40)),) * 2)
    episodes = []
    for space, (wide, deep) in zip(spaces, (small, large), strict=True):
        drawn = [random_cdp(rng, space, size=size) for size in ((wide, 1, 8), (1, wide, 3), (1, 1, deep))]
        timing = MemoryTiming(read_latency=2, write_latency=1, max_reads=16, max_writes=16)
        episodes.append(program_stimulus(setting, cdp_program(drawn, rng), space, timing))
    return episodes


_OPTIONS = {"operations": 4, "memory": "random"}

CDP_CASES = (
    Case(name="cdp", summary="CDP operations of any shape, both groups", make=_mixed(some_cdp), options=_OPTIONS),
    Case(
        name="cdp_wild",
        summary="CDP with any number in every field: tables far away, slopes that saturate, negative strides",
        make=_mixed(wild_cdp),
        options=_OPTIONS,
    ),
    Case(
        name="cdp_locked",
        summary="CDP with its groups written to while they are enabled",
        make=_mixed(some_cdp, meddle=True),
        options=_OPTIONS,
    ),
    Case(name="cdp_engines", summary="CDP beside SDP and PDP", make=_engines, options=_OPTIONS),
    Case(name="cdp_sizes", summary="cubes of one element, full chunks and surfaces, odd channels", make=_sizes),
    Case(name="cdp_slow", summary="CDP with each channel of the DBB held back, late answers", make=_slow),
    Case(
        name="cdp_tables",
        summary="the access registers of the lookup tables, also while CDP works",
        make=_tables,
        options={"memory": "random"},
    ),
    Case(
        name="cdp_steps",
        summary="tables with an entry per number that jump from end to end, or that are far away",
        make=_steps,
        options={"memory": "random"},
    ),
    Case(name="cdp_reset", summary="resets while CDP works, then tables of zeros and operations", make=_reset),
    Case(
        name="cdp_interrupt", summary="CDP's interrupts, waited for, cleared in the cycle of the set", make=_interrupt
    ),
    Case(name="cdp_large", summary="CDP cubes that are wide, high or deep", make=_large),
)
