# SPDX-License-Identifier: Apache-2.0
"""What the golden model expects of a port, as signals beside those of the RTL."""

from __future__ import annotations

from collections.abc import Sequence

from goldbeat.pymodels.clock import Clock
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.run.first_mismatch import FirstMismatch
from goldbeat.tb.run.lane import LaneSignal
from goldbeat.tb.run.runs import EpisodeResult, RunResult
from goldbeat.tb.run.scoreboard import compared_part

MOST_BEATS = 100_000
"""Before the first difference, and after it: a file of millions of beats would take minutes."""
DIFFERENCE = "first_difference"
"""The signal that is 1 in the cycle of the first difference."""


def expected_lane(result: RunResult, found: FirstMismatch) -> list[LaneSignal]:
    """The signals of the failing port as expected, all but TREADY, and one that marks the first difference.

    A beat is shown from the edge before its transfer to the edge of its transfer, like data of a register. Where the model
    predicts no cycles, expected beat n is shown when beat n came.
    """
    episode = result.episodes[found.episode]
    clock = episode.stimulus.clocks[found.clock]
    want = compared_part(result.request.design, episode.stimulus, episode.expected).ports[found.port]
    low = max(0, found.beat - MOST_BEATS)
    cycles = _shown_in(want, found, episode)[low : found.beat + MOST_BEATS]
    part = want[low : low + len(cycles)]
    edges = [(_edge(clock, c - 1, episode), _edge(clock, c, episode)) for c in cycles]
    name = f"{found.port}_".__add__
    mark = (_edge(clock, found.cycle - 1, episode), _edge(clock, found.cycle, episode))
    (port,) = (one for one in result.request.design.bundles(result.request.all_params) if one.name == found.port)
    lane = [_pulses(name("tvalid"), edges, ["1"] * len(part), "0")]
    for wire in port.wires():
        if (values := _payload(part, wire.name, wire.width)) is not None:
            lane.append(_pulses(name(wire.name), edges, values, "z" * (len(values[0]) if values else wire.width)))
    return [*lane, _pulses(DIFFERENCE, [mark], ["1"], "0")]


def difference_ps(result: RunResult, found: FirstMismatch) -> int:
    """Time of the rising edge of the first difference in the wave file."""
    episode = result.episodes[found.episode]
    return _edge(episode.stimulus.clocks[found.clock], found.cycle, episode)


def _shown_in(want: Trace, found: FirstMismatch, episode: EpisodeResult) -> list[int]:
    """The cycle in which each expected beat is shown."""
    if found.timed:
        return [int(c) for c in want.cycle]
    came = [int(c) for c in episode.record.outcome.ports[found.port].cycle[: len(want)]]
    # The first one that is missing is shown where the difference is; nobody knows when those after it should come.
    return [*came, found.cycle] if len(came) < len(want) and found.beat == len(came) else came


def _edge(clock: Clock, cycle: int, episode: EpisodeResult) -> int:
    return max(0, episode.record.origin_ps + clock.time(cycle))


def _payload(part: Trace, signal: str, width: int) -> list[str] | None:
    """Values of a signal in each beat, the high bit first; None for one that is no payload, or is not predicted."""
    beats = range(len(part))
    if signal == "tdata":
        return [_bits(part, n) for n in beats]
    if signal == "tlast":
        return [str(int(last)) for last in part.last]
    if signal == "tkeep":
        return ["".join("1" if kept else "0" for kept in part.keep[n, ::-1]) for n in beats]
    return [f"{int(v):0{width}b}"[-width:] for v in getattr(part, signal)] if signal in part.sides else None


def _bits(trace: Trace, beat: int) -> str:
    """Data of a beat, the high bit first; ``x`` where any value is right."""
    one = trace[beat : beat + 1]
    cells = zip(one.data[0, ::-1], one.data_bytes[0, ::-1], strict=True)
    return "".join(f"{byte:08b}" if counts else "x" * 8 for byte, counts in cells)


def _pulses(name: str, edges: Sequence[tuple[int, int]], values: Sequence[str], idle: str) -> LaneSignal:
    """A signal that has each value between two times, and is idle elsewhere."""
    changes = {0: idle}
    for (start, end), value in zip(edges, values, strict=True):
        changes[start] = value
        changes[end] = idle
    kept: list[tuple[int, str]] = []
    for time, value in changes.items():
        if not kept or kept[-1][1] != value:
            kept.append((time, value))
    return LaneSignal(name, len(idle), tuple(t for t, _ in kept), tuple(v for _, v in kept))
