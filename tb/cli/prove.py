# SPDX-License-Identifier: Apache-2.0
"""``goldbeat prove``: what can be proven of RTL, from the same description that is simulated."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import typer

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.build.yosys import Yosys, yosys
from goldbeat.tb.cli import probe
from goldbeat.tb.cli.common import (
    FAILED,
    PARTIAL,
    Json,
    budget_seconds,
    examples,
    print_json,
    say,
    say_build,
    say_nothing,
    status_word,
)
from goldbeat.tb.cli.options import as_pairs, split_sets
from goldbeat.tb.cli.subject import VerifySubject, find_subject
from goldbeat.tb.cli.synth import Sets
from goldbeat.tb.cli.verify import BenchFolder, Map, Model, Subject
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.families import design_examples
from goldbeat.tb.git import git_revision
from goldbeat.tb.obligations.likeness import is_unlike, likeness, may_be_meant
from goldbeat.tb.obligations.summary import PROVEN
from goldbeat.tb.paths import build_root, plain_name
from goldbeat.tb.probe.write import NothingToDriveError, bare_design
from goldbeat.tb.prove.confirm import Confirmation, Confirmer, confirm_all
from goldbeat.tb.prove.page import write_proof_page
from goldbeat.tb.prove.proof import ClaimVerdict, Proof, prove
from goldbeat.tb.prove.sheet import CAPACITY, OF_MODEL
from goldbeat.tb.run.runs import Request, predict, run
from goldbeat.tb.visible import visible

PAGE = "index.html"
BUDGET_S, DEPTH, WITHIN = 60.0, 40, 16
_TEMPLATE_SEEDS = (0, 1, 2)

Budget = Annotated[
    str, typer.Option("--budget", metavar="TIME", help="Processor time for all properties together, as 20s or 5min.")
]
Depth = Annotated[
    int, typer.Option("--depth", metavar="N", min=1, help="Most cycles behind the reset that are searched.")
]
Within = Annotated[
    int, typer.Option("--within", metavar="N", min=1, max=200, help="Cycles in which something has to move.")
]
Alone = Annotated[
    bool,
    typer.Option("--alone", help="Prove the assertions of the RTL alone: no bench, all inputs are free."),
]
CaseName = Annotated[
    str | None,
    typer.Option("--case", "-c", metavar="NAME", help="Use the parameters and traffic of this case [the first]."),
]


_FREE = "no bench confirms it; inputs were free and may have done what they never do"


@dataclass(frozen=True)
class _Asked:
    """What all ways of proving are given."""

    budget_s: float
    depth: int
    within: int
    tell: Callable[[str], None]

    @property
    def options(self) -> dict[str, Any]:
        return {"budget_s": self.budget_s, "depth": self.depth, "within": self.within, "tell": self.tell}


@dataclass(frozen=True)
class _Told:
    """What is told of a property."""

    name: str
    status: str
    cycles: int
    seconds: float
    text: str
    note: str
    command: str = ""
    diagram: str = ""

    @property
    def verdict(self) -> str:
        if self.status == "bounded":
            return f"proven to {self.cycles} cycles"
        return {"undecided": "not decided", "unconfirmed": "not confirmed"}.get(self.status, self.status)


_Done = tuple[dict[str, Any], list[_Told], Path]
"""The report, what is told of each property, and the folder."""


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command(
        "prove",
        no_args_is_help=True,
        epilog=examples(
            "goldbeat prove rtl/my_fifo.sv",
            "goldbeat prove rtl/my_arbiter.sv --model merge --budget 5min",
            "goldbeat prove bench/my_fifo.toml --set DEPTH=4",
            *design_examples("prove"),
        ),
    )(prove_command)


def prove_command(
    context: typer.Context,
    subject: Subject = None,
    lists: probe.FileLists = None,
    near: probe.NearLists = None,
    top: probe.Top = None,
    includes: probe.Includes = None,
    libraries: probe.Libraries = None,
    defines: probe.Defines = None,
    generics: probe.Generics = None,
    ties: probe.Ties = None,
    ignored: probe.Ignored = None,
    bundles: probe.Bundles = None,
    relaxed: probe.Relaxed = False,
    model: Model = None,
    rdl: Map = None,
    bench: BenchFolder = None,
    case: CaseName = None,
    sets: Sets = None,
    budget: Budget = f"{BUDGET_S:g}s",
    depth: Depth = DEPTH,
    within: Within = WITHIN,
    alone: Alone = False,
    as_json: Json = False,
) -> None:
    """Prove rules, order and assertions, or find what breaks them.

    The harness is made from the description. A counterexample counts only if the simulator fails on
    it. RTL without a bench gets one first.

    Exit code: 0 everything proven, 1 refuted and confirmed by the simulator, 2 bad usage or bad
    input, 3 something is proven to some cycles only, not decided, vacuous or has no property.
    """
    asked = _Asked(budget_seconds(budget), depth, within, say_nothing if as_json else say_build)
    tool = yosys("prove")
    try:
        done = _with_bench(tool, context.params, asked) if not alone else None
    except NothingToDriveError as error:
        say(f"{str(error).partition(';')[0]}: its assertions alone are proven", err=True)
        done = None
    report, told, folder = done or _by_itself(tool, context.params, asked)
    (folder / PROVEN).write_text(json.dumps(report, indent=2), encoding="utf-8")
    diagrams = {one.name: one.diagram for one in told if one.diagram}
    write_proof_page(folder / PAGE, report, _summary(report, told), diagrams)
    if as_json:
        print_json({**report, "folder": str(folder)})
    else:
        _show(report, told, folder)
    if report["status"] != "pass":
        raise typer.Exit(FAILED if report["status"] == "fail" else PARTIAL)


def _folder(name: str) -> Path:
    folder = build_root() / "prove" / plain_name(name)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _with_bench(tool: Yosys, given: Mapping[str, Any], asked: _Asked) -> _Done:
    """The proof of a design with its bench, which confirms what it refutes."""
    subject, stream_model = _subject(given)
    design = find_design(subject.name)
    stream_model = stream_model or design.ready_model
    chosen = design.case(given["case"])
    overrides, _ = split_sets(design, chosen, as_pairs(given["sets"] or []))
    params = design.params(chosen, overrides)
    folder = _folder(design.name)
    request = Request(design, chosen, params=overrides)
    templates = list(_templates(request))
    confirmer = Confirmer(design, chosen, overrides, subject.path, templates, folder, asked.tell)
    results: dict[str, Confirmation | str] = {}
    check = partial(confirm_all, confirmer, found=results)
    found = prove(tool, design, params, stream_model, templates, folder, confirmed=check, **asked.options)
    check(found)
    confirmed = _without_guesses(results, subject, request)
    told = [_told(verdict, confirmed) for verdict in found.verdicts if _is_claim(verdict)]
    told = _without_changed_requests(found, told)
    report = _report(design, params, stream_model, found, told, subject.notes)
    return _with_ties(report, subject), told, folder


def _by_itself(tool: Yosys, given: Mapping[str, Any], asked: _Asked) -> _Done:
    """The proof of a module's assertions without a bench: its inputs do what they like."""
    if given["sets"] or given["case"] or given["rdl"]:
        raise UsageError("--alone takes no --set, --case and --rdl: there is no bench; -G sets a parameter")
    words = [Path(word) for word in given["subject"] or ()]
    options = {name: given[name] for name in signature(probe.find_module).parameters if name in given}
    sources, found = probe.find_module(words, **options)
    folder = _folder(found.module.title)
    ties = {name: found.ties[name] for text in given["ties"] or () if (name := text.partition("=")[0]) in found.ties}
    fixed = {pin for clock in found.clocks for pin in (clock.name, clock.reset, *clock.also)} | set(ties)
    free = {one.name: one.width for one in found.module.ports if one.way == "input" and one.name not in fixed}
    plain = replace(found, streams=(), registers=(), memories=(), ties=ties, ignored=())
    design = bare_design(plain, sources, folder)
    params = {name: one.default for name, one in design.parameters.items()}
    # What free inputs break may be no fault.
    proof = prove(tool, design, params, "", [], folder, free=free, confirmed=lambda proof: False, **asked.options)
    refuted = {one.claim.name: _FREE for one in proof.verdicts if one.status == "refuted"}
    told = [_told(verdict, refuted) for verdict in proof.verdicts]
    report = _report(design, params, "", proof, told, ["no bench: assertions alone, all inputs are free"])
    return report, told, folder


def _subject(given: Mapping[str, Any]) -> tuple[VerifySubject, str]:
    """What is proven, and the model of its streams that was asked for."""
    words = given["subject"] or []
    described = len(words) == 1 and not words[0].startswith("+") and Path(words[0]).suffix not in (".v", ".sv")
    if described and not (given["lists"] or given["near"]):
        # A design with a timed model of its own can have its order proven by a ready-made one.
        return find_subject({**given, "model": None}), given["model"] or ""
    return find_subject(given), ""


def _without_guesses(
    confirmed: Mapping[str, Confirmation | str], subject: VerifySubject, request: Request
) -> dict[str, Confirmation | str]:
    """The same, with a reason in place of what contradicts a guessed model that may be that of another function."""
    of_model = [name for name in confirmed if name.partition(" ")[0] in OF_MODEL]
    real = any(isinstance(confirmed[name], Confirmation) for name in of_model)
    doubt = _doubt(subject, request) if real else ""
    return {**confirmed, **dict.fromkeys(of_model if doubt else (), doubt)}


def _doubt(subject: VerifySubject, request: Request) -> str:
    """Why what contradicts a guessed model may be no fault, as ``verify`` judges it; empty: it is one."""
    if not subject.guessed:
        return ""
    if subject.doubts:
        return "a guess may be why: " + ", ".join(f"{port} ({why})" for port, why in subject.doubts.items())
    predicted, alike = likeness([result for result in run(replace(request, seeds=(0,))) if result.failures])
    if is_unlike(subject.model, predicted, alike):
        of = f"of {predicted} words {alike} came"
        return f"model {subject.model}, guessed, is not what this RTL does: {of}; --model names another"
    if subject.reworked and may_be_meant(subject.model, predicted, alike):
        return f"model {subject.model}, guessed: {subject.reworked}; --model {subject.model} says that words only pass"
    return ""


def _templates(request: Request) -> Iterator[Stimulus]:
    """What the case does in some seeds, and what the others do in one."""
    others = [case for case in request.design.cases if case.name != request.case.name and not case.slow]
    wanted = [(request.case, seed) for seed in _TEMPLATE_SEEDS] + [(case, 0) for case in others]
    for case, seed in wanted:
        if case.lacks({}) is not None:
            continue
        for stimulus, _ in predict(replace(request, case=case, seeds=(seed,)), seed).steps:
            if stimulus.stop_ps is None and not stimulus.drivers:
                yield stimulus


def _is_claim(verdict: ClaimVerdict) -> bool:
    """Bounds of counters are told only where something rests on them that is not proven."""
    return not (verdict.claim.name.startswith(CAPACITY) and verdict.status == "proven")


def _without_changed_requests(found: Proof, told: Sequence[_Told]) -> list[_Told]:
    """The claims without those that requests pass as they are, where they do not and nothing is wrong."""
    sheet = found.harness.sheet
    changed = {one.name for one in told if one.name in sheet.guessed and one.status in ("unconfirmed", "vacuous")}
    why = "the module turns requests into others; bytes are followed through it"
    sheet.excused.update(dict.fromkeys(changed, why))
    return [one for one in told if one.name not in changed]


def _told(verdict: ClaimVerdict, confirmed: Mapping[str, Confirmation | str]) -> _Told:
    claim = verdict.claim
    status, note, command, diagram = str(verdict.status), verdict.note, "", ""
    if claim.name.startswith(CAPACITY) and status == "refuted":
        status, note = "undecided", "more are in flight than the simulation has shown; what rests on it is bounded"
    elif status == "refuted":
        result = confirmed[claim.name]
        if isinstance(result, str):
            status, note = "unconfirmed", result
        else:
            note, command, diagram = result.failure, result.command, result.diagram
    return _Told(claim.name, status, verdict.cycles, verdict.seconds, claim.text, note, command, diagram)


def _report(
    design: Design, params: Mapping[str, Any], model: str, found: Proof, told: Sequence[_Told], notes: Sequence[str]
) -> dict[str, Any]:
    sheet = found.harness.sheet
    statuses = {one.status for one in told}
    if "refuted" in statuses:
        status = "fail"
    elif statuses == {"proven"} and not sheet.unproven:
        status = "pass"
    else:
        status = "partial"
    return {
        "design": design.name,
        "status": status,
        "git": git_revision(),
        "model": model,
        "parameters": dict(params),
        "flip_flops": found.flip_flops,
        "seconds": round(found.seconds, 2),
        "assumed": [*sheet.assumed, *sheet.limits.values()],
        "notes": list(notes),
        "properties": [
            {
                "name": one.name,
                "status": one.status,
                "verdict": one.verdict,
                "cycles": one.cycles,
                "seconds": round(one.seconds, 2),
                "claim": one.text,
                "note": one.note,
                "command": one.command,
            }
            for one in told
        ],
        "without_property": dict(sheet.unproven),
        "not_asked": dict(sheet.excused),
        "not_checked": design.unread(params),
    }


def _with_ties(report: dict[str, Any], subject: VerifySubject) -> dict[str, Any]:
    """The same with what is held although nobody has asked for it: what is made of that is proven for one value alone."""
    held = [f"{pin} is {'all ones' if value == -1 else value}; --tie" for pin, value in subject.tied.items()]
    unproven = dict(subject.tied_payload)
    status = "partial" if unproven and report["status"] == "pass" else report["status"]
    return {
        **report,
        "status": status,
        "assumed": [*report["assumed"], *(f"{text} says that this is meant" for text in held)],
        "without_property": {**report["without_property"], **unproven},
    }


def _summary(report: Mapping[str, Any], told: Sequence[_Told]) -> str:
    counts = Counter("proven to some cycles" if one.status == "bounded" else one.verdict for one in told)
    summary = ", ".join(f"{number} {name}" for name, number in counts.items()) or "nothing to prove"
    return f"{summary}; {report['flip_flops']} flip-flops, {report['seconds']:.0f} s"


def _show(report: Mapping[str, Any], told: Sequence[_Told], folder: Path) -> None:
    typer.echo(f"{status_word(report['status'])} {visible(report['design'])}: {_summary(report, told)}")
    for line in report["notes"]:
        say(line)
    width = max((len(one.name) for one in told), default=0)
    for one in told:
        note = f"  {one.note}" if one.note else ""
        say(f"  {one.name:{width}}  {one.verdict}{note}")
        if one.command:
            say(f"  {'':{width}}  repeat: {one.command}")
    for line in report["assumed"]:
        say(f"assumed: {line}")
    if report["not_checked"]:
        say(f"not checked: {', '.join(report['not_checked'])}")
    for name, why in report["without_property"].items():
        say(f"not proven: {name}: {why}")
    say(f"report: {folder / PROVEN}; page: {folder / PAGE}")
