# SPDX-License-Identifier: Apache-2.0
"""The engine: batches go to an Executor, results come back once, whatever is lost on the way is run again.

It knows nothing of what a batch does, nor where: any :class:`concurrent.futures.Executor` will do. Simulators are built by a pool
of this machine; what depends on one waits for it alone.
"""

from __future__ import annotations

import errno
import queue
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from goldbeat.pymodels.errors import GoldbeatError, ToolError
from goldbeat.tb.regress.item import Batch, BatchResult, Began, Item, ItemResult, Status
from goldbeat.tb.regress.plan import BuildKey
from goldbeat.tb.regress.pool import WorkerLostError, WorkerStuckError
from goldbeat.tb.regress.store import DiskFullError

MOST_ATTEMPTS = 3
"""An item whose worker was lost so often is taken to be the reason."""
LOST = ("KilledWorker", "WorkerLostError", "BrokenProcessPool")
"""Exceptions, by name, that say that a task's worker was lost."""
GONE = ("FutureCancelledError", "CommClosedError", "ClosedClientError")
"""And those that say that the executor has gone."""
_TICK_S = 0.2

Runner = Callable[..., BatchResult]
"""batch, attempt, content by hash -> result; :func:`goldbeat.tb.regress.worker.run_batch`."""


class ClusterLostError(ToolError):
    """The executor has gone and takes the work with it; the run can be resumed."""


class Oldest(NamedTuple):
    """What has been running for the longest.

    Attributes:
        key: the item's.
        age_s: for so many seconds.
        worker: on which worker of a farm; empty on this machine.
    """

    key: str
    age_s: float
    worker: str = ""


@dataclass
class Tally:
    """What an engine has done.

    Attributes:
        built: simulators that were made.
        cached: simulators that were there.
        build_s: wall time of the builds, summed.
        lost: batches and builds whose worker was lost.
        sent: contents that were sent to workers, in bytes.
        oldest: the running item that its worker has been at for the longest; None when none is known to run.
    """

    built: int = 0
    cached: int = 0
    build_s: float = 0.0
    lost: int = 0
    sent: int = 0
    oldest: Oldest | None = None


@dataclass
class Hooks:
    """What the engine asks others for.

    Attributes:
        batch: makes the batch of some items and their simulator's path.
        content: the packed content with a hash.
        record: takes results for good; with them the coverage that belongs to them. Gives those that are new.
        tick: is called several times per second.
        stop: True: begin nothing new, and give up what is running.
    """

    batch: Callable[[Sequence[Item], str], Batch]
    record: Callable[[Sequence[ItemResult], Mapping[str, int]], Sequence[ItemResult]]
    content: Callable[[str], bytes] = lambda name: b""
    tick: Callable[[], None] = lambda: None
    stop: Callable[[], bool] = lambda: False


@dataclass
class _Task:
    batch: Batch
    attempt: int = 1
    content: dict[str, bytes] = field(default_factory=dict)


class WorkEngine:
    """Runs batches.

    Args:
        executor: where batches run.
        builders: where simulators are built.
        hooks: see there.
        runner: what runs a batch.
        build: gives a simulator's path and the seconds its build took; called in ``builders`` with the
            first item that needs the simulator, and how many do.
    """

    def __init__(
        self,
        executor: Executor,
        builders: Executor,
        hooks: Hooks,
        *,
        runner: Runner,
        build: Callable[..., tuple[str, float]],
    ) -> None:
        self._executor, self._builders, self._hooks = executor, builders, hooks
        self._runner, self._build = runner, build
        self._events: queue.SimpleQueue[tuple[str, Any, Any]] = queue.SimpleQueue()
        self._open: dict[int, Item] = {}
        self._running: set[Future[Any]] = set()
        self._ahead: list[ItemResult] = []
        self._current: dict[str, tuple[Began, float]] = {}
        self._flushed = 0.0
        self.tally = Tally()

    def ahead(self, value: ItemResult | Began) -> None:
        """A result that came before its batch's end, or what a worker is at; from any thread."""
        self._events.put(("began" if isinstance(value, Began) else "ahead", value, time.monotonic()))

    def run(self, batches: Mapping[BuildKey, Sequence[Sequence[Item]]]) -> None:
        """Run everything; comes back when every item has a result, or ``stop`` said so.

        Raises:
            DiskFullError: nothing more can be written, here or in a worker.
            ClusterLostError: the executor has gone.
        """
        for chunks in batches.values():
            self._open.update((i.index, i) for chunk in chunks for i in chunk)
        # In their order: what takes longest to simulate is first.
        for chunks in batches.values():
            self._submit_build(list(chunks), 1)
        self._work()

    def _work(self) -> None:
        """Take what happens until nothing runs, or ``stop`` said so."""
        while self._more():
            self.tally.oldest = self._oldest()
            self._hooks.tick()
            if self._hooks.stop():
                break
            self._take_events()
        self._flush()

    def _more(self) -> bool:
        """Something runs."""
        return bool(self._running)

    def _oldest(self) -> Oldest | None:
        """Of what workers are at: what has no result yet and began first."""
        self._current = {w: (at, since) for w, (at, since) in self._current.items() if at.index in self._open}
        if not self._current:
            return None
        at, since = min(self._current.values(), key=lambda now: now[1])
        return Oldest(self._open[at.index].key, time.monotonic() - since, at.name)

    def _watch(self, future: Future[Any], what: Any) -> None:
        self._running.add(future)
        future.add_done_callback(lambda f: self._events.put(("done", f, what)))

    def _take_events(self) -> None:
        """Wait for something to happen, and take all that has."""
        try:
            event = self._events.get(timeout=_TICK_S)
        except queue.Empty:
            self._flush()
            return
        while True:
            kind, value, what = event
            if kind == "began":
                self._current[value.worker] = value, what - value.age_s
            elif kind == "ahead":
                self._ahead.append(value)
            else:
                self._running.discard(value)
                self._flush()
                if what[0] == "built":
                    self._built(value, what[1], what[2])
                else:
                    self._ended(value, what[1])
            try:
                event = self._events.get_nowait()
            except queue.Empty:
                break
        # Every transaction waits for the disk: a few a second are enough.
        if time.monotonic() - self._flushed > _TICK_S:
            self._flush()

    def _flush(self) -> None:
        """Keep what came ahead."""
        if self._ahead:
            ahead, self._ahead = self._ahead, []
            self._keep(ahead, {})
        self._flushed = time.monotonic()

    def _keep(self, results: Iterable[ItemResult], coverage: Mapping[str, int]) -> None:
        fresh = [r for r in results if r.index in self._open]
        self._hooks.record(fresh, coverage)
        for result in fresh:
            self._open.pop(result.index, None)

    def _submit_build(self, chunks: list[Sequence[Item]], attempt: int) -> None:
        future = self._builders.submit(self._build, chunks[0][0], sum(map(len, chunks)))
        self._watch(future, ("built", chunks, attempt))

    def _submit(self, task: _Task) -> None:
        future = self._executor.submit(self._runner, task.batch, task.attempt, task.content)
        self._watch(future, ("ran", task))

    # -- what happens ---------------------------------------------------------------------------------------------------

    def _built(self, future: Future[tuple[str, float]], chunks: list[Sequence[Item]], attempt: int) -> None:
        items = [i for chunk in chunks for i in chunk]
        try:
            simulator, seconds = future.result()
        except CancelledError:
            return
        except WorkerLostError as error:
            self.tally.lost += 1
            if attempt < MOST_ATTEMPTS:
                self._submit_build(chunks, attempt + 1)
            else:
                self._fail(items, f"building the simulator: {error}, {attempt} times", "")
            return
        except GoldbeatError as error:
            if isinstance(error, DiskFullError) or "No space left on device" in str(error):
                raise DiskFullError(str(error)) from error
            first, _, rest = str(error).partition("\n")
            self._fail(items, first, rest)
            return
        except Exception as error:
            if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise DiskFullError(f"{error.filename}: {error.strerror}") from error
            self._fail(items, f"{type(error).__name__}: {error}", _trace(error))
            return
        self.tally.built += seconds > 0
        self.tally.cached += seconds == 0
        self.tally.build_s += seconds
        self._built_all(chunks, simulator)

    def _built_all(self, chunks: Sequence[Sequence[Item]], simulator: str) -> None:
        """The simulator of some batches is there."""
        self._submit_built(chunks, simulator)

    def _submit_built(self, chunks: Sequence[Sequence[Item]], simulator: str) -> None:
        for chunk in chunks:
            self._submit(_Task(self._hooks.batch(chunk, simulator)))

    def _ended(self, future: Future[BatchResult], task: _Task) -> None:
        try:
            result = future.result()
        except CancelledError as error:
            raise ClusterLostError("the cluster has gone, with the work that it had; --resume runs it again") from error
        except GoldbeatError:
            raise
        except Exception as error:
            if type(error).__name__ == WorkerStuckError.__name__:
                self._stuck(task, error)
            elif type(error).__name__ in LOST:
                self._lost(task, error)
            elif isinstance(error, ConnectionError | TimeoutError) or type(error).__name__ in GONE:
                raise ClusterLostError(f"the executor has gone: {error}") from error
            else:
                left = [i for i in task.batch.items if i.index in self._open]
                self._fail(left, f"{type(error).__name__}: {error}", _trace(error))
            return
        if result.missing:
            content = {name: self._hooks.content(name) for name in result.missing}
            self.tally.sent += sum(map(len, content.values()))
            self._submit(replace(task, content=content))
            return
        self._keep(result.results, result.coverage)

    def _stuck(self, task: _Task, error: Any) -> None:
        """Blame the item that its worker was ended for, and run the others elsewhere."""
        items = {i.index: i for i in task.batch.items if i.index in self._open}
        late = items.pop(error.mark, None)
        if late is not None:
            self._keep(
                [ItemResult(late.index, late.key, Status.TIMEOUT, failures=(str(error),), attempt=task.attempt)], {}
            )
        if items:
            self._submit(_Task(replace(task.batch, items=tuple(items.values())), task.attempt))

    def _lost(self, task: _Task, error: Exception) -> None:
        """Run again what has no result; in the end each item by itself, to find out which one kills workers."""
        self.tally.lost += 1
        had = {i.index for i in task.batch.items}
        self._current = {w: now for w, now in self._current.items() if now[0].index not in had}
        left = [i for i in task.batch.items if i.index in self._open]
        if task.attempt >= MOST_ATTEMPTS:
            if len(left) == 1:
                why = f"its worker was lost {task.attempt} times: {error}"
                result = ItemResult(left[0].index, left[0].key, Status.CRASH, failures=(why,), attempt=task.attempt)
                self._keep([result], {})
                return
            for item in left:
                self._submit(_Task(replace(task.batch, items=(item,)), 2))
        elif left:
            self._submit(_Task(replace(task.batch, items=tuple(left)), task.attempt + 1))

    def _fail(self, items: Sequence[Item], why: str, log: str) -> None:
        self._keep([ItemResult(i.index, i.key, Status.ERROR, failures=(why,), log=log) for i in items], {})


def _trace(error: BaseException) -> str:
    return "".join([*traceback.format_exception(error), *getattr(error, "__notes__", ())])
