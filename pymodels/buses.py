# SPDX-License-Identifier: Apache-2.0
"""The buses: the signals of each and the rules that it demands, once for descriptions, checkers and documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class BusSignal:
    """One signal of a bus.

    Attributes:
        name: its role, in lower case without prefix (``tdata``, ``awaddr``).
        width: in bits, or what a port calls its width (``data_width``).
        from_slave: driven by the side that answers (a slave, a sink).
    """

    name: str
    width: int | str = 1
    from_slave: bool = False


@dataclass(frozen=True)
class Bus:
    """A bus.

    Attributes:
        name: the names of its rules begin with it: ``axil``.
        title: for people: ``AXI-Lite``.
        signals: all that it may have.
        rules: what it demands, by name without the bus's.
        warnings: those of them that fail nothing.
        clauses: where the bus's specification says so, by name of the rule; a rule without one is no demand of the protocol.
        handshakes: signals that mean something in every cycle; empty: those with ``valid`` or ``ready`` in their names.
    """

    name: str
    title: str
    signals: tuple[BusSignal, ...]
    rules: Mapping[str, str] = field(default_factory=dict)
    warnings: frozenset[str] = frozenset()
    clauses: Mapping[str, str] = field(default_factory=dict)
    handshakes: frozenset[str] = frozenset()

    @property
    def roles(self) -> tuple[str, ...]:
        """The names of its signals."""
        return tuple(signal.name for signal in self.signals)

    @property
    def from_slave(self) -> frozenset[str]:
        """The signals that the answering side drives."""
        return frozenset(signal.name for signal in self.signals if signal.from_slave)

    @property
    def always(self) -> frozenset[str]:
        """The signals that mean something in every cycle."""
        return self.handshakes or frozenset(role for role in self.roles if "valid" in role or "ready" in role)

    @property
    def full_rules(self) -> dict[str, str]:
        """The rules by their full names."""
        return {f"{self.name}_{rule}": demand for rule, demand in self.rules.items()}


def _signals(text: str, *, from_slave: bool = False) -> tuple[BusSignal, ...]:
    """Signals from ``name`` or ``name:width``."""
    pairs = (word.partition(":") for word in text.split())
    widths = ((name, int(width) if width.isdigit() else width or 1) for name, _, width in pairs)
    return tuple(BusSignal(name, width, from_slave) for name, width in widths)


def _answers(text: str) -> tuple[BusSignal, ...]:
    return _signals(text, from_slave=True)


_HANDSHAKE_CLAUSES = {
    "valid_held": "A3.2.1",
    "payload_stable": "A3.2.1",
    "valid_in_reset": "A3.1.2",
    "valid_after_reset": "A3.1.2",
}
_SHARED_CLAUSES = {
    **_HANDSHAKE_CLAUSES,
    "exokay": "A3.4.4",
    "b_without_request": "A3.3.1",
    "b_before_data": "A3.3.1",
    "r_without_request": "A3.3.1",
    "combinational": "A3.1.1",
    "valid_waits": "A3.3.1",
    "data_waits": "A3.3.1",
}
_BURST_CLAUSES = {
    "wlast_early": "A3.4.1",
    "wlast_late": "A3.4.1",
    "rlast_early": "A3.4.1",
    "rlast_late": "A3.4.1",
    "b_id": "A5.2",
    "r_id": "A5.2",
    "4k_boundary": "A3.4.1",
    "burst_type": "A3.4.1",
    "wrap_length": "A3.4.1",
    "wrap_alignment": "A3.4.1",
    "fixed_length": "A3.4.1",
    "size": "A3.4.1",
    "strobe_lanes": "A3.4.3",
    "exclusive": "A7.2.4",
    "exclusive_pair": "A7.2.4",
    "exclusive_response": "A7.2.3",
    "region": "A8.2.1",
    "cache": "A4.4",
    "outstanding": "A3.4.1",
}
_STREAM_CLAUSES = {
    "valid_held": "2.2.1",
    "payload_stable": "2.2.1",
    "valid_in_reset": "2.7.2",
    "valid_after_reset": "2.7.2",
    "valid_waits": "2.2.1",
    "strobe_reserved": "2.4.3",
}
_APB_CLAUSES = {
    "sequence": "4.1",
    "select_in_reset": "4.1",
    "payload_stable": "3.1, 3.3",
    "strobe_read": "3.2",
    "unaligned": "2.1.1",
    "slverr_early": "3.4",
}
_WISHBONE_CLAUSES = {
    "request_in_reset": "3.1.1, rule 3.20",
    "strobe_alone": "3.1.2, rule 3.25",
    "request_held": "3.1.3",
    "payload_stable": "3.1.3, rule 3.60",
    "answers_exclusive": "3.1.3, rule 3.45",
    "answer_without_request": "3.1.3, rules 3.30, 3.50",
    "answer_without_cyc": "3.1.3, rules 3.30, 3.35",
    "burst": "4.3, rules 4.30 to 4.40",
}
_AVALON_CLAUSES = {
    "request_held": "3.5.1",
    "payload_stable": "3.5.1",
    "read_and_write": "3.2",
    "unaligned": "3.2",
    "burst_length": "3.5.5",
    "burst_broken": "3.5.5.1",
    "burst_begin": "3.2",
    "allowance": "3.5.2",
    "data_without_request": "3.5.4",
    "response_without_request": "3.5.6",
}
_HANDSHAKE = {
    "valid_held": "A valid that is high stays high until its ready is.",
    "payload_stable": "While a valid waits for its ready, nothing else on its channel changes.",
    "valid_in_reset": "No valid is high in reset.",
    "valid_after_reset": "No valid is high at the first edge out of reset; it may rise after that edge.",
}
_SHARED = {
    **_HANDSHAKE,
    "exokay": "EXOKAY answers exclusive accesses only; AXI-Lite has none.",
    "b_without_request": "BVALID comes only while a write is outstanding.",
    "b_before_data": "BVALID comes only after the address and all data of its write.",
    "r_without_request": "RVALID comes only while a read is outstanding.",
    "data_before_address": "Write data precede their address by at most N beats: 256, or the checker's bound.",
}
_BURSTS = {
    "wlast_early": "WLAST is low on all beats of a burst but the last of AWLEN + 1.",
    "wlast_late": "WLAST is high on the last beat of AWLEN + 1.",
    "rlast_early": "RLAST is low on all beats of a burst but the last of ARLEN + 1.",
    "rlast_late": "RLAST is high on the last beat of ARLEN + 1.",
    "b_id": "BID is the ID of an outstanding write.",
    "r_id": "RID is the ID of an outstanding read.",
    "4k_boundary": "No INCR burst crosses a 4 KiB boundary.",
    "burst_type": "AxBURST is not the reserved value 3.",
    "wrap_length": "A WRAP burst has 2, 4, 8 or 16 beats.",
    "wrap_alignment": "A WRAP burst starts at a multiple of its beat size.",
    "fixed_length": "A FIXED burst has at most 16 beats.",
    "size": "A beat is not wider than the bus.",
    "strobe_lanes": "WSTRB is low in the lanes that a beat does not use.",
    "exclusive": "At most 16 beats; 1 to 128 bytes, a power of two; an aligned address.",
    "exclusive_pair": "An exclusive write follows a complete equal exclusive read of its ID.",
    "exclusive_response": "EXOKAY only if the read got it and no other ID wrote the bytes since.",
    "region": "AxREGION is the same for all of 4 KiB.",
    "interleaved": "Read data of two bursts do not mix, if the checker has `interleaved=False`.",
    "cache": "With AxCACHE[1] low (not modifiable), AxCACHE[3:2] are low.",
    "narrow_unsupported": "No beat is narrower than the bus, if the checker is set so.",
    "fixed_unsupported": "No burst is FIXED, if the checker is set so.",
}
_VALID_WAITS = "A valid does not wait for its ready (tested if a {} is ready only after valid)."
_DATA_WAITS = "WVALID does not wait for AWREADY (tested if a memory holds AWREADY back)."
_COMBINATIONAL = "No output follows an input of the same interface within a cycle."
_READY_LATE = "No transfer waits for a ready of the design longer than a given bound. A warning."
_LATE_ACCESS = "No access has more wait states than a given bound. A warning."
_PLACES_LOST = "After a long run, more than half as many requests can be open as before it."
_OPEN_ACCESS = "At the end of a cocotb test, every access of a master has its answer."

AXIS = Bus(
    "axis",
    "AXI-Stream",
    (
        *_signals("tdata:width tkeep:bytes tlast tvalid"),
        *_answers("tready"),
        *_signals("tstrb:bytes tid:tid tdest:tdest tuser:tuser"),
    ),
    {
        **_HANDSHAKE,
        "valid_waits": _VALID_WAITS.format("sink"),
        "strobe_reserved": "No byte has TSTRB without TKEEP. TKEEP alone marks a position byte.",
        "interleaved": "No beat of another TID or TDEST is within a packet, if the checker has `interleaved=False`.",
        "ready_late": "No beat of an input waits for TREADY longer than a given bound. A warning.",
        "outstanding": "At the end of a run, no output offers a beat that was not taken.",
        "places_lost": "After a long run, full queues hold more than half of what they held before it.",
    },
    frozenset({"ready_late"}),
    _STREAM_CLAUSES,
)

AXIL = Bus(
    "axil",
    "AXI-Lite",
    (
        *_signals("awaddr:address_width awprot:3 awvalid"),
        *_answers("awready"),
        *_signals("wdata:data_width wstrb:bytes wvalid"),
        *_answers("wready bresp:2 bvalid"),
        *_signals("bready araddr:address_width arprot:3 arvalid"),
        *_answers("arready rdata:data_width rresp:2 rvalid"),
        *_signals("rready"),
    ),
    {
        **_SHARED,
        "combinational": _COMBINATIONAL,
        "ready_late": _READY_LATE,
        "outstanding": _OPEN_ACCESS,
        "places_lost": _PLACES_LOST,
        "valid_waits": _VALID_WAITS.format("master"),
        "data_waits": _DATA_WAITS,
    },
    frozenset({"ready_late"}),
    {**_SHARED_CLAUSES, "exokay": "B1.1.1"},
)


def _address(way: str) -> tuple[BusSignal, ...]:
    head = f"{way}id:id_width {way}addr:address_width {way}len:len_width"
    fixed = {"size": 3, "burst": 2, "lock": 1, "cache": 4, "prot": 3, "qos": 4, "region": 4}
    rest = " ".join(f"{way}{name}:{bits}" for name, bits in fixed.items())
    return (*_signals(f"{head} {rest} {way}user:{way}user {way}valid"), *_answers(f"{way}ready"))


AXI = Bus(
    "axi",
    "AXI4",
    (
        *_address("aw"),
        *_signals("wdata:data_width wstrb:bytes wlast wuser:wuser wvalid"),
        *_answers("wready bid:id_width bresp:2 buser:buser bvalid"),
        *_signals("bready"),
        *_address("ar"),
        *_answers("rid:id_width rdata:data_width rresp:2 rlast ruser:ruser rvalid"),
        *_signals("rready"),
    ),
    {
        **_SHARED,
        **_BURSTS,
        "combinational": _COMBINATIONAL,
        "ready_late": _READY_LATE,
        "valid_waits": _VALID_WAITS.format("sink"),
        "data_waits": _DATA_WAITS,
        "outstanding": "At the end, all accesses to memories are complete; in cocotb tests, all bursts.",
        "places_lost": _PLACES_LOST,
    },
    frozenset({"ready_late"}),
    {**_SHARED_CLAUSES, **_BURST_CLAUSES},
)

APB = Bus(
    "apb",
    "APB",
    (
        *_signals("psel penable paddr:address_width pwrite pwdata:data_width pstrb:bytes pprot:3"),
        *_answers("prdata:data_width pready pslverr"),
    ),
    {
        "sequence": "PENABLE is high only from the cycle after PSEL rises until PREADY, with PSEL.",
        "select_in_reset": "PSEL and PENABLE are low in reset.",
        "payload_stable": "PADDR, PWRITE, PSTRB, PPROT and write data do not change from setup to PREADY.",
        "strobe_read": "PSTRB is 0 in a read.",
        "unaligned": "PADDR is a multiple of the data's bytes; other addresses are unpredictable. A warning.",
        "slverr_early": "PSLVERR is low unless a transfer ends in this cycle; IHI 0024 recommends it. A warning.",
        "ready_late": _LATE_ACCESS,
        "outstanding": _OPEN_ACCESS,
    },
    frozenset({"slverr_early", "unaligned", "ready_late"}),
    _APB_CLAUSES,
    frozenset({"psel", "penable", "pready"}),
)

WISHBONE = Bus(
    "wishbone",
    "Wishbone",
    (
        *_signals("cyc stb we adr:address_width wdat:data_width sel:bytes cti:3 bte:2"),
        *_answers("rdat:data_width ack err rty stall"),
    ),
    {
        "request_in_reset": "CYC and STB are low in reset.",
        "strobe_alone": "STB is high only with CYC. Slaves ignore it alone. A warning.",
        "request_held": "CYC and STB stay until the answer; pipelined: until STALL or CYC falls.",
        "payload_stable": "ADR, WE, SEL, CTI, BTE and write data stay while STB waits.",
        "answers_exclusive": "At most one of ACK, ERR and RTY is high.",
        "answer_without_request": "ACK, ERR and RTY come only for a request.",
        "answer_without_cyc": "ACK, ERR and RTY do not answer STB without CYC.",
        "burst": "After CTI 1 or 2: a cycle of that WE and SEL, and the next address.",
        "ready_late": _LATE_ACCESS,
        "outstanding": _OPEN_ACCESS,
        "places_lost": _PLACES_LOST,
    },
    frozenset({"strobe_alone", "ready_late"}),
    _WISHBONE_CLAUSES,
    frozenset({"cyc", "stb", "ack", "err", "rty", "stall"}),
)

AVALON = Bus(
    "avalon",
    "Avalon-MM",
    (
        *_signals("address:address_width read write writedata:data_width byteenable:bytes"),
        *_signals("burstcount:burst_width beginbursttransfer chipselect"),
        *_answers("waitrequest readdata:data_width readdatavalid response:2 writeresponsevalid"),
    ),
    {
        "request_held": "READ and WRITE stay high until WAITREQUEST is low.",
        "payload_stable": "The address, write data, BYTEENABLE and BURSTCOUNT stay while WAITREQUEST is high.",
        "read_and_write": "READ and WRITE are not high in the same cycle.",
        "unaligned": "Addresses of bytes are multiples of the data's bytes.",
        "burst_length": "BURSTCOUNT of a new burst is 1 to half of its range.",
        "burst_broken": "No read comes before all beats of a write burst.",
        "burst_begin": "BEGINBURSTTRANSFER is high in the first cycle of a burst, and in no other.",
        "allowance": "At most WAITREQUESTALLOWANCE transfers come while WAITREQUEST stays high.",
        "data_without_request": "READDATAVALID comes only for a read, in a later cycle.",
        "response_without_request": "WRITERESPONSEVALID comes only for a write, in a later cycle.",
        "ready_late": _LATE_ACCESS,
        "outstanding": _OPEN_ACCESS,
        "places_lost": _PLACES_LOST,
    },
    frozenset({"ready_late"}),
    _AVALON_CLAUSES,
    frozenset({"read", "write", "beginbursttransfer", "waitrequest", "readdatavalid", "writeresponsevalid"}),
)

AVALON_STREAM = Bus(
    "avalonst",
    "Avalon-ST",
    tuple(one for one in AXIS.signals if one.name not in ("tstrb", "tdest")),
    {
        "valid_waits": "Without a ready latency, VALID does not wait for READY (as `axis_valid_waits`).",
        "valid_unready": "With a ready latency, VALID is high in ready cycles, or as READYALLOWANCE says.",
        "packet": "STARTOFPACKET is high in the first beat of a packet, and in no other; per CHANNEL.",
        "empty": "With ENDOFPACKET, EMPTY is less than the symbols of a beat.",
        "ready_late": "No beat of an input waits for READY longer than a given bound. A warning.",
        "outstanding": AXIS.rules["outstanding"],
        "places_lost": AXIS.rules["places_lost"],
    },
    frozenset({"ready_late"}),
    {"valid_waits": "5.9.1", "valid_unready": "5.9.2", "packet": "5.11", "empty": "5.11"},
)

BUSES = (AXIS, AXIL, AXI, APB, WISHBONE, AVALON, AVALON_STREAM)
"""Those that Goldbeat comes with; a plug-in brings its own."""
