# SPDX-License-Identifier: Apache-2.0
"""The TPU command front end: streams of commands fetched, put together, and dispatched when all they wait for has happened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from goldbeat.pymodels.axi.memory import MemoryTiming
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.pymodels.tpu.front_end import front_map as reg
from goldbeat.pymodels.tpu.front_end.kinds import BLOCK, BM1684X, BM1688, BM1690, BM1690E, CV184X, SG2380
from goldbeat.pymodels.tpu.front_end.registers import GROUPS, TABLE, predict
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.measurements import Check
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.bundle import StatusPort, named
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.storage import Storage
from goldbeat.tb.design.ports.stream import StreamPort, silent
from goldbeat.tb.design.traffic import Rng, registers_case, stream_cases
from goldbeat.tb.designs.tpu.damage import DAMAGES, Damage, DamageTarget
from goldbeat.tb.designs.tpu.head_cases import heads_case
from goldbeat.tb.designs.tpu.model_case import model_case
from goldbeat.tb.designs.tpu.model_report import model_answer
from goldbeat.tb.designs.tpu.programs import (
    END,
    NOP,
    NUMBERS,
    SEND,
    WAIT,
    Command,
    CommandGroup,
    Program,
    kinds,
    random_program,
)
from goldbeat.tb.designs.tpu.scene import (
    BY_ID,
    BY_KIND,
    FrontEndScene,
    SceneShape,
    at_rest,
    end_reads,
    front_end_stimulus,
)
from goldbeat.tb.designs.tpu.timeline import tpu_timeline
from goldbeat.tb.obligations.obligation import high_bits
from goldbeat.tb.paths import HDL

MESSAGES = 512
"""NMSG unless given: all that 9 bits can name."""

_PATTERNS = {"ready": "none"}
_A_WHILE, _PER_COMMAND = 8, 20
_LATE = (120, 500, 600, 1400)
"""Commands of the groups whose damage is at their end."""
"""Cycles after which a write has had its effects."""
_SHORTEST = 2
"""The longest of the time-outs that the quick cases go through."""


def _dressed(stimulus: Stimulus, setting: CaseContext) -> Stimulus:
    """Patterns on the dispatch ports as the options say."""
    return replace(stimulus, ready={name: setting.pattern("ready", salt) for salt, name in enumerate(setting.outputs)})


# -- random programs -------------------------------------------------------------------------------------------------


def _random_timing(rng: Rng) -> MemoryTiming:
    """A memory, fast or slow; nothing in it depends on the cycle alone (docs/tpu-engine.md, Under the bench)."""
    gaps = ("none", "none", "random:0.2", "random:0.5", "bursty:8")[int(rng.integers(5))]
    return MemoryTiming(
        read_latency=int(rng.choice([1, 2, 8, 20, 60])),
        read_jitter=int(rng.choice([0, 0, 3, 30])),
        max_reads=int(rng.choice([1, 2, 3, 16, 16])),
        r_gaps=Pattern.parse(gaps, seed=int(rng.integers(1 << 31))),
        seed=int(rng.integers(1 << 31)),
    )


def _random_durations(rng: Rng, program: Program, longest: int) -> tuple[int, dict[int, dict[int, int]]]:
    """A table by kind or by id, other numbers for TIU and DMAs."""
    engines = len(program[0][0].streams)
    mode = int(rng.choice([BY_KIND, BY_ID]))
    used: dict[bool, set[int]] = {False: set(), True: set()}
    for groups in program:
        for group in groups:
            for engine, commands in enumerate(group.streams):
                for number, command in enumerate(commands, 1):
                    used[engine > 0].add(command.kind.code if mode == BY_KIND else number % TABLE)
    tables = {dma: {i: int(rng.integers(0, longest + 1)) for i in sorted(some)} for dma, some in used.items()}
    return mode, {n: tables[n % engines > 0] for n in range(len(program) * engines)}


def random_scene(setting: CaseContext, rng: Rng, commands: int) -> FrontEndScene:
    """A legal program, memories and durations, all from the generator."""
    shape = SceneShape.of(setting.params)
    program = random_program(
        rng,
        shape.chip,
        shape.cores,
        shape.engines,
        shape.messages,
        commands,
        short=float(rng.choice([0.0, 0.3, 0.9])),
        barriers=float(rng.choice([0.0, 0.05, 0.2])),
    )
    scene = FrontEndScene(program, tuple(_random_timing(rng) for _ in range(shape.number)))
    draw = rng.random()
    if draw < 0.25:
        scene.duration = int(rng.integers(0, 12))
    elif draw < 0.75:
        scene.table = _random_durations(rng, program, int(rng.choice([3, 40])))
    scene.mask = int(rng.integers(1 << shape.cores))
    return scene


def _traffic(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
    return front_end_stimulus(random_scene(setting, rng, beats), setting, rng)


# -- cases -----------------------------------------------------------------------------------------------------------


def _rate(setting: CaseContext) -> list[Stimulus]:
    """Streams of the shortest and of the longest commands, as fast as they come."""
    shape = SceneShape.of(setting.params)
    rng = np.random.default_rng([setting.seed, 10])
    count, latency = int(setting.options["commands"]), int(setting.options["latency"])
    episodes = []
    for length in (1, None):
        group = CommandGroup([])
        for engine in range(shape.engines):
            some = [k for k in kinds(shape.chip, engine > 0) if length is None or k.beats == length]
            commands = [Command(some[int(i)]) for i in rng.integers(len(some), size=count)]
            group.streams.append([*commands, Command(END[engine > 0])])
        program = [[group] for _ in range(shape.cores)]
        scene = FrontEndScene(program, [MemoryTiming(read_latency=latency)])
        episodes.append(_dressed(front_end_stimulus(scene, setting, rng), setting))
    return episodes


def _sync_all(setting: CaseContext) -> list[Stimulus]:
    """Everybody meets everybody, again and again, with work in between: what the vendor's library does on several cores."""
    shape = SceneShape.of(setting.params)
    rng = np.random.default_rng([setting.seed, 11])
    meetings = int(setting.options["meetings"])
    program: Program = []
    for _ in range(shape.cores):
        group = CommandGroup([])
        for engine in range(shape.engines):
            dma = engine > 0
            some = kinds(shape.chip, dma)
            commands: list[Command] = []
            for meeting in range(meetings):
                work = rng.integers(len(some), size=int(rng.integers(4)))
                commands += [Command(some[int(i)]) for i in work]
                commands.append(Command(SEND[dma], 0, meeting % 2, shape.number))
                commands.append(Command(WAIT[dma], 0, meeting % 2, shape.number))
            group.streams.append([*commands, Command(END[dma])])
        program.append([group])
    scene = FrontEndScene(
        program, [_random_timing(rng) for _ in range(shape.number)], duration=int(setting.options["duration"])
    )
    scene.mask = (1 << shape.cores) - 1
    return [_dressed(front_end_stimulus(scene, setting, rng), setting)]


def _groups(setting: CaseContext) -> list[Stimulus]:
    """Hand-overs: groups of all sizes, engines without work, blocks of noise behind END."""
    shape = SceneShape.of(setting.params)
    rng = np.random.default_rng([setting.seed, 12])
    program: Program = []
    for _ in range(shape.cores):
        groups = []
        for _ in range(int(rng.integers(2, 5))):
            one = random_program(
                rng, shape.chip, 1, shape.engines, shape.messages, int(rng.integers(1, 40)), barriers=0
            )
            group = one[0][0]
            group.leftover = int(rng.integers(0, 2 * shape.depth))
            idle = int(rng.integers(4 * shape.engines))
            if idle < shape.engines:
                group.streams[idle] = []
                group.streams = [[replace(c, dep=0) for c in commands] for commands in group.streams]
            groups.append(group)
        program.append(groups)
    scene = FrontEndScene(program, [_random_timing(rng) for _ in range(shape.number)], duration=int(rng.integers(1, 6)))
    scene.mask = (1 << shape.cores) - 1
    # Interrupts stay until they are cleared by a one in their own register.
    stay = (
        Access("write", reg.IRQ_MASK, scene.mask),
        Access("write", reg.IRQ_STATUS, 0),
        Access("read", reg.IRQ_STATUS),
    )
    # So does what CLEAR takes away, if CTRL is written without it.
    nothing = (Access("write", reg.CTRL, 0), *end_reads(setting.params))
    clear = (Access("write", reg.CTRL, reg.CTRL_CLEAR), Access("read", reg.CTRL), Access("read", reg.IRQ_STATUS))
    cleared = (Access("write", reg.IRQ_STATUS, scene.mask), Access("read", reg.IRQ_STATUS))
    scene.extra = (*stay, *nothing, *clear, *cleared, *end_reads(setting.params))
    waited = _timed_out(setting, _SHORTEST) if shape.cores > 1 else []
    if shape.chip != BM1684X:
        waited.append(_granted(setting, rng))
    return [at_rest(_dressed(front_end_stimulus(scene, setting, rng), setting)), *waited]


def _durations(setting: CaseContext) -> list[Stimulus]:
    """Commands that take as many cycles as 16 bits can say, and ones that take none, behind each other."""
    shape = SceneShape.of(setting.params)
    rng = np.random.default_rng([setting.seed, 16])
    program: Program = []
    for _ in range(shape.cores):
        some = [kinds(shape.chip, engine > 0)[0] for engine in range(shape.engines)]
        program.append([CommandGroup([[Command(one), Command(END[n > 0])] for n, one in enumerate(some)])])
    longest = int(setting.options["longest"])
    scene = FrontEndScene(program, duration=longest)
    scene.first = tuple(Access("write", reg.DURATION, value) for value in (longest, 0))
    return [at_rest(_dressed(front_end_stimulus(scene, setting, rng), setting))]


def damaged(setting: CaseContext, damage: Damage, commands: int = 40, timeout: int = 200) -> Stimulus:
    """An episode with one kind of damage in it.

    Args:
        setting: of the run.
        damage: its kind.
        commands: of the group with the damage.
        timeout: quiet edges before a deadlock is one.
    """
    shape = SceneShape.of(setting.params)
    rng = np.random.default_rng([setting.seed, 13, DAMAGES.index(damage)])
    program = random_program(
        rng, shape.chip, shape.cores, shape.engines, shape.messages, 30 * shape.cores, barriers=0.03, groups=2
    )
    # Damage is in a group of its own, behind everything else.
    last = random_program(rng, shape.chip, 1, shape.engines, shape.messages, commands, barriers=0, groups=1)
    program[-1] += last[0]
    damage.apply(DamageTarget(rng, shape.chip, shape.messages, program))
    scene = FrontEndScene(program, [_random_timing(rng) for _ in range(shape.number)], int(rng.integers(1, 4)))
    scene.timeout, scene.mask, scene.damaged = timeout, 1 << 31, True
    # Interrupts of cores are cleared, that of the error stays; then that one too.
    some = (Access("write", reg.IRQ_STATUS, (1 << 31) - 1), Access("read", reg.IRQ_STATUS))
    # What is pushed into a core that has nothing to do any more stays in its queue.
    push = (Access("write", reg.PUSH, 0), *end_reads(setting.params)) if shape.cores > 1 else ()
    clear = (Access("write", reg.CTRL, reg.CTRL_START | reg.CTRL_CLEAR), Access("write", reg.IRQ_STATUS, (1 << 32) - 1))
    scene.extra = (*some, *push, *clear, *end_reads(setting.params))
    # Slow memories take longer for long streams.
    return at_rest(_dressed(front_end_stimulus(scene, setting, rng), setting), timeout + _PER_COMMAND * commands)


def damages_of(chip: int, messages: int = MESSAGES) -> list[Damage]:
    """The kinds of damage that make sense on a chip, for hardware with so many messages."""
    return [d for d in DAMAGES if chip in d.chips and not (d.beyond and messages >= NUMBERS[chip])]


def _damage(setting: CaseContext) -> list[Stimulus]:
    """Every kind of damage ends in its error."""
    shape = SceneShape.of(setting.params)
    some = damages_of(shape.chip, shape.messages)
    late = next(d for d in some if d.name == "NOP in place of END, TIU")
    hung = next(d for d in some if d.name == "ENDs wait for each other")
    return [
        *(damaged(setting, d) for d in some),
        *(damaged(setting, late, commands) for commands in _LATE),
        damaged(setting, hung, timeout=int(setting.options["longest"])),
    ]


def _refused(setting: CaseContext) -> list[Stimulus]:
    """A stream without the right to read it, one that is nowhere, and ones of which only the beginning is there."""
    whole = next(d for d in DAMAGES if d.name == "count one too great")
    episodes = []
    for n, blocks in enumerate((None, 0, 1, 2)):
        stimulus = damaged(replace(setting, seed=setting.seed + n), whole)
        port = f"m_axi_{SceneShape.of(setting.params).number - 1}"
        image = stimulus.memories[port]
        *others, region = image.regions
        if blocks is None:
            others.append(replace(region, readable=False))
        elif blocks:
            others.append(replace(region, data=region.data[: blocks * BLOCK].copy()))
        memories = {**stimulus.memories, port: replace(image, regions=tuple(others), refusals=True)}
        episodes.append(replace(stimulus, memories=memories))
    return episodes


def _timed_out(setting: CaseContext, longest: int) -> list[Stimulus]:
    """Everybody waits for the second group of the last core: only at the edge of its hand-over nobody works.

    So TIMEOUT 1 ends in a deadlock there, and TIMEOUT 2 just escapes, however long the waiting lasts.
    """
    shape = SceneShape.of(setting.params)
    rng = np.random.default_rng([setting.seed, 15])
    episodes = []
    for timeout in range(1, longest + 1):
        program: Program = []
        for core in range(shape.cores):
            waits = core < shape.cores - 1
            first, second = CommandGroup([]), CommandGroup([])
            for engine in range(shape.engines):
                dma = engine > 0
                some = kinds(shape.chip, dma)
                work = [Command(some[int(i)]) for i in rng.integers(len(some), size=2 if waits else 20)]
                # A message for each kind of engine: one SEND, and a WAIT in each of the other cores.
                meet = (WAIT if waits else SEND)[dma]
                sync = [Command(meet, 0, engine, 1 if waits else shape.cores - 1)]
                first.streams.append([*work, *(sync if waits else ()), Command(END[dma])])
                second.streams.append([*([] if waits else sync), Command(END[dma])])
            program.append([first, second])
        scene = FrontEndScene(program, duration=int(rng.integers(8, 40)))
        scene.timeout, scene.mask = timeout, 1 << 31
        episodes.append(at_rest(_dressed(front_end_stimulus(scene, setting, rng), setting)))
    return episodes


def _granted(setting: CaseContext, rng: Rng) -> Stimulus:
    """A WAIT is granted at an edge at which the other engine waits for it: TIMEOUT 1 sees no deadlock there."""
    shape = SceneShape.of(setting.params)
    tiu = [Command(SEND[False], 0, 0, 1), Command(NOP[False], 1), Command(END[False])]
    dma = [Command(WAIT[True], 0, 0, 1), Command(END[True])]
    group = CommandGroup([tiu, dma, *([] for _ in range(shape.engines - 2))])
    scene = FrontEndScene([[group], *([] for _ in range(shape.cores - 1))], duration=int(rng.integers(4, 9)))
    scene.timeout = 1
    return at_rest(_dressed(front_end_stimulus(scene, setting, rng), setting))


def _timeouts(setting: CaseContext) -> list[Stimulus]:
    return _timed_out(setting, int(setting.options["longest"]))


def _registers(setting: CaseContext) -> list[Stimulus]:
    """The whole map: reset values, fields, holes, strobes, and accesses that must answer with an error."""
    shape = SceneShape.of(setting.params)
    rng = np.random.default_rng([setting.seed, 14])
    plain = [reg.ID, reg.CONFIG, reg.IRQ_STATUS, reg.IRQ_MASK, reg.ERROR, reg.ERROR_ID]
    plain += [reg.TIMEOUT, reg.DUR_MODE, reg.DURATION, reg.DUR_ENGINES, reg.DUR_INDEX, reg.DUR_DATA]
    engines = [
        reg.ENGINE + reg.ENGINE_STRIDE * n + o for n in range(shape.number) for o in range(0, reg.ENGINE_STRIDE, 4)
    ]
    cores = [reg.PUSH + 4 * c for c in range(8)]
    # With many messages: the first ones, both sides of each address bit, and the last ones.
    edges = {1 << bit for bit in range(10)} | {(1 << bit) - 1 for bit in range(10)}
    chosen = [m for m in range(shape.messages) if m < 16 or m in edges or m >= shape.messages - 2]
    messages = [reg.MESSAGE + 4 * m for m in chosen]
    holes = [0x0034, 0x00FC, 0x0120, 0x01FC, 0x0A00, 0x0FFC, 0x1800, 0xFFFC, reg.MESSAGE + 4 * shape.messages]
    holes.append(reg.ENGINE + reg.ENGINE_STRIDE * shape.number)
    # What is a register without the upper bits of its address.
    holes += [reg.TIMEOUT | 1 << bit for bit in (13, 14, 15)]
    known = [*plain, reg.CTRL, *engines, *cores, *messages, *holes]
    accesses = [Access("read", a) for a in known]
    for address in rng.permutation([a for a in known if a != reg.CTRL] * 2).tolist():
        strobe = int(rng.choice([0xF, 0xF, 0xF, 0xF, 0x1, 0x3, 0xC]))
        small = rng.random() < 0.3
        accesses.append(Access("write", address, int(rng.integers(3 if small else 1 << 32)), strobe))
        accesses.append(Access("read", address))
    accesses += [
        Access("write", reg.CTRL, value, strobe) for value, strobe in ((1, 0x7), (0, 0xF), (reg.CTRL_CLEAR, 0xF))
    ]
    accesses += [Access("read", a) for a in known]
    empty = front_end_stimulus(FrontEndScene([[] for _ in range(shape.cores)]), setting, rng)
    bare = replace(empty, inputs={}, memories={}, after={})
    return [replace(bare, program={"s_axil": some}) for some in (tuple(accesses), tuple(_held_up(setting, rng)))]


def _held_up(setting: CaseContext, rng: Rng) -> Iterator[Access]:
    """CTRL starts the last core, whose memories never answer: it cannot be cleared any more."""
    shape = SceneShape.of(setting.params)
    core = shape.cores - 1
    idle = int(rng.integers(shape.engines))
    for engine in range(shape.engines):
        at = reg.ENGINE + reg.ENGINE_STRIDE * (core * shape.engines + engine)
        yield Access("write", at + reg.ENGINE_SIZE, int(rng.integers(1, 9)))
        yield Access("write", at + reg.ENGINE_COUNT, 0 if engine == idle else int(rng.integers(1, 9)))
    # One more than a queue holds.
    yield from (Access("write", reg.PUSH + 4 * core, 0) for _ in range(GROUPS + 1))
    for value in (0, reg.CTRL_START, reg.CTRL_CLEAR, reg.CTRL_START | reg.CTRL_CLEAR):
        yield Access("write", reg.CTRL, value)
        yield Access("wait", cycles=_A_WHILE)
        yield from end_reads(setting.params)


def zero_behind(setting: CaseContext, stimulus: Stimulus, record: Any) -> Check:
    """Bytes behind the end of a command are 0; nothing else looks at bytes without TKEEP."""
    traces = {name: t for name, t in record.outcome.ports.items() if name.startswith("m_axis_")}
    failures = [
        f"{name}: command {int(at[0])} has bytes behind its end that are not 0"
        for name, trace in traces.items()
        if len(at := np.flatnonzero((trace.data * ~trace.keep).any(axis=1)))
    ]
    return Check(tuple(failures))


_NUMBER = "CORES*ENGINES"
_READ_CHANNELS = (
    *("araddr", "arlen", "arsize", "arburst", "arvalid", "arready"),
    *("rdata", "rresp", "rlast", "rvalid", "rready"),
)

_CASES: tuple[Case, ...] = (
    Case(
        name="rate",
        summary="streams of short commands and of all commands, as fast as memory gives them",
        make=_rate,
        options={"commands": 200, "latency": 20, **_PATTERNS},
    ),
    Case(
        name="sync_all",
        slow=True,
        summary="all engines of all cores meet at barriers",
        make=_sync_all,
        options={"meetings": 8, "duration": 3, **_PATTERNS},
        params={"CORES": 2},
    ),
    Case(
        name="durations",
        summary="commands that take very long",
        make=_durations,
        options={"longest": 0xFFFF, **_PATTERNS},
    ),
    Case(
        name="groups",
        summary="hand-overs between groups, engines without work, noise behind END, waits across a hand-over",
        make=_groups,
        options=_PATTERNS,
    ),
    Case(
        name="damage",
        summary="every kind of damage ends in its error",
        make=_damage,
        options={"ready": "random:0.5", "longest": 0xFFFF},
    ),
    Case(name="refused", summary="memories that refuse", make=_refused, options=_PATTERNS),
    Case(
        name="timeouts",
        slow=True,
        summary="deadlock time-outs of few edges, which programs just reach or just escape",
        make=_timeouts,
        options={"longest": 4, **_PATTERNS},
        params={"CORES": 2},
    ),
    heads_case(_PATTERNS),
    *stream_cases(_traffic, pauses=True),
    model_case(_PATTERNS),
    registers_case(_registers),
)

DESIGN = Design(
    name="tpu",
    summary="TPU command front end: fetch, assembly, dependencies, barriers and dispatch for 1 to 8 cores",
    top="tpu_front",
    files=("tpu/tpu.f",),
    root=HDL,
    parameters={
        "CHIP": Parameter(default=BM1690),
        "CORES": Parameter(default=1),
        "ENGINES": Parameter(default=2),
        "DEPTH": Parameter(default=8),
        "NMSG": Parameter(default=MESSAGES),
    },
    streams=(
        StreamPort(name="start", direction="in", width=8, from_file=False, signals=silent("start")),
        StreamPort(name="m_axis", direction="out", width=8 * BLOCK, tuser=34, lanes=_NUMBER),
        StreamPort(name="evt", direction="out", width=32, lanes=_NUMBER, signals=silent("evt")),
    ),
    registers=(
        LitePort(
            name="s_axil",
            address_width=reg.ADDRESS_BITS,
            storage=(
                Storage(base=reg.IRQ_MASK, words=1, strobes=False),
                Storage(base=reg.TIMEOUT, words=3, strobes=False),
            ),
        ),
    ),
    memories=(
        MemoryPort(
            name="m_axi",
            direction="out",
            data_width=128,
            address_width=40,
            lanes=_NUMBER,
            signals=named("m_axi", *_READ_CHANNELS),
        ),
    ),
    status=(StatusPort(name="irq", width=1),),
    model=predict,
    answer=model_answer,
    timeline=tpu_timeline,
    slow_parameters=("DEPTH",),
    variants=(
        {},
        {"CHIP": BM1684X, "DEPTH": 32, "NMSG": 2},
        {"CHIP": BM1688, "CORES": 2, "DEPTH": 32, "NMSG": 128},
        {"CHIP": BM1690, "CORES": 2, "ENGINES": 3, "DEPTH": 16},
        {"CHIP": BM1690E, "CORES": 2, "ENGINES": 3, "DEPTH": 16},
        {"CHIP": CV184X, "DEPTH": 16, "NMSG": 128},
        {"CHIP": SG2380, "CORES": 2, "DEPTH": 16},
        {"CORES": 3, "DEPTH": 2, "NMSG": 4},
    ),
    obligations={
        **high_bits(
            "a stream of this bench has less than 1024 commands, and as many ids",
            ("tpu_assemble.sv", "count_q", 10, 15),
            ("tpu_assemble.sv", "other_q", 10, 15),
            ("tpu_assemble.sv", "id_q", 10, 15),
            ("tpu_assemble.sv", "id", 10, 15),
            ("tpu_dispatch.sv", "other_current", 10, 15),
            ("tpu_engine.sv", "other_current", 10, 15),
            ("tpu_engine.sv", "current", 10, 15),
            ("tpu_engine.sv", "head_id", 10, 15),
            ("tpu_regs.sv", "current_r", 10, 15),
            ("tpu_stub.sv", "current", 10, 15),
            ("tpu_stub.sv", "current_q", 10, 15),
            ("tpu_stub.sv", "evt_id_q", 10, 15),
            ("tpu_errors.sv", "id*", 10, 15),
            ("tpu_*.sv", "error_id", 10, 15),
            ("tpu_fetch.sv", "left_q", 9, 15),
            ("tpu_regs.sv", "size_r", 14, 15),
        ),
        **high_bits("one core with two engines sends a message twice at most", ("tpu_*.sv", "sent", 2, 15)),
        **high_bits(
            "durations are written once a run, and a case has very long ones",
            ("tpu_stub.sv", "fixed_q", 4, 15),
            ("tpu_stub.sv", "lasts", 4, 15),
        ),
        **high_bits(
            "registers are whole words, and SLVERR is the only error",
            ("axil_regs.sv", "a?addr_q", 0, 1),
            ("*_regs.sv", "read_addr", 0, 1),
            ("axil_regs.sv", "?resp_q", 0, 0),
        ),
        **high_bits("no command of the DMA has an eighth function", ("tpu_head.sv", "gen_dma.long_mask", 7, 7)),
        "values tpu_assemble.sv:*: (head_id != id*": "only the heads of BM1684X have ids",
        "values tpu_head.sv:*: (typ != 4'h7) is true": "only the heads of BM1684X have ids",
        "handshake start_tvalid: *": "a run has one trigger",
    },
    cases=tuple(one if one.check else one.model_copy(update={"check": zero_behind}) for one in _CASES),
)
