# SPDX-License-Identifier: Apache-2.0
"""Traffic for slaves on AXI4, AXI-Lite and APB, and memories behind masters: the cases of the ready-made bus models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.burst import EXOKAY, FIXED, INCR, READ, WRAP, WRITE
from goldbeat.pymodels.axi.memory import MasterTiming, MemoryImage, MemoryTiming, Region
from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.axi.rough import rough
from goldbeat.pymodels.axi.storage_traffic import BurstShape, Window, storage_bursts
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.pymodels.register_walk import protected
from goldbeat.pymodels.stimulus import ANY_RESPONSE, Access, Stimulus
from goldbeat.tb.design.address_map import AddressStretch, address_bits
from goldbeat.tb.design.address_places import AddressPlace, address_places
from goldbeat.tb.design.bus_ports import BusPorts, data_bytes
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.clocks import draw_clocks
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.design.register_walks import traffics
from goldbeat.tb.design.traffic import rough_timing, withheld

Rng = np.random.Generator

OPTIONS = {
    "accesses": 150,
    "bytes": 2048,
    "kinds": "incr,wrap,fixed",
    "narrow": True,
    "exclusive": False,
    "interleaved": True,
    "unmapped": True,
    "errors": True,
    "attributes": True,
}
"""Options of the cases: accesses between the first writes and the last reads; most bytes of the parts at the ends of the
addresses; kinds of bursts; beats narrower than the bus; exclusive pairs, which must then be answered EXOKAY; memories
interleave read data of different IDs; accesses to where the address map has nothing, which must be answered with an error;
memories refuse some accesses; AxCACHE, AxPROT and the like vary."""

_LOAD = {
    "kinds": "incr",
    "narrow": False,
    "exclusive": False,
    "unmapped": False,
    "interleaved": False,
    "errors": False,
    "attributes": False,
}
"""What ``load`` sets: every beat moves a whole word."""
_LOAD_OPTIONS = {"accesses": 150, "bytes": 1 << 14}

_KINDS = {"incr": INCR, "wrap": WRAP, "fixed": FIXED}
_ROUGH_EPISODES = 4
_SOME_BYTES = 1 << 16
_SOME_PLACES = 1 / 4
"""Of the words that tell addresses apart, in episodes that are not plain."""
_REFUSED_PLACES = 1 / 16
"""Of these words, those that may refuse accesses."""


RAM_OPTIONS = {**OPTIONS, "base": 0}
"""Those of the case ``ram`` of an AXI4 slave; ``bytes`` from ``base`` on are taken to be a memory."""

Look = Callable[[CaseContext], BusPorts]


def bus_cases(look: Look, options: Mapping[str, int | str | bool]) -> tuple[Case, ...]:
    """``random``, ``sweep`` and ``load`` of a module that is reached through buses.

    Args:
        look: gives the ports of a setting.
        options: defaults that differ from :data:`OPTIONS`.
    """

    def random(setting: CaseContext) -> list[Stimulus]:
        rng = np.random.default_rng([setting.seed, 21])
        return [bus_episode(look(setting), setting, rng, plain=False)]

    def sweep(setting: CaseContext) -> list[Stimulus]:
        rng = np.random.default_rng([setting.seed, 22])
        ports = look(setting)
        plain = bus_episode(ports, setting, rng, plain=True)
        held = _held_back(bus_episode(ports, setting, rng, plain=True), int(rng.integers(1 << 30)))
        others = [
            bus_episode(ports, replace(setting, relation=number), setting_rng, plain=False)
            for number, setting_rng in enumerate([rng] * _ROUGH_EPISODES)
        ]
        return [plain, held, *others]

    def load(setting: CaseContext) -> list[Stimulus]:
        busy = replace(setting, options={**setting.options, **_LOAD})
        return [bus_episode(look(setting), busy, np.random.default_rng([setting.seed, 24]), plain=True)]

    return (
        Case(
            name="random",
            summary="random bursts and accesses on every slave, memories behind every master, timing from the seed",
            make=random,
            options={**OPTIONS, **options},
            inputs=False,
        ),
        Case(
            name="sweep",
            summary="the same, as fast as it goes, with every ready held back until its valid, and roughly",
            make=sweep,
            options={**OPTIONS, **options},
            inputs=False,
        ),
        Case(
            name="load",
            summary="INCR bursts of whole words, as fast as it goes: what limits of throughput are held against",
            make=load,
            options={name: options.get(name, value) for name, value in _LOAD_OPTIONS.items()},
            inputs=False,
        ),
    )


def bus_episode(ports: BusPorts, setting: CaseContext, rng: Rng, *, plain: bool) -> Stimulus:
    """An episode of all slaves at once.

    Args:
        ports: the module's.
        setting: options and clocks.
        rng: randomness.
        plain: as fast as it goes; else order, distances, back-pressure and latencies are drawn.
    """
    clocks = draw_clocks(setting, rng)
    places = address_places(ports, int(setting.options["bytes"]), rng, tuple(setting.numbers()))
    if not plain:
        places = [place for place in places if rng.random() < _SOME_PLACES]
    images = {
        port.name: MemoryImage(_regions(ports, port, setting, places, rng), _timing(rng, setting, plain=plain))
        for port in ports.masters
    }
    bursts: dict[str, BurstProgram] = {}
    program: dict[str, tuple[Access, ...]] = {}
    traffic: dict[str, RegisterTraffic] = {}
    for port in ports.slaves:
        windows = _windows(ports, port, setting, places, images)
        varies = ports.draw(port, int(rng.integers(1 << 31))) if setting.options["attributes"] else None
        outside = _outside(ports, port) if ports.closed and setting.options["unmapped"] else []
        if isinstance(port, MemoryPort):
            compared = (ports.answers(port, READ), ports.answers(port, WRITE))
            shape = replace(burst_shape(port, setting), attributes=varies, answers=compared)
            made = storage_bursts(rng, windows, shape, int(setting.options["accesses"]), outside=outside)
            bursts[port.name] = made if plain else _roughly(made, int(rng.integers(1 << 30)))
        elif isinstance(port, RegisterPort):
            walk = _Walk(rng, port, (ports.answers(port, READ), ports.answers(port, WRITE)))
            made_of = _accesses(walk, windows, int(setting.options["accesses"]), outside)
            program[port.name] = made_of if varies is None else protected(made_of, varies)
            drawn = traffics(rng)
            traffic[port.name] = port.fitting(RegisterTraffic() if plain else drawn[int(rng.integers(len(drawn)))])
    return Stimulus({}, clocks=clocks, program=program, traffic=traffic, bursts=bursts, memories=images, together=True)


def ram_episodes(port: MemoryPort, setting: CaseContext) -> list[Stimulus]:
    """Episodes of one slave that is taken to be a memory where the options say so; all else is silent.

    Args:
        port: widths as numbers.
        setting: with :data:`RAM_OPTIONS`.
    """
    base, size = int(setting.options["base"]), int(setting.options["bytes"])
    size = min(size, (1 << address_bits(port)) - base)
    ports = BusPorts([port], [], [AddressStretch(base, size, (port.name,))])
    rng = np.random.default_rng([setting.seed, 23])
    plain = bus_episode(ports, setting, rng, plain=True)
    held = _held_back(bus_episode(ports, setting, rng, plain=True), int(rng.integers(1 << 30)))
    return [plain, held, *(bus_episode(ports, setting, rng, plain=False) for _ in range(_ROUGH_EPISODES))]


def some_memory(port: Bundle, rng: Rng) -> MemoryImage:
    """A memory of random bytes at the beginning of a master's addresses, up to 64 KiB."""
    size = min(1 << address_bits(port), _SOME_BYTES)
    return MemoryImage((Region("memory", 0, rng.integers(0, 256, size, dtype=np.uint8)),))


def burst_shape(port: MemoryPort, setting: CaseContext) -> BurstShape:
    """What bursts an AXI4 slave port can take, and the options allow.

    Raises:
        UsageError: an unknown kind of bursts.
    """
    wanted = [kind.strip() for kind in str(setting.options["kinds"]).split(",")]
    unknown = [kind for kind in wanted if kind not in _KINDS]
    if unknown:
        raise UsageError(f"option kinds: found {unknown[0]!r}, expected some of {', '.join(_KINDS)}")
    reads, writes = port.has("arvalid"), port.has("awvalid")
    sized = (port.has("arsize") or not reads) and (port.has("awsize") or not writes)
    shaped = (port.has("arburst") or not reads) and (port.has("awburst") or not writes)
    return BurstShape(
        data_bytes(port),
        id_width=int(port.id_width),
        longest=1 << port.len_width,
        reads=reads,
        writes=writes,
        narrow=bool(setting.options["narrow"]) and sized,
        kinds=tuple(_KINDS[kind] for kind in wanted) if shaped else (INCR,),
        strobes=port.has("wstrb"),
        exclusive=bool(setting.options["exclusive"]) and port.has("awlock") and port.has("arlock"),
    )


def _regions(
    ports: BusPorts, master: Bundle, setting: CaseContext, places: Sequence[AddressPlace], rng: Rng
) -> tuple[Region, ...]:
    """What is behind a master: random bytes at either end of its stretches, and at places; some of them refuse accesses."""
    regions, most = [], int(setting.options["bytes"])
    for stretch in ports.stretches:
        if stretch.master != master.name:
            continue
        for place, (base, size) in zip(("begin", "end"), stretch.ends(ports.part(stretch, most)), strict=False):
            name = f"0x{stretch.base:x}_{place}"
            data = rng.integers(0, 256, size, dtype=np.uint8)
            answers = _answers(master, size, ports.word, rng) if setting.options["errors"] else None
            at = base - stretch.base + stretch.target
            regions.append(Region(name, at, data, answers=answers, exclusive=True))
    for one in places:
        if one.stretch.master != master.name:
            continue
        data = rng.integers(0, 256, ports.word, dtype=np.uint8)
        refuses = setting.options["errors"] and rng.random() < _REFUSED_PLACES
        answers = _answers(master, ports.word, ports.word, rng) if refuses else None
        regions.append(Region(f"0x{one.base:x}", one.target, data, answers=answers, exclusive=True))
    return tuple(regions)


def _answers(master: Bundle, size: int, word: int, rng: Rng) -> npt.NDArray[np.uint8]:
    """What a memory answers to each byte: words of the widest bus that refuse reads, or writes, some of them in a row.

    Every beat on the way is within one such word, so it has one answer however beats are split and merged. All writes are refused
    with the same response: AXI does not say which of several a merged write gets.
    """
    words = size // word
    answers = np.zeros((2, words), np.uint8)
    for kind in (READ, WRITE):
        if not master.answers(kind):
            continue
        refused = rng.random(words) < float(rng.choice([0.03, 0.1]))
        first = int(rng.integers(words))
        refused[first : first + int(rng.integers(1, 2 + words // 16))] = words > 1 or bool(rng.integers(2))
        drawn = rng.choice(master.refusals, words if kind == READ else 1)
        answers[kind] = np.where(refused, drawn, 0)
    return np.repeat(answers, word, axis=1)


def _windows(
    ports: BusPorts,
    slave: Bundle,
    setting: CaseContext,
    places: Sequence[AddressPlace],
    images: dict[str, MemoryImage],
) -> list[Window]:
    """The parts of the addresses that a slave works on, with what is there at first."""
    windows = []
    masters = {port.name: port for port in ports.masters}

    def add(stretch: AddressStretch, base: int, size: int, *, alone: bool) -> None:
        window = Window.unknown(base, size)
        window.alone = alone
        if stretch.master is not None:
            at = base - stretch.base + stretch.target
            region = next(r for r in images[stretch.master].regions if r.base <= at < r.end)
            own = slice(at - region.base, at - region.base + size)
            window.data[:] = region.data[own]
            window.known[:] = True
            window.answers = None if region.answers is None else region.answers[:, own]
            if setting.options["attributes"]:
                window.exclusive = ports.exclusive(slave, masters[stretch.master])
        windows.append(window)

    for stretch in ports.stretches:
        if slave.name in stretch.slaves:
            part = ports.part(stretch, int(setting.options["bytes"]))
            for base in stretch.parts(slave.name, part):
                add(stretch, base, part, alone=False)
    if not windows:
        raise UsageError(f"{slave.name}: the address map has nothing for it")
    for one in places:
        if one.slave == slave.name:
            add(one.stretch, one.base, ports.word, alone=True)
    return windows


def _outside(ports: BusPorts, port: Bundle) -> list[int]:
    """Addresses of a slave that lead nowhere: those right behind its stretches, and the last page."""
    space = 1 << address_bits(port)
    mine = [s for s in ports.stretches if port.name in s.slaves]
    candidates = [*(s.base + s.size for s in mine), space - 4096]
    return [
        address
        for address in candidates
        if 0 <= address < space and not any(s.base <= address < s.base + s.size for s in ports.stretches)
    ]


def _timing(rng: Rng, setting: CaseContext, *, plain: bool) -> MemoryTiming:
    if plain:
        return MemoryTiming(1, 0, 1)
    return rough_timing(rng, interleaved=bool(setting.options["interleaved"]))


def _roughly(program: BurstProgram, seed: int) -> BurstProgram:
    made = rough(program.bursts, seed)
    return replace(program, bursts=made.bursts, write_gaps=made.write_gaps, timing=made.timing)


def _held_back(stimulus: Stimulus, seed: int) -> Stimulus:
    """The same with no ready before its valid: of memories, of masters, of register masters."""
    patterns = [Pattern.parse("after-valid:4", seed=seed + salt) for salt in range(2)]
    return replace(
        stimulus,
        memories={
            name: withheld(image, seed + 3 * salt) for salt, (name, image) in enumerate(stimulus.memories.items())
        },
        bursts={name: replace(one, timing=MasterTiming(4, 4, *patterns)) for name, one in stimulus.bursts.items()},
        traffic={
            name: replace(one, b_ready="after-valid:4", r_ready="after-valid:4", seed=seed)
            for name, one in stimulus.traffic.items()
        },
    )


class _Walk:
    """A register program on windows, as it is made.

    Args:
        rng: randomness.
        port: the slave.
        compared: responses to reads, and to writes, are compared.
    """

    def __init__(self, rng: Rng, port: RegisterPort, compared: tuple[bool, bool]) -> None:
        self.rng, self.port, self._compared = rng, port, compared
        self.size = data_bytes(port)
        self.lanes = (1 << self.size) - 1
        self.program: list[Access] = []

    def write(self, window: Window, at: int, strobe: int) -> None:
        """Write random bytes of a word; what is refused is written whole: without a byte it may be left out on the way."""
        value = self.rng.integers(0, 256, self.size, dtype=np.uint8)
        refused = window.answer(WRITE, window.base + at)
        strobe = self.lanes if refused else strobe
        for lane in range(self.size):
            if strobe >> lane & 1 and not refused:
                window.data[at + lane] = value[lane]
                window.known[at + lane] = True
        word = int.from_bytes(value.tobytes(), "little")
        self.program.append(Access("write", window.base + at, word, strobe, **self._answered(WRITE, refused)))

    def read(self, window: Window, at: int) -> None:
        """Read a word, and compare it if it is known."""
        stored = int.from_bytes(window.data[at : at + self.size].tobytes(), "little")
        refused = window.answer(READ, window.base + at)
        known = bool(window.known[at : at + self.size].all()) and not refused
        value = stored if known else None
        self.program.append(Access("read", window.base + at, value, **self._answered(READ, refused)))

    def outside(self, addresses: Sequence[int]) -> None:
        """An access to where nothing is."""
        op = str(self.rng.choice(["read"] * self.port.readable + ["write"] * self.port.writable))
        value = 0 if op == "write" else None
        self.program.append(Access(op, int(self.rng.choice(addresses)), value, self.lanes, error=True))

    def _answered(self, kind: int, response: int) -> dict[str, Any]:
        """What the far side answers, and whether that is compared."""
        exact = response if len(self.port.refusals) > 1 else None
        return {"error": response > EXOKAY, "response": exact if self._compared[kind] else ANY_RESPONSE}


def _accesses(walk: _Walk, windows: Sequence[Window], count: int, outside: Sequence[int]) -> tuple[Access, ...]:
    """Write the ends and what is not known, then write and read at random, often what was written before, then read the ends."""
    rng, port = walk.rng, walk.port
    size, lanes, reads, writes = walk.size, walk.lanes, port.readable, port.writable
    words = [(window, at) for window in windows if window.alone for at in range(0, len(window.data), size)]
    words += [(window, at) for window in windows if not window.alone for at in (0, len(window.data) - size)]
    for window in windows:
        for at in np.flatnonzero(~window.known[::size]).tolist() if writes else ():
            walk.write(window, at * size, lanes)
    for window, at in words if writes else ():
        walk.write(window, at, lanes)
    for _ in range(count):
        if rng.random() < 0.5:
            window, at = words[int(rng.integers(max(0, len(words) - 8), len(words)))]
        else:
            window = Window.draw(rng, windows)
            at = int(rng.integers(len(window.data) // size)) * size
            words.append((window, at))
        if outside and rng.random() < 0.03:
            walk.outside(outside)
        elif rng.random() < 0.5 * (reads + (not writes)):
            walk.read(window, at)
        else:
            walk.write(window, at, int(rng.integers(lanes + 1)) if port.strobes and rng.random() < 0.6 else lanes)
    for window, at in words if reads else ():
        walk.read(window, at)
    return tuple(walk.program)
