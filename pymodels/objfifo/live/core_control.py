# SPDX-License-Identifier: Apache-2.0
"""A core's control register: reset and enable, as a sequence writes them."""

from __future__ import annotations

from collections.abc import Callable

from goldbeat.pymodels.objfifo.live.agent import LiveAgent, LiveProgram

CORE_CONTROL = 0x32000
ENABLE, RESET = 1, 2


class CoreControl:
    """The register of a core.

    A reset forgets where the program is, and nothing of the tile's memory, locks and DMA. The program begins again when
    the core is enabled and not in reset. A core that has reached its end is not enabled any more.

    Args:
        agent: the core's program.
        make: the program from its start.
    """

    def __init__(self, agent: LiveAgent, make: Callable[[], LiveProgram]) -> None:
        self.agent, self.make = agent, make
        self._reset = self._cleared = False
        self._enabled = True

    @property
    def value(self) -> int:
        """What the register holds."""
        enabled = self._enabled and (self._cleared or not self.agent.done)
        return ENABLE * enabled | RESET * self._reset

    def write(self, value: int) -> None:
        """Set the register."""
        self._enabled, self._reset = bool(value & ENABLE), bool(value & RESET)
        if self._reset:
            self.agent.stop()
            self._cleared = True
        elif self._enabled and self._cleared:
            self._cleared = False
            self.agent.begin(self.make())
