# SPDX-License-Identifier: Apache-2.0
"""Runs inside the simulator: every mode of rules.sv breaks just the rules that its row names."""

from __future__ import annotations

import cocotb
from rule_modes import MODES

from goldbeat.tb.kernel.axi import AxiChecker
from goldbeat.tb.kernel.axis import AxiStreamMonitor
from goldbeat.tb.kernel.simulation import Kernel

PERIOD = 4000


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
    await clock.cycles(72)


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
