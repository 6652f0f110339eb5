# SPDX-License-Identifier: Apache-2.0
"""Model of ``axis_fifo``: a memory followed by an output register."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pymodels.axis.elastic import (
    Cycles,
    Take,
    clock_of,
    depth_of,
    drive,
    integer,
    offered,
    ready_from,
    sink,
    transferred,
    unhindered,
)
from pymodels.stimulus import Outcome, Stimulus

FIFO_WRITE = 1
"""Cycles from accept to the earliest load of the output register (designs.md, axis_fifo)."""

FIFO_READ = 1
"""Cycles from that load to the earliest output (designs.md, axis_fifo)."""

FIFO_LATENCY = FIFO_WRITE + FIFO_READ
"""Cycles from accept to the earliest output: 2 (designs.md, axis_fifo)."""

MIN_DEPTH = 2
"""Smallest ``DEPTH`` (designs.md, axis_fifo)."""


def stage(depth: int, take: Take, first_ready: int) -> Take:
    """The FIFO before ``take``."""
    loads = [first_ready - 1] * depth  # load[i - depth] is loads[i]
    room = iter(loads)  # follows the list as it grows
    note = loads.append
    out = first_ready - 1

    def put(offer: int) -> int:
        nonlocal out
        freed = next(room)
        accept = offer if offer > freed else freed + 1
        load = accept + FIFO_WRITE
        if load < out:
            load = out
        note(load)
        out = take(load + FIFO_READ)
        return accept

    return put


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """Golden model; parameters ``DATA_W DEPTH`` (``ID_W DEST_W USER_W`` play no part)."""
    depth = depth_of(params, MIN_DEPTH)
    clock = clock_of(stimulus, "aclk")
    source = offered(stimulus, "s_axis", integer(params, "DATA_W"), clock)
    pattern = stimulus.pattern("m_axis")
    first = ready_from(stimulus)
    accepts: Cycles
    outs: Cycles
    if pattern.kind == "none":
        # An item leaves the memory one cycle after it came, so two entries never run out.
        accepts = unhindered(source.gaps, first)
        outs = accepts + FIFO_LATENCY
    else:
        log: list[int] = []
        accepts = drive(source.gaps, stage(depth, sink(pattern, log), first))
        outs = log
    return Outcome({"s_axis": transferred(source, clock, accepts), "m_axis": transferred(source, clock, outs)})
