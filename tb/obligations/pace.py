# SPDX-License-Identifier: Apache-2.0
"""How many cycles a design takes per beat, where a run has ended before it was through.

A long latency is no slow pace: it passes once per run, so queues are still filled, and what ends later is found.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design
from goldbeat.tb.run.failure_kind import REPEAT
from goldbeat.tb.run.runs import Request, RunResult, made_stimuli, run

_PACES = (1 << 12, 1 << 18)
"""Cycles per beat that a run is given; the second only where nothing ends in the first."""
_MARGIN = 1 / 4
"""Of the cycles per beat that are measured: other data and back-pressure may take longer."""
_FEW = {"beats": 4, "fill": 0, "longest": 0, "largest": 6}
"""Options of cases for a design that takes long for each beat."""
_WHOLE = 300
"""Cycles per beat with which queues are still filled."""
_LATE = re.compile(r": missing beat: expected \w+, got nothing|: at the end of the run: |\bnothing moved: ")


def may_be_slow(failures: Sequence[str]) -> bool:
    """Whether all that fails is what has not come before the end."""
    said = [text for text in failures if not text.startswith(REPEAT)]
    return bool(said) and all(_LATE.search(text.partition("\n")[0]) for text in said)


def few_beats(case: Case) -> dict[str, Any]:
    """The options of a case with which it has few beats."""
    return {name: value for name, value in _FEW.items() if name in case.options}


class Pace(int):
    """Cycles per beat that a run is given, its latency included.

    Attributes:
        between: cycles from one beat to the next, without what passes before the first one.
    """

    between: int

    def __new__(cls, cycles: int, between: int) -> Self:
        """Make one of both numbers."""
        made = super().__new__(cls, cycles)
        made.between = between
        return made


def fills_queues(pace: int) -> bool:
    """Whether a design of so many cycles per beat gets the usual traffic."""
    return (pace.between if isinstance(pace, Pace) else pace) <= _WHOLE


def measured_pace(design: Design, seed: int) -> int:
    """Cycles per beat, a margin included, with which a design is through with a few beats; 0: it is not, or needs no more."""
    case = next((one for one in design.cases if "largest" in one.options), None)
    if case is None or design.timed:
        return 0
    request = Request(design, case, (seed,), options=few_beats(case), traces=("none",))
    # Three beats, with sinks that are always there.
    some = made_stimuli(request, request.setting(seed))[4]
    for pace in _PACES:
        patient = replace(request, design=design.model_copy(update={"cycles_per_beat": pace}), stimuli=(some,))
        with tempfile.TemporaryDirectory(prefix="goldbeat-") as folder:
            (result,) = run(patient, Path(folder) / "sim", lambda text: None)
        if not result.failures:
            found = pace_of(result)
            return found if found > design.cycles_per_beat else 0
    return 0


def pace_of(result: RunResult) -> Pace:
    """The most cycles between two beats of a port, and so many more that the first beat of each port comes in time."""
    ports = [one.record.outcome.ports for one in result.episodes]
    traces = [trace for one in ports for trace in one.values() if len(trace)]
    between = max((int(np.diff(trace.cycle).max(initial=0)) for trace in traces), default=0)
    first = max((int(trace.cycle[0]) for trace in traces), default=0)
    # A run of one beat is given twice as many cycles, or three times where an output answers it.
    times = 2 if max(map(len, ports), default=0) < 2 else 3
    cycles = max(between, -(-first // times))
    return Pace(int(cycles * (1 + _MARGIN)), int(between * (1 + _MARGIN)))
