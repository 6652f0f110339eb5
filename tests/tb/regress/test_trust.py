# SPDX-License-Identifier: Apache-2.0
"""Results and folders of runs name code in many ways; none runs that is not of this project."""

import json
import shlex
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from goldbeat.pymodels.code_trust import check_code_file, code_is_limited
from goldbeat.pymodels.errors import UntrustedCodeError
from goldbeat.tb.build.compile import Recipe, compile_model
from goldbeat.tb.cli import app, timeline
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.trust import code_of_project


@pytest.fixture
def project(own_root, tmp_path):
    """A project beside a description that is not of it; each description leaves a mark when it runs."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    for name, place in (("foreign", tmp_path), ("own", folder)):
        mark = f"open({str(tmp_path / f'{name}.ran')!r}, 'w').close()\nraise ValueError('no design here')\n"
        (place / f"{name}.py").write_text(mark)
    (folder / "link.py").symlink_to(tmp_path / "foreign.py")
    return folder


def record(description):
    """Results as somebody else may have made them."""
    item = Item(index=0, key="d/case#0", design="d", source=str(description), case="case", seed=0)
    with Store() as store:
        store.begin("d", [item], git="", code="", host="", seed=0, settings={"code": {str(description): "another"}})


def named_by_options(place):
    """Words of `goldbeat run` that name code in a folder, by kind; each leaves a mark when it runs."""
    mark = place.parent / "foreign.ran"
    place.mkdir(exist_ok=True)
    code = f"open({str(mark)!r}, 'w').close()\nimport numpy\n\ndef f(*a):\n    open({str(mark)!r}, 'w').close()\n"
    (place / "design.py").write_text(code)
    (place / "a=b.py").write_text(code)
    (place / "m.sv").write_text("module m (input logic clk);\nendmodule\n")
    (place / "bench.toml").write_text('top = "m"\nsources = ["m.sv"]\nmodel = "model.py:model"\n')
    (place / "model.py").write_text(code)
    text = "module { aie.device(npu1) { %t = aie.tile(0, 2) } }"
    (place.parent / "project" / "own.mlir").write_text(text)
    design = ["objfifo", "--case", "design"]
    executed = ["objfifo", "--case", "executed", "--set", "design=own.mlir"]
    return {
        "script": [*design, "--set", f"design={place}/design.py"],
        "equals": [*design, "--set", f"design={place}/a=b.py"],
        "relative": [*design, "--set", "design=../foreign/design.py"],
        "executed": ["objfifo", "--case", "executed", "--set", f"design={place}/design.py"],
        "kernel": [*executed, "--set", f"kernels=k={place}/design.py:f"],
        "module": [*executed, "--set", "kernels=k=os:system"],
        "built_in": [*executed, "--set", "kernels=k=posix:system"],
        "description": [f"{place}/bench.toml"],
    }


KINDS = ("script", "equals", "relative", "executed", "kernel", "module", "built_in", "description")


def test_paths_of_a_run_are_found_where_it_was_run_until_the_end(tmp_path, monkeypatch):
    """Benches read a user's file once more for their rows, and it is as trusted as for the run."""
    home, folder, other = (tmp_path / name for name in ("home", "home/build/runs/x", "other"))
    for one in (folder, other):
        one.mkdir(parents=True)
    report = {"repeat": "goldbeat run axis_fifo --case sweep", "repeat_in": str(home), "seed": 0, "ports": {}}
    (folder / "report.json").write_text(json.dumps({**report, "status": "pass"}))
    seen = []

    def saved(result, path, **_):
        seen.append((Path.cwd(), path.resolve(), code_is_limited()))
        return {"thinned": [], "not_predicted": []}

    monkeypatch.setattr(timeline, "_again", lambda request: SimpleNamespace(main_episode=None, status="pass"))
    monkeypatch.setattr(timeline, "save_timeline", saved)
    monkeypatch.chdir(other)
    assert CliRunner().invoke(app, ["timeline", "../home/build/runs/x"]).exit_code == 0
    done = CliRunner().invoke(app, ["timeline", "../home/build/runs/x", "--out", "t.json.gz", "--trust"])
    assert done.exit_code == 0
    assert [(home, folder / "trace.json.gz", True), (home, other / "t.json.gz", False)] == seen
    assert Path.cwd() == other


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", ["timeline", "shrink"])
def test_a_foreign_folder_runs_no_foreign_code(project, goldbeat, command, kind):
    words = named_by_options(project.parent / "foreign")[kind]
    report = {
        "repeat": shlex.join(["goldbeat", "run", *words, "--seed", "0"]),
        "repeat_in": str(project),
        "seed": 0,
        "ports": {},
        "status": "fail",
    }
    folder = project / "run"
    folder.mkdir()
    (folder / "report.json").write_text(json.dumps(report))
    done = goldbeat(command, str(folder))
    assert done.exit_code == 2, done.output
    assert "--trust" in done.stderr, done.stderr
    assert not (project.parent / "foreign.ran").exists()


@pytest.mark.parametrize("kind", ["script", "equals", "relative", "executed", "kernel", "module", "built_in"])
@pytest.mark.parametrize("words", [("rerun", "d/case#0"), ("shrink", "d/case#0"), ("regress", "--resume")])
def test_foreign_results_run_no_foreign_code(project, goldbeat, words, kind):
    design, _, case, *sets = named_by_options(project.parent / "foreign")[kind]
    options = dict(item.split("=", 1) for item in sets[1::2])
    item = Item(index=0, key="d/case#0", design=design, case=case, options=options, seed=0)
    with Store() as store:
        store.begin("d", [item], git="", code="", host="", seed=0, settings={})
    done = goldbeat(*words)
    assert done.exit_code == 2, done.output
    assert "--trust" in done.stderr, done.stderr
    assert not (project.parent / "foreign.ran").exists()


@pytest.fixture
def goldbeat(project, monkeypatch):
    """A command in the project's folder."""
    monkeypatch.chdir(project)
    return lambda *words: CliRunner().invoke(app, words)


@pytest.mark.parametrize("words", [("rerun", "d/case#0"), ("regress", "--resume")])
@pytest.mark.parametrize("name", ["foreign", "link"])
def test_foreign_code_does_not_run(project, goldbeat, words, name):
    description = project / "link.py" if name == "link" else project.parent / "foreign.py"
    record(description)
    done = goldbeat(*words)
    assert done.exit_code == 2, done.stderr
    assert "foreign.py (sha256 " in done.stderr
    assert "--trust" in done.stderr
    mark = project.parent / "foreign.ran"
    assert not mark.exists()
    goldbeat(*words, "--trust")
    assert mark.exists()


def test_code_of_the_project_runs_and_its_changes_are_reported(project, goldbeat):
    record(project / "own.py")
    done = goldbeat("rerun", "d/case#0")
    assert "own.py has changed since run 1" in done.stderr
    assert (project.parent / "own.ran").exists()


BUILT_OF_ELSEWHERE = """
from pathlib import Path
from goldbeat.tb.design.catalog import find_design
SKID = find_design("axis_skid")
DESIGN = SKID.model_copy(update={"root": Path(__file__).parent, "files": ("../m.sv",)})
"""


def test_rtl_of_elsewhere_is_built_only_for_a_description_of_the_project(project, monkeypatch):
    monkeypatch.chdir(project)
    foreign = project.parent / "m.sv"
    foreign.write_text("module m (input logic clk);\nendmodule\n")
    recipe = Recipe(name="m", top="m", sources=[foreign])
    with code_of_project(trust=False):
        with pytest.raises(UntrustedCodeError, match=r"m\.sv, which is outside this project"):
            compile_model(recipe)
        (project / "bench.py").write_text(BUILT_OF_ELSEWHERE)
        find_design("bench.py")
        check_code_file(foreign)
    assert not code_is_limited()
