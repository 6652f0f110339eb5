# SPDX-License-Identifier: Apache-2.0
"""What the recorded runs say of every case: pass rate, time, throughput, since when it fails; and which failures are alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from goldbeat.tb.regress.failure_groups import mismatch_kind
from goldbeat.tb.regress.flaky import FlakyCase, find_flaky
from goldbeat.tb.regress.item import Status
from goldbeat.tb.regress.store import PastCase, Run, Store

MOST_RUNS = 200
"""Runs that are read, the newest."""
_VERDICTS = {status.value: "p" if status.good else "f" for status in Status} | {Status.KILLED.value: "k"}
_kind = lru_cache(maxsize=100_000)(mismatch_kind)


@dataclass(frozen=True)
class CommitOfRun:
    """A run, and the commit that it ran at: ``+`` behind it when files had been changed."""

    run: int
    git: str


@dataclass
class RecordedCase:
    """One case, with its seed, over the runs.

    Attributes:
        key: ``design/case/K=V#seed``.
        verdicts: one letter per run, the oldest first: p passes, f fails, k killed from outside, - not in this run; empty for
            a case that passes wherever it ran.
        runs, passed: results, and those of them that pass; a result that was killed from outside is neither.
        wall_s: mean wall time of its simulation.
        cycles, values_per_us: of the last result that passes; output values compared per simulated microsecond.
        fails_since: the earliest run since which no result passes; None: the last one passes.
        last_pass: the last run that passes; None: none does.
    """

    key: str
    verdicts: str = ""
    runs: int = 0
    passed: int = 0
    wall_s: float = 0.0
    cycles: int = 0
    values_per_us: float = 0.0
    fails_since: CommitOfRun | None = None
    last_pass: CommitOfRun | None = None

    @property
    def rate(self) -> float:
        """Share of the results that pass; 0 without results."""
        return self.passed / self.runs if self.runs else 0.0


@dataclass(frozen=True)
class FailurePattern:
    """Failures of a design that differ first in the same way, over the runs.

    Attributes:
        design, status: of all of them.
        mismatch: of the newest one.
        case: that has it.
        cases: number of different cases.
        count: number of failures.
        first, last: runs with the first and the last one.
    """

    design: str
    status: str
    mismatch: str
    case: str
    cases: int
    count: int
    first: CommitOfRun
    last: CommitOfRun


@dataclass
class ProjectHistory:
    """The runs, the oldest first, and what they say."""

    runs: list[Run]
    cases: list[RecordedCase] = field(default_factory=list)
    flaky: list[FlakyCase] = field(default_factory=list)
    patterns: list[FailurePattern] = field(default_factory=list)

    @property
    def failing(self) -> list[RecordedCase]:
        """Cases whose last result does not pass."""
        return [case for case in self.cases if case.fails_since is not None]


def read_history(store: Store, *, suite: str | None = None, last: int = MOST_RUNS) -> ProjectHistory:
    """Read the history.

    Args:
        store: where the runs are.
        suite: only runs of this one.
        last: at most so many runs, the newest.
    """
    runs = store.runs(suite=suite, last=last)[::-1]
    found = ProjectHistory(runs)
    if not runs:
        return found
    commits = {run.id: CommitOfRun(run.id, run.git) for run in runs}
    places = {run.id: place for place, run in enumerate(runs)}
    first = runs[0].id
    wavering = {}
    # Another master may begin a run meanwhile.
    for past in store.past(first, runs[-1].id, suite):
        case = _case(past, commits)
        if case.passed < past.results:
            _add_verdicts(case, store.statuses(past.key, first), commits, places)
            if {"p", "f"} <= set(case.verdicts):
                wavering[case.key] = case.verdicts
        found.cases.append(case)
    found.flaky = find_flaky(store, runs, wavering)
    found.patterns = _patterns(store, first, commits)
    return found


def _case(past: PastCase, commits: Mapping[int, CommitOfRun]) -> RecordedCase:
    """A case without its verdicts."""
    runs = past.results - past.killed
    return RecordedCase(
        past.key,
        runs=runs,
        passed=past.passed,
        wall_s=float(past.seconds) / runs if runs else 0.0,
        cycles=past.cycles,
        values_per_us=past.compared / past.sim_ps * 1e6 if past.sim_ps else 0.0,
        last_pass=None if past.last_pass is None else commits[past.last_pass],
    )


def _add_verdicts(
    case: RecordedCase,
    statuses: Iterable[tuple[int, str]],
    commits: Mapping[int, CommitOfRun],
    places: Mapping[int, int],
) -> None:
    """Add the verdict in each run, and since when it fails."""
    verdicts = ["-"] * len(places)
    for run, status in statuses:
        if run in places:
            verdicts[places[run]] = verdict = _VERDICTS[status]
            if verdict == "p":
                case.fails_since = None
            elif verdict == "f" and case.fails_since is None:
                case.fails_since = commits[run]
    case.verdicts = "".join(verdicts)


def _patterns(store: Store, first: int, commits: Mapping[int, CommitOfRun]) -> list[FailurePattern]:
    """Failures that are alike, those of most cases first."""
    found: dict[tuple[str, str, str], list[tuple[int, str, str]]] = {}
    for run, key, design, status, mismatch in store.failed_since(first):
        if run in commits:
            found.setdefault((design, status, _kind(mismatch)), []).append((run, key, mismatch))
    patterns = []
    for (design, status, _), rows in found.items():
        run, key, mismatch = rows[-1]
        cases = len({row[1] for row in rows})
        ends = commits[rows[0][0]], commits[run]
        patterns.append(FailurePattern(design, status, mismatch, key, cases, len(rows), *ends))
    return sorted(patterns, key=lambda one: (-one.cases, -one.count, one.design, one.mismatch))


def worst_first(cases: Sequence[RecordedCase]) -> list[RecordedCase]:
    """Those that fail now, then by pass rate."""
    return sorted(cases, key=lambda case: (case.fails_since is None, case.rate, case.key))
