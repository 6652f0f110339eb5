# SPDX-License-Identifier: Apache-2.0
"""Names with an underscore stay in their module."""

import ast
from collections.abc import Iterator

import pytest

from goldbeat.tb.paths import REPOSITORY


def _private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def used_from_outside(text: str) -> Iterator[tuple[int, str]]:
    """Line and name of everything private that a module takes from a module of ours."""
    modules = set()
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {one.asname for one in node.names if one.asname and one.name.startswith("goldbeat")}
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, one.name) for one in node.names if _private(one.name))
            if (node.module or "").startswith("goldbeat"):
                modules |= {one.asname or one.name for one in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _private(node.attr):
            owner, _, _ = ast.unparse(node.value).partition(".")
            if owner in modules:
                yield node.lineno, ast.unparse(node)


@pytest.mark.parametrize("part", ["src/goldbeat", "tb", "pymodels", "tests"])
def test_nothing_private_is_taken_from_another_module(part: str):
    found = [
        f"{path.relative_to(REPOSITORY)}:{line}: {name}"
        for path in sorted((REPOSITORY / part).rglob("*.py"))
        for line, name in used_from_outside(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("from goldbeat.tb.run.runs import Request, _length", "_length"),
        ("from breaks import _rows", "_rows"),
        ("from goldbeat.tb.regress import worker\nworker._Run()", "worker._Run"),
        ("import goldbeat.tb.regress.worker as w\nw._volume(3)", "w._volume"),
    ],
)
def test_what_is_private_is_found(text: str, name: str):
    assert [found for _, found in used_from_outside(text)] == [name]
