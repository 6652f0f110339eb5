# SPDX-License-Identifier: Apache-2.0
"""All mutants of a design against its cases: one build for each set of parameter values, stimulus and prediction made once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.harness import TOP
from goldbeat.tb.build.simulator import QUICK, build
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.design import Design
from goldbeat.tb.mutate.kept import MutantBench, NoticedFailure, plan_groups
from goldbeat.tb.mutate.mutant import Mutant
from goldbeat.tb.mutate.rewrite import SELECTOR, binding, rewrite
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.plan import make_plan
from goldbeat.tb.regress.suite import Entry, Suite
from goldbeat.tb.run.failure_kind import failure_kind

_RANDOM = "random"


class UnmutatedFailureError(UsageError):
    """A case fails in the simulator of mutants without any of them."""


@dataclass(frozen=True)
class Fate:
    """What became of a mutant.

    Attributes:
        mutant: which.
        status: ``killed``, ``survived``, ``not reached``, ``equivalent`` or ``waived``.
        by: what noticed it: ``data``, ``time``, ``protocol``, ``assertion``, ``hang`` or ``other``; empty if nothing did.
        case: key of the case that noticed it.
        failure: what was said.
        reason: why it is waived, or who has proven it to be equivalent.
        cycles: of that case that were simulated, up to the end of the episode that fails.
    """

    mutant: Mutant
    status: str
    by: str = ""
    case: str = ""
    failure: str = ""
    reason: str = ""
    cycles: int = 0


def plan_cases(name: str, cases: Sequence[str] = (), seeds: int | None = None, first: int = 0) -> list[Item]:
    """The cases that mutants go through.

    Args:
        name: a design, or a description file.
        cases: names or patterns; none: those of the suite ``smoke``, the case ``random`` on three seeds and every case
            that is not slow on one, and the latter with all parameter values that lint and tests go through.
        seeds: of each case.
        first: the first seed.

    Raises:
        UsageError: no such design, or no such case.
    """
    if cases:
        suite = Suite(seeds=seeds or 3, run=(Entry(designs=(name,), cases=tuple(cases)),))
        return make_plan(suite, Path(), seed=first)
    design = find_design(name)
    wanted = [Entry(designs=(name,), seeds=seeds or 1, slow=False)]
    if any(case.name == _RANDOM for case in design.cases):
        wanted.insert(0, Entry(designs=(name,), cases=(_RANDOM,), seeds=seeds or 3))
    wanted.append(Entry(designs=(name,), seeds=seeds or 1, variants=True, slow=False))
    return make_plan(Suite(run=tuple(wanted)), Path(), seed=first)


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
    """All mutants of a design; a context manager that leaves no simulator behind.

    Args:
        items: the cases, of one design.
        mutants: from :func:`goldbeat.tb.mutate.points.find_mutants`.
        folder: for sources, logs and records.
        tell: is told each step.

    Attributes:
        items: the cases.
        groups: the same by parameter values, each with its simulator.

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
        self._watched = False
        self._mine = threading.local()
        self._benches: list[MutantBench] = []
        self._replaced = 0
        design = find_design(items[0].source or items[0].design)
        sources = folder / "rtl"
        sources.mkdir(parents=True)
        tell(f"predicting {len(items)} case(s)")
        self.items = list(items)
        self.groups = plan_groups(items, design)
        self._original = design
        self._design = mutated(design, mutants, sources)
        self._build()

    def __enter__(self) -> Campaign:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        for bench in self._benches:
            bench.close()
            self._replaced += bench.replaced
        self._benches.clear()
        self._mine = threading.local()

    def _build(self) -> None:
        for number, group in enumerate(self.groups, 1):
            self._tell(f"building {number} of {len(self.groups)}")
            group.built = build(self._design, group.params, quick=QUICK, tell=self._tell)

    @property
    def replaced(self) -> int:
        """Simulators that were replaced since a mutant had left something behind."""
        return self._replaced + sum(bench.replaced for bench in self._benches)

    def watch(self, mutants: Sequence[Mutant]) -> None:
        """From now on run these, and tell of those that survive whether they are reached.

        Args:
            mutants: those that have survived so far.
        """
        self._close()
        folder = self._folder / "watched"
        folder.mkdir()
        self._design = mutated(self._original, mutants, folder, watched=True)
        self._watched = True
        self._build()

    def check_original(self) -> None:
        """Run the cases without a mutant.

        Raises:
            UnmutatedFailureError: one fails: a mutant could not be told from it.
        """
        for number, group in enumerate(self.groups):
            for case in group.cases:
                found = self._bench().measure(number, case)
                if found is not None:
                    raise UnmutatedFailureError(f"{found.case} fails without a mutant: {found.text}")
            group.cases.sort(key=lambda one: one.seconds)

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
        found, reached = self._bench().first_failure(mutant.number)
        return self.judged(mutant, found, reached=reached)

    def judged(self, mutant: Mutant, found: NoticedFailure | None, *, reached: bool) -> Fate:
        """The fate of a mutant that has run.

        Args:
            mutant: which.
            found: the first case that notices it.
            reached: it has made a difference, as far as the sources tell.
        """
        if found is None:
            return Fate(mutant, "survived" if reached or not self._watched else "not reached")
        by = "hang" if found.stopped else failure_kind(found.text).kind
        return Fate(mutant, "killed", by, found.case, found.text, cycles=found.cycles)

    def _bench(self) -> MutantBench:
        """The simulators of this thread."""
        bench: MutantBench | None = getattr(self._mine, "bench", None)
        if bench is None:
            bench = self._mine.bench = MutantBench(self._design, self.groups, self._folder)
            self._benches.append(bench)
        return bench
