# SPDX-License-Identifier: Apache-2.0
"""Trying stimuli out: many in one simulator process, each from reset and with the same initial values."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.build.simulator import QUICKEST, build
from goldbeat.tb.run.crossings import find_crossings
from goldbeat.tb.run.failure_kind import FailureKind, failure_kind
from goldbeat.tb.run.runs import Request, SeedPlan, check_request, judge, predict
from goldbeat.tb.run.simulate import simulate
from goldbeat.tb.synth.netlist import make_netlist

Episodes = Sequence[Stimulus]


@dataclass(frozen=True)
class Trial:
    """What became of a stimulus.

    Attributes:
        episodes: the stimulus.
        failures: empty: it passes, or the design cannot take it.
    """

    episodes: Episodes
    failures: tuple[str, ...] = ()

    @property
    def kind(self) -> FailureKind | None:
        """Of the first failure."""
        return failure_kind(self.failures[0]) if self.failures else None


@dataclass
class Trials:
    """The simulator of one request, and what it was asked.

    Attributes:
        request: of one seed.
        folder: for its files.
        timeout_s: for each process.
        tell: is told of the build.
        arguments: for the simulator.
        count: trials up to now.
    """

    request: Request
    folder: Path
    timeout_s: float = 30.0
    tell: Callable[[str], None] = lambda text: None
    arguments: Sequence[str] = ()
    count: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        check_request(self.request)
        design, params = self.request.design, self.request.all_params
        window = self.request.metastability
        self._crossings = find_crossings(design, params) if window is not None else ()
        cells = self.request.netlist
        netlist = None if cells is None else make_netlist(design, params, cells, self.tell).file
        make = partial(build, netlist=netlist, crossings=self._crossings, tell=self.tell)
        self._built = make(design, params, quick=QUICKEST)

    @property
    def seed(self) -> int:
        """The seed of the request."""
        return self.request.seeds[0]

    def original(self) -> Trial:
        """The stimulus that the case makes."""
        plan = predict(self.request, self.seed)
        if any(stimulus.drivers for stimulus, _ in plan.steps):
            raise UsageError(
                f"{self.request.design.name}, case {self.request.case.name}: its stimulus acts on what it reads; "
                "nothing can be taken out of it"
            )
        return self._run([(tuple(s for s, _ in plan.steps), plan)])[0]

    def run(self, candidates: Sequence[Episodes]) -> list[Trial]:
        """Try stimuli out.

        Returns:
            one result each; one that the golden model or the design refuses counts as a pass.
        """
        planned: list[tuple[Episodes, SeedPlan | None]] = []
        for episodes in candidates:
            try:
                planned.append((episodes, predict(replace(self.request, stimuli=tuple(episodes)), self.seed)))
            except GoldbeatError:
                # Not a stimulus of this design: a packet without its header, say.
                planned.append((episodes, None))
        return self._run(planned)

    def _run(self, planned: Sequence[tuple[Episodes, SeedPlan | None]]) -> list[Trial]:
        self.count += len(planned)
        results = {n: Trial(episodes) for n, (episodes, plan) in enumerate(planned) if plan is None}
        left = [(n, plan) for n, (_, plan) in enumerate(planned) if plan is not None]
        while left:
            done = self._process([plan for _, plan in left])
            for (n, _), failures in zip(left, done, strict=False):
                results[n] = Trial(planned[n][0], failures)
            left = left[len(done) :]
        return [results[n] for n in range(len(planned))]

    def _process(self, plans: Sequence[SeedPlan]) -> list[tuple[str, ...]]:
        """The failures of plans in one process; fewer where it ended early, at least one."""
        design = self.request.design
        episodes = [episode for plan in plans for episode in plan.episodes(design)]
        with tempfile.TemporaryDirectory(dir=self.folder, prefix="trial-") as place:
            result = simulate(
                design,
                self.request.all_params,
                self._built,
                episodes,
                Path(place),
                seed=self.seed,
                transactors=self.request.transactors,
                timeout_s=self.timeout_s,
                crossings=self._crossings,
                arguments=self.arguments,
            )
        records, found = list(result.records), []
        for plan in plans:
            mine, records = records[: len(plan.steps)], records[len(plan.steps) :]
            try:
                found.append(judge(self.request, plan, mine, result.failure or "the simulator stopped").failures)
            except GoldbeatError:
                found.append(())
            if len(mine) < len(plan.steps):
                break
        return found
