# SPDX-License-Identifier: Apache-2.0
"""Ready-made golden models of modules that are reached through memory-mapped buses: where what is written must end up.

What reads must give stands in the programs themselves; these models say what the memories behind the module's masters hold
at the end. They know no cycles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.attributes import ATTRIBUTES, AskedWords, Carried, Key
from goldbeat.pymodels.axi.burst import FIXED, READ, SLVERR, WRITE
from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Access, MemoryContents, Outcome, Stimulus

BUS_MODELS = {
    "memory": "one memory behind all slave ports: reads return what was written",
    "register_file": "a slave whose registers are plain storage, as `storage` lists them",
    "adapter": "accesses of slave N appear at master N, at the same address, with another width, clock or protocol",
    "interconnect": "accesses of every slave appear at the master in `address_map`",
}
"""What each model expects, for people."""


@dataclass(frozen=True)
class Route:
    """A stretch of a slave's addresses, and where it is.

    Attributes:
        slave: port that reaches it.
        base: its first address there.
        size: bytes.
        master: port behind which it is; None: within the module.
        target: its first address at the master.
        word: bytes of the widest bus on the way.
        carried: attributes that pass, with the master's signals.
        write_user: the master's WUSER, if that passes.
        once: kinds of accesses whose words arrive as often as they were asked for, or less often.
        ordered: kinds of accesses that arrive in order.
        unit: bytes of the master's words.
    """

    slave: str
    base: int
    size: int
    master: str | None = None
    target: int = 0
    word: int = 1
    carried: Mapping[Key, str] = field(default_factory=dict)
    write_user: str = ""
    once: frozenset[int] = frozenset()
    ordered: frozenset[int] = frozenset()
    unit: int = 1


def bus_outcome(stimulus: Stimulus, routes: Sequence[Route]) -> Outcome:
    """What the memories behind the masters hold in the end.

    Args:
        stimulus: with the bursts and register programs of all slaves; no two slaves write one byte.
        routes: where their addresses lead.

    Raises:
        UsageError: a program writes where no route leads.
    """
    held = {
        name: {region.name: region.data.copy() for region in image.regions} for name, image in stimulus.memories.items()
    }
    for slave, addresses, values in _writes(stimulus):
        gone = np.zeros(len(addresses), np.bool_)
        for route in routes:
            if route.slave != slave:
                continue
            inside = (addresses >= np.uint64(route.base)) & (addresses - np.uint64(route.base) < np.uint64(route.size))
            gone |= inside
            if route.master is None:
                continue
            where = addresses[inside] - np.uint64(route.base) + np.uint64(route.target)
            for region in stimulus.memories[route.master].regions:
                there = (where >= np.uint64(region.base)) & (where < np.uint64(region.end))
                held[route.master][region.name][where[there] - np.uint64(region.base)] = values[inside][there]
        if not gone.all():
            raise UsageError(f"{slave}: a write to 0x{int(addresses[~gone][0]):x}, to which no address range belongs")
    carried = {master: _carried(stimulus, [r for r in routes if r.master == master]) for master in held}
    return Outcome({}, memories={name: MemoryContents(all_, carried=carried[name]) for name, all_ in held.items()})


def _carried(stimulus: Stimulus, routes: Sequence[Route]) -> Carried | None:
    """The accesses that lead to a master, and what they carry; None: nothing that is compared."""
    if not routes:
        return None
    signals = {key: signal for route in routes for key, signal in route.carried.items()}
    parts: list[tuple[npt.NDArray[Any], ...]] = []
    names = sorted({route.slave for route in routes})
    columns: dict[str, list[npt.NDArray[np.int64]]] = {name: [] for _, name in signals}
    for route in routes:
        kind, first, end, values = _asked(stimulus, route.slave)
        here = (first >= np.uint64(route.base)) & (first - np.uint64(route.base) < np.uint64(route.size))
        word, move = np.uint64(route.word), np.uint64((route.target - route.base) % (1 << 64))
        kind, first, end = (
            kind[here],
            first[here] // word * word + move,
            (end[here] + word - np.uint64(1)) // word * word + move,
        )
        parts.append((kind, first, end, np.full(len(kind), names.index(route.slave)), np.flatnonzero(here)))
        for name, column in columns.items():
            own = values.get(name, np.zeros(len(here), np.int64))[here].astype(np.int64)
            passes = np.isin(kind, [one for one in (READ, WRITE) if (one, name) in route.carried])
            column.append(np.where(passes, own, -1))
    write_user = min(route.write_user for route in routes)
    polled = any(one.op == "poll" for name in names for one in stimulus.program.get(name, ()))
    once, ordered = (
        frozenset.intersection(frozenset((READ, WRITE)[polled:]), *kinds)
        for kinds in ([route.once for route in routes], [route.ordered for route in routes])
    )
    words = _words(stimulus, routes)
    if not (signals or write_user or once or any(one.fixed.any() for one in words.values())):
        return None
    kinds, begins, ends, slaves, places = (np.concatenate([part[n] for part in parts]) for n in range(5))
    values_of = {name: np.concatenate(all_) for name, all_ in columns.items()}
    return Carried(kinds, begins, ends, values_of, signals, write_user, once, ordered, slaves, places, words)


def _words(stimulus: Stimulus, routes: Sequence[Route]) -> dict[int, AskedWords]:
    """By kind, the words of a master that beats ask for."""
    parts: dict[int, list[tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]]] = {READ: [], WRITE: []}
    for route in routes:
        if route.slave in stimulus.bursts:
            kind, address, fixed = _words_of_bursts(stimulus.bursts[route.slave], route.unit)
        else:
            kind, address, *_ = _asked(stimulus, route.slave)
            fixed = np.zeros(len(kind), np.bool_)
        here = (address >= np.uint64(route.base)) & (address - np.uint64(route.base) < np.uint64(route.size))
        at = (
            (address + np.uint64((route.target - route.base) % (1 << 64)))
            // np.uint64(route.unit)
            * np.uint64(route.unit)
        )
        for one, found in parts.items():
            found.append((at[here & (kind == one)], fixed[here & (kind == one)]))
    unit = routes[0].unit
    return {
        one: AskedWords(unit, *(np.concatenate(column) for column in zip(*found, strict=True)))
        for one, found in parts.items()
    }


def _words_of_bursts(
    program: BurstProgram, unit: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    """Of each beat and each word of ``unit`` bytes in it the kind, the address, and whether it must arrive each time."""
    bursts, width = program.bursts, program.data.shape[1]
    of, part = bursts.of_beat, min(unit, width)
    kind = bursts.kind[of]
    needed, used = (
        np.any(lanes.reshape(len(of), width // part, part), axis=2)
        for lanes in (program.strobe | (kind == READ).reshape(-1, 1), bursts.lanes(width))
    )
    rows, parts = np.nonzero(used)
    start = bursts.addresses()[rows]
    again: npt.NDArray[np.bool_] = np.logical_and.reduce([bursts.burst == FIXED, bursts.len > 0, ~program.lost])
    fixed = again[of] & (program.beat_answers < SLVERR)
    return (
        kind[rows],
        start - start % np.uint64(width) + (parts * part).astype(np.uint64),
        fixed[rows] & needed[rows, parts],
    )


_Asked = tuple[npt.NDArray[Any], npt.NDArray[np.uint64], npt.NDArray[np.uint64], Mapping[str, npt.NDArray[Any]]]


def _asked(stimulus: Stimulus, slave: str) -> _Asked:
    """Of each access of a slave its kind, the addresses of its first byte and behind its last one, and its attributes."""
    if slave in stimulus.bursts:
        bursts = stimulus.bursts[slave].bursts
        lowest, span = bursts.span
        return bursts.kind, lowest, lowest + span, {name: getattr(bursts, name) for name in ATTRIBUTES}
    steps = [*stimulus.program.get(slave, ()), *stimulus.after.get(slave, ())]
    accesses = [one for one in steps if one.kind is not None]
    kind = np.array([one.kind for one in accesses], np.uint8)
    address = np.array([one.address for one in accesses], np.uint64)
    return kind, address, address + np.uint64(1), {"prot": np.array([one.prot for one in accesses], np.int64)}


_Bytes = tuple[str, npt.NDArray[np.uint64], npt.NDArray[np.uint8]]


def _writes(stimulus: Stimulus) -> Iterator[_Bytes]:
    """Slave, addresses and values of the bytes that each program writes, in order."""
    for slave, program in stimulus.bursts.items():
        yield slave, *program.stored()
    for slave, accesses in stimulus.program.items():
        pairs = [pair for access in accesses for pair in _stored(access)]
        addresses, values = zip(*pairs, strict=True) if pairs else ((), ())
        yield slave, np.array(addresses, np.uint64), np.array(values, np.uint8)


def _stored(access: Access) -> Iterator[tuple[int, int]]:
    if access.op in ("write", "post") and not access.error:
        for lane in range(access.strobe.bit_length()):
            if access.strobe >> lane & 1:
                yield access.address - access.offset + lane, (access.value or 0) >> 8 * lane & 0xFF
