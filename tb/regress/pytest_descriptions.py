# SPDX-License-Identifier: Apache-2.0
"""Descriptions as files of pytest: one test per case."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

_KEYS = {"name", "top", "files", "model", "clocks"}


def is_description(path: Path) -> bool:
    """Whether a TOML file has what every description has."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8")).keys() >= _KEYS
    except (OSError, ValueError):
        return False


def run_case(path: Path, case: str, seeds: Sequence[int], folder: Path, settings: Mapping[str, Any]) -> None:
    """Run a case of a description, and fail with what its seeds report."""
    from goldbeat.tb.design.catalog import find_design
    from goldbeat.tb.run.runs import Request, run
    from goldbeat.tb.visible import visible

    design = find_design(str(path))
    params = {name: value for name, value in settings.items() if name in design.parameters}
    options = {name: value for name, value in settings.items() if name not in params}
    failed = []
    for result in run(Request(design, design.case(case), seeds=seeds, params=params, options=options), folder):
        if not result.passed:
            failed += [f"seed {result.seed}: {result.status}", *(result.failures or result.partial)]
    if failed:
        pytest.fail(visible("\n".join(failed)), pytrace=False)


class DescriptionFile(pytest.File):
    """A description."""

    def collect(self) -> Iterator[DescriptionCase]:
        """Its cases."""
        from goldbeat.pymodels.errors import GoldbeatError
        from goldbeat.tb.design.catalog import find_design

        try:
            cases = find_design(str(self.path)).cases
        except GoldbeatError as error:
            raise self.CollectError(str(error)) from None
        for case in cases:
            yield DescriptionCase.from_parent(self, name=case.name)


class DescriptionCase(pytest.Item):
    """One case, on so many seeds as ``goldbeat_seeds`` says."""

    def runtest(self) -> None:
        """Run it."""
        folder = self.config._tmp_path_factory.mktemp(f"{self.path.stem}-{self.name}")  # type: ignore[attr-defined]
        run_case(self.path, self.name, range(int(self.config.getini("goldbeat_seeds"))), folder, {})

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What failed, without a traceback of this file."""
        from goldbeat.pymodels.errors import GoldbeatError

        if isinstance(excinfo.value, GoldbeatError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The description's file, from its first line."""
        return self.path, 0, self.name
