# SPDX-License-Identifier: Apache-2.0
"""Ten million beats through an AxiMaster and an AxiRam, and many small accesses: memory stays flat."""

import resource

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiBus, AxiMaster, AxiRam

LARGE, BEATS = 1 << 20, 1 << 16
ROUNDS, WARM = 77, 25


def peak():
    """Most memory that the process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


@cocotb.test()
async def ten_million_beats(dut):
    bus = AxiBus.from_prefix(dut, "axi")
    master, _ = AxiMaster(bus, dut.clk, dut.rst), AxiRam(bus, dut.clk, dut.rst, size=2 * LARGE)
    Clock(dut.clk, 10, "ns").start()
    dut.rst.value = 1
    await ClockCycles(dut.clk, 2)
    dut.rst.value = 0
    data, before = bytes(range(256)) * (LARGE >> 8), 0
    for k in range(ROUNDS):
        await master.write(k, data)
        assert (await master.read(k, LARGE)).data == data
        for small in range(20):
            await master.write(small, data[:small])
        if k == WARM:
            before = peak()
    print("SEEN", "beats", 2 * ROUNDS * BEATS, "grown", peak() - before, flush=True)
