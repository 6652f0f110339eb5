# SPDX-License-Identifier: Apache-2.0
"""One side of a timeline, golden model or RTL: what a design's own rows are made from, the same way for both.

Time 0 of a timeline is the release of reset. Cycles are counted from there while register programs and bursts run ahead of
the streams, and from the start of the streams on behind that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.clock import Clock
from goldbeat.pymodels.stimulus import Access, Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.inside.job import BurstAnswers, Record
from goldbeat.tb.timeline.rows import Numbers

MODEL, RTL = "golden model", "RTL"


@dataclass(frozen=True)
class TimedAccess:
    """A step of a register program with its time.

    Attributes:
        access: what was asked for.
        begin, end: picoseconds; ``end`` is the end of its last cycle.
        first, last: its cycles.
        value: read; None where nothing was.
        error: answered with an error.
    """

    access: Access
    begin: int
    end: int
    first: int
    last: int
    value: int | None
    error: bool


@dataclass(frozen=True, eq=False)
class TimelineSide:
    """One side of an episode.

    Attributes:
        name: :data:`MODEL` or :data:`RTL`.
        params: parameter values.
        stimulus: what was driven.
        outcome: transfers, status outputs, memories; of the model with phases.
        accesses: steps of the register programs whose times are known, by port.
        lead_ps: from the release of reset to the start of the streams.
        port_clocks: name of the clock, by port.
        bursts: answers to programs of bursts; a model predicts none.
    """

    name: str
    params: Mapping[str, Any]
    stimulus: Stimulus
    outcome: Outcome
    accesses: Mapping[str, Sequence[TimedAccess]]
    lead_ps: int
    port_clocks: Mapping[str, str]
    bursts: Mapping[str, BurstAnswers] = field(default_factory=dict)

    def clock(self, port: str) -> Clock:
        """The clock of a port."""
        return self.stimulus.clocks[self.port_clocks[port]]

    def beats(self, trace: Trace, cycle: npt.ArrayLike) -> Numbers:
        """Picoseconds at which cycles of a stream begin."""
        moments: Numbers = self.lead_ps + trace.offset_ps + np.asarray(cycle, np.int64) * trace.clock_ps
        return moments

    def rows(self, port: str) -> npt.NDArray[Any] | None:
        """The bursts that the memory behind a port has answered, as far as it has; None where nothing is known of them."""
        held = self.outcome.memories.get(port)
        if held is None or held.log is None or not {"cycle", "done"} <= set(held.log.dtype.names or ()):
            return None
        return held.log

    def moments(self, port: str, cycle: npt.ArrayLike, behind: npt.ArrayLike) -> Numbers:
        """Picoseconds at which cycles of a bus begin.

        Args:
            port: of the bus.
            cycle: (n,) cycles.
            behind: (n,) or one: they are counted from the start of the streams on.
        """
        clock = self.clock(port)
        lead = np.where(behind, self.lead_ps, 0)
        moments: Numbers = clock.offset_ps + np.asarray(cycle, np.int64) * clock.period_ps + lead
        return moments

    def behind(self, port: str) -> npt.NDArray[np.bool_]:
        """(n,) the bursts of :meth:`rows` whose cycles are counted from the start of the streams on.

        They come in the order of their addresses, so a cycle before the one ahead of it says that counting has begun anew.
        Where it has not, a design with streams is taken to have begun with them.
        """
        rows = self.rows(port)
        assert rows is not None
        if not self.stimulus.settled:
            return np.ones(len(rows), np.bool_)
        again = np.flatnonzero(np.diff(rows["cycle"].astype(np.int64)) < 0)
        start = int(again[0]) + 1 if len(again) else 0 if self.outcome.ports else len(rows)
        return np.arange(len(rows)) >= start


def sides_of(
    params: Mapping[str, Any], stimulus: Stimulus, expected: Outcome, record: Record, port_clocks: Mapping[str, str]
) -> tuple[TimelineSide, TimelineSide]:
    """Golden model and RTL of an episode.

    Args:
        params: parameter values.
        stimulus: as it was driven, with the steps that drivers have made.
        expected: the prediction.
        record: what came out.
        port_clocks: name of the clock, by port.
    """
    lead = record.origin_ps - record.released_ps if stimulus.settled else 0
    answers = {
        port: _timed(port, stimulus, lead, port_clocks, _predicted(given)) for port, given in expected.accesses.items()
    }
    results = {
        port: _timed(port, stimulus, lead, port_clocks, [(r.first, r.cycle, r.value, r.error) for r in given])
        for port, given in record.accesses.items()
    }
    common = (params, stimulus)
    return (
        TimelineSide(MODEL, *common, expected, answers, lead, port_clocks),
        TimelineSide(RTL, *common, record.outcome, results, lead, port_clocks, record.bursts),
    )


_Timing = tuple[int | None, int | None, int | None, bool]


def _predicted(answers: Sequence[Any]) -> list[_Timing]:
    """Of models that know when steps end: each begins in the cycle behind the one before."""
    found: list[_Timing] = []
    for number, answer in enumerate(answers):
        before = 0 if number == 0 else answers[number - 1].cycle
        first = None if before is None or answer.cycle is None else min(before + 1, answer.cycle)
        found.append((first, answer.cycle, answer.value, bool(answer.error)))
    return found


def _timed(
    port: str, stimulus: Stimulus, lead: int, clocks: Mapping[str, str], timings: Sequence[_Timing]
) -> tuple[TimedAccess, ...]:
    program = stimulus.program.get(port, ())
    steps = (*program, *stimulus.after.get(port, ()))
    if port not in clocks:
        return ()
    clock = stimulus.clocks[clocks[port]]
    found = []
    for number, (step, (first, last, value, error)) in enumerate(zip(steps, timings, strict=False)):
        if first is None or last is None:
            continue
        zero = clock.offset_ps + (lead if number >= len(program) else 0)
        begin, end = zero + first * clock.period_ps, zero + (max(first, last) + 1) * clock.period_ps
        found.append(TimedAccess(step, begin, end, first, last, value, error))
    return tuple(found)
