# SPDX-License-Identifier: Apache-2.0
"""Buses of unusual widths, without all that is optional, and classes of one direction; what a test sees is printed."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import (
    AxiBus,
    AxiLiteBus,
    AxiLiteMasterRead,
    AxiLiteMasterWrite,
    AxiLiteRam,
    AxiMaster,
    AxiMasterRead,
    AxiMasterWrite,
    AxiRam,
    AxiRamRead,
    AxiRamWrite,
)
from cocotbext.axi.sparse_memory import SparseMemory
from inside_buses import LIMITS, reset, say, say_agents

TOP = 1 << 64


async def accesses(writes, reads, options):
    draws = random.Random(6)
    for k, base in enumerate((0, 0xFFF, TOP - 4096, TOP - 77, 1 << 40)):
        for length in (1, 3, 77):
            more = [options(draws, which) for which in ("awid", "arid")]
            say(k, length, await writes.write(base, draws.randbytes(length), **more[0]))
            say(k, length, await reads.read(base, length, **more[1]))
    jobs = [writes.init_write(100 * k, draws.randbytes(64), **options(draws, "awid")) for k in range(5)]
    jobs += [reads.init_read(100 * k, 64, **options(draws, "arid")) for k in range(5)]
    for job in jobs:
        await job.wait()
        say(job.data)


async def watch(dut, names):
    while True:
        await RisingEdge(dut.clk)
        say(*(int(getattr(dut, name).value) for name in names))


async def begin(dut, prefix):
    Clock(dut.clk, 10, "ns").start()
    names = ("awvalid", "awaddr", "wvalid", "wdata", "bvalid", "arvalid", "rvalid", "rdata")
    cocotb.start_soon(watch(dut, [f"{prefix}_{name}" for name in names]))
    await reset(dut)


@cocotb.test(**LIMITS)
async def wide_ids(dut):
    bus = AxiBus.from_prefix(dut, "odd")
    master, ram = AxiMaster(bus, dut.clk, dut.rst), AxiRam(bus, dut.clk, dut.rst, size=1 << 62)
    await begin(dut, "odd")
    await accesses(master, master, lambda draws, which: {which: draws.choice((None, 1, (1 << 40) - 1))})
    say_agents(master.write_if, master.read_if, ram.write_if, ram.read_if)


@cocotb.test(**LIMITS)
async def halves_without_options(dut):
    """Four objects of one direction, which share a memory; no strobes, no responses."""
    bus, kept = AxiBus.from_prefix(dut, "bare"), SparseMemory(1 << 62)
    writes, reads = AxiMasterWrite(bus.write, dut.clk, dut.rst), AxiMasterRead(bus.read, dut.clk, dut.rst)
    ends = AxiRamWrite(bus.write, dut.clk, dut.rst, mem=kept), AxiRamRead(bus.read, dut.clk, dut.rst, mem=kept)
    await begin(dut, "bare")
    await accesses(
        writes,
        reads,
        lambda draws, which: {which: draws.choice((None, 0, (1 << 32) - 1)), "size": draws.choice((None, 3))},
    )
    say_agents(writes, reads, *ends)
    say(sorted(kept.segs), kept.read(0, 99))


@cocotb.test(**LIMITS)
async def bytes_over_lite(dut):
    bus = AxiLiteBus.from_prefix(dut, "lite")
    writes, reads = AxiLiteMasterWrite(bus.write, dut.clk, dut.rst), AxiLiteMasterRead(bus.read, dut.clk, dut.rst)
    ram = AxiLiteRam(bus, dut.clk, dut.rst, size=1 << 62)
    await begin(dut, "lite")
    await accesses(writes, reads, lambda draws, which: {})
    say_agents(writes, reads, ram.write_if, ram.read_if)
