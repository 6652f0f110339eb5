# SPDX-License-Identifier: Apache-2.0
"""What stands as JSON in the columns of the results, taken apart and held against what the reports need of it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, TypeAdapter, model_validator

from goldbeat.tb.regress.item import ItemResult
from goldbeat.tb.regress.quarantine_file import QuarantineEntry
from goldbeat.tb.regress.suite import Resources


class _Open(BaseModel):
    model_config = ConfigDict(extra="allow", allow_inf_nan=False)


class _Port(_Open):
    direction: str
    beats: int
    frames: int
    mb_per_s: float | None
    share: float | None


class _Latency(_Open):
    mean: float
    max: float


class _Facts(_Open):
    wall_s: float = 0.0
    built: int = 0
    cached: int = 0
    build_s: float = 0.0
    lost: int = 0
    sent_bytes: int = 0
    resumed: int = 0
    signal: int = 0
    interrupted: bool = False
    changed_meanwhile: tuple[str, ...] = ()
    budget_s: float | None = None
    left_out: int = 0
    order: dict[str, tuple[int, int]] = {}


class _Mixed(_Open):
    git: str
    changed: tuple[str, ...]


class _Suite(_Open):
    file: str
    hash: str


class ShardSettings(BaseModel):
    """What a shard records of the whole (:mod:`goldbeat.tb.regress.shard`).

    Attributes:
        id: of this run of it, unlike any other.
        number, count: which part, counted from 1, of how many.
        total: cases of the whole plan.
        plan: hash of the whole plan.
        roots: folders of this machine, by name, that paths begin with.
        revision: hashes of what the whole depends on, with paths that are the same on every machine.
        required: designs whose open obligations make the whole partial.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern="^[0-9a-f]{32}$")
    number: PositiveInt
    count: PositiveInt
    total: PositiveInt
    plan: str
    roots: dict[str, str]
    revision: dict[str, str]
    required: tuple[str, ...]

    @model_validator(mode="after")
    def _is_one_of_them(self) -> Self:
        if not self.number <= self.count <= self.total:
            raise ValueError(f"found shard {self.number} of {self.count} of {self.total} cases")
        return self


class MergedShard(_Open):
    """A shard that a merged run has.

    Attributes:
        id: as in :class:`ShardSettings`.
        host, started, ended, facts: of its run.
        cases, left: its cases, and those of them without a result.
        mixed: why its results are of several versions.
        digest: hash over its results.
    """

    id: str
    host: str
    started: str
    ended: str | None
    facts: _Facts
    cases: int
    left: int
    mixed: tuple[_Mixed, ...]
    digest: str

    @property
    def settled(self) -> bool:
        """Whether it lacks nothing but what its budget has left out."""
        return self.left == self.facts.left_out


class MergedSettings(BaseModel):
    """What a merged run records (:mod:`goldbeat.tb.regress.merge`).

    Attributes:
        family: hash over what its shards have in common.
        count, total, plan: as in :class:`ShardSettings`.
        shards: those that it has, by number.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    family: str
    count: PositiveInt
    total: PositiveInt
    plan: str
    shards: dict[PositiveInt, MergedShard]

    @property
    def missing(self) -> list[int]:
        """Numbers of the shards that it has not."""
        return [number for number in range(1, self.count + 1) if number not in self.shards]

    @property
    def settled(self) -> bool:
        """Whether every shard is there, and nothing is missing but what a budget has left out."""
        return not self.missing and all(one.settled for one in self.shards.values())

    @property
    def whole(self) -> bool:
        """Whether every shard is there with every result."""
        return not self.missing and not any(one.left for one in self.shards.values())

    @property
    def lines(self) -> list[str]:
        """What it lacks, for people."""
        said = []
        if missing := self.missing:
            cases = self.total - sum(one.cases for one in self.shards.values())
            many = "s" if missing[1:] else ""
            said.append(f"missing: shard{many} {ranges_text(missing)} of {self.count}, {cases} of {self.total} cases")
        said += [
            f"shard {number}/{self.count} has no result of {one.left} of its {one.cases} cases"
            for number, one in sorted(self.shards.items())
            if not one.settled
        ]
        return said


class RerunSettings(BaseModel):
    """What a run repeats (:mod:`goldbeat.tb.regress.again`).

    Attributes:
        run: the run whose cases these are.
        cases: the first so many items are its cases; the others have new seeds.
        until_fail: it ends at the first failure.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: int
    cases: int
    until_fail: bool = False


def ranges_text(numbers: Sequence[int], between: str = ", ", to: str = " to ") -> str:
    """Numbers in ascending order, runs of them by their ends: ``1, 3 to 5``."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return between.join(str(a) if a == b else f"{a}{to}{b}" for a, b in found)


class _Settings(_Open):
    files: dict[str, Any] = {}
    mixed: tuple[_Mixed, ...] = ()
    suite: _Suite | None = None
    code: dict[str, str] = {}
    filters: tuple[str, ...] = ()
    obligations: tuple[str, ...] = ()
    confirmed: dict[str, dict[str, str]] = {}
    resources: dict[str, Resources] = {}
    shard: ShardSettings | None = None
    merged: MergedSettings | None = None
    rerun: RerunSettings | None = None
    tools: dict[str, str] = {}
    quarantine: tuple[QuarantineEntry, ...] = ()


_RESULT = TypeAdapter(ItemResult)
_PORTS = TypeAdapter(dict[str, _Port])
_LATENCIES = TypeAdapter(dict[str, _Latency])
_NAMES = TypeAdapter(dict[str, str])


def read_result(text: str | None) -> ItemResult | None:
    """A result; None for None. Raises :class:`ValueError` as all functions here do."""
    if text is None:
        return None
    found = _RESULT.validate_python(_parse(text))
    _PORTS.validate_python(found.ports)
    _LATENCIES.validate_python(found.latency)
    return found


def read_artefacts(text: str | None) -> Mapping[str, str]:
    """Files by name."""
    return _NAMES.validate_python(_parse(text or "{}"))


def read_facts(text: str) -> Mapping[str, Any]:
    """What is known of a run at its end."""
    found = _parse(text)
    _Facts.model_validate(found)
    return dict(found)


def read_settings(text: str) -> Mapping[str, Any]:
    """What a run was asked for."""
    found = _parse(text)
    _Settings.model_validate(found)
    return dict(found)


def _parse(text: str) -> Any:
    try:
        return json.loads(text, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise ValueError("brackets within brackets without end") from None


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text}")
    return value
