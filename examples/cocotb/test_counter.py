# SPDX-License-Identifier: Apache-2.0
"""A cocotb suite with cocotbext-axi, as it runs anywhere."""

import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotb_tools.runner import get_runner
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

HERE = Path(__file__).parent


async def start(dut):
    cocotb.start_soon(Clock(dut.clk, 4, unit="ns").start())
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst)
    sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst)
    dut.rst.value = 1
    for _ in range(4):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    return source, sink


@cocotb.test()
async def frames_are_numbered(dut):
    source, sink = await start(dut)
    for length in (1, 2, 300, 5000):
        words = [random.getrandbits(31) for _ in range(length)]
        data = b"".join(word.to_bytes(4, "little") for word in words)
        await source.send(AxiStreamFrame(data))
        frame = await sink.recv()
        expected = [(word + index) % (1 << 32) for index, word in enumerate(words)]
        assert bytes(frame.tdata) == b"".join(word.to_bytes(4, "little") for word in expected)


def test_counter():
    runner = get_runner("verilator")
    runner.build(sources=[HERE / "counter.sv"], hdl_toplevel="counter", build_dir="sim_build")
    runner.test(hdl_toplevel="counter", test_module="test_counter", build_dir="sim_build")
