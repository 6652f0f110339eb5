# SPDX-License-Identifier: Apache-2.0
"""How cycles, throughput and latency went over the recorded runs of a suite.

Numbers of two runs are held against each other case by case, and only where both had the same traffic: the same stimulus,
back-pressure and clocks, by their hash. A port's throughput under random gaps says how large the gaps were; the same gaps in
two versions of a design say which is faster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from goldbeat.tb.regress.brief import PassedItem
from goldbeat.tb.regress.store import Run, Store

MOST_RUNS = 12
"""Earlier runs that are looked at, the newest."""
MOST_ITEMS = 20_000
"""Items of a run that are looked at."""
_MOST_READ = 100_000
"""Items of all runs together."""

_Key = tuple[str, str, str]


@dataclass(frozen=True)
class TrendPoint:
    """What an earlier run says: the ratio of its figure to this run's, over so many cases with the same traffic."""

    run: int
    git: str
    ratio: float
    items: int


@dataclass(frozen=True)
class Trend:
    """One figure of a design over the runs.

    Attributes:
        design: whose.
        what: ``cycles``, ``throughput`` or ``latency``.
        name: case, port, or ``source->sink``.
        points: earlier runs, the oldest first.
    """

    design: str
    what: str
    name: str
    points: tuple[TrendPoint, ...]

    @property
    def change(self) -> float:
        """Of this run against the one before it that can be compared, as a share."""
        return 1 / self.points[-1].ratio - 1

    @property
    def is_flat(self) -> bool:
        """No run differs."""
        return all(p.ratio == 1 for p in self.points)

    @property
    def is_worse(self) -> bool:
        """More cycles, less throughput or more latency than before."""
        return self.change < 0 if self.what == "throughput" else self.change > 0


@dataclass
class Trends:
    """The trends of a run.

    Attributes:
        runs: earlier ones that have a case with the same traffic.
        trends: those that are not flat first, the largest change before others.
        other_traffic: cases of the last run before, of those that this one has too, whose traffic was another or is not known.
    """

    runs: list[Run] = field(default_factory=list)
    trends: list[Trend] = field(default_factory=list)
    other_traffic: int = 0


def trends(store: Store, run: Run) -> Trends:
    """The trends up to a run, over the earlier runs of its suite that came to their end."""
    earlier = [
        r
        for r in store.runs(suite=run.suite, last=4 * MOST_RUNS)
        # A shard is compared with shards of the same number, and the whole with the whole.
        if r.id < run.id and r.title == run.title and r.status in ("pass", "recorded", "fail")
    ]
    found = Trends()
    if not earlier:
        return found
    now = {item.key: item for item in store.passed(run.id, MOST_ITEMS)}
    points: dict[_Key, list[TrendPoint]] = {}
    read = len(now)
    for number, before in enumerate(earlier[:MOST_RUNS]):
        read += min(before.total, MOST_ITEMS)
        if number and read > _MOST_READ:
            break
        common = [(item, now[item.key]) for item in store.passed(before.id, MOST_ITEMS) if item.key in now]
        same = [(old, new) for old, new in common if old.traffic is not None and old.traffic == new.traffic]
        if not number:
            found.other_traffic = len(common) - len(same)
        if same:
            found.runs.insert(0, before)
        for key, (old, new, items) in _sums(same).items():
            if new > 0:
                points.setdefault(key, []).insert(0, TrendPoint(before.id, before.git, old / new, items))
    found.trends = [Trend(*key, tuple(line)) for key, line in points.items() if line[-1].ratio > 0]
    found.trends.sort(key=lambda t: (t.is_flat, -abs(t.change), t.design, t.what, t.name))
    return found


def _sums(pairs: Iterable[tuple[PassedItem, PassedItem]]) -> Mapping[_Key, tuple[float, float, int]]:
    """By figure: its sum over the items of an earlier run, of this run, and the number of items."""
    sums: dict[_Key, tuple[float, float, int]] = {}
    for old, new in pairs:
        then, now = dict(_figures(old)), dict(_figures(new))
        for key in then.keys() & now.keys():
            a, b, n = sums.get(key, (0.0, 0.0, 0))
            sums[key] = (a + then[key], b + now[key], n + 1)
    return sums


def _figures(item: PassedItem) -> Iterator[tuple[_Key, float]]:
    yield (item.design, "cycles", item.case), float(item.cycles)
    for port, figures in item.figures.get("ports", {}).items():
        if figures["mb_per_s"] is not None:
            yield (item.design, "throughput", port), figures["mb_per_s"]
    for path, took in item.figures.get("latency", {}).items():
        yield (item.design, "latency", path), took["mean"]


def sparkline(trend: Trend) -> Sequence[tuple[float, float]]:
    """Points from (0, 0) to (100, 20), this run last; higher is more. Alike values are a line in the middle."""
    values = [*(p.ratio for p in trend.points), 1.0]
    low, high = min(values), max(values)
    step = 100 / (len(values) - 1)
    return [(n * step, 10.0 if high == low else 18 - 16 * (v - low) / (high - low)) for n, v in enumerate(values)]
