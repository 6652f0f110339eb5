# SPDX-License-Identifier: Apache-2.0
"""AXI-Stream synchronous FIFO."""

from __future__ import annotations

from pymodels.axis.fifo import predict
from pymodels.stimulus import Stimulus
from tb.design import Design, Parameter, Setting, StreamPort
from tb.paths import HDL
from tb.traffic import Rng, random_trace, stream_cases


def _traffic(setting: Setting, rng: Rng, beats: int) -> Stimulus:
    params, clock = setting.params, setting.clocks["aclk"]
    sidebands = {"tid": params["ID_W"], "tdest": params["DEST_W"], "tuser": params["USER_W"]}
    trace = random_trace(rng, params["DATA_W"], beats, clock, keep="any", finish=False, sidebands=sidebands)
    return Stimulus(inputs={"s_axis": trace}, clocks=setting.clocks)


_BUNDLE = {"width": "DATA_W", "tid": "ID_W", "tdest": "DEST_W", "tuser": "USER_W"}

DESIGN = Design(
    name="axis_fifo",
    summary="AXI-Stream synchronous FIFO",
    top="axis_fifo",
    files=("axis/fifo_sync.sv", "axis/axis_fifo.sv"),
    root=HDL,
    parameters={
        "DATA_W": Parameter(default=32),
        "DEPTH": Parameter(default=16),
        "ID_W": Parameter(default=4),
        "DEST_W": Parameter(default=3),
        "USER_W": Parameter(default=2),
    },
    streams=(
        StreamPort(name="s_axis", direction="in", **_BUNDLE),
        StreamPort(name="m_axis", direction="out", **_BUNDLE),
    ),
    model=predict,
    variants=({}, {"DEPTH": 2}, {"DATA_W": 512, "DEPTH": 64}),
    cases=stream_cases(_traffic),
)
