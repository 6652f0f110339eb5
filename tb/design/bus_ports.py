# SPDX-License-Identifier: Apache-2.0
"""The bus ports of a module with a ready-made model: where its addresses lead, and what accesses carry there and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from goldbeat.pymodels.axi.attributes import ATTRIBUTES, AttributeDraw, Key
from goldbeat.pymodels.axi.burst import READ, WRITE
from goldbeat.pymodels.axi.storage_traffic import LONGEST_EXCLUSIVE
from goldbeat.pymodels.bus_models import Route
from goldbeat.pymodels.register_walk import protected
from goldbeat.pymodels.stimulus import Access
from goldbeat.tb.design.address_map import AddressStretch
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.register import RegisterPort

_KINDS = (READ, WRITE)
DATA_USERS = ("wuser", "buser", "ruser")
"""User signals that go along with data and answers."""
_EXCLUSIVE_BEATS = 16
_CHUNK = 64
"""Bytes of bursts whose attributes are equal: few bursts go beyond, and many begin elsewhere."""


@dataclass(frozen=True)
class BusPorts:
    """A module's ports for one set of parameter values, and where its addresses lead.

    Attributes:
        slaves, masters: on memory-mapped buses, widths as numbers.
        stretches: of addresses.
        closed: addresses of no stretch must be answered with an error.
        unchecked: signals that the description confirms as not compared.
    """

    slaves: Sequence[Bundle]
    masters: Sequence[Bundle]
    stretches: Sequence[AddressStretch]
    closed: bool = False
    unchecked: frozenset[str] = frozenset()

    @property
    def word(self) -> int:
        """Bytes of the widest bus."""
        return max(data_bytes(port) for port in (*self.slaves, *self.masters))

    def bytes_of(self, slave: str) -> int:
        """Bytes of a slave's data."""
        return next(data_bytes(port) for port in self.slaves if port.name == slave)

    def without_aliases(self, rng: np.random.Generator) -> BusPorts:
        """The same with stretches of which no two lead to one byte: of those that do, one is drawn."""
        if not any(one.meets(other) for one, other in combinations(self.stretches, 2)):
            return self
        kept: list[AddressStretch] = []
        for number in rng.permutation(len(self.stretches)):
            one = self.stretches[int(number)]
            kept += [] if any(one.meets(other) for other in kept) else [one]
        return replace(self, stretches=sorted(kept, key=self.stretches.index))

    def part(self, stretch: AddressStretch, most: int) -> int:
        """Bytes of each part of a stretch; no part is smaller than a word of the widest bus."""
        return stretch.part(self.word, most)

    def routes(self) -> list[Route]:
        """Where the addresses of each slave lead, with the attributes that must arrive there."""
        slaves, masters = ({port.name: port for port in side} for side in (self.slaves, self.masters))
        return [
            replace(
                route,
                word=self.word,
                carried=dict(self._carried(slaves[route.slave], masters[route.master])),
                write_user=self.data_users(slaves[route.slave], masters[route.master]).get("wuser", ""),
                once=_once(slaves[route.slave], masters[route.master]),
                ordered=_ordered(slaves[route.slave], masters[route.master]),
                unit=data_bytes(masters[route.master]),
            )
            if route.master is not None
            else route
            for stretch in self.stretches
            for route in stretch.routes()
        ]

    def answers(self, port: Bundle, kind: int) -> bool:
        """Whether what a slave says of reads or writes is compared."""
        return port.answers(kind) and port.pin(port.responses_of[kind]) not in self.unchecked

    def draw(self, port: Bundle, seed: int) -> AttributeDraw:
        """What the accesses of a slave carry; confirmed attributes do not vary."""
        return attribute_draw(port, seed, self.unchecked, _CHUNK if isinstance(port, MemoryPort) else self.word)

    def data_users(self, slave: Bundle, master: Bundle) -> dict[str, str]:
        """The user signals of data and answers that pass unchanged between a slave and a master, with the signal that receives."""
        found = {}
        for role in DATA_USERS:
            if role in self._open_users(slave, master) or not (slave.has(role) and master.has(role)):
                continue
            pins = (slave.pin(role), master.pin(role))
            if not self.unchecked.intersection(pins):
                found[role] = pins[role == "wuser"]
        return found

    def _open_users(self, slave: Bundle, master: Bundle) -> dict[str, str]:
        """The user signals of data and answers of either side that cannot be compared, and why."""
        found = {}
        same = data_bytes(slave) == data_bytes(master)
        for role in DATA_USERS:
            here, there = (isinstance(one, MemoryPort) and one.has(role) for one in (slave, master))
            if not (here or there):
                continue
            if not (here and there and _bits(slave, role) == _bits(master, role)):
                found[role] = "has nothing equal to it"
            elif not same and role != "buser":
                found[role] = "has another data width"
        return found

    def exclusive(self, slave: Bundle, master: Bundle) -> tuple[int, int]:
        """Least and most bytes of the exclusive accesses that a slave can make at a master; most 0: it cannot.

        Whole words of the widest bus stay aligned, however wide the beats are made.
        """
        if not (isinstance(slave, MemoryPort) and isinstance(master, MemoryPort)):
            return (0, 0)
        if not all((kind, "lock") in dict(self._carried(slave, master)) for kind in _KINDS):
            return (0, 0)
        if self._shares_ids(slave, master):
            return (0, 0)
        return self.word, min(LONGEST_EXCLUSIVE, _EXCLUSIVE_BEATS * data_bytes(master))

    def open(self) -> dict[str, str]:
        """Signals of attributes and responses that nothing compares, and why."""
        found: dict[str, str] = {}
        pairs = list(self._pairs())
        for master in self.masters:
            slaves = [slave for slave, one in pairs if one is master]
            for kind, name in _keys():
                if not (role := _role(master, kind, name)):
                    continue
                if not any(self._settled(slave, master, kind, name) for slave in slaves):
                    found[master.pin(role)] = f"not predicted: nothing that is equal to it leads to {master.name}"
            for kind in _KINDS:
                if blind := [s.name for s in slaves if master.answers(kind) and not s.answers(kind)]:
                    way = "writes" if kind == WRITE else "reads"
                    found[master.pin(master.responses_of[kind])] = f"not compared: {blind[0]} has no response to {way}"
        for slave, master in pairs:
            for kind, name in _keys():
                role = _role(slave, kind, name)
                if role and master.attribute(kind, name) and not self._settled(slave, master, kind, name):
                    found[slave.pin(role)] = f"not compared: {master.name} has nothing equal to it"
                elif role and name == "lock" and self._shares_ids(slave, master):
                    found[slave.pin(role)] = "never set: slaves share the IDs that exclusive accesses are told apart by"
            for role, why in self._open_users(slave, master).items():
                pins = [(a.pin(role), b.name) for a, b in ((slave, master), (master, slave)) if a.has(role)]
                if not self.unchecked.intersection(pin for pin, _ in pins):
                    found |= {pin: f"not compared: {other} {why}" for pin, other in pins}
        return {pin: why for pin, why in found.items() if pin not in self.unchecked}

    def _pairs(self) -> Iterator[tuple[Bundle, Bundle]]:
        """Each slave with each master that it reaches."""
        masters = {port.name: port for port in self.masters}
        for slave in self.slaves:
            for name in dict.fromkeys(one.master for one in self.stretches if slave.name in one.slaves):
                if name is not None:
                    yield slave, masters[name]

    def _shares_ids(self, slave: Bundle, master: Bundle) -> bool:
        """Whether monitors of exclusive accesses, which tell masters apart by their IDs, take several slaves for one."""
        if not (isinstance(slave, MemoryPort) and isinstance(master, MemoryPort)):
            return False
        others = {name for one in self.stretches if one.master == master.name for name in one.slaves}
        return len(others) > 1 and int(master.id_width) <= int(slave.id_width)

    def _settled(self, slave: Bundle, master: Bundle, kind: int, name: str) -> bool:
        """Whether an attribute is compared on its way from a slave to a master, or confirmed on either side."""
        roles = ((port, _role(port, kind, name)) for port in (slave, master))
        confirmed = any(role and port.pin(role) in self.unchecked for port, role in roles)
        return confirmed or (kind, name) in dict(self._carried(slave, master))

    def _carried(self, slave: Bundle, master: Bundle) -> Iterator[tuple[Key, str]]:
        """The attributes that pass from a slave to a master, and the signal there."""
        for kind, name in _keys():
            there, here = _role(master, kind, name), _role(slave, kind, name)
            if not there or master.pin(there) in self.unchecked or (here and slave.pin(here) in self.unchecked):
                continue
            # Without a lock, no access is exclusive.
            if (here and _bits(slave, here) == _bits(master, there)) or (not here and name == "lock"):
                yield (kind, name), master.pin(there)


def _once(slave: Bundle, master: Bundle) -> frozenset[int]:
    """The kinds of a slave's accesses whose words reach a master at most as often as they were asked for.

    Reads may fetch more; so only those between register buses count.
    """
    again = any(isinstance(port, RegisterPort) and not port.once for port in (slave, master))
    return _ordered(slave, master) | (frozenset() if again else {WRITE})


def _ordered(slave: Bundle, master: Bundle) -> frozenset[int]:
    """The kinds of a slave's accesses that reach a master as one access each, as words are equal and nothing is repeated."""
    if not (isinstance(slave, RegisterPort) and isinstance(master, RegisterPort)):
        return frozenset()
    if data_bytes(slave) != data_bytes(master) or not (slave.once and master.once):
        return frozenset()
    # Where parts of words cannot be written, words are read first.
    return frozenset({WRITE, READ} if master.strobes or not slave.strobes else {WRITE})


def attribute_draw(port: Bundle, seed: int, unchecked: frozenset[str], chunk: int) -> AttributeDraw:
    """Attributes of accesses to a slave: those that the description confirms as not compared keep their defaults."""
    roles = {key: _role(port, *key) for key in _keys()}
    users = tuple(_bits(port, role) if (role := roles[kind, "user"]) else 0 for kind in _KINDS)
    fixed = frozenset(key for key, role in roles.items() if role and port.pin(role) in unchecked)
    return AttributeDraw(seed, chunk, (users[READ], users[WRITE]), fixed)


def varied(program: Sequence[Access], port: Bundle, seed: int, unchecked: Iterable[str]) -> tuple[Access, ...]:
    """The accesses with random protection, unless the description confirms that of the port."""
    return protected(program, attribute_draw(port, seed, frozenset(unchecked), data_bytes(port)))


def data_bytes(port: Bundle) -> int:
    """Bytes of a port's data."""
    return int(port.widths()["data_width"]) // 8


def _keys() -> list[Key]:
    return [(kind, name) for name in ATTRIBUTES for kind in _KINDS]


def _role(port: Bundle, kind: int, name: str) -> str:
    """The role of an attribute on a port; empty: it has none."""
    role = port.attribute(kind, name)
    return role if role and port.has(role) else ""


def _bits(port: Bundle, role: str) -> int:
    return next(one.width for one in port.wires() if one.name == role)
