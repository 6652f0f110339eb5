# SPDX-License-Identifier: Apache-2.0
"""``goldbeat rerun``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.cli.common import FAILED, PARTIAL, Json, examples, print_json
from goldbeat.tb.cli.farm import Keys
from goldbeat.tb.cli.regress import (
    Trust,
    check_farm,
    end_run,
    find_recorded,
    find_run,
    print_run,
    tell_changes,
    watching,
)
from goldbeat.tb.cli.regress_options import BatchJobs, EngineAddress, Jobs, ReachedHost, WaitSeconds, taking_number
from goldbeat.tb.cli.screen import Screen, literal
from goldbeat.tb.regress.again import around, fresh_seeds
from goldbeat.tb.regress.farm_pool import WAIT_S
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.plan import confirmed_signals
from goldbeat.tb.regress.recorded import RerunSettings
from goldbeat.tb.regress.run import LOCAL, Settings, artefacts_of, begin, go_on
from goldbeat.tb.regress.store import Run, Store
from goldbeat.tb.regress.suite import Resources
from goldbeat.tb.regress.trust import check_trusted, code_of_project

_SHOWN = 5
_MOST = 1000
"""Fresh seeds, unless the user says how many."""

What = Annotated[
    str | None,
    typer.Argument(
        metavar="[RUN/]CASE",
        help="Name of a case as in reports [of the newest run]; with --failed: a run [the newest].",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "rerun",
        epilog=examples(
            "goldbeat rerun my_fifo/random#3 --waves",
            "goldbeat rerun 12/my_fifo/random#3",
            "goldbeat rerun --failed                     all failed cases of the newest run",
            "goldbeat rerun --failed 12 --seeds 20       and 20 more seeds of each",
            "goldbeat rerun my_fifo/random#3 --until-fail 500",
        ),
        cls=taking_number("--until-fail", str(_MOST)),
    )(rerun_command)


def rerun_command(
    case: What = None,
    failed: Annotated[bool, typer.Option("--failed", help="Run all failed cases of a run again.")] = False,
    seeds: Annotated[
        int | None, typer.Option("--seeds", metavar="N", min=1, help="Run N more seeds of each case.")
    ] = None,
    until_fail: Annotated[
        int | None,
        typer.Option("--until-fail", metavar="[N]", min=1, help=f"Run at most N [{_MOST}] new seeds until one fails."),
    ] = None,
    waves: Annotated[bool, typer.Option("--waves", help="Write waves.")] = False,
    with_batch: Annotated[
        bool,
        typer.Option("--with-batch", help="First run the cases that ran before it in the same simulator (no waves)."),
    ] = False,
    jobs: Jobs = None,
    engine: EngineAddress = LOCAL,
    keys: Keys = None,
    wait_s: WaitSeconds = WAIT_S,
    batch_jobs: BatchJobs = 10,
    host: ReachedHost = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Run cases of a recorded run again.

    --failed, --seeds and --until-fail make a new recorded run; otherwise the case runs alone.

    Exit code: 0 all pass, 1 a case failed, 2 bad input, 3 nothing to run or nothing was compared,
    130 Ctrl-C, 143 SIGTERM.
    """
    if not failed and case is None:
        raise UsageError("expected a case, or --failed")
    if with_batch and waves:
        raise UsageError("--with-batch writes no waves")
    if not failed and seeds is None and until_fail is None:
        assert case is not None
        if with_batch:
            _rerun_with_batch(case, trust, as_json)
        else:
            _rerun_alone(case, waves, trust, as_json)
        return
    if with_batch:
        raise UsageError("--with-batch runs one case")
    if seeds is not None and until_fail is not None:
        raise UsageError("--seeds and --until-fail exclude each other")
    check_farm(engine, keys)
    settings = Settings(jobs or len(os.sched_getaffinity(0)), engine, waves=0, keys=keys, wait_s=wait_s)
    settings = replace(settings, workers=batch_jobs, host=host, until_fail=until_fail is not None)
    with Store() as store:
        repeated = _repeated(store, case, failed)
        if not repeated.cases:
            typer.echo(f"run {repeated.run.id} has no failed case", err=True)
            raise typer.Exit(PARTIAL)
        tell_changes(check_trusted(repeated.run, repeated.cases, trust=trust))
        _rerun_recorded(store, repeated, settings, seeds, until_fail, waves=waves, trust=trust, as_json=as_json)


@dataclass(frozen=True)
class _Repeated:
    """Cases of a run that run again."""

    run: Run
    cases: Sequence[Item]


def _repeated(store: Store, text: str | None, failed: bool) -> _Repeated:
    if failed:
        run = find_run(store, text or "last")
        return _Repeated(run, [row.item for row in store.bad(run.id, -1)])
    run, row = find_recorded(store, text or "")
    return _Repeated(run, [row.item])


def _rerun_recorded(
    store: Store,
    repeated: _Repeated,
    settings: Settings,
    seeds: int | None,
    until_fail: int | None,
    *,
    waves: bool,
    trust: bool,
    as_json: bool,
) -> None:
    """Run cases as a new run, in parallel."""
    cases, before = repeated.cases, repeated.run
    groups = {case.group for case in cases}
    if until_fail is None:
        items = around(cases, seeds or 0, {group: store.seeds(group, before.id) for group in groups})
    else:
        items = fresh_seeds(cases, until_fail, {group: store.seeds(group) for group in groups})
    said = RerunSettings(
        run=before.id, cases=len(cases) if until_fail is None else 0, until_fail=until_fail is not None
    )
    resources = {name: Resources.model_validate(one) for name, one in before.settings.get("resources", {}).items()}
    run = begin(
        store,
        f"rerun-{before.id}",
        items,
        settings,
        seed=before.seed,
        confirmed=confirmed_signals(items),
        resources=resources,
        rerun=said,
    )
    settings = replace(settings, waves=len(items) if waves else 0)
    with watching(run) as observer, code_of_project(trust=trust):
        run = go_on(store, run, settings, observer)
    print_run(store, run, as_json=as_json)
    end_run(store, run, None)


def _rerun_alone(case: str, waves: bool, trust: bool, as_json: bool) -> None:
    """Run one case by itself, with everything about it in a folder."""
    from goldbeat.tb.regress.worker import run_alone

    with Store() as store:
        run, row = find_recorded(store, case)
        tell_changes(check_trusted(run, [row.item], trust=trust))
        folder = run.folder / "reruns" / str(row.item.index)
        err = Screen(stderr=True)
        with err.status(f"running {literal(row.item.key)}") if err.is_terminal else _nothing():
            again = run.repeat(row.item.key, waves=waves)
            with code_of_project(trust=trust):
                report = run_alone(row.item, str(folder), None, waves=waves, repeat=again)
        files = artefacts_of(report, folder, Path.cwd())
    if as_json:
        print_json({**report, "folder": str(folder)})
    else:
        out = Screen(highlight=False)
        for text in report["failures"][:_SHOWN]:
            out.print(text, markup=False, soft_wrap=True)
        marks = {"pass": "[bold green]PASS[/]", "recorded": "[bold cyan]SAME AS RECORDED[/]"}
        mark = marks.get(report["status"], "[bold red]FAIL[/]")
        out.print(f"{mark} {literal(row.item.key)}: {report['compared']} output values compared", soft_wrap=True)
        for name, path in files.items():
            if name != "alone":
                out.print(f"  {name:<8} {path}", markup=False, soft_wrap=True)
        if report["status"] not in marks:
            out.print(f"repeat: {again}", markup=False, soft_wrap=True)
    if report["status"] not in ("pass", "recorded"):
        raise typer.Exit(FAILED)


def _rerun_with_batch(case: str, trust: bool, as_json: bool) -> None:
    from goldbeat.tb.regress.worker import run_with_batch

    with Store() as store:
        run, row = find_recorded(store, case)
        if row.result is None or row.result.passed:
            raise UsageError(
                f"{row.item.key} did not fail in run {run.id}: the cases before it are recorded only for failures"
            )
        by_index = {r.item.index: r.item for r in store.rows(run.id)}
        items = [*(by_index[i] for i in row.result.before), row.item]
        tell_changes(check_trusted(run, items, trust=trust))
    err = Screen(stderr=True)
    with err.status(f"running {len(items)} cases") if err.is_terminal else _nothing(), code_of_project(trust=trust):
        result = run_with_batch(items)
    if as_json:
        print_json({**asdict(result), "ran": [i.key for i in items]})
    else:
        out = Screen(highlight=False)
        for text in result.failures[:_SHOWN]:
            out.print(text, markup=False, soft_wrap=True)
        mark = "[bold green]PASS[/]" if result.passed else "[bold red]FAIL[/]"
        out.print(f"{mark} {literal(row.item.key)}, after {len(items) - 1} case(s) in one simulator", soft_wrap=True)
    if not result.passed:
        raise typer.Exit(FAILED)


@contextmanager
def _nothing() -> Iterator[None]:
    yield
