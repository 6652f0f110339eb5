# SPDX-License-Identifier: Apache-2.0
"""Inside the simulator: masters that break the rules of APB, each seen by name."""

import cocotb
from cocotb.triggers import FallingEdge

from goldbeat.tb.kernel import ApbChecker, Kernel

PERIOD_PS = 1000
# Cycle by cycle: psel, penable, paddr, pwrite, pwdata, pstrb. Word 0 never waits, word 2 waits two cycles.
SETUP, ACCESS = (1, 0, 0, 1, 5, 15), (1, 1, 0, 1, 5, 15)
LONG = (1, 1, 8, 1, 5, 15)
IDLE = (0, 0, 0, 0, 0, 0)
MODES = {
    "sound": ([SETUP, ACCESS, SETUP, ACCESS, IDLE, (1, 0, 8, 1, 5, 15), LONG, LONG, LONG, IDLE], []),
    "enabled at once": ([ACCESS, IDLE], ["apb_sequence"]),
    "enabled without a select": ([(0, 1, 0, 0, 0, 0), IDLE], ["apb_sequence"]),
    "enabled too long": ([SETUP, ACCESS, ACCESS, IDLE], ["apb_sequence"]),
    "setup of two cycles": ([SETUP, SETUP, ACCESS, IDLE], ["apb_sequence"]),
    "select falls": ([(1, 0, 8, 1, 5, 15), LONG, IDLE], ["apb_sequence"]),
    "enable falls": ([(1, 0, 8, 1, 5, 15), LONG, (1, 0, 8, 1, 5, 15), LONG, LONG, LONG, IDLE], ["apb_sequence"]),
    "address changes": (
        [(1, 0, 8, 1, 5, 15), (1, 1, 4, 1, 5, 15), (1, 1, 4, 1, 5, 15), IDLE],
        ["apb_payload_stable"] * 2,
    ),
    "data change": ([(1, 0, 0, 1, 6, 15), ACCESS, IDLE], ["apb_payload_stable"]),
    "data of a read may change": ([(1, 0, 0, 0, 6, 0), (1, 1, 0, 0, 5, 0), IDLE], []),
    "strobes in a read": ([(1, 0, 0, 0, 0, 1), (1, 1, 0, 0, 0, 1), IDLE], ["apb_strobe_read"]),
}


@cocotb.test()
@cocotb.parametrize(mode=list(MODES))
async def a_master_breaks(dut, mode):
    cycles, expected = MODES[mode]
    for name in ("pclk", "presetn", "s_apb_pprot", "t_apb_psel", "t_apb_penable"):
        getattr(dut, name).value = 0
    kernel = Kernel(dut, judge=False)
    clock = kernel.clock("pclk", PERIOD_PS)
    checker = ApbChecker(kernel, "s_apb", clock="pclk", reset="presetn")
    for step, values in enumerate([IDLE] * 4 + cycles + [IDLE]):
        await FallingEdge(dut.pclk)
        dut.presetn.value = step >= 3
        for role, value in zip(("psel", "penable", "paddr", "pwrite", "pwdata", "pstrb"), values, strict=True):
            getattr(dut, f"s_apb_{role}").value = value
    await clock.cycles(2)
    assert [text.partition(":")[0] for text in checker.violations] == expected, checker.violations
    assert all(": s_apb, cycle " in text for text in checker.violations)
