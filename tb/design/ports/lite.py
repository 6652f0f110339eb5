# SPDX-License-Identifier: Apache-2.0
"""AXI-Lite ports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import model_validator

from goldbeat.tb.design.ports.bundle import Bundle, Signal, Width, number
from goldbeat.tb.design.ports.channels import LITE_SLAVE_OUTPUTS, READ_SIGNALS, WRITE_SIGNALS, check_channels
from goldbeat.tb.design.ports.storage import Storage

_LITE_OPTIONAL = ("awprot", "wstrb", "bresp", "arprot", "rresp")


class LitePort(Bundle):
    """An AXI-Lite bundle of the design; with ``signals``, all of the write or of the read channels may be absent.

    Attributes:
        direction: ``in`` where the design answers accesses (slave), ``out`` where it makes them (master).
        data_width: 32 or 64.
        address_width: in bits.
        storage: registers of a slave that are plain storage; ``sweep`` writes and reads them in every way.
    """

    direction: Literal["in", "out"] = "in"
    data_width: Width = 32
    address_width: Width = 12
    storage: tuple[Storage, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        self._check_roles((*WRITE_SIGNALS, *READ_SIGNALS, *_LITE_OPTIONAL))
        if self.signals is not None:
            check_channels(self.signals, (), ())
        if isinstance(self.data_width, int) and self.data_width not in (32, 64):
            raise ValueError(f"data_width: found {self.data_width}, expected 32 or 64")
        return self

    def roles(self) -> tuple[str, ...]:
        """The signals that are there."""
        if self.signals is None:
            return (*WRITE_SIGNALS, *READ_SIGNALS, "wstrb", "bresp", "rresp")
        return tuple(r for r in (*WRITE_SIGNALS, *READ_SIGNALS, *_LITE_OPTIONAL) if r in self.signals)

    def wires(self) -> list[Signal]:
        """The signals that are there."""
        data, address = int(self.data_width), int(self.address_width)
        widths = {"awaddr": address, "araddr": address, "wdata": data, "rdata": data, "wstrb": data // 8}
        widths |= {"bresp": 2, "rresp": 2, "awprot": 3, "arprot": 3}
        return [
            Signal(r, widths.get(r, 1), "output" if (r in LITE_SLAVE_OUTPUTS) == (self.direction == "in") else "input")
            for r in self.roles()
        ]

    def resolved(self, params: Mapping[str, Any]) -> Self:
        """The same with widths as numbers."""
        fixed = {name: number(getattr(self, name), params) for name in ("data_width", "address_width")}
        return self.model_copy(update=fixed)
