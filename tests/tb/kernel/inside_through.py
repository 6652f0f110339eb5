# SPDX-License-Identifier: Apache-2.0
"""Inside the simulator: sources, sinks and monitors on a wire of any width."""

import functools
import operator
import os

import cocotb
import numpy as np
import pytest
from cocotb.triggers import Timer
from cocotbext.axi import AxiStreamFrame

from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.kernel import AxiStreamMonitor, AxiStreamSink, AxiStreamSource, Kernel

WIDTH = int(os.environ["THROUGH_WIDTH"])
PERIOD_PS = 1000


def _trace(beats, seed=1, gaps="none"):
    rng = np.random.default_rng(seed)
    trace = Trace.from_bytes(
        rng.integers(0, 256, (beats, WIDTH // 8), dtype=np.uint8),
        keep=rng.integers(0, 2, (beats, WIDTH // 8)).astype(bool),
        last=rng.integers(0, 5, beats) == 0,
        clock_ps=PERIOD_PS,
        tid=rng.integers(0, 1 << 7, beats),
        tdest=rng.integers(0, 1 << 17, beats),
        tuser=rng.integers(0, 1 << 64, beats, dtype=np.uint64),
    )
    return trace.with_gaps(Pattern.parse(gaps, seed=seed).gaps(beats))


async def _start(dut, **options):
    dut.aclk.value = 0
    kernel = Kernel(dut)
    clock = kernel.clock("aclk", PERIOD_PS)
    source = AxiStreamSource(kernel, "s_axis", held=True)
    sink = AxiStreamSink(kernel, "m_axis", held=True, **options)
    monitor = AxiStreamMonitor(kernel, "s_axis", held=True)
    await clock.cycles(3)
    base = clock.cycle + 3
    source.start(base)
    sink.start(base)
    monitor.start(base)
    return source, sink, monitor, base


def _same(got, sent):
    assert np.array_equal(got.data, sent.data)
    for column in ("keep", "last", "tid", "tdest", "tuser"):
        assert np.array_equal(getattr(got, column), getattr(sent, column)), column


@cocotb.test()
@cocotb.parametrize(text=["none", "random:0.3", "random:0.9", "bursty:16", "bursty:1", "worst", "array:1,0,0,1,1"])
async def a_sink_follows_its_pattern(dut, text):
    pattern = Pattern.parse(text, seed=0x9E3779B97F4A7C15 + 5)
    source, sink, monitor, base = await _start(dut, ready=pattern)
    sent = _trace(3000)
    source.send(sent)
    got = await sink.recv(beats=3000)
    _same(got, sent)
    ready = np.flatnonzero(pattern.ready(200_000))
    assert np.array_equal(got.cycle - base, ready[:3000])
    assert np.array_equal(source.transferred().cycle, got.cycle)
    assert np.array_equal(monitor.take().cycle, got.cycle)
    assert not sink.violations


@cocotb.test()
@cocotb.parametrize(text=["after-valid", "after-valid:7"])
async def a_sink_waits_for_valid(dut, text):
    pattern = Pattern.parse(text, seed=5)
    source, sink, monitor, _ = await _start(dut, ready=pattern)
    sent = _trace(3000)
    source.send(sent)
    got = await sink.recv(beats=3000)
    _same(got, sent)
    # Valid comes at once, so all that passes is the distance of each beat.
    assert np.array_equal(np.diff(got.cycle), pattern.distances(3000)[1:] + 1)
    assert np.array_equal(monitor.take().cycle, got.cycle)
    assert not sink.violations


@cocotb.test()
@cocotb.parametrize(gaps=["random:0.5", "bursty:7", "worst"])
async def a_source_keeps_its_gaps(dut, gaps):
    source, sink, _, base = await _start(dut)
    sent = _trace(500, gaps=gaps)
    source.send(sent[:200])
    source.send(sent[200:].with_gaps(sent.gaps[200:]))
    got = await sink.recv(beats=500)
    _same(got, sent)
    assert np.array_equal(got.cycle - base, sent.cycle)
    await source.wait()
    _same(source.transferred(), sent)


@cocotb.test()
async def beats_and_frames_as_asked_for(dut):
    source, sink, _, _ = await _start(dut)
    sent = _trace(400)
    source.send(sent)
    ends = np.flatnonzero(sent.last) + 1
    first = await sink.recv()
    assert len(first) == ends[0]
    some = await sink.recv(frames=3)
    assert len(first) + len(some) == ends[3]
    rest = await sink.recv(beats=400 - int(ends[3]))
    _same(Trace.concat([first, some, rest]), sent)
    assert sink.beats == 0
    assert len(sink.take()) == 0


@cocotb.test()
async def what_waits_says_so(dut):
    source, sink, monitor, base = await _start(dut, ready=Pattern("array", values=(1, 1, 0, *[0] * 100_000)))
    source.send(_trace(10))
    await Timer(50 * PERIOD_PS, "ps")
    since = base + 2
    assert source.waiting == f"s_axis: tvalid without tready since cycle {since}, 2 beats transferred"
    assert sink.waiting == f"m_axis: tvalid without tready since cycle {since}, 2 beats transferred"
    assert sink.stalled_since == since
    sink.reset()
    assert sink.waiting == ""
    # Who watches the source must know that its beat was taken back.
    monitor.reset()
    source.reset()
    assert source.sent == 0
    source.send(_trace(3, seed=2))
    source.start()
    sink.ready = Pattern()
    sink.start()
    _same(await sink.recv(beats=3), _trace(3, seed=2))


@cocotb.test()
async def misuse_is_refused(dut):
    kernel = Kernel(dut)
    source = AxiStreamSource(kernel, "s_axis")
    with pytest.raises(UsageError, match="bit wide"):
        source.send(Trace.empty(WIDTH + 8, clock_ps=PERIOD_PS))
    beats = _trace(1)
    with pytest.raises(UsageError, match="does not fit in 7 bits"):
        source.send(Trace.from_bytes(beats.data, clock_ps=PERIOD_PS, tid=[128]))
    with pytest.raises(GoldbeatError, match="output of the design"):
        AxiStreamSource(kernel, "m_axis")
    with pytest.raises(GoldbeatError, match=r"clock m_axis_tvalid: .* no such input of one bit; it has aclk, "):
        AxiStreamSink(kernel, "m_axis", clock="m_axis_tvalid")
    with pytest.raises(GoldbeatError, match=r"clock klk: .* it has aclk, "):
        kernel.clock("klk")
    with pytest.raises(UsageError, match="no port nothing"):
        AxiStreamSink(kernel, "m_axis", signals={"tdata": "m_axis_tdata", "tvalid": "nothing"})
    with pytest.raises(UsageError, match="unknown signal"):
        AxiStreamSink(kernel, "m_axis", signals={"tdata": "m_axis_tdata", "valid": "m_axis_tvalid"})


@cocotb.test()
async def signals_that_are_not_named_are_not_looked_at(dut):
    kernel = Kernel(dut)
    kernel.clock("aclk", PERIOD_PS)
    names = {"tdata": "s_axis_tdata", "tvalid": "s_axis_tvalid"}
    source = AxiStreamSource(kernel, "in", signals=names)
    monitor = AxiStreamMonitor(kernel, "out", signals={r: n.replace("s_axis", "m_axis") for r, n in names.items()})
    sent = _trace(20)
    source.send(sent)
    await monitor.wait(beats=20)
    got = monitor.take()
    assert np.array_equal(got.data, sent.data)
    assert got.keep.all()
    assert not got.last.any()
    assert np.array_equal(np.diff(got.cycle), np.ones(19))
    with pytest.raises(UsageError, match="no TLAST"):
        await monitor.recv()


@cocotb.test()
async def bytes_and_frames_go_as_they_are(dut):
    source, sink, _, _ = await _start(dut)
    lanes = WIDTH // 8
    text = bytes(range(2 * lanes))[: max(2, 2 * lanes - 1)]
    source.send(text)
    source.send(memoryview(text))
    source.send(AxiStreamFrame(text, tkeep=[1] * (len(text) - 1) + [0], tid=5, tuser=list(text)))
    whole, again, framed = [await sink.recv(frames=1) for _ in range(3)]
    for got in (whole, again):
        assert got.data[got.keep].tobytes() == text
        assert not got.tid.any()
    assert framed.data[framed.keep].tobytes() == text[:-1]
    assert set(framed.tid.tolist()) == {5}
    # The value of a beat is that of its last byte.
    assert framed.tuser.tolist() == [text[lanes - 1], text[-1]]
    for wrong in (b"", AxiStreamFrame(text, tid=[1] * (len(text) + 1))):
        with pytest.raises(UsageError):
            source.send(wrong)


_PAYLOAD = [f"s_axis_{role}" for role in ("tdata", "tkeep", "tlast", "tid", "tdest", "tuser")]


async def _idle_cycles(kernel, source, cycles=80):
    """The payload in each cycle without TVALID, of a source that starts anew."""
    source.reset()
    source.start()
    seen = []
    for _ in range(cycles):
        await Timer(PERIOD_PS, "ps")
        assert kernel.peek("s_axis_tvalid") == 0
        seen.append(tuple(kernel.peek(port) for port in _PAYLOAD))
    return seen


@cocotb.test()
async def idle_payload_follows_its_policy(dut):
    source, *_ = await _start(dut)
    kernel = source.kernel
    first = await _idle_cycles(kernel, source)
    assert await _idle_cycles(kernel, source) == first
    kernel.payload_seed += 1
    other = await _idle_cycles(kernel, source)
    for port, mine, others in zip(_PAYLOAD, zip(*first, strict=True), zip(*other, strict=True), strict=True):
        assert len(set(mine)) > 1, port
        assert mine != others
        # Every bit is seen high, and storage holds none that the port does not have.
        assert functools.reduce(operator.or_, mine) == (1 << kernel.width(port)) - 1
    ones = tuple((1 << kernel.width(port)) - 1 for port in _PAYLOAD)
    for policy, values in (("ones", ones), ("zeros", (0,) * len(_PAYLOAD)), ("hold", (0,) * len(_PAYLOAD))):
        kernel.payload = {"s_axis": policy}
        assert set(await _idle_cycles(kernel, source, 4)) == {values}
    kernel.payload = "next"
    source.reset()
    beat = _trace(1)
    source.send(beat.with_cycles(beat.cycle + 20))
    source.start()
    await Timer(5 * PERIOD_PS, "ps")
    assert (kernel.peek("s_axis_tvalid"), kernel.peek("s_axis_tuser")) == (0, int(beat.tuser[0]))
    with pytest.raises(UsageError, match="payload 'wild': expected random, hold, zeros, ones, next"):
        Kernel(dut, payload="wild")
