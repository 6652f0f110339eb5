# SPDX-License-Identifier: Apache-2.0
"""The register map of nv_small by name and by address, and what a group of registers holds.

Source: the public register manual of nvdla/hw, branch nv_small (``data/registers.json``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from goldbeat.pymodels.errors import UsageError


@dataclass(frozen=True)
class Field:
    """Bits of a register.

    Attributes:
        name: as the manual writes it.
        lsb: lowest bit.
        width: number of bits.
    """

    name: str
    lsb: int
    width: int

    @property
    def mask(self) -> int:
        """Its bits, in place."""
        return ((1 << self.width) - 1) << self.lsb

    def of(self, value: int) -> int:
        """Its value in that of the register."""
        return (value & self.mask) >> self.lsb


@dataclass(frozen=True)
class Register:
    """One register; ``address`` is a byte address, the CSB carries it shifted right by two."""

    block: str
    name: str
    address: int
    reset: int
    read_mask: int
    write_mask: int
    fields: tuple[Field, ...]

    @property
    def full_name(self) -> str:
        """``SDP.D_CVT_SCALE``."""
        return f"{self.block}.{self.name}"

    def field(self, name: str) -> Field:
        """A field by name."""
        for one in self.fields:
            if one.name == name:
                return one
        raise UsageError(f"{self.full_name} has no field {name!r}; fields: {', '.join(f.name for f in self.fields)}")

    def pack(self, **values: int) -> int:
        """A value from fields; numbers too large for their field lose bits, as in the driver."""
        return sum((value << self.field(name).lsb) & self.field(name).mask for name, value in values.items())

    def unpack(self, value: int) -> dict[str, int]:
        """The fields in a value."""
        return {f.name: f.of(value) for f in self.fields}


@cache
def _map() -> tuple[Mapping[tuple[str, str], Register], Mapping[int, Register]]:
    text = files("goldbeat.pymodels.nvdla").joinpath("data/registers.json").read_text(encoding="utf-8")
    named: dict[tuple[str, str], Register] = {}
    for block, rows in json.loads(text)["blocks"].items():
        for name, address, reset, read_mask, write_mask, fields in rows:
            parts = tuple(Field(f, lsb, width) for f, (lsb, width) in fields.items())
            named[block, name] = Register(block, name, address, reset, read_mask, write_mask, parts)
    return named, {r.address: r for r in named.values()}


def register(block: str, name: str) -> Register:
    """``register("SDP", "D_CVT_SCALE")``; an unknown one is a :class:`UsageError`."""
    try:
        return _map()[0][block, name]
    except KeyError:
        raise UsageError(f"nv_small has no register {block}.{name}") from None


def register_at(address: int) -> Register | None:
    """The register at a byte address."""
    return _map()[1].get(address)


def all_registers() -> tuple[Register, ...]:
    """All of them, by address."""
    return tuple(sorted(_map()[0].values(), key=lambda r: r.address))


Tables = tuple[Sequence[int], Sequence[int]]
"""The LE and the LO lookup table of an engine."""


class Values:
    """What one group of registers holds: byte address to value, reset values where nothing was written.

    Attributes:
        luts: the engine's lookup tables, where they are known.
    """

    def __init__(self, written: Mapping[int, int], luts: Tables | None = None) -> None:
        self._written = written
        self.luts = luts

    def get(self, block: str, name: str, field: str | None = None) -> int:
        """A register's value, or that of one of its fields."""
        one = register(block, name)
        value = self._written.get(one.address, one.reset)
        return value if field is None else one.field(field).of(value)

    def address(self, block: str, prefix: str) -> int:
        """The 64-bit address in ``<prefix>_BASE_ADDR_HIGH`` and ``_LOW``."""
        high = self.get(block, f"{prefix}_BASE_ADDR_HIGH")
        return high << 32 | self.get(block, f"{prefix}_BASE_ADDR_LOW")
