# SPDX-License-Identifier: Apache-2.0
"""AXI4 ports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from goldbeat.pymodels.axi.burst import DECERR, SLVERR
from goldbeat.pymodels.axi.burst import WRITE as WRITE_KIND
from goldbeat.pymodels.buses import AXI
from goldbeat.tb.design.ports.bundle import Bundle, number
from goldbeat.tb.design.ports.channels import BURSTS, NAMING, WITHHELD, incomplete, recognise_channels
from goldbeat.tb.design.ports.recognition import NotABundleError, Width, Wires

_USERS = ("awuser", "wuser", "buser", "aruser", "ruser")
_IDS = ("awid", "bid", "arid", "rid")
_LEN_BITS = 8
_FIXED = {one.name: one.width for one in AXI.signals if isinstance(one.width, int)}
_FIXED |= dict.fromkeys(("awlen", "arlen"), _LEN_BITS)


class MemoryPort(Bundle):
    """An AXI4 bundle of the design; with ``signals``, all of the write or of the read channels may be absent.

    Attributes:
        data_width, address_width, id_width: widths in bits; ``id_width`` 0: no IDs.
        len_width: bits of AWLEN and ARLEN; 4 on AXI3 and buses made after it.
        users: widths of the user signals by role (``awuser``, ``wuser``, ``buser``, ``aruser``, ``ruser``).
    """

    spec = AXI
    native: ClassVar[Mapping[str, str]] = {
        "in": "goldbeat.tb.kernel.axi:AxiMaster",
        "out": "goldbeat.tb.kernel.axi:AxiMemory",
    }
    monitor = "goldbeat.tb.kernel.axi:AxiChecker"
    namings = (NAMING,)
    addresses_of = ("araddr", "awaddr")
    read_data = "rdata"
    strobes_of = "wstrb"
    responses_of = ("rresp", "bresp")
    refusals = (SLVERR, DECERR)
    withheld = WITHHELD

    bus: str = AXI.name
    direction: Literal["in", "out"]
    data_width: Width = 32
    address_width: Width = 32
    id_width: Width = 0
    len_width: int = Field(default=_LEN_BITS, ge=1, le=8)
    users: Mapping[str, Width] = {}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        unknown = [u for u in self.users if u not in _USERS]
        if unknown:
            raise ValueError(f"users: unknown role {unknown[0]!r}; known: {', '.join(_USERS)}")
        if self.signals is not None:
            if wrong := incomplete(self.signals, ("awlen", "wlast"), ("arlen", "rlast")):
                raise ValueError(f"signals: {wrong}")
            for user in _USERS:
                if (user in self.users) != (user in self.signals):
                    raise ValueError(f"{user}: a user signal needs both its width and its entry in signals")
            if self.id_width == 0 and any(r in self.signals for r in _IDS):
                raise ValueError("id_width: found 0, expected the width of the ID signals")
        return self

    def usual(self) -> list[str]:
        """All but QoS and regions, users and IDs where they have a width."""
        absent = {r for r in _USERS if r not in self.users} | {"awqos", "arqos", "awregion", "arregion"}
        if self.id_width == 0:
            absent |= set(_IDS)
        return [r for r in self.spec.roles if r not in absent]

    def widths(self) -> Mapping[str, int]:
        """Bits by what the bus's signals call their widths."""
        names = ("data_width", "address_width", "id_width", "len_width")
        widths = {name: int(getattr(self, name)) for name in names}
        return {**widths, "bytes": widths["data_width"] // 8, **{user: int(bits) for user, bits in self.users.items()}}

    def resolved(self, params: Mapping[str, Any]) -> Self:
        """The same with widths as numbers."""
        fixed: dict[str, Any] = {
            name: number(getattr(self, name), params) for name in ("data_width", "address_width", "id_width")
        }
        fixed["users"] = {user: number(width, params) for user, width in self.users.items()}
        return self.model_copy(update=fixed)

    def native_options(self) -> dict[str, Any]:
        """The memory waits for the start of an episode."""
        return {"held": True} if self.direction == "out" else {}

    def attribute(self, kind: int, name: str) -> str:
        """``awprot`` for the protection of writes."""
        role = f"{'aw' if kind == WRITE_KIND else 'ar'}{name}"
        return role if role in self.spec.roles else ""

    def paths(self) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
        """No output of the interface may follow an input of it."""
        ways = {way: tuple(w.name for w in self.wires() if w.way == way) for way in ("input", "output")}
        return ((f"{self.spec.name}_combinational", ways["input"], ways["output"]),)

    def shape(self, bits: Callable[[Width], str]) -> str:
        """Its widths for people."""
        return f"{bits(self.data_width)} bit, address {bits(self.address_width)}, id {bits(self.id_width)}"

    @classmethod
    def recognise(cls, wires: Wires) -> Self | None:
        """AXI channels with bursts."""
        if not BURSTS & wires.roles.keys():
            return None
        array, common = recognise_channels(wires, AXI, _FIXED)
        roles = wires.roles
        data = array.bits(roles.get("wdata") or roles["rdata"])
        if data not in (8, 16, 32, 64, 128, 256, 512, 1024):
            raise NotABundleError(f"{wires.name} is AXI4 of {data} bits, expected a power of two from 8 to 1024")
        if ids := [r for r in _IDS if r in roles]:
            common["id_width"] = wires.common(array, ids)
        users = {r: array.width(roles[r]) for r in _USERS if r in roles}
        return cls(signals=wires.signals, users=users, **common)
