# SPDX-License-Identifier: Apache-2.0
"""Runs inside the simulator: every mode of rules.sv breaks just the rules that its row names."""

from __future__ import annotations

import cocotb

from goldbeat.tb.kernel.axi import AxiChecker
from goldbeat.tb.kernel.axis import AxiStreamMonitor
from goldbeat.tb.kernel.simulation import Kernel

PERIOD = 4000
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
]


def expected(row, bundle):
    """What a bundle's checker must report: the strict ones what the others do, unless the row says otherwise."""
    if bundle in row:
        return row[bundle]
    if bundle == "strict":
        return row.get("axi", set())
    if bundle == "axis strict":
        return row.get("axis", set())
    if bundle == "axil strict":
        # Data of the AXI-Lite bundle that lost their address are ahead of the next one, but never by more than one beat.
        return row.get("axil", set())
    return set()


def agents(kernel):
    strict = {"narrow": False, "fixed": False, "interleaved": False, "data_lead": 2, "reset": "aresetn"}
    return {
        "axi": AxiChecker(kernel, "x_axi", reset="aresetn"),
        "strict": AxiChecker(kernel, "x_axi", **strict),
        "axil": AxiChecker(kernel, "x_axil", lite=True, reset="aresetn"),
        "axil strict": AxiChecker(kernel, "x_axil", lite=True, data_lead=2, reset="aresetn"),
        "axis": AxiStreamMonitor(kernel, "x_axis", reset="aresetn", held=True),
        "axis strict": AxiStreamMonitor(kernel, "x_axis", reset="aresetn", interleaved=False, held=True),
    }


async def one(kernel, watchers, mode):
    clock = kernel.clock("aclk")
    for watcher in watchers.values():
        watcher.reset()
    kernel.poke("aresetn", 0)
    kernel.poke("mode", mode)
    await clock.cycles(8)
    watchers["axis"].start()
    watchers["axis strict"].start()
    # Between two edges: the next one is the first out of reset.
    await kernel.run(PERIOD // 4)
    kernel.poke("aresetn", 1)
    await clock.cycles(60)


def names(watcher):
    return {text.split(":")[0] for text in watcher.violations}


@cocotb.test()
async def every_mode(dut):
    kernel = Kernel(dut, judge=False)
    kernel.poke("aresetn", 0)
    kernel.poke("mode", 0)
    kernel.clock("aclk", PERIOD)
    watchers = agents(kernel)
    wrong = []
    for mode, (title, row) in enumerate(MODES):
        await one(kernel, watchers, mode)
        for bundle, watcher in watchers.items():
            if names(watcher) != expected(row, bundle):
                wrong.append(f"{title}, {bundle}: expected {expected(row, bundle)}, got {watcher.violations[:4]}")
    assert not wrong, "\n".join(wrong)


@cocotb.test()
async def rules_are_switched_by_name(dut):
    kernel = Kernel(dut, judge=False)
    kernel.poke("aresetn", 0)
    kernel.clock("aclk", PERIOD)
    watchers = agents(kernel)
    mode = [title for title, _ in MODES].index("valid_held aw")
    kernel.rule("axi_valid_held", False)
    await one(kernel, watchers, mode)
    assert not watchers["axi"].violations
    assert names(watchers["axil"]) == {"axil_valid_held"}
    kernel.rule("axi_valid_held", True)
    await one(kernel, watchers, mode)
    (text,) = watchers["axi"].violations
    assert text.startswith("axi_valid_held: x_axi, cycle ")
    assert text.endswith(": awvalid fell without a transfer")
