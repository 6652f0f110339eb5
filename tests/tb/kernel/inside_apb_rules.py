# SPDX-License-Identifier: Apache-2.0
"""Inside the simulator: masters that break the rules of APB, each seen by name."""

import cocotb
from cocotb.triggers import FallingEdge
from rule_modes import APB_IDLE, APB_IN_RESET, APB_MODES

from goldbeat.tb.kernel import ApbChecker, Kernel

PERIOD_PS = 1000


def _put(dut, values):
    for role, value in zip(("psel", "penable", "paddr", "pwrite", "pwdata", "pstrb"), values, strict=True):
        getattr(dut, f"s_apb_{role}").value = value


@cocotb.test()
@cocotb.parametrize(mode=list(APB_IN_RESET))
async def a_master_in_reset(dut, mode):
    values, expected = APB_IN_RESET[mode]
    for name in ("pclk", "presetn", "s_apb_pprot", "t_apb_psel", "t_apb_penable"):
        getattr(dut, name).value = 0
    kernel = Kernel(dut, judge=False)
    clock = kernel.clock("pclk", PERIOD_PS)
    checker = ApbChecker(kernel, "s_apb", clock="pclk", reset="presetn")
    _put(dut, values)
    await clock.cycles(8)
    await FallingEdge(dut.pclk)
    _put(dut, APB_IDLE)
    dut.presetn.value = 1
    await clock.cycles(3)
    assert [text.partition(":")[0] for text in checker.violations] == expected, checker.violations


@cocotb.test()
@cocotb.parametrize(mode=list(APB_MODES))
async def a_master_breaks(dut, mode):
    cycles, expected = APB_MODES[mode]
    for name in ("pclk", "presetn", "s_apb_pprot", "t_apb_psel", "t_apb_penable"):
        getattr(dut, name).value = 0
    kernel = Kernel(dut, judge=False)
    clock = kernel.clock("pclk", PERIOD_PS)
    checker = ApbChecker(kernel, "s_apb", clock="pclk", reset="presetn")
    for step, values in enumerate([APB_IDLE] * 4 + cycles + [APB_IDLE]):
        await FallingEdge(dut.pclk)
        dut.presetn.value = step >= 3
        _put(dut, values)
    await clock.cycles(2)
    assert [text.partition(":")[0] for text in checker.violations] == expected, checker.violations
    assert all(": s_apb, cycle " in text for text in checker.violations)
