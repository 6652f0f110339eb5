# SPDX-License-Identifier: Apache-2.0
"""Unusual uses of cocotb and cocotbext-axi; what a test sees is printed, for a comparison of two runs."""

import itertools
import random

import cocotb
from cocotb.clock import Clock
from cocotb.queue import Queue
from cocotb.task import bridge, resume
from cocotb.triggers import (
    ClockCycles,
    Combine,
    Edge,
    Event,
    FallingEdge,
    First,
    Lock,
    NextTimeStep,
    ReadOnly,
    ReadWrite,
    RisingEdge,
    SimTimeoutError,
    Timer,
    with_timeout,
)
from cocotbext.axi import (
    AddressSpace,
    ApbBus,
    ApbMaster,
    ApbRam,
    AxiBus,
    AxiLiteBus,
    AxiLiteMaster,
    AxiLiteRam,
    AxiLiteSlave,
    AxiMaster,
    AxiMasterRead,
    AxiRam,
    AxiRamWrite,
    AxiSlave,
    MemoryRegion,
    Region,
)
from cocotbext.axi.sparse_memory import SparseMemory
from inside_accesses import KINDS, begin, make
from inside_buses import LIMITS, channels, drawn, reset, say, watch

BUSES = ("bus", ["axil", "axi"])


@cocotb.test(**LIMITS)
@cocotb.parametrize(BUSES)
async def a_cancelled_read(dut, bus):
    """Who waited is gone, the access is not."""
    master, ram = make(dut, bus, size=4096)
    ram.write(0, bytes(range(200)))
    begin(dut)
    cocotb.start_soon(watch(dut, bus))
    await reset(dut)
    reads = [cocotb.start_soon(master.read(k, 70)) for k in range(4)]
    writes = [cocotb.start_soon(master.write(k + 300, b"abcdefgh")) for k in range(4)]
    await Timer(33, "ns")
    reads[1].cancel()
    writes[2].cancel()
    say(master.idle())
    await reads[3]
    await writes[3]
    say(master.idle(), *(task.done() for task in reads + writes))
    await master.wait()
    say(reads[0].result(), ram.read(298, 20))
    late = cocotb.start_soon(master.read(5, 9))
    late.cancel()
    await ClockCycles(dut.clk, 20)
    say(await master.read(7, 9), late.cancelled())


@cocotb.test(expect_error=ValueError, **LIMITS)
@cocotb.parametrize(BUSES)
async def a_task_that_raises(dut, bus):
    """The test ends at that very time."""
    master, _ = make(dut, bus, size=4096)
    begin(dut)
    cocotb.start_soon(watch(dut, bus))
    await reset(dut)

    async def bad():
        say(await master.read(3, 40))
        raise ValueError("bad")

    cocotb.start_soon(bad())
    while True:
        say(await master.write(9, b"more"))


@cocotb.test(**LIMITS)
@cocotb.parametrize(BUSES)
async def timeouts(dut, bus):
    master, ram = make(dut, bus, size=4096)
    begin(dut)
    await reset(dut)
    for wait in (1, 10, 30, 50, 61, 70, 80, 90, 110, 400):
        for access in (lambda: master.read(1, 33), lambda: master.write(2, bytes(20))):
            try:
                say(wait, await with_timeout(access(), wait, "ns"))
            except SimTimeoutError:
                say(wait, "too late", master.idle())
    await master.wait()
    ram.read_if.r_channel.pause = True
    first = await First(read := cocotb.start_soon(master.read(4, 4)), Timer(500, "ns"))
    say(type(first).__name__, read.done())
    ram.read_if.r_channel.pause = False
    first = await First(read, Timer(500, "ns"))
    say(first)
    done = [master.init_write(k * 32, bytes([k] * 30)) for k in range(5)]
    await Combine(*(cocotb.start_soon(event.wait()) for event in done))
    say(*(event.is_set() for event in done), ram.read(0, 160))
    both = [cocotb.start_soon(event.wait()) for event in (master.init_read(0, 100), master.init_read(0, 1))]
    await First(*both)
    say(*(task.done() for task in both), master.idle())
    await master.wait_read()
    say("read", master.idle())
    cocotb.start_soon(master.write(0, bytes(99)))
    await NextTimeStep()
    await master.wait_write()
    say("written", master.idle())


@cocotb.test(**LIMITS)
@cocotb.parametrize(BUSES)
async def cycles_across_resets(dut, bus):
    """Resets at any time, also between edges, of a length of nothing, and while nobody looks."""
    master, ram = make(dut, bus, size=4096)
    begin(dut)
    cocotb.start_soon(watch(dut, bus))
    await reset(dut)

    async def traffic(seed):
        draws = random.Random(seed)
        while True:
            length = draws.randrange(1, 90)
            say(seed, await master.write(draws.randrange(2000), draws.randbytes(length)))
            say(seed, await master.read(draws.randrange(2000), length))
            await ClockCycles(dut.clk, draws.randrange(1, 4))

    tasks = [cocotb.start_soon(traffic(seed)) for seed in range(2)]
    draws = random.Random(5)
    for k in range(12):
        await ClockCycles(dut.clk, draws.randrange(2, 25), draws.choice((RisingEdge, FallingEdge)))
        if k % 3 == 1:
            await Timer(draws.randrange(1, 9), "ns")
        dut.rst.value = 1
        if k % 4 == 3:
            await Timer(draws.choice((1, 3, 12)), "ns")
        else:
            await ClockCycles(dut.clk, draws.randrange(1, 4))
        dut.rst.value = 0
        say(master.idle(), [int(channel.count()) for channel in (*channels(master), *channels(ram))])
    for task in tasks:
        task.cancel()
    await ClockCycles(dut.clk, 30)
    say(await master.read(0, 64))


class Register(Region):
    """A register that counts accesses, takes its time, and refuses."""

    def __init__(self, dut, master, size):
        super().__init__(size)
        self.dut, self.master, self.count, self.lock = dut, master, 0, Lock()

    async def _read(self, address, length, **kwargs):
        async with self.lock:
            self.count += 1
            say("read", address, length, self.count)
            if self.count % 3 == 0:
                await RisingEdge(self.dut.clk)
            if self.count % 5 == 0:
                await FallingEdge(self.dut.clk)
            if self.count % 7 == 0:
                raise RuntimeError("no")
            return self.count.to_bytes(8, "little")[:length]

    async def _write(self, address, data, **kwargs):
        self.count += len(data)
        say("write", address, data)
        if address == 8:
            await ReadOnly()
            say("read only", int(self.dut.axi_awvalid.value))
            await NextTimeStep()


@cocotb.test(**LIMITS)
@cocotb.parametrize(BUSES)
async def regions(dut, bus):
    """An address space with regions that wait for edges, answer through another bus, or are memories."""
    wires, kind, _ = KINDS[bus]
    master = kind(wires.from_prefix(dut, bus), dut.clk, dut.rst)
    apb = ApbMaster(ApbBus.from_prefix(dut, "apb"), dut.clk, dut.rst)
    ApbRam(ApbBus.from_prefix(dut, "apb"), dut.clk, dut.rst, size=256)
    space = AddressSpace(2**16)
    space.register_region(Register(dut, master, 64), 0)
    space.register_region(MemoryRegion(1024), 0x400)
    space.register_region(apb, 0x4000, 256)
    slave = {"axil": AxiLiteSlave, "axi": AxiSlave}[bus](wires.from_prefix(dut, bus), dut.clk, dut.rst, target=space)
    begin(dut)
    await reset(dut)
    pool = space.create_pool(0x1000, 4096)
    part = pool.alloc_region(100)
    await part.write(3, b"in the pool")
    for address in (0, 8, 16, 0x400, 0x1000, 0x7FC, 0x4010, 0x9000):
        say(hex(address), await master.write(address, b"abcdefgh"), await master.read(address, 8))
    window = master.create_window(0x400, 512)
    inner = window.create_window(16, 32)
    await inner.write_dwords(4, [1, 2, 3])
    say(await window.read_dwords(20, 3), await inner.read_byte(4), inner.get_absolute_address(3))
    jobs = [master.init_read(8 * k, 8) for k in range(6)] + [master.init_write(8, b"more")]
    slave.read_if.r_channel.set_pause_generator(drawn())
    for event in jobs:
        await event.wait()
        say(event.data)
    slave.write_if.target = MemoryRegion(512)
    say(await master.write(4, b"elsewhere"), await slave.write_if.target.read(0, 16), await part.read(0, 20))


@cocotb.test(**LIMITS)
async def narrow_and_unaligned(dut):
    master, ram = make(dut, "axi", size=8192)
    begin(dut)
    cocotb.start_soon(watch(dut, "axi"))
    await reset(dut)
    draws = random.Random(3)
    for size, start, length in itertools.product((0, 1, 2, 3, None), (0, 1, 7, 15, 0xFFD), (0, 1, 3, 40)):
        data = draws.randbytes(length)
        say(size, start, await master.write(start, data, size=size, awid=draws.choice((None, 0, 15))))
        say(await master.read(start, length, size=size, arid=draws.choice((None, 3))))
    say(ram.read(0, 64), ram.read(0xFF0, 64))
    say(await master.read(0x1FF0, 16), await master.write(0x1FFE, b"over the end"), await master.read(0x1FF8, 16))


@cocotb.test(**LIMITS)
async def pauses_with_effects(dut):
    """Generators that look at the design, end, or are set while others run."""
    master, ram = make(dut, "axi", size=4096)
    begin(dut)
    cocotb.start_soon(watch(dut, "axi"))
    await reset(dut)

    def looks():
        while True:
            say("pause", int(dut.axi_wvalid.value), int(dut.axi_wready.value))
            yield int(dut.axi_wvalid.value) and random.getrandbits(1)

    def ends():
        yield from (1, 1, 1, 1)

    ram.write_if.w_channel.set_pause_generator(looks())
    ram.write_if.aw_channel.set_pause_generator(ends())
    master.write_if.w_channel.set_pause_generator(itertools.cycle((0, 1)))
    event = master.init_write(8, bytes(100))
    await ClockCycles(dut.clk, 40)
    say(event.is_set(), ram.write_if.aw_channel.pause)
    ram.write_if.aw_channel.pause = False
    await event.wait()
    ram.write_if.w_channel.clear_pause_generator()
    ram.write_if.w_channel.pause = False
    say(await master.write(9, bytes(100)), ram.write_if.w_channel.pause, ram.write_if.aw_channel.pause)
    master.write_if.w_channel.set_pause_generator(iter([1] * 5 + [0]))
    event = master.init_write(10, bytes(60))
    await FallingEdge(dut.clk)
    master.write_if.aw_channel.pause = True
    await ClockCycles(dut.clk, 4)
    master.write_if.aw_channel.pause = False
    ram.write_if.b_channel.set_pause_generator(itertools.repeat(1))
    await ClockCycles(dut.clk, 20)
    say(event.is_set())
    ram.write_if.b_channel.set_pause_generator(None)
    ram.write_if.b_channel.pause = False
    await event.wait()
    say(event.data)


@cocotb.test(**LIMITS)
async def all_masters_on_one_clock(dut):
    """Three buses; two memories are one; accesses of one wake accesses of another."""
    kept = SparseMemory(4096)
    axi, ram = make(dut, "axi", mem=kept)
    axil, lite = make(dut, "axil", mem=kept)
    apb = ApbMaster(ApbBus.from_prefix(dut, "apb"), dut.clk, dut.rst)
    ApbRam(ApbBus.from_prefix(dut, "apb"), dut.clk, dut.rst, mem=kept)
    begin(dut)
    for name in ("axi", "axil"):
        cocotb.start_soon(watch(dut, name))
    await reset(dut)
    lock, queue, draws = Lock(), Queue(maxsize=2), random.Random(7)

    async def relay(name, master, seed):
        draws = random.Random(seed)
        for k in range(8):
            async with lock:
                say(name, await master.write(draws.randrange(256), draws.randbytes(draws.randrange(1, 40))))
            await queue.put((name, k))
            say(name, await master.read(draws.randrange(256), draws.randrange(1, 60)))

    tasks = [cocotb.start_soon(relay(*job)) for job in (("axi", axi, 1), ("axil", axil, 2), ("apb", apb, 3))]
    for _ in range(24):
        say(await queue.get(), queue.qsize())
        if draws.random() < 0.3:
            await First(Edge(dut.axil_rvalid), Timer(40, "ns"))
            say("seen")
    await Combine(*tasks)
    say(kept[0:300], lite.read(0, 20) == ram.read(0, 20))


class Loud(AxiMaster):
    """Overrides what a user calls."""

    async def read(self, address, length, **kwargs):
        say("loud", address, length)
        return await super().read(address, length, **kwargs)


class Offset(AxiRam):
    """Overrides a method of the memory that both directions share."""

    def read(self, address, length):
        return super().read(address ^ 1, length)


class SlowLite(AxiLiteRam):
    """A class of two directions with a method more, and an attribute of its own."""

    beats = 0

    async def _write(self, address, data):
        self.beats += 1
        await super()._write(address, data)


@cocotb.test(**LIMITS)
async def overridden_methods(dut):
    bus = AxiBus.from_prefix(dut, "axi")
    master, ram = Loud(bus, dut.clk, dut.rst), Offset(bus, dut.clk, dut.rst, size=4096)
    lite_bus = AxiLiteBus.from_prefix(dut, "axil")
    lite, slow = AxiLiteMaster(lite_bus, dut.clk, dut.rst), SlowLite(lite_bus, dut.clk, dut.rst, size=4096)
    begin(dut)
    await reset(dut)
    say(await master.write(3, bytes(range(30))), await master.read(3, 9), ram.read(2, 6), ram.read_if.read(2, 6))
    say(await lite.write(3, bytes(range(30))), await lite.read(3, 9), slow.beats)
    plain = ram.write_if._write

    async def counted(address, data):
        say("counted", address, data)
        await plain(address, data)

    ram.write_if._write = counted
    say(await master.write(3, bytes(range(40, 70))))
    init_read = master.read_if.init_read
    master.read_if.init_read = lambda address, *args, **more: init_read(address + 1, *args, **more)
    say(await master.read(3, 9), await master.read_dword(4))
    lite.write_if.init_write(0, b"first")
    ram.write_if.mem = SparseMemory(4096)
    say(await master.write(8, bytes(range(70, 90))), ram.read(0, 40), ram.write_if.read(0, 40))
    slow.read_if.size = 16
    say(await lite.read(3, 30))


@cocotb.test(**LIMITS)
async def a_replaced_send(dut):
    """A channel's method that a test replaces where the bus is made, and one that it replaces later."""
    master, ram = make(dut, "axi", size=4096)
    begin(dut)
    sent = master.write_if.w_channel.send

    async def shown(beat):
        say("beat", int(beat.wdata), int(beat.wstrb))
        await sent(beat)

    master.write_if.w_channel.send = shown
    await reset(dut)
    say(await master.write(8, bytes(range(40))), ram.read(0, 60))


def patched(kind, name, say_what):
    plain = getattr(kind, name)

    async def method(self, *args, **more):
        say(say_what)
        return await plain(self, *args, **more)

    setattr(kind, name, method)
    return plain


@cocotb.test(**LIMITS)
async def a_patched_class(dut):
    """Methods of cocotbext-axi's classes that a test patches, and puts back."""
    patches = [(AxiRamWrite, "_write"), (AxiMasterRead, "_process_read")]
    plain = [patched(*what, what[1]) for what in patches]
    try:
        master, ram = make(dut, "axi", size=4096)
        begin(dut)
        await reset(dut)
        say(await master.write(8, bytes(range(40))), ram.read(0, 60), await master.read(3, 20))
    finally:
        for (kind, name), method in zip(patches, plain, strict=True):
            setattr(kind, name, method)


@cocotb.test(**LIMITS)
@cocotb.parametrize(("made", [{"unit": "ns", "period": 10}, {"unit": "ps", "period": 3333}]), BUSES)
async def clocks(dut, made, bus):
    """A clock that stops, another in its place, and one that a task makes."""
    master, _ = make(dut, bus, size=4096)
    for name in ("awvalid", "wvalid", "arvalid", "bvalid", "rvalid"):
        getattr(dut, f"axi_{name}").value = 0
    dut.rst.value = 0
    period, unit = made["period"], made["unit"]
    clock = Clock(dut.clk, period, unit, **({} if unit == "ns" else {"period_high": 1001}))
    clock.start(start_high=unit == "ns")
    say(await master.write(1, bytes(33)))
    event = master.init_write(4, bytes(99))
    await Timer(3 * period, unit)
    clock.stop()
    say(event.is_set(), int(dut.clk.value))
    await Timer(100, "ns")
    say(event.is_set())

    async def by_hand():
        while True:
            dut.clk.value = 0
            await Timer(4, "ns")
            dut.clk.value = 1
            await Timer(7, "ns")

    hand = cocotb.start_soon(by_hand())
    await event.wait()
    say(event.data)
    hand.cancel()
    Clock(dut.clk, 6, "ns").start()
    say(await master.read(1, 77), await master.write(2, b"xyz"))


@cocotb.test(**LIMITS)
@cocotb.parametrize(BUSES)
async def phases(dut, bus):
    """Commands from every phase of a time step; values as each phase sees them."""
    master, ram = make(dut, bus, size=4096)
    begin(dut)
    await reset(dut)
    wires = [getattr(dut, f"{bus}_{name}") for name in ("awvalid", "awready", "wvalid", "arvalid", "rvalid", "rready")]

    def look(phase):
        say(phase, *(int(wire.value) for wire in wires), int(ram.write_if.w_channel.count()))

    async def phase_by_phase():
        while True:
            await RisingEdge(dut.clk)
            look("edge")
            await ReadWrite()
            look("read write")
            await ReadOnly()
            look("read only")
            await NextTimeStep()
            look("next")

    cocotb.start_soon(phase_by_phase())
    await RisingEdge(dut.clk)
    await ReadWrite()
    events = [master.init_write(5, bytes(range(9)))]
    await ReadOnly()
    await NextTimeStep()
    events.append(master.init_read(3, 20))
    await FallingEdge(dut.clk)
    events.append(master.init_read(30, 2))
    await Edge(wires[4])
    look("edge of rvalid")
    events.append(master.init_write(0, b"ab"))
    given = Event("given")
    given.set("old")
    events.append(master.init_write(1, b"cd", event=given))
    for event in events:
        say(event.is_set(), getattr(event, "data", None))
        await event.wait()
        say(event.data)
    await master.wait()
    look("end")


@cocotb.test(**LIMITS)
@cocotb.parametrize(BUSES)
async def from_a_thread(dut, bus):
    """Code that blocks, in a thread, uses the bus."""
    master, ram = make(dut, bus, size=4096)
    begin(dut)
    await reset(dut)

    @resume
    async def access(address, data):
        await master.write(address, data)
        return (await master.read(address, len(data))).data

    @bridge
    def blocks(base):
        return [access(base + 40 * k, bytes([k] * (k + 9))) for k in range(5)]

    tasks = [cocotb.start_soon(blocks(base)) for base in (0, 300)]
    for task in tasks:
        say(await task)
    say(ram.read(0, 512))


@cocotb.test(expect_error=SimTimeoutError, timeout_time=333, timeout_unit="ns")
@cocotb.parametrize(BUSES)
async def a_test_that_times_out(dut, bus):
    master, _ = make(dut, bus, size=4096)
    begin(dut)
    cocotb.start_soon(watch(dut, bus))
    await reset(dut)
    while True:
        say(await master.write(3, bytes(70)))


@cocotb.test(**LIMITS)
@cocotb.parametrize(BUSES)
async def a_test_that_ends_early(dut, bus):
    master, _ = make(dut, bus, size=4096)
    begin(dut)
    await reset(dut)

    async def ends():
        say(await master.write(3, bytes(70)))
        cocotb.pass_test("early")

    cocotb.start_soon(ends())
    say(await master.read(3, 2000))


@cocotb.test(**LIMITS)
@cocotb.parametrize(BUSES, ("level", [True, False]))
async def resets_by_hand(dut, bus, level):
    """No reset signal, one that is active low, and resets that a test asserts by a call."""
    wires, kind, memory = KINDS[bus]
    wires = wires.from_prefix(dut, bus)
    dut.rst.value = not level
    signal = {} if level else {"reset": dut.rst, "reset_active_level": False}
    master, ram = kind(wires, dut.clk, **signal), memory(wires, dut.clk, size=4096, **signal)
    begin(dut)
    cocotb.start_soon(watch(dut, bus))
    dut.rst.value = 1
    events = [master.init_write(k * 40, bytes(range(k + 30))) for k in range(4)]
    await ClockCycles(dut.clk, 9)
    parts = [master.write_if, ram.write_if, *channels(master), *channels(ram)]
    for part in parts:
        part.assert_reset(True)
    await ClockCycles(dut.clk, 3)
    for part in parts:
        part.assert_reset(False)
    for event in events:
        await event.wait()
        say(event.data)
    dut.rst.value = 0
    await ClockCycles(dut.clk, 2)
    dut.rst.value = 1
    say(await master.write(5, b"again"), await master.read(2, 12), ram.read(0, 80))


@cocotb.test(**LIMITS)
async def one_half_in_python(dut):
    """One half logs every beat, which keeps it in Python; the others run in C++."""
    bus = AxiBus.from_prefix(dut, "axi")
    master, ram = AxiMaster(bus, dut.clk, dut.rst), AxiRam(bus, dut.clk, dut.rst, size=4096)
    master.write_if.log.setLevel("DEBUG")
    ram.read_if.log.setLevel("DEBUG")
    begin(dut)
    cocotb.start_soon(watch(dut, "axi"))
    await reset(dut)
    jobs = [master.init_write(40 * k, bytes(range(70)), awid=k % 3) for k in range(5)]
    jobs += [master.init_read(40 * k, 70, arid=k % 3) for k in range(5)]
    for job in jobs:
        await job.wait()
        say(job.data)
    for half in (master.write_if, ram.read_if):
        half.log.setLevel("INFO")
    say(await master.write(3, b"more"), await master.read(2, 9))


@cocotb.test(**LIMITS)
@cocotb.parametrize(("periods", [(10, 10), (10, 20), (20, 10), (10, 30)]), ("first", [0, 1]))
async def two_clocks(dut, periods, first):
    """Edges of two clocks at one time: tasks and agents of both go on in cocotb's order."""
    kept, clocks = SparseMemory(4096), (dut.clk, dut.apb_penable)
    dut.rst.value = 0
    for name in ("awvalid", "wvalid", "arvalid", "bvalid", "rvalid"):
        getattr(dut, f"axi_{name}").value = 0

    async def count(number):
        for k in range(12):
            await RisingEdge(clocks[number])
            say("clock", number, k)

    for number in (first, 1 - first):
        Clock(clocks[number], periods[number], "ns").start()
        cocotb.start_soon(count(number))
    axi, lite = AxiBus.from_prefix(dut, "axi"), AxiLiteBus.from_prefix(dut, "axil")
    masters = [AxiMaster(axi, clocks[0], dut.rst), AxiLiteMaster(lite, clocks[1], dut.rst)]
    AxiRam(axi, clocks[0], dut.rst, mem=kept)
    AxiLiteRam(lite, clocks[1], dut.rst, mem=kept)

    async def relay(name, master, seed):
        draws = random.Random(seed)
        for _ in range(12):
            say(name, await master.write(draws.randrange(64), draws.randbytes(draws.randrange(1, 40))))
            say(name, await master.read(draws.randrange(64), draws.randrange(1, 60)))

    await Combine(*(cocotb.start_soon(relay(number, masters[number], number)) for number in (0, 1)))
    say(kept.read(0, 128))
