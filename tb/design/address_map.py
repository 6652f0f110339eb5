# SPDX-License-Identifier: Apache-2.0
"""Where the addresses of a module's slave ports lead, and which of them its traffic goes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from goldbeat.pymodels.axi.storage_traffic import PAGE
from goldbeat.pymodels.bus_models import Route
from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.design.ports.bundle import Bundle, Frozen, number
from goldbeat.tb.design.ports.recognition import Width


class AddressRange(Frozen):
    """``[[address_map]]``: a stretch of the slaves' addresses.

    Attributes:
        port: master port of the range; one bundle of an array by its own name (``m_axi_0``).
        base: byte address.
        bytes: size in bytes, or the parameter that gives it.
        target: address at the master. None: the same address.
        slaves: slave ports that reach it. Empty: all.
        found: the RTL was asked where its accesses arrive, and nobody has confirmed the range. It is compared with itself then.
    """

    port: str
    base: int = Field(ge=0)
    bytes: Width
    target: int | None = Field(default=None, ge=0)
    slaves: tuple[str, ...] = ()
    found: bool = False

    def text(self, values: Mapping[str, Any]) -> str:
        """Its addresses and where they lead; ``values``: of the parameters."""
        there = "" if self.target is None else f" at 0x{self.target:x}"
        of = f" of {', '.join(self.slaves)}" if self.slaves else ""
        return f"0x{self.base:x} to 0x{self.base + number(self.bytes, values) - 1:x}{of}: {self.port}{there}"

    def repeats(self, other: AddressRange, values: Mapping[str, Any]) -> bool:
        """Whether other addresses lead to the same bytes of a master."""
        one, two = (
            AddressStretch(r.base, number(r.bytes, values), r.slaves, r.port, r.base if r.target is None else r.target)
            for r in (self, other)
        )
        return self.base != other.base and one.meets(two)


@dataclass(frozen=True)
class AddressStretch:
    """A stretch of addresses that slaves share: each gets parts of its own at either end.

    Attributes:
        base, size: its first address, and bytes.
        slaves: that reach it.
        master, target: as in :class:`~goldbeat.pymodels.bus_models.Route`.
    """

    base: int
    size: int
    slaves: tuple[str, ...]
    master: str | None = None
    target: int = 0

    def part(self, word: int, most: int) -> int:
        """Bytes of each part: a power of two up to ``most``, and to a page, of two words at least where both ends are used.

        Raises:
            UsageError: there is no room for a part of ``word`` bytes for each slave, or it begins in the midst of one.
        """
        room = min(self.size // (2 * len(self.slaves)), most, PAGE)
        if room < 2 * word:
            room = min(self.size // len(self.slaves), most, PAGE)
        if room < word:
            raise UsageError(
                f"{self._name}: {self.size} bytes have no room for {word} bytes for each of {len(self.slaves)} "
                "slave port(s)"
            )
        part = 1 << room.bit_length() - 1
        while self.base % part or self.size % part or self.target % part:
            part //= 2
        if part < word:
            raise UsageError(f"{self._name}: begins or ends within a word of {word} bytes")
        return part

    def ends(self, part: int) -> list[tuple[int, int]]:
        """First addresses and bytes of what is used at either end, of all slaves; of a small stretch, at its beginning alone."""
        used = part * len(self.slaves)
        return [(self.base, used), (self.base + self.size - used, used)][: 2 if 2 * used <= self.size else 1]

    def parts(self, slave: str, part: int) -> list[int]:
        """First addresses of a slave's parts."""
        at = self.slaves.index(slave) * part
        return [base + at for base, _ in self.ends(part)]

    def meets(self, other: AddressStretch) -> bool:
        """Whether some of its bytes are also those of another stretch, at the same master."""
        low, high = sorted((self, other), key=lambda one: one.target)
        return self.master is not None and self.master == other.master and high.target < low.target + low.size

    def routes(self) -> list[Route]:
        """One a slave."""
        return [Route(slave, self.base, self.size, self.master, self.target) for slave in self.slaves]

    @property
    def _name(self) -> str:
        return f"addresses 0x{self.base:x} to 0x{self.base + self.size - 1:x}"


def stretches(
    model: str,
    slaves: Sequence[Bundle],
    masters: Sequence[Bundle],
    ranges: Sequence[AddressRange],
    params: Mapping[str, Any],
) -> list[AddressStretch]:
    """What a ready-made model says of a module's addresses.

    Args:
        model: one of :data:`~goldbeat.pymodels.bus_models.BUS_MODELS`.
        slaves: ports with widths as numbers.
        masters: likewise.
        ranges: the description's address map.
        params: parameter values.

    Raises:
        UsageError: the ports or the map do not fit the model.
    """
    names = tuple(port.name for port in slaves)
    if not slaves:
        raise UsageError(f"model {model}: the design has no slave on a memory-mapped bus")
    if model == "interconnect":
        if not ranges:
            raise UsageError("model interconnect needs [[address_map]]: port, base and bytes of each range")
        known = [port.name for port in masters]
        for one in ranges:
            if one.port not in known:
                raise UsageError(f"address_map: no master port {one.port!r}; there are: {', '.join(known) or 'none'}")
        return [
            AddressStretch(
                one.base,
                number(one.bytes, params),
                one.slaves or names,
                one.port,
                one.base if one.target is None else one.target,
            )
            for one in ranges
        ]
    spaces = [1 << port.address_bits for port in slaves]
    if model == "adapter":
        if len(slaves) != len(masters):
            raise UsageError(
                f"model adapter: found {len(slaves)} slaves and {len(masters)} masters, expected as many of each"
            )
        return [
            AddressStretch(0, min(space, 1 << master.address_bits), (slave.name,), master.name)
            for slave, master, space in zip(slaves, masters, spaces, strict=True)
        ]
    if masters:
        raise UsageError(f"model {model}: {masters[0].name} is a master; models adapter and interconnect have them")
    return [AddressStretch(0, min(spaces), names)]
