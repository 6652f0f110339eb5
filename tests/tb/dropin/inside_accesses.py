# SPDX-License-Identifier: Apache-2.0
"""Everything that AXI and AXI-Lite masters and memories can do, drawn at random; what a test sees is printed, for a comparison."""

import itertools
import mmap
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Event, RisingEdge, Timer
from cocotbext.axi import (
    ApbBus,
    ApbMaster,
    ApbRam,
    AxiBurstType,
    AxiBus,
    AxiLiteBus,
    AxiLiteMaster,
    AxiLiteRam,
    AxiLiteRamWrite,
    AxiLiteSlave,
    AxiMaster,
    AxiRam,
    AxiRamWrite,
    AxiSlave,
    MemoryRegion,
)
from cocotbext.axi.sparse_memory import SparseMemory
from inside_buses import channels, drawn, reset, say, say_agents, watch

LIMITS = {"timeout_time": 400, "timeout_unit": "us"}
KINDS = {"axil": (AxiLiteBus, AxiLiteMaster, AxiLiteRam), "axi": (AxiBus, AxiMaster, AxiRam)}
PATTERNS = (lambda: itertools.cycle([1, 0, 0]), lambda: itertools.cycle([0, 1, 1, 1]), drawn)


def make(dut, bus, **more):
    wires, master, ram = KINDS[bus]
    master = master(wires.from_prefix(dut, bus), dut.clk, dut.rst)
    return master, ram(wires.from_prefix(dut, bus), dut.clk, dut.rst, **more)


def begin(dut):
    """Start the clock; nobody drives a channel that no class does."""
    for name in ("awvalid", "wvalid", "arvalid", "bvalid", "rvalid"):
        getattr(dut, f"axi_{name}").value = 0
    Clock(dut.clk, 10, "ns").start()


def options(draws, bus, write, length):
    """Arguments of an access, and its length."""
    if bus == "axil":
        return {}, length
    which = "awid" if write else "arid"
    made = {which: draws.choice((None, 1, 1, 9)), "size": draws.choice((None, 0, 1, 2, 4)), "qos": draws.randrange(16)}
    if draws.random() < 0.2:
        made["burst"] = AxiBurstType.FIXED
    if write:
        made |= {"user": draws.randrange(16), "wuser": draws.choice((0, 7, None, [1, 2, 3]))}
    return made, draws.choice((length, length, 10 * length if made["size"] is None else length))


async def one_after_the_other(master, draws, bus, name):
    for k in range(12):
        await Timer(draws.choice((1, 10, 37)), "ns")
        address, write = draws.randrange(0x1800), draws.random() < 0.5
        more, length = options(draws, bus, write, draws.randrange(80))
        if write:
            say(name, k, "write", await master.write(address, draws.randbytes(length), **more))
        else:
            say(name, k, "read", await master.read(address, length, **more))


async def all_at_once(master, draws, bus, name):
    for _ in range(3):
        events = [Event() for _ in range(6)]
        for k, event in enumerate(events):
            address, write = draws.randrange(0x1800), k % 2
            more, length = options(draws, bus, write, draws.randrange(80))
            if write:
                master.init_write(address, draws.randbytes(length), event=event, **more)
            else:
                master.init_read(address, length, event=event, **more)
        draws.shuffle(events)
        for event in events:
            await event.wait()
            say(name, event.data, master.idle())
        await master.wait()
        say(name, "idle", master.write_if.idle(), master.read_if.idle())


@cocotb.test(**LIMITS)
@cocotb.parametrize(("bus", ["axil", "axi"]), ("seed", [0, 1, 2, 3]), ("watched", [False, True]))
async def traffic(dut, bus, seed, watched):
    draws = random.Random(seed)
    master, ram = make(dut, bus, size=2**14 if seed else 0x1003)
    begin(dut)
    if watched:
        cocotb.start_soon(watch(dut, bus))
    await reset(dut)
    for channel in (*channels(master), *channels(ram)):
        if seed > 1 and hasattr(channel, "set_pause_generator") and draws.random() < 0.6:
            channel.set_pause_generator(draws.choice(PATTERNS)())
    if seed == 3:
        master.write_if.max_burst_len = 3
        ram.read_if.r_channel.queue_occupancy_limit = 5
    parts = (one_after_the_other, all_at_once, all_at_once)
    tasks = [cocotb.start_soon(part(master, random.Random(seed * 9 + k), bus, k)) for k, part in enumerate(parts)]
    for task in tasks:
        await task
    say_agents(master.write_if, master.read_if, ram.write_if, ram.read_if)
    print("PAGES", type(ram.mem.segs).__name__, flush=True)
    say(ram.read(0, 0x1003), sorted(ram.mem.segs), [int(channel.count()) for channel in channels(master)])


@cocotb.test(**LIMITS)
@cocotb.parametrize(("bus", ["axil", "axi"]), ("after", [3, 8, 20, 41]))
async def reset_in_flight(dut, bus, after):
    """What a reset drops comes back as None, in the same order."""
    master, ram = make(dut, bus, size=2**14)
    begin(dut)
    await reset(dut)

    async def expect(name, event):
        await event.wait()
        say(name, event.data)

    for _ in range(2):
        for k in range(5):
            cocotb.start_soon(expect(f"write {k}", master.init_write(k * 64, bytes(range(60)))))
            cocotb.start_soon(expect(f"read {k}", master.init_read(k * 32, 70)))
        for _ in range(after):
            await RisingEdge(dut.clk)
        say(master.write_if.current_write_command is None, master.write_if.write_command_queue.qsize(), master.idle())
        say([int(channel.count()) for channel in (*channels(master), *channels(ram))])
        say([channel.idle() for channel in channels(master) if hasattr(channel, "idle")])
        await reset(dut)
        say(master.idle(), [channel.empty() for channel in channels(ram)])
    say(await master.read(0, 320))


@cocotb.test(**LIMITS)
@cocotb.parametrize(("bus", ["axil", "axi"]), ("kind", ["mmap", "bytearray", "sparse"]))
async def memories(dut, bus, kind):
    """Whatever the memory is, the test and the bus see the same bytes."""
    kept = {
        "mmap": lambda: mmap.mmap(-1, 8192),
        "bytearray": lambda: bytearray(8200),
        "sparse": lambda: SparseMemory(8192),
    }[kind]()
    kept[0:4] = b"\1\2\3\4"
    master, ram = make(dut, bus, mem=kept)
    begin(dut)
    await reset(dut)
    say(await master.read(0, 6), ram.size)
    await master.write(0x1003, b"over the bus")
    ram.write(0x1005, b"!?")
    ram.write_if.write_dword(8, 0x12345678)
    say(
        kept[0x1000:0x1020],
        await master.read(0x1001, 20),
        await master.read_dword(8),
        await master.read(len(kept) - 3, 9),
    )
    if kind == "sparse":
        kept.clear()
        say(await master.read(0x1001, 20), sorted(kept.segs))
        await master.write(0x1003, b"again")
        say(kept.read(0x1000, 20), {**kept.segs}.keys())


class Counting(AxiRamWrite):
    """A user's memory that does more than cocotbext-axi's."""

    async def _write(self, address, data):
        await Timer(3, "ns")
        say("counted", address, data)
        await super()._write(address, data)


class Fragile(MemoryRegion):
    """A region with a hole."""

    async def _read(self, address, length, **kwargs):
        if address & 0x40:
            raise ValueError("a hole")
        await Timer(13, "ns")
        return await super()._read(address, length, **kwargs)

    async def _write(self, address, data, **kwargs):
        if address & 0x40:
            raise ValueError("a hole")
        await super()._write(address, data, **kwargs)


@cocotb.test(**LIMITS)
@cocotb.parametrize(("bus", ["axil", "axi"]))
async def targets(dut, bus):
    """Slaves that ask Python, which takes its time."""
    wires, master, _ = KINDS[bus]
    master = master(wires.from_prefix(dut, bus), dut.clk, dut.rst)
    slave = {"axil": AxiLiteSlave, "axi": AxiSlave}[bus](
        wires.from_prefix(dut, bus), dut.clk, dut.rst, target=Fragile(4096)
    )
    begin(dut)
    await reset(dut)
    for address in (0x10, 0x30, 0x41, 0x74):
        say(await master.write(address, b"0123456789abcdefghijk"), await master.read(address, 17))
    say_agents(master.write_if, master.read_if, slave.write_if, slave.read_if)
    event = master.init_read(0, 40)
    await Timer(75, "ns")
    await reset(dut)
    await event.wait()
    say(event.data, await master.read(0x10, 9))
    window = master.create_window(0x20, 64)
    await window.write(3, b"window")
    say(await window.read(2, 8), await master.read_words(0x22, 3), window.get_absolute_address(4))


@cocotb.test(**LIMITS)
async def subclasses(dut):
    """A memory that does anything differently is asked."""
    bus = AxiBus.from_prefix(dut, "axi")
    master = AxiMaster(bus, dut.clk, dut.rst)
    ram = Counting(bus.write, dut.clk, dut.rst, size=4096)
    begin(dut)
    await reset(dut)
    say(await master.write(5, b"abc"), await master.write(0x20, bytes(40)))
    say_agents(master.write_if, ram)
    for wrong in ({"awid": 17}, {"size": 5}, {"burst": 3}):
        try:
            await master.write(0, b"a", **wrong)
        except ValueError as error:
            say(error)


def telling(kind):
    """A memory of a class that wakes a task at every access."""

    def read(self, address, length):
        self.event.set(("read", address, length))
        return super(made, self).read(address, length)

    def write(self, address, data):
        self.event.set(("write", address, bytes(data)))
        super(made, self).write(address, data)

    made = type("Telling", (kind,), {"event": Event(), "read": read, "write": write})
    return made


@cocotb.test(**LIMITS)
@cocotb.parametrize(("bus", ["apb", "axil", "axi"]))
async def hooks(dut, bus):
    """Tasks that a memory wakes go on at once."""
    wires, make_master, kind = (KINDS | {"apb": (ApbBus, ApbMaster, ApbRam)})[bus]
    wires = wires.from_prefix(dut, bus)
    master = make_master(wires, dut.clk, dut.rst)
    if bus == "apb":
        ram = telling(kind)(wires, dut.clk, dut.rst, size=4096)
    else:
        ram = telling(AxiLiteRamWrite if bus == "axil" else AxiRamWrite)(wires.write, dut.clk, dut.rst, size=4096)

    async def told():
        while True:
            await ram.event.wait()
            ram.event.clear()
            say(ram.event.data)
            await Timer(12, "ns")

    begin(dut)
    await reset(dut)
    cocotb.start_soon(told())
    for address in (3, 17, 40):
        say(await master.write(address, b"abcdefghijklmnopqrstuvwxyz"))


@cocotb.test(**LIMITS)
async def no_wait_before_the_first(dut):
    """Accesses of the task that has made the master, before anything else has run."""
    begin(dut)
    dut.rst.value = 0
    master, ram = make(dut, "axi", size=4096)
    say(await master.write(5, b"abcdefghijklmnopqrstuvwxyz"), ram.read(0, 9), await master.read(2, 20))


async def answer(dut, **values):
    """Answer by hand."""
    for name, value in values.items():
        getattr(dut, f"axi_{name}").value = value


@cocotb.test(expect_error=AssertionError, **LIMITS)
@cocotb.parametrize(
    ("values", [{"bid": 3, "bvalid": 1}, {"rid": 0, "rlast": 0, "rvalid": 1}, {"rid": 2, "rlast": 1, "rvalid": 1}])
)
async def wrong_answers(dut, values):
    master = AxiMaster(AxiBus.from_prefix(dut, "axi"), dut.clk, dut.rst)
    begin(dut)
    await reset(dut)
    for name in ("awready", "wready", "arready"):
        getattr(dut, f"axi_{name}").value = 1
    master.init_write(0, b"abc")
    master.init_read(0, 3)
    await Timer(103, "ns")
    await answer(dut, **values)
    await Timer(103, "ns")
    say("never")


@cocotb.test(expect_error=(AssertionError, ValueError), **LIMITS)
@cocotb.parametrize(
    ("values", [{"arburst": 3}, {"arburst": 1, "araddr": 0xFF8, "arlen": 3, "arsize": 4}, {"arburst": 1, "arsize": 6}])
)
async def wrong_bursts(dut, values):
    AxiRam(AxiBus.from_prefix(dut, "axi"), dut.clk, dut.rst, size=4096)
    begin(dut)
    await reset(dut)
    await answer(dut, arvalid=1, **values)
    await Timer(103, "ns")
    say("never")


@cocotb.test(**LIMITS)
@cocotb.parametrize(("length", [1, 3, 7]), ("size", [2, 4]))
async def wrapping_bursts(dut, length, size):
    ram = AxiRam(AxiBus.from_prefix(dut, "axi"), dut.clk, dut.rst, size=4096)
    ram.write(0, bytes(range(256)))
    begin(dut)
    await reset(dut)
    await answer(dut, rready=1, araddr=0x38, arlen=length, arsize=size, arburst=2, arid=5, arvalid=1)
    for _ in range(20):
        await RisingEdge(dut.clk)
        dut.axi_arvalid.value = 0
        say(
            *(
                int(getattr(dut, f"axi_{name}").value)
                for name in ("arready", "rvalid", "rid", "rlast", "rdata", "rresp")
            )
        )
