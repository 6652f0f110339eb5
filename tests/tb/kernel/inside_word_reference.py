# SPDX-License-Identifier: Apache-2.0
"""Inside the simulator: public transactors of Wishbone and Avalon and the native ones do the same on equal slaves."""

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge
from cocotbext.avalon import (
    AvalonFormat,
    AvalonMMMasterBFM,
    AvalonMMSlaveBFM,
    AvalonSTBus,
    AvalonSTFrame,
    AvalonSTSink,
    AvalonSTSource,
)
from cocotbext.wishbone.driver import WBOp, WishboneMaster

from goldbeat.pymodels.trace import Trace
from goldbeat.tb.kernel import Kernel
from goldbeat.tb.kernel import avalon as native_avalon
from goldbeat.tb.kernel import registers as reg
from goldbeat.tb.kernel import wishbone as native_wishbone
from goldbeat.tb.kernel.avalon_stream import AvalonStreamSink, AvalonStreamSource

WISHBONE = {
    **{role: f"n_wb_{role}" for role in ("cyc", "stb", "we", "adr", "sel", "ack")},
    "wdat": "n_wb_datwr",
    "rdat": "n_wb_datrd",
}
AVALON = {
    role: f"n_av_{role}"
    for role in (
        *("address", "read", "write", "writedata", "byteenable"),
        *("waitrequest", "readdata", "readdatavalid"),
    )
}
STREAM = {"tdata": "data", "tvalid": "valid", "tready": "ready", "tuser": "startofpacket", "tlast": "endofpacket"}


def _accesses():
    rng = np.random.default_rng(7)
    # The words are random at first.
    yield from ((address, int(rng.integers(1 << 32)), 15) for address in range(0, 256, 4))
    for _ in range(60):
        address, strobe = 4 * int(rng.integers(64)), int(rng.integers(1, 16))
        yield address, None if rng.random() < 0.5 else int(rng.integers(1 << 32)), strobe
    yield from ((address, None, 15) for address in range(0, 256, 4))


async def _start(dut):
    for name in ("p_wb_cyc", "p_wb_stb", "p_av_read", "p_av_write", "p_in_valid", "p_out_ready"):
        getattr(dut, name).value = 0
    dut.clk.value = 0
    dut.reset_n.value = 0
    kernel = Kernel(dut)
    clock = kernel.clock("clk", 1000)
    await clock.cycles(4)
    return kernel, clock


def _level(dut, name):
    return int(getattr(dut, name).value)


async def _watch_wishbone(dut, side, seen):
    waited = 0
    while True:
        await FallingEdge(dut.clk)
        if not (_level(dut, f"{side}_wb_cyc") and _level(dut, f"{side}_wb_stb")):
            continue
        if not _level(dut, f"{side}_wb_ack"):
            waited += 1
            continue
        write = _level(dut, f"{side}_wb_we")
        data = _level(dut, f"{side}_wb_{'datwr' if write else 'datrd'}")
        seen.append((write, _level(dut, f"{side}_wb_adr"), data, _level(dut, f"{side}_wb_sel") if write else 0, waited))
        waited = 0


async def _watch_avalon(dut, side, seen):
    waited = 0
    while True:
        await FallingEdge(dut.clk)
        if _level(dut, f"{side}_av_readdatavalid"):
            seen.append(("data", _level(dut, f"{side}_av_readdata")))
        write = _level(dut, f"{side}_av_write")
        if not (write or _level(dut, f"{side}_av_read")):
            continue
        if _level(dut, f"{side}_av_waitrequest"):
            waited += 1
            continue
        more = (_level(dut, f"{side}_av_writedata"), _level(dut, f"{side}_av_byteenable")) if write else ()
        seen.append((write, _level(dut, f"{side}_av_address"), waited, *more))
        waited = 0


def _steps(accesses):
    return [reg.read(at) if data is None else reg.write(at, data, strobe) for at, data, strobe in accesses]


@cocotb.test()
async def wishbone(dut):
    kernel, clock = await _start(dut)
    native = native_wishbone.WishboneMaster(kernel, "n_wb", clock="clk", signals=WISHBONE, words=False)
    public = WishboneMaster(dut, "p_wb", dut.clk, timeout=100)
    seen = {side: [] for side in "pn"}
    dut.reset_n.value = 1
    await clock.cycles(2)
    for side, found in seen.items():
        cocotb.start_soon(_watch_wishbone(dut, side, found))
    accesses = list(_accesses())
    await native.run(_steps(accesses))
    for at, data, strobe in accesses:
        await public.send_cycle([WBOp(adr=at, dat=data, sel=strobe if data is not None else 15)])
    await clock.cycles(4)
    assert len(seen["p"]) == len(accesses)
    assert seen["p"] == seen["n"]
    assert {waited for *_, waited in seen["n"]} == {0, 1, 2, 3}
    assert native.violations == []


@cocotb.test()
async def avalon(dut):
    kernel, clock = await _start(dut)
    native = native_avalon.AvalonMaster(kernel, "n_av", clock="clk", signals=AVALON, words=False)
    public = AvalonMMMasterBFM.from_prefix(dut, "p_av", dut.clk)
    public.start()
    seen = {side: [] for side in "pn"}
    dut.reset_n.value = 1
    await clock.cycles(2)
    for side, found in seen.items():
        cocotb.start_soon(_watch_avalon(dut, side, found))
    accesses = list(_accesses())
    await native.run(_steps(accesses))
    for at, data, strobe in accesses:
        await (public.read(at) if data is None else public.write(at, data, strobe))
    await clock.cycles(4)
    assert len(seen["p"]) > len(accesses)
    assert seen["p"] == seen["n"]
    assert native.violations == []


class _Agent(AvalonMMSlaveBFM):
    """A public agent with bursts, on a dictionary of words."""

    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        self.words = {}

    def read_word(self, address, byteenable):
        return self.words.get(address, 0)

    def write_word(self, address, data, byteenable):
        lanes = sum(0xFF << 8 * lane for lane in range(4) if byteenable >> lane & 1)
        self.words[address] = self.words.get(address, 0) & ~lanes | data & lanes


@cocotb.test()
@cocotb.parametrize(waits=[False, True])
async def avalon_bursts(dut, waits):
    kernel, clock = await _start(dut)
    dut.h_read.value = dut.h_write.value = 0
    names = {role: f"h_{role}" for role in (*AVALON, "burstcount")}
    host = native_avalon.AvalonMaster(kernel, "h", clock="clk", signals=names)
    agent = _Agent.from_prefix(dut, "q", dut.clk, record_transactions=True, read_latency=3, randomize=waits)
    agent.start()
    dut.reset_n.value = 1
    await clock.cycles(2)
    accesses = list(_accesses())
    host.behave(reg.RegisterTraffic(gap=3 * waits, outstanding=4, seed=5))
    results = await host.run(_steps(accesses))
    for taken, kind in ((agent.write_transactions, True), (agent.read_transactions, False)):
        asked = [(at, *((data, strobe) if kind else ())) for at, data, strobe in accesses if (data is not None) == kind]
        assert [(one.address, *((one.data, one.byteenable) if kind else ())) for one in taken] == asked
        assert {1, 8} <= {one.burstcount for one in taken} <= set(range(1, 9))
    values = {at: result.value for (at, data, _), result in zip(accesses, results, strict=True) if data is None}
    assert values == {at: agent.words[at] for at in values}
    assert host.violations == []


def _signals(side):
    return {role: f"n_{side}_{name}" for role, name in STREAM.items()}


async def _watch_stream(dut, port, seen):
    """The beats, and how many cycles the whole of them takes."""
    cycle, ready = 0, 0
    while True:
        await FallingEdge(dut.clk)
        if _level(dut, f"{port}_valid") and ready:
            names = ("data", "startofpacket", "endofpacket")
            seen.append((cycle, *(_level(dut, f"{port}_{name}") for name in names)))
        ready = _level(dut, f"{port}_ready")
        cycle += 1


@cocotb.test()
async def avalon_stream(dut):
    kernel, clock = await _start(dut)
    source = AvalonStreamSource(kernel, "n_in", clock="clk", signals=_signals("in"), latency=1, allowance=1, held=True)
    sink = AvalonStreamSink(
        kernel, "n_out", clock="clk", signals=_signals("out"), latency=1, allowance=1, first=0, held=True
    )
    layout = {"clock": dut.clk, "ready_latency": 1}
    shape = AvalonFormat(8, 4, first_symbol_in_high_order_bits=False)
    public = AvalonSTSource(AvalonSTBus.from_prefix(dut, "p_in"), shape, **layout)
    taker = AvalonSTSink(AvalonSTBus.from_prefix(dut, "p_out"), shape, **layout)
    seen = {f"{side}_{way}": [] for side in "pn" for way in ("in", "out")}
    dut.reset_n.value = 1
    await clock.cycles(2)
    for port, found in seen.items():
        cocotb.start_soon(_watch_stream(dut, port, found))
    rng = np.random.default_rng(3)
    lengths = [1, 5, 40, 2, 1]
    ends = np.cumsum(lengths) - 1
    data = rng.integers(0, 256, (sum(lengths), 4), dtype=np.uint8)
    last = np.isin(np.arange(len(data)), ends)
    first = np.concatenate([[True], last[:-1]]).astype(np.uint64)
    source.send(Trace.from_bytes(data, last=last, tuser=first, clock_ps=1000))
    sink.start()
    source.start()
    for part in np.split(data, ends[:-1] + 1):
        await public.send(AvalonSTFrame(part.tobytes()))
    await source.wait()
    await clock.cycles(120)
    for way in ("in", "out"):
        theirs, ours = seen[f"p_{way}"], seen[f"n_{way}"]
        assert [beat for _, *beat in theirs] == [beat for _, *beat in ours]
        assert len(ours) == len(data)
    # Nothing holds them back, so both send a beat per cycle within a packet.
    assert seen["n_out"][-1][0] - seen["n_out"][0][0] == len(data) - 1
    within = [b[0] - a[0] for a, b in zip(seen["p_out"], seen["p_out"][1:], strict=False) if not a[3]]
    assert set(within) == {1}
    assert sink.take().data.tobytes() == data.tobytes()
    assert b"".join(bytes(taker.recv_nowait()) for _ in lengths) == data.tobytes()
    assert sink.violations == []
