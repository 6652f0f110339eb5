# SPDX-License-Identifier: Apache-2.0
"""The dashboard as one HTML page that needs nothing else, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from goldbeat.tb.dashboard.stages import Standing
from goldbeat.tb.dashboard.testplan import STAGES
from goldbeat.tb.visible import visible

_TEMPLATES = Path(__file__).resolve().parent / "templates"
_MOST_BUCKETS = 50
_MOST_RUNS = 24
_SHORT_KEYS = 4


def dashboard_dict(standings: Sequence[Standing], git: str, now: datetime) -> dict[str, Any]:
    """Everything for machines."""
    return {"made": now.isoformat(timespec="seconds"), "git": git, "designs": [_design_dict(s) for s in standings]}


def _design_dict(standing: Standing) -> dict[str, Any]:
    return {
        "design": standing.design,
        "summary": standing.summary,
        "stage": standing.reached,
        "criteria": [asdict(c) for c in standing.criteria],
        "testpoints": [{**point.model_dump(), "state": state} for point, state in standing.points],
        "facts": {name: asdict(fact) for name, fact in standing.evidence.facts.items()},
        "history": {
            case: [
                {"run": r.run, "pass": r.passed, "recorded": r.recorded, "of": r.of, "whole": r.whole} for r in one.runs
            ]
            for case, one in standing.evidence.history.items()
        },
        "failures": [asdict(bucket) for bucket in standing.evidence.buckets],
    }


def dashboard_page(standings: Sequence[Standing], git: str, now: datetime) -> str:
    """The page."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    environment.filters["age"] = lambda when: age(when, now)
    names = list(dict.fromkeys((c.stage, c.name) for s in standings for c in s.criteria))
    buckets = [bucket for s in standings for bucket in s.evidence.buckets]
    return environment.get_template("dashboard.html.j2").render(
        standings=standings,
        stages=STAGES,
        counts={stage: sum(s.reached == stage for s in standings) for stage in (*reversed(STAGES), None)},
        criteria=names,
        states={s.design: _states(s) for s in standings},
        buckets=buckets[:_MOST_BUCKETS],
        more_buckets=max(0, len(buckets) - _MOST_BUCKETS),
        recorded=any(c.state == "as recorded" for s in standings for c in s.criteria),
        most_runs=_MOST_RUNS,
        most_keys=_SHORT_KEYS,
        git=git,
        made=now.isoformat(timespec="minutes"),
    )


def _states(standing: Standing) -> Mapping[tuple[str, str], Any]:
    return {(c.stage, c.name): c for c in standing.criteria}


def age(when: str, now: datetime) -> str:
    """How old a measurement is: ``now`` under an hour, then hours, then days."""
    if not when:
        return ""
    then = datetime.fromisoformat(when)
    seconds = (now - (then if then.tzinfo else then.replace(tzinfo=UTC))).total_seconds()
    if seconds < 3600:
        return "now"
    return f"{seconds / 3600:.0f} h old" if seconds < 2 * 86400 else f"{seconds / 86400:.0f} days old"
