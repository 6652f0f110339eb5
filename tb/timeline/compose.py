# SPDX-License-Identifier: Apache-2.0
"""A timeline of an episode: golden model and RTL as two processes with the same rows, and a third one where they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.inside.job import Record
from goldbeat.tb.timeline.buses import burst_rows, register_rows, slave_rows
from goldbeat.tb.timeline.difference import burst_differences, stream_differences
from goldbeat.tb.timeline.rows import Entry
from goldbeat.tb.timeline.side import TimelineSide, sides_of
from goldbeat.tb.timeline.streams import backlogs, paired, stream_rows

DIFFERENCES = "differences"
_WINDOWS = 512
"""Points of a throughput counter, at most."""


@dataclass(frozen=True)
class OwnRows:
    """What a design adds to a timeline.

    Attributes:
        entries: its rows.
        covers: ports whose own rows it replaces.
        title: put behind the names of the processes; empty: nothing is.
    """

    entries: Sequence[Entry]
    covers: frozenset[str] = frozenset()
    title: str = ""


OwnTimeline = Callable[[TimelineSide], OwnRows]
"""The hook ``timeline`` of a design's description: called once for the golden model and once for the RTL."""


@dataclass(frozen=True, eq=False)
class TimelineProcess:
    """One process of a timeline.

    Attributes:
        name: of it.
        entries: its rows in order; a row is a name in both processes.
    """

    name: str
    entries: Sequence[Entry]


@dataclass(frozen=True, eq=False)
class EpisodeTimeline:
    """An episode.

    Attributes:
        processes: golden model, RTL, and what differs if anything does.
        clocks: (period, offset) in picoseconds by name, the first one being that of cycles.
        lead_ps: from time 0, the release of reset, to the start of the streams; None: there are none.
        not_predicted: ports whose times the model does not know.
        facts: what else the trace says of itself.
    """

    processes: Sequence[TimelineProcess]
    clocks: Mapping[str, tuple[int, int]]
    lead_ps: int | None
    not_predicted: Sequence[str] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class TimelineEpisode:
    """What a timeline is made of.

    Attributes:
        design: description.
        params: parameter values.
        stimulus: as it was driven, with the steps that drivers have made.
        expected: the prediction.
        record: what came out.
        exact: sinks followed the stimulus's ready patterns, as those of the native transactors do.
    """

    design: Design
    params: Mapping[str, Any]
    stimulus: Stimulus
    expected: Outcome
    record: Record
    exact: bool = True


def compose_timeline(episode: TimelineEpisode, facts: Mapping[str, Any]) -> EpisodeTimeline:
    """The timeline of an episode.

    Args:
        episode: stimulus, prediction and record.
        facts: what else the trace is to say of itself.
    """
    design, params = episode.design, episode.params
    streams, memories = design.bundles(params), design.memory_ports(params)
    registers = design.register_ports(params)
    clocks = {p.name: p.clock for p in (*streams, *memories, *registers)}
    sides = sides_of(params, episode.stimulus, episode.expected, episode.record, clocks)
    own = [OwnRows(()) if design.timeline is None else design.timeline(side) for side in sides]
    processes = [
        TimelineProcess(_name(side, mine), [*mine.entries, *_entries(episode, side, sides, streams, mine.covers)])
        for side, mine in zip(sides, own, strict=True)
    ]
    differences = [*_differences(episode, *sides, streams)]
    if differences:
        processes.append(TimelineProcess(DIFFERENCES, differences))
    periods = {name: (clock.period_ps, clock.offset_ps) for name, clock in episode.stimulus.clocks.items()}
    first = design.clocks[0].name
    ordered = {name: periods[name] for name in sorted(periods, key=lambda name: name != first)}
    lead = sides[0].lead_ps if streams else None
    return EpisodeTimeline(processes, ordered, lead, _not_predicted(*sides), facts)


def _name(side: TimelineSide, own: OwnRows) -> str:
    return f"{side.name}: {own.title}" if own.title else side.name


def _entries(
    episode: TimelineEpisode,
    side: TimelineSide,
    sides: Sequence[TimelineSide],
    streams: Sequence[StreamPort],
    covers: frozenset[str],
) -> Iterator[Entry]:
    design, params = episode.design, episode.params
    end_ps = max(_end(one) for one in sides)
    for port in streams:
        # A model may have forgotten a port; that is a failure, and all else is shown.
        if port.name not in covers and port.name in side.outcome.ports and _used(sides, port.name):
            period = side.stimulus.clocks[port.clock].period_ps
            yield from stream_rows(side, port, window_of(end_ps, period), end_ps, exact=episode.exact)
    both = [p for p in streams if p.name not in covers and all(p.name in one.outcome.ports for one in sides)]
    yield from backlogs(side, paired(both, sides[0]))
    for memory in design.memory_ports(params):
        if memory.name not in covers:
            window = window_of(end_ps, side.stimulus.clocks[memory.clock].period_ps)
            named = _columns(sides, memory.name) - (frozenset() if memory.id_width else {"id"})
            yield from burst_rows(side, memory.name, named, window)
            yield from slave_rows(side, memory.name)
    for lane in design.register_ports(params):
        if lane.name not in covers:
            yield from register_rows(side, lane.name)


def _used(sides: Iterable[TimelineSide], port: str) -> bool:
    """Whether anything was offered or moved there on either side."""
    return any(len(side.outcome.ports.get(port, ())) or len(side.stimulus.inputs.get(port, ())) for side in sides)


def window_of(end_ps: int, period_ps: int) -> int:
    """Cycles in which beats are counted: a power of two, and no more than 512 of them in an episode."""
    cycles = max(1, end_ps // period_ps)
    return max(8, 1 << (max(1, -(-cycles // _WINDOWS)) - 1).bit_length())


def _end(side: TimelineSide) -> int:
    """The last moment of anything."""
    ends = [0]
    for trace in side.outcome.ports.values():
        if len(trace):
            last = trace[-1:]
            ends.append(int(side.beats(last, last.cycle + 1)[0]))
    ends += [steps[-1].end for steps in side.accesses.values() if steps]
    for port in side.outcome.memories:
        log = side.rows(port)
        if log is not None and len(log):
            ends.append(int(side.moments(port, log["done"] + 1, side.behind(port)).max()))
    return max(ends)


def _columns(sides: Iterable[TimelineSide], port: str) -> frozenset[str]:
    """Columns of the logs that all sides with one have."""
    logs = [log for side in sides if (log := side.rows(port)) is not None]
    names = [frozenset(log.dtype.names or ()) for log in logs]
    return frozenset.intersection(*names) if names else frozenset()


def _differences(
    episode: TimelineEpisode, model: TimelineSide, rtl: TimelineSide, streams: Sequence[StreamPort]
) -> Iterator[Entry]:
    design, expected = episode.design, episode.expected
    if design.ordered:
        for port in streams:
            if port.name not in expected.unknown and port.name in rtl.outcome.ports:
                earliest = expected.earliest.get(port.name)
                yield from stream_differences(model, rtl, port.name, earliest, timed=design.timed)
    for memory in design.memory_ports(episode.params):
        if memory.name not in expected.unknown:
            columns = _columns((model, rtl), memory.name)
            yield from burst_differences(model, rtl, memory.name, columns, timed=design.timed)


def _not_predicted(model: TimelineSide, rtl: TimelineSide) -> list[str]:
    """Ports whose times the RTL side has and the model does not."""
    found = [port for port in rtl.outcome.ports if port not in model.outcome.ports]
    found += [port for port in rtl.outcome.memories if rtl.rows(port) is not None and model.rows(port) is None]
    found += [port for port, steps in rtl.accesses.items() if steps and not model.accesses.get(port)]
    return [*found, *rtl.bursts]
