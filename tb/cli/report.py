# SPDX-License-Identifier: Apache-2.0
"""``goldbeat report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from goldbeat.tb.cli.common import Json, examples, print_json, say, working
from goldbeat.tb.page.run_page import MadePage, write_page
from goldbeat.tb.paths import build_root
from goldbeat.tb.run.run_folder import REPORT


def register(app: typer.Typer) -> None:
    """Mount the command."""
    below = examples(
        "goldbeat report build/runs/DESIGN-CASE",
        "goldbeat report DESIGN-CASE                the same, by its name",
        "goldbeat report build/runs/DESIGN-CASE/seeds/3   one seed of several",
    )
    app.command("report", no_args_is_help=True, epilog=below)(report)


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run, or its name in build/runs.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a report.html that Goldbeat did not make.")] = False,
    as_json: Json = False,
) -> None:
    """Make the page of a run: report.html, one file without network."""
    named = build_root() / "runs" / run
    folder = named if not run.exists() and (named / REPORT).is_file() else run
    with working(f"drawing {folder}"):
        made = write_page(folder, force=force)
    show_page(made, as_json=as_json)


def show_page(made: MadePage, *, as_json: bool = False) -> None:
    """Print where a page is, and what it leaves out."""
    if as_json:
        print_json({"page": str(made.path), "bytes": made.size, "beats": made.beats, "shown": made.shown})
        return
    say(f"page: {made.path} ({made.size / 1000:.0f} kB)")
    if made.shown < made.beats:
        say(f"note: {made.shown:,} of {made.beats:,} beats and transactions are on the page one by one")
