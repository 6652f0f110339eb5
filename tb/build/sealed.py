# SPDX-License-Identifier: Apache-2.0
"""Files of the cache with the hash of what was made beside them, so that damage is noticed before it is run or linked."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from goldbeat.tb.visible import visible

NOTE = ".sha256"
"""Ending of the file with the hash."""


def seal(path: Path, name: str | None = None) -> None:
    """Note a file's hash beside it.

    Args:
        path: the file.
        name: what it will be called; its own name unless given.
    """
    # Nothing waits for the disk: what a power cut leaves is not what was noted, and is made again.
    path.with_name((name or path.name) + NOTE).write_text(_hash(path) + "\n")


def is_whole(path: Path, *, tell: bool = True) -> bool:
    """Whether a file is there as it was made; with ``tell``, one that is damaged is named on stderr: it will be made again."""
    if not path.is_file():
        return False
    try:
        known = path.with_name(path.name + NOTE).read_text(errors="replace").strip()
    except OSError:
        known = ""
    if known == _hash(path):
        return True
    if tell:
        print(visible(f"note: {path} is damaged; building it again"), file=sys.stderr)
    return False


def _hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
