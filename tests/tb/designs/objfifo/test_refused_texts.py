# SPDX-License-Identifier: Apache-2.0
"""What a text must not say is refused by every command, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.objfifo_cli import goldbeat
from tests.support.objfifo_explicit import explicit_text

TEXT = Path("aie.mlir")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refused(text: str, line: int, found: str, *commands: str) -> None:
    TEXT.write_text(text)
    for command in commands or ("check", "plan", "exec", "run"):
        done = goldbeat("objfifo", command, TEXT)
        said = " ".join(done.stderr.split())
        assert (done.code, f"aie.mlir:{line}:" in said, found in said) == (2, True, True), (command, done)


def changed(old: str, new: str, text: str = "") -> tuple[str, int]:
    """A text with a change, and the line of the change."""
    text = text or explicit_text()
    assert old in text
    return text.replace(old, new, 1), text[: text.index(old)].count("\n") + 1


def test_a_call_of_a_function_that_is_not_declared() -> None:
    text, line = changed("%v0 = memref", "func.call @nope(%a0) : (memref<8xi32>) -> ()\n          %v0 = memref")
    refused(text, line, "found a call of @nope, which is not declared, expected a function of the text")
