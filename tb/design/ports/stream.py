# SPDX-License-Identifier: Apache-2.0
"""AXI-Stream ports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import model_validator

from goldbeat.tb.design.ports.bundle import Bundle, Signal, Width, number

_STREAM_PLAIN = ("tdata", "tkeep", "tlast", "tvalid", "tready")

_STREAM_SIDES = ("tid", "tdest", "tuser")

_STROBE = "tstrb"


class StreamPort(Bundle):
    """An AXI-Stream bundle of the design.

    Without TREADY a stream is never stalled, without TKEEP all bytes are valid, without TLAST there are no frames.

    Attributes:
        direction: seen from the design.
        width: of TDATA.
        tid, tdest, tuser: widths of the sideband signals that are there.
        dtype: sample type, for PLIO files and throughput in samples; None where the port carries no samples.
        from_file: an input whose stimulus may come from a file; false for ports that carry control, not data.
        interleaved: beats of other TID or TDEST may come within a packet of an output.

    TSTRB is there where :attr:`signals` names it. Inputs get TSTRB = TKEEP, outputs are checked.
    """

    direction: Literal["in", "out"]
    width: Width = 32
    interleaved: bool = True
    tid: Width | None = None
    tdest: Width | None = None
    tuser: Width | None = None
    dtype: str | None = None
    from_file: bool = True

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        self._check_roles((*_STREAM_PLAIN, _STROBE, *_STREAM_SIDES))
        if self.signals is not None:
            for role in ("tdata", "tvalid"):
                if role not in self.signals:
                    raise ValueError(f"signals: a stream needs {role}")
            for side in _STREAM_SIDES:
                if (getattr(self, side) is None) != (side not in self.signals):
                    raise ValueError(f"{side}: a sideband needs both its width and its entry in signals")
        if isinstance(self.width, int) and (self.width < 8 or self.width % 8):
            raise ValueError(f"width: found {self.width}, expected whole bytes")
        return self

    def roles(self) -> tuple[str, ...]:
        """The signals that are there."""
        if self.signals is not None:
            return tuple(r for r in (*_STREAM_PLAIN, _STROBE, *_STREAM_SIDES) if r in self.signals)
        return (*_STREAM_PLAIN, *(s for s in _STREAM_SIDES if getattr(self, s) is not None))

    def wires(self) -> list[Signal]:
        """The signals that are there."""
        widths = {"tdata": self.width, "tkeep": int(self.width) // 8, "tlast": 1, "tvalid": 1, "tready": 1}
        widths |= {_STROBE: widths["tkeep"], **{side: getattr(self, side) for side in _STREAM_SIDES}}
        return [
            Signal(r, int(widths[r]), "input" if (self.direction == "in") != (r == "tready") else "output")
            for r in self.roles()
        ]

    def resolved(self, params: Mapping[str, Any]) -> Self:
        """The same with widths as numbers."""
        fixed: dict[str, Any] = {"width": number(self.width, params)}
        for side in _STREAM_SIDES:
            value = getattr(self, side)
            fixed[side] = None if value is None else number(value, params)
        return self.model_copy(update=fixed)
