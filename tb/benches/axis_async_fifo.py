# SPDX-License-Identifier: Apache-2.0
"""AXI-Stream FIFO between two clocks."""

from __future__ import annotations

from pymodels.axis.async_fifo import predict
from pymodels.stimulus import Stimulus
from tb.design import ClockPort, Design, Parameter, Setting, StreamPort
from tb.paths import HDL
from tb.traffic import Rng, random_trace, stream_cases, two_clocks


def _traffic(setting: Setting, rng: Rng, beats: int) -> Stimulus:
    params, clocks = setting.params, two_clocks(setting, rng)
    sidebands = {"tid": params["ID_W"], "tdest": params["DEST_W"], "tuser": params["USER_W"]}
    trace = random_trace(rng, params["DATA_W"], beats, clocks["s_aclk"], keep="any", finish=False, sidebands=sidebands)
    return Stimulus(inputs={"s_axis": trace}, clocks=clocks)


_BUNDLE = {"width": "DATA_W", "tid": "ID_W", "tdest": "DEST_W", "tuser": "USER_W"}

DESIGN = Design(
    name="axis_async_fifo",
    summary="AXI-Stream FIFO between two clocks (Gray pointers)",
    top="axis_async_fifo",
    files=("axis/reset_sync.sv", "axis/fifo_async.sv", "axis/axis_async_fifo.sv"),
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
        StreamPort(name="s_axis", direction="in", clock="s_aclk", **_BUNDLE),
        StreamPort(name="m_axis", direction="out", clock="m_aclk", **_BUNDLE),
    ),
    ignored=("s_resetn_sync", "m_resetn_sync"),
    model=predict,
    variants=({}, {"DEPTH": 4}, {"DATA_W": 8, "DEPTH": 64}),
    cases=stream_cases(_traffic),
)
