# SPDX-License-Identifier: Apache-2.0
"""Two runs side by side."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from goldbeat.tb.regress.brief import Brief


@dataclass(frozen=True)
class CycleChange:
    """A case that takes another number of cycles."""

    key: str
    before: int
    after: int

    @property
    def change(self) -> float:
        """Relative to before."""
        return self.after / self.before - 1


@dataclass
class Change:
    """What changed from one run to another; cases are matched by key.

    Attributes:
        common: cases that have a result in both.
        same: those with the same trace hash.
        quarantined: passed before, fail in quarantine now.
        broken: passed before, do not any more, with the first mismatch.
        fixed: did not pass before, do now.
        slower, faster: pass in both, in more or fewer cycles; the largest change first.
        differ: pass in both, in as many cycles, with other traces.
        gone, added: how many are in one of them alone.
        not_run: how many have a result in one of them alone: a budget left them out, or the run has not ended.
    """

    common: int = 0
    same: int = 0
    quarantined: list[tuple[str, str]] = field(default_factory=list)
    broken: list[tuple[str, str]] = field(default_factory=list)
    fixed: list[str] = field(default_factory=list)
    slower: list[CycleChange] = field(default_factory=list)
    faster: list[CycleChange] = field(default_factory=list)
    differ: list[str] = field(default_factory=list)
    gone: int = 0
    added: int = 0
    not_run: int = 0

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def compare_runs(before: Sequence[Brief], after: Sequence[Brief], excused: Collection[int] = ()) -> Change:
    """Compare the results of two runs.

    Args:
        before: items of the earlier one.
        after: items of the later one.
        excused: items of the later one whose failures a quarantine excuses, by number.
    """
    old = {r.key: r for r in before if r.status is not None}
    new = {r.key: r for r in after if r.status is not None}
    all_old, all_new = {r.key for r in before}, {r.key for r in after}
    not_run = len((old.keys() ^ new.keys()) & all_old & all_new)
    change = Change(gone=len(all_old - all_new), added=len(all_new - all_old), not_run=not_run)
    for key, now in new.items():
        if key not in old:
            continue
        was = old[key]
        change.common += 1
        change.same += was.trace_hash == now.trace_hash and was.trace_hash is not None
        if was.passed and not now.passed:
            (change.quarantined if now.number in excused else change.broken).append(
                (key, now.mismatch or str(now.status))
            )
        elif now.passed and not was.passed:
            change.fixed.append(key)
        elif was.passed and now.passed and was.cycles and was.cycles != now.cycles:
            (change.slower if now.cycles > was.cycles else change.faster).append(
                CycleChange(key, was.cycles, now.cycles)
            )
        elif was.passed and now.passed and was.trace_hash != now.trace_hash:
            change.differ.append(key)
    change.slower.sort(key=lambda c: -c.change)
    change.faster.sort(key=lambda c: c.change)
    return change
