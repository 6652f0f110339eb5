# SPDX-License-Identifier: Apache-2.0
"""A run's results, summed up for the page: by design and case, by port, against the run before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tb.regress.item import Status
from tb.regress.store import Row


@dataclass
class Cell:
    """One case of one design: how many items ended how."""

    design: str
    case: str
    counts: dict[str, int] = field(default_factory=dict)
    cycles: int = 0
    first_bad: int | None = None

    @property
    def total(self) -> int:
        """Items."""
        return sum(self.counts.values())

    @property
    def passed(self) -> int:
        """Items that pass."""
        return self.counts.get(Status.PASS.value, 0)

    @property
    def state(self) -> str:
        """``pass``, ``open`` or ``bad``."""
        left = self.counts.get("open", 0)
        return "bad" if self.total > self.passed + left else "open" if left else "pass"


def cells(rows: Iterable[Row]) -> dict[tuple[str, str], Cell]:
    """Every case of every design, in the plan's order."""
    found: dict[tuple[str, str], Cell] = {}
    for row in rows:
        key = (row.item.design, row.item.case)
        cell = found.setdefault(key, Cell(*key))
        status = "open" if row.result is None else row.result.status.value
        cell.counts[status] = cell.counts.get(status, 0) + 1
        if row.result is not None:
            cell.cycles += row.result.cycles
            if not row.result.passed and cell.first_bad is None:
                cell.first_bad = row.item.index
    return found


@dataclass(frozen=True)
class Spread:
    """Many values of one thing: least, quarter, half, three quarters, most; and their number."""

    least: float
    low: float
    middle: float
    high: float
    most: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """From at least one value."""
        least, low, middle, high, most = (float(q) for q in np.quantile(values, (0, 0.25, 0.5, 0.75, 1)))
        return cls(least, low, middle, high, most, len(values))


@dataclass(frozen=True)
class PortSummary:
    """Throughput of a port over a run: share of what it can carry, and MB/s."""

    design: str
    port: str
    direction: str
    share: Spread
    mb_per_s: Spread
    beats: int


def ports(rows: Iterable[Row]) -> list[PortSummary]:
    """Every port that carried at least two beats in some item that passed."""
    found: dict[tuple[str, str, str], list[tuple[float, float, int]]] = {}
    for row in rows:
        if row.result is None or not row.result.passed:
            continue
        for name, figures in row.result.ports.items():
            if figures["mb_per_s"] is not None:
                key = (row.item.design, name, figures["direction"])
                found.setdefault(key, []).append((figures["share"], figures["mb_per_s"], figures["beats"]))
    return [
        PortSummary(
            *key, Spread.of([v[0] for v in values]), Spread.of([v[1] for v in values]), sum(v[2] for v in values)
        )
        for key, values in sorted(found.items())
    ]


@dataclass(frozen=True)
class LatencySummary:
    """Latency from one port to another over a run, in nanoseconds: the means of the items, and the largest of all."""

    design: str
    path: str
    by: str
    mean: Spread
    most: float


def latencies(rows: Iterable[Row]) -> list[LatencySummary]:
    """Every pair of ports whose beats or frames pair off."""
    found: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for row in rows:
        if row.result is None or not row.result.passed:
            continue
        for path, figures in row.result.latency.items():
            values = found.setdefault((row.item.design, path, str(figures["by"])), [])
            values.append((figures["mean"] / 1000, figures["max"] / 1000))
    return [
        LatencySummary(*key, Spread.of([v[0] for v in values]), max(v[1] for v in values))
        for key, values in sorted(found.items())
    ]


@dataclass
class CyclesSummary:
    """Cycles of the items of one case that pass in two runs."""

    design: str
    case: str
    before: int = 0
    after: int = 0
    items: int = 0

    @property
    def change(self) -> float:
        """Relative to before."""
        return self.after / self.before - 1 if self.before else 0.0


def cycles_against(before: Iterable[Row], after: Iterable[Row]) -> list[CyclesSummary]:
    """Cycles by design and case, over what passes in both runs; the largest change first."""
    old = {r.item.key: r.result.cycles for r in before if r.result is not None and r.result.passed}
    found: dict[tuple[str, str], CyclesSummary] = {}
    for row in after:
        if row.result is None or not row.result.passed or row.item.key not in old:
            continue
        one = found.setdefault((row.item.design, row.item.case), CyclesSummary(row.item.design, row.item.case))
        one.before += old[row.item.key]
        one.after += row.result.cycles
        one.items += 1
    return sorted(found.values(), key=lambda c: (-abs(c.change), c.design, c.case))


def functional(rows: Iterable[Row]) -> dict[str, dict[str, dict[str, int]]]:
    """Hits of functional coverage bins by design, port and bin, over everything that ran."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for row in rows:
        if row.result is None:
            continue
        for port, bins in row.result.coverage.items():
            total = found.setdefault(row.item.design, {}).setdefault(port, {})
            for name, hits in bins.items():
                total[name] = total.get(name, 0) + hits
    return found


def bins_hit(by_port: Mapping[str, Mapping[str, int]]) -> tuple[int, int]:
    """How many bins were hit, of how many."""
    hits = [h for bins in by_port.values() for h in bins.values()]
    return sum(1 for h in hits if h), len(hits)


def waivers(rows: Iterable[Row]) -> dict[tuple[str, str], int]:
    """Violations that each waiver fitted, by design and waiver, over everything that ran."""
    found: dict[tuple[str, str], int] = {}
    for row in rows:
        for name, count in ({} if row.result is None else row.result.waived).items():
            key = (row.item.design, name)
            found[key] = found.get(key, 0) + count
    return found
