# SPDX-License-Identifier: Apache-2.0
"""Runs inside the simulator: AXI4 master and memory, joined by wires, against the golden model."""

from __future__ import annotations

import os
from dataclasses import replace

import cocotb
import numpy as np
import pytest
from axi_wires import random_bursts
from cocotb.triggers import Timer

from goldbeat.pymodels.axi.burst import DECERR, OKAY, SLVERR, WRITE, Bursts
from goldbeat.pymodels.axi.memory import MasterTiming, MemoryTiming, Region, predict, replay, respond, respond_to_beats
from goldbeat.pymodels.errors import WaitTimeoutError
from goldbeat.pymodels.pattern import Pattern
from goldbeat.tb.kernel.axi import AxiChecker, AxiMaster, AxiMemory
from goldbeat.tb.kernel.simulation import Kernel

PERIOD = 4000
WIDTHS = [int(w) for w in os.environ["WIDTHS"].split(",")]


def pattern(rng, gaps=False):
    seed = int(rng.integers(1 << 62))
    kinds = [
        Pattern(),
        Pattern("random", p=float(rng.choice([0.1, 0.5, 0.8])), seed=seed),
        Pattern("bursty", burst=int(rng.integers(1, 20)), seed=seed),
        Pattern("array", values=(2, 0, 1) if gaps else (1, 0, 0, 1)),
    ]
    if not gaps:
        kinds.append(Pattern("after-valid", burst=int(rng.integers(1, 7)), seed=seed))
    return kinds[int(rng.integers(len(kinds)))] if rng.random() < 0.6 else Pattern()


def memory_timing(rng):
    def some(least, most):
        return int(rng.integers(least, most + 1))

    read, write = some(1, 8), some(1, 8)
    w_ready = pattern(rng)
    if w_ready.kind in ("array", "bursty"):
        # Two periodic conditions may never meet.
        write = 1
    return MemoryTiming(
        read_latency=some(1, 30),
        read_jitter=some(0, 1) * some(0, 40),
        write_latency=some(1, 30),
        write_jitter=some(0, 1) * some(0, 40),
        max_reads=some(1, 8),
        max_writes=some(1, 8),
        data_ahead=some(0, 1) * some(0, 12),
        read_bandwidth=(some(1, read), read),
        write_bandwidth=(some(1, write), write),
        order=str(rng.choice(["in_order", "by_id", "interleaved"])),
        seed=some(0, 1 << 40),
        aw_ready=w_ready,
        w_ready=w_ready,
        ar_ready=pattern(rng),
        r_gaps=pattern(rng, gaps=True),
        b_gaps=pattern(rng, gaps=True),
        slow_id=int(rng.integers(4)),
        slow_cycles=int(rng.choice([0, 40])),
        late_writes=bool(rng.integers(2)),
    )


def address_space(rng):
    def fresh(size):
        return rng.integers(0, 256, size).astype(np.uint8)

    # A fifth of the words of 128 bytes refuse reads, another one writes.
    answers = np.repeat(rng.integers(0, 10, (2, 64)), 128, axis=1).astype(np.uint8)
    answers[(answers < SLVERR) | (answers > DECERR)] = OKAY
    return (
        Region("low", 0, fresh(8192), answers=answers),
        Region("weights", 0x10000, fresh(4096), writable=False),
        Region("results", 0x20000, fresh(12288), readable=False),
        Region("high", 0xFF_0000_0000, fresh(4096)),
    )


def started(dut):
    """A kernel whose clock runs, out of reset."""
    kernel = Kernel(dut, judge=False)
    kernel.poke("aresetn", 1)
    kernel.clock("aclk", PERIOD)
    return kernel


async def compare(kernel, master, memory, checkers, bursts, timing, behaviour, regions, rng, count=None):
    width = master.width
    data = rng.integers(0, 256, (bursts.beats, width)).astype(np.uint8)
    strobe = bursts.lanes(width)
    if rng.random() < 0.5:
        strobe &= rng.random(strobe.shape) < 0.7
    else:
        strobe = strobe if rng.random() < 0.5 else None
    gaps = rng.integers(0, 4, bursts.beats) * (rng.random() < 0.5)
    twin = tuple(replace(r, data=r.data.copy()) for r in regions)
    times = predict(bursts, timing, behaviour, gaps)
    expected = replay(bursts, times, twin, data, strobe, late_writes=timing.late_writes)
    base = master.clock.cycle + 5
    memory.map(regions)
    memory.start(timing, base)
    got = await master.run(bursts, data, strobe=strobe, write_gaps=gaps, timing=behaviour, base=base)
    for name in ("offered", "cycle", "first", "last", "done", "beat"):
        was, should = getattr(got, name) - base, getattr(times, name)
        wrong = np.flatnonzero(was != should)
        assert not len(wrong), (name, wrong[:5], was[wrong[:5]], should[wrong[:5]], timing, behaviour)
    lanes = bursts.lanes(width)
    np.testing.assert_array_equal(got.data[lanes], expected[lanes])
    for one, other in zip(regions, twin, strict=True):
        np.testing.assert_array_equal(one.data, other.data, one.name)
    response, region = respond(bursts, regions)
    beats, _ = respond_to_beats(bursts, regions)
    reads = (bursts.kind != WRITE)[bursts.of_beat]
    np.testing.assert_array_equal(got.beat_response[reads], beats[reads])
    np.testing.assert_array_equal(got.response, response)
    log = memory.log
    order = np.lexsort((bursts.kind != WRITE, times.cycle))
    assert len(log) == len(bursts)
    for kind in (0, 1):
        mine, row = order[bursts.kind[order] == kind], log[log["kind"] == kind]
        for name in ("address", "len", "size", "burst", "id"):
            np.testing.assert_array_equal(row[name], getattr(bursts, name)[mine], name)
        np.testing.assert_array_equal(row["response"], response[mine])
        np.testing.assert_array_equal(row["region"], region[mine])
        for name in ("cycle", "first", "last", "done"):
            np.testing.assert_array_equal(row[name] - base, getattr(times, name)[mine], name)
    assert memory.idle
    plain = [replace(r, answers=None) for r in regions]
    assert len(memory.violations) == min(100, int((respond(bursts, plain)[0] != 0).sum())), memory.violations[:3]
    for checker in checkers:
        assert not checker.violations, checker.violations[:3]
    master.reset()
    memory.reset()


@cocotb.test()
async def against_the_golden_model(dut):
    kernel = started(dut)
    rng = np.random.default_rng(int(os.environ["ROUNDS_SEED"]))
    for width in WIDTHS:
        master = AxiMaster(kernel, f"s{width}_axi")
        memory = AxiMemory(kernel, f"m{width}_axi", held=True)
        checkers = [AxiChecker(kernel, f"{side}{width}_axi", reset="aresetn") for side in "sm"]
        await Timer(3 * PERIOD, "ps")
        for _ in range(int(os.environ["ROUNDS"])):
            regions = address_space(rng)
            long = rng.random() < 0.15
            bursts = random_bursts(
                rng,
                int(rng.integers(1, 60)),
                width // 8,
                regions,
                longest=256 if long else 16,
                ids=int(rng.choice([1, 2, 16])),
                spread=int(rng.choice([0, 0, 5])),
            )
            behaviour = MasterTiming(int(rng.integers(1, 10)), int(rng.integers(1, 10)), pattern(rng), pattern(rng))
            await compare(kernel, master, memory, checkers, bursts, memory_timing(rng), behaviour, regions, rng)


@cocotb.test()
async def outside_of_what_is_allocated(dut):
    kernel = started(dut)
    width = WIDTHS[0]
    size = (width // 8).bit_length() - 1
    master = AxiMaster(kernel, f"s{width}_axi")
    regions = (
        Region("input", 0x1000, np.arange(64, dtype=np.uint8)),
        Region("rom", 0x2000, np.zeros(64, np.uint8), writable=False),
    )
    memory = AxiMemory(kernel, f"m{width}_axi", regions)
    checker = AxiChecker(kernel, f"m{width}_axi")
    await Timer(3 * PERIOD, "ps")
    beats = 64 * 8 // width
    bursts = Bursts(
        kind=[0, 1, 0, 1, 0],
        address=[0x1000 + width // 8, 0x3000, 0xFFC, 0x2000, 0x1000],
        len=[beats - 1, 0, 0, 0, beats - 1],
        size=size,
    )
    got = await master.run(bursts, np.full((bursts.beats, width // 8), 0xAB, np.uint8))
    assert got.response.tolist() == [3, 3, 3, 2, 0]
    read = got.data[bursts.of_beat == 4].reshape(-1)
    np.testing.assert_array_equal(read, np.arange(64))
    assert not got.data[bursts.of_beat == 0].any()
    assert not regions[1].data.any()
    first, second, third, fourth = sorted(memory.violations, key=lambda v: "0x1004" not in v)
    log = memory.log
    assert (
        f"mem_bounds: m{width}_axi, cycle {log['cycle'][log['address'] == 0x1000 + width // 8][0]}: read at 0x1004"
        in first
    )
    assert f"INCR burst of {beats} beats of {width // 8} bytes, id 0" in first
    assert "beyond region input (0x1000 to 0x103f)" in first
    rest = second + third + fourth
    assert "write at 0x3000" in rest
    assert "outside of every region" in rest
    assert "mem_rights" in rest
    assert "in region rom, which is not writable" in rest
    assert not checker.violations
    kernel.rule("mem_bounds", False)
    master.reset()
    memory.reset()
    memory.start()
    await master.run(Bursts(0, 0x9000, 0, size))
    assert not memory.violations


@cocotb.test()
async def data_ahead_of_addresses(dut):
    """Data of the third burst wait for its address, as more beats than allowed would be ahead."""
    kernel = started(dut)
    width = WIDTHS[0]
    region = Region("all", 0, np.zeros(4096, np.uint8))
    master, memory = AxiMaster(kernel, f"s{width}_axi"), AxiMemory(kernel, f"m{width}_axi", (region,))
    await Timer(3 * PERIOD, "ps")
    memory.start(MemoryTiming(data_ahead=64))
    size = (width // 8).bit_length() - 1
    bursts = Bursts(
        kind=1, address=[0, 256, 512, 768], len=[1, 3, 3, 0], size=size, gap=[0, 50, 0, 0], barrier=[0, 0, 0, 1]
    )
    data = np.full((bursts.beats, width // 8), 0xAB, np.uint8)
    got = await master.run(bursts, data, timing=MasterTiming(data_ahead=4))
    assert got.last[1] < got.offered[1]
    assert got.first[2] >= got.offered[1]
    assert got.first[3] > got.done[:3].max()
    assert (region.data != 0).sum() == bursts.beats * width // 8
    master.reset()
    memory.reset()


@cocotb.test()
async def barriers_and_waiting(dut):
    kernel = started(dut)
    width = WIDTHS[0]
    size = (width // 8).bit_length() - 1
    master = AxiMaster(kernel, f"s{width}_axi")
    region = Region("one", 0, np.zeros(4096, np.uint8))
    memory = AxiMemory(kernel, f"m{width}_axi", (region,), MemoryTiming(write_latency=50, read_latency=3))
    await Timer(3 * PERIOD, "ps")
    data = np.arange(8 * width // 8, dtype=np.uint8).reshape(8, -1)
    bursts = Bursts(kind=[1, 0], address=256, len=3, size=size, barrier=[False, True])
    got = await master.run(bursts, data)
    assert got.offered[1] == got.done[0] + 1
    np.testing.assert_array_equal(got.data[:4], got.data[4:])
    # A memory that is not there: the report says who waits for what since when.
    memory.reset()
    task = cocotb.start_soon(master.run(Bursts(kind=[0, 1], address=0, len=0, size=size)))
    await Timer(20 * PERIOD, "ps")
    assert "0 of 2 bursts over" in master.waiting
    assert "arvalid without arready since cycle" in master.waiting
    assert "wvalid without wready since cycle" in master.waiting
    task.cancel()
    master.reset()
    memory.start(MemoryTiming(read_latency=1000))
    task = cocotb.start_soon(master.run(Bursts(kind=[0, 1], address=64, len=0, size=size)))
    await Timer(20 * PERIOD, "ps")
    assert "1 read outstanding, the oldest at 0x40 (id 0) since cycle" in memory.waiting, memory.waiting
    assert "1 waiting for read data, the oldest (burst 0 at 0x40) since cycle" in master.waiting, master.waiting
    task.cancel()


@cocotb.test()
async def a_program_that_nobody_answers_has_a_limit(dut):
    kernel = Kernel(dut, judge=False, timeout=400)
    kernel.poke("aresetn", 1)
    clock = kernel.clock("aclk", PERIOD)
    width = WIDTHS[0]
    size = (width // 8).bit_length() - 1
    master = AxiMaster(kernel, f"s{width}_axi")
    region = Region("one", 0, np.zeros(4096, np.uint8))
    memory = AxiMemory(kernel, f"m{width}_axi", (region,), MemoryTiming(read_latency=300))
    await Timer(3 * PERIOD, "ps")
    # Longer than the limit, and something moves all the time; what the master waits for by itself is no hang.
    slow = Bursts(kind=[0] * 9, address=0, len=0, size=size, barrier=True, not_before=[0] * 8 + [9000])
    begun = clock.cycle
    await master.run(slow)
    assert clock.cycle - begun > 9000
    memory.reset()
    with pytest.raises(
        WaitTimeoutError, match=r"the end of 2 bursts, 0 are over; 0 of 2 bursts over.*arvalid without arready"
    ):
        await master.run(Bursts(kind=[0, 1], address=0, len=0, size=size))
    master.reset()


@cocotb.test()
async def who_waits_for_its_turn_is_no_hang(dut):
    limit = 400
    kernel = Kernel(dut, judge=False, timeout=limit)
    kernel.poke("aresetn", 1)
    clock = kernel.clock("aclk", PERIOD)
    busy, waiting = (AxiMaster(kernel, f"s{width}_axi") for width in WIDTHS[:2])
    region = Region("one", 0, np.zeros(4096, np.uint8))
    AxiMemory(kernel, f"m{WIDTHS[0]}_axi", (region,), MemoryTiming(read_latency=40))
    late = AxiMemory(kernel, f"m{WIDTHS[1]}_axi", (region,), MemoryTiming(read_latency=5 * limit))
    await Timer(3 * PERIOD, "ps")
    many = Bursts(kind=[0] * 60, address=0, len=0, size=2)
    other = cocotb.start_soon(busy.run(many, timing=MasterTiming(max_reads=1)))
    begun = clock.cycle
    await waiting.run(Bursts(kind=0, address=0, len=0, size=2))
    assert clock.cycle - begun > 5 * limit
    await other
    late.reset()
    begun = clock.cycle
    with pytest.raises(WaitTimeoutError, match="the end of 1 bursts"):
        await waiting.run(Bursts(kind=0, address=0, len=0, size=2))
    assert limit <= clock.cycle - begun <= 2 * limit + 10
    waiting.reset()


@cocotb.test()
async def phases_of_masters(dut):
    kernel = started(dut)
    slow, quick = (AxiMaster(kernel, f"s{width}_axi") for width in WIDTHS[:2])
    region = Region("one", 0, np.zeros(4096, np.uint8))
    for width, cycles in zip(WIDTHS[:2], (70, 3), strict=True):
        AxiMemory(kernel, f"m{width}_axi", (region,), MemoryTiming(read_latency=cycles, write_latency=cycles))
    await Timer(3 * PERIOD, "ps")
    first = cocotb.start_soon(slow.run(Bursts(kind=[1, 0, 1], address=0, len=0, size=2, phase=[0, 0, 2])))
    timing = MasterTiming(data_ahead=1)
    second = await quick.run(Bursts(kind=[0, 1, 0], address=0, len=0, size=2, phase=[0, 1, 3]), timing=timing)
    first = await first
    # Nobody waits in its first phase; data keep to the phase of their address.
    assert second.done[0] < first.done[:2].max() < min(second.offered[1], second.first[1])
    assert second.done[1] < first.offered[2] < first.done[2] < second.offered[2]


@cocotb.test()
async def a_burst_that_a_reset_has_cut_is_forgotten(dut):
    kernel = started(dut)
    width = WIDTHS[0]
    size = (width // 8).bit_length() - 1
    master = AxiMaster(kernel, f"s{width}_axi")
    timing = MemoryTiming(read_latency=2, order="by_id")
    memory = AxiMemory(kernel, f"m{width}_axi", (Region("one", 0, np.zeros(4096, np.uint8)),), timing)
    checker = AxiChecker(kernel, f"m{width}_axi")
    await Timer(3 * PERIOD, "ps")
    task = cocotb.start_soon(master.run(Bursts(0, 0, 15, size)))
    await Timer(12 * PERIOD, "ps")
    assert memory.log["first"][0] > 0 > memory.log["last"][0]
    task.cancel()
    for agent in (master, memory, checker):
        agent.reset()
    memory.start(timing)
    await Timer(6 * PERIOD, "ps")
    await master.run(Bursts(0, 0, 3, size))
    assert not checker.violations
