# SPDX-License-Identifier: Apache-2.0
"""The tests' folders mirror the packages, and what tests share is in tests/support, on the path once."""

import ast
from pathlib import Path

import pytest

from goldbeat.tb.paths import REPOSITORY

TESTS = REPOSITORY / "tests"
SUPPORT = TESTS / "support"


def _folders(part: str) -> set[str]:
    return {str(test.parent.relative_to(TESTS / part)) for test in (TESTS / part).rglob("test_*.py")}


@pytest.mark.parametrize("part", ["tb", "pymodels"])
def test_every_folder_of_tests_is_a_package(part: str):
    folders = _folders(part)
    assert len(folders) >= 8
    for folder in folders:
        assert (REPOSITORY / part / folder / "__init__.py").is_file(), f"tests/{part}/{folder} tests no package"


def test_every_design_and_room_has_tests():
    rooms = {path.parent for path in (REPOSITORY / "tb").glob("*/__init__.py")}
    designs = {path.parent.name for path in (REPOSITORY / "tb" / "designs").glob("*/__init__.py")}
    folders = _folders("tb")
    assert {path.name for path in rooms} <= folders
    # The streams' designs have no tests of their own beside those that all designs share.
    assert designs - {Path(folder).name for folder in folders if folder.startswith("designs/")} <= {"axis"}


def test_support_has_no_tests_and_no_name_twice():
    names = [path.stem for path in SUPPORT.glob("*.py")]
    assert not [name for name in names if name.startswith("test_")]
    elsewhere = {path.stem for path in TESTS.rglob("*.py") if path.parent != SUPPORT}
    assert not elsewhere & set(names)


def test_the_path_is_set_once():
    for path in TESTS.rglob("*.py"):
        if path.parent.name in ("attack", "benchmarks"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.path":
                raise AssertionError(f"{path}:{node.lineno}: tests/support is on the path by pyproject.toml")


def test_tests_beside_the_rooms_are_of_modules_beside_them():
    for test in (TESTS / "tb").glob("test_*.py"):
        module = test.name.removeprefix("test_")
        assert (REPOSITORY / "tb" / module).is_file(), f"{test.name}: tb has no module {module}"
