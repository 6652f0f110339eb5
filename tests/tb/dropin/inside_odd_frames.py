# SPDX-License-Identifier: Apache-2.0
"""Unusual uses of cocotbext-axi's streams; what a test sees is printed, for a comparison of two runs."""

import itertools
import random

import cocotb
from cocotb.triggers import (
    ClockCycles,
    Combine,
    Event,
    FallingEdge,
    First,
    RisingEdge,
    SimTimeoutError,
    Timer,
    with_timeout,
)
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from inside_frames import Bench, drawn

LIMITS = {"timeout_time": 50, "timeout_unit": "us"}


def say(*what):
    print("SEEN", get_sim_time("ns"), *what, flush=True)


@cocotb.test(**LIMITS)
async def a_cancelled_receive(dut):
    """Who waited is gone; the frame comes to the next."""
    bench = Bench(dut)
    await bench.reset()
    waits = [cocotb.start_soon(bench.sink.recv()) for _ in range(3)]
    await ClockCycles(dut.clk, 3)
    waits[0].cancel()
    await bench.source.send(b"first frame of it")
    await bench.source.send(b"second")
    await Combine(*waits[1:])
    say(*(wait.result() for wait in waits[1:]), bench.sink.count())
    first = await First(got := cocotb.start_soon(bench.sink.recv()), Timer(200, "ns"))
    say(type(first).__name__, got.done(), bench.sink.idle(), bench.source.idle())
    await bench.source.send(b"third")
    await bench.source.wait()
    await bench.sink.wait()
    say(got.done(), bench.sink.count(), bench.sink.active)
    say(await got)
    for wait in (1, 20, 50, 100, 400):
        bench.source.send_nowait(bytes(17))
        try:
            say(await with_timeout(bench.sink.recv(), wait, "ns"))
        except SimTimeoutError:
            say("too late", bench.sink.count(), bench.source.count())
    await ClockCycles(dut.clk, 50)
    say(bench.sink.count(), [await bench.monitor.recv() for _ in range(3)], bench.monitor.count())


@cocotb.test(expect_error=KeyError, **LIMITS)
async def a_callback_that_raises(dut):
    bench = Bench(dut)
    await bench.reset()
    done = []

    def complete(frame):
        say("complete", frame.sim_time_start, frame.sim_time_end, len(frame))
        done.append(frame)
        if len(done) == 3:
            raise KeyError("three")

    for k in range(4):
        await bench.source.send(AxiStreamFrame(bytes(5 * k + 1), tx_complete=complete))
    while True:
        say(await bench.sink.recv())


@cocotb.test(**LIMITS)
async def resets_at_any_time(dut):
    bench = Bench(dut)
    await bench.reset()
    draws = random.Random(4)

    async def sends():
        for k in itertools.count():
            event = Event()
            await bench.source.send(
                AxiStreamFrame(draws.randbytes(draws.randrange(1, 30)), tid=k % 16, tx_complete=event)
            )
            if k % 3 == 0:
                await event.wait()
                say("sent", event.data.sim_time_start, event.data.sim_time_end)

    async def receives():
        while True:
            say(await bench.sink.recv(compact=draws.random() < 0.5))

    tasks = [cocotb.start_soon(sends()), cocotb.start_soon(receives())]
    bench.source.queue_occupancy_limit_frames = 3
    bench.sink.set_pause_generator(drawn(3))
    for k in range(10):
        await ClockCycles(dut.clk, draws.randrange(1, 25), draws.choice((RisingEdge, FallingEdge)))
        dut.rst.value = 1
        await (Timer(draws.choice((1, 13)), "ns") if k % 4 == 3 else ClockCycles(dut.clk, draws.randrange(1, 4)))
        dut.rst.value = 0
        say(
            bench.source.count(),
            bench.sink.count(),
            bench.source.idle(),
            bench.sink.idle(),
            bench.source.current_frame is None,
        )
    for task in tasks:
        task.cancel()
    await ClockCycles(dut.clk, 40)
    say(bench.source.count(), bench.sink.count(), bench.source.queue_occupancy_bytes)


class Shouting(AxiStreamSource):
    """Overrides what a user calls."""

    async def send(self, frame):
        say("send", bytes(frame))
        await super().send(frame)


class Dropping(AxiStreamSink):
    """Overrides how a frame is handed out."""

    def _recv(self, frame, compact=True):
        say("received", len(frame.tdata))
        return super()._recv(frame, compact)


@cocotb.test(**LIMITS)
async def subclasses_and_patches(dut):
    bench = Bench(dut)
    source = Shouting(AxiStreamBus.from_entity(dut.s_axis), dut.clk, dut.rst)
    sink = Dropping(AxiStreamBus.from_entity(dut.m_axis), dut.clk, dut.rst)
    bench.source.pause = True
    await bench.reset()
    await source.write(b"a subclass of a source")
    say(await sink.read(9), await sink.read(), bench.sink.count())
    plain = sink.recv_nowait

    def counted(*args, **more):
        say("counted")
        return plain(*args, **more)

    sink.recv_nowait = counted
    source.send_nowait(AxiStreamFrame(b"abc", tdest=0, tuser=2))
    await ClockCycles(dut.clk, 10)
    say(sink.recv_nowait(), sink.empty(), bench.sink.recv_nowait(), bench.sink.pause)
    sink.pause = bench.sink.pause = True
    source.send_nowait(b"waits")
    source.send_nowait(b"waits behind")
    await ClockCycles(dut.clk, 10)
    say(source.count(), source.active, source.current_frame)
    source.clear()
    sink.pause = bench.sink.pause = False
    await ClockCycles(dut.clk, 10)
    say(source.count(), sink.count(), bench.sink.queue_occupancy_bytes, bench.sink.queue_occupancy_frames)
    sink.clear()
    bench.sink.clear()
    say(sink.count(), bench.sink.count(), bench.sink.queue_occupancy_frames)
