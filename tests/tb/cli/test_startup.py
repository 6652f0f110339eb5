# SPDX-License-Identifier: Apache-2.0
"""Commands import what they use: counted in modules, which no busy machine changes."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from typer.main import get_group

from goldbeat.tb.cli import app
from goldbeat.tb.cli.lazy_group import LazyGroup
from goldbeat.tb.cli.listing import listing

SLOW = ("numpy", "pydantic", "rich", "matplotlib", "jinja2", "pyslang", "cocotb", "distributed", "importlib.metadata")
COUNT = """
import json, sys
from goldbeat.tb.cli import app
try:
    app(sys.argv[1:])
except SystemExit as end:
    code = end.code
print(json.dumps([code, sorted(sys.modules)]))
"""


def modules_of(*words: str) -> set[str]:
    """The modules that are there after a command, without those that Python itself has."""
    bare = subprocess.run(
        [sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    done = subprocess.run([sys.executable, "-c", COUNT, *words], capture_output=True, text=True, check=True)
    code, found = json.loads(done.stdout.splitlines()[-1])
    assert not code, done.stderr
    return set(found) - set(bare.stdout.split())


@pytest.mark.parametrize("group", ["", *(name for name, one in listing().items() if one.commands)])
def test_the_help_of_a_group_imports_none_of_its_commands(group: str) -> None:
    found = modules_of(*group.split(), "--help")
    assert not found.intersection(SLOW)
    assert len(found) < 200, sorted(found)
    assert len([name for name in found if name.startswith("goldbeat.")]) < 25, sorted(found)


def test_the_version_imports_no_command() -> None:
    found = modules_of("--version")
    assert not found.intersection(set(SLOW) - {"importlib.metadata"})
    assert len(found) < 250, sorted(found)


def test_a_file_is_looked_into_without_what_draws_and_simulates(tmp_path: Any) -> None:
    (tmp_path / "in.txt").write_text("1\n2\n")
    found = modules_of("plio", "info", str(tmp_path / "in.txt"), "-t", "int32", "-w", "32")
    # typer needs pydantic for values of options.
    assert not found.intersection(set(SLOW) - {"numpy", "pydantic", "importlib.metadata"})
    assert not [
        name for name in found if name.startswith(("goldbeat.tb.run", "goldbeat.tb.kernel", "goldbeat.tb.build"))
    ]


def test_what_is_listed_is_what_the_commands_say() -> None:
    root = get_group(app)
    assert isinstance(root, LazyGroup)
    names = root.list_commands(None)
    assert {"run", "regress", "plio", "farm"} <= set(names)
    for name in names:
        command = root.get_command(None, name)
        assert command.get_short_help_str(1000) == root.listed[name].summary, name
        if isinstance(command, LazyGroup):
            inner = {key: command.get_command(None, key) for key in command.list_commands(None)}
            assert inner
            for key, one in inner.items():
                assert one.get_short_help_str(1000) == command.listed[key].summary, (name, key)


def test_no_command_of_a_group_is_left_out_of_its_list() -> None:
    for name, one in listing().items():
        if not one.commands:
            continue
        module = __import__(one.module, fromlist=["app"])
        if hasattr(module, "app"):
            assert list(get_group(module.app).commands) == list(one.commands), name
