# SPDX-License-Identifier: Apache-2.0
"""When the controller starts the shim's tasks under ``npu1``: its writes, and its waits. Contract: npu1.md, Host side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

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


def start_times(
    steps: Sequence[HostStep], ended: Mapping[ChannelKey, Sequence[float]]
) -> dict[ChannelKey, list[float]]:
    """When each task is in its channel's queue, in cycles, by channel and in order.

    Args:
        steps: of the runtime sequence.
        ended: when tasks ended, as far as it is known. What is not known has ended.
    """
    found: defaultdict[ChannelKey, list[float]] = defaultdict(list)
    tokens: defaultdict[ChannelKey, list[int]] = defaultdict(list)
    now, waited = 0.0, False
    for step in steps:
        if step.descriptors:
            now += WAIT_CYCLES if waited else 0
            now += start_cycles(step.descriptors, step.token)
            waited = False
            if step.token:
                tokens[step.channel].append(len(found[step.channel]))
            found[step.channel].append(now)
        else:
            waited = True
            known = ended.get(step.channel, ())
            if tokens[step.channel] and (task := tokens[step.channel].pop(0)) < len(known):
                now = max(now, known[task])
    return dict(found)
