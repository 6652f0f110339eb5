# SPDX-License-Identifier: Apache-2.0
"""The configuration bus as a class, and the ports of nv_small as the vendor names them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from goldbeat.tb.design.parameter import ClockPort
from goldbeat.tb.design.ports.bundle import StatusPort
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.recognition import Width
from goldbeat.tb.design.ports.register import Level, RegisterPort, without
from goldbeat.tb.designs.nvdla.csb import CSB_BUS, RESPONSES


class CsbPort(RegisterPort):
    """A slave of the configuration bus. All of its signals must be there.

    Attributes:
        direction: ``in``; masters are not simulated.
        address_width: bits of the word address.
    """

    spec = CSB_BUS
    native: ClassVar[Mapping[str, str]] = {"in": "goldbeat.tb.designs.nvdla.csb_master:CsbMaster"}
    posts = True

    bus: str = CSB_BUS.name
    direction: Literal["in"] = "in"
    data_width: Literal[32] = 32
    address_width: Width = 16

    @model_validator(mode="after")
    def _whole(self) -> Self:
        lacks = [] if self.signals is None else [r for r in CSB_BUS.roles if r not in self.signals]
        if lacks:
            raise ValueError(f"signals: the configuration bus lacks {', '.join(lacks)}")
        return self

    def waits(self, *, reads: bool, level: Level) -> str:
        """A request that is not taken, or its answer."""
        return without([("valid", "ready")], level) or "no answer"


CSB = CsbPort(
    name="csb",
    clock="dla_core_clk",
    signals={
        **{role: f"csb2nvdla_{role}" for role in CSB_BUS.roles if role not in RESPONSES},
        **{role: f"nvdla2csb_{name}" for role, name in RESPONSES.items()},
    },
)
_CHANNELS = {
    "aw": ("valid", "ready", "id", "len", "addr"),
    "w": ("valid", "ready", "data", "strb", "last"),
    "b": ("valid", "ready", "id"),
    "ar": ("valid", "ready", "id", "len", "addr"),
    "r": ("valid", "ready", "id", "last", "data"),
}
DBB = MemoryPort(
    name="dbb",
    clock="dla_core_clk",
    direction="out",
    data_width=64,
    address_width=32,
    id_width=8,
    len_width=4,
    signals={f"{c}{s}": f"nvdla_core2dbb_{c}_{c}{s}" for c, names in _CHANNELS.items() for s in names},
)
INTERRUPT = StatusPort(name="dla_intr", width=1)
CLOCK = ClockPort(name="dla_core_clk", reset="dla_reset_rstn", period_ps=4000)
