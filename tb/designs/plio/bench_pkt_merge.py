# SPDX-License-Identifier: Apache-2.0
"""Packet merger: N streams into one, a header in front of each packet."""

from __future__ import annotations

from goldbeat.pymodels.plio.pkt_merge import predict
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.bundle import StatusPort
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.traffic import Rng, random_trace, stream_cases
from goldbeat.tb.paths import HDL


def _traffic(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
    params, clock = setting.params, setting.clocks["aclk"]
    inputs = {}
    for port in range(params["N"]):
        keep = str(rng.choice(["words", "words", "any"]))
        share = int(rng.integers(0, beats + 1)) if port and not setting.frames else beats
        inputs[f"s_axis_{port}"] = random_trace(
            rng, params["W"], share, clock, keep=keep, finish=bool(rng.integers(8)), frame=(1, 8), frames=setting.frames
        )
    return Stimulus(inputs=inputs, clocks=setting.clocks)


DESIGN = Design(
    name="plio_pkt_merge",
    summary="packet merger: round robin over N streams, whole packets, header inserted",
    top="plio_pkt_merge",
    files=("plio/plio_pkt_merge.f",),
    root=HDL,
    parameters={
        "W": Parameter(default=32),
        "N": Parameter(default=3),
        "IDS": Parameter(default=(4, 0, 21), bits=5),
        "PKT_TYPE": Parameter(default=0),
    },
    streams=(
        StreamPort(name="s_axis", direction="in", width="W", lanes="N"),
        StreamPort(name="m_axis", direction="out", width="W"),
    ),
    status=(StatusPort(name="packet_count"),),
    model=predict,
    variants=(*({"W": w} for w in (32, 64, 128)), {"N": 1, "IDS": (5,), "PKT_TYPE": 3}),
    cases=stream_cases(_traffic, pauses=True),
    obligations={
        "values plio_pkt_merge.sv:*: state_?[1] *": "a beat of 32 bits leaves no word to flush",
        "values plio_pkt_merge.sv:*: above_winner[0] *": "port 0 is above no other",
    },
)
