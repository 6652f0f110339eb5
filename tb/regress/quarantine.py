# SPDX-License-Identifier: Apache-2.0
"""What a quarantine makes of a run: failures that do not fail it, and entries that are of no use any more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from goldbeat.tb.regress.brief import Brief
from goldbeat.tb.regress.item import Status
from goldbeat.tb.regress.quarantine_file import QuarantineEntry, entries_of, entry_of
from goldbeat.tb.regress.store import Run, Store

_RECENT = 10
"""Runs before this one that a case must pass, too, to be named as one that always passes."""


@dataclass(frozen=True)
class Quarantined:
    """What a quarantine makes of a run.

    Attributes:
        excused: failures that do not fail the run, by number of the item.
        ended: failures whose entry has ended: they fail the run.
        passing: entries whose cases all pass, here and in the runs before.
        unmatched: entries that match no case of the run.
    """

    excused: Mapping[int, tuple[Brief, QuarantineEntry]] = field(default_factory=dict)
    ended: Mapping[int, tuple[Brief, QuarantineEntry]] = field(default_factory=dict)
    passing: Sequence[QuarantineEntry] = ()
    unmatched: Sequence[QuarantineEntry] = ()

    @property
    def lines(self) -> list[str]:
        """For people: everything that is in it."""
        said = [f"quarantined: {row.key}: {row.mismatch} [{one.text}]" for row, one in self.excused.values()]
        said += [f"quarantine ended: {row.key} fails the regression [{one.text}]" for row, one in self.ended.values()]
        said += [f"quarantine of {one.text}: always passes, remove it" for one in self.passing]
        return said + [f"quarantine of {one.text}: matches no case of this run" for one in self.unmatched]

    @property
    def count_text(self) -> str:
        """What belongs into a verdict; empty without a quarantined failure."""
        parts = [f", {len(self.excused)} failed in quarantine"] if self.excused else []
        return "".join([*parts, f" ({len(self.ended)} whose quarantine has ended)" if self.ended else ""])

    def without(self, counts: Mapping[str, int]) -> dict[str, int]:
        """Counts by status without what is excused."""
        left = Counter(dict(counts))
        left.subtract(row.status.value for row, _ in self.excused.values() if row.status is not None)
        return {status: count for status, count in left.items() if count > 0}

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        rows = {"excused": self.excused, "ended": self.ended}
        entries = {"passing": self.passing, "unmatched": self.unmatched}
        return {
            **{
                name: [{"key": r.key, **e.model_dump(mode="json")} for r, e in some.values()]
                for name, some in rows.items()
            },
            **{name: [one.model_dump(mode="json") for one in some] for name, some in entries.items()},
        }


def quarantined(store: Store, run: Run, rows: Sequence[Brief] | None = None) -> Quarantined:
    """What the quarantine of a run's beginning makes of its results; ``rows``: all its items, if they are read already."""
    entries = entries_of(run.settings)
    if not entries:
        return Quarantined()
    excused: dict[int, tuple[Brief, QuarantineEntry]] = {}
    ended: dict[int, tuple[Brief, QuarantineEntry]] = {}
    states: dict[QuarantineEntry, list[Brief]] = {one: [] for one in entries}
    for row in store.briefs(run.id) if rows is None else rows:
        for one in entries:
            if one.fits(row.key):
                states[one].append(row)
        # Of what was killed from outside, nothing is known.
        if row.status is None or row.passed or row.status is Status.KILLED:
            continue
        if (entry := entry_of(row.key, entries)) is not None:
            (excused if entry.holds(run.started) else ended)[row.number] = row, entry
    passing = [one for one, some in states.items() if some and _always_pass(store, run, some)]
    # A part of a suite has a part of its cases.
    whole = not run.settings.get("shard") and not run.settings.get("filters")
    return Quarantined(excused, ended, passing, [one for one, some in states.items() if whole and not some])


def _always_pass(store: Store, run: Run, rows: Sequence[Brief]) -> bool:
    return all(row.passed for row in rows) and not store.fails_in([row.key for row in rows], run.id - _RECENT, run.id)


def excused_of(store: Store, run: Run) -> dict[int, QuarantineEntry]:
    """The failures of a run that do not fail it, by number of the item."""
    return {number: entry for number, (_, entry) in quarantined(store, run).excused.items()}
