# SPDX-License-Identifier: Apache-2.0
"""``goldbeat doctor``."""

from __future__ import annotations

import typer

from goldbeat.tb.build.doctor import examine
from goldbeat.tb.cli.common import FAILED, Json, examples, print_json
from goldbeat.tb.cli.screen import Screen, literal


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command("doctor", epilog=examples("goldbeat doctor", "goldbeat doctor --json"))(doctor_command)


def doctor_command(as_json: Json = False) -> None:
    """Check that the required tools are installed.

    Prints how to get what is missing.

    Exit code: 0 all found, 1 a required tool is missing.
    """
    findings = examine()
    if as_json:
        print_json([f.as_dict() for f in findings])
    else:
        out = Screen(highlight=False)
        for f in findings:
            mark = "[green]ok[/]  " if f.found else ("[red]miss[/]" if f.needed else "[yellow]none[/]")
            out.print(f"{mark} {f.name:<16} {literal(f.detail)}", soft_wrap=True)
            if not f.found:
                out.print(f"     {'':<16} to get it: {f.hint}", markup=False, soft_wrap=True)
    if any(f.needed and not f.found for f in findings):
        raise typer.Exit(FAILED)
