# SPDX-License-Identifier: Apache-2.0
"""``goldbeat objfifo run``: a design on the engine in RTL."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.cli.common import Json, ReplaceFolder

Design = Annotated[Path, typer.Argument(metavar="DESIGN.py", help="Python file with a design.")]
Arguments = Annotated[list[str] | None, typer.Argument(metavar="[-- ARG...]", help="Command line of the file.")]
Inputs = Annotated[
    list[str] | None,
    typer.Option("--input", "-i", metavar="NAME=FILE", help="A host array or PLIO port: PLIO text or CSV, or .npy."),
]
Expected = Annotated[
    list[str] | None, typer.Option("--expect", metavar="NAME=FILE", help="Expected host array after the run.")
]
Iterations = Annotated[
    int | None, typer.Option("--iterations", metavar="N", min=1, help="Passes of programs that never end.")
]
Gaps = Annotated[str, typer.Option("--gaps", metavar="PATTERN", help="Gaps at the inputs of each tile.")]
Ready = Annotated[str, typer.Option("--ready", metavar="PATTERN", help="Back-pressure at the outputs of each tile.")]
Seed = Annotated[int, typer.Option("--seed", "-s", metavar="N", min=0, help="Seed of data and patterns.")]
Profile = Annotated[
    str, typer.Option("--profile", metavar="ideal|npu1", help="Timing: the engine's own, or as on silicon.")
]
Kernels = Annotated[
    list[str] | None,
    typer.Option("--kernel", metavar="NAME=FILE.py:FUNCTION", help="Python function in place of a compiled kernel."),
]
Array = Annotated[
    bool, typer.Option("--array", help="All tiles at once, from host to host: the cycles of the whole design.")
]
Work = Annotated[
    list[str] | None,
    typer.Option("--work", metavar="[TILE=]CYCLES", help="What a core needs to compute, with --array."),
]
OneDevice = Annotated[
    str | None, typer.Option("--device", metavar="NAME", help="Device, if the design leaves it open.")
]
OneSequence = Annotated[
    str | None, typer.Option("--sequence", metavar="NAME", help="Runtime sequence, if a device in text has several.")
]
Partial = Annotated[
    bool, typer.Option("--partial", help="Run the tiles that the engine can run, and leave out the others.")
]
Label = Annotated[
    str | None, typer.Option("--name", "-n", metavar="NAME", help="Folder under build/runs [the file's name].")
]
Lax = Annotated[bool, typer.Option("--lax", help="Skip the rules that mlir-aie does not check, if a plan exists.")]


def run(
    design: Design,
    arguments: Arguments = None,
    inputs: Inputs = None,
    expected: Expected = None,
    iterations: Iterations = None,
    gaps: Gaps = "none",
    ready: Ready = "none",
    seed: Seed = 0,
    profile: Profile = "ideal",
    kernel: Kernels = None,
    array: Array = False,
    work: Work = None,
    device: OneDevice = None,
    sequence: OneSequence = None,
    partial: Partial = False,
    label: Label = None,
    lax: Lax = False,
    force: ReplaceFolder = False,
    as_json: Json = False,
) -> None:
    """Run every tile of a design on the DMA engine in RTL.

    The design is checked and executed without time first. Host arrays without a file get random data.
    Explicit buffers, locks, streams and DMA programs, and cores in MLIR text, are executed as exec does.
    Each tile's engine is compared with its model in every cycle, and its words with the execution.

    With --array the tiles run at once, with the streams between them and the programs of cores, but not of MLIR text.

    Exit code: 0 equal, 1 different or a tile sends nothing, 2 bad input, 3 partly checked or nothing moves.
    """
    # The simulator's side is only needed here: plans and checks go without.
    from goldbeat.tb.cli.options import Pair
    from goldbeat.tb.cli.run import Wishes, run_case
    from goldbeat.tb.designs.objfifo.bench_array import DESIGN as ARRAY
    from goldbeat.tb.designs.objfifo.bench_engine import DESIGN as ENGINE
    from goldbeat.tb.designs.objfifo.live_design import case_of_design

    if work and not array:
        raise UsageError("--work is for --array: without it each tile runs alone, and cores take no time")
    words: list[Pair] = [
        ("design", str(design)),
        ("arguments", shlex.join(arguments or ())),
        ("gaps", gaps),
        ("ready", ready),
        ("profile", profile),
    ]
    words += [("kernels", shlex.join(kernel))] if kernel else []
    words += [("expect", shlex.join(expected))] if expected else []
    words += [("work", shlex.join(work))] if work else []
    planned: list[Pair] = [("iterations", str(iterations))] if iterations is not None else []
    planned += [("lax", "1")] if lax else []
    live: list[Pair] = [(k, str(v)) for k, v in (("device", device), ("sequence", sequence)) if v is not None]
    live += [("partial", "1")] if partial else []
    on = ARRAY if array else ENGINE
    names = [item.partition("=")[0] for item in (*(inputs or ()), *(expected or ()))]
    planned_only, executed_only = bool(planned) or array, bool(live)
    case = case_of_design(design, arguments or (), kernel or (), names, planned=planned_only, executed=executed_only)
    wishes = Wishes(seed=seed, label=label or design.stem, force=force, as_json=as_json)
    run_case(on, on.case(case), [*words, *planned, *live], inputs or [], wishes)
