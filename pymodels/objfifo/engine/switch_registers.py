# SPDX-License-Identifier: Apache-2.0
"""The register file of the switch between engines, and register programs for it. Contract: objfifo-array.md, Packets, Registers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine import switch_map as reg
from goldbeat.pymodels.objfifo.engine.array_shape import ArrayShape
from goldbeat.pymodels.objfifo.engine.registers import Reply
from goldbeat.pymodels.stimulus import Access

SLOTS = 4
"""Slots of a source (objfifo-array.md, Packets)."""

ARBITERS = 8
"""Arbiters of the switch (objfifo-array.md, Packets)."""

MSEL_COUNT = 4
"""Values of MSEL (objfifo-array.md, Packets)."""

_FULL_STROBE = 0xF


@dataclass(frozen=True)
class SwitchSlot:
    """An enabled slot of a packet source.

    Attributes:
        id, mask: the ids that it matches: those with ``(packet id & mask) == (id & mask)``.
        arbiter: 0 to 7.
        msel: 0 to 3.
    """

    id: int
    mask: int = 0x1F
    arbiter: int = 0
    msel: int = 0

    def matches(self, header: int) -> bool:
        """Whether packets with this header, or id, take the slot."""
        return (header & self.mask) == (self.id & self.mask)


@dataclass(frozen=True)
class SwitchTaker:
    """A target that takes packets.

    Attributes:
        arbiter: whose packets, 0 to 7.
        msels: bit m: packets of slots with ``msel`` m.
        drop_header: it does not get the headers.
    """

    arbiter: int
    msels: int = 1
    drop_header: bool = False


def worker_address(number: int) -> int:
    """Where the registers of a worker begin."""
    return reg.WORKER + reg.WORKER_STRIDE * number


def route_writes(routes: Mapping[int, int], workers: Mapping[int, tuple[int, int]] | None = None) -> tuple[Access, ...]:
    """The switch's register program: source by target; ADD and WORK by worker."""
    found = [
        Access("write", reg.ROUTE + reg.ROUTE_STRIDE * target, source | reg.ROUTE_ROUTED)
        for target, source in routes.items()
    ]
    for worker, (add, work) in (workers or {}).items():
        at = worker_address(worker)
        found += [Access("write", at + reg.WORKER_ADD, add), Access("write", at + reg.WORKER_WORK, work)]
    return tuple(found)


def packet_writes(
    sources: Mapping[int, Sequence[SwitchSlot | None]], takers: Mapping[int, SwitchTaker]
) -> tuple[Access, ...]:
    """The switch's register program for packets.

    Args:
        sources: by number, the slots of each source that sends packets, the first one first; None for one that is not enabled.
        takers: by number, the targets that take packets.

    Raises:
        UsageError: more slots than a source has, or a value that its field cannot hold.
    """
    found = []
    for source, slots in sources.items():
        if len(slots) > SLOTS:
            raise UsageError(f"source {source} of the switch has {SLOTS} packet slots, {len(slots)} are needed")
        for n, slot in enumerate(slots):
            at = reg.SLOT + reg.SLOT_STRIDE * (SLOTS * source + n)
            found.append(Access("write", at, 0 if slot is None else _slot_word(slot, f"slot {n} of source {source}")))
        found.append(Access("write", reg.SOURCE + reg.SOURCE_STRIDE * source, reg.SOURCE_PACKETS))
    for target, taker in takers.items():
        found.append(Access("write", reg.ROUTE + reg.ROUTE_STRIDE * target, _taker_word(taker, f"target {target}")))
    return tuple(found)


def _slot_word(slot: SwitchSlot, what: str) -> int:
    values = {"ID": slot.id, "MASK": slot.mask, "ENABLE": 1, "MSEL": slot.msel, "ARBITER": slot.arbiter}
    return _word("SLOT", values, what)


def _taker_word(taker: SwitchTaker, what: str) -> int:
    values = {"PACKET": 1, "DROP_HEADER": taker.drop_header, "ARBITER": taker.arbiter, "MSELS": taker.msels}
    return _word("ROUTE", values, what)


def _word(name: str, values: Mapping[str, int], what: str) -> int:
    """A register's value; its fields must hold what is put into them."""
    register = reg.REGISTERS[name]
    for key, value in values.items():
        most = (1 << register.field(key).width) - 1
        if not 0 <= value <= most:
            raise UsageError(f"{what} of the switch: {key} = {value}, expected 0 to {most}")
    return register.pack(**values)


class SwitchRegisters:
    """The register file of the switch.

    Attributes:
        values: by address.
    """

    def __init__(self, shape: ArrayShape) -> None:
        there = {
            "ROUTE": shape.targets,
            "WORKER.ADD": shape.workers,
            "WORKER.WORK": shape.workers,
            "SOURCE": shape.sources,
            "SLOT": SLOTS * shape.sources,
        }
        arrays = ((reg.REGISTERS[name], number) for name, number in there.items())
        self._masks = {one.address + one.stride * n: one.held for one, number in arrays for n in range(number)}
        self._shape = shape
        self.values = dict.fromkeys(self._masks, 0)

    def apply(self, accesses: Sequence[Access]) -> list[Reply]:
        """Make accesses in order; the answers."""
        return [self._access(access) for access in accesses]

    def _access(self, access: Access) -> Reply:
        address = access.address & ~3
        if access.op == "read":
            value = reg.ID_RESET if address == reg.ID else self.values.get(address)
            return value, value is None
        if address not in self.values or access.strobe != _FULL_STROBE:
            return None, True
        self.values[address] = (access.value or 0) & self._masks[address]
        return None, False

    def _routes(self) -> list[tuple[int, int]]:
        """Number and register of each target."""
        return [(t, self.values[reg.ROUTE + reg.ROUTE_STRIDE * t]) for t in range(self._shape.targets)]

    def circuits(self) -> dict[int, int]:
        """The source of each target that has one and takes no packets."""
        return {
            target: value & reg.ROUTE_SOURCE
            for target, value in self._routes()
            if value & reg.ROUTE_ROUTED and not value & reg.ROUTE_PACKET
        }

    def takers(self) -> dict[int, SwitchTaker]:
        """The targets that take packets."""
        field = reg.REGISTERS["ROUTE"].unpack
        found = {target: field(value) for target, value in self._routes() if value & reg.ROUTE_PACKET}
        return {t: SwitchTaker(f["ARBITER"], f["MSELS"], bool(f["DROP_HEADER"])) for t, f in found.items()}

    def packet_sources(self) -> dict[int, tuple[SwitchSlot, ...]]:
        """The enabled slots of each source that sends packets, in their order."""
        return {
            source: tuple(self._slots(source))
            for source in range(self._shape.sources)
            if self.values[reg.SOURCE + reg.SOURCE_STRIDE * source] & reg.SOURCE_PACKETS
        }

    def _slots(self, source: int) -> Iterator[SwitchSlot]:
        for k in range(SLOTS * source, SLOTS * (source + 1)):
            field = reg.REGISTERS["SLOT"].unpack(self.values[reg.SLOT + reg.SLOT_STRIDE * k])
            if field["ENABLE"]:
                yield SwitchSlot(field["ID"], field["MASK"], field["ARBITER"], field["MSEL"])

    def worker(self, number: int) -> tuple[int, int]:
        """ADD and WORK."""
        at = worker_address(number)
        return self.values[at + reg.WORKER_ADD], self.values[at + reg.WORKER_WORK]
