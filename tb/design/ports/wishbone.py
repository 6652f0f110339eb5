# SPDX-License-Identifier: Apache-2.0
"""Wishbone ports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from pydantic import model_validator

from goldbeat.pymodels.axi.burst import SLVERR
from goldbeat.pymodels.buses import WISHBONE
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.tb.design.ports.recognition import Naming, NotABundleError, Wires
from goldbeat.tb.design.ports.register import AccessForm, Level
from goldbeat.tb.design.ports.words import Unit, UnitPort, address_unit_of, data_bits

_NEEDED = ("cyc", "stb", "ack")
_DATA = ("wdat", "rdat")
_FIXED = {"cti": 3, "bte": 2}
_CYCLES = ("classic cycle", "burst at a constant address", "incrementing burst")
_LINEAR = 2
"""Of these."""
_WRAPS = (4, 8, 16)
_KERNEL = "goldbeat.tb.kernel.wishbone"


class WishbonePort(UnitPort):
    """A Wishbone bundle of the design: classic cycles (B3), or pipelined ones (B4) where ``signals`` names STALL.

    ``data_width`` is 8, 16, 32 or 64. Signals that ``signals`` does not name are absent, all but CYC, STB and ACK may be. Without
    ``signals``, CTI, BTE, RTY and STALL are absent.

    Attributes:
        retries: a memory behind a classic master answers some accesses with RTY at first.
        lone_strobe: STB may be high while CYC is low, which is no request; false for slaves that never look at CYC.
        aborts: the master of a pipelined slave ends the cycle at an error while more is open, and asks for that again; false: it
            waits for all answers.
    """

    spec = WISHBONE
    native: ClassVar[Mapping[str, str]] = {"in": f"{_KERNEL}:WishboneMaster", "out": f"{_KERNEL}:WishboneMemory"}
    monitor = f"{_KERNEL}:WishboneChecker"
    namings = (
        Naming(
            "cyc|stb|we|adr|addr|address|dat|data|idata|[wr]data?|data?_[wr]|dat_(?:mosi|miso|m2s|s2m)"
            "|sel|cti|bte|ack|err|rty|stall",
            (frozenset(_NEEDED),),
            WISHBONE.name,
            prefix="(?:.*_)?[smw]??",
            aliases={
                **dict.fromkeys(("addr", "address"), "adr"),
                **dict.fromkeys(("wdata", "dat_w", "data_w", "dat_mosi", "dat_m2s"), "wdat"),
                **dict.fromkeys(("rdata", "dat_r", "data_r", "dat_miso", "dat_s2m", "idata"), "rdat"),
            },
            both={"dat": _DATA, "data": _DATA},
        ),
    )
    addresses_of = ("adr", "adr")
    read_data = "rdat"
    strobes_of = "sel"
    responses_of = ("err", "err")
    refusals = (SLVERR,)
    ends_at = "err"

    bus: str = WISHBONE.name
    retries: bool = True
    lone_strobe: bool = True
    aborts: bool = True

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.signals is not None and (lacks := [r for r in _NEEDED if r not in self.signals]):
            raise ValueError(f"signals: Wishbone lacks {', '.join(lacks)}")
        if not (self.readable or self.writable):
            raise ValueError("signals: rdat and wdat are missing")
        return self

    def usual(self) -> tuple[str, ...]:
        """Classic cycles without tags and retries."""
        return tuple(role for role in self.spec.roles if role not in ("cti", "bte", "rty", "stall"))

    @property
    def once(self) -> bool:
        """Without tags and retries, and unless what is open of pipelined accesses is asked for again behind an error."""
        return super().once and not self.has("rty") and not self.drops

    @property
    def takes_all(self) -> bool:
        """Where it never looks at CYC."""
        return not self.lone_strobe

    @property
    def drops(self) -> bool:
        """Whether its master may end a cycle at an error while more is open."""
        return self.aborts and self.has("stall") and self.has("err")

    @property
    def part_reads(self) -> bool:
        """Where there are strobes: reads have them, too."""
        return self.readable and self.strobes

    @property
    def readable(self) -> bool:
        """Where there are read data."""
        return self.has("rdat") and (self.has("we") or not self.has("wdat"))

    @property
    def writable(self) -> bool:
        """Where there are write data."""
        return self.has("wdat")

    def native_options(self) -> dict[str, Any]:
        """And whether the memory asks for retries, or the master drives STB without CYC and ends cycles at errors."""
        if self.direction == "out":
            return {**super().native_options(), "retries": self.retries}
        return {**super().native_options(), "lone_strobe": self.lone_strobe, "aborts": self.aborts}

    def monitor_options(self) -> dict[str, Any]:
        """What addresses count."""
        return {"words": self.in_words}

    def fitting(self, traffic: RegisterTraffic) -> RegisterTraffic:
        """The gaps, and pipelined accesses; one at a time where a retry could change their order."""
        several = self.has("stall") and not self.has("rty")
        return RegisterTraffic(
            gap=traffic.gap, seed=traffic.seed, outstanding=traffic.outstanding if several else 1, rest=traffic.rest
        )

    def wait_states(self, first: int, last: int) -> int:
        """Cycles with STB and without an answer."""
        return last - first

    def forms(self) -> Sequence[AccessForm | None]:
        """What CTI and BTE say of a cycle."""
        tagged, bursts = self.has("cti"), self.has("cti") and self.has("bte")
        named = [AccessForm("cti", text) for text in _CYCLES]
        wraps = [AccessForm("bte", f"burst that wraps at {words} words", words, wraps=True) for words in _WRAPS]
        found = [one if tagged else None for one in named] + [one if bursts else None for one in wraps]
        # Its addresses could wrap without BTE.
        found[_LINEAR] = named[_LINEAR] if bursts else None
        return found

    def waits(self, *, reads: bool, level: Level) -> str:
        """The request that gets no answer."""
        if not level("cyc"):
            return "no cycle has begun"
        if not level("stb"):
            return "no ack"
        return "stb with stall" if self.has("stall") and level("stall") else "stb without ack"

    @classmethod
    def recognise(cls, wires: Wires) -> Self | None:
        """One slave or master, or an array of them with everything of its own."""
        roles = wires.roles
        direction = wires.direction(roles["cyc"], WISHBONE)
        array = wires.array(roles["cyc"])
        for role, pin in list(roles.items()):
            if role not in ("adr", "sel", *_DATA, *_FIXED) and pin.width != roles["cyc"].width:
                raise NotABundleError(
                    f"{pin.name} has {pin.width} bits, {roles['cyc'].name} has {roles['cyc'].width}: "
                    "slaves that share signals need a wrapper that decodes them"
                )
            if role in _FIXED and array.bits(pin) != _FIXED[role]:
                wires.drop(role, f"{array.bits(pin)} bits, expected {_FIXED[role]}")
        there = tuple(role for role in _DATA if role in roles)
        if not there or (len(there) == len(_DATA) and "we" not in roles):
            raise NotABundleError(f"{wires.name} has no {'we' if there else 'data'}")
        if "adr" not in roles and direction == "out":
            raise NotABundleError(f"{wires.name} is a master without adr")
        data = data_bits(wires, array, there, "sel")
        unit: Unit = "words"
        if "adr" in roles:
            # The cores of one author are called so, and count words.
            usual: Unit = "words" if roles["adr"].name.lower().startswith(("i_", "o_")) else "bytes"
            unit = address_unit_of(wires, roles["adr"], array, data, usual)
        deaf = direction == "in" and roles["cyc"].name in wires.unread
        if deaf:
            wires.notes.append(f"{roles['cyc'].name}: nothing in the RTL reads it, so STB is never high without it")
        return cls(
            name=wires.name,
            bus=WISHBONE.name,
            direction=direction,
            lanes=array.lanes,
            layout=array.layout,
            data_width=wires.common(array, there),
            address_width=array.width(roles["adr"]) if "adr" in roles else 0,
            address_unit=unit,
            lone_strobe=not deaf,
            signals=wires.signals,
        )
