# SPDX-License-Identifier: Apache-2.0
"""What a user owns stays: names of runs, and folders that no run has made."""

from __future__ import annotations

import json

import pytest
from commands import invoke

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.tb.design.catalog import find_design, load_design
from goldbeat.tb.paths import plain_name
from goldbeat.tb.run.report import write_report
from goldbeat.tb.run.run_folder import MADE, MARKER, is_run, prepare, run_folder
from goldbeat.tb.run.runs import Request, RunResult


@pytest.fixture
def build(monkeypatch, tmp_path):
    own = tmp_path / "build"
    monkeypatch.setenv("GOLDBEAT_BUILD", str(own))
    return own


def _fill(folder):
    """A folder of the user's with files under a run's names; what it holds."""
    (folder / "output").mkdir(parents=True)
    (folder / "output" / "thesis.txt").write_text("ten years\n")
    (folder / "report.json").write_text('{"design": "plio_fir", "status": "pass"}\n')
    (folder / "notes.txt").write_text("mine\n")
    return _contents(folder)


def _contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize(
    "name", ["../../mine", "..", ".", "", ".hidden", "a/b", "/tmp/x", "a b", "-x", "a\n", "é", "a\\b"]
)
def test_names_that_could_leave_the_folder_are_refused(build, name):
    before = _fill(build.parent / "mine")
    run = invoke("run", "plio_fir", f"--name={name}")
    assert run.exit_code == 2
    assert "expected letters, digits" in run.output
    assert _contents(build.parent / "mine") == before
    assert not (build / "runs").exists()


def test_an_absolute_name_of_a_users_folder_is_refused(build):
    before = _fill(build.parent / "mine")
    for command in ("run", "plio_fir"), ("nvdla", "execute", "x.nvdla"), ("run", "nvdla", "--loadable", "x.nvdla"):
        assert "--name" in invoke(*command, "--name", build.parent / "mine").output
    assert _contents(build.parent / "mine") == before


def test_a_report_json_alone_makes_no_run_folder(build):
    before = _fill(build / "runs" / "mine")
    run = invoke("run", "plio_fir", "--name", "mine")
    assert run.exit_code == 2
    assert "was not written by a run" in run.output
    assert "--force" in run.output
    assert _contents(build / "runs" / "mine") == before


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '"goldbeat-run-1"', '{"schema": 1}', '{"schema": "other"}', "[" * 4000, "\0", " " * 5000 + "{}"],
)
def test_a_marker_that_is_none_is_refused(tmp_path, text):
    (tmp_path / MARKER).write_text(text)
    assert not is_run(tmp_path)
    with pytest.raises(UsageError, match="was not written by a run"):
        prepare(tmp_path)
    assert (tmp_path / MARKER).read_text() == text


def test_force_replaces_what_runs_make_and_nothing_else(tmp_path):
    _fill(tmp_path)
    prepare(tmp_path, force=True)
    assert is_run(tmp_path)
    assert sorted(_contents(tmp_path)) == [MARKER, "notes.txt"]
    for name in MADE:
        (tmp_path / name).mkdir()
    prepare(tmp_path)
    assert sorted(_contents(tmp_path)) == [MARKER, "notes.txt"]


def test_a_link_to_a_users_folder_is_removed_not_followed(tmp_path):
    before = _fill(tmp_path / "mine")
    prepare(tmp_path / "run")
    (tmp_path / "run" / "output").symlink_to(tmp_path / "mine")
    (tmp_path / "run" / "traces").symlink_to(tmp_path / "nowhere")
    prepare(tmp_path / "run")
    assert _contents(tmp_path / "mine") == before
    assert [p.name for p in (tmp_path / "run").iterdir()] == [MARKER]


@pytest.mark.parametrize(
    "words",
    [
        ("--set", "taps=1,2"),
        ("--set", "ready=often"),
        ("--input", "s_axis=missing.txt"),
        ("--transactors", "neither"),
        ("--case", "nothing"),
    ],
)
def test_bad_usage_keeps_the_last_report(build, words):
    folder = build / "runs" / "plio_fir-filter"
    prepare(folder)
    (folder / "report.json").write_text("{}\n")
    before = _contents(folder)
    assert invoke("run", "plio_fir", *words).exit_code == 2
    assert _contents(folder) == before


@pytest.mark.parametrize("name", ["../up", "a/b", "", ".", "a b", "a\0b", "a.b", "é", "$x", "1a"])
@pytest.mark.parametrize("kind", ["streams", "memories", "registers"])
def test_port_names_that_are_no_identifiers_are_refused(tmp_path, name, kind):
    more = {"streams": "width = 8\ndirection = 'in'", "memories": "direction = 'out'", "registers": ""}[kind]
    description = tmp_path / "d.toml"
    description.write_text(
        "name = 'd'\ntop = 'd'\nfiles = ['d.sv']\nmodel = 'm.py:predict'\n[[clocks]]\nname = 'aclk'\n"
        f"[[cases]]\nname = 'c'\nmake = 'm.py:make'\n[[{kind}]]\nname = {json.dumps(name)}\n{more}\n"
    )
    with pytest.raises(InputError, match=rf"d.toml:\d+: found {kind}\[0\].*name"):
        find_design(str(description))


def test_port_names_of_python_descriptions_are_checked(tmp_path):
    file = tmp_path / "d.py"
    file.write_text("from goldbeat import StreamPort\nStreamPort(name='../up', direction='in', width=8)\n")
    with pytest.raises(InputError, match=r"d\.py:2: found StreamPort: name = '\.\./up', expected text like"):
        load_design(file)


@pytest.mark.parametrize("name", ["../../mine", "/tmp/mine", "..", "a b", "x" * 300, "\udc80", "été", "a/b"])
def test_case_names_stay_in_their_folder(build, name):
    folder = run_folder(build, None, name)
    assert folder.parent == build / "runs"
    assert folder == run_folder(build, folder.name, "")
    design = find_design("axis_skid")
    odd = design.cases[0].model_copy(update={"name": name})
    request = Request(design, odd)
    report = write_report([RunResult(request, 0, (), ("nothing ran",), 0.0, None, None)], folder)
    assert json.loads((folder / "report.json").read_text())["case"] == name
    again = report["repeat"].rpartition("--name ")[2]
    assert run_folder(build, again, "").parent == build / "runs"


def test_two_texts_never_share_a_name():
    texts = ["a/b", "a_b", "a b", "a\\b", "../a", "..", "...", "-", "", "x" * 121, "x" * 122]
    names = {plain_name(t) for t in texts}
    assert len(names) == len(texts)
    assert plain_name("plio_fir-filter") == "plio_fir-filter"
    assert all(plain_name(n) == n for n in names)
