# SPDX-License-Identifier: Apache-2.0
"""The engine and the store, without a simulator."""

import json
import shutil
import sqlite3
import threading
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor

import dry
import pytest

from goldbeat.pymodels.errors import InputError, ToolError, UsageError
from goldbeat.tb.paths import HDL
from goldbeat.tb.regress.engine import Hooks, WorkEngine
from goldbeat.tb.regress.item import Batch, Status
from goldbeat.tb.regress.plan import make_batches
from goldbeat.tb.regress.pool import LocalExecutor, TaskError, WorkerLostError
from goldbeat.tb.regress.run import BatchBackend, Observer, Settings, begin, go_on
from goldbeat.tb.regress.store import DiskFullError, Store, locked


def regress(store, items, runner=dry.run, *, jobs=1, **settings):
    settings = Settings(jobs=jobs, waves=0, **settings)
    run = begin(store, "dry", items, settings, seed=0)
    return go_on(store, run, settings, Observer(), BatchBackend(runner, dry.build))


def statuses(store, run):
    return {r.item.index: None if r.result is None else r.result.status for r in store.rows(run.id)}


@pytest.fixture
def store(own_root):
    with Store() as store:
        yield store


# -- the pool -----------------------------------------------------------------------------------------------------------


def test_the_pool_is_an_executor():
    with LocalExecutor(2) as pool:
        assert list(pool.map(abs, [-1, -2, 3])) == [1, 2, 3]
        future = pool.submit(int, "x")
        with pytest.raises(ValueError, match="invalid literal"):
            future.result()
    with pytest.raises(RuntimeError, match="closed"):
        pool.submit(abs, 1)


def test_a_dead_worker_fails_its_own_task_alone():
    import os

    with LocalExecutor(1) as pool:
        with pytest.raises(WorkerLostError):
            pool.submit(os._exit, 3).result()
        assert pool.submit(abs, -1).result() == 1


def test_what_cannot_be_pickled_is_an_error_and_not_the_end():
    with LocalExecutor(1) as pool:
        with pytest.raises(TaskError):
            pool.submit(threading.Lock).result()
        assert pool.submit(abs, -1).result() == 1


def test_a_user_error_keeps_its_family(tmp_path):
    from goldbeat.pymodels.errors import GoldbeatError
    from goldbeat.tb.regress.suite import load_suite

    with LocalExecutor(1) as pool, pytest.raises(GoldbeatError, match="no such file"):
        pool.submit(load_suite, tmp_path / "x.toml").result()


# -- the engine -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("executor", [ThreadPoolExecutor, LocalExecutor])
def test_any_executor_will_do(executor):
    items = dry.items(200)
    seen = []

    def record(results, coverage):
        seen.extend(r.index for r in results)
        return results

    with executor(2) as pool:
        hooks = Hooks(lambda chunk, simulator: Batch(tuple(chunk), simulator), record)
        engine = WorkEngine(pool, pool, hooks, runner=dry.run, build=dry.build)
        engine.run(make_batches(items, 2))
    assert sorted(seen) == list(range(200))


def test_every_item_has_its_result(store):
    run = regress(store, dry.items(300))
    assert run.status == "pass"
    assert set(statuses(store, run).values()) == {Status.PASS}
    assert store.counts(run.id) == {"pass": 300}


def test_a_killed_worker_costs_nothing(store):
    run = regress(store, dry.items(100), dry.run_and_die_once)
    assert run.status == "pass"
    assert run.facts["lost"] == 1
    attempts = {r.item.index: r.result.attempt for r in store.rows(run.id)}
    assert attempts[4] == 1
    assert attempts[5] == 2


def test_an_item_that_kills_workers_is_found(store):
    run = regress(store, dry.items(100), dry.run_and_die)
    by = statuses(store, run)
    assert [i for i, s in by.items() if s is not Status.PASS] == [5]
    assert by[5] is Status.CRASH
    assert "worker was lost" in store.find(run.id, "5").result.failures[0]
    assert run.status == "fail"


def test_fail_fast_leaves_the_rest(store):
    items = dry.items(2000)
    run = regress(store, items, dry.run_and_fail, fail_fast=True)
    assert run.status == "stopped"
    counts = store.counts(run.id)
    assert counts["fail"] >= 1
    assert counts["open"] > 0
    settings = Settings(jobs=2, waves=0)
    run = go_on(store, run, settings, Observer(), BatchBackend(dry.run_and_fail, dry.build))
    assert run.status == "fail"
    assert store.counts(run.id) == {"fail": 286, "pass": 1714}


def test_a_full_disk_stops_the_run_and_what_was_there_stays(store):
    items = dry.items(40)
    settings = Settings(jobs=1, waves=0)
    run = begin(store, "dry", items, settings, seed=0)
    with pytest.raises(DiskFullError, match="no room"):
        go_on(store, run, settings, Observer(), BatchBackend(dry.run_into_full_disk, dry.build))
    run = store.run(run.id)
    assert run.status == "stopped"
    assert store.counts(run.id) == {"pass": 1, "open": 39}
    run = go_on(store, run, settings, Observer(), dry.DRY)
    assert run.status == "pass"


@pytest.mark.parametrize("runner", [dry.run_into_bug, dry.run_without_a_file])
def test_a_bug_in_a_worker_is_an_error_of_its_items(store, runner):
    run = regress(store, dry.items(20), runner)
    row = store.find(run.id, "dry/case#3")
    assert row.result.status is Status.ERROR
    assert "a bug in the worker" in row.result.failures[0]
    assert "Traceback" in row.result.log


def test_a_simulator_that_cannot_be_built_is_an_error_of_its_items(store):
    item = dry.items(1)[0].model_copy(update={"params": {"DATA_W": 12}})
    settings = Settings(jobs=1, waves=0)
    run = begin(store, "dry", [item], settings, seed=0)
    run = go_on(store, run, settings, Observer())
    assert run.status == "fail"
    assert store.find(run.id, "0").result.status is Status.ERROR


# -- what a run depends on --------------------------------------------------------------------------------------------

DESCRIPTION = """
from pathlib import Path
from goldbeat.tb.design.catalog import designs
DESIGN = designs()["axis_skid"].model_copy(update={"root": Path(__file__).parent / "hdl"})
"""


@pytest.fixture
def stopped(store, tmp_path):
    """A run of a design of one's own that has been stopped, with some results."""
    shutil.copytree(HDL, tmp_path / "hdl")
    (tmp_path / "own.py").write_text(f'{DESCRIPTION}TABLE = "limits.txt"\n')
    with (tmp_path / "hdl/axis/axis_skid.sv").open("a") as stream:
        stream.write('module table_of; logic [7:0] m [4]; initial $readmemh("m.hex", m); endmodule\n')
    for name in ("suite.toml", "limits.txt", "hdl/axis/m.hex"):
        (tmp_path / name).touch()
    items = [i.model_copy(update={"source": str(tmp_path / "own.py")}) for i in dry.items(20)]
    run = begin(store, "dry", items, Settings(), seed=0, file=tmp_path / "suite.toml")
    store.record(run.id, [dry.result(i) for i in items[:7]])
    store.end(run.id, "stopped", {})
    return store.run(run.id)


@pytest.mark.parametrize("file", ["hdl/axis/axis_skid.sv", "own.py", "hdl/axis/m.hex", "limits.txt"])
def test_results_of_two_versions_do_not_mix_unnoticed(store, stopped, tmp_path, file):
    before = store.counts(stopped.id)
    with (tmp_path / file).open("a") as stream:
        stream.write("\n")
    with pytest.raises(UsageError, match=r"changed since run 1 began: .*own\.py"):
        go_on(store, stopped, Settings(waves=0), Observer(), dry.DRY)
    assert store.counts(stopped.id) == before
    assert store.run(stopped.id).status == "stopped"
    notes = []
    settings = Settings(waves=0, accept_changes=True)
    run = go_on(store, stopped, settings, Observer(note=notes.append), dry.DRY)
    assert len(notes) == 1
    assert "open" not in store.counts(run.id)
    assert "own.py: results are of several versions" in run.mixture[0]
    assert "results are of several versions" in (run.folder / "index.html").read_text()
    # What was accepted once is how it is now.
    assert go_on(store, run, Settings(waves=0), Observer(), dry.DRY).settings["mixed"] == run.settings["mixed"]


def test_a_suite_that_has_changed_does_not_change_the_run(store, stopped, tmp_path):
    (tmp_path / "suite.toml").write_text("seeds = 1")
    notes = []
    run = go_on(store, stopped, Settings(waves=0), Observer(note=notes.append), dry.DRY)
    assert "open" not in store.counts(run.id)
    assert "continues with its original cases" in notes[0]
    assert run.mixture == []


def test_what_changes_while_a_run_is_going_on_is_said(store, tmp_path):
    (tmp_path / "data.txt").write_text("1")
    items = [i.model_copy(update={"inputs": {"s_axis": str(tmp_path / "data.txt")}}) for i in dry.items(20)]
    run = begin(store, "dry", items, Settings(), seed=0)
    edit = Observer(results=lambda results: (tmp_path / "data.txt").write_text("2"))
    run = go_on(store, run, Settings(jobs=1, waves=0), edit, dry.DRY)
    assert run.status == "pass"
    assert "data.txt; results may be of both versions" in run.mixture[0]


# -- the store ------------------------------------------------------------------------------------------------------------


def test_a_result_is_written_once(store):
    items = dry.items(3)
    run = begin(store, "dry", items, Settings(), seed=0)
    first = dry.result(items[0])
    assert store.record(run.id, [first], {"p": 1}) == [0]
    assert store.record(run.id, [dry.result(items[0], 2, Status.FAIL), dry.result(items[1])], {"p": 5}) == [1]
    assert store.find(run.id, "0").result == first
    assert store.coverage(run.id) == {"p": 6}


def test_two_at_once_have_runs_of_their_own(own_root):
    ends = []

    def one():
        with Store() as store:
            run = regress(store, dry.items(150), jobs=1)
            ends.append((run.id, run.status, store.counts(run.id)))

    threads = [threading.Thread(target=one) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(ends) == [(1, "pass", {"pass": 150}), (2, "pass", {"pass": 150})]


def test_a_run_belongs_to_one_process(store):
    run = begin(store, "dry", dry.items(3), Settings(), seed=0)
    lock = locked(run)
    with pytest.raises(UsageError, match="still running"):
        go_on(store, run, Settings(waves=0), Observer(), dry.DRY)
    lock.release()
    assert go_on(store, run, Settings(waves=0), Observer(), dry.DRY).status == "pass"


def test_looking_things_up(store):
    run = regress(store, dry.items(3))
    assert store.last_with("dry/case#2") == run.id
    assert store.runs()[0] == run
    assert store.runs(suite="other") == []
    for call in (
        lambda: store.run(99),
        lambda: store.find(run.id, "dry/case#9"),
        lambda: store.last_with("nosuch"),
        lambda: store.unfinished(None),
    ):
        with pytest.raises(UsageError):
            call()


def test_a_file_that_somebody_keeps_locked(own_root, monkeypatch):
    monkeypatch.setattr("goldbeat.tb.regress.store._BUSY_S", 0.1)
    with Store() as store:
        run = begin(store, "dry", dry.items(3), Settings(), seed=0)
        base = sqlite3.connect(store.path, isolation_level=None)
        base.execute("BEGIN IMMEDIATE")
        with pytest.raises(ToolError, match="locked by another process"):
            store.record(run.id, [dry.result(dry.items(3)[0])])
        assert store.counts(run.id) == {"open": 3}
        base.execute("ROLLBACK")
        base.close()
        assert go_on(store, run, Settings(waves=0), Observer(), dry.DRY).status == "pass"


def test_a_file_that_is_none_of_ours(tmp_path):
    path = tmp_path / "results.sqlite"
    path.write_text("not a database" * 100)
    with pytest.raises(InputError, match="results"):
        Store(path)
    other = tmp_path / "newer.sqlite"
    base = sqlite3.connect(other)
    base.execute("PRAGMA user_version=99")
    base.close()
    with pytest.raises(InputError, match="format 99"):
        Store(other)


# -- reports ----------------------------------------------------------------------------------------------------------------


def test_junit_and_json_say_the_same(store):
    run = regress(store, dry.items(50), dry.run_and_fail)
    top = ET.parse(run.folder / "junit.xml").getroot()
    suite = top.find("testsuite")
    assert suite.get("tests") == "50"
    assert suite.get("failures") == "7"
    bad = [c for c in suite.iter("testcase") if c.find("failure") is not None]
    assert bad[0].get("name") == "case#3"
    assert f"goldbeat rerun '{run.id}/dry/case#3' --waves" in bad[0].find("failure").text
    report = json.loads((run.folder / "report.json").read_text())
    assert report["status"] == "fail"
    assert sum(c["status"] == "fail" for c in report["cases"]) == 7
