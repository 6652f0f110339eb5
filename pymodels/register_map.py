# SPDX-License-Identifier: Apache-2.0
"""Registers and their fields, as the constants made from a register map (``hdl/*/*.rdl``) name them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from goldbeat.pymodels.errors import UsageError


@dataclass(frozen=True)
class Field:
    """Bits of a register.

    Attributes:
        name: as the map writes it.
        lsb: lowest bit.
        width: number of bits.
        access: ``rw`` for bits that hold what is written; ``r`` read only; ``w`` write only; an effect of the access
            follows: ``rw1c`` (writing 1 clears), ``rw1t`` (writing 1 toggles), ``rwc`` (any write clears), ``rc`` (a
            read clears).
        reset: value after reset, 0 where the hardware's parameters decide it.
    """

    name: str
    lsb: int
    width: int
    access: str = "rw"
    reset: int = 0

    @property
    def mask(self) -> int:
        """Its bits, in place."""
        return ((1 << self.width) - 1) << self.lsb

    def of(self, value: int) -> int:
        """Its value in that of the register."""
        return (value & self.mask) >> self.lsb


class Fielded:
    """What has a name and fields, whatever else it is.

    Attributes:
        fields: from the lowest bit up.
    """

    fields: tuple[Field, ...]

    @property
    def full_name(self) -> str:
        """As messages name it."""
        raise NotImplementedError

    def field(self, name: str) -> Field:
        """A field by name; an unknown one is a :class:`UsageError`."""
        for one in self.fields:
            if one.name == name:
                return one
        raise UsageError(f"{self.full_name} has no field {name!r}; fields: {', '.join(f.name for f in self.fields)}")

    def pack(self, **values: int) -> int:
        """A value from fields; numbers too large for their field lose bits."""
        return sum((value << self.field(name).lsb) & self.field(name).mask for name, value in values.items())

    def unpack(self, value: int) -> dict[str, int]:
        """The fields in a value."""
        return {f.name: f.of(value) for f in self.fields}


@dataclass(frozen=True)
class Register(Fielded):
    """One register, or an array of them.

    Attributes:
        name: as the map writes it; ``GROUP.NAME`` in a group of registers.
        address: byte address, of the first of an array.
        fields: from the lowest bit up.
        stride: bytes from one of an array to the next, 0 without an array.
        entries: most of an array.
    """

    name: str
    address: int
    fields: tuple[Field, ...]
    stride: int = 0
    entries: int = 1

    @property
    def full_name(self) -> str:
        """Its name."""
        return self.name

    @property
    def reset(self) -> int:
        """Value after reset."""
        return sum(f.reset << f.lsb for f in self.fields)

    @property
    def held(self) -> int:
        """The bits that hold what is written to them."""
        return sum(f.mask for f in self.fields if f.access == "rw")

    @property
    def writable(self) -> bool:
        """A write is answered without an error."""
        return any("w" in f.access for f in self.fields)


def by_name(*registers: Register) -> Mapping[str, Register]:
    """The registers of a map by name."""
    return MappingProxyType({r.name: r for r in registers})
