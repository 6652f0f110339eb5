# SPDX-License-Identifier: Apache-2.0
"""What an episode of the bus models begins with: the addresses that are used, and the memories behind masters."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.attributes import ANSWER_USER, READ_USER, WRITE_USER, AttributeDraw, user_of
from goldbeat.pymodels.axi.burst import FIXED, INCR, READ, WRAP, WRITE
from goldbeat.pymodels.axi.memory import MemoryImage, MemoryTiming, Region
from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.axi.storage_traffic import MERGED, BurstShape, Window
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.pymodels.stimulus import Access, Clock, Stimulus
from goldbeat.tb.design.address_map import AddressStretch
from goldbeat.tb.design.address_places import AddressPlace
from goldbeat.tb.design.bus_ports import BusPorts, data_bytes
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.clocks import draw_clocks
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.design.register_accesses import AccessWalk

Rng = np.random.Generator

_KINDS = {"incr": INCR, "wrap": WRAP, "fixed": FIXED}
FEW_ERRORS = "few"
"""Option ``errors`` of episodes in which a long burst meets about one."""
_LONG_WORDS = 256
"""Words of the longest bursts."""
_REFUSED_PARTS = 1 / 2
"""Of the refused words that masters reach in parts, those of which one part alone is refused."""
_REFUSED_PLACES = 1 / 16
"""Of these words, those that may refuse accesses."""


@dataclass(frozen=True)
class BusScene:
    """What an episode begins with: the addresses that are used, and the memories behind masters."""

    ports: BusPorts
    setting: CaseContext
    rng: Rng
    clocks: Mapping[str, Clock]
    numbers: tuple[int, ...]
    places: Sequence[AddressPlace]
    images: dict[str, MemoryImage]

    @classmethod
    def draw(
        cls,
        ports: BusPorts,
        setting: CaseContext,
        rng: Rng,
        places: Callable[[BusPorts, tuple[int, ...]], Sequence[AddressPlace]],
        timing: Callable[[], MemoryTiming],
    ) -> BusScene:
        """Draw it; ``places``: what is used beside the ends of the addresses, made of the numbers of the RTL.

        Raises:
            UsageError: the address map has nothing for a slave.
        """
        for slave in ports.slaves:
            if not any(slave.name in one.slaves for one in ports.stretches):
                raise UsageError(f"{slave.name}: the address map has nothing for it")
        clocks = draw_clocks(setting, rng)
        numbers = tuple(setting.numbers())
        ports = ports.without_aliases(rng)
        tried = places(ports, numbers)
        images = {
            port.name: MemoryImage(
                _regions(ports, port, setting, tried, rng),
                timing(),
                user_seed=_user_seed(port, setting.seed) if isinstance(port, MemoryPort) else None,
            )
            for port in ports.masters
        }
        return cls(ports, setting, rng, clocks, numbers, tried, images)

    def windows(self, slave: Bundle) -> list[Window]:
        """Those of a slave; none where all its addresses lead to what others reach in this episode."""
        return _windows(self.ports, slave, self.setting, self.places, self.images)

    def attributes(self, slave: Bundle) -> AttributeDraw | None:
        """What a slave's accesses carry; None: nothing varies."""
        seed = int(self.rng.integers(1 << 31))
        return self.ports.draw(slave, seed) if self.setting.options["attributes"] else None

    def shape(self, slave: MemoryPort, varies: AttributeDraw | None) -> BurstShape:
        """What bursts a slave gets."""
        compared = (self.ports.answers(slave, READ), self.ports.answers(slave, WRITE))
        shape = burst_shape(slave, self.setting)
        return replace(shape, attributes=varies, answers=compared, numbers=self.numbers)

    def walk(self, slave: RegisterPort) -> AccessWalk:
        """Makes a slave's accesses."""
        compared = (self.ports.answers(slave, READ), self.ports.answers(slave, WRITE))
        unaligned = bool(self.setting.options["unaligned"])
        return AccessWalk(self.rng, slave, compared, self.numbers, unaligned=unaligned)

    def stimulus(
        self,
        program: Mapping[str, tuple[Access, ...]],
        traffic: Mapping[str, RegisterTraffic],
        bursts: Mapping[str, BurstProgram],
    ) -> Stimulus:
        """The episode."""
        slaves = {port.name: port for port in self.ports.slaves}
        return Stimulus(
            {},
            clocks=self.clocks,
            program=program,
            traffic=traffic,
            bursts={name: self._with_users(slaves[name], made) for name, made in bursts.items()},
            memories=self.images,
            together=True,
        )

    def _with_users(self, slave: Bundle, program: BurstProgram) -> BurstProgram:
        """The bursts with WUSER, and with the RUSER and BUSER that their answers must have."""
        bursts, width = program.bursts, data_bytes(slave)
        address, write = bursts.addresses(), (bursts.kind == WRITE)[bursts.of_beat]
        first = np.zeros(len(address), np.bool_)
        first[bursts.rows] = True
        user, answer, mask = (np.zeros(len(address), np.uint64) for _ in range(3))
        for stretch in self.ports.stretches:
            if slave.name not in stretch.slaves:
                continue
            here = (address >= np.uint64(stretch.base)) & (address - np.uint64(stretch.base) < np.uint64(stretch.size))
            far = address[here] + np.uint64((stretch.target - stretch.base) % (1 << 64))
            master = next((port for port in self.ports.masters if port.name == stretch.master), slave)
            seed = _user_seed(master, self.setting.seed)
            user[here] = user_of(seed, WRITE_USER, far, width)
            if master is slave:
                continue
            passes = self.ports.data_users(slave, master)
            reads, writes = here & ~write, here & write & first
            for role, rows, stream in (("ruser", reads, READ_USER), ("buser", writes, ANSWER_USER)):
                if role in passes:
                    at = address[rows] + np.uint64((stretch.target - stretch.base) % (1 << 64))
                    answer[rows] = user_of(seed, stream, at, width)
                    mask[rows] = (1 << min(64, int(slave.widths()[role]))) - 1
        return replace(program, user=user, answer_user=answer, answer_mask=mask)


def _user_seed(port: Bundle, seed: int) -> int:
    """That of the memory behind a master, or of a slave behind which there is none."""
    return zlib.crc32(port.name.encode()) + seed


def burst_shape(port: MemoryPort, setting: CaseContext) -> BurstShape:
    """What bursts an AXI4 slave port can take, and the options allow.

    Raises:
        UsageError: an unknown kind of bursts, or rule for errors.
    """
    wanted = [kind.strip() for kind in str(setting.options["kinds"]).split(",")]
    unknown = [kind for kind in wanted if kind not in _KINDS]
    if unknown:
        raise UsageError(f"option kinds: found {unknown[0]!r}, expected some of {', '.join(_KINDS)}")
    if (merged := str(setting.options["merged"])) not in MERGED:
        raise UsageError(f"option merged: found {merged!r}, expected {', '.join(MERGED)}")
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
        merged=merged,
        exclusive=bool(setting.options["exclusive"]) and port.has("awlock") and port.has("arlock"),
    )


def _regions(
    ports: BusPorts, master: Bundle, setting: CaseContext, places: Sequence[AddressPlace], rng: Rng
) -> tuple[Region, ...]:
    """What is behind a master: random bytes at either end of its stretches, and at places; some of them refuse accesses."""
    regions, most, errors = [], int(setting.options["bytes"]), setting.options["errors"]
    for stretch in ports.stretches:
        if stretch.master != master.name:
            continue
        for place, (base, size) in zip(("begin", "end"), stretch.ends(ports.part(stretch, most)), strict=False):
            name = f"0x{stretch.target:x}_{place}"
            data = rng.integers(0, 256, size, dtype=np.uint8)
            answers = _answers(ports, master, size, rng, errors) if errors else None
            at = base - stretch.base + stretch.target
            regions.append(Region(name, at, data, answers=answers, exclusive=True))
    for one in places:
        if one.stretch.master != master.name:
            continue
        data = rng.integers(0, 256, one.size, dtype=np.uint8)
        refuses = errors and (not one.alone or rng.random() < _REFUSED_PLACES)
        answers = _answers(ports, master, one.size, rng, errors) if refuses else None
        regions.append(Region(f"0x{one.target:x}", one.target, data, answers=answers, exclusive=True))
    return tuple(regions)


def _answers(ports: BusPorts, master: Bundle, size: int, rng: Rng, errors: object) -> npt.NDArray[np.uint8]:
    """What a memory answers to each byte: words of the widest bus that refuse reads, or writes, some of them in a row.

    Every beat on the way is within one such word, so it has one answer however beats are split and merged. Where no slave is
    narrower, one part of a word may refuse, as wide as the master: the whole word is then answered with its error. Writes that
    go over several words meet several errors, in any order; AXI leaves open which of them they are answered with.
    """
    word = ports.word
    words, parts = size // word, 1
    if all(data_bytes(slave) == word for slave in ports.slaves):
        parts = word // data_bytes(master)
    answers = np.zeros((2, words, parts), np.uint8)
    for kind in (READ, WRITE):
        if not master.answers(kind):
            continue
        refused = rng.random(words) < float(rng.choice([0.03, 0.1]))
        first = int(rng.integers(words))
        refused[first : first + int(rng.integers(1, 2 + words // 16))] = words > 1 or bool(rng.integers(2))
        if errors == FEW_ERRORS:
            refused[:] = False
            refused[few_places(words, rng)] = True
        drawn = rng.choice(master.refusals, words)
        answers[kind] = np.where(refused, drawn, 0)[:, None]
        if parts > 1:
            alone = rng.random(words) < _REFUSED_PARTS
            answers[kind] *= ~alone[:, None] | (rng.integers(parts, size=words)[:, None] == np.arange(parts))
    return np.repeat(answers.reshape(2, -1), word // parts, axis=1)


def few_places(words: int, rng: Rng) -> list[int]:
    """Of so many words one for each long burst: in turn its first, its last, and one beside a multiple of 2, 4, 8..."""
    found, turn = [], int(rng.integers(3))
    for number, first in enumerate(range(0, words, _LONG_WORDS)):
        length = min(_LONG_WORDS, words - first)
        block = 1 << int(rng.integers(1, max(2, length.bit_length())))
        edge = (int(rng.integers(length)) // block * block - int(rng.integers(2))) % length
        found.append(first + (0, length - 1, edge)[(turn + number) % 3])
    return found


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

    def add(stretch: AddressStretch, base: int, size: int, *, alone: bool = False, whole: bool = False) -> None:
        window = Window.unknown(base, size)
        window.alone, window.whole = alone, whole
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
                add(stretch, base, part)
    for one in places:
        if one.slave == slave.name:
            add(one.stretch, one.base, one.size, alone=one.alone, whole=not one.alone)
    return windows
