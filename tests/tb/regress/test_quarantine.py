# SPDX-License-Identifier: Apache-2.0
"""Failures in quarantine: shown and counted everywhere, and they fail no regression until their entry ends."""

import json
import shutil
import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta

import dry
import pytest
from typer.testing import CliRunner

from goldbeat.pymodels.errors import InputError
from goldbeat.tb.cli import app
from goldbeat.tb.cli.regress import end_run
from goldbeat.tb.cli.regress_options import CiService
from goldbeat.tb.regress.quarantine_file import load_quarantine
from goldbeat.tb.regress.run import BatchBackend, Observer, Settings, begin, go_on
from goldbeat.tb.regress.shard import items_of_shard, parse_shard, shard_settings
from goldbeat.tb.regress.store import Store

FAILS = BatchBackend(dry.run_and_fail, dry.build)
TODAY = datetime.now(UTC).date()


@pytest.fixture
def project(own_root, tmp_path, monkeypatch):
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def quarantine(project, *cases, days=1, reason="the FIFO drops a beat"):
    lines = [f'[[quarantine]]\ncase = "{c}"\nreason = "{reason}"\nuntil = {TODAY + timedelta(days)}\n' for c in cases]
    (project / "quarantine.toml").write_text("".join(lines))


def regress(backend=FAILS, count=12, **settings):
    with Store() as store:
        how = Settings(waves=0, **settings)
        return go_on(store, begin(store, "dry", dry.items(count), how, seed=0), how, Observer(), backend)


def show(run):
    done = CliRunner().invoke(app, ["show", str(run.id)])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_quarantined_failure_is_shown_and_fails_nothing(project, capsys):
    quarantine(project, "dry/case#3", "dry/case#10", "no/such*", "dry/case#1")
    run = regress(fail_fast=True)
    assert run.status == "pass"
    lines = show(run).splitlines()
    (verdict,) = [line for line in lines if line.startswith("PASS")]
    assert "10 of 12 pass, 2 failed in quarantine" in verdict
    assert sum("the FIFO drops a beat" in line and "quarantined: dry/case#" in line for line in lines) == 2
    assert any("no/such*" in line and "matches no case" in line for line in lines)
    assert any("dry/case#1 " in line and "always passes" in line for line in lines)
    tree = ET.parse(run.folder / "junit.xml").getroot()
    assert [tree.get(name) for name in ("failures", "errors", "skipped")] == ["0", "0", "2"]
    assert "the FIFO drops a beat" in tree.find(".//skipped").get("message")
    said = json.loads((run.folder / "report.json").read_text())["quarantine"]
    assert [len(said[name]) for name in ("excused", "ended", "passing", "unmatched")] == [2, 0, 1, 1]
    page = (run.folder / "index.html").read_text()
    assert 'id="quarantine"' in page
    assert "in quarantine" in page
    listed = json.loads(CliRunner().invoke(app, ["history", "--json"]).stdout)[0]
    assert (listed["quarantined"], listed["counts"]["fail"]) == (2, 2)
    with Store() as store:
        end_run(store, run, CiService.GITHUB)
        end_run(store, run, CiService.GITLAB)
    told = capsys.readouterr().err
    assert told.count("::warning ") == 2
    assert "::error" not in told
    assert "2 failed in quarantine" in (run.folder / "summary.md").read_text()
    assert {one["severity"] for one in json.loads((run.folder / "codequality.json").read_text())} == {"minor"}


def test_after_its_end_it_fails_and_says_so(project):
    quarantine(project, "dry/case", days=-1)
    run = regress()
    assert run.status == "fail"
    said = show(run)
    assert "2 failed (2 whose quarantine has ended)" in said
    assert "quarantine ended: dry/case#3 fails the regression" in said
    tree = ET.parse(run.folder / "junit.xml").getroot()
    assert [tree.get(name) for name in ("failures", "skipped")] == ["2", "0"]
    assert tree.find(".//failure").get("message").startswith("quarantine ended")
    quarantine(project, "dry/case", days=0)
    assert regress().status == "pass"


def test_what_is_not_listed_fails(project):
    quarantine(project, "dry/case#3")
    run = regress()
    assert (run.status, "1 failed, 1 failed in quarantine" in show(run)) == ("fail", True)
    # A quarantine of everything proves nothing.
    quarantine(project, "*")
    with Store() as store:
        how = Settings(waves=0)
        items = [one.model_copy(update={"index": 0}) for one in dry.items(12) if one.seed == 3]
        assert go_on(store, begin(store, "dry", items, how, seed=0), how, Observer(), FAILS).status == "fail"


def test_a_new_failure_in_quarantine_is_no_new_failure(project):
    before = regress(dry.DRY)
    quarantine(project, "dry/case#3", "dry/case#10")
    after = regress()
    done = CliRunner().invoke(app, ["compare", str(before.id), str(after.id)])
    assert done.exit_code == 0, done.output
    assert "new failures in quarantine (2)" in done.stdout
    quarantine(project, "dry/case#3")
    done = CliRunner().invoke(app, ["compare", str(before.id), str(regress().id), "--json"])
    found = json.loads(done.stdout)
    assert (done.exit_code, len(found["broken"]), len(found["quarantined"])) == (1, 1, 1)


def test_shards_merged_agree_with_the_whole(project, tmp_path, monkeypatch):
    quarantine(project, "dry/case#3", "dry/case#10")
    items, files = dry.items(12), []
    for number in (1, 2):
        monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / f"shard-{number}"))
        shard = parse_shard(f"{number}/2")
        part, how = items_of_shard(items, shard), Settings(waves=0)
        with Store() as store:
            run = begin(store, "dry", part, how, seed=0, shard=shard_settings(items, shard, ()))
            assert go_on(store, run, how, Observer(), FAILS).status == "pass"
            files.append(store.path)
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "merged"))
    one = CliRunner().invoke(app, ["merge", str(files[0])])
    assert (one.exit_code, "INCOMPLETE" in one.stdout) == (3, True), one.output
    both = CliRunner().invoke(app, ["merge", *map(str, files)])
    assert both.exit_code == 0, both.output
    assert "10 of 12 pass, 2 failed in quarantine" in both.stdout
    shutil.rmtree(tmp_path / "merged")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('case = "a"\nuntil = 2030-01-01', "missing quarantine.0.reason"),
        ('case = "a"\nreason = "  "\nuntil = 2030-01-01', "reason"),
        ('case = "a"\nreason = "b"', "missing quarantine.0.until"),
        ('case = "a"\nreason = "b"\nuntil = "soon"', "until"),
        ('case = "a"\nreason = "b"\nuntil = 2030-01-01\nowner = "x"', "unknown setting quarantine.0.owner"),
    ],
)
def test_a_wrong_entry_is_refused(project, text, said):
    (project / "quarantine.toml").write_text(f"[[quarantine]]\n{text}\n")
    with pytest.raises(InputError, match=said):
        load_quarantine(project)
