# SPDX-License-Identifier: Apache-2.0
"""Long streams as a user of cocotbext-axi tests them: nothing here knows Goldbeat."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

WORDS = 20_000


async def move(dut, frames):
    cocotb.start_soon(Clock(dut.clk, 4, "ns").start())
    source = AxiStreamSource(AxiStreamBus.from_entity(dut.s_axis), dut.clk, dut.rst)
    sink = AxiStreamSink(AxiStreamBus.from_entity(dut.m_axis), dut.clk, dut.rst)
    dut.rst.value = 1
    for _ in range(4):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    sent = [random.randbytes(WORDS // frames * 4) for _ in range(frames)]
    for data in sent:
        await source.send(AxiStreamFrame(data))
    for data in sent:
        assert (await sink.recv()).tdata == data


@cocotb.test()
async def twenty_frames_of_1000_words(dut):
    await move(dut, 20)


@cocotb.test()
async def one_frame_of_20000_words(dut):
    await move(dut, 1)
