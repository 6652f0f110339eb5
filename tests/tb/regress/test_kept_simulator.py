# SPDX-License-Identifier: Apache-2.0
"""A worker keeps its simulator for the next batch, and nobody's results know of it."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.regress import worker
from goldbeat.tb.regress.item import Batch
from goldbeat.tb.regress.kept_simulator import RunningSimulator, SimulatorPlace
from goldbeat.tb.regress.plan import make_plan
from goldbeat.tb.regress.suite import Suite
from goldbeat.tb.regress.worker import build_simulator, run_batch
from goldbeat.tb.run.simulate import Simulator

MOODY = str(REPOSITORY / "tests" / "support" / "moody.py")


def batches(size, count, moods="", **more):
    """Batches of one design, and its simulator."""
    options = {"moods": moods}
    entry = {"designs": [MOODY], "options": options}
    items = make_plan(Suite.model_validate({"seeds": size * count, "timeout_s": 4, "run": [entry]}), Path())
    simulator, _ = build_simulator(items[0], None)
    return [Batch(tuple(items[i : i + size]), simulator, **more) for i in range(0, len(items), size)]


@pytest.fixture
def started(monkeypatch):
    """The simulator processes that were started; those that are kept end with the test."""
    found = []

    class Counted(Simulator):
        def __init__(self, *rest, **more):
            super().__init__(*rest, **more)
            found.append(self)

    monkeypatch.setattr(worker, "Simulator", Counted)
    yield found
    worker.PLACE.clear()


@pytest.mark.sim
def test_one_process_runs_many_batches_and_ends_for_another_run(own_root, started):
    alone = [r for batch in batches(4, 1) for r in run_batch(batch).results]
    assert len(started) == 1
    kept = [r for batch in batches(1, 4, run="a") for r in run_batch(batch).results]
    assert len(started) == 2
    assert [r.trace_hash for r in kept] == [r.trace_hash for r in alone]
    assert all(r.passed for r in kept)
    (folder,) = (own_root / "jobs").glob("*/")
    run_batch(batches(1, 1, run="b")[0])
    assert len(started) == 3
    assert not folder.exists()
    worker.PLACE.clear()
    assert not list((own_root / "jobs").glob("*/"))


@pytest.mark.slow
@pytest.mark.sim
def test_a_fault_ends_the_process_and_the_next_case_gets_another(own_root, started):
    results = [r for batch in batches(1, 5, "crash@1 hang@3", run="a") for r in run_batch(batch).results]
    assert [r.status.value for r in results] == ["pass", "crash", "pass", "timeout", "pass"]
    assert len(started) == 3
    assert results[1].before == (0,)
    assert results[3].before == (2,)
    alone = [r for batch in batches(5, 1) for r in run_batch(batch).results]
    assert [results[i].trace_hash for i in (0, 2, 4)] == [alone[i].trace_hash for i in (0, 2, 4)]


@pytest.mark.sim
def test_a_process_that_died_while_it_waited_is_nobodys_fault(own_root, started):
    first, second = batches(2, 2, run="a")
    run_batch(first)
    started[0]._process.kill()
    assert [r.status.value for r in run_batch(second).results] == ["pass", "pass"]
    assert len(started) == 2


@pytest.mark.sim
def test_a_failure_names_what_ran_before_it_in_all_batches_of_its_process(own_root, started):
    results = [r for batch in batches(2, 2, "grudge@1", run="a") for r in run_batch(batch).results]
    assert [r.status.value for r in results] == ["pass", "pass", "fail", "fail"]
    assert [r.before for r in results] == [(), (), (0, 1), (0, 1, 2)]
    assert len(started) == 1


@pytest.mark.sim
def test_a_process_ends_after_so_many_cases(own_root, started, monkeypatch):
    monkeypatch.setattr(worker, "_MOST_RAN", 2)
    results = [r for batch in batches(1, 3, run="a") for r in run_batch(batch).results]
    assert all(r.passed for r in results)
    assert len(started) == 2


def test_the_place_has_room_for_one():
    ended = []

    def simulator(name):
        stack = ExitStack()
        stack.callback(ended.append, name)
        return RunningSimulator(None, stack)

    place = SimulatorPlace()
    assert place.take("x") is None
    one = simulator("one")
    place.keep("x", one)
    assert place.take("x") is one
    assert ended == []
    place.keep("x", one)
    place.keep("y", simulator("two"))
    assert ended == ["one"]
    assert place.take("z") is None
    assert ended == ["one", "two"]
    place.keep("z", simulator("three"))
    place.clear()
    place.clear()
    assert ended == ["one", "two", "three"]
