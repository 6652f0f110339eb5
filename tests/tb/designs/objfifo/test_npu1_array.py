# SPDX-License-Identifier: Apache-2.0
"""The profile ``npu1`` between tiles: the experiments of docs/npu1.md in numbers, and RTL against model."""

from __future__ import annotations

import numpy as np
import pytest

from goldbeat.pymodels.objfifo.engine.array import predict
from goldbeat.tb.designs.objfifo.bench_array import DESIGN
from goldbeat.tb.designs.objfifo.npu1_scenes import HELD
from goldbeat.tb.run.runs import Request, run

NPU1 = {"PROFILE": 1}
FULL = {"gaps": "random:0.5", "ready": "bursty:8"}


def measured(name):
    request = Request(DESIGN, DESIGN.case("measured"))
    stimulus = next(s for s in request.case.make(request.setting(0)) if s.label == name)
    return {port: trace.cycle for port, trace in predict(request.all_params, stimulus).ports.items()}


def check(case, seeds, tmp_path, params=None, options=None):
    results = run(Request(DESIGN, DESIGN.case(case), seeds, NPU1 | (params or {}), options or {}), tmp_path)
    broken = [r for r in results if not r.passed]
    assert not broken, "\n".join([*broken[0].failures[:2], "repeat: " + broken[0].request.command(broken[0].seed)])
    return sum(r.compared for r in results)


def test_a_slow_core_lets_in_a_buffer_at_a_time():
    accepts = measured("X8")["s_axis_0"]
    stalls = np.flatnonzero(np.diff(accepts) > 2) + 1
    # Two buffers, a descriptor ahead, and six words on the way into the tile: 8, 8, 14.
    assert stalls[0] == 8 + 8 + 14
    assert np.diff(stalls).tolist() == [8] * (len(stalls) - 1)
    # One object in 64 cycles.
    assert set(np.diff(accepts[stalls])[1:].tolist()) == {64}


def test_a_chain_runs_as_on_silicon():
    accepts = measured("X8 start")["s_axis_0"]
    idle = np.diff(accepts) - 1
    cuts = np.flatnonzero(idle) + 1
    # Silicon: 8, 8, 14, 2, 14, 2, 6, 8, 1: its first pause is 6 words earlier, which the way into the tile absorbs here.
    assert np.diff([0, *cuts, len(accepts)]).tolist() == [14, 2, 14, 2, 14, 2, 6, 8, 2]
    # One cycle at each descriptor; silicon: 25, then 60 and 66 for objects of 64 to 71 cycles.
    assert idle[cuts - 1].tolist() == [1, 1, 25, 1, 58, 1, 55, 56]


@pytest.mark.parametrize(("name", "words"), [("X12 out", 12 + 8 + 2), ("X12 out core", 16 + 8 + 2)])
def test_what_leaves_the_memory_into_a_closed_stream(name, words):
    # The port's own buffer holds the last two.
    assert np.count_nonzero(measured(name)["evt_3"] < HELD) == words


def test_what_enters_a_closed_tile():
    assert len(measured("X12 in")["s_axis_0"]) == 16 + 6


@pytest.mark.sim
@pytest.mark.slow
def test_between_tiles_in_rtl(tmp_path):
    assert check("measured", [0], tmp_path) > 200


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("params", [{}, {"FINISH": 1}], ids=["default", "at-accept"])
def test_300_seeds_of_chains(params, tmp_path):
    assert check("random", range(300), tmp_path, params) > 10_000


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("case", [c.name for c in DESIGN.cases if c.name not in {"measured", "random"}])
def test_every_case_of_arrays_under_npu1(case, tmp_path):
    options = {k: v for k, v in FULL.items() if k in DESIGN.case(case).options}
    assert check(case, range(2), tmp_path, {}, options) > 20
