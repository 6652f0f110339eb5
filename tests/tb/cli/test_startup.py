# SPDX-License-Identifier: Apache-2.0
"""Commands import what they use: counted in modules, which no busy machine changes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_group

from goldbeat.tb.cli import app
from goldbeat.tb.cli.lazy_group import LazyGroup
from goldbeat.tb.cli.listing import listing
from goldbeat.tb.design.families import families
from goldbeat.tb.paths import cache_root

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


@cache
def bare_modules() -> frozenset[str]:
    """The modules of Python without anything."""
    bare = subprocess.run(
        [sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return frozenset(bare.stdout.split())


def modules_of(*words: str) -> set[str]:
    """The modules that are there after a command, without those that Python itself has."""
    done = subprocess.run([sys.executable, "-c", COUNT, *words], capture_output=True, text=True, check=True)
    code, found = json.loads(done.stdout.splitlines()[-1])
    assert not code, done.stderr
    return set(found) - bare_modules()


@pytest.mark.parametrize("group", ["", *(name for name, one in listing().items() if one.commands)])
def test_the_help_of_a_group_imports_none_of_its_commands(group: str) -> None:
    found = modules_of(*group.split(), "--help")
    assert not found.intersection(SLOW)
    assert len(found) < 200, sorted(found)
    assert len([name for name in found if name.startswith("goldbeat.")]) < 25, sorted(found)


def test_the_version_imports_no_command() -> None:
    found = modules_of("--version")
    assert not found.intersection(SLOW)
    assert len(found) < 200, sorted(found)


def test_a_file_is_looked_into_without_what_draws_and_simulates(tmp_path: Any) -> None:
    (tmp_path / "in.txt").write_text("1\n2\n")
    found = modules_of("plio", "info", str(tmp_path / "in.txt"), "-t", "int32", "-w", "32")
    # typer needs pydantic for values of options.
    assert not found.intersection(set(SLOW) - {"numpy", "pydantic", "importlib.metadata"})
    assert not [
        name for name in found if name.startswith(("goldbeat.tb.run", "goldbeat.tb.kernel", "goldbeat.tb.build"))
    ]
    assert len(found) < 420, sorted(found)


def imported(log: str) -> set[str]:
    """The modules that Python says import statements have loaded; those that are imported by name are not told."""
    return set(re.findall(r"^import time: +\d+ \| +\d+ \| +(\S+)$", log, re.MULTILINE))


def others(names: set[str]) -> set[str]:
    """Those that are not Python's own, which differ from one build of Python to another."""
    return {name for name in names if name.partition(".")[0] not in sys.stdlib_module_names}


def under(modules: set[str], *packages: str) -> list[str]:
    """Those of some packages."""
    return sorted(m for m in modules if any(f"{m}.".startswith(f"{package}.") for package in packages))


@pytest.mark.sim
def test_a_run_imports_one_bench_and_its_simulator_what_a_session_uses(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "goldbeat.tb.cli", "run", "axis_skid", "--name", "a"]

    def run(**more: str) -> str:
        own = {"GOLDBEAT_BUILD": str(tmp_path / "build"), "GOLDBEAT_CACHE": str(cache_root()), **more}
        done = subprocess.run(command, env={**os.environ, **own}, capture_output=True, text=True, check=True)
        assert "PASS" in done.stdout
        return done.stderr

    # The first one may build the simulator.
    run()
    parent = imported(run(PYTHONPROFILEIMPORTTIME="1"))
    inside = imported((tmp_path / "build/runs/a/sim/simulation.log").read_text())
    assert "goldbeat.tb.run.runs" in parent
    assert "goldbeat.tb.inside.job" in inside
    unused = ("matplotlib", "jinja2", "pyslang", "cocotb", "pytest", "asyncio", "distributed", "filelock", "tomllib")
    assert not under(parent, *unused, "goldbeat.pymodels.plio_file", "goldbeat.tb.regress", "rich.progress")
    models = [f"goldbeat.pymodels.{name}" for name in families() if name != "axis"]
    assert not under(parent, *models)
    assert under(parent, "goldbeat.pymodels.axis")[1:] == [
        "goldbeat.pymodels.axis.elastic",
        "goldbeat.pymodels.axis.skid",
    ]
    assert len(others(parent)) < 412, sorted(parent)
    # numpy.ma comes with some functions of numpy alone.
    unused = (
        "pydantic",
        "typer",
        "rich",
        "matplotlib",
        "jinja2",
        "pytest",
        "asyncio",
        "pdb",
        "xml",
        "email",
        "numpy.ma",
    )
    assert not under(inside, *unused, "importlib.metadata", "cocotb.regression", "cocotbext", "goldbeat.tb.designs")
    assert not under(inside, "goldbeat.tb.cli", "goldbeat.tb.run", "goldbeat.tb.build")
    assert len(others(inside)) < 200, sorted(inside)


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


def test_an_option_has_one_meaning_and_files_go_to_out() -> None:
    root = get_group(app)
    meanings: dict[str, set[str]] = {}
    for name in root.list_commands(None):
        command = root.get_command(None, name)
        inner = command.list_commands(None) if isinstance(command, LazyGroup) else []
        for one in [command.get_command(None, key) for key in inner] or [command]:
            for option in one.params:
                long = [word for word in option.opts if word.startswith("--")]
                for word in option.opts:
                    if word.startswith("-") and word not in long:
                        meanings.setdefault(word, set()).add(long[0] if long else option.metavar)
                assert not {"--output", "--into", "--file"} & set(long), (name, long)
    # A file list and the settings of a simulator are called as simulators call them.
    assert {word: found for word, found in meanings.items() if len(found) > 1} == {}
    assert {"-o", "-s", "-t", "-w", "-c"} <= set(meanings)


def test_no_command_of_a_group_is_left_out_of_its_list() -> None:
    for name, one in listing().items():
        if not one.commands:
            continue
        module = __import__(one.module, fromlist=["app"])
        if hasattr(module, "app"):
            own = [command for command in one.commands if command not in one.modules]
            assert list(get_group(module.app).commands) == own, name
        for place in set(one.modules.values()):
            group = typer.Typer()
            import_module(place).register(group)
            # A group of one command would be that command.
            group.command("another")(lambda: None)
            there = [command for command, where in one.modules.items() if where == place]
            assert list(get_group(group).commands) == [*there, "another"], place
