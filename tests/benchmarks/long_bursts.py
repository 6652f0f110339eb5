# SPDX-License-Identifier: Apache-2.0
"""Bursts on an AXI4 memory as a user of cocotbext-axi tests them: nothing here knows Goldbeat."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiBus, AxiMaster

SPACE = 4096


@cocotb.test()
async def ten_times_4_kib_written_and_read(dut):
    cocotb.start_soon(Clock(dut.aclk, 4, "ns").start())
    master = AxiMaster(AxiBus.from_prefix(dut, "s_axi"), dut.aclk, dut.aresetn, reset_active_level=False)
    dut.aresetn.value = 0
    for _ in range(4):
        await RisingEdge(dut.aclk)
    dut.aresetn.value = 1
    for _ in range(10):
        data = random.randbytes(SPACE)
        await master.write(0, data)
        assert (await master.read(0, SPACE)).data == data
