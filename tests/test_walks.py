# SPDX-License-Identifier: Apache-2.0
"""The walks of docs/architecture.md are the code's: the modules are there and import each other as drawn."""

from __future__ import annotations

import ast
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## From command to verdict")[2]
CASE = "the design's case"
MOST = 8


def _rows(head):
    """The rows of the table with that first column, without its head."""
    table = PAGE[PAGE.index(f"| {head} |") :].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


WALKS = {
    name: re.findall(r"`([\w.]+)`", modules)
    for name, modules in re.findall(r"^\* ([^:*`]+): (`tb\.cli\.run`.*?)(?=^\*|^$)", PAGE, flags=re.S | re.M)
}
assert WALKS
ARROWS = [(one.strip("`"), other.strip("`"), how) for one, other, how in _rows("from")]


def _source(module):
    return Path(find_spec(f"goldbeat.{module}").origin)


def _imports(module):
    """The modules that one imports, anywhere in it."""
    tree = ast.parse(_source(module).read_text(encoding="utf-8"))
    whole = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return {name.removeprefix("goldbeat.") for name in whole if name is not None}


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_is_short_and_connected(name):
    walk = WALKS[name]
    assert len(walk) == len(set(walk)) <= MOST
    assert (walk[0], walk[-1]) == ("tb.cli.run", "tb.run.scoreboard")
    arrows = {(one, other) for one, other, _ in ARROWS}
    for number, module in enumerate(walk):
        assert _source(module).is_file()
        drawn = CASE if module.startswith("tb.designs.") else module
        assert number == 0 or any((before, drawn) in arrows for before in walk[:number]), module


@pytest.mark.parametrize(("one", "other", "how"), ARROWS)
def test_an_arrow_is_what_the_code_does(one, other, how):
    if how == "imports it":
        assert other in _imports(one)
    elif other != CASE:
        assert f"goldbeat.{other}" in _source(one).read_text(encoding="utf-8")


def test_every_module_of_the_picture_is_in_a_walk():
    drawn = set(re.findall(r"tb\.[\w.]+", PAGE.split("```")[1]))
    assert drawn == {module for walk in WALKS.values() for module in walk if not module.startswith("tb.designs.")}
