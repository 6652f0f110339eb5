# SPDX-License-Identifier: Apache-2.0
"""Inside the simulator: an access that waits for others is no hang; a reset may come over from a slow clock."""

import cocotb
from cocotb.triggers import Timer

from goldbeat.tb.kernel import ApbChecker, ApbMaster, Kernel
from goldbeat.tb.kernel.registers import TIMEOUT_CYCLES, read

PERIOD_PS = 1000


@cocotb.test()
async def who_waits_for_its_turn_is_no_hang(dut):
    kernel = Kernel(dut)
    kernel.clock("pclk", PERIOD_PS)
    first, second = ApbMaster(kernel, "a", clock="pclk"), ApbMaster(kernel, "b", clock="pclk")
    await Timer(3 * PERIOD_PS, "ps")
    # The arbiter serves the first one as long as it asks.
    steps = TIMEOUT_CYCLES // 2
    other = cocotb.start_soon(first.run([read(0)] * steps))
    (late,) = await second.run([read(0)])
    assert late.status == "done"
    assert late.last_cycle - late.first_cycle > TIMEOUT_CYCLES
    await other
    dut.stuck.value = 1
    (never,) = await second.run([read(0)])
    assert never.status == "timeout"
    assert never.last_cycle - never.first_cycle < TIMEOUT_CYCLES + 10
    second.reset()


@cocotb.test()
@cocotb.parametrize(slow=[0, 8])
async def a_reset_comes_over_from_a_slow_clock(dut, slow):
    kernel = Kernel(dut, judge=False)
    clock = kernel.clock("pclk", PERIOD_PS)
    if slow:
        kernel.clock("slow_clk", slow * PERIOD_PS)
    checker = ApbChecker(kernel, "b", clock="pclk", reset="rst_n")
    dut.rst_n.value, dut.b_psel.value = 0, 1
    # Four edges of the slowest clock, and as many of its own.
    late = 4 * max(slow, 1)
    await clock.cycles(late)
    assert not checker.violations
    await clock.cycles(2)
    assert [text.partition(":")[0] for text in checker.violations] == ["apb_select_in_reset"]
    kernel.rule("any", False)
