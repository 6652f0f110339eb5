# SPDX-License-Identifier: Apache-2.0
"""Test plans: what is to be shown of a design, at which stage, and which cases show it."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from goldbeat.pymodels.errors import InputError
from goldbeat.tb.design.catalog import folder_of
from goldbeat.tb.design.design import Design
from goldbeat.tb.toml import load_model

FILE = "testplan.toml"
"""Beside the modules of Goldbeat's own designs, and beside descriptions."""
PlanStage = Literal["V1", "V2", "V3"]
STAGES: tuple[PlanStage, ...] = ("V1", "V2", "V3")


class PlanPoint(BaseModel):
    """Something that is to be shown.

    Attributes:
        name: short name, words joined by underscores.
        stage: stage that requires it.
        checks: what is checked, in words.
        cases: names or patterns (``* ?``) of the cases that show it; each must match a case.
        designs: names or patterns of the designs in the folder that it applies to. Default: all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^\w+$")
    stage: PlanStage
    checks: str = Field(min_length=1)
    cases: tuple[str, ...] = Field(min_length=1)
    designs: tuple[str, ...] = ("*",)

    def of(self, design: str) -> bool:
        """It is about this design."""
        return any(fnmatch(design, pattern) for pattern in self.designs)


class PlanFile(BaseModel):
    """A file of test points."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    testpoint: tuple[PlanPoint, ...] = Field(min_length=1)


def plan_of(design: Design, source: Path | None) -> tuple[PlanPoint, ...]:
    """The test points of a design; none where there is no plan.

    Args:
        design: which.
        source: its description file; None for one that comes with Goldbeat.

    Raises:
        InputError: a damaged plan, two points of one name, or one that names cases which the design does not have.
    """
    folder = folder_of(design.name) if source is None else source.parent
    path = None if folder is None else folder / FILE
    if path is None or not path.is_file():
        return ()
    points = [point for point in load_model(PlanFile, path, "a test plan (TOML)").testpoint if point.of(design.name)]
    known = [case.name for case in design.cases]
    for point in points:
        missing = [c for c in point.cases if not any(fnmatch(name, c) for name in known)]
        if missing:
            raise InputError(
                f"test point {point.name!r} names case {missing[0]!r}",
                f"a case of {design.name}: {', '.join(known)}",
                file=path,
            )
    names = [point.name for point in points]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"two test points {twice!r} of {design.name}", "names that differ", file=path)
    return tuple(points)
