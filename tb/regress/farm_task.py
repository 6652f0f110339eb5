# SPDX-License-Identifier: Apache-2.0
"""Inside a worker of a farm: run a call in a process of its own, and tell the master what it is at.

dask runs tasks in threads. A golden model that is stuck in C code cannot be ended there; a process can.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from goldbeat.tb.regress.item import Began
from goldbeat.tb.regress.pool import LocalExecutor

_TELL_S = 1.0
"""The master hears of an item that has run for so long, and again after as long."""


class _Helper:
    """The process of one of the worker's threads; the thread's next calls use it again."""

    def __init__(self) -> None:
        self._now: tuple[Began, float] | None = None
        self.pool = LocalExecutor(1, self._take)

    def _take(self, value: Any) -> None:
        # Results come together at the end of the call: dask keeps its events, and they may be large.
        if isinstance(value, Began):
            self._now = value, time.monotonic()

    def run(self, call: Callable[..., Any], arguments: tuple[Any, ...], tell: Callable[[Began], None]) -> Any:
        self._now = None
        over = threading.Event()
        threading.Thread(target=self._repeat, args=(over, tell), daemon=True).start()
        try:
            return self.pool.submit(call, *arguments).result()
        finally:
            over.set()

    def _repeat(self, over: threading.Event, tell: Callable[[Began], None]) -> None:
        while not over.wait(_TELL_S):
            if (now := self._now) is not None and (age_s := time.monotonic() - now[1]) >= _TELL_S:
                tell(Began(now[0].worker, now[0].index, age_s))


_own = threading.local()


def run_apart(topic: str, call: Callable[..., Any], *arguments: Any) -> Any:
    """Run a call in the helper process of this thread.

    Args:
        topic: of dask's events that the master listens to.
        call: what to run; it and its arguments must be picklable.
        arguments: of the call.

    Raises:
        WorkerLostError: the process died, or was ended.
    """
    from distributed import get_worker

    worker = get_worker()
    if not hasattr(_own, "helper"):
        _own.helper = _Helper()
    name = str(worker.name)

    def tell(began: Began) -> None:
        worker.log_event(topic, (f"{name} {began.worker}", began.index, began.age_s, name))

    return _own.helper.run(call, arguments, tell)
