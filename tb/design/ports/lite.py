# SPDX-License-Identifier: Apache-2.0
"""AXI-Lite ports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from pydantic import model_validator

from goldbeat.pymodels.axi.burst import DECERR, SLVERR
from goldbeat.pymodels.axi.burst import WRITE as WRITE_KIND
from goldbeat.pymodels.buses import AXIL
from goldbeat.tb.design.ports.channels import BURSTS, NAMING, READ, WITHHELD, WRITE, incomplete, recognise_channels
from goldbeat.tb.design.ports.recognition import NotABundleError, Wires
from goldbeat.tb.design.ports.register import Level, RegisterPort, without

_FIXED = {one.name: one.width for one in AXIL.signals if isinstance(one.width, int)}


class LitePort(RegisterPort):
    """An AXI-Lite bundle of the design; with ``signals``, all of the write or of the read channels may be absent.

    ``data_width`` is 32 or 64.
    """

    spec = AXIL
    native: ClassVar[Mapping[str, str]] = {
        "in": "goldbeat.tb.kernel.axil:AxiLiteMaster",
        "out": "goldbeat.tb.kernel.axi:AxiMemory",
    }
    monitor = "goldbeat.tb.kernel.axi:AxiLiteChecker"
    reference: ClassVar[Mapping[str, str]] = {"in": "goldbeat.tb.inside.transactors.reference_lite:LiteReference"}
    namings = (NAMING,)
    responses = ("b", "r")
    addresses_of = ("araddr", "awaddr")
    read_data = "rdata"
    strobes_of = "wstrb"
    responses_of = ("rresp", "bresp")
    refusals = (SLVERR, DECERR)
    withheld = WITHHELD

    bus: str = AXIL.name

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.signals is not None and (wrong := incomplete(self.signals)):
            raise ValueError(f"signals: {wrong}")
        if isinstance(self.data_width, int) and self.data_width not in (32, 64):
            raise ValueError(f"data_width: found {self.data_width}, expected 32 or 64")
        return self

    def usual(self) -> tuple[str, ...]:
        """All but the protections."""
        return (*WRITE, *READ, "wstrb", "bresp", "rresp")

    @property
    def readable(self) -> bool:
        """Where there are channels of reads."""
        return self.has("arvalid")

    @property
    def writable(self) -> bool:
        """Where there are channels of writes."""
        return self.has("awvalid")

    def waits(self, *, reads: bool, level: Level) -> str:
        """Which request is not taken, or which response does not come."""
        requests = [("arvalid", "arready")] if reads else [("awvalid", "awready"), ("wvalid", "wready")]
        return without(requests, level) or f"no {'rvalid' if reads else 'bvalid'}"

    def attribute(self, kind: int, name: str) -> str:
        """``awprot`` for the protection of writes."""
        role = f"{'aw' if kind == WRITE_KIND else 'ar'}{name}"
        return role if role in self.spec.roles else ""

    def paths(self) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
        """No output of the interface may follow an input of it."""
        ways = {way: tuple(w.name for w in self.wires() if w.way == way) for way in ("input", "output")}
        return ((f"{self.spec.name}_combinational", ways["input"], ways["output"]),)

    @classmethod
    def recognise(cls, wires: Wires) -> Self | None:
        """AXI channels without bursts."""
        if BURSTS & wires.roles.keys():
            return None
        array, common = recognise_channels(wires, AXIL, _FIXED)
        data = array.bits(wires.roles.get("wdata") or wires.roles["rdata"])
        if data not in (32, 64):
            raise NotABundleError(f"{wires.name} is AXI-Lite of {data} bits, expected 32 or 64")
        return cls(signals=wires.signals, **common)
