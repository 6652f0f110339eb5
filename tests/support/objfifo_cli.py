# SPDX-License-Identifier: Apache-2.0
"""Commands of ``goldbeat`` in this process."""

from __future__ import annotations

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import NamedTuple

import pytest
from typer.main import get_command

from goldbeat.tb.cli import app

_COMMAND = get_command(app)


class CliResult(NamedTuple):
    """What a command left: its exit code and what it printed."""

    code: int
    stdout: str
    stderr: str


def goldbeat(*arguments: object) -> CliResult:
    """Run a command."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as caught:
        _COMMAND.main(args=[str(a) for a in arguments], prog_name="goldbeat")
    return CliResult(int(caught.value.code or 0), out.getvalue(), err.getvalue())
