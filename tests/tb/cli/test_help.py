# SPDX-License-Identifier: Apache-2.0
"""Help texts are plain English, and the lists of commands fit a terminal of 80 columns."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import typer
from prose import banned, findings, long_sentences
from typer.testing import CliRunner

from goldbeat.tb.cli import app
from goldbeat.tb.design.catalog import designs

ROOT = typer.main.get_command(app)
WIDTH = 80


def commands(command: Any = ROOT, name: str = "goldbeat") -> Iterator[tuple[str, Any]]:
    """Every command and group with its full name."""
    yield name, command
    for key in command.list_commands(None) if hasattr(command, "list_commands") else ():
        yield from commands(command.get_command(None, key), f"{name} {key}")


COMMANDS = dict(commands())
GROUPS = [name for name, command in COMMANDS.items() if hasattr(command, "list_commands")]


def examples_of(command: Any) -> list[tuple[str, str]]:
    """The lines at the end of a help text, each with its comment."""
    lines = (command.epilog or "").partition("Examples:\n")[2].replace("\\\n", " ").splitlines()
    parts = (re.fullmatch(r"(.*?)(?:\s{2,}(\w.*))?", line.strip()) for line in lines)
    return [(part[1], part[2] or "") for part in parts if part]


def wrong_in(call: str) -> list[str]:
    """The command and the options of an example that do not exist."""
    words = shlex.split(call.partition(" | ")[0])
    name = next((" ".join(words[:n]) for n in (3, 2, 1) if " ".join(words[:n]) in COMMANDS), "")
    if not name or (name in GROUPS and len(words) > len(name.split()) and not words[-1].startswith("-")):
        return [call]
    command = COMMANDS[name]
    before = words[: words.index("--")] if "--" in words else words
    given = {word.partition("=")[0] for word in before if re.match(r"--?[a-zA-Z][^ ]*$", word)}
    known = options_of(name) | {"-h", "--help"}
    if command.context_settings.get("ignore_unknown_options"):
        # These take options of `goldbeat run`, and of the cases of a design.
        known |= options_of("goldbeat run") | {f"--{option.replace('_', '-')}" for option in options_of_cases()}
    return sorted(given - known)


def options_of(name: str) -> set[str]:
    """The options of a command."""
    return {one for option in COMMANDS[name].params for one in (*option.opts, *option.secondary_opts)}


def options_of_cases() -> set[str]:
    """The options of all cases, and the words of all designs that stand for parameters."""
    every = list(designs().values())
    return {name for design in every for case in design.cases for name in case.options} | {
        name for design in every for name in design.words
    }


def test_help_texts_are_plain_english() -> None:
    found = []
    for name, command in COMMANDS.items():
        found += [(name, one) for one in findings(command.help or "")]
        for option in command.params:
            # The terminal breaks the lines of these.
            found += [
                (name, option.opts, one) for check in (banned, long_sentences) for one in check(option.help or "")
            ]
        for call, comment in examples_of(command):
            found += [(name, call, one) for one in findings(comment)]
    assert found == []


def test_every_command_has_an_example_that_it_takes() -> None:
    found = []
    for name, command in COMMANDS.items():
        calls = [call for call, _ in examples_of(command) if call.startswith("goldbeat ")]
        if name not in GROUPS:
            own = [call for call in calls if call.startswith(name)]
            found += [] if own else [(name, "no example")]
        found += [(name, call, wrong) for call in calls for wrong in wrong_in(call)]
    assert found == []


def test_a_wrong_example_is_found() -> None:
    assert wrong_in("goldbeat plio info out.txt --dtype cint16") == []
    assert wrong_in("goldbeat plio info out.txt --dtyp cint16") == ["--dtyp"]
    assert wrong_in("goldbeat run zynqnet --layer c1 --layr c2") == ["--layr"]
    assert wrong_in("goldbeat plio inf out.txt") == ["goldbeat plio inf out.txt"]
    assert wrong_in("goldbeet list") == ["goldbeet list"]


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
    assert len(GROUPS) > 5
    for name in GROUPS:
        done = CliRunner().invoke(app, [*name.split()[1:], "--help"], env={"COLUMNS": str(WIDTH)})
        assert done.exit_code == 0
        lines = done.stdout.splitlines()
        assert [line for line in lines[1:] if line.endswith("...")] == [], name


def test_no_help_is_wider_than_100_columns() -> None:
    for name in COMMANDS:
        done = CliRunner().invoke(app, [*name.split()[1:], "--help"], env={"COLUMNS": "200"})
        assert [line for line in done.stdout.splitlines() if len(line) > 110] == [], name
