# SPDX-License-Identifier: Apache-2.0
"""Cases: named ways to exercise a design."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Clock, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.clock_wish import ClockWish
from goldbeat.tb.design.ports.bundle import Frozen


@dataclass(frozen=True)
class CaseContext:
    """What a stimulus maker works from.

    Attributes:
        params: parameter values of this build.
        options: the case's options, defaults overridden by the user.
        seed: the only source of randomness.
        inputs: stimulus that the user gave as files, by port.
        clocks: the design's clocks at their usual periods.
        outputs: names of the output stream ports that can be held back.
        wishes: what the user says of the clocks, by name; ``clocks`` has it already.
        relation: number of the :data:`~goldbeat.tb.design.clocks.RELATIONS` that two clocks are to have; None: drawn.
    """

    params: Mapping[str, Any]
    options: Mapping[str, Any]
    seed: int
    inputs: Mapping[str, Trace] = field(default_factory=dict)
    clocks: Mapping[str, Clock] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()
    wishes: Mapping[str, ClockWish] = field(default_factory=dict)
    relation: int | None = None

    def pattern(self, option: str, salt: int = 0) -> Pattern:
        """The pattern an option names (``random:0.3``), on this run's seed; ``salt`` tells several ports apart."""
        return Pattern.parse(str(self.options[option]), seed=self.seed * 1009 + salt)


StimulusMaker = Callable[[CaseContext], Sequence[Stimulus]]


class Case(Frozen):
    """A named way to exercise a design.

    Attributes:
        name: what the user calls it.
        summary: one line.
        make: gives the episodes (each begins with a reset).
        options: what ``--set`` may change, with defaults.
        params: parameter values this case wants in place of the defaults.
        inputs: stimulus from files may replace what the case sends; false where the case's point is its own data.
        registers: the case is about registers alone: a run of it may pass although no stream and no memory moves.
    """

    name: str
    summary: str
    make: StimulusMaker
    options: Mapping[str, Any] = {}
    params: Mapping[str, Any] = {}
    inputs: bool = True
    registers: bool = False
