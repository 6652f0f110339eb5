# SPDX-License-Identifier: Apache-2.0
"""Inside the simulator: clocks, stretches, and cocotb's triggers beside them."""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import (
    ClockCycles,
    FallingEdge,
    First,
    NextTimeStep,
    ReadOnly,
    ReadWrite,
    RisingEdge,
    Timer,
    ValueChange,
)
from cocotb.utils import get_sim_time

from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.tb.kernel import AxiStreamSource, Kernel

LEFT = []


async def _reset(dut):
    for name in ("aclk", "bclk", "cclk", "aresetn", "d"):
        getattr(dut, name).value = 0
    await Timer(1, "ps")


def _counts(dut):
    return [int(getattr(dut, s).value) for s in ("acount", "bcount", "ccount")]


async def _log(dut, start_clock):
    """Everything that callbacks see for a while, in order."""
    await _reset(dut)
    seen = []

    def note(label):
        values = [int(getattr(dut, s).value) for s in ("aclk", "d", "q", "comb", "acount")]
        seen.append((int(get_sim_time("ps")), label, *values))

    async def rising():
        value = 0
        while True:
            await RisingEdge(dut.aclk)
            note("rising")
            value = (value + 37) % 256
            dut.d.value = value
            await ReadWrite()
            note("read-write")
            await ReadOnly()
            note("read-only")

    async def falling():
        while True:
            await FallingEdge(dut.aclk)
            note("falling")

    async def changing():
        while True:
            await ValueChange(dut.q)
            note("q")

    async def steps():
        # Left to end by itself: to cancel a wait for the next time step is beyond cocotb with this Verilator.
        for _ in range(60):
            await NextTimeStep()
            note("step")

    async def timed():
        while True:
            await Timer(1300, "ps")
            note("timer")
            dut.d.value = int(dut.d.value) ^ 1

    start_clock()
    await Timer(5_500, "ps")
    dut.aresetn.value = 1
    cocotb.start_soon(steps())
    tasks = [cocotb.start_soon(work()) for work in (rising, falling, changing, timed)]
    await Timer(80_000, "ps")
    for task in tasks:
        task.cancel()
    return seen


@cocotb.test()
async def a_native_clock_looks_like_cocotbs(dut):
    clock = Clock(dut.aclk, 2000, "ps")
    theirs = await _log(dut, clock.start)
    clock.stop()
    origin = theirs[0][0]
    theirs = [(t - origin, *rest) for t, *rest in theirs]
    kernel = Kernel(dut)

    def start():
        # cocotb's clock rises at once; ours cannot rise at a moment that has begun, so all is one period later.
        kernel.clock("aclk", 2000)

    await Timer(10_000 - int(get_sim_time("ps")) % 10_000, "ps")
    ours = await _log(dut, start)
    origin = ours[0][0]
    ours = [(t - origin, *rest) for t, *rest in ours]
    counts = [(t, label, clk, d, q, comb) for t, label, clk, d, q, comb, _ in ours]
    assert counts == [(t, label, clk, d, q, comb) for t, label, clk, d, q, comb, _ in theirs]
    assert len({label for _, label, *_ in ours}) == 7


@cocotb.test()
async def clocks_of_any_period_and_phase(dut):
    await _reset(dut)
    kernel = Kernel(dut)
    kernel.clock("aclk", 3334)
    kernel.clock("bclk", 1251, offset_ps=17, high_ps=400)
    kernel.clock("cclk", 70_002, offset_ps=1)
    dut.aresetn.value = 1
    before = _counts(dut)
    begin = kernel.now_ps
    await kernel.run(10_000_000)
    assert kernel.now_ps == begin + 10_000_000
    counts = [b - a for a, b in zip(before, _counts(dut), strict=True)]
    firsts, periods = (3334, 17, 1), (3334, 1251, 70_002)
    assert counts == [(10_000_000 - f - 1) // p + 1 for f, p in zip(firsts, periods, strict=True)]


@cocotb.test()
async def edges_at_one_moment_are_taken_together(dut):
    await _reset(dut)
    kernel = Kernel(dut)
    kernel.clock("aclk", 1000)
    kernel.clock("bclk", 1000)
    await kernel.run(2500)
    dut.aresetn.value = 1
    await kernel.run(10_000)
    # Each of the ten edges adds the count from before it: 0 + 1 + ... + 9.
    assert int(dut.together.value) == 45


@cocotb.test()
async def cycles_end_on_the_edge(dut):
    await _reset(dut)
    kernel = Kernel(dut)
    clock = kernel.clock("aclk", 1000)
    await clock.cycles(2)
    dut.aresetn.value = 1
    await clock.cycles(1)
    for count in (1, 7, 5000):
        before = int(dut.acount.value)
        await clock.cycles(count)
        assert int(dut.acount.value) == before + count
        assert kernel.now_ps == clock.first_ps + clock.cycle * 1000 - 1000


@cocotb.test()
async def triggers_end_a_stretch_where_they_should(dut):
    await _reset(dut)
    kernel = Kernel(dut)
    clock = kernel.clock("aclk", 1000)
    dut.aresetn.value = 1
    await kernel.run(10_000)
    origin = kernel.now_ps

    async def writes():
        await Timer(100_300, "ps")
        dut.d.value = 0x5A
        await ReadOnly()
        assert int(dut.comb.value) == 0xA5

    task = cocotb.start_soon(writes())
    await First(ValueChange(dut.q), Timer(1_000_000, "ps"))
    assert kernel.now_ps == origin + 101_000
    assert int(dut.q.value) == 0x5A
    await task
    await ClockCycles(dut.aclk, 5)
    assert kernel.now_ps == origin + 106_000
    clock.stop()
    await kernel.run(50_000)
    count = int(dut.acount.value)
    await kernel.run(50_000)
    assert int(dut.acount.value) == count
    assert int(dut.aclk.value) == 0


@cocotb.test()
async def cocotbs_clock_and_a_native_one(dut):
    await _reset(dut)
    kernel = Kernel(dut)
    dut.aresetn.value = 1
    before = _counts(dut)
    kernel.clock("aclk", 1000)
    clock = Clock(dut.bclk, 1600, "ps")
    clock.start()
    await kernel.run(1_000_001)
    counts = [b - a for a, b in zip(before, _counts(dut), strict=True)]
    assert counts == [1000, 1 + 1_000_000 // 1600, 0]
    clock.stop()


@cocotb.test()
async def ports_by_name(dut):
    await _reset(dut)
    kernel = Kernel(dut)
    kernel.poke("d", 0x3C)
    await ReadOnly()
    assert kernel.peek("comb") == 0xC3
    await Timer(1, "ps")
    assert kernel.width("acount") == 32
    assert kernel.width("nothing") is None
    for call in (
        lambda: kernel.peek("nothing"),
        lambda: kernel.poke("d", 256),
        lambda: AxiStreamSource(kernel, "s_axis"),
        lambda: kernel.clock("aclk", 3),
    ):
        with pytest.raises(UsageError):
            call()
    with pytest.raises(GoldbeatError, match="output of the design"):
        kernel.poke("q", 1)
    with pytest.raises(GoldbeatError, match="no such input of one bit; it has aclk, bclk"):
        kernel.clock("d", 1000)


@cocotb.test()
async def what_an_earlier_kernel_made_is_refused(dut):
    earlier = Kernel(dut)
    clock = earlier.clock("aclk", 1000)
    Kernel(dut)
    with pytest.raises(UsageError, match="ended with its test"):
        clock.stop()
    LEFT.append(Kernel(dut).clock("aclk", 1000))


@cocotb.test()
async def the_clocks_of_an_earlier_test_have_stopped(dut):
    with pytest.raises(UsageError, match="ended with its test"):
        LEFT[0].stop()
    count = int(dut.acount.value)
    await Timer(100_000, "ps")
    assert int(dut.acount.value) == count
