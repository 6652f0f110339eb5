# SPDX-License-Identifier: Apache-2.0
"""ZynqNet's memory controller alone: reader and writer around one AXI4 port."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from goldbeat.pymodels.axi.memory import MemoryTiming
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.zynqnet.described import DERIVED_WORDS
from goldbeat.pymodels.zynqnet.memctl import EVENTS, JUDGED, LAYER_WORDS, LAYERS, MEMORY, ROWS, STEPS, WORDS, predict
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.bundle import named
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.stream import StreamPort, silent
from goldbeat.tb.design.traffic import AFTER_VALID, Rng, stop_after
from goldbeat.tb.designs.zynqnet.blocks import MEMORY_ROLES
from goldbeat.tb.designs.zynqnet.judged_layers import limit_layers, random_layer, wrong_layers
from goldbeat.tb.designs.zynqnet.memctl_traffic import (
    CHANNELS,
    LONG_PAUSE,
    PATTERNS,
    Traffic,
    TrafficShape,
    holding_back,
    memctl_timing,
    random_shape,
)
from goldbeat.tb.obligations.obligation import high_bits
from goldbeat.tb.paths import HDL

_CHANGED = 4
_GAPS = ("none", "random:0.5", "bursty:16", "worst")
_PAUSED = "array:" + ",".join([*["0"] * 4, str(LONG_PAUSE), *["0"] * 9])
_FAR = 300
"""Cycles of latency behind which all outstanding bursts stand in a row."""


def _layers(setting: CaseContext, rng: Rng, beats: int, most: int = 3) -> Traffic:
    traffic = Traffic(setting, rng)
    for _ in range(int(rng.integers(1, most + 1))):
        traffic.add(random_shape(rng, beats))
    return traffic


def _one(setting: CaseContext, rng: Rng, *shapes: TrafficShape, timing: MemoryTiming | None = None) -> Stimulus:
    traffic = Traffic(setting, rng)
    for shape in shapes:
        traffic.add(shape)
    return traffic.stimulus(timing or MemoryTiming())


def _random(setting: CaseContext) -> Sequence[Stimulus]:
    rng = np.random.default_rng([setting.seed, 2])
    traffic = _layers(setting, rng, int(setting.options["beats"]))
    return [traffic.stimulus(memctl_timing(rng), str(rng.choice(PATTERNS)))]


def _sweep(setting: CaseContext) -> Sequence[Stimulus]:
    rng = np.random.default_rng([setting.seed, 1])
    return [
        _layers(setting, rng, int(setting.options["beats"]), 1).stimulus(
            holding_back([ready] * CHANNELS, int(rng.integers(1 << 30))), gaps
        )
        for gaps, ready in (
            *product(_GAPS, ("none", "random:0.3", "random:0.7", "bursty:16", "worst", AFTER_VALID)),
            (_PAUSED, "none"),
        )
    ]


def _sizes(setting: CaseContext) -> Sequence[Stimulus]:
    """The smallest image there is, one row, one word more than a beat, many rows, long rows, many weights."""
    rng = np.random.default_rng([setting.seed, 3])
    small = [
        TrafficShape(width, height, ch_in, kernel=kernel, steps=steps)
        for width, ch_in in ((4, 1), (1, 4), (5, 1), (3, 2), (2, 3), (17, 4), (1, 736))
        for height in (1, 2, 3)
        for kernel, steps in ((1, 1), (3, 2))
    ]
    large = [
        TrafficShape(4, 256, 1, kernel=3, steps=40),
        TrafficShape(256, 10, 3, ch_out=512, kernel=3, steps=300),
        TrafficShape(256, 12, 32, steps=600),
        TrafficShape(2, 2, 341, ch_out=64, kernel=3, steps=64),
    ]
    return [_one(setting, rng, *small), *(_one(setting, rng, shape) for shape in large)]


def _borders(setting: CaseContext) -> Sequence[Stimulus]:
    """Image, weights and results at every distance from a multiple of 16 beats, and of 4 KiB."""
    rng = np.random.default_rng([setting.seed, 5])
    episodes = []
    for skew in range(0, 64, 4):
        places = [(skew, (skew + 20) % 64, 64 - skew), (1024 - skew, 1020 - skew, 960 + skew)]
        shapes = [
            TrafficShape(w, 3, c, kernel=3, steps=20, short=short, skew=at)
            for at, w, c, short in zip(places, (9, 7), (4, 5), (False, True), strict=True)
        ]
        episodes.append(_one(setting, rng, *shapes))
    return episodes


def _rows(setting: CaseContext) -> Sequence[Stimulus]:
    """Rows by the dozen: rows of less than a beat, of some beats, of some bursts, wide and narrow."""
    rng = np.random.default_rng([setting.seed, 8])
    shapes = [
        TrafficShape(w, 30, c, kernel=k) for w, c in ((5, 1), (4, 4), (9, 7), (24, 8)) for k in (1, 3) for _ in range(3)
    ]
    return [_one(setting, rng, *shapes), _one(setting, rng, *shapes, timing=memctl_timing(rng))]


def _limits(setting: CaseContext) -> Sequence[Stimulus]:
    """As many bursts outstanding as there may be: a far memory, long and short bursts, and one that takes fewer."""
    rng = np.random.default_rng([setting.seed, 6])
    shapes = [TrafficShape(32, 20, 8, steps=120, short=short) for short in (False, True)]
    shapes += [TrafficShape(4, 30, 1, steps=120, short=True)]
    timings = [
        MemoryTiming(read_latency=_FAR, write_latency=_FAR, max_reads=reads, max_writes=writes)
        for reads, writes in ((32, 64), (9, 17), (8, 16), (7, 15), (1, 1))
    ]
    timings.append(MemoryTiming(w_ready=Pattern("array", values=(*[0] * LONG_PAUSE, *[1] * LONG_PAUSE))))
    return [_one(setting, rng, shape, timing=timing) for timing in timings for shape in shapes]


def _judged(setting: CaseContext) -> Sequence[Stimulus]:
    """Layers that do not run: at every limit, good ones by the hundred, and what one change makes of a few."""
    rng = np.random.default_rng([setting.seed, 9])
    traffic, npe = Traffic(setting, rng), int(setting.params["NPE"])
    for values in limit_layers():
        traffic.judge(values)
    for number in range(int(setting.options["layers"])):
        traffic.judge(good := random_layer(rng, npe))
        for wrong in wrong_layers(good) if number < _CHANGED else ():
            traffic.judge(wrong)
    traffic.add(random_shape(rng, 20))
    return [traffic.stimulus(MemoryTiming())]


def _errors(setting: CaseContext) -> Sequence[Stimulus]:
    rng = np.random.default_rng([setting.seed, 7])
    count = int(setting.options["episodes"])
    return [
        _layers(setting, rng, 200).stimulus(memctl_timing(rng), str(rng.choice(PATTERNS)), holes=True)
        for _ in range(count)
    ]


def _reset(setting: CaseContext) -> Sequence[Stimulus]:
    rng = np.random.default_rng([setting.seed, 4])
    episodes = []
    for _ in range(int(setting.options["resets"])):
        whole = _layers(setting, rng, 80).stimulus(memctl_timing(rng), str(rng.choice(PATTERNS)))
        (clock,) = whole.clocks.values()
        episodes.append(stop_after(whole, clock, int(rng.integers(0, 400))))
    return [*episodes, _layers(setting, rng, 80).stimulus(memctl_timing(rng))]


DESIGN = Design(
    name="zynqnet_memctl",
    summary="ZynqNet's memory controller alone",
    top="zynqnet_block_memctl",
    files=("zynqnet/bench/zynqnet_memctl.f",),
    root=HDL,
    parameters={
        "NPE": Parameter(default=16),
        "DATA_W": Parameter(default=128),
        "INT8": Parameter(default=0),
        "LINES": Parameter(default=8),
    },
    streams=(
        StreamPort(
            name=LAYERS,
            direction="in",
            width=32 * LAYER_WORDS,
            from_file=False,
            signals=named(LAYERS, "tdata", "tvalid", "tready"),
        ),
        *(
            StreamPort(
                name=name,
                direction="in",
                width=width,
                from_file=False,
                signals=named(name, "tdata", "tlast", "tvalid", "tready"),
            )
            for name, width in ((ROWS, 32), (STEPS, "DATA_W+64"))
        ),
        StreamPort(
            name=WORDS,
            direction="out",
            width="DATA_W",
            tuser=1,
            signals=named(WORDS, "tdata", "tkeep", "tuser", "tvalid"),
        ),
        StreamPort(name=EVENTS, direction="out", width=8, signals=silent(EVENTS)),
        StreamPort(name=JUDGED, direction="out", width=32 * DERIVED_WORDS, signals=silent(JUDGED)),
    ),
    memories=(MemoryPort(name=MEMORY, direction="out", data_width="DATA_W", signals=named(MEMORY, *MEMORY_ROLES)),),
    model=predict,
    variants=({}, {"NPE": 8, "DATA_W": 64, "INT8": 1, "LINES": 4}, {"NPE": 4, "DATA_W": 32}),
    obligations={
        **high_bits(
            "there are 13 errors",
            ("zynqnet_layer.sv", "error", 4, 7),
            ("zynqnet_layer.sv", "error_q", 4, 7),
            ("zynqnet_block_memctl.sv", "layer_error", 4, 7),
        ),
        **high_bits(
            "no image of this bench is so high, and no layer has so many groups",
            ("zynqnet_layer.sv", "groups_q", 6, 7),
            ("zynqnet_reader.sv", "base_row", 8, 8),
            ("zynqnet_reader.sv", "row_q", 8, 8),
            ("zynqnet_block_memctl.sv", "base_row_q", 8, 8),
        ),
        **high_bits(
            "16 addresses wait for an answer at most, and the queue holds 32 more",
            ("zynqnet_writer.sv", "pending_q", 6, 6),
            ("zynqnet_writer.sv", "ahead_q", 5, 5),
        ),
        **high_bits(
            "some seeds alone judge a layer of so many rows, which no cache has",
            ("zynqnet_layer.sv", "rows_used_q", 15, 15),
        ),
        "values fifo_sync.sv:*: `(wptr_d ^ rptr_d) != WrapBit`*": (
            "there are credits for 32 words, and one of them is in the queue's output register"
        ),
        "values zynqnet_block_memctl.sv:*: alone_q *": "the case judged sets it in all of its layers, and no other does",
    },
    cases=(
        Case(
            name="random",
            summary="layers, gaps and a memory of any kind, all from the seed",
            make=_random,
            options={"beats": 200},
        ),
        Case(
            name="sweep",
            summary="every pattern of drain steps against every back-pressure on all channels",
            make=_sweep,
            options={"beats": 100},
        ),
        Case(name="sizes", summary="the smallest layers, and long rows, many rows, many weights", make=_sizes),
        Case(name="borders", summary="images, weights and results around 16 beats and 4 KiB", make=_borders),
        Case(name="rows", summary="many rows, released early and late", make=_rows),
        Case(name="limits", summary="as many bursts outstanding as there may be", make=_limits),
        Case(
            name="judged",
            summary="layers right and wrong, and what the blocks are told of them",
            make=_judged,
            options={"layers": 300},
        ),
        Case(
            name="errors",
            summary="memory that answers with errors here and there",
            make=_errors,
            options={"episodes": 8},
        ),
        Case(name="reset", summary="resets in mid-flight, then a whole run", make=_reset, options={"resets": 12}),
    ),
)
