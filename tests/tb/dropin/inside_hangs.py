# SPDX-License-Identifier: Apache-2.0
"""Tests that never end, and one that takes its time."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from cocotbext.axi import ApbBus, ApbMaster, AxiLiteBus, AxiLiteMaster


def begin(dut):
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    dut.rst.value = 0


@cocotb.test()
async def nobody_answers(dut):
    begin(dut)
    dut.apb_pready.value = 0
    master = ApbMaster(ApbBus.from_prefix(dut, "apb"), dut.clk, dut.rst)
    master.init_read(0, 1)
    await master.write(4, b"abcd")


@cocotb.test()
async def nobody_is_ready(dut):
    begin(dut)
    dut.axil_awready.value = 0
    dut.axil_bvalid.value = 0
    master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "axil"), dut.clk, dut.rst)
    await master.write(0, bytes(40))


@cocotb.test()
async def it_polls(dut):
    begin(dut)
    dut.axi_bvalid.value = 0
    await RisingEdge(dut.clk)
    while not dut.axi_bvalid.value:
        await RisingEdge(dut.clk)


@cocotb.test()
async def it_takes_its_time(dut):
    begin(dut)
    await Timer(50, "us")
    for _ in range(900):
        await RisingEdge(dut.clk)
