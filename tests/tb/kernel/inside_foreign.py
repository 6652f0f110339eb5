# SPDX-License-Identifier: Apache-2.0
"""Inside the simulator: native transactors on clocks that cocotb or the test drives see what they see on native ones."""

import os

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, Timer

from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.kernel import AxiStreamMonitor, AxiStreamSink, AxiStreamSource, Kernel

PERIOD_PS = 2000
BEATS = 400
WIDTH = int(os.environ["SLICE_WIDTH"])
SEEN = {}


def _clock(kind, dut, kernel):
    """Start a clock on `aclk`."""
    if kind == "native":
        kernel.clock("aclk", PERIOD_PS)
    elif kind in ("gpi", "py"):
        Clock(dut.aclk, PERIOD_PS, "ps", impl=kind).start(start_high=False)
    elif kind == "coroutine":
        cocotb.start_soon(_toggle(dut))
    else:
        cocotb.start_soon(_poke(kernel))


async def _toggle(dut):
    while True:
        dut.aclk.value = 0
        await Timer(PERIOD_PS // 2, "ps")
        dut.aclk.value = 1
        await Timer(PERIOD_PS // 2, "ps")


async def _poke(kernel):
    while True:
        kernel.poke("aclk", 0)
        await Timer(PERIOD_PS // 2, "ps")
        kernel.poke("aclk", 1)
        await Timer(PERIOD_PS // 2, "ps")


def _stimulus():
    rng = np.random.default_rng(1)
    data = rng.integers(0, 256, (BEATS, WIDTH // 8), dtype=np.uint8)
    trace = Trace.from_bytes(data, last=rng.integers(0, 5, BEATS) == 0, clock_ps=PERIOD_PS)
    return trace.with_gaps(Pattern.parse("random:0.6", seed=3).gaps(BEATS))


@cocotb.test()
@cocotb.parametrize(kind=["native", "gpi", "py", "coroutine", "poke"])
async def the_same_on_any_clock(dut, kind):
    dut.aresetn.value = 0
    dut.drop.value = 0
    dut.aclk.value = 0
    await Timer(PERIOD_PS, "ps")
    kernel = Kernel(dut)
    _clock(kind, dut, kernel)
    clock = kernel.clock("aclk")
    source = AxiStreamSource(kernel, "s_axis", held=True)
    sink = AxiStreamSink(kernel, "m_axis", ready=Pattern.parse("random:0.5", seed=9), held=True)
    monitor = AxiStreamMonitor(kernel, "s_axis", held=True)
    await clock.cycles(3)
    dut.aresetn.value = 1
    base = clock.cycle + 3
    for agent in (source, sink, monitor):
        agent.start(base)
    source.send(_stimulus())
    got = await sink.recv(beats=BEATS)
    assert clock.period_ps == PERIOD_PS
    first = clock.first_ps
    await RisingEdge(dut.aclk)
    assert int(kernel.now_ps - first) == (clock.cycle - (kind == "native")) * PERIOD_PS
    sent = source.transferred()
    assert np.array_equal(monitor.take().cycle, sent.cycle)
    assert np.array_equal(got.data, _stimulus().data)
    assert not sink.violations
    assert got.clock_ps == sent.clock_ps == PERIOD_PS
    SEEN[kind] = (got.cycle - base, sent.cycle - base)
    for mine, native in zip(SEEN[kind], SEEN["native"], strict=True):
        assert np.array_equal(mine, native), kind


@cocotb.test()
async def a_cocotb_driver_beside_native_ones(dut):
    dut.aresetn.value = 0
    dut.drop.value = 0
    clock = Clock(dut.aclk, PERIOD_PS, "ps")
    clock.start()
    kernel = Kernel(dut)
    sink = AxiStreamSink(kernel, "m_axis")
    dut.s_axis_tvalid.value = 0
    for _ in range(4):
        await RisingEdge(dut.aclk)
    dut.aresetn.value = 1
    await RisingEdge(dut.aclk)
    sent = []
    for value in range(20):
        dut.s_axis_tdata.value = value
        dut.s_axis_tvalid.value = 1
        while True:
            await RisingEdge(dut.aclk)
            if dut.s_axis_tready.value:
                break
        sent.append(value)
    dut.s_axis_tvalid.value = 0
    got = await sink.recv(beats=20)
    assert [int.from_bytes(bytes(d), "little") for d in got.data] == sent
    assert np.array_equal(np.diff(got.cycle), np.ones(19))
    await FallingEdge(dut.aclk)
