# SPDX-License-Identifier: Apache-2.0
"""The profile ``npu1`` between tiles: the experiments of docs/npu1.md in numbers, and RTL against model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from objfifo_scripts import ADD_ONE, ADD_THREE
from together import check_together
from turns import in_turn

from goldbeat.pymodels.objfifo.engine.array import hanging, predict, stream_edges
from goldbeat.pymodels.objfifo.engine.array_shape import ArrayShape
from goldbeat.pymodels.objfifo.engine.npu1_shim import fill_cycles
from goldbeat.pymodels.objfifo.plan.design import Host, Transfer
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd
from goldbeat.tb.designs.objfifo.bench_array import DESIGN, MEMORY, chain
from goldbeat.tb.designs.objfifo.npu1_scenes import HELD
from goldbeat.tb.designs.objfifo.whole import place_plan
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
    # Two buffers, 16 words in the FIFO, and six on the way into the tile.
    assert stalls[0] == 16 + 16 + 6
    assert np.diff(stalls).tolist() == [8] * (len(stalls) - 1)
    # One object in 64 cycles.
    assert set(np.diff(accepts[stalls])[1:].tolist()) == {64}


def bursts(edges, zero):
    """First edge and end of each run of words."""
    edges = np.array(edges) - zero
    return [(int(run[0]), int(run[-1]) + 1) for run in np.split(edges, np.flatnonzero(np.diff(edges) > 1) + 1)]


def test_add_one_moves_as_in_a_trace_of_silicon(tmp_path):
    file = tmp_path / "design.py"
    file.write_text(ADD_ONE)
    case = DESIGN.case("design")
    # Adding takes 12 cycles on silicon; 8 of them are those of the words.
    request = Request(DESIGN, case, params=NPU1, options={**case.options, "design": str(file), "work": "4"})
    (stimulus,) = case.make(request.setting(0))
    # The trace has no gap of the host where the chain begins.
    sent = stimulus.inputs["s_axis_0"]
    stimulus = replace(stimulus, inputs={**stimulus.inputs, "s_axis_0": sent.with_gaps(np.zeros(64, np.int64))})
    passed = stream_edges(request.all_params, stimulus)
    ns = int(request.all_params["NS"])
    received, zero = passed[1, 0], passed[1, 0][7] + 1
    # FIM43-Redeye/xdna-emu, tools/trace_decoder/fixtures/mode0_add_one_objfifo_r0.bin, from the end of the core's first burst on.
    silicon = [(-51, -35), (-34, -18), (-17, -1), (0, 16)]
    assert np.abs(np.array(bursts(passed[0, 0], zero)) - silicon).max() <= 1
    silicon = [(-8, 0), (1, 9), (10, 18), (19, 27), (52, 60), (121, 129)]
    assert np.abs(np.array(bursts(received, zero)[:6]) - silicon).max() <= 1
    # What the memory tile sends. Silicon: the first 16 words have a cycle between them, and the fourth burst is at 20 to 34.
    silicon = [(2, 16), (17, 19), (59, 61), (62, 68), (128, 136)]
    found = bursts(passed[0, ns], zero)
    assert (found.pop(0), found.pop(2)) == ((-15, 1), (26, 40))
    assert np.abs(np.array(found[:5]) - silicon).max() <= 1
    # What the core sends, and its first object of 16 words on the way to the host.
    assert np.abs(np.array(bursts(passed[1, ns], zero)[:2]) - [(70, 78), (138, 146)]).max() <= 2
    assert np.abs(np.array(bursts(passed[0, ns + 1], zero)[0]) - (171, 187)).max() <= 1


@pytest.mark.parametrize(("name", "words"), [("X12 out", 12 + 8 + 2), ("X12 out core", 16 + 8 + 2)])
def test_what_leaves_the_memory_into_a_closed_stream(name, words):
    # The port's own buffer holds the last two.
    assert np.count_nonzero(measured(name)["evt_3"] < HELD) == words


def test_what_enters_a_closed_tile():
    assert len(measured("X12 in")["s_axis_0"]) == 16 + 6


def test_nine_words_for_a_closed_engine_block_the_packet_for_an_open_one():
    # X13: a header and eight words; then those of the other packet, whose header takes two edges.
    assert measured("X13 8")["s_axis_0"].tolist() == [*range(1, 10), *range(11, 20)]
    assert measured("X13 9")["s_axis_0"].tolist() == [*range(1, 10)]
    first = ArrayShape.of(Request(DESIGN, DESIGN.case("measured")).all_params).engine.channels
    assert [len(measured(f"X13 {words}")[f"evt_{first}"]) for words in (8, 9)] == [1, 0]


@pytest.mark.parametrize(("words", "states"), [(8, []), (9, ["input"])])
def test_the_blocked_engine_waits_for_its_input(words, states):
    request = Request(DESIGN, DESIGN.case("measured"))
    stimulus = next(s for s in request.case.make(request.setting(0)) if s.label == f"X13 {words}")
    closed, opened = hanging(request.all_params, stimulus)
    assert closed == ()
    assert [(h.state, h.channel) for h in opened] == [(state, 0) for state in states]


def test_the_host_of_a_chain_is_as_slow_as_on_silicon():
    request = Request(DESIGN, DESIGN.case("chain"), params=NPU1, options={"words": 16, "objects": 256, "work": 0})
    first, last = [], []
    for seed in range(20):
        (stimulus,) = request.case.make(request.setting(seed))
        sent = stimulus.inputs["s_axis_0"].cycle
        assert len(sent) == 16 * 256
        first.append(sent[0])
        last.append(sent[-1])
    # S2: 747 + 1.05 n cycles; the first word waits for the start.
    assert all(abs(at - 747) < 60 for at in first)
    assert abs(np.mean(last) - fill_cycles(4096)) < 0.02 * fill_cycles(4096)
    assert len(set(last)) > 10
    ideal = replace(request, params={})
    assert ideal.case.make(ideal.setting(0))[0].inputs["s_axis_0"].cycle.tolist() == list(range(4096))


def test_each_fill_of_a_plan_has_its_own_start():
    setting = Request(DESIGN, DESIGN.case("chain"), params=NPU1).setting(0)
    fills = [Transfer("in", FifoEnd.PRODUCE, "arg0", at, ((words, 1),)) for at, words in ((0, 48), (48, 16))]
    host = Host("arg0", ObjectType((64,), np.dtype(np.int32)))
    design = replace(chain(16), hosts=[host], transfers=fills)
    shape = ArrayShape.of(setting.params)
    whole = place_plan(design, plan(design), shape, "workers", homes=[MEMORY])
    sent = whole.stimulus(np.random.default_rng(0), setting.clocks, host_seed=5).inputs["s_axis_0"]
    # S6: 400 + 1330 * 0.31^k cycles less 1.05 for each word.
    assert abs(sent.gaps[0] - (1730 - 1.05 * 48)) < 60
    assert abs(sent.gaps[48] - (812 - 1.05 * 16)) < 60
    assert len(sent) == 64
    assert not whole.stimulus(np.random.default_rng(0), setting.clocks).inputs["s_axis_0"].gaps.any()


def test_an_object_takes_a_core_as_long_as_on_silicon(tmp_path):
    file = tmp_path / "design.py"
    file.write_text(ADD_THREE)
    case = DESIGN.case("design")
    request = Request(DESIGN, case, params=NPU1, options={**case.options, "design": str(file)})
    (stimulus,) = case.make(request.setting(0))
    ports = predict(request.all_params, stimulus).ports
    shape = ArrayShape.of(request.all_params)
    # Engine 1 is the core tile; its second channel stands for the core, with five descriptors for each object.
    ends = ports[f"evt_{shape.engine.channels + 1}"].cycle[4::5]
    assert len(ends) == 12
    # Two acquires, two releases of 14 cycles each and eight words: L3 says 64 to 71.
    assert np.diff(ends).tolist() == [64] * 11
    assert len(ports["m_axis_0"]) == 96


@pytest.mark.sim
@pytest.mark.slow
def test_between_tiles_in_rtl(tmp_path):
    assert check("measured", [0], tmp_path) > 200


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("params", [{}, {"FINISH": 1}], ids=["default", "at-accept"])
def test_many_seeds_of_chains(params, tmp_path):
    assert check("random", in_turn(range(300)), tmp_path, params) > 1_000


@pytest.mark.sim
@pytest.mark.slow
def test_every_case_of_arrays_under_npu1():
    cases = [c.name for c in DESIGN.cases if c.name not in {"measured", "random"} and not c.files]
    options = {case: {k: v for k, v in FULL.items() if k in DESIGN.case(case).options} for case in cases}
    wanted = [(case, seed, options[case]) for case in cases for seed in range(2)]
    assert min(check_together(DESIGN, wanted, NPU1).values()) > 20
