# SPDX-License-Identifier: Apache-2.0
"""The DMA engine in RTL: its cases under gaps and back-pressure and many random scenes."""

from __future__ import annotations

import pytest
from together import check_together
from turns import in_turn

from goldbeat.tb.designs.objfifo.bench_engine import DESIGN, LARGEST
from goldbeat.tb.run.runs import Request, run

DATA = [
    "forward",
    "distribute",
    "join",
    "broadcast",
    "transpose",
    "padding",
    "repeat",
    "init_values",
    "rechunk",
    "chain",
    "out_of_order",
]
FULL = {"gaps": "random:0.5", "ready": "bursty:8"}
VARIANTS = [
    pytest.param(v, id="-".join(f"{k}{x}" for k, x in v.items()) or "default") for v in (*DESIGN.variants, LARGEST)
]


def check(case, seeds, tmp_path, params=None, options=None):
    results = run(Request(DESIGN, DESIGN.case(case), seeds, params or {}, options or {}), tmp_path)
    broken = [r for r in results if not r.passed]
    assert not broken, "\n".join([*broken[0].failures[:2], "repeat: " + broken[0].request.command(broken[0].seed)])
    return sum(r.compared for r in results)


@pytest.mark.sim
@pytest.mark.parametrize("case", DATA)
def test_gaps_and_back_pressure(case, tmp_path):
    assert check(case, range(3), tmp_path, options=FULL) > 100


@pytest.mark.sim
@pytest.mark.parametrize(("case", "options"), [("forward", {"depth": 1}), ("forward", {"depth": 4, "words": 1})])
def test_other_rings(case, options, tmp_path):
    assert check(case, range(2), tmp_path, options=options) > 20


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("params", VARIANTS)
@pytest.mark.parametrize("case", ["random", "scenes"])
def test_many_seeds(case, params, tmp_path):
    assert check(case, in_turn(range(300)), tmp_path, params) > 1_000


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("params", VARIANTS[1:])
def test_every_variant(params):
    cases = dict.fromkeys(DATA, FULL) | {case: {} for case in ("errors", "corners", "registers")}
    wanted = [(case, seed, options) for case, options in cases.items() for seed in range(2)]
    assert min(check_together(DESIGN, wanted, params).values()) > 20
