# SPDX-License-Identifier: Apache-2.0
"""Ways to make an episode plainer without taking anything out of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.trace import SIDEBANDS, Trace

Change = Callable[[Stimulus], Stimulus]


def plainer_ways(stimulus: Stimulus) -> Iterator[Change]:
    """Every way that changes something, the ones that matter most to a reader first."""
    if stimulus.stop_ps is not None and not stimulus.cut:
        yield partial(_set, name="stop_ps", value=None)
    for port, pattern in stimulus.ready.items():
        if pattern != Pattern():
            yield partial(_map_set, name="ready", key=port, value=Pattern())
    for port, traffic in stimulus.traffic.items():
        if traffic != RegisterTraffic():
            yield partial(_map_set, name="traffic", key=port, value=RegisterTraffic())
    for port, trace in stimulus.inputs.items():
        for change in (_without_gaps, _whole_beats, _same_sidebands, _small_counts, _zeros):
            made = change(trace)
            if made is not trace and any(not np.array_equal(a, b) for a, b in _columns(trace, made)):
                yield partial(_with_trace, port=port, change=change)
    if any(clock.jitter_ps for clock in stimulus.clocks.values()):
        yield _without_jitter
    for name in ("together", "blur_ps", "least_ps"):
        if getattr(stimulus, name):
            yield partial(_set, name=name, value=type(getattr(stimulus, name))())


def zeroed(stimulus: Stimulus, port: str, beats: Collection[int]) -> Stimulus:
    """Some beats of a port with data of zero."""
    trace = stimulus.inputs[port]
    data = trace.data.copy()
    data[list(beats)] = 0
    return replace(stimulus, inputs={**stimulus.inputs, port: replace(trace, data=data)})


def _columns(one: Trace, other: Trace) -> Iterator[tuple[Any, Any]]:
    for name in ("data", "keep", "cycle", *SIDEBANDS):
        yield getattr(one, name), getattr(other, name)


def _set(stimulus: Stimulus, *, name: str, value: object) -> Stimulus:
    changed: dict[str, Any] = {name: value}
    return replace(stimulus, **changed)


def _map_set(stimulus: Stimulus, *, name: str, key: str, value: object) -> Stimulus:
    changed: dict[str, Any] = {name: {**getattr(stimulus, name), key: value}}
    return replace(stimulus, **changed)


def _with_trace(stimulus: Stimulus, *, port: str, change: Callable[[Trace], Trace]) -> Stimulus:
    return replace(stimulus, inputs={**stimulus.inputs, port: change(stimulus.inputs[port])})


def _without_gaps(trace: Trace) -> Trace:
    return trace.with_cycles(np.arange(len(trace)))


def _whole_beats(trace: Trace) -> Trace:
    return replace(trace, keep=np.ones_like(trace.keep), tstrb=None if trace.tstrb is None else _all_strobes(trace))


def _all_strobes(trace: Trace) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.full(len(trace), (1 << trace.data.shape[1]) - 1, np.uint64)


def _same_sidebands(trace: Trace) -> Trace:
    zero = {n: np.zeros_like(c) for n in ("tid", "tdest", "tuser") if (c := getattr(trace, n)) is not None}
    return replace(trace, **zero) if zero else trace


def _zeros(trace: Trace) -> Trace:
    return replace(trace, data=np.zeros_like(trace.data))


def _small_counts(trace: Trace) -> Trace:
    """Beat n holds n + 1: what comes out can be followed by eye."""
    data = np.zeros_like(trace.data)
    data[:, 0] = np.arange(1, len(trace) + 1) % 256
    return replace(trace, data=data)


def _without_jitter(stimulus: Stimulus) -> Stimulus:
    clocks = {name: replace(clock, jitter_ps=0) for name, clock in stimulus.clocks.items()}
    return replace(stimulus, clocks=clocks)
