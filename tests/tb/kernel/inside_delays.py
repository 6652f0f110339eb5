# SPDX-License-Identifier: Apache-2.0
"""Inside the simulator: a design with delays of its own."""

import cocotb
from cocotb.triggers import RisingEdge, Timer

from goldbeat.tb.kernel import Kernel


@cocotb.test()
async def delays_and_native_clocks_share_the_time(dut):
    dut.aclk.value = 0
    await Timer(50, "ps")
    kernel = Kernel(dut)
    clock = kernel.clock("aclk", 1000)
    await kernel.run(1_000_000)
    assert int(dut.acount.value) == 999
    assert int(dut.ticks.value) == (1_000_050 - 1) // 700
    for _ in range(10):
        await RisingEdge(dut.aclk)
        now = kernel.now_ps
        await Timer(1, "ps")
        assert int(dut.seen.value) == (now - 1) // 700 or now % 700 == 0
    clock.stop()
