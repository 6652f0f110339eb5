# SPDX-License-Identifier: Apache-2.0
"""Each protocol rule is broken by RTL that breaks just that one, and is caught by name; the table of rules is whole."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

import tb.kernel
from tb.kernel.rules import RULES, document

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KERNEL = Path(tb.kernel.__file__).parent


def _load(name):
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


insim = _load("insim")


@pytest.mark.sim
def test_every_rule_is_caught_by_name(tmp_path):
    insim.run_inside("inside_rules", "rules", tmp_path, sources=[HERE / "rules_rtl" / "rules.sv"])


def test_the_table_has_every_rule_of_the_code():
    code = "".join(p.read_text() for p in [*KERNEL.glob("*.cpp"), ROOT / "tb" / "session.py"])
    used = set(re.findall(r'["{]((?:axi|axil|axis|mem)_\w+)"', code)) & set(RULES)
    used |= set(re.findall(r'(?:violation|broken)\(\s*"(\w+)"', code))
    used |= set(re.findall(r'broken\(\s*"\w+",\s*"(\w+)"', code))
    used |= set(re.findall(r'f"(axis_\w+): ', code))
    assert used == set(RULES)


def test_every_axi_rule_has_a_mode():
    text = (HERE / "inside_rules.py").read_text() + (HERE / "inside_axi_memory.py").read_text()
    for name in RULES:
        prefix, _, rule = name.partition("_")
        if prefix != "axis":
            assert rule in text, name


def test_the_page_is_the_table():
    assert (ROOT / "docs" / "protocol-rules.md").read_text() == document()
