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
