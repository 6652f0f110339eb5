# SPDX-License-Identifier: Apache-2.0
"""Cleaning: what may go of what runs, regressions and builds have left, and what a living process uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from goldbeat.tb.build.cache import Removable, cache_entries, entry, remove
from goldbeat.tb.build.in_use import LOCK, dead_jobs
from goldbeat.tb.run.run_folder import MARKER, is_run

KINDS = ("jobs", "scratch", "runs", "builds", "blobs", "regress")
"""Leftovers of killed processes (``jobs``, ``scratch``) always go; the others by limits."""
_LEFTOVERS = ("jobs", "scratch")


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


def find_entries(root: Path, cache: Path | None = None) -> list[Removable]:
    """Everything that cleaning knows; links are neither followed nor listed.

    Args:
        root: the folder for everything made.
        cache: the folder of the simulators, the same unless given.
    """
    found = [entry("jobs", path, path / "owner") for path in dead_jobs(root)]
    found += cache_entries(cache or root)
    lock = (root / "blobs").resolve() / LOCK
    for path in _inside(root / "blobs"):
        if path.suffix != ".lock" and path.name != LOCK:
            found.append(entry("scratch" if ".part" in path.name else "blobs", path, lock))
    found += [entry("runs", path, path / MARKER) for path in _inside(root / "runs") if is_run(path)]
    for path in _inside(root / "regress"):
        if path.is_dir() and path.name.startswith("run-"):
            found.append(entry("regress", path, path / "lock"))
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
    root: Path,
    limits: CleanLimits,
    now: float,
    kinds: Sequence[str] = KINDS,
    *,
    cache: Path | None = None,
    dry_run: bool = False,
) -> Cleaned:
    """Remove what the limits let go and nobody uses.

    Args:
        root: the folder for everything made.
        limits: what stays.
        now: in seconds since the epoch.
        kinds: of :data:`KINDS`; the others are ignored.
        cache: the folder of the simulators, the same unless given.
        dry_run: only say what would go.
    """
    entries = [e for e in find_entries(root, cache) if e.kind in kinds]
    chosen = choose_removals(entries, limits, now)
    removed, in_use = remove(chosen, dry_run=dry_run)
    return Cleaned(tuple(removed), tuple(in_use), tuple(e for e in entries if e not in chosen))


def _inside(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(p for p in folder.iterdir() if not p.is_symlink())
