# SPDX-License-Identifier: Apache-2.0
"""A described design with an AXI4 master port: a DMA that copies, with its stimulus and model."""

from __future__ import annotations

import numpy as np

from goldbeat.pymodels.axi.memory import MemoryImage, MemoryTiming, Region
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Clock, MemoryContents, Outcome, Stimulus
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.bundle import StatusPort
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.paths import REPOSITORY

PERIOD = 4000
BURST = 16
SOURCE, TARGET = 0x1000, 0x8000


def make(setting):
    options, rng = setting.options, np.random.default_rng(setting.seed)
    size = int(options["beats"]) * setting.params["DATA_W"] // 8
    data = rng.integers(0, 256, size).astype(np.uint8)
    before = rng.integers(0, 256, size - int(options["short"])).astype(np.uint8)
    timing = MemoryTiming(
        read_latency=20,
        read_jitter=9,
        max_reads=2,
        read_bandwidth=(3, 4),
        seed=setting.seed,
        w_ready=Pattern("random", seed=setting.seed),
    )
    source = Region("source", SOURCE, data, writable=False)
    target = Region("target", TARGET, before, writable=not options["readonly"])
    memories = {"m_axi": MemoryImage((source, target), timing)}
    return [Stimulus({}, clocks={"aclk": Clock(PERIOD, PERIOD)}, memories=memories, least_ps=300 * PERIOD)]


def model(params, stimulus):
    source, target = stimulus.memories["m_axi"].regions
    contents = {"source": source.data, "target": source.data[: len(target.data)]}
    return Outcome({}, {"done": 1}, {"m_axi": MemoryContents(contents)})


DMA = Design(
    name="copy_dma",
    summary="copies 64 beats",
    top="axi_dma",
    files=("axi_dma.sv",),
    root=REPOSITORY / "tests" / "benchmarks",
    parameters={"DATA_W": Parameter(default=64)},
    memories=(MemoryPort(name="m_axi", direction="out", data_width="DATA_W", address_width=32, id_width=1),),
    status=(StatusPort(name="done", width=1),),
    ties={"start": 1, "source": SOURCE, "target": TARGET, "beats": 4 * BURST},
    model=model,
    timed=False,
    cases=(
        Case(
            name="copy",
            summary="everything is allocated",
            make=make,
            options={"beats": 4 * BURST, "short": 0, "readonly": False},
        ),
    ),
)
