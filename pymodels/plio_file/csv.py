# SPDX-License-Identifier: Apache-2.0
"""The CSV variant of PLIO files: a row is one beat repeated, or idle cycles, or a comment.

The header names the columns: ``CMD``, one ``D`` a number, and ``TLAST`` and ``TKEEP`` in either order, both optional.
Source: UG1076 2023.2.
"""

from __future__ import annotations

from os import PathLike
from typing import IO

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.plio_file.beats import build_trace, check_port
from goldbeat.pymodels.plio_file.csv_strict import read_rows
from goldbeat.pymodels.plio_file.digits import Chars, choose_chars, integer_chars, pick, row_text
from goldbeat.pymodels.plio_file.encoding import without_mark
from goldbeat.pymodels.plio_file.floatheaders import keep_headers
from goldbeat.pymodels.plio_file.layout import (
    headers_of,
    infer_floats,
    infer_radix,
    infer_words,
    kept_bytes,
    line_text,
    number_chars,
)
from goldbeat.pymodels.plio_file.result import PlioFile
from goldbeat.pymodels.plio_file.spreadsheet import plain_rows
from goldbeat.pymodels.plio_file.store import check_target, load_bytes, store
from goldbeat.pymodels.plio_file.style import TextStyle
from goldbeat.pymodels.samples import SampleType, sample_type
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.usual_clocks import Period

_ROWS = 1 << 14


def read_csv(
    path: str | PathLike[str],
    dtype: str | SampleType,
    width: int,
    *,
    clock_ps: Period | None = None,
    lenient: bool = False,
    packets: bool = False,
) -> PlioFile:
    """Read a PLIO CSV file; see :func:`parse_csv`."""
    kind = sample_type(dtype)
    check_port(kind, width, clock_ps)
    return parse_csv(load_bytes(path), kind, width, clock_ps=clock_ps, lenient=lenient, packets=packets, name=str(path))


def parse_csv(
    raw: bytes,
    dtype: str | SampleType,
    width: int,
    *,
    clock_ps: Period | None = None,
    lenient: bool = False,
    packets: bool = False,
    name: str | None = None,
) -> PlioFile:
    """Read the bytes of a PLIO CSV file.

    Rows are ``DATA`` or ``DATA:n`` (the beat n times), ``STALL`` or ``STALL:n`` (n idle cycles, further columns
    are ignored but must be all there or all absent) and ``COMMENT`` (anything). TLAST (0 or 1, default 0)
    and TKEEP (-1 or hexadecimal, default -1, all valid) may be missing from the header, from the end of a row, or
    empty. Blanks may stand around every cell. Files of spreadsheets are read as well (:mod:`.spreadsheet`), with TRUE and FALSE
    for TLAST. Idle cycles after the last beat are not part of a trace; ``idle_after`` counts them.

    Args:
        raw: the file's bytes.
        dtype: sample type; a complex sample takes two D columns.
        width: port width in bits: 32, 64 or 128.
        clock_ps: clock period in picoseconds, by default :data:`~goldbeat.pymodels.plio_file.clock.DEFAULT_CLOCK_PS`.
        lenient: leave out DATA rows with a wrong number of cells, and blank lines; they are listed in ``dropped``.
        packets: float types: an integer that begins a frame is a packet header, whose bits are kept. Headers that no float
            could be mistaken for (from programmable logic, or with more bits than a float has) are always kept.
        name: file name for messages.

    Raises:
        InputError: the first line that is wrong; a file without any beat.
        UsageError: the type does not fit the port, or the port or the clock cannot be.
    """
    kind = sample_type(dtype)
    check_port(kind, width, clock_ps)
    raw = plain_rows(without_mark(raw, name), name)
    rows, tkeep_first, dropped = read_rows(raw, kind, width, lenient=lenient, name=name)
    if not len(rows.repeat):
        raise InputError("no DATA row", "at least one", file=name, line=1)
    beats, headers = keep_headers(raw, rows.beats(), kind, csv=True, packets=packets)
    style = TextStyle(
        time_lines=False,
        final_newline=raw.endswith(b"\n"),
        newline="\r\n" if raw.split(b"\n", 1)[0].endswith(b"\r") else "\n",
        floats=infer_floats(raw, kind),
        words="packets" if headers else infer_words(beats, kind),
        radix=infer_radix(line_text(raw, int(beats.line[0])), csv=True),
        tkeep_first=tkeep_first,
    )
    return PlioFile(
        *build_trace(beats, kind, width, clock_ps),
        dtype=kind,
        width=width,
        style=style,
        timed=False,
        csv=True,
        dropped=dropped,
        lines=beats.line,
        idle_after=_idle_at_end(raw),
        ignored_keeps=beats.ignored_keeps,
    )


def _idle_at_end(raw: bytes) -> int:
    """Idle cycles of the STALL rows after the last DATA row."""
    idle, end = 0, len(raw)
    while end > 0:
        begin = raw.rfind(b"\n", 0, end - 1) + 1
        word, _, times = raw[begin:end].split(b",")[0].strip().partition(b":")
        if word.upper() == b"DATA":
            break
        if word.upper() == b"STALL":
            idle += int(times) if times.strip().isdigit() else 1
        end = begin
    return idle


def write_csv(
    target: str | PathLike[str] | IO[bytes],
    trace: Trace,
    dtype: str | SampleType,
    *,
    style: TextStyle | None = None,
    force: bool = False,
) -> None:
    """Write a PLIO CSV file, whole or not at all; see :func:`format_csv`.

    Raises:
        UsageError: the file exists and ``force`` is not set.
    """
    check_target(target, force)
    store(target, format_csv(trace, dtype, style), force=force)


def _differs(trace: Trace, count: npt.NDArray[np.int64], headers: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The beats that need a row of their own, since they are not the beat before once more."""
    differs = np.ones(len(trace), np.bool_)
    shown = np.where(trace.keep, trace.data, 0)
    differs[1:] = (
        (trace.gaps[1:] != 0)
        | (trace.last[1:] != trace.last[:-1])
        | (count[1:] != count[:-1])
        | (shown[1:] != shown[:-1]).any(axis=1)
    )
    # A header is printed in another way than the rest.
    differs |= headers
    differs[1:] |= headers[:-1]
    return differs


def format_csv(trace: Trace, dtype: str | SampleType, style: TextStyle | None = None) -> bytes:
    """A trace as the bytes of a PLIO CSV file.

    Equal beats that stand back to back become one ``DATA:n`` row, idle cycles ``STALL:n`` rows. The clock's period and
    offset are not part of such a file. Of the style, ``newline``, ``final_newline``, ``floats``, ``words`` and
    ``tkeep_first`` count.

    Raises:
        InputError: the trace says what a PLIO file cannot say, or begins before cycle 0.
        UsageError: the type does not fit the port.
    """
    kind = sample_type(dtype)
    style = TextStyle() if style is None else style
    count = kept_bytes(trace, kind)
    n = len(trace)
    full = kind.per_beat(trace.width) * kind.parts
    newline = style.newline.encode()
    tail = ["TKEEP", "TLAST"] if style.tkeep_first else ["TLAST", "TKEEP"]
    head = ",".join(["CMD", *["D"] * full, *tail]).encode() + newline
    if n and trace.cycle[0] < 0:
        raise InputError(f"cycle {trace.cycle[0]} in beat 0", "no cycle before 0 in a CSV file")
    gaps = trace.gaps
    headers = headers_of(trace, kind, style)
    first = np.flatnonzero(_differs(trace, count, headers))
    repeat = np.diff(first, append=n)
    words = [b"-1"] + [f"0x{(1 << b) - 1:0{trace.width // 32}X}".encode() for b in range(4, trace.width // 8, 4)]
    blocks = [head]
    for begin in range(0, len(first), _ROWS):
        at = first[begin : begin + _ROWS]
        m, times = len(at), repeat[begin : begin + _ROWS]
        stall = gaps[at]
        idle = stall > 0
        columns: list[Chars | bytes] = []
        if idle.any():
            columns += [
                choose_chars(idle, b"STALL:"),
                integer_chars(stall) * idle[:, None],
                choose_chars(idle, newline),
            ]
        many = times > 1
        columns.append(b"DATA")
        if many.any():
            columns += [choose_chars(many, b":"), integer_chars(times) * many[:, None]]
        chars = number_chars(trace.data[at], headers[at], kind, style)
        for part in range(full):
            columns += [b",", chars[:, part]]
        size = trace.width // 8
        keep = pick(np.where(count[at] == size, 0, count[at] // 4), words)
        last = pick(trace.last[at].astype(np.int64), [b"0", b"1"])
        columns += [b",", keep, b",", last] if style.tkeep_first else [b",", last, b",", keep]
        columns.append(newline)
        blocks.append(row_text(columns, m))
    text = b"".join(blocks)
    return text if style.final_newline else text.removesuffix(newline)
