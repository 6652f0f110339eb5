# SPDX-License-Identifier: Apache-2.0
"""What the bench's traffic never does on its inputs, learned from the stimulus of the cases: a proof must not do it either."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.ports.stream import StreamPort

_ENOUGH = 32
"""Beats from which on a bit that was never high is taken to be low on purpose."""
_WORD = 4


@dataclass(frozen=True)
class Habits:
    """What all beats of an input have in common.

    Attributes:
        keep: ``full``; ``prefix``: low bytes of the last beat of a frame; ``words``: the same in whole words; ``any``.
        null: some last beats keep no byte.
        last: of the beats, ``all``, ``none`` or ``some`` are the last of a frame.
        position: some bytes that are kept have no strobe.
        low: bits that are never high, by role.
        beats: how many were looked at.
    """

    keep: str
    null: bool
    last: str
    position: bool
    low: Mapping[str, int]
    beats: int


def learn(port: StreamPort, stimuli: Sequence[Stimulus]) -> Habits:
    """The habits of an input; of one without beats, all is free."""
    traces = [one.inputs[port.name] for one in stimuli if len(one.inputs.get(port.name, ()))]
    if not traces:
        return Habits("any" if port.has("tkeep") else "full", True, "some", True, {}, 0)
    kinds = {kind for trace in traces for kind in _keeps(trace)}
    keep = next(kind for kind in ("any", "prefix", "words", "full") if kind in kinds)
    last = np.concatenate([trace.last for trace in traces])
    null = any(bool((trace.last & ~trace.keep.any(axis=1)).any()) for trace in traces)
    beats = len(last)
    low = dict(_low(port, traces)) if beats >= _ENOUGH else {}
    position = any(bool((trace.keep & ~trace.data_bytes).any()) for trace in traces)
    return Habits(keep, null, "all" if last.all() else "some" if last.any() else "none", position, low, beats)


def _keeps(trace: Trace) -> Iterator[str]:
    """What the keep of a trace needs, at most."""
    yield "full"
    if trace.keep.all():
        return
    count = trace.keep.sum(axis=1)
    partial = ~trace.keep.all(axis=1)
    lowest = (np.arange(trace.keep.shape[1]) < count[:, None]) == trace.keep
    if not lowest.all() or (partial & ~trace.last).any() or (count == 0).any():
        yield "any"
    elif (count % _WORD).any():
        yield "prefix"
    else:
        yield "words"


def _low(port: StreamPort, traces: Sequence[Trace]) -> Iterator[tuple[str, int]]:
    seen = np.bitwise_or.reduce(np.concatenate([np.bitwise_or.reduce(trace.data, axis=0)[None] for trace in traces]))
    yield "tdata", ~int.from_bytes(seen.tobytes(), "little") & ((1 << int(port.width)) - 1)
    for signal in port.wires():
        if signal.name in ("tid", "tdest", "tuser"):
            columns = [getattr(trace, signal.name) for trace in traces]
            high = 0
            for column in columns:
                if column is not None:
                    high |= int(np.bitwise_or.reduce(column))
            yield signal.name, ~high & ((1 << signal.width) - 1)
