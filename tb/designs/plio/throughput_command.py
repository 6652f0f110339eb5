# SPDX-License-Identifier: Apache-2.0
"""``goldbeat plio throughput``: one port in full, or all ports of a folder in one table."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

from goldbeat.pymodels.curves.port import TOO_FEW, PortWindow, port_windows, rate_over_time, windows_json
from goldbeat.pymodels.curves.spans import WindowSpan
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.measure import AIE_STREAM_MB_PER_S, Rate, Throughput, measure, measures_dict, rate_of
from goldbeat.pymodels.packet_header import parse_header
from goldbeat.pymodels.plio_file import PlioFile
from goldbeat.pymodels.plio_file.store import store
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.cli.common import (
    ClockMhz,
    Force,
    Json,
    Lenient,
    check_drawing,
    check_free,
    examples,
    facts,
    ns,
    print_json,
    say,
    working,
)
from goldbeat.tb.cli.screen import literal, show_table
from goldbeat.tb.cli.trace_files import (
    Packets,
    PortTypes,
    PortWidths,
    check_ports,
    clock_json,
    clock_rows,
    counted,
    of_port,
    read_timed,
    too_slow,
)
from goldbeat.tb.cli.windows import gap_rows, window_lines

_MOST_LINES = 10_000_000
_STEP = "1us"
"""Lines of --over-time."""
_TOLD = 64
"""Cycles of the slowest window in the table of several ports."""


def register(app: typer.Typer) -> None:
    """Mount the command."""
    below = examples(
        "goldbeat plio throughput out.txt --dtype cint16 --width 32",
        "goldbeat plio throughput a.txt b.txt -t int32 -w 64 --json",
        "goldbeat plio throughput out.txt -t cint16 -w 32 --plot out.png",
        "goldbeat plio throughput aiesimulator_output/data -t cint16 -t taps=int32 -w 64 --over-time rates.csv",
    )
    app.command("throughput", no_args_is_help=True, epilog=below)(throughput)


def throughput(
    files: Annotated[list[Path], typer.Argument(metavar="FILE|FOLDER...", help="PLIO files with times.")],
    dtype: PortTypes,
    width: PortWidths,
    clock: ClockMhz = None,
    table: Annotated[bool, typer.Option("--table", help="Print one table of all files, as for a FOLDER.")] = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="OUT.png", help="Draw the throughput over time.")
    ] = None,
    over_time: Annotated[
        Path | None, typer.Option("--over-time", metavar="OUT.csv", help="Write the throughput over time.")
    ] = None,
    step: Annotated[
        str | None, typer.Option("--step", metavar="TIME", help="Time between two lines of --over-time [1us].")
    ] = None,
    packets: Packets = None,
    lenient: Lenient = False,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Measure throughput, gaps and frame intervals of a port.

    The clock is inferred from the time between beats, unless --clock is given. Of a packet stream, each id
    is measured too.
    """
    if plot is not None:
        check_drawing("--plot", plot, force, files)
    if over_time is not None:
        check_free(over_time, force, files)
    elif step is not None:
        raise UsageError(f"--step {step} is for --over-time")
    paths = _files(files)
    ports = [path.stem for path in paths]
    check_ports(ports, dtype, "--dtype")
    check_ports(ports, width, "--width")
    results: list[_Measured] = []
    with working("measuring", len(paths)) as advance:
        for path in paths:
            # One progress display at a time: the bar counts the files.
            kind, bits = of_port(path.stem, dtype, "--dtype"), int(of_port(path.stem, width, "--width"))
            file = read_timed(path, kind, bits, clock, lenient, packets=bool(packets), quiet=True)
            if error := too_slow(file, path):
                say(f"warning: {error}; shares of the port mean nothing", err=True)
            results.append(_measured(path, file, packets))
            advance()
    if plot is not None:
        _plot(results, plot)
    if over_time is not None:
        store(over_time, _over_time(results, WindowSpan.parse(step or _STEP)).encode(), force=force)
    if as_json:
        print_json([_as_json(one) for one in results])
    elif table or any(path.is_dir() for path in files):
        show_table(_ports_table(results), piped=110)
        if guessed := [n for n, one in zip(_port_names(results), results, strict=True) if not _sure(one)]:
            say(f"no share of the port, as the clock is inferred: {', '.join(guessed)}; --clock MHZ gives it")
    else:
        for one in results:
            facts(str(one.path), _throughput_rows(one))


def _files(given: Sequence[Path]) -> list[Path]:
    """The files, and those of folders in the order of their names."""
    found = list[Path]()
    for path in given:
        inside = sorted(p for p in path.glob("*") if p.suffix.lower() in (".txt", ".csv")) if path.is_dir() else [path]
        if not inside:
            raise InputError("a folder without .txt and .csv files", "PLIO files", file=path)
        found += inside
    return found


@dataclass(frozen=True)
class _Measured:
    """A file, what it says, and whether packets' headers were left out.

    Attributes:
        ids: of a packet stream, what belongs to each id.
    """

    path: Path
    file: PlioFile
    result: Throughput
    headed: bool
    windows: Sequence[PortWindow]
    payload: Trace
    ids: Mapping[int, Throughput]


def _measured(path: Path, file: PlioFile, packets: bool | None) -> _Measured:
    trace, headed = counted(file, path, packets)
    # Where a header shares its beat, what is left may be no whole sample.
    kind = file.dtype if trace.ragged(file.dtype) is None else None
    windows = port_windows(trace, kind, clock_ps=file.clock.exact_ps)
    result = measure(trace, kind, clock_ps=file.clock.exact_ps)
    ids = dict(_by_id(file, trace)) if headed else {}
    return _Measured(path, file, result, headed, windows, trace, ids)


def _by_id(file: PlioFile, payload: Trace) -> Iterator[tuple[int, Throughput]]:
    """What the packets of each id carry, headers left out."""
    whole = file.measured()
    starts = np.concatenate([[True], whole.last[:-1]])
    header = parse_header(np.ascontiguousarray(whole.data[starts, :4]).view("<u4").reshape(-1))
    of_beat = header.packet_id[np.cumsum(starts) - 1]
    for number in np.unique(of_beat).tolist():
        mine = payload[of_beat == number]
        yield int(number), measure(mine, None, clock_ps=file.clock.exact_ps)


def _as_json(one: _Measured) -> dict[str, Any]:
    said: dict[str, Any] = {"file": str(one.path), "dtype": one.file.dtype.name, "dropped": len(one.file.dropped)}
    said |= measures_dict(one.result) | clock_json(one.file)
    said |= {} if one.file.clock.known else {"limit_mb_per_s": None}
    said |= {"packets": one.headed, "windows": _windows_json(one)}
    names = ("frames", "bytes", "first_ns", "last_ns", "raw", "by_frames", "sustained")
    ids = [{"id": n, **{k: v for k, v in measures_dict(r).items() if k in names}} for n, r in one.ids.items()]
    return said | ({"ids": ids} if one.headed else {})


def _windows_json(one: _Measured) -> list[dict[str, Any]]:
    """The windows; the slowest begins after a line of the file, or with its first."""
    found = windows_json(one.windows)
    for entry, window in zip(found, one.windows, strict=True):
        entry["slowest"]["line"] = int(one.file.lines[max(0, window.beat)])
    return found


def _sure(one: _Measured) -> bool:
    """Whether the file's clock is known well enough for a share: a port that pauses after each beat shows a slower one."""
    return one.file.clock.confidence in ("given", "high")


def _port_names(results: Sequence[_Measured]) -> list[str]:
    """The files' names, or paths where two have one name."""
    stems = [one.path.stem for one in results]
    return [stem if stems.count(stem) == 1 else str(one.path) for stem, one in zip(stems, results, strict=True)]


def _ports_table(results: Sequence[_Measured]) -> Table:
    """A row per port: what it carries, its slowest window and where, and its longest gap."""
    table = Table(title=f"Ports; slowest {_TOLD}: MB/s in the slowest {_TOLD} cycles", title_justify="left")
    columns = ("port", "beats", "Msamples/s", "MB/s", "of port", f"slowest {_TOLD}", "from ns", "longest gap")
    for column in columns:
        table.add_column(column, justify="left" if column == "port" else "right")
    for one, name in zip(results, _port_names(results), strict=True):
        rate, slow = one.result.sustained, [w for w in one.windows if w.cycles == _TOLD]
        table.add_row(
            literal(name),
            str(one.result.beats),
            "-" if rate is None or rate.msamples_per_s is None else f"{rate.msamples_per_s:.2f}",
            "-" if rate is None else f"{rate.mb_per_s:.2f}",
            f"{one.result.share(rate):.1%}" if rate is not None and _sure(one) else "-",
            f"{slow[0].least.mb_per_s:.2f}" if slow else "too few",
            f"{slow[0].start_ps / 1000:g}" if slow else "-",
            ns(one.result.max_gap_ps),
        )
    return table


def _over_time(results: Sequence[_Measured], step: WindowSpan) -> str:
    """A line per port and step: what transferred in it."""
    if step.kind in ("beat", "frame"):
        raise UsageError(f"--step {step.text}: expected a time or cycles")
    lengths = [step.count * (one.file.clock.exact_ps if step.kind == "cycle" else 1) for one in results]
    ends = [(one.result.first_ps or 0, one.result.last_ps or 0) for one in results]
    lines = sum(int((last - first) // length) for (first, last), length in zip(ends, lengths, strict=True))
    if lines > _MOST_LINES:
        raise UsageError(f"--step {step.text}: {lines:,} lines, expected at most {_MOST_LINES:,}; choose a longer step")
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["port", "start_ns", "end_ns", "beats", "bytes", "msamples_per_s", "mb_per_s"])
    for one, length, name in zip(results, lengths, _port_names(results), strict=True):
        kind = one.file.dtype if one.payload.ragged(one.file.dtype) is None else None
        for start, beats, size in rate_over_time(one.payload, length):
            rate = rate_of(size, kind, length)
            samples = "" if rate.msamples_per_s is None else rate.msamples_per_s
            writer.writerow([name, start / 1000, float((start + length) / 1000), beats, size, samples, rate.mb_per_s])
    return text.getvalue()


def _plot(results: list[_Measured], plot: Path) -> None:
    from goldbeat.tb.run.plot import plot_run, plot_trace

    with working(f"drawing {plot}"):
        if len(results) == 1:
            file = results[0].file
            plot_trace(file.on_clock(), plot, title=results[0].path.name, dtype=file.dtype)
        else:
            ports = {str(one.path): one.file.on_clock() for one in results}
            plot_run(ports, plot, "Throughput", {str(one.path): one.file.dtype.name for one in results})


def _throughput_rows(one: _Measured) -> list[tuple[str, str]]:
    result, file, kind = one.result, one.file, one.file.dtype

    def rate(name: str, value: Rate | None) -> str:
        if value is None:
            return f"none: {result.reason(name)}"
        text = f"{value.mvalues_per_s:.2f} M values/s = " if kind.parts == 2 and value.mvalues_per_s else ""
        text += f"{value.msamples_per_s:.2f} Msamples/s = " if value.msamples_per_s is not None else ""
        text += f"{value.mb_per_s:.2f} MB/s"
        return text + f", {result.share(value):.2%} of the port"

    limit = result.limit_mb_per_s
    clock = clock_rows(file)
    if file.clock.known:
        clock.append(("port limit", f"{limit * 8 / kind.bits:.2f} Msamples/s = {limit:.2f} MB/s"))
    rows = [
        ("beats, samples, frames", f"{result.beats}, {result.samples}, {result.frames}"),
        *([("packets", f"{result.frames}, headers not counted (--no-packets counts them)")] if one.headed else []),
        ("first, last beat", f"{ns(result.first_ps)}, {ns(result.last_ps)}"),
        *clock,
        ("raw", rate("raw", result.raw)),
        ("by frames", rate("by_frames", result.by_frames)),
        ("sustained", rate("raw", result.sustained)),
        ("inside frames", rate("continuous", result.continuous)),
    ]
    best = result.sustained
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
        text = (
            f"{s.rate.mb_per_s:.2f} MB/s"
            if s.rate.msamples_per_s is None
            else f"{s.rate.msamples_per_s:.2f} Msamples/s"
        )
        rows.append(("steady state", f"yes, from frame {s.since_frame} on, at {text}"))
    lines = window_lines(one.windows, file.lines.tolist() if one.windows else ()) or [f"none: {TOO_FEW}"]
    rows += [("" if at else "windows", text) for at, text in enumerate(lines)]
    if result.gap_ps:
        rows += gap_rows(result, True)
    else:
        rows.append(("gaps", f"none: {result.reason('max_gap_ps')}"))
    rows += [("" if at else "by id", _id_text(number, found)) for at, (number, found) in enumerate(one.ids.items())]
    if file.dropped:
        rows.append(("dropped lines", f"{len(file.dropped)}"))
    return rows


def _id_text(number: int, found: Throughput) -> str:
    rate = found.raw
    said = f"id {number}: {found.frames} packets, {found.bytes} payload bytes"
    return f"{said}, {TOO_FEW.partition(':')[0]}" if rate is None else f"{said}, {rate.mb_per_s:.2f} MB/s"
