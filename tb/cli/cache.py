# SPDX-License-Identifier: Apache-2.0
"""``goldbeat cache``: the compiled simulators, and the objects that they share."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Annotated

import typer

from goldbeat.tb.build.cache import BUILDS, SCRATCH, SIZE, cache_entries, parse_size, remove, size_limit
from goldbeat.tb.cli.clean import DAY_S, DryRun, MaxSize, Older, entry_row, show_cleaned, size_text
from goldbeat.tb.cli.common import Json, examples, facts, print_json, say
from goldbeat.tb.paths import cache_root
from goldbeat.tb.run.clean import Cleaned, CleanLimits, choose_removals

_SHOWN = 30


def register(app: typer.Typer) -> None:
    """Add the commands of the group ``cache``."""
    app.command("list", epilog=examples("goldbeat cache list", "goldbeat cache list --json"))(list_command)
    app.command("size", epilog=examples("goldbeat cache size", f"{SIZE}=2G goldbeat cache size --json"))(size_command)
    app.command(
        "clear",
        epilog=examples(
            "goldbeat cache clear                        everything that no process uses",
            "goldbeat cache clear --older 30 --dry-run",
            "goldbeat cache clear --max-size 2G",
        ),
    )(clear_command)


def list_command(as_json: Json = False) -> None:
    """List the compiled simulators and shared objects, the largest first.

    A simulator of a design is listed once per set of parameters, switches and sources.
    """
    root = cache_root()
    entries = sorted(cache_entries(root), key=lambda e: -e.size)
    if as_json:
        print_json({"folder": str(root), "entries": [entry_row(e) for e in entries]})
        return
    say(str(root))
    for entry in entries[:_SHOWN]:
        used = datetime.fromtimestamp(entry.used, UTC).astimezone().isoformat(" ", "minutes")
        say(f"  {size_text(entry.size):>10}  used {used[:16]}  {entry.path.relative_to(root)}")
    if len(entries) > _SHOWN:
        say(f"... and {len(entries) - _SHOWN} more; --json lists them all")


def size_command(as_json: Json = False) -> None:
    """Show how large the cache is, and its limit.

    Before a build or a run, the least recently used simulators are removed until the cache is within its
    limit, unless another process uses the cache. GOLDBEAT_CACHE_SIZE sets the limit (500M, 20G).
    """
    root, limit = cache_root(), size_limit()
    entries = cache_entries(root)
    total = sum(e.size for e in entries)
    if as_json:
        print_json({"folder": str(root), "bytes": total, "limit_bytes": limit, "entries": len(entries)})
        return
    facts(str(root), [("size", size_text(total)), ("limit", size_text(limit)), ("entries", str(len(entries)))])


def clear_command(
    keep: Annotated[int | None, typer.Option("--keep", metavar="N", min=0, help="Keep the newest N.")] = None,
    older: Older = None,
    max_size: MaxSize = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Remove unused simulators and shared objects: all, or by limits.

    `goldbeat clean` removes the results of runs.
    """
    root = cache_root()
    limits = CleanLimits(
        0 if keep is None and older is None and max_size is None else keep,
        None if older is None else older * DAY_S,
        None if max_size is None else parse_size(max_size, "--max-size"),
    )
    entries = cache_entries(root)
    chosen = choose_removals(entries, limits, time.time())
    removed, in_use = remove(chosen, dry_run=dry_run)
    done = Cleaned(tuple(removed), tuple(in_use), tuple(e for e in entries if e not in chosen))
    show_cleaned(done, root, (BUILDS, SCRATCH), dry_run, as_json)
