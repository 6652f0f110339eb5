# SPDX-License-Identifier: Apache-2.0
"""A described design of AXI-Lite slaves side by side: four are right, and each of the others is wrong in its own way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.pymodels.register_walk import Word, storage_walk
from goldbeat.pymodels.stimulus import Access, Outcome, Stimulus
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.design.ports.storage import Storage
from goldbeat.tb.design.register_walks import quiet_case

RTL = Path(__file__).resolve().parents[1] / "tb" / "kernel" / "registers_rtl"
TRAFFIC = (
    RegisterTraffic("data-first", b_ready="after-valid", r_ready="after-valid", seed=1),
    RegisterTraffic("address-first", gap=3, b_ready="random:0.7", r_ready="random:0.7", seed=2),
)
PORTS = LitePort(name="s_axil", lanes="N", address_width=8, storage=(Storage(words=16),))


def _quiet(setting):
    return [Stimulus({}, clocks=setting.clocks, program={"s_axil_0": (Access("write", 0, 1), Access("read", 0, 1))})]


def _hosted(setting):
    """The same accesses as the master makes them by default: none of the traffic."""
    rng = np.random.default_rng(setting.seed)
    program = tuple(storage_walk(rng, [Word(4 * n, 0xFFFFFFFF, False) for n in range(15)], 4, 100))
    return [Stimulus({}, clocks=setting.clocks, program={f"s_axil_{n}": program for n in range(20)})]


def _short(setting):
    """Few accesses with little patience."""
    rng = np.random.default_rng(setting.seed)
    program = storage_walk(rng, [Word(4 * n, 0xFFFFFFFF) for n in range(4)], 4, 30)
    program = tuple(replace(access, cycles=300) for access in program)
    ports = [f"s_axil_{n}" for n in range(setting.params["N"])]
    return [
        Stimulus(
            {}, clocks=setting.clocks, program=dict.fromkeys(ports, program), traffic=dict.fromkeys(ports, traffic)
        )
        for traffic in TRAFFIC
    ]


SLAVES = Design(
    name="lite_modes",
    summary="slaves that are right and wrong",
    top="lite_modes",
    files=("lite_modes.sv",),
    root=RTL,
    parameters={"N": {"default": 20}},
    registers=(PORTS,),
    model=lambda params, stimulus: Outcome({}),
    cases=(
        quiet_case(_quiet),
        Case(name="hosted", summary="", make=_hosted, registers=True),
        Case(name="short", summary="", make=_short, registers=True),
    ),
)
