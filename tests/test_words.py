# SPDX-License-Identifier: Apache-2.0
"""Pages and help texts are plain English: short lines, short sentences, no phrase that reads as translated."""

from pathlib import Path

import pytest
from prose import LINE, WORDS, findings

from goldbeat.tb.paths import REPOSITORY

PAGES = sorted(
    [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").glob("*.md"), *(REPOSITORY / "examples").rglob("README.md")]
)


def _name(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_a_page_is_plain_english(page: Path) -> None:
    assert findings(page.read_text(encoding="utf-8")) == []


def test_every_page_is_in_the_site() -> None:
    listed = (REPOSITORY / "docs" / "site" / "zensical.toml").read_text(encoding="utf-8")
    assert [page.name for page in (REPOSITORY / "docs").glob("*.md") if f'"{page.name}"' not in listed] == []


def test_what_is_wrong_is_found() -> None:
    line, sentence = "word " * (LINE // 5 + 1), "\n".join(["one two three four"] * (WORDS // 4 + 1)) + "."
    assert findings(line) == ["1: 125 characters"]
    assert findings(f"# Title\n\n{sentence}")[0].startswith("3: 36 words: one two")
    assert findings("It is told,\nbut for two.") == ["1: 'is told': reported, listed", "1: 'but for': unless, except"]
    assert findings("| a | b |\n|---|---|\n| `is told` | stands in it |") == ["3: 'stands in': is in, is beside"]
    assert findings("```\nthis is told\n```\n") == []
    assert findings(f"```console\n{line}\n```\n{line}") == ["4: 125 characters"]
    assert findings("Two:\n* one\n* two\n\n* one\n# Title\n* one\n```\na\n- b\n```\n") == [
        "2: a list without an empty line before it"
    ]
    assert len(findings('```toml a.toml\n```\n```toml title="a.toml"\n```\n')) == 1
    registers = f"<!-- registers a -->\n{line}\n<!-- end registers -->\n"
    assert findings(f"{registers}\n{line}") == ["5: 125 characters"]
    assert findings(registers.replace("end registers", "registers")) == ["2: 125 characters"]
