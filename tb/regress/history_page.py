# SPDX-License-Identifier: Apache-2.0
"""The history of all cases as one HTML page that needs nothing else: no network, no script, no other file."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from markupsafe import Markup

from goldbeat.tb.page.run_page import page_environment
from goldbeat.tb.regress.history import ProjectHistory, RecordedCase, worst_first
from goldbeat.tb.regress.item import Status
from goldbeat.tb.regress.store import Run

_TEMPLATES = Path(__file__).resolve().parent / "templates"
_MOST_STRIPS = 500
"""Cases whose verdict in every run is drawn: those that do not always pass."""
_MOST_PATTERNS = 200
_GOOD = {status.value for status in Status if status.good}
_UNKNOWN = ("open", Status.KILLED.value)
_CLASSES = {"p": "pass", "f": "fail", "k": "killed"}


def history_page(history: ProjectHistory) -> str:
    """The page."""
    environment = page_environment(_TEMPLATES)
    environment.filters["strip"] = _strip
    cases = worst_first(history.cases)
    return environment.get_template("history.html.j2").render(
        runs=history.runs,
        rates=_rates(history),
        cases=cases,
        failing=history.failing,
        flaky=history.flaky,
        patterns=history.patterns[:_MOST_PATTERNS],
        more_patterns=max(0, len(history.patterns) - _MOST_PATTERNS),
        drawn={case.key for case in [one for one in cases if one.passed < one.runs][:_MOST_STRIPS]},
    )


def _rates(history: ProjectHistory) -> list[tuple[Run, int, int]]:
    """Every run that has ended, the oldest first: results that pass, and all of them."""
    rates = []
    for run in history.runs:
        counts = run.facts.get("counts", {})
        good = sum(count for status, count in counts.items() if status in _GOOD)
        rates.append((run, good, sum(count for status, count in counts.items() if status not in _UNKNOWN)))
    return rates


def _strip(case: RecordedCase) -> Markup:
    """The verdicts of a case over the runs, the oldest first; equal neighbours are one box."""
    boxes, place = [], 0
    for verdict, same in groupby(case.verdicts):
        width = len(list(same))
        if verdict != "-":
            box = Markup('<rect class="{}" x="{}" width="{}" height="10"/>')
            boxes.append(box.format(_CLASSES[verdict], place, width))
        place += width
    return Markup(
        '<svg class="strip" viewBox="0 0 {} 10" preserveAspectRatio="none" role="img"><title>{}</title>{}</svg>'
    ).format(len(case.verdicts), f"{case.passed} of {case.runs} pass", Markup("").join(boxes))
