# SPDX-License-Identifier: Apache-2.0
"""Folders that are made whole or not at all."""

from __future__ import annotations

import glob
import shutil
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

from goldbeat.tb.build.in_use import alone


def file_lock(path: Path) -> AbstractContextManager[Any]:
    """The lock that a file stands for, while the block runs."""
    # Who takes everything from the cache locks nothing.
    from filelock import FileLock

    return FileLock(path)


@contextmanager
def scratch_folder(folder: Path, keep: str) -> Iterator[Path]:
    """A new folder beside ``folder`` that takes its place when the block ends well.

    The caller holds the lock ``folder``.lock: scratch folders of others for it are what killed processes have left, and are
    removed; so are those for other folders whose lock nobody holds. No clock is asked: it may jump while a build goes on. Names are
    used once: whatever such a process may still be writing, it does not come in between.

    Args:
        folder: what is made.
        keep: the one file that stays in the scratch folder when the block fails, for people to read.
    """
    for stale in folder.parent.glob(f"{glob.escape(folder.name)}.*part"):
        shutil.rmtree(stale, ignore_errors=True)
    for stale in folder.parent.glob("*.*.part"):
        name = stale.name.rsplit(".", 2)[0]
        with alone(folder.with_name(f"{name}.lock")) as ours:
            if ours and name != folder.name:
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
