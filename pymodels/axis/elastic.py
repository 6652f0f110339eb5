# SPDX-License-Identifier: Apache-2.0
"""What the models of elastic stages share.

A stage is a function "when does the next item transfer, if it is offered from this cycle on?" (a :data:`Take`), and the
stage before it calls it. An item is followed through all stages at once, which is exact, because whether
there is room for an item depends on earlier items only, and an offer or a ready once raised stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import NextReady, Pattern, ReadyCycles
from goldbeat.pymodels.stimulus import Clock, Stimulus
from goldbeat.pymodels.stored_trace import StoredTrace
from goldbeat.pymodels.trace import Trace

RESET_TO_READY = 1
"""First edge at which a single-clock design accepts anything (designs.md, Conventions)."""

WORD_BITS = 32
"""Bits of a word (designs.md, Conventions)."""

Take = Callable[[int], int]
"""Cycle from which the next item is offered -> cycle in which it transfers."""

_TABLE = 4096

Cycles = Sequence[int] | npt.NDArray[np.int64]


def ready_from(stimulus: Stimulus, after_reset: int = RESET_TO_READY) -> int:
    """First edge at which a design accepts; 0 when it has long been out of reset."""
    return 0 if stimulus.settled else after_reset


def integer(params: Mapping[str, Any], name: str) -> int:
    """A parameter that must be there."""
    try:
        return int(params[name])
    except KeyError:
        raise UsageError(f"parameter {name} is missing") from None
    except (TypeError, ValueError):
        raise UsageError(f"parameter {name} = {params[name]!r} is not a whole number") from None


def choice(params: Mapping[str, Any], name: str, allowed: Sequence[int]) -> int:
    """A parameter with few legal values."""
    value = integer(params, name)
    if value not in allowed:
        raise UsageError(f"parameter {name} = {value} is not one of {', '.join(map(str, allowed))}")
    return value


def depth_of(params: Mapping[str, Any], least: int) -> int:
    """``DEPTH``: a power of two."""
    depth = integer(params, "DEPTH")
    if depth < least or depth & (depth - 1):
        raise UsageError(f"parameter DEPTH = {depth} is not a power of two of at least {least}")
    return depth


def clock_of(stimulus: Stimulus, name: str) -> Clock:
    """A clock of the design."""
    try:
        return stimulus.clocks[name]
    except KeyError:
        raise UsageError(f"the stimulus has no clock {name}") from None


def offered(stimulus: Stimulus, port: str, width: int, clock: Clock) -> Trace:
    """What the source at ``port`` offers; nothing when the stimulus does not name it."""
    trace = stimulus.inputs.get(port)
    if trace is None:
        return Trace.empty(width, clock_ps=clock.period_ps, offset_ps=clock.offset_ps)
    if trace.width != width:
        raise UsageError(f"the trace offered to {port} is {trace.width} bit wide, the port {width} bit")
    return trace


def transferred(trace: Trace, clock: Clock, cycles: Cycles) -> Trace:
    """The first beats of ``trace``, as many as there are cycles, transferred in these."""
    n = len(cycles)
    return replace(
        trace if n == len(trace) else trace[:n],
        cycle=np.asarray(cycles, dtype=np.int64),
        clock_ps=clock.period_ps,
        offset_ps=clock.offset_ps,
    )


def sink(pattern: Pattern, log: list[int]) -> Take:
    """A sink that is ready as ``pattern`` says; the cycles of its transfers go to ``log``."""
    note = log.append
    if pattern.kind == "none":

        def take_at_once(offer: int) -> int:
            note(offer)
            return offer

        return take_at_once
    if pattern.waits:
        distance = NextReady(pattern)

        def take_after_valid(offer: int) -> int:
            at = distance(offer)
            note(at)
            return at

        return take_after_valid
    ready = ReadyCycles(pattern)
    base = 0
    table: list[int] = []  # the next ready cycle from base + k on

    def take(offer: int) -> int:
        nonlocal base, table
        while offer - base >= len(table):
            if pattern.kind == "array" and not any(pattern.values):
                raise UsageError(f"the sink is not ready in any cycle: {pattern}")
            base += len(table)
            cycles = ready.next()
            table = np.repeat(cycles, np.diff(cycles, prepend=base - 1)).tolist()
        at = table[offer - base]
        note(at)
        return at

    return take


def offer_beats(gaps: npt.NDArray[np.int64], take: Take, free: int = 0) -> list[int]:
    """Offer beats with these gaps to a stage, from cycle ``free`` on; the cycles in which it accepts them."""
    accepts: list[int] = []
    note = accepts.append
    for gap in gaps.tolist():
        at = take(free + gap)
        note(at)
        free = at + 1
    return accepts


def unhindered(gaps: npt.NDArray[np.int64], first_ready: int) -> npt.NDArray[np.int64]:
    """:func:`offer_beats` for a stage that accepts from ``first_ready`` on and never stalls."""
    cycles = np.cumsum(gaps + 1) - 1
    if len(cycles):
        cycles += max(0, first_ready - int(cycles[0]))
    return cycles.astype(np.int64)


def offers(source: Trace) -> Iterator[tuple[Trace, npt.NDArray[np.int64]]]:
    """Parts of what a source offers, at least one, with the gap before each beat; a trace in memory is one part."""
    before = -1
    if not isinstance(source, StoredTrace):
        yield source, source.gaps
        return
    for part in source.parts():
        yield part, part.gaps_after(before)
        before = int(part.cycle[-1])


class Passage:
    """Beats through a stage whose own depth never stalls it, part by part.

    Args:
        stage: the stage before a sink.
        latency: cycles from accept to the earliest output.
        pattern: when the sink is ready.
        first_ready: first edge at which the stage accepts.
    """

    def __init__(self, stage: Callable[[Take], Take], latency: int, pattern: Pattern, first_ready: int) -> None:
        self._latency, self._first_ready = latency, first_ready
        self._free = 0
        self._outs: list[int] = []
        self._take = None if pattern.kind == "none" else stage(sink(pattern, self._outs))

    def __call__(self, gaps: npt.NDArray[np.int64]) -> tuple[Cycles, Cycles]:
        """(n,) cycles in which the stage accepts the next beats, and (n,) those of the outputs.

        Args:
            gaps: (n,) before each beat.
        """
        if self._take is None:
            accepts = self._free + unhindered(gaps, max(0, self._first_ready - self._free))
            found: tuple[Cycles, Cycles] = accepts, accepts + self._latency
        else:
            self._outs.clear()
            found = offer_beats(gaps, self._take, self._free), np.asarray(self._outs, np.int64)
        if len(gaps):
            self._free = int(found[0][-1]) + 1
        return found
