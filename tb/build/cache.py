# SPDX-License-Identifier: Apache-2.0
"""The cache of simulators and of the objects that they share: what is in it, and how it stays within a size."""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.in_use import LOCK, alone
from goldbeat.tb.build.sealed import NOTE
from goldbeat.tb.visible import visible

SIZE = "GOLDBEAT_CACHE_SIZE"
"""Names the variable for the most bytes that the cache may have."""
DEFAULT_SIZE = "10G"
BUILDS, SCRATCH = "builds", "scratch"
SIMULATORS, SHARED, OBJECTS, NETLISTS = "sim", "runtime", "objects", "synth"
"""Folders of the cache; the third is in the second."""
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


@dataclass(frozen=True)
class Removable:
    """Something that can be removed as a whole.

    Attributes:
        kind: what it is; scratch is what killed processes have left.
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


def parse_size(text: str, what: str) -> int:
    """Bytes from a text such as ``500M`` or ``10G`` (powers of 1024).

    Raises:
        UsageError: another text; ``what`` says where it comes from.
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kmgt]?)i?b?", text.strip().lower())
    if match is None:
        raise UsageError(f"{what} {text}: expected a number of bytes such as 500M or 10G")
    return int(float(match[1]) * _UNITS[match[2]])


def size_limit() -> int:
    """The most bytes that the cache may have.

    Raises:
        UsageError: the variable holds no size.
    """
    return parse_size(os.environ.get(SIZE, DEFAULT_SIZE), SIZE)


def cache_entries(root: Path) -> list[Removable]:
    """Every simulator, shared object and netlist, and what killed builds have left; links are neither followed nor listed."""
    # The shared objects belong to builds, and go under the same lock; so do netlists.
    lock = (root / SIMULATORS).resolve() / LOCK
    found = []
    folders = (root / SIMULATORS, root / SHARED, root / SHARED / OBJECTS, root / NETLISTS)
    for path in (one for folder in folders for one in _inside(folder)):
        if path.suffix == ".lock" or path.name in (LOCK, OBJECTS) or path.name.endswith(NOTE):
            continue
        leftover = path.name.endswith((".part", ".log"))
        # A build of another process may have ended in between.
        with suppress(FileNotFoundError):
            found.append(entry(SCRATCH if leftover else BUILDS, path, lock))
    return found


def trim(root: Path, limit: int) -> int:
    """Remove what was used longest ago until the cache is within its limit, unless another process uses the cache.

    Args:
        root: of the cache; this process must not hold it.
        limit: in bytes.

    Returns:
        the bytes that were removed.
    """
    entries = cache_entries(root)
    total = sum(e.size for e in entries)
    if total <= limit:
        return 0
    chosen = []
    for one in sorted(entries, key=lambda e: e.used):
        if total <= limit:
            break
        chosen.append(one)
        total -= one.size
    removed, _ = remove(chosen)
    freed = sum(e.size for e in removed)
    if freed:
        print(
            visible(
                f"note: {root}: removed {freed >> 20} MiB of the least recently used simulators ({SIZE} sets the limit)"
            ),
            file=sys.stderr,
        )
    return freed


def remove(chosen: Sequence[Removable], *, dry_run: bool = False) -> tuple[list[Removable], list[Removable]]:
    """Remove what nobody uses.

    Returns:
        what went, and what stays because a living process uses it.
    """
    removed, in_use = [], []
    with ExitStack() as stack:
        locks: dict[Path, bool] = {}
        for one in chosen:
            if one.lock not in locks:
                locks[one.lock] = stack.enter_context(alone(one.lock))
            if not locks[one.lock]:
                in_use.append(one)
                continue
            if not dry_run:
                _remove(one.path)
            removed.append(one)
    return removed, in_use


def entry(kind: str, path: Path, lock: Path) -> Removable:
    """A file or folder with its size and the time of its last use."""
    return Removable(kind, path, _size(path), path.stat().st_mtime, lock)


def _inside(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(p for p in folder.iterdir() if not p.is_symlink())


def _size(path: Path) -> int:
    """Bytes of a file, or of all files in a folder that are still there."""
    known = path.lstat()
    if not stat.S_ISDIR(known.st_mode):
        return known.st_size
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with suppress(FileNotFoundError):
                total += (Path(folder) / name).lstat().st_size
    return total


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
        path.with_name(f"{path.name}.lock").unlink(missing_ok=True)
        return
    with suppress(FileNotFoundError):
        path.unlink()
    path.with_name(path.name + NOTE).unlink(missing_ok=True)
