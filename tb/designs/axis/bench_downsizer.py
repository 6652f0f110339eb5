# SPDX-License-Identifier: Apache-2.0
"""AXI-Stream width converter: a wide beat makes narrow ones."""

from __future__ import annotations

from goldbeat.pymodels.axis.downsizer import predict
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.traffic import Rng, random_trace, stream_cases
from goldbeat.tb.paths import HDL


def _traffic(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
    keep = str(rng.choice(["full", "words", "bytes", "any"]))
    trace = random_trace(
        rng,
        setting.params["S_W"],
        beats,
        setting.clocks["aclk"],
        keep=keep,
        finish=bool(rng.integers(2)),
        frames=setting.frames,
    )
    return Stimulus(inputs={"s_axis": trace}, clocks=setting.clocks)


DESIGN = Design(
    name="axis_downsizer",
    summary="AXI-Stream width converter, wide to narrow",
    top="axis_downsizer",
    files=("axis/axis_downsizer.f",),
    root=HDL,
    parameters={"S_W": Parameter(default=64), "M_W": Parameter(default=32)},
    streams=(
        StreamPort(name="s_axis", direction="in", width="S_W"),
        StreamPort(name="m_axis", direction="out", width="M_W"),
    ),
    model=predict,
    variants=({}, {"S_W": 128}, {"S_W": 128, "M_W": 64}),
    cases=stream_cases(_traffic, pauses=True),
)
