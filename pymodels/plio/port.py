# SPDX-License-Identifier: Apache-2.0
"""Model of ``plio_port``: what the hardware does to a PL stream on its way into the array."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goldbeat.pymodels.axis import async_fifo, downsizer, upsizer
from goldbeat.pymodels.axis.async_fifo import CDC_FIRST_SAMPLE, CDC_RESET_TO_READY, MIN_DEPTH
from goldbeat.pymodels.axis.elastic import (
    WORD_BITS,
    choice,
    clock_of,
    depth_of,
    offer_beats,
    offered,
    ready_from,
    sink,
    transferred,
)
from goldbeat.pymodels.plio.keep_rule import WIDTHS, apply_keep_rule
from goldbeat.pymodels.stimulus import Outcome, Stimulus

MIN_INNER = 64
"""Smallest width inside, in bits (designs.md, plio_port 2)."""

COUNTER = 0xFFFFFFFF
"""Status outputs count modulo 2^32 (designs.md, plio_port 1)."""


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """Golden model; parameters ``W DEPTH``."""
    width = choice(params, "W", WIDTHS)
    depth = depth_of(params, MIN_DEPTH)
    s_clock, m_clock = clock_of(stimulus, "s_aclk"), clock_of(stimulus, "m_aclk")
    source = offered(stimulus, "s_axis", width, s_clock)
    inner, broken = apply_keep_rule(source)
    completes = None
    if width < MIN_INNER:
        inner, completes = upsizer.widen(inner, MIN_INNER // width)
    beats, counts = downsizer.narrow_beats(inner, max(width, MIN_INNER) // WORD_BITS)

    first = ready_from(stimulus, CDC_RESET_TO_READY)
    outs: list[int] = []
    put = downsizer.stage(counts.tolist(), sink(stimulus.pattern("m_axis"), outs), first)
    sampled = ready_from(stimulus, CDC_FIRST_SAMPLE)
    put = async_fifo.stage(depth, s_clock, m_clock, put, first, sampled, stimulus.blur_ps)
    if completes is not None:
        put = upsizer.stage(completes.tolist(), put, first)
    accepts = offer_beats(source.gaps, put)
    return Outcome(
        {"s_axis": transferred(source, s_clock, accepts), "m_axis": transferred(beats, m_clock, outs)},
        {"keep_error_count": int(broken.sum()) & COUNTER},
    )
