# SPDX-License-Identifier: Apache-2.0
"""Inside the simulator: register programs over NVDLA's configuration bus."""

from itertools import pairwise

import cocotb
import pytest
from cocotb.triggers import Timer

from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.tb.designs.nvdla.csb_master import CsbMaster
from goldbeat.tb.kernel import Kernel
from goldbeat.tb.kernel import registers as reg

PERIOD_PS = 1000


async def _start(dut):
    dut.clk.value = 0
    dut.rstn.value = 0
    kernel = Kernel(dut)
    clock = kernel.clock("clk", PERIOD_PS)
    master = CsbMaster(kernel, clock="clk")
    await clock.cycles(4)
    dut.rstn.value = 1
    await clock.cycles(1)
    return kernel, master


@cocotb.test()
async def a_program_with_every_step(dut):
    kernel, master = await _start(dut)
    results = await master.run(
        [
            reg.write(0x00, 0x12345678),
            reg.post(0x0C, 0x90ABCDEF),
            reg.post(0x08, 0xCAFE),
            reg.check(0x00, 0x12345678),
            reg.check(0x0C, 0x90ABCDEF),
            reg.check(0x08, 0xFFFE, mask=0xFF),
            reg.check(0x08, 1),
            reg.read(0x18),
            reg.read(0x10),
            reg.wait(100),
            reg.read(0x10),
            reg.poll(0x10, 0x200, mask=0xFFFFFE00, timeout=2000),
            reg.write(0x14, 0),
            reg.wait_for("irq"),
        ]
    )
    assert [r.status for r in results] == ["done"] * 6 + ["differs"] + ["done"] * 7
    assert not results.passed
    assert results[7].value == 2
    # Taken in the third cycle, answered three later; posted writes end when they are taken.
    took = [r.last_cycle + 1 - r.first_cycle for r in results]
    assert took[:9] == [6, 3, 3, 6, 6, 6, 6, 6, 6]
    assert all(b.first_cycle == a.last_cycle + 1 for a, b in pairwise(results))
    assert results[10].value - results[8].value == 106
    assert 0x200 <= results[11].value < 0x200 + 6
    # The interrupt comes 21 cycles after the write was taken.
    assert results[13].last_cycle - results[12].first_cycle == 2 + 21
    assert {r.response for r in results} == {0}
    assert kernel.peek("bad") == 0


@cocotb.test()
async def single_accesses_and_refusals(dut):
    kernel, master = await _start(dut)
    await master.write(0x04, 77)
    assert await master.read(0x04) == 77
    with pytest.raises(GoldbeatError, match="csb2nvdla: no address 0x6"):
        await master.read(0x06)
    with pytest.raises(GoldbeatError, match="csb2nvdla: no address 0x40000"):
        await master.read(0x40000)
    with pytest.raises(GoldbeatError, match="0x100000000 does not fit in 32 bits"):
        await master.write(0, 1 << 32)
    with pytest.raises(GoldbeatError, match="no strobes, words are written whole"):
        await master.write(0, 1, strobe=3)
    with pytest.raises(UsageError, match="no port csb_valid"):
        CsbMaster(kernel, "csb", clock="clk")
    assert kernel.peek("bad") == 0


@cocotb.test()
@cocotb.parametrize(
    case=[
        ("write", "write without wr_complete"),
        ("read", "read without data"),
        ("offer", "valid without ready"),
        ("post", "valid without ready"),
        ("poll", ""),
        ("irq", "waits"),
    ]
)
async def no_answer_ends_a_program(dut, case):
    kind, text = case
    kernel, master = await _start(dut)
    steps = {
        "write": reg.write(0x80, 1, timeout=30),
        "read": reg.read(0x80, timeout=30),
        "offer": reg.read(0x100, timeout=30),
        "post": reg.post(0x100, 5, timeout=30),
        "poll": reg.poll(0x00, 99, timeout=30),
        "irq": reg.wait_for("irq", timeout=30),
    }
    await master.write(0x00, 5)
    results = await master.run([reg.read(0x00), steps[kind], reg.read(0x00)])
    assert [r.status for r in results] == ["done", "timeout"]
    assert results[1].last_cycle + 1 - results[1].first_cycle == 30
    if text:
        assert master.waiting.startswith(f"csb2nvdla: {text} since cycle ")
        assert master.waiting.endswith(", step 1 of 3")
        await Timer(20 * PERIOD_PS, "ps")
        assert kernel.peek("csb2nvdla_valid") == (text == "valid without ready")
    assert kernel.peek("bad") == 0
    master.reset()
    await Timer(PERIOD_PS, "ps")
    assert master.waiting == ""
    assert kernel.peek("csb2nvdla_valid") == 0
    assert await master.read(0x00) == 5
