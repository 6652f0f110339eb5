# SPDX-License-Identifier: Apache-2.0
"""Failed cases again, more seeds of them, and fresh seeds until one fails: without a simulator."""

import json

import dry
import pytest
from typer.testing import CliRunner

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.cli import app
from goldbeat.tb.regress import run as regress_run
from goldbeat.tb.regress.again import around, fresh_seeds
from goldbeat.tb.regress.run import BatchBackend, Observer, Settings, begin, go_on
from goldbeat.tb.regress.store import Store


@pytest.fixture
def run_of_20(own_root, monkeypatch):
    """A run in which seeds 3, 10 and 17 fail; from now on, commands use the same back end."""
    backend = BatchBackend(dry.run_and_fail, dry.build)
    with Store() as store:
        settings = Settings(jobs=1, waves=0)
        go_on(store, begin(store, "dry", dry.items(20), settings, seed=0), settings, Observer(), backend)
    monkeypatch.setattr(regress_run, "BatchBackend", lambda: backend)
    return own_root


def goldbeat(*words):
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, " ".join(done.output.split())


def report(root, run):
    return json.loads((root / "regress" / f"run-{run}" / "report.json").read_text())


def test_new_seeds_are_the_nearest_that_the_run_had_not():
    three, four = dry.items(5)[3:]
    assert [i.seed for i in around([three, four], 3, {"dry/case": {3, 4}})] == [3, 4, 2, 5, 1, 6, 7, 8]
    assert [i.key for i in around([dry.items(1)[0]], 2, {})] == ["dry/case#0", "dry/case#1", "dry/case#2"]
    other = three.model_copy(update={"key": "dry/other#3"})
    found = fresh_seeds([three, four, other], 5, {"dry/case": {3, 4}})
    assert [i.key for i in found] == ["dry/case#5", "dry/other#0", "dry/case#6", "dry/other#1", "dry/case#7"]
    assert [i.index for i in found] == [0, 1, 2, 3, 4]
    for call in (lambda: around([three], 100_000, {}), lambda: fresh_seeds([three], 100_001, {})):
        with pytest.raises(UsageError, match="100000"):
            call()


def test_failed_cases_run_again_with_more_seeds(run_of_20):
    code, said = goldbeat("rerun", "--failed", "--seeds", 4, "--jobs", 1)
    assert code == 1
    # 3, 10 and 17 themselves, and 20 to 31.
    assert "dry/case: 3 of 3 failed case(s) failed again, 2 of 12 new seed(s) failed (16.7%)" in said
    assert "FAIL rerun-1: 10 of 15 pass, 5 failed" in said
    page = (run_of_20 / "regress/run-2/index.html").read_text()
    assert "2 of 12 new seed(s) failed" in page
    found = report(run_of_20, 2)
    assert found["again"] == [
        {"case": "dry/case", "again": 3, "again_failed": [3, 10, 17], "new": 12, "new_failed": [24, 31]}
    ]
    assert found["settings"]["rerun"] == {"run": 1, "cases": 3, "until_fail": False}


def test_what_is_mended_passes(run_of_20, monkeypatch):
    monkeypatch.setattr(regress_run, "BatchBackend", lambda: dry.DRY)
    code, said = goldbeat("rerun", "--failed", 1, "--json")
    assert code == 0
    assert '"again_failed": []' in said
    code, said = goldbeat("rerun", "--failed")
    assert (code, "run 2 has no failed case" in said) == (3, True)


def test_fresh_seeds_run_until_one_fails(run_of_20):
    code, said = goldbeat("rerun", "1/dry/case#5", "--until-fail", "--jobs", 1)
    assert code == 1
    found = report(run_of_20, 2)
    assert found["again"][0]["new_failed"][0] == 24
    # What has not run by then is no part of the run.
    with Store() as store:
        assert store.counts(2).keys() == {"pass", "fail"}
        assert found["total"] == len(store.briefs(2)) < 1000
    assert found["status"] == "fail"
    assert "not run" not in said
    # The next search begins after them.
    code, said = goldbeat("rerun", "1/dry/case#5", "--until-fail", 1)
    assert [row["seed"] for row in report(run_of_20, 3)["cases"]] == [20 + found["total"]]


def test_an_interrupted_search_goes_on(run_of_20):
    from goldbeat.tb.regress.recorded import RerunSettings

    with Store() as store:
        items = fresh_seeds(dry.items(1), 1000, {"dry/case": range(20)})
        rerun = RerunSettings(run=1, cases=0, until_fail=True)
        begin(store, "rerun-1", items, Settings(), seed=0, rerun=rerun)
    code, _ = goldbeat("regress", "rerun-1", "--resume", "--jobs", 1, "--no-waves-on-fail")
    assert code == 1
    found = report(run_of_20, 2)
    assert found["again"][0]["new_failed"][0] == 24
    assert found["total"] < 1000


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "expected a case, or --failed"),
        (["--failed", "--with-batch"], "--with-batch runs one case"),
        (["1/dry/case#3", "--seeds", 2, "--until-fail"], "exclude each other"),
        (["--failed", "7"], "there is no run 7"),
        (["--failed", "1/dry/case#3"], "is not the number of a run"),
    ],
)
def test_what_cannot_run_again_is_refused(run_of_20, words, said):
    code, output = goldbeat("rerun", *words)
    assert (code, said in output) == (2, True), output
