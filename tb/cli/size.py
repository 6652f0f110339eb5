# SPDX-License-Identifier: Apache-2.0
"""``goldbeat size``."""

from __future__ import annotations

import json
import os
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.tb.build.in_use import sweep
from goldbeat.tb.cli.common import FAILED, Json, examples, print_json
from goldbeat.tb.cli.run import request_of
from goldbeat.tb.cli.run_options import DesignName
from goldbeat.tb.cli.screen import Screen, literal, show_table
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.extras import lacks_module
from goldbeat.tb.paths import build_root, cache_root, check_root, plain_name
from goldbeat.tb.regress.pool import LocalExecutor, TaskError
from goldbeat.tb.run.signoff import Limits, load_limits, shown
from goldbeat.tb.size.chain import predicted_depths, within_prediction
from goldbeat.tb.size.size_point import SizeJob, SizePoint, measure_point
from goldbeat.tb.size.size_search import SizeSearch, Values, smallest
from goldbeat.tb.size.size_store import SizeStore, size_key
from goldbeat.tb.size.sized_parameter import SizedParameter, sized_parameters

RESULT, CURVE = "size.json", "size.png"


ChainFile = Annotated[
    Path | None,
    typer.Option("--chain", metavar="TOML", help="Start from the depths that `goldbeat predict` gives for this."),
]


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command(
        "size",
        no_args_is_help=True,
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
        epilog=examples(
            "goldbeat size bench/my_fifo.toml --param DEPTH --limits limits.toml",
            "goldbeat size my.toml --param 'DEPTH_*=1..16' --limits limits.toml --seeds 3",
            "goldbeat size my.toml --param A=1..64,B=2..64*2 --limits limits.toml \\",
            "    --traffic '--case load' --traffic '--case random --set ready=bursty:32 --seeds 5'",
        ),
    )(size_command)


@dataclass
class _Course:
    """What was run, as it comes in."""

    names: Sequence[str]
    job: SizeJob
    store: SizeStore
    tell: Callable[[SizePoint, int], None]
    kept: dict[Values, SizePoint] = field(default_factory=dict)
    built: int = 0
    reused: int = 0

    def ask(self, pool: LocalExecutor, sets: Sequence[Values]) -> list[SizePoint]:
        """Run sets of values at the same time; those that an earlier call has run are not run again."""
        waiting: dict[Future[SizePoint], Values] = {}
        found: dict[Values, SizePoint] = {}
        for values in sets:
            if values in self.kept:
                found[values] = self.kept[values]
                self.reused += 1
            else:
                named = dict(zip(self.names, values, strict=True))
                waiting[pool.submit(measure_point, self.job, named)] = values
        for future in as_completed(waiting):
            point = future.result()
            self.store.keep(point)
            found[waiting[future]] = point
            self.built += 1
            self.tell(point, self.built + self.reused)
        return [found[values] for values in sets]


def size_command(
    context: typer.Context,
    name: DesignName,
    param: Annotated[
        list[str],
        typer.Option("--param", metavar="NAME[=VALUES]", help="Parameters to size: LOW..HIGH, LOW..HIGH*2 or 1/2/4."),
    ],
    limits: Annotated[Path, typer.Option("--limits", "-l", metavar="TOML", help="The limits, as for signoff.")],
    traffic: Annotated[
        list[str] | None,
        typer.Option("--traffic", metavar="WORDS", help="Options of another run that must keep the limits."),
    ] = None,
    chain: ChainFile = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", metavar="N", min=1, help="Number of runs at the same time [one per core]."),
    ] = None,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="S", min=0.1, help="Limit in seconds per run.")
    ] = 300.0,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder of the result [build/size/NAME].")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find the smallest parameters that keep limits.

    Other options are those of `goldbeat run` (--case, --seeds, --set, --input, ...). Each --traffic is a
    separate run; all of them must keep the limits. Results are kept: the same call resumes where it
    ended.

    Exit code: 0 done, 1 no values keep the limits, 2 bad usage or bad input.
    """
    began = time.monotonic()
    rules = load_limits(limits)
    design = find_design(name)
    parameters = sized_parameters(param, design)
    if chain is not None:
        parameters = _predicted(chain, parameters, param)
    words = [(name, *context.args, *shlex.split(one)) for one in traffic or [""]]
    job = SizeJob(request_of, tuple(words), limits.resolve(), timeout)
    _check(job, parameters)
    check_root(cache_root())
    sweep(build_root())
    folder = out or build_root() / "size" / plain_name(design.name)
    folder.mkdir(parents=True, exist_ok=True)
    source = Path(name) if name.endswith((".py", ".toml")) else None
    store = SizeStore(folder, size_key(design, [p.name for p in parameters], job, source))
    course = _Course([p.name for p in parameters], job, store, _teller(as_json), store.load())
    search, best = _searched(course, parameters, jobs or len(os.sched_getaffinity(0)))
    result = _result(design.name, parameters, search, best, course) | {"seconds": round(time.monotonic() - began, 3)}
    (folder / RESULT).write_text(json.dumps(result, indent=1) + "\n")
    _draw(parameters, search, best, rules, folder, design.name)
    if as_json:
        print_json({**result, "folder": str(folder)})
    else:
        _show(result, parameters, search, folder)
    if best is None:
        raise typer.Exit(FAILED)


def _predicted(chain: Path, parameters: Sequence[SizedParameter], param: Sequence[str]) -> list[SizedParameter]:
    """The parameters with no values above what is predicted to be enough."""
    depths = predicted_depths(chain)
    if not any(one.name in depths for one in parameters):
        named = ", ".join(depths) or "no depth"
        raise UsageError(
            f"--chain {chain}: its stages name {named}, expected one of {', '.join(p.name for p in parameters)}"
        )
    return within_prediction(parameters, depths, param)


def _searched(course: _Course, parameters: Sequence[SizedParameter], jobs: int) -> tuple[SizeSearch, SizePoint | None]:
    """The search when it has ended, and the smallest values that keep the limits."""
    pool = LocalExecutor(jobs)
    try:
        search = SizeSearch(parameters, partial(course.ask, pool), jobs)
        search.search()
    except TaskError as error:
        raise GoldbeatError(f"a run failed in an unexpected way:\n{error}") from None
    finally:
        pool.kill()
    return search, smallest(search.points.values())


def _check(job: SizeJob, parameters: Sequence[SizedParameter]) -> None:
    """Refuse arguments that no run takes, before anything is built."""
    for words in job.traffic:
        request = request_of(words)
        for one in parameters:
            if one.name in request.params:
                raise UsageError(f"--set {one.name}: it is sized by --param")
        if request.waves or request.bless:
            raise UsageError("--waves, --bless and --rebless are for `goldbeat run`")


def _teller(quiet: bool) -> Callable[[SizePoint, int], None]:
    """Shows on a terminal what was run last."""
    err = Screen(stderr=True)
    if quiet or not err.is_terminal:
        return lambda point, count: None

    def tell(point: SizePoint, count: int) -> None:
        what = "keeps" if point.keeps else "refused" if point.refused else "does not keep"
        err.print(
            f"{count}: {','.join(map(str, point.values))} {what} the limits ({point.seconds:.1f} s)", highlight=False
        )

    return tell


def _result(
    name: str, parameters: Sequence[SizedParameter], search: SizeSearch, best: SizePoint | None, course: _Course
) -> dict[str, Any]:
    points = sorted(search.points.values(), key=lambda p: (p.total, p.values))
    names = [p.name for p in parameters]
    return {
        "design": name,
        "parameters": names,
        "defaults": {p.name: p.default for p in parameters},
        "values": None if best is None else dict(zip(names, best.values, strict=True)),
        "measured": None if best is None else dict(best.measured),
        "method": "sections" if search.monotone else "one after the other",
        "monotone": search.monotone,
        "unmodelled": any(p.unmodelled for p in points),
        "run": course.built,
        "reused": course.reused,
        "traffic": [shlex.join(words) for words in course.job.traffic],
        "points": [p.as_dict() for p in points],
    }


def _limit_lines(rules: Limits) -> dict[str, float]:
    """Every limit that is a number, by ``WHERE LIMIT``."""
    kinds: list[Mapping[str, Any]] = [rules.port, rules.latency, rules.backlog, rules.transactions]
    tables = [pair for kind in kinds for pair in kind.items()]
    return {f"{where} {what}": float(limit) for where, table in tables for what, limit in table.given().items()}


def _draw(
    parameters: Sequence[SizedParameter],
    search: SizeSearch,
    best: SizePoint | None,
    rules: Limits,
    folder: Path,
    name: str,
) -> None:
    if lacks_module(CURVE, "matplotlib"):
        (folder / CURVE).unlink(missing_ok=True)
        return
    # It takes longer to import than a short search.
    from goldbeat.tb.size.size_plot import plot_sizes

    title = f"{name}: " + ", ".join(p.name for p in parameters[:4]) + (" ..." if len(parameters) > 4 else "")
    plot_sizes(parameters, list(search.points.values()), best, _limit_lines(rules), folder / CURVE, title)


def _show(result: dict[str, Any], parameters: Sequence[SizedParameter], search: SizeSearch, folder: Path) -> None:
    if result["values"] is not None:
        table = Table(title=f"Smallest values of {literal(result['design'])}", title_justify="left")
        for column in ("parameter", "default", "smallest", "tried"):
            table.add_column(column, justify="left" if column == "parameter" else "right")
        for number, one in enumerate(parameters):
            tried = len({values[number] for values in search.points})
            table.add_row(one.name, str(one.default), str(result["values"][one.name]), f"{tried} of {len(one.values)}")
        show_table(table)
    plain = Screen(highlight=False, markup=False, soft_wrap=True)
    for text in _notes(result, search):
        plain.print(text)
    plain.print(f"not drawn: {said}" if (said := lacks_module(CURVE, "matplotlib")) else f"in {folder}: {CURVE}")
    plain.print(f"in {folder}: {RESULT}")


def _notes(result: dict[str, Any], search: SizeSearch) -> Iterator[str]:
    for name, value in (result["measured"] or {}).items():
        yield f"{name}: {shown(value)}"
    if not search.monotone:
        yield "note: some larger values break limits that smaller ones keep, so values were run one after the other"
    if result["unmodelled"]:
        yield "note: outputs were not compared with a golden model; the limits alone were held"
    refused = [p for p in search.points.values() if p.refused]
    if refused:
        yield f"note: the design refuses {len(refused)} set(s) of values; the first: {refused[0].reasons[0]}"
    if result["values"] is None:
        largest = max(search.points.values(), key=lambda p: (p.total, p.values))
        yield f"no values keep the limits; the largest, {','.join(map(str, largest.values))}:"
        yield from (f"  {text}" for text in largest.reasons)
        yield "allow larger values (--param NAME=LOW..HIGH), or other limits"
    yield f"{result['run']} sets of values run, {result['reused']} taken from an earlier call, {result['seconds']:.1f} s"
