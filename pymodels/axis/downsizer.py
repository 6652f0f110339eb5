# SPDX-License-Identifier: Apache-2.0
"""Model of ``axis_downsizer``: a wide beat makes R narrow ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axis.elastic import Take, clock_of, integer, offer_beats, offered, ready_from, sink, transferred
from goldbeat.pymodels.axis.upsizer import ratio_of
from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.pymodels.trace import Trace

DOWNSIZER_LATENCY = 1
"""Cycles from accept of a wide beat to its earliest narrow one (designs.md, axis_downsizer)."""


def narrow_beats(wide: Trace, ratio: int) -> tuple[Trace, npt.NDArray[np.int64]]:
    """The narrow beats (their cycles mean nothing yet), and how many each wide beat gives."""
    n = len(wide)
    shape = (n, ratio, wide.width // 8 // ratio)
    data, keep = wide.data.reshape(shape), wide.keep.reshape(shape)
    used = np.where(keep.any(axis=2), np.arange(1, ratio + 1), 1).max(axis=1, initial=1)
    counts = np.where(wide.last, used, ratio).astype(np.int64)
    beat = np.repeat(np.arange(n), counts)
    lane = np.arange(len(beat)) - np.repeat(np.cumsum(counts) - counts, counts)
    ends = wide.last[beat] & (lane == counts[beat] - 1)
    beats = Trace.from_bytes(data[beat, lane], keep=keep[beat, lane], last=ends, clock_ps=wide.clock_ps)
    return beats, counts


def stage(counts: Iterable[int], take: Take, first_ready: int) -> Take:
    """The downsizer before ``take``; ``counts`` says how many narrow beats each wide one gives."""
    each = iter(counts)
    older = newer = first_ready - 1  # last narrow beats of the last two wide ones

    def put(offer: int) -> int:
        nonlocal older, newer
        accept = offer if offer > older else older + 1
        due = accept + DOWNSIZER_LATENCY
        if due <= newer:
            due = newer + 1
        at = due
        for _ in range(next(each)):
            at = take(due)
            due = at + 1
        older, newer = newer, at
        return accept

    return put


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """Golden model; parameters ``S_W M_W``."""
    wide_width = integer(params, "S_W")
    ratio = ratio_of(integer(params, "M_W"), wide_width)
    clock = clock_of(stimulus, "aclk")
    source = offered(stimulus, "s_axis", wide_width, clock)
    beats, counts = narrow_beats(source, ratio)
    outs: list[int] = []
    put = stage(counts.tolist(), sink(stimulus.pattern("m_axis"), outs), ready_from(stimulus))
    accepts = offer_beats(source.gaps, put)
    return Outcome({"s_axis": transferred(source, clock, accepts), "m_axis": transferred(beats, clock, outs)})
