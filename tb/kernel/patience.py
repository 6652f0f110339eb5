# SPDX-License-Identifier: Apache-2.0
"""How long a transactor waits: as long as something moves, and for a limited number of cycles when nothing does."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import Protocol

from cocotb.triggers import Timer
from cocotb.utils import get_sim_steps

from goldbeat.pymodels.errors import UsageError, WaitTimeoutError

TIMEOUT_CYCLES = 100_000
"""Cycles without progress after which a wait fails, unless the user says otherwise."""
TIMEOUT_ENVIRONMENT = "GOLDBEAT_TIMEOUT_CYCLES"
"""Environment variable that replaces :data:`TIMEOUT_CYCLES`; 0: no limit."""
UNKNOWN_PERIOD_PS = 10_000
"""What a cycle is taken to last on a clock that has shown no period yet."""


def timeout_cycles(given: int | None, name: str = "timeout") -> int:
    """The limit of a kernel: what was given, else the environment's, else the default; 0 is none.

    Raises:
        UsageError: a number below 0, or a value of the environment variable that is no whole number.
    """
    if given is None:
        name, text = TIMEOUT_ENVIRONMENT, os.environ.get(TIMEOUT_ENVIRONMENT, "").strip()
        if text and not text.isdecimal():
            raise UsageError(f"{name}: found {text!r}, expected a number of cycles, 0 for no limit")
        given = int(text) if text else TIMEOUT_CYCLES
    if given < 0:
        raise UsageError(f"{name}: found {given}, expected a number of cycles, 0 for no limit")
    return given


class Wakeable(Awaitable[object], Protocol):
    """Ends when the kernel, or somebody here, wakes it."""

    def fire(self) -> None:
        """Wake it."""


class Waking(Protocol):
    """The kernel, as a wait sees it."""

    timeout: int

    def wake(self, handle: int) -> Wakeable:
        """What wakes the tasks of a transactor."""


class Counting(Protocol):
    """A clock, as a wait sees it."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def cycle(self) -> int:
        """Edges so far."""

    @property
    def period_ps(self) -> int:
        """Its period, 0 or 1 where none is known yet."""


class Waiter(Protocol):
    """What waits: a transactor."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def kernel(self) -> Waking:
        """Its kernel."""

    @property
    def clock(self) -> Counting:
        """Its clock."""

    @property
    def waiting(self) -> str:
        """What it waits for on its bus."""


class Patience:
    """One wait of a transactor.

    Args:
        waiter: who waits.
        timeout: cycles without progress; 0: no limit; None: as the kernel has it.
        progress: anything that differs when something has moved.
        expected: says what is waited for and what has come, for the message.
        own: the first cycle in which the transactor itself is ready to move, given that nothing has moved since some cycle:
            its own gaps and delays are no sign of a hang.
    """

    def __init__(
        self,
        waiter: Waiter,
        timeout: int | None,
        *,
        progress: Callable[[], object],
        expected: Callable[[], str],
        own: Callable[[int], int] = lambda since: since,
    ) -> None:
        self._waiter, self._progress, self._expected, self._own = waiter, progress, expected, own
        self._limit = waiter.kernel.timeout if timeout is None else timeout_cycles(timeout)
        self._rang = False
        self._restart()

    def _restart(self) -> None:
        self._seen = self._progress()
        self._since = self._last = self._waiter.clock.cycle

    async def woken(self, handle: int) -> None:
        """Sleep until the transactor wakes its tasks.

        Raises:
            WaitTimeoutError: nothing has moved for too long.
        """
        wake = self._waiter.kernel.wake(handle)
        if not self._limit:
            await wake
            return

        def ring() -> None:
            self._rang = True
            wake.fire()

        # Cheaper than a task that waits for either: a bench may wait for every frame.
        timer = Timer(self._left())
        alarm = timer._register(ring)
        try:
            await wake
        finally:
            if not self._rang:
                alarm.cancel()
        if self._rang:
            self._rang = False
            self._check()

    def _left(self) -> int:
        """Simulation steps until the limit, as the clock runs now."""
        cycles = max(1, self._allowed() - (self._waiter.clock.cycle - self._since))
        period_ps = self._waiter.clock.period_ps
        return max(1, int(get_sim_steps(cycles * (period_ps if period_ps > 1 else UNKNOWN_PERIOD_PS), "ps")))

    def _allowed(self) -> int:
        return self._limit + max(0, self._own(self._since) - self._since)

    def _check(self) -> None:
        if self._progress() != self._seen:
            self._restart()
            return
        now, last = self._waiter.clock.cycle, self._last
        self._last = now
        # A clock that something else drives may have become slower; one that stands still has no cycles to count.
        if now != last and now - self._since < self._allowed():
            return
        who = self._waiter
        on = f"{who.clock.name} cycle {self._since} to {now}"
        if now == last:
            on = f"{on}, where the clock stands still"
        bus = who.waiting.removeprefix(f"{who.name}: ")
        raise WaitTimeoutError(
            f"{who.name}: no progress in {self._allowed()} cycles ({on}): waited for {self._expected()}"
            + (f"; {bus}" if bus else "")
            + f". Set timeout=CYCLES or {TIMEOUT_ENVIRONMENT} to wait longer, 0 for no limit"
        )
