# SPDX-License-Identifier: Apache-2.0
"""``goldbeat objfifo``: object FIFO designs without a simulator."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pymodels.errors import UsageError
from pymodels.objfifo.deadlock import ITERATIONS, Report, Verdict, analyse
from pymodels.objfifo.load import load
from pymodels.objfifo.lower import plan as lower
from pymodels.objfifo.lower import violations
from pymodels.objfifo.mlir import to_mlir
from pymodels.objfifo.plan import Plan
from pymodels.objfifo.rules import RULES, RuleError, table
from pymodels.objfifo.text import to_dot, to_json
from tb.cli.common import FAILED, Json, examples, facts, print_json

app = typer.Typer(help="Object FIFO designs: check, plan.", no_args_is_help=True)

Design = Annotated[Path, typer.Argument(metavar="DESIGN.py", help="Python file with a design.")]
Arguments = Annotated[list[str] | None, typer.Argument(metavar="[-- ARG...]", help="Command line of the file.")]
Lax = Annotated[bool, typer.Option("--lax", help="Leave out the rules that mlir-aie does not check.")]


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat objfifo plan design.py",
        "goldbeat objfifo plan design.py --mlir > plan.mlir",
        "goldbeat objfifo plan design.py --json -- npu2",
        "goldbeat objfifo plan design.py --dot | dot -Tsvg > plan.svg",
    ),
)
def plan(
    design: Design,
    arguments: Arguments = None,
    as_json: Json = False,
    mlir: Annotated[bool, typer.Option("--mlir", help="Print text in the manner of MLIR's aie dialect.")] = False,
    dot: Annotated[bool, typer.Option("--dot", help="Print a graph for graphviz.")] = False,
    lax: Lax = False,
) -> None:
    """Print what a design is lowered to: buffers, locks, channels, buffer descriptors."""
    if as_json + mlir + dot > 1:
        raise UsageError("--json, --mlir and --dot exclude each other")
    found = lower(load(design, arguments or ()), strict=not lax)
    if as_json:
        print_json(to_json(found))
    elif mlir:
        typer.echo(to_mlir(found))
    elif dot:
        typer.echo(to_dot(found))
    else:
        _print_plan(found)


def _print_plan(found: Plan) -> None:
    for one in found.tiles:
        rows: list[tuple[str, str]] = []
        for pool in found.pools:
            if pool.tile != one.tile:
                continue
            first = one.buffer(pool.buffers[0])
            at = ", ".join(f"{one.buffer(n).address:#x}" for n in pool.buffers)
            rows.append((f"pool {pool.name}", f"{pool.depth} x {first.size} bytes at {at}"))
            for part in pool.segments:
                pair = [one.lock(part.producer_lock), one.lock(part.consumer_lock)]
                locks = ", ".join(f"lock {k.id} {k.name} = {k.initial}" for k in pair)
                rows.append((f"  words {part.offset}..{part.offset + part.length - 1}", locks))
        for channel in one.channels:
            bds = ", ".join(
                f"{bd.id} ({bd.buffer} +{_offset(found, one.tile.name, bd)}, {bd.length})" for bd in channel.bds
            )
            starts = ", ".join(f"start {t.bd}" + (f" x {t.repeat + 1}" if t.repeat else "") for t in channel.queue)
            rows.append((channel.name, f"{channel.fifo}: {starts or 'not started'}; BDs {bds or 'none'}"))
        facts(str(one.tile), rows or [("", "nothing")])


def _offset(found: Plan, tile: str, bd: Any) -> int:
    for one in found.tiles:
        if one.tile.name == tile:
            for buffer in one.buffers:
                if buffer.name == bd.buffer:
                    return int(bd.base_bytes - buffer.address) // 4
    for host in found.hosts:
        if host.name == bd.buffer:
            return int(bd.base_bytes - host.address) // 4
    return 0


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat objfifo check design.py",
        "goldbeat objfifo check design.py --iterations 1000",
        "goldbeat objfifo check design.py --lax -- npu",
    ),
)
def check(
    design: Design,
    arguments: Arguments = None,
    iterations: Annotated[
        int, typer.Option("--iterations", metavar="N", min=1, help="Passes asked of programs that never end.")
    ] = ITERATIONS,
    lax: Lax = False,
    as_json: Json = False,
) -> None:
    """Check every rule, then whether the design hangs. Exit code 1 if a rule is broken or it hangs."""
    report: Report | None = None
    try:
        made = load(design, arguments or ())
        broken = violations(made, strict=not lax)
        if not broken:
            report = analyse(made, iterations=iterations, strict=not lax)
    except RuleError as error:
        broken = [error]
    if as_json:
        print_json(_as_json(broken, report))
    else:
        for one in broken:
            typer.echo(f"{one.rule}: {one.text}")
        if report is not None:
            typer.echo(f"{len(RULES)} rules hold")
            typer.echo(report.text())
    if report is None or report.verdict is not Verdict.COMPLETES:
        raise typer.Exit(FAILED)


def _as_json(broken: list[RuleError], report: Report | None) -> dict[str, Any]:
    found: dict[str, Any] = {"broken": [{"rule": e.rule, "text": e.text} for e in broken], "run": None}
    if report is not None:
        found["run"] = {
            "verdict": report.verdict.value,
            "iterations": report.iterations,
            "cycle": list(report.cycle),
            "blocked": [
                {
                    "waiter": b.waiter,
                    "tile": b.tile.name,
                    "lock": b.lock,
                    "lock_id": b.lock_id,
                    "value": b.value,
                    "needed": b.needed,
                    "fifo": b.fifo,
                    "holders": list(b.holders),
                }
                for b in report.blocked
            ],
            "help": None
            if report.help is None
            else [{"fifo": f, "end": e, "now": n, "depth": d} for f, e, n, d in report.help.depths],
        }
    return found


@app.command(epilog=examples("goldbeat objfifo rules"))
def rules() -> None:
    """List the rules by name; those with a star are not checked by mlir-aie."""
    typer.echo(table())
