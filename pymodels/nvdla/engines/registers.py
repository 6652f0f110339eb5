# SPDX-License-Identifier: Apache-2.0
"""The register map of nv_small by name and by address, and what a group of registers holds.

Source: ``data/registers.json``, made from ``hdl/nvdla/nvdla.rdl``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.configuration import NV_SMALL, Configuration
from goldbeat.pymodels.register_map import Field, Fielded


@dataclass(frozen=True)
class CsbRegister(Fielded):
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


@cache
def _file() -> Any:
    return json.loads(files("goldbeat.pymodels.nvdla").joinpath("data/registers.json").read_text(encoding="utf-8"))


@cache
def _map() -> tuple[Mapping[tuple[str, str], CsbRegister], Mapping[int, CsbRegister]]:
    named: dict[tuple[str, str], CsbRegister] = {}
    for block, rows in _file()["blocks"].items():
        for name, address, reset, read_mask, write_mask, fields in rows:
            parts = tuple(Field(f, lsb, width) for f, (lsb, width) in fields.items())
            named[block, name] = CsbRegister(block, name, address, reset, read_mask, write_mask, parts)
    return named, {r.address: r for r in named.values()}


def csb_register(block: str, name: str) -> CsbRegister:
    """``register("SDP", "D_CVT_SCALE")``; an unknown one is a :class:`UsageError`."""
    try:
        return _map()[0][block, name]
    except KeyError:
        raise UsageError(f"there is no register {block}.{name}") from None


def register_at(address: int) -> CsbRegister | None:
    """The register at a byte address."""
    return _map()[1].get(address)


def all_registers() -> tuple[CsbRegister, ...]:
    """All of them, by address."""
    return tuple(sorted(_map()[0].values(), key=lambda r: r.address))


Tables = tuple[Sequence[int], Sequence[int]]
"""The LE and the LO lookup table of an engine."""


class Values:
    """What one group of registers holds: byte address to value, reset values where nothing was written.

    Attributes:
        luts: the engine's lookup tables, where they are known.
        configuration: of the hardware.
    """

    def __init__(
        self, written: Mapping[int, int], luts: Tables | None = None, configuration: Configuration = NV_SMALL
    ) -> None:
        self._written = written
        self.luts = luts
        self.configuration = configuration

    def get(self, block: str, name: str, field: str | None = None) -> int:
        """A register's value, or that of one of its fields."""
        one = csb_register(block, name)
        value = self._written.get(one.address, one.reset)
        return value if field is None else one.field(field).of(value)

    def has(self, block: str, name: str) -> bool:
        """Whether a register was written."""
        return csb_register(block, name).address in self._written

    def address(self, block: str, prefix: str) -> int:
        """The 64-bit address in ``<prefix>_BASE_ADDR_HIGH`` and ``_LOW``."""
        high = self.get(block, f"{prefix}_BASE_ADDR_HIGH")
        return high << 32 | self.get(block, f"{prefix}_BASE_ADDR_LOW")
