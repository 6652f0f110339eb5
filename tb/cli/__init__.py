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

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Annotated, Any

import typer

from goldbeat.pymodels.errors import ToolError
from goldbeat.tb.cli import clean, probe, signoff
from goldbeat.tb.cli.common import GoldbeatGroup, examples
from goldbeat.tb.design.families import families


class _Commands(GoldbeatGroup):
    """The common commands, and a group per folder of designs that has commands; a group is imported when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        own = [name for name, package in families().items() if find_spec(f"{package}.commands")]
        return [*own, *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        package = families().get(cmd_name)
        if package is None or find_spec(f"{package}.commands") is None:
            return super().get_command(ctx, cmd_name)
        if cmd_name not in self.commands:
            mount = typer.Typer(add_completion=False, rich_markup_mode=None)
            mount.add_typer(import_module(f"{package}.commands").app, name=cmd_name)
            group: Any = typer.main.get_command(mount)
            self.commands[cmd_name] = group.commands[cmd_name]
        return self.commands[cmd_name]


app = typer.Typer(
    name="goldbeat",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
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
        try:
            number = version("goldbeat")
        except PackageNotFoundError:
            number = "(not installed)"
        typer.echo(f"goldbeat {number}")
        raise typer.Exit


@app.callback()
def _root(
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Golden models against RTL, beat by beat.

    Exit code: 0 all is well, 1 a comparison or a limit failed, 2 bad usage or bad input.
    """


def _mount() -> None:
    signoff.register(app)
    clean.register(app)
    probe.register(app)
    try:
        run = import_module("goldbeat.tb.cli.run")
    except ModuleNotFoundError as error:
        # Without the packages for simulation, files can still be worked on.
        if (error.name or "").partition(".")[0] == "goldbeat":
            raise
        for name in ("run", "list", "doctor", "regress", "history", "show", "rerun", "compare", "farm"):
            _stand_in(name, error.name or "?")
        return
    run.register(app)
    import_module("goldbeat.tb.cli.regress").register(app)


def _stand_in(name: str, package: str) -> None:
    """A command that says what it lacks."""

    @app.command(name, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
    def command() -> None:
        """Not available: the packages for simulation are not installed."""
        raise ToolError(f"{name} needs the Python package {package}: pip install 'goldbeat[sim]'")


_mount()


def main() -> None:
    """Entry point of the ``goldbeat`` command."""
    app()
