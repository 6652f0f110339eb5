# SPDX-License-Identifier: Apache-2.0
"""A regression as one HTML page that needs nothing else: no network, no script, no file but the artefacts that it links to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from markupsafe import Markup

from goldbeat.tb.kernel.waivers import waived
from goldbeat.tb.obligations.summary import Obligations
from goldbeat.tb.page.run_page import page_environment
from goldbeat.tb.regress import summary
from goldbeat.tb.regress.again import failure_rates
from goldbeat.tb.regress.brief import Brief
from goldbeat.tb.regress.budget import left_out_names, order_text
from goldbeat.tb.regress.failure_groups import FailureGroup, failure_groups
from goldbeat.tb.regress.quarantine import Quarantined
from goldbeat.tb.regress.store import Row, Run
from goldbeat.tb.regress.summary import Spread
from goldbeat.tb.regress.trends import Trend, Trends, sparkline
from goldbeat.tb.run import code_coverage

_TEMPLATES = Path(__file__).resolve().parent / "templates"
_MOST_GROUPS = 100
_MOST_KEYS = 50
_MOST_SLOWEST = 12
_MOST_TRENDS = 60
_MOST_MISSED = 60


@dataclass(frozen=True)
class Content:
    """What a page is made of.

    Attributes:
        rows: the run's items.
        gathered: their figures.
        failures: the first of those that do not pass, whole.
        trends: figures over the earlier runs.
        covered: code coverage by point; empty when it was not counted.
        obligations: of the run.
        held: what is in quarantine.
    """

    rows: Sequence[Brief]
    gathered: summary.Gathered
    failures: Sequence[Row]
    trends: Trends
    covered: Mapping[str, int]
    obligations: Obligations
    held: Quarantined = field(default_factory=Quarantined)


@dataclass(frozen=True)
class _GroupCard:
    """Failures that are alike, for the page.

    Attributes:
        anchor: where the card is.
        group: its items.
        row: the item that is shown, whole; None where too many failed.
        pages: artefacts of its items, by item.
    """

    anchor: str
    group: FailureGroup
    row: Row | None
    pages: Mapping[int, Mapping[str, str]]

    @classmethod
    def of(cls, number: int, group: FailureGroup, content: Content) -> _GroupCard:
        """The card; of its items one that was run again is shown, if there is one."""
        whole = {row.item.index: row for row in content.failures}
        rows = [whole[brief.number] for brief in group.members if brief.number in whole]
        again = [row for row in rows if row.artefacts]
        pages = {row.item.index: row.artefacts for row in again}
        return cls(f"failure-{number}", group, next(iter([*again, *rows]), None), pages)


def run_page(run: Run, content: Content) -> str:
    """The page of a run."""
    environment = page_environment(_TEMPLATES)
    environment.filters |= {"percent": _percent, "bar": _bar, "range": _range, "spark": _spark}
    found = summary.cells(content.rows)
    counts: dict[str, int] = {}
    for cell in found.values():
        for status, number in cell.counts.items():
            counts[status] = counts.get(status, 0) + number
    groups = [_GroupCard.of(number, group, content) for number, group in enumerate(failure_groups(content.rows))]
    latencies = content.gathered.latencies()
    files = code_coverage.by_file(content.covered)
    functional = content.gathered.functional
    template = environment.get_template("regress.html.j2")
    return template.render(
        run=run,
        mixture=run.mixture,
        left_out=left_out_names(content.rows) if run.left_out else [],
        order=order_text(run.facts.get("order", {})),
        rates=failure_rates(run, content.rows),
        held=content.held,
        excused=[all(one.number in content.held.excused for one in card.group.members) for card in groups],
        counts=counts,
        designs=list(dict.fromkeys(d for d, _ in found)),
        cases=list(dict.fromkeys(c for _, c in found)),
        cells=found,
        groups=groups[:_MOST_GROUPS],
        anchors={row.number: card.anchor for card in groups[:_MOST_GROUPS] for row in card.group.members},
        more_groups=max(0, len(groups) - _MOST_GROUPS),
        most_keys=_MOST_KEYS,
        repeat=run.repeat,
        with_batch=run.repeat_with_batch,
        ports=content.gathered.ports(),
        latencies=latencies,
        longest=_longest(latencies),
        trends=content.trends,
        most_trends=_MOST_TRENDS,
        slowest=sorted((r for r in content.rows if r.status is not None), key=lambda r: -r.wall_s)[:_MOST_SLOWEST],
        files=files,
        kinds=[k for k in code_coverage.KINDS if any(f.total.get(k) for f in files)],
        most_missed=_MOST_MISSED,
        functional=functional,
        confirmed=[
            f"{design}: {name}: {reason}"
            for design, signals in run.settings.get("confirmed", {}).items()
            for name, reason in signals.items()
        ],
        waivers=[f"{design}: {waived(name, count)}" for (design, name), count in content.gathered.waivers.items()],
        obligations={
            name: (Obligations({name: some}).counts, [one for one in some if not one.met])
            for name, some in content.obligations.by_design.items()
        },
        bins={design: summary.bins_hit(by_port) for design, by_port in functional.items()},
    )


def _longest(latencies: Sequence[summary.LatencySummary]) -> dict[str, float]:
    """The scale of each design's latency plots."""
    longest: dict[str, float] = {}
    for one in latencies:
        longest[one.design] = max(longest.get(one.design, 0.0), one.mean.most)
    return longest


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _bar(value: float | None) -> Markup:
    """A part of a whole."""
    if value is None:
        return Markup("")
    return Markup(
        '<svg class="plot" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="rest" width="100" height="10"/><rect class="part" width="{:.2f}" height="10"/></svg>'
    ).format(100 * value)


def _range(spread: Spread, whole: float = 1.0) -> Markup:
    """Least to most as a line, the middle half as a box, the median as a mark, on a scale from 0 to ``whole``."""
    scale = 100 / whole if whole else 0.0
    least, low, middle, high, most = (
        min(100.0, v * scale) for v in (spread.least, spread.low, spread.middle, spread.high, spread.most)
    )
    return Markup(
        '<svg class="plot" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="rest" width="100" height="10"/>'
        '<rect class="whisker" x="{:.2f}" y="4.4" width="{:.2f}" height="1.2"/>'
        '<rect class="part" x="{:.2f}" y="2" width="{:.2f}" height="6"/>'
        '<rect class="mark" x="{:.2f}" y="0.6" width="1" height="8.8"/></svg>'
    ).format(least, max(0.4, most - least), low, max(0.4, high - low), min(99.0, max(0.0, middle - 0.5)))


def _spark(trend: Trend) -> Markup:
    """A figure over the runs, this one last."""
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in sparkline(trend))
    colour = "flat" if trend.change == 0 else "bad" if trend.is_worse else "good"
    said = ", ".join(f"run {p.run}: {p.ratio:.1%} ({p.items} cases)" for p in trend.points)
    return Markup(
        '<svg class="spark {}" viewBox="0 0 100 20" preserveAspectRatio="none" role="img"><title>{}, this run: 100 %</title>'
        '<polyline points="{}" vector-effect="non-scaling-stroke"/></svg>'
    ).format(colour, said, points)
