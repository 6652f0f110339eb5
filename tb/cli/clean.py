# SPDX-License-Identifier: Apache-2.0
"""``goldbeat clean``."""

from __future__ import annotations

import re
import time
from typing import Annotated

import typer

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.cli.common import Json, examples, facts, print_json, say
from goldbeat.tb.paths import build_root
from goldbeat.tb.run.clean import KINDS, CleanLimits, Removable, clean

_DAY_S = 86400.0
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_SHOWN = 20


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
    older: Annotated[
        float | None, typer.Option("--older", metavar="DAYS", min=0, help="Remove what was not used for DAYS days.")
    ] = None,
    max_size: Annotated[
        str | None,
        typer.Option("--max-size", metavar="SIZE", help="Remove the oldest until SIZE bytes are left (500M, 10G)."),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="KIND", help=f"Only this kind: {', '.join(KINDS)}.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be removed.")] = False,
    as_json: Json = False,
) -> None:
    """Remove leftovers of killed processes, and by limits old runs, builds, blobs and reports of regressions.

    What a living process uses stays. Results of regressions (results.sqlite) stay.
    """
    for kind in only or ():
        if kind not in KINDS:
            raise UsageError(f"--only {kind}: expected {', '.join(KINDS)}")
    limits = CleanLimits(
        keep, None if older is None else older * _DAY_S, None if max_size is None else _bytes(max_size)
    )
    root = build_root()
    done = clean(root, limits, time.time(), only or KINDS, dry_run=dry_run)
    if as_json:
        print_json(
            {
                "folder": str(root),
                "dry_run": dry_run,
                "freed_bytes": _total(done.removed),
                "kept_bytes": _total(done.kept),
                **{name: [_row(e) for e in getattr(done, name)] for name in ("removed", "in_use", "kept")},
            }
        )
        return
    for entry in done.removed[:_SHOWN]:
        say(f"{'would remove' if dry_run else 'removed'} {entry.path} ({_text(entry.size)})")
    if len(done.removed) > _SHOWN:
        say(f"... and {len(done.removed) - _SHOWN} more; --json lists them all")
    for entry in done.in_use[:_SHOWN]:
        say(f"kept {entry.path}: a living process uses it, or others beside it")
    rows = []
    for kind in only or KINDS:
        gone, left = ([e for e in group if e.kind == kind] for group in (done.removed, (*done.kept, *done.in_use)))
        rows.append((kind, f"{len(gone)} removed ({_text(_total(gone))}), {len(left)} kept ({_text(_total(left))})"))
    facts(f"{root}: {_text(_total(done.removed))} {'to free' if dry_run else 'freed'}", rows)


def _bytes(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kmgt]?)i?b?", text.strip().lower())
    if match is None:
        raise UsageError(f"--max-size {text}: expected a number of bytes such as 500M or 10G")
    return int(float(match[1]) * _UNITS[match[2]])


def _total(entries: tuple[Removable, ...] | list[Removable]) -> int:
    return sum(e.size for e in entries)


def _row(entry: Removable) -> dict[str, str | int | float]:
    return {"kind": entry.kind, "path": str(entry.path), "bytes": entry.size, "used": round(entry.used, 3)}


def _text(size: int) -> str:
    """``1.5 MiB``."""
    value = float(size)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"
