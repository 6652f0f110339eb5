# SPDX-License-Identifier: Apache-2.0
"""Traffic for slaves on AXI4, AXI-Lite and APB, and memories behind masters: the cases of the ready-made bus models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from goldbeat.pymodels.axi.burst import FIXED, INCR, WRAP
from goldbeat.pymodels.axi.memory import MasterTiming, MemoryImage, MemoryTiming, Region
from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.axi.rough import rough
from goldbeat.pymodels.axi.storage_traffic import BurstShape, Window, storage_bursts
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.tb.design.address_map import AddressStretch, address_bits
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
}
"""Options of the cases: accesses between the first writes and the last reads; most bytes of a part of the addresses; kinds of
bursts; beats narrower than the bus; exclusive pairs, which must then be answered EXOKAY; memories interleave read data of
different IDs; accesses to where the address map has nothing, which must be answered with an error."""

_LOAD = {"kinds": "incr", "narrow": False, "exclusive": False, "unmapped": False, "interleaved": False}
"""What ``load`` sets: every beat moves a whole word."""
_LOAD_OPTIONS = {"accesses": 150, "bytes": 1 << 14}

_KINDS = {"incr": INCR, "wrap": WRAP, "fixed": FIXED}
_ROUGH_EPISODES = 4
_SOME_BYTES = 1 << 16


@dataclass(frozen=True)
class BusPorts:
    """A module's ports for one set of parameter values, and where its addresses lead.

    Attributes:
        slaves, masters: on AXI4, AXI-Lite and APB, widths as numbers.
        stretches: of addresses.
        closed: addresses of no stretch must be answered with an error.
    """

    slaves: Sequence[Bundle]
    masters: Sequence[Bundle]
    stretches: Sequence[AddressStretch]
    closed: bool = False

    def part(self, stretch: AddressStretch, most: int) -> int:
        """Bytes of each part of a stretch; no part is smaller than a word of the widest bus."""
        ports = (*self.slaves, *self.masters)
        return stretch.part(max(_width(port) for port in ports), most)


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
    most = int(setting.options["bytes"])
    images = {
        port.name: MemoryImage(_regions(ports, port.name, most, rng), _timing(rng, setting, plain=plain))
        for port in ports.masters
    }
    bursts: dict[str, BurstProgram] = {}
    program: dict[str, tuple[Access, ...]] = {}
    traffic: dict[str, RegisterTraffic] = {}
    for port in ports.slaves:
        windows = _windows(ports, port.name, most, images)
        outside = _outside(ports, port) if ports.closed and setting.options["unmapped"] else []
        if isinstance(port, MemoryPort):
            made = storage_bursts(
                rng, windows, burst_shape(port, setting), int(setting.options["accesses"]), outside=outside
            )
            bursts[port.name] = made if plain else _roughly(made, int(rng.integers(1 << 30)))
        elif isinstance(port, RegisterPort):
            program[port.name] = _accesses(rng, windows, port, int(setting.options["accesses"]), outside)
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
        _width(port),
        id_width=int(port.id_width),
        longest=1 << port.len_width,
        reads=reads,
        writes=writes,
        narrow=bool(setting.options["narrow"]) and sized,
        kinds=tuple(_KINDS[kind] for kind in wanted) if shaped else (INCR,),
        strobes=port.has("wstrb"),
        exclusive=bool(setting.options["exclusive"]) and port.has("awlock") and port.has("arlock"),
    )


def _width(port: Bundle) -> int:
    """Bytes of a port's data."""
    return int(port.widths()["data_width"]) // 8


def _regions(ports: BusPorts, master: str, most: int, rng: Rng) -> tuple[Region, ...]:
    """What stands behind a master: random bytes at either end of its stretches."""
    regions = []
    for stretch in ports.stretches:
        if stretch.master != master:
            continue
        for place, (base, size) in zip(("begin", "end"), stretch.ends(ports.part(stretch, most)), strict=False):
            name = f"0x{stretch.base:x}_{place}"
            data = rng.integers(0, 256, size, dtype=np.uint8)
            regions.append(Region(name, base - stretch.base + stretch.target, data))
    return tuple(regions)


def _windows(ports: BusPorts, slave: str, most: int, images: dict[str, MemoryImage]) -> list[Window]:
    """The parts of the addresses that a slave works on, with what is there at first."""
    windows = []
    for stretch in ports.stretches:
        if slave not in stretch.slaves:
            continue
        part = ports.part(stretch, most)
        for base in stretch.parts(slave, part):
            window = Window.unknown(base, part)
            if stretch.master is not None:
                at = base - stretch.base + stretch.target
                region = next(r for r in images[stretch.master].regions if r.base <= at < r.end)
                window.data[:] = region.data[at - region.base : at - region.base + part]
                window.known[:] = True
            windows.append(window)
    if not windows:
        raise UsageError(f"{slave}: the address map has nothing for it")
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


def _accesses(
    rng: Rng, windows: Sequence[Window], port: RegisterPort, count: int, outside: Sequence[int]
) -> tuple[Access, ...]:
    """Write the ends and what is not known, then write and read at random, often what was written before, then read the ends."""
    size = _width(port)
    lanes = (1 << size) - 1
    program: list[Access] = []

    def write(window: Window, at: int, strobe: int) -> None:
        value = rng.integers(0, 256, size, dtype=np.uint8)
        used = [lane for lane in range(size) if strobe >> lane & 1]
        for lane in used:
            window.data[at + lane] = value[lane]
            window.known[at + lane] = True
        program.append(Access("write", window.base + at, int.from_bytes(value.tobytes(), "little"), strobe))

    def read(window: Window, at: int) -> None:
        stored = int.from_bytes(window.data[at : at + size].tobytes(), "little")
        known = bool(window.known[at : at + size].all())
        program.append(Access("read", window.base + at, stored if known else None))

    reads, writes = port.readable, port.writable

    words = [(window, at) for window in windows for at in (0, len(window.data) - size)]
    for window in windows:
        for at in np.flatnonzero(~window.known[::size]).tolist() if writes else ():
            write(window, at * size, lanes)
    for window, at in words if writes else ():
        write(window, at, lanes)
    for _ in range(count):
        if rng.random() < 0.5:
            window, at = words[int(rng.integers(max(0, len(words) - 8), len(words)))]
        else:
            window = windows[int(rng.integers(len(windows)))]
            at = int(rng.integers(len(window.data) // size)) * size
            words.append((window, at))
        if outside and rng.random() < 0.03:
            op = str(rng.choice(["read"] * reads + ["write"] * writes))
            program.append(Access(op, int(rng.choice(outside)), 0 if op == "write" else None, lanes, error=True))
        elif rng.random() < 0.5 * (reads + (not writes)):
            read(window, at)
        else:
            write(window, at, int(rng.integers(lanes + 1)) if port.strobes and rng.random() < 0.6 else lanes)
    for window, at in words if reads else ():
        read(window, at)
    return tuple(program)
