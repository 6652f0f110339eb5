# SPDX-License-Identifier: Apache-2.0
"""Who uses which folder: locks that end with their process, however it ends.

Cleaning asks for a lock of its own and leaves alone what it does not get.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

LOCK = "in-use.lock"
OWNER = "owner"
"""In a job's folder: locked by its process, and says which that is."""
JOBS = "jobs"

_held: dict[Path, int] = {}
_swept: set[Path] = set()


def hold(folder: Path) -> None:
    """What lies in a folder of caches stays until this process ends."""
    folder = folder.resolve()
    if folder in _held:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            # Whoever may not write here does not hold anybody off; nor does cleaning get far.
            return
        raise
    fcntl.flock(lock, fcntl.LOCK_SH)
    _held[folder] = lock


def let_go(folder: Path) -> None:
    """End what :func:`hold` has begun."""
    lock = _held.pop(folder.resolve(), None)
    if lock is not None:
        os.close(lock)


def is_held(folder: Path) -> bool:
    """Whether this process holds a folder of caches."""
    return folder.resolve() in _held


@contextmanager
def alone(path: Path) -> Iterator[bool]:
    """Lock a file that is there for the block; False where somebody else has it, or it cannot be locked."""
    try:
        lock = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        # Nobody has ever held it.
        yield True
        return
    except OSError:
        yield False
        return
    try:
        yield try_lock(lock)
    finally:
        os.close(lock)


def try_lock(lock: int) -> bool:
    """Lock an open file for oneself, if nobody else has it."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def job_folder(root: Path) -> Iterator[Path]:
    """A new folder for a job of this process below ``root/jobs``; it goes when the block ends, or when the next job starts.

    Args:
        root: the folder for everything made.
    """
    jobs = root / JOBS
    jobs.mkdir(parents=True, exist_ok=True)
    if jobs not in _swept:
        sweep(root)
        _swept.add(jobs)
    with _starting(jobs):
        folder = Path(tempfile.mkdtemp(dir=jobs, prefix=f"{os.getpid()}-"))
        owner = os.open(folder / OWNER, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        fcntl.flock(owner, fcntl.LOCK_EX)
    try:
        os.write(owner, f"process {os.getpid()}, since {datetime.now(UTC).isoformat(timespec='seconds')}\n".encode())
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(owner)


def dead_jobs(root: Path) -> list[Path]:
    """Folders of jobs whose process has gone."""
    jobs = root / JOBS
    if not jobs.is_dir():
        return []
    found = []
    with _starting(jobs):
        for folder in sorted(p for p in jobs.iterdir() if p.is_dir() and not p.is_symlink()):
            if not (folder / OWNER).exists():
                # Its process was killed before it had locked anything; the folder's name begins with its number.
                number = folder.name.partition("-")[0]
                if number.isdigit() and not _lives(int(number)):
                    found.append(folder)
                continue
            with alone(folder / OWNER) as ours:
                if ours:
                    found.append(folder)
    return found


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        # Somebody else's.
        return True
    return True


def sweep(root: Path) -> None:
    """Remove what no living process owns: folders of jobs that were killed."""
    # Where nothing can be written, nothing can be removed either; whoever wants to write hears of it then.
    with suppress(OSError):
        for folder in dead_jobs(root):
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _starting(jobs: Path) -> Iterator[None]:
    """Between the moment a folder is made and the moment it is locked, nobody looks."""
    lock = os.open(jobs / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
