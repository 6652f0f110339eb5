# SPDX-License-Identifier: Apache-2.0
"""`make nightly` says how and when every step ended, and resumes; landings take all slow tests in turn."""

import importlib.util
import re
import sys
import time
from pathlib import Path

import pytest

from goldbeat.tb.paths import REPOSITORY

_SPEC = importlib.util.spec_from_file_location("nightly", REPOSITORY / "tests" / "nightly.py")
nightly = importlib.util.module_from_spec(_SPEC)
sys.modules["nightly"] = nightly
_SPEC.loader.exec_module(nightly)


@pytest.fixture
def night(tmp_path, monkeypatch):
    """Runs these steps with these options; the exit code, and the rows of the page."""
    monkeypatch.setattr(nightly, "FOLDER", tmp_path)
    monkeypatch.setattr(nightly, "git_revision", lambda folder: "HEAD")

    def run(steps, *options):
        monkeypatch.setattr(nightly, "steps", lambda seed, results: [nightly.Step(*step) for step in steps])
        monkeypatch.setattr(sys, "argv", ["nightly.py", "--seed", "7", *options])
        code = nightly.main()
        rows = (tmp_path / "results.md").read_text().splitlines()
        return code, {row.split(" | ")[0].strip("| "): row.split(" | ")[1] for row in rows if row.startswith("| ")}

    return run


def test_the_exit_code_says_what_failed_and_what_did_not_run(night, tmp_path):
    right, wrong, never = ("right", "echo fine", 1), ("wrong", "echo no; exit 5", 1), ("never", "true", 1, "needs root")
    assert night([right])[0] == 0
    assert night([right, never])[0] == 3
    code, rows = night([right, wrong, never])
    assert code == 1
    assert (rows["right"], rows["wrong"], rows["never"]) == ("passed", "failed", "never run")
    page = (tmp_path / "results.md").read_text()
    assert "exit code 5: no" in page
    assert "* wrong: `echo no; exit 5`" in page


def test_a_night_goes_on_where_it_was(night, tmp_path):
    count = ("count", f"echo x >> {tmp_path}/runs", 1)
    wrong = ("wrong", f"echo y >> {tmp_path}/runs; exit 1", 1)
    night([count, wrong])
    assert night([count, wrong], "--resume")[0] == 1
    assert (tmp_path / "runs").read_text().split() == ["x", "y", "y"]
    assert night([count], "--resume", "--seed", "8")[0] == 0
    assert (tmp_path / "runs").read_text().split() == ["x", "y", "y", "x"]


def test_what_did_not_run_keeps_its_last_result(night):
    night([("one", "false", 1)])
    _, rows = night([("two", "true", 1)])
    assert (rows["one"], rows["two"]) == ("failed", "passed")
    code, rows = night([("one", "true", 1)], "--hours", "0")
    assert code == 3
    assert rows["one"] == "failed"


def test_a_step_that_hangs_ends_with_all_its_processes(night, tmp_path):
    start = time.monotonic()
    code, _ = night([("hangs", f"(sleep 30; touch {tmp_path}/late) & sleep 30", 0.01)])
    assert code == 1
    assert time.monotonic() - start < 20
    assert "did not end" in (tmp_path / "results.md").read_text()


def test_changed_modules_belong_to_the_smallest_design(monkeypatch):
    monkeypatch.setattr(nightly, "git", lambda *words: "hdl/axis/fifo_sync.sv\nhdl/gone.sv\ntests/x.sv")
    assert list(nightly.changed_modules("HEAD").values()) == [["fifo_sync.sv"]]


def test_every_part_of_the_night_has_its_make_target():
    targets = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), flags=re.M))
    for step in nightly.steps(1, {}):
        assert set(re.findall(r"(?:^|&& )make ([a-z]\S+)", step.command)) <= targets, step.command


def test_landings_take_all_parts_in_turn():
    text = (REPOSITORY / "Makefile").read_text()
    assert f"TURNS   := {nightly.PARTS}\n" in text
    assert Path(REPOSITORY / ".ci" / "run").read_text().split()[-4:] == ["make", "turn", "make", "test"]
