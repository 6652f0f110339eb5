# SPDX-License-Identifier: Apache-2.0
"""``goldbeat plio unpack`` and ``goldbeat plio convert``."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.plio_file import PlioFile, write
from goldbeat.pymodels.plio_file.file import is_csv
from goldbeat.pymodels.plio_file.generate import repack_port
from goldbeat.pymodels.plio_file.result import stamped
from goldbeat.pymodels.plio_file.store import store
from goldbeat.pymodels.plio_file.tensor import EXPECTED, Split, parse_shape, port_files
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.cli.common import ClockMhz, Dtype, Force, Lenient, Width, check_free, examples, ns, say, working
from goldbeat.tb.cli.trace_files import In, Out, check_frames, read_file
from goldbeat.tb.designs.plio.pack_command import OrderOption, Shape, order_of
from goldbeat.tb.designs.plio.packets_command import Strict, check_strict, packets_of, payloads


def register(app: typer.Typer) -> None:
    """Mount the commands."""
    below = examples(
        "goldbeat plio unpack out.txt out.npy --dtype cint16 --width 32",
        "goldbeat plio unpack 'out_{}.txt' out.npy -t int16 -w 64 --join tiles:2x2 --shape 8x16",
        "goldbeat plio unpack pk.txt pk.npz -t int32 -w 32 --packets --type 2=float --type 3=cint16",
    )
    app.command("unpack", no_args_is_help=True, epilog=below)(unpack)
    below = examples(
        "goldbeat plio convert out.txt in.csv -t cint16 -w 32",
        "goldbeat plio convert in.csv in.txt -t int16 -w 128 --time --clock 250",
        "goldbeat plio convert in.txt in128.txt -t int16 -w 32 --to-width 128",
        "goldbeat plio convert out.txt plain.txt -t cint16 -w 32 --no-time",
        "goldbeat plio convert in.txt framed.txt -t cint16 -w 32 --frame 256",
    )
    app.command("convert", no_args_is_help=True, epilog=below)(convert)


def unpack(
    file: In,
    out: Annotated[Path, typer.Argument(metavar="OUT.npy", help="numpy file to write; OUT.npz with --packets.")],
    dtype: Dtype,
    width: Width,
    packets: Annotated[
        bool, typer.Option("--packets", help="A packet stream: one array per id, without headers.")
    ] = False,
    types: Annotated[
        list[str] | None,
        typer.Option("--type", metavar="ID=TYPE", help="Type of the payload of an id [--dtype]; may be repeated."),
    ] = None,
    join: Annotated[
        str | None, typer.Option("--join", metavar="HOW", help=f"Join the files FILE with {{}}: {EXPECTED}.")
    ] = None,
    shape: Shape = None,
    order: OrderOption = "row",
    strict: Strict = False,
    lenient: Lenient = False,
    force: Force = False,
) -> None:
    """Write the samples of PLIO files as a numpy file.

    Frames and times are dropped. Complex integers have shape (n, 2) with columns re, im; complex floats
    are complex64; others are (n,). With --packets, array idN holds the payload of all packets with id N,
    and idN_sizes the samples of each.
    """
    check_free(out, force)
    check_strict(strict, packets)
    if types and not packets:
        raise UsageError("--type is for --packets; --dtype says the type of a plain stream")
    if packets and out.suffix.lower() != ".npz":
        raise UsageError(f"{out}: --packets writes several arrays, into an .npz file")
    if not packets and out.suffix.lower() != ".npy":
        raise UsageError(f"{out}: expected a name that ends in .npy")
    stream = BytesIO()
    if join is not None:
        if packets:
            raise UsageError("--join is for plain streams, not for --packets")
        values = _joined(file, dtype, width, lenient, Split.parse(join), shape, order)
        np.save(stream, values)
        store(out, stream.getvalue(), force=force)
        say(f"{out}: {values.dtype} of shape {values.shape}", err=True)
        return
    if shape is not None or order != "row":
        raise UsageError("--shape and --order are for --join")
    got = read_file(file, dtype, width, None, lenient, packets=packets)
    if packets:
        arrays = payloads(packets_of(got, file, strict), got.dtype, types or [])
        np.savez(stream, allow_pickle=False, **arrays)
        shown = [f"{name} {a.dtype} of shape {a.shape}" for name, a in arrays.items() if not name.endswith("_sizes")]
        text = ", ".join(shown)
    else:
        values = got.trace.samples(got.dtype)
        np.save(stream, values)
        text = f"{values.dtype} of shape {values.shape}"
    store(out, stream.getvalue(), force=force)
    say(f"{out}: {text}", err=True)


def _joined(
    pattern: Path, dtype: str, width: int, lenient: bool, how: Split, shape: str | None, order: str
) -> npt.NDArray[Any]:
    """The tensor whose parts are in the files of several ports."""
    files = port_files(str(pattern), how)
    if "{}" in str(pattern) and (more := Path(str(pattern).replace("{}", str(len(files))))).exists():
        raise UsageError(f"--join {how.text}: {more} is one more file; expected {len(files)}")
    parts = [read_file(path, dtype, width, None, lenient) for path in files]
    samples = [part.trace.samples(part.dtype) for part in parts]
    total = sum(map(len, samples))
    if shape is None and how.kind == "tiles":
        raise UsageError(f"--join {how.text} needs the shape of the tensor: --shape HxW")
    wanted = (total,) if shape is None else parse_shape(shape)
    if int(np.prod(wanted)) != total:
        raise InputError(
            f"{total} samples in {len(files)} files", f"{int(np.prod(wanted))} for --shape {shape}", file=pattern
        )
    joined = np.zeros((total, *samples[0].shape[1:]), samples[0].dtype)
    for path, mine, at in zip(files, samples, how.places(wanted, order_of(order)), strict=True):
        if len(mine) != len(at):
            raise InputError(f"{len(mine)} samples", f"{len(at)}, as each part of {how.text} has", file=path)
        joined[at] = mine
    return joined.reshape(*wanted, *joined.shape[1:])


def convert(
    file: In,
    out: Out,
    dtype: Dtype,
    width: Width,
    to_width: Annotated[
        int | None, typer.Option("--to-width", metavar="BITS", help="Width of OUT [the same]; times are dropped.")
    ] = None,
    time: Annotated[
        bool | None,
        typer.Option("--time/--no-time", help="Write times (T lines; in CSV: STALL rows) [as in FILE]."),
    ] = None,
    frame: Annotated[
        int | None,
        typer.Option("--frame", metavar="N", help="Put TLAST after every N samples [as in FILE]."),
    ] = None,
    packets: Annotated[
        bool,
        typer.Option(
            "--packets", help="Read a packet stream of floats: an integer at the start of a frame is a header."
        ),
    ] = False,
    clock: ClockMhz = None,
    lenient: Lenient = False,
    force: Force = False,
) -> None:
    """Convert a file: format, width, frames, times."""
    check_free(out, force)
    got = read_file(file, dtype, width, clock, lenient, packets=packets)
    trace, moved = _rearranged(got, file, frame, width if to_width is None else to_width)
    if moved and time:
        raise UsageError("--time: beats of another width or size have other times, which only a run can tell")
    has_gaps = (got.timed or got.csv) and not moved
    keep_time = has_gaps if time is None else time
    if time and not has_gaps:
        raise UsageError(f"--time: {file} has no times")
    style = got.style
    if is_csv(out):
        trace = _in_cycles(replace(got, trace=trace), file) if keep_time else trace.with_gaps(trace.gaps * 0)
    else:
        if got.csv and clock is None:
            if time:
                raise UsageError(f"--time: {file} counts cycles; --clock MHZ turns them into time")
            keep_time = False
        style = replace(style, time_lines=keep_time)
        trace = stamped(trace, got.clock.exact_ps) if got.csv and keep_time else trace
        if has_gaps and not keep_time and trace.gaps[1:].any():
            say(f"note: {out} holds no idle cycles; --time keeps them", err=True)
    with working(f"writing {out}"):
        write(out, trace, got.dtype, style=style, force=force)
    say(f"{out}: {len(trace)} beats of {trace.width} bit, {int(trace.last.sum())} frames", err=True)


def _rearranged(got: PlioFile, file: Path, frame: int | None, width: int) -> tuple[Trace, bool]:
    """The beats on a port of ``width`` bits, with TLAST after every ``frame`` samples; and whether these are other beats."""
    kind, trace = got.dtype, got.trace
    if frame is not None:
        if got.style.words == "packets":
            raise UsageError(f"--frame: {file} is a packet stream, whose TLAST end its packets")
        samples = trace.samples(kind)
        check_frames(len(samples), frame, kind)
        beats, rest = divmod(frame, kind.per_beat(width))
        if rest or width != got.width or not trace.keep.all():
            return Trace.from_samples(samples, kind, width, clock_ps=got.clock.period_ps, frame=frame), True
        last = np.zeros(len(trace), np.bool_)
        last[beats - 1 :: beats] = True
        last[-1] = True
        return replace(trace, last=last), False
    if width == got.width:
        return trace, False
    kind.per_beat(width)
    return repack_port(trace, width), True


def _in_cycles(got: PlioFile, file: Path) -> Trace:
    """The beats in clock cycles, which is what a CSV file counts."""
    try:
        trace = got.on_clock()
    except InputError as error:
        raise InputError(error.found, error.expected, file=file, line=error.line) from None
    if got.clock.off_grid:
        say(
            f"note: {file}: {got.clock.off_grid} of {got.clock.gaps} gaps are no whole cycles of "
            f"{ns(got.clock.period_ps)}; beats go to the nearest cycle",
            err=True,
        )
    return trace
