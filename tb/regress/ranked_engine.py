# SPDX-License-Identifier: Apache-2.0
"""The engine of a run with a budget: batches in a given order, and none is given out after the time is over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from typing import Any

from goldbeat.tb.regress.budget import RankedChunk
from goldbeat.tb.regress.engine import Hooks, Runner, WorkEngine
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.plan import BuildKey


class RankedEngine(WorkEngine):
    """Gives out no more batches than there are workers, so that what comes next is decided late.

    Args:
        executor, builders, hooks, runner, build: as :class:`WorkEngine` has them.
        over: True: give out nothing more, and let what runs come to its end.
        jobs: workers of ``builders``.
    """

    def __init__(
        self,
        executor: Executor,
        builders: Executor,
        hooks: Hooks,
        *,
        runner: Runner,
        build: Callable[..., tuple[str, float]],
        over: Callable[[], bool],
        jobs: int,
    ) -> None:
        super().__init__(executor, builders, hooks, runner=runner, build=build)
        self._over, self._jobs = over, jobs
        self._shared = executor is builders
        self._waiting: dict[int, RankedChunk] = {}
        self._keys: dict[int, BuildKey] = {}
        self._asked: set[BuildKey] = set()
        self._simulators: dict[BuildKey, str] = {}
        self._kinds: dict[Future[Any], str | None] = {}

    def run_ranked(self, chunks: Sequence[RankedChunk]) -> None:
        """Run batches in their order; comes back when all have run, or the time is over, or ``stop`` said so.

        Raises:
            DiskFullError, ClusterLostError: as :meth:`run`.
        """
        self._waiting = dict(enumerate(chunks))
        for chunk in chunks:
            self._open.update((item.index, item) for item in chunk.items)
            self._keys[chunk.items[0].index] = chunk.key
        self._work()

    def _more(self) -> bool:
        self._kinds = {future: kind for future, kind in self._kinds.items() if future in self._running}
        if self._over():
            # A build that nobody will use need not end.
            return any(kind is not None for kind in self._kinds.values())
        self._give()
        return bool(self._running)

    def _give(self) -> None:
        """Give out what comes first and can run; where that needs a simulator, its build."""
        for number, chunk in list(self._waiting.items()):
            if chunk.items[0].index not in self._open:
                # Its simulator cannot be built.
                del self._waiting[number]
                continue
            if not self._has_room(None) and not self._has_room(chunk.items[0].resources):
                if self._shared:
                    return
                continue
            if (simulator := self._simulators.get(chunk.key)) is not None:
                if self._has_room(chunk.items[0].resources):
                    del self._waiting[number]
                    self._submit_built([chunk.items], simulator)
            elif chunk.key not in self._asked and self._has_room(None):
                self._asked.add(chunk.key)
                same = [one.items for one in self._waiting.values() if one.key == chunk.key]
                self._submit_build(list(same), 1)

    def _has_room(self, kind: str | None) -> bool:
        """A worker is free for a batch of this class, or for a build (None)."""
        if self._shared or kind is None:
            return sum(self._shared or one is None for one in self._kinds.values()) < self._jobs
        room: Callable[[str], int] = getattr(self._executor, "room", lambda kind: self._jobs)
        return sum(one == kind for one in self._kinds.values()) < room(kind)

    def _watch(self, future: Future[Any], what: Any) -> None:
        self._kinds[future] = None if what[0] == "built" else what[1].batch.items[0].resources
        super()._watch(future, what)

    def _built_all(self, chunks: Sequence[Sequence[Item]], simulator: str) -> None:
        self._simulators[self._keys[chunks[0][0].index]] = simulator
