# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from goldbeat.pymodels.axi.memory import MemoryImage, Region
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Access, AccessAnswer, Clock, MemoryContents, Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.inside.job import AccessResult, Record
from goldbeat.tb.run.scoreboard import check_episode, nothing_compared

CLOCKS = {"aclk": Clock(4000, 4000)}


def _case(name="axis_upsizer"):
    design = find_design(name)
    params = design.params(design.cases[0], {})
    source = Trace.from_samples(np.arange(8), "int32", 32, clock_ps=4000, frame=4)
    stimulus = Stimulus({"s_axis": source}, {"m_axis": Pattern("random", seed=4)}, CLOCKS)
    return design, params, stimulus, design.model(params, stimulus)


def test_equal_passes_and_counts_output_beats():
    design, params, stimulus, expected = _case()
    verdict = check_episode(design, params, stimulus, expected, Record(expected))
    assert verdict.failures == ()
    assert verdict.compared == 4


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda t: t[:-1], "missing beat"),
        (lambda t: Trace.concat([t, t.with_cycles(t.cycle + 500)]), "extra beat"),
        (lambda t: t.with_cycles(t.cycle + (np.arange(len(t)) == 2)), "time differs"),
        (
            lambda t: Trace.from_bytes(
                t.data ^ 1, keep=t.keep, last=t.last, cycle=t.cycle, clock_ps=4000, offset_ps=4000
            ),
            "data differs",
        ),
        (lambda t: Trace.from_bytes(t.data, keep=t.keep, cycle=t.cycle, clock_ps=4000, offset_ps=4000), "last differs"),
        (
            lambda t: Trace.from_bytes(t.data, last=t.last, keep=~t.keep, cycle=t.cycle, clock_ps=4000, offset_ps=4000),
            "keep differs",
        ),
    ],
)
def test_every_difference_fails_and_says_where(change, word):
    design, params, stimulus, expected = _case()
    got = Outcome({**expected.ports, "m_axis": change(expected.ports["m_axis"])})
    (text,) = check_episode(design, params, stimulus, expected, Record(got)).failures
    assert text.startswith("port m_axis, beat ")
    assert word in text
    assert "cycle expected" in text
    assert ">" in text.splitlines()[2] or len(text.splitlines()) > 3


def test_input_cycles_are_compared_too():
    design, params, stimulus, expected = _case()
    late = expected.ports["s_axis"]
    got = Outcome({**expected.ports, "s_axis": late.with_cycles(late.cycle + 1)})
    (text,) = check_episode(design, params, stimulus, expected, Record(got)).failures
    assert "port s_axis" in text


def test_status_outputs_are_compared():
    design = find_design("plio_port")
    params = design.params(design.cases[0], {})
    source = Trace.from_samples(np.arange(8), "int32", 64, clock_ps=4000, last=True)
    stimulus = Stimulus({"s_axis": source}, {}, {"s_aclk": Clock(4000, 4000), "m_aclk": Clock(1000, 700)})
    expected = design.model(params, stimulus)
    got = Outcome(expected.ports, {"keep_error_count": 3})
    (text,) = check_episode(design, params, stimulus, expected, Record(got)).failures
    assert text == "status keep_error_count: expected 0, got 3"


def test_a_model_that_predicts_nothing_for_a_port_fails():
    design, params, stimulus, expected = _case()
    lacking = Outcome({"s_axis": expected.ports["s_axis"]})
    (text,) = check_episode(design, params, stimulus, lacking, Record(expected)).failures
    assert text == "port m_axis: the golden model upsizer.py:predict does not predict it"


def test_violations_fail():
    design, params, stimulus, expected = _case()
    record = Record(expected, violations=("axis_valid_held: m_axis, cycle 4: tvalid fell without a transfer",))
    assert check_episode(design, params, stimulus, expected, record).failures == record.violations


def test_nothing_compared_is_a_failure():
    design, params, stimulus, _ = _case()
    nothing = Outcome({n: Trace.empty(w, clock_ps=4000, offset_ps=4000) for n, w in (("s_axis", 32), ("m_axis", 64))})
    verdict = check_episode(design, params, stimulus, nothing, Record(nothing))
    assert verdict.failures == ()
    assert nothing_compared([verdict])
    assert nothing_compared([])


def _fir(results):
    design = find_design("plio_fir")
    params = design.params(design.cases[0], {})
    program = (Access("write", 0x00C, 5), Access("read", 0x00C), Access("read", 0x7FC))
    stimulus = Stimulus({"s_axis": Trace.empty(32, clock_ps=4000)}, {}, CLOCKS, {"s_axil": program})
    expected = design.model(params, stimulus)
    return check_episode(design, params, stimulus, expected, Record(expected, {"s_axil": results}))


def test_register_reads_and_answers_are_compared():
    good = (AccessResult(None, False), AccessResult(5, False), AccessResult(0, True))
    assert _fir(good).failures == ()
    assert _fir(good).compared == 1
    assert "expected 0x00000005, got 0x00000004" in _fir((good[0], AccessResult(4, False), good[2])).failures[0]
    assert "expected an error response, got OKAY" in _fir((*good[:2], AccessResult(0, False))).failures[0]
    assert "3 accesses expected, 2 made" in _fir(good[:2]).failures[0]


def test_predicted_ends_of_accesses_are_compared():
    design = find_design("plio_fir")
    params = design.params(design.cases[0], {})
    program = (Access("write", 0x00C, 5), Access("read", 0x00C))
    stimulus = Stimulus({"s_axis": Trace.empty(32, clock_ps=4000)}, {}, CLOCKS, {"s_axil": program})
    model = design.model(params, stimulus)

    def failures(cycle, answers):
        results = (AccessResult(None, False, 3), AccessResult(5, False, cycle))
        expected = replace(model, accesses={"s_axil": answers})
        verdict = check_episode(design, params, stimulus, expected, Record(model, {"s_axil": results}))
        return verdict.failures

    answers = (AccessAnswer(None, 3), AccessAnswer(5, 7))
    assert failures(7, answers) == ()
    assert failures(8, answers) == ("s_axil: access 1 (read 0x00c): expected to end in cycle 7, ended in 8",)
    assert "expected 0x00000006, got 0x00000005" in failures(7, (AccessAnswer(None, 3), AccessAnswer(6, 7)))[0]
    assert "predicts 1 of 2" in failures(7, answers[:1])[0]
    assert "predicts 0 of 2" in failures(7, ())[0]


def test_predicted_bursts_of_memories_are_compared():
    design = find_design("axis_upsizer")
    params = design.params(design.cases[0], {})
    image = MemoryImage((Region("all", 0, np.zeros(8, np.uint8)),))
    source = Trace.from_samples(np.arange(8), "int32", 32, clock_ps=4000, frame=4)
    stimulus = Stimulus({"s_axis": source}, {}, CLOCKS, memories={"m_axi": image})
    ports = design.model(params, stimulus).ports
    log = np.array([(0, 0x100, 5), (1, 0x180, 9)], [("kind", "u1"), ("address", "u8"), ("cycle", "i8")])

    def failures(change):
        contents = [MemoryContents({"all": image.regions[0].data}, rows) for rows in (log, change(log.copy()))]
        expected, got = (Outcome(ports, memories={"m_axi": c}) for c in contents)
        return check_episode(design, params, stimulus, expected, Record(got)).failures

    def late(rows):
        rows["cycle"][1] += 1
        return rows

    assert failures(lambda rows: rows) == ()
    assert failures(late) == (
        "memory m_axi: 1 bursts differ, the first is number 1: expected kind 1, address 0x180, cycle 9; "
        "got kind 1, address 0x180, cycle 10",
    )
    assert failures(lambda rows: rows[:1]) == ("memory m_axi: 2 bursts expected, 1 made",)
