# SPDX-License-Identifier: Apache-2.0
"""A file of results names Python files; it runs none that are not of this project."""

import pytest
from typer.testing import CliRunner

from goldbeat.tb.cli import app
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.store import Store


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
