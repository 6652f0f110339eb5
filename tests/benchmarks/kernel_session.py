# SPDX-License-Identifier: Apache-2.0
"""The simulator's side of bench_kernel.py: one measurement, named by the environment, and what it moved."""

from __future__ import annotations

import logging
import os
import pickle
from pathlib import Path
from time import thread_time
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer

PERIOD_PS = 4000


async def _release(dut: Any) -> None:
    await Timer(8 * PERIOD_PS, "ps")
    await RisingEdge(dut.aclk)
    dut.aresetn.value = 1


async def _native(dut: Any, job: dict[str, Any]) -> dict[str, Any]:
    from goldbeat.tb.kernel import AxiStreamSink, AxiStreamSource, Kernel

    kernel = Kernel(dut)
    clock = kernel.clock("aclk", PERIOD_PS)
    source = AxiStreamSource(kernel, "s_axis", held=True)
    sink = AxiStreamSink(kernel, "m_axis", ready=job["ready"], held=True)
    best = None
    for _ in range(job["rounds"]):
        source.reset()
        sink.reset()
        dut.aresetn.value = 0
        await Timer(8 * PERIOD_PS, "ps")
        base = clock.cycle + 2
        source.send(job["stimulus"])
        source.start(base, earliest=base + 1)
        sink.start(base)
        await clock.cycles(2)
        dut.aresetn.value = 1
        begin = thread_time()
        await sink.wait(beats=job["beats_out"])
        seconds = thread_time() - begin
        got = sink.take()
        sent = source.transferred()
        assert best is None or np.array_equal(got.data, best["out"].data)
        if best is None or seconds < best["seconds"]:
            out = got.with_cycles(got.cycle - base)
            best = {"seconds": seconds, "out": out, "in_cycle": sent.cycle - base}
    assert best is not None
    return best


async def _cocotbext(dut: Any, job: dict[str, Any]) -> dict[str, Any]:
    from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

    logging.getLogger("cocotb.harness.s_axis").setLevel(logging.ERROR)
    logging.getLogger("cocotb.harness.m_axis").setLevel(logging.ERROR)
    Clock(dut.aclk, PERIOD_PS, "ps").start()
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.aclk)
    sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.aclk)
    await _release(dut)
    stimulus = job["stimulus"]
    frames = [AxiStreamFrame(f.data.tobytes(), f.keep.astype(int).reshape(-1).tolist()) for f in stimulus.frames()]
    begin = thread_time()
    for frame in frames:
        source.send_nowait(frame)
    received = []
    lanes = job["width_out"] // 8
    while sum(map(len, received)) < job["beats_out"] * lanes:
        received.append(bytes((await sink.recv(compact=False)).tdata))
    seconds = thread_time() - begin
    data = np.frombuffer(b"".join(received), np.uint8).reshape(-1, lanes)
    return {"seconds": seconds, "data": data}


async def _native_lite(dut: Any, job: dict[str, Any]) -> dict[str, Any]:
    from goldbeat.tb.kernel import AxiLiteMaster, Kernel, axil

    kernel = Kernel(dut)
    kernel.clock("aclk", PERIOD_PS)
    master = AxiLiteMaster(kernel, "s_axil")
    await _release(dut)
    steps = [s for a, v in job["accesses"] for s in (axil.write(a, v), axil.check(a, v))]
    begin = thread_time()
    results = await master.run(steps)
    seconds = thread_time() - begin
    return {"seconds": seconds, "values": results.values[1::2].tolist(), "passed": results.passed}


async def _cocotbext_lite(dut: Any, job: dict[str, Any]) -> dict[str, Any]:
    from cocotbext.axi import AxiLiteBus, AxiLiteMaster

    for name in ("cocotb.harness", "cocotb.harness.s_axil"):
        logging.getLogger(name).setLevel(logging.ERROR)
    Clock(dut.aclk, PERIOD_PS, "ps").start()
    master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.aclk, dut.aresetn, reset_active_level=False)
    await _release(dut)
    begin = thread_time()
    values = []
    for address, value in job["accesses"]:
        await master.write(address, value.to_bytes(4, "little"))
        values.append(int.from_bytes((await master.read(address, 4)).data, "little"))
    return {"seconds": thread_time() - begin, "values": values, "passed": True}


_WAYS = {"native": _native, "cocotbext": _cocotbext, "native_lite": _native_lite, "cocotbext_lite": _cocotbext_lite}


@cocotb.test()
async def measure(dut: Any) -> None:
    folder = Path(os.environ["KERNEL_BENCH"])
    job = pickle.loads((folder / "job.pickle").read_bytes())
    dut.aclk.value = 0
    dut.aresetn.value = 0
    await Timer(1, "ps")
    result = await _WAYS[job["way"]](dut, job)
    (folder / "result.pickle").write_bytes(pickle.dumps(result))
