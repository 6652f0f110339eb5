# SPDX-License-Identifier: Apache-2.0
"""A core whose program is a Python function: a worker's, or one that stands for a compiled program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.live.array import LiveArray, LiveBuffer
from goldbeat.pymodels.objfifo.live.from_plan import LiveEnd, PlanEnd, live_ends
from goldbeat.pymodels.objfifo.live.lock import LiveLock
from goldbeat.pymodels.objfifo.live.thread_program import ProgramThread, await_wish
from goldbeat.pymodels.objfifo.plan.access import LockAccess, may_wait, run_with
from goldbeat.pymodels.objfifo.plan.design import Core
from goldbeat.pymodels.objfifo.plan.plan import Plan


class KernelLock:
    """A lock as a kernel gets it: its stand-in calls ``acquire`` and ``release``."""

    def __init__(self, lock: LiveLock) -> None:
        self.lock = lock

    def acquire(self, value: int = 1) -> None:
        """Wait until the lock has reached a value, and take that away."""
        await_wish(self.lock.blocked(value))

    def release(self, value: int = 1) -> None:
        """Add a value."""
        self.lock.value += value


class _Backend:
    """Answers a core's acquires and releases while it runs."""

    def __init__(self, array: LiveArray, ends: Mapping[PlanEnd, LiveEnd]) -> None:
        self.array, self.ends = array, ends
        self.endless = False

    def acquire(self, access: LockAccess) -> list[npt.NDArray[Any]]:
        end = self.ends[access.key]
        wish = end.acquire(access.count)
        if wish is not None:
            await_wish(wish)
        return end.views(self.array, access.count)

    def release(self, access: LockAccess) -> None:
        self.ends[access.key].release(access.count)

    def buffer(self, key: Any, index: int) -> npt.NDArray[Any]:
        """An object of an end by its number."""
        objects = self.ends[key].objects
        if not 0 <= index < len(objects):
            raise UsageError(f"{key[0]}: object {index}, there are {len(objects)}")
        return self.array.view(objects[index])

    def locks(self, key: Any) -> tuple[KernelLock, KernelLock]:
        """The locks of an end: what is acquired, what is released."""
        end = self.ends[key]
        if end.takes is None or end.gives is None:
            raise UsageError(f"{key[0]}: get_lock of a fifo without locks")
        return KernelLock(end.takes), KernelLock(end.gives)

    def loop(self, numbers: range) -> Iterator[int]:
        before, self.endless = self.endless, self.endless or may_wait(numbers)
        for turn, number in enumerate(numbers):
            yield number
            if turn % 1024 == 1023:
                await_wish(None)
        self.endless = before


def add_function(
    array: LiveArray,
    core: Core,
    ends: Mapping[PlanEnd, LiveEnd],
    around: Callable[[], AbstractContextManager[Any]] = nullcontext,
) -> None:
    """Let a core run its function, again and again if it is endless.

    Args:
        array: what it becomes part of.
        core: with a function.
        ends: what cores hold.
        around: what the function finds while it runs.
    """
    body = core.body
    assert body is not None
    backend = _Backend(array, ends)

    def run() -> None:
        backend.endless = core.endless
        with around(), np.errstate(all="ignore"):
            while True:
                run_with(backend, body)
                if not core.endless:
                    return
                await_wish(None)

    array.add_core(core.tile, core.name, lambda: ProgramThread(run).program(), lambda: backend.endless)


def add_functions(array: LiveArray, cores: Sequence[Core], plan: Plan, buffers: Mapping[str, LiveBuffer]) -> None:
    """Let functions stand for the cores of a design that was read in lowered form.

    Args:
        array: with the locks of the plan.
        cores: those that have a function.
        plan: the design's.
        buffers: the array's, by their names in the plan.
    """
    ends = live_ends(array, plan, buffers) if cores else {}
    for core in cores:
        add_function(array, core, ends)
