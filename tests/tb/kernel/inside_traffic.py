# SPDX-License-Identifier: Apache-2.0
"""Inside the simulator: register masters with traffic, on APB and CSB slaves that are right, and wrong in every way."""

import cocotb
import numpy as np
import pytest
from cocotb.triggers import Timer

from goldbeat.pymodels.errors import GoldbeatError, ProtocolError
from goldbeat.tb.designs.nvdla.csb_master import CsbMaster
from goldbeat.tb.kernel import ApbMaster, Kernel
from goldbeat.tb.kernel import registers as reg
from goldbeat.tb.kernel.registers import RegisterTraffic

SIGNALS = {
    role: f"csb_{role}"
    for role in (
        *("valid", "ready", "addr", "wdat", "write", "nposted"),
        *("response_valid", "response_data", "wr_complete"),
    )
}
WORDS = [4 * n for n in range(8)]
DENSE, LOOSE = RegisterTraffic(seed=3), RegisterTraffic(gap=5, seed=7)
DEEP = RegisterTraffic(outstanding=4, seed=5)
# mode: what the walk finds.
APB = {
    1: "timeout",
    2: "differs",
    3: "error",
    4: "differs",
    5: "timeout",
    6: "differs",
}
CSB = {
    1: "timeout",
    2: "csb_complete_without_request",
    3: "csb_response_without_request",
    4: "differs",
    5: "timeout",
}


async def _start(dut, mode, **waive):
    dut.aclk.value = 0
    dut.aresetn.value = 0
    dut.mode.value = mode
    kernel = Kernel(dut, **waive)
    clock = kernel.clock("aclk", 1000)
    apb = ApbMaster(kernel, "apb", clock="aclk")
    csb = CsbMaster(kernel, "csb", clock="aclk", signals=SIGNALS)
    await clock.cycles(4)
    dut.aresetn.value = 1
    await clock.cycles(2)
    return apb, csb


async def _found(master, traffic):
    """What a walk finds: everything that is wrong, by name."""
    master.behave(traffic)
    rng = np.random.default_rng(traffic.seed)
    steps = reg.walk(rng, WORDS, accesses=150, strobes=master.name == "apb", posts=master.name == "csb", timeout=300)
    results = await master.run(steps)
    names = {r.status for r in results} - {"done"}
    names |= {"error" for r in results if r.response}
    names |= {text.partition(":")[0] for text in master.violations}
    if "timeout" in names:
        assert master.waiting.startswith(f"{master.name}: "), master.waiting
        # What has been given up would be outstanding at the end.
        master.reset()
    return names


@cocotb.test()
async def slaves_that_are_right_pass(dut):
    apb, csb = await _start(dut, 0)
    for traffic in (DENSE, LOOSE):
        assert await _found(apb, traffic) == set()
    for traffic in (DENSE, LOOSE, DEEP, RegisterTraffic(outstanding=8, gap=2, seed=11)):
        assert await _found(csb, traffic) == set()


@cocotb.test()
@cocotb.parametrize(mode=list(APB))
async def apb_slaves_that_are_wrong_fail(dut, mode):
    apb, _ = await _start(dut, mode)
    found = await _found(apb, DENSE)
    assert APB[mode] in found, found


@cocotb.test()
@cocotb.parametrize(mode=list(CSB))
async def csb_slaves_that_are_wrong_fail(dut, mode):
    waive = [CSB[mode]] if CSB[mode].startswith("csb") else []
    _, csb = await _start(dut, mode, waive=waive)
    found = await _found(csb, DEEP)
    assert CSB[mode] in found, found


@cocotb.test()
async def several_accesses_are_outstanding(dut):
    _, csb = await _start(dut, 0)
    steps = [reg.write(4 * (n % 8), n) for n in range(40)]
    plain = await csb.run(steps)
    csb.behave(DEEP)
    deep = await csb.run(steps)
    spans = [r[-1].last_cycle - r[0].first_cycle for r in (plain, deep)]
    assert spans[0] >= 3 * len(steps) - 1
    assert spans[1] < 2 * len(steps)
    # A read never overtakes the write of its word.
    mixed = await csb.run([step for n in range(8) for step in (reg.write(4 * n, n + 70), reg.check(4 * n, n + 70))])
    assert mixed.passed
    # One that needs no byte of it does not wait.
    for needed, waits in ((0xFF << 8, True), (0, False)):
        write, read = await csb.run([reg.write(0, 1), reg.read(0, needed)])
        assert (read.first_cycle > write.last_cycle) is waits


@cocotb.test()
async def what_a_bus_cannot_do_is_refused(dut):
    apb, _ = await _start(dut, 0)
    with pytest.raises(GoldbeatError, match="apb: APB has room for one access at a time"):
        apb.behave(DEEP)


@cocotb.test()
async def an_access_without_an_answer_fails_the_test_that_ends(dut):
    apb, csb = await _start(dut, 0)
    dut.mode.value = 1
    cocotb.start_soon(apb.run([reg.write(0x14, 1)]))
    await Timer(20_000, "ps")
    dut.mode.value = 5
    cocotb.start_soon(csb.run([reg.write(0x14, 1)]))
    await Timer(20_000, "ps")
    dut.mode.value = 1
    with pytest.raises(ProtocolError) as broken:
        apb.kernel._verdict()
    text = str(broken.value)
    assert "apb_outstanding: apb: penable without pready since cycle" in text
    assert "csb_outstanding: csb: write without wr_complete since cycle" in text
    apb.reset()
    csb.reset()
