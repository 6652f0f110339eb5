# SPDX-License-Identifier: Apache-2.0
"""Folders that are made whole or not at all."""

from __future__ import annotations

import glob
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_FORGOTTEN_S = 24 * 3600.0
"""A scratch folder that is older is what a killed process has left."""


@contextmanager
def scratch_folder(folder: Path, keep: str) -> Iterator[Path]:
    """A new folder beside ``folder`` that takes its place when the block ends well.

    The caller holds a lock for ``folder``: scratch folders of others for it are what killed processes have left, and are removed;
    so are those for other folders from more than a day ago. Names are used once: whatever such a process may still be writing, it
    does not come in between.

    Args:
        folder: what is made.
        keep: the one file that stays in the scratch folder when the block fails, for people to read.
    """
    for stale in folder.parent.glob(f"{glob.escape(folder.name)}.*part"):
        shutil.rmtree(stale, ignore_errors=True)
    for stale in folder.parent.glob("*.part"):
        with suppress(OSError):
            if time.time() - stale.stat().st_mtime > _FORGOTTEN_S:
                shutil.rmtree(stale, ignore_errors=True)
    scratch = folder.with_name(f"{folder.name}.{uuid.uuid4().hex[:8]}.part")
    scratch.mkdir()
    try:
        yield scratch
    except BaseException:
        _empty(scratch, keep)
        raise
    shutil.rmtree(folder, ignore_errors=True)
    scratch.rename(folder)


def _empty(scratch: Path, keep: str) -> None:
    """Remove everything but one file: a failure must not go on taking room."""
    for path in scratch.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name != keep:
            with suppress(OSError):
                path.unlink()
