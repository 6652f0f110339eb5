# SPDX-License-Identifier: Apache-2.0
"""What the models of elastic stages share.

A stage is a function "when does the next item transfer, if it is offered from this cycle on?" (a :data:`Take`), and the
stage before it calls it. An item is followed through all stages at once, which is exact, because whether
there is room for an item depends on earlier items only, and an offer or a ready once raised stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import NextReady, Pattern
from goldbeat.pymodels.stimulus import Clock, Stimulus
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
    next_ready = NextReady(pattern)
    if pattern.waits:

        def take_after_valid(offer: int) -> int:
            at = next_ready(offer)
            note(at)
            return at

        return take_after_valid
    table: list[int] = []  # next_ready(k) for small k, at once

    def take(offer: int) -> int:
        nonlocal table
        if offer >= len(table):
            if pattern.kind == "array" and not any(pattern.values):
                raise UsageError(f"the sink is not ready in any cycle: {pattern}")
            # Far enough to hold the answer, and to be made few times in a long run.
            cycles = np.flatnonzero(pattern.ready(2 * next_ready(offer) + _TABLE))
            table = np.repeat(cycles, np.diff(cycles, prepend=-1)).tolist()
        at = table[offer]
        note(at)
        return at

    return take


def offer_beats(gaps: npt.NDArray[np.int64], take: Take) -> list[int]:
    """Offer beats with these gaps to a stage; the cycles in which it accepts them."""
    accepts: list[int] = []
    note = accepts.append
    free = 0
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


def through(
    gaps: npt.NDArray[np.int64], stage: Callable[[Take], Take], latency: int, pattern: Pattern, first_ready: int
) -> tuple[Cycles, Cycles]:
    """Beats through a stage whose own depth never stalls it.

    Args:
        gaps: (n,) before each beat.
        stage: the stage before a sink.
        latency: cycles from accept to the earliest output.
        pattern: when the sink is ready.
        first_ready: first edge at which the stage accepts.

    Returns:
        (n,) cycles in which it accepts them, and (n,) those of the outputs.
    """
    if pattern.kind == "none":
        accepts = unhindered(gaps, first_ready)
        return accepts, accepts + latency
    outs: list[int] = []
    return offer_beats(gaps, stage(sink(pattern, outs))), outs
