# SPDX-License-Identifier: Apache-2.0
"""Register programs on a bus that has no master in C++: a plug-in says in Python how one access goes."""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

import numpy as np
from cocotb.triggers import FallingEdge, SimTimeoutError, Timer, with_timeout

from goldbeat.pymodels.payload import IdleValues
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.tb.kernel.registers import POLL, POST, WAIT, WAIT_FOR, Step, StepResult
from goldbeat.tb.kernel.simulation import Kernel


class PythonMaster(ABC):
    """Makes the accesses of programs one at a time, slower than a master in C++ by two orders of magnitude.

    An access drives and reads its signals in the middle of cycles: what stands there, the next edge takes.

    Args:
        kernel: of this simulation.
        name: of the bundle.
        clock: name of its clock input.
        signals: the ports by role.

    Attributes:
        payload: by a signal that says so, those that mean nothing while it is low. A bench drives random values then.
    """

    payload: ClassVar[Mapping[str, Sequence[str]]] = {}

    def __init__(self, kernel: Kernel, name: str, *, clock: str, signals: Mapping[str, str]) -> None:
        self.kernel, self.name, self.signals = kernel, name, signals
        self.clock = kernel.clock(clock)
        self.violations: list[str] = []
        self.waiting = ""
        self._idle = IdleValues(*kernel.idle_payload(name))
        self._middle = FallingEdge(getattr(kernel.dut, clock))
        self.behave(RegisterTraffic())

    @abstractmethod
    async def access(self, step: Step, *, write: bool) -> tuple[int, int]:
        """One access, from its first offer to its answer.

        Args:
            step: address, value and strobe.
            write: or read.

        Returns:
            the response, 0 for no error, and the value read.
        """

    @abstractmethod
    def idle(self) -> None:
        """Drive nothing."""

    def drive(self, **levels: int) -> None:
        """Write signals by role."""
        for role, value in levels.items():
            self.kernel.poke(self.signals[role], value)
        self._drive_idle(role for role in self.payload if levels.get(role) == 0)

    async def level(self, role: str) -> int:
        """A signal in this cycle, once the design has followed what was driven."""
        await Timer(1, "step")
        return self.kernel.peek(self.signals[role])

    async def next_cycle(self) -> None:
        """Go on to the middle of the next cycle."""
        await self._middle
        self._drive_idle(role for role in self.payload if not self.kernel.peek(self.signals[role]))

    def _drive_idle(self, low: Iterable[str]) -> None:
        """Payload whose signals of validity are low."""
        for role in (role for valid in low for role in self.payload[valid]):
            value = self._idle.draw(self.kernel.width(self.signals[role]) or 0)
            if value is not None:
                self.kernel.poke(self.signals[role], value)

    def behave(self, traffic: RegisterTraffic) -> None:
        """Make accesses with such gaps from the next program on."""
        self._gap, self._rng = traffic.gap, np.random.default_rng(traffic.seed)

    def reset(self) -> None:
        """Everything idle, nothing recorded."""
        self.violations = []
        self._idle = IdleValues(*self.kernel.idle_payload(self.name))
        self.idle()

    async def run(self, steps: Sequence[Step]) -> list[StepResult]:
        """Run a program and return the results of the steps made: all of them, or those up to a time-out."""
        results = []
        for step in steps:
            for _ in range(int(self._rng.integers(self._gap + 1))):
                await self.next_cycle()
            first = self.clock.cycle
            try:
                response, value = await with_timeout(self._make(step), step.cycles * self.clock.period_ps, "ps")
            except SimTimeoutError:
                results.append(StepResult("timeout", 0, 0, first, self.clock.cycle))
                break
            results.append(StepResult("done", response, value, first, self.clock.cycle - 1))
        return results

    async def _make(self, step: Step) -> tuple[int, int]:
        if step.op == WAIT:
            for _ in range(step.cycles - 1):
                await self.next_cycle()
            return 0, 0
        await self.next_cycle()
        while True:
            if step.op == WAIT_FOR:
                await self.next_cycle()
                response, value = 0, self.kernel.peek(ctypes.string_at(step.port).decode())
            else:
                response, value = await self.access(step, write=step.op <= POST)
            if step.op not in (POLL, WAIT_FOR) or (value ^ step.value) & step.mask == 0:
                return response, value
