# SPDX-License-Identifier: Apache-2.0
"""Model of ``axis_async_fifo``: a FIFO between two clocks, with Gray pointers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pymodels.axis.elastic import Take, clock_of, depth_of, drive, integer, offered, ready_from, sink, transferred
from pymodels.stimulus import Clock, Outcome, Stimulus

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


def stage(depth: int, s_clock: Clock, m_clock: Clock, take: Take, first_ready: int, first_sample: int) -> Take:
    """The FIFO before ``take``, which counts in cycles of ``m_clock``.

    Args:
        depth: entries of the memory.
        s_clock: clock of the input.
        m_clock: clock of the output.
        take: what comes behind.
        first_ready: first s-edge at which it accepts.
        first_sample: first edge of each clock at which a pointer is sampled.
    """
    s_period, m_period = s_clock.period_ps, m_clock.period_ps
    later = s_clock.offset_ps - m_clock.offset_ps
    slots = [first_ready] * depth  # s-edge from which the slot of item i is free
    room = iter(slots)  # follows the list as it grows
    note = slots.append
    out = 0

    def put(offer: int) -> int:
        nonlocal out
        free = next(room)
        accept = offer if offer > free else free
        seen = (later + accept * s_period) // m_period + 1  # Clock.first_edge_after, without the objects
        if seen < first_sample:
            seen = first_sample
        load = seen + SYNC_STAGES
        if load < out:
            load = out
        out = take(load + ASYNC_FIFO_READ)
        seen = (load * m_period - later) // s_period + 1
        if seen < first_sample:
            seen = first_sample
        note(seen + SYNC_STAGES)
        return accept

    return put


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
    )
    accepts = drive(source.gaps, put)
    return Outcome({"s_axis": transferred(source, s_clock, accepts), "m_axis": transferred(source, m_clock, outs)})
