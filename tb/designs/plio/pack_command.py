# SPDX-License-Identifier: Apache-2.0
"""``goldbeat plio pack``: a tensor as one PLIO file, or shared out over the files of several ports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.plio_file.tensor import EXPECTED, Order, Split, load_tensor, parse_shape, port_files
from goldbeat.pymodels.samples import sample_type
from goldbeat.tb.cli.common import ClockMhz, Dtype, Force, Width, check_free, examples
from goldbeat.tb.cli.trace_files import Out
from goldbeat.tb.designs.plio.emit import (
    Delay,
    Emitted,
    Frame,
    Pace,
    Repeat,
    Seed,
    Stall,
    WithTime,
    check_emitted,
    emit,
    pacings,
)

Shape = Annotated[
    str | None, typer.Option("--shape", metavar="HxW", help="Shape of the tensor in samples [that of the file].")
]
OrderOption = Annotated[
    str, typer.Option("--order", metavar="row|column", help="Order of the samples in a file, or in each tile.")
]


def register(app: typer.Typer) -> None:
    """Mount the command."""
    below = examples(
        "goldbeat plio pack samples.npy in.txt -t cint16 -w 64",
        "goldbeat plio pack samples.npy in.csv -t int16 -w 128 --frame 512 --stall every:512:100",
        "goldbeat plio pack image.mat 'in_{}.txt' -t int16 -w 64 --split tiles:2x2 --order column",
        "goldbeat plio pack a.csv 'in_{}.csv' -t cint16 -w 32 --split phases:4 --delay 0,8,16,24",
    )
    app.command("pack", no_args_is_help=True, epilog=below)(pack)


def pack(
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="Samples: .npy, .mat, or .csv and .txt with a row per line.")
    ],
    out: Out,
    dtype: Dtype,
    width: Width,
    split: Annotated[
        str | None, typer.Option("--split", metavar="HOW", help=f"Share out over files OUT with {{}}: {EXPECTED}.")
    ] = None,
    shape: Shape = None,
    order: OrderOption = "row",
    variable: Annotated[
        str | None, typer.Option("--variable", metavar="NAME", help="Variable of a .mat file with several.")
    ] = None,
    frame: Frame = None,
    clock: ClockMhz = None,
    stall: Stall = "none",
    delay: Delay = "0",
    repeat: Repeat = "1",
    pace: Pace = "1",
    seed: Seed = 0,
    time: WithTime = False,
    force: Force = False,
) -> None:
    """Write the samples of a file as PLIO files.

    Each file of a split may have its own --delay, --repeat and --pace: numbers in the order of the files.
    """
    how = None if split is None else Split.parse(split)
    files = [out] if how is None else port_files(str(out), how)
    paced = pacings(len(files), stall, delay, repeat, pace, seed)
    for path, pacing in zip(files, paced, strict=True):
        check_free(path, force)
        check_emitted(path, time, clock, pacing)
    kind = sample_type(dtype)
    values, found = load_tensor(source, kind, variable)
    if kind.parts == 1 and found[1:] == (2,) and split is None and shape is None:
        expected = f"{kind.name} samples of shape (n,); --shape {found[0]}x2 takes both columns"
        raise InputError(f"an array of shape {found}, as complex samples have", expected, file=source)
    if not len(values):
        raise InputError("no samples", "at least one", file=source)
    wanted = found if shape is None else parse_shape(shape)
    if int(np.prod(wanted)) != len(values):
        raise InputError(f"{len(values)} samples", f"{int(np.prod(wanted))} for --shape {shape}", file=source)
    places = (how or Split.parse("blocks:1")).places(wanted, order_of(order))
    for path, pacing, mine in zip(files, paced, places, strict=True):
        emit(Emitted(path, kind, width, frame, None, clock, time, force), values[mine], pacing)


def order_of(text: str) -> Order:
    """``--order``.

    Raises:
        UsageError: neither.
    """
    if text == "row":
        return "row"
    if text != "column":
        raise UsageError(f"--order {text}: expected row or column")
    return "column"
