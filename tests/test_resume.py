# SPDX-License-Identifier: Apache-2.0
"""`--resume` leaves out what has passed on the same files, and nothing else; shards are made from processor time."""

import json
import os
import subprocess
import sys
from pathlib import Path

SUPPORT = Path(__file__).parent / "support"
TESTS = "def test_right(): pass\n\ndef test_wrong(): assert __import__('pathlib').Path('build/mended').exists()\n"


def run_tests(folder, *options):
    result = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "resume",
            "-p",
            "spent_times",
            "-p",
            "no:cacheprovider",
            "-p",
            "xdist",
            *options,
        ],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(SUPPORT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return result.stdout.splitlines()[-1].split(" in ")[0]


def test_only_what_passed_on_the_same_files_is_left_out(tmp_path):
    (tmp_path / "test_two.py").write_text(TESTS)
    (tmp_path / ".gitignore").write_text("build\n__pycache__\n")
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    assert run_tests(tmp_path, "-n", "1") == "1 failed, 1 passed"
    assert run_tests(tmp_path, "--resume") == "1 failed, 1 deselected"
    (tmp_path / "build" / "mended").touch()
    assert run_tests(tmp_path, "--resume", "-n", "1") == "1 passed"
    assert run_tests(tmp_path, "--resume") == "2 deselected"
    (tmp_path / "other.py").touch()  # the files differ: everything runs again
    assert run_tests(tmp_path, "--resume") == "2 passed"
    rows = [line.split("\t")[2] for line in (tmp_path / "build" / "test-times.tsv").read_text().splitlines()]
    assert sorted(rows[1:]) == ["test_two.py::test_right", "test_two.py::test_wrong"]


def test_shards_are_of_equal_processor_time(tmp_path):
    (tmp_path / "test_two.py").write_text("def test_waits(): __import__('time').sleep(0.5)\n\ndef test_right(): pass\n")
    split = ("-p", "pytest_split.plugin", "--durations-path", str(tmp_path / "durations"))
    (tmp_path / "durations").write_text('{"test_two.py::test_waits": 9, "test_other.py::test_kept": 2.5}')
    assert run_tests(tmp_path, "-n", "1", *split, "--store-durations") == "2 passed"
    stored = json.loads((tmp_path / "durations").read_text())
    assert stored.pop("test_other.py::test_kept") == 2.5
    assert sorted(stored) == ["test_two.py::test_right", "test_two.py::test_waits"]
    assert max(stored.values()) < 0.5
