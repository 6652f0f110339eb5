# SPDX-License-Identifier: Apache-2.0
"""Hangs by the places of a channel's queue: how many tasks may be in flight, and what would cure it.

A channel has four places, and tasks end as long as buffers take their words. A sequence that starts more tasks of one channel,
before the first of another one that a core needs as well, never goes on (mlir-air#1822).
"""

from __future__ import annotations

from collections.abc import Callable

from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.dma import ENDLESS_QUEUE, TIGHT_QUEUE, QueueRoom
from goldbeat.pymodels.objfifo.plan.tile import TileKind

RunsWell = Callable[[LiveArray], bool]
"""Runs a fresh array; True if it completes."""


def more_places(hung: LiveArray, build: Callable[[], LiveArray], run: RunsWell) -> str:
    """What a design needs that hangs as its host waits for a place; empty if more places are no cure.

    Args:
        hung: at the end of its run.
        build: sets up a fresh array.
        run: runs it as the other one was run.
    """
    if not hung.full_queue:
        return ""
    roomy = build()
    roomy.queue_room = ENDLESS_QUEUE
    if not run(roomy):
        return ""
    used = {key: c for key, c in roomy.channels.items() if c.tile.kind is TileKind.SHIM and c.words}
    late = [c.name for key, c in used.items() if key not in hung.channels or not hung.channels[key].started]
    what = f", and no task of {', '.join(late)} is started before" if late else ""
    return (
        f"only the queue of {hung.full_queue} holds the design up{what}: start tasks of all channels in turn, "
        "or wait for earlier ones in between"
    )


def hangs_if_tight(array: LiveArray, build: Callable[[], LiveArray], run: RunsWell) -> str:
    """The channel for whose queue the host waits in vain if the task at work takes a place as well; empty if it does not.

    Args:
        array: at the end of a run that completed.
        build: sets up a fresh array.
        run: runs it as the other one was run.
    """
    if array.lose_pushes or array.most_in_flight <= QueueRoom().places:
        return ""
    tight = build()
    tight.queue_room = TIGHT_QUEUE
    return "" if run(tight) else tight.full_queue


def tight_text(channel: str) -> str:
    """What is to be said of a design that :func:`hangs_if_tight`."""
    rule = f"the task at work takes one of the {QueueRoom().places} places of a queue, as on npu2 (mlir-air#1822)"
    return f"hangs where {rule}: {waits_for_place(channel)}"


def waits_for_place(channel: str) -> str:
    """What the host does in vain."""
    return f"the host's sequence waits for a place in the queue of {channel}"
