# SPDX-License-Identifier: Apache-2.0
"""AXI-Stream ports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from goldbeat.pymodels.buses import AXIS
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.sidebands import MOST_LANES
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.ports.bundle import Bundle, named, number
from goldbeat.tb.design.ports.recognition import Naming, NotABundleError, PinArray, Width, Wires

_SIDES = ("tid", "tdest", "tuser")
WIDEST_SIDE = 64
"""Most bits of a sideband."""
_LAST_BEATS = 3
_WORDS = "data|keep|strb|last|valid|ready|id|dest|user"
_JOINED = "[a-z]|wr|rd|in|out|src|dst|enq|deq|push|pop|tx|rx|up|down"
"""What precedes a plain word without an underscore: ``wdata``, ``indata``."""
_ENDS = "endofpacket|end_of_packet|eop|endofframe|end_of_frame|eof"
_ALIASES = {
    f"{bits}{t}{word}": f"t{role}"
    for bits in ("", "bits_")
    for t in ("", "t")
    for word, role in (*((word, word) for word in _WORDS.split("|")), ("vld", "valid"), ("rdy", "ready"))
} | {"bits": "tdata", **dict.fromkeys(_ENDS.split("|"), "tlast")}
"""Plain words, those of Chisel's ``bits``, and what Avalon-ST and others call the last beat -> roles."""


def silent(name: str) -> dict[str, str]:
    """The signals of a stream without back-pressure, keep and frames."""
    return named(name, "tdata", "tvalid")


class StreamPort(Bundle):
    """An AXI-Stream bundle of the design.

    Without TREADY a stream is never stalled, without TKEEP all bytes are valid, without TLAST there are no frames.

    Attributes:
        direction: direction, seen from the design.
        width: width of TDATA in bits.
        tid, tdest, tuser: widths of the sidebands. Default: absent.
        dtype: sample type, for PLIO files and throughput in samples; None: the port carries no samples.
        from_file: accepts a file as stimulus. False: for ports that carry control, not data.
        always_ready: the design never holds an input back. A beat that waits for TREADY fails the run.
        interleaved: beats of other TID or TDEST may appear within a packet of an output.
        fields: for a handshake without TDATA, such as a descriptor: the design's ports that belong to it, with their widths.
            They form TDATA, first port lowest, padded with 0 to whole bytes.
        padding: highest bits of TDATA that the design ignores, or drives 0; they are 0 in the beats of all cases.
        sidebands: more payload ports of the design, with their widths (parity, channel, start of packet). They form the bits
            of TUSER above the design's own, first port lowest.
        first: the one of them that is high in the first beat of each frame, and low in the others.
        gated: for FIFO ports that must not be written when full or read when empty: the design sees TVALID (an output: TREADY)
            only in cycles in which a beat transfers.
        late: an output that reads a FIFO whose word comes one cycle after TREADY, its read enable, and stays until the next
            one. The harness reads ahead, so that the bench sees each word before it takes it.
        until: of an input without TREADY whose TVALID starts something: the design's output that says that it is done
            (``!port``: that is low then). The harness shows the start for one cycle, and takes no other before that.
        held: with ``until``: what goes along with the start stays until it is done; else it may change after one cycle.
        after: of an output: the input whose results it gives. TVALID counts from a start until it is done, and where it rises,
            so that a level that stays high gives one beat.
        fifo: an output that writes a FIFO: TREADY is its ``full_n``. TVALID may wait for it and fall without a transfer; a
            beat that comes while it is low is lost.
        house: a handshake that no standard names. What AXI-Stream forbids beside transfers (a TVALID that waits for TREADY or
            falls, a payload that changes while it waits) fails nothing there: a run lists it, and is partial.

    The port has TSTRB if :attr:`signals` lists it. Traces of up to 64 bytes have it; wider inputs get TSTRB = TKEEP.
    """

    spec = AXIS
    native: ClassVar[Mapping[str, str]] = {
        "in": "goldbeat.tb.kernel.axis:AxiStreamSource",
        "out": "goldbeat.tb.kernel.axis:AxiStreamSink",
    }
    reference: ClassVar[Mapping[str, str]] = {
        "in": "goldbeat.tb.inside.transactors.reference_stream:GapSource",
        "out": "goldbeat.tb.inside.transactors.reference_stream:PatternSink",
    }
    namings: ClassVar[tuple[Naming, ...]] = (
        Naming(
            # ``outData`` and ``outdata`` are ``out`` and ``data``.
            f"(?<!ou)(?-i:(?<![a-z])|(?!t[A-Z]))t(?:{_WORDS}|wakeup)",
            (frozenset({"tdata", "tvalid"}),),
            "axis",
            prefix=".*?",
            sided=False,
        ),
        Naming(
            f"(?:bits_)?t?(?:{_WORDS}|vld|rdy)|bits|{_ENDS}",
            (frozenset({"tdata", "tvalid", "tready"}),),
            "axis",
            prefix=f".*?_||{_JOINED}",
            aliases=_ALIASES,
            loose=True,
            sided=False,
        ),
    )

    bus: str = AXIS.name
    direction: Literal["in", "out"]
    width: Width = 32
    always_ready: bool = False
    interleaved: bool = True
    tid: Width | None = None
    tdest: Width | None = None
    tuser: Width | None = None
    dtype: str | None = None
    from_file: bool = True
    fields: Mapping[str, Width] = {}
    padding: int = Field(default=0, ge=0)
    sidebands: Mapping[str, Width] = {}
    first: str | None = None
    gated: bool = False
    fifo: bool = False
    house: bool = False
    late: bool = False
    until: str | None = None
    held: bool = False
    after: str | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.signals is not None:
            for role in ("tvalid",) if self.fields else ("tdata", "tvalid"):
                if role not in self.signals:
                    raise ValueError(f"signals: a stream needs {role}")
            for side in _SIDES:
                if (getattr(self, side) is None) != (side not in self.signals):
                    raise ValueError(f"{side}: a sideband needs both its width and its entry in signals")
        if self.fields and (
            self.signals is None or self.lanes is not None or self.signals.keys() - {"tvalid", "tready"}
        ):
            raise ValueError("fields: such a stream names tvalid, tready or both in signals, and is no array")
        plain = not self.fields and isinstance(self.width, int)
        if self.padding and not (plain and self.padding <= int(self.width)):
            raise ValueError("padding: such a stream has a number as width that is no less, and no fields")
        if self.sidebands and (self.signals is None or self.lanes is not None or self.fields):
            raise ValueError("sidebands: such a stream has signals with tdata, and is no array")
        if self.first is not None and (self.first not in self.sidebands or not self.has("tlast")):
            raise ValueError(f"first: {self.first} must be one of sidebands, and the stream must have tlast")
        if self.gated and (self.lanes is not None or not self.has("tready")):
            raise ValueError("gated: such a stream has tready, and is no array")
        if self.fifo and (self.direction == "in" or self.lanes is not None or not self.has("tready") or self.gated):
            raise ValueError("fifo: such a stream is an output with tready, not gated and no array")
        if self.house and (self.spec is not AXIS or self.standard):
            raise ValueError("house: such a stream has names that are not those of a standard")
        if self.late and (self.direction == "in" or self.lanes is not None or not self.has("tready") or self.fifo):
            raise ValueError("late: such a stream is an output with tready, writes no FIFO and is no array")
        if self.until is not None and (
            self.direction == "out" or self.lanes is not None or self.signals is None or "tready" in self.signals
        ):
            raise ValueError("until: such a stream is an input with signals, without tready, and no array")
        if self.held and self.until is None:
            raise ValueError("held is for inputs with until")
        if self.after is not None and (self.direction == "in" or self.lanes is not None or self.late):
            raise ValueError("after: such a stream is an output, not late and no array")
        if self.always_ready and (self.direction == "out" or not self.has("tready")):
            raise ValueError("always_ready is for inputs with tready")
        if isinstance(self.width, int) and (self.width < 8 or self.width % 8):
            raise ValueError(f"width: found {self.width}, expected whole bytes")
        return self

    @property
    def standard(self) -> bool:
        """TVALID is called so, whatever is around it."""
        return "tvalid" in self.pin("tvalid").lower()

    def usual(self) -> tuple[str, ...]:
        """All but TSTRB, sidebands where they have a width."""
        plain = ("tdata", "tkeep", "tlast", "tvalid", "tready")
        return (*plain, *(s for s in _SIDES if getattr(self, s) is not None))

    def roles(self) -> tuple[str, ...]:
        """With fields, TDATA is there beside what ``signals`` names; with sidebands, TUSER."""
        there = super().roles()
        more = [*(["tuser"] if self.sidebands else []), *(["tready"] if self.until is not None else [])]
        if more:
            there = tuple(role for role in self.spec.roles if role in (*there, *more))
        return ("tdata", *there) if self.fields else there

    def pin(self, role: str) -> str:
        """The design's name of a signal; of a TREADY that the harness makes, what it waits for."""
        if role == "tready" and self.until is not None:
            return self.until.removeprefix("!")
        return super().pin(role)

    def payload_pins(self, role: str) -> tuple[str, ...]:
        """The design's names of a signal: one, unless fields or sidebands form it."""
        joined = self.fields if role == "tdata" else self.sidebands if role == "tuser" else {}
        return (*((self.pin(role),) if role in super().roles() else ()), *joined)

    def payload_place(self, role: str) -> str:
        """The first of them as :meth:`place` has it."""
        pins = self.payload_pins(role)
        return self.place(role) if role in super().roles() or not pins else pins[0]

    def pins(self) -> Mapping[str, str]:
        """With fields, each is some bits of TDATA; sidebands are some of TUSER."""
        found = {self.pin(role): self.net(role) for role in super().roles()}
        for role, joined in (("tdata", self.fields), ("tuser", self.sidebands)):
            at = int(self.tuser or 0) if role == "tuser" and joined else 0
            if at:
                found[self.pin(role)] = f"{self.name}_{role}[{at - 1}:0]"
            for pin, width in joined.items():
                found[pin] = f"{self.name}_{role}[{at + int(width) - 1}:{at}]"
                at += int(width)
        return found

    def first_bit(self) -> int | None:
        """The bit of TUSER that marks first beats; for a bundle whose widths are numbers already."""
        names = list(self.sidebands)
        below = () if self.first is None else (int(self.sidebands[n]) for n in names[: names.index(self.first)])
        return None if self.first is None else int(self.tuser or 0) + sum(below)

    @property
    def judged(self) -> frozenset[str]:
        """Sidebands of which a rule of the bus says what they must be."""
        return frozenset()

    @property
    def used_bits(self) -> int:
        """Bits of TDATA that the design has; for a bundle whose widths are numbers already."""
        return sum(map(int, self.fields.values())) if self.fields else int(self.width) - self.padding

    def constants(self) -> Mapping[str, int]:
        """What is above the fields of an output."""
        used, top = self.used_bits, int(self.width) - 1
        return (
            {f"{self.name}_tdata[{top}:{used}]": 0} if self.fields and self.direction == "out" and used <= top else {}
        )

    def level(self, role: str) -> str:
        """With ``gated``, the enable only where a beat transfers; with ``late``, ``until`` and ``after``, what is kept counts."""
        name, no = self.name, "~" * self.inverts(role)
        if self.late and role == "tready":
            # What checks its flag itself may be read beside it.
            return f"{no}({f'{self._there} & ' * self.gated}({self._free}))"
        if self.late and role == "tvalid":
            return f"{name}_shown"
        if self.until is not None and role == "tvalid":
            return f"{no}({self._starts})"
        if self.until is not None and role == "tready":
            return f"{name}_running & {self._done}" if self.held else f"~{name}_running"
        if self.after is not None and role == "tvalid":
            return f"{self._there} & ({self.after}_running | {name}_was_low)"
        if not self.gated or role != ("tvalid" if self.direction == "in" else "tready"):
            return super().level(role)
        return f"{'~' * self.inverts(role)}({self.name}_tvalid & {self.name}_tready)"

    @property
    def _there(self) -> str:
        """The harness's expression that is high when the design offers something."""
        return f"{'~' * self.inverts('tvalid')}{self.name}_tvalid_inside"

    @property
    def _free(self) -> str:
        """That is high when no word is shown that is not taken."""
        return f"~{self.name}_shown | {self.name}_tready"

    @property
    def _starts(self) -> str:
        """That is high when something is started."""
        return f"{self.name}_tvalid & ~{self.name}_running"

    @property
    def _done(self) -> str:
        """That is high when what was started is done."""
        return f"{'~' * (self.until or '').startswith('!')}{self.name}_done"

    def kept(self, others: Iterable[Bundle]) -> Iterator[tuple[str, str, str]]:
        """What a late word, a start and a result need."""
        name = self.name
        if self.late:
            yield f"{name}_shown", f"{self._there} & ({self._free})", f"{name}_tready"
        if self.until is not None:
            yield f"{name}_running", self._starts, self._done
        if self.after is not None:
            yield f"{name}_was_low", f"~({self._there})", self._there
            started = next((one for one in others if one.name == self.after and isinstance(one, StreamPort)), None)
            if started is not None and started.until is None:
                # It says itself when it takes a start; where that is the valid of the result, a rise alone counts.
                same = started.has("tready") and started.pin("tready") == self.pin("tvalid")
                begins = "1'b0" if same else f"{started.name}_tvalid & {started.name}_tready"
                yield f"{started.name}_running", begins, self._there

    def widths(self) -> Mapping[str, int]:
        """Bits by what the bus's signals call their widths."""
        sides = {side: int(getattr(self, side) or 0) for side in _SIDES}
        sides["tuser"] += sum(map(int, self.sidebands.values()))
        return {"width": int(self.width), "bytes": int(self.width) // 8, **sides}

    def resolved(self, params: Mapping[str, Any]) -> Self:
        """The same with widths as numbers."""
        fixed: dict[str, Any] = {"width": number(self.width, params)}
        if not self.fields and (fixed["width"] < 8 or fixed["width"] % 8):
            raise UsageError(f"streams {self.name}: width = {self.width}: found {fixed['width']}, expected whole bytes")
        if self.fields:
            fixed["fields"] = {pin: number(width, params) for pin, width in self.fields.items()}
            fixed["width"] = -(-sum(fixed["fields"].values()) // 8) * 8
        fixed["sidebands"] = {pin: number(width, params) for pin, width in self.sidebands.items()}
        for side in _SIDES:
            value = getattr(self, side)
            fixed[side] = None if value is None else number(value, params)
        return self.model_copy(update=fixed)

    def native_options(self) -> dict[str, Any]:
        """Sources and sinks wait for the start of an episode."""
        return {
            "held": True,
            **({} if self.direction == "in" else {"interleaved": self.interleaved, "fifo": self.fifo}),
        }

    def paths(self) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
        """TVALID must not follow TREADY, unless it writes a FIFO; TREADY may follow TVALID."""
        if self.direction == "in" or self.fifo or not self.has("tready"):
            return ()
        return ((f"{self.spec.name}_valid_waits", ("tready",), ("tvalid",)),)

    def waits(self, since: int, trace: Trace) -> str:
        """What a beat that is not taken waits for, for reports of hangs.

        Args:
            since: cycle of its first offer.
            trace: what was transferred before it.
        """
        text = f"{self.name}: tvalid without tready since cycle {since}, {len(trace)} beats transferred"
        last = trace[-_LAST_BEATS:]
        beats = ", ".join(
            f"0x{bytes(data[::-1]).hex()} in cycle {cycle}" for data, cycle in zip(last.data, last.cycle, strict=True)
        )
        return f"{text}, the last ones {beats}" if beats else text

    def shape(self, bits: Callable[[Width], str]) -> str:
        """Its width for people."""
        return f"{' + '.join(map(bits, self.fields.values())) if self.fields else bits(self.width)} bit"

    @property
    def room_first(self) -> str:
        """Why the valid of an output may wait for its ready, for people; empty: it must not."""
        return "writes a FIFO, whose room waits for no write" if self.fifo else ""

    def carried(
        self, keep: npt.NDArray[np.bool_], last: npt.NDArray[np.bool_], tid: npt.NDArray[np.uint64] | None
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.uint64] | None]:
        """What beats can say of drawn TKEEP and TID; ``last``: the last beats of frames."""
        del last
        return keep, tid

    @property
    def side(self) -> str:
        """``in`` or ``out``."""
        return self.direction

    @classmethod
    def recognise(cls, wires: Wires) -> StreamPort | None:
        """TDATA and TVALID, under these names or plain ones."""
        roles = wires.roles
        way = roles["tvalid"].way
        direction: Literal["in", "out"] = "in" if way == "input" else "out"
        if "tready" in roles and roles["tready"].way == way:
            wires.drop("tready", "has the direction of tvalid, so this port only listens", tie=1)
        for role, pin in roles.items():
            if (pin.way == way) == (role == "tready"):
                raise NotABundleError(f"{pin.name} has the opposite direction of {roles['tvalid'].name}")
        if "tstrb" in roles and "tkeep" not in roles:
            roles["tkeep"] = roles.pop("tstrb")
            wires.notes.append(f"{roles['tkeep'].name}: used as tkeep, since tkeep is missing")
        if "twakeup" in roles:
            wires.drop("twakeup", "twakeup is not modelled", tie=1)
        wires.drop_disabled(direction)
        array = wires.array(roles["tvalid"])
        width, bits = array.width(roles["tdata"]), array.bits(roles["tdata"])
        if bits % 8 and array.lanes is None and "tkeep" not in roles:
            return cls.of_fields(wires, array, direction)
        if bits % 8:
            raise NotABundleError(f"{roles['tdata'].name} has {bits} bits per bundle, not a multiple of 8")
        if "tkeep" in roles and array.bits(roles["tkeep"]) != bits // 8:
            wires.drop("tkeep", f"{array.bits(roles['tkeep'])} bits for {bits // 8} bytes", tie=-1)
        if "tstrb" in roles and array.bits(roles["tstrb"]) != bits // 8:
            wires.drop("tstrb", f"{array.bits(roles['tstrb'])} bits for {bits // 8} bytes", tie=-1)
        elif "tstrb" in roles and ("tkeep" not in roles or bits // 8 > MOST_LANES):
            why = f"more than {MOST_LANES} bytes" if "tkeep" in roles else "tkeep is missing"
            wires.drop("tstrb", f"not modelled: {why}", tie=-1)
        for role in ("tready", "tlast"):
            if role in roles and array.bits(roles[role]) != 1:
                raise NotABundleError(f"{roles[role].name} has {array.bits(roles[role])} bits per bundle, expected 1")
        sides: dict[str, Any] = {}
        for side in _SIDES:
            if side in roles and array.bits(roles[side]) > WIDEST_SIDE:
                wires.drop(side, f"{array.bits(roles[side])} bits, more than {WIDEST_SIDE}")
            elif side in roles:
                sides[side] = array.width(roles[side])
        layout = {"lanes": array.lanes, "layout": array.layout}
        return cls(name=wires.name, direction=direction, width=width, signals=wires.signals, **layout, **sides)

    @classmethod
    def of_fields(cls, wires: Wires, array: PinArray, direction: Literal["in", "out"]) -> Self:
        """A bundle whose TDATA are no whole bytes: they and all else that comes with them are fields."""
        payload = [role for role in wires.roles if role not in ("tvalid", "tready")]
        fields = {wires.roles[role].name: array.width(wires.roles[role]) for role in payload}
        names = {role: name for role, name in wires.signals.items() if role not in payload}
        return cls(name=wires.name, direction=direction, from_file=False, fields=fields, signals=names)
