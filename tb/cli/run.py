# SPDX-License-Identifier: Apache-2.0
"""``goldbeat run``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import typer
from typer.core import TyperCommand

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.stimulus_file import KeptStimulus, read_stimulus
from goldbeat.pymodels.stored_trace import Shelf
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
    say_build,
    say_nothing,
    working,
)
from goldbeat.tb.cli.options import Pair, as_pairs, own_options, settings_help, split_inputs, split_sets
from goldbeat.tb.cli.run_options import (
    AllowPartial,
    Bless,
    CaseName,
    Clocks,
    DescriptionFile,
    DesignName,
    Inputs,
    Label,
    Metastability,
    NeedObligations,
    NetlistCells,
    OnNetlist,
    PageWish,
    PayloadWishes,
    ReadyBound,
    Rebless,
    Rtl,
    Seed,
    Seeds,
    Sets,
    StimulusFile,
    Timeout,
    Top,
    Traces,
    TransactorsName,
    Waive,
    Waves,
    WithTimeline,
    XCheck,
)
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.catalog import find_case
from goldbeat.tb.design.clock_wish import ClockWish
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.families import design_examples
from goldbeat.tb.inside.job import BACKENDS
from goldbeat.tb.obligations.summary import Obligations
from goldbeat.tb.paths import build_root, cache_root, check_root
from goldbeat.tb.run.inputs import read_input
from goldbeat.tb.run.progress import Reached
from goldbeat.tb.run.report import write_report
from goldbeat.tb.run.run_folder import check_ours, prepare, run_folder
from goldbeat.tb.run.runs import ALL, Origin, Request, RunResult, run, setting_text
from goldbeat.tb.run.simulate import TIMEOUT_S
from goldbeat.tb.run.time_limit import calls_watched, end_when_stuck
from goldbeat.tb.synth.netlist import CELLS, Cells

EVERY_CASE = "all"
"""Of ``--case``."""
_WORDS = {0: "pass", FAILED: "fail", PARTIAL: "partial"}


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
            case = None if case == EVERY_CASE else case
            design, chosen = find_case(name, case)
            formatter.write("\n" + settings_help(design, design.cases if case is None else (chosen,)))


def register(app: typer.Typer) -> None:
    """Mount the command."""
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


def run_command(
    context: typer.Context,
    name: DesignName,
    case: CaseName = None,
    seed: Seed = 0,
    seeds: Seeds = 1,
    waves: Waves = False,
    timeline: WithTimeline = False,
    sets: Sets = None,
    inputs: Inputs = None,
    clocks: Clocks = None,
    metastability: Metastability = None,
    label: Label = None,
    transactors: TransactorsName = "native",
    waive: Waive = None,
    payload: PayloadWishes = None,
    ready_bound: ReadyBound = None,
    x_check: XCheck = False,
    netlist: OnNetlist = False,
    netlist_cells: NetlistCells = CELLS[0],
    stimulus: StimulusFile = None,
    traces: Traces = ALL,
    timeout: Timeout = None,
    rtl: Rtl = None,
    description: DescriptionFile = None,
    top: Top = None,
    allow_partial: AllowPartial = False,
    obligations: NeedObligations = False,
    bless: Bless = False,
    rebless: Rebless = False,
    page: PageWish = False,
    force: ReplaceFolder = False,
    as_json: Json = False,
) -> None:
    """Simulate a design and compare every beat with its golden model.

    An option of a case can be given directly: --layer c1 is --set layer=c1. The default case is the
    first one that has all options given. --case all runs every case.

    Exit code: 0 equal to the model (without a model: to the recording of --bless), 1 different or
    nothing compared, 2 bad usage or bad input, 3 some outputs were not compared, or a guess may be
    why they differ.
    """
    asked = _asked(context)
    if _every_case(asked[0], case):
        run_every_case(*asked)
    else:
        run_case(*asked)


Asked = tuple[Design, Case, list[Pair], list[str], "Wishes"]


def request_of(words: Sequence[str]) -> Request:
    """What ``goldbeat run`` would run.

    Args:
        words: its arguments.

    Raises:
        UsageError: as the command.
    """
    return requested(*asked_by(words))


def asked_by(words: Sequence[str]) -> Asked:
    """What the arguments of ``goldbeat run`` ask for; the files that they name are not read yet."""
    app = typer.Typer(add_completion=False)
    register(app)
    return _asked(typer.main.get_command(app).make_context("run", list(words)))


def _asked(context: Any) -> Asked:
    """What the words of a command line ask for."""
    given = context.params
    own = (_text(given["rtl"]), _text(given["description"]), given["top"])
    named = None if given["case"] == EVERY_CASE else given["case"]
    design, chosen = _find(given["name"], named, given["rtl"], given["description"], given["top"])
    if every := _every_case(design, given["case"]):
        given = {**given, "case": None}
    elif given["case"] == EVERY_CASE:
        chosen = design.case(EVERY_CASE)
    kept = None if given["stimulus"] is None else read_stimulus(given["stimulus"])
    if kept is not None:
        chosen = _case_of(kept, design, given)
    cases = design.cases if given["case"] is None and kept is None else (chosen,)
    words = as_pairs(given["sets"] or []) + own_options(design, cases, context.args, context.command.params)
    if every and kept is not None:
        raise UsageError("--case all and --stimulus exclude each other: a stimulus is of one case")
    if given["case"] is None and kept is None:
        chosen = _fitting(design, words, given["inputs"] or [])
    mhz, clock_wishes = split_clocks(given["clocks"] or [])
    first = given["seed"]
    if kept is not None:
        # What the file says comes first: the user's own words override it.
        words = [(key, setting_text(value)) for key, value in {**kept.params, **kept.options}.items()] + words
        if context.get_parameter_source("seed").name == "DEFAULT":
            first = kept.seed
    wishes = Wishes(
        seed=first,
        seeds=given["seeds"],
        waves=given["waves"],
        timeline=given["timeline"],
        clock=mhz,
        label=given["label"],
        transactors=given["transactors"],
        waive=tuple(given["waive"] or ()),
        payload=tuple(given["payload"] or ()),
        timeout=given["timeout"],
        source=given["name"] if given["name"].endswith((".py", ".toml")) else None,
        own=own,
        allow_partial=given["allow_partial"],
        obligations=given["obligations"],
        page=given["page"],
        force=given["force"],
        as_json=given["as_json"],
        traces=tuple(given["traces"].split(",")),
        clocks=clock_wishes,
        metastability=window(given["metastability"]),
        ready_bound=given["ready_bound"],
        x_check=given["x_check"],
        netlist=_cells(given["netlist_cells"]) if given["netlist"] else None,
        stimulus=_text(given["stimulus"]),
        stimuli=() if kept is None else kept.episodes,
        bless=given["bless"] or given["rebless"],
        rebless=given["rebless"],
    )
    return design, chosen, words, given["inputs"] or [], wishes


def _case_of(kept: KeptStimulus, design: Design, given: Mapping[str, Any]) -> Case:
    """The case that a stimulus is of."""
    if kept.design != design.name:
        raise UsageError(f"--stimulus {given['stimulus']}: it is for {kept.design}, not for {design.name}")
    if given["case"] is not None and given["case"] != kept.case:
        raise UsageError(f"--stimulus {given['stimulus']}: it is of the case {kept.case}, not of {given['case']}")
    if given["inputs"]:
        raise UsageError("--stimulus and --input exclude each other: the stimulus drives every port")
    return design.case(kept.case)


def _cells(text: str) -> Cells:
    """The cells of a netlist by their name."""
    for one in CELLS:
        if one == text:
            return one
    raise UsageError(f"--netlist-cells {text}: expected {' or '.join(CELLS)}")


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


@dataclass(frozen=True)
class Wishes:
    """How to run a case, and what to do with the results: the options of ``goldbeat run`` by their names.

    Attributes:
        seed, seeds: the first seed, and how many.
        waves: write waves.
        timeline: write a trace for Perfetto.
        clock: MHz of stimulus files; None: as described.
        label: of the run's folder.
        transactors: back end.
        waive: protocol rules that may be broken.
        payload: policies of idle payload, for all ports or by port.
        timeout: seconds.
        source: path of the description, None for a design that comes with Goldbeat.
        own: folder, description and top module of the user's RTL.
        traces: ports whose traces are kept.
        clocks: what the user says of the design's clocks, by name.
        metastability: window before an edge in which crossings are blurred, in picoseconds; None: none.
        ready_bound: cycles that a beat may wait for ready before a warning.
        x_check: run again with other initial values.
        netlist: cells of the netlist that runs in place of the RTL; None: the RTL runs.
        stimulus, stimuli: file of the stimulus, and its episodes; empty: the case makes them.
        made_from: files that the stimulus was made from.
        allow_partial, obligations, page, force, as_json, rebless: as the options.
        bless: either of --bless and --rebless.
    """

    seed: int = 0
    seeds: int = 1
    waves: bool = False
    timeline: bool = False
    clock: float | None = None
    label: str | None = None
    transactors: str = "native"
    waive: tuple[str, ...] = ()
    payload: tuple[str, ...] = ()
    timeout: float | None = None
    source: str | None = None
    own: tuple[str | None, str | None, str | None] = (None, None, None)
    traces: tuple[str, ...] = (ALL,)
    clocks: Mapping[str, ClockWish] = field(default_factory=dict)
    metastability: int | Literal["auto"] | None = None
    ready_bound: int | None = None
    x_check: bool = False
    netlist: Cells | None = None
    stimulus: str | None = None
    stimuli: Sequence[Stimulus] = ()
    made_from: tuple[str, ...] = ()
    allow_partial: bool = False
    obligations: bool = False
    page: bool = False
    force: bool = False
    as_json: bool = False
    bless: bool = False
    rebless: bool = False


def _every_case(design: Design, name: str | None) -> bool:
    """Whether ``--case`` asks for all cases: no case has that name."""
    return name == EVERY_CASE and not any(case.name == EVERY_CASE for case in design.cases)


def run_every_case(design: Design, _: Case, words: list[Pair], inputs: list[str], wishes: Wishes) -> None:
    """Run every case of a design, each in a folder of its own; parameters and errors as :func:`run_case` has them.

    An option goes to the cases that have it. Cases that need a file, or take no input where one is given, are named and
    left out.
    """
    codes: dict[str, int] = {}
    reports: list[Any] = []
    tried: list[Obligations] = []
    left: dict[str, str] = {}
    options = {name for case in design.cases for name in case.options}
    for case in design.cases:
        mine = [(key, value) for key, value in words if key in case.options or key not in options]
        if (missing := case.lacks(dict(mine))) is not None:
            left[case.name] = f"it needs --set {missing}=FILE"
        elif inputs and not case.inputs:
            left[case.name] = "it takes no --input"
        else:
            label = wishes.label and f"{wishes.label}-{case.name}"
            try:
                run_case(design, case, mine, inputs, replace(wishes, label=label), reports.append, tried)
                codes[case.name] = 0
            except typer.Exit as end:
                codes[case.name] = end.exit_code
    if not codes:
        raise UsageError(f"--case all: no case of {design.name} can run: {'; '.join(map(': '.join, left.items()))}")
    found = Obligations({}).merged(*tried)
    needed = _needed(design, wishes)
    if wishes.as_json:
        print_json({"cases": reports, "left_out": left, "obligations": {**found.as_dict(), "required": needed}})
    else:
        for name, why in left.items():
            say(f"left out: case {name}: {why}")
        for name, code in codes.items():
            say(f"{_WORDS[code]:<7} {name}")
        for line in found.report(needed=needed):
            say(line)
    # A failure counts more than what was not compared.
    worst = FAILED if FAILED in codes.values() else max(codes.values())
    if not worst and needed and found.counts["open"] and not wishes.allow_partial:
        worst = PARTIAL
    if worst:
        raise typer.Exit(worst)


def run_case(
    design: Design,
    case: Case,
    words: list[Pair],
    inputs: list[str],
    wishes: Wishes,
    tell: Callable[[Any], None] = print_json,
    tried: list[Obligations] | None = None,
) -> None:
    """Run, report and show a case; raises :class:`typer.Exit` where it does not pass.

    Args:
        design: what to run.
        case: of it.
        words: parameters and options as text.
        inputs: ``PORT=FILE``, as ``--input`` takes them.
        wishes: the other options.
        tell: takes the report as JSON, where ``as_json`` asks for it.
        tried: takes the obligations of a case that is one of several; None: it is alone, and has to meet them all.
    """
    request = requested(design, case, words, inputs, wishes)
    check_root(cache_root())
    folder = run_folder(build_root(), wishes.label, request.label)
    check_ours(folder, force=wishes.force)
    sweep(build_root())
    with ExitStack() as stack:
        shelf = Shelf(lambda: stack.enter_context(job_folder(build_root())) / "traces")
        with calls_watched(end_when_stuck):
            begin = partial(prepare, folder, force=wishes.force)
            results = _run(request, folder, wishes.as_json, begin, shelf)
            if wishes.bless:
                results = _blessed(results)
        with nullcontext() if wishes.as_json else working(f"writing {folder}"):
            found = Obligations.of_runs(results)
            needed = tried is None and _needed(design, wishes)
            obligations = {**found.as_dict(), "required": needed}
            report = write_report(results, folder, timeline=wishes.timeline, obligations=obligations)
        if tried is not None:
            tried.append(found)
        failed = [r for r in results if r.status == "fail"]
        if wishes.as_json:
            tell({**report, "folder": str(folder)})
        else:
            # What prints tables takes long to import, and machines do without.
            from goldbeat.tb.cli.run_result import show_results

            # A case about a user's file is not made to try everything.
            shown = found if needed or (tried is None and not case.files) else Obligations({})
            show_results(report, results, failed, folder, shown)
        if wishes.page:
            _make_page(folder, quiet=wishes.as_json)
    if report["status"] == "fail":
        raise typer.Exit(FAILED)
    if report["status"] == "partial" and (failed or not (wishes.allow_partial or wishes.bless)):
        raise typer.Exit(PARTIAL)


def _needed(design: Design, wishes: Wishes) -> bool:
    """Whether open obligations make a run partial."""
    return wishes.obligations or design.obligations_required


def _blessed(results: list[RunResult]) -> list[RunResult]:
    """Record what a run did, unless something failed: a recording that differs, too, unless it may be replaced."""
    from goldbeat.tb.run.blessed_check import keep_blessed

    checks = [r.blessed for r in results if r.blessed is not None]
    if len(checks) < len(results) or any(r.failures for r in results):
        return results
    kept = keep_blessed(results[0].request.design, checks)
    return [replace(r, blessed=check) for r, check in zip(results, kept, strict=True)]


def _recordable(design: Design, wishes: Wishes) -> Design:
    """The design as ``--bless`` runs it: without the model that nobody has written.

    Raises:
        UsageError: it has a golden model, or the stimulus is not a case's.
    """
    from goldbeat.tb.design.unmodelled import is_unwritten, unmodelled

    if wishes.stimuli:
        raise UsageError(
            "--bless and --stimulus exclude each other: add the stimulus to the design as a case, then record that"
        )
    if design.blessed is None:
        raise UsageError(
            f"--bless: {design.name} has a golden model; --bless is for descriptions (.toml) "
            'with model = "rules", or with a model that is not implemented yet'
        )
    return unmodelled(design) if is_unwritten(design.model) else design


def _make_page(folder: Path, *, quiet: bool) -> None:
    """Make the page of a run: after the verdict, and only where somebody wants it."""
    from goldbeat.tb.cli.report import show_page
    from goldbeat.tb.page.run_page import write_page

    made = write_page(folder)
    if not quiet:
        show_page(made)


def requested(design: Design, case: Case, words: list[Pair], inputs: list[str], wishes: Wishes) -> Request:
    """What is to be run; parameters as :func:`run_case` has them."""
    if wishes.bless:
        design = _recordable(design, wishes)
        case = design.case(case.name)
    ports, files = split_inputs(case, inputs)
    params, options = split_sets(design, case, words)
    if twice := options.keys() & files.keys():
        raise UsageError(f"--input {min(twice)}={files[min(twice)]}: {min(twice)} is given twice")
    options |= files
    all_params = design.params(case, params, options)
    period = clock_period(wishes.clock)
    read = {port: read_input(design, all_params, port, file, period, wishes.clocks) for port, file in ports.items()}
    given = {port: one.trace for port, one in read.items()}
    backend = next((b for b in BACKENDS if b == wishes.transactors), None)
    if backend is None:
        raise UsageError(f"--transactors {wishes.transactors}: expected {' or '.join(BACKENDS)}")
    own = (*wishes.own, wishes.stimulus, wishes.made_from)
    origin = Origin(wishes.source, ports, wishes.clock, wishes.label, wishes.timeout, *own)
    seeds = tuple(range(wishes.seed, wishes.seed + wishes.seeds))
    return Request(
        *(design, case, seeds, params, options, given, wishes.waves, backend, origin, wishes.waive, wishes.traces),
        *(wishes.clocks, wishes.metastability, wishes.ready_bound, wishes.x_check, wishes.stimuli),
        netlist=wishes.netlist,
        bless=wishes.bless,
        rebless=wishes.rebless,
        payload=wishes.payload,
        input_clocks={port: one.clock for port, one in read.items()},
    )


def _find(
    name: str, case: str | None, rtl: Path | None, description: Path | None, top: str | None
) -> tuple[Design, Case]:
    """The design and its case: the one named, or the first."""
    design, chosen = find_case(name, case)
    if rtl is not None:
        if design.foreign is None:
            raise UsageError(
                f"--rtl: {design.name} does not accept other RTL; make a bench for yours with `goldbeat new`"
            )
        design = design.foreign(rtl, description, top)
        chosen = design.case(case)
    elif description is not None or top is not None:
        raise UsageError("--description and --top need --rtl DIR")
    return design, chosen


def _fitting(design: Design, words: list[Pair], inputs: Sequence[str]) -> Case:
    """The first case that has the most of these options (an error then names one that is missing), or the one in its place.

    A file is sent once, by a case that takes it, rather than in every episode of one that goes through all patterns.
    """
    asked = {key for key, _ in words}
    found = max(
        design.cases, key=lambda one: (len(asked & set(one.options)), bool(inputs) and one.inputs and not one.fills)
    )
    if found.instead is None:
        return found
    return design.case(found.instead({**found.options, **dict(words), "inputs": tuple(inputs)}))


def _run(request: Request, folder: Path, quiet: bool, begin: Callable[[], None], shelf: Shelf) -> list[RunResult]:
    timeout_s = TIMEOUT_S if request.origin.timeout_s is None else request.origin.timeout_s
    if quiet or not sys.stderr.isatty():
        say_step = say_nothing if quiet else say_build
        return run(request, folder / "sim", say_step, timeout_s=timeout_s, begin=begin, shelf=shelf)
    from rich.progress import TimeRemainingColumn

    from goldbeat.tb.cli.screen import Screen, literal, progress

    name = literal(request.design.name)
    with progress(Screen(stderr=True), "far", TimeRemainingColumn()) as bar:
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


def _far(where: Reached) -> str:
    """``1.23 of 4.48 M cycles``."""
    for unit, name in ((1e6, "M"), (1e3, "k")):
        if where.cycles >= unit:
            return f"{where.cycle / unit:.2f} of {where.cycles / unit:.2f} {name} cycles"
    return f"{where.cycle} of {where.cycles} cycles"


def split_clocks(items: list[str]) -> tuple[float | None, dict[str, ClockWish]]:
    """``--clock`` as given: the clock of inputs in MHz, and the design's clocks by name."""
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
