# SPDX-License-Identifier: Apache-2.0
"""Where a failed run differs first on a stream port: the beats around it, and the port's signals where there are waves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from goldbeat.pymodels.clock import Clock
from goldbeat.pymodels.compare import Mismatch, beat_hex
from goldbeat.pymodels.null_bytes import has_null_bytes
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.build.harness import TOP
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.run.runs import EpisodeResult, RunResult
from goldbeat.tb.run.scoreboard import compared_part
from goldbeat.tb.run.waves import wave_signals, waves_readable

BEFORE, BEHIND = 6, 9
"""Cycles of the window before the first difference and behind it."""
_NEIGHBOURS = 3


@dataclass(frozen=True)
class ShownBeat:
    """A beat: cycle, data in hex with the high byte first (``--``: not kept), and TLAST."""

    cycle: int
    data: str
    last: bool


@dataclass(frozen=True)
class BeatPair:
    """A beat of the port as expected and as it came; None where there is none."""

    beat: int
    expected: ShownBeat | None
    got: ShownBeat | None


@dataclass(frozen=True)
class PortSignal:
    """A signal of the port: its value just before each rising edge of the window, None where it is not known."""

    name: str
    width: int
    values: tuple[int | str | None, ...]


@dataclass(frozen=True)
class FirstMismatch:
    """The first difference of a run.

    Attributes:
        seed, episode, port: where it is.
        what: what differs, as in :class:`goldbeat.pymodels.compare.Mismatch`.
        beat: number of the beat.
        cycle: the first cycle in which the port is not as expected; of a missing beat without a predicted cycle, the one behind the
            last beat.
        clock: the port's.
        first: first cycle of the window, which has ``BEFORE + 1 + BEHIND`` cycles.
        timed: the model predicts cycles.
        pairs: the beats around it, and those of the window.
        signals: of the port; empty without waves.
    """

    seed: int
    episode: int
    port: str
    what: str
    beat: int
    cycle: int
    clock: str
    first: int
    timed: bool
    pairs: tuple[BeatPair, ...]
    signals: tuple[PortSignal, ...] = ()

    @property
    def cycles(self) -> range:
        """Those of the window."""
        return range(self.first, self.first + BEFORE + 1 + BEHIND)


def find_first_mismatch(result: RunResult) -> FirstMismatch | None:
    """The earliest difference of a stream port in the first episode that has one.

    None where no stream differs, and where beats are compared in another order or packing than they came in.
    """
    design = result.request.design
    if not design.ordered:
        return None
    for number, episode in enumerate(result.episodes):
        ports = design.bundles(result.request.all_params)
        found = [(*_where(first), port, first) for port, first in _differing(episode, ports)]
        if found:
            _, cycle, port, first = min(found, key=lambda one: one[:2])
            return _around(result, number, port, first, cycle)
    return None


def _differing(episode: EpisodeResult, ports: Sequence[StreamPort]) -> Iterator[tuple[StreamPort, Mismatch]]:
    for port in ports:
        comparison = episode.verdict.ports.get(port.name)
        if port.name in episode.expected.bytewise and has_null_bytes(episode.record.outcome.ports[port.name]):
            # Compared without the beats that came.
            continue
        if comparison is not None and comparison.first is not None and comparison.first.what != "width":
            yield port, comparison.first


def _where(first: Mismatch) -> tuple[bool, int]:
    """Whether no cycle is known, and the cycle in which it shows."""
    known = [c for c in (first.cycle_expected, first.cycle_got) if c is not None]
    return not known, min(known, default=0)


def _around(result: RunResult, number: int, port: StreamPort, first: Mismatch, cycle: int) -> FirstMismatch:
    episode, timed = result.episodes[number], result.request.design.timed
    want = compared_part(result.request.design, episode.stimulus, episode.expected)
    expected, got = want.ports[port.name], episode.record.outcome.ports[port.name]
    if _where(first)[0] and len(got):
        cycle = int(got.cycle[-1]) + 1
    start = max(0, cycle - BEFORE)
    window = range(start, start + BEFORE + 1 + BEHIND)
    beats = sorted({*range(first.beat - _NEIGHBOURS, first.beat + _NEIGHBOURS + 1), *_within(got, first.beat, window)})
    if timed:
        beats = sorted({*beats, *_within(expected, first.beat, window)})
    pairs = tuple(
        BeatPair(n, shown_beat(expected, n), shown_beat(got, n)) for n in beats if 0 <= n < max(len(expected), len(got))
    )
    clock = episode.stimulus.clocks[port.clock]
    signals = tuple(_signals_of(result.waves, port, episode.record.origin_ps, clock, window))
    return FirstMismatch(
        result.seed, number, port.name, first.what, first.beat, cycle, port.clock, start, timed, pairs, signals
    )


def _within(trace: Trace, beat: int, window: range) -> list[int]:
    """Beats near this one that transfer in the window."""
    low = max(0, beat - len(window))
    cycles = trace[low : beat + len(window)].cycle
    return [low + int(n) for n in np.flatnonzero((cycles >= window.start) & (cycles < window.stop))]


def shown_beat(trace: Trace, beat: int) -> ShownBeat | None:
    """A beat of a trace by its number; None where there is none."""
    if not 0 <= beat < len(trace):
        return None
    one = trace[beat : beat + 1]
    return ShownBeat(int(one.cycle[0]), beat_hex(one, 0), bool(one.last[0]))


def _signals_of(
    waves: Path | None, port: StreamPort, origin_ps: int, clock: Clock, window: range
) -> Iterator[PortSignal]:
    """What the waves say of the port's signals just before each edge."""
    # A process that took over writes a file of its own, whose times are others.
    if waves is None or not waves_readable() or any(waves.parent.glob("waves-*")):
        return
    names = {f"{TOP}.{port.name}_{wire.name}": wire.name for wire in port.wires()}
    found = wave_signals(waves, origin_ps, names.__contains__)
    for path, name in names.items():
        if path in found:
            values = tuple(found[path].at(clock.time(cycle) - 1) for cycle in window)
            yield PortSignal(name, found[path].width, values)
