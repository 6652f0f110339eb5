# SPDX-License-Identifier: Apache-2.0
"""Avalon-ST ports: streams whose packets have a first beat, empty symbols, and a ready that may count later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from goldbeat.pymodels.buses import AVALON_STREAM
from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.design.ports.bundle import number
from goldbeat.tb.design.ports.recognition import Naming, NotABundleError, Width, Wires
from goldbeat.tb.design.ports.stream import WIDEST_SIDE, StreamPort

_KERNEL = "goldbeat.tb.kernel.avalon_stream"
_BYTE = 8
_ROLES = {
    "data": "tdata",
    "valid": "tvalid",
    "ready": "tready",
    "endofpacket": "tlast",
    "channel": "tid",
    "error": "tuser",
}
_SHORT = {"sop": "startofpacket", "eop": "tlast"}
_PACKETS = frozenset({"tdata", "tvalid", "startofpacket", "tlast"})


class AvalonStreamPort(StreamPort):
    """An Avalon-ST bundle of the design. Its beats are those of a stream: ENDOFPACKET is TLAST, CHANNEL is TID, ERROR is TUSER.

    STARTOFPACKET is the bit of TUSER above ERROR that marks first beats. EMPTY says the same as TKEEP, whose last bytes are low
    in the last beat of a packet. Byte 0 of a beat is in its first symbol, wherever that is.

    ``signals`` has the names of Avalon-ST or these.

    Attributes:
        ready_latency: cycles from READY to the cycle that it makes a ready cycle.
        ready_allowance: beats that the sink can still take after READY fell; None: as many as ``ready_latency``.
        symbol_bits: dataBitsPerSymbol, whole bytes.
        first_symbol_high: firstSymbolInHighOrderBits.
        empty: the design's port EMPTY.
        empty_bits: its width; 0: as many bits as the symbols of a beat need.
    """

    spec = AVALON_STREAM
    native: ClassVar[Mapping[str, str]] = {
        "in": f"{_KERNEL}:AvalonStreamSource",
        "out": f"{_KERNEL}:AvalonStreamSink",
    }
    monitor = f"{_KERNEL}:AvalonStreamMonitor"
    reference: ClassVar[Mapping[str, str]] = {}
    namings: ClassVar[tuple[Naming, ...]] = (
        Naming(
            "data|valid|ready|startofpacket|endofpacket|sop|eop|empty|channel|error",
            (_PACKETS,),
            "avalonst",
            aliases=_ROLES | _SHORT,
            sided=False,
        ),
    )

    bus: str = AVALON_STREAM.name
    ready_latency: int = Field(default=0, ge=0, le=62)
    ready_allowance: int | None = None
    symbol_bits: int = Field(default=_BYTE, ge=_BYTE, multiple_of=_BYTE)
    first_symbol_high: bool = True
    empty: str | None = None
    empty_bits: Width = 0

    @model_validator(mode="before")
    @classmethod
    def _as_stream(cls, table: Any) -> Any:
        """The names of Avalon-ST become those of a stream."""
        if not isinstance(table, dict) or not isinstance(table.get("signals"), dict):
            return table
        table, signals = dict(table), dict(table["signals"])
        if (first := signals.pop("startofpacket", None)) is not None:
            table["sidebands"] = {**table.get("sidebands", {}), first: 1}
            table["first"] = first
        if (empty := signals.pop("empty", None)) is not None:
            table["empty"] = empty
        table["signals"] = {_ROLES.get(role, role): pin for role, pin in signals.items()}
        return table

    @model_validator(mode="after")
    def _avalon(self) -> Self:
        if self.lanes is not None or self.fields or self.gated or self.fifo or self.signals is None:
            raise ValueError("signals: an Avalon-ST stream names its signals, and is no array, fields, gated or fifo")
        if self.ready_allowance is not None and self.ready_allowance < self.ready_latency:
            raise ValueError(f"ready_allowance: found {self.ready_allowance}, expected ready_latency or more")
        if "tkeep" in self.signals:
            raise ValueError("signals: Avalon-ST has empty in place of tkeep")
        if self.empty is not None and "tlast" not in self.signals:
            raise ValueError("empty: such a stream has endofpacket")
        if isinstance(self.width, int) and self.width % self.symbol_bits:
            raise ValueError(f"symbol_bits: found {self.symbol_bits}, which do not divide {self.width} bits of data")
        return self

    @property
    def _symbols(self) -> int:
        return int(self.width) // self.symbol_bits

    def roles(self) -> tuple[str, ...]:
        """With EMPTY, TKEEP is there."""
        there = super().roles()
        return tuple(r for r in self.spec.roles if r in there or (r == "tkeep" and self.empty is not None))

    def payload_pins(self, role: str) -> tuple[str, ...]:
        """TKEEP is made of EMPTY."""
        return (self.empty,) if role == "tkeep" and self.empty is not None else super().payload_pins(role)

    def payload_place(self, role: str) -> str:
        """The design's port, as EMPTY for TKEEP."""
        return self.payload_pins(role)[0]

    def pin(self, role: str) -> str:
        """EMPTY for TKEEP."""
        return self.empty if role == "tkeep" and self.empty is not None else super().pin(role)

    def pins(self) -> Mapping[str, str]:
        """The first symbol goes to its end of DATA, and EMPTY is made of TKEEP, or TKEEP of EMPTY."""
        found = dict(super().pins())
        if self.first_symbol_high and self._symbols > 1:
            step = self.symbol_bits
            parts = (f"{self.name}_tdata[{at + step - 1}:{at}]" for at in range(0, int(self.width), step))
            found[self.pin("tdata")] = f"{{{', '.join(parts)}}}"
        if self.empty is not None:
            found[self.empty] = f"{self.name}_empty"
        return found

    def glue(self) -> Iterator[tuple[str, str, str]]:
        """EMPTY is anything but in the last beat of a packet."""
        yield from super().glue()
        if self.empty is None:
            return
        keep, bits, lanes = f"{self.name}_tkeep", int(self.empty_bits), int(self.width) // _BYTE
        net, step = f"{self.name}_empty", self.symbol_bits // _BYTE
        if self.direction == "in":
            level = f"{bits}'({self.name}_tlast ? $countones(~{keep}) / {step} : 32'({self.name}_tdata))"
            yield f"[{bits - 1}:0] {net}", net, level
        else:
            full = f"{{{lanes}{{1'b1}}}}"
            level = f"{self.name}_tlast ? {full} >> ({step} * 32'({net})) : {full}"
            yield f"[{bits - 1}:0] {net}", keep, level

    def resolved(self, params: Mapping[str, Any]) -> Self:
        """The same with widths as numbers."""
        one = super().resolved(params)
        if one._symbols * one.symbol_bits != one.width:
            raise UsageError(f"streams {self.name}: symbol_bits = {self.symbol_bits} do not divide {one.width} bits")
        bits = number(self.empty_bits, params) or max(1, (one._symbols - 1).bit_length())
        return one.model_copy(update={"empty_bits": bits})

    def carried(
        self, keep: npt.NDArray[np.bool_], last: npt.NDArray[np.bool_], tid: npt.NDArray[np.uint64] | None
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.uint64] | None]:
        """Whole symbols are left out at the end of the last beat alone, at least one is there; a packet has one channel."""
        step, lanes = self.symbol_bits // _BYTE, keep.shape[1]
        count = np.where(last, np.maximum(1, -(-keep.sum(axis=1) // step)) * step, lanes)
        kept: npt.NDArray[np.bool_] = np.arange(lanes) < count[:, None]
        if tid is not None and len(tid):
            first = np.concatenate([[True], last[:-1]])
            tid = tid[first][np.cumsum(first) - 1]
        return kept, tid

    @property
    def room_first(self) -> str:
        """With a latency a valid waits for its ready."""
        late = self.direction == "out" and self.ready_latency > 0
        return "has a ready latency, so its valid waits for ready" if late else ""

    def native_options(self) -> dict[str, Any]:
        """When a ready counts, and which bit marks first beats."""
        allowance = self.ready_latency if self.ready_allowance is None else self.ready_allowance
        found: dict[str, Any] = {"held": True, "latency": self.ready_latency, "allowance": allowance}
        return (
            found if self.direction == "in" else {**found, "interleaved": self.interleaved, "first": self.first_bit()}
        )

    @property
    def judged(self) -> frozenset[str]:
        """STARTOFPACKET of an output."""
        return frozenset() if self.first is None else frozenset({self.first})

    def paths(self) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
        """The specification allows all."""
        return ()

    @classmethod
    def recognise(cls, wires: Wires) -> StreamPort | None:
        """DATA, VALID, STARTOFPACKET and ENDOFPACKET; a stream of fields where DATA are no whole bytes."""
        roles = wires.roles
        direction: Literal["in", "out"] = "in" if roles["tvalid"].way == "input" else "out"
        for role, pin in roles.items():
            if (pin.way == roles["tvalid"].way) == (role == "tready"):
                raise NotABundleError(f"{pin.name} has the opposite direction of {roles['tvalid'].name}")
        array = wires.array(roles["tvalid"])
        if array.lanes is not None:
            raise NotABundleError(f"{roles['tvalid'].name}: arrays of Avalon-ST streams need a wrapper")
        bits = array.bits(roles["tdata"])
        if bits % _BYTE:
            return StreamPort.of_fields(wires, array, direction)
        for role in ("tready", "tlast", "startofpacket"):
            if role in roles and array.bits(roles[role]) != 1:
                raise NotABundleError(f"{roles[role].name} has {array.bits(roles[role])} bits, expected 1")
        sides: dict[str, Any] = {}
        for side, most in (("tid", WIDEST_SIDE), ("tuser", WIDEST_SIDE - 1)):
            if side in roles and array.bits(roles[side]) > most:
                wires.drop(side, f"{array.bits(roles[side])} bits, more than {most}")
            elif side in roles:
                sides[side] = array.width(roles[side])
        if "empty" in roles:
            sides |= cls._symbols_of(wires, bits, array.bits(roles["empty"]))
        if "tready" in roles:
            wires.notes.append(f"{roles['tready'].name}: ready_latency 0 is taken; set it if a ready counts later")
        return cls.model_validate(
            {
                "name": wires.name,
                "bus": cls.spec.name,
                "direction": direction,
                "width": array.width(roles["tdata"]),
                "signals": wires.signals,
                **sides,
            }
        )

    @staticmethod
    def _symbols_of(wires: Wires, bits: int, empty: int) -> dict[str, Any]:
        """The symbols of a beat by the width of EMPTY: as small as it can count, and whole bytes."""
        symbols = 1 << empty
        if bits % symbols or (bits // symbols) % _BYTE:
            wires.notes.append(f"{wires.roles['empty'].name}: symbols of a byte are taken; correct symbol_bits if not")
            return {"empty_bits": empty}
        return {"symbol_bits": bits // symbols, "empty_bits": empty}
