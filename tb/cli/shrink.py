# SPDX-License-Identifier: Apache-2.0
"""``goldbeat shrink``: from a failure to the smallest stimulus that shows it."""

from __future__ import annotations

import shlex
import tempfile
import time
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.json_file import read_json
from goldbeat.pymodels.stimulus_file import KeptStimulus, write_stimulus
from goldbeat.tb.cli.common import Force, Json, check_free, examples, print_json
from goldbeat.tb.cli.run import request_of
from goldbeat.tb.cli.screen import Screen
from goldbeat.tb.cli.timeline import Trust
from goldbeat.tb.paths import build_root, plain_name
from goldbeat.tb.regress.trust import code_of_project
from goldbeat.tb.run.report import write_report
from goldbeat.tb.run.run_folder import REPORT, prepare
from goldbeat.tb.run.runs import Request, run
from goldbeat.tb.shrink.parameter_search import ParameterSearch
from goldbeat.tb.shrink.pieces import beats_of
from goldbeat.tb.shrink.search import Shrinker, Watch
from goldbeat.tb.shrink.trials import Episodes, Trial, Trials

FILE = "stimulus.json"
_NOTHING = "nothing smaller fails in the same way"

What = Annotated[
    list[str],
    typer.Argument(
        metavar="FOLDER | [RUN/]CASE | DESIGN OPTIONS",
        help="Folder of a run, case of a regression, or a design with options of `goldbeat run`.",
    ),
]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Folder of the result [build/shrink/NAME].")]
Limit = Annotated[
    float, typer.Option("--limit", metavar="S", min=1, help="Limit in seconds; the best result until then is kept.")
]
NoWaves = Annotated[bool, typer.Option("--no-waves", help="Write no waves of the result (saves a build).")]
Parameters = Annotated[
    bool, typer.Option("--parameters", help="Try smaller parameters after the stimulus; each set costs a build.")
]
Builds = Annotated[int, typer.Option("--builds", metavar="N", min=1, help="With --parameters: make at most N builds.")]


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command(
        "shrink",
        no_args_is_help=True,
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
        epilog=examples(
            "goldbeat shrink build/runs/my_fifo-random      a run that has failed",
            "goldbeat shrink 12/my_fifo/random#3            a case of regression 12",
            "goldbeat shrink my_fifo --case sweep --seed 7  what `goldbeat run` takes",
            "goldbeat shrink my_fifo --seed 7 --parameters  on smaller parameters as well",
        ),
    )(shrink_command)


def shrink_command(
    context: typer.Context,
    what: What,
    out: Out = None,
    limit: Limit = 300.0,
    parameters: Parameters = False,
    builds: Builds = 12,
    no_waves: NoWaves = False,
    trust: Trust = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Find the smallest stimulus that fails in the same way.

    Removes episodes, frames, beats and register accesses, and simplifies gaps, back-pressure and values,
    as long as the first failure stays of the same kind at the same port. The same call gives the same
    result unless --limit ends it early. Run the result with `goldbeat run DESIGN --stimulus FILE`, or
    add it to a description as a case (make = "stimulus:FILE").

    --parameters then tries smaller parameters: the description's `variants`, then halves of single
    numbers, as long as the failure stays the same. It ends after --builds builds, failed ones included.

    Exit code: 0 done, 2 bad usage, bad input, or a case that does not fail.
    """
    words = [*what, *context.args]
    # What the user has typed needs no trust; what a folder or a file of results names does.
    recorded = len(words) == 1 and (Path(words[0]).is_dir() or "#" in words[0])
    with code_of_project(trust=trust or not recorded):
        result = _shrunk(_request(words), out, force, limit, builds if parameters else 0, no_waves, quiet=as_json)
    if as_json:
        print_json(result)
    else:
        _show(result)


def _shrunk(
    request: Request, out: Path | None, force: bool, limit: float, builds: int, no_waves: bool, *, quiet: bool
) -> dict[str, Any]:
    """Shrink, run the result once more and keep it; what there is to say of it."""
    folder = out or build_root() / "shrink" / plain_name(f"{request.label}-seed{request.seeds[0]}")
    folder.mkdir(parents=True, exist_ok=True)
    check_free(folder / FILE, force)
    started = time.monotonic()
    err = Screen(stderr=True)
    # The simulator runs in folders of its own: what it gets of names must not count from here.
    inside = folder.resolve()
    with tempfile.TemporaryDirectory(prefix="trials-", dir=inside) as place:
        status = err.status("building") if err.is_terminal and not quiet else nullcontext()
        with status as bar:

            def watch(text: str, episodes: Episodes) -> None:
                if bar is not None:
                    bar.update(f"{request.design.name}: {text}, {beats_of(episodes)} beats and accesses left")

            original, best, search = _searched(request, Path(place), started + limit, builds, watch)
            before, request = request, search.trials.request
            path = folder / FILE
            write_stimulus(path, _kept(request, best))
            # A run of its own: waves, traces and report of just that.
            repeat = _again(request, best, path)
            report = write_report(
                run(replace(repeat, waves=not no_waves), inside / "sim", begin=partial(prepare, folder / "run")),
                folder / "run",
            )
    result = _result(request, original, best, path, search.count, time.monotonic() - started, report["status"])
    return result | {"command": repeat.command(), "builds": search.builds, "parameters": _smaller(before, request)}


def _searched(
    request: Request, place: Path, end: float, builds: int, watch: Watch
) -> tuple[Trial, Trial, ParameterSearch]:
    """What fails, the smallest of it that was found until a time, and the search that has its parameters."""
    trials = Trials(request, place)
    original = trials.original()
    if original.kind is None:
        raise UsageError(f"{request.label}, seed {request.seeds[0]}: the case passes; there is nothing to shrink")

    def out_of_time() -> bool:
        return time.monotonic() > end

    best = Shrinker(trials, original.kind, out_of_time, watch).shrink(original)
    search = ParameterSearch(trials, original.kind, builds, out_of_time, watch)
    return original, search.shrink(best), search


def _request(words: list[str]) -> Request:
    place = Path(words[0])
    if len(words) == 1 and place.is_dir():
        request = request_of(_words_of(place))
    elif len(words) == 1 and "#" in words[0]:
        request = _recorded(words[0])
    else:
        request = request_of(words)
    if len(request.seeds) > 1:
        raise UsageError("--seeds: expected one seed; give the failing one with --seed N")
    if request.x_check:
        raise UsageError("--x-check cannot be shrunk: its failure does not depend on the stimulus")
    return replace(request, waves=False)


def _words_of(folder: Path) -> list[str]:
    """The arguments of the run that a folder is of; of many seeds, those of the first that failed."""
    path = folder / REPORT
    if not path.is_file():
        raise UsageError(f"{folder}: no {REPORT} in it; expected a folder of `goldbeat run`")
    try:
        report: dict[str, Any] = read_json(path, "what `goldbeat run` has written")
        failed = [one["repeat"] for one in report.get("seeds", ()) if one["status"] == "fail"]
        words = shlex.split(failed[0] if failed else report["repeat"])
    except (ValueError, KeyError, TypeError):
        raise InputError("no report of a run", "what `goldbeat run` has written", file=path) from None
    if words[:2] != ["goldbeat", "run"]:
        raise UsageError(f"{path}: {shlex.join(words)}: only cases of `goldbeat run` can be shrunk")
    return words[2:]


def _recorded(case: str) -> Request:
    """A case of a regression."""
    from goldbeat.tb.cli.regress import find_recorded
    from goldbeat.tb.design.catalog import find_design
    from goldbeat.tb.regress.store import Store
    from goldbeat.tb.regress.worker import make_request

    with Store(read_only=True) as store:
        item = find_recorded(store, case)[1].item
    return make_request(item, find_design(item.source or item.design))


def _kept(request: Request, best: Trial) -> KeptStimulus:
    first = best.failures[0].partition("\n")[0]
    return KeptStimulus(
        request.design.name,
        request.case.name,
        request.seeds[0],
        tuple(best.episodes),
        dict(request.params),
        {name: value for name, value in request.options.items() if name not in request.case.files},
        first,
    )


def _again(request: Request, best: Trial, path: Path) -> Request:
    """The run of the result by itself."""
    origin = replace(request.origin, files={}, clock_mhz=None, name=None, stimulus=str(path))
    return replace(request, stimuli=tuple(best.episodes), inputs={}, origin=origin)


def _result(
    request: Request, original: Trial, best: Trial, path: Path, trials: int, seconds: float, status: str
) -> dict[str, Any]:
    before, after = beats_of(original.episodes), beats_of(best.episodes)
    return {
        "case": f"{request.design.name} {request.case.name}, seed {request.seeds[0]}",
        "failure": best.failures[0],
        "kind": str(best.kind),
        "episodes": [len(original.episodes), len(best.episodes)],
        "beats": [before, after],
        "share": after / before if before else None,
        "trials": trials,
        "seconds": round(seconds, 1),
        "status": status,
        "stimulus": str(path),
    }


def _smaller(before: Request, now: Request) -> dict[str, list[Any]]:
    """Parameters that have become smaller: value before, and now."""
    pairs = {name: [value, now.all_params[name]] for name, value in before.all_params.items()}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _show(result: dict[str, Any]) -> None:
    out = Screen(highlight=False)
    out.print(result["failure"], markup=False, soft_wrap=True)
    (before, after), (many, few) = result["beats"], result["episodes"]
    small = "" if after < before or few < many else f": {_NOTHING}"
    text = f"{before} beats and accesses in {many} episode(s) before, {after} in {few} now{small}"
    out.print(f"{text} ({result['trials']} trials, {result['seconds']} s)", markup=False, soft_wrap=True)
    if result["builds"]:
        changed = ", ".join(f"{name} {one} -> {other}" for name, (one, other) in result["parameters"].items())
        text = changed or "none smaller fails in the same way"
        out.print(f"parameters: {text} ({result['builds']} builds)", markup=False, soft_wrap=True)
    out.print(f"stimulus: {result['stimulus']}", markup=False, soft_wrap=True)
    out.print(f"repeat: {result['command']}", markup=False, soft_wrap=True)
