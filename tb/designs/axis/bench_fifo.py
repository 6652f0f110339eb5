# SPDX-License-Identifier: Apache-2.0
"""AXI-Stream synchronous FIFO."""

from __future__ import annotations

from goldbeat.pymodels.axis.fifo import predict
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.traffic import WHOLE_BUNDLE, long_case, pass_through, stream_cases
from goldbeat.tb.paths import HDL

DESIGN = Design(
    name="axis_fifo",
    summary="AXI-Stream synchronous FIFO",
    top="axis_fifo",
    files=("axis/axis_fifo.f",),
    root=HDL,
    parameters={
        "DATA_W": Parameter(default=32),
        "DEPTH": Parameter(default=16),
        "ID_W": Parameter(default=4),
        "DEST_W": Parameter(default=3),
        "USER_W": Parameter(default=2),
    },
    streams=(
        StreamPort(name="s_axis", direction="in", **WHOLE_BUNDLE),
        StreamPort(name="m_axis", direction="out", **WHOLE_BUNDLE),
    ),
    model=predict,
    variants=({}, {"DEPTH": 2}, {"DATA_W": 512, "DEPTH": 64}),
    cases=(*stream_cases(pass_through, pauses=True), long_case(pass_through)),
)
