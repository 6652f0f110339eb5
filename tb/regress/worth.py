# SPDX-License-Identifier: Apache-2.0
"""Which cases find most, by what earlier runs have recorded: the order of a run with a budget (docs/regress.md)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from goldbeat.tb.paths import build_root
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.kills import kills_by_case
from goldbeat.tb.regress.revision import names_of
from goldbeat.tb.regress.store import LastRuns, Run, Store, timing_name

_CASES = re.compile(r"\bthe case (\w+(?: or \w+)*)")
_MORE_SEEDS = "more seeds"
_NEW_SEEDS = 3
"""So many new seeds of a case that failed count as failed; the others have the place that they would have without."""
_MOST_RUNS = 50
"""Runs of a suite in which obligations are looked for."""


class Reason(StrEnum):
    """Why a case has its place, the first first."""

    FAILED = "failed last time"
    CHANGED = "new or with changed files"
    OPEN = "for open obligations"
    KILLS = "by mutants killed per second"
    AGE = "by age"


ORDER = tuple(Reason)


class Ranked(NamedTuple):
    """An item, why it has its place, and how long it took on average; None: not known."""

    item: Item
    reason: Reason
    seconds: float | None


class _Verdicts(NamedTuple):
    """Earlier runs of a case.

    Attributes:
        last: the newest with a verdict.
        passed: the newest in which it passed; None: none.
        failed: it did not pass in the newest; of several seeds: one of them did not.
    """

    last: int
    passed: int | None
    failed: bool

    @classmethod
    def of(cls, runs: LastRuns) -> _Verdicts:
        """Of one seed."""
        return cls(runs.last, runs.passed, runs.passed != runs.last)

    def with_seed(self, other: _Verdicts) -> _Verdicts:
        """Of one seed more."""
        newest = [one for one in (self, other) if one.last == max(self.last, other.last)]
        passed = max(self.passed or 0, other.passed or 0) or None
        return _Verdicts(newest[0].last, passed, any(one.failed for one in newest))


@dataclass(frozen=True)
class _Known:
    """What is known of earlier runs.

    Attributes:
        files: hashes of what the plan depends on, now.
        by_key, by_group: the newest runs with a verdict on a case, and on any seed of it.
        runs: those in which something passed, by number.
        wanted: names of cases that may meet open obligations, by design; ``more seeds`` among them: new seeds may.
        kills: mutants that a seed kills on average, by the key without the seed.
        seconds: that an item takes, as :meth:`Store.seconds` has them.
        usual: their mean.
    """

    files: Mapping[str, str]
    by_key: Mapping[str, _Verdicts]
    by_group: Mapping[str, _Verdicts]
    runs: Mapping[int, Run]
    wanted: Mapping[str, set[str]]
    kills: Mapping[str, float]
    seconds: Mapping[str, float]
    usual: float

    def reason(self, item: Item, new: int) -> Reason:
        """Why an item has its place; ``new``: so many new seeds of its case come before it."""
        own = self.by_key.get(item.key)
        # Of a new seed, the other seeds of the case tell.
        last = own or self.by_group.get(item.group)
        if last is not None and last.failed and (own is not None or new < _NEW_SEEDS):
            return Reason.FAILED
        if last is None or last.passed is None or self._has_changed(item, self.runs[last.passed]):
            return Reason.CHANGED
        wanted = self.wanted.get(item.design, set())
        if item.case in wanted or (own is None and _MORE_SEEDS in wanted):
            return Reason.OPEN
        return Reason.KILLS if self.kills.get(item.group) else Reason.AGE

    def _has_changed(self, item: Item, run: Run) -> bool:
        """Something that the item's build or stimulus reads differs from what it was in a run."""
        before: Mapping[str, str] = run.settings.get("files", {})
        unsure = {name for one in run.settings.get("mixed", ()) for name in one["changed"]}
        unsure.update(run.facts.get("changed_meanwhile", ()))
        names = names_of(item)
        return any(name in unsure or before.get(name) != self.files.get(name) for name in names)

    def rate(self, item: Item) -> float:
        """Mutants that an item kills per second."""
        kills = self.kills.get(item.group, 0.0)
        return kills / max(1e-3, self.seconds.get(timing_name(item), self.usual)) if kills else 0.0

    def age(self, item: Item) -> int:
        """The newest run that has a verdict on it; -1: none."""
        own = self.by_key.get(item.key)
        return -1 if own is None else own.last


def ranked(
    store: Store,
    suite: str,
    items: Sequence[Item],
    files: Mapping[str, str],
    note: Callable[[str], None] = lambda text: None,
) -> list[Ranked]:
    """The items of a run, those first that find most.

    Args:
        store: with the earlier runs.
        suite: of the run.
        items: in the plan's order.
        files: hashes of what they depend on, from :func:`goldbeat.tb.regress.revision.revision_of`.
        note: is told what could not be read.
    """
    known = _known(store, suite, items, files, note)
    seen: Counter[tuple[Reason, str]] = Counter()
    new: Counter[str] = Counter()
    found = []
    for item in items:
        reason = known.reason(item, new[item.group])
        new[item.group] += item.key not in known.by_key
        # The first seeds of every case before the second ones: each finds less than the one before it.
        place = seen[reason, item.group]
        seen[reason, item.group] += 1
        order = (ORDER.index(reason), _within(known, item, reason, place), item.index)
        found.append((order, Ranked(item, reason, known.seconds.get(timing_name(item)))))
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def _within(known: _Known, item: Item, reason: Reason, place: int) -> tuple[float, ...]:
    """The place among items with the same reason."""
    rate, age = known.rate(item) / (1 + place), known.age(item)
    if reason is Reason.AGE:
        return age, place
    if reason is Reason.FAILED:
        # What has failed itself comes before new seeds of the same case.
        return item.key not in known.by_key, place, -rate
    # What has changed comes before what is new.
    return reason is Reason.CHANGED and item.group not in known.by_group, -rate, place, age


def _known(
    store: Store, suite: str, items: Sequence[Item], files: Mapping[str, str], note: Callable[[str], None]
) -> _Known:
    groups = {item.group for item in items}
    by_key = {key: _Verdicts.of(one) for key, one in store.last_runs().items() if key.rpartition("#")[0] in groups}
    by_group: dict[str, _Verdicts] = {}
    for key, one in by_key.items():
        group = key.rpartition("#")[0]
        by_group[group] = by_group[group].with_seed(one) if group in by_group else one
    numbers = {one.passed for one in by_key.values()}
    seconds = store.seconds()
    return _Known(
        files,
        by_key,
        by_group,
        {number: store.run(number) for number in numbers if number is not None},
        _wanted(store, suite, {item.design for item in items}),
        kills_by_case(build_root(), note),
        seconds,
        sum(seconds.values()) / len(seconds) if seconds else 1.0,
    )


def _wanted(store: Store, suite: str, designs: set[str]) -> dict[str, set[str]]:
    """Cases that open obligations ask for, by design, as the newest run of the same suite has them."""
    found: dict[str, set[str]] = {}
    for earlier in store.runs(suite=suite, last=_MOST_RUNS):
        if designs <= found.keys():
            break
        for design, some in store.obligations(earlier.id).by_design.items():
            found.setdefault(design, {name for one in some if one.open and not one.refuted for name in _asked(one.how)})
    return found


def _asked(how: str) -> set[str]:
    """The cases that a text names as what may meet an obligation."""
    names = {name for match in _CASES.finditer(how) for name in match[1].split(" or ")}
    return names | ({_MORE_SEEDS} if _MORE_SEEDS in how else set())
