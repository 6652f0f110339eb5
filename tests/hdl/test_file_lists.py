# SPDX-License-Identifier: Apache-2.0
"""Each design's file list holds what its top module needs, in an order that compiles, and nothing else."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from goldbeat.tb.build.toolchain import verilator
from goldbeat.tb.design.catalog import designs
from goldbeat.tb.design.library import VENDOR
from goldbeat.tb.paths import HDL

DESIGNS = designs()
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"[^\"\n]*\"", re.DOTALL)
_UNIT = re.compile(r"^(?:module|package) (\w+)", re.MULTILINE)


@cache
def text(path: Path) -> str:
    """A source without comments and strings."""
    return _COMMENT.sub("", path.read_text())


@cache
def units() -> dict[str, Path]:
    """Every module and package of the designs, and its file."""
    return {name: path for path in sorted(HDL.rglob("*.sv")) for name in _UNIT.findall(text(path))}


def needed(top: str) -> set[Path]:
    """Files of the modules and packages that a top module reaches."""
    found: set[Path] = set()
    names = [top]
    while names:
        path = units()[names.pop()]
        if path not in found:
            found.add(path)
            names += set(re.findall(r"\w+", text(path))) & set(units())
    return found


def test_one_unit_a_file_named_after_it() -> None:
    found = [(path, _UNIT.findall(text(path))) for path in sorted(HDL.rglob("*.sv"))]
    assert [(path.name, names) for path, names in found if names != [path.stem]] == []


@pytest.mark.parametrize("name", DESIGNS)
def test_a_list_is_what_its_design_needs(name: str) -> None:
    design = DESIGNS[name]
    assert [Path(f).suffix for f in design.files] == [".f"]
    sources = design.sources()
    assert len(sources) == len(set(sources))
    assert {p.relative_to(HDL) for p in sources} == {p.relative_to(HDL) for p in needed(design.top)}


def test_every_source_is_in_a_list() -> None:
    listed = {path for design in DESIGNS.values() for path in design.sources()}
    # Cells of vendors are found by name.
    found = {p for p in HDL.rglob("*.sv") if p.parent != VENDOR}
    assert {p.relative_to(HDL) for p in found} == {p.relative_to(HDL) for p in listed}
    used = {HDL / design.files[0] for design in DESIGNS.values()}
    assert set(HDL.rglob("*.f")) == used


@pytest.mark.slow
def test_a_list_is_all_that_verilator_needs(tmp_path: Path) -> None:
    tool = verilator()
    for design in DESIGNS.values():
        command = [str(tool.executable), "--lint-only", "--top-module", design.top, "-F", str(HDL / design.files[0])]
        run = subprocess.run(command, cwd=tmp_path, env=tool.environment(), capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
