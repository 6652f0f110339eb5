# SPDX-License-Identifier: Apache-2.0
"""The commands of a page, and what they print."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from typer.main import get_command

from goldbeat.tb.cli import app
from goldbeat.tb.paths import build_root

COMMAND = get_command(app)
BUILD = build_root().absolute()
"""Of this run of the tests: simulators are built once for all of them."""


def share_simulators(folder: Path) -> None:
    """Let commands that run in a folder find the simulators of this run of the tests."""
    (folder / "build").mkdir()
    for kept in ("sim", "runtime"):
        (folder / "build" / kept).symlink_to(BUILD / kept)


def goldbeat(args: list[str]) -> tuple[int, str]:
    out = StringIO()
    with redirect_stdout(out), redirect_stderr(out), pytest.raises(SystemExit) as caught:
        COMMAND.main(args, prog_name="goldbeat")
    return int(caught.value.code or 0), out.getvalue()


def shell(command: str, given: str = "") -> tuple[int, str]:
    if command.startswith("python "):
        command = shlex.quote(sys.executable) + command.removeprefix("python")
    done = subprocess.run(
        ["bash", "-c", command], input=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return done.returncode, done.stdout


def run(command: str) -> tuple[int, str]:
    """In this process where it can be: a new one takes longer than all the rest."""
    if not command.startswith("goldbeat "):
        return shell(command)
    first, pipe, rest = command.removeprefix("goldbeat ").partition(" | ")
    code, text = goldbeat(shlex.split(first))
    return shell(rest, text) if pipe else (code, text)


def matches(found: list[str], printed: list[str]) -> bool:
    """Whether lines are those of a guide, where ``...`` alone on a line stands for any number of them."""
    pattern = "".join("(?:.*\n)*" if line == "..." else re.escape(f"{line}\n") for line in printed)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in found)) is not None


def commands(block: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a console block, with the lines that it prints."""
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed.splitlines()


def printed_in(folder: Path, found: str) -> list[str]:
    """Lines as pages have them: no blanks at their ends, and no folder of whoever reads them."""
    return [line.rstrip() for line in found.replace(f"{folder}/", "").splitlines()]
