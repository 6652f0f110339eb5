# SPDX-License-Identifier: Apache-2.0
"""``goldbeat plio pair``: latency and throughput from an input file and an output file."""

from __future__ import annotations

import csv
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from goldbeat.pymodels.backlog import backlog
from goldbeat.pymodels.curves.iterations import Iterations, iteration_bytes, iterations, times_json
from goldbeat.pymodels.curves.port import TOO_FEW
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.measure import UnmatchedError, UnmeasurableError
from goldbeat.pymodels.plio_file import PlioFile
from goldbeat.pymodels.plio_file.result import stamped
from goldbeat.pymodels.plio_file.store import store
from goldbeat.pymodels.samples import SampleType
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.cli.common import (
    FAILED,
    PARTIAL,
    ClockMhz,
    Dtype,
    Force,
    Json,
    Width,
    check_free,
    exact_clock,
    examples,
    facts,
    print_json,
    say,
)
from goldbeat.tb.cli.trace_files import Packets, check_clock, check_different, payload, read_file

_STEADY = 0.05
"""Intervals agree if the longest is at most this share longer than the shortest."""
_LAST = 3
_LATEST_NS = 1e15
_MOST_SAMPLES = 10**12


def register(app: typer.Typer) -> None:
    """Mount the command."""
    below = examples(
        "goldbeat plio pair in.txt out.txt -t cint16 -w 32 --iteration 1024",
        "goldbeat plio pair in.csv out.txt -t int16 -w 64 --iteration 2048:1024 --clock 250 --out-dtype int32",
    )
    app.command("pair", no_args_is_help=True, epilog=below)(pair)


def pair(
    source: Annotated[Path, typer.Argument(metavar="IN", help="PLIO file of the input.")],
    sink: Annotated[Path, typer.Argument(metavar="OUT", help="PLIO file of the output, with times.")],
    dtype: Dtype,
    width: Width,
    iteration: Annotated[
        str | None,
        typer.Option("--iteration", metavar="N[:M]", help="Samples of an iteration, in and out [frames, by TLAST]."),
    ] = None,
    out_dtype: Annotated[
        str | None, typer.Option("--out-dtype", metavar="TYPE", help="Sample type of OUT [--dtype].")
    ] = None,
    out_width: Annotated[
        int | None, typer.Option("--out-width", metavar="BITS", help="Width of OUT [--width].")
    ] = None,
    clock: ClockMhz = None,
    start: Annotated[
        float | None,
        typer.Option(
            "--start", metavar="NS", help="IN has no times: it goes back to back from here on (needs --clock)."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write the times of each iteration.")
    ] = None,
    packets: Packets = None,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Measure latency and throughput from two files.

    IN and OUT are the input and the output of one run. Without TLAST, every N samples in and every M
    samples out are an iteration. Start-up is the latency of the first one.

    Exit code: 0 measured, 1 input and output do not hold the same iterations, 2 bad usage or bad input,
    3 the input ends with a part of an iteration that has no output.
    """
    if out is not None:
        check_free(out, force)
    check_different([source, sink])
    files = [
        read_file(source, dtype, width, clock, packets=bool(packets)),
        read_file(sink, out_dtype or dtype, width if out_width is None else out_width, clock, packets=bool(packets)),
    ]
    times = [_started(files[0], source, clock, start), _taken(files[1], sink, clock)]
    given, taken = (payload(trace, path, packets) for trace, path in zip(times, (source, sink), strict=True))
    found, sizes = _matched(sink, iteration, files, (given, taken), as_json=as_json)
    if out is not None:
        store(out, _csv(found).encode(), force=force)
    values = _values(found, given, taken, files[1].dtype, sizes)
    values["packets"] = {"in": given is not times[0], "out": taken is not times[1]}
    _tell(source, sink, values, as_json=as_json)


def _matched(
    sink: Path, iteration: str | None, files: list[PlioFile], traces: tuple[Trace, Trace], *, as_json: bool
) -> tuple[Iterations, tuple[int, int]]:
    """The iterations and their bytes at both ends; :class:`typer.Exit` where those of the output do not pair off."""
    try:
        sizes = _sizes(iteration, files, *traces)
        return iterations(*traces, *sizes), sizes
    except UnmatchedError as error:
        if as_json:
            print_json({"unmatched": str(error)})
        say(f"FAIL {sink}: {error}", err=as_json)
        raise typer.Exit(FAILED) from None
    except UnmeasurableError as error:
        expected = "files of the same run, and --iteration N:M as the kernel has it"
        raise InputError(str(error), expected, file=sink) from None


def _tell(source: Path, sink: Path, values: dict[str, Any], *, as_json: bool) -> None:
    """Show what was found; :class:`typer.Exit` unless input and output hold the same iterations."""
    failed = values["unmatched"]
    said = failed or values["unanswered"]
    if as_json:
        print_json({"input": str(source), "output": str(sink), **values})
    else:
        facts(f"{source} -> {sink}", _rows(values))
        if said:
            say(f"{'FAIL' if failed else 'PARTIAL'} {said}")
    if said:
        raise typer.Exit(FAILED if failed else PARTIAL)


def _started(file: PlioFile, path: Path, clock: float | None, start: float | None) -> Trace:
    """The input with its times, or with those that the user gives."""
    if start is None:
        return _taken(file, path, clock, hint="; or --start NS --clock MHZ if it goes back to back")
    if file.timed:
        raise UsageError(f"--start: {path} has times")
    exact = exact_clock(clock)
    if exact is None:
        raise UsageError("--start needs the port's clock: --clock MHZ")
    if not 0 <= start <= _LATEST_NS:
        raise UsageError(f"--start {start:g}: expected nanoseconds from 0 to {_LATEST_NS:g}")
    offset = round(start * 1000)
    trace = replace(file.trace, clock_ps=round(exact), offset_ps=offset)
    return stamped(trace, exact)


def _taken(file: PlioFile, path: Path, clock: float | None, hint: str = "") -> Trace:
    """The beats of a file that has times."""
    if not file.timed and not file.csv:
        raise InputError("no time stamps", f"a T line before every beat{hint}", file=path)
    if file.csv and clock is None:
        raise UsageError(f"{path}: a CSV file counts cycles; --clock MHZ turns them into time")
    check_clock(file, path)
    return file.measured()


def _sizes(iteration: str | None, files: list[PlioFile], given: Trace, taken: Trace) -> tuple[int, int]:
    """Payload bytes of an iteration at both ends."""
    if iteration is None:
        size = _frame(given, "input")
        try:
            return size, _frame(taken, "output")
        except UsageError as error:
            if taken.last.any():
                # Those of the input are alike.
                raise UnmatchedError(str(error)) from None
            raise
    parts = iteration.split(":")
    if len(parts) > 2 or not all(part.isdecimal() and 0 < int(part) <= _MOST_SAMPLES for part in parts):
        raise UsageError(f"--iteration {iteration}: expected N or N:M, samples in and out")
    counts = [int(parts[0]), int(parts[-1])]
    size_in, size_out = (iteration_bytes(n, file.dtype) for n, file in zip(counts, files, strict=True))
    return size_in, size_out


def _frame(trace: Trace, side: str) -> int:
    """Payload of a frame, which all have."""
    ends = np.cumsum(trace.valid_bytes())[trace.last]
    sizes = np.unique(np.diff(ends, prepend=0))
    if len(sizes) != 1:
        found = "no TLAST" if not len(sizes) else f"frames of {sizes[0]} to {sizes[-1]} bytes"
        raise UsageError(f"{found} at the {side}; --iteration N:M says how many samples an iteration has")
    return int(sizes[0])


def _values(found: Iterations, given: Trace, taken: Trace, kind: SampleType, sizes: tuple[int, int]) -> dict[str, Any]:
    interval = found.interval
    last = interval[-_LAST:]
    steady = len(last) >= 2 and int(last.max()) <= int(last.min()) * (1 + _STEADY)
    rate = sizes[1] * 1e6 / float(last.mean()) if steady else None
    samples = None if rate is None else rate * 8 / kind.bits
    try:
        most: int | None = backlog(given, taken, unit="bytes").most
    except (UnmeasurableError, UsageError):
        most = None
    return {
        "iterations": len(found),
        "unmatched": found.unmatched or None,
        "unanswered": found.unanswered or None,
        "rest_ns": {"latency": float(found.rest[0][0]) / 1000, "total": float(found.rest[1][0]) / 1000}
        if len(found.rest[0])
        else None,
        "bytes": {"in": sizes[0], "out": sizes[1], "left_in": found.left[0], "left_out": found.left[1]},
        "start_up_ns": float(found.latency[0]) / 1000,
        "latency_ns": times_json(found.latency),
        "total_ns": times_json(found.total),
        "interval_ns": times_json(interval),
        "steady": {"holds": bool(steady), "mb_per_s": rate, "msamples_per_s": samples},
        "max_backlog_bytes": most,
    }


def _rows(values: dict[str, Any]) -> list[tuple[str, str]]:
    size, steady = values["bytes"], values["steady"]
    rows = [
        ("iterations", f"{values['iterations']} of {size['in']} bytes in, {size['out']} bytes out"),
        ("start-up", f"{values['start_up_ns']:g} ns from the first input to the first output"),
    ]
    for name, key in (
        ("first in to first out", "latency_ns"),
        ("first in to last out", "total_ns"),
        ("interval", "interval_ns"),
    ):
        times = values[key]
        if times is None:
            rows.append((name, "none: one iteration"))
            continue
        text = f"min {times['min']:g} ns, mean {times['mean']:.6g} ns, max {times['max']:g} ns"
        rows.append((name, f"{text}; p50 {times['p50']:g}, p90 {times['p90']:g}, p99 {times['p99']:g} ns"))
    if steady["holds"]:
        rows.append(
            ("steady state", f"{steady['msamples_per_s']:.2f} Msamples/s = {steady['mb_per_s']:.2f} MB/s at the output")
        )
    else:
        few = values["iterations"] < _LAST
        rows.append(
            ("steady state", TOO_FEW.partition(":")[0] if few else "no: the last intervals differ by more than 5 %")
        )
    if values["max_backlog_bytes"] is not None:
        rows.append(("most inside", f"{values['max_backlog_bytes']} bytes"))
    if headed := [side for side, found in values["packets"].items() if found]:
        rows.append(("packets", f"headers not counted {' and '.join(headed)} (--no-packets counts them)"))
    if size["left_in"] or size["left_out"]:
        rest = values["rest_ns"]
        times = f"; first in to first out {rest['latency']:g} ns, to last out {rest['total']:g} ns" if rest else ""
        rows.append(("behind the last", f"{size['left_in']} bytes in, {size['left_out']} bytes out{times}"))
    return rows


def _csv(found: Iterations) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["iteration", "first_in_ns", "last_in_ns", "first_out_ns", "last_out_ns", "latency_ns", "total_ns"])
    columns = (found.first_in, found.last_in, found.first_out, found.last_out, found.latency, found.total)
    for number, times in enumerate(zip(*columns, strict=True)):
        writer.writerow(
            [number, *(f"{int(time) / 1000:g}" if int(time) < 10**9 else int(time) / 1000 for time in times)]
        )
    return text.getvalue()
