# SPDX-License-Identifier: Apache-2.0
"""The sections `The five systems` of the pages: Python prints, and commands find, what the pages say."""

import re
from contextlib import redirect_stdout
from io import StringIO

import pytest
from console import commands, matches, printed_in, run, share_simulators

from goldbeat.tb.paths import REPOSITORY

SYSTEMS = 5

pytestmark = [pytest.mark.slow, pytest.mark.sim]


def section(page: str) -> str:
    text = (REPOSITORY / "docs" / page).read_text(encoding="utf-8")
    return text.partition("## The five systems\n")[2].partition("\n## ")[0]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the loadable of the guide to NVDLA."""
    monkeypatch.chdir(tmp_path)
    share_simulators(tmp_path)
    guide = (REPOSITORY / "docs" / "nvdla.md").read_text(encoding="utf-8")
    exec(compile(re.search(r"^```python\n(.*?)^```", guide, flags=re.S | re.M)[1], "nvdla.md", "exec"), {})
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_python_prints_what_the_page_says():
    names: dict = {}
    pairs = re.findall(r"^```python\n(.*?)^```\n\n```\n(.*?)^```", section("python-api.md"), flags=re.S | re.M)
    assert len(pairs) == SYSTEMS
    for code, printed in pairs:
        out = StringIO()
        with redirect_stdout(out):
            exec(compile(code, "python-api.md", "exec"), names)
        assert out.getvalue() == printed


def test_sizes_are_those_of_the_page(folder):
    pairs = re.findall(r"^```toml\n(.*?)^```\n\n```console\n(.*?)^```", section("size.md"), flags=re.S | re.M)
    assert len(pairs) == SYSTEMS
    for limits, block in pairs:
        (folder / "limits.toml").write_text(limits)
        for command, printed in commands(block):
            code, found = run(command)
            assert code == 0, found
            assert matches(printed_in(folder, found), printed), f"{command}\n{found}"
