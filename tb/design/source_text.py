# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog as text: sources that are looked into without being parsed."""

from __future__ import annotations

import re
from pathlib import Path

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def without_comments(text: str) -> str:
    """A space in the place of each comment."""
    return _COMMENT.sub(" ", text)


def read_code(path: Path) -> str:
    """A source file without its comments; bytes that are no text are replaced."""
    return without_comments(path.read_text(errors="replace"))
