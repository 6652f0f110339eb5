# SPDX-License-Identifier: Apache-2.0
"""ZynqNet's processing elements alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.stream import StreamPort, silent
from goldbeat.tb.design.traffic import Rng, stream_cases
from goldbeat.tb.designs.zynqnet.blocks import COUNTED_LATE, nan_bits, packed_rows, random_words, row_words, taken
from goldbeat.tb.paths import HDL

LATENCY = 33
"""PE_LATENCY less FEED_LATENCY of docs/zynqnet-hardware.md."""
_TAPS = 9


def _model(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    given = taken(stimulus.inputs["s_axis"])
    npe, words = params["NPE"], row_words(given)
    numbers = words.view(np.int32) if params["INT8"] else words.view(np.float32)
    pixels, rest = numbers[:, :_TAPS], numbers[:, _TAPS:].reshape(len(given), _TAPS + 2, npe)
    total = rest[:, _TAPS]
    with np.errstate(all="ignore"):
        for tap in range(_TAPS):
            total = total + pixels[:, tap, None] * rest[:, tap]
        total = total + rest[:, _TAPS + 1]
    out = total.view(np.uint32) if params["INT8"] else nan_bits(total)
    return Outcome({"s_axis": given, "m_axis": packed_rows(out, given, given.cycle + LATENCY)})


def _traffic(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
    words = _TAPS + 11 * setting.params["NPE"]
    rows = random_words(rng, (beats, words), bool(setting.params["INT8"]))
    if not setting.params["INT8"]:
        # Here and there any bits at all, infinities and NaN among them.
        wild = rng.random(rows.shape) < 0.002
        rows[wild] = rng.integers(0, 1 << 32, int(wild.sum()), dtype=np.uint32) | np.uint32(0x7F000000)
    return Stimulus({"s_axis": packed_rows(rows, setting.clocks["aclk"])}, clocks=setting.clocks)


DESIGN = Design(
    name="zynqnet_pe",
    summary="ZynqNet's processing elements alone",
    top="zynqnet_block_pe",
    files=("zynqnet/bench/zynqnet_pe.f",),
    root=HDL,
    parameters={"NPE": Parameter(default=4), "INT8": Parameter(default=0)},
    streams=(
        StreamPort(name="s_axis", direction="in", from_file=False, width="32*9+32*11*NPE", signals=silent("s_axis")),
        StreamPort(name="m_axis", direction="out", width="32*NPE", signals=silent("m_axis")),
    ),
    model=_model,
    variants=({}, {"INT8": 1}),
    cases=stream_cases(_traffic, pauses=True),
    obligations=COUNTED_LATE,
)
