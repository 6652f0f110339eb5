# SPDX-License-Identifier: Apache-2.0
"""Where things lie."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from goldbeat.pymodels.errors import UsageError

REPOSITORY = Path(__file__).resolve().parents[1]
HDL = REPOSITORY / "hdl"
IMPORT_ROOT = Path(__file__).absolute().parents[2]
"""The folder on Python's path that holds the package ``goldbeat``; processes that are started here search it too."""
PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", re.ASCII)
"""Names that can be used anywhere: no path, no option, no hidden file."""
_LONGEST = 120
_UNBUILDABLE = re.compile(r"[\s$#%:;&|<>()*?\[\]{}!'\"`\\]")


def build_root() -> Path:
    """The folder for everything made (``GOLDBEAT_BUILD``, or ``build`` below the current folder)."""
    return Path(os.environ.get("GOLDBEAT_BUILD", "build")).resolve()


def check_root(root: Path) -> None:
    """Refuse a folder for everything made in which make and the compiler cannot work.

    Raises:
        UsageError: its path has spaces, dollar signs or the like; paths of a project may have them.
    """
    if found := _UNBUILDABLE.search(str(root)):
        raise UsageError(
            f"{root}: make cannot build in a folder with {found[0]!r} in its path; "
            "set GOLDBEAT_BUILD to a folder without spaces and special characters"
        )


def plain_name(text: str) -> str:
    """A file name for a text from a description or a file name, which may hold anything.

    Letters, digits, ``.``, ``_`` and ``-`` stay. Any other text gets a part of its hash, so that two of them never share a name.
    """
    if PLAIN.fullmatch(text) and len(text) <= _LONGEST:
        return text
    mark = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:8]
    readable = re.sub(r"[^A-Za-z0-9_.-]", "_", text[: _LONGEST - len(mark) - 1]).lstrip(".-")
    return f"{readable}-{mark}" if readable else mark
