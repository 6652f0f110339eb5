# SPDX-License-Identifier: Apache-2.0
"""Inside a worker of a farm: some mutants of a campaign, on simulators that the master has built."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from goldbeat.tb.build.compile import Build
from goldbeat.tb.build.in_use import hold, job_folder
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.mutate.kept import Group, MutantBench, NoticedFailure, plan_groups
from goldbeat.tb.paths import build_root
from goldbeat.tb.regress import blobs
from goldbeat.tb.regress.fingerprint import check_code
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.pool import when_idle

SOURCE = "source"


@dataclass(frozen=True)
class CaseCourse:
    """What the master has seen of a case without a mutant.

    Attributes:
        seconds: that it has taken; cases go in the order of these.
        looks: as :attr:`goldbeat.tb.mutate.kept.PlannedCase.looks`.
    """

    seconds: float
    looks: tuple[int, ...]


@dataclass(frozen=True)
class MutantTask:
    """Some mutants.

    Attributes:
        items: the cases, all of one design.
        courses: one for each.
        numbers: of the mutants.
        blobs: content hashes by role: ``simulator N`` for the Nth set of parameter values in the order of the items, ``source`` for
            a description file.
        code: hash of the master's Goldbeat; a worker with another one refuses.
    """

    items: tuple[Item, ...]
    courses: tuple[CaseCourse, ...]
    numbers: tuple[int, ...] = ()
    blobs: Mapping[str, str] = field(default_factory=dict)
    code: str = ""


@dataclass(frozen=True)
class MutantTaskResult:
    """What a worker gives back.

    Attributes:
        found: number of each mutant, what noticed it, and whether it was reached.
        replaced: simulators in which one of them had left something behind.
        missing: content hashes that the worker has not got; then nothing has run, and the task has to come again with them.
    """

    found: Sequence[tuple[int, NoticedFailure | None, bool]] = ()
    replaced: int = 0
    missing: tuple[str, ...] = ()


def simulator_role(number: int) -> str:
    """The role of the simulator of a set of parameter values."""
    return f"simulator {number}"


def run_mutants(task: MutantTask, content: Mapping[str, bytes] | None = None) -> MutantTaskResult:
    """Run the mutants of a task.

    Args:
        task: what to run.
        content: what a worker before has missed, packed, by hash.

    Raises:
        GoldbeatError: this worker is of another version.
    """
    check_code(task.code)
    hold(build_root() / "blobs")
    if lacking := blobs.take_content(task.blobs, content):
        return MutantTaskResult(missing=lacking)
    bench = PLACE.bench(task)
    before = bench.replaced
    found = [(number, *bench.first_failure(number)) for number in task.numbers]
    return MutantTaskResult(found, bench.replaced - before)


class MutantPlace:
    """Room for the simulators of one campaign, which wait for its next task."""

    def __init__(self) -> None:
        self._about: MutantTask | None = None
        self._bench: MutantBench | None = None
        self._stack = ExitStack()
        self._process = 0

    def bench(self, task: MutantTask) -> MutantBench:
        """The simulators for a task; those of another campaign end."""
        about = replace(task, numbers=())
        if self._bench is None or self._about != about:
            self.clear()
            self._bench, self._about = self._made(task), about
        if self._process != os.getpid():
            self._process = os.getpid()
            when_idle(self.clear)
        return self._bench

    def _made(self, task: MutantTask) -> MutantBench:
        first = task.items[0]
        name = first.source or first.design
        if SOURCE in task.blobs:
            name = str(blobs.unpack_archive(task.blobs[SOURCE], name))
        design = find_design(name)
        groups: Sequence[Group] = plan_groups(task.items, design)
        courses = {item.key: course for item, course in zip(task.items, task.courses, strict=True)}
        for number, group in enumerate(groups):
            executable: Path = blobs.blob_path(task.blobs[simulator_role(number)])
            group.built = Build(executable, executable.parent, None, 0.0)
            for case in group.cases:
                course = courses[case.item.key]
                case.seconds, case.looks = course.seconds, course.looks
            group.cases.sort(key=lambda one: one.seconds)
        folder = self._stack.enter_context(job_folder(build_root()))
        bench = MutantBench(design, groups, folder)
        self._stack.callback(bench.close)
        return bench

    def clear(self) -> None:
        """End what is kept."""
        self._bench = self._about = None
        self._stack.close()


PLACE = MutantPlace()
"""Of this worker process."""
