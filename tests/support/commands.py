# SPDX-License-Identifier: Apache-2.0
"""Commands run in this process: what they print, and that a refused one leaves nothing behind."""

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.main import get_command
from typer.testing import CliRunner
from typer.testing import Result as Invoked

from goldbeat.tb.cli import app

# Built once: typer makes it anew for every call of its own runner, which takes longer than most commands here.
COMMAND = get_command(app)


class Result(NamedTuple):
    stdout: str
    stderr: str


def goldbeat(*args: Any, code: int = 0) -> Result:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as caught:
        COMMAND.main([str(a) for a in args], prog_name="goldbeat")
    result = Result(out.getvalue(), err.getvalue())
    assert caught.value.code == code, result
    return result


def invoke(*args: Any) -> Invoked:
    """A command whatever its exit code; what it does not handle is raised."""
    return CliRunner().invoke(app, [str(a) for a in args], catch_exceptions=False)


def plio(*args: Any, code: int = 0) -> Result:
    return goldbeat("plio", *args, code=code)


def refused(*args: Any, folder: Path) -> str:
    """The message of a command that is refused; it must not leave anything behind."""
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    result = goldbeat(*args, code=2)
    assert result.stdout == ""
    assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before
    return result.stderr
