# SPDX-License-Identifier: Apache-2.0
"""``goldbeat run``, ``goldbeat list`` and ``goldbeat doctor``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.progress import TimeRemainingColumn
from rich.table import Table
from typer.core import TyperCommand

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stored_trace import Shelf
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.build.doctor import examine
from goldbeat.tb.build.in_use import job_folder, sweep
from goldbeat.tb.cli.common import (
    FAILED,
    PARTIAL,
    Json,
    ReplaceFolder,
    clock_period,
    examples,
    print_json,
    say,
    working,
)
from goldbeat.tb.cli.options import Pair, as_pairs, own_options, settings_help, split_inputs, split_sets
from goldbeat.tb.cli.run_options import (
    AllowPartial,
    CaseName,
    Clocks,
    DescriptionFile,
    DesignName,
    Inputs,
    Label,
    Metastability,
    ReadyBound,
    Rtl,
    Seed,
    Seeds,
    Sets,
    Timeout,
    Top,
    Traces,
    TransactorsName,
    Waive,
    Waves,
)
from goldbeat.tb.cli.screen import Screen, literal, progress, show_findings
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.catalog import designs, find_case, find_design
from goldbeat.tb.design.clock_wish import ClockWish
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.families import design_examples
from goldbeat.tb.inside.job import BACKENDS
from goldbeat.tb.kernel.waivers import waived
from goldbeat.tb.paths import build_root, cache_root, check_root
from goldbeat.tb.run.inputs import read_input
from goldbeat.tb.run.progress import Reached
from goldbeat.tb.run.report import waived_in_all, whole_samples, worst_status, write_report
from goldbeat.tb.run.run_folder import check_ours, prepare, run_folder
from goldbeat.tb.run.runs import ALL, Origin, Request, RunResult, run
from goldbeat.tb.run.simulate import TIMEOUT_S
from goldbeat.tb.run.time_limit import calls_watched, end_when_stuck
from goldbeat.tb.visible import visible

_SHOWN_FAILURES = 3
_MARKS = {"fail": "[bold red]FAIL[/]", "partial": "[bold yellow]PARTIAL[/]", "pass": "[bold green]PASS[/]"}


class RunCommand(TyperCommand):
    """``goldbeat run``: behind a design's name, --help also lists what that design and its case may be set by."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options, and keep the words for the help."""
        ctx.meta[__name__] = list(args)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        super().format_help(ctx, formatter)
        words = [word for word in ctx.meta.get(__name__, []) if word not in ctx.help_option_names]
        with self.make_context(ctx.info_name, words, ctx.parent, resilient_parsing=True) as asked:
            name, case = asked.params.get("name"), asked.params.get("case")
        if name is not None:
            design, chosen = find_case(name, case)
            formatter.write("\n" + settings_help(design, design.cases if case is None else (chosen,)))


def register(app: typer.Typer) -> None:
    """Mount the commands."""
    app.command(
        "run",
        no_args_is_help=True,
        cls=RunCommand,
        # A design's own settings may stand as options: see own_options.
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
        epilog=examples(
            "goldbeat run bench/my_fifo.toml --seeds 20",
            *design_examples("run"),
        ),
    )(run_command)
    app.command("list", epilog=examples("goldbeat list", *design_examples("list")))(list_command)
    app.command("doctor", epilog=examples("goldbeat doctor", "goldbeat doctor --json"))(doctor_command)


# -- run ------------------------------------------------------------------------------------------------------------


def run_command(
    context: typer.Context,
    name: DesignName,
    case: CaseName = None,
    seed: Seed = 0,
    seeds: Seeds = 1,
    waves: Waves = False,
    sets: Sets = None,
    inputs: Inputs = None,
    clocks: Clocks = None,
    metastability: Metastability = None,
    label: Label = None,
    transactors: TransactorsName = "native",
    waive: Waive = None,
    ready_bound: ReadyBound = None,
    traces: Traces = ALL,
    timeout: Timeout = None,
    rtl: Rtl = None,
    description: DescriptionFile = None,
    top: Top = None,
    allow_partial: AllowPartial = False,
    force: ReplaceFolder = False,
    as_json: Json = False,
) -> None:
    """Build, simulate and compare a design with its golden model, beat by beat and cycle by cycle.

    What --set takes may also stand as an option of its own: --layer c1 is --set layer=c1. Without --case, the first case that
    has all of these options runs.

    Exit code: 0 everything is equal, 1 something differs (or nothing was compared), 2 bad usage or bad input,
    3 nothing differs, but outputs were not compared.
    """
    design, chosen = _find(name, case, rtl, description, top)
    words = as_pairs(sets or []) + own_options(design, design.cases if case is None else (chosen,), context.args)
    if case is None:
        chosen = _fitting(design, words)
    own = (_text(rtl), _text(description), top)
    mhz, clock_wishes = split_clocks(clocks or [])
    source = name if name.endswith((".py", ".toml")) else None
    wishes = Wishes(
        seed=seed,
        seeds=seeds,
        waves=waves,
        clock=mhz,
        label=label,
        transactors=transactors,
        waive=tuple(waive or ()),
        timeout=timeout,
        source=source,
        own=own,
        allow_partial=allow_partial,
        force=force,
        as_json=as_json,
        traces=tuple(traces.split(",")),
        clocks=clock_wishes,
        metastability=window(metastability),
        ready_bound=ready_bound,
    )
    run_case(design, chosen, words, inputs or [], wishes)


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


@dataclass(frozen=True)
class Wishes:
    """How to run a case, and what to do with the results: the options of ``goldbeat run`` by their names.

    Attributes:
        seed, seeds: the first seed, and how many.
        waves: write waves.
        clock: MHz of stimulus files without time.
        label: of the run's folder.
        transactors: back end.
        waive: protocol rules that may be broken.
        timeout: seconds.
        source: path of the description, None for a design that comes with Goldbeat.
        own: folder, description and top module of the user's RTL.
        traces: ports whose traces are kept.
        clocks: what the user says of the design's clocks, by name.
        metastability: window before an edge in which crossings are blurred, in picoseconds; None: none.
        ready_bound: cycles that a beat may wait for ready before a warning.
        allow_partial, force, as_json: as the options.
    """

    seed: int = 0
    seeds: int = 1
    waves: bool = False
    clock: float | None = None
    label: str | None = None
    transactors: str = "native"
    waive: tuple[str, ...] = ()
    timeout: float | None = None
    source: str | None = None
    own: tuple[str | None, str | None, str | None] = (None, None, None)
    traces: tuple[str, ...] = (ALL,)
    clocks: Mapping[str, ClockWish] = field(default_factory=dict)
    metastability: int | Literal["auto"] | None = None
    ready_bound: int | None = None
    allow_partial: bool = False
    force: bool = False
    as_json: bool = False


def run_case(design: Design, case: Case, words: list[Pair], inputs: list[str], wishes: Wishes) -> None:
    """Run, report and show a case; raises :class:`typer.Exit` where it does not pass.

    Args:
        design: what to run.
        case: of it.
        words: parameters and options as text.
        inputs: ``PORT=FILE``, as ``--input`` takes them.
        wishes: the other options.
    """
    ports, files = split_inputs(case, inputs)
    params, options = split_sets(design, case, words)
    if twice := options.keys() & files.keys():
        raise UsageError(f"--input {min(twice)}={files[min(twice)]}: {min(twice)} is given twice")
    options |= files
    all_params = design.params(case, params, options)
    given = _read_inputs(design, all_params, ports, wishes.clock)
    backend = next((b for b in BACKENDS if b == wishes.transactors), None)
    if backend is None:
        raise UsageError(f"--transactors {wishes.transactors}: expected {' or '.join(BACKENDS)}")
    origin = Origin(wishes.source, ports, wishes.clock, wishes.label, wishes.timeout, *wishes.own)
    seeds = tuple(range(wishes.seed, wishes.seed + wishes.seeds))
    request = Request(
        *(design, case, seeds, params, options, given, wishes.waves, backend, origin, wishes.waive, wishes.traces),
        *(wishes.clocks, wishes.metastability, wishes.ready_bound),
    )
    check_root(cache_root())
    folder = run_folder(build_root(), wishes.label, request.label)
    check_ours(folder, force=wishes.force)
    sweep(build_root())
    with ExitStack() as stack:
        shelf = Shelf(lambda: stack.enter_context(job_folder(build_root())) / "traces")
        with calls_watched(end_when_stuck):
            begin = partial(prepare, folder, force=wishes.force)
            results = _run(request, folder, wishes.as_json, begin, shelf)
        with nullcontext() if wishes.as_json else working(f"writing {folder}"):
            report = write_report(results, folder)
        failed = [r for r in results if r.status == "fail"]
        if wishes.as_json:
            print_json({**report, "folder": str(folder)})
        else:
            _show(report, results, failed, folder)
    if failed:
        raise typer.Exit(FAILED)
    if worst_status(results) == "partial" and not wishes.allow_partial:
        raise typer.Exit(PARTIAL)


def _find(
    name: str, case: str | None, rtl: Path | None, description: Path | None, top: str | None
) -> tuple[Design, Case]:
    """The design and its case: the one named, or the first."""
    design, chosen = find_case(name, case)
    if rtl is not None:
        if design.foreign is None:
            raise UsageError(f"--rtl: {design.name} runs on its own RTL alone; a description makes a bench for yours")
        design = design.foreign(rtl, description, top)
        chosen = design.case(case)
    elif description is not None or top is not None:
        raise UsageError("--description and --top go with --rtl DIR")
    return design, chosen


def _fitting(design: Design, words: list[Pair]) -> Case:
    """The first case that has the most of these options: an error then names one that is missing there."""
    asked = {key for key, _ in words}
    return max(design.cases, key=lambda one: len(asked & set(one.options)))


def _run(request: Request, folder: Path, quiet: bool, begin: Callable[[], None], shelf: Shelf) -> list[RunResult]:
    err = Screen(stderr=True)
    timeout_s = TIMEOUT_S if request.origin.timeout_s is None else request.origin.timeout_s
    name = literal(request.design.name)
    if not err.is_terminal or quiet:
        say_step = _ignore if quiet else _say_build
        return run(request, folder / "sim", say_step, timeout_s=timeout_s, begin=begin, shelf=shelf)
    with progress(err, "far", TimeRemainingColumn()) as bar:
        task = bar.add_task(name, total=None, far="")

        shelf.told = lambda beats: bar.update(task, far=f"{beats / 1e6:.1f} M beats kept")

        def watch(where: Reached) -> None:
            what = where.phase or (
                f"episode {min(where.done + 1, where.episodes)}" if where.episodes > 1 else "simulating"
            )
            far = " ".join([_far(where), where.pace]).rstrip()
            bar.update(task, total=where.cycles, completed=where.cycle, description=f"{name}: {what}", far=far)

        return run(
            request,
            folder / "sim",
            lambda step: bar.update(task, total=None, description=f"{name}: {step}", far=""),
            watch,
            timeout_s=timeout_s,
            begin=begin,
            shelf=shelf,
        )


def _say_build(step: str) -> None:
    """Off a terminal, builds alone are named: they take long, and happen once."""
    if step.endswith(" once") or " once: " in step:
        say(step, err=True)


def _ignore(step: str) -> None:
    pass


def _far(where: Reached) -> str:
    """``1.23 of 4.48 M cycles``."""
    for unit, name in ((1e6, "M"), (1e3, "k")):
        if where.cycles >= unit:
            return f"{where.cycle / unit:.2f} of {where.cycles / unit:.2f} {name} cycles"
    return f"{where.cycle} of {where.cycles} cycles"


def split_clocks(items: list[str]) -> tuple[float | None, dict[str, ClockWish]]:
    """``--clock`` as given: the clock of inputs without time in MHz, and the design's clocks by name."""
    mhz: float | None = None
    wishes: dict[str, ClockWish] = {}
    for item in items:
        name, equals, text = item.partition("=")
        if equals:
            wishes[name] = ClockWish.parse(text)
            continue
        try:
            mhz = float(item)
        except ValueError:
            raise UsageError(f"--clock {item}: expected MHZ, or NAME=[MHZ][@PHASE_PS][~JITTER_PS]") from None
    return mhz, wishes


def window(text: str | None) -> int | Literal["auto"] | None:
    """``--metastability`` as given."""
    if text is None or text == "auto":
        return "auto" if text else None
    if not text.isdigit() or not int(text):
        raise UsageError(f"--metastability {text}: expected auto, or picoseconds, at least 1")
    return int(text)


def _read_inputs(
    design: Design, params: Mapping[str, Any], files: Mapping[str, str], clock: float | None
) -> dict[str, Trace]:
    return {port: read_input(design, params, port, file, clock_period(clock)) for port, file in files.items()}


def _show(
    report: Mapping[str, Any],
    results: list[RunResult],
    failed: list[RunResult],
    folder: Path,
) -> None:
    out = Screen(highlight=False)
    first = failed[0] if failed else results[0]
    request, episode = first.request, first.main_episode
    if episode is not None:
        if request.design.streams:
            out.print(_port_table(first))
        for table in (*first.findings(), *(() if first.answer is None else first.answer.tables)):
            show_findings(table)
    for port, entry in report["ports"].items():
        if "not_compared" in entry:
            said = (
                f"not compared: {', '.join(entry['not_compared'])} of {port}; the golden model predicts nothing for it"
            )
            out.print(said, markup=False, soft_wrap=True)
        if "no_file" in entry:
            out.print(f"no PLIO file of {port}: {entry['no_file']}", markup=False, soft_wrap=True)
    left_out = [port for port, entry in report["ports"].items() if "left_out" in entry]
    if left_out:
        what = report["ports"][left_out[0]]["left_out"]
        out.print(f"traces left out ({what}): {', '.join(left_out)}", markup=False, soft_wrap=True)
    if undriven := request.design.undriven():
        said = "; ".join(f"{port}: {what}" for port, what in undriven.items())
        out.print(f"not driven: {said}", markup=False, soft_wrap=True)
    for item in waived_in_all(results).items():
        out.print(waived(*item), markup=False, soft_wrap=True)
    if request.metastability is not None:
        out.print(_crossed(results), markup=False, soft_wrap=True)
    for text in dict.fromkeys(text for result in results for text in result.warnings):
        out.print(f"warning: {text}", markup=False, soft_wrap=True)
    for result in failed[:_SHOWN_FAILURES]:
        out.print(f"[bold red]seed {result.seed} failed:[/]")
        for text in result.failures[:_SHOWN_FAILURES]:
            out.print(text, markup=False, soft_wrap=True)
        if len(result.failures) > _SHOWN_FAILURES:
            out.print(
                f"... and {len(result.failures) - _SHOWN_FAILURES} more; all in {folder}/report.json", markup=False
            )
        out.print(f"repeat: {result.request.command(result.seed)}", markup=False, soft_wrap=True)
    episodes, compared = sum(len(r.episodes) for r in results), sum(r.compared for r in results)
    for text in dict.fromkeys(text for r in results for text in r.partial):
        out.print(f"not compared: {text}", markup=False, soft_wrap=True)
    if first.answer is not None:
        for line in first.answer.lines:
            out.print(line.replace("{folder}", str(folder)), markup=False, soft_wrap=True)
    mark = _MARKS[worst_status(results)]
    tally = f"{len(results) - len(failed)} of {len(results)} seeds, " if len(results) > 1 else ""
    subject = "" if first.answer is None else f", {first.answer.subject}"
    out.print(
        f"{mark} {literal(request.design.name)} {literal(request.case.name)}{literal(subject)}: {tally}{episodes} episode(s), "
        f"{compared} output values compared {_how(request.design)}",
        soft_wrap=True,
    )
    out.print(f"in {folder}", markup=False, soft_wrap=True)


def _crossed(results: list[RunResult]) -> str:
    """What has been blurred, and how cycles are compared then."""
    late, design = sum(r.late_bits for r in results), results[0].request.design
    how = "cycles are compared as a range" if design.timed else "its model knows no range of cycles"
    return f"metastability: {late} bits were seen late at clock crossings; {how}"


def _how(design: Design) -> str:
    """What the comparison looked at beside the values."""
    if not design.ordered:
        return "frame by frame; neither their order nor their cycles are compared"
    return "with their cycles" if design.timed else "in order; their cycles are not compared"


def _port_table(result: RunResult) -> Table:
    from goldbeat.pymodels.measure import measure

    episode = result.main_episode
    assert episode is not None
    table = Table(title=literal(f"{result.request.design.name} {result.request.case.name}, seed {result.seed}"))
    for column in ("port", "beats", "frames", "cycles", "Msamples/s", "MB/s", "of limit", "model"):
        table.add_column(column, justify="left" if column in ("port", "model") else "right")
    for port in result.request.design.bundles(result.request.all_params):
        trace = episode.record.outcome.ports[port.name]
        found = measure(trace, whole_samples(trace, port.dtype)[0])
        rate = found.by_frames or found.raw
        samples = f"{rate.msamples_per_s:.2f}" if rate and rate.msamples_per_s is not None else "-"
        span = f"{trace[:1].cycle[0]}..{trace[-1:].cycle[0]}" if len(trace) else "-"
        equal = port.name in episode.verdict.ports and episode.verdict.ports[port.name].equal
        table.add_row(
            port.name,
            str(len(trace)),
            str(found.frames),
            span,
            samples,
            f"{rate.mb_per_s:.1f}" if rate else "-",
            f"{found.share(rate):.1%}" if rate else "-",
            "[green]equal[/]" if equal else "[red]differs[/]",
        )
    return table


# -- list -----------------------------------------------------------------------------------------------------------


def list_command(
    name: Annotated[str | None, typer.Argument(metavar="DESIGN", help="One design in full.")] = None,
    as_json: Json = False,
) -> None:
    """What can be run: designs, their cases, parameters and options."""
    known = designs() if name is None else {name: find_design(name)}
    if as_json:
        print_json({d.name: _facts(d) for d in known.values()})
        return
    out = Screen(highlight=False)
    for design in known.values():
        out.print(f"[bold]{literal(design.name)}[/]  {literal(design.summary)}", soft_wrap=True)
        for case in design.cases:
            out.print(
                f"    {visible(case.name, line=True):<10} {visible(case.summary, line=True)}",
                markup=False,
                soft_wrap=True,
            )
            if name is not None and case.options:
                out.print(f"               --set {_defaults(case.options)}", markup=False, soft_wrap=True)
        if name is not None:
            values = {n: p.default for n, p in design.parameters.items()}
            out.print(f"    parameters --set {_defaults(values)}", markup=False, soft_wrap=True)
            for key, known_words in design.words.items():
                out.print(f"               --set {key}={'|'.join(known_words)}", markup=False, soft_wrap=True)


def _defaults(values: Mapping[str, Any]) -> str:
    return " ".join(f"{k}={','.join(map(str, v)) if isinstance(v, tuple) else v}" for k, v in values.items())


def _facts(design: Design) -> dict[str, Any]:
    return {
        "summary": design.summary,
        "top": design.top,
        "parameters": {n: p.default for n, p in design.parameters.items()},
        "words": {key: sorted(words) for key, words in design.words.items()},
        "cases": {c.name: {"summary": c.summary, "options": dict(c.options), "inputs": c.inputs} for c in design.cases},
        "ports": [
            b.model_dump(exclude_none=True, exclude={"lanes"})
            for b in design.bundles(design.params(design.cases[0], {}))
        ],
    }


# -- doctor ---------------------------------------------------------------------------------------------------------


def doctor_command(as_json: Json = False) -> None:
    """What of the needed tools is here, and how to get what is not. Exit code 1 when something needed is missing."""
    findings = examine()
    if as_json:
        print_json([f.as_dict() for f in findings])
    else:
        out = Screen(highlight=False)
        for f in findings:
            mark = "[green]ok[/]  " if f.found else ("[red]miss[/]" if f.needed else "[yellow]none[/]")
            out.print(f"{mark} {f.name:<16} {literal(f.detail)}", soft_wrap=True)
            if not f.found:
                out.print(f"     {'':<16} to get it: {f.hint}", markup=False, soft_wrap=True)
    if any(f.needed and not f.found for f in findings):
        raise typer.Exit(FAILED)
