# SPDX-License-Identifier: Apache-2.0
"""A test in which only clocks move any more never ends. It fails, and says what everything waits for."""

from __future__ import annotations

import os
from typing import Any

import cocotb
import cocotb._test_manager
from cocotb.triggers import Timer
from cocotb.utils import get_sim_time

from goldbeat.pymodels.errors import WaitTimeoutError
from goldbeat.tb.dropin.hub import Hub
from goldbeat.tb.kernel.patience import TIMEOUT_ENVIRONMENT, timeout_cycles

STILL_CYCLES = 10_000_000
"""Cycles without progress after which a test fails, unless the user says otherwise."""
_SHOWN = 20
_UNSAID = tuple(
    f"{name}.py"
    for name in ("dropin/agents", "dropin/hub", "dropin/triggers", "dropin/stillness", "dropin/accesses", "axi/reset")
)


class StillnessGuard:
    """Looks whether anything has moved, each time so many cycles of a clock have passed.

    Progress is what an agent sends or receives, an edge of a signal that is no clock, and any ``Timer`` that a task waits for.
    A task that waits for edges of a clock alone makes none.

    Args:
        hub: where agents are.
        clock: the clock's name, for the message.
        period: its period in steps.
    """

    def __init__(self, hub: Hub, clock: str, period: int) -> None:
        given = os.environ.get(TIMEOUT_ENVIRONMENT, "").strip()
        self._limit = timeout_cycles(None) if given else STILL_CYCLES
        self._hub, self._clock, self._period = hub, clock, period
        self._seen = -1
        self._alarm: Any = None
        if self._limit:
            self._watch()

    def _watch(self) -> None:
        self._alarm = Timer(self._limit * self._period)._register(self._look)

    def end(self) -> None:
        """Look no more."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _look(self) -> None:
        self._alarm = None
        # While a timer is due, somebody waits for a time, not for what never comes.
        still = self._hub.library.gb_watch_nothing_due()
        before, self._seen = self._seen, self._hub.library.gb_watch_progress() if still else -1
        if before == self._seen != -1:
            cocotb.start_soon(_fail(self._report()))
        else:
            self._watch()

    def _report(self) -> str:
        waits = [text for owner in self._hub.owners() if (text := owner.waiting())]
        waits += [repr(task) for task in _tasks()]
        more = [f"... and {len(waits) - _SHOWN} more"] if len(waits) > _SHOWN else []
        return "\n  ".join(
            [
                f"nothing but clocks has moved for {self._limit} cycles of {self._clock}, up to {get_sim_time('ns')} ns:",
                *waits[:_SHOWN],
                *more,
                f"Set {TIMEOUT_ENVIRONMENT} to wait longer, 0 for no limit",
            ]
        )


async def _fail(text: str) -> None:
    raise WaitTimeoutError(text)


def _tasks() -> list[Any]:
    """The tasks of the test, without those that wait for resets and those that stand for agents."""
    test = cocotb._test_manager._current_test
    tasks = [] if test is None else [task for task in test._tasks if not task.done()]
    return [task for task in tasks if not _file_of(task).endswith(_UNSAID)]


def _file_of(task: Any) -> str:
    """The file that a task's coroutine is from."""
    return str(getattr(getattr(task._coro, "cr_code", None), "co_filename", ""))
