# SPDX-License-Identifier: Apache-2.0
"""``goldbeat objfifo``: object FIFO designs without a simulator."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.compiled_design import TEXT
from goldbeat.pymodels.objfifo.engine.npu1_shim import host_costs
from goldbeat.pymodels.objfifo.iron.worker import NoStandInError
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.export import to_dot, to_json
from goldbeat.pymodels.objfifo.plan.fifo_text import fifos_to_mlir
from goldbeat.pymodels.objfifo.plan.lower import plan as lower
from goldbeat.pymodels.objfifo.plan.mlir import to_mlir
from goldbeat.pymodels.objfifo.plan.rules import rules_text
from goldbeat.tb.cli.common import PARTIAL, Json, check_drawing, examples, print_json, say
from goldbeat.tb.designs.objfifo import HELP
from goldbeat.tb.designs.objfifo.check_command import check
from goldbeat.tb.designs.objfifo.compiled_commands import asm, compile_design, dis, load_files
from goldbeat.tb.designs.objfifo.exec_command import execute
from goldbeat.tb.designs.objfifo.opened_design import opened_design
from goldbeat.tb.designs.objfifo.plan_text import print_host_costs, print_plan
from goldbeat.tb.designs.objfifo.run_command import Arguments, Design, Lax, OneDevice, run
from goldbeat.tb.designs.objfifo.time_command import design_time
from goldbeat.tb.designs.objfifo.trace_commands import compare_trace, read_trace

app = typer.Typer(help=HELP, no_args_is_help=True)


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat objfifo plan design.py",
        "goldbeat objfifo plan design.py --mlir > plan.mlir",
        "goldbeat objfifo plan design.py --fifos > aie.mlir",
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
    fifos: Annotated[bool, typer.Option("--fifos", help="Print MLIR text before lowering: object FIFOs.")] = False,
    dot: Annotated[bool, typer.Option("--dot", help="Print a graph for graphviz.")] = False,
    picture: Annotated[
        Path | None, typer.Option("--picture", metavar="FILE", help="Draw it into this file (PNG, SVG or PDF).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE.")] = False,
    lax: Lax = False,
    device: OneDevice = None,
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
    if costs and (mlir or fifos or dot or picture is not None):
        raise UsageError("--profile npu1 prints costs; --mlir, --fifos, --dot and --picture have no place for them")
    if as_json + mlir + fifos + dot + (picture is not None) > 1:
        raise UsageError("--json, --mlir, --fifos, --dot and --picture exclude each other")
    if picture is not None:
        check_drawing("--picture", picture, force)
    written = open_fifo_design(design, arguments or (), device)
    found = lower(written, strict=not lax)
    if design.suffix == TEXT and not arguments:
        # Wrong operations of cores and of the sequence show only where the text is executed; kernels are no part of a plan.
        with suppress(NoStandInError):
            _ = opened_design(design, device=device).order
    missing = [*written.unplanned, *(written.fixed.unsupported if written.fixed is not None else ())]
    if picture is not None:
        # matplotlib takes a second to import: only where something is drawn.
        from goldbeat.tb.designs.objfifo.picture import draw_plan

        draw_plan(found, picture)
    elif as_json:
        more = {"host": [asdict(one) for one in host_costs(found)]} if costs else {}
        print_json(to_json(found) | {"unplanned": missing} | more)
    elif mlir:
        say(to_mlir(found) + "".join(f"// not in this plan: {text}\n" for text in missing))
    elif fifos:
        say(fifos_to_mlir(written))
    elif dot:
        say(to_dot(found))
    else:
        if not found.tiles and not found.flows and not missing:
            say("the design declares nothing: no buffer, no lock, no channel")
            raise typer.Exit(PARTIAL)
        print_plan(found)
        if costs:
            print_host_costs(host_costs(found))
        for text in missing:
            say(f"not in this plan: {text}")


app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat objfifo check design.py",
        "goldbeat objfifo check design.py --iterations 1000",
        "goldbeat objfifo check design.py --lax -- npu",
    ),
)(check)
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
app.command(
    "time",
    no_args_is_help=True,
    epilog=examples(
        "goldbeat objfifo time design.py",
        "goldbeat objfifo time design.py --work tile_0_2=200 --work tile_0_3=80",
        "goldbeat objfifo time design.py --seed 7 --json -- npu1",
    ),
)(design_time)


@app.command(epilog=examples("goldbeat objfifo rules"))
def rules() -> None:
    """List the rules; mlir-aie does not check those with a star."""
    say(rules_text())


app.command(
    no_args_is_help=True,
    epilog=examples("goldbeat objfifo dis insts.bin", "goldbeat objfifo dis design.xclbin -o design.txt"),
)(dis)
app.command(
    "compile",
    no_args_is_help=True,
    epilog=examples(
        "goldbeat objfifo compile design.py -o compiled",
        "goldbeat objfifo run compiled/insts.bin -- --config compiled/main.cdo --core 0,2=add.py:add",
    ),
)(compile_design)
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
        "goldbeat objfifo exec insts.bin -- --config final.xclbin --core 0,2=add.py:add",
        "goldbeat objfifo exec design.py --input arg0=in.npy --record design.npz",
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
