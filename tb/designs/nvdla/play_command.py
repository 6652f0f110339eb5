# SPDX-License-Identifier: Apache-2.0
"""``goldbeat nvdla play``: trace tests on the functional models alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.nvdla.engines.configuration import Configuration
from goldbeat.pymodels.nvdla.traces.play import play_trace
from goldbeat.pymodels.nvdla.traces.reading import read_nvdla_trace
from goldbeat.tb.cli.common import FAILED, PARTIAL, print_json, say, working
from goldbeat.tb.designs.nvdla.trace_files import trace_names, traces_at


@dataclass(frozen=True)
class _Played:
    """A test: how much of memory and how many registers it compares, what failed, what is to be known, or why it was not played."""

    name: str
    checks: int = 0
    reads: int = 0
    failures: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    refused: str = ""

    @property
    def passed(self) -> bool:
        return not (self.failures or self.partial or self.refused)

    def facts(self) -> dict[str, Any]:
        found = {
            "name": self.name,
            "passed": self.passed,
            "checks": self.checks,
            "reads": self.reads,
            "failures": list(self.failures),
            "partial": list(self.partial),
            "notes": list(self.notes),
        }
        return found | ({"not_played": self.refused} if self.refused else {})

    def line(self) -> str:
        if self.refused:
            return f"not played  {self.name}: {self.refused}"
        if self.failures:
            return f"FAIL        {self.name}: {self.failures[0]}"
        if self.partial:
            return f"partial     {self.name}: {self.partial[0]}"
        return f"pass        {self.name}: {self.checks} checks of memory, {self.reads} of registers"


def play_command(path: Path, configuration: Configuration, *, as_json: bool) -> None:
    """Play a test, or all of a folder; those of a folder that the models cannot play are named, and it is no pass."""
    files = traces_at(path)
    names = trace_names(files)
    played = []
    with working("nvdla", len(files)) as step:
        for file in files:
            played.append(_play(file, names[file], configuration, alone=len(files) == 1))
            step()
    failed = [one for one in played if one.failures]
    passed = sum(one.passed for one in played)
    if as_json:
        print_json({"configuration": configuration.name, "tests": [one.facts() for one in played]})
    else:
        for one in played:
            say("\n".join((one.line(), *(f"note        {text}" for text in one.notes))))
        say(f"{configuration.name}: {passed} of {len(played)} trace tests passed")
    if failed or passed < len(played):
        raise typer.Exit(FAILED if failed else PARTIAL)


def _play(file: Path, name: str, configuration: Configuration, *, alone: bool) -> _Played:
    try:
        done = play_trace(read_nvdla_trace(file, configuration))
    except GoldbeatError as error:
        if alone:
            raise
        return _Played(name, refused=str(error))
    except Exception as error:
        if alone:
            raise
        return _Played(name, refused=f"internal error: {type(error).__name__}: {error}")
    return _Played(name, done.counted if done.checks else 0, done.reads, done.failures, done.partial, done.notes)
