# SPDX-License-Identifier: Apache-2.0
"""What writers check and prepare before a trace becomes text, and how readers infer the style of a file."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.packet_header import header_places, headers_ok
from goldbeat.pymodels.plio_file.beats import WORD_BYTES, Beats, check_port
from goldbeat.pymodels.plio_file.digits import Chars, hex_chars, integer_chars, part_chars
from goldbeat.pymodels.plio_file.style import Floats, Radix, TextStyle, Words
from goldbeat.pymodels.plio_file.words import MAX_TIME_PS, either_sign, holds_headers, is_hex
from goldbeat.pymodels.samples import SampleType
from goldbeat.pymodels.trace import SIDEBANDS, Trace

_SCIENTIFIC = re.compile(rb"[0-9]\.[0-9]{9}e[+-][0-9]{2}", re.IGNORECASE)
_TLAST = re.compile(rb"tlast", re.IGNORECASE)


def kept_bytes(trace: Trace, kind: SampleType, first: int = 0) -> npt.NDArray[np.int64]:
    """(n,) valid bytes of each beat, after checking that a PLIO file can say what the trace says.

    Args:
        trace: a part of a trace, or all of it.
        kind: sample type.
        first: number of the part's first beat.

    Raises:
        InputError: bytes missing outside a TLAST beat, a TLAST beat that does not end on a whole word and sample, or
            sideband values.
        UsageError: the type does not fit the port.
    """
    check_port(kind, trace.width, trace.clock_ps)
    for name in SIDEBANDS:
        column = getattr(trace, name)
        if column is not None and column.any():
            at = int(np.argmax(column != 0))
            raise InputError(f"{name} {column[at]} in beat {first + at}", f"no {name}, as a PLIO port has none")
    size = trace.width // 8
    if trace.keep.all():
        return np.full(len(trace), size, np.int64)
    count: npt.NDArray[np.int64] = trace.keep.sum(axis=1, dtype=np.int64)
    short = count != size
    step = max(WORD_BYTES, kind.bytes)
    hole = (trace.keep != (np.arange(size) < count[:, None])).any(axis=1)
    bad = hole | (short & (~trace.last | (count == 0) | (count % step != 0)))
    if bad.any():
        at = int(np.argmax(bad))
        keep = "".join("1" if k else "0" for k in trace.keep[at][::-1])
        expected = f"multiples of {step} bytes from the low end on" if trace.last[at] else "all bytes kept without"
        raise InputError(f"keep {keep} in beat {first + at}", f"{expected} TLAST")
    return count


def times(trace: Trace, first: int = 0) -> npt.NDArray[np.int64]:
    """(n,) times in picoseconds that can be written; ``first``: number of the first beat.

    Raises:
        InputError: a time below zero or beyond 64 bits.
    """
    if len(trace):
        for at in (0, len(trace) - 1):
            time = trace.offset_ps + int(trace.cycle[at]) * trace.clock_ps
            if not 0 <= time <= MAX_TIME_PS:
                raise InputError(f"time {time} ps in beat {first + at}", f"a time from 0 to {MAX_TIME_PS} ps")
    return trace.time_ps


def number_chars(
    data: npt.NDArray[np.uint8], headers: npt.NDArray[np.bool_], kind: SampleType, style: TextStyle
) -> Chars:
    """The numbers of some beats as characters.

    Args:
        data: (m, B) bytes of the beats.
        headers: (m,) whether each beat begins with a packet header, as :func:`headers_of` says.
        kind: sample type.
        style: its ``words``, ``floats`` and ``radix`` count.

    Returns:
        (m, parts a beat, w) characters.
    """
    parts = kind.unpack(data)
    m = len(data)
    if style.radix == "hex":
        return hex_chars(parts.view(f"<u{parts.dtype.itemsize}"), kind.part_bits).reshape(
            m, -1, 2 + kind.part_bits // 4
        )
    if style.words in ("signed", "unsigned") and either_sign(kind):
        parts = parts.view("<u4" if style.words == "unsigned" else "<i4")
    elif style.words == "packets" and either_sign(kind):
        values = parts.view("<i4").astype(np.int64).reshape(m, -1)
        values[headers, 0] &= 0xFFFFFFFF
        parts = values.reshape(-1)
    chars = part_chars(parts, kind, style.floats)
    chars = chars.reshape(m, -1, chars.shape[-1])
    if headers.any() and not kind.is_integer:
        words = integer_chars(_first_words(data[headers]))
        chars[headers, 0] = 0
        chars[headers, 0, : words.shape[1]] = words
    return chars


def headers_of(trace: Trace, kind: SampleType, style: TextStyle, *, ended: bool = True) -> npt.NDArray[np.bool_]:
    """(n,) which beats begin with a word that is printed as a packet header; ``ended``: the beat before had TLAST."""
    starts = frame_starts(trace.last)
    starts[:1] = ended
    if style.words != "packets" or not holds_headers(kind):
        return np.zeros(len(trace), np.bool_)
    if not kind.is_integer:
        # A reader must know them again among floats.
        starts[starts] = header_places(_first_words(trace.data[starts]))
    return starts


def _first_words(data: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """(m, B) bytes of beats to their (m,) first words."""
    return np.ascontiguousarray(data[:, :WORD_BYTES]).view("<u4").reshape(-1)


def frame_starts(last: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """(n,) whether a beat is the first of its frame."""
    starts = np.ones(len(last), np.bool_)
    starts[1:] = last[:-1]
    return starts


def infer_words(beats: Beats, kind: SampleType) -> Words:
    """How the 32-bit integers of a file were printed."""
    if not either_sign(kind):
        return "natural"
    top = beats.parts.view("<i4") < 0
    if beats.big is None or not beats.big.any():
        return "signed" if kind.kind == "uint" and top.any() else "natural"
    start = np.zeros(len(top), np.bool_)
    start[(np.cumsum(beats.counts) - beats.counts)[frame_starts(beats.last)]] = True
    unsigned = bool((beats.big == top).all())
    if (beats.big == (top & start)).all() and (not unsigned or headers_ok(beats.parts.view("<u4")[start]).all()):
        return "packets"
    if unsigned:
        return "natural" if kind.kind == "uint" else "unsigned"
    return "natural"


def infer_radix(body: str, csv: bool) -> Radix:
    """How the numbers of a file were printed, judged from its first data line."""
    tokens = body.split(",")[1:] if csv else body.split()
    return "hex" if tokens and is_hex(tokens[0].strip()) else "decimal"


def infer_floats(raw: bytes, kind: SampleType) -> Floats:
    """How the floats of a file were printed, judged from its beginning."""
    return "scientific" if kind.is_integer or _SCIENTIFIC.search(raw, 0, 1 << 16) else "shortest"


def line_text(raw: bytes, line: int) -> str:
    """A line of a file that was read, without its end."""
    begin = 0
    for _ in range(line - 1):
        begin = raw.index(b"\n", begin) + 1
    end = raw.find(b"\n", begin)
    return (raw[begin:] if end < 0 else raw[begin:end]).removesuffix(b"\r").decode("ascii")


def infer_style(raw: bytes, kind: SampleType, beats: Beats, headers: bool) -> TextStyle:
    """The style of a text file, taken from its first lines of each sort; ``headers``: floats with packet headers."""
    body = line_text(raw, int(beats.line[0]))
    wide = beats.counts > 1
    gap = re.search(r"[ \t]+", line_text(raw, int(beats.line[np.argmax(wide)])).strip(" \t")) if wide.any() else None
    style = TextStyle(
        time_lines=beats.time is not None,
        lead=body[: len(body) - len(body.lstrip(" \t"))],
        separator=gap[0] if gap else " ",
        trail=body[len(body.rstrip(" \t")) :],
        final_newline=raw.endswith(b"\n"),
        newline="\r\n" if raw[: raw.find(b"\n")].endswith(b"\r") else "\n",
        floats=infer_floats(raw, kind),
        words="packets" if headers else infer_words(beats, kind),
        radix=infer_radix(body, csv=False),
    )
    if beats.last.any():
        first = int(np.argmax(beats.last))
        where = raw.find(b"TLAST")
        if where < 0:
            match = _TLAST.search(raw)
            where = match.start() if match else -1
        style = replace(style, tlast=raw[where : where + 5].decode("ascii") if where >= 0 else "TLAST")
        if beats.time_line is not None:
            style = replace(style, tlast_first=bool(beats.time_line[first] == beats.line[first] - 1))
    return style
