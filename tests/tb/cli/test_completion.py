# SPDX-License-Identifier: Apache-2.0
"""Shells complete commands, options and designs, as docs/install.md says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from goldbeat.tb.paths import REPOSITORY

GOLDBEAT = Path(sys.executable).parent / "goldbeat"


def ask(asked: str, **variables: str) -> str:
    """What the command prints for a shell."""
    env = dict(os.environ) | {"_GOLDBEAT_COMPLETE": asked} | variables
    return subprocess.run([GOLDBEAT], env=env, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("goldbeat re", ["report", "regress", "rerun"]),
        ("goldbeat plio thr", ["throughput"]),
        ("goldbeat run --se", ["--seed", "--seeds", "--set"]),
        ("goldbeat synth plio_f", ["plio_fir"]),
        ("goldbeat run nothing", []),
    ],
)
def test_a_line_is_completed(line: str, expected: list[str]) -> None:
    found = ask("complete_bash", COMP_WORDS=line, COMP_CWORD=str(len(line.split()) - 1))
    assert found.split() == expected


def test_the_page_names_every_script() -> None:
    page = (REPOSITORY / "docs" / "install.md").read_text(encoding="utf-8")
    asked = re.findall(r"_GOLDBEAT_COMPLETE=(\w+) goldbeat", page)
    assert [one.removeprefix("source_") for one in asked] == ["bash", "zsh", "fish"]
    assert [one for one in asked if "_GOLDBEAT_COMPLETE=" not in ask(one)] == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_takes_the_line_of_the_page() -> None:
    page = (REPOSITORY / "docs" / "install.md").read_text(encoding="utf-8")
    line = re.search(r"`~/.bashrc`: `(eval [^`]+)`", page)
    assert line is not None
    script = (
        f"{line[1]}; COMP_WORDS=(goldbeat farm k); COMP_CWORD=2; _goldbeat_completion goldbeat; echo ${{COMPREPLY[*]}}"
    )
    env = dict(os.environ) | {"PATH": f"{GOLDBEAT.parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], env=env, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("keys\n", "")
