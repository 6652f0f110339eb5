# SPDX-License-Identifier: Apache-2.0
"""ZynqNet's image cache alone: words in the order of the image go in, windows come out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.bundle import StatusPort
from goldbeat.tb.design.ports.stream import StreamPort, silent
from goldbeat.tb.design.traffic import Rng, stream_cases
from goldbeat.tb.designs.zynqnet.blocks import packed_rows, random_words, row_words, taken
from goldbeat.tb.obligations.obligation import high_bits
from goldbeat.tb.paths import HDL

LATENCY = 2
"""FEED_LATENCY of docs/zynqnet-hardware.md."""
_WRITE, _READ = 1 << 31, 1 << 30
_BLOCK = 8
_READS = 40
"""Beats behind those that bring the first rows: fewer would end before the first read."""


def _step(params: Mapping[str, Any]) -> int:
    """Words that a beat brings."""
    lanes = params["DATA_W"] // 32
    return lanes if params["CH_IN"] % lanes == 0 else 1


def _model(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    given = taken(stimulus.inputs["s_axis"])
    lanes, step = params["DATA_W"] // 32, _step(params)
    width, height, channels = params["WIDTH"], params["HEIGHT"], params["CH_IN"]
    words = row_words(given)
    image = np.zeros((height, width, channels), np.uint32)
    flat, at = image.reshape(-1), 0
    out, cycles = [], []
    for row, cycle in zip(words, given.cycle.tolist(), strict=True):
        low, high = int(row[lanes]), int(row[lanes + 1])
        if high & _WRITE:
            flat[at : at + step] = row[:step]
            at += step
        if high & _READ:
            y, x, c = low & 0x1FF, low >> 16 & 0x1FF, high & 0x3FF
            window = np.zeros(9, np.uint32)
            if params["KERNEL"] == 3:
                for tap in range(9):
                    yy, xx = y + tap // 3 - 1, x + tap % 3 - 1
                    if 0 <= yy < height and 0 <= xx < width:
                        window[tap] = image[yy, xx, c]
            else:
                some = image[y, x, _BLOCK * c : _BLOCK * (c + 1)]
                window[: len(some)] = some
            out.append(window)
            cycles.append(cycle + LATENCY)
    rows = np.array(out, np.uint32).reshape(-1, 9)
    ports = {"s_axis": given, "m_axis": packed_rows(rows, given, np.array(cycles, np.int64))}
    return Outcome(ports, {"rows": at // (width * channels)})


def _traffic(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
    params = setting.params
    width, height, channels, k3 = params["WIDTH"], params["HEIGHT"], params["CH_IN"], params["KERNEL"] == 3
    lanes, step = params["DATA_W"] // 32, _step(params)
    per_row = width * channels
    first = min(height, 2 if k3 else 1) * -(-per_row // step)
    beats = max(beats, _READS if first < _READS else first + _READS)
    rows = np.zeros((beats, lanes + 2), np.uint32)
    rows[:, :lanes] = random_words(rng, (beats, lanes))
    # Sometimes the whole image comes first, sometimes reads follow the rows as they are there.
    eager = float(rng.choice([0.2, 0.5, 0.9]))
    written = 0
    for row in rows:
        there = written // per_row
        last = there - 1
        oldest = max(0, there - params["LINES"] + (written % per_row > 0))
        highest = (height - 1 if there == height else last - 1) if k3 else last
        lowest = oldest + 1 if k3 and oldest else oldest
        readable = highest >= lowest and there > 0
        full = written >= height * per_row
        if readable and (full or rng.random() > eager):
            passes = channels if k3 else -(-channels // _BLOCK)
            y, x, c = (int(rng.integers(a, b)) for a, b in ((lowest, highest + 1), (0, width), (0, passes)))
            row[lanes], row[lanes + 1] = y | x << 16, _READ | c
        elif not full:
            row[lanes + 1] = _WRITE
            written += step
    return Stimulus({"s_axis": packed_rows(rows, setting.clocks["aclk"])}, clocks=setting.clocks)


DESIGN = Design(
    name="zynqnet_icache",
    summary="ZynqNet's image cache alone",
    top="zynqnet_block_icache",
    files=("zynqnet/bench/zynqnet_icache.f",),
    root=HDL,
    parameters={
        "DATA_W": Parameter(default=128),
        "LINES": Parameter(default=8),
        "WIDTH": Parameter(default=3),
        "HEIGHT": Parameter(default=11),
        "CH_IN": Parameter(default=4),
        "KERNEL": Parameter(default=3),
    },
    streams=(
        StreamPort(name="s_axis", direction="in", from_file=False, width="DATA_W+64", signals=silent("s_axis")),
        StreamPort(name="m_axis", direction="out", width=288, signals=silent("m_axis")),
    ),
    status=(StatusPort(name="rows", width=16),),
    model=_model,
    variants=(
        {},
        {"WIDTH": 2, "CH_IN": 3, "LINES": 4},
        # All bits of a channel's number and of a block's.
        {"KERNEL": 1, "CH_IN": 526, "WIDTH": 2, "HEIGHT": 2, "DATA_W": 64},
        {"CH_IN": 520, "WIDTH": 1, "HEIGHT": 3},
        {"WIDTH": 9, "CH_IN": 1, "DATA_W": 32},
    ),
    cases=stream_cases(_traffic, pauses=True),
    obligations={
        **high_bits(
            "an image of this bench has few rows; the widths are those of the largest layer",
            ("zynqnet_image_cache.sv", "rows", 4, 8),
            ("zynqnet_image_cache.sv", "w_row_q", 4, 8),
            ("zynqnet_block_icache.sv", "rows", 4, 8),
            ("zynqnet_block_icache.sv", "rows_there", 4, 8),
        ),
        "values zynqnet_image_cache.sv:*: the choice*layer.k3 ?*": "the kernels are 3x3 by default; a variant has 1x1",
        "values zynqnet_image_cache.sv:*: the choice*< channels_q ?*": "of 1x1 kernels, which a variant has",
        "values zynqnet_image_cache.sv:*: the choice*layer.narrow ?*": "of one channel, which a variant has",
        "values zynqnet_image_cache.sv:*: both sides of `w_channel_q + w_step >= layer.ch_in` are equal": (
            "channels by default are half a step; variants have whole ones"
        ),
    },
)
