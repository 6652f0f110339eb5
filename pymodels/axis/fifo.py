# SPDX-License-Identifier: Apache-2.0
"""Model of ``axis_fifo``: a memory followed by an output register."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from goldbeat.pymodels.axis.elastic import (
    Passage,
    Take,
    clock_of,
    depth_of,
    integer,
    offered,
    offers,
    ready_from,
    transferred,
)
from goldbeat.pymodels.stimulus import Outcome, PartwiseModel, Stimulus

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
    loads = deque([first_ready - 1] * depth)  # of the last items, as many as there is room for
    room, note = loads.popleft, loads.append
    out = first_ready - 1

    def put(offer: int) -> int:
        nonlocal out
        freed = room()
        accept = offer if offer > freed else freed + 1
        load = accept + FIFO_WRITE
        if load < out:
            load = out
        note(load)
        out = take(load + FIFO_READ)
        return accept

    return put


@PartwiseModel
def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Iterator[Outcome]:
    """Golden model; parameters ``DATA_W DEPTH`` (``ID_W DEST_W USER_W`` play no part)."""
    depth = depth_of(params, MIN_DEPTH)
    clock = clock_of(stimulus, "aclk")
    source = offered(stimulus, "s_axis", integer(params, "DATA_W"), clock)
    pattern, first = stimulus.pattern("m_axis"), ready_from(stimulus)
    # An item leaves the memory one cycle after it came, so two entries never run out.
    passage = Passage(lambda take: stage(depth, take, first), FIFO_LATENCY, pattern, first)
    for part, gaps in offers(source):
        accepts, outs = passage(gaps)
        yield Outcome({"s_axis": transferred(part, clock, accepts), "m_axis": transferred(part, clock, outs)})
