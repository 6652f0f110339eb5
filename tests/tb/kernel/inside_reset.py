# SPDX-License-Identifier: Apache-2.0
"""Inside the simulator: a reset from the first edge on, with nothing between the assertions and the end of the simulation."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles


@cocotb.test()
async def reset_from_the_first_edge_on(dut):
    dut.rst_n.value = 0
    Clock(dut.clk, 1000, "ps").start()
    await ClockCycles(dut.clk, 4)
    dut.rst_n.value = 1
    await ClockCycles(dut.clk, 4)
    assert int(dut.q.value) == 2**64 - 1
