# SPDX-License-Identifier: Apache-2.0
"""Masters and memories of AXI and AXI-Lite as a user of cocotbext-axi tests them: nothing here knows Goldbeat."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiLiteRam, AxiMaster, AxiRam

MIB = 1 << 20


async def begin(dut):
    Clock(dut.clk, 4, "ns").start()
    for level in (1, 0):
        dut.rst.value = level
        for _ in range(4):
            await RisingEdge(dut.clk)


def axi(dut):
    bus = AxiBus.from_prefix(dut, "axi")
    return AxiMaster(bus, dut.clk, dut.rst), AxiRam(bus, dut.clk, dut.rst, size=4 * MIB)


@cocotb.test()
async def axi_1_mib_written_and_read(dut):
    master, ram = axi(dut)
    await begin(dut)
    data = random.randbytes(MIB)
    await master.write(0x1234, data)
    assert (await master.read(0x1234, MIB)).data == data == ram.read(0x1234, MIB)


@cocotb.test()
async def axi_eight_tasks_of_100_accesses(dut):
    master, _ = axi(dut)
    await begin(dut)

    async def work(base):
        for k in range(100):
            data = random.randbytes(random.randint(1, 300))
            await master.write(base + k, data)
            assert (await master.read(base + k, len(data))).data == data

    tasks = [cocotb.start_soon(work(n << 12)) for n in range(8)]
    for task in tasks:
        await task


@cocotb.test()
async def axil_2000_words_written_and_read(dut):
    bus = AxiLiteBus.from_prefix(dut, "axil")
    master, _ = AxiLiteMaster(bus, dut.clk, dut.rst), AxiLiteRam(bus, dut.clk, dut.rst, size=MIB)
    await begin(dut)
    for k in range(2000):
        await master.write_dword(4 * k, k)
        assert await master.read_dword(4 * k) == k
