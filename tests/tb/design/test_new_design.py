# SPDX-License-Identifier: Apache-2.0
"""docs/new-design.md, followed: a design that adds folders and changes no file."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from goldbeat.tb.paths import REPOSITORY, build_root

PAGE = (REPOSITORY / "docs" / "new-design.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\w+\n(?://|#) (\S+/\S+)\n(.*?)^```", PAGE, flags=re.S | re.M)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The sources with the page's files beside them. The kernel stays where it is, so that its objects are shared."""
    tree = tmp_path_factory.mktemp("sources")
    ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in ("hdl", "pymodels", "src"):
        shutil.copytree(REPOSITORY / name, tree / name, symlinks=True, ignore=ignore)
    (tree / "tb").mkdir()
    for entry in (REPOSITORY / "tb").iterdir():
        if entry.name in ("kernel", "build"):
            (tree / "tb" / entry.name).symlink_to(entry)
        elif entry.is_dir() and entry.name != "__pycache__":
            shutil.copytree(entry, tree / "tb" / entry.name, ignore=ignore)
        elif entry.is_file():
            shutil.copy(entry, tree / "tb")
    for path, text in BLOCKS:
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        assert not (tree / path).exists(), "the page changes a file that is there"
        (tree / path).write_text(text)
    shutil.copy(REPOSITORY / "pyproject.toml", tree)
    return tree


def run(tree, *words):
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "GOLDBEAT_BUILD": str(build_root())}
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)


def goldbeat(tree, *words):
    return run(tree, "-m", "goldbeat", *words)


def test_the_page_has_every_part():
    folders = {str(Path(path).parent) for path, _ in BLOCKS}
    assert folders == {"hdl/tally", "pymodels/tally", "tb/designs/tally"}


def test_it_is_found_and_has_its_command(tree, tmp_path):
    listed = goldbeat(tree, "list", "tally", "--json")
    assert listed.returncode == 0, listed.stderr
    assert "frames_of_one" in listed.stdout
    (tmp_path / "in.txt").write_text("1\nTLAST\n2\nTLAST\n3\n")
    counted = goldbeat(tree, "tally", "count", str(tmp_path / "in.txt"), "--json")
    assert json.loads(counted.stdout) == {"frames": 2, "beats": 3}, counted.stderr


def test_the_contracts_hold(tree):
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    kept = run(tree, "-c", code)
    assert kept.returncode == 0, kept.stdout


@pytest.mark.sim
@pytest.mark.slow
def test_it_passes_and_sees_a_break(tree):
    for case in ("sweep", "frames_of_one", "reset"):
        done = goldbeat(tree, "run", "tally", "--case", case, "--name", "new-design")
        assert done.returncode == 0, done.stdout + done.stderr
    rtl = tree / "hdl" / "tally" / "tally.sv"
    whole = rtl.read_text()
    assert "frames + 16'(s_axis_tlast)" in whole
    rtl.write_text(whole.replace("frames + 16'(s_axis_tlast)", "frames + 16'(m_axis_tlast)"))
    broken = goldbeat(tree, "run", "tally", "--case", "sweep", "--name", "new-design")
    rtl.write_text(whole)
    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert "status frames" in broken.stdout
