# SPDX-License-Identifier: Apache-2.0
"""The memories behind a design's AXI4 master ports, and the protocol checkers of its AXI4 and AXI-Lite ports."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import MemoryContents, Stimulus
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.inside.job import Job
from goldbeat.tb.inside.transactors.base import Channel
from goldbeat.tb.kernel.axi import AxiChecker, AxiMemory
from goldbeat.tb.kernel.simulation import Kernel


class Memories:
    """What a job's AXI4 ports talk to, and what watches them and its AXI-Lite ports."""

    def __init__(self, kernel: Kernel, job: Job) -> None:
        self._kernel = kernel
        resets = {c.name: c.resetn for c in job.clocks}
        self._checkers: list[AxiChecker] = []
        self._lites: list[AxiChecker] = []
        self._memories: dict[str, AxiMemory] = {}
        self._clock_of = {p.name: p.clock for p in job.memories}
        lites = [p for p in job.registers if isinstance(p, LitePort)]
        for port in (*lites, *job.memories):
            lite = isinstance(port, LitePort)
            options: dict[str, Any] = {"clock": port.clock, "signals": {r: f"{port.name}_{r}" for r in port.roles()}}
            checker = AxiChecker(kernel, port.name, lite=lite, reset=resets[port.clock], **options)
            (self._lites if lite else self._checkers).append(checker)
        for port in job.memories:
            if port.direction == "out":
                options = {"clock": port.clock, "signals": {r: f"{port.name}_{r}" for r in port.roles()}}
                self._memories[port.name] = AxiMemory(kernel, port.name, held=True, **options)
        self._loaded: tuple[str, ...] = ()

    def drop(self) -> None:
        """Forget the episode before."""
        for agent in (*self._lites, *self._checkers, *self._memories.values()):
            agent.reset()
        self._loaded = ()

    def load(self, stimulus: Stimulus) -> None:
        """Fill the memories; they work from reset release on. The stimulus' own arrays stay as they are."""
        for rule in ("mem_rights", "mem_bounds"):
            self._kernel.rule(rule, not any(image.refusals for image in stimulus.memories.values()))
        for name, image in stimulus.memories.items():
            if name not in self._memories:
                known = ", ".join(self._memories) or "none"
                raise UsageError(f"{name}: the design has no AXI4 master port of that name; it has: {known}")
            memory = self._memories[name]
            memory.map([replace(region, data=region.data.copy()) for region in image.regions])
            memory.start(image.timing, 0)
        self._loaded = tuple(stimulus.memories)

    def channels(self, stimulus: Stimulus) -> list[Channel]:
        """Those whose ready has waited for valid."""
        return [
            Channel("axi_valid_waits", name, f"{name}_{channel}valid", f"{name}_{channel}ready", self._clock_of[name])
            for name in self._loaded
            for channel in ("aw", "w", "ar")
            if getattr(stimulus.memories[name].timing, f"{channel}_ready").waits
            if f"{channel}valid" in self._memories[name].signals
        ]

    def contents(self) -> dict[str, MemoryContents]:
        """What the memories hold, and their logs."""
        return {
            name: MemoryContents({r.name: r.data for r in self._memories[name].regions}, self._memories[name].log)
            for name in self._loaded
        }

    def bytes_of(self, port: str) -> dict[str, npt.NDArray[np.uint8]]:
        """What a memory holds by region: the arrays themselves.

        Raises:
            UsageError: no such memory in this episode.
        """
        if port not in self._loaded:
            raise UsageError(f"{port}: no memory of that name; there are: {', '.join(self._loaded) or 'none'}")
        return {r.name: r.data for r in self._memories[port].regions}

    def violations(self) -> list[str]:
        """Broken protocol rules of AXI4 ports, and accesses that the memories had to refuse."""
        return [text for agent in (*self._checkers, *self._memories.values()) for text in agent.violations]

    def register_violations(self) -> list[str]:
        """Broken protocol rules of AXI-Lite ports."""
        return [text for agent in self._lites for text in agent.violations]

    def waiting(self) -> list[str]:
        """What the memories wait for."""
        return [text for name in self._loaded if (text := self._memories[name].waiting)]
