# SPDX-License-Identifier: Apache-2.0
"""``goldbeat dashboard``: how far the designs of a project have come."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.cli.common import FAILED, Json, examples, print_json
from goldbeat.tb.cli.screen import literal, show_table
from goldbeat.tb.dashboard.evidence import gather
from goldbeat.tb.dashboard.page import dashboard_dict, dashboard_page
from goldbeat.tb.dashboard.stages import Standing, judge_design
from goldbeat.tb.dashboard.testplan import STAGES, plan_of
from goldbeat.tb.design.catalog import designs, find_design
from goldbeat.tb.git import git_revision
from goldbeat.tb.paths import build_root

Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="[DESIGN|FILE.toml]...", help="Designs or description files [all designs of Goldbeat]."),
]
Lint = Annotated[bool, typer.Option("--lint", help="Lint all variants first.")]
Require = Annotated[
    str | None,
    typer.Option("--require", metavar="STAGE", help="Fail unless every design has reached this stage: V1, V2 or V3."),
]
Runs = Annotated[int, typer.Option("--runs", metavar="N", min=1, help="Number of newest regressions to read.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "dashboard",
        epilog=examples(
            "goldbeat dashboard                         all designs; build/dashboard/index.html",
            "goldbeat dashboard bench/*.toml --lint     your own",
            "goldbeat dashboard bench/fir.toml --require V2",
        ),
    )(dashboard_command)


def dashboard_command(
    names: Names = None, lint: Lint = False, require: Require = None, runs: Runs = 100, as_json: Json = False
) -> None:
    """Show the stage of every design, its criteria and its history.

    Nothing is run; results of regressions, coverage, mutants, synthesis and lint are read from build/.

    Exit code: 0, or 1 if a design has not reached the stage of --require.
    """
    if require is not None and require not in STAGES:
        raise UsageError(f"--require {require}: expected {', '.join(STAGES)}")
    sources = {name: Path(name) if name.endswith((".toml", ".py")) else None for name in names or designs()}
    found = {name: find_design(name) for name in sources}
    if len({design.name for design in found.values()}) < len(found):
        raise UsageError("two of these descriptions have the same name, and results are stored by name")
    if lint:
        from goldbeat.tb.build.lint import lint_record

        lint_record(found.values(), lambda text: typer.echo(text, err=True))
    evidence = gather(list(found.values()), build_root(), runs)
    standings = [judge_design(d, plan_of(d, sources[name]), evidence[d.name]) for name, d in found.items()]
    git, now = git_revision(), datetime.now(UTC)
    folder = build_root() / "dashboard"
    folder.mkdir(parents=True, exist_ok=True)
    facts = dashboard_dict(standings, git, now)
    (folder / "dashboard.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    (folder / "index.html").write_text(dashboard_page(standings, git, now), encoding="utf-8")
    if as_json:
        print_json(facts)
    else:
        _show(standings)
        typer.echo(f"in {folder}: index.html, dashboard.json")
    late = [s.design for s in standings if require is not None and (s.reached or "") < require]
    if late:
        typer.echo(f"not at {require}: {', '.join(late)}", err=True)
        raise typer.Exit(FAILED)


def _show(standings: list[Standing]) -> None:
    table = Table()
    for column in ("design", "stage", "next", "what is missing"):
        table.add_column(column, no_wrap=column != "what is missing")
    for one in standings:
        after = next((s for s in STAGES if s > (one.reached or "")), "")
        missing = [f"{c.name} ({c.shown or c.state})" for c in one.criteria if c.stage == after and c.state != "met"]
        table.add_row(literal(one.design), one.reached or "-", after, literal("; ".join(missing)))
    show_table(table, piped=140)
