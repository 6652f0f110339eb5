# SPDX-License-Identifier: Apache-2.0
"""All mutants of a design against its cases: one build for each set of parameter values, one process for each mutant and build.

A process of its own for each mutant is what keeps one from spoiling the next. Stimulus and prediction are the same for all, and
made once.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.tb.build.compile import Build
from goldbeat.tb.build.harness import TOP
from goldbeat.tb.build.simulator import QUICK, build
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.design import Design
from goldbeat.tb.inside.job import Episode
from goldbeat.tb.mutate.mutant import Mutant
from goldbeat.tb.mutate.rewrite import PLUSARG, REACHED, SELECTOR, binding, rewrite
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.plan import make_plan
from goldbeat.tb.regress.suite import Entry, Suite
from goldbeat.tb.regress.worker import make_request
from goldbeat.tb.run.failure_kind import failure_kind
from goldbeat.tb.run.runs import Request, SeedPlan, check_request, judge, predict
from goldbeat.tb.run.simulate import SimulatorResult, simulate

_RANDOM = "random"
TIMEOUT_S = 120.0
"""For one mutant on the cases of one build, by the clock."""


@dataclass(frozen=True)
class Fate:
    """What became of a mutant.

    Attributes:
        mutant: which.
        status: ``killed``, ``survived``, ``not reached`` or ``waived``.
        by: what noticed it: ``data``, ``time``, ``protocol``, ``assertion``, ``hang`` or ``other``; empty if nothing did.
        case: key of the case that noticed it.
        failure: what was said.
        reason: why it is waived.
    """

    mutant: Mutant
    status: str
    by: str = ""
    case: str = ""
    failure: str = ""
    reason: str = ""


@dataclass(frozen=True)
class _Planned:
    item: Item
    request: Request
    plan: SeedPlan
    episodes: Sequence[Episode]


@dataclass
class Group:
    """Cases that share parameter values, and so a simulator.

    Attributes:
        params: the values.
        cases: request, prediction and episodes of each.
        built: the simulator with all mutants.
    """

    params: Mapping[str, Any]
    cases: list[_Planned] = field(default_factory=list)
    built: Build | None = None


def plan_cases(name: str, cases: Sequence[str] = (), seeds: int | None = None, first: int = 0) -> list[Item]:
    """The cases that mutants go through.

    Args:
        name: a design, or a description file.
        cases: names or patterns; none: those of the suite ``smoke``, the case ``random`` on three seeds and every case
            that is not slow on one.
        seeds: of each case.
        first: the first seed.

    Raises:
        UsageError: no such design, or no such case.
    """
    if cases:
        suite = Suite(seeds=seeds or 3, run=(Entry(designs=(name,), cases=tuple(cases)),))
        return make_plan(suite, Path(), seed=first)
    wanted = Entry(designs=(name,), seeds=seeds or 1, slow=False)
    if any(case.name == _RANDOM for case in find_design(name).cases):
        return make_plan(
            Suite(run=(Entry(designs=(name,), cases=(_RANDOM,), seeds=seeds or 3), wanted)), Path(), seed=first
        )
    return make_plan(Suite(run=(wanted,)), Path(), seed=first)


def mutated(design: Design, mutants: Sequence[Mutant], folder: Path, *, watched: bool = False) -> Design:
    """The design on RTL that holds all mutants.

    Args:
        design: the original.
        mutants: of its sources.
        folder: an empty one for the sources.
        watched: as in :func:`goldbeat.tb.mutate.rewrite.rewrite`.
    """
    files = []
    sources = design.sources()
    for number, path in enumerate(sources):
        own = [m for m in mutants if m.place.file == path]
        if not own:
            files.append(path)
            continue
        # Two files may have one name.
        place = folder / (path.name if all(path.name != p.name for p in sources[:number]) else f"{number}_{path.name}")
        place.write_text(rewrite(path, own, watched=watched), errors="surrogateescape")
        files.append(place)
    for name, text in (("goldbeat_mutant.sv", SELECTOR), ("goldbeat_mutant_bind.sv", binding(TOP))):
        (folder / name).write_text(text)
    files = [folder / "goldbeat_mutant.sv", *files, folder / "goldbeat_mutant_bind.sv"]
    # A file may include what lies beside its original.
    folders = [*design.include_paths(), *dict.fromkeys(p.parent for p in sources)]
    changes = {
        "files": tuple(map(str, files)),
        "include_dirs": tuple(map(str, folders)),
        "library_dirs": (),
        "defines": {},
        "flags": tuple(f for f in design.compile_flags() if not f.startswith("-I")),
    }
    return design.model_copy(update=changes)


class Campaign:
    """All mutants of a design.

    Args:
        items: the cases, of one design.
        mutants: from :func:`goldbeat.tb.mutate.points.find_mutants`.
        folder: for sources, logs and records.
        tell: is told each step.

    Raises:
        GoldbeatError: a case cannot run.
    """

    def __init__(
        self,
        items: Sequence[Item],
        mutants: Sequence[Mutant],
        folder: Path,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._folder, self._tell = folder, tell
        self._groups: list[Group] = []
        self._watched = False
        design = find_design(items[0].source or items[0].design)
        sources = folder / "rtl"
        sources.mkdir(parents=True)
        tell(f"predicting {len(items)} case(s)")
        for item in items:
            request = make_request(item, design)
            check_request(request)
            plan = predict(request, item.seed)
            params = request.all_params
            group = next((g for g in self._groups if g.params == params), None)
            if group is None:
                self._groups.append(group := Group(params))
            group.cases.append(_Planned(item, request, plan, plan.episodes(design)))
        self._original = design
        self._design = mutated(design, mutants, sources)
        self._build()

    def _build(self) -> None:
        for number, group in enumerate(self._groups, 1):
            self._tell(f"building {number} of {len(self._groups)}")
            group.built = build(self._design, group.params, quick=QUICK, tell=self._tell)

    def watch(self, mutants: Sequence[Mutant]) -> None:
        """From now on run these, and tell of those that survive whether they are reached.

        Args:
            mutants: those that have survived so far.
        """
        folder = self._folder / "watched"
        folder.mkdir()
        self._design = mutated(self._original, mutants, folder, watched=True)
        self._watched = True
        self._build()

    def check_original(self) -> None:
        """Run the cases without a mutant.

        Raises:
            UsageError: one fails: a mutant could not be told from it.
        """
        found = self._run(None)
        if found is not None:
            case, failure, _ = found
            raise UsageError(f"{case} fails without any mutant: {failure}")

    def fates(self, chosen: Sequence[Mutant], jobs: int) -> Iterator[Fate]:
        """Run mutants, several at a time; each fate as soon as it is known.

        Args:
            chosen: some of them.
            jobs: so many at a time.
        """
        with ThreadPoolExecutor(jobs) as pool:
            waiting = [pool.submit(self.fate, mutant) for mutant in chosen]
            try:
                for one in as_completed(waiting):
                    yield one.result()
            finally:
                for one in waiting:
                    one.cancel()

    def fate(self, mutant: Mutant) -> Fate:
        """Run one mutant through the cases, up to the first that notices it."""
        reached: list[bool] = []
        found = self._run(mutant, reached)
        if found is None:
            return Fate(mutant, "survived" if any(reached) or not self._watched else "not reached")
        case, failure, stopped = found
        return Fate(mutant, "killed", "hang" if stopped else failure_kind(failure).kind, case, failure)

    def _run(self, mutant: Mutant | None, reached: list[bool] | None = None) -> tuple[str, str, bool] | None:
        """The first failure: case, text, and whether the simulator came to no end; None: there is none."""
        arguments = () if mutant is None else (f"+{PLUSARG}={mutant.number}",)
        for group in self._groups:
            assert group.built is not None
            episodes = [episode for one in group.cases for episode in one.episodes]
            with tempfile.TemporaryDirectory(dir=self._folder, prefix="run-") as place:
                result = simulate(
                    self._design,
                    group.params,
                    group.built,
                    episodes,
                    Path(place),
                    seed=group.cases[0].item.seed,
                    transactors=group.cases[0].item.transactors,
                    timeout_s=TIMEOUT_S,
                    arguments=arguments,
                )
                found = _first_failure(group, result)
                if reached is not None:
                    reached.append(REACHED in result.log.read_text(errors="replace"))
            if found is not None:
                return found
        return None


def _first_failure(group: Group, result: SimulatorResult) -> tuple[str, str, bool] | None:
    records = list(result.records)
    for one in group.cases:
        mine, records = records[: len(one.episodes)], records[len(one.episodes) :]
        try:
            judged = judge(one.request, one.plan, mine, result.failure or "the simulator stopped")
        except GoldbeatError as error:
            return one.item.key, str(error), False
        if judged.failures:
            stopped = len(mine) < len(one.episodes) and len(judged.failures) == 1
            return one.item.key, judged.failures[0], stopped
    return None
