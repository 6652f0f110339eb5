# SPDX-License-Identifier: Apache-2.0
"""What many runs say of every case: rates, first failing commits, flaky cases, failures that are alike."""

import json
from pathlib import Path

import dry
import pytest
from typer.testing import CliRunner

from goldbeat.tb.cli import app
from goldbeat.tb.regress.flaky import find_flaky
from goldbeat.tb.regress.history import CommitOfRun, read_history
from goldbeat.tb.regress.item import Item, ItemResult, Status
from goldbeat.tb.regress.plan import make_plan
from goldbeat.tb.regress.run import BatchBackend, Observer, Settings, begin, go_on
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.suite import Suite

CLOCKED = """
import time
from dataclasses import replace
from pathlib import Path

import moody

DEADLINE = Path(__file__).with_name("deadline" + ".txt")


def _make(setting):
    late = time.time() > float(DEADLINE.read_text())
    moods = f"lie@{setting.seed}" if late and setting.seed % 40 == 7 else ""
    return moody._make(replace(setting, options={**setting.options, "moods": moods}))


CASE = moody.DESIGN.cases[0].model_copy(update={"make": _make})
DESIGN = moody.DESIGN.model_copy(update={"name": "clocked", "cases": (CASE,)})
"""


@pytest.fixture
def store(own_root):
    with Store() as store:
        yield store


@pytest.mark.sim
@pytest.mark.parametrize("seeds", [80, pytest.param(2000, marks=pytest.mark.slow)])
def test_a_bench_that_reads_the_clock_is_found(store, tmp_path, seeds):
    source = tmp_path / "clocked.py"
    source.write_text(CLOCKED)
    suite = Suite.model_validate({"seeds": seeds, "run": [{"designs": [str(source)], "options": {"beats": 8}}]})
    for deadline in ("1e12", "0", "1e12"):
        (tmp_path / "deadline.txt").write_text(deadline)
        settings = Settings(jobs=2, waves=0)
        go_on(store, begin(store, "clocked", make_plan(suite, Path()), settings, seed=0), settings, Observer())
    found = read_history(store)
    assert len(found.cases) == seeds
    assert {one.key for one in found.flaky} == {f"clocked/random/beats=8#{n}" for n in range(7, seeds, 40)}
    assert {(one.passed, one.failed, one.fault) for one in found.flaky} == {(2, 1, "bench")}
    assert all("reads the clock" in one.evidence for one in found.flaky)


# -- through the store --------------------------------------------------------------------------------------------------

TOOLS = {"Verilator": "5.048", "Python": "3.11"}
FILES = {"d": "0123456789abcdef"}


def record(store, verdicts, *, git="a", code="c", files=FILES, tools=TOOLS, facts=None, options=None, more=None):
    """A run: verdict and further fields of a result by seed."""
    items = [Item(index=n, key=f"d/c#{n}", design="d", case="c", seed=n, options=options or {}) for n in verdicts]
    settings = {"files": files, "tools": tools, **(more or {})}
    run = store.begin("s", items, git=git, code=code, host="master", seed=0, settings=settings)
    results = []
    for item in items:
        said = {"status": Status.PASS, "worker": "one:1", "traffic": "t", "trace_hash": "h", "cycles": 9}
        said |= {"compared": 40, "sim_ps": 2_000_000, "wall_s": 0.5, **verdicts[item.seed]}
        if not said["status"].good:
            said = {"failures": (f"m_axis: beat {run.id} differs",), **said}
        results.append(ItemResult(item.index, item.key, **said))
    store.record(run.id, results)
    store.end(run.id, "fail", facts or {})
    return run.id


GOOD, BAD = {}, {"status": Status.FAIL}


@pytest.mark.parametrize(
    "change",
    [
        {"code": "other"},
        {"files": {"d": "fedcba9876543210"}},
        {"files": {"d": "no such file"}},
        {"tools": {**TOOLS, "Verilator": "5.050"}},
        {"tools": {}},
        {"options": {"beats": 3}},
        {"more": {"coverage": True}},
        {"more": {"mixed": [{"git": "b", "changed": ["d"]}]}},
        {"facts": {"changed_meanwhile": ["d"]}},
    ],
)
def test_different_hashes_are_never_flaky(store, change):
    record(store, {0: GOOD, 1: GOOD})
    record(store, {0: BAD, 1: GOOD}, **change)
    assert read_history(store).flaky == []
    record(store, {0: BAD, 1: GOOD})
    assert [one.key for one in read_history(store).flaky] == ["d/c#0"]


@pytest.mark.parametrize("change", [{"files": {"d": "no such file"}}, {"files": {}}, {"tools": {}}])
def test_hashes_that_are_not_known_are_not_equal(store, change):
    record(store, {0: GOOD}, **change)
    record(store, {0: BAD}, **change)
    assert read_history(store).flaky == []


@pytest.mark.parametrize(
    ("good", "bad", "fault", "evidence"),
    [
        ({}, {"worker": "two:7"}, "machine", "two fails 1 of 1; passes only on one"),
        ({}, {"status": Status.TIMEOUT, "trace_hash": None}, "machine", "busy"),
        ({}, {"status": Status.CRASH, "trace_hash": None}, "machine", "crash"),
        ({}, {"traffic": "u", "worker": "two:7"}, "bench", "the stimulus differs at the same seed"),
        ({}, {"trace_hash": "i"}, "bench", "both verdicts on one host (one)"),
        ({}, {"trace_hash": "i", "before": (3, 4)}, "bench", "1 of 1 failures ran after other cases"),
        ({}, {}, "bench", "traces are the same: the golden model or the check"),
    ],
)
def test_the_fault_is_named_with_its_evidence(store, good, bad, fault, evidence):
    record(store, {0: good})
    record(store, {0: {**BAD, **bad}})
    (one,) = read_history(store).flaky
    assert one.fault == fault
    assert evidence in one.evidence
    assert one.runs == (1, 2)


def test_fifty_among_two_thousand_recorded_cases(store):
    planted = set(range(7, 2000, 40))
    for number in range(4):
        # Others break with a change of the design, and are mended with the next one.
        files = {"d": f"{number // 2:016x}"}
        bad = {n for n in planted if number == 1} | {n for n in range(2000) if n % 3 == 0 and number >= 2} - planted
        record(store, {n: BAD if n in bad else GOOD for n in range(2000)}, files=files, git=f"g{number}")
    assert {one.key for one in read_history(store).flaky} == {f"d/c#{n}" for n in planted}
    assert find_flaky(store, store.runs(), {}) == []


def test_first_failing_and_last_passing_commits(store):
    killed = {"status": Status.KILLED}
    for git, first, second in (("a", BAD, GOOD), ("b", GOOD, GOOD), ("c", BAD, killed), ("d+", BAD, GOOD)):
        record(store, {0: first, 1: second}, git=git, code=git)
    never = record(store, {0: BAD, 2: BAD}, git="e", code="e")
    found = {case.key: case for case in read_history(store).cases}
    case = found["d/c#0"]
    assert (case.fails_since, case.last_pass) == (CommitOfRun(3, "c"), CommitOfRun(2, "b"))
    assert (case.verdicts, case.passed, case.runs, case.rate, case.wall_s) == ("fpfff", 1, 5, 0.2, 0.5)
    other = found["d/c#1"]
    assert (other.verdicts, other.fails_since, other.cycles, other.values_per_us) == ("ppkp-", None, 9, 20.0)
    assert (found["d/c#2"].fails_since, found["d/c#2"].last_pass) == (CommitOfRun(never, "e"), None)
    (pattern,) = read_history(store).patterns[:1]
    assert (pattern.cases, pattern.count, pattern.first.git, pattern.last.git) == (2, 5, "a", "e")
    assert [run.git for run in read_history(store, last=2).runs] == ["d+", "e"]
    assert read_history(store, suite="other").cases == []


def test_the_command_and_its_page(store, own_root, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    record(store, {0: GOOD, 1: GOOD})
    record(store, {0: {**BAD, "failures": ("<script>alert(1)</script> 7",)}, 1: GOOD})

    def said(*words):
        done = CliRunner().invoke(app, ["history", *words])
        assert done.exit_code == 0, done.output
        return done.stdout

    assert "fault of the bench" in said("--flaky")
    assert "1 kinds of failure in 2 runs" in said("--failures")
    assert "a (run 2)" in said("--cases", "--filter", "d/c#0")
    whole = json.loads(said("--cases", "--flaky", "--failures", "--json"))
    assert [case["key"] for case in whole["cases"]] == ["d/c#0", "d/c#1"]
    assert (len(whole["flaky"]), len(whole["failures"]), len(whole["runs"])) == (1, 1, 2)
    assert json.loads(said("--cases", "--filter", "*#1", "--json"))["cases"][0]["rate"] == 1.0
    said("--page")
    page = (own_root / "regress" / "history.html").read_text()
    assert "d/c#0" in page
    assert "<script" not in page
    assert "http" not in page
    assert [run["run"] for run in json.loads(said("--json"))] == [2, 1]
    assert CliRunner().invoke(app, ["history", "--filter", "x"]).exit_code == 2


def test_runs_record_their_tools(store):
    run = begin(store, "dry", dry.items(3), Settings(), seed=0)
    assert {"simulator", "compiler", "python", "cocotb"} <= set(run.settings["tools"])
    fails = BatchBackend(dry.run_and_fail, dry.build)
    for backend in (dry.DRY, fails):
        go_on(store, begin(store, "dry", dry.items(8), Settings(), seed=0), Settings(waves=0), Observer(), backend)
    assert [one.key for one in read_history(store).flaky] == ["dry/case#3"]
