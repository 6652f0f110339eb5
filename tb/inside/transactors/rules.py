# SPDX-License-Identifier: Apache-2.0
"""The protocol rules of a back end whose transactors are not the kernel's: the checkers in C++ watch, and drive nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goldbeat.pymodels.stimulus import Clock
from goldbeat.tb.inside.job import Job
from goldbeat.tb.inside.transactors.memories import Memories
from goldbeat.tb.inside.transactors.wires import WirePaths, interfaces
from goldbeat.tb.kernel.axis import AxiStreamMonitor
from goldbeat.tb.kernel.simulation import Kernel


class Rules:
    """Monitors on all stream outputs, checkers on all AXI bundles, on clocks that something else drives.

    Attributes:
        kernel: whose they are.
    """

    def __init__(self, dut: Any, job: Job) -> None:
        # The host limits every episode and knows what to blame.
        self.kernel = Kernel(dut, judge=False, timeout=0)
        self._clocks = {c.name: self.kernel.clock(c.name) for c in job.clocks}
        resets = {c.name: c.resetn for c in job.clocks}
        self._monitors = [
            AxiStreamMonitor(
                self.kernel,
                port.name,
                clock=port.clock,
                signals=port.harness(),
                reset=resets[port.clock],
                **port.native_options(),
            )
            for port in job.streams
            if port.direction == "out"
        ]
        self._memories = Memories(self.kernel, job)
        self._interfaces = interfaces(job)
        self._wires = WirePaths(self._interfaces, self.kernel.follows)

    def number(self, clocks: Mapping[str, Clock], since_origin_ps: int) -> None:
        """Number the edges of clocks that are about to start, as their origin has them."""
        for name, clock in clocks.items():
            self._clocks[name].number(clock.first_edge_after(since_origin_ps))

    def cycle(self, clock: str) -> int:
        """Number of a clock's next edge."""
        return self._clocks[clock].cycle

    def drop(self) -> None:
        """Forget the episode before."""
        for monitor in self._monitors:
            monitor.reset()
        self._memories.drop()
        self._wires = WirePaths(self._interfaces, self.kernel.follows)

    def start(self) -> None:
        """Watch streams from cycle 0 of their clocks on."""
        for monitor in self._monitors:
            monitor.start(0)

    def flip(self) -> None:
        """See :class:`~goldbeat.tb.inside.transactors.wires.WirePaths`."""
        self._wires.look(self.cycle)

    def violations(self) -> tuple[str, ...]:
        """Broken rules of streams and AXI4 bundles, and outputs that follow inputs."""
        seen = [text for monitor in self._monitors for text in monitor.violations]
        return (*seen, *self._memories.violations(), *self._wires.violations)

    def register_violations(self) -> list[str]:
        """Broken rules of AXI-Lite bundles."""
        return self._memories.register_violations()

    def waits(self) -> dict[str, dict[str, tuple[int, int]]]:
        """By AXI port and channel the longest wait for ready."""
        return self._memories.waits()
