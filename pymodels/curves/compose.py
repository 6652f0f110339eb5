# SPDX-License-Identifier: Apache-2.0
"""Curves of a pipeline: bounds on rate, delay and FIFO depth from the traffic and the service of each stage.

Both curves are times by number of beats. ``arrival[n - 1]``: any n beats in a row take at least so many cycles, from the first
to the last. ``service[n - 1]``: beat n, counted from one that finds the stage idle, leaves at most so many cycles after that
one came. A stage that keeps its curve is bounded by ``leaves[k] <= max over i <= k of comes[i] + service[k - i]``, so two
stages in a row have the sum that is largest over all ways to share the beats. Source: max-plus network calculus (Le Boudec,
Thiran: Network Calculus, chapters 1 and 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.trace import Trace

Cycles = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PipelineStage:
    """A stage behind a FIFO: ``work`` beats of ``every`` cycles each, then ``rest`` cycles without one.

    Attributes:
        work, rest: beats of a burst, and cycles of the pause behind it, which goes by whether beats wait or not.
        latency: cycles from the transfer into the stage to the transfer out of it, of a beat that nothing delays; at least 1.
        every: cycles per beat, of the last one of a burst too.
        name: for reports.
        depth: parameter that sets the depth of its FIFO; empty: none.
        inside: cycles of the latency that a beat spends behind its FIFO.
    """

    work: int
    rest: int = 0
    latency: int = 2
    every: int = 1
    name: str = ""
    depth: str = ""
    inside: int = 1

    @property
    def period(self) -> int:
        """Cycles of a burst and the pause behind it."""
        return self.work * self.every + self.rest

    @property
    def load(self) -> Fraction:
        """Beats per cycle in the long run, exactly."""
        return Fraction(self.work, self.period)

    @property
    def rate(self) -> float:
        """Beats per cycle in the long run."""
        return float(self.load)

    @property
    def wait(self) -> int:
        """Most cycles that a beat waits for its turn where none is before it: the last of a burst has just gone."""
        return self.rest + self.every - 1

    def service(self, beats: int) -> Cycles:
        """Its service curve: the first beat may come right behind a burst."""
        n = np.arange(beats)
        return self.latency + self.wait + n * self.every + n // self.work * self.rest

    def fastest(self, beats: int) -> Cycles:
        """The least time from the first to the last of so many beats behind it."""
        n = np.arange(beats)
        return n * self.every + n // self.work * self.rest


@dataclass(frozen=True)
class EndlessBursts:
    """Traffic without an end: bursts of ``burst`` beats, one per cycle, at least ``every`` cycles from start to start."""

    burst: int
    every: int

    def curve(self, beats: int) -> Cycles:
        """Its arrival curve."""
        n = np.arange(beats)
        return n % self.burst + n // self.burst * self.every


@dataclass(frozen=True)
class Bounds:
    """What is predicted of a stage, or of a pipeline.

    Attributes:
        delay: most cycles from the transfer into it to the transfer out of it.
        backlog: most beats that are in and not out.
        depth: places of its FIFO with which it never holds its input back; of a pipeline, of all of them.
        rate: beats per cycle that go through in the long run.
    """

    delay: int
    backlog: int
    depth: int
    rate: float


@dataclass(frozen=True)
class Prediction:
    """Of each stage, and of all of them in a row."""

    stages: Sequence[Bounds]
    whole: Bounds


def arrival_curve(traces: Sequence[Trace], beats: int) -> Cycles:
    """The least time that so many beats in a row take, over all traces; (n,) for one beat up to ``beats``.

    Longer than any trace, it goes on as if the traces came again at once: their numbers of beats limit what is predicted.
    """
    curves = []
    for trace in traces:
        place = trace.cycle
        counts = range(1, min(beats, len(place)) + 1)
        curves.append(np.array([(place[n - 1 :] - place[: len(place) - n + 1]).min() for n in counts], np.int64))
    return lowest_curve(curves)


def lowest_curve(curves: Sequence[Cycles]) -> Cycles:
    """The arrival curve of all traces together from that of each; as long as the longest."""
    found = np.full(max(map(len, curves), default=0), np.iinfo(np.int64).max)
    for curve in curves:
        np.minimum(found[: len(curve)], curve, out=found[: len(curve)])
    return found


_LEAST_BEATS, _MOST_BEATS = 1024, 1 << 22
"""Beats that are looked at of traffic without an end."""


def predict_pipeline(stages: Sequence[PipelineStage], arrival: Cycles | EndlessBursts | None = None) -> Prediction:
    """Bounds for stages in a row whose FIFOs never fill, and whose output is always taken.

    Args:
        stages: in the order of the beats.
        arrival: of the first stage's input: traffic without an end, or a curve for as many beats as there are in an episode,
            or as a backlog may last. None: a beat is always offered, and the first stage has just the places that keep it busy.

    Raises:
        UsageError: no stages, or no beats.
        InputError: a stage is slower than its input, so that no depth is enough; with its number.
    """
    if not stages or (isinstance(arrival, np.ndarray) and not len(arrival)):
        raise UsageError("a pipeline of no stages" if not stages else "no beats come in")
    kept, load = list[Bounds](), None
    if arrival is None:
        first, stages = stages[0], stages[1:]
        kept.append(_always_full(first))
        if not stages:
            return Prediction(kept, kept[0])
        load = first.load
        comes = first.fastest(_enough(stages, load, first.work, first.wait, len(kept)))
    elif isinstance(arrival, EndlessBursts):
        load = Fraction(arrival.burst, arrival.every)
        comes = arrival.curve(_enough(stages, load, arrival.burst, arrival.every - arrival.burst, 0))
    else:
        comes = arrival
    return _composed(stages, comes, load, kept)


def _always_full(stage: PipelineStage) -> Bounds:
    """The first stage, where a beat is always offered: each beat finds all places but one taken."""
    # A beat takes its place up to the cycle behind its take.
    places = max(2, -(-stage.latency // stage.every))
    # It enters at the earliest one cycle behind the take that has made its place free.
    delay = int(stage.service(places)[-1]) - 1
    behind = int(np.searchsorted(stage.fastest(stage.latency), stage.latency - 2))
    return Bounds(delay, places + behind, places, stage.rate)


def _enough(stages: Sequence[PipelineStage], load: Fraction, burst: int, pause: int, number: int) -> int:
    """How many beats show the worst: where stages carry just the load, all alignments of bursts.

    Where they carry more, the lag behind the input is below that of the first beat after so many.
    """
    lag, together, needed = pause, burst, _LEAST_BEATS // 2
    for at, stage in enumerate(stages, number):
        if stage.load < load:
            said = f"stage {stage.name or at}: its backlog grows, as {float(load):.6g} beats per cycle come"
            raise InputError(said, f"at most the {stage.rate:.6g} that it carries")
        lag += stage.latency + stage.rest + stage.wait + 1
        together = lcm(together, stage.work)
        spare = 1 / load - 1 / stage.load
        needed = max(needed, min(together, ceil(lag / spare)) if spare else together)
    if 2 * needed > _MOST_BEATS:
        raise InputError(
            f"bursts that line up in the worst way within {needed} beats only", f"at most {_MOST_BEATS // 2} beats"
        )
    return max(2 * needed, min(8 * burst, _MOST_BEATS))


def _composed(
    stages: Sequence[PipelineStage], arrival: Cycles, load: Fraction | None, kept: Sequence[Bounds]
) -> Prediction:
    """The bounds of each stage, and of all of them; without a known ``load``, a curve of finitely many beats."""
    beats, comes, found = len(arrival), arrival, list(kept)
    through: Cycles | None = None
    for number, stage in enumerate(stages, len(found)):
        service = stage.service(beats)
        if load is None:
            _check_keeps_up(number, stage, service, comes)
        found.append(_bounds(comes, service, stage))
        through = service if through is None else _in_a_row(through, stage)
        comes = _behind(stage, comes)
    assert through is not None
    offered = float(load) if load is not None else (beats - 1) / int(arrival[-1]) if arrival[-1] else 1.0
    delay = _delay(arrival, through) + sum(b.delay for b in kept)
    backlog = _most(arrival, through) + sum(b.backlog for b in kept)
    whole = Bounds(delay, backlog, sum(b.depth for b in found), min(offered, *(b.rate for b in found)))
    return Prediction(found, whole)


def _check_keeps_up(number: int, stage: PipelineStage, service: Cycles, comes: Cycles) -> None:
    """Refuse a stage whose lag is largest at the last beats: it would grow with more of them."""
    lag = service - comes
    tail = max(1, len(lag) // 10)
    if len(lag) > 20 and int(lag[-tail:].max()) > int(lag[:-tail].max()):
        name = stage.name or str(number)
        raise InputError(
            f"stage {name}: its backlog grows up to the last of {len(lag)} beats", "slower input, or more beats"
        )


def _delay(comes: Cycles, service: Cycles) -> int:
    return int((service - comes).max())


def _most(comes: Cycles, leaves: Cycles, *, met: bool = False) -> int:
    """Most beats that have come and not left.

    With beat n, the beats behind number m are there if the time in which m leaves is behind that in which n comes.

    Args:
        comes: arrival curve.
        leaves: service curve.
        met: beats that leave in the same cycle count.
    """
    numbers = np.arange(1, len(comes) + 1)
    gone = np.searchsorted(leaves, comes, side="left" if met else "right")
    return int((numbers - gone).max())


def _bounds(comes: Cycles, service: Cycles, stage: PipelineStage) -> Bounds:
    depth = max(1, _most(comes, service - stage.inside, met=True))
    return Bounds(_delay(comes, service), _most(comes, service), depth, stage.rate)


def _in_a_row(one: Cycles, stage: PipelineStage) -> Cycles:
    """The service of what is there and a stage behind it: ``max over m of one[m] + service[n - m]``.

    Within a burst the service is a line, so the best of its beats is the most of a window of ``one``. A burst more is the same
    so many beats earlier, and a period later.
    """
    slope = np.arange(len(one)) * stage.every
    near = slope + stage.latency + stage.wait + _most_of_last(one - slope, stage.work)
    return _with_bursts(near, stage)


def _behind(stage: PipelineStage, comes: Cycles) -> Cycles:
    """The arrival curve behind a stage: no faster than the stage, nor than what came before was late.

    Beats k to k + n - 1 leave within at least ``comes`` of the beats from any earlier one on, less its service up to k: the last of
    n beats comes at least ``comes[n + m]`` behind the beat that the k-th one was delayed by, m beats before it.
    """
    beats = len(comes)
    slope = np.arange(beats) * stage.every
    # The least over later beats is the most over earlier ones, of all with the sign and the order turned round.
    near = _most_of_last((slope - comes)[::-1], stage.work) - slope[::-1] + stage.latency + stage.wait
    slack = -_with_bursts(near, stage)[::-1]
    found: Cycles = np.maximum.accumulate(np.maximum(stage.fastest(beats), slack + stage.latency))
    return found


_NOTHING = -(1 << 62)


def _most_of_last(values: Cycles, window: int) -> Cycles:
    """(n,) the most of each value and those before it, ``window`` in all."""
    count, size = len(values), min(window, len(values))
    rows = np.append(values, np.full(-count % size, _NOTHING)).reshape(-1, size)
    # A window is the end of one row and the beginning of the next.
    begun = np.maximum.accumulate(rows, axis=1).ravel()[:count]
    ends = np.maximum.accumulate(rows[:, ::-1], axis=1)[:, ::-1].ravel()[:count]
    begun[size - 1 :] = np.maximum(begun[size - 1 :], ends[: count - size + 1])
    return begun


def _with_bursts(near: Cycles, stage: PipelineStage) -> Cycles:
    """(n,) the most of ``near[n - i * work] + i * period`` over all i."""
    count, size = len(near), min(stage.work, len(near))
    rows = np.append(near, np.full(-count % size, _NOTHING)).reshape(-1, size)
    later = np.arange(len(rows))[:, None] * stage.period
    found: Cycles = (np.maximum.accumulate(rows - later, axis=0) + later).ravel()[:count]
    return found
