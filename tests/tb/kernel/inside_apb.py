# SPDX-License-Identifier: Apache-2.0
"""Inside the simulator: register programs over APB."""

from itertools import pairwise

import cocotb
import pytest
from cocotb.triggers import Timer

from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.tb.kernel import ApbMaster, Kernel
from goldbeat.tb.kernel import registers as reg

PERIOD_PS = 1000


async def _start(dut):
    dut.pclk.value = 0
    dut.presetn.value = 0
    kernel = Kernel(dut)
    clock = kernel.clock("pclk", PERIOD_PS)
    master, bare = ApbMaster(kernel, "s_apb"), ApbMaster(kernel, "t_apb")
    await clock.cycles(4)
    dut.presetn.value = 1
    await clock.cycles(1)
    return kernel, master, bare


@cocotb.test()
async def a_program_with_every_step(dut):
    kernel, master, _ = await _start(dut)
    results = await master.run(
        [
            reg.write(0x00, 0x12345678),
            reg.write(0x0C, 0x90ABCDEF),
            reg.check(0x00, 0x12345678),
            reg.check(0x0C, 0x90ABCDEF),
            reg.write(0x00, 0xAABBCCDD, strobe=0b0101),
            reg.read(0x00),
            reg.check(0x00, 0xFFBBFFDD, mask=0x00FF00FF),
            reg.check(0x00, 1),
            reg.read(0x10),
            reg.wait(100),
            reg.read(0x10),
            reg.poll(0x10, 0x200, mask=0xFFFFFE00, timeout=2000),
            reg.write(0x14, 0),
            reg.wait_for("irq"),
            reg.read(0x18),
            reg.write(0x18, 0),
        ]
    )
    assert [r.status for r in results] == ["done"] * 7 + ["differs"] + ["done"] * 8
    assert not results.passed
    assert results[5].value == 0x12BB56DD
    assert [r.response for r in results] == [0] * 14 + [1, 1]
    # One cycle of setup, one of access and as many more as the word waits; the next setup follows at once.
    took = [r.last_cycle + 1 - r.first_cycle for r in results]
    assert took[:9] == [2, 5, 2, 5, 2, 2, 2, 2, 6]
    assert all(b.first_cycle == a.last_cycle + 1 for a, b in pairwise(results))
    assert took[9] == 100
    # The counter is read in the cycle of the answer.
    assert results[10].value - results[8].value == results[10].last_cycle - results[8].last_cycle == 106
    # Six cycles a look.
    assert 0x200 <= results[11].value < 0x200 + 6
    assert took[11] % 6 == 0
    assert results[13].last_cycle - results[12].last_cycle == 21
    assert kernel.peek("bad") == 0


@cocotb.test()
async def a_bare_slave(dut):
    _, _, bare = await _start(dut)
    results = await bare.run([*(reg.write(2 * i, 0x1111 * i) for i in range(4)), *(reg.read(2 * i) for i in range(4))])
    assert results.values.tolist() == [0, 0, 0, 0, 0, 0x1111, 0x2222, 0x3333]
    assert [r.last_cycle - results[0].first_cycle for r in results] == [1, 3, 5, 7, 9, 11, 13, 15]
    assert (await bare.run([reg.write(0, 7, strobe=0b11)])).passed
    with pytest.raises(GoldbeatError, match="t_apb: no strobes, words are written whole"):
        await bare.run([reg.write(0, 7, strobe=1)])


@cocotb.test()
async def single_accesses_and_refusals(dut):
    kernel, master, _ = await _start(dut)
    await master.write(0x04, 77)
    assert await master.read(0x04) == 77
    with pytest.raises(GoldbeatError, match="read 0x18 was answered with response 1"):
        await master.read(0x18)
    with pytest.raises(GoldbeatError, match="s_apb: no address 0x100"):
        await master.read(0x100)
    with pytest.raises(GoldbeatError, match="0x100000000 does not fit in 32 bits"):
        await master.write(0, 1 << 32)
    with pytest.raises(GoldbeatError, match="no posted writes"):
        await master.run([reg.post(0, 1)])
    with pytest.raises(UsageError, match="no port u_apb_psel"):
        ApbMaster(kernel, "u_apb")
    assert len(await master.run([])) == 0
    assert kernel.peek("bad") == 0


@cocotb.test()
@cocotb.parametrize(kind=["write", "read", "poll", "irq"])
async def no_answer_ends_a_program(dut, kind):
    kernel, master, _ = await _start(dut)
    steps = {
        "write": reg.write(0x80, 1, timeout=30),
        "read": reg.read(0x80, timeout=30),
        "poll": reg.poll(0x00, 99, timeout=30),
        "irq": reg.wait_for("irq", timeout=30),
    }
    await master.write(0x00, 5)
    results = await master.run([reg.read(0x00), steps[kind], reg.read(0x00)])
    assert [r.status for r in results] == ["done", "timeout"]
    assert results[1].last_cycle + 1 - results[1].first_cycle == 30
    if kind in ("write", "read"):
        assert master.waiting.startswith("s_apb: penable without pready since cycle ")
        assert master.waiting.endswith(", step 1 of 3")
        await Timer(20 * PERIOD_PS, "ps")
        # What waits is held.
        assert (kernel.peek("s_apb_psel"), kernel.peek("s_apb_penable"), kernel.peek("bad")) == (1, 1, 0)
        with pytest.raises(GoldbeatError, match="is running"):
            await master.run([reg.read(0x00)])
    master.reset()
    await Timer(PERIOD_PS, "ps")
    assert master.waiting == ""
    assert kernel.peek("s_apb_psel") == 0
    assert await master.read(0x00) == 5


@cocotb.test()
async def an_answer_that_comes_too_late(dut):
    kernel, master, _ = await _start(dut)
    results = await master.run([reg.read(0x3C, timeout=5), reg.read(0x00)])
    assert [r.status for r in results] == ["timeout"]
    await Timer(30 * PERIOD_PS, "ps")
    assert (kernel.peek("s_apb_psel"), kernel.peek("s_apb_penable"), kernel.peek("bad")) == (0, 0, 0)
    master.reset()
    assert (await master.run([reg.write(0, 3), reg.check(0, 3)])).passed
