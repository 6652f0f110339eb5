# SPDX-License-Identifier: Apache-2.0
"""How far a run is: simulated time against the golden model's prediction of how long everything takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.tb.inside.job import Episode


@dataclass(frozen=True)
class Reached:
    """Where a run stands.

    Attributes:
        cycle: of the first clock, over all episodes; never more than ``cycles``.
        cycles: predicted in all.
        done: episodes that have ended.
        episodes: how many there are.
        phase: what goes on now, as the model names it; empty where it does not.
        pace: see :attr:`goldbeat.pymodels.stimulus.Outcome.pace`.
    """

    cycle: int
    cycles: int
    done: int
    episodes: int
    phase: str = ""
    pace: str = ""


class Course:
    """The predicted course of some episodes, one after the other.

    Args:
        steps: stimulus and prediction of each.
        episodes: the same, as the simulator gets them.
    """

    def __init__(self, steps: Sequence[tuple[Stimulus, Outcome | None]], episodes: Sequence[Episode]) -> None:
        self._steps = steps
        lengths = [_cycles(episode, expected) for (_, expected), episode in zip(steps, episodes, strict=True)]
        self._ends = [0, *accumulate(lengths)]

    @property
    def cycles(self) -> int:
        """In all."""
        return self._ends[-1]

    def at(self, done: int, ps: int) -> Reached:
        """Where the run stands so long after the reset release of the episode that follows those that are done."""
        total = len(self._steps)
        if done == total:
            return Reached(self.cycles, self.cycles, done, total, pace=_pace(self._steps[-1][1]))
        stimulus, expected = self._steps[done]
        period = next(iter(stimulus.clocks.values())).period_ps
        cycle = ps // period
        phases = () if expected is None else expected.phases
        phase = next((p.name for p in phases if p.first <= cycle <= p.last), "")
        reached = min(self._ends[done] + cycle, self._ends[done + 1])
        return Reached(reached, self.cycles, done, total, phase, _pace(expected))


def _pace(expected: Outcome | None) -> str:
    return "" if expected is None else expected.pace


def _cycles(episode: Episode, expected: Outcome | None) -> int:
    """From reset release to the end: the register program, as far as the model knows its time, and then the streams."""
    period = next(iter(episode.stimulus.clocks.values())).period_ps
    stop = episode.stimulus.stop_ps
    streams = episode.run_ps if stop is None else min(stop, episode.run_ps)
    known = () if expected is None else expected.accesses.values()
    program = max((a.cycle + 1 for answers in known for a in answers if a.cycle is not None), default=0)
    return program + streams // period
