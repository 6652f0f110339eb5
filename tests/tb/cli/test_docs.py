# SPDX-License-Identifier: Apache-2.0
"""The commands in the guides give what the guides print."""

import re
from pathlib import Path

import pytest
from console import commands, matches, printed_in, run, share_simulators

from goldbeat.tb.paths import REPOSITORY

DOCS = REPOSITORY / "docs"
TRIED = ("stimulus.md", "comparing.md", "signoff.md", "objfifo.md")
_CLONES, _DESIGN, _COMPILED = (
    "clones of foreign repositories",
    "a design of the reader",
    "what mlir-aie's compiler writes",
)
NEEDS_FILES = {
    "bugs.md": _CLONES,
    "npu1.md": _DESIGN,
    "running.md": _DESIGN,
    "objfifo-exec.md": _DESIGN,
    "objfifo-explicit.md": _DESIGN,
    "objfifo-mlir.md": _DESIGN,
    "objfifo-script.md": _DESIGN,
    "objfifo-why.md": _DESIGN,
    "objfifo-compiled.md": _COMPILED,
    "objfifo-trace.md": _COMPILED,
}
"""Pages whose commands are not tried as they stand, and what they need; tests of those commands bring files of their own."""


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.slow] if page == "objfifo.md" else []) for page in TRIED]
)
def test_what_a_guide_prints_is_what_comes_out(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    share_simulators(tmp_path)
    text = (DOCS / page).read_text(encoding="utf-8")
    code, tried = 0, 0
    for language, block in re.findall(r"^```(console|toml|python)\n(.*?)^```", text, flags=re.S | re.M):
        if language == "python":
            if named := re.match(r"# (\w+\.py)\n", block):
                (tmp_path / named[1]).write_text(block)
            continue
        if language == "toml":
            (tmp_path / "limits.toml").write_text(block)
            continue
        for command, printed in commands(block):
            tried += 1
            if command == "echo $?":
                found = f"{code}\n"
            else:
                code, found = run(command)
            assert matches(printed_in(tmp_path, found), printed), f"{command}\n{found}"
    assert tried > 3


def test_every_page_with_commands_is_tried() -> None:
    pages = [p.name for p in DOCS.glob("*.md") if "```console" in p.read_text(encoding="utf-8")]
    tests = [p for p in (REPOSITORY / "tests").rglob("*.py") if p != Path(__file__)]
    named = "".join(test.read_text(encoding="utf-8") for test in tests)
    tried = {*TRIED, *(page for page in pages if f'"{page}"' in named)}
    assert {page for page in pages if page not in tried} == set(NEEDS_FILES)


def test_three_dots_are_any_lines() -> None:
    assert matches(["a", "b", "c"], ["a", "...", "c"])
    assert matches(["a", "c"], ["a", "...", "c"])
    assert matches(["c"], ["...", "c"])
    assert not matches(["a", "c", "d"], ["a", "...", "c"])
    assert not matches(["a"], [])
