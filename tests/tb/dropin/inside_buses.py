# SPDX-License-Identifier: Apache-2.0
"""Tests of APB, AXI-Lite and AXI as a user of cocotbext-axi writes them; what they see is printed, for a comparison of two runs."""

import itertools
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer, with_timeout
from cocotb.utils import get_sim_time
from cocotbext.axi import (
    ApbBus,
    ApbMaster,
    ApbRam,
    ApbSlave,
    AxiBus,
    AxiLiteBus,
    AxiLiteMaster,
    AxiLiteRam,
    AxiMaster,
    AxiRam,
    MemoryRegion,
)

LIMITS = {"timeout_time": 400, "timeout_unit": "us"}
WIRES = {
    "apb": ("psel", "penable", "pwrite", "paddr", "pwdata", "pstrb", "pready", "prdata", "pslverr"),
    "axil": (
        "awvalid",
        "awready",
        "awaddr",
        "wvalid",
        "wready",
        "wdata",
        "wstrb",
        "bvalid",
        "bready",
        "rvalid",
        "rready",
    ),
    "axi": ("awvalid", "awready", "awlen", "wvalid", "wready", "wdata", "wlast", "bvalid", "rvalid", "rready", "rdata"),
}


def say(*what):
    print("SEEN", get_sim_time("ns"), *what, flush=True)


async def watch(dut, bus):
    """Say what is on a bus at every edge."""
    while True:
        await RisingEdge(dut.clk)
        say(*(int(getattr(dut, f"{bus}_{wire}").value) for wire in WIRES[bus]))


def say_agents(*objects):
    """How many of these have an agent in C++."""
    print("AGENTS", sum(getattr(thing, "_agent", None) is not None for thing in objects), flush=True)


async def begin(dut, bus):
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    cocotb.start_soon(watch(dut, bus))
    await reset(dut)


async def reset(dut):
    for level in (0, 1, 0):
        dut.rst.value = level
        for _ in range(2):
            await RisingEdge(dut.clk)


async def worker(master, seed, count):
    draws = random.Random(seed)
    for _ in range(count):
        address, data = seed * 256 + draws.randrange(64), draws.randbytes(draws.randint(0, 70))
        await Timer(draws.randint(1, 90), "ns")
        say(await master.write(address, data))
        say(got := await master.read(address, len(data)))
        assert got.data == data


def drawn():
    draws = random.Random(4)
    while True:
        yield draws.random() < 0.4


PAUSES = [None, lambda: itertools.cycle([1, 1, 0]), drawn]


@cocotb.test(**LIMITS)
@cocotb.parametrize(("idle", PAUSES), ("slow", PAUSES))
async def apb(dut, idle, slow):
    master = ApbMaster(ApbBus.from_prefix(dut, "apb"), dut.clk, dut.rst)
    ram = ApbRam(ApbBus.from_prefix(dut, "apb"), dut.clk, dut.rst, size=2**14)
    say_agents(master, ram)
    await begin(dut, "apb")
    master.set_pause_generator(idle and idle())
    ram.set_pause_generator(slow and slow())
    tasks = [cocotb.start_soon(worker(master, seed, 3)) for seed in range(3)]
    for task in tasks:
        await task
    await master.wait()
    await (event := master.init_read(8, 3)).wait()
    say(master.idle(), ram.read(0, 300), event.data, await master.read_dword(2 * 256))


@cocotb.test(**LIMITS)
async def apb_breaks(dut):
    """Errors, a reset in flight, commands that never begin."""
    master = ApbMaster(ApbBus.from_prefix(dut, "apb"), dut.clk, dut.rst)
    slave = ApbSlave(ApbBus.from_prefix(dut, "apb"), dut.clk, dut.rst, target=MemoryRegion(64))
    await begin(dut, "apb")
    say(await master.write(4, b"abcdefg"), await master.read(5, 3))
    slave.pause = True
    waiting = [master.init_write(16, b"abc"), master.init_read(16, 9), master.init_read(0, 1)]
    await Timer(100, "ns")
    say(master.idle(), master.current_command[:3], master.command_queue.qsize())
    await reset(dut)
    for event in waiting:
        say(await with_timeout(event.wait(), 1, "us") and event.is_set(), event.data)
    slave.pause = False
    say(await master.read(4, 7), master.idle())
    for wrong in (
        lambda: master.init_read(-1, 1),
        lambda: master.init_write(1 << 16, b"a"),
        lambda: master.init_write(0, 1),
    ):
        try:
            wrong()
        except ValueError as error:
            say(error)


def channels(agent):
    for half, names in (("write_if", ("aw", "w", "b")), ("read_if", ("ar", "r"))):
        yield from (getattr(getattr(agent, half), f"{name}_channel") for name in names)


KINDS = {"axil": (AxiLiteBus, AxiLiteMaster, AxiLiteRam), "axi": (AxiBus, AxiMaster, AxiRam)}


@cocotb.test(**LIMITS)
@cocotb.parametrize(("bus", ["axil", "axi"]), ("idle", PAUSES), ("slow", PAUSES))
async def axi(dut, bus, idle, slow):
    wires, master, ram = KINDS[bus]
    master = master(wires.from_prefix(dut, bus), dut.clk, dut.rst)
    ram = ram(wires.from_prefix(dut, bus), dut.clk, dut.rst, size=2**12)
    say_agents(*channels(master), *channels(ram))
    say(*(isinstance(channel.queue_occupancy_limit, int) for channel in channels(master)))
    await begin(dut, bus)
    for agent, pauses in ((master, idle), (ram, slow)):
        for channel in channels(agent):
            if pauses and hasattr(channel, "set_pause_generator"):
                channel.set_pause_generator(pauses())
    tasks = [cocotb.start_soon(worker(master, seed, 2)) for seed in range(2)]
    for task in tasks:
        await task
    say(ram.read(0, 300), await master.read_dword(256))


@cocotb.test(**LIMITS)
@cocotb.parametrize(("bus", ["axil", "axi"]))
async def axi_reset_in_flight(dut, bus):
    wires, master, ram = KINDS[bus]
    master = master(wires.from_prefix(dut, bus), dut.clk, dut.rst)
    ram = ram(wires.from_prefix(dut, bus), dut.clk, dut.rst, size=2**12)
    await begin(dut, bus)
    ram.write_if.b_channel.pause = True
    ram.read_if.ar_channel.pause = True
    events = [master.init_write(k * 64, bytes(range(70))) for k in range(3)] + [master.init_read(9, 70)]
    await Timer(333, "ns")
    say(master.idle(), *(channel.count() for channel in channels(ram)), *(channel.active for channel in channels(ram)))
    await reset(dut)
    say(*(event.is_set() for event in events), master.idle())
    ram.write_if.b_channel.pause = ram.read_if.ar_channel.pause = False
    say(await master.write(3, b"abcdefghijklmnopqrstuvwxyz"), await master.read(0, 40))
    assert ram.read(3, 26) == b"abcdefghijklmnopqrstuvwxyz"
