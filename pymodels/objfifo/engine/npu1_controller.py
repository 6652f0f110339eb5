# SPDX-License-Identifier: Apache-2.0
"""When the controller starts the shim's tasks under ``npu1``: its writes, and its waits. Contract: npu1.md, Host side."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from goldbeat.pymodels.objfifo.engine.npu1_shim import BD_WORDS_OF_SHIM, controller_cycles
from goldbeat.pymodels.objfifo.plan.plan import ChannelKey, HostStep

DISPATCH_GAP = 2828.0
"""From the end of a drain that is waited for to the start of the next one, the controller's writes included (S8)."""


def start_cycles(descriptors: int, token: bool) -> float:
    """What the controller needs to start a task: its descriptors, its token's request, the queue.

    Args:
        descriptors: that are written.
        token: the end is reported.
    """
    return controller_cycles(writes=1, blocks=[BD_WORDS_OF_SHIM] * descriptors, masks=int(token))


WAIT_CYCLES = DISPATCH_GAP - 2 * start_cycles(1, token=True)
"""From the end of the last task waited for to the controller's next write. In what was measured for S8, a fill and a drain are
started behind two waits in a row.
"""


@dataclass(frozen=True)
class ControllerStart:
    """The controller starts a task.

    Attributes:
        channel, place: the task: its channel, and how many tasks of the channel were before it.
        begin: the end of the start before, or of the wait that held this one up.
        waits: cycles from the wait to the first write, 0 without one.
        end: the task is in its queue.
        after: the task that was waited for, as channel and place; None where no wait held the controller up.
    """

    channel: ChannelKey
    place: int
    begin: float
    waits: float
    end: float
    after: tuple[ChannelKey, int] | None


def controller_starts(
    steps: Sequence[HostStep], ended: Mapping[ChannelKey, Sequence[float]], *, known: bool = False
) -> list[ControllerStart]:
    """Every task that the controller starts, in order; times in cycles.

    Args:
        steps: of the runtime sequence.
        ended: when tasks ended, as far as it is known.
        known: what is not known has not ended, and holds the controller up; else it has.
    """
    found: list[ControllerStart] = []
    places: Counter[ChannelKey] = Counter()
    tokens: defaultdict[ChannelKey, list[int]] = defaultdict(list)
    now, waited = 0.0, False
    after: tuple[ChannelKey, int] | None = None
    for step in steps:
        if step.descriptors:
            waits = WAIT_CYCLES if waited else 0.0
            end = now + waits + start_cycles(step.descriptors, step.token)
            if step.token:
                tokens[step.channel].append(places[step.channel])
            found.append(ControllerStart(step.channel, places[step.channel], now, waits, end, after))
            places[step.channel] += 1
            now, waited, after = end, False, None
        else:
            waited = True
            ends = ended.get(step.channel, ())
            task = tokens[step.channel].pop(0) if tokens[step.channel] else -1
            if known and task >= len(ends):
                break
            if 0 <= task < len(ends) and ends[task] > now:
                now, after = ends[task], (step.channel, task)
    return found


def start_times(
    steps: Sequence[HostStep], ended: Mapping[ChannelKey, Sequence[float]], *, known: bool = False
) -> dict[ChannelKey, list[float]]:
    """When each task is in its channel's queue, in cycles, by channel and in order; arguments as of :func:`controller_starts`."""
    found: defaultdict[ChannelKey, list[float]] = defaultdict(list)
    for start in controller_starts(steps, ended, known=known):
        found[start.channel].append(start.end)
    return dict(found)
