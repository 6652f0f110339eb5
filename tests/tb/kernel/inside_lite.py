# SPDX-License-Identifier: Apache-2.0
"""Inside the simulator: register programs."""

import cocotb
import numpy as np
import pytest
from cocotb.triggers import Timer

from goldbeat.pymodels.errors import GoldbeatError, WaitTimeoutError
from goldbeat.tb.kernel import AxiLiteMaster, Kernel, axil

PERIOD_PS = 1000


async def _start(dut):
    dut.aclk.value = 0
    dut.aresetn.value = 0
    kernel = Kernel(dut)
    clock = kernel.clock("aclk", PERIOD_PS)
    master = AxiLiteMaster(kernel, "s_axil")
    await clock.cycles(4)
    dut.aresetn.value = 1
    await clock.cycles(1)
    return kernel, clock, master


@cocotb.test()
async def a_program_with_every_step(dut):
    _, _, master = await _start(dut)
    results = await master.run(
        [
            axil.write(0x00, 0x12345678),
            axil.check(0x00, 0x12345678),
            axil.write(0x00, 0xAABBCCDD, strobe=0b0101),
            axil.read(0x00),
            axil.check(0x00, 0xFFBBFFDD, mask=0x00FF00FF),
            axil.check(0x00, 1),
            axil.read(0x10),
            axil.wait(100),
            axil.read(0x10),
            axil.poll(0x10, 0x200, mask=0xFFFFFE00, timeout=2000),
            axil.write(0x14, 0),
            axil.wait_for("irq"),
            axil.read(0x18),
        ]
    )
    assert [r.status for r in results] == ["done"] * 5 + ["differs"] + ["done"] * 7
    assert not results.passed
    assert results[3].value == 0x12BB56DD
    # Reads begin in the cycle after the answer before; a wait of 100 cycles is just that.
    assert results[8].value - results[6].value == 100 + results[6].last_cycle + 1 - results[6].first_cycle
    assert 0x200 <= results[9].value < 0x200 + 4
    assert results[11].last_cycle - results[10].last_cycle == 50
    assert results[12].response == 2
    # An access follows the answer before it at once, and each takes two cycles here.
    assert results.rows["first"][1] == results.rows["last"][0] + 1
    assert np.array_equal(results.rows["last"][:6] - results.rows["first"][:6], np.ones(6))
    assert results[1:3][0].value == 0x12345678


@cocotb.test()
async def single_accesses(dut):
    _, _, master = await _start(dut)
    await master.write(0x04, 77)
    assert await master.read(0x04) == 77
    with pytest.raises(GoldbeatError, match="response 2"):
        await master.read(0x18)
    assert len(await master.run([])) == 0


@cocotb.test()
@cocotb.parametrize(
    case=[
        ("write", "awvalid without awready, wvalid without wready"),
        ("read", "arvalid without arready"),
        ("poll", "s_axil: waits"),
        ("irq", "s_axil: waits"),
    ]
)
async def no_answer_ends_a_program(dut, case):
    kind, text = case
    kernel, _, master = await _start(dut)
    steps = {
        "write": axil.write(0x20, 1, timeout=30),
        "read": axil.read(0x24, timeout=30),
        "poll": axil.poll(0x00, 99, timeout=30),
        "irq": axil.wait_for("irq", timeout=30),
    }
    await master.write(0x00, 5)
    results = await master.run([axil.read(0x00), steps[kind], axil.read(0x00)])
    assert [r.status for r in results] == ["done", "timeout"]
    if kind in ("write", "read"):
        assert text in master.waiting
        assert "step 1 of 3" in master.waiting
        with pytest.raises(GoldbeatError, match="is running"):
            await master.run([axil.read(0x00)])
    master.reset()
    await Timer(PERIOD_PS, "ps")
    assert master.waiting == ""
    assert await master.read(0x00) == 5
    kernel.rule("any", False)


@cocotb.test()
async def a_clock_that_stops_ends_a_program(dut):
    _, clock, master = await _start(dut)
    # As long as its steps may take, and no less.
    (waited,) = await master.run([axil.wait(1000)], timeout=10)
    assert waited.status == "done"
    clock.stop()
    with pytest.raises(
        WaitTimeoutError, match=r"the clock stands still.*the end of 2 steps, 0 are over; .*step 0 of 2"
    ):
        await master.run([axil.read(0, timeout=20), axil.read(0, timeout=20)], timeout=10)
    # The program is still open; given up here, it does not count at the end of the test.
    master.reset()
