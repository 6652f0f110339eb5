# SPDX-License-Identifier: Apache-2.0
"""Model of ``axis_upsizer``: R narrow beats make a wide one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axis.elastic import (
    Cycles,
    Take,
    clock_of,
    integer,
    offer_beats,
    offered,
    ready_from,
    sink,
    transferred,
    unhindered,
)
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.pymodels.trace import Trace

UPSIZER_LATENCY = 1
"""Cycles from accept of the completing narrow beat to the earliest wide one (designs.md, axis_upsizer)."""

RATIOS = (2, 4)
"""Legal ``M_W / S_W`` (designs.md, axis_upsizer)."""


def ratio_of(narrow: int, wide: int) -> int:
    """The ratio of two widths, if it is a legal one."""
    ratio = wide // narrow if narrow > 0 else 0
    if ratio not in RATIOS or ratio * narrow != wide:
        raise UsageError(f"{wide} bit is not {' or '.join(map(str, RATIOS))} times {narrow} bit")
    return ratio


def widen(narrow: Trace, ratio: int) -> tuple[Trace, npt.NDArray[np.bool_]]:
    """The wide beats (their cycles mean nothing yet), and which narrow beats complete one."""
    n = len(narrow)
    index = np.arange(n, dtype=np.int64)
    starts = np.zeros(n, np.int64)
    starts[1:] = np.where(narrow.last[:-1], index[1:], 0)
    lane = (index - np.maximum.accumulate(starts)) % ratio
    completes = narrow.last | (lane == ratio - 1)
    beat = np.cumsum(completes) - completes
    whole = int(completes.sum())
    filled = beat < whole  # the rest waits for beats that never come
    lane_bytes = narrow.width // 8
    data = np.zeros((whole, ratio, lane_bytes), np.uint8)
    keep = np.zeros((whole, ratio, lane_bytes), np.bool_)
    data[beat[filled], lane[filled]] = narrow.data[filled]
    keep[beat[filled], lane[filled]] = narrow.keep[filled]
    shape = (whole, ratio * lane_bytes)
    wide = Trace.from_bytes(
        data.reshape(shape), keep=keep.reshape(shape), last=narrow.last[completes], clock_ps=narrow.clock_ps
    )
    return wide, completes


def stage(completes: Iterable[bool], take: Take, first_ready: int) -> Take:
    """The upsizer before ``take``; ``completes`` says of each narrow beat whether it ends a wide one."""
    ends = iter(completes)
    older = newer = first_ready - 1  # outputs of the last two wide beats

    def put(offer: int) -> int:
        nonlocal older, newer
        accept = offer if offer > older else older + 1
        if next(ends):
            due = accept + UPSIZER_LATENCY
            older, newer = newer, take(due if due > newer else newer + 1)
        return accept

    return put


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """Golden model; parameters ``S_W M_W``."""
    narrow_width = integer(params, "S_W")
    ratio = ratio_of(narrow_width, integer(params, "M_W"))
    clock = clock_of(stimulus, "aclk")
    source = offered(stimulus, "s_axis", narrow_width, clock)
    wide, completes = widen(source, ratio)
    pattern = stimulus.pattern("m_axis")
    first = ready_from(stimulus)
    accepts: Cycles
    outs: Cycles
    if pattern.kind == "none":
        early = unhindered(source.gaps, first)
        accepts, outs = early, early[completes] + UPSIZER_LATENCY
    else:
        log: list[int] = []
        accepts = offer_beats(source.gaps, stage(completes.tolist(), sink(pattern, log), first))
        outs = log
    return Outcome({"s_axis": transferred(source, clock, accepts), "m_axis": transferred(wide, clock, outs)})
