# SPDX-License-Identifier: Apache-2.0
"""Mutants on a farm: simulators are built here, and travel to the workers by their content."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future
from dataclasses import replace
from pathlib import Path

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.mutate.campaign import Campaign, Fate
from goldbeat.tb.mutate.farm_task import SOURCE, CaseCourse, MutantTask, MutantTaskResult, run_mutants, simulator_role
from goldbeat.tb.mutate.mutant import Mutant
from goldbeat.tb.regress import blobs
from goldbeat.tb.regress.engine import GONE, LOST, MOST_ATTEMPTS, ClusterLostError
from goldbeat.tb.regress.fingerprint import code_hash, content_hash

_RANGE = 8
"""Mutants of a task."""
_TICK_S = 0.5

_Ended = tuple[Future[MutantTaskResult], MutantTask, int]
"""A task's future, the task, and how often it was given away."""


class MutantFarm:
    """Runs the mutants of a campaign on an executor.

    Args:
        executor: where tasks run.
        tick: is called a few times per second; raises where the executor has gone.
        call: what runs a task: function, task and content go to it; None: the executor calls the function itself.
    """

    def __init__(
        self,
        executor: Executor,
        tick: Callable[[], None] = lambda: None,
        call: Callable[..., MutantTaskResult] = run_mutants,
    ) -> None:
        self._executor, self._tick, self._call = executor, tick, call
        self._ended: queue.SimpleQueue[_Ended] = queue.SimpleQueue()
        self._content: dict[str, bytes] = {}
        self.replaced = 0

    def fates(self, campaign: Campaign, chosen: Sequence[Mutant]) -> Iterator[Fate]:
        """Run mutants; each fate as soon as its task has ended.

        Args:
            campaign: with its simulators, and its original checked.
            chosen: some of its mutants.

        Raises:
            ClusterLostError: the executor has gone, or every worker that got a task was lost.
            GoldbeatError: a worker cannot run these cases.
        """
        by_number = {mutant.number: mutant for mutant in chosen}
        task = self._task(campaign)
        numbers = list(by_number)
        ranges = [tuple(numbers[n : n + _RANGE]) for n in range(0, len(numbers), _RANGE)]
        waiting = {self._submit(replace(task, numbers=some), 1) for some in ranges}
        try:
            while waiting:
                self._tick()
                try:
                    future, ended, attempt = self._ended.get(timeout=_TICK_S)
                except queue.Empty:
                    continue
                waiting.discard(future)
                result = self._result(future, attempt)
                if result is None:
                    waiting.add(self._submit(ended, attempt + 1))
                elif result.missing:
                    content = {name: self._content[name] for name in result.missing}
                    waiting.add(self._submit(ended, attempt, content))
                else:
                    self.replaced += result.replaced
                    for number, found, reached in result.found:
                        yield campaign.judged(by_number[number], found, reached=reached)
        finally:
            for future in waiting:
                future.cancel()

    def _submit(
        self, task: MutantTask, attempt: int, content: dict[str, bytes] | None = None
    ) -> Future[MutantTaskResult]:
        future = self._executor.submit(self._call, task, content)
        future.add_done_callback(lambda f: self._ended.put((f, task, attempt)))
        return future

    def _result(self, future: Future[MutantTaskResult], attempt: int) -> MutantTaskResult | None:
        """What a task gave; None: its worker was lost, and others have to run it."""
        try:
            return future.result()
        except CancelledError as error:
            raise ClusterLostError("the cluster has gone, with the work that it had; --resume runs it again") from error
        except GoldbeatError:
            raise
        except Exception as error:
            name = type(error).__name__
            if name in LOST and attempt < MOST_ATTEMPTS:
                return None
            if name in (*LOST, *GONE) or isinstance(error, ConnectionError | TimeoutError):
                raise ClusterLostError(f"{error}; --resume runs the rest") from error
            raise

    def _task(self, campaign: Campaign) -> MutantTask:
        """What all tasks share."""
        contents: dict[str, bytes] = {}
        for number, group in enumerate(campaign.groups):
            assert group.built is not None
            contents[simulator_role(number)] = group.built.executable.read_bytes()
        source = campaign.items[0].source
        if source is not None:
            contents[SOURCE] = blobs.archive(Path(source))
        names = {role: content_hash(data) for role, data in contents.items()}
        self._content = {names[role]: blobs.pack(data) for role, data in contents.items()}
        planned = {case.item.key: case for group in campaign.groups for case in group.cases}
        courses = [planned[item.key] for item in campaign.items]
        found = tuple(CaseCourse(case.seconds, case.looks) for case in courses)
        return MutantTask(tuple(campaign.items), found, (), names, code_hash())
