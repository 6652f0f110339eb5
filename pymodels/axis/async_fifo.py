# SPDX-License-Identifier: Apache-2.0
"""Model of ``axis_async_fifo``: a FIFO between two clocks, with Gray pointers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from goldbeat.pymodels.axis.elastic import (
    Take,
    clock_of,
    depth_of,
    integer,
    offer_beats,
    offered,
    ready_from,
    sink,
    transferred,
)
from goldbeat.pymodels.stimulus import Clock, Outcome, Stimulus

SYNC_STAGES = 2
"""Flops a pointer passes in the other domain before it counts (designs.md, axis_async_fifo)."""

CDC_RESET_TO_READY = 3
"""First s-edge at which anything is accepted (designs.md, axis_async_fifo)."""

CDC_FIRST_SAMPLE = 2
"""First edge at which a domain's pointer synchroniser takes a sample (designs.md, axis_async_fifo)."""

ASYNC_FIFO_READ = 1
"""Cycles from the load of the output register to the earliest output (designs.md, axis_async_fifo)."""

MIN_DEPTH = 4
"""Smallest ``DEPTH`` (designs.md, axis_async_fifo)."""


def stage(
    depth: int, s_clock: Clock, m_clock: Clock, take: Take, first_ready: int, first_sample: int, blur_ps: int = 0
) -> Take:
    """The FIFO before ``take``, which counts in cycles of ``m_clock``.

    Args:
        depth: entries of the memory.
        s_clock: clock of the input.
        m_clock: clock of the output.
        take: what comes behind.
        first_ready: first s-edge at which it accepts.
        first_sample: first edge of each clock at which a pointer is sampled.
        blur_ps: of both crossings, as in :class:`~goldbeat.pymodels.stimulus.Stimulus`.
    """
    to_m, to_s = _sampled(s_clock, m_clock, blur_ps), _sampled(m_clock, s_clock, blur_ps)
    slots = [first_ready] * depth  # s-edge from which the slot of item i is free
    room = iter(slots)  # follows the list as it grows
    note = slots.append
    out = 0

    def put(offer: int) -> int:
        nonlocal out
        free = next(room)
        accept = offer if offer > free else free
        seen = to_m(accept)
        if seen < first_sample:
            seen = first_sample
        load = seen + SYNC_STAGES
        if load < out:
            load = out
        out = take(load + ASYNC_FIFO_READ)
        seen = to_s(load)
        if seen < first_sample:
            seen = first_sample
        note(seen + SYNC_STAGES)
        return accept

    return put


def _sampled(source: Clock, sink: Clock, blur_ps: int) -> Callable[[int], int]:
    """Edge of ``source`` at which a pointer changes -> edge of ``sink`` that samples the change."""
    if source.jitter_ps or sink.jitter_ps:
        return lambda edge: sink.first_edge_after(source.time(edge) + blur_ps)
    # Clock.first_edge_after, without the objects.
    source_period, sink_period = source.period_ps, sink.period_ps
    later = source.offset_ps - sink.offset_ps + blur_ps
    return lambda edge: (later + edge * source_period) // sink_period + 1


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """Golden model; parameters ``DATA_W DEPTH`` (``ID_W DEST_W USER_W`` play no part)."""
    depth = depth_of(params, MIN_DEPTH)
    s_clock, m_clock = clock_of(stimulus, "s_aclk"), clock_of(stimulus, "m_aclk")
    source = offered(stimulus, "s_axis", integer(params, "DATA_W"), s_clock)
    outs: list[int] = []
    put = stage(
        depth,
        s_clock,
        m_clock,
        sink(stimulus.pattern("m_axis"), outs),
        ready_from(stimulus, CDC_RESET_TO_READY),
        ready_from(stimulus, CDC_FIRST_SAMPLE),
        stimulus.blur_ps,
    )
    accepts = offer_beats(source.gaps, put)
    return Outcome({"s_axis": transferred(source, s_clock, accepts), "m_axis": transferred(source, m_clock, outs)})
