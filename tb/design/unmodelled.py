# SPDX-License-Identifier: Apache-2.0
"""Designs whose golden model nobody has written: they can run, and what they do can be recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.pymodels.stock_models import StreamShape
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.measurements import Check
from goldbeat.tb.design.rules_model import rules_outcome

NO_MODEL = "outputs: there is no golden model"
_UNWRITTEN = "UnwrittenModelError"


def is_unwritten(model: Any) -> bool:
    """Whether a golden model is the one that ``goldbeat new`` leaves to be written."""
    code = getattr(model, "__code__", None)
    return code is not None and _UNWRITTEN in code.co_names


def unmodelled(design: Design) -> Design:
    """The same design without its model: inputs are taken, and nothing is known of what comes out."""
    bare = design.model_copy(update={"timed": False})
    cases = tuple(case.model_copy(update={"check": _with_reason(case)}) for case in design.cases)
    return bare.model_copy(update={"model": partial(_taken, bare), "cases": cases})


def _taken(design: Design, params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    shapes: dict[str, list[StreamShape]] = {"in": [], "out": []}
    for port in design.bundles(params):
        shapes[port.direction].append(StreamShape(port.name, port.clock, int(port.width), frozenset(port.roles())))
    answers = [*(port.name for port in design.register_ports(params)), *(status.name for status in design.status)]
    return rules_outcome(shapes["in"], shapes["out"], answers, stimulus)


def _with_reason(case: Case) -> Callable[[CaseContext, Stimulus, Any], Check]:
    """The case's own check, and that outputs were not compared."""
    own = case.check

    def check(setting: CaseContext, stimulus: Stimulus, record: Any) -> Check:
        found = Check() if own is None else own(setting, stimulus, record)
        return Check(found.failures, found.compared, (*found.partial, NO_MODEL), found.void)

    return check
