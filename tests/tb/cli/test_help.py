# SPDX-License-Identifier: Apache-2.0
"""Help texts are plain English, and the lists of commands fit a terminal of 80 columns."""

from collections.abc import Iterator
from typing import Any

import typer
from prose import banned, findings, long_sentences
from typer.testing import CliRunner

from goldbeat.tb.cli import app

ROOT = typer.main.get_command(app)
WIDTH = 80


def commands(command: Any = ROOT, name: str = "goldbeat") -> Iterator[tuple[str, Any]]:
    """Every command and group with its full name."""
    yield name, command
    for key in command.list_commands(None) if hasattr(command, "list_commands") else ():
        yield from commands(command.get_command(None, key), f"{name} {key}")


COMMANDS = dict(commands())


def test_help_texts_are_plain_english() -> None:
    found = []
    for name, command in COMMANDS.items():
        found += [(name, one) for one in findings(command.help or "")]
        for option in command.params:
            # The terminal breaks the lines of these.
            found += [
                (name, option.opts, one) for check in (banned, long_sentences) for one in check(option.help or "")
            ]
    assert found == []


def test_every_command_and_option_has_a_sentence() -> None:
    assert [name for name, command in COMMANDS.items() if not command.help] == []
    options = [(name, option) for name, command in COMMANDS.items() for option in command.params]
    wrong = [
        (name, option.opts[0], option.help)
        for name, option in options
        if not (option.help and option.help[0].isascii() and option.help.rstrip(")").endswith("."))
    ]
    assert wrong == []


def test_no_summary_is_cut_at_80_columns() -> None:
    groups = [name for name, command in COMMANDS.items() if hasattr(command, "list_commands")]
    assert len(groups) > 5
    for name in groups:
        done = CliRunner().invoke(app, [*name.split()[1:], "--help"], env={"COLUMNS": str(WIDTH)})
        assert done.exit_code == 0
        lines = done.stdout.splitlines()
        assert [line for line in lines[1:] if line.endswith("...")] == [], name


def test_no_help_is_wider_than_100_columns() -> None:
    for name in COMMANDS:
        done = CliRunner().invoke(app, [*name.split()[1:], "--help"], env={"COLUMNS": "200"})
        assert [line for line in done.stdout.splitlines() if len(line) > 110] == [], name
