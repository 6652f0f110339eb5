# SPDX-License-Identifier: Apache-2.0
"""Failed cases again, more seeds around them, and fresh seeds until one fails (``goldbeat rerun``)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.regress.brief import Brief
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.plan import MOST_PLANNED
from goldbeat.tb.regress.recorded import RerunSettings
from goldbeat.tb.regress.store import Run

RERUN = "rerun"
"""Under this name, a run's settings say what it repeats."""


def around(cases: Sequence[Item], seeds: int, taken: Mapping[str, Collection[int]]) -> list[Item]:
    """Cases, and after them as many with the seeds next to theirs.

    Args:
        cases: that failed.
        seeds: number of new ones for each.
        taken: seeds that the run has of each case, by the key without the seed.

    Raises:
        UsageError: more than :data:`goldbeat.tb.regress.plan.MOST_PLANNED` cases.
    """
    if len(cases) * (1 + seeds) > MOST_PLANNED:
        raise UsageError(f"--seeds {seeds} for {len(cases)} cases: more than {MOST_PLANNED} cases; use fewer seeds")
    used = {group: set(numbers) for group, numbers in taken.items()}
    more = []
    for case in cases:
        own = used.setdefault(case.group, set())
        for seed in islice((n for n in _nearest(case.seed) if n not in own), seeds):
            own.add(seed)
            more.append(_with_seed(case, seed))
    return _numbered([*cases, *more])


def _nearest(seed: int) -> Iterator[int]:
    """Other seeds, those with the least distance first."""
    for distance in count(1):
        yield seed + distance
        if distance <= seed:
            yield seed - distance


def fresh_seeds(cases: Sequence[Item], most: int, taken: Mapping[str, Collection[int]]) -> list[Item]:
    """Seeds that no run has had yet, the cases in turn.

    Args:
        cases: what runs, each with any seed.
        most: number of items in all.
        taken: seeds that runs have had, by the key without the seed.
    """
    groups = {case.group: case for case in cases}
    first = {group: max(taken.get(group, ()), default=-1) + 1 for group in groups}
    if most > MOST_PLANNED:
        raise UsageError(f"--until-fail {most}: at most {MOST_PLANNED}")
    rounds = (_with_seed(case, first[group] + number) for number in count() for group, case in groups.items())
    return _numbered(islice(rounds, most))


def _with_seed(case: Item, seed: int) -> Item:
    return case.model_copy(update={"seed": seed, "key": f"{case.group}#{seed}"})


def _numbered(items: Iterable[Item]) -> list[Item]:
    return [item.model_copy(update={"index": number}) for number, item in enumerate(items)]


# -- how often each fails -----------------------------------------------------------------------------------------------


@dataclass
class FailureRate:
    """How often a case fails, over its seeds.

    Attributes:
        case: its key without the seed.
        again: failed seeds that ran again.
        again_failed: those of them that failed again.
        new: other seeds that ran.
        new_failed: those of them that failed.
    """

    case: str
    again: int = 0
    again_failed: list[int] = field(default_factory=list)
    new: int = 0
    new_failed: list[int] = field(default_factory=list)

    def __str__(self) -> str:
        said = []
        if self.again:
            said.append(f"{len(self.again_failed)} of {self.again} failed case(s) failed again")
        if self.new:
            failed = len(self.new_failed)
            said.append(f"{failed} of {self.new} new seed(s) failed ({failed / self.new:.1%})")
        return f"{self.case}: {', '.join(said)}"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return dict(vars(self))


def failure_rates(run: Run, rows: Iterable[Brief]) -> list[FailureRate]:
    """How often each case of a rerun fails; empty for any other run."""
    said = run.settings.get(RERUN)
    if said is None:
        return []
    cases = RerunSettings.model_validate(said).cases
    found: dict[str, FailureRate] = {}
    for row in rows:
        if row.status is None:
            continue
        one = found.setdefault(row.group, FailureRate(row.group))
        failed = [] if row.passed else [row.seed]
        if row.number < cases:
            one.again += 1
            one.again_failed += failed
        else:
            one.new += 1
            one.new_failed += failed
    return list(found.values())
