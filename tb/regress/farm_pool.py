# SPDX-License-Identifier: Apache-2.0
"""The workers of a dask cluster, as an Executor that knows which of them can take part and never waits without end."""

from __future__ import annotations

import threading
import time
import uuid
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from goldbeat.tb.regress.engine import ClusterLostError
from goldbeat.tb.regress.farm_versions import Versions, differences, versions
from goldbeat.tb.regress.item import Batch, Began

WAIT_S = 120.0
"""Wall time that a regression goes on without any worker, or without an answer of the scheduler."""
_LOOK_S = 1.0
_TELL_S = 5.0
"""Nobody is told of a wait that is over before."""
_AHEAD = 2
"""Tasks given to the cluster for every worker: the one that runs, and the next."""


@dataclass(eq=False)
class _Task:
    call: tuple[Callable[..., Any], tuple[Any, ...]]
    kind: str = ""
    outer: Future[Any] = field(default_factory=Future)
    inner: Future[Any] | None = None
    where: frozenset[str] = frozenset()


class FarmExecutor(Executor):
    """Runs tasks on those workers of a cluster that have the master's versions.

    A worker is asked for its versions when it appears. Tasks go to workers that gave the right answer, a few at a time, so that
    workers that come later get their share; a task whose workers have all gone is given to others.

    Args:
        client: of dask.distributed.
        here: the master's versions.
        native: simulators need all instructions of the master's processor.
        wait_s: wall time without a worker, or without an answer of the scheduler, after which :meth:`check` gives up.
        ask: what workers run to answer.

    Attributes:
        topic: of dask's events by which workers say what they are at (:mod:`goldbeat.tb.regress.farm_task`).
        on_began: is called with that, in a thread of dask's.
        outside: what starts the workers has to say, and whether some are still to come; may raise.
    """

    def __init__(
        self,
        client: Any,
        here: Versions,
        *,
        native: bool = False,
        wait_s: float = WAIT_S,
        ask: Callable[[], Versions] = versions,
    ) -> None:
        self._dask = client.get_executor(pure=False)
        self._client, self._here, self._native, self._wait_s, self._ask = client, here, native, wait_s, ask
        self._guard = threading.RLock()
        self._asked: dict[str, Future[Any]] = {}
        self._names: dict[str, str] = {}
        self._kinds: dict[str, set[str]] = {}
        self.outside: Callable[[], tuple[list[str], bool]] = lambda: ([], False)
        self._good: set[str] = set()
        self._bad: dict[str, str] = {}
        self._waiting: deque[_Task] = deque()
        self._given: set[_Task] = set()
        self._notes: list[str] = []
        self._told: set[str] = set()
        self._answered = self._worked = time.monotonic()
        self.topic = f"goldbeat-{uuid.uuid4().hex}"
        self.on_began: Callable[[Began], None] = lambda began: None
        client.subscribe_topic(self.topic, lambda event: self.on_began(Began(*event[1])))
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    # -- the executor -------------------------------------------------------------------------------------------------

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Schedule a call; everything must be picklable."""
        if kwargs:
            raise TypeError("tasks of a farm take no keywords")
        task = _Task((fn, args), next((a.items[0].resources for a in args if isinstance(a, Batch)), ""))
        with self._guard:
            self._waiting.append(task)
            self._give()
        return task.outer

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Give nothing more to the cluster, and take back what it has."""
        self._closed.set()
        with self._guard:
            tasks = [*self._waiting, *self._given]
            self._waiting.clear()
            self._given.clear()
        for task in tasks:
            task.outer.cancel()
            if task.inner is not None:
                task.inner.cancel()
        for future in list(self._asked.values()):
            future.cancel()
        with suppress(Exception):
            self._client.unsubscribe_topic(self.topic)

    def check(self) -> list[str]:
        """What people should know since the last call.

        Raises:
            ClusterLostError: there has been no worker, or no answer of the scheduler, for too long.
        """
        said, coming = self.outside()
        now = time.monotonic()
        with self._guard:
            if coming:
                # However long the queue of a batch system is.
                self._worked = now
            silent_s = now - self._answered
            alone_s = now - self._worked if self._waiting or self._given else 0.0
            why = "the scheduler does not answer" if silent_s > _TELL_S else f"waiting for a worker: {self._state()}"
            most = max(silent_s, alone_s)
            if most > self._wait_s:
                raise ClusterLostError(f"{why}, for {most:.0f} s; --resume runs what is left")
            if most > _TELL_S:
                self._tell(f"{why}; the run ends after {self._wait_s:g} s of that")
            notes, self._notes = self._notes, []
        return [*said, *notes]

    def room(self, kind: str) -> int:
        """Tasks of one kind that its workers take at a time; at least one, which waits for them."""
        with self._guard:
            return max(1, _AHEAD * sum(not kind or kind in self._kinds.get(a, ()) for a in self._good))

    def worker_names(self) -> set[str]:
        """The workers that are there now."""
        with self._guard:
            return set(self._names.values())

    # -- workers ------------------------------------------------------------------------------------------------------

    def _state(self) -> str:
        if self._bad:
            left_out = "; ".join(f"{self._names[a]} runs {why}" for a, why in sorted(self._bad.items()))
            return f"none can take part: {left_out}"
        if asked := sorted(self._names[a] for a in self._asked if a in self._names):
            return f"no answer of {', '.join(asked)}"
        return "the farm has none"

    def _tell(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._notes.append(text)

    def _look(self) -> None:
        """Follow which workers there are, until the end."""
        while not self._closed.is_set():
            # A cluster that has gone ends its tasks by itself; one that is silent is noticed by the time since its last answer.
            with suppress(Exception):
                there = self._client.scheduler_info(n_workers=-1)["workers"]
                with self._guard:
                    self._answered = time.monotonic()
                    self._kinds = {address: set(worker["resources"]) for address, worker in there.items()}
                    self._take({address: str(worker["name"]) for address, worker in there.items()})
            self._closed.wait(_LOOK_S)

    def _take(self, names: dict[str, str]) -> None:
        """These workers are there now."""
        for address in self._names.keys() - names.keys():
            self._good.discard(address)
            self._bad.pop(address, None)
            if future := self._asked.pop(address, None):
                future.cancel()
        for address in names.keys() - self._names.keys():
            future = self._dask.submit(self._ask, workers=[address], allow_other_workers=False, priority=100)
            self._asked[address] = future
        self._names = names
        for address, future in list(self._asked.items()):
            if future.done():
                del self._asked[address]
                self._judge(address, future)
        if self._good:
            self._worked = time.monotonic()
        self._move()
        self._give()

    def _judge(self, address: str, answer: Future[Any]) -> None:
        try:
            found = differences(self._here, answer.result(), native=self._native)
        except BaseException as error:
            first = str(error).partition("\n")[0]
            found = [f"something that does not answer ({type(error).__name__}: {first})"]
        if not found:
            self._good.add(address)
            return
        self._bad[address] = ", ".join(found)
        self._tell(f"{self._names[address]} is left out: it runs {self._bad[address]}")

    # -- tasks --------------------------------------------------------------------------------------------------------

    def _move(self) -> None:
        """Take back what was given to workers that have all gone."""
        for task in [t for t in self._given if not t.where & self._good]:
            self._given.discard(task)
            inner, task.inner = task.inner, None
            if inner is not None:
                inner.cancel()
            self._waiting.appendleft(task)

    def _give(self) -> None:
        for kind in dict.fromkeys(task.kind for task in self._waiting):
            self._give_kind(kind, frozenset(a for a in self._good if not kind or kind in self._kinds.get(a, ())))

    def _give_kind(self, kind: str, where: frozenset[str]) -> None:
        """Give tasks of one kind to workers that have what they need."""
        given = sum(task.kind == kind for task in self._given)
        for task in [t for t in self._waiting if t.kind == kind][: max(0, _AHEAD * len(where) - given)]:
            self._waiting.remove(task)
            function, arguments = task.call
            task.where = where
            inner = self._dask.submit(function, *arguments, workers=sorted(task.where), allow_other_workers=False)
            task.inner = inner
            self._given.add(task)
            inner.add_done_callback(lambda f, t=task: self._ended(f, t))

    def _ended(self, inner: Future[Any], task: _Task) -> None:
        with self._guard:
            if task.inner is not inner:
                # It was taken back, and runs somewhere else.
                return
            self._given.discard(task)
            if self._closed.is_set():
                return
            self._give()
        if inner.cancelled():
            task.outer.cancel()
            task.outer.set_running_or_notify_cancel()
        elif (error := inner.exception()) is not None:
            task.outer.set_exception(error)
        else:
            task.outer.set_result(inner.result())
