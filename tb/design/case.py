# SPDX-License-Identifier: Apache-2.0
"""Cases: named ways to exercise a design."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Clock, Outcome, Stimulus
from goldbeat.pymodels.stored_trace import Shelf
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.clock_wish import ClockWish
from goldbeat.tb.design.measurements import Check, RunAnswer
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
        timed: the golden model predicts cycles.
        frames: lengths of the frames that traffic makes, in beats; empty: they are drawn.
        numbers: gives those of the RTL that its counters may be compared with.
        values: gives those that its payload may be compared with, and the bits of each.
        corners: values that the traffic's payload takes, with their bits, among zeros, ones, single bits and repeats; None: it is
            random.
        shelf: where stimulus that is too long to hold is kept: :meth:`~goldbeat.pymodels.stored_trace.Shelf.keep` makes a trace of
            parts.
    """

    params: Mapping[str, Any]
    options: Mapping[str, Any]
    seed: int
    inputs: Mapping[str, Trace] = field(default_factory=dict)
    clocks: Mapping[str, Clock] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()
    wishes: Mapping[str, ClockWish] = field(default_factory=dict)
    relation: int | None = None
    timed: bool = True
    frames: tuple[int, ...] = ()
    numbers: Callable[[], Iterable[int]] = tuple
    values: Callable[[], Iterable[tuple[int, int]]] = tuple
    corners: tuple[tuple[int, int], ...] | None = None
    shelf: Shelf = field(default_factory=Shelf)

    def pattern(self, option: str, salt: int = 0) -> Pattern:
        """The pattern an option names (``random:0.3``), on this run's seed; ``salt`` tells several ports apart."""
        return Pattern.parse(str(self.options[option]), seed=self.seed * 1009 + salt)


StimulusMaker = Callable[[CaseContext], Sequence[Stimulus]]


class Case(Frozen):
    """A named way to exercise a design.

    Attributes:
        name: name of the design.

        summary: one line.
        make: gives the episodes (each begins with a reset).
        options: what ``--set`` may change, with defaults.
        params: parameter values this case wants in place of the defaults.
        inputs: stimulus from files may replace what the case sends; false where the case's point is its own data.
        registers: the case is about registers alone: a run of it may pass although no stream and no memory moves.
        files: options that name files of the user's. The first one must be given: its name is part of the run folder's name, and a
            suite leaves the case out unless it sets it.
        slow: too long for the tests of every day.
        fills: sends enough to fill the design's queues: a ready that never falls makes the verdict partial.
        expect: predicts an episode with drivers from what was driven, in place of the design's model: context, the stimulus with
            the steps that were made as its program, and the record. With ``registers``, it predicts all episodes.
        check: compares more than the golden model predicts; it gets the same.
        fit: options -> parameter values that follow from them, from a file that one of them names for instance.
        instead: options -> the name of the case that runs them if the user names none.
        answer: context, and stimulus and record of every episode -> what the run has computed; None: see the design.
    """

    name: str
    summary: str
    make: StimulusMaker
    options: Mapping[str, Any] = {}
    params: Mapping[str, Any] = {}
    inputs: bool = True
    registers: bool = False
    files: tuple[str, ...] = ()
    slow: bool = False
    fills: bool = False
    expect: Callable[[CaseContext, Stimulus, Any], Outcome] | None = None
    check: Callable[[CaseContext, Stimulus, Any], Check] | None = None
    fit: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None
    instead: Callable[[Mapping[str, Any]], str] | None = None
    answer: Callable[[CaseContext, Sequence[tuple[Stimulus, Any]]], RunAnswer] | None = None

    def lacks(self, options: Mapping[str, Any]) -> str | None:
        """The option that must be given and is not, with these options set; None where nothing is missing."""
        return self.files[0] if self.files and not options.get(self.files[0]) else None
