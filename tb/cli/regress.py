# SPDX-License-Identifier: Apache-2.0
"""``goldbeat regress``, ``show`` and ``compare``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.in_use import sweep
from goldbeat.tb.cli.common import BY_SIGNAL, FAILED, PARTIAL, Json, budget_seconds, examples, print_json
from goldbeat.tb.cli.farm import Keys
from goldbeat.tb.cli.regress_options import (
    AcceptChanges,
    BatchJobs,
    Budget,
    Ci,
    CiService,
    Coverage,
    DryRun,
    EngineAddress,
    FailFast,
    Filters,
    FirstSeed,
    Jobs,
    MostWaves,
    NeedObligations,
    ReachedHost,
    Resume,
    Seeds,
    ShardPart,
    SuiteName,
    WaitSeconds,
    WavesOnFail,
    taking_number,
)
from goldbeat.tb.cli.screen import Screen, literal, progress, show_table
from goldbeat.tb.kernel.waivers import waived
from goldbeat.tb.obligations.summary import ADVICE, counts_text
from goldbeat.tb.paths import build_root
from goldbeat.tb.regress.again import RERUN, failure_rates
from goldbeat.tb.regress.brief import Brief
from goldbeat.tb.regress.budget import left_out_names, order_text, planned_text
from goldbeat.tb.regress.compare import compare_runs
from goldbeat.tb.regress.engine import Oldest, Tally
from goldbeat.tb.regress.farm_batch import SYSTEMS, need_batch
from goldbeat.tb.regress.farm_pool import WAIT_S
from goldbeat.tb.regress.item import Item, ItemResult, Status
from goldbeat.tb.regress.plan import confirmed_signals, make_batches, make_plan, required_of
from goldbeat.tb.regress.quarantine import excused_of, quarantined
from goldbeat.tb.regress.reports import report_text, row_dict
from goldbeat.tb.regress.revision import revision_of
from goldbeat.tb.regress.run import LOCAL, Observer, Settings, begin, go_on
from goldbeat.tb.regress.run import PARTIAL as OPEN
from goldbeat.tb.regress.shard import items_of_shard, parse_shard, shard_settings
from goldbeat.tb.regress.store import INCOMPLETE, LEFT, LIMITED, Row, Run, Store
from goldbeat.tb.regress.suite import find_suite, load_suite, suite_names
from goldbeat.tb.regress.summary import Gathered, cells, recorded_text
from goldbeat.tb.regress.trust import check_trusted, code_of_project
from goldbeat.tb.regress.worth import ranked

Trust = Annotated[bool, typer.Option("--trust", help="Allow code outside this project.")]

_NEWEST = "newest"
_OLD_S = 2.0
"""A case that runs for so long is named in the status line."""
_LONG_S = 60.0
"""And in a log, where there is no status line, after so long, and again when its age has doubled."""
_SHOWN = 5
_COLOURS = {
    Status.PASS: "green",
    Status.RECORDED: "cyan",
    Status.FAIL: "red",
    Status.ERROR: "red",
    Status.TIMEOUT: "yellow",
    Status.CRASH: "magenta",
    Status.KILLED: "yellow",
}


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(
        "regress",
        epilog=examples(
            "goldbeat regress                            the suite smoke: every design, a few seeds",
            "goldbeat regress nightly --seeds 200 --jobs 8",
            "goldbeat regress smoke --filter 'my_*' --seed 1000 --coverage",
            "goldbeat regress nightly --resume           resume a killed run; --resume 12: run 12",
            "goldbeat regress smoke --ci github --coverage",
            "goldbeat regress nightly --budget 30m       what finds most first, for half an hour",
            "goldbeat regress nightly --shard 2/8        one of eight machines; goldbeat merge merges them",
            "goldbeat regress nightly --engine slurm --workers 40",
            "goldbeat regress nightly --engine tls://10.0.0.5:8786 --tls keys",
        ),
        cls=taking_number("--resume", _NEWEST),
    )(regress_command)
    app.command(
        "show",
        epilog=examples("goldbeat show 12", "goldbeat show 12/my_fifo/random#3", "goldbeat show last --failed"),
    )(show_command)
    app.command("compare", epilog=examples("goldbeat compare 11 12", "goldbeat compare 11 12 --json"))(compare_command)


# -- regress --------------------------------------------------------------------------------------------------------


def regress_command(
    suite: SuiteName = None,
    seeds: Seeds = None,
    seed: FirstSeed = 0,
    jobs: Jobs = None,
    filters: Filters = None,
    fail_fast: FailFast = False,
    dry_run: DryRun = False,
    part: ShardPart = None,
    budget: Budget = None,
    resume: Resume = None,
    accept_changes: AcceptChanges = False,
    trust: Trust = False,
    engine: EngineAddress = LOCAL,
    keys: Keys = None,
    wait_s: WaitSeconds = WAIT_S,
    batch_jobs: BatchJobs = 10,
    host: ReachedHost = None,
    waves: WavesOnFail = True,
    most_waves: MostWaves = 5,
    coverage: Coverage = False,
    obligations: NeedObligations = False,
    ci: Ci = None,
    as_json: Json = False,
) -> None:
    """Run a suite of cases and seeds in parallel; record everything.

    What was recorded before a stop is kept; --resume runs the rest. `goldbeat merge` merges shards.

    Exit code: 0 all cases pass, 1 a case failed, 2 bad input, full disk or lost cluster, 3 obligations
    are open that have to be met, or no case ran in --budget, 130 Ctrl-C, 143 SIGTERM.
    """
    workers = jobs or len(os.sched_getaffinity(0))
    settings = Settings(workers, engine, fail_fast, most_waves if waves else 0, coverage, accept_changes, keys, wait_s)
    settings = replace(
        settings, workers=batch_jobs, host=host, budget_s=None if budget is None else budget_seconds(budget)
    )
    number = _run_number(resume)
    items: Sequence[Item] = ()
    words: Mapping[str, Any] = {}
    if resume is None:
        items, words = _plan(suite or "smoke", part, filters or (), seed, seeds, all_of_them=obligations)
    elif part is not None:
        raise UsageError("--resume continues the shard that its run has; leave --shard out")
    if dry_run:
        items = items if resume is None else _unfinished(suite, number)
        _show_order(suite or "smoke", items, as_json) if budget else _show_plan(items, workers, as_json)
        return
    check_farm(engine, keys)
    with Store() as store:
        if resume is not None:
            run, settings = _resumed(store, suite, number, settings, trust=trust)
        else:
            run = begin(store, suite or "smoke", items, settings, **words)
        with watching(run) as observer, code_of_project(trust=trust or resume is None):
            run = go_on(store, run, settings, observer)
        print_run(store, run, as_json=as_json)
        end_run(store, run, ci)


def _resumed(
    store: Store, suite: str | None, number: int | None, settings: Settings, *, trust: bool
) -> tuple[Run, Settings]:
    """The run to resume, with what it was begun with."""
    # A run that was killed after its last result has no rest, but may have left folders of its jobs.
    sweep(build_root())
    run = store.unfinished(suite, number)
    check_trusted(run, (r.item for r in store.rows(run.id)), trust=trust)
    until_fail = run.settings.get(RERUN, {}).get("until_fail", False)
    return run, replace(settings, coverage=bool(run.settings.get("coverage")), until_fail=until_fail)


def _plan(
    name: str, part: str | None, filters: Sequence[str], seed: int, seeds: int | None, *, all_of_them: bool
) -> tuple[Sequence[Item], Mapping[str, Any]]:
    """The items of a suite, or of a shard of it, and what is recorded with them.

    Args:
        name: of the suite.
        part: the shard, as ``K/N``; None: the whole.
        filters: only cases that these fit.
        seed: the first one.
        seeds: number of seeds in place of the suite's.
        all_of_them: open obligations of any design make the run partial.
    """
    path = find_suite(name)
    asked = load_suite(path)
    items = make_plan(asked, path.parent, seed=seed, seeds=seeds, filters=filters)
    needed = required_of(items, all_of_them=all_of_them or asked.obligations)
    words: dict[str, Any] = {"seed": seed, "file": path, "filters": filters, "confirmed": confirmed_signals(items)}
    words["resources"] = asked.resources
    if part is None:
        return items, {**words, "required": needed}
    shard = parse_shard(part)
    # What the whole has to meet, one shard need not.
    return items_of_shard(items, shard), {**words, "shard": shard_settings(items, shard, needed)}


def end_run(store: Store, run: Run, ci: CiService | None) -> None:
    """Write for a CI server, and end with the exit code of a run, unless that is 0."""
    if ci is not None:
        _tell_server(store, run, ci)
    if run.facts.get("interrupted"):
        raise typer.Exit(BY_SIGNAL + run.facts["signal"])
    excused = excused_of(store, run) if run.status == INCOMPLETE else {}
    if run.status == INCOMPLETE and len(store.bad(run.id, len(excused) + 1)) == len(excused):
        raise typer.Exit(PARTIAL)
    if run.status == LIMITED:
        # Nothing failed in the time that was given; without any result nothing is known.
        if run.left_out == run.total:
            raise typer.Exit(PARTIAL)
        return
    if run.status not in ("pass", "recorded"):
        raise typer.Exit(PARTIAL if run.status == OPEN else FAILED)


def _unfinished(suite: str | None, number: int | None) -> list[Item]:
    """What an unfinished run has not run yet."""
    with Store(read_only=True) as store:
        return [r.item for r in store.rows(store.unfinished(suite, number).id, f"AND {LEFT}")]


def _tell_server(store: Store, run: Run, ci: CiService) -> None:
    """Write for a CI server, and print on stderr, which it reads as well: stdout may be JSON."""
    from goldbeat.tb.regress.ci import write_ci

    for line in write_ci(store, run, ci.value):
        typer.echo(line, err=True)


def check_farm(engine: str, keys: Path | None) -> None:
    """Refuse a farm that is not there before anything is recorded: a run that could not begin would be there to be resumed."""
    if engine in SYSTEMS:
        need_batch(engine)
    elif engine != LOCAL:
        from goldbeat.tb.regress.farm import connect

        with connect(engine, keys):
            pass


def _run_number(resume: str | None) -> int | None:
    """The run that --resume asks for; None: the newest, or none at all."""
    if resume is None or resume == _NEWEST:
        return None
    if not resume.isdecimal():
        raise UsageError(f"--resume {resume}: expected the number of a run, or nothing; `goldbeat history` lists them")
    return int(resume)


def _show_plan(items: Sequence[Item], jobs: int, as_json: bool) -> None:
    batches = make_batches(items, jobs)
    if as_json:
        cases = [i.model_dump(mode="json", exclude_defaults=True) for i in items]
        print_json({"cases": cases, "simulators": len(batches), "batches": sum(map(len, batches.values()))})
        return
    out = Screen(highlight=False)
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(item.group, []).append(item)
    for group, members in groups.items():
        seeds = f"seed {members[0].seed}" if len(members) == 1 else f"seeds {members[0].seed}..{members[-1].seed}"
        out.print(f"{group}  {seeds}", markup=False, soft_wrap=True)
    out.print(f"{len(items)} cases, {len(batches)} simulators, {sum(map(len, batches.values()))} batches")


def _show_order(suite: str, items: Sequence[Item], as_json: bool) -> None:
    """The order of a run with a budget."""
    with Store(read_only=True) as store:
        order = ranked(store, suite, items, revision_of(items))
    if as_json:
        cases = [
            one.item.model_dump(mode="json", exclude_defaults=True)
            | {"reason": one.reason.value, "seconds": one.seconds}
            for one in order
        ]
        print_json({"cases": cases})
        return
    out = Screen(highlight=False)
    for one in order:
        took = "" if one.seconds is None else f", {one.seconds:.3g} s"
        out.print(f"{one.item.key}  {one.reason.value}{took}", markup=False, soft_wrap=True)
    out.print(f"{len(order)} cases: {planned_text(order)}", markup=False)


@contextmanager
def watching(run: Run) -> Iterator[Observer]:
    """Live progress on stderr; failures as they come, on a terminal and in a log alike."""
    err = Screen(stderr=True, highlight=False)
    times = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    with progress(err, MofNCompleteColumn(), "rate", *times, "oldest") as bar:
        task = bar.add_task(f"run {run.id}", total=run.total, rate="", oldest="")
        failed = 0
        warned: set[str] = set()
        told = _LONG_S

        def started(now: Run, done: int) -> None:
            bar.update(task, completed=done)
            again = f", {done} have results already" if done else ""
            err.print(f"run {now.id}: {now.title}, {now.total} cases{again}", markup=False, soft_wrap=True)

        def results(fresh: Sequence[ItemResult]) -> None:
            nonlocal failed
            for result in fresh:
                # The same warning comes from many cases.
                for text in (one for one in result.warnings if one not in warned and len(warned) < _SHOWN * 4):
                    warned.add(text)
                    err.print(f"warning: {result.key}: {text}", markup=False, soft_wrap=True)
                if not result.passed:
                    failed += 1
                    if failed <= _SHOWN * 4:
                        why = result.failures[0].partition("\n")[0] if result.failures else ""
                        err.print(_failure_line(result.status, result.key, why), soft_wrap=True)
            speed = bar.tasks[0].speed
            bar.update(task, advance=len(fresh), rate=f"{speed:.0f}/s" if speed else "")
            bar.update(task, description=f"run {run.id}" + (f" [red]{failed} failed[/]" if failed else ""))

        def tick(tally: Tally) -> None:
            nonlocal told
            key, age_s, worker = tally.oldest or Oldest("", 0.0)
            where = f" on {worker}" if worker else ""
            text = f"{key} for {age_s:.0f} s{where}" if age_s >= _OLD_S else ""
            bar.update(task, oldest=literal(text))
            # A log gets a line now and then, and none for what is new.
            if age_s < _LONG_S:
                told = _LONG_S
            elif age_s >= told and not err.is_terminal:
                told = 2 * age_s
                err.print(f"still running: {text}", markup=False, soft_wrap=True)

        def step(text: str) -> None:
            bar.update(task, description=f"run {run.id}: {literal(text)}")

        def note(text: str) -> None:
            err.print(text, style="yellow", markup=False, soft_wrap=True)

        yield Observer(started, results, tick, step, note)


def _failure_line(status: Status, key: str, why: str) -> str:
    return f"[bold {_COLOURS[status]}]{status.value:<7}[/] {literal(key)}  {literal(why)}"


def _waivers(store: Store, run: Run) -> Mapping[tuple[str, str], int]:
    """Violations that each waiver fitted, by design and waiver."""
    return Gathered(store.measured(run.id, waived=True)).waivers


def run_json(store: Store, run: Run, *, failed: bool = False) -> str:
    return report_text(store, run, store.briefs(run.id), _waivers(store, run), failed=failed)


def print_run(store: Store, run: Run, *, as_json: bool) -> None:
    """Print a run for machines or for people."""
    if as_json:
        typer.echo(run_json(store, run), nl=False)
    else:
        show_run(store, run)


def show_run(store: Store, run: Run) -> None:
    rows = store.briefs(run.id)
    out = Screen(highlight=False)
    show_table(_design_table(run, rows), piped=110)
    done = [r for r in rows if r.status is not None]
    held = quarantined(store, run, rows)
    failed = [r for r in done if not r.passed and r.number not in held.excused]
    for row in failed[:_SHOWN]:
        assert row.status is not None
        out.print(_failure_line(row.status, row.key, row.mismatch), soft_wrap=True)
        out.print(f"        repeat: {run.repeat(row.key)}", markup=False, soft_wrap=True)
    if len(failed) > _SHOWN:
        out.print(f"... and {len(failed) - _SHOWN} more: goldbeat show {run.id} --failed", markup=False)
    for text in held.lines[: 4 * _SHOWN]:
        out.print(text, style="yellow", markup=False, soft_wrap=True)
    if len(held.lines) > 4 * _SHOWN:
        out.print(f"... and {len(held.lines) - 4 * _SHOWN} more of the quarantine: index.html", markup=False)
    for (design, name), count in _waivers(store, run).items():
        out.print(f"{design}: {waived(name, count)}", markup=False, soft_wrap=True)
    for design, signals in run.settings.get("confirmed", {}).items():
        for name, reason in signals.items():
            out.print(f"{design}: not checked, confirmed: {name}: {reason}", markup=False, soft_wrap=True)
    rates = failure_rates(run, rows)
    for rate in rates[: 4 * _SHOWN]:
        out.print(str(rate), markup=False, soft_wrap=True)
    if len(rates) > 4 * _SHOWN:
        out.print(f"... and {len(rates) - 4 * _SHOWN} more in index.html and report.json")
    passed, left = len(done) - len(failed) - len(held.excused), run.total - len(done)
    marks = {"pass": "[bold green]PASS[/]", "recorded": "[bold cyan]SAME AS RECORDED[/]", "fail": "[bold red]FAIL[/]"}
    recorded = sum(row.status is Status.RECORDED for row in done)
    mark = marks.get(run.status, f"[bold yellow]{run.status.upper()}[/]")
    facts = run.facts
    out.print(
        f"{mark} {literal(run.title)}: {passed} of {run.total} pass{recorded_text(recorded)}"
        + (f", {len(failed)} failed" if failed else "")
        + held.count_text
        + (f", {left} {'left out' if run.left_out else 'not run'}" if left else "")
        + f"; {facts.get('built', 0)} simulators built, {facts.get('cached', 0)} from the cache; {facts.get('wall_s', 0):.1f} s",
        soft_wrap=True,
    )
    found = store.obligations(run.id)
    if found.counts["all"]:
        out.print(counts_text(found.counts), markup=False, soft_wrap=True)
    for text in found.lines(rest="; index.html and report.json list all"):
        out.print(text, markup=False, soft_wrap=True)
    if run.status == OPEN:
        out.print(ADVICE, markup=False, soft_wrap=True)
    for text in run.mixture:
        out.print(text, style="yellow", markup=False, soft_wrap=True)
    if run.left_out:
        _show_left_out(out, run, rows)
    if run.status == "stopped":
        out.print(f"to resume: goldbeat regress {run.suite} --resume {run.id}", markup=False)
    out.print(f"in {run.folder}: index.html, junit.xml, report.json", markup=False, soft_wrap=True)


def _show_left_out(out: Console, run: Run, rows: Sequence[Brief]) -> None:
    """What a budget has left out, and what it has not."""
    out.print(f"ran: {order_text(run.facts.get('order', {}))}", markup=False, soft_wrap=True)
    names = left_out_names(rows)
    for name in names[:_SHOWN]:
        out.print(f"  left out: {name}", markup=False, soft_wrap=True)
    if len(names) > _SHOWN:
        out.print(f"  ... and seeds of {len(names) - _SHOWN} more cases: index.html and report.json list all")
    if "merged" not in run.settings:
        out.print(f"to run them: goldbeat regress {run.suite} --resume {run.id}", markup=False, soft_wrap=True)


def _design_table(run: Run, rows: Sequence[Brief]) -> Table:
    table = Table(title=f"run {run.id}: {literal(run.title)}, git {literal(run.git)}")
    for column in ("design", "case", "pass", "of", "cycles", "values", "sim s"):
        table.add_column(column, justify="left" if column in ("design", "case") else "right")
    for cell in cells(rows).values():
        table.add_row(
            literal(cell.design),
            literal(cell.case),
            f"[green]{cell.passed}[/]" if cell.passed == cell.total else f"[red]{cell.passed}[/]",
            str(cell.total),
            f"{cell.cycles:,}",
            f"{cell.compared:,}",
            f"{cell.wall_s:.2f}",
        )
    return table


# -- show, compare -------------------------------------------------------------------------------------------


def find_run(store: Store, text: str) -> Run:
    """A run by its number, or ``last``."""
    if text == "last":
        runs = store.runs(last=1)
        if not runs:
            raise UsageError("no run is recorded yet; start one with `goldbeat regress`")
        return runs[0]
    if not text.isdigit():
        raise UsageError(f"{text!r} is not the number of a run (or `last`); `goldbeat history` lists them")
    return store.run(int(text))


def find_recorded(store: Store, text: str) -> tuple[Run, Row]:
    """``RUN/CASE``, or ``CASE`` of the newest run that has it."""
    head, _, tail = text.partition("/")
    if tail and (head.isdigit() or head == "last"):
        run = find_run(store, head)
        return run, store.find(run.id, tail)
    run = store.run(store.last_with(text))
    return run, store.find(run.id, text)


def show_command(
    what: Annotated[str, typer.Argument(metavar="RUN[/CASE]", help="Number of a run or `last`, and a case of it.")],
    failed: Annotated[bool, typer.Option("--failed", help="List all failed cases of a run.")] = False,
    as_json: Json = False,
) -> None:
    """Show a recorded run, or one of its cases in full."""
    with Store(read_only=True) as store:
        if "/" in what:
            run, row = find_recorded(store, what)
            if as_json:
                print_json(row_dict(run, row))
            else:
                _show_case(run, row)
            return
        run = find_run(store, what)
        if as_json:
            typer.echo(run_json(store, run, failed=failed), nl=False)
        elif failed:
            out = Screen(highlight=False)
            for brief in store.briefs(run.id):
                if brief.status is not None and not brief.passed:
                    out.print(_failure_line(brief.status, brief.key, brief.mismatch), soft_wrap=True)
        else:
            show_run(store, run)


def _show_case(run: Run, row: Row) -> None:
    out = Screen(highlight=False)
    item, result = row.item, row.result
    out.print(f"[bold]{literal(item.key)}[/] of run {run.id} ({literal(run.suite)}, git {literal(run.git)})")
    if result is None:
        out.print("has not run")
        return
    facts = [
        ("status", result.status.label),
        ("cycles", f"{result.cycles:,}"),
        ("simulated", f"{result.sim_ps / 1000:,.0f} ns"),
        ("wall time", f"{result.wall_s:.3f} s on {result.worker}, attempt {result.attempt}"),
        ("compared", f"{result.compared:,} values in {result.episodes} episode(s)"),
        ("trace hash", result.trace_hash or "-"),
    ]
    facts += [(f"port {n}", _port_text(p)) for n, p in result.ports.items()]
    facts += [(f"{n}", f"{v['mean'] / 1000:g} ns, at most {v['max'] / 1000:g} ns") for n, v in result.latency.items()]
    facts += [("late bits", f"{count} of {crossing}") for crossing, count in result.late_bits.items()]
    facts += [(name, path if name == "alone" else str(run.folder / path)) for name, path in row.artefacts.items()]
    for name, text in facts:
        out.print(f"  {name:<12} {text}", markup=False, soft_wrap=True)
    for failure in (*result.failures, *(f"warning: {text}" for text in result.warnings)):
        out.print(failure, markup=False, soft_wrap=True)
    if result.log:
        out.print(result.log, markup=False, soft_wrap=True)
    out.print(f"repeat: {run.repeat(item.key)}", markup=False, soft_wrap=True)


def _port_text(figures: Mapping[str, Any]) -> str:
    text = f"{figures['direction']}, {figures['beats']} beats, {figures['frames']} frames"
    return (
        text
        if figures["mb_per_s"] is None
        else f"{text}, {figures['mb_per_s']:g} MB/s, {figures['share']:.1%} of the port"
    )


def compare_command(
    before: Annotated[str, typer.Argument(metavar="RUN", help="Number of the earlier run.")],
    after: Annotated[str, typer.Argument(metavar="RUN", help="Number of the later run.")],
    as_json: Json = False,
) -> None:
    """Compare two runs: new and fixed failures, changes in cycles.

    Exit code: 0 no new failure, 1 new failures, 2 bad usage.
    """
    with Store(read_only=True) as store:
        first, second = find_run(store, before), find_run(store, after)
        change = compare_runs(store.briefs(first.id), store.briefs(second.id), excused_of(store, second))
    if as_json:
        print_json({"before": first.id, "after": second.id, **change.as_dict()})
    else:
        out = Screen(highlight=False)
        out.print(f"run {first.id} (git {first.git}) -> run {second.id} (git {second.git})", markup=False)
        _list(out, "new failures", [f"{k}: {why}" for k, why in change.broken])
        _list(out, "new failures in quarantine", [f"{k}: {why}" for k, why in change.quarantined])
        _list(out, "fixed", change.fixed)
        _list(out, "slower", [f"{c.key}: {c.before} -> {c.after} cycles ({c.change:+.1%})" for c in change.slower])
        _list(out, "faster", [f"{c.key}: {c.before} -> {c.after} cycles ({c.change:+.1%})" for c in change.faster])
        _list(out, "other traces, same cycles", change.differ)
        out.print(
            f"{change.same} of {change.common} common cases are the same in every trace; "
            f"{change.gone} are only in the first run, {change.added} only in the second"
            + (f"; {change.not_run} have a result in one run only" if change.not_run else "")
        )
    if change.broken:
        raise typer.Exit(FAILED)


def _list(out: Console, title: str, lines: Sequence[str]) -> None:
    if not lines:
        return
    out.print(f"[bold]{title}[/] ({len(lines)})")
    for line in lines[: 4 * _SHOWN]:
        out.print(f"  {line}", markup=False, soft_wrap=True)
    if len(lines) > 4 * _SHOWN:
        out.print(f"  ... and {len(lines) - 4 * _SHOWN} more")


def tell_changes(notes: Sequence[str]) -> None:
    """Print what has changed since a run."""
    err = Screen(stderr=True, highlight=False)
    for text in notes:
        err.print(text, style="yellow", markup=False, soft_wrap=True)


__all__ = ["register", "suite_names"]
