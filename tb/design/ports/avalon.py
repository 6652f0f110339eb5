# SPDX-License-Identifier: Apache-2.0
"""Avalon-MM ports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator

from goldbeat.pymodels.axi.burst import DECERR, SLVERR
from goldbeat.pymodels.axi.burst import READ as READ_KIND
from goldbeat.pymodels.axi.burst import WRITE as WRITE_KIND
from goldbeat.pymodels.buses import AVALON
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.tb.design.ports.recognition import Naming, NotABundleError, Wires
from goldbeat.tb.design.ports.register import AccessForm, Level
from goldbeat.tb.design.ports.words import Unit, UnitPort, address_unit_of, data_bits

_READ, _WRITE = ("read", "readdata"), ("write", "writedata")
_DATA = ("writedata", "readdata")
_RESPONSE = 2
_UNUSUAL = ("burstcount", "beginbursttransfer", "chipselect", "response", "writeresponsevalid")
_LONGEST = 64
"""Words of the longest burst that has an obligation."""
_KERNEL = "goldbeat.tb.kernel.avalon"


class AvalonPort(UnitPort):
    """An Avalon-MM bundle of the design: an agent (``in``) or a host (``out``).

    ``data_width`` is 8, 16, 32 or 64. Signals that ``signals`` does not name are absent; READ and READDATA, or WRITE and WRITEDATA
    are there. Without ``signals``, BURSTCOUNT, BEGINBURSTTRANSFER, CHIPSELECT, RESPONSE and WRITERESPONSEVALID are absent.

    Attributes:
        read_latency: cycles from a read that is taken to its data, without READDATAVALID.
        burst_width: bits of BURSTCOUNT. Agents without READDATAVALID get no bursts of reads.
        waitrequest_allowance: transfers that may come while WAITREQUEST is high.
        constant_burst: an agent looks at the address and BURSTCOUNT in each beat of a burst; else in its first alone.
    """

    spec = AVALON
    native: ClassVar[Mapping[str, str]] = {"in": f"{_KERNEL}:AvalonMaster", "out": f"{_KERNEL}:AvalonMemory"}
    monitor = f"{_KERNEL}:AvalonChecker"
    namings = (
        Naming(
            "address|read|write|(?:write|read)_?data|byte_?enable|burst_?count|begin_?burst_?transfer|chip_?select|wait_?request"
            "|readdata_?valid|read_?datavalid|response|write_?response_?valid",
            tuple(frozenset({*pair, *more}) for pair in (_READ, _WRITE) for more in (("address",), ("waitrequest",))),
            AVALON.name,
        ),
    )
    addresses_of = ("address", "address")
    read_data = "readdata"
    strobes_of = "byteenable"
    responses_of = ("response", "response")
    refusals = (SLVERR, DECERR)

    bus: str = AVALON.name
    read_latency: int = Field(default=0, ge=0)
    burst_width: int = Field(default=1, ge=1, le=16)
    waitrequest_allowance: int = Field(default=0, ge=0, le=64)
    constant_burst: bool = False

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for one, other in (_READ, _WRITE):
            if self.has(one) != self.has(other):
                raise ValueError(f"signals: {one} and {other} are there together, or both are absent")
        if not (self.readable or self.writable):
            raise ValueError("signals: read and write are missing")
        if self.read_latency and self.has("readdatavalid"):
            raise ValueError(f"read_latency: found {self.read_latency}, expected 0 with readdatavalid")
        late = not self.readable or self.has("readdatavalid") or self.read_latency
        if self.waitrequest_allowance and not (self.has("waitrequest") and late):
            raise ValueError("waitrequest_allowance: needs waitrequest, and readdatavalid or read_latency")
        timed = self.read_latency or self.has("readdatavalid") or self.has("waitrequest")
        if self.direction == "out" and self.readable and not timed:
            raise ValueError(
                "read_latency: found 0, expected 1 or more for a host without waitrequest and readdatavalid"
            )
        return self

    def usual(self) -> tuple[str, ...]:
        """Single words without responses."""
        return tuple(role for role in self.spec.roles if role not in _UNUSUAL)

    @property
    def part_reads(self) -> bool:
        """Where there are strobes: reads have them, too."""
        return self.readable and self.strobes

    @property
    def readable(self) -> bool:
        """Where there is READ."""
        return self.has("read")

    @property
    def writable(self) -> bool:
        """Where there is WRITE."""
        return self.has("write")

    def widths(self) -> Mapping[str, int]:
        """Bursts have as many bits as are declared."""
        return {**super().widths(), "burst_width": self.burst_width}

    def answers(self, kind: int) -> bool:
        """Writes are answered with WRITERESPONSEVALID alone."""
        return super().answers(kind) and (kind != WRITE_KIND or self.has("writeresponsevalid"))

    def native_options(self) -> dict[str, Any]:
        """And the latency, and what a host may do."""
        found = {**super().native_options(), "latency": self.read_latency, "allowance": self.waitrequest_allowance}
        return {**found, "constant": self.constant_burst} if self.direction == "in" else found

    def monitor_options(self) -> dict[str, Any]:
        """What addresses count, and the allowance."""
        return {"words": self.in_words, "allowance": self.waitrequest_allowance}

    def forms(self) -> Sequence[AccessForm | None]:
        """The lengths of bursts, pauses in them, and transfers after WAITREQUEST."""
        most = 1 << (self.burst_width - 1)
        ways = (READ_KIND, WRITE_KIND) if self.has("readdatavalid") else (WRITE_KIND,)
        bursts = self.has("burstcount") and most > 1
        lengths = [
            AccessForm("burstcount", "burst of one word"),
            AccessForm("burstcount", "burst of several words", 2, ways=ways),
            AccessForm("burstcount", f"burst of {min(most, _LONGEST)} words or more", min(most, _LONGEST), ways=ways),
            AccessForm("write", "burst that WRITE pauses in", 2, ways=(WRITE_KIND,)),
        ]
        found: list[AccessForm | None] = [one if bursts else None for one in lengths]
        allowed = AccessForm("waitrequest", f"transfer {self.waitrequest_allowance} after WAITREQUEST")
        return [*found, allowed if self.waitrequest_allowance else None]

    def fitting(self, traffic: RegisterTraffic) -> RegisterTraffic:
        """The gaps, and pipelined accesses."""
        return RegisterTraffic(gap=traffic.gap, seed=traffic.seed, outstanding=traffic.outstanding, rest=traffic.rest)

    def wait_states(self, first: int, last: int) -> int:
        """Cycles beyond the one in which the request is taken at once."""
        return last - first

    def waits(self, *, reads: bool, level: Level) -> str:
        """The request that is not taken, or the answer that does not come."""
        role = "read" if reads else "write"
        if level(role):
            return f"{role} with waitrequest"
        return "no readdatavalid" if reads else "no writeresponsevalid"

    @classmethod
    def recognise(cls, wires: Wires) -> Self | None:
        """One agent or host, or an array of them with everything of its own."""
        roles = wires.roles
        lead = roles["read"] if "read" in roles else roles["write"]
        direction = wires.direction(lead, AVALON)
        array = wires.array(lead)
        for role, pin in list(roles.items()):
            if next(one.width for one in AVALON.signals if one.name == role) == 1 and pin.width != lead.width:
                raise NotABundleError(f"{pin.name} has {pin.width} bits, {lead.name} has {lead.width}")
        if "response" in roles and array.bits(roles["response"]) != _RESPONSE:
            wires.drop("response", f"{array.bits(roles['response'])} bits, expected {_RESPONSE}")
        there = tuple(role for role in _DATA if role in roles)
        data = data_bits(wires, array, there, "byteenable")
        if "address" not in roles and direction == "out":
            raise NotABundleError(f"{wires.name} is a host without address")
        unit: Unit = "words"
        if "address" in roles:
            # 3.2 of the specification: hosts count bytes, agents words.
            unit = address_unit_of(wires, roles["address"], array, data, "words" if direction == "in" else "bytes")
        late = "read" in roles and "readdatavalid" not in roles
        if late:
            wires.notes.append(f"{lead.name}: data come in the cycle that takes a read; if later, set read_latency")
        return cls(
            name=wires.name,
            bus=AVALON.name,
            direction=direction,
            lanes=array.lanes,
            layout=array.layout,
            data_width=wires.common(array, there),
            address_width=array.width(roles["address"]) if "address" in roles else 0,
            address_unit=unit,
            read_latency=int(late and direction == "out" and "waitrequest" not in roles),
            burst_width=array.bits(roles["burstcount"]) if "burstcount" in roles else 1,
            waitrequest_allowance=wires.setting("WAITREQUESTALLOWANCE") if "waitrequest" in roles else 0,
            signals=wires.signals,
        )
