# SPDX-License-Identifier: Apache-2.0
"""APB ports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from pydantic import model_validator

from goldbeat.pymodels.axi.burst import SLVERR
from goldbeat.pymodels.buses import APB
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.tb.design.ports.recognition import Naming, NotABundleError, Wires
from goldbeat.tb.design.ports.register import Level, RegisterPort

_NEEDED = ("psel", "penable", "paddr", "pwrite", "pwdata", "prdata")
_WORDS = (8, 16, 32)


class ApbPort(RegisterPort):
    """An APB3 or APB4 bundle of the design.

    ``data_width`` is 8, 16 or 32. PSTRB (without it words are written whole), PPROT (driven 0), PREADY (without it nothing waits)
    and PSLVERR (without it nothing fails) are there where ``signals`` names them, all but PPROT without ``signals``.
    """

    spec = APB
    native: ClassVar[Mapping[str, str]] = {
        "in": "goldbeat.tb.kernel.apb:ApbMaster",
        "out": "goldbeat.tb.kernel.apb:ApbMemory",
    }
    monitor = "goldbeat.tb.kernel.apb:ApbChecker"
    reference: ClassVar[Mapping[str, str]] = {"in": "goldbeat.tb.inside.transactors.reference_apb:ApbReference"}
    namings = (
        Naming(
            "p(?:selx?|enable|addr|write|wdata|w?strb|prot|rdata|ready|slverr)",
            (frozenset(_NEEDED),),
            APB.name,
            aliases={"pselx": "psel", "pwstrb": "pstrb"},
        ),
    )

    alone = True
    addresses_of = ("paddr", "paddr")
    read_data = "prdata"
    strobes_of = "pstrb"
    responses_of = ("pslverr", "pslverr")
    refusals = (SLVERR,)

    bus: str = APB.name

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        lacks = [] if self.signals is None else [r for r in _NEEDED if r not in self.signals]
        if lacks:
            raise ValueError(f"signals: APB lacks {', '.join(lacks)}")
        if isinstance(self.data_width, int) and self.data_width not in _WORDS:
            raise ValueError(f"data_width: found {self.data_width}, expected 8, 16 or 32")
        return self

    def usual(self) -> tuple[str, ...]:
        """All but the protection."""
        return tuple(role for role in self.spec.roles if role != "pprot")

    def attribute(self, kind: int, name: str) -> str:
        """The protection."""
        return "pprot" if name == "prot" else ""

    def fitting(self, traffic: RegisterTraffic) -> RegisterTraffic:
        """The gaps: APB has room for one access at a time, one handshake for all of it, and no back-pressure on answers."""
        return RegisterTraffic(gap=traffic.gap, seed=traffic.seed, rest=traffic.rest)

    def wait_states(self, first: int, last: int) -> int:
        """Cycles with PENABLE and without PREADY."""
        return last - first - 1

    def waits(self, *, reads: bool, level: Level) -> str:
        """The access phase that does not end."""
        if not level("psel"):
            return "no access has begun"
        return "penable without pready" if level("penable") else "psel without penable"

    @classmethod
    def recognise(cls, wires: Wires) -> Self | None:
        """One slave or master, or an array of them with everything of its own."""
        roles = wires.roles
        lead = roles["psel"]
        direction = wires.direction(lead, APB)
        array = wires.array(roles["pwrite"])
        for role in ("psel", "penable", "pready", "pslverr"):
            if role in roles and roles[role].width != roles["pwrite"].width:
                raise NotABundleError(
                    f"{roles[role].name} has {roles[role].width} bits, pwrite has {roles['pwrite'].width}: "
                    "slaves that share signals need a wrapper that decodes them"
                )
        if "pprot" in roles and array.bits(roles["pprot"]) != 3:
            wires.drop("pprot", f"{array.bits(roles['pprot'])} bits, expected 3")
        data_width = wires.common(array, ("pwdata", "prdata"))
        data = array.bits(roles["pwdata"])
        if data not in _WORDS:
            raise NotABundleError(f"{wires.name} is APB of {data} bits, expected 8, 16 or 32")
        if "pstrb" in roles and array.bits(roles["pstrb"]) * 8 != data:
            raise NotABundleError(
                f"{roles['pstrb'].name} has {array.bits(roles['pstrb'])} bits for {data} bits of data"
            )
        return cls(
            name=wires.name,
            bus=APB.name,
            direction=direction,
            lanes=array.lanes,
            layout=array.layout,
            data_width=data_width,
            address_width=array.width(roles["paddr"]),
            signals=wires.signals,
        )
