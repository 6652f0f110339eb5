# SPDX-License-Identifier: Apache-2.0
"""AXI-Stream FIFO between two clocks."""

from __future__ import annotations

from goldbeat.pymodels.axis.async_fifo import predict
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import ClockPort, Parameter
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.traffic import WHOLE_BUNDLE, pass_between_clocks, stream_cases
from goldbeat.tb.paths import HDL

DESIGN = Design(
    name="axis_async_fifo",
    summary="AXI-Stream FIFO between two clocks (Gray pointers)",
    top="axis_async_fifo",
    files=("axis/axis_async_fifo.f",),
    root=HDL,
    parameters={
        "DATA_W": Parameter(default=32),
        "DEPTH": Parameter(default=16),
        "ID_W": Parameter(default=4),
        "DEST_W": Parameter(default=3),
        "USER_W": Parameter(default=2),
    },
    clocks=(
        ClockPort(name="s_aclk", reset="s_aresetn", period_ps=4000),
        ClockPort(name="m_aclk", reset="m_aresetn", period_ps=3200),
    ),
    streams=(
        StreamPort(name="s_axis", direction="in", clock="s_aclk", **WHOLE_BUNDLE),
        StreamPort(name="m_axis", direction="out", clock="m_aclk", **WHOLE_BUNDLE),
    ),
    ignored=("s_resetn_sync", "m_resetn_sync"),
    model=predict,
    blurred=True,
    variants=({}, {"DEPTH": 4}, {"DATA_W": 8, "DEPTH": 64}),
    cases=stream_cases(pass_between_clocks, pauses=True),
)
