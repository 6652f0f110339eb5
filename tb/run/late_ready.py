# SPDX-License-Identifier: Apache-2.0
"""Beats and accesses that a design lets wait too long, which no protocol forbids, and inputs that it never lets wait."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.pymodels.trace import Trace, in_step
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.inside.job import AccessResult

HELD = 64
"""Cycles without ready that no other reason than full queues is likely to have."""

Waits = Mapping[str, Mapping[str, tuple[int, int]]]


def late_ready(ports: Sequence[StreamPort], stimulus: Stimulus, found: Outcome, bound: int) -> list[str]:
    """A warning for each stream input with a beat that waited for more than ``bound`` cycles.

    The wait of a beat is the number of cycles with TVALID and without TREADY; beats that never transferred are not counted, as they
    fail the run.

    Args:
        ports: the bundles of the design.
        stimulus: of the episode.
        found: what has transferred.
        bound: cycles.
    """
    texts = []
    for port in ports:
        given, taken = stimulus.inputs.get(port.name), found.ports.get(port.name)
        if port.direction != "in" or not port.has("tready") or given is None or taken is None or not len(taken):
            continue
        # A source behind a reset offers nothing at edge 0.
        late = _late(given, taken, 0 if stimulus.settled else 1, bound)
        if late is not None:
            most, worst, cycle, count = late
            texts.append(
                f"{port.spec.name}_ready_late: {port.name}, cycle {cycle}: tready came {most} cycles after tvalid, beat {worst}; "
                f"{count} beat(s) waited more than {bound} cycles"
            )
    return texts


def _late(given: Trace, taken: Trace, earliest: int, bound: int) -> tuple[int, int, int, int] | None:
    """The longest wait, its beat, the cycle of its first offer, and how many beats waited for longer than the bound; None: none."""
    found: list[tuple[int, int, int]] = []
    count = 0
    for start, offered, waits in _waits(given, taken, earliest):
        worst = int(waits.argmax())
        count += int((waits > bound).sum())
        found.append((int(waits[worst]), start + worst, int(offered[worst])))
    most, beat, cycle = max(found, key=lambda one: one[0])
    return (most, beat, cycle, count) if most > bound else None


_Cycles = npt.NDArray[np.int64]


def _waits(given: Trace, taken: Trace, earliest: int) -> Iterator[tuple[int, _Cycles, _Cycles]]:
    """Of each part of a trace: number of its first beat, cycles of the first offers, cycles that the beats waited."""
    offer_before, taken_before = -1, -1
    for start, one, other in in_step(given, taken):
        offered = one.gaps_after(offer_before) + 1 + np.concatenate([[taken_before], other.cycle[:-1]])
        if start == 0:
            offered[0] = max(offered[0], earliest)
        yield start, offered, other.cycle - offered
        offer_before, taken_before = int(one.cycle[-1]), int(other.cycle[-1])


def first_wait(port: StreamPort, stimulus: Stimulus, found: Outcome) -> int | None:
    """The first beat of an input that the design let wait, the first of all left out: a reset may delay it; None: there is none."""
    given, taken = stimulus.inputs.get(port.name), found.ports.get(port.name)
    if given is None or taken is None or not len(taken):
        return None
    for start, _, waits in _waits(given, taken, 0 if stimulus.settled else 1):
        late = np.flatnonzero(waits[1 if start == 0 else 0 :])
        if len(late):
            return start + int(late[0]) + (start == 0)
    return None


def stays_low(port: StreamPort, ports: Sequence[StreamPort], stimulus: Stimulus, found: Outcome) -> bool:
    """Whether a beat of an input waited because queues were full: until a sink took what the design offered.

    Such a wait takes at least :data:`HELD` cycles, and twice as long as every wait that ended while all sinks were away: those have
    other reasons, such as a memory that is refreshed.
    """
    given, taken = stimulus.inputs.get(port.name), found.ports.get(port.name)
    outputs = [one for one in ports if one.direction == "out" and len(found.ports.get(one.name, ()))]
    if given is None or taken is None or not len(taken) or not outputs:
        return False
    freed = np.array([_freed(one, stimulus, found.ports[one.name]) for one in outputs], np.int64) - taken.offset_ps
    longest = other = 0
    for start, offered, waits in _waits(given, taken, 0 if stimulus.settled else 1):
        since, until = offered * taken.clock_ps, (offered + waits) * taken.clock_ps
        ended = until < freed.min()
        # The first beat may wait for what a reset has begun.
        ended[: start == 0] = False
        other = max(other, int(waits[ended].max(initial=0)))
        over = ((since[:, None] < freed) & (until[:, None] >= freed)).any(axis=1)
        longest = max(longest, int(waits[over].max(initial=0)))
    return longest >= max(HELD, 2 * other)


def _freed(port: StreamPort, stimulus: Stimulus, trace: Trace) -> int:
    """When the sink of an output first took something, or where a valid waits for its ready, could have taken it."""
    first, pattern = trace[:1], stimulus.pattern(port.name)
    waits = port.room_first or port.house
    ready = pattern.values.index(1) if waits and pattern.kind == "array" and 1 in pattern.values else None
    return int(first.time_ps[0]) if ready is None else first.offset_ps + ready * first.clock_ps


def passed_over(port: StreamPort, ports: Sequence[StreamPort], stimulus: Stimulus, found: Outcome) -> int:
    """The most frames that one other input has ended while one beat of an input waited; where there is no TLAST, beats.

    Among several outputs only what ends when all sinks are back counts: they may have been away for different inputs.
    """
    given, taken = stimulus.inputs.get(port.name), found.ports.get(port.name)
    if given is None or taken is None or not len(taken):
        return 0
    spans = [
        ((taken.offset_ps + offered * taken.clock_ps), (taken.offset_ps + (offered + waits) * taken.clock_ps))
        for _, offered, waits in _waits(given, taken, 0 if stimulus.settled else 1)
    ]
    outputs = [one for one in ports if one.direction == "out"]
    back = max((_back_ps(one, stimulus, found) for one in outputs), default=0) if len(outputs) > 1 else 0
    spans = [(np.maximum(since, back), np.maximum(until, back)) for since, until in spans]
    most = 0
    for other in ports:
        trace = found.ports.get(other.name)
        if other.direction != "in" or other.name == port.name or trace is None or not len(trace):
            continue
        ends = trace.time_ps[trace.last] if other.has("tlast") else trace.time_ps
        for since, until in spans:
            most = max(most, int((np.searchsorted(ends, until) - np.searchsorted(ends, since)).max(initial=0)))
    return most


def _back_ps(port: StreamPort, stimulus: Stimulus, found: Outcome) -> int:
    """When the sink of an output is ready for good; where it never is for long, after everything."""
    pattern, trace = stimulus.pattern(port.name), found.ports.get(port.name)
    if pattern.kind == "none" or trace is None:
        return 0
    if pattern.kind != "array" or 1 not in pattern.values:
        return int(np.iinfo(np.int64).max)
    away = len(pattern.values) - pattern.values[::-1].index(0) if 0 in pattern.values else 0
    return int(trace.offset_ps + away * trace.clock_ps)


def held_back(ports: Sequence[StreamPort], stimulus: Stimulus, found: Outcome) -> bool:
    """Whether some output had beats and a sink that is not always ready."""
    return any(
        port.direction == "out"
        and port.has("tready")
        and stimulus.pattern(port.name).kind != "none"
        and len(found.ports.get(port.name, ()))
        for port in ports
    )


def late_answers(
    ports: Sequence[RegisterPort], stimulus: Stimulus, made: Mapping[str, Sequence[AccessResult]], bound: int
) -> list[str]:
    """A warning for each register port, on buses that count wait states, with an access of more than ``bound`` of them.

    Args:
        ports: the bundles of the design.
        stimulus: of the episode; polls and waits are not counted.
        made: results of its accesses.
        bound: wait states.
    """
    texts = []
    for port in ports:
        asked = (*stimulus.program.get(port.name, ()), *stimulus.after.get(port.name, ()))
        waits = {
            i: (states, result.first)
            for i, (access, result) in enumerate(zip(asked, made.get(port.name, ()), strict=False))
            if access.op in ("read", "write") and result.first is not None and result.cycle is not None
            if (states := port.wait_states(result.first, result.cycle)) is not None and states > bound
        }
        if waits:
            worst = max(waits, key=lambda i: waits[i][0])
            texts.append(
                f"{port.spec.name}_ready_late: {port.name}, cycle {waits[worst][1]}: {waits[worst][0]} wait states, access {worst} "
                f"({asked[worst].name}); {len(waits)} access(es) waited more than {bound} cycles"
            )
    return texts


def late_channels(ports: Sequence[Bundle], waits: Waits, bound: int) -> list[str]:
    """A warning for each port with channels on which the design's ready took more than ``bound`` cycles, with the longest wait.

    Args:
        ports: bundles of the design.
        waits: by port and channel the longest wait: since which cycle, and how many.
        bound: cycles.
    """
    texts = []
    for port in ports:
        driven = {wire.name for wire in port.wires() if wire.way == "output"}
        found = [
            (cycles, since, channel)
            for channel, (since, cycles) in waits.get(port.name, {}).items()
            if f"{channel}ready" in driven
        ]
        cycles, since, channel = max(found, default=(0, 0, ""))
        if cycles > bound:
            texts.append(
                f"{port.spec.name}_ready_late: {port.name}, cycle {since}: {channel}ready came {cycles} cycles after {channel}valid"
            )
    return texts
