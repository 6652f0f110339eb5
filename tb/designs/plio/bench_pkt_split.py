# SPDX-License-Identifier: Apache-2.0
"""Packet splitter: by packet id to N ports."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from goldbeat.pymodels.packet_header import make_header
from goldbeat.pymodels.plio.pkt_split import predict
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.bundle import StatusPort
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.traffic import Rng, random_trace, stream_cases
from goldbeat.tb.paths import HDL


def _with_headers(trace: Trace, ids: tuple[int, ...], rng: Rng) -> Trace:
    """Put a header on every frame: most for one of the ports, some for nobody, some with broken parity."""
    starts = trace.frame_bounds()[:, 0]
    chosen = np.where(rng.random(len(starts)) < 0.85, rng.choice(ids, len(starts)), rng.integers(0, 32, len(starts)))
    headers = make_header(chosen, packet_type=rng.integers(0, 8, len(starts))).astype("<u4")
    broken = rng.random(len(starts)) < 0.1
    headers[broken] ^= np.uint32(1) << rng.integers(0, 32, int(broken.sum()), dtype=np.uint32)
    data = trace.data.copy()
    data[starts, :4] = headers.view(np.uint8).reshape(-1, 4)
    return replace(trace, data=data)


def _traffic(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
    keep = str(rng.choice(["words", "words", "any"]))
    finish = bool(rng.integers(4))
    trace = random_trace(
        rng, setting.params["W"], beats, setting.clocks["aclk"], keep=keep, finish=finish, frames=setting.frames
    )
    return Stimulus(inputs={"s_axis": _with_headers(trace, setting.params["IDS"], rng)}, clocks=setting.clocks)


DESIGN = Design(
    name="plio_pkt_split",
    summary="packet splitter: checks headers, sends packets to N ports by id",
    top="plio_pkt_split",
    files=("plio/plio_pkt_split.f",),
    root=HDL,
    parameters={
        "W": Parameter(default=32),
        "N": Parameter(default=3),
        "KEEP_HEADER": Parameter(default=0),
        "IDS": Parameter(default=(0, 7, 31), bits=5),
    },
    streams=(
        StreamPort(name="s_axis", direction="in", width="W"),
        StreamPort(name="m_axis", direction="out", width="W", lanes="N"),
    ),
    status=(
        StatusPort(name="packet_count"),
        StatusPort(name="drop_count"),
        StatusPort(name="parity_error_count"),
    ),
    model=predict,
    variants=(*({"W": w, "KEEP_HEADER": k} for w in (32, 64, 128) for k in (0, 1)), {"N": 1, "IDS": (5,)}),
    cases=stream_cases(_traffic, pauses=True),
    obligations={"values plio_pkt_split.sv:*: flush *": "a beat of 32 bits leaves no word to flush"},
)
