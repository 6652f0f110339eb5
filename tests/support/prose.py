# SPDX-License-Identifier: Apache-2.0
"""What is wrong with the words of a page or a help text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt

LINE = 120
WORDS = 35
BANNED = {
    r"\b(?:is|are|was) told\b": "reported, listed",
    r"\bso many\b": "N",
    r"\bbut for\b": "unless, except",
    r"\bstands? (?:in|there|beside|behind|above|below|at|on)\b": "is in, is beside",
    r"\blies? in\b": "is in",
    r"\bfound no\b": "missing",
    r"\bis no whole\b": "is not a multiple of",
    r"\bthere twice\b": "listed twice, duplicated",
    r"\b(?:is|are) not looked at\b": "not checked",
    r"\bpatience\b": "limit",
    r"\b[Gg]o on with\b": "Resume",
    r"\b[Ww]hat of the\b": "which",
    r"\bdo(?:es)? not survive\b": "dropped",
    r"\bnot brought\b": "never fetched",
    r"\bcomes? true\b": "holds",
    r"\bby itself\b": "alone",
    r"\bof your own\b": "your own",
    r"\bof its own\b": "its own",
    r"\bof their own\b": "their own",
    r"\bmany a\b": "many",
}
"""Phrases that read as translated, with what to write."""

_PARSER = MarkdownIt("commonmark").enable("table")
_END = re.compile(r"(?<=[.!?:])\s+")
_SHORT = re.compile(r"\b(e\.g|i\.e|etc|cf|vs|no)\.")


def long_lines(text: str) -> Iterator[str]:
    """Lines that do not fit, with their numbers.

    Pictures, addresses, what a command prints and the tables that are made cannot be broken.
    """
    printed = {
        number
        for token in _PARSER.parse(text)
        if token.type == "fence" and token.info == "console" and token.map
        for number in range(token.map[0] + 1, token.map[1] + 1)
    }
    for table in re.finditer(r"^<!-- (registers|figures) [^\n]+ -->$.*?^<!-- end \1 -->$", text, flags=re.S | re.M):
        first = text.count("\n", 0, table.start()) + 1
        printed.update(range(first, first + table[0].count("\n") + 1))
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LINE and " " in line.strip() and not line.startswith("![") and number not in printed:
            yield f"{number}: {len(line)} characters"


def texts(page: str) -> Iterator[tuple[int, str]]:
    """Line and words of each paragraph, heading, list item and table cell of a page; code in it counts as one word."""
    line = 0
    for token in _PARSER.parse(page):
        line = token.map[0] + 1 if token.map else line
        if token.type == "inline":
            parts = [
                "code" if part.type == "code_inline" else " " if part.type.endswith("break") else part.content
                for part in token.children or ()
            ]
            yield line, "".join(parts)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text; what follows a colon counts as another."""
    yield from (one for one in _END.split(_SHORT.sub(r"\1", text)) if one)


def long_sentences(page: str) -> Iterator[str]:
    """Sentences with too many words, with their lines."""
    for line, text in texts(page):
        for sentence in sentences(text):
            if len(sentence.split()) > WORDS:
                yield f"{line}: {len(sentence.split())} words: {sentence[:60]}"


def banned(page: str) -> Iterator[str]:
    """Phrases that are not used here, with their lines."""
    for line, text in texts(page):
        for pattern, better in BANNED.items():
            for match in re.finditer(pattern, text):
                yield f"{line}: {match[0]!r}: {better}"


def lost_lists(page: str) -> Iterator[str]:
    """Lists without an empty line before them, with their lines: the site shows them as one paragraph."""
    before, fenced, inside = "", False, False
    for number, line in enumerate(page.splitlines(), 1):
        fenced ^= line.lstrip().startswith("```")
        item = not fenced and re.match(r"(?:[-*]|\d+\.)\s", line) is not None
        if item and not inside and before.strip() and not before.startswith("#"):
            yield f"{number}: a list without an empty line before it"
        inside = item or (inside and bool(line.strip()))
        before = line


def lost_blocks(page: str) -> Iterator[str]:
    """Blocks of code that the site shows as text: behind the language it knows ``title="FILE"`` alone."""
    for number, line in enumerate(page.splitlines(), 1):
        if re.match(r'```\w+ +(?!title="[^"]+"$)', line):
            yield f'{number}: {line}: expected a language, or a language and title="FILE"'


def findings(page: str) -> list[str]:
    """All of it."""
    return [*long_lines(page), *long_sentences(page), *banned(page), *lost_lists(page), *lost_blocks(page)]
