# SPDX-License-Identifier: Apache-2.0
"""Suites: what a regression runs, as TOML."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PositiveInt,
    StringConstraints,
    field_validator,
    model_validator,
)

from goldbeat.pymodels.errors import GoldbeatError, InputError, UsageError
from goldbeat.pymodels.nearest import known_names
from goldbeat.tb.inside.job import Backend
from goldbeat.tb.run.signoff import Limits
from goldbeat.tb.toml import Refused, explain, load_model

SUITES = Path(__file__).resolve().parent / "suites"
"""The suites that come with Goldbeat."""
_SEEDS = 3
"""Of a description that is run as a suite."""


def _finite(value: Any) -> Any:
    """Results and reports are JSON, which has neither infinities nor NaN."""
    for one in value if isinstance(value, list) else (value,):
        if isinstance(one, float) and not math.isfinite(one):
            raise ValueError(f"found {one}, expected finite numbers")
    return value


Value = Annotated[int | float | str | bool | list[Any], AfterValidator(_finite)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


_Word = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.@+-]*$")]


class Resources(_Frozen):
    """``[resources.NAME]``: what a job of a batch system asks for (docs/regress.md).

    Attributes:
        memory: such as ``16GB``; None: as the site has it.
        cores: processor cores; a worker runs one case at a time, and its simulator may have threads.
        walltime: as the batch system writes it; None: as the site has it.
        queue: queue or partition; None: as the site has it.
        jobs: at most so many at a time; None: as the command line says.
    """

    memory: Annotated[str, StringConstraints(pattern=r"^\d+(\.\d+)?\s?[kKMGT]i?B$")] | None = None
    cores: PositiveInt = 1
    walltime: Annotated[str, StringConstraints(pattern=r"^[0-9:-]+$")] | None = None
    queue: _Word | None = None
    jobs: PositiveInt | None = None


class Entry(_Frozen):
    """``[[run]]``: some cases of some designs, with sweeps.

    Attributes:
        designs: names or patterns (``axis_*``), or description files relative to the suite.
        cases: names or patterns.
        skip: ``design/case`` patterns to leave out.
        seeds: number of seeds; None: as set by the suite or the command line.
        slow: false: leave out slow cases.
        variants: run with each set of parameter values that the design lists.
        params: parameter values; a list is a sweep, and several sweeps give all combinations.
        options: options of the case, likewise.
        transactors: transactors that drive the ports.
        timeout_s: limit of the simulation of one seed, in seconds by the clock.
        limits: limits, as in a limits file for ``goldbeat signoff``.
        inputs: PLIO files by port, relative to the suite.
        clock_mhz: clock of inputs; None: as described.
        waive: accepted violations of protocol rules, as ``RULE`` or ``RULE:PORT``.
        metastability: blur the clock crossings: ``auto``, or the window in picoseconds (docs/crossings.md).
        payload: what ports carry on their payload while valid is low, as ``POLICY`` or ``PORT=POLICY``.
        x_check: run every seed again with other initial values of registers and memories; the result must be the same.
        resources: class of the jobs that run it on a batch system; empty: of the default.
    """

    designs: tuple[str, ...] = ("*",)
    cases: tuple[str, ...] = ("*",)
    skip: tuple[str, ...] = ()
    seeds: int | None = Field(default=None, ge=1)
    slow: bool = True
    variants: bool = False
    params: Mapping[str, Value] = {}
    options: Mapping[str, Value] = {}
    transactors: Backend = "native"
    timeout_s: float | None = Field(default=None, gt=0)
    limits: Limits | None = None
    inputs: Mapping[str, str] = {}
    clock_mhz: float | None = Field(default=None, gt=0)
    waive: tuple[str, ...] = ()
    payload: tuple[str, ...] = ()
    metastability: Literal["auto"] | PositiveInt | None = None
    x_check: bool = False
    resources: _Word | Literal[""] = ""

    @field_validator("limits")
    @classmethod
    def _of_one_case(cls, limits: Limits | None) -> Limits | None:
        if limits is not None and limits.obligations is not None:
            raise ValueError(
                "obligations are met by all cases together: set obligations = true at the top of the suite"
            )
        return limits


class Suite(_Frozen):
    """A suite file.

    Attributes:
        summary: one line.
        seeds: default number of seeds of the entries; ``--seeds`` overrides it.
        timeout_s: default limit of the simulation of one seed, in seconds by the clock.
        obligations: open obligations make the run partial (docs/verify.md).
        resources: what jobs of a batch system ask for, by class.
        run: the entries.
    """

    summary: str = ""
    seeds: int = Field(default=1, ge=1)
    timeout_s: float = Field(default=120.0, gt=0)
    obligations: bool = False
    resources: Mapping[_Word, Resources] = {}
    run: tuple[Entry, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _has_resources(self) -> Self:
        for entry in self.run:
            if entry.resources and entry.resources not in self.resources:
                known = ", ".join(self.resources) or "none"
                raise ValueError(f"found resources {entry.resources!r}, expected one of [resources.NAME]: {known}")
        return self


def suite_names() -> list[str]:
    """The suites that come with Goldbeat."""
    return sorted(p.stem for p in SUITES.glob("*.toml"))


def find_suite(name: str) -> Path:
    """The file of a suite: one that comes with Goldbeat by name, any other, or a design's description, by its path.

    Raises:
        UsageError: there is none.
    """
    if name.endswith((".toml", ".py")):
        return Path(name)
    path = SUITES / f"{name}.toml"
    if not path.is_file():
        raise UsageError(f"unknown suite {name!r}{known_names(name, suite_names())} (or the path of a suite file)")
    return path


def load_suite(path: Path) -> Suite:
    """Read a suite file; of a design's description, every case on a few seeds.

    Raises:
        InputError: no such file, not TOML, an unknown key or a wrong value.
    """
    if _is_description(path):
        return Suite(summary=f"every case of {path.name}", seeds=_SEEDS, run=(Entry(designs=(path.name,)),))
    return load_model(Suite, path, "a suite (.toml)", _explain)


def _is_description(path: Path) -> bool:
    """Whether a file describes a design; what is no TOML is left to the reader of suites."""
    if path.suffix == ".py":
        return True
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return "top" in found and "run" not in found


def _explain(refused: Refused) -> GoldbeatError:
    if refused.kind == "missing":
        return InputError(f"no {refused.key}", "at least one [[run]] table", file=refused.path)
    return explain(refused)
