# SPDX-License-Identifier: Apache-2.0
"""A run's results, summed up for the page: by design and case, by port, against the run before."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from goldbeat.tb.regress.brief import Brief, ItemFigures
from goldbeat.tb.regress.item import Status


@dataclass
class Cell:
    """One case of one design: how many items ended how."""

    design: str
    case: str
    counts: dict[str, int] = field(default_factory=dict)
    cycles: int = 0
    compared: int = 0
    wall_s: float = 0.0
    first_bad: int | None = None

    @property
    def total(self) -> int:
        """Items."""
        return sum(self.counts.values())

    @property
    def passed(self) -> int:
        """Items that pass, or are the same as recorded."""
        return self.counts.get(Status.PASS.value, 0) + self.recorded

    @property
    def recorded(self) -> int:
        """Items that are the same as recorded, with no golden model to say that this is right."""
        return self.counts.get(Status.RECORDED.value, 0)

    @property
    def state(self) -> str:
        """``pass``, ``recorded``, ``open`` or ``bad``."""
        left = self.counts.get("open", 0)
        if self.total > self.passed + left:
            return "bad"
        return "open" if left else "recorded" if self.recorded else "pass"


def recorded_text(count: int) -> str:
    """What belongs behind a number of cases that pass."""
    return f", {count} of them same as recorded, not compared with a model" if count else ""


def cells(rows: Iterable[Brief]) -> dict[tuple[str, str], Cell]:
    """Every case of every design, in the plan's order."""
    found: dict[tuple[str, str], Cell] = {}
    for row in rows:
        key = (row.design, row.case)
        cell = found.get(key)
        if cell is None:
            cell = found[key] = Cell(*key)
        status = "open" if row.status is None else row.status.value
        cell.counts[status] = cell.counts.get(status, 0) + 1
        if row.status is not None:
            cell.cycles += row.cycles
            cell.compared += row.compared
            cell.wall_s += row.wall_s
            if not row.passed and cell.first_bad is None:
                cell.first_bad = row.number
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
    def of(cls, values: npt.NDArray[np.float64]) -> Spread:
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


@dataclass(frozen=True)
class LatencySummary:
    """Latency from one port to another over a run, in nanoseconds: the means of the items, and the largest of all."""

    design: str
    path: str
    by: str
    mean: Spread
    most: float


class Gathered:
    """What the figures of a run amount to, gathered in one pass.

    Args:
        results: the figures of every result.

    Attributes:
        functional: hits of functional coverage bins by design, port and bin, over everything that ran.
        waivers: violations that each waiver fitted, by design and waiver, over everything that ran.
        waived: the same by item, of those that have waivers.
    """

    def __init__(self, results: Iterable[ItemFigures]) -> None:
        self.functional: dict[str, dict[str, dict[str, int]]] = {}
        self.waivers: dict[tuple[str, str], int] = {}
        self.waived: dict[int, Mapping[str, int]] = {}
        # Three, and two, numbers a result: arrays of them take a fraction of the memory of tuples.
        self._ports: dict[tuple[str, str, str], array[float]] = {}
        self._latencies: dict[tuple[str, str, str], array[float]] = {}
        for result in results:
            self._add(result)

    def _add(self, result: ItemFigures) -> None:
        design, figures = result.design, result.figures
        for port, bins in figures.get("coverage", {}).items():
            total = self.functional.setdefault(design, {}).setdefault(port, {})
            for name, hits in bins.items():
                # What never happened is listed too.
                if hits or name not in total:
                    total[name] = total.get(name, 0) + hits
        if waived := figures.get("waived"):
            self.waived[result.number] = waived
            for name, count in waived.items():
                self.waivers[design, name] = self.waivers.get((design, name), 0) + count
        if not result.passed:
            return
        for name, port_figures in figures.get("ports", {}).items():
            share, rate = port_figures["share"], port_figures["mb_per_s"]
            if share is not None and rate is not None:
                column = self._ports.setdefault((design, name, port_figures["direction"]), array("d"))
                column.extend((share, rate, port_figures["beats"]))
        for path, took in figures.get("latency", {}).items():
            column = self._latencies.setdefault((design, path, took["by"]), array("d"))
            column.extend((took["mean"] / 1000, took["max"] / 1000))

    def ports(self) -> list[PortSummary]:
        """Every port that carried at least two beats in some item that passed."""
        found = []
        for key, column in sorted(self._ports.items()):
            share, rate, beats = np.frombuffer(column).reshape(-1, 3).T
            found.append(PortSummary(*key, Spread.of(share), Spread.of(rate), int(beats.sum())))
        return found

    def latencies(self) -> list[LatencySummary]:
        """Every pair of ports whose beats or frames pair off, in items that passed."""
        found = []
        for key, column in sorted(self._latencies.items()):
            mean, most = np.frombuffer(column).reshape(-1, 2).T
            found.append(LatencySummary(*key, Spread.of(mean), float(most.max())))
        return found


def bins_hit(by_port: Mapping[str, Mapping[str, int]]) -> tuple[int, int]:
    """How many bins were hit, of how many."""
    hits = [h for bins in by_port.values() for h in bins.values()]
    return sum(1 for h in hits if h), len(hits)
