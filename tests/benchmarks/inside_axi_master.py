# SPDX-License-Identifier: Apache-2.0
"""Runs inside the simulator: one AXI4 slave in RTL, its master ours or cocotbext-axi's in turn, data compared in every run."""

from __future__ import annotations

import json
import logging
import os
import time
from pathlib import Path

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiBus, AxiMaster

from goldbeat.pymodels.axi.burst import READ, WRITE, Bursts
from goldbeat.tb.kernel import axi
from goldbeat.tb.kernel.simulation import Kernel

PERIOD = 4000
SIZES = {"native": int(os.environ["NATIVE_BEATS"]), "cocotbext": int(os.environ["PEER_BEATS"])}
BYTES = 8
BEATS = 256
BURST = BEATS * BYTES
SPACE = 2 * BURST


def content(bursts):
    return np.random.default_rng(int(os.environ["ROUND"])).integers(0, 256, (bursts, BURST), dtype=np.uint8)


async def reset(kernel, dut):
    kernel.poke("aresetn", 0)
    for _ in range(8):
        await RisingEdge(dut.aclk)
    kernel.poke("aresetn", 1)
    await RisingEdge(dut.aclk)


def keep(name, beats, seconds):
    path = Path(os.environ["RESULTS"])
    rows = json.loads(path.read_text()) if path.is_file() else {}
    rows[name] = beats / seconds
    path.write_text(json.dumps(rows))


@cocotb.test()
async def native(dut):
    pairs = SIZES["native"] // (2 * BEATS)
    kernel = Kernel(dut)
    kernel.clock("aclk", PERIOD)
    master = axi.AxiMaster(kernel, "s_axi")
    checker = axi.AxiChecker(kernel, "s_axi", reset="aresetn")
    await reset(kernel, dut)
    written = content(pairs)
    address = np.repeat(np.arange(pairs) % 2 * BURST, 2).astype(np.uint64)
    # Each burst waits for the one before, as the peer's do.
    bursts = Bursts(np.tile([WRITE, READ], pairs), address, BEATS - 1, 3, barrier=True)
    data = np.zeros((pairs, 2, BURST), np.uint8)
    data[:, 0] = written
    rows = data.reshape(-1, BYTES)
    began = time.perf_counter()
    result = await master.run(bursts, rows)
    seconds = time.perf_counter() - began
    assert not result.response.any()
    assert np.array_equal(data[:, 1], written)
    assert not checker.violations, checker.violations[:3]
    keep("native", 2 * BEATS * pairs, seconds)


@cocotb.test()
async def cocotbext(dut):
    pairs = SIZES["cocotbext"] // (2 * BEATS)
    logging.getLogger("cocotb.burst_ram").setLevel(logging.ERROR)
    kernel = Kernel(dut)
    master = AxiMaster(AxiBus.from_prefix(dut, "s_axi"), dut.aclk, dut.aresetn, reset_active_level=False)
    kernel.poke("aresetn", 0)
    Clock(dut.aclk, PERIOD, "ps").start()
    await reset(kernel, dut)
    written = content(pairs)
    read = []
    began = time.perf_counter()
    for number in range(pairs):
        await master.write(number % 2 * BURST, written[number].tobytes())
        read.append((await master.read(number % 2 * BURST, BURST)).data)
    seconds = time.perf_counter() - began
    assert b"".join(read) == written.tobytes()
    keep("cocotbext", 2 * BEATS * pairs, seconds)
