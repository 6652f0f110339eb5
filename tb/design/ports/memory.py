# SPDX-License-Identifier: Apache-2.0
"""AXI4 ports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from goldbeat.tb.design.ports.bundle import Bundle, Signal, Width, number
from goldbeat.tb.design.ports.channels import LITE_SLAVE_OUTPUTS, check_channels

_MEMORY_SLAVE_OUTPUTS = (*LITE_SLAVE_OUTPUTS, "bid", "buser", "rid", "ruser", "rlast")

_MEMORY_FIXED = {"len": 8, "size": 3, "burst": 2, "lock": 1, "cache": 4, "prot": 3, "qos": 4, "region": 4}

_MEMORY_USERS = ("awuser", "wuser", "buser", "aruser", "ruser")

_MEMORY_IDS = ("awid", "bid", "arid", "rid")

_MEMORY_ROLES = (
    *(f"aw{s}" for s in ("id", "addr", *_MEMORY_FIXED, "user", "valid", "ready")),
    *("wdata", "wstrb", "wlast", "wuser", "wvalid", "wready", "bid", "bresp", "buser", "bvalid", "bready"),
    *(f"ar{s}" for s in ("id", "addr", *_MEMORY_FIXED, "user", "valid", "ready")),
    *("rid", "rdata", "rresp", "rlast", "ruser", "rvalid", "rready"),
)


class MemoryPort(Bundle):
    """An AXI4 bundle of the design; with ``signals``, all of the write or of the read channels may be absent.

    Attributes:
        direction: ``in`` where the design answers accesses (slave), ``out`` where it makes them (master).
        data_width, address_width, id_width: in bits; ``id_width`` 0: no IDs.
        len_width: bits of AWLEN and ARLEN; 4 on AXI3 and on NVDLA's data backbone.
        users: widths of the user signals that are there, by role (``awuser``, ``wuser``, ``buser``, ``aruser``, ``ruser``).
    """

    direction: Literal["in", "out"]
    data_width: Width = 32
    address_width: Width = 32
    id_width: Width = 0
    len_width: int = Field(default=_MEMORY_FIXED["len"], ge=1, le=8)
    users: Mapping[str, Width] = {}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        self._check_roles(_MEMORY_ROLES)
        unknown = [u for u in self.users if u not in _MEMORY_USERS]
        if unknown:
            raise ValueError(f"users: unknown role {unknown[0]!r}; known: {', '.join(_MEMORY_USERS)}")
        if self.signals is not None:
            check_channels(self.signals, ("awlen", "wlast"), ("arlen", "rlast"))
            for user in _MEMORY_USERS:
                if (user in self.users) != (user in self.signals):
                    raise ValueError(f"{user}: a user signal needs both its width and its entry in signals")
            if self.id_width == 0 and any(r in self.signals for r in _MEMORY_IDS):
                raise ValueError("id_width: found 0, expected the width of the ID signals")
        return self

    def roles(self) -> tuple[str, ...]:
        """The signals that are there."""
        if self.signals is not None:
            return tuple(r for r in _MEMORY_ROLES if r in self.signals)
        absent = {r for r in _MEMORY_USERS if r not in self.users} | {"awqos", "arqos", "awregion", "arregion"}
        if self.id_width == 0:
            absent |= set(_MEMORY_IDS)
        return tuple(r for r in _MEMORY_ROLES if r not in absent)

    def wires(self) -> list[Signal]:
        """The signals that are there."""
        data, address = int(self.data_width), int(self.address_width)
        widths = {"awaddr": address, "araddr": address, "wdata": data, "rdata": data, "wstrb": data // 8}
        widths |= {"bresp": 2, "rresp": 2, **dict.fromkeys(_MEMORY_IDS, int(self.id_width))}
        widths |= {f"{way}{name}": bits for way in ("aw", "ar") for name, bits in _MEMORY_FIXED.items()}
        widths |= dict.fromkeys(("awlen", "arlen"), self.len_width)
        widths |= {user: int(width) for user, width in self.users.items()}
        slave = self.direction == "in"
        return [
            Signal(r, widths.get(r, 1), "output" if (r in _MEMORY_SLAVE_OUTPUTS) == slave else "input")
            for r in self.roles()
        ]

    def resolved(self, params: Mapping[str, Any]) -> Self:
        """The same with widths as numbers."""
        fixed: dict[str, Any] = {
            name: number(getattr(self, name), params) for name in ("data_width", "address_width", "id_width")
        }
        fixed["users"] = {user: number(width, params) for user, width in self.users.items()}
        return self.model_copy(update=fixed)
