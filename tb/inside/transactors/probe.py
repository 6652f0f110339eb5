# SPDX-License-Identifier: Apache-2.0
"""Finds the source that waits for ready before it raises valid, behind an episode whose sinks have waited for valid.

Such a source stands still for ever: it waits for ready, the sink for valid. Nothing tells it from one that has nothing to say, so
each of these sinks raises its ready for a few cycles, one after the other. A valid that was low for long and now rises was
waiting.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from goldbeat.pymodels.stimulus import Clock
from goldbeat.tb.inside.transactors.base import Channel, Transactors

QUIET_CYCLES = 64
"""Cycles that a valid must have been low for before its ready is raised."""
RAISED_CYCLES = 16
"""Cycles that a ready is then high for."""

Until = Callable[[int], Awaitable[int]]


async def waiting_for_ready(
    agents: Transactors, clocks: Mapping[str, Clock], origin_ps: int, until: Until
) -> list[str]:
    """The first handshake whose valid waits for its ready, as a violation; empty where none does.

    Args:
        agents: they drive the handshakes, and have come to rest.
        clocks: of the episode.
        origin_ps: time from which their edges count.
        until: waits until a time, and says what the time is then.
    """
    found: list[str] = []
    channels = agents.channels()
    for name in dict.fromkeys(c.clock for c in channels):
        mine = [c for c in channels if c.clock == name]
        now = await until(0)
        middles = _Middles(clocks[name], origin_ps, clocks[name].first_edge_after(now - origin_ps), until)
        quiet = await _quiet(agents, mine, middles)
        for channel in quiet:
            found = found or await _raise(agents, [channel], middles)
        if len(quiet) > 1:
            # One stall for all: each waits for the others, too.
            found = found or await _raise(agents, quiet, middles)
    return found


class _Middles:
    """The middle of one cycle after the other: what stands there, the next edge sees."""

    def __init__(self, clock: Clock, origin_ps: int, cycle: int, until: Until) -> None:
        self._clock, self._origin, self._until = clock, origin_ps, until
        self.cycle = cycle
        """Number of the next edge."""

    async def settle(self) -> None:
        """Let the design follow what was written, within this cycle."""
        await self._until(await self._until(0) + 1)

    async def next(self) -> None:
        """Go on to the middle of the next cycle."""
        await self._until(self._origin + self._clock.time(self.cycle) + self._clock.period_ps // 2)
        self.cycle += 1


async def _quiet(agents: Transactors, channels: Sequence[Channel], middles: _Middles) -> list[Channel]:
    left = list(channels)
    for _ in range(QUIET_CYCLES):
        await middles.next()
        left = [c for c in left if not agents.peek(c.valid)]
    return left


async def _raise(agents: Transactors, channels: Sequence[Channel], middles: _Middles) -> list[str]:
    """Raise the readies of some channels together; the first of their valids that rises, as a violation."""
    raised = middles.cycle
    found = []
    for _ in range(RAISED_CYCLES):
        # A sink may drive its own level at an edge.
        for channel in channels:
            agents.poke(channel.ready, 1)
        await middles.settle()
        if risen := [channel for channel in channels if agents.peek(channel.valid)]:
            valid, ready = risen[0].roles
            found = [
                f"{risen[0].rule}: {risen[0].port}, cycle {middles.cycle}: {valid} was low for {QUIET_CYCLES} cycles without "
                f"{ready}, and rose {middles.cycle - raised} cycle(s) after it"
                f"{' and those of the other outputs' * (len(channels) > 1)}"
            ]
            break
        await middles.next()
    for channel in channels:
        agents.poke(channel.ready, 0)
    return found
