# SPDX-License-Identifier: Apache-2.0
"""``goldbeat history``: the recorded runs, and what they say of every case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from fnmatch import fnmatchcase
from typing import Annotated, Any

import typer
from rich.table import Table

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.cli.common import Json, examples, print_json, say, working
from goldbeat.tb.cli.screen import Screen, literal, show_table
from goldbeat.tb.regress.history import MOST_RUNS, CommitOfRun, ProjectHistory, RecordedCase, read_history, worst_first
from goldbeat.tb.regress.quarantine import excused_of
from goldbeat.tb.regress.reports import run_dict
from goldbeat.tb.regress.store import Store, regress_root

_LISTED = 20
_SHOWN = 40
PAGE = "history.html"


def register(app: typer.Typer) -> None:
    """Add the command."""
    below = examples(
        "goldbeat history                            the recorded runs",
        "goldbeat history --suite nightly --json",
        "goldbeat history --cases --filter 'my_fifo/*'",
        "goldbeat history --flaky                    both verdicts on equal hashes",
        "goldbeat history --failures                 failures by first difference, over all runs",
        "goldbeat history --page                     everything on one page",
    )
    app.command("history", epilog=below)(history_command)


def history_command(
    suite: Annotated[str | None, typer.Option("--suite", metavar="NAME", help="Read only runs of this suite.")] = None,
    last: Annotated[
        int | None, typer.Option("--last", metavar="N", min=1, help="Read at most N runs [20; of cases: 200].")
    ] = None,
    cases: Annotated[
        bool, typer.Option("--cases", help="List cases: pass rate, time, throughput, first failing commit.")
    ] = False,
    flaky: Annotated[bool, typer.Option("--flaky", help="List cases with both verdicts on equal hashes.")] = False,
    failures: Annotated[
        bool, typer.Option("--failures", help="Group failures of all runs by first difference.")
    ] = False,
    filters: Annotated[
        list[str] | None,
        typer.Option("--filter", metavar="TEXT", help="List only cases that match this glob or substring."),
    ] = None,
    page: Annotated[bool, typer.Option("--page", help="Write history.html: one file without network.")] = False,
    as_json: Json = False,
) -> None:
    """List the recorded runs, or what they say of every case."""
    if not (cases or flaky or failures or page):
        if filters:
            raise UsageError("--filter selects cases: add --cases, --flaky or --failures")
        _show_runs(suite, last or _LISTED, as_json)
        return
    with working("reading the history"), Store(read_only=True) as store:
        found = read_history(store, suite=suite, last=last or MOST_RUNS)
    if page:
        from goldbeat.tb.regress.history_page import history_page

        path = regress_root() / PAGE
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(history_page(found), encoding="utf-8")
        if not (cases or flaky or failures):
            if as_json:
                print_json({"page": str(path)})
            else:
                say(f"page: {path} ({path.stat().st_size / 1000:.0f} kB)")
            return
    _select(found, filters or ())
    if as_json:
        print_json(history_dict(found, cases=cases, flaky=flaky, failures=failures))
        return
    if cases:
        _show_cases(found.cases)
    if flaky:
        _show_flaky(found)
    if failures:
        _show_patterns(found)


def _select(found: ProjectHistory, filters: Sequence[str]) -> None:
    """Leave out what no filter matches."""

    def fits(key: str) -> bool:
        return not filters or any(fnmatchcase(key, one) or one in key for one in filters)

    found.cases = [case for case in found.cases if fits(case.key)]
    found.flaky = [case for case in found.flaky if fits(case.key)]
    found.patterns = [one for one in found.patterns if fits(one.case)]


def history_dict(found: ProjectHistory, *, cases: bool, flaky: bool, failures: bool) -> dict[str, Any]:
    """For JSON."""
    said: dict[str, Any] = {
        "runs": [{"run": r.id, "git": r.git, "started": r.started, "host": r.host} for r in found.runs]
    }
    if cases:
        said["cases"] = [{**asdict(case), "rate": case.rate} for case in worst_first(found.cases)]
    if flaky:
        said["flaky"] = [asdict(case) for case in found.flaky]
    if failures:
        said["failures"] = [asdict(one) for one in found.patterns]
    return said


def _show_runs(suite: str | None, last: int, as_json: bool) -> None:
    with Store(read_only=True) as store:
        runs = store.runs(suite=suite, last=last)
        counts = {run.id: store.counts(run.id) for run in runs}
        excused = {run.id: len(excused_of(store, run)) for run in runs}
    if as_json:
        print_json([{**run_dict(run), "counts": counts[run.id], "quarantined": excused[run.id]} for run in runs])
        return
    table = Table()
    names = ["run", "suite", "started (UTC)", "git", "status", "pass", "fail", "open", "seconds"]
    if any(excused.values()):
        names.insert(7, "quarantined")
    for column in names:
        table.add_column(column, justify="left" if column in ("suite", "started (UTC)", "git", "status") else "right")
    for run in runs:
        by = counts[run.id]
        passed, left = by.get("pass", 0) + by.get("recorded", 0), by.get("open", 0)
        bad = run.total - passed - left - excused[run.id]
        seconds = f"{run.facts['wall_s']:.1f}" if "wall_s" in run.facts else "-"
        started = run.started.partition("+")[0].replace("T", " ")
        numbers = [passed, bad, *([excused[run.id]] if any(excused.values()) else []), left]
        table.add_row(
            str(run.id), *map(literal, (run.title, started, run.git, run.status)), *map(str, numbers), seconds
        )
    show_table(table)


def _at(commit: CommitOfRun | None) -> str:
    return "-" if commit is None else f"{commit.git} (run {commit.run})"


def _show_cases(cases: Sequence[RecordedCase]) -> None:
    table = Table(title="cases: those that fail now first; values/us: output values compared per simulated microsecond")
    for column in ("case", "pass", "of", "s", "cycles", "values/us", "fails since", "last pass"):
        table.add_column(column, justify="left" if column in ("case", "fails since", "last pass") else "right")
    for case in worst_first(cases)[:_SHOWN]:
        fails = case.fails_since is not None
        table.add_row(
            literal(case.key),
            str(case.passed),
            str(case.runs),
            f"{case.wall_s:.3f}",
            f"{case.cycles:,}",
            f"{case.values_per_us:.3g}",
            literal(_at(case.fails_since)) if fails else "",
            literal(_at(case.last_pass)) if fails else "",
        )
    show_table(table, piped=140)
    if len(cases) > _SHOWN:
        say(f"... and {len(cases) - _SHOWN} more: --filter, --json or --page")


def _show_flaky(found: ProjectHistory) -> None:
    out = Screen(highlight=False)
    for one in found.flaky:
        text = (
            f"{one.key}: {one.passed} pass, {one.failed} fail on equal hashes; fault of the {one.fault}: {one.evidence}"
        )
        out.print(text, markup=False, soft_wrap=True)
        out.print(f"        run {one.runs[0]} passes, run {one.runs[1]} fails", markup=False, soft_wrap=True)
    out.print(f"{len(found.flaky)} flaky of {len(found.cases)} cases in {len(found.runs)} runs", markup=False)


def _show_patterns(found: ProjectHistory) -> None:
    out = Screen(highlight=False)
    for one in found.patterns[:_SHOWN]:
        head = f"{one.design} {one.status}: {one.cases} cases, {one.count} failures"
        out.print(f"{head}, {_at(one.first)} to {_at(one.last)}", markup=False, soft_wrap=True)
        out.print(f"        {one.case}: {one.mismatch}", markup=False, soft_wrap=True)
    if len(found.patterns) > _SHOWN:
        out.print(f"... and {len(found.patterns) - _SHOWN} more: --json or --page", markup=False)
    out.print(f"{len(found.patterns)} kinds of failure in {len(found.runs)} runs", markup=False)


__all__ = ["history_command", "history_dict", "register"]
