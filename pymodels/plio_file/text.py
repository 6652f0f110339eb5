# SPDX-License-Identifier: Apache-2.0
"""PLIO text files: one line of samples per beat, with optional T and TLAST lines before it.

Source: UG1076 (PLIO files) and what the vendor's simulator writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import IO

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.plio_file.beats import build_trace, check_port
from goldbeat.pymodels.plio_file.digits import Chars, choose_chars, integer_chars, pick, row_text
from goldbeat.pymodels.plio_file.encoding import without_mark
from goldbeat.pymodels.plio_file.floatheaders import keep_headers
from goldbeat.pymodels.plio_file.layout import headers_of, infer_style, kept_bytes, number_chars, times
from goldbeat.pymodels.plio_file.result import PlioFile
from goldbeat.pymodels.plio_file.store import check_target, load_bytes, store
from goldbeat.pymodels.plio_file.style import TextStyle
from goldbeat.pymodels.plio_file.text_strict import read_beats
from goldbeat.pymodels.plio_file.words import UNITS
from goldbeat.pymodels.samples import SampleType, sample_type
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.usual_clocks import Period

_ROWS = 1 << 14
"""Beats formatted at a time: their character matrix stays in the cache."""


def read_text(
    path: str | PathLike[str],
    dtype: str | SampleType,
    width: int,
    *,
    clock_ps: Period | None = None,
    lenient: bool = False,
    packets: bool = False,
) -> PlioFile:
    """Read a PLIO text file; see :func:`parse_text`."""
    kind = sample_type(dtype)
    check_port(kind, width, clock_ps)
    return parse_text(
        load_bytes(path), kind, width, clock_ps=clock_ps, lenient=lenient, packets=packets, name=str(path)
    )


def parse_text(
    raw: bytes,
    dtype: str | SampleType,
    width: int,
    *,
    clock_ps: Period | None = None,
    lenient: bool = False,
    packets: bool = False,
    name: str | None = None,
) -> PlioFile:
    """Read the bytes of a PLIO text file.

    Every line must be right. Blanks and tabs may stand anywhere between numbers, keywords and units may be in any case,
    lines may end in CRLF, blank lines may stand at the end of the file and nowhere else. Before a data line, in any
    order, at most one each: ``T number unit``; ``TLAST``; ``TKEEP value`` (-1 or hexadecimal). Only a line
    after TLAST may be short, and then it fills whole 32-bit words and whole samples. Either every beat has a
    time or none.

    Args:
        raw: the file's bytes.
        dtype: sample type.
        width: port width in bits: 32, 64 or 128.
        clock_ps: clock period in picoseconds, taken whether or not the times lie on its grid. Without it, the most
            plausible one (:func:`~goldbeat.pymodels.plio_file.clock.infer_clock`); ``clock`` of the result says how
            sure it is.
        lenient: leave out lines with a wrong number of samples, together with their own T, TLAST and TKEEP
            lines, as the vendor's simulator does (and blank lines). What was left out stands in ``dropped``.
        packets: float types: an integer that begins a frame is a packet header, whose bits are kept. Headers that no float
            could be mistaken for (from programmable logic, or with more bits than a float has) are always kept.
        name: file name for messages.

    Raises:
        InputError: the first line that is wrong; a file without any beat.
        UsageError: the type does not fit the port, or the port or the clock cannot be.
    """
    kind = sample_type(dtype)
    check_port(kind, width, clock_ps)
    raw = without_mark(raw, name)
    beats, dropped = read_beats(raw, kind, width, lenient=lenient, name=name)
    if not len(beats.counts):
        raise InputError("no data line", "samples", file=name, line=1)
    beats, headers = keep_headers(raw, beats, kind, csv=False, packets=packets)
    trace, clock = build_trace(beats, kind, width, clock_ps)
    return PlioFile(
        trace=trace,
        clock=clock,
        dtype=kind,
        width=width,
        style=infer_style(raw, kind, beats, headers),
        timed=beats.time is not None,
        dropped=dropped,
        lines=beats.line,
        ignored_keeps=beats.ignored_keeps,
    )


def write_text(
    target: str | PathLike[str] | IO[bytes],
    trace: Trace,
    dtype: str | SampleType,
    *,
    style: TextStyle | None = None,
    force: bool = False,
) -> None:
    """Write a PLIO text file, whole or not at all; see :func:`format_text`.

    Args:
        target: a path, or a binary stream.
        trace: the beats.
        dtype: sample type.
        style: layout; None is the simulator's.
        force: overwrite an existing file.

    Raises:
        UsageError: the file exists and ``force`` is not set.
    """
    check_target(target, force)
    store(target, _text_blocks(trace, dtype, style), force=force)


def format_text(trace: Trace, dtype: str | SampleType, style: TextStyle | None = None) -> bytes:
    """A trace as the bytes of a PLIO text file; a trace of no beats gives no bytes.

    Times are printed in the largest unit that keeps the number whole, so no picosecond is lost.

    Raises:
        InputError: the trace says what a PLIO file cannot say.
        UsageError: the type does not fit the port.
    """
    return b"".join(_text_blocks(trace, dtype, style))


def _text_blocks(trace: Trace, dtype: str | SampleType, style: TextStyle | None) -> Iterator[bytes]:
    """:func:`format_text` in parts: the text of a long trace takes many times its room."""
    kind = sample_type(dtype)
    check_port(kind, trace.width, trace.clock_ps)
    style = TextStyle() if style is None else style
    first, ended = 0, True
    for part in trace.parts():
        blocks = _part_text(part, kind, style, first, ended=ended)
        first, ended = first + len(part), bool(part.last[-1])
        if first < len(trace) or style.final_newline:
            yield from blocks
            continue
        *before, text = blocks
        yield from before
        yield text.removesuffix(style.newline.encode())


def _part_text(part: Trace, kind: SampleType, style: TextStyle, first: int, *, ended: bool) -> Iterator[bytes]:
    """The text of a part of a trace, block by block.

    Args:
        part: with at least one beat.
        kind: sample type.
        style: layout.
        first: number of the first beat.
        ended: the beat before it had TLAST, or there is none.
    """
    count = kept_bytes(part, kind, first) * 8 // kind.part_bits
    time = times(part, first) if style.time_lines else None
    full = kind.per_beat(part.width) * kind.parts
    newline = style.newline.encode()
    tlast = style.tlast.encode() + newline
    units = [f" {unit}".encode() + newline for unit in UNITS]
    headers = headers_of(part, kind, style, ended=ended)
    for begin in range(0, len(part), _ROWS):
        rows = slice(begin, min(begin + _ROWS, len(part)))
        n = rows.stop - begin
        last = part.last[rows]
        stamp: list[Chars | bytes] = []
        if time is not None:
            number, unit = _units(time[rows])
            stamp = [b"T ", integer_chars(number), pick(unit, units)]
        mark: list[Chars | bytes] = [choose_chars(last, tlast)] if last.any() else []
        chars = number_chars(part.data[rows], headers[rows], kind, style)
        columns = [*mark, *stamp] if style.tlast_first else [*stamp, *mark]
        columns.append(style.lead.encode())
        short = count[rows] < full
        for place in range(full):
            if place == 0 or not short.any():
                columns += [style.separator.encode()] * (place > 0) + [chars[:, place]]
            else:
                there = count[rows] > place
                columns += [choose_chars(there, style.separator.encode()), chars[:, place] * there[:, None]]
        columns.append(style.trail.encode() + newline)
        yield row_text(columns, n)


def _units(time: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Times in picoseconds as numbers and indices into UNITS, each the largest unit that keeps the number whole."""
    number, unit = time.copy(), np.zeros(len(time), np.int64)
    for _ in UNITS[1:]:
        # A number that is not whole in one unit is not whole in the next.
        whole = number % 1000 == 0
        if not whole.any():
            break
        number = np.where(whole, number // 1000, number)
        unit += whole
    return number, unit
