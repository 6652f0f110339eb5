# SPDX-License-Identifier: Apache-2.0
"""ZynqNet's weights cache alone: weights and biases in the order of memory go in, rows for the multipliers come out."""

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
from goldbeat.tb.designs.zynqnet.blocks import Words, packed_rows, random_words, row_words, taken
from goldbeat.tb.obligations.obligation import high_bits
from goldbeat.tb.paths import HDL

LATENCY = 26
"""To the last tap: FEED_LATENCY and eight times ADD_LATENCY of docs/zynqnet-hardware.md."""
BIAS_LATENCY = 1
_WRITE, _ROW, _BIAS = 1 << 31, 1 << 30, 1 << 29
_TAPS, _BLOCK = 9, 8
_LEAST = 160
"""Beats. Fewer would end before the first read."""


def _words(params: Mapping[str, Any]) -> int:
    return int((params["KERNEL"] ** 2 * params["CH_IN"] + 1) * params["CH_OUT"])


def _row(params: Mapping[str, Any], words: Words, c: int, g: int) -> Words:
    """(9, NPE) what the multipliers see in a pass."""
    npe, ch_in, ch_out = params["NPE"], params["CH_IN"], params["CH_OUT"]
    lanes = slice(g * npe, (g + 1) * npe)
    out = np.zeros((_TAPS, npe), np.uint32)
    if params["KERNEL"] == 3:
        out[:] = words[: ch_in * ch_out * _TAPS].reshape(ch_in, ch_out, _TAPS)[c, lanes].T
    else:
        some = words[: ch_in * ch_out].reshape(ch_in, ch_out)[_BLOCK * c : _BLOCK * (c + 1), lanes]
        out[: len(some)] = some
    return out


def _model(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    given = taken(stimulus.inputs["s_axis"])
    lanes, rows = params["DATA_W"] // 32, row_words(given)
    command = rows[:, lanes]
    words = np.zeros(_words(params), np.uint32)
    brought = rows[(command & _WRITE) != 0, :lanes].reshape(-1)
    words[: len(brought)] = brought
    npe, group_words = params["NPE"], params["NPE"] * params["KERNEL"] ** 2
    weights = params["CH_IN"] * params["CH_OUT"] * params["KERNEL"] ** 2
    groups = min(len(brought), weights) // group_words + max(0, len(brought) - weights) // npe
    fields = [(int(v) & 0x3FF, int(v) >> 16 & 0xFF) for v in command]
    asked, biased = np.flatnonzero(command & _ROW), np.flatnonzero(command & _BIAS)
    out = np.array([_row(params, words, *fields[i]) for i in asked], np.uint32).reshape(-1, _TAPS * npe)
    biases = words[weights:].reshape(-1, npe)[[fields[i][1] for i in biased]].reshape(-1, npe)
    ports = {
        "s_axis": given,
        "m_weights": packed_rows(out, given, given.cycle[asked] + LATENCY),
        "m_bias": packed_rows(biases, given, given.cycle[biased] + BIAS_LATENCY),
    }
    return Outcome(ports, {"groups": groups})


def _traffic(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
    beats = max(beats, _LEAST)
    params = setting.params
    lanes, npe, ch_in, ch_out = (params[n] // d for n, d in (("DATA_W", 32), ("NPE", 1), ("CH_IN", 1), ("CH_OUT", 1)))
    k3, groups, total = params["KERNEL"] == 3, ch_out // npe, _words(params)
    passes = ch_in if k3 else -(-ch_in // _BLOCK)
    weights = total - ch_out
    rows = np.zeros((beats, lanes + 1), np.uint32)
    rows[:, :lanes] = random_words(rng, (beats, lanes))
    eager = float(rng.choice([0.5, 0.9, 1.0]))
    written, settled = 0, 0
    for row in rows:
        # A row can be read when the last group that goes into it is there.
        loaded = min(written, weights) // (npe * (9 if k3 else 1))
        readable = [
            (c, g)
            for c in range(passes)
            for g in range(groups)
            if (c if k3 else min(_BLOCK * c + _BLOCK - 1, ch_in - 1)) * groups + g < loaded
        ]
        full = written >= total
        settled += full
        if settled > 1 and rng.random() < 0.5:
            row[lanes] = _BIAS | int(rng.integers(groups)) << 16
        elif readable and (full or rng.random() > eager):
            c, g = readable[int(rng.integers(len(readable)))]
            row[lanes] = _ROW | c | g << 16
        elif not full:
            row[lanes] = _WRITE
            written += lanes
    return Stimulus({"s_axis": packed_rows(rows, setting.clocks["aclk"])}, clocks=setting.clocks)


DESIGN = Design(
    name="zynqnet_wcache",
    summary="ZynqNet's weights cache alone",
    top="zynqnet_block_wcache",
    files=("zynqnet/bench/zynqnet_wcache.f",),
    root=HDL,
    parameters={
        "NPE": Parameter(default=4),
        "DATA_W": Parameter(default=128),
        "CH_IN": Parameter(default=1),
        "CH_OUT": Parameter(default=16),
        "KERNEL": Parameter(default=3),
    },
    streams=(
        StreamPort(name="s_axis", direction="in", from_file=False, width="DATA_W+32", signals=silent("s_axis")),
        StreamPort(name="m_weights", direction="out", width="32*9*NPE", signals=silent("m_weights")),
        StreamPort(name="m_bias", direction="out", width="32*NPE", signals=silent("m_bias")),
    ),
    status=(StatusPort(name="groups", width=32),),
    model=_model,
    variants=(
        {},
        {"KERNEL": 1, "CH_IN": 11},
        {"NPE": 16, "KERNEL": 1, "CH_IN": 8, "DATA_W": 64},
        {"NPE": 8, "CH_IN": 2},
    ),
    cases=stream_cases(_traffic, pauses=True),
    obligations={
        **high_bits(
            "a layer of this bench has few groups and channels; the widths are those of the largest layer",
            ("zynqnet_weights_bank.sv", "write_row", 2, 13),
            ("zynqnet_weights_cache.sv", "groups", 4, 15),
            ("zynqnet_weights_cache.sv", "groups_q", 4, 15),
            ("zynqnet_block_wcache.sv", "groups_there", 4, 15),
            ("zynqnet_weights_cache.sv", "w_channel_q", 2, 9),
            ("zynqnet_weights_cache.sv", "w_base_q", 4, 13),
            ("zynqnet_weights_cache.sv", "put_row_q", 2, 13),
            ("zynqnet_weights_cache.sv", "put_tap_q", 1, 2),
        ),
        "values zynqnet_weights_cache.sv:*: the choice*layer.k3 ?*": "the kernels are 3x3 by default; a variant has 1x1",
        "values zynqnet_weights_cache.sv:*: (w_channel_q*": "one channel by default; variants have more",
    },
)
