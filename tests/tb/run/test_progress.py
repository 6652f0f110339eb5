# SPDX-License-Identifier: Apache-2.0
"""How far a run is, by prediction."""

import pytest

from goldbeat.pymodels.stimulus import AccessAnswer, Clock, Outcome, Phase, Stimulus
from goldbeat.tb.inside.job import Episode
from goldbeat.tb.run.progress import Course

CLOCKS = {"aclk": Clock(4000, 4000), "other": Clock(1000, 1000)}


def step(run_cycles, answers=(), stop_ps=None, phases=(), pace=""):
    stimulus = Stimulus({}, clocks=CLOCKS, stop_ps=stop_ps)
    outcome = Outcome({}, accesses={"s": [AccessAnswer(None, cycle) for cycle in answers]}, phases=phases, pace=pace)
    return (stimulus, outcome), Episode(stimulus, 4000 * run_cycles)


def course(*parts):
    return Course([s for s, _ in parts], [e for _, e in parts])


def test_programs_streams_and_resets_count():
    assert course(step(10)).cycles == 10
    assert course(step(10, answers=(5, None, 99))).cycles == 110
    assert course(step(10, stop_ps=12_000)).cycles == 3
    assert course(step(10), step(20)).cycles == 30


@pytest.mark.parametrize(
    ("ps", "cycle", "phase"), [(0, 10, ""), (4 * 4000, 14, "a"), (8 * 4000, 18, "b"), (10**9, 30, "")]
)
def test_where_it_stands(ps, cycle, phase):
    second = step(20, phases=(Phase("a", 3, 7), Phase("b", 8, 9)), pace="fast")
    where = course(step(10), second).at(1, ps)
    assert (where.cycle, where.cycles, where.phase, where.pace) == (cycle, 30, phase, "fast")
    assert (where.done, where.episodes) == (1, 2)


def test_the_end_is_the_predicted_one():
    where = course(step(10), step(20)).at(2, 0)
    assert (where.cycle, where.cycles, where.done) == (30, 30, 2)
