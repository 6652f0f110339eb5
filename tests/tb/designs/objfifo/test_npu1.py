# SPDX-License-Identifier: Apache-2.0
"""The timing profile ``npu1``: the experiments of docs/npu1.md in numbers, and RTL against model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from together import check_together
from turns import in_turn

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine import engine_map as reg
from goldbeat.pymodels.objfifo.engine.alone import final_state, predict
from goldbeat.pymodels.objfifo.engine.npu1_engine import group_runs
from goldbeat.pymodels.objfifo.engine.registers import (
    QUEUE_DEPTH,
    Code,
    Descriptor,
    EngineRegisters,
    EngineShape,
    EngineTask,
)
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Access
from goldbeat.tb.designs.objfifo.bench_engine import DESIGN
from goldbeat.tb.designs.objfifo.npu1_scenes import HELD, SMALL_BDS
from goldbeat.tb.designs.objfifo.scene import EngineScene, engine_stimulus
from goldbeat.tb.run.runs import Request, run

NPU1 = {"PROFILE": 1}
FULL = {"gaps": "random:0.5", "ready": "bursty:8"}
LEAST = {"NS": 1, "NM": 1, "NBANK": 1, "NBD": 16, "NLOCK": 16}
VARIANTS = [{}, {"FINISH": 1}, LEAST, {"NS": 3, "NM": 4, "NBANK": 4, "WORD_W": 128}]
NAMES = ["default", "at-accept", "least", "wide"]
DATA = [c.name for c in DESIGN.cases if c.name not in {"planned", "measured", "fields_npu1"} and not c.files]


def measured(name, **params):
    """Cycles of the ports in one experiment, by the model."""
    request = Request(DESIGN, DESIGN.case("measured"), params=params)
    stimulus = next(s for s in request.case.make(request.setting(0)) if s.label == name)
    ports = predict(request.all_params, stimulus).ports
    return {port: trace.cycle for port, trace in ports.items()}


def grant(cycles):
    """The edge of the first change of a lock: it is shown in the cycle behind."""
    return cycles["lock"][0] - 1


def check(case, seeds, tmp_path, params=None, options=None):
    results = run(Request(DESIGN, DESIGN.case(case), seeds, NPU1 | (params or {}), options or {}), tmp_path)
    broken = [r for r in results if not r.passed]
    assert not broken, "\n".join([*broken[0].failures[:2], "repeat: " + broken[0].request.command(broken[0].seed)])
    return sum(r.compared for r in results)


# -- what was measured ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "words"), [("X1", 16), ("X2", 8)])
def test_one_cycle_without_ready_at_each_boundary(name, words):
    accepts = measured(name)["s_axis_0"]
    wanted = [n + n // words for n in range(64)]
    assert (accepts - accepts[0]).tolist() == wanted
    if name == "X1":
        assert [wanted[n] for n in (0, 15, 16, 31, 32, 47, 48, 63)] == [0, 15, 17, 32, 34, 49, 51, 66]


@pytest.mark.parametrize(("name", "taken"), [("X3", 16), ("X4", 16), ("X4 of 8", 16)])
def test_words_are_taken_while_the_lock_is_closed(name, taken):
    ports = measured(name)
    accepts, opened = ports["s_axis_0"], grant(ports)
    # One cycle between descriptors.
    assert accepts[taken - 1] - accepts[0] == taken - 1 + (name == "X4 of 8")
    assert accepts[taken - 1] < opened < accepts[taken]
    # TREADY is high within two cycles; the word is taken at the next edge.
    assert accepts[taken] <= opened + 3
    assert len(accepts) == 64


def test_a_core_tile_ends_a_block_before_the_stream_does():
    ports = measured("X5")
    out = ports["m_axis_0"]
    assert ports["evt_3"][0] - grant(ports) == 244
    assert out[-1] - out[0] == 255
    assert out[0] - grant(ports) == 3


@pytest.mark.parametrize(("name", "events"), [("X6", 3), ("X6 core", 4)])
def test_both_readings_of_the_end_of_a_descriptor(name, events):
    for finish, found in ((0, events), (1, 0)):
        ports = measured(name, FINISH=finish)
        assert ports["m_axis_0"][0] >= HELD
        assert np.count_nonzero(ports["evt_3"] < HELD) == found
        assert len(ports["evt_3"]) == SMALL_BDS


def test_a_relay_takes_19_cycles():
    ports = measured("X7")
    finish = ports["evt_0"] - 1
    out = ports["m_axis_0"]
    assert [out[0] - finish[0], out[16] - finish[1]] == [19, 19]
    # One cycle between descriptors here too.
    assert out[16] - out[15] == 2


@pytest.mark.parametrize("name", ["X9 one bank", "X9 sibling"])
def test_banks_of_two_senders(name):
    ports = measured(name)
    for c in range(2):
        out = ports[f"m_axis_{c}"]
        assert out[-1] - out[0] == 255
    assert abs(ports["evt_3"][0] - ports["evt_4"][0]) == (name == "X9 one bank")


def test_a_bank_under_fire_does_not_delay():
    ports = measured("X10", NBANK=1)
    assert abs(ports["evt_3"][0] - grant(ports) - 244) <= 1
    assert np.ptp(ports["m_axis_0"]) == 255


@pytest.mark.parametrize(("name", "span"), [("X11 1", 251), ("X11 4", 258), ("X11 16", 258), ("X11 64", 258)])
def test_steps_of_a_memory_tile(name, span):
    ports = measured(name)
    assert np.ptp(ports["m_axis_0"]) == 255
    assert ports["evt_3"][0] - grant(ports) == span


def test_a_core_takes_over_7_cycles_later():
    ports = measured("D14")
    # On a core tile the first word leaves 3 edges behind the hand-over.
    assert ports["m_axis_0"][0] - 3 - (ports["evt_0"][0] - 1) == 7


def test_a_request_of_a_core_costs_a_cycle():
    locked, free = (measured(name)["evt_3"] for name in ("L1", "L1 free"))
    assert (np.diff(locked) - np.diff(free)).tolist() == [1, 1, 1]
    assert locked[0] - free[0] == 1


@pytest.mark.parametrize("profile", [0, 1])
def test_a_fifth_task_is_lost_and_noted(profile):
    request = Request(DESIGN, DESIGN.case("measured"), params={"PROFILE": profile})
    shape = EngineShape.of(request.all_params)
    stimulus = next(s for s in request.case.make(request.setting(0)) if s.label == "X14")
    program = stimulus.program["s_axil"]
    channel = shape.ns
    pushed = [
        refused
        for access, (_, refused) in zip(program, EngineRegisters(shape).apply(program), strict=True)
        if access.address == reg.TASK + 4 * channel
    ]
    assert pushed == [False] * QUEUE_DEPTH + [True]
    ports = predict(request.all_params, stimulus).ports
    assert len(ports[f"evt_{channel}"]) == QUEUE_DEPTH == len(ports["m_axis_0"]) // 4
    # It is noted until it is cleared: after all tasks it is still there.
    registers = final_state(request.all_params, stimulus)
    assert registers.error & 0xF == Code.QUEUE_OVERFLOW
    ((noted, _),) = registers.apply([Access("read", reg.ERROR)])
    assert noted & 0xF == Code.QUEUE_OVERFLOW
    registers.apply([Access("write", reg.ERROR, 0)])
    assert registers.apply([Access("read", reg.ERROR)])[0][0] & 0xF == 0


@pytest.mark.parametrize(("name", "words"), [("X15 64", 64), ("X15 4096", 4096)])
def test_a_fill_of_the_host(name, words):
    end = measured(name)["s_axis_0"][-1]
    # Short ones take what the cold start takes.
    assert end == pytest.approx(max(1739, 747 + 1.05 * words), rel=0.05)


def test_fills_queued_at_once():
    ends = measured("X16")["s_axis_0"][63::64]
    wanted = [1739, 804, 497, 422, 398, 399, 364, 370]
    assert np.diff(ends, prepend=0).tolist() == pytest.approx(wanted, rel=0.2)


# -- groups ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("descriptor", "words", "runs"),
    [
        (Descriptor(2, 7), range(2, 9), [2, 1, 4, 3, 2, 1, 1]),
        (Descriptor(0, 4, steps=(2, 0, 0, 0)), [0, 2, 4, 6], [1, 1, 1, 1]),
        # A row of dimension 0 ends a group, though the next one goes on behind it.
        (Descriptor(0, 6, (3, 2, 0), (1, 3, 0, 0)), range(6), [3, 2, 1, 1, 2, 1]),
        (Descriptor(0, 5, (2, 1, 1), (1, 0, 0, 0), pad_before=(1, 0, 0)), [-1, 0, 1, -1, 2], [1, 2, 1, 1, 1]),
    ],
)
def test_groups(descriptor, words, runs):
    assert group_runs(descriptor, list(words), 4, to_memory=False) == runs
    assert group_runs(descriptor, list(words), 1, to_memory=False) == [1] * len(runs)


@pytest.mark.parametrize("words", [8, 9])
def test_a_group_outside_waits_for_room_as_one_inside_does(words):
    # Twelve words of staging; behind the memory's end is a group of four.
    request = Request(DESIGN, DESIGN.case("forward"), params=NPU1)
    setting = request.setting(0)
    end = EngineShape.of(request.all_params).mem_words
    scene = EngineScene(memory={end - words: np.arange(words, dtype=np.uint32)})
    scene.tasks = [EngineTask(3, scene.chain(0, [Descriptor(end - words, words + 4)]))]
    held = replace(engine_stimulus(scene, setting), ready={"m_axis_0": Pattern("array", values=(0,))})
    assert bool(final_state(request.all_params, held).error) == (words == 8)


def test_a_memory_of_broken_lines_is_refused():
    with pytest.raises(UsageError, match="not a multiple of 4"):
        EngineShape.of({**Request(DESIGN, DESIGN.case(None)).all_params, **NPU1, "MEM_WORDS": 1022})


# -- RTL ------------------------------------------------------------------------------------------------------------


@pytest.mark.sim
@pytest.mark.parametrize("finish", [0, 1])
def test_what_was_measured_in_rtl(finish, tmp_path):
    assert check("measured", [0], tmp_path, {"FINISH": finish}) > 3000


@pytest.mark.sim
@pytest.mark.parametrize("case", ["random", "scenes"])
def test_some_seeds(case, tmp_path):
    assert check(case, range(8), tmp_path) > 500


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("params", VARIANTS, ids=NAMES)
@pytest.mark.parametrize("case", ["random", "scenes"])
def test_many_seeds_of_npu1(case, params, tmp_path):
    assert check(case, in_turn(range(300)), tmp_path, params) > 1_000


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("params", VARIANTS, ids=NAMES)
def test_every_case_under_npu1(params):
    """Their sweeps and resets in mid-flight among them."""
    options = {case: {k: v for k, v in FULL.items() if k in DESIGN.case(case).options} for case in DATA}
    wanted = [(case, seed, options[case]) for case in DATA for seed in range(2)]
    assert min(check_together(DESIGN, wanted, NPU1 | params).values()) > 20
