# SPDX-License-Identifier: Apache-2.0
"""Inside the simulator: rough bursts on an AXI4 slave that is right, and wrong in every way."""

import cocotb
import numpy as np
import pytest
from cocotb.triggers import Timer

from goldbeat.pymodels.axi.burst import READ, WRITE, Bursts
from goldbeat.pymodels.axi.rough import rough
from goldbeat.pymodels.errors import ProtocolError, WaitTimeoutError
from goldbeat.tb.kernel import Kernel
from goldbeat.tb.kernel.axi import AxiChecker, AxiMaster

WORDS = 256
SEEDS = range(6)
# mode: what some seed finds.
WRONG = {
    1: {"hangs", "axi_wlast_early", "axi_wlast_late"},
    2: {"hangs"},
    3: {"axi_valid_held"},
    4: {"axi_valid_held"},
    5: {"hangs"},
    6: {"hangs"},
    7: {"hangs"},
    8: {"axi_payload_stable"},
    9: {"axi_valid_waits"},
    10: {"axi_valid_waits"},
}


async def _start(dut, mode):
    dut.aclk.value = 0
    dut.aresetn.value = 0
    dut.mode.value = 0
    kernel = Kernel(dut, judge=False)
    clock = kernel.clock("aclk", 1000)
    master, checker = AxiMaster(kernel, "s_axi"), AxiChecker(kernel, "s_axi", reset="aresetn")
    await clock.cycles(6)
    dut.aresetn.value = 1
    await clock.cycles(2)
    dut.mode.value = mode
    return kernel, master, checker


async def _found(master, checker, seed):
    """What a program finds: broken rules, wrong data, or that it hangs."""
    rng = np.random.default_rng(seed)
    memory = rng.integers(0, 256, 4 * WORDS, dtype=np.uint8)
    fill = Bursts(WRITE, 4 * np.arange(0, WORDS, 16, dtype=np.uint64), 15, 2)
    made = rough(fill, seed)
    names = set()
    try:
        await master.run(
            made.bursts, memory.reshape(-1, 4).copy(), write_gaps=made.write_gaps, timing=made.timing, timeout=400
        )
        # Writes and reads of one word do not overlap: first all reads of a round, then all its writes.
        for _ in range(4):
            reads = Bursts(READ, 4 * rng.integers(0, WORDS - 16, 12).astype(np.uint64), rng.integers(0, 16, 12), 2)
            made = rough(reads, int(rng.integers(1 << 30)))
            result = await master.run(made.bursts, timing=made.timing, timeout=400)
            at = made.bursts.addresses().astype(np.int64)
            if not np.array_equal(result.data, memory[at[:, None] + np.arange(4)]):
                names.add("differs")
            starts = 16 * rng.permutation(WORDS // 16)[:8]
            writes = Bursts(WRITE, 4 * starts.astype(np.uint64), rng.integers(0, 16, 8), 2, id=rng.integers(0, 16, 8))
            data = rng.integers(0, 256, (writes.beats, 4), dtype=np.uint8)
            made = rough(writes, int(rng.integers(1 << 30)))
            await master.run(made.bursts, data, write_gaps=made.write_gaps, timing=made.timing, timeout=400)
            memory[writes.addresses().astype(np.int64)[:, None] + np.arange(4)] = data
    except WaitTimeoutError as error:
        names.add("hangs" if "s_axi: no progress" in str(error) else str(error))
    names |= {text.partition(":")[0] for text in (*checker.violations, *master.violations)}
    master.reset()
    return names


@cocotb.test()
async def a_slave_that_is_right_passes(dut):
    for seed in SEEDS:
        _, master, checker = await _start(dut, 0)
        assert await _found(master, checker, seed) == set()


@cocotb.test()
@cocotb.parametrize(mode=list(WRONG))
async def slaves_that_are_wrong_fail(dut, mode):
    found = set()
    for seed in SEEDS:
        _, master, checker = await _start(dut, mode)
        found |= await _found(master, checker, seed)
    assert WRONG[mode] & found, found


@cocotb.test()
async def data_come_before_their_address(dut):
    _, master, _ = await _start(dut, 0)
    result = await master.run(Bursts(WRITE, 0, [0, 3, 0], 2, lead=[5, 2, 0]))
    assert (result.cycle - result.first).tolist()[:2] == [5, 2]
    assert result.cycle[2] <= result.first[2]


@cocotb.test()
async def a_write_without_a_response_fails_the_test_that_ends(dut):
    kernel, master, _ = await _start(dut, 7)
    cocotb.start_soon(master.run(Bursts(WRITE, 0, 0, 2)))
    await Timer(40_000, "ps")
    with pytest.raises(ProtocolError, match="axi_outstanding: s_axi: 0 of 1 bursts over, 1 waiting for write response"):
        kernel._verdict()
    master.reset()
