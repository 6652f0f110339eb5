# SPDX-License-Identifier: Apache-2.0
"""The commands in the guides give what the guides print."""

import re
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from typer.main import get_command

from goldbeat.tb.cli import app
from goldbeat.tb.paths import REPOSITORY, build_root

DOCS = REPOSITORY / "docs"
COMMAND = get_command(app)
BUILD = build_root().absolute()
"""Of this run of the tests: simulators are built once for all of them."""


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
    pattern = "\n".join(".*" if line == "..." else re.escape(line) for line in printed)
    return re.fullmatch(pattern, "\n".join(found), flags=re.S) is not None


@pytest.mark.parametrize(
    "page",
    ["stimulus.md", "comparing.md", "throughput.md", "signoff.md", pytest.param("objfifo.md", marks=pytest.mark.slow)],
)
def test_what_a_guide_prints_is_what_comes_out(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "build").mkdir()
    for kept in ("sim", "runtime"):
        (tmp_path / "build" / kept).symlink_to(BUILD / kept)
    text = (DOCS / page).read_text(encoding="utf-8")
    code, commands = 0, 0
    for language, block in re.findall(r"^```(console|toml|python)\n(.*?)^```", text, flags=re.S | re.M):
        if language == "python":
            if named := re.match(r"# (\w+\.py)\n", block):
                (tmp_path / named[1]).write_text(block)
            continue
        if language == "toml":
            (tmp_path / "limits.toml").write_text(block)
            continue
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, printed = part.partition("\n")
            commands += 1
            if command == "echo $?":
                found = f"{code}\n"
            else:
                code, found = run(command)
            # The guides have no blanks at the ends of lines, and no folder of whoever reads them.
            lines = [line.rstrip() for line in found.replace(f"{tmp_path}/", "").splitlines()]
            assert matches(lines, printed.splitlines()), f"{command}\n{found}"
    assert commands > 3
