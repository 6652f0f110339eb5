# SPDX-License-Identifier: Apache-2.0
"""AXI-Stream width converter: narrow beats make a wide one."""

from __future__ import annotations

from goldbeat.pymodels.axis.upsizer import predict
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.traffic import Rng, random_trace, stream_cases
from goldbeat.tb.paths import HDL


def _traffic(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
    keep = str(rng.choice(["full", "words", "bytes", "any"]))
    # Fewer narrow beats than make a wide one come out only with TLAST; without it there would be nothing to compare.
    finish = bool(rng.integers(2)) or beats < setting.params["M_W"] // setting.params["S_W"]
    trace = random_trace(
        rng, setting.params["S_W"], beats, setting.clocks["aclk"], keep=keep, finish=finish, frames=setting.frames
    )
    return Stimulus(inputs={"s_axis": trace}, clocks=setting.clocks)


DESIGN = Design(
    name="axis_upsizer",
    summary="AXI-Stream width converter, narrow to wide",
    top="axis_upsizer",
    files=("axis/axis_upsizer.f",),
    root=HDL,
    parameters={"S_W": Parameter(default=32), "M_W": Parameter(default=64)},
    streams=(
        StreamPort(name="s_axis", direction="in", width="S_W"),
        StreamPort(name="m_axis", direction="out", width="M_W"),
    ),
    model=predict,
    variants=({}, {"M_W": 128}, {"S_W": 64, "M_W": 128}),
    cases=stream_cases(_traffic, pauses=True),
)
