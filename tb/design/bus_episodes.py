# SPDX-License-Identifier: Apache-2.0
"""Episodes of the bus models: at random, with every ready held back, long runs with stalls, slow ones, and cut off by a reset."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from goldbeat.pymodels.axi.memory import MasterTiming, MemoryTiming
from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.axi.rough import rough
from goldbeat.pymodels.axi.storage_traffic import (
    BurstShape,
    Window,
    crowded_bursts,
    even_bursts,
    near_bursts,
    queued_bursts,
    single_bursts,
    storage_bursts,
)
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.pymodels.register_walk import protected
from goldbeat.pymodels.stimulus import ANY_RESPONSE, Access, Stimulus
from goldbeat.tb.design.address_map import AddressStretch
from goldbeat.tb.design.address_places import LINE_WORDS, AddressPlace, address_blocks, address_lines, address_places
from goldbeat.tb.design.bus_ports import BusPorts, data_bytes
from goldbeat.tb.design.bus_scene import FEW_ERRORS, BusScene, Rng
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.clocks import draw_clocks
from goldbeat.tb.design.deep_traffic import (
    FILLED,
    MOST_BETWEEN,
    SOON,
    ahead_master,
    closed_memory,
    eager_master,
    flowing_registers,
    halting_memory,
    pause_cycles,
    slow_memory,
    slow_registers,
    stalled_master,
    stalled_memory,
    stalled_registers,
    steady_memory,
)
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.design.register_accesses import (
    AccessWalk,
    crowded_accesses,
    near_accesses,
    queued_accesses,
    single_accesses,
    storage_accesses,
)
from goldbeat.tb.design.register_walks import traffics
from goldbeat.tb.design.traffic import CUT_OFF, rough_timing, stop_after, withheld

T = TypeVar("T")

_SOME_PLACES = 1 / 4
"""Of the words that tell addresses apart, in episodes that are not plain."""
_LATEST_CUT = 160
"""Cycles from the end of a reset to the one that cuts an episode off, at most."""
_FIRST_CUT, _CUT_CYCLES, _CUT_BEATS = 2, 24, 8
"""Cycle of the first reset of those in one cycle after the other, how many there are, and beats of the bursts that they meet."""
_FEW_ACCESSES, _SOME_ACCESSES = 60, 16
_KEPT = 64
"""Words at either end of a stretch that are looked at after a reset."""
KEEPING = "what a reset leaves, part"
"""How the labels of the episodes begin that look."""
CROWDED = "all masters read and write without a pause"
"""The label of the episode in which they do."""
_CROWDED, _MOST_WAYS = 256, 4
"""Accesses of each of its phases, and ways out of which each is crowded by itself."""
_FILLED = 300
"""Its reads, and its writes."""
_NEAR = 24
"""Accesses to each pair of lines."""
_AHEAD, _LATE, _LATE_CYCLES = 400, 1 / 32, 96
"""Bursts of the episode with data ahead of addresses, the share of addresses that come late, and by how many cycles."""
_FLOWING, _BETWEEN_REQUESTS = 300, 4
"""Accesses of an episode of requests with small gaps, and cycles of these at most."""
_PAUSES = 1 / 8
"""Accesses of episodes in which everything takes long or a reset comes, and the share of them with a pause before."""


def bus_episode(ports: BusPorts, setting: CaseContext, rng: Rng, *, plain: bool, places: bool = True) -> Stimulus:
    """An episode of all slaves at once.

    Args:
        ports: the module's.
        setting: options and clocks.
        rng: randomness.
        plain: as fast as it goes; else order, distances, back-pressure and latencies are drawn.
        places: words all over the addresses are tried, in episodes that are not plain some of them.
    """
    most = int(setting.options["bytes"])

    def single(used: BusPorts, numbers: tuple[int, ...]) -> list[AddressPlace]:
        found = address_places(used, most, rng, numbers) if places else []
        return found if plain else [place for place in found if rng.random() < _SOME_PLACES]

    scene = BusScene.draw(ports, setting, rng, single, lambda: _timing(rng, setting, plain=plain))
    count = int(setting.options["accesses"])

    def outside(port: Bundle) -> list[tuple[int, int]]:
        return _outside(ports, port) if ports.closed and setting.options["unmapped"] else []

    def bursts(port: MemoryPort, windows: list[Window], shape: BurstShape) -> BurstProgram:
        made = storage_bursts(rng, windows, shape, count, outside=outside(port))
        return made if plain else _roughly(made, int(rng.integers(1 << 30)))

    def accesses(walk: AccessWalk, windows: list[Window]) -> tuple[Access, ...]:
        return storage_accesses(walk, windows, count, [address for address, _ in outside(walk.port)])

    def traffic() -> RegisterTraffic:
        drawn = traffics(rng)
        return RegisterTraffic() if plain else drawn[int(rng.integers(len(drawn)))]

    return _asked(ports, scene, bursts, accesses, traffic)


def _asked(
    ports: BusPorts,
    scene: BusScene,
    bursts_of: Callable[[MemoryPort, list[Window], BurstShape], BurstProgram | None],
    accesses_of: Callable[[AccessWalk, list[Window]], tuple[Access, ...]],
    traffic_of: Callable[[], RegisterTraffic],
) -> Stimulus:
    """What each slave with storage behind it is asked for; a slave for which there is nothing is left out."""
    bursts: dict[str, BurstProgram] = {}
    program: dict[str, tuple[Access, ...]] = {}
    traffic: dict[str, RegisterTraffic] = {}
    for port in ports.slaves:
        windows, varies = scene.windows(port), scene.attributes(port)
        if not windows:
            continue
        if isinstance(port, MemoryPort):
            made = bursts_of(port, windows, scene.shape(port, varies))
            if made is not None:
                bursts[port.name] = made
        elif isinstance(port, RegisterPort):
            accesses = accesses_of(scene.walk(port), windows)
            if accesses:
                program[port.name] = accesses if varies is None else protected(accesses, varies)
                traffic[port.name] = port.fitting(traffic_of())
    return scene.stimulus(program, traffic, bursts)


def _in_blocks(ports: BusPorts, setting: CaseContext, rng: Rng, timing: Callable[[], MemoryTiming]) -> BusScene:
    """A scene that uses small stretches from end to end."""
    most = int(setting.options["bytes"])
    return BusScene.draw(ports, setting, rng, lambda used, _: address_blocks(used, most), timing)


def cut_episode(ports: BusPorts, setting: CaseContext, number: int) -> Stimulus:
    """An episode that a reset ends with accesses under way: of odd numbers as many as the module takes, reads or writes open."""
    rng = np.random.default_rng([setting.seed, 26, number])
    made = bus_episode(ports, _few(ports, setting), rng, plain=number % 4 == 2, places=False)
    if number % 4 == 2:
        # Requests wait at the masters when the reset comes.
        made = replace(made, memories={n: replace(m, timing=closed_memory(rng)) for n, m in made.memories.items()})
    elif number % 2:
        away, held = pause_cycles(()), "rb"[number // 2 % 2]
        made = replace(
            made,
            # Answers come as far as the module, and wait there.
            memories={
                name: replace(image, timing=stalled_memory(away, rng, "")) for name, image in made.memories.items()
            },
            # Nothing is compared, so that nothing has to wait.
            bursts={
                name: replace(
                    one, bursts=replace(one.bursts, barrier=False, lock=0), timing=stalled_master(away, rng, held)
                )
                for name, one in made.bursts.items()
            },
            traffic=_everywhere(ports, lambda: stalled_registers(away, rng, held)),
        )
    made = replace(made, label=CUT_OFF, aside=True, cut=True)
    first = 2 * SOON if number % 4 == 2 else 6
    return stop_after(made, next(iter(made.clocks.values())), int(rng.integers(first, _LATEST_CUT)))


def few_accesses(ports: BusPorts, setting: CaseContext, number: int) -> Stimulus:
    """An episode of some accesses, as fast as it goes: what a reset has left shows in them."""
    rng = np.random.default_rng([setting.seed, 30, number])
    return replace(bus_episode(ports, _few(ports, setting, _SOME_ACCESSES), rng, plain=True, places=False), aside=True)


def cut_in_each_cycle(ports: BusPorts, setting: CaseContext) -> list[Stimulus]:
    """Resets in one cycle after the other of short bursts or accesses, each with an episode that shows what it has left.

    So a reset meets each state and each of the first beats that a counter knows. Of several slaves one is used behind each.
    """
    found = []
    deep = any(isinstance(port, MemoryPort) for port in ports.slaves)
    few = _few(ports, setting, 1)
    for number in range(max(_CUT_CYCLES if deep else _CUT_CYCLES // 2, len(ports.slaves))):
        rng = np.random.default_rng([setting.seed, 33, number])
        made = bus_episode(ports, few, rng, plain=True, places=False)
        scene = BusScene.draw(ports, few, rng, lambda *_: [], lambda: MemoryTiming(1, 0, 1))
        bursts = {
            port.name: even_bursts(rng, windows, scene.shape(port, None), _CUT_BEATS)
            for port in ports.slaves
            if isinstance(port, MemoryPort) and (windows := scene.windows(port))
        }
        made = replace(made, bursts={**made.bursts, **bursts}, label=CUT_OFF, aside=True, cut=True)
        found.append(stop_after(made, next(iter(made.clocks.values())), _FIRST_CUT + number))
        shown = replace(bus_episode(ports, few, rng, plain=True, places=False), aside=True)
        name = ports.slaves[number % len(ports.slaves)].name
        found.append(replace(shown, program=_only(shown.program, name), bursts=_only(shown.bursts, name)))
    return found


def _only(programs: Mapping[str, T], name: str) -> dict[str, T]:
    """The one of this slave."""
    return {name: programs[name]} if name in programs else {}


def _few(ports: BusPorts, setting: CaseContext, accesses: int = _FEW_ACCESSES) -> CaseContext:
    """The same with few accesses to few words."""
    few = {"accesses": accesses, "bytes": 8 * ports.word, "errors": False}
    return replace(setting, options={**setting.options, **few})


def _everywhere(ports: BusPorts, draw: Callable[[], RegisterTraffic]) -> dict[str, RegisterTraffic]:
    """Traffic of all slaves with registers."""
    return {port.name: port.fitting(draw()) for port in ports.slaves if isinstance(port, RegisterPort)}


def long_run(ports: BusPorts, setting: CaseContext, count: int, pause: int) -> Stimulus:
    """An episode of many accesses without a wait between them, whose answers are held back at times.

    Args:
        ports: the module's.
        setting: options and clocks.
        count: accesses of each slave, or a few more.
        pause: cycles without a request between runs.
    """
    rng = np.random.default_rng([setting.seed, 27, count])
    away = pause_cycles(setting.numbers())
    scene = _in_blocks(ports, setting, rng, lambda: stalled_memory(away, rng))
    made = _asked(
        ports,
        scene,
        lambda _, windows, shape: replace(
            queued_bursts(rng, windows, shape, count, pause), timing=stalled_master(away, rng)
        ),
        lambda walk, windows: queued_accesses(walk, windows, count, pause),
        lambda: stalled_registers(away, rng),
    )
    return replace(made, aside=True, label=f"runs of up to {count} accesses, stalls of {away} cycles")


def flowing_episode(ports: BusPorts, setting: CaseContext) -> Stimulus:
    """An episode in which requests come at about the rate of answers, so that one begins in the cycle in which another ends."""
    rng = np.random.default_rng([setting.seed, 29])
    made = bus_episode(ports, _few(ports, setting, _FLOWING), rng, plain=True, places=False)
    return replace(
        made,
        bursts={
            name: replace(
                one, bursts=replace(one.bursts, gap=rng.integers(_BETWEEN_REQUESTS + 1, size=len(one.bursts)))
            )
            for name, one in made.bursts.items()
        },
        traffic=_everywhere(ports, lambda: flowing_registers(_BETWEEN_REQUESTS, rng)),
        aside=True,
        label=f"requests {_BETWEEN_REQUESTS} cycles apart at most",
    )


def refused_episode(ports: BusPorts, setting: CaseContext) -> list[Stimulus]:
    """An episode of bursts as long as can be, of which most meet one error or none; none where nobody makes bursts or refuses."""
    if not setting.options["errors"]:
        return []
    rng = np.random.default_rng([setting.seed, 35])
    rare = replace(setting, options={**setting.options, "errors": FEW_ERRORS})
    scene = _in_blocks(ports, rare, rng, steady_memory)
    made = _asked(
        ports,
        scene,
        lambda _, windows, shape: queued_bursts(rng, windows, shape, 1, 0),
        lambda walk, windows: (),
        RegisterTraffic,
    )
    return [replace(made, aside=True, label="long bursts that meet few errors")] if made.bursts else []


def near_episode(ports: BusPorts, setting: CaseContext) -> list[Stimulus]:
    """An episode in which slaves go back and forth between lines of words that differ in one address bit; none without any."""
    rng = np.random.default_rng([setting.seed, 34])
    few = _few(ports, setting)
    most = int(few.options["bytes"])
    scene = BusScene.draw(ports, few, rng, lambda used, _: address_lines(used, most, rng), steady_memory)
    line = LINE_WORDS * ports.word

    def pairs(windows: Sequence[Window]) -> list[tuple[Window, Window]]:
        lines = [one for one in windows if len(one.data) == line and one.base % line == 0]
        alike = ((one, other) for at, one in enumerate(lines) for other in lines[at + 1 :])
        return [(one, other) for one, other in alike if (one.base ^ other.base).bit_count() == 1]

    made = _asked(
        ports,
        scene,
        lambda _, windows, shape: near_bursts(rng, pairs(windows), shape, _NEAR),
        lambda walk, windows: near_accesses(walk, pairs(windows), _NEAR),
        RegisterTraffic,
    )
    label = "back and forth between lines of words"
    return [replace(made, aside=True, label=label)] if made.bursts or made.program else []


def ahead_episode(ports: BusPorts, setting: CaseContext) -> list[Stimulus]:
    """An episode in which AXI4 masters send the data of many bursts before their addresses; none where nobody writes bursts."""
    rng = np.random.default_rng([setting.seed, 33])
    scene = _in_blocks(ports, setting, rng, steady_memory)

    def bursts(_: MemoryPort, windows: list[Window], shape: BurstShape) -> BurstProgram | None:
        if not shape.writes:
            return None
        made = queued_bursts(rng, windows, shape, _AHEAD, 0)
        late = np.where(rng.random(len(made.bursts)) < _LATE, _LATE_CYCLES, 0)
        return replace(made, bursts=replace(made.bursts, gap=late), timing=ahead_master())

    made = _asked(ports, scene, bursts, lambda walk, windows: (), RegisterTraffic)
    return [replace(made, aside=True, label="write data ahead of addresses")] if made.bursts else []


def crowded_episodes(ports: BusPorts, setting: CaseContext) -> list[Stimulus]:
    """Episodes in which all masters read and write without a pause, and nothing holds them up; none where none does both.

    Behind several ways out, further ones ask for what is behind one of them. Of each, there is one without any ready before its
    valid.
    """
    rng = np.random.default_rng([setting.seed, 32])
    found = _crowded(ports, setting, rng, _CROWDED, CROWDED)
    for few, master in _behind_each(ports) if len(ports.masters) > 1 else ():
        if len(few.slaves) > 1:
            found += _crowded(few, setting, rng, _CROWDED // 2, f"{CROWDED}, at {master.name}")
    return found


def _behind_each(ports: BusPorts) -> Iterator[tuple[BusPorts, Bundle]]:
    """The first masters, each with the slaves that reach what is behind it, and nothing else."""
    for master in ports.masters[:_MOST_WAYS]:
        behind = [one for one in ports.stretches if one.master == master.name]
        names = {name for one in behind for name in one.slaves}
        slaves = [port for port in ports.slaves if port.name in names]
        yield replace(ports, slaves=slaves, stretches=behind, closed=False), master


def _crowded(ports: BusPorts, setting: CaseContext, rng: Rng, count: int, label: str) -> list[Stimulus]:
    """Episodes with so many accesses in each phase."""
    scene = _in_blocks(ports, setting, rng, steady_memory)

    def bursts(_: MemoryPort, windows: list[Window], shape: BurstShape) -> BurstProgram | None:
        made = crowded_bursts(rng, windows, shape, count)
        return None if made is None else replace(made, timing=eager_master())

    made = _asked(
        ports,
        scene,
        bursts,
        lambda walk, windows: crowded_accesses(walk, windows, count),
        lambda: RegisterTraffic(outstanding=2 * count),
    )
    if not (made.bursts or made.program):
        return []
    late = withheld_memories(made, int(rng.integers(1 << 30)))
    return [replace(one, aside=True, label=label) for one in (made, *([late] if made.memories else []))]


def filled_episodes(ports: BusPorts, setting: CaseContext) -> list[Stimulus]:
    """Of the first masters an episode each in which what is behind it gives no answers for long, time and again.

    The design takes requests until it is full. All of them are alike, so each time it should take as many.
    """
    rng = np.random.default_rng([setting.seed, 36])
    found = []
    for few, _ in _behind_each(ports):
        made = _asked(
            few,
            _in_blocks(few, _few(few, setting), rng, lambda: halting_memory(rng)),
            lambda _, windows, shape: replace(
                single_bursts(rng, windows, shape, _FILLED, MOST_BETWEEN), timing=eager_master()
            ),
            lambda walk, windows: single_accesses(walk, windows, _FILLED),
            lambda: flowing_registers(MOST_BETWEEN, rng),
        )
        found += [replace(made, aside=True, label=FILLED)] if made.bursts or made.program else []
    return found


def slow_episode(ports: BusPorts, setting: CaseContext) -> Stimulus:
    """An episode of few accesses: each answer of a memory, and of masters some requests and data, take long."""
    rng = np.random.default_rng([setting.seed, 28])
    pause = pause_cycles(setting.numbers())
    made = bus_episode(ports, _few(ports, setting), rng, plain=True, places=False)
    return replace(
        made,
        memories={name: replace(image, timing=slow_memory(pause)) for name, image in made.memories.items()},
        bursts={name: _slowly(one, pause, rng) for name, one in made.bursts.items()},
        traffic=_everywhere(ports, lambda: slow_registers(pause, rng)),
        aside=True,
        label=f"pauses and answers of {pause} cycles",
    )


def kept_episodes(ports: BusPorts, setting: CaseContext) -> list[Stimulus]:
    """Registers and memories in the module are written, read after a reset, written inversely, and read after another one.

    What is read is not compared: nobody knows what the module resets. None where all storage is behind masters.
    """
    rng = np.random.default_rng([setting.seed, 31])
    steps: list[dict[str, tuple[Access, ...]]] = [{}, {}, {}]
    # Of several slaves that reach the same words, one says what a reset has left.
    taken: list[AddressStretch] = []
    for port in ports.slaves:
        if ports.masters or not (isinstance(port, RegisterPort) and port.readable and port.writable):
            continue
        size = data_bytes(port)
        own = [one for one in ports.stretches if port.name in one.slaves and one not in taken]
        words = [at for one in own for at in _ends(one, size)]
        taken += own
        if not words:
            continue
        reads = tuple(Access("read", at, response=ANY_RESPONSE) for at in words)
        lanes, ones = (1 << size) - 1, (1 << 8 * size) - 1
        values = [int.from_bytes(rng.bytes(size), "little") for _ in words]
        once, inverse = (
            tuple(
                Access("write", at, value ^ turn, lanes, response=ANY_RESPONSE)
                for at, value in zip(words, values, strict=True)
            )
            for turn in (0, ones)
        )
        for program, some in zip(steps, (once, (*reads, *inverse), reads), strict=True):
            program[port.name] = some
    clocks = draw_clocks(setting, rng)
    return [
        Stimulus({}, clocks=clocks, program=program, aside=True, registers=True, label=f"{KEEPING} {number}")
        for number, program in enumerate(steps)
        if program
    ]


def _ends(stretch: AddressStretch, size: int) -> list[int]:
    """The first and the last words of a stretch."""
    count = stretch.size // size
    numbers = (*range(min(_KEPT, count)), *range(max(_KEPT, count - _KEPT), count))
    return [stretch.base + number * size for number in numbers]


def _slowly(program: BurstProgram, pause: int, rng: Rng) -> BurstProgram:
    """The same with long pauses before some addresses and some write data."""
    gap = np.where(rng.random(len(program.bursts)) < _PAUSES, pause, 0)
    # Longer than an answer takes, so that data come long after their address.
    data = np.where(rng.random(program.bursts.beats) < _PAUSES, 3 * pause, 0)
    data[program.bursts.rows] = np.where(rng.random(len(program.bursts)) < 2 * _PAUSES, 3 * pause, 0)
    return replace(program, bursts=replace(program.bursts, gap=gap), write_gaps=data)


def _outside(ports: BusPorts, port: Bundle) -> list[tuple[int, int]]:
    """Addresses of a slave that lead nowhere, right behind its stretches and the last page, and for how many bytes they do."""
    space = 1 << port.address_bits
    mine = [s for s in ports.stretches if port.name in s.slaves]
    candidates = [*(s.base + s.size for s in mine), space - 4096]
    return [
        (address, min([space, *(s.base for s in ports.stretches if s.base > address)]) - address)
        for address in dict.fromkeys(candidates)
        if 0 <= address < space and not any(s.base <= address < s.base + s.size for s in ports.stretches)
    ]


def _timing(rng: Rng, setting: CaseContext, *, plain: bool) -> MemoryTiming:
    if plain:
        return MemoryTiming(1, 0, 1)
    return rough_timing(rng, interleaved=bool(setting.options["interleaved"]))


def _roughly(program: BurstProgram, seed: int) -> BurstProgram:
    made = rough(program.bursts, seed)
    return replace(program, bursts=made.bursts, write_gaps=made.write_gaps, timing=made.timing)


def withheld_memories(stimulus: Stimulus, seed: int) -> Stimulus:
    """The same with memories that raise no ready before its valid."""
    images = {name: withheld(image, seed + 3 * salt) for salt, (name, image) in enumerate(stimulus.memories.items())}
    return replace(stimulus, memories=images)


def withheld_episode(stimulus: Stimulus, seed: int) -> Stimulus:
    """The same with no ready before its valid: of memories, of masters, of register masters."""
    patterns = [Pattern.parse("after-valid:4", seed=seed + salt) for salt in range(2)]
    return replace(
        withheld_memories(stimulus, seed),
        bursts={
            name: replace(one, timing=MasterTiming(4, 4, patterns[0], patterns[1]))
            for name, one in stimulus.bursts.items()
        },
        traffic={
            name: replace(one, b_ready="after-valid:4", r_ready="after-valid:4", seed=seed)
            for name, one in stimulus.traffic.items()
        },
    )
