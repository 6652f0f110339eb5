# SPDX-License-Identifier: Apache-2.0
"""``goldbeat verify``: from RTL to a verdict that says what it could not have seen."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from goldbeat.pymodels.bus_models import BUS_MODELS
from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.tb.build.configurations import OtherValues
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
from goldbeat.tb.cli.configured import (
    configuration_lines,
    search_configurations,
    search_notes,
    verify_configurations,
    with_ways,
    worst_status,
)
from goldbeat.tb.cli.narrower import Narrower, narrower
from goldbeat.tb.cli.subject import VerifySubject, find_subject, verify_folder
from goldbeat.tb.design.bus_ports import data_bytes
from goldbeat.tb.design.bus_shared import SHARED
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.description import READY
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.families import design_examples
from goldbeat.tb.design.rules_model import RULES
from goldbeat.tb.design.traffic import SENDS_ALONE
from goldbeat.tb.design.unchecked import OF_MODEL, undecided
from goldbeat.tb.git import git_revision
from goldbeat.tb.kernel.waivers import OF_AXIS_ALONE
from goldbeat.tb.mutate.campaign import Fate, UnmutatedFailureError
from goldbeat.tb.mutate.report import score
from goldbeat.tb.mutate.sample import sample_fates
from goldbeat.tb.obligations import rounds
from goldbeat.tb.obligations.likeness import is_unlike, locks_up, may_be_meant
from goldbeat.tb.obligations.other_answers import (
    ends_before,
    fixed_bits,
    refuses,
    repeats_every,
    turns_words,
    writes_whole,
)
from goldbeat.tb.obligations.other_function import drops_frames, drops_words, other_function
from goldbeat.tb.obligations.pace import fills_queues, may_be_slow, measured_pace
from goldbeat.tb.obligations.rounds import BUDGET_S, Tried, try_all
from goldbeat.tb.obligations.summary import ADVICE, SHOWN, VERIFIED, Obligations, counts_text, obligation_lines
from goldbeat.tb.page.run_page import page_environment
from goldbeat.tb.prove.unreachable import FOLLOWS, UNREACHABLE, ProofAnswer, without_unreachable
from goldbeat.tb.run.failure_kind import REPEAT, failure_kind
from goldbeat.tb.visible import visible

PAGE = "index.html"
_TEMPLATES = Path(rounds.__file__).parent / "templates"
_ALONE = re.compile(rf"episode \d+ \((\w+) {SENDS_ALONE}\): ")
_OUTSIDE = re.compile(r"\bmem_bounds: (\w+),")
_INITIAL = re.compile(r"\bx_check: .*?, (\w+) differs: beat \d+ in cycle \d+: data [^,]*(?:;|$)")
"""What differs with other initial values is data, and neither a cycle nor a count."""
_LIMIT = re.compile(r"(?i)(?:^|_)(?:time_?out|watch_?dog|max_?(?:stall|wait))|(?-i:Time[Oo]ut|Watch[Dd]og)")
_LOSES = re.compile(r"(?i)over_?(?:flow|run)|ovf|ovr|drop|lost|loss|discard")
_LONGEST_PAUSE = 10_000
"""Cycles after which a run without progress ends."""
_BANKS = (1, 2, 4)
"""Arrays that take turns with the words of one memory."""
_LEFT = re.compile(r"\bport (\w+), beat \d+: missing beat: expected \w+, got nothing")
_GOES_ON, _DIFFERS = "axis_outstanding: ", ": data differs: "
_OTHER_SIGNAL = re.compile(r"\bport \w+, beat \d+: t?(?:keep|strb|last|id|dest|user) differs: ")
_AT_END = ": at the end of the run: "
_SIDE = re.compile(r"\bport (\w+), beat \d+: tuser differs: ")
_STARVED = re.compile(r"\bat the end of the run: (\w+): .*\bwaits for write data\b")
_IN_RESET = re.compile(r"\b\w+_in_reset: (\w+),")
_NEXT = {
    "repack": ("repack_msb", "the first word comes in the high lanes of the wider one"),
    "adapter": ("interconnect", "accesses arrive at other addresses than they have"),
}
"""Models that are tried behind guessed ones, and what the RTL does if nothing fails with them."""
_ALIKE = 3
"""Failures that differ in numbers alone, and waived obligations of one reason, that are listed."""

Subject = Annotated[
    list[str] | None,
    typer.Argument(metavar="FILE.sv...|DESIGN|FILE.toml", help="RTL without a bench, a design, or a description."),
]
Model = Annotated[
    str | None,
    typer.Option("--model", metavar="M", help=f"For RTL: ready-made golden model: {', '.join(READY)} [by the ports]."),
]
Map = Annotated[Path | None, typer.Option("--rdl", metavar="MAP", help="For RTL: register map of its register slave.")]
BenchFolder = Annotated[
    Path | None,
    typer.Option("--bench", metavar="DIR", help="For RTL: folder of the bench, used as it is if one is there."),
]
Budget = Annotated[str, typer.Option("--budget", metavar="TIME", help="Processor time, as 20s or 5min.")]
FirstSeed = Annotated[int, typer.Option("--seed", "-s", metavar="S", min=0, help="First seed.")]
Sample = Annotated[
    int, typer.Option("--mutants", metavar="N", min=0, help="Try N small changes of the RTL against the default case.")
]
Prove = Annotated[
    bool,
    typer.Option("--prove", help="Prove which open places of the RTL no input can reach (extra `prove`)."),
]
Configurations = Annotated[
    int,
    typer.Option(
        "--configurations",
        metavar="N",
        min=0,
        help="For RTL: N other parameter values, those that switch on other code.",
    ),
]
Every = Annotated[bool, typer.Option("--all", help="List the obligations that are met, too.")]


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command(
        "verify",
        no_args_is_help=True,
        epilog=examples(
            "goldbeat verify rtl/my_fifo.sv",
            "goldbeat verify rtl/my_bridge.sv --model adapter --bench bench",
            "goldbeat verify bench/my_fifo.toml --budget 5min --prove",
            "goldbeat verify rtl/my_fifo.sv --configurations 4",
            *design_examples("verify"),
        ),
    )(verify_command)


def verify_command(
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
    budget: Budget = f"{BUDGET_S:g}s",
    seed: FirstSeed = 0,
    sample: Sample = 20,
    prove: Prove = False,
    configurations: Configurations = 0,
    every: Every = False,
    as_json: Json = False,
) -> None:
    """Run all cases in rounds, and list what was not tried.

    RTL without a bench gets one first. Rounds go on until every obligation is met or the budget is
    spent. The same seed makes the same rounds. With --prove, as many seconds again look for what is
    open and cannot be met. Each of --configurations gets the same budget once more.

    Exit code: 0 equal to the model and every obligation met or waived, 1 different, 2 bad usage or
    bad input, 3 obligations are open, outputs were not compared, or a guess may be why they differ.
    """
    budget_s = budget_seconds(budget)
    tool = yosys("prove") if prove else None
    found = find_subject(context.params)
    if configurations and found.compiled is None:
        raise UsageError("--configurations is for RTL: a description has the widths of one")
    tell = say_nothing if as_json else _say_round
    design, tried = _try(found, seed, budget_s, tell)
    folder = verify_folder(design.name)
    proof = None if tool is None else _proof(tool, design, tried, folder / "proof", budget_s, tell)
    fates = _sample(found.name, design, tried, sample, seed, tell)
    verified = partial(_verified, seed=seed, budget_s=budget_s, tell=tell)
    search = search_configurations(found, context.params, configurations)
    others = verify_configurations(found, context.params, verified, search.sets, tell)
    tried.obligations = with_ways(tried.obligations, others)
    report = {
        **_report(design, tried, found, fates),
        "status": worst_status([tried.status, *(one["status"] for one in others)]),
        "proof": None if proof is None else proof.as_dict(),
        "configurations": others,
        **_searched(design, found, search, configurations),
    }
    _write(folder, report)
    _tell(design, tried, report, folder, every=every, as_json=as_json)
    if report["status"] != "pass":
        raise typer.Exit(FAILED if report["status"] == "fail" else PARTIAL)


def _searched(design: Design, subject: VerifySubject, search: OtherValues, most: int) -> dict[str, Any]:
    """What there is to say of other values of parameters, if any were asked for."""
    if not most:
        return {}
    return {
        "notes": [*subject.notes, *_parameters_note(design, subject, search_notes(search, most))],
        "configurations_refused": [{"values": values, "why": why} for values, why in search.refused],
        "left_out": search.left_out,
    }


def _verified(
    subject: VerifySubject, folder: Path, *, seed: int, budget_s: float, tell: Callable[[str], None]
) -> dict[str, Any]:
    """The report of another configuration, whose page is in a folder then."""
    design, tried = _try(subject, seed, budget_s, tell)
    report = _report(design, tried, subject, ())
    _write(folder, report)
    return {**report, "folder": str(folder)}


def _tell(design: Design, tried: Tried, report: Mapping[str, Any], folder: Path, *, every: bool, as_json: bool) -> None:
    """Print a verdict."""
    if as_json:
        print_json({**report, "folder": str(folder)})
        return
    typer.echo(f"{status_word(report['status'])} {visible(design.name)}")
    for line in _lines(tried, report, every=every):
        say(line)
    say(f"page: {folder / PAGE}")


def _try(subject: VerifySubject, seed: int, budget_s: float, tell: Callable[[str], None]) -> tuple[Design, Tried]:
    """Run all that a subject has; once more under the protocol rules alone, where a guessed model says nothing of it."""
    design = find_design(subject.name)
    pace = 0

    def again(one: Design) -> Tried:
        return _paced(
            try_all(one, subject.path, seed=seed, budget_s=budget_s, few=not fills_queues(pace), tell=tell), pace
        )

    tried = again(design)
    if subject.model and may_be_slow(tried.failures) and (pace := measured_pace(design, seed)):
        subject.pace(pace)
        subject.notes.append(f"cycles_per_beat = {pace}: measured with three beats, a quarter more included")
        design = find_design(subject.name)
        tried = again(design)
    alone = subject.model == RULES
    if subject.guessed and subject.model and not alone and tried.failures:
        design, tried = _narrowed(subject, design, tried, again)
    if subject.guessed and subject.model in _NEXT and tried.failures:
        subject, design, tried = _next_model(subject, design, tried, again)
    doubtful = subject.guessed and not alone and tried.failures and _by_model(tried)
    if doubtful and (why := _unlike(subject.model, tried)):
        subject.notes[:] = [
            f"model {subject.model}, guessed, is not what this RTL does: {why}, so protocol rules alone; --model names the "
            f"right one. With {subject.model}, the first failure: {_first(tried)}"
        ]
        subject.remake(RULES)
        alone = True
        many = any(failure_kind(text).place.startswith(_GOES_ON) for text in tried.failures)
        design = find_design(subject.name)
        tried = again(design)
        if many:
            tried.guesses = {**tried.guesses, **_under_way(tried)}
    tried.guesses = {**tried.guesses, **_doubts(subject, design, tried, alone=alone)}
    if not alone and tried.failures:
        tried.guesses = {**tried.guesses, **_other_words(subject, tried)}
    if tried.compared:
        # Words that an input makes which never moves are seen with one of its values.
        outputs = {one.name for one in design.streams if one.direction == "out"}
        tried.partial |= {f"{name}: {why}": None for name, why in subject.tied_payload.items() if name in outputs}
    for path, said in subject.variants(tried.failures) if tried.failures else ():
        other = try_all(find_design(path), path, seed=seed, budget_s=0, tell=tell)
        if not (other.failures or other.unrun):
            tried.guesses = {**tried.guesses, **said}
            break
    return design, tried


def _unlike(model: str, tried: Tried) -> str:
    """Why a guessed model is not what the RTL does, for people; empty: what differs may be a fault."""
    passes = model in ("identity", "broadcast", "route", "merge")
    if passes and (regular := other_function(tried.failed, routed=model == "route")):
        return regular
    if not tried.compared or is_unlike(model, tried.predicted, tried.alike):
        return f"of {tried.predicted} words that it predicts {tried.alike} came"
    return ""


def _first(tried: Tried) -> str:
    """The first line of the first failure."""
    return tried.failures[0].partition("\n")[0]


def _next_model(
    subject: VerifySubject, design: Design, tried: Tried, again: Callable[[Design], Tried]
) -> tuple[VerifySubject, Design, Tried]:
    """The same with the model that comes next to a guessed one, if nothing fails with it."""
    model, why = _NEXT[subject.model]
    if not (_by_model(tried) or any(_OUTSIDE.search(text) for text in tried.failures)):
        return subject, design, tried
    # Not all ports can have it.
    with suppress(UsageError):
        if subject.remake(model):
            other = find_design(subject.name)
            fresh = again(other)
            if not fresh.failures:
                fresh.partial[f"{why}; --model {model} says that it may"] = None
                first = f"with model {subject.model}, the first failure: {_first(tried)}"
                subject.notes[:] = [f"model {model}, guessed; {first}"]
                return replace(subject, model=model), other, fresh
    subject.remake(subject.model)
    return subject, find_design(subject.name), tried


def _paced(tried: Tried, pace: int) -> Tried:
    """The same with what a slow design leaves out."""
    if not fills_queues(pace):
        tried.partial["long runs: it takes long for each beat, so episodes have few beats and fill no queue"] = None
    return tried


def _narrowed(
    subject: VerifySubject, design: Design, tried: Tried, again: Callable[[Design], Tried]
) -> tuple[Design, Tried]:
    """The same without what a sound module need not do, if it does all else; what is left out is then not compared."""
    less = narrower(design, tried, subject.constant, subject.rooms())
    if not less.untried:
        return design, tried
    subject.narrow(less)
    other = find_design(subject.name)
    fresh = again(other)
    # With frames that it has room for, what fails says more than what is too long.
    if fresh.failures and not less.longest:
        subject.narrow(Narrower())
        return find_design(subject.name), tried
    fresh.partial |= {f"{pin}: {why}": None for pin, why in less.untried.items()}
    subject.notes.append(f"with all that model {subject.model} asks for, the first failure: {_first(tried)}")
    return other, fresh


def _doubts(subject: VerifySubject, design: Design, tried: Tried, *, alone: bool) -> dict[str, str]:
    """What may be why a module fails that nobody has described, by port.

    Args:
        subject: what was asked for.
        design: of the bench.
        tried: what came of it.
        alone: protocol rules alone were tried.
    """
    # What a bench without a model makes a handshake of is tied no more.
    tied = {port: why for port, why in subject.doubts.items() if port in design.ties}
    # What overflows may break any rule.
    doubts = {port.name: subject.doubts[port.name] for port in design.streams if port.name in subject.doubts}
    doubts |= tied if alone or _by_values(tried) else {}
    failures = [text for text in tried.failures if not text.startswith(REPEAT)]
    if not (failures and (alone or subject.guessed)):
        return doubts
    doubts |= _patience(design)
    doubts |= _of_values(subject, design, tried) if _by_values(tried) else {}
    doubts |= _of_refusals(subject, tried)
    if subject.model == "memory" and all(f"({SHARED}" in text for text in failures):
        doubts |= dict.fromkeys(
            subject.apart(), "no signal of another slave changes what it answers: it may have words of its own"
        )
    broken = [kind.place.rpartition(": ")[2] for kind in map(failure_kind, failures) if kind.kind == "protocol"]
    # What is tied makes the signals of the first rule; others and values may follow from it.
    doubts |= {place: subject.tied_payload[place] for place in broken[:1] if place in subject.tied_payload}
    doubts |= _unlike_sides(design, failures)
    early = [_IN_RESET.search(text) for text in failures]
    if all(match is not None and match[1] in subject.far_resets for match in early):
        return doubts | {match[1]: subject.far_resets[match[1]] for match in early if match is not None}
    # With the same stimulus, what registers held before reset is no reason to take less.
    unset = any("x_check: " in text.partition("\n")[0] and not _INITIAL.search(text) for text in failures)
    if alone and _by_values(tried) and not unset and sum(port.direction == "in" for port in design.ports) > 1:
        doubts |= {
            failure_kind(text).place: "takes less than it is offered; it may wait for what other inputs give"
            for text in failures
            # Of two runs that should be equal, none has taken less.
            if failure_kind(text).kind == "data" and "x_check: " not in text.partition("\n")[0]
        }
    if alone:
        doubts |= _of_nobody_told(failures)
    elif subject.model == "merge":
        alone_in = [_ALONE.match(text) for text in failures]
        if all(alone_in):
            why = "nothing comes where it sends alone: the module may take its inputs in turn"
            doubts |= {match[1]: why for match in alone_in if match is not None}
    return doubts


def _of_values(subject: VerifySubject, design: Design, tried: Tried) -> dict[str, str]:
    """What may be meant where values alone differ, by port or by the guessed model."""
    if subject.model == "memory":
        return _of_memory(subject, design, tried)
    inputs = [port for port in design.streams if port.direction == "in" and port.has("tready")]
    held = [port.name for port in inputs if port.pin("tready").lstrip("!") in subject.constant]
    if held and drops_frames(tried.failed):
        why = "its ready never falls, and frames are left out whole: it may drop what has no room"
    elif held and any(_LOSES.search(pin) for pin in design.ignored) and drops_words(tried.failed):
        why = "its ready never falls, and words are left out: it may drop what has no room, as one of its outputs says"
    else:
        return {}
    return dict.fromkeys(held, why)


def _of_memory(subject: VerifySubject, design: Design, tried: Tried) -> dict[str, str]:
    """What a guessed memory may be, if it is none."""
    lite = [port for port in design.register_ports({}) if port.bus == "axil" and port.has("wstrb")]
    strobes = [port for port in lite if port.pin("wstrb") in subject.unseen()] if lite else []
    if strobes and writes_whole(tried.failed):
        why = (
            "every write stores all bytes, as the RTL does not look at its WSTRB, which registers need not (AXI4-Lite)"
        )
        return {port.name: why for port in strobes}
    if ends := ends_before(tried.failed, _sizes(subject, tried)):
        why = f"{ends}: it may have no more words; --model memory says that it must"
    elif (size := repeats_every(tried.failed)) in _sizes(subject, tried):
        why = f"addresses begin again every {size} bytes, which is an array of the RTL: it may have no more words"
        why += "; --model memory says that it must"
    elif fixed := fixed_bits(tried.failed):
        why = f"{fixed}: it may be a register file; --rdl MAP describes it, --model memory says that it is none"
    else:
        return {}
    return {f"{OF_MODEL}memory": why}


def _of_refusals(subject: VerifySubject, tried: Tried) -> dict[str, str]:
    """What may be meant where accesses of one kind are refused, by the guessed model."""
    broken = [kind.place for kind in map(failure_kind, tried.failures) if kind.kind in ("protocol", "hang")]
    # What is given up may still be under way when a run ends.
    if subject.model not in BUS_MODELS or any("_outstanding: " not in place for place in broken):
        return {}
    why = turns_words(tried.failed) if subject.model in ("adapter", "interconnect") else ""
    why = why or refuses(tried.failed, _sizes(subject, tried))
    return {f"{OF_MODEL}{subject.model}": f"{why}; --model {subject.model} says that it must not"} if why else {}


def _sizes(subject: VerifySubject, tried: Tried) -> set[int]:
    """Bytes of each array of the RTL, and of a few that hold parts of words, or some of the words, of a bus."""
    found = {words * bits // 8 for words, bits in subject.stored}
    for result in tried.failed[:1]:
        design, params = result.request.design, result.request.all_params
        widths = {data_bytes(port) for port in (*design.register_ports(params), *design.memory_ports(params))}
        found |= {words * size * banks for words, _ in subject.stored for size in widths for banks in _BANKS}
    return found


def _patience(design: Design) -> dict[str, str]:
    """Ports of a module that gives up what takes longer than a parameter says: the traffic has longer pauses."""
    limits = [
        f"{name} = {one.default}"
        for name, one in design.parameters.items()
        if _LIMIT.search(name) and isinstance(one.default, int) and 0 < one.default <= _LONGEST_PAUSE
    ]
    if not limits:
        return {}
    why = f"with {', '.join(limits)} it may give up what takes longer here; set a larger value with -G"
    return {port.name: why for port in design.ports if port.direction == "out"}


def _unlike_sides(design: Design, failures: Sequence[str]) -> dict[str, str]:
    """Outputs of which TUSER alone fails, where inputs have another number of bits for it: it may mean something else there."""
    places = [match[1] if (match := _SIDE.search(text)) else "" for text in failures if _AT_END not in text]
    params = {name: one.default for name, one in design.parameters.items()}
    bits = {(port.name, port.direction): port.widths().get("tuser", 0) for port in design.bundles(params)}
    given = sorted({width for (_, way), width in bits.items() if way == "in"})
    if not given or any(bits.get((place, "out"), given[0]) in given for place in places):
        return {}
    return {
        place: f"its TUSER has {bits[place, 'out']} bit(s), that of inputs {' and '.join(map(str, given))}"
        for place in places
    }


def _of_nobody_told(failures: Sequence[str]) -> dict[str, str]:
    """Where only rules are known: ports whose failures may come of words that mean something else, or of unused lanes."""
    found: dict[str, str] = {}
    for text in failures:
        if (match := _OUTSIDE.search(text)) is not None:
            found[match[1]] = "its addresses may come of registers or words that are random here"
        elif (match := _STARVED.search(text)) is not None:
            found[match[1]] = "its data may come of an input that has ended"
        elif (match := _INITIAL.search(text)) is not None:
            found[match[1]] = "its value depends on what registers held before reset; no model says which bits count"
        elif _LEFT.search(text) is None and _AT_END not in text:
            return {}
    return found


def _by_values(tried: Tried) -> bool:
    """Whether what fails is other values, or what the RTL says itself, and no rule of a protocol."""
    return not any(failure_kind(text).kind in ("protocol", "hang") for text in tried.failures)


def _by_model(tried: Tried) -> bool:
    """Whether what fails may be a model that does not fit: other values, and outputs that go on behind what it predicts."""
    kinds = [failure_kind(text) for text in tried.failures]
    broken = [one.place for one in kinds if one.kind in ("protocol", "hang")]
    return all(place.startswith(_GOES_ON) for place in broken) and (
        not broken or any(_DIFFERS in text for text in tried.failures)
    )


def _other_words(subject: VerifySubject, tried: Tried) -> dict[str, str]:
    """A guessed model that says that words only pass, where the RTL does more with them, and words alone differ."""
    heads = [text.partition("\n")[0] for text in tried.failures if not text.startswith(REPEAT)]
    lost = tried.predicted - tried.alike
    meant = may_be_meant(subject.model or "", tried.predicted, tried.alike)
    if not (subject.reworked and meant) or not _by_model(tried) or all(_OTHER_SIGNAL.search(head) for head in heads):
        return {}
    if locks_up(tried.failed):
        return {}
    why = f"{subject.reworked}; {lost} of {tried.predicted} words that it predicts did not come"
    return {f"{OF_MODEL}{subject.model}": f"{why}; --model {subject.model} says that they must"}


def _under_way(tried: Tried) -> dict[str, str]:
    """Inputs that still wait when a run ends, if nothing else fails: what makes many beats of one may need longer."""
    failures = [text for text in tried.failures if not text.startswith(REPEAT)]
    left = [match[1] for text in failures if (match := _LEFT.search(text)) is not None]
    if any(_LEFT.search(text) is None and _AT_END not in text for text in failures):
        return {}
    return dict.fromkeys(
        left, "takes less than it is offered; what makes many beats of one may need longer than a run lasts"
    )


def _sample(name: str, design: Design, tried: Tried, count: int, seed: int, tell: Callable[[str], None]) -> list[Fate]:
    """The fates of some mutants, where the design passes."""
    if tried.failures or not tried.compared or not count:
        return []
    try:
        return sample_fates(name, design, count, seed, tell)
    except UnmutatedFailureError as error:
        # The simulator of mutants is another one, and without a mutant it failed.
        tried.failures.append(str(error))
    except GoldbeatError as error:
        tried.warnings[f"mutants could not be made, so none were tried: {error}"] = None
    return []


def _proof(
    tool: Yosys, design: Design, tried: Tried, folder: Path, budget_s: float, tell: Callable[[str], None]
) -> ProofAnswer | None:
    """What proofs say of the open obligations, which are closed where nothing can meet them; None: they say nothing."""
    cases = [case for case in design.cases if not case.slow and case.lacks({}) is None]
    params: list[dict[str, Any]] = []
    for case in cases:
        if (values := design.params(case, {})) not in params:
            params.append(values)
    try:
        found = without_unreachable(tool, design, params, tried.obligations, folder, budget_s=budget_s, tell=tell)
    except GoldbeatError as error:
        tried.warnings[f"nothing was proven: {error}"] = None
        return None
    tried.obligations = found.obligations
    return found


def _write(folder: Path, report: Mapping[str, Any]) -> None:
    """The report for machines, and its page."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / VERIFIED).write_text(json.dumps(report, indent=2), encoding="utf-8")
    opened, waived, met = (
        [one for one in report["list"] if (not one["met"], "waived" in one) == wanted]
        for wanted in ((True, False), (True, True), (False, False))
    )
    groups = (("Not tried", opened, True), ("Waived", waived, True), ("Met", met, False))
    page = page_environment(_TEMPLATES).get_template("verify.html.j2")
    text = page.render(report=report, summary=_summary(report), groups=groups)
    (folder / PAGE).write_text(text, encoding="utf-8")


def _say_round(text: str) -> None:
    if text.startswith(("round", "preparing", "proving")):
        say(text, err=True)
    say_build(text)


def _report(design: Design, tried: Tried, subject: VerifySubject, fates: Sequence[Fate]) -> dict[str, Any]:
    counted = score(fates)
    mutants = None
    if fates:
        missed = [fate.mutant for fate in fates if fate.status != "killed"]
        unnoticed = [
            f"{m.place.file.name}:{m.place.line}:{m.place.column}, {m.operator}: {m.change}, mutant {m.number}"
            for m in missed
        ]
        mutants = {"tried": len(fates), "score": counted.share, "unnoticed": unnoticed}
    return {
        "design": design.name,
        "status": tried.status,
        "git": git_revision(),
        "compares": "data, order and cycles" if tried.timed else "data and order" if tried.ordered else "frames",
        "notes": [*subject.notes, *_parameters_note(design, subject)],
        "rounds": tried.rounds,
        "runs": tried.runs,
        "episodes": tried.episodes,
        "compared": tried.compared,
        "processor_s": round(tried.seconds, 2),
        "obligations": Obligations({design.name: tried.obligations}).counts,
        "not_driven": dict(subject.tied),
        "not_checked": [pin for pin in design.ignored if pin not in design.unchecked],
        "mutants": mutants,
        "proof": None,
        "configurations": [],
        "list": [one.as_dict() for one in tried.obligations],
        "partial": list(tried.partial),
        "warnings": list(tried.warnings),
        "failures": tried.failures,
        "guesses": dict(tried.guesses),
    }


def _parameters_note(design: Design, subject: VerifySubject, tried: Iterable[str] = ()) -> Iterator[str]:
    """That other values of parameters are other designs, and what was tried of them."""
    values = ", ".join(f"{name} = {one.default}" for name, one in design.parameters.items())
    hint = "" if subject.compiled is None else " (--configurations N tries some)"
    first, *more = tried or [f"other values were not tried{hint}"]
    if values:
        yield f"with {values}; {first}"
        yield from more


def _summary(report: Mapping[str, Any]) -> str:
    """What was compared, how many obligations are met, and how many mutants were noticed."""
    mutants = report["mutants"]
    said = "" if mutants is None else f"; mutants: {mutants['score']:.0%} of {mutants['tried']} noticed"
    proof = report["proof"]
    if proof is not None:
        said += f"; proof: {proof['unreachable']} of {proof['asked']} open places cannot be reached"
        said += f", {proof['following']} more follow from waivers" if proof["following"] else ""
    return (
        f"{report['compares']}: {report['compared']} values compared in {report['episodes']} episodes of "
        f"{report['runs']} runs; {counts_text(report['obligations'])}{said}"
    )


def _few(failures: Sequence[str]) -> Iterator[str]:
    """The first failures: of those that differ in numbers alone three, and how many there are beside these."""
    seen = Counter[str]()
    shown: list[str] = []
    for text in failures:
        alike = re.sub(r"\d+", "", text)
        seen[alike] += 1
        if seen[alike] <= _ALIKE and len(shown) < SHOWN:
            shown.append(text)
    yield from shown
    if len(failures) > len(shown):
        yield f"... and {len(failures) - len(shown)} more failures; all in {VERIFIED}"


def _lines(tried: Tried, report: Mapping[str, Any], *, every: bool) -> Iterator[str]:
    """What the verdict rests on, and what was not tried."""
    yield _summary(report)
    yield from report["notes"]
    yield from configuration_lines(report["configurations"])
    yield from _few(tried.failures)
    if tried.guesses and (tried.failures or any(OF_AXIS_ALONE in text for text in tried.partial)):
        yield undecided(tried.guesses)
    yield from (f"not compared: {text}" for text in tried.partial)
    if report["not_driven"]:
        held = (
            f"{pin} (all ones)" if value == -1 else f"{pin} ({value})" for pin, value in report["not_driven"].items()
        )
        yield f"not driven, but held: {', '.join(held)}; --tie PORT=VALUE says that this is meant"
    if report["not_checked"]:
        yield f"not checked: {', '.join(report['not_checked'])}"
    yield from (f"warning: {text}" for text in tried.warnings)
    yield from Obligations({report["design"]: tried.obligations}).lines(None if every else SHOWN, "; --all lists them")
    if tried.open and tried.status == "partial":
        yield ADVICE
    if report["mutants"] is not None:
        yield from (f"not noticed: {text}" for text in report["mutants"]["unnoticed"][:SHOWN])
    if every:
        yield from obligation_lines("met", [one for one in tried.obligations if one.met])
    shown = [
        one
        for one in tried.obligations
        if one.waived is not None and (every or one.waived not in (UNREACHABLE, FOLLOWS))
    ]
    for reason in dict.fromkeys(one.waived for one in shown):
        keys = [one.key for one in shown if one.waived == reason]
        few = keys if every else keys[:_ALIKE]
        yield from (f"waived: {key} ({reason})" for key in few)
        if more := len(keys) - len(few):
            yield f"waived: {more} more for the same reason; --all lists them"
