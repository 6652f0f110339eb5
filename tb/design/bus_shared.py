# SPDX-License-Identifier: Apache-2.0
"""Episodes in which slaves that share storage read what others have written: elsewhere each works on bytes of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.burst import READ, WRITE, Bursts
from goldbeat.pymodels.axi.memory import MemoryTiming
from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.tb.design.address_map import AddressStretch
from goldbeat.tb.design.bus_ports import BusPorts, data_bytes
from goldbeat.tb.design.bus_scene import BusScene, Rng
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.register import RegisterPort

SHARED = "each slave reads what another one has written"
"""How the labels of the episodes begin in which they do."""
PARTS = f"{SHARED}, bytes of one word at once"
"""The label of those in which slaves write different bytes of a word at the same time."""
_ROUNDS = 2
"""How often each slave writes all words before the next one does: what was read before may be kept somewhere."""
_MEETINGS = 20
"""How often all slaves write parts of all words at about the same time."""
_REST = 64
"""Cycles between two looks at a word that another slave changes."""
_AHEAD = 8
"""Cycles by which one of them begins sooner than another one, at most."""
_IDLE = 500
"""Cycles in which a slave asks for nothing while another one writes."""
_MOST = 24
"""Words, and slaves, at most."""


def shared_episodes(ports: BusPorts, setting: CaseContext) -> Iterator[Stimulus]:
    """Up to two for each stretch of addresses that several slaves of one kind and width reach.

    Slaves write in turn, then at once. Those with registers wait until others have read, by a word of each, those with bursts by
    their phases.
    """
    rng = np.random.default_rng([setting.seed, 34])
    plain = replace(setting, options={**setting.options, "errors": False})
    for stretch in ports.stretches:
        slaves = [port for port in ports.slaves if port.name in stretch.slaves]
        kinds = {isinstance(port, MemoryPort) for port in slaves}
        if not 2 <= len(slaves) <= _MOST or len(kinds) > 1 or len({data_bytes(port) for port in slaves}) > 1:
            continue
        if not all(_both_ways(port) for port in slaves):
            continue
        # Data that come with their address may be those of another slave.
        scene = BusScene.draw(ports, plain, rng, lambda *_: [], lambda: MemoryTiming(1, 0, 1, data_ahead=1))
        words = _words(ports, stretch, plain, len(slaves))
        if len(words) < 2 or stretch not in scene.ports.stretches:
            continue
        names = [port.name for port in slaves]
        size = data_bytes(slaves[0])
        makers = ((SHARED, accesses_in_turn, bursts_in_turn), (PARTS, parts_by_accesses, parts_by_bursts))
        for label, accesses, bursts in makers if all(map(_strobed, slaves)) else makers[:1]:
            if label == PARTS and not (words := _words(ports, stretch, plain, 2 * len(slaves))):
                continue
            if kinds == {True}:
                made = scene.stimulus({}, {}, bursts(rng, names, words, size))
            else:
                # At one speed they stay near each other.
                traffic = dict.fromkeys(names, RegisterTraffic(rest=_REST))
                made = scene.stimulus(accesses(rng, names, words, size), traffic, {})
            yield replace(made, aside=True, label=label)


def _both_ways(port: Bundle) -> bool:
    return (
        port.writable and port.readable if isinstance(port, RegisterPort) else port.has("awaddr") and port.has("araddr")
    )


def _strobed(port: Bundle) -> bool:
    return port.strobes if isinstance(port, RegisterPort) else port.has("wstrb")


def _words(ports: BusPorts, stretch: AddressStretch, setting: CaseContext, flags: int) -> list[int]:
    """The words of a stretch whose numbers are powers of two, and in front of them so many that are none; empty: no room."""
    room = stretch.size
    if stretch.master is not None:
        # The memory behind a master has the parts of the slaves alone.
        _, room = stretch.ends(ports.part(stretch, int(setting.options["bytes"])))[0]
    count = room // ports.word
    numbers = [0, *(1 << power for power in range(count.bit_length() - 1))][:_MOST]
    others = [n for n in range(3, count) if n & n - 1][:flags]
    return [stretch.base + n * ports.word for n in (*others, *numbers)] if len(others) == flags else []


def accesses_in_turn(
    rng: Rng, slaves: Sequence[str], words: Sequence[int], size: int
) -> Mapping[str, tuple[Access, ...]]:
    """What each slave is asked for.

    Args:
        rng: randomness.
        slaves: their names; they write in this order, each of them twice.
        words: byte addresses; the first ones, as many as there are slaves, say that a slave has read.
        size: bytes of a word.
    """
    flags, data = dict(zip(slaves, words, strict=False)), words[len(slaves) :]
    lanes = (1 << size) - 1
    programs: dict[str, list[Access]] = {name: [] for name in slaves}

    def number() -> int:
        return int.from_bytes(rng.bytes(size), "little")

    told = dict[str, int]()
    for turn in range(_ROUNDS * len(slaves)):
        writer = slaves[turn // _ROUNDS]
        values = [number() for _ in data]
        # Nobody may still read what comes now.
        programs[writer] += [Access("poll", flags[name], value) for name, value in told.items() if name != writer]
        programs[writer] += [Access("write", at, value, lanes) for at, value in zip(data, values, strict=True)]
        told = {name: number() for name in slaves if name != writer}
        for name, value in told.items():
            # What a slave has read last may be kept for it, and is what it waits for.
            programs[name] += [Access("wait", cycles=_IDLE), Access("poll", data[-1], values[-1])]
            programs[name] += [Access("read", at, wanted) for at, wanted in zip(data, values, strict=True)]
            programs[name].append(Access("write", flags[name], value, lanes))
    return {name: tuple(steps) for name, steps in programs.items()}


def bursts_in_turn(rng: Rng, slaves: Sequence[str], words: Sequence[int], size: int) -> dict[str, BurstProgram]:
    """The same of slaves with bursts of one beat, each turn in a phase of its own."""
    data = np.array(words[len(slaves) :], np.uint64)
    count = len(data)
    phases = _ROUNDS * len(slaves)
    values = rng.integers(0, 256, (phases, count, size), dtype=np.uint8)
    found = {}
    for number, name in enumerate(slaves):
        kind = np.repeat([WRITE if turn // _ROUNDS == number else READ for turn in range(phases)], count)
        phase = np.repeat([2 * turn + (turn // _ROUNDS != number) for turn in range(phases)], count)
        bursts = Bursts(
            kind,
            np.tile(data, phases),
            0,
            size.bit_length() - 1,
            phase=phase,
            barrier=np.diff(phase, prepend=0) > 0,
        )
        writes = (kind == WRITE)[:, None].repeat(size, 1)
        zeros = np.zeros(len(kind), np.int64)
        found[name] = BurstProgram(bursts, values.reshape(-1, size), writes, ~writes, zeros)
    return found


def parts_by_accesses(
    rng: Rng, slaves: Sequence[str], words: Sequence[int], size: int
) -> Mapping[str, tuple[Access, ...]]:
    """Each slave writes and reads some bytes of every word again and again, while others do so with the other ones.

    In the end, each reads all.

    Args:
        rng: randomness.
        slaves: their names.
        words: byte addresses; the first ones, two for each slave, say that it has come to a meeting.
        size: bytes of a word.
    """
    data = words[2 * len(slaves) :]
    owners, last = _owners(rng, len(slaves), len(data), size), np.zeros((len(data), size), np.uint8)
    programs: dict[str, list[Access]] = {name: [] for name in slaves}

    def meet(number: int) -> None:
        """Nobody goes on before all are here; who looks seldom still sees the flags of one meeting when others are at the next."""
        flags = dict(zip(slaves, words[number % 2 * len(slaves) :], strict=False))
        told = {name: int.from_bytes(rng.bytes(size), "little") for name in slaves}
        for name, steps in programs.items():
            steps.append(Access("write", flags[name], told[name], (1 << size) - 1))
            steps += [Access("poll", flags[other], value) for other, value in told.items() if other != name]

    for meeting in range(_MEETINGS):
        for number, steps in enumerate(programs.values()):
            # Each is ahead of the others at times, by less than an access.
            steps.append(Access("wait", cycles=int(rng.integers(1, _AHEAD))))
            for at, mine, kept in zip(data, owners == number, last, strict=True):
                if mine.any():
                    kept[mine] = rng.integers(0, 256, int(mine.sum()))
                    strobe, value = int(mine @ (1 << np.arange(size))), int.from_bytes(kept.tobytes(), "little")
                    mask = int.from_bytes((mine * np.uint8(255)).tobytes(), "little")
                    steps += [Access("write", at, value, strobe), Access("read", at, value, mask=mask)]
        meet(meeting)
    for steps in programs.values():
        steps += [
            Access("read", at, int.from_bytes(row.tobytes(), "little")) for at, row in zip(data, last, strict=True)
        ]
    return {name: tuple(steps) for name, steps in programs.items()}


def parts_by_bursts(rng: Rng, slaves: Sequence[str], words: Sequence[int], size: int) -> dict[str, BurstProgram]:
    """The same of slaves with bursts of one beat; all is read when everybody has written."""
    data = np.array(words[len(slaves) :], np.uint64)
    count = len(data)
    owners = _owners(rng, len(slaves), count, size)
    values = rng.integers(0, 256, (_MEETINGS, count, 1, size), dtype=np.uint8).repeat(2, 2).reshape(-1, size)
    values = np.concatenate([values, values[-2 * count :: 2]])
    kind = np.concatenate([np.tile([WRITE, READ], _MEETINGS * count), np.full(count, READ)])
    phase = np.repeat([0, 1], [len(kind) - count, count])
    address = np.concatenate([np.tile(data.repeat(2), _MEETINGS), data])
    bursts = Bursts(kind, address, 0, size.bit_length() - 1, phase=phase, barrier=phase == 0)
    found = {}
    for number, name in enumerate(slaves):
        mine = np.concatenate([np.tile((owners == number).repeat(2, axis=0), (_MEETINGS, 1)), np.ones((count, size))])
        lanes, writes = mine.astype(np.bool_), (kind == WRITE)[:, None]
        found[name] = BurstProgram(bursts, values, lanes & writes, lanes & ~writes, np.zeros(len(kind), np.int64))
    return found


def _owners(rng: Rng, slaves: int, words: int, size: int) -> npt.NDArray[np.int64]:
    """(words, size) who writes each byte; everybody writes one of each word, where there are enough."""
    places = rng.permuted(np.tile(np.arange(max(slaves, size)), (words, 1)), axis=1)[:, :size]
    names = rng.permuted(np.tile(np.arange(slaves), (words, 1)), axis=1)
    found: npt.NDArray[np.int64] = np.take_along_axis(names, places % slaves, axis=1)
    return found
