# SPDX-License-Identifier: Apache-2.0
"""AXI-Stream synchronous FIFO."""

from __future__ import annotations

from pymodels.axis.fifo import predict
from tb.design import Design, Parameter, StreamPort
from tb.paths import HDL
from tb.traffic import WHOLE_BUNDLE, pass_through, stream_cases

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
    cases=stream_cases(pass_through),
)
