# SPDX-License-Identifier: Apache-2.0
"""Inside the simulator: everything that waits has a limit, and says what it waits for."""

import os

import cocotb
import numpy as np
import pytest
from cocotb.clock import Clock
from cocotb.triggers import Timer

from goldbeat.pymodels.errors import UsageError, WaitTimeoutError
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.kernel import AxiStreamMonitor, AxiStreamSink, AxiStreamSource, Kernel
from goldbeat.tb.kernel.patience import TIMEOUT_CYCLES, TIMEOUT_ENVIRONMENT

PERIOD_PS = 1000
LIMIT = 500


def _words(count, gaps=0):
    words = np.arange(count, dtype=np.uint32)
    trace = Trace.from_samples(words, "uint32", 32, clock_ps=PERIOD_PS, frame=4)
    return trace.with_gaps(np.full(count, gaps, np.int64)) if gaps else trace


async def _start(dut, timeout=LIMIT, **sink):
    dut.aclk.value = 0
    kernel = Kernel(dut, timeout=timeout)
    clock = kernel.clock("aclk", PERIOD_PS)
    source, taker = AxiStreamSource(kernel, "s_axis"), AxiStreamSink(kernel, "m_axis", **sink)
    await clock.cycles(3)
    return kernel, clock, source, taker


async def _late(waiting, clock, limit):
    """The message of a wait that gives up, soon behind its limit."""
    begun = clock.cycle
    with pytest.raises(WaitTimeoutError) as caught:
        await waiting
    assert limit <= clock.cycle - begun <= 2 * limit + 10, clock.cycle - begun
    return str(caught.value)


@cocotb.test()
async def a_sink_says_what_did_not_come(dut):
    _, clock, source, sink = await _start(dut)
    source.send(_words(6))
    text = await _late(sink.recv(frames=3), clock, LIMIT)
    assert text.startswith("m_axis: no progress in 500 cycles (aclk cycle "), text
    assert "waited for 2 of 3 frames (m_axis_tvalid is 0, m_axis_tready is 1)" in text, text
    assert TIMEOUT_ENVIRONMENT in text
    # It can be asked again, and what has come is not lost.
    assert len(await sink.recv(beats=6)) == 6


@cocotb.test()
async def a_source_says_what_was_not_taken(dut):
    _, clock, source, sink = await _start(dut, held=True)
    source.send(_words(6))
    text = await _late(source.wait(), clock, LIMIT)
    assert "waited for all 6 beats to be taken, 0 were (s_axis_tvalid is 1, s_axis_tready is 0)" in text, text
    assert "tvalid without tready since cycle" in text, text
    sink.start()
    await source.wait()
    assert source.sent == 6


@cocotb.test()
async def who_never_started_is_no_exception(dut):
    kernel, clock, _, sink = await _start(dut)
    monitor = AxiStreamMonitor(kernel, "s_axis", held=True)
    assert "0 of 1 beats" in await _late(monitor.wait(beats=1), clock, LIMIT)
    assert "0 of 1 frames" in await _late(sink.recv(), clock, LIMIT)


@cocotb.test()
async def a_call_has_a_limit_of_its_own(dut):
    _, clock, _, sink = await _start(dut, timeout=None)
    assert "in 77 cycles" in await _late(sink.recv(timeout=77), clock, 77)
    assert "0 of 5 beats" in await _late(sink.wait(beats=5, timeout=77), clock, 77)
    with pytest.raises(UsageError, match="found -1, expected a number of cycles"):
        await sink.recv(timeout=-1)
    own = int(os.environ.get(TIMEOUT_ENVIRONMENT, TIMEOUT_CYCLES))
    assert f"in {own} cycles" in await _late(sink.recv(), clock, own)


@cocotb.test()
async def no_limit_is_no_limit(dut):
    _, clock, _, sink = await _start(dut, timeout=0)
    task = cocotb.start_soon(sink.recv())
    await clock.cycles(3 * TIMEOUT_CYCLES)
    assert not task.done()
    task.cancel()


@cocotb.test()
async def what_moves_is_waited_for(dut):
    """Far more cycles than the limit, none of them without a reason: gaps, a late start, back-pressure."""
    _, clock, source, sink = await _start(dut, ready=Pattern("bursty", burst=100))
    begun = clock.cycle
    source.send(_words(2000))
    assert len(await sink.recv(beats=2000)) == 2000
    assert clock.cycle - begun > 3 * LIMIT
    source.send(_words(3, gaps=4 * LIMIT))
    await source.wait()
    source.reset()
    sink.reset()
    source.send(_words(1))
    source.start(clock.cycle + 5 * LIMIT)
    sink.start(clock.cycle + 4 * LIMIT)
    taken = cocotb.start_soon(sink.recv(beats=1, timeout=2 * LIMIT))
    await source.wait()
    assert len(await taken) == 1


@cocotb.test()
async def a_wait_that_is_cancelled_leaves_nothing(dut):
    _, clock, source, sink = await _start(dut)
    task = cocotb.start_soon(sink.recv())
    await clock.cycles(10)
    task.cancel()
    await clock.cycles(3 * LIMIT)
    source.send(_words(4))
    assert len(await sink.recv()) == 4


@cocotb.test()
async def two_wait_at_once(dut):
    _, clock, source, sink = await _start(dut)
    tasks = [cocotb.start_soon(sink.wait(beats=n)) for n in (2, 4)]
    await clock.cycles(LIMIT // 2)
    source.send(_words(4))
    for task in tasks:
        await task


@cocotb.test()
async def a_clock_that_stops(dut):
    _, clock, source, sink = await _start(dut)
    source.send(_words(6))
    clock.stop()
    with pytest.raises(WaitTimeoutError, match="where the clock stands still"):
        await sink.recv(beats=6)
    with pytest.raises(WaitTimeoutError, match="where the clock stands still"):
        await source.wait()


@cocotb.test()
async def a_clock_that_nobody_drives(dut):
    dut.aclk.value = 0
    kernel = Kernel(dut, timeout=LIMIT)
    clock = kernel.clock("aclk")
    sink = AxiStreamSink(kernel, "m_axis")
    with pytest.raises(WaitTimeoutError, match="0 of 1 frames"):
        await sink.recv()
    with pytest.raises(WaitTimeoutError, match="clock aclk: waited for 3 rising edges, it never rose"):
        await clock.cycles(3)


@cocotb.test()
async def a_clock_of_cocotb_that_becomes_slower(dut):
    dut.aclk.value = 0
    kernel = Kernel(dut, timeout=LIMIT)
    clock = kernel.clock("aclk")
    source, sink = AxiStreamSource(kernel, "s_axis"), AxiStreamSink(kernel, "m_axis")
    running = Clock(dut.aclk, PERIOD_PS, "ps")
    running.start(start_high=False)
    await clock.cycles(5)
    task = cocotb.start_soon(sink.recv(beats=1))
    await Timer(1, "ps")
    running.stop()
    Clock(dut.aclk, 4 * PERIOD_PS, "ps").start(start_high=False)
    await clock.cycles(LIMIT // 2)
    assert not task.done()
    source.send(_words(1))
    assert len(await task) == 1
    assert "0 of 1 beats" in await _late(sink.recv(beats=1), clock, LIMIT)


@cocotb.test()
async def a_time_out_must_be_a_number_of_cycles(dut):
    dut.aclk.value = 0
    with pytest.raises(UsageError, match="found -5, expected a number of cycles"):
        Kernel(dut, timeout=-5)
    before = os.environ.get(TIMEOUT_ENVIRONMENT)
    os.environ[TIMEOUT_ENVIRONMENT] = "soon"
    try:
        with pytest.raises(UsageError, match="GOLDBEAT_TIMEOUT_CYCLES: found 'soon'"):
            Kernel(dut)
    finally:
        del os.environ[TIMEOUT_ENVIRONMENT]
        if before is not None:
            os.environ[TIMEOUT_ENVIRONMENT] = before
    await Timer(1, "ps")
