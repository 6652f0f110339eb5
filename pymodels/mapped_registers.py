# SPDX-License-Identifier: Apache-2.0
"""A register file that does what a register map says: the words of its bus, and what each access of them must answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from goldbeat.pymodels.stimulus import Access, strobed_bits

ERROR, ZERO, ANY, SKIP = "error", "zero", "any", "skip"
"""What is answered where the map allows no access: an error; OKAY, reads 0, writes nothing; OKAY, reads anything; not tried."""

UNMAPPED = "(unmapped)"
"""What messages call an address without a register."""


@dataclass(frozen=True)
class MappedBits:
    """Bits of a word that one field has there.

    Attributes:
        name: of the field.
        lsb, width: in the word.
        readable, writable: by software.
        on_write: what a write does: empty stores the value; ``woclr``, ``woset``, ``wot``, ``wzc``, ``wzs``, ``wzt``: bits
            written 1 (0) are cleared, set, toggled; ``wclr``, ``wset``: all bits, whatever is written.
        on_read: empty, ``rclr``, ``rset``: behind a read.
        reset: value after reset; None: the map gives none.
        pulse: what is written is gone again by itself.
        hardware: the hardware changes it.
        tested: accesses of it have no effect elsewhere.
        sign_extended: the bits above it read as its sign.
    """

    name: str
    lsb: int
    width: int
    readable: bool = True
    writable: bool = True
    on_write: str = ""
    on_read: str = ""
    reset: int | None = 0
    pulse: bool = False
    hardware: bool = False
    tested: bool = True
    sign_extended: bool = False

    @property
    def mask(self) -> int:
        """Its bits, in place."""
        return (1 << self.width) - 1 << self.lsb

    def written(self, held: int, value: int, lanes: int) -> int:
        """The word behind a write of the bits of ``lanes``."""
        mask = self.mask & lanes
        if self.pulse or not mask:
            return held
        ones, zeros = value & mask, ~value & mask
        match self.on_write:
            case "":
                return held & ~mask | ones
            case "woclr":
                return held & ~ones
            case "woset":
                return held | ones
            case "wot":
                return held ^ ones
            case "wzc":
                return held & ~zeros
            case "wzs":
                return held | zeros
            case "wzt":
                return held ^ zeros
        return held | self.mask if self.on_write == "wset" else held & ~self.mask


@dataclass(frozen=True)
class MappedWord:
    """A word of the bus.

    Attributes:
        name: of the register, or registers, that have it.
        address: byte address.
        bits: of the fields in it.
        plain: all accesses of it may be made; else the map says that tests must leave it alone.
    """

    name: str
    address: int
    bits: tuple[MappedBits, ...]
    plain: bool = True

    @property
    def readable(self) -> bool:
        """Something in it can be read."""
        return any(one.readable for one in self.bits)

    @property
    def writable(self) -> bool:
        """Something in it can be written."""
        return any(one.writable for one in self.bits)

    @property
    def untouched(self) -> int:
        """Bits that tests write 0 to: those whose writes have effects elsewhere."""
        return sum(one.mask for one in self.bits if one.writable and not one.tested)


@dataclass(frozen=True)
class AnswerRules:
    """What is answered where a map is silent.

    Attributes:
        unmapped: addresses without a register: ``error``; ``zero``; ``any`` (OKAY with any data); ``skip``.
        forbidden: reads of what can only be written, writes of what can only be read.
        strobes: writes of some bytes of a word: ``bytes`` (they are stored), ``error``, ``skip``.
        hardware: ``mask``: fields that the hardware changes are not compared; ``still``: the design is idle, they stay.
    """

    unmapped: str = ERROR
    forbidden: str = ERROR
    strobes: str = "bytes"
    hardware: str = "mask"


@dataclass(frozen=True)
class Elsewhere:
    """What a slave answers where its map has nothing.

    Attributes:
        rule: as :attr:`AnswerRules.unmapped`.
        mapped: the byte addresses of the map, in order.
        memories: those of its memories.
    """

    rule: str
    mapped: tuple[range, ...]
    memories: tuple[range, ...] = ()


@dataclass
class MappedFile:
    """The registers after reset; each method makes an access and gives it with what must come of it.

    Attributes:
        words: by address.
        size: bytes of a word.
        rules: where the map is silent.
    """

    words: Sequence[MappedWord]
    size: int
    rules: AnswerRules
    _at: dict[int, MappedWord] = field(init=False)
    _held: dict[int, int] = field(init=False)
    _known: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self._at = {word.address: word for word in self.words}
        self._held = {a: sum((b.reset or 0) << b.lsb for b in w.bits) for a, w in self._at.items()}
        unset = {a: sum(b.mask for b in w.bits if b.reset is None) for a, w in self._at.items()}
        self._known = {a: ~unset[a] & self._all for a in self._at}

    @property
    def _all(self) -> int:
        return (1 << 8 * self.size) - 1

    def held(self, address: int) -> int:
        """What the register at an address holds."""
        return self._held[address]

    def read(self, address: int) -> list[Access]:
        """A read, or none where it must not be tried."""
        word = self._at.get(address)
        if word is None or not word.readable:
            return self._refused("read", address, 0, "unmapped" if word is None else "forbidden")
        readable = [one for one in word.bits if one.readable]
        if not any(one.tested for one in readable):
            return []
        value = sum(one.mask & self._held[address] for one in readable)
        for one in readable:
            if one.sign_extended and value >> one.lsb + one.width - 1 & 1:
                value |= self._all & ~((1 << one.lsb + one.width) - 1)
        fields = sum(one.mask for one in readable)
        compared = self._known[address] | self._all & ~fields
        unset = fields & ~self._known[address]
        compared &= ~sum(one.mask for one in readable if self._hidden(one))
        for one in readable:
            if one.on_read:
                self._held[address] &= ~one.mask
                self._held[address] |= one.mask if one.on_read == "rset" else 0
                self._known[address] |= one.mask
        return [replace(self._access("read", address, value, mask=compared), unset=unset)]

    def write(self, address: int, value: int, strobe: int | None = None) -> list[Access]:
        """A write, or none where it must not be tried; of all bytes where ``strobe`` is None."""
        word = self._at.get(address)
        if word is None or not word.writable:
            key = "unmapped" if word is None else "forbidden"
            return self._refused("write", address, value, key, strobe if self.rules.strobes == "bytes" else None)
        if not any(one.tested for one in word.bits if one.writable):
            return []
        value &= self._all & ~word.untouched
        whole = (1 << self.size) - 1
        used = whole if strobe is None else strobe
        if used != whole and self.rules.strobes != "bytes":
            if self.rules.strobes == SKIP:
                return []
            return [self._access("write", address, value, used, error=True, rule="strobes")]
        lanes = strobed_bits(used, self.size)
        for one in word.bits:
            if one.writable:
                self._held[address] = one.written(self._held[address], value, lanes)
                known = one.mask if one.on_write in ("wclr", "wset") else one.mask & lanes if not one.on_write else 0
                self._known[address] |= known
        return [self._access("write", address, value, used)]

    def _hidden(self, one: MappedBits) -> bool:
        return not one.tested or (one.hardware and self.rules.hardware == "mask")

    def _refused(self, op: str, address: int, value: int, key: str, strobe: int | None = None) -> list[Access]:
        """An access that a setting of :class:`AnswerRules` is about."""
        rule = getattr(self.rules, key)
        if rule == SKIP:
            return []
        mask = 0 if op == "read" and rule == ANY else None
        return [self._access(op, address, value, strobe, mask=mask, error=rule == ERROR, rule=key)]

    def _access(
        self,
        op: str,
        address: int,
        value: int,
        strobe: int | None = None,
        *,
        mask: int | None = None,
        error: bool = False,
        rule: str = "",
    ) -> Access:
        word = self._at.get(address)
        return Access(
            op,
            address,
            value,
            (1 << self.size) - 1 if strobe is None else strobe,
            error=error,
            mask=mask,
            register=word.name if word else UNMAPPED,
            fields=tuple((b.name, b.lsb, b.width) for b in word.bits) if word else (),
            rule=rule,
        )
