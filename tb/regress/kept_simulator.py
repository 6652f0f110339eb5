# SPDX-License-Identifier: Apache-2.0
"""The simulator process that a worker keeps for its next batch: starting one takes as long as simulating hundreds of cases."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import ExitStack
from dataclasses import dataclass, field

from goldbeat.tb.regress.pool import when_idle
from goldbeat.tb.run.simulate import Simulator


@dataclass
class RunningSimulator:
    """A simulator process with everything that ends with it.

    Attributes:
        process: the simulator.
        stack: ends it, and removes its folder.
        ran: the items that have run in it, by index and in order.
    """

    process: Simulator
    stack: ExitStack
    ran: list[int] = field(default_factory=list)

    def end(self) -> None:
        """End the process."""
        self.stack.close()


class SimulatorPlace:
    """Room for one simulator process that waits for more cases."""

    def __init__(self) -> None:
        self._kept: tuple[Hashable, RunningSimulator] | None = None
        self._told = False

    def take(self, key: Hashable) -> RunningSimulator | None:
        """What was kept with this key; anything else that was kept ends."""
        kept, self._kept = self._kept, None
        if kept is not None and kept[0] == key:
            return kept[1]
        if kept is not None:
            kept[1].end()
        return None

    def keep(self, key: Hashable, simulator: RunningSimulator) -> None:
        """Keep a process whose episodes have all ended until somebody takes it, or this worker has nothing to do for long."""
        self.clear()
        self._kept = key, simulator
        if not self._told:
            when_idle(self.clear)
            self._told = True

    def clear(self) -> None:
        """End what is kept."""
        kept, self._kept = self._kept, None
        if kept is not None:
            kept[1].end()
