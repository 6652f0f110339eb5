# SPDX-License-Identifier: Apache-2.0
"""``goldbeat plio``: PLIO files without a simulator."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from pymodels.compare import Comparison, Time, compare
from pymodels.errors import InputError, UsageError
from pymodels.measure import AIE_STREAM_MB_PER_S, Rate, Throughput, as_dict, gap_histogram, measure
from pymodels.pattern import Pattern
from pymodels.plio import PlioFile, TextStyle, read, write
from pymodels.plio.file import is_csv
from pymodels.plio.generate import WAVES, Wave, generate, load_samples, repack
from pymodels.plio.header import make_header
from pymodels.plio.packets import file_to_packets
from pymodels.plio.store import store
from pymodels.samples import SampleType, sample_type
from pymodels.trace import Trace
from tb.cli.common import (
    FAILED,
    ClockMhz,
    Dtype,
    Force,
    Json,
    Lenient,
    Width,
    check_free,
    clock_period,
    duration,
    examples,
    facts,
    ns,
    print_json,
    working,
)

app = typer.Typer(help="PLIO files: look into, make, convert, compare, time.", no_args_is_help=True)

_CSV_CLOCK_PS = 1000
"""Stands in for the clock where a file counts cycles and nobody asks for time."""

In = Annotated[Path, typer.Argument(metavar="FILE", help="PLIO file (.txt or .csv).")]
Out = Annotated[Path, typer.Argument(metavar="OUT", help="File to write (.txt or .csv).")]
Frame = Annotated[int | None, typer.Option("--frame", metavar="N", help="Samples a frame; each ends with TLAST.")]
Stall = Annotated[
    str,
    typer.Option("--stall", metavar="PATTERN", help="Idle cycles: random:P, bursty:N, every:N:M, worst, array:V,V,..."),
]
WithTime = Annotated[bool, typer.Option("--time", help="Write T lines (needs --clock).")]
Seed = Annotated[int, typer.Option("--seed", metavar="S", help="Seed of everything random.")]


def read_file(
    path: Path, dtype: str, width: int, clock: float | None = None, lenient: bool = False, *, quiet: bool = False
) -> PlioFile:
    """Read with progress (not when ``quiet``); dropped lines are reported on stderr."""
    with nullcontext() if quiet else working(f"reading {path}"):
        file = read(path, dtype, width, clock_ps=clock_period(clock), lenient=lenient)
    if file.dropped:
        line, found, expected = file.dropped[0]
        typer.echo(
            f"warning: {path}: {len(file.dropped)} malformed line(s) dropped, "
            f"the first is line {line}: found {found}, expected {expected}",
            err=True,
        )
    return file


def read_timed(
    path: Path, dtype: str, width: int, clock: float | None, lenient: bool = False, *, quiet: bool = False
) -> PlioFile:
    """Read a file whose times are needed; one without them is an error."""
    file = read_file(path, dtype, width, clock, lenient, quiet=quiet)
    if not file.timed and not is_csv(path):
        raise InputError("no time stamps", "a T line before every beat, as simulators write them", file=path)
    if is_csv(path) and clock is None:
        raise UsageError(f"{path}: a CSV file counts cycles; --clock MHZ turns them into time")
    return file


# -- info -----------------------------------------------------------------------------------------------------------


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat plio info out.txt --dtype cint16 --width 32",
        "goldbeat plio info in.csv -t int16 -w 128 --clock 250 --json",
        "goldbeat plio info pk.txt -t int32 -w 32 --packets",
    ),
)
def info(
    file: In,
    dtype: Dtype,
    width: Width,
    clock: ClockMhz = None,
    packets: Annotated[
        bool, typer.Option("--packets", help="A packet stream: check its headers, count by id.")
    ] = False,
    lenient: Lenient = False,
    as_json: Json = False,
) -> None:
    """Say what is in a file: beats, frames, times, gaps, clock."""
    got = read_file(file, dtype, width, clock, lenient)
    trace = got.trace
    counted = _count_packets(got, file) if packets else None
    result = measure(trace, got.dtype)
    # A text file without T lines has no gaps to speak of; a CSV file has its STALL rows.
    gaps_known, clock_known = got.timed or is_csv(file), _clock_source(got, clock) is not None
    if as_json:
        values = as_dict(result)
        keep = ("beats", "samples", "bytes", "frames", "open_beats")
        found: dict[str, Any] = {"file": str(file), "dtype": got.dtype.name, "width": width, "timed": got.timed}
        found |= {name: values[name] for name in keep}
        found["short_beats"] = _short_beats(trace)
        for name in ("first_ns", "last_ns"):
            found[name] = values[name] if got.timed else None
        found["clock_ps"] = trace.clock_ps if clock_known else None
        found["clock_from"] = _clock_source(got, clock)
        found["limit_mb_per_s"] = result.limit_mb_per_s if clock_known else None
        found["gaps"] = _gap_list(trace, clock_known) if gaps_known else None
        if counted is not None:
            found["packets"] = [{"id": k, "packets": n, "words": size} for k, (n, size) in counted.items()]
        found["dropped"] = [dict(zip(("line", "found", "expected"), d, strict=True)) for d in got.dropped]
        print_json(found)
        return
    rows = [
        ("type, width", f"{got.dtype.name}, {width} bit: {got.dtype.per_beat(width)} sample(s) a beat"),
        ("beats", f"{result.beats}"),
        ("samples", f"{result.samples}"),
        ("frames", _frames(result, trace)),
    ]
    if got.timed:
        rows += [("first beat", ns(result.first_ps)), ("last beat", ns(result.last_ps))]
    else:
        rows.append(("times", "none (a CSV file counts cycles)" if is_csv(file) else "none (no T lines)"))
    if clock_known:
        rows.append(("clock", _clock_text(got, clock)))
        rows.append(("port carries", f"{result.limit_mb_per_s:.2f} MB/s"))
    if gaps_known:
        rows += _gap_rows(trace, clock_known)
    for at, (packet_id, (count, size)) in enumerate((counted or {}).items()):
        rows.append(("packets" if at == 0 else "", f"id {packet_id}: {count} packet(s), {size} payload word(s)"))
    rows.append(("dropped lines", f"{len(got.dropped)}"))
    facts(str(file), rows)


def _count_packets(got: PlioFile, file: Path) -> dict[int, tuple[int, int]]:
    """Id -> packets and payload words, in the order of ids."""
    found: dict[int, tuple[int, int]] = {}
    for packet in file_to_packets(got, name=str(file)):
        count, size = found.get(packet.packet_id, (0, 0))
        found[packet.packet_id] = (count + 1, size + len(packet.payload))
    return dict(sorted(found.items()))


def _clock_source(got: PlioFile, clock: float | None) -> str | None:
    if clock is not None:
        return "as given"
    # One time stamp makes no grid.
    return "the grid that all time stamps lie on" if got.timed and len(got.trace) > 1 else None


def _clock_text(got: PlioFile, clock: float | None) -> str:
    period = got.trace.clock_ps
    return f"{ns(period)} ({1e6 / period:.6g} MHz), {_clock_source(got, clock)}"


def _short_beats(trace: Trace) -> int:
    return int((~trace.keep.all(axis=1)).sum())


def _frames(result: Throughput, trace: Trace) -> str:
    if result.frames == 0:
        return "0 (no TLAST)"
    beats = np.unique(np.diff(np.flatnonzero(trace.last), prepend=-1))
    size = f"{beats[0]}" if len(beats) == 1 else f"{beats[0]} to {beats[-1]}"
    text = f"{result.frames} of {size} beats"
    if result.open_beats:
        text += f", then {result.open_beats} beats without TLAST"
    short = _short_beats(trace)
    return text + (f", {short} short last beat(s)" if short else "")


def _gap_list(trace: Trace, clock_known: bool) -> list[dict[str, Any]]:
    rows = []
    for idle, count in gap_histogram(trace).items():
        gap = (idle + 1) * trace.clock_ps / 1000 if clock_known else None
        rows.append({"idle_cycles": idle, "ns": gap, "count": count})
    return rows


_MOST_GAPS = 12


def _gap_rows(trace: Trace, clock_known: bool) -> list[tuple[str, str]]:
    gaps = list(gap_histogram(trace).items())
    rows = []
    for at, (idle, count) in enumerate(gaps):
        name = "gaps" if at == 0 else ""
        if len(gaps) > _MOST_GAPS and at == _MOST_GAPS - 1:
            rest = gaps[at:]
            rows.append((name, f"{sum(n for _, n in rest)} x longer, up to {rest[-1][0]} idle cycles"))
            break
        time = f"{ns((idle + 1) * trace.clock_ps)}, " if clock_known else ""
        rows.append((name, f"{count} x {time}{idle} idle cycle{'' if idle == 1 else 's'}"))
    return rows


# -- gen and pack ---------------------------------------------------------------------------------------------------


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat plio gen in.txt -t cint16 -w 32 -p chirp -n 1024 --frame 256 --noise 300",
        "goldbeat plio gen in.csv -t int16 -w 64 -p random -n 4096 --stall random:0.3 --seed 7",
        "goldbeat plio gen pk.txt -t int32 -w 32 -p ramp -n 64 --frame 16 --packets 0-3",
    ),
)
def gen(
    out: Out,
    dtype: Dtype,
    width: Width,
    pattern: Annotated[
        str,
        typer.Option("--pattern", "-p", metavar="PATTERN", help="ramp, random, impulse, sine, chirp or a PATH.npy."),
    ],
    samples: Annotated[
        int | None,
        typer.Option("--samples", "-n", metavar="N", help="How many samples; a PATH.npy has its own number."),
    ] = None,
    seed: Seed = 0,
    frame: Frame = None,
    packets: Annotated[
        str | None,
        typer.Option("--packets", metavar="IDS", help="Make each frame a packet; ids in turn, such as 0,1,3 or 0-3."),
    ] = None,
    amplitude: Annotated[float | None, typer.Option("--amplitude", metavar="A", help="Peak value.")] = None,
    noise: Annotated[
        float, typer.Option("--noise", metavar="A", help="Gaussian noise of this standard deviation on every value.")
    ] = 0.0,
    frequency: Annotated[
        float | None, typer.Option("--frequency", metavar="F", help="Of the sine, in cycles a sample [1/32].")
    ] = None,
    clock: ClockMhz = None,
    stall: Stall = "none",
    time: WithTime = False,
    force: Force = False,
) -> None:
    """Make a stimulus file. The same options and seed give the same file again."""
    check_free(out, force)
    kind = sample_type(dtype)
    if pattern.endswith(".npy"):
        given = {"--noise": noise, "--amplitude": amplitude, "--frequency": frequency}
        for option, value in given.items():
            if value:
                raise UsageError(f"{option} is for made patterns; {pattern} is taken as it is")
        values = load_samples(pattern, kind, samples)
    else:
        wave = _wave(pattern)
        if samples is None:
            raise UsageError(f"--samples N is needed for the pattern {wave}")
        if frequency is not None and wave != "sine":
            raise UsageError(f"--frequency is for the pattern sine, not for {wave}")
        tone = {} if frequency is None else {"frequency": frequency}
        with working(f"making {samples} samples"):
            values = generate(wave, samples, kind, seed=seed, amplitude=amplitude, noise=noise, frame=frame, **tone)
    _emit(out, values, kind, width, frame, packets, clock, stall, seed, time, force)


def _wave(pattern: str) -> Wave:
    for wave in WAVES:
        if wave == pattern:
            return wave
    raise UsageError(f"unknown pattern {pattern!r}; known: {', '.join(WAVES)}, or the path of a .npy file")


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat plio pack samples.npy in.txt -t cint16 -w 64",
        "goldbeat plio pack samples.npy in.csv -t int16 -w 128 --frame 512 --stall every:512:100",
    ),
)
def pack(
    source: Annotated[Path, typer.Argument(metavar="IN.npy", help="Samples: (n,), or (n, 2) or complex.")],
    out: Out,
    dtype: Dtype,
    width: Width,
    frame: Frame = None,
    clock: ClockMhz = None,
    stall: Stall = "none",
    seed: Seed = 0,
    time: WithTime = False,
    force: Force = False,
) -> None:
    """Write the samples of a numpy file as a PLIO file."""
    check_free(out, force)
    kind = sample_type(dtype)
    _emit(out, load_samples(str(source), kind), kind, width, frame, None, clock, stall, seed, time, force)


def _emit(
    out: Path,
    values: npt.NDArray[Any],
    kind: SampleType,
    width: int,
    frame: int | None,
    packets: str | None,
    clock: float | None,
    stall: str,
    seed: int,
    time: bool,
    force: bool,
) -> None:
    """Samples to beats to a file."""
    if time and is_csv(out):
        raise UsageError("a CSV file has no time stamps: it counts cycles; leave --time out")
    if time and clock is None:
        raise UsageError("--time needs the port's clock: --clock MHZ")
    period = clock_period(clock) or _CSV_CLOCK_PS
    if frame is not None:
        _check_frames(len(values), frame, kind)
    style = TextStyle(time_lines=time, trail=" " if time else "")
    if packets is None:
        trace = Trace.from_samples(values, kind, width, clock_ps=period, frame=frame)
    else:
        trace = _packets(values, kind, width, frame, packets, period)
        # Payload of whatever type stands in the file as 32-bit words.
        kind, style = sample_type("int32"), replace(style, words="packets")
    gaps = _gaps(stall, len(trace), seed)
    if gaps.any() and not time and not is_csv(out):
        raise UsageError(
            f"--stall {stall}: a text file without time stamps cannot hold idle cycles; "
            "add --time --clock MHZ, or write a .csv file"
        )
    with working(f"writing {out}"):
        write(out, trace.with_gaps(gaps), kind, style=style, force=force)
    typer.echo(f"{out}: {len(trace)} beats, {len(values)} samples, {int(trace.last.sum())} frames", err=True)


def _check_frames(samples: int, frame: int, kind: SampleType) -> None:
    """Frames end on a whole 32-bit word: no other TKEEP is legal with TLAST."""
    if frame < 1:
        raise UsageError(f"frames of {frame} samples; at least 1 is needed")
    for size, what in ((frame, "a frame"), (samples % frame, "the last frame")):
        if size * kind.bytes % 4:
            raise UsageError(
                f"{what} of {size} samples of {kind.name} is {size * kind.bytes} bytes, and must be whole 32-bit words"
            )


def _packets(
    values: npt.NDArray[Any], kind: SampleType, width: int, frame: int | None, packets: str, period: int
) -> Trace:
    if frame is None:
        raise UsageError("--packets needs --frame N, the samples in a packet")
    ids = _ids(packets)
    words = kind.encode(values).view("<u4")
    size = frame * kind.bytes // 4
    starts = np.arange(0, len(words), size)
    headers = make_header(np.resize(ids, len(starts)))
    return Trace.from_samples(np.insert(words, starts, headers), "uint32", width, clock_ps=period, frame=size + 1)


def _ids(text: str) -> list[int]:
    """``0,2,5-7`` as numbers."""
    ids: list[int] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not low.isdecimal() or (dash and not high.isdecimal()):
            raise UsageError(f"--packets {text!r}: {part!r} is not an id, or a range such as 0-3")
        ids += range(int(low), int(high if dash else low) + 1)
    if not ids or max(ids) > 31:
        raise UsageError(f"--packets {text!r}: ids go from 0 to 31")
    return ids


def _gaps(stall: str, beats: int, seed: int) -> npt.NDArray[np.int64]:
    """(beats,) idle cycles before each beat."""
    kind, *numbers = stall.split(":")
    if kind != "every":
        return Pattern.parse(stall, seed=seed).gaps(beats)
    if len(numbers) != 2 or not all(n.isdecimal() for n in numbers) or int(numbers[0]) < 1:
        raise UsageError(f"--stall {stall}: expected every:N:M, M idle cycles after every N beats")
    gaps = np.zeros(beats, np.int64)
    step = int(numbers[0])
    gaps[step::step] = int(numbers[1])
    return gaps


# -- unpack and convert ---------------------------------------------------------------------------------------------


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat plio unpack out.txt out.npy --dtype cint16 --width 32",
    ),
)
def unpack(
    file: In,
    out: Annotated[Path, typer.Argument(metavar="OUT.npy", help="numpy file to write.")],
    dtype: Dtype,
    width: Width,
    lenient: Lenient = False,
    force: Force = False,
) -> None:
    """Write the samples of a PLIO file as a numpy file; frames and times are left out.

    Complex integers have shape (n, 2) with columns re, im; cfloat is complex64; the rest is (n,).
    """
    check_free(out, force)
    got = read_file(file, dtype, width, None, lenient)
    values = got.trace.samples(got.dtype)
    stream = BytesIO()
    np.save(stream, values)
    store(out, stream.getvalue(), force=force)
    typer.echo(f"{out}: {values.dtype} of shape {values.shape}", err=True)


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat plio convert out.txt in.csv -t cint16 -w 32",
        "goldbeat plio convert in.csv in.txt -t int16 -w 128 --time --clock 250",
        "goldbeat plio convert in.txt in128.txt -t int16 -w 32 --to-width 128",
        "goldbeat plio convert out.txt plain.txt -t cint16 -w 32 --no-time",
    ),
)
def convert(
    file: In,
    out: Out,
    dtype: Dtype,
    width: Width,
    to_width: Annotated[
        int | None, typer.Option("--to-width", metavar="BITS", help="Width of OUT [the same]; times do not survive.")
    ] = None,
    time: Annotated[
        bool | None,
        typer.Option("--time/--no-time", help="With times (T lines; in CSV: STALL rows) or without [as FILE]."),
    ] = None,
    clock: ClockMhz = None,
    lenient: Lenient = False,
    force: Force = False,
) -> None:
    """Rewrite a file: .txt to .csv and back, another width, with or without times."""
    check_free(out, force)
    got = read_file(file, dtype, width, clock, lenient)
    trace = got.trace
    has_gaps = got.timed or is_csv(file)
    if to_width is not None and to_width != width:
        if time:
            raise UsageError(
                "--time with --to-width: beats of another width have other times, which only a run can tell"
            )
        got.dtype.per_beat(to_width)
        trace, has_gaps = repack(trace, to_width), False
    keep_time = has_gaps if time is None else time
    if time and not has_gaps:
        raise UsageError(f"--time: {file} has no times")
    if is_csv(out):
        trace = trace if keep_time else trace.with_gaps(trace.gaps * 0)
        style = got.style
    else:
        if is_csv(file) and clock is None:
            if time:
                raise UsageError(f"--time: {file} counts cycles; --clock MHZ turns them into time")
            keep_time = False
        style = replace(got.style, time_lines=keep_time)
        if has_gaps and not keep_time and trace.gaps[1:].any():
            typer.echo(f"note: {out} holds no idle cycles; --time keeps them", err=True)
    with working(f"writing {out}"):
        write(out, trace, got.dtype, style=style, force=force)
    typer.echo(f"{out}: {len(trace)} beats of {trace.width} bit, {int(trace.last.sum())} frames", err=True)


# -- diff -----------------------------------------------------------------------------------------------------------


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat plio diff golden.txt out.txt --dtype cint16 --width 32",
        "goldbeat plio diff golden.txt out.txt -t cint16 -w 32 --time ignore",
        "goldbeat plio diff aie.txt rtl.txt -t cint16 -w 32 --time 8ns",
    ),
)
def diff(
    expected: Annotated[Path, typer.Argument(metavar="EXPECTED", help="The reference.")],
    got: Annotated[Path, typer.Argument(metavar="GOT", help="What is compared with it.")],
    dtype: Dtype,
    width: Width,
    time: Annotated[
        str | None,
        typer.Option("--time", metavar="exact|ignore|TOL", help="Times: exact, ignore, or within such as 5ns."),
    ] = None,
    clock: ClockMhz = None,
    as_json: Json = False,
) -> None:
    """Compare two files beat by beat: values, TLAST, TKEEP and times. Exit code 1 if they differ.

    Without --time, times are compared exactly where both files have them, and not at all where neither has.
    """
    how = _tolerance(time)
    files = [read_file(path, dtype, width, clock) for path in (expected, got)]
    # Two CSV files count cycles alike, and need no clock for it.
    counted = clock is not None or (is_csv(expected) and is_csv(got))
    timed = [f.timed or (is_csv(p) and counted) for f, p in zip(files, (expected, got), strict=True)]
    if isinstance(how, int) and all(map(is_csv, (expected, got))) and clock is None:
        raise UsageError("CSV files count cycles; a tolerance in time needs --clock MHZ")
    if how is None and timed[0] == timed[1]:
        how = "exact" if timed[0] else "ignore"
    if how is None or (how != "ignore" and not all(timed)):
        without = [str(p) for p, has in zip((expected, got), timed, strict=True) if not has]
        raise UsageError(
            f"{' and '.join(without)} without times cannot be compared in time; give --time ignore"
            + (", or --clock MHZ for the CSV file" if any(is_csv(Path(p)) for p in without) else "")
        )
    result = compare(files[0].trace, files[1].trace, time=how)
    what = {"exact": "times exactly", "ignore": "times ignored"}.get(str(how)) or f"times within {ns(float(how))}"
    if as_json:
        print_json(_diff_json(result, files, str(how)))
    elif result.equal:
        typer.echo(f"equal: {result.compared} beats; values, TLAST, TKEEP, {what}")
    else:
        typer.echo(f"{expected} and {got} differ ({what}):")
        typer.echo(result.text() + _samples_of(result, files))
    if not result.equal:
        raise typer.Exit(FAILED)


def _tolerance(text: str | None) -> Time | None:
    if text is None:
        return None
    if text == "exact":
        return "exact"
    return "ignore" if text == "ignore" else duration(text)


def _beat_samples(file: PlioFile, beat: int) -> list[Any] | None:
    if beat >= len(file.trace):
        return None
    values = file.trace[beat : beat + 1].samples(file.dtype)
    if np.iscomplexobj(values):
        values = values.view(np.float32).reshape(-1, 2)
    found: list[Any] = values.tolist()
    return found


def _lines(result: Comparison, files: Sequence[PlioFile]) -> list[int | None]:
    beat = 0 if result.first is None else result.first.beat
    return [int(f.lines[beat]) if beat < len(f.lines) else None for f in files]


def _samples_of(result: Comparison, files: Sequence[PlioFile]) -> str:
    """The samples of the beat that differs, and the lines they stand on."""
    if result.first is None or result.first.what == "width":
        return ""
    text = ""
    for name, file, line in zip(("expected", "got"), files, _lines(result, files), strict=True):
        values = _beat_samples(file, result.first.beat)
        if values is not None:
            text += f"\n{name + ':':<10}{' '.join(_sample(v) for v in values)}" + (f"   (line {line})" if line else "")
    return text


def _sample(value: Any) -> str:
    if isinstance(value, list):
        return f"({', '.join(_sample(v) for v in value)})"
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def _diff_json(result: Comparison, files: Sequence[PlioFile], how: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "equal": result.equal,
        "compared": result.compared,
        "mismatches": result.mismatches,
        "time": how,
        "first": None,
    }
    if result.first is not None:
        lines = _lines(result, files)
        found["first"] = asdict(result.first) | {"line_expected": lines[0], "line_got": lines[1]}
    return found


# -- throughput -----------------------------------------------------------------------------------------------------


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat plio throughput out.txt --dtype cint16 --width 32",
        "goldbeat plio throughput a.txt b.txt -t int32 -w 64 --json",
        "goldbeat plio throughput out.txt -t cint16 -w 32 --plot out.png",
    ),
)
def throughput(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="PLIO files with times.")],
    dtype: Dtype,
    width: Width,
    clock: ClockMhz = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="OUT.png", help="Draw it.")] = None,
    lenient: Lenient = False,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """How fast a port was: raw and by frames, share of its limit, steady state, gaps, frame intervals.

    The clock is the grid that the time stamps lie on; give --clock where the port never runs two beats back to back.
    """
    if plot is not None:
        check_free(plot, force)
    results: list[tuple[Path, PlioFile, Throughput]] = []
    with working("measuring", len(files)) as step:
        for path in files:
            # One progress display at a time: the bar counts the files.
            file = read_timed(path, dtype, width, clock, lenient, quiet=True)
            results.append((path, file, measure(file.trace, file.dtype)))
            step()
    if plot is not None:
        _plot(results, plot, force)
    if as_json:
        print_json(
            [
                {"file": str(path), "dtype": f.dtype.name, "dropped": len(f.dropped)}
                | as_dict(r)
                | ({"clock_ps": None, "limit_mb_per_s": None} if _clock_source(f, clock) is None else {})
                for path, f, r in results
            ]
        )
        return
    for path, file, result in results:
        facts(str(path), _throughput_rows(result, file, clock))


def _plot(results: list[tuple[Path, PlioFile, Throughput]], plot: Path, force: bool) -> None:
    from tb.plot import plot_run, plot_trace

    stream = BytesIO()
    with working(f"drawing {plot}"):
        if len(results) == 1:
            path, file, _ = results[0]
            plot_trace(file.trace, stream, title=path.name, dtype=file.dtype)
        else:
            ports = {str(path): file.trace for path, file, _ in results}
            plot_run(ports, stream, "Throughput", {str(path): file.dtype.name for path, file, _ in results})
    store(plot, stream.getvalue(), force=force)


def _throughput_rows(result: Throughput, file: PlioFile, clock: float | None) -> list[tuple[str, str]]:
    kind = file.dtype

    def rate(name: str, value: Rate | None) -> str:
        if value is None:
            return f"none: {result.reason(name)}"
        text = f"{value.mvalues_per_s:.2f} M values/s = " if kind.parts == 2 else ""
        text += f"{value.msamples_per_s:.2f} Msamples/s = {value.mb_per_s:.2f} MB/s"
        return text + f", {result.share(value):.2%} of the port"

    limit = result.limit_mb_per_s
    clock_rows = [
        ("clock", _clock_text(file, clock)),
        ("port limit", f"{limit / kind.bytes:.2f} Msamples/s = {limit:.2f} MB/s"),
    ]
    if _clock_source(file, clock) is None:
        clock_rows = [("clock", "not known: one time stamp makes no grid; --clock MHZ gives it")]
    rows = [
        ("beats, samples, frames", f"{result.beats}, {result.samples}, {result.frames}"),
        ("first, last beat", f"{ns(result.first_ps)}, {ns(result.last_ps)}"),
        *clock_rows,
        ("raw", rate("raw", result.raw)),
        ("by frames", rate("by_frames", result.by_frames)),
        ("inside frames", rate("continuous", result.continuous)),
    ]
    best = result.by_frames or result.continuous
    if best is not None:
        rows.append(("share of an AIE stream", f"{best.mb_per_s / AIE_STREAM_MB_PER_S:.2%} of 4 GB/s (1 GHz)"))
    i, s = result.intervals, result.steady
    if i is None:
        rows.append(("TLAST to TLAST", f"none: {result.reason('intervals')}"))
    else:
        rows.append(("TLAST to TLAST", f"min {ns(i.min_ps)}, mean {ns(i.mean_ps)}, max {ns(i.max_ps)}"))
    if s is None:
        rows.append(("steady state", f"none: {result.reason('steady')}"))
    elif not s.holds or s.rate is None:
        rows.append(("steady state", "no: the last frame intervals differ by more than 5 %"))
    else:
        rows.append(("steady state", f"yes, from frame {s.since_frame} on, at {s.rate.msamples_per_s:.2f} Msamples/s"))
    if result.gaps:
        rows += _gap_rows(file.trace, True)
    else:
        rows.append(("gaps", f"none: {result.reason('max_gap_ps')}"))
    if file.dropped:
        rows.append(("dropped lines", f"{len(file.dropped)}"))
    return rows
