# SPDX-License-Identifier: Apache-2.0
"""What every register of a map must answer to reads and writes, worked out from the map alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from goldbeat.pymodels.stimulus import Access
from goldbeat.tb.build.regmaps.read import MapField, MapRegister, RegisterMap

WORD = (1 << 32) - 1


@dataclass(frozen=True)
class Step:
    """One access and its answer, or a value that the hardware shows (``access`` is None).

    Attributes:
        what: the register, with its entry in an array.
        register: the same without the entry.
        entry: number in an array.
        value: expected of a read, or shown.
        error: whether an error is expected.
    """

    what: str
    register: str
    entry: int
    access: Access | None
    value: int | None
    error: bool = False


class Expected:
    """A register file that does what the map says.

    Args:
        one: the map.
        strobes: ``bytes`` write, only the ``whole`` word does, or there are ``none``.
        silent: holes read 0 and ignore writes, else they answer an error.
    """

    def __init__(self, one: RegisterMap, strobes: str = "bytes", silent: bool = False) -> None:
        self.strobes, self.silent = strobes, silent
        there = [r for r in one.registers if r.block not in one.absent]
        self.at = {r.address + r.stride * n: (r, n) for r in there for n in range(r.entries)}
        self.stored = {a: sum(f.field.reset << f.field.lsb for f in r.fields) for a, (r, _) in self.at.items()}

    def name(self, address: int) -> tuple[str, str, int]:
        """What stands at an address: with its entry, without, and the entry."""
        if address not in self.at:
            return f"hole {address:#x}", "", 0
        register, entry = self.at[address]
        whole = f"{register.block}.{register.full_name}" if register.block else register.full_name
        return (f"{whole}[{entry}]" if register.stride else whole), whole, entry

    def read(self, address: int) -> Step:
        """A read and its answer; a field that it clears is 0 behind it."""
        fields = [f for f in self._fields(address) if "r" in f.field.access]
        if not fields:
            return self._step(Access("read", address), 0 if self.silent else None, not self.silent)
        held = self.stored[address]
        value = sum(f.field.mask & held for f in fields)
        for f in fields:
            if f.sign_extended and held >> (f.field.lsb + f.field.width - 1) & 1:
                value |= WORD & ~(f.field.mask | f.field.mask - 1)
            if f.field.access == "rc":
                self.stored[address] &= ~f.field.mask
        return self._step(Access("read", address), value)

    def write(self, address: int, value: int, strobe: int = 0xF) -> Step:
        """A write and its answer."""
        fields = [f.field for f in self._fields(address) if "w" in f.field.access]
        access = Access("write", address, value, strobe)
        if not fields or (self.strobes == "whole" and strobe != 0xF):
            return self._step(access, None, not self.silent)
        lanes = sum(0xFF << 8 * n for n in range(4) if strobe >> n & 1)
        for f in fields:
            held, mask = self.stored[address], f.mask & lanes
            changed = {
                "rw": held & ~mask | value & mask,
                "rw1c": held & ~(value & mask),
                "rw1t": held ^ value & mask,
                "rwc": held & ~f.mask,
                "w": held,
            }
            self.stored[address] = changed[f.access]
        return self._step(access, None)

    def show(self, address: int, value: int) -> Step:
        """The hardware puts a value into a register."""
        self.stored[address] = value
        return Step(*self.name(address), None, value)

    def _fields(self, address: int) -> tuple[MapField, ...]:
        return self.at[address][0].fields if address in self.at else ()

    def _step(self, access: Access, value: int | None, error: bool = False) -> Step:
        return Step(*self.name(access.address), access, value, error)


def steps(expected: Expected, rng: np.random.Generator, shown: Collection[str] = ()) -> Iterator[Step]:
    """Resets, writes of every kind, what the hardware shows, holes; everything is read again to see what else changed.

    Args:
        expected: the register file after reset.
        rng: draws values and the order.
        shown: registers that the hardware can change, by name.
    """
    everything = [a for a, (r, _) in expected.at.items() if _plain(r, "r")]
    yield from map(expected.read, everything)
    for address in rng.permutation(list(expected.at)).tolist():
        yield from _written(expected, rng, address)
    yield from map(expected.read, everything)
    for address in expected.at:
        if expected.name(address)[1] in shown:
            yield from _shown(expected, rng, address)
    beside = {a + d for a, d in product(expected.at, (-4, 4))} | {max(expected.at) & ~0xFFF | 0xFFC}
    for address in sorted(a for a in beside if a >= 0 and a not in expected.at):
        yield from (expected.write(address, WORD), expected.read(address))
    yield from map(expected.read, everything)


def _plain(register: MapRegister, way: str) -> bool:
    """Accesses of this kind have no side effects, or there are none and the access fails."""
    fields = [f for f in register.fields if way in f.field.access]
    return not fields or any(f.tested for f in fields)


def _written(expected: Expected, rng: np.random.Generator, address: int) -> Iterator[Step]:
    register, _ = expected.at[address]
    if not _plain(register, "w"):
        return
    safe = WORD & ~sum(f.field.mask for f in register.fields if "w" in f.field.access and not f.tested)
    strobes = (0xF,) if expected.strobes == "none" else (0xF, 0xF, 0b0101, 0b1010, 0)
    for value in (WORD, 0):
        yield from (expected.write(address, value & safe), *_look(expected, address))
    for strobe in strobes:
        yield from (expected.write(address, int(rng.integers(1 << 32)) & safe, strobe), *_look(expected, address))


def _shown(expected: Expected, rng: np.random.Generator, address: int) -> Iterator[Step]:
    fields = [f.field for f in expected.at[address][0].fields if "r" in f.field.access]
    yield expected.show(address, sum(f.mask for f in fields))
    for value in (0, int(rng.integers(1 << 32)), WORD):
        yield from (expected.read(address), expected.write(address, value))
    yield expected.read(address)


def _look(expected: Expected, address: int) -> tuple[Step, ...]:
    return (expected.read(address),) if _plain(expected.at[address][0], "r") else ()
