# SPDX-License-Identifier: Apache-2.0
"""Places of a design that a long run loses: beats and requests that it holds while nothing leaves it, at first and in the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from goldbeat.pymodels.axi.burst import READ, WRITE
from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.transactions import Transactions
from goldbeat.tb.design.deep_traffic import FILLED, HALT
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.traffic import KEPT
from goldbeat.tb.inside.job import Record
from goldbeat.tb.run.late_ready import HELD
from goldbeat.tb.run.transactions import episode_transactions

_FEW_PLACES = 2
"""Beats that a design may hold less of: it waits for an end of a frame, or for the other half of a word."""


def full_twice(ports: Sequence[StreamPort], found: Outcome) -> tuple[int, int] | None:
    """Beats that a design holds before its first output, and before the first behind the longest pause of all outputs.

    None if it was not empty before that pause, if it was not full in the end since it still took beats, or if beats come out of it
    in another number than they go in.
    """
    sides: dict[str, list[Trace]] = {"in": [], "out": []}
    for port in ports:
        trace = found.ports.get(port.name)
        if trace is None or not len(trace):
            return None
        sides[port.direction].append(trace)
    if sum(map(len, sides["in"])) != sum(map(len, sides["out"])) or not sides["in"]:
        return None
    given, taken = (np.sort(np.concatenate([trace.time_ps for trace in sides[way]])) for way in ("in", "out"))
    quiet_ps = HELD * max(trace.clock_ps for trace in sides["in"])
    behind = int(np.argmax(np.diff(taken))) + 1 if len(taken) > 1 else 0
    if not behind or taken[behind] - taken[behind - 1] < 2 * quiet_ps:
        return None
    counts = []
    if int(np.searchsorted(given, taken[behind - 1], "right")) != behind:
        return None
    for number in (0, behind):
        until = taken[number]
        counts.append(int(np.searchsorted(given, until)) - number)
        if int(np.searchsorted(given, until - quiet_ps)) != int(np.searchsorted(given, until)):
            return None
    return counts[0], counts[1]


def fewer_places(first: int, last: int) -> bool:
    """Whether a design holds fewer beats at the end of a run than at its beginning, both from :func:`full_twice`."""
    return first - last > max(_FEW_PLACES, first // 4)


def open_twice(times: Transactions, *, write: bool) -> tuple[int, int] | None:
    """Requests that wait at the end of the first and of the last time without answers, of reads or of writes.

    None if they were fewer than two: a time counts if the design had stopped asking, and asked for more later.
    """
    mine = times.write == write
    begins, ends = np.sort(times.begin[mine]), np.sort(times.end[mine])
    if not len(ends):
        return None
    halts = np.flatnonzero(ends - np.concatenate([begins[:1], ends[:-1]]) >= HALT // 2)
    begun = np.searchsorted(begins, ends[halts])
    full = (begun < len(begins)) & (begun == np.searchsorted(begins, ends[halts] - HALT // 3))
    held = (begun - halts)[full].tolist()
    return (held[0], held[-1]) if len(held) > 1 else None


def requests_twice(
    design: Design, params: Mapping[str, Any], stimulus: Stimulus, record: Record
) -> Iterator[tuple[Bundle, int, tuple[int, int]]]:
    """Of an episode that fills a design time and again: each of its masters, reads or writes, and what :func:`open_twice` says."""
    times = episode_transactions(design, params, stimulus, record) if stimulus.label == FILLED else {}
    for bus in (*design.register_ports(params), *design.memory_ports(params)):
        for way in (WRITE, READ) if bus.direction == "out" and bus.name in times else ():
            if (held := open_twice(times[bus.name], write=way == WRITE)) is not None:
                yield bus, way, held


def lost_places(design: Design, params: Mapping[str, Any], stimulus: Stimulus, record: Record) -> Iterator[str]:
    """A failure for each port with less than half of the places in the end, if the episode fills the design several times."""
    if stimulus.label == KEPT:
        ports = design.bundles(params)
        full = full_twice(ports, record.outcome)
        if full is not None:
            port = next(one for one in ports if one.direction == "in")
            yield from _lost(port, full, "beats before the first output")
    for bus, way, held in requests_twice(design, params, stimulus, record):
        yield from _lost(bus, held, f"{'writes' if way == WRITE else 'reads'} without an answer at first")


def _lost(port: Bundle, held: tuple[int, int], what: str) -> Iterator[str]:
    if fewer_places(*held) and 2 * held[1] <= held[0]:
        yield f"{port.spec.name}_places_lost: {port.name}: held {held[0]} {what}, {held[1]} in the end"
