# SPDX-License-Identifier: Apache-2.0
"""``goldbeat bisect``."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.cli.common import BY_SIGNAL, PARTIAL, Json, examples, print_json
from goldbeat.tb.cli.regress import Trust, find_recorded
from goldbeat.tb.cli.screen import Screen
from goldbeat.tb.git import top_level
from goldbeat.tb.regress.bisect import Bisection, CaseTester, Look, bisect
from goldbeat.tb.regress.commits import Commit, History
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.trust import check_trusted, project_root

_SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "bisect",
        epilog=examples(
            "goldbeat bisect my_fifo/random#3 --good v1.2      from v1.2 to HEAD",
            "goldbeat bisect 12/my_fifo/random#3 --good v1.2 --bad main~3 --json",
        ),
    )(bisect_command)


def bisect_command(
    case: Annotated[
        str, typer.Argument(metavar="[RUN/]CASE", help="Name of a case as in reports [of the newest run that has it].")
    ],
    good: Annotated[str, typer.Option("--good", metavar="REV", help="Commit with which the case passes.")],
    bad: Annotated[str, typer.Option("--bad", metavar="REV", help="Commit with which it fails.")] = "HEAD",
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Find the first commit with which a recorded case fails.

    Each look runs the case, with its seed, on the files of one commit in a separate work tree. Yours is not
    changed. Commits that cannot be built are skipped.

    Exit code: 0 found, 2 bad input (the good commit fails, or the bad one passes), 3 skipped commits leave
    several, 130 Ctrl-C, 143 SIGTERM.
    """
    item = _recorded(case, trust)
    root = project_root()
    if top_level(root) is None:
        raise UsageError(f"{root}: not in a git repository")
    history = History(root)
    first, last = history.find(good), history.find(bad)
    err = Screen(stderr=True, highlight=False)
    if history.has_changes():
        err.print("the work tree has changes; only commits are tested", style="yellow", markup=False, soft_wrap=True)

    told: list[str] = []

    def tell(look: Look) -> None:
        # The failure is said once, and where a commit fails in another way.
        why = "" if look.verdict == "good" or look.run.why in told else f": {look.run.why}"
        told.append(look.run.why)
        err.print(f"run {len(told)}: {_look_text(look)}{why}", markup=False, soft_wrap=True)

    with _ended_in_order(), CaseTester(item, root, trust=trust) as tester:
        found = bisect(history, first, last, tester, tell)
    if as_json:
        print_json({"case": item.key, **bisection_dict(found)})
    else:
        _show(item, found)
    if found.first is None:
        raise typer.Exit(PARTIAL)


def _recorded(case: str, trust: bool) -> Item:
    """The case; its description may run."""
    with Store(read_only=True) as store:
        run, row = find_recorded(store, case)
    check_trusted(run, [row.item], trust=trust)
    return row.item


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """SIGTERM ends the command as Ctrl-C does: nothing is left behind."""

    def end(number: int, frame: object) -> None:
        raise typer.Exit(BY_SIGNAL + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _look_text(look: Look) -> str:
    run = look.run
    how = look.verdict if run.status is None else f"{look.verdict} ({run.status.label})"
    took = f"built in {run.build_s:.1f} s" if run.build_s else "simulator from the cache"
    took = took if run.status is not None else f"{look.seconds:.1f} s"
    return f"{look.left} commit(s) in question, {look.commit}: {how}, {took}"


def _show(item: Item, found: Bisection) -> None:
    out = Screen(highlight=False)
    for look in found.skipped:
        out.print(f"skipped: {look.commit}: {look.run.why}", markup=False, soft_wrap=True)
    if found.first is None:
        out.print(f"{item.key}: skipped commits leave {len(found.among)}; one of them is the first bad commit:")
        for commit in reversed(found.among):
            out.print(f"  {commit}", markup=False, soft_wrap=True)
    else:
        one = found.first
        out.print(f"first bad commit: {one}", markup=False, soft_wrap=True)
        out.print(f"  by {one.author}, {one.date}", markup=False, soft_wrap=True)
        for name in found.files[:_SHOWN]:
            out.print(f"  {name}", markup=False, soft_wrap=True)
        if len(found.files) > _SHOWN:
            out.print(f"  ... and {len(found.files) - _SHOWN} more files")
        why = next(look.run.why for look in found.looks if look.commit == one)
        out.print(f"{item.key}: {why}", markup=False, soft_wrap=True)
    out.print(f"{len(found.looks)} runs")


def bisection_dict(found: Bisection) -> dict[str, Any]:
    """For JSON."""
    return {
        "good": _commit_dict(found.good),
        "bad": _commit_dict(found.bad),
        "first_bad": None if found.first is None else _commit_dict(found.first) | {"files": list(found.files)},
        "among": [_commit_dict(one) for one in found.among],
        "runs": len(found.looks),
        "looks": [_look_dict(one) for one in found.looks],
        "skipped": [_commit_dict(one.commit) | {"why": one.run.why} for one in found.skipped],
    }


def _look_dict(look: Look) -> dict[str, Any]:
    run = look.run
    return {
        "commit": look.commit.id,
        "verdict": look.verdict,
        "status": None if run.status is None else run.status.value,
        "failure": run.why,
        "build_s": round(run.build_s, 3),
        "seconds": round(look.seconds, 3),
    }


def _commit_dict(commit: Commit) -> dict[str, Any]:
    return {"commit": commit.id, "author": commit.author, "date": commit.date, "subject": commit.subject}
