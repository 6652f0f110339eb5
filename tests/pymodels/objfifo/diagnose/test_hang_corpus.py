# SPDX-License-Identifier: Apache-2.0
"""A hundred planted hangs are named rightly, and none of their near misses is called one."""

import json

import pytest
from hang_corpus import CORPUS
from objfifo_designs import FAR, PRODUCE, make, one, program, ty

from goldbeat.pymodels.objfifo.diagnose.hang import HangCause, explain_hang, hang_json
from goldbeat.pymodels.objfifo.diagnose.trial import HangTrial, TrialBudget, smallest_enough
from goldbeat.pymodels.objfifo.iron.placed import object_fifo
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.untimed.deadlock import DesignVerdict, analyse


def diagnosed(name):
    planted = CORPUS[name]
    design = planted.build(True)
    report = analyse(design, strict=not planted.lax)
    return planted, report, explain_hang(design, report, strict=not planted.lax)


@pytest.mark.parametrize("name", CORPUS)
def test_planted_mistake_is_named(name):
    planted, report, found = diagnosed(name)
    assert report.verdict in (DesignVerdict.HANGS, DesignVerdict.DEPENDS), report.text()
    assert found is not None
    named = {found.cause.value: found.where} | {c.kind: c.where for c in found.cures}
    right = [kind for kind in planted.kinds if planted.where in named.get(kind, "?")]
    assert right, "\n".join(found.lines())
    assert found.missing
    assert all(one.waiter in report.text() for one in found.missing)
    assert json.loads(json.dumps(hang_json(found)))["cause"] == found.cause


@pytest.mark.parametrize("name", CORPUS)
def test_near_miss_is_no_hang(name):
    design = CORPUS[name].build(False)
    report = analyse(design)
    assert report.verdict is DesignVerdict.COMPLETES, report.text()
    assert explain_hang(design, report) is None


def test_there_are_a_hundred_of_all_kinds():
    assert len(CORPUS) >= 100
    planted = frozenset().union(*(p.kinds for p in CORPUS.values()))
    assert planted >= {"depth", "order", "release", "initial", "acquire", "no-giver", "core-ended", "fill", "drain",
                       "not-started", "iterations", "repeat"}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "cause", "text"),
    [
        ("keeps_3_1_false", HangCause.RELEASE, "keeps objects that it never releases"),
        ("never_filled_8_true", HangCause.NOT_STARTED, "MM2S 1 of shim tile (0, 0) for b was never started"),
        ("short_host_3_2", HangCause.HOST, "the fill of x moves 40 words, 48 are needed"),
        (
            "lowered_one_bd_without_release",
            HangCause.NO_GIVER,
            "releases no lock, the others of its ring release m_cons",
        ),
        ("acquire_many_4_1_false", HangCause.ACQUIRE, "asks for 5 at once of x, there are 4 at most"),
        ("few_iterations_5", HangCause.CHANNEL_ENDED, "has ended after 64 words"),
        ("puts_before_3", HangCause.DEPTH, "waits for itself; depth 3 at the producer end of x (now 2) ends it"),
    ],
)
def test_what_is_said(name, cause, text):
    _, _, found = diagnosed(name)
    assert found.cause is cause
    assert text in found.text


def test_the_words_that_are_missing():
    _, _, found = diagnosed("short_host_3_2")
    by_waiter = {one.waiter: one for one in found.missing}
    core = next(one for name, one in by_waiter.items() if name.startswith("core"))
    assert (core.fifo, core.item, core.word, core.what) == ("x", 5, 40, "misses")
    assert core.line is not None
    assert core.line.file.endswith("objfifo_designs.py")
    input_ = next(one for name, one in by_waiter.items() if name.startswith("S2MM") and one.fifo == "x")
    assert (input_.word, input_.item, input_.element, input_.buffer) == (40, 5, 0, "x_cons_buff_1")


def test_lines_of_a_program_are_no_part_of_its_accesses():
    def build():
        x = object_fifo("x", FAR[0], FAR[1], 1, ty(8))
        program(FAR[0], *one(x, PRODUCE))

    design = make(build)
    plan(design)
    first, last = design.cores[0].recorded
    assert first.line is not None
    assert first != last
    assert first == type(first)(True, "x", first.port, 0, 1)


def test_a_search_without_time_says_so():
    design = CORPUS["puts_before_2"].build(True)
    trial = HangTrial(design, plan(design), 64, TrialBudget(0.0))
    assert not trial.completes()
    assert trial.budget.stopped


@pytest.mark.parametrize("wanted", [1, 2, 3, 7, 8, 16])
def test_smallest(wanted):
    assert smallest_enough(lambda n: n >= wanted, 16) == wanted
    assert smallest_enough(lambda n: False, 16) is None
    assert smallest_enough(lambda n: True, 0) is None
