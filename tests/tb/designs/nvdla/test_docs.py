# SPDX-License-Identifier: Apache-2.0
"""The guide to NVDLA: its Python runs, its commands print what it prints."""

import re
import subprocess
from contextlib import redirect_stdout
from io import StringIO

import pytest
from typer.main import get_command

from goldbeat.tb.cli import app
from goldbeat.tb.paths import REPOSITORY

PAGE = REPOSITORY / "docs" / "nvdla.md"


def printed_by(command: str) -> str:
    first, pipe, rest = command.removeprefix("goldbeat ").partition(" | ")
    out = StringIO()
    with redirect_stdout(out), pytest.raises(SystemExit) as caught:
        get_command(app).main(first.split(), prog_name="goldbeat")
    assert not caught.value.code
    if not pipe:
        return out.getvalue()
    done = subprocess.run(["bash", "-c", rest], input=out.getvalue(), stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout


def test_the_guide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    out, commands = StringIO(), 0
    text = PAGE.read_text(encoding="utf-8")
    for language, block in re.findall(r"^```([^\n]*)\n(.*?)^```", text, flags=re.S | re.M):
        if language == "python":
            out = StringIO()
            with redirect_stdout(out):
                exec(compile(block, str(PAGE), "exec"), names)
        elif language == "console":
            for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, _, expected = part.partition("\n")
                if command.startswith("goldbeat nvdla "):
                    commands += 1
                    assert [line.rstrip() for line in printed_by(command).splitlines()] == expected.splitlines(), (
                        command
                    )
        elif not language:
            assert out.getvalue() == block
    assert commands > 3
