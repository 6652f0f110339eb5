# SPDX-License-Identifier: Apache-2.0
"""``goldbeat objfifo``: object FIFO designs without a simulator."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.diagnose.hang import HangDiagnosis, explain_hang, hang_json
from goldbeat.pymodels.objfifo.engine.npu1_shim import host_costs
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.export import to_dot, to_json
from goldbeat.pymodels.objfifo.plan.lower import plan as lower
from goldbeat.pymodels.objfifo.plan.lower import violations
from goldbeat.pymodels.objfifo.plan.mlir import to_mlir
from goldbeat.pymodels.objfifo.plan.notes import Note, notes
from goldbeat.pymodels.objfifo.plan.rules import RULES, RuleError, rules_text
from goldbeat.pymodels.objfifo.untimed.deadlock import ITERATIONS, DesignVerdict, Report, analyse
from goldbeat.tb.cli.common import FAILED, PARTIAL, Json, check_free, examples, print_json, say
from goldbeat.tb.designs.objfifo import HELP
from goldbeat.tb.designs.objfifo.compiled_commands import asm, dis, load_files
from goldbeat.tb.designs.objfifo.exec_command import execute
from goldbeat.tb.designs.objfifo.plan_text import print_host_costs, print_plan
from goldbeat.tb.designs.objfifo.run_command import Arguments, Design, Lax, run
from goldbeat.tb.designs.objfifo.trace_commands import compare_trace, read_trace

app = typer.Typer(help=HELP, no_args_is_help=True)


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat objfifo plan design.py",
        "goldbeat objfifo plan design.py --mlir > plan.mlir",
        "goldbeat objfifo plan design.py --json -- npu2",
        "goldbeat objfifo plan design.py --dot | dot -Tsvg > plan.svg",
        "goldbeat objfifo plan design.py --picture plan.png",
        "goldbeat objfifo plan design.py --profile npu1",
    ),
)
def plan(
    design: Design,
    arguments: Arguments = None,
    as_json: Json = False,
    mlir: Annotated[bool, typer.Option("--mlir", help="Print text in MLIR's aie dialect.")] = False,
    dot: Annotated[bool, typer.Option("--dot", help="Print a graph for graphviz.")] = False,
    picture: Annotated[
        Path | None, typer.Option("--picture", metavar="FILE", help="Draw it into this file (PNG, SVG or PDF).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE.")] = False,
    lax: Lax = False,
    profile: Annotated[
        str,
        typer.Option(
            "--profile", metavar="ideal|npu1", help="npu1: add the time of host and controller as on silicon."
        ),
    ] = "ideal",
) -> None:
    """Print the lowered design: buffers, locks, descriptors."""
    costs = profile == "npu1"
    if profile not in ("ideal", "npu1"):
        raise UsageError(f"--profile {profile}: expected ideal or npu1")
    if costs and (mlir or dot or picture is not None):
        raise UsageError("--profile npu1 prints costs; --mlir, --dot and --picture have no place for them")
    if as_json + mlir + dot + (picture is not None) > 1:
        raise UsageError("--json, --mlir, --dot and --picture exclude each other")
    if picture is not None:
        check_free(picture, force)
    found = lower(open_fifo_design(design, arguments or ()), strict=not lax)
    if picture is not None:
        # matplotlib takes a second to import: only where something is drawn.
        from goldbeat.tb.designs.objfifo.picture import draw_plan

        draw_plan(found, picture)
    elif as_json:
        print_json(to_json(found) | ({"host": [asdict(one) for one in host_costs(found)]} if costs else {}))
    elif mlir:
        say(to_mlir(found))
    elif dot:
        say(to_dot(found))
    else:
        print_plan(found)
        if costs:
            print_host_costs(host_costs(found))


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
        int, typer.Option("--iterations", metavar="N", min=1, help="Passes of programs that never end.")
    ] = ITERATIONS,
    lax: Lax = False,
    as_json: Json = False,
) -> None:
    """Check all rules, then whether the design hangs.

    Notes list where mlir-aie's compiler gives another result; they do not change the exit code.

    Exit code: 0 sound, 1 a rule is broken or the design hangs, 2 bad usage or bad input, 3 nothing to check.
    """
    report: Report | None = None
    why: HangDiagnosis | None = None
    remarks: list[Note] = []
    lowered = False
    try:
        made = open_fifo_design(design, arguments or ())
        lowered = made.fixed is not None
        broken = violations(made, strict=not lax)
        if not broken:
            remarks = notes(made)
            report = analyse(made, iterations=iterations, strict=not lax)
            why = explain_hang(made, report, iterations=iterations, strict=not lax)
    except RuleError as error:
        broken = [error]
    if as_json:
        print_json(_as_json(broken, remarks, report, why))
    else:
        for one in broken:
            say(f"{one.rule}: {one.text}")
        if report is not None:
            say(f"{len(RULES)} rules hold" if not lowered else "read in lowered form: its compiler checked the rules")
            for note in remarks:
                say(f"note {note.name}: {note.text}")
            say("\n".join([report.text(), *(why.lines() if why is not None else ())]))
    if report is None or report.verdict is not DesignVerdict.COMPLETES:
        raise typer.Exit(FAILED)
    if report.idle and lowered:
        raise typer.Exit(PARTIAL)


def _as_json(
    broken: list[RuleError], remarks: list[Note], report: Report | None, why: HangDiagnosis | None
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "broken": [{"rule": e.rule, "text": e.text} for e in broken],
        "notes": [{"name": n.name, "text": n.text} for n in remarks],
        "run": None,
    }
    if report is not None:
        found["run"] = {
            "verdict": report.verdict.value,
            "reason": report.reason,
            "iterations": report.iterations,
            "idle": report.idle,
            "cycle": list(report.cycle),
            "why": hang_json(why),
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


app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat objfifo run design.py",
        "goldbeat objfifo run design.py --input in=stimulus.txt --name try1",
        "goldbeat objfifo run design.py --input arg0=in.npy --expect arg1=out.npy",
        "goldbeat objfifo run design.py --gaps random:0.3 --ready bursty:8 --seed 7",
        "goldbeat objfifo run design.py --profile npu1",
        "goldbeat objfifo run design.py --array --profile npu1 --work tile_0_2=200",
        "goldbeat objfifo run design.py --lax",
    ),
)(run)


@app.command(epilog=examples("goldbeat objfifo rules"))
def rules() -> None:
    """List the rules; mlir-aie does not check those with a star."""
    say(rules_text())


app.command(
    no_args_is_help=True,
    epilog=examples("goldbeat objfifo dis insts.bin", "goldbeat objfifo dis design.xclbin -o design.txt"),
)(dis)
app.command(no_args_is_help=True, epilog=examples("goldbeat objfifo asm insts.txt -o insts.bin"))(asm)
app.command(
    "load",
    no_args_is_help=True,
    epilog=examples(
        "goldbeat objfifo load insts.bin --cdo build/design.mlir.prj",
        "goldbeat objfifo load insts.bin --xclbin final.xclbin --core 0,2=add.py:add --json",
        "goldbeat objfifo run insts.bin -- --config final.xclbin --core 0,2=add.py:add",
    ),
)(load_files)
app.command(
    "exec",
    no_args_is_help=True,
    epilog=examples(
        "goldbeat objfifo exec aie.mlir --input arg0=in.npy --expect arg2=out.npy",
        "goldbeat objfifo exec vector_scalar_add.py -- --dev npu",
        "goldbeat objfifo exec aie.mlir --kernel scale=kernels.py:scale --save arg2=out.npy",
    ),
)(execute)
app.command(
    "read-trace",
    no_args_is_help=True,
    epilog=examples("goldbeat objfifo read-trace trace.txt --config insts.bin -o trace.json"),
)(read_trace)
app.command(
    "compare-trace",
    no_args_is_help=True,
    epilog=examples(
        "goldbeat objfifo compare-trace trace.txt build/runs/add --config insts.bin",
        "goldbeat objfifo compare-trace silicon.json build/runs/add --bound 20 --json",
    ),
)(compare_trace)
