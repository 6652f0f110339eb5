# SPDX-License-Identifier: Apache-2.0
"""The memories behind a design's master ports, and what watches the rules of its bundles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import MemoryContents, Stimulus
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.inside.job import Job
from goldbeat.tb.inside.transactors.base import Channel, load_agent
from goldbeat.tb.kernel.axis import Transactor
from goldbeat.tb.kernel.simulation import Kernel


class Memories:
    """What a job's master ports talk to, and what watches these, its AXI4 slaves and its register ports."""

    def __init__(self, kernel: Kernel, job: Job) -> None:
        self._kernel = kernel
        answered: list[Bundle] = [
            p for p in (*job.registers, *job.memories) if p.direction == "out" and "out" in p.native
        ]
        self._ports = {p.name: p for p in answered}
        self._registers = _monitors(kernel, job, job.registers)
        self._checkers = _monitors(kernel, job, job.memories)
        self._memories = {
            port.name: load_agent(port.native["out"], port)(
                kernel, port.name, clock=port.clock, signals=port.harness(), **port.native_options()
            )
            for port in answered
        }
        self._loaded: tuple[str, ...] = ()

    def drop(self) -> None:
        """Forget the episode before."""
        for agent in (*self._registers, *self._checkers, *self._memories.values()):
            agent.reset()
        self._loaded = ()

    def load(self, stimulus: Stimulus) -> None:
        """Fill the memories; they work from reset release on. The stimulus' own arrays stay as they are."""
        for rule in ("mem_rights", "mem_bounds"):
            self._kernel.rule(rule, not any(image.refusals for image in stimulus.memories.values()))
        for name, image in stimulus.memories.items():
            if name not in self._memories:
                known = ", ".join(self._memories) or "none"
                raise UsageError(f"{name}: the design has no master port of that name; it has: {known}")
            memory = self._memories[name]
            memory.map([replace(region, data=region.data.copy()) for region in image.regions])
            users = {} if image.user_seed is None else {"user_seed": image.user_seed}
            memory.start(image.timing, 0, **users)
        self._loaded = tuple(stimulus.memories)

    def channels(self, stimulus: Stimulus) -> list[Channel]:
        """Those whose ready has waited for valid."""
        return [
            Channel(f"{port.spec.name}_valid_waits", name, f"{name}_{valid}", f"{name}_{ready}", port.clock)
            for name, port in ((name, self._ports[name]) for name in self._loaded)
            for valid, ready, pattern in port.withheld
            if port.has(valid) and getattr(stimulus.memories[name].timing, pattern).waits
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
        """Broken protocol rules of memory ports, and accesses that the memories had to refuse."""
        return [text for agent in (*self._checkers, *self._memories.values()) for text in agent.violations]

    def register_violations(self) -> list[str]:
        """Broken protocol rules of register ports."""
        return [text for agent in self._registers for text in agent.violations]

    def waits(self) -> dict[str, dict[str, tuple[int, int]]]:
        """By port and channel the longest wait for ready, of memory and register ports whose checkers count them."""
        return {agent.name: agent.waits for agent in (*self._checkers, *self._registers)}

    def waiting(self) -> list[str]:
        """What the memories wait for."""
        return [text for name in self._loaded if (text := self._memories[name].waiting)]


def _monitors(kernel: Kernel, job: Job, ports: Sequence[Bundle]) -> list[Transactor]:
    """What watches the rules of these ports."""
    resets = {c.name: c.resetn for c in job.clocks}
    return [
        load_agent(port.monitor, port)(
            kernel,
            port.name,
            clock=port.clock,
            reset=resets[port.clock],
            signals=port.harness(),
            **port.monitor_options(),
        )
        for port in ports
        if port.monitor is not None
    ]
