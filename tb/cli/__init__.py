# SPDX-License-Identifier: Apache-2.0
"""The command line: ``goldbeat``.

Exit codes: 0 all is well, 1 a comparison or a limit failed, 2 bad usage or bad input, 3 nothing failed, but outputs were not
compared. Messages go to stderr, results to stdout. Nothing here imports a simulator; commands that need one import it when they
run.
"""

from __future__ import annotations

# ruff: noqa: E402
from goldbeat.tb.cli import starting

starting.begin()

import os
from typing import Annotated, Any

import typer

from goldbeat.tb.cli.common import GoldbeatGroup, examples
from goldbeat.tb.cli.listing import listing
from goldbeat.tb.visible import guard_output


class _Commands(GoldbeatGroup):
    """All commands."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, listed=listing())


app = typer.Typer(
    name="goldbeat",
    cls=_Commands,
    no_args_is_help=True,
    # For a shell that completes a line or asks for its script (docs/install.md): it adds options and imports.
    add_completion="_GOLDBEAT_COMPLETE" in os.environ,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog=examples(
        "goldbeat list                              what can be run",
        "goldbeat run DESIGN                        build, simulate, compare, report",
        "goldbeat new bench/f my_fifo.v --model identity   a bench for your own RTL",
        "goldbeat plio info out.txt -t cint16 -w 32",
        "goldbeat regress nightly --seeds 200       thousands of cases, recorded and reported",
        "goldbeat signoff build/runs/DESIGN-CASE --limits limits.toml",
    ),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(asked: bool) -> None:
    if asked:
        from goldbeat.tb.git import installed_revision
        from goldbeat.tb.versions import version_of

        try:
            number = version_of("goldbeat")
        except ModuleNotFoundError:
            number = "(not installed)"
        commit = f" ({revision})" if (revision := installed_revision()) else ""
        typer.echo(f"goldbeat {number}{commit}")
        raise typer.Exit


@app.callback()
def _root(
    show_version: Annotated[
        bool, typer.Option("--version", "-V", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Golden models against RTL, beat by beat.

    Exit code: 0 all is well, 1 a comparison or a limit failed, 2 bad usage or bad input,
    3 nothing failed, but outputs were not compared.
    """


def main() -> None:
    """Entry point of the ``goldbeat`` command."""
    # Looking for plug-ins of pydantic opens the metadata of every installed package, at every start.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # Threads of numpy's linear algebra spin for a while when they have nothing to do, so at every start: they may sleep at once.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    guard_output()
    app()
