# SPDX-License-Identifier: Apache-2.0
"""NVDLA's configuration bus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import model_validator

from goldbeat.tb.design.ports.bundle import Bundle, Signal, Width, number
from goldbeat.tb.design.ports.storage import Storage

CSB_ROLES = (
    *("valid", "ready", "addr", "wdat", "write", "nposted"),
    *("response_valid", "response_data", "wr_complete"),
)

"""The signals of NVDLA's configuration bus, as :data:`goldbeat.tb.kernel.library.CSB_SIGNALS` has them."""

_CSB_OUTPUTS = ("ready", "response_valid", "response_data", "wr_complete")


class CsbPort(Bundle):
    """A slave of NVDLA's configuration bus: requests, and answers without handshake. All of its signals must be there.

    Attributes:
        direction: ``in``; masters are not simulated.
        address_width: bits of the word address.
        storage: as of :class:`LitePort`.
    """

    direction: Literal["in"] = "in"
    data_width: Literal[32] = 32
    address_width: Width = 16
    storage: tuple[Storage, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        self._check_roles(CSB_ROLES)
        lacks = [] if self.signals is None else [r for r in CSB_ROLES if r not in self.signals]
        if lacks:
            raise ValueError(f"signals: the configuration bus lacks {', '.join(lacks)}")
        return self

    def roles(self) -> tuple[str, ...]:
        """The signals that are there."""
        return CSB_ROLES

    def wires(self) -> list[Signal]:
        """The signals that are there."""
        widths = {"addr": int(self.address_width), "wdat": 32, "response_data": 32}
        return [Signal(r, widths.get(r, 1), "output" if r in _CSB_OUTPUTS else "input") for r in CSB_ROLES]

    def resolved(self, params: Mapping[str, Any]) -> Self:
        """The same with widths as numbers."""
        return self.model_copy(update={"address_width": number(self.address_width, params)})
