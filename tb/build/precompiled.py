# SPDX-License-Identifier: Apache-2.0
"""A header in the compiler's own form, for all files that begin with it: reading Verilator's takes longer than a small model.

Compiling it takes as long as reading it four times, and it has 70 MB: it is made for a build that reads it so often, or for the
second build that could use it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from goldbeat.tb.build.object_store import ObjectStore, put
from goldbeat.tb.build.scratch import file_lock

ENDING = ".gch"
"""Ending of a header in the compiler's form; it lies beside the header."""
_ASKED = ".asked"
_WORTH = 4
_checked: dict[tuple[Path, int, int], bool] = {}


def precompiled(store: ObjectStore, kept: Path, files: int, make: Callable[[], Path]) -> bool:
    """Whether a header is there in the compiler's form, after this call.

    Args:
        store: the objects of all builds.
        kept: where it is kept.
        files: how many files of this build begin with it.
        make: compiles it, and says where it is.
    """
    if _is_whole(store, kept):
        return True
    asked = kept.with_suffix(_ASKED)
    if files < _WORTH and not asked.exists():
        asked.touch()
        return False
    # Two builds at once make it once.
    with file_lock(kept.with_suffix(".lock")):
        if not _is_whole(store, kept):
            made = make()
            put(made, kept)
            made.unlink()
    return True


def link_header(folder: Path, header: Path, kept: Path) -> Path:
    """Make a header and its form in the cache findable in a folder.

    Returns:
        what to include; the compiler takes the header itself if it does not like the other.
    """
    folder.mkdir()
    place = folder / header.name
    place.symlink_to(header)
    place.with_name(place.name + ENDING).symlink_to(kept)
    return place


def _is_whole(store: ObjectStore, kept: Path) -> bool:
    """As the store says; a file of this size is read once in a process."""
    if not kept.exists():
        return False
    known = kept.stat()
    key = (kept, known.st_ino, known.st_size)
    if key not in _checked:
        _checked[key] = store.has(kept)
    return _checked[key]
