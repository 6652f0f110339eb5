# SPDX-License-Identifier: Apache-2.0
"""What leaves a channel of a planned tile, without the packet headers that its descriptors put in front of their words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from goldbeat.pymodels.objfifo.plan.plan import Bd, Direction, DmaChannel, TilePlan
from goldbeat.pymodels.trace import Trace


def payload(tile: TilePlan, index: int, trace: Trace) -> Trace:
    """The words of MM2S channel ``index`` but for the headers.

    Args:
        tile: whose channel it is.
        index: of the channel; one that the plan does not have sends no headers.
        trace: all that left it, from the start on.
    """
    channel = next((c for c in tile.channels if c.direction is Direction.MM2S and c.index == index), None)
    if channel is None or all(bd.packet is None for bd in channel.bds):
        return trace
    data = np.ones(len(trace), np.bool_)
    at = 0
    for bd in _in_order(channel):
        if at >= len(trace):
            break
        data[at] = bd.packet is None
        at += bd.length + (bd.packet is not None)
    return trace[np.flatnonzero(data)]


def _in_order(channel: DmaChannel) -> Iterator[Bd]:
    """The descriptors as the channel comes to them; of a ring without end."""
    by_id = {bd.id: bd for bd in channel.bds}
    for task in channel.queue:
        for _ in range(task.repeat + 1):
            bd: Bd | None = by_id[task.bd]
            while bd is not None:
                yield bd
                bd = None if bd.next is None else by_id[bd.next]
