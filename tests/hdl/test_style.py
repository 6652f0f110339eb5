# SPDX-License-Identifier: Apache-2.0
"""Habits of the RTL that Verilator does not look at: lines, names of generate blocks, checked parameters."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from goldbeat.tb.design.catalog import designs
from goldbeat.tb.paths import HDL

SOURCES = sorted((*HDL.rglob("*.sv"), *HDL.rglob("*.svh")))
# Register constants are made from the maps.
GENERATED = re.compile(r"_(map|regs)_pkg\.sv$")
_LABEL = re.compile(r"\bbegin : (\w+)")
_CHECK = re.compile(r"^  if \(((?:[^;]|\n)*?)\) begin : (gen_bad_\w+)\n    \$fatal\(1, \"(\w+): ", re.MULTILINE)
_PARAMETER = re.compile(r"^ +parameter +int unsigned +(\w+) *=", re.MULTILINE)


def test_lines_are_100_columns_at_most() -> None:
    found = [
        f"{path.relative_to(HDL)}:{number}: {len(line)}"
        for path in SOURCES
        if not GENERATED.search(path.name)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > 100 or line != line.rstrip()
    ]
    assert found == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.name)
def test_generate_blocks_begin_with_gen(path: Path) -> None:
    # A label in capitals is a macro's argument.
    labels = [name for name in _LABEL.findall(path.read_text()) if not name.isupper()]
    assert [name for name in labels if not name.startswith("gen_")] == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.name)
def test_a_check_names_its_module(path: Path) -> None:
    text = path.read_text()
    checks = _CHECK.findall(text)
    assert len(checks) == text.count("begin : gen_bad_") == text.count("$fatal(")
    assert [module for _, _, module in checks if module != path.stem] == []


@pytest.mark.parametrize("name", [name for name, d in designs().items() if "/bench/" not in d.files[0]])
def test_a_design_checks_the_parameters_of_its_top(name: str) -> None:
    """In the top itself or in a block that has a parameter of that name."""
    sources = designs()[name].sources()
    top = next(path for path in sources if path.stem == designs()[name].top)
    checked = " ".join(condition for path in sources for condition, _, _ in _CHECK.findall(path.read_text()))
    unchecked = [p for p in _PARAMETER.findall(top.read_text()) if not re.search(rf"\b{p}\b", checked)]
    assert unchecked == []
