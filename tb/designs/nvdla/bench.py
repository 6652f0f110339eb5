# SPDX-License-Identifier: Apache-2.0
"""NVDLA hardware with the ports and registers of nv_small: all engines at work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from goldbeat.pymodels.axi.memory import ORDERS, MemoryTiming
from goldbeat.pymodels.nvdla.engines.registers import all_registers, csb_register
from goldbeat.pymodels.nvdla.timed import predict
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.storage import Storage
from goldbeat.tb.design.traffic import AFTER_VALID, Rng, registers_case
from goldbeat.tb.designs.nvdla.cdp_cases import CDP_CASES
from goldbeat.tb.designs.nvdla.cdp_operations import cdp_operation
from goldbeat.tb.designs.nvdla.convolution_cases import CONVOLUTION_CASES
from goldbeat.tb.designs.nvdla.convolution_mixes import small_convolution
from goldbeat.tb.designs.nvdla.corners import (
    after_reset,
    at_the_limits,
    on_the_fly,
    refused,
    under_way,
    without_sums,
    written_as_it_is_set,
)
from goldbeat.tb.designs.nvdla.flying_cases import FLYING_CASES
from goldbeat.tb.designs.nvdla.largest_cases import LARGEST_CASES, widest_pdp
from goldbeat.tb.designs.nvdla.loadable_case import loadable_case
from goldbeat.tb.designs.nvdla.ports import CLOCK, CSB, DBB, INTERRUPT
from goldbeat.tb.designs.nvdla.rtl import NAME, find_rtl
from goldbeat.tb.designs.nvdla.stimuli import program_stimulus
from goldbeat.tb.designs.nvdla.timeline import nvdla_timeline
from goldbeat.tb.designs.nvdla.trace_case import trace_case
from goldbeat.tb.designs.nvdla.traffic import (
    DrawnOperation,
    MemorySpace,
    dbb_timing,
    fill_ignored,
    operations_program,
    random_pdp,
    random_sdp,
    upside_down,
)
from goldbeat.tb.designs.nvdla.waivers import waivers
from goldbeat.tb.paths import HDL

_Mix = Callable[[Rng, MemorySpace, int], list[DrawnOperation]]

_HIGH_BITS = (0x1_0000, 0x2_0000)
"""Of an address, above those of all blocks."""
_HALF = 1 << 12
"""Half of what the registers of sizes hold."""


def _mixed(mix: _Mix, *, meddle: bool = False) -> Callable[[CaseContext], Sequence[Stimulus]]:
    def make(setting: CaseContext) -> Sequence[Stimulus]:
        rng = np.random.default_rng(setting.seed)
        space = MemorySpace(rng)
        operations = mix(rng, space, int(setting.options["operations"]))
        timing = dbb_timing(rng, setting.seed) if setting.options["memory"] == "random" else MemoryTiming()
        return [program_stimulus(setting, operations_program(operations, rng, meddle=meddle), space, timing)]

    return make


def _sdp(rng: Rng, space: MemorySpace, count: int) -> list[DrawnOperation]:
    return [random_sdp(rng, space) for _ in range(count)]


def _pdp(rng: Rng, space: MemorySpace, count: int) -> list[DrawnOperation]:
    return [random_pdp(rng, space) for _ in range(count)]


def _both(rng: Rng, space: MemorySpace, count: int) -> list[DrawnOperation]:
    return [random_sdp(rng, space) if rng.integers(2) else random_pdp(rng, space) for _ in range(count)]


def _all(rng: Rng, space: MemorySpace, count: int) -> list[DrawnOperation]:
    """Every engine; each convolution has an SDP operation on the fly."""
    operations: list[DrawnOperation] = []
    for _ in range(count):
        match int(rng.integers(5)):
            case 0:
                small = small_convolution(rng, space)
                operations += [small.conv, small.sdp]
            case 1:
                operations.append(cdp_operation(rng, space))
            case 2:
                operations.append(random_pdp(rng, space))
            case _:
                operations.append(random_sdp(rng, space))
    return operations


def _fields(rng: Rng, space: MemorySpace, count: int) -> list[DrawnOperation]:
    """What should not count is random, and what counts takes values that drivers do not use."""
    operations = []
    for _ in range(count):
        op = random_sdp(rng, space) if rng.integers(2) else random_pdp(rng, space, wild=bool(rng.integers(4)))
        operations.append(fill_ignored(upside_down(op) if rng.integers(3) == 0 else op, rng))
    return operations


def _starved(rng: Rng, space: MemorySpace, count: int) -> list[DrawnOperation]:
    """SDP with operands that are never fetched, on data from memory and on the fly."""
    operations: list[DrawnOperation] = []
    for _ in range(count):
        if rng.integers(2):
            size = (int(rng.integers(1, 20)), int(rng.integers(1, 4)), int(rng.integers(1, 20)))
            operations.append(small_convolution(rng, space, size).conv)
            operations.append(random_sdp(rng, space, flying=True, starved=True, size=size))
        else:
            operations.append(random_sdp(rng, space, starved=True))
    return [*operations, without_sums(rng, space)]


def _interrupt(setting: CaseContext) -> Sequence[Stimulus]:
    """One operation, waited for by its interrupt, which is masked, set and cleared too."""
    rng = np.random.default_rng(setting.seed)
    space = MemorySpace(rng)
    op = random_sdp(rng, space) if setting.seed % 2 == 0 else random_pdp(rng, space)
    mask, put, status = (csb_register("GLB", f"S_INTR_{n}").address for n in ("MASK", "SET", "STATUS"))
    steps = list(operations_program([op], rng))
    first_poll = next(i for i, s in enumerate(steps) if s.op == "poll")
    steps = [
        *(Access("write", put, 0x0030_0000), Access("wait_for", port=INTERRUPT.name), Access("read", status)),
        *(Access("write", mask, 0x0030_0000), Access("wait_for", port=INTERRUPT.name, value=0)),
        *(Access("post", status, 0x0020_0000), Access("read", status), Access("read", mask)),
        *steps[:first_poll],
        *(Access("wait_for", port=INTERRUPT.name, cycles=100_000), Access("read", status)),
        *(Access("write", status, 0x003F_03FF), Access("wait_for", port=INTERRUPT.name, value=0)),
        *steps[first_poll:],
    ]
    one = program_stimulus(setting, tuple(steps), space, dbb_timing(rng, setting.seed))
    space = MemorySpace(rng)
    return [one, program_stimulus(setting, written_as_it_is_set(rng, space), space, MemoryTiming())]


def _registers(setting: CaseContext) -> Sequence[Stimulus]:
    """The whole map read, written and read again, in both groups, and what is not there."""
    rng = np.random.default_rng(setting.seed)
    space = MemorySpace(rng)
    # What would start something, or end it.
    active = {r.address for r in all_registers() if r.name in ("D_OP_ENABLE", "S_INTR_SET")}
    known = [r.address for r in all_registers()]
    holes = [0x01A0, 0x1010, 0x1FFC, 0x201C, 0x30EC, 0xB0A0, 0xE000, 0x1_2000, 0x3_FFFC]
    # Where a register would be if an address had fewer bits.
    somewhere = rng.choice(known, 24).tolist()
    holes += [address | bit for address, bit in zip(somewhere, (0x400, 0x800, *_HIGH_BITS) * 6, strict=True)]
    pointers = [r.address for r in all_registers() if r.name == "S_POINTER"]
    steps = [Access("read", a) for a in (*known, *holes)]
    for _ in range(2):
        for address in rng.permutation(known + holes).tolist():
            if address not in active:
                steps.append(Access("post" if rng.integers(2) else "write", address, int(rng.integers(1 << 32))))
            steps.append(Access("read", address))
    for group in (0, 1):
        steps += [Access("post", a, group) for a in pointers]
        steps += [Access("read", a) for a in known]
    steps += _table_aliases(rng)
    steps += _every_bit([a for a in known if a not in {*active, *pointers}], pointers)
    return [program_stimulus(setting, tuple(steps), space, MemoryTiming())]


def _every_bit(known: Sequence[int], pointers: Sequence[int]) -> list[Access]:
    """Every bit of every register set and cleared, in both groups, and read."""
    steps = []
    for group in (0, 1):
        steps += [Access("post", a, group) for a in pointers]
        for value in (0xFFFF_FFFF, 0, 0xFFFF_FFFF, 0):
            steps += [access for a in known for access in (Access("post", a, value), Access("read", a))]
    return steps


def _table_aliases(rng: Rng) -> list[Access]:
    """CDP's tables go on to the next entry when one is read: not when something else is, at an address that ends alike."""
    access, data = (csb_register("CDP", f"S_LUT_ACCESS_{n}").address for n in ("CFG", "DATA"))
    first = int(rng.integers(40))
    steps = [Access("post", access, 1 << 17 | first)]
    steps += [Access("post", data, int(rng.integers(1 << 16))) for _ in range(8)]
    steps.append(Access("post", access, first))
    for alias in (data | _HIGH_BITS[0], data | _HIGH_BITS[1], data ^ 0x1000):
        steps += [Access("read", alias), Access("read", access), Access("read", data)]
    return steps


def _sizes(setting: CaseContext) -> Sequence[Stimulus]:
    """Cubes of one atom, chunks that are just full, and lines that end in bursts of every length."""
    rng = np.random.default_rng(setting.seed)
    episodes = []
    for width in (1, 2, 15, 16, 17, 31, 32, 33, 48):
        space = MemorySpace(rng)
        size = (width, int(rng.integers(1, 4)), int(rng.choice([1, 8, 9])))
        operations = [random_sdp(rng, space, size=size), random_pdp(rng, space, size=size)]
        episodes.append(
            program_stimulus(setting, operations_program(operations, rng), space, dbb_timing(rng, setting.seed))
        )
    # Lines of one atom that were asked for apart, and come one behind the other.
    deep_space = MemorySpace(rng)
    deep = [random_pdp(rng, deep_space, size=(1, 1, int(rng.integers(100, 300))), windows=(1, 1)) for _ in range(2)]
    held = Pattern.parse("bursty:24", seed=setting.seed)
    timing = MemoryTiming(max_reads=256, read_latency=40, r_gaps=held, seed=setting.seed)
    episodes.append(program_stimulus(setting, operations_program(deep, rng), deep_space, timing))
    space = MemorySpace(rng)
    operations = [at_the_limits(rng, space, moved) for moved in (16, int(rng.integers(32, 64)))]
    # Lines that come one behind the other, and windows that take longer than their lines.
    operations.append(random_pdp(rng, space, size=(1, 2, 80), windows=(1, 1)))
    operations.append(random_pdp(rng, space, size=(20, 6, 8), windows=(8, 3)))
    timing = MemoryTiming(read_jitter=9, seed=setting.seed)
    return [*episodes, program_stimulus(setting, operations_program(operations, rng), space, timing)]


def _sweep(setting: CaseContext) -> Sequence[Stimulus]:
    """Every order of answers with each channel of the DBB held back in turn, then with all that wait for valid."""
    rng = np.random.default_rng(setting.seed)
    episodes = []
    ready = ("ar_ready", "aw_ready", "w_ready")
    for order in ORDERS:
        for channel in (*ready, "r_gaps", "b_gaps", None):
            pattern = Pattern.parse(str(rng.choice(["random:0.4", "bursty:9"])), seed=setting.seed)
            held: dict[str, Any] = {channel: pattern} if channel else {}
            if channel is None:
                held = {name: Pattern.parse(AFTER_VALID, seed=setting.seed + n) for n, name in enumerate(ready)}
            timing = MemoryTiming(order=order, read_jitter=9, write_jitter=9, seed=setting.seed, **held)
            space = MemorySpace(rng)
            operations = [random_sdp(rng, space), random_pdp(rng, space)]
            episodes.append(program_stimulus(setting, operations_program(operations, rng), space, timing))
    return episodes


def _reset(setting: CaseContext) -> Sequence[Stimulus]:
    """Resets while all engines are at work, each followed by a whole run."""
    rng = np.random.default_rng(setting.seed)
    episodes = []
    for _ in range(4):
        space = MemorySpace(rng)
        cut = program_stimulus(setting, under_way(rng, space), space, dbb_timing(rng, setting.seed))
        cycles = int(rng.integers(1, 400))
        episodes.append(replace(cut, stop_ps=cycles * setting.clocks[CLOCK.name].period_ps + 1))
        space = MemorySpace(rng)
        episodes.append(program_stimulus(setting, after_reset(rng, space), space, MemoryTiming()))
    return episodes


def _large(setting: CaseContext) -> Sequence[Stimulus]:
    """One side of the cube beyond what smaller counters hold, then up to their last bit; for PDP lines that just fit."""
    rng = np.random.default_rng(setting.seed)
    space = MemorySpace(rng)
    line = int(setting.params["LINE_ATOMS"])
    operations = [
        random_sdp(rng, space, size=(int(rng.integers(513, 560)), 1, 8)),
        random_sdp(rng, space, size=(1, int(rng.integers(257, 290)), 8)),
        random_sdp(rng, space, size=(1, 1, int(rng.integers(257, 290)))),
        random_pdp(rng, space, size=(line, int(rng.integers(1, 4)), 8)),
        widest_pdp(rng, space, line),
        random_pdp(rng, space, size=(8, int(rng.integers(257, 290)), 8)),
        random_pdp(rng, space, size=(3, 3, int(rng.integers(257, 290)))),
    ]
    largest = MemorySpace(rng)
    side, other, more = (_HALF + int(rng.integers(1, 40)) for _ in range(3))
    last_bits = [
        random_sdp(rng, largest, size=(side, 1, 8)),
        random_pdp(rng, largest, size=(1, other, 8), windows=(1, 1)),
        random_sdp(rng, largest, size=(1, more, 8)),
        random_pdp(rng, largest, size=(1, 1, side), windows=(1, 1)),
        random_sdp(rng, largest, size=(1, 1, other)),
    ]
    return [
        program_stimulus(setting, operations_program(operations, rng), space, dbb_timing(rng, setting.seed)),
        program_stimulus(
            setting, operations_program(last_bits, rng), largest, MemoryTiming(read_latency=2, write_latency=1)
        ),
    ]


def _outstanding(setting: CaseContext) -> Sequence[Stimulus]:
    """A memory that takes requests at once and answers late: engines have as much on its way as they may."""
    rng = np.random.default_rng(setting.seed)
    episodes = []
    for slow in ("read", "write"):
        space = MemorySpace(rng)
        size = (int(rng.integers(1, 40)), int(rng.integers(6, 9)), 24)
        operations = [random_sdp(rng, space, size=size), random_pdp(rng, space, size=size)]
        operations += [small_convolution(rng, space, size).conv, on_the_fly(rng, space, size)]
        latency = {"read_latency": 1, "write_latency": 1, f"{slow}_latency": int(rng.integers(400, 900))}
        timing = MemoryTiming(max_reads=256, max_writes=64, order=str(rng.choice(ORDERS)), seed=setting.seed, **latency)  # type: ignore[arg-type]
        episodes.append(program_stimulus(setting, operations_program(operations, rng), space, timing))
    return episodes


def _start(setting: CaseContext) -> Sequence[Stimulus]:
    """What must not begin, or not end."""
    rng = np.random.default_rng(setting.seed)
    episodes = []
    for line in (int(setting.params["LINE_ATOMS"]), None):
        space = MemorySpace(rng)
        episodes.append(program_stimulus(setting, refused(rng, space, line), space, MemoryTiming()))
    return episodes


_OPTIONS = {"operations": 4, "memory": "random"}

_STORAGE = tuple(
    Storage(base=r.address, words=1, mask=r.write_mask)
    for r in all_registers()
    if r.block in ("SDP", "PDP", "CDP")
    and r.name.startswith("D_")
    and r.name != "D_OP_ENABLE"
    and r.write_mask == r.read_mask
)

DESIGN = Design(
    name=NAME,
    summary="nv_small's ports and registers: convolution, SDP, PDP and CDP in int8",
    top="nvdla_top",
    files=("nvdla/nvdla.f",),
    root=HDL,
    # What it takes to compile counts for more than speed.
    optimize="-O1",
    parameters={"LINE_ATOMS": Parameter(default=1024)},
    clocks=(CLOCK,),
    registers=(CSB.model_copy(update={"storage": _STORAGE}),),
    memories=(DBB,),
    status=(INTERRUPT,),
    model=predict,
    slow_parameters=("LINE_ATOMS",),
    variants=({}, {"LINE_ATOMS": 64}),
    cases=(
        Case(
            name="random", summary="SDP and PDP operations at once, both groups", make=_mixed(_both), options=_OPTIONS
        ),
        Case(name="sdp", summary="SDP operations", make=_mixed(_sdp), options=_OPTIONS),
        Case(name="pdp", summary="PDP operations", make=_mixed(_pdp), options=_OPTIONS),
        Case(
            name="engines",
            summary="all engines at once, convolutions with SDP on the fly",
            make=_mixed(_all),
            options=_OPTIONS,
        ),
        Case(
            name="locked",
            summary="all engines, their groups written to while they are enabled",
            make=_mixed(_all, meddle=True),
            options=_OPTIONS,
        ),
        Case(
            name="fields",
            summary="random values in fields that nobody looks at, sums that wrap, negative strides",
            make=_mixed(_fields),
            options=_OPTIONS,
        ),
        Case(name="starved", summary="SDP operands that are never fetched", make=_mixed(_starved), options=_OPTIONS),
        Case(name="start", summary="operations that must not begin, or not end", make=_start),
        Case(name="outstanding", summary="late answers, as many open reads and writes as may be", make=_outstanding),
        Case(name="large", summary="cubes that are wide, high or deep", make=_large),
        Case(name="sizes", summary="lines of one atom, full chunks, bursts of every length", make=_sizes),
        Case(name="sweep", summary="each channel of the DBB held back, answers in every order", make=_sweep),
        Case(name="reset", summary="resets while all engines are at work, then a whole run", make=_reset),
        Case(
            name="interrupt",
            summary="an operation and its interrupt; mask, set, clear, set as it is cleared",
            make=_interrupt,
        ),
        *CONVOLUTION_CASES,
        *CDP_CASES,
        *FLYING_CASES,
        *LARGEST_CASES,
        registers_case(_registers, "the whole register map"),
        loadable_case(own=True),
        trace_case(own=True),
    ),
    timeline=nvdla_timeline,
    obligations=waivers(),
    foreign=find_rtl,
)
