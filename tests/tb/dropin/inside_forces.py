# SPDX-License-Identifier: Apache-2.0
"""Forces that the simulator follows, and forces that it would ignore."""

import cocotb
from cocotb.clock import Clock
from cocotb.handle import Force, Freeze, Release
from cocotb.triggers import FallingEdge, Timer, ValueChange
from cocotb.utils import get_sim_time

from goldbeat.tb.kernel.simulation import Kernel


async def look(dut, what):
    for _ in range(2):
        await FallingEdge(dut.clk)
        print("SEEN", what, dut.able.value, dut.flag.value, dut.from_able.value, dut.from_plain.value)


@cocotb.test()
async def a_forced_signal_keeps_its_value(dut):
    dut.d.value = 0x05
    Clock(dut.clk, 10, "ns").start()
    await look(dut, "free")
    dut.able.value = Force(0x32)
    dut.flag.value = Force(0)
    await look(dut, "forced")
    assert dut.able.value == 0x32
    assert dut.from_able.value == 0x32
    dut.able.value = Release()
    dut.flag.value = Freeze()
    await ValueChange(dut.able)
    print("SEEN change", get_sim_time("ns"), dut.able.value)
    dut.flag.value = Release()
    await look(dut, "released")
    assert dut.from_able.value == 0x05
    dut.plain.value = Release()


@cocotb.test()
async def the_kernel_sees_a_forced_output(dut):
    kernel = Kernel(dut)
    dut.d.value = 0x05
    await Timer(1, "ns")
    assert kernel.peek("shown") == 0x05
    dut.shown.value = Force(0x32)
    await Timer(1, "ns")
    print("SEEN forced", kernel.peek("shown"), kernel.peek("d"), dut.shown.value)
    dut.shown.value = Release()
    dut.d.value = 0x06
    await Timer(1, "ns")
    print("SEEN released", kernel.peek("shown"), dut.shown.value)


@cocotb.test()
async def an_ignored_force(dut):
    dut.plain.value = Force(0x32)


@cocotb.test()
async def an_ignored_freeze(dut):
    dut.plain[0].value = Freeze()
