# SPDX-License-Identifier: Apache-2.0
"""``goldbeat plio``: PLIO files without a simulator."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import typer

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.measure import Throughput, measure, measures_dict
from goldbeat.pymodels.plio_file.generate import WAVES, Wave, generate, load_samples
from goldbeat.pymodels.samples import sample_type
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.cli.common import (
    ClockMhz,
    Dtype,
    Force,
    Json,
    Lenient,
    Width,
    check_free,
    examples,
    facts,
    ns,
    print_json,
    working,
)
from goldbeat.tb.cli.trace_files import (
    In,
    Out,
    clock_json,
    clock_rows,
    read_file,
)
from goldbeat.tb.cli.windows import gap_rows
from goldbeat.tb.designs.plio import HELP
from goldbeat.tb.designs.plio.emit import (
    Delay,
    Emitted,
    Frame,
    Pace,
    Repeat,
    Seed,
    Stall,
    WithTime,
    emit,
    pacings,
)
from goldbeat.tb.designs.plio.packets_command import Strict, check_strict, count_by_id, packets_of

app = typer.Typer(help=HELP, no_args_is_help=True)


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
        bool, typer.Option("--packets", help="Read a packet stream: check headers, count packets per id.")
    ] = False,
    strict: Strict = False,
    lenient: Lenient = False,
    as_json: Json = False,
) -> None:
    """Show beats, frames, times, gaps and clock of a file."""
    check_strict(strict, packets)
    got = read_file(file, dtype, width, clock, lenient, packets=packets)
    trace = got.trace
    every = packets_of(got, file, strict) if packets else None
    result = measure(got.measured(), got.dtype, clock_ps=got.clock.exact_ps)
    # A text file without T lines has no gaps to speak of; a CSV file has its STALL rows.
    gaps_known, clock_known = got.timed or got.csv, got.clock.known
    if as_json:
        values = measures_dict(result)
        keep = ("beats", "samples", "bytes", "frames", "open_beats")
        found: dict[str, Any] = {"file": str(file), "dtype": got.dtype.name, "width": width, "timed": got.timed}
        found |= {name: values[name] for name in keep}
        found["short_beats"] = _short_beats(trace)
        for name in ("first_ns", "last_ns"):
            found[name] = values[name] if got.timed else None
        found |= clock_json(got)
        found["limit_mb_per_s"] = result.limit_mb_per_s if clock_known else None
        found["gaps"] = _gap_list(result, clock_known) if gaps_known else None
        if every is not None:
            found["packets"] = [{"id": k, "packets": n, "words": size} for k, (n, size) in count_by_id(every).items()]
            found["even_parity"] = sum(not p.parity_ok for p in every)
        found["dropped"] = [dict(zip(("line", "found", "expected"), d, strict=True)) for d in got.dropped]
        print_json(found)
        return
    rows = [
        ("type, width", f"{got.dtype.name}, {width} bit: {got.dtype.per_beat(width)} sample(s) per beat"),
        ("beats", f"{result.beats}"),
        ("samples", f"{result.samples}"),
        ("frames", _frames(result, trace)),
    ]
    if got.timed:
        rows += [("first beat", ns(result.first_ps)), ("last beat", ns(result.last_ps))]
    else:
        rows.append(("times", "none (a CSV file counts cycles)" if got.csv else "none (no T lines)"))
    if clock_known:
        rows += clock_rows(got)
        rows.append(("port carries", f"{result.limit_mb_per_s:.2f} MB/s"))
    if gaps_known:
        rows += gap_rows(result, clock_known)
    for at, (packet_id, (count, size)) in enumerate(count_by_id(every or []).items()):
        rows.append(("packets" if at == 0 else "", f"id {packet_id}: {count} packet(s), {size} payload word(s)"))
    rows.append(("dropped lines", f"{len(got.dropped)}"))
    facts(str(file), rows)


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


def _gap_list(result: Throughput, clock_known: bool) -> list[dict[str, Any]]:
    return [
        {"idle_cycles": result.idle_cycles(gap), "ns": float(gap) / 1000 if clock_known else None, "count": count}
        for gap, count in result.gap_ps.items()
    ]


# -- gen and pack ---------------------------------------------------------------------------------------------------


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat plio gen in.txt -t cint16 -w 32 -p chirp --samples 1024 --frame 256 --noise 300",
        "goldbeat plio gen in.csv -t int16 -w 64 -p random --samples 4096 --stall random:0.3 --seed 7",
        "goldbeat plio gen pk.txt -t int32 -w 32 -p ramp --samples 64 --frame 16 --packets 0-3",
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
        typer.Option("--samples", metavar="N", help="Number of samples [all of PATH.npy]."),
    ] = None,
    seed: Seed = 0,
    frame: Frame = None,
    packets: Annotated[
        str | None,
        typer.Option(
            "--packets", metavar="IDS", help="Make each frame a packet; ids take turns, such as 0,1,3 or 0-3."
        ),
    ] = None,
    amplitude: Annotated[float | None, typer.Option("--amplitude", metavar="A", help="Peak value.")] = None,
    noise: Annotated[
        float, typer.Option("--noise", metavar="A", help="Gaussian noise of this standard deviation on every value.")
    ] = 0.0,
    frequency: Annotated[
        float | None,
        typer.Option("--frequency", metavar="F", help="Frequency of the sine in cycles per sample [1/32]."),
    ] = None,
    clock: ClockMhz = None,
    stall: Stall = "none",
    delay: Delay = "0",
    repeat: Repeat = "1",
    pace: Pace = "1",
    time: WithTime = False,
    force: Force = False,
) -> None:
    """Make a stimulus file. Equal options and seed give equal files."""
    check_free(out, force)
    pacing = pacings(1, stall, delay, repeat, pace, seed)[0]
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
    emit(Emitted(out, kind, width, frame, packets, clock, time, force), values, pacing)


def _wave(pattern: str) -> Wave:
    for wave in WAVES:
        if wave == pattern:
            return wave
    raise UsageError(f"unknown pattern {pattern!r}; known: {', '.join(WAVES)}, or the path of a .npy file")
