# SPDX-License-Identifier: Apache-2.0
"""What breaks which protocol rule: the modes of rules.sv, and of masters on APB."""

from __future__ import annotations

# Mode by mode: what AXI4, AXI-Lite and AXI-Stream break. `strict` bundles support neither narrow, FIXED nor interleaved bursts,
# and two beats of data before their address.
_CHANNELS = ("aw", "w", "b", "ar", "r")
MODES: list[tuple[str, dict[str, set[str]]]] = [
    ("sound", {}),
    ("sound exclusive", {}),
    ("sound narrow", {"strict": {"axi_narrow_unsupported"}}),
    *(
        (
            f"{rule} {channel}",
            {"axi": {f"axi_{rule}"}, "strict": {f"axi_{rule}"}, "axil": {f"axil_{rule}"}}
            | ({"axis": {f"axis_{rule}"}} if channel == "w" else {}),
        )
        for rule in ("valid_held", "payload_stable", "valid_in_reset")
        for channel in _CHANNELS
    ),
    *((name, {"axi": {f"axi_{name}"}}) for name in ("wlast_early", "wlast_late", "rlast_early", "rlast_late")),
    *((f"4k_boundary {way}", {"axi": {"axi_4k_boundary"}}) for way in ("aw", "ar")),
    *((name, {"axi": {f"axi_{name}"}}) for name in ("burst_type", "wrap_length", "wrap_alignment")),
    ("fixed_length", {"axi": {"axi_fixed_length"}, "strict": {"axi_fixed_length", "axi_fixed_unsupported"}}),
    *((name, {"axi": {f"axi_{name}"}}) for name in ("size", "cache", "exclusive")),
    *((f"exokay {way}", {"axi": {"axi_exokay"}, "axil": {"axil_exokay"}}) for way in ("b", "r")),
    ("strobe_lanes", {"axi": {"axi_strobe_lanes"}, "strict": {"axi_strobe_lanes", "axi_narrow_unsupported"}}),
    *((name, {"axi": {f"axi_{name}"}, "axil": {f"axil_{name}"}}) for name in ("b_without_request", "b_before_data")),
    ("b_id", {"axi": {"axi_b_id"}}),
    ("r_without_request", {"axi": {"axi_r_without_request"}, "axil": {"axil_r_without_request"}}),
    ("r_id", {"axi": {"axi_r_id"}}),
    (
        "data_before_address",
        {"axi": set(), "strict": {"axi_data_before_address"}, "axil strict": {"axil_data_before_address"}},
    ),
    ("narrow", {"axi": set(), "strict": {"axi_narrow_unsupported"}}),
    ("fixed", {"axi": set(), "strict": {"axi_fixed_unsupported"}}),
    ("valid_in_reset late", {"axi": {"axi_valid_in_reset"}, "axil": {"axil_valid_in_reset"}}),
    *(
        (f"valid_after_reset {way}", {"axi": {"axi_valid_after_reset"}, "axil": {"axil_valid_after_reset"}})
        for way in ("aw", "ar")
    ),
    ("sound pair", {}),
    *((f"exclusive_pair {what}", {"axi": {"axi_exclusive_pair"}}) for what in ("without read", "address", "length")),
    (
        "exclusive_pair size",
        {"axi": {"axi_exclusive_pair"}, "strict": {"axi_exclusive_pair", "axi_narrow_unsupported"}},
    ),
    ("exclusive_pair id", {"axi": {"axi_exclusive_pair"}}),
    ("region", {"axi": {"axi_region"}}),
    ("interleaved", {"axi": set(), "strict": {"axi_interleaved"}}),
    ("sound position bytes", {}),
    ("strobe_reserved", {"axis": {"axis_strobe_reserved"}}),
    ("valid_after_reset stream", {"axis": {"axis_valid_after_reset"}}),
    ("interleaved stream", {"axis": set(), "axis strict": {"axis_interleaved"}}),
    *((f"exclusive_pair {what}", {"axi": {"axi_exclusive_pair"}}) for what in ("burst", "cache", "prot")),
    ("exclusive_response of a read that was refused", {"axi": {"axi_exclusive_response"}}),
    ("sound pair that is refused", {}),
    ("exclusive_response behind a write of another ID", {"axi": {"axi_exclusive_response"}}),
    ("sound pair that another ID's write has spoilt", {}),
    ("sound pair with a write of no bytes between", {}),
]

# Cycle by cycle: psel, penable, paddr, pwrite, pwdata, pstrb. Word 0 never waits, word 2 waits two cycles.
_SETUP, _ACCESS = (1, 0, 0, 1, 5, 15), (1, 1, 0, 1, 5, 15)
_LONG = (1, 1, 8, 1, 5, 15)
APB_IDLE = (0, 0, 0, 0, 0, 0)
APB_MODES = {
    "sound": ([_SETUP, _ACCESS, _SETUP, _ACCESS, APB_IDLE, (1, 0, 8, 1, 5, 15), _LONG, _LONG, _LONG, APB_IDLE], []),
    "enabled at once": ([_ACCESS, APB_IDLE], ["apb_sequence"]),
    "enabled without a select": ([(0, 1, 0, 0, 0, 0), APB_IDLE], []),
    "enabled too long": ([_SETUP, _ACCESS, _ACCESS, APB_IDLE], ["apb_sequence"]),
    "setup of two cycles": ([_SETUP, _SETUP, _ACCESS, APB_IDLE], ["apb_sequence"]),
    "select falls": ([(1, 0, 8, 1, 5, 15), _LONG, APB_IDLE], ["apb_sequence"]),
    "enable falls": (
        [(1, 0, 8, 1, 5, 15), _LONG, (1, 0, 8, 1, 5, 15), _LONG, _LONG, _LONG, APB_IDLE],
        ["apb_sequence"],
    ),
    "address changes": (
        [(1, 0, 8, 1, 5, 15), (1, 1, 4, 1, 5, 15), (1, 1, 4, 1, 5, 15), APB_IDLE],
        ["apb_payload_stable"] * 2,
    ),
    "data change": ([(1, 0, 0, 1, 6, 15), _ACCESS, APB_IDLE], ["apb_payload_stable"]),
    "data of a read may change": ([(1, 0, 0, 0, 6, 0), (1, 1, 0, 0, 5, 0), APB_IDLE], []),
    "unaligned": ([(1, 0, 2, 1, 5, 15), (1, 1, 2, 1, 5, 15), APB_IDLE], ["apb_unaligned"]),
    "strobes in a read": ([(1, 0, 0, 0, 0, 1), (1, 1, 0, 0, 0, 1), APB_IDLE], ["apb_strobe_read"]),
}

# What stands in reset, for 8 edges of it, and the rules that it breaks, each reported once.
APB_IN_RESET = {
    "sound": (APB_IDLE, []),
    "selected": ((1, 0, 0, 0, 0, 0), ["apb_select_in_reset"]),
    "enabled": ((0, 1, 0, 0, 0, 0), ["apb_select_in_reset"]),
}

# On buses of single words, the bundle of pins.sv, and cycle by cycle what is not 0; the rules that are broken.
_READ, _WRITE = "cyc stb", "cyc stb we wdat=5"
_LINE = "cyc stb cti=2 sel=15"
_ALONE = ["wishbone_strobe_alone", "wishbone_strobe_alone", "wishbone_answer_without_cyc"]
WORD_MODES = {
    "wishbone sound": ("c", [_READ, f"{_READ} ack", "", _WRITE, f"{_WRITE} err", f"{_READ} rty adr=4", "cyc"], []),
    "wishbone stb falls": ("c", [_READ, "cyc"], ["wishbone_request_held"]),
    "wishbone cyc falls": ("c", [_READ, ""], ["wishbone_request_held"]),
    "wishbone stb without cyc": ("c", ["stb", "stb"], ["wishbone_strobe_alone"] * 2),
    "wishbone adr changes": ("c", [_READ, f"{_READ} adr=4 ack"], ["wishbone_payload_stable"]),
    "wishbone data change": ("c", [_WRITE, "cyc stb we wdat=6 ack"], ["wishbone_payload_stable"]),
    "wishbone data of a read may change": ("c", [_READ, f"{_READ} wdat=6 ack"], []),
    "wishbone two answers": ("c", [f"{_READ} ack err"], ["wishbone_answers_exclusive"]),
    "wishbone ack stays": ("c", [f"{_READ} ack", "cyc ack"], ["wishbone_answer_without_request"]),
    "wishbone ack without cyc": ("c", ["stb", "stb ack"], _ALONE),
    "wishbone burst": (
        "c",
        [f"{_LINE} ack adr=8", f"{_LINE} ack adr=12 bte=1", "cyc ack", f"{_READ} cti=7 sel=15 adr=0 ack"],
        [],
    ),
    "wishbone burst of other words": (
        "c",
        [f"{_LINE} ack adr=8", f"{_READ} cti=7 sel=15 adr=16 ack"],
        ["wishbone_burst"],
    ),
    "wishbone burst of other bytes": (
        "c",
        [f"{_LINE} ack adr=8", f"{_READ} cti=7 sel=1 adr=12 ack"],
        ["wishbone_burst"],
    ),
    "wishbone burst without end": ("c", [f"{_LINE} ack adr=8", ""], ["wishbone_burst"]),
    "wishbone constant burst": ("c", [f"{_READ} cti=1 ack adr=8", f"{_READ} cti=7 adr=8 ack"], []),
    "wishbone pipelined": ("p", [f"{_READ} stall", _READ, f"{_READ} adr=4 ack", "cyc ack", f"{_READ} ack", ""], []),
    "wishbone pipelined burst": (
        "p",
        [
            f"{_LINE} adr=8",
            f"{_LINE} adr=12 ack stall",
            f"{_LINE} adr=12",
            "cyc ack",
            f"{_READ} cti=7 sel=15 adr=16",
            "ack",
        ],
        [],
    ),
    "wishbone pipelined burst of other words": (
        "p",
        [f"{_LINE} adr=8", f"{_READ} cti=7 sel=15 adr=16 ack", "cyc ack"],
        ["wishbone_burst"],
    ),
    "wishbone pipelined, given up": ("p", [f"{_READ} stall", "", _READ, "ack", ""], []),
    "wishbone pipelined, stb falls": ("p", [f"{_READ} stall", "cyc"], ["wishbone_request_held"]),
    "wishbone pipelined, adr changes": ("p", [f"{_READ} stall", f"{_READ} adr=4"], ["wishbone_payload_stable"]),
    "wishbone pipelined, one answer too many": (
        "p",
        [_READ, "cyc ack", "cyc ack"],
        ["wishbone_answer_without_request"],
    ),
    "wishbone pipelined, answer without cyc": ("p", [_READ, "", "ack"], ["wishbone_answer_without_request"]),
}
WORD_MODES |= {
    "avalon sound": (
        "a",
        ["read waitrequest", "read", "read address=4 readdatavalid", "write readdatavalid", "writeresponsevalid"],
        [],
    ),
    "avalon waits while nothing is asked": (
        "a",
        ["waitrequest", "waitrequest write", "write", "writeresponsevalid"],
        [],
    ),
    "avalon read falls": ("a", ["read waitrequest", ""], ["avalon_request_held"]),
    "avalon address changes": ("a", ["read waitrequest", "read address=4", "readdatavalid"], ["avalon_payload_stable"]),
    "avalon data change": ("a", ["write waitrequest writedata=1", "write"], ["avalon_payload_stable"]),
    "avalon data of a read may change": ("a", ["read waitrequest writedata=1", "read", "readdatavalid"], []),
    "avalon both": ("a", ["read write"], ["avalon_read_and_write"]),
    "avalon unaligned": ("a", ["read address=6", "readdatavalid"], ["avalon_unaligned"]),
    "avalon data too early": ("a", ["read readdatavalid"], ["avalon_data_without_request"]),
    "avalon data twice": ("a", ["read", "readdatavalid", "readdatavalid"], ["avalon_data_without_request"]),
    "avalon burst of reads": ("a", ["read burstcount=3", *["readdatavalid"] * 3], []),
    "avalon burst of writes": ("a", ["write burstcount=2", "", "write address=1", "writeresponsevalid"], []),
    "avalon burst of no words": ("a", ["read burstcount=0", "readdatavalid"], ["avalon_burst_length"]),
    "avalon burst of too many words": ("a", ["read burstcount=5", *["readdatavalid"] * 5], ["avalon_burst_length"]),
    "avalon read in a burst of writes": ("a", ["write burstcount=2", "read", "readdatavalid"], ["avalon_burst_broken"]),
    "avalon burst begins": (
        "b",
        [
            "write burstcount=2 beginbursttransfer waitrequest",
            "write burstcount=2 waitrequest",
            "write burstcount=2",
            "write",
        ],
        [],
    ),
    "avalon burst begins twice": (
        "b",
        [*["write burstcount=2 beginbursttransfer"] * 2, "write burstcount=2 beginbursttransfer", "write"],
        ["avalon_burst_begin"],
    ),
    "avalon allowance": ("w", ["write", "waitrequest write", "waitrequest", "write", *["waitrequest write"] * 2], []),
    "avalon allowance is spent": ("w", ["write", *["waitrequest write"] * 3], ["avalon_allowance"]),
    "avalon response in a burst": (
        "a",
        ["write burstcount=2", "writeresponsevalid", "write address=1"],
        ["avalon_response_without_request"],
    ),
}

# What stands in reset, for 8 edges of it, and the rules that it breaks, each reported once.
IN_RESET = {
    "wishbone sound": ("c", "we adr=7", []),
    "wishbone cyc": ("c", "cyc", ["wishbone_request_in_reset"]),
    "wishbone stb": ("c", "stb", ["wishbone_request_in_reset"]),
}
