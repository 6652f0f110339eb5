# SPDX-License-Identifier: Apache-2.0
"""``goldbeat timeline``."""

from __future__ import annotations

import shlex
from contextlib import ExitStack, chdir
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.json_file import read_json
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.build.in_use import job_folder
from goldbeat.tb.cli.common import Force, Json, check_free, examples, print_json, say, working
from goldbeat.tb.cli.run import request_of
from goldbeat.tb.paths import build_root
from goldbeat.tb.regress.trust import check_trusted, code_of_project
from goldbeat.tb.run.run_folder import REPORT, TIMELINE
from goldbeat.tb.run.runs import NONE, Request, RunResult, run
from goldbeat.tb.run.simulate import TIMEOUT_S
from goldbeat.tb.run.timeline import save_timeline
from goldbeat.tb.timeline.write import MOST_SLICES, UNITS

_CHANGED = "the design, its model or its inputs have changed since; run it again with --timeline"

What = Annotated[
    str,
    typer.Argument(metavar="FOLDER | [RUN/]CASE", help="Folder of a run, or case of a regression."),
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help=f"The trace [{TIMELINE} in the run's folder].")
]
EpisodeNumber = Annotated[
    int | None,
    typer.Option("--episode", metavar="N", min=0, help="Number of the episode, from 0 [the one in the report]."),
]
UnitName = Annotated[
    str,
    typer.Option(
        "--unit", metavar="ns|cycles", help="Unit of time: ns, or cycles with 1 us per cycle as in traces of silicon."
    ),
]
Most = Annotated[
    int, typer.Option("--most", metavar="N", min=1, help="Largest number of slices per row; more are merged.")
]
Beside = Annotated[
    Path | None, typer.Option("--with", metavar="FILE", help="Add the processes of another trace (JSON).")
]

Trust = Annotated[bool, typer.Option("--trust", help="Allow code outside this project.")]


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command(
        "timeline",
        no_args_is_help=True,
        epilog=examples(
            "goldbeat timeline build/runs/my_fifo-random     writes trace.json.gz there",
            "goldbeat timeline 12/my_fifo/random#3           a case of regression 12",
            "goldbeat timeline build/runs/my_fifo-random --unit cycles --with silicon.json --out both.json.gz",
        ),
    )(timeline_command)


def timeline_command(
    what: What,
    out: Out = None,
    episode: EpisodeNumber = None,
    unit: UnitName = "ns",
    most: Most = MOST_SLICES,
    beside: Beside = None,
    trust: Trust = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write the timeline of a recorded case for Perfetto.

    The case runs again with its seed and must repeat the recording. Open the file in
    https://ui.perfetto.dev or chrome://tracing.

    Exit code: 0 done, 2 bad usage, bad input, or a case that no longer repeats its recording.
    """
    chosen = next((one for one in UNITS if one == unit), None)
    if chosen is None:
        raise UsageError(f"--unit {unit}: expected {' or '.join(UNITS)}")
    if out is not None:
        check_free(out, force, [Path(what)])
    others = [] if beside is None else read_events(beside)
    place, here = Path(what), Path.cwd()
    # What a bench reads once more for the rows of its timeline is found and trusted as it was for the run.
    with code_of_project(trust=trust), ExitStack() as stack:
        with working(f"running {what}"):
            target, result = _from_folder(place, stack) if place.is_dir() else _from_regression(what, trust=trust)
        target = out or target
        with working(f"writing {target}"):
            path = here / target
            path.parent.mkdir(parents=True, exist_ok=True)
            metadata = save_timeline(result, path, number=episode, unit=chosen, most=most, beside=others)
    _tell(target, metadata, as_json)


def _tell(path: Path, metadata: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json({"timeline": str(path), **metadata})
        return
    say(f"timeline: {path}")
    for one in metadata["thinned"]:
        say(f"  {one['process']} {one['row']}: {one['entries']} entries, {one['written']} written")
    if metadata["not_predicted"]:
        say(f"  of RTL alone, as the model predicts no times: {', '.join(metadata['not_predicted'])}")


def read_events(path: Path) -> list[Any]:
    """The events of a trace in Chrome's format, a list or an object with ``traceEvents``, packed by gzip or not.

    Raises:
        InputError: no such file, or something else.
    """
    found = read_json(path, "a trace in Chrome's trace event format")
    events = found.get("traceEvents") if isinstance(found, dict) else found
    if not isinstance(events, list) or not all(isinstance(e, dict) and "ph" in e for e in events):
        raise InputError("no events", "a list of objects with ph, or an object with traceEvents", file=path)
    return events


def _from_folder(folder: Path, stack: ExitStack) -> tuple[Path, RunResult]:
    """Where the trace of a run's folder goes, and the run once more; until the stack ends, where it was run."""
    path = folder / REPORT
    if not path.is_file():
        raise UsageError(f"{folder}: no {REPORT} in it; expected a folder of `goldbeat run`")
    try:
        report: dict[str, Any] = read_json(path, "what `goldbeat run` has written")
        words = shlex.split(report["repeat"])
        seed, home = int(report["seed"]), Path(report["repeat_in"])
        ports, status = dict(report["ports"]), str(report["status"])
        many = "seeds" in report
    except (ValueError, KeyError, TypeError):
        raise InputError("no report of a run", "what `goldbeat run` has written", file=path) from None
    words = words[: words.index("&&")] if "&&" in words else words
    if words[:2] != ["goldbeat", "run"]:
        raise UsageError(f"{path}: {shlex.join(words)}: expected a case of `goldbeat run`")
    absolute = folder.resolve()
    if home.is_dir():
        stack.enter_context(chdir(home))
    result = _again(replace(request_of(words[2:]), seeds=(seed,)))
    for name, entry in ports.items():
        if not isinstance(kept := entry.get("trace"), str) or result.main_episode is None:
            continue
        if result.main_episode.record.outcome.ports.get(name) != Trace.load(absolute / kept):
            raise UsageError(f"{folder}: {name} does not do what was recorded: {_CHANGED}")
    if result.status != status and not many:
        raise UsageError(f"{folder}: {result.status}, and {status} was recorded: {_CHANGED}")
    return folder / TIMELINE, result


def _from_regression(case: str, *, trust: bool) -> tuple[Path, RunResult]:
    """The same of a case of a regression."""
    if "/" not in case:
        raise UsageError(f"{case}: no such folder; expected a folder of `goldbeat run`, or a case as [RUN/]CASE")
    from goldbeat.tb.cli.regress import find_recorded
    from goldbeat.tb.design.catalog import find_design
    from goldbeat.tb.regress.fingerprint import trace_hash
    from goldbeat.tb.regress.store import Store
    from goldbeat.tb.regress.worker import make_request

    with Store(read_only=True) as store:
        recorded, row = find_recorded(store, case)
    item = row.item
    for note in check_trusted(recorded, [item], trust=trust):
        say(note, err=True)
    result = _again(make_request(item, find_design(item.source or item.design)))
    was = None if row.result is None else row.result.trace_hash
    if was is not None and was != trace_hash(e.record for e in result.episodes):
        raise UsageError(f"{case} does not do what was recorded: {_CHANGED}")
    return recorded.folder / "reruns" / str(item.index) / TIMELINE, result


def _again(request: Request) -> RunResult:
    timeout_s = TIMEOUT_S if request.origin.timeout_s is None else request.origin.timeout_s
    with job_folder(build_root()) as folder:
        return run(replace(request, waves=False, traces=(NONE,)), folder / "sim", timeout_s=timeout_s)[0]
