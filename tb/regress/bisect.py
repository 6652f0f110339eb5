# SPDX-License-Identifier: Apache-2.0
"""The first commit with which a recorded case fails (``goldbeat bisect``).

Each look runs the case, with its seed, on the files of one commit. The files are in a work tree of their own, the run is
in a process of its own, and the simulator comes from the cache of builds where the commit's RTL has been built before.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from goldbeat.pymodels.code_trust import code_below
from goldbeat.pymodels.errors import GoldbeatError, ToolError, UntrustedCodeError, UsageError
from goldbeat.tb.paths import build_root
from goldbeat.tb.regress.commits import Commit, History
from goldbeat.tb.regress.item import Batch, Item, Status
from goldbeat.tb.regress.pool import LocalExecutor, WorkerLostError, WorkerStuckError
from goldbeat.tb.regress.run import killed_at_end
from goldbeat.tb.regress.shard import moved
from goldbeat.tb.regress.worker import build_simulator, run_batch
from goldbeat.tb.regress.worktree import checked_out, worktree_place

Verdict = Literal["good", "bad", "skipped"]


@dataclass(frozen=True)
class CommitRun:
    """What became of the case on one commit.

    Attributes:
        status: how it ended; None: it could not be run.
        why: the first failure, or why it could not be run.
        build_s: seconds of the build; 0.0: the simulator was in the cache.
    """

    status: Status | None
    why: str = ""
    build_s: float = 0.0


@dataclass(frozen=True)
class Look:
    """A commit that was tested.

    Attributes:
        commit: which.
        verdict: what it says about the case.
        run: how the case ended.
        seconds: it took.
        left: commits that may still be the first bad one.
    """

    commit: Commit
    verdict: Verdict
    run: CommitRun
    seconds: float
    left: int = 0


@dataclass
class Bisection:
    """What was found.

    Attributes:
        good, bad: the commits at the ends.
        looks: commits that were tested, in order.
        first: the first bad commit; None: skipped commits leave several.
        among: those that are left then, the bad one last.
        files: that the first bad commit changes.
    """

    good: Commit
    bad: Commit
    looks: list[Look] = field(default_factory=list)
    first: Commit | None = None
    among: Sequence[Commit] = ()
    files: Sequence[str] = ()

    @property
    def skipped(self) -> list[Look]:
        """Commits that could not be tested."""
        return [one for one in self.looks if one.verdict == "skipped"]


Tester = Callable[[Commit], CommitRun]
"""Runs the case on a commit."""


def bisect(
    history: History, good: Commit, bad: Commit, tester: Tester, tell: Callable[[Look], None] = lambda look: None
) -> Bisection:
    """Find the first bad commit.

    Args:
        history: of the repository.
        good: a commit with which the case passes; an ancestor of the bad one.
        bad: one with which it fails.
        tester: runs the case on a commit.
        tell: is told each look.

    Raises:
        UsageError: the good commit fails, the bad one passes, or one of them cannot be tested.
    """
    found = Bisection(good, bad)
    # A case that cannot be judged says nothing, unless that is what it does with the bad commit.
    errors = True

    def look(commit: Commit, left: int) -> Look:
        started = time.monotonic()
        run = tester(commit)
        one = Look(commit, verdict_of(run, errors=errors), run, time.monotonic() - started, left)
        found.looks.append(one)
        tell(one)
        return one

    history.check_order(good, bad)
    left = history.candidates(bad, [good])
    last = look(bad, len(left))
    errors = last.run.status is Status.ERROR
    if last.verdict == "good":
        raise UsageError(f"the case passes with the bad commit, {bad}{_of_changes(history)}")
    if last.verdict == "skipped":
        raise UsageError(f"the bad commit {bad} cannot be tested: {last.run.why}")
    first = look(good, len(left))
    if first.verdict != "good":
        said = "fails" if first.verdict == "bad" else "cannot be tested"
        raise UsageError(f"the good commit {good} {said}: {first.run.why}")
    _halve(history, found, look)
    if found.first is not None:
        found.files = history.changed_files(found.first)
    return found


def _of_changes(history: History) -> str:
    return "; the work tree has changes, which are in no commit" if history.has_changes() else ""


def _halve(history: History, found: Bisection, look: Callable[[Commit, int], Look]) -> None:
    """Test commits until one is left, or none that can be tested."""
    good, bad, skipped, in_a_row = [found.good], found.bad, set[str](), 0
    while True:
        left = history.candidates(bad, good)
        open_ones = [name for name in left[:-1] if name not in skipped]
        if not open_ones:
            break
        # Neighbours of a commit that cannot be built often cannot either: ever farther away.
        commit = history.find(open_ones[min(len(open_ones), 1 << min(in_a_row, 30)) - 1])
        verdict = look(commit, len(left)).verdict
        in_a_row = in_a_row + 1 if verdict == "skipped" else 0
        if verdict == "skipped":
            skipped.add(commit.id)
        elif verdict == "bad":
            bad = commit
        else:
            good.append(commit)
    if len(left) == 1:
        found.first = bad
    else:
        found.among = [history.find(name) for name in left]


def verdict_of(run: CommitRun, *, errors: bool) -> Verdict:
    """What a run says about the case.

    Args:
        run: of the case.
        errors: a case that could not be judged counts as bad.
    """
    if run.status is None or run.status is Status.KILLED or (run.status is Status.ERROR and not errors):
        return "skipped"
    return "good" if run.status.good else "bad"


# -- looks ------------------------------------------------------------------------------------------------------------


class CaseTester:
    """Runs a case on commits; a context manager that leaves no work tree behind.

    Args:
        item: the case.
        root: the user's work tree.
        trust: code outside the repository may run.

    Raises:
        UsageError: the case's description is not a file of the repository.
    """

    def __init__(self, item: Item, root: Path, *, trust: bool) -> None:
        if item.source is None:
            raise UsageError(
                f"{item.design} comes with Goldbeat; bisect needs a design whose description is in your repository"
            )
        if not Path(item.source).is_relative_to(root):
            raise UsageError(f"{item.source} is not in the repository {root}")
        self._item, self._root, self._trust = item, root, trust
        self._place = worktree_place(build_root() / "bisect", root)
        self._tree = Path()

    def __enter__(self) -> CaseTester:
        self._tree = self._place.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._place.__exit__(*error)  # type: ignore[arg-type]

    def __call__(self, commit: Commit) -> CommitRun:
        """Run the case on a commit."""
        before, now = {"project": str(self._root)}, {"project": str(self._tree)}
        change = {name: moved(getattr(self._item, name), before, now) for name in ("source", "inputs", "options")}
        item = self._item.model_copy(update=change)
        try:
            with checked_out(self._root, self._tree, commit):
                run = self._run(item)
        except ToolError as error:
            return CommitRun(None, f"cannot be checked out: {error}")
        # The files are gone when people read this.
        return replace(run, why=run.why.replace(f"{self._tree}/", ""))

    def _run(self, item: Item) -> CommitRun:
        if not Path(item.source or "").is_file():
            return CommitRun(None, f"{Path(str(self._item.source)).relative_to(self._root)} is not in this commit")
        folder = self._tree / Path.cwd().resolve().relative_to(self._root)
        # Modules of an earlier commit must not stay loaded: a process for each.
        with killed_at_end(LocalExecutor(1)) as pool:
            where = (str(self._tree), str(folder), str(build_root()))
            future = pool.submit(run_in_tree, item, *where, trust=self._trust)
            try:
                return future.result()
            except WorkerStuckError as error:
                return CommitRun(Status.TIMEOUT, str(error))
            except WorkerLostError as error:
                return CommitRun(Status.CRASH, str(error))


def run_in_tree(item: Item, tree: str, folder: str, root: str, *, trust: bool) -> CommitRun:
    """Build and run a case in a work tree; the worker process is of no use for another one afterwards.

    Args:
        item: the case, with the paths of the work tree.
        tree: the work tree.
        folder: the current folder from now on, if there is one.
        root: the folder for everything made.
        trust: code outside the work tree may run.

    Raises:
        UntrustedCodeError: code outside the work tree is needed.
    """
    os.chdir(folder if Path(folder).is_dir() else tree)
    with code_below(*(() if trust else (Path(tree),))):
        try:
            simulator, seconds = build_simulator(item, root)
        except UntrustedCodeError:
            raise
        except GoldbeatError as error:
            return CommitRun(None, _first_line(str(error)))
        except Exception as error:
            return CommitRun(None, f"{type(error).__name__}: {_first_line(str(error))}")
        result = run_batch(Batch((item,), simulator, {}, root)).results[0]
    return CommitRun(result.status, _first_line(*result.failures[:1]), seconds)


def _first_line(text: str = "") -> str:
    return text.partition("\n")[0]
