# SPDX-License-Identifier: Apache-2.0
"""Stages: which criteria belong to each, and which stage a design has reached.

The names are those of OpenTitan's verification stages; the criteria are what Goldbeat measures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Literal

from goldbeat.tb.dashboard.evidence import CaseRun, Evidence, Fact
from goldbeat.tb.dashboard.testplan import STAGES, PlanPoint, PlanStage
from goldbeat.tb.design.design import Design

State = Literal["met", "as recorded", "not met", "not measured"]
"""``as recorded``: nothing differs from a recording, but no golden model was there to compare with. It is not met."""


@dataclass(frozen=True)
class Criterion:
    """One demand on a design.

    Attributes:
        stage: it belongs to.
        name: what is demanded.
        state: whether it is met; what was never measured is not.
        shown: what was measured.
        when, git: of the measurement; empty where there is none.
    """

    stage: PlanStage
    name: str
    state: State
    shown: str
    when: str = ""
    git: str = ""


_Demand = tuple[PlanStage, str, str, Callable[[Fact], bool]]
_DEMANDS: Sequence[_Demand] = (
    ("V1", "smoke: every case passes", "suite smoke", lambda f: f.value == 1),
    ("V1", "lint: no finding, in any set of parameters", "lint", lambda f: f.value == 0),
    ("V2", "nightly: every case passes", "suite nightly", lambda f: f.value == 1),
    ("V2", "line coverage: 95 %", "code line", lambda f: f.value >= 0.95),
    ("V2", "functional coverage: 70 % of all bins", "functional", lambda f: f.value >= 0.70),
    ("V2", "obligations of the ports: none open", "obligations", lambda f: f.value == 0),
    ("V2", "assertions in the RTL", "assertions", lambda f: f.value > 0),
    ("V2", "soak: a million cycles of passing cases", "soak", lambda f: f.value >= 1e6),
    ("V3", "branch coverage: 98 %", "code branch", lambda f: f.value >= 0.98),
    ("V3", "toggle coverage: 90 %", "code toggle", lambda f: f.value >= 0.90),
    ("V3", "mutants: 98 % noticed", "mutation", lambda f: f.value >= 0.98),
    ("V3", "`goldbeat verify`: no obligation open", "verify", lambda f: f.value == 0),
    ("V3", "`goldbeat prove`: nothing refuted", "proof", lambda f: f.value == 0),
    ("V3", "synthesis: no latch, loop, second driver", "synthesis", lambda f: f.value == 0),
)
"""Stage, name, fact that it looks at, and when it is met."""
_WHERE_IT_CAN_BE = ("proof",)
"""Facts that are asked of designs that have them alone: a proof needs one clock and a design that is not large."""


@dataclass(frozen=True)
class Standing:
    """Where a design stands.

    Attributes:
        design: its name.
        summary: what it is.
        reached: the highest stage whose criteria, and those of all before it, are met; None: not even the first.
        criteria: all of them.
        points: test points with their state.
        evidence: what it was judged by.
    """

    design: str
    summary: str
    reached: PlanStage | None
    criteria: tuple[Criterion, ...]
    points: tuple[tuple[PlanPoint, State], ...]
    evidence: Evidence


def judge_design(design: Design, points: Sequence[PlanPoint], evidence: Evidence) -> Standing:
    """Hold a design against every criterion."""
    states = tuple((point, _point_state(point, evidence)) for point in points)
    criteria = tuple(_criteria(design, states, evidence))
    reached: PlanStage | None = None
    for stage in STAGES:
        if any(c.state != "met" for c in criteria if c.stage == stage):
            break
        reached = stage
    return Standing(design.name, design.summary, reached, criteria, states, evidence)


def _point_state(point: PlanPoint, evidence: Evidence) -> State:
    """Met when for every pattern there is a case that ran, and all that ran equal their golden models."""
    found = [_judges(pattern, evidence) for pattern in point.cases]
    if any(one.passed < one.of for some in found for one in some):
        return "not met"
    if not all(found):
        return "not measured"
    return "as recorded" if any(one.recorded for some in found for one in some) else "met"


def _judges(pattern: str, evidence: Evidence) -> list[CaseRun]:
    """The runs that decide on the cases of a pattern."""
    known = (case.judged_by for name, case in evidence.history.items() if fnmatch(name, pattern))
    return [one for one in known if one is not None]


def _criteria(design: Design, points: Sequence[tuple[PlanPoint, State]], evidence: Evidence) -> Iterator[Criterion]:
    facts = evidence.facts
    for stage in STAGES:
        yield _plan(stage, points, evidence)
        for at, name, key, met in _DEMANDS:
            fact = facts.get(key)
            if at == stage and fact is not None:
                state: State = "as recorded" if fact.recorded else "met"
                yield Criterion(stage, name, state if met(fact) else "not met", fact.text, fact.when, fact.git)
            elif at == stage and key not in _WHERE_IT_CAN_BE:
                yield Criterion(stage, name, "not measured", "")
        if stage == "V2":
            shown = "compared" if design.timed else "values alone" if design.blessed is None else "no golden model"
            yield Criterion(stage, "the golden model predicts cycles", "met" if design.timed else "not met", shown)
        if stage == "V3":
            yield _parameters(design, facts.get("parameters"))


def _plan(stage: PlanStage, points: Sequence[tuple[PlanPoint, State]], evidence: Evidence) -> Criterion:
    """The test points of a stage, as old as the oldest run that one rests on; a stage without points has shown nothing."""
    mine = [state for point, state in points if point.stage == stage]
    worst: State = "met" if mine else "not measured"
    if "not met" in mine:
        worst = "not met"
    elif "not measured" in mine:
        worst = "not measured"
    elif "as recorded" in mine:
        worst = "as recorded"
    shown = f"{mine.count('met')} of {len(mine)} shown" if mine else "no test point"
    shown += f", {mine.count('as recorded')} as recorded" if "as recorded" in mine else ""
    patterns = (pattern for point, _ in points if point.stage == stage for pattern in point.cases)
    rests = [one for pattern in patterns for one in _judges(pattern, evidence)]
    oldest = min(rests, key=lambda one: one.run, default=None)
    when, git = ("", "") if oldest is None else (oldest.when, oldest.git)
    return Criterion(stage, f"test points of {stage}", worst, shown, when, git)


def _parameters(design: Design, fact: Fact | None) -> Criterion:
    name = "every set of parameter values that the design names has run"
    if fact is None:
        return Criterion("V3", name, "not measured", "")
    state: State = "met" if fact.value >= len(design.variants) else "not met"
    return Criterion("V3", name, state, fact.text, fact.when, fact.git)
