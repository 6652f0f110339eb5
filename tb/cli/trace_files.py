# SPDX-License-Identifier: Apache-2.0
"""Reading PLIO files for the commands, and what they say of a file's clock."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from math import floor
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from goldbeat.pymodels.edges import edges_ps
from goldbeat.pymodels.errors import InputError, UsageError, naming
from goldbeat.pymodels.packet_payload import payload_of
from goldbeat.pymodels.plio_file import PlioFile, read
from goldbeat.pymodels.samples import SampleType
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.cli.common import exact_clock, ns, say, working

In = Annotated[Path, typer.Argument(metavar="FILE", help="PLIO file (.txt or .csv).")]
Out = Annotated[Path, typer.Argument(metavar="OUT", help="File to write (.txt or .csv).")]

_SURE = {
    "given": "as given",
    "high": "inferred, high confidence",
    "medium": "inferred, medium confidence",
    "low": "inferred, low confidence (--clock MHZ sets it)",
}


PortTypes = Annotated[
    list[str],
    typer.Option("--dtype", "-t", metavar="[PORT=]TYPE", help="Sample type, of all files or of one port; repeatable."),
]
PortWidths = Annotated[
    list[str],
    typer.Option("--width", "-w", metavar="[PORT=]BITS", help="PLIO width, of all files or of one port; repeatable."),
]


def check_ports(ports: Sequence[str], given: Sequence[str], option: str) -> None:
    """Refuse values of an option for ports that are not there, and two for one port."""
    named = [text.partition("=")[0] for text in given if "=" in text]
    for name in named:
        if name not in ports:
            raise UsageError(f"{option} for unknown port {name!r}; there are: {', '.join(ports)}")
        if named.count(name) > 1:
            raise UsageError(f"{option} {name} is given twice")


def check_different(files: Sequence[Path]) -> None:
    """Refuse one file as several ports of a run: it would be compared with itself."""
    for number, path in enumerate(files):
        for other in files[:number]:
            if path.exists() and other.exists() and path.samefile(other):
                raise UsageError(f"{path} is given as two ports; expected a file of its own for each")


def of_port(port: str, given: Sequence[str], option: str) -> str:
    """What an option says of a port: its own value, else the one of all.

    Raises:
        UsageError: neither is given, or a value that is no number for a width.
    """
    own = dict(text.split("=", 1) for text in given if "=" in text)
    common = [text for text in given if "=" not in text]
    if len(common) > 1:
        raise UsageError(f"{option} {' '.join(common)}: expected one value for all files; others as PORT={common[1]}")
    if port not in own and not common:
        raise UsageError(
            f"{option}: nothing for port {port}; expected {option} {port}=VALUE, or one value for all files"
        )
    found = own.get(port) or common[0]
    if option == "--width" and not found.isdecimal():
        raise UsageError(f"--width {found}: expected a number of bits")
    return found


def read_file(
    path: Path,
    dtype: str,
    width: int,
    clock: float | None = None,
    lenient: bool = False,
    *,
    packets: bool = False,
    quiet: bool = False,
) -> PlioFile:
    """Read with progress (not when ``quiet``); dropped lines are reported on stderr."""
    with nullcontext() if quiet else working(f"reading {path}"):
        file = read(path, dtype, width, clock_ps=exact_clock(clock), lenient=lenient, packets=packets)
    if file.dropped:
        line, found, expected = file.dropped[0]
        say(
            f"warning: {path}: {len(file.dropped)} malformed line(s) dropped, "
            f"the first is line {line}: found {found}, expected {expected}",
            err=True,
        )
    return file


def read_timed(
    path: Path,
    dtype: str,
    width: int,
    clock: float | None,
    lenient: bool = False,
    *,
    packets: bool = False,
    quiet: bool = False,
) -> PlioFile:
    """Read a file whose times are needed; one without them is an error."""
    file = read_file(path, dtype, width, clock, lenient, packets=packets, quiet=quiet)
    if not file.timed and not file.csv:
        raise InputError("no time stamps", "a T line before every beat, as simulators write them", file=path)
    if file.csv and clock is None:
        raise UsageError(f"{path}: a CSV file counts cycles; --clock MHZ turns them into time")
    return file


def check_clock(file: PlioFile, path: Path) -> None:
    """Refuse a clock that is too slow for the file."""
    if error := too_slow(file, path):
        raise error


def too_slow(file: PlioFile, path: Path) -> InputError | None:
    """What a clock that is too slow for the file contradicts: the first beat that comes too early.

    Stamps need not lie on the clock's grid: one may be late by less than half a cycle.
    """
    if file.clock.confidence != "given" or not file.timed or not len(file.trace):
        return None
    try:
        time = file.measured().time_ps
    except InputError as error:
        return InputError(error.found, error.expected, file=path, line=error.line)
    # How late each beat is against one per cycle; a beat that comes early makes up for the latest before it.
    late = time - edges_ps(np.arange(len(time), dtype=np.int64), file.clock.exact_ps)
    early = np.flatnonzero(2 * (np.maximum.accumulate(late) - late) >= floor(file.clock.exact_ps))
    if not len(early):
        return None
    since, at = int(np.argmax(late[: early[0]])), int(early[0])
    stamps = file.trace.time_ps[since : at + 1]
    # Two beats alone are no proof where their distance is a cycle in rounded stamps.
    unit = 1 if (stamps % 1000).any() else 1000
    close = np.flatnonzero(np.diff(stamps) <= file.clock.exact_ps - unit)
    expected = f"the {file.clock.period_ps} ps clock that --clock gives"
    if len(close):
        at = since + 1 + int(close[0])
        found = f"a beat {stamps[close[0] + 1] - stamps[close[0]]} ps after the one before"
        expected = f"at least a cycle of {expected}"
    else:
        found = f"a beat {stamps[-1] - stamps[0]} ps after the beat of line {file.lines[since]}"
        expected = f"at least {at - since} cycles of {expected}"
    return InputError(found, expected, file=path, line=int(file.lines[at]))


Packets = Annotated[
    bool | None,
    typer.Option("--packets/--no-packets", help="Do not count packet headers [if every frame begins with one]."),
]


def counted(file: PlioFile, path: Path, packets: bool | None) -> tuple[Trace, bool]:
    """The trace of a file without headers of packets, and whether it has any."""
    trace = file.measured()
    found = payload(trace, path, packets)
    return found, found is not trace


def payload(trace: Trace, path: Path, packets: bool | None) -> Trace:
    """The trace of a file without headers of packets; itself where it has none."""
    with naming(path):
        return payload_of(trace, packets)


def clock_rows(file: PlioFile) -> list[tuple[str, str]]:
    """The clock for people: its frequency, how sure it is, and what does not fit."""
    clock = file.clock
    if not clock.known:
        return [("clock", "not known: no gap between beats; --clock MHZ gives it")]
    rows = [("clock", f"{ns(clock.period_ps)} ({clock.mhz:.6g} MHz), {_SURE[clock.confidence]}")]
    if clock.off_grid:
        rows.append(("off the clock's grid", f"{clock.off_grid} of {clock.gaps} gaps"))
    if clock.others:
        rows.append(
            ("other clocks that fit", ", ".join(f"{1e6 / p:.6g} MHz ({share:.1%})" for p, share in clock.others))
        )
    return rows


def clock_json(file: PlioFile) -> dict[str, Any]:
    """The clock for machines; null where nothing says it."""
    clock = file.clock
    return {
        "clock_ps": clock.period_ps if clock.known else None,
        "clock_confidence": clock.confidence if clock.known else None,
        "gaps_off_grid": clock.off_grid,
        "other_clocks": [{"clock_ps": p, "mhz": 1e6 / p, "share_of_gaps": share} for p, share in clock.others],
    }


def names(paths: Sequence[Path]) -> str:
    """Paths in a sentence."""
    return " and ".join(map(str, paths))


def check_frames(samples: int, frame: int, kind: SampleType) -> None:
    """Frames end on a whole 32-bit word: no other TKEEP is legal with TLAST."""
    if frame < 1:
        raise UsageError(f"frames of {frame} samples; at least 1 is needed")
    for size, what in ((frame, "a frame"), (samples % frame, "the last frame")):
        if size * kind.bits % 32:
            raise UsageError(
                f"{what} of {size} samples of {kind.name} is {size * kind.bits / 8:g} bytes, and must be whole 32-bit words"
            )
