# SPDX-License-Identifier: Apache-2.0
"""Tests as a user of cocotbext-axi writes them; what they see is printed, for a comparison of two runs."""

import itertools
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Event, RisingEdge, Timer
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamMonitor, AxiStreamSink, AxiStreamSource


def say(*what):
    print("SEEN", *what, flush=True)


class Bench:
    """The agents on the bench, and what a test does with them."""

    def __init__(self, dut):
        self.dut = dut
        cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
        self.source = AxiStreamSource(AxiStreamBus.from_entity(dut.s_axis), dut.clk, dut.rst)
        self.sink = AxiStreamSink(AxiStreamBus.from_entity(dut.m_axis), dut.clk, dut.rst)
        self.monitor = AxiStreamMonitor(AxiStreamBus.from_entity(dut.m_axis), dut.clk, dut.rst)
        say(type(self.source).__name__)

    async def reset(self):
        for level in (0, 1, 0):
            self.dut.rst.value = level
            await self.edges(2)

    async def edges(self, count):
        for _ in range(count):
            await RisingEdge(self.dut.clk)

    async def send(self, count):
        draws = random.Random(count)
        for k in range(count):
            data = draws.randbytes(draws.randint(1, 23))
            await self.source.send(AxiStreamFrame(data, tid=k % 16, tuser=[b & 3 for b in data]))

    async def receive(self, count):
        for k in range(count):
            frame = await self.sink.recv(compact=k % 3 != 0)
            say(get_sim_time("ns"), frame, self.sink.count(), self.source.count(), self.source.idle())
        for _ in range(count):
            say(await self.monitor.recv())


def drawn(seed):
    draws = random.Random(seed)
    while True:
        yield draws.random() < 0.4


@cocotb.test(timeout_time=50, timeout_unit="us")
@cocotb.parametrize(
    ("idle", [None, lambda: itertools.cycle([1, 1, 1, 0]), lambda: drawn(1)]),
    ("busy", [None, lambda: itertools.cycle([0, 1, 1]), lambda: drawn(2)]),
)
async def frames(dut, idle, busy):
    bench = Bench(dut)
    await bench.reset()
    if idle:
        bench.source.set_pause_generator(idle())
    if busy:
        bench.sink.set_pause_generator(busy())
    await bench.send(20)
    await bench.receive(20)


@cocotb.test(timeout_time=50, timeout_unit="us")
async def edge_by_edge(dut):
    bench = Bench(dut)

    async def watch():
        while True:
            await RisingEdge(dut.clk)
            wires = [
                getattr(bus, role).value for bus in (dut.s_axis, dut.m_axis) for role in ("tvalid", "tready", "tdata")
            ]
            say(get_sim_time("ns"), *wires, bench.source.idle(), bench.sink.idle(), bench.sink.count())

    cocotb.start_soon(watch())
    await bench.reset()
    bench.sink.set_pause_generator(itertools.cycle([1, 0]))
    await bench.send(5)
    await bench.receive(2)
    bench.sink.clear_pause_generator()
    bench.sink.pause = True
    await bench.edges(7)
    bench.sink.pause = False
    await bench.receive(3)


@cocotb.test(timeout_time=50, timeout_unit="us")
async def limits_and_events(dut):
    bench = Bench(dut)
    await bench.reset()
    bench.source.queue_occupancy_limit_frames = 2
    bench.sink.queue_occupancy_limit_bytes = 40
    done = Event()
    await bench.source.send(AxiStreamFrame(bytes(9), tx_complete=done))
    cocotb.start_soon(bench.send(10))
    await bench.edges(3)
    say(get_sim_time("ns"), bench.source.queue_occupancy_frames, bench.source.queue_occupancy_bytes)
    await done.wait()
    await Timer(300, "ns")
    say(bench.sink.count(), bench.sink.queue_occupancy_bytes, bench.sink.full())
    while not bench.source.idle() or not bench.sink.empty():
        say(get_sim_time("ns"), bench.sink.recv_nowait() if not bench.sink.empty() else None)
        await bench.edges(1)
    await bench.source.wait()
    await bench.sink.wait(timeout=100)
    say(get_sim_time("ns"), await bench.sink.read(3) if not bench.sink.empty() else None)


@cocotb.test(timeout_time=50, timeout_unit="us")
async def reset_in_flight(dut):
    bench = Bench(dut)
    await bench.reset()
    bench.sink.pause = True
    await bench.send(4)
    await bench.edges(9)
    await bench.reset()
    bench.sink.pause = False
    await bench.edges(30)
    say(bench.sink.count(), bench.source.count(), bench.source.idle())
    while not bench.sink.empty():
        say(bench.sink.recv_nowait())
    await bench.send(2)
    bench.source.clear()
    await bench.edges(9)
    say(bench.sink.count())
