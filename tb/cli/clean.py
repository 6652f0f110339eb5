# SPDX-License-Identifier: Apache-2.0
"""``goldbeat clean``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.cache import BUILDS, Removable, parse_size
from goldbeat.tb.cli.common import Json, examples, facts, print_json, say
from goldbeat.tb.paths import build_root, cache_root
from goldbeat.tb.run.clean import KINDS, Cleaned, CleanLimits, clean

DAY_S = 86400.0
_SHOWN = 20
Older = Annotated[
    float | None, typer.Option("--older", metavar="DAYS", min=0, help="Remove what has not been used for DAYS days.")
]
MaxSize = Annotated[
    str | None,
    typer.Option("--max-size", metavar="SIZE", help="Remove the oldest until at most SIZE is left (500M, 10G)."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be removed.")]


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command(
        "clean",
        epilog=examples(
            "goldbeat clean                              leftovers of killed processes",
            "goldbeat clean --older 30 --dry-run",
            "goldbeat clean --keep 20 --max-size 10G --only builds",
        ),
    )(clean_command)


def clean_command(
    keep: Annotated[
        int | None, typer.Option("--keep", metavar="N", min=0, help="Keep the newest N of each kind.")
    ] = None,
    older: Older = None,
    max_size: MaxSize = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="KIND", help=f"Only this kind: {', '.join(KINDS)}.")
    ] = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Remove leftovers of killed processes, and old results.

    Limits select runs, builds, blobs and reports. What a running process uses is kept, and so are results
    of regressions (results.sqlite). Simulators in a shared cache are removed only with --only builds;
    see `goldbeat cache`.
    """
    for kind in only or ():
        if kind not in KINDS:
            raise UsageError(f"--only {kind}: expected {', '.join(KINDS)}")
    limits = CleanLimits(
        keep, None if older is None else older * DAY_S, None if max_size is None else parse_size(max_size, "--max-size")
    )
    root, cache = build_root(), cache_root()
    # Simulators that other projects share do not go with the results of this one, unless they are asked for.
    kinds = only or [kind for kind in KINDS if kind != BUILDS or cache == root]
    done = clean(root, limits, time.time(), kinds, cache=cache, dry_run=dry_run)
    show_cleaned(done, root, kinds, dry_run, as_json)


def show_cleaned(done: Cleaned, root: Path, kinds: Sequence[str], dry_run: bool, as_json: bool) -> None:
    """Print what cleaning did, or would do."""
    if as_json:
        print_json(
            {
                "folder": str(root),
                "dry_run": dry_run,
                "freed_bytes": _total(done.removed),
                "kept_bytes": _total(done.kept),
                **{name: [entry_row(e) for e in getattr(done, name)] for name in ("removed", "in_use", "kept")},
            }
        )
        return
    for entry in done.removed[:_SHOWN]:
        say(f"{'would remove' if dry_run else 'removed'} {entry.path} ({size_text(entry.size)})")
    if len(done.removed) > _SHOWN:
        say(f"... and {len(done.removed) - _SHOWN} more; --json lists them all")
    for entry in done.in_use[:_SHOWN]:
        say(f"kept {entry.path}: in use by a process")
    rows = []
    for kind in kinds:
        gone, left = ([e for e in group if e.kind == kind] for group in (done.removed, (*done.kept, *done.in_use)))
        rows.append(
            (kind, f"{len(gone)} removed ({size_text(_total(gone))}), {len(left)} kept ({size_text(_total(left))})")
        )
    facts(f"{root}: {size_text(_total(done.removed))} {'to free' if dry_run else 'freed'}", rows)


def _total(entries: tuple[Removable, ...] | list[Removable]) -> int:
    return sum(e.size for e in entries)


def entry_row(entry: Removable) -> dict[str, str | int | float]:
    """For JSON."""
    return {"kind": entry.kind, "path": str(entry.path), "bytes": entry.size, "used": round(entry.used, 3)}


def size_text(size: int) -> str:
    """``1.5 MiB``."""
    value = float(size)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"
