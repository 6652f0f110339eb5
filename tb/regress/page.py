# SPDX-License-Identifier: Apache-2.0
"""A run as one HTML page that needs nothing else: no network, no script, no other file but the artefacts that it links to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from goldbeat.tb.kernel.waivers import waived
from goldbeat.tb.regress import code_coverage, summary
from goldbeat.tb.regress.brief import Brief
from goldbeat.tb.regress.store import Row, Run
from goldbeat.tb.regress.summary import Spread
from goldbeat.tb.visible import visible

_TEMPLATES = Path(__file__).resolve().parent / "templates"
_MOST_FAILURES = 100
_MOST_MISSED = 60


@dataclass(frozen=True)
class Content:
    """What a page is made of.

    Attributes:
        rows: the run's items.
        gathered: their figures.
        failures: the first of those that do not pass, whole.
        before: the run that cycles are compared with, and its items; None when there is none.
        covered: code coverage by point; empty when it was not counted.
    """

    rows: Sequence[Brief]
    gathered: summary.Gathered
    failures: Sequence[Row]
    before: tuple[Run, Sequence[Brief]] | None
    covered: Mapping[str, int]


def run_page(run: Run, content: Content) -> str:
    """The page of a run."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_seen,
    )
    environment.filters |= {"percent": _percent, "bar": _bar, "range": _range, "change": _change_bar}
    found = summary.cells(content.rows)
    counts: dict[str, int] = {}
    for cell in found.values():
        for status, number in cell.counts.items():
            counts[status] = counts.get(status, 0) + number
    failures, before = content.failures[:_MOST_FAILURES], content.before
    latencies = content.gathered.latencies()
    files = code_coverage.by_file(content.covered)
    functional = content.gathered.functional
    template = environment.get_template("regress.html.j2")
    return template.render(
        run=run,
        mixture=run.mixture,
        counts=counts,
        designs=list(dict.fromkeys(d for d, _ in found)),
        cases=list(dict.fromkeys(c for _, c in found)),
        cells=found,
        failures=failures,
        shown={r.item.index for r in failures},
        more_failures=sum(n for status, n in counts.items() if status not in ("pass", "open")) - len(failures),
        repeat=lambda row: run.repeat(row.item.key),
        with_batch=lambda row: run.repeat_with_batch(row.item.key),
        ports=content.gathered.ports(),
        latencies=latencies,
        longest=_longest(latencies),
        before=before[0] if before else None,
        against=summary.cycles_against(before[1], content.rows) if before else [],
        files=files,
        kinds=[k for k in code_coverage.KINDS if any(f.total.get(k) for f in files)],
        most_missed=_MOST_MISSED,
        functional=functional,
        waivers=[f"{design}: {waived(name, count)}" for (design, name), count in content.gathered.waivers.items()],
        bins={design: summary.bins_hit(by_port) for design, by_port in functional.items()},
    )


def _longest(latencies: Sequence[summary.LatencySummary]) -> dict[str, float]:
    """The scale of each design's latency plots."""
    longest: dict[str, float] = {}
    for one in latencies:
        longest[one.design] = max(longest.get(one.design, 0.0), one.mean.most)
    return longest


def _seen(value: object) -> object:
    """What stands in a place of the template: texts from outside made visible, before they are escaped."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


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


def _change_bar(change: float) -> Markup:
    """Slower to the right, faster to the left; the ends are 20 %."""
    size = min(50.0, abs(change) * 250)
    start = 50.0 if change > 0 else 50.0 - size
    return Markup(
        '<svg class="plot" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="rest" width="100" height="10"/><rect class="{}" x="{:.2f}" width="{:.2f}" height="10"/>'
        '<rect class="mark" x="49.7" width="0.6" height="10"/></svg>'
    ).format("bad" if change > 0 else "good", start, size)
