# SPDX-License-Identifier: Apache-2.0
"""Every example does what its README says, and is short."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from console import commands, matches, printed_in, run, share_simulators

from goldbeat.tb.paths import REPOSITORY

EXAMPLES = sorted(page.parent for page in (REPOSITORY / "examples").glob("*/README.md"))
LONG = ("cocotb", "nvdla", "objfifo")
"""Their simulators take long to build."""
LINES = 100
"""Most lines of an example that its user writes; a description is made by `goldbeat new`."""


def _name(folder: Path) -> str:
    return folder.name


@pytest.mark.parametrize(
    "example",
    [pytest.param(e, marks=[pytest.mark.slow] if e.name in LONG else [], id=e.name) for e in EXAMPLES],
)
def test_an_example_does_what_its_readme_says(example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shutil.copytree(example, tmp_path / example.name)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    share_simulators(folder)
    text = (folder / "README.md").read_text(encoding="utf-8")
    tried = 0
    for block in re.findall(r"^```console\n(.*?)^```", text, flags=re.S | re.M):
        for command, printed in commands(block):
            tried += 1
            code, found = run(command)
            assert code == 0, f"{command}\n{found}"
            assert matches(printed_in(folder, found), printed), f"{command}\n{found}"
    assert tried


@pytest.mark.parametrize("example", EXAMPLES, ids=_name)
def test_an_example_is_short_and_listed(example: Path) -> None:
    written = [path for path in example.iterdir() if path.suffix in {".py", ".v", ".sv", ".rdl"}]
    lines = [line for path in written for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(lines) <= LINES
    assert len((example / "README.md").read_text(encoding="utf-8").splitlines()) <= 25
    assert f"`examples/{example.name}`" in (REPOSITORY / "docs" / "index.md").read_text(encoding="utf-8")
