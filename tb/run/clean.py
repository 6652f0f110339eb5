# SPDX-License-Identifier: Apache-2.0
"""Cleaning: what may go of what runs, regressions and builds have left, and what a living process uses."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from goldbeat.tb.build.in_use import LOCK, alone, dead_jobs
from goldbeat.tb.run.run_folder import MARKER, is_run

KINDS = ("jobs", "scratch", "runs", "builds", "blobs", "regress")
"""Leftovers of killed processes (``jobs``, ``scratch``) always go; the others by limits."""
_LEFTOVERS = ("jobs", "scratch")


@dataclass(frozen=True)
class Removable:
    """Something that can be removed as a whole.

    Attributes:
        kind: of :data:`KINDS`.
        path: file or folder.
        size: in bytes.
        used: when it was used last, in seconds since the epoch.
        lock: the file that its user has locked.
    """

    kind: str
    path: Path
    size: int
    used: float
    lock: Path


@dataclass(frozen=True)
class CleanLimits:
    """What stays; without any limit, everything but leftovers.

    Attributes:
        keep: the newest so many of each kind stay, whatever else is said.
        older_s: only what was not used for so many seconds goes.
        most: bytes that all kinds together may have; the oldest go first.
    """

    keep: int | None = None
    older_s: float | None = None
    most: int | None = None


@dataclass(frozen=True)
class Cleaned:
    """What cleaning did, or would do.

    Attributes:
        removed: what went.
        in_use: what would have gone, but a living process uses it.
        kept: what stays within the limits.
    """

    removed: tuple[Removable, ...]
    in_use: tuple[Removable, ...]
    kept: tuple[Removable, ...]


def find_entries(root: Path) -> list[Removable]:
    """Everything below the folder for everything made that cleaning knows; links are not followed, nor listed."""
    found = [_entry("jobs", path, path / "owner") for path in dead_jobs(root)]
    for name, kind in (("sim", "builds"), ("runtime", "builds"), ("blobs", "blobs")):
        folder = root / name
        # The shared objects belong to builds, and go under the same lock.
        lock = (root / ("blobs" if name == "blobs" else "sim")).resolve() / LOCK
        for path in _inside(folder):
            if path.suffix == ".lock" or path.name == LOCK:
                continue
            leftover = path.name.endswith(".part") or (name == "blobs" and ".part" in path.name)
            found.append(_entry("scratch" if leftover else kind, path, lock))
    found += [_entry("runs", path, path / MARKER) for path in _inside(root / "runs") if is_run(path)]
    for path in _inside(root / "regress"):
        if path.is_dir() and path.name.startswith("run-"):
            found.append(_entry("regress", path, path / "lock"))
    return found


def choose_removals(entries: Sequence[Removable], limits: CleanLimits, now: float) -> list[Removable]:
    """What the limits let go.

    Args:
        entries: everything there is.
        limits: what stays.
        now: in seconds since the epoch.
    """
    gone = [e for e in entries if e.kind in _LEFTOVERS]
    if limits == CleanLimits():
        return gone
    free: list[Removable] = []
    for kind in KINDS:
        of_kind = sorted((e for e in entries if e.kind == kind and kind not in _LEFTOVERS), key=lambda e: -e.used)
        free += of_kind[limits.keep or 0 :]
    free.sort(key=lambda e: e.used)
    if limits.older_s is None and limits.most is None:
        return gone + free
    if limits.older_s is not None:
        gone += [e for e in free if now - e.used > limits.older_s]
    if limits.most is not None:
        total = sum(e.size for e in entries) - sum(e.size for e in gone)
        for entry in (e for e in free if e not in gone):
            if total <= limits.most:
                break
            gone.append(entry)
            total -= entry.size
    return gone


def clean(
    root: Path, limits: CleanLimits, now: float, kinds: Sequence[str] = KINDS, *, dry_run: bool = False
) -> Cleaned:
    """Remove what the limits let go and nobody uses.

    Args:
        root: the folder for everything made.
        limits: what stays.
        now: in seconds since the epoch.
        kinds: of :data:`KINDS`; the others are not looked at.
        dry_run: only say what would go.
    """
    entries = [e for e in find_entries(root) if e.kind in kinds]
    chosen = choose_removals(entries, limits, now)
    removed, in_use = [], []
    with ExitStack() as stack:
        locks: dict[Path, bool] = {}
        for entry in chosen:
            if entry.lock not in locks:
                locks[entry.lock] = stack.enter_context(alone(entry.lock))
            if not locks[entry.lock]:
                in_use.append(entry)
                continue
            if not dry_run:
                _remove(entry.path)
            removed.append(entry)
    return Cleaned(tuple(removed), tuple(in_use), tuple(e for e in entries if e not in chosen))


def _inside(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(p for p in folder.iterdir() if not p.is_symlink())


def _entry(kind: str, path: Path, lock: Path) -> Removable:
    return Removable(kind, path, _size(path), path.stat().st_mtime, lock)


def _size(path: Path) -> int:
    """Bytes of a file, or of all files in a folder."""
    known = path.lstat()
    if not stat.S_ISDIR(known.st_mode):
        return known.st_size
    return sum((Path(folder) / name).lstat().st_size for folder, _, names in os.walk(path) for name in names)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
        path.with_name(f"{path.name}.lock").unlink(missing_ok=True)
    else:
        path.unlink()
