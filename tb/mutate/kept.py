# SPDX-License-Identifier: Apache-2.0
"""Simulators that stay from one mutant to the next, as long as they can be shown to be as good as new.

Before each case the design gets new initial values, and with them the number of the mutant that is at work. After each mutant an
episode without any runs in every process that the mutant was in; a process in which that episode fails is replaced. Where a design
cannot be given new initial values, each case of each mutant has a process of its own.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.build.compile import Build
from goldbeat.tb.design.design import Design
from goldbeat.tb.inside.job import Episode, Record
from goldbeat.tb.mutate.rewrite import CHOICE, REACHED
from goldbeat.tb.mutate.used_time import UsedTime
from goldbeat.tb.regress.figures import all_cycles
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.worker import make_request
from goldbeat.tb.run.runs import Request, SeedPlan, check_request, judge, predict
from goldbeat.tb.run.simulate import Simulator

TIMEOUT_S = 120.0
"""For one case of the original; as all limits here, time that the simulator uses (:class:`UsedTime`)."""
_LEAST_S = 20.0
_SLOWER = 40.0
"""A mutant of a case may take so many times as long as the original, or so long."""
_FIRST = (1, 4)
"""After so many episodes of a case, a look is taken at whether it has failed already."""
_WATCH_S = 0.5
"""Seconds between two looks at how long the simulator has been at work."""


@dataclass
class PlannedCase:
    """A case with its prediction.

    Attributes:
        item: which.
        request: what to run.
        plan: stimulus and prediction.
        episodes: what the simulator gets.
        looks: numbers of episodes after which a look is taken; the last is all of them.
        seconds: of work that the original has taken.
    """

    item: Item
    request: Request
    plan: SeedPlan
    episodes: Sequence[Episode]
    looks: tuple[int, ...] = ()
    seconds: float = 0.0


@dataclass
class Group:
    """Cases that share parameter values, and so a simulator.

    Attributes:
        params: the values.
        cases: of this group, those that take least time first once the original has run.
        built: the simulator with all mutants.
    """

    params: Mapping[str, Any]
    cases: list[PlannedCase] = field(default_factory=list)
    built: Build | None = None


def plan_groups(items: Sequence[Item], design: Design) -> list[Group]:
    """Stimulus and prediction of cases, by parameter values, in the order of the items.

    Args:
        items: the cases.
        design: theirs.

    Raises:
        GoldbeatError: a case cannot run.
    """
    groups: list[Group] = []
    for item in items:
        request = make_request(item, design)
        check_request(request)
        plan = predict(request, item.seed)
        params = request.all_params
        group = next((g for g in groups if g.params == params), None)
        if group is None:
            groups.append(group := Group(params))
        group.cases.append(PlannedCase(item, request, plan, plan.episodes(design)))
    return groups


@dataclass(frozen=True)
class NoticedFailure:
    """What the first case that fails says.

    Attributes:
        case: its key.
        text: the failure.
        stopped: the simulator came to no end.
        cycles: simulated in this case up to the end of the episode that fails.
    """

    case: str
    text: str
    stopped: bool
    cycles: int


class ChoosingSimulator:
    """A simulator that stays, and takes the mutant that is at work from a file.

    Args:
        design: on RTL that holds the mutants.
        group: cases and simulator.
        folder: for the files.

    Attributes:
        folder: with the files.
        ended: how the process ended; empty while it can go on.
        renewable: it can be given new initial values.
        used_s: time that the last run has used.
    """

    def __init__(self, design: Design, group: Group, folder: Path) -> None:
        self._design, self._group = design, group
        self._stack = ExitStack()
        self.folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(dir=folder, prefix="run-")))
        self._simulator: Simulator | None = None
        self.ended = ""
        self.renewable = True
        self.used_s = 0.0

    def _start(self, episodes: Sequence[Episode]) -> Simulator:
        """The simulator, which runs these."""
        first = self._group.cases[0].item
        assert self._group.built is not None
        simulator = Simulator(
            *(self._design, self._group.params, self._group.built, episodes, self.folder),
            seed=first.seed,
            transactors=first.transactors,
            stays=True,
        )
        self._stack.enter_context(simulator)
        return simulator

    def choose(self, number: int) -> None:
        """The mutant from the next case on; 0: none."""
        (self.folder / CHOICE).write_text(f"{number}\n")
        (self.folder / REACHED).unlink(missing_ok=True)

    def was_reached(self) -> bool:
        """Whether the mutant has made a difference since it was chosen."""
        return (self.folder / REACHED).exists()

    def run(self, episodes: Sequence[Episode], limit_s: float) -> list[Record]:
        """The records of episodes; fewer where the process ended, or used more time (then :attr:`ended` says how)."""
        records: list[Record] = []
        if (simulator := self._simulator) is None:
            simulator = self._simulator = self._start(episodes)
        else:
            try:
                simulator.run_more(episodes)
            except BrokenPipeError:
                self.ended = "the simulator stopped"
        used = UsedTime(simulator.process_id)
        while len(records) < len(episodes) and not self.ended:
            notes = simulator.notes(_WATCH_S)
            if notes is None:
                self.ended = f"the simulator ended with {simulator.exit_code()}:\n{simulator.last_words()}"
                break
            for note in notes:
                if note.what == "lost":
                    raise OSError(note.number, os.strerror(note.number), str(self.folder))
                self.renewable &= note.what != "again"
                if note.what == "end" and (record := simulator.record(note.number)) is not None:
                    records.append(record)
            if len(records) < len(episodes) and used.seconds() >= limit_s:
                self.ended = "the simulator was still running"
        self.used_s = used.seconds()
        return records

    def close(self) -> None:
        """End it."""
        self._stack.close()


class MutantBench:
    """The simulators of all groups, for one thread.

    Args:
        design: on RTL that holds the mutants.
        groups: cases and simulators.
        folder: for the simulators' files.
    """

    def __init__(self, design: Design, groups: Sequence[Group], folder: Path) -> None:
        self._design, self._groups, self._folder = design, groups, folder
        self._processes: dict[int, ChoosingSimulator] = {}
        self.replaced = 0

    def close(self) -> None:
        """End all simulators."""
        for process in self._processes.values():
            process.close()
        self._processes.clear()

    def measure(self, group: int, case: PlannedCase) -> NoticedFailure | None:
        """Run a case of the original, and note how long it takes and where a look at it is possible."""
        started = time.thread_time()
        steps = case.plan.steps
        records, stopped = self._records(group, case.episodes, 0, TIMEOUT_S)
        found = _failure(case, case.plan, records, stopped)
        case.seconds = time.thread_time() - started + self._processes[group].used_s
        if found is None:
            heads = [(n, replace(case.plan, steps=steps[:n])) for n in _FIRST if n < len(steps)]
            looks = [n for n, head in heads if _failure(case, head, records[:n], "") is None]
            case.looks = (*looks, len(steps))
        return found

    def first_failure(self, number: int) -> tuple[NoticedFailure | None, bool]:
        """Run a mutant through the cases, up to the first that fails.

        Returns:
            the failure, if any; whether the mutant has made a difference (known only where the sources tell).
        """
        order = sorted(
            ((case.seconds, at, case) for at, group in enumerate(self._groups) for case in group.cases),
            key=lambda one: one[:2],
        )
        reached, used = False, set[int]()
        found = None
        for _, at, case in order:
            used.add(at)
            found = self._try(at, case, number)
            process = self._processes.get(at)
            reached |= process is not None and process.was_reached()
            self._drop_ended(at)
            if found is not None:
                break
        for at in used:
            self._check_clean(at)
        return found, reached

    def _try(self, at: int, case: PlannedCase, number: int) -> NoticedFailure | None:
        done: list[Record] = []
        for look in case.looks:
            limit = max(_LEAST_S, _SLOWER * case.seconds)
            records, stopped = self._records(at, case.episodes[len(done) : look], number, limit)
            done += records
            plan = replace(case.plan, steps=case.plan.steps[:look])
            found = _failure(case, plan, done, stopped)
            if found is not None:
                return found
        return None

    def _records(
        self, at: int, episodes: Sequence[Episode], number: int, limit_s: float
    ) -> tuple[Sequence[Record], str]:
        process = self._processes.get(at)
        if process is not None and (process.ended or not process.renewable):
            self._drop(at)
            process = None
        if process is None:
            process = self._processes[at] = ChoosingSimulator(self._design, self._groups[at], self._folder)
        if episodes and episodes[0].seed is not None:
            process.choose(number)
        records = process.run(episodes, limit_s)
        if len(records) < len(episodes) and not process.renewable:
            # It has been in use: another one goes on with the first episode.
            self._drop(at)
            process = self._processes[at] = ChoosingSimulator(self._design, self._groups[at], self._folder)
            process.choose(number)
            records = process.run(episodes, limit_s)
            process.renewable = False
        return records, process.ended

    def _check_clean(self, at: int) -> None:
        """An episode without a mutant, in a process that has had one."""
        process = self._processes.get(at)
        if process is None or not process.renewable:
            return
        case = self._groups[at].cases[0]
        look = case.looks[0]
        records, stopped = self._records(at, case.episodes[:look], 0, max(_LEAST_S, _SLOWER * case.seconds))
        if _failure(case, replace(case.plan, steps=case.plan.steps[:look]), records, stopped) is not None:
            self.replaced += 1
            self._drop(at)

    def _drop_ended(self, at: int) -> None:
        process = self._processes.get(at)
        if process is not None and process.ended:
            self._drop(at)

    def _drop(self, at: int) -> None:
        self._processes.pop(at).close()


def _failure(case: PlannedCase, plan: SeedPlan, records: Sequence[Record], stopped: str) -> NoticedFailure | None:
    try:
        judged = judge(case.request, plan, records, stopped or "the simulator stopped")
    except GoldbeatError as error:
        return NoticedFailure(case.item.key, str(error), False, 0)
    if not judged.failures:
        return None
    alone = len(records) < len(plan.steps) and len(judged.failures) == 1
    return NoticedFailure(case.item.key, judged.failures[0], alone, all_cycles(judged))
