# SPDX-License-Identifier: Apache-2.0
"""Runs inside the simulator: one DMA, its memory ours or cocotbext-axi's, turn by turn, data compared in every run."""

from __future__ import annotations

import json
import logging
import os
import time
from pathlib import Path

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from cocotbext.axi import AxiBus, AxiRam

from goldbeat.pymodels.axi.memory import MemoryTiming, Region
from goldbeat.tb.kernel.axi import AxiChecker, AxiMemory
from goldbeat.tb.kernel.simulation import Kernel

PERIOD = 4000
SIZES = {"native": int(os.environ["NATIVE_BEATS"]), "cocotbext": int(os.environ["PEER_BEATS"])}
BYTES = 8


async def copy(dut, kernel, beats, target, stretch=None):
    """Start the DMA and wait for its end: seconds. A look every ``stretch`` cycles leaves C++ alone in between."""
    for name, value in (("source", 0), ("target", target), ("beats", beats), ("start", 1)):
        kernel.poke(name, value)
    began = time.perf_counter()
    if stretch is None:
        await RisingEdge(dut.done)
    while not kernel.peek("done"):
        await Timer(stretch * PERIOD, "ps")
    return time.perf_counter() - began


async def reset(kernel, dut):
    kernel.poke("start", 0)
    kernel.poke("aresetn", 0)
    for _ in range(8):
        await RisingEdge(dut.aclk)
    kernel.poke("aresetn", 1)
    await RisingEdge(dut.aclk)


def content(beats):
    rng = np.random.default_rng(int(os.environ["ROUND"]))
    data = np.zeros(2 * beats * BYTES, np.uint8)
    data[: beats * BYTES] = rng.integers(0, 256, beats * BYTES)
    return data


def keep(name, beats, seconds):
    path = Path(os.environ["RESULTS"])
    rows = json.loads(path.read_text()) if path.is_file() else {}
    rows[name] = beats / seconds
    path.write_text(json.dumps(rows))


@cocotb.test()
async def native(dut):
    beats = SIZES["native"]
    kernel = Kernel(dut)
    kernel.clock("aclk", PERIOD)
    data = content(beats)
    # The same bandwidth and outstanding accesses as the peer's: as fast as the channels go.
    memory = AxiMemory(kernel, "m_axi", (Region("all", 0, data),), MemoryTiming(2, 0, 1), held=True)
    checker = AxiChecker(kernel, "m_axi", reset="aresetn")
    await reset(kernel, dut)
    memory.start(MemoryTiming(2, 0, 1))
    seconds = await copy(dut, kernel, beats, beats * BYTES, stretch=4096)
    half = beats * BYTES
    assert data[:half].any()
    assert np.array_equal(data[:half], data[half:])
    assert not memory.violations
    assert not checker.violations, checker.violations[:3]
    assert int((memory.log["len"].astype(int) + 1).sum()) == 2 * beats
    keep("native", 2 * beats, seconds)


@cocotb.test()
async def cocotbext(dut):
    beats = SIZES["cocotbext"]
    logging.getLogger("cocotb.axi_dma").setLevel(logging.ERROR)
    kernel = Kernel(dut)
    data = content(beats)
    ram = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.aclk, dut.aresetn, reset_active_level=False, size=len(data))
    ram.write(0, data.tobytes())
    kernel.poke("aresetn", 0)
    Clock(dut.aclk, PERIOD, "ps").start()
    await reset(kernel, dut)
    seconds = await copy(dut, kernel, beats, beats * BYTES)
    half = beats * BYTES
    after = np.frombuffer(ram.read(0, len(data)), np.uint8)
    assert data[:half].any()
    assert np.array_equal(data[:half], after[:half])
    assert np.array_equal(data[:half], after[half:])
    keep("cocotbext", 2 * beats, seconds)
