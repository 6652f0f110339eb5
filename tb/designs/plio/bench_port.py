# SPDX-License-Identifier: Apache-2.0
"""PLIO port: what the hardware does to a PL stream on its way into the array."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from goldbeat.pymodels.plio.port import predict
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.clocks import draw_clocks
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import ClockPort, Parameter
from goldbeat.tb.design.ports.bundle import StatusPort
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.traffic import Rng, random_trace, stream_cases
from goldbeat.tb.paths import HDL

_BLANK = 0.3
"""How many words of a beat with any TKEEP have no byte at all."""


def _traffic(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
    clocks = draw_clocks(setting, rng)
    keep = str(rng.choice(["words", "words", "bytes", "any"]))
    # A lone 32-bit word comes out only with TLAST; without it there would be nothing to compare.
    finish = bool(rng.integers(2)) or beats == 1
    trace = random_trace(
        rng, setting.params["W"], beats, clocks["s_aclk"], keep=keep, finish=finish, frames=setting.frames
    )
    if keep == "any":
        # Bytes drawn one by one hardly ever leave out a whole word.
        blank = rng.random((beats, setting.params["W"] // 32)) < _BLANK
        trace = replace(trace, keep=trace.keep & ~np.repeat(blank, 4, axis=1))
    return Stimulus(inputs={"s_axis": trace}, clocks=clocks)


_NO_SIDEBANDS = "the streams of the array have no sidebands"
_FIRST_WORD = "the first word of a beat is always kept"

DESIGN = Design(
    name="plio_port",
    summary="PLIO port: TKEEP rules, 32 to 64 bit pairing, crossing to the AI Engine clock, 32-bit stream",
    top="plio_port",
    files=("plio/plio_port.f",),
    root=HDL,
    parameters={"W": Parameter(default=64), "DEPTH": Parameter(default=16)},
    clocks=(
        ClockPort(name="s_aclk", reset="s_aresetn", period_ps=4000),
        ClockPort(name="m_aclk", reset="m_aresetn", period_ps=1000),
    ),
    streams=(
        StreamPort(name="s_axis", direction="in", clock="s_aclk", width="W"),
        StreamPort(name="m_axis", direction="out", clock="m_aclk", width=32),
    ),
    status=(StatusPort(name="keep_error_count"),),
    model=predict,
    blurred=True,
    variants=({"W": 32}, {"W": 64}, {"W": 128}, {"W": 32, "DEPTH": 4}),
    cases=stream_cases(_traffic, pauses=True),
    obligations={
        **{f"values axis_async_fifo.sv:*: ?_axis_{side}[0] *": _NO_SIDEBANDS for side in ("tid", "tdest", "tuser")},
        "values plio_port.sv:*: unused_t*": _NO_SIDEBANDS,
        "values axis_downsizer.sv:*: wide_keep[0][?] *": _FIRST_WORD,
        **{f"values plio_*.sv:*: *keep*[{bit}] *": _FIRST_WORD for bit in range(4)},
    },
)
