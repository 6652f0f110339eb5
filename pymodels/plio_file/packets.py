# SPDX-License-Identifier: Apache-2.0
"""Packet streams: traces to packets and back.

A packet is a header word and its payload words up to TLAST. On a 64 or 128-bit port the header
shares its beat with the first payload words, and the last beat may be short. Payload is 32-bit patterns, whatever
the samples are. Source: UG1079, AM009.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.packet_header import PL_COL, PL_ROW, Header, headers_ok, make_header, parse_header
from goldbeat.pymodels.plio_file.beats import WIDTHS, WORD_BYTES
from goldbeat.pymodels.plio_file.clock import DEFAULT_CLOCK_PS
from goldbeat.pymodels.plio_file.layout import frame_starts
from goldbeat.pymodels.plio_file.result import PlioFile
from goldbeat.pymodels.samples import SampleType, sample_type
from goldbeat.pymodels.trace import Trace

__all__ = [
    "PL_COL",
    "PL_ROW",
    "Header",
    "Packet",
    "file_to_packets",
    "headers_ok",
    "make_header",
    "packets_to_trace",
    "parse_header",
    "trace_to_packets",
]


_PARITY = 1 << 31


@dataclass(frozen=True, eq=False)
class Packet:
    """One packet.

    Attributes:
        packet_id: 0..31.
        payload: (n,) uint32, the words after the header.
        packet_type: 0..7.
        row: source row; all ones from programmable logic.
        col: source column; all ones from programmable logic.
        first_beat: index of the header's beat in the trace it came from.
        beats: beats it takes there.
        parity_ok: the header has odd parity. Files exist, among them ones that the vendor publishes, whose headers have not.
    """

    packet_id: int
    payload: npt.NDArray[np.uint32]
    packet_type: int = 0
    row: int = PL_ROW
    col: int = PL_COL
    first_beat: int = 0
    beats: int = 0
    parity_ok: bool = True

    def __eq__(self, other: object) -> bool:
        """Same header and payload, wherever it stands."""
        if not isinstance(other, Packet):
            return NotImplemented
        return self.header == other.header and np.array_equal(self.payload, other.payload)

    __hash__ = None  # type: ignore[assignment]

    @property
    def header(self) -> int:
        """The header word."""
        word = int(make_header(self.packet_id, self.packet_type, self.row, self.col))
        return word if self.parity_ok else word ^ _PARITY

    @classmethod
    def of(cls, packet_id: int, samples: npt.ArrayLike, dtype: str | SampleType, **fields: Any) -> Packet:
        """A packet whose payload is samples of some type.

        Raises:
            InputError: samples the type cannot hold, or that do not fill whole words.
        """
        kind = sample_type(dtype)
        raw = kind.encode(samples)
        if raw.size % WORD_BYTES:
            raise InputError(f"{raw.size} bytes of {kind.name}", "whole 32-bit words")
        return cls(packet_id, raw.view("<u4"), **fields)

    def samples(self, dtype: str | SampleType) -> npt.NDArray[Any]:
        """The payload as samples, shaped as :class:`~goldbeat.pymodels.samples.SampleType` says.

        Raises:
            InputError: the payload is not a whole number of samples.
        """
        return sample_type(dtype).decode(np.ascontiguousarray(self.payload, "<u4").view(np.uint8))


def packets_to_trace(
    packets: Iterable[Packet | tuple[int, npt.ArrayLike]],
    width: int,
    *,
    clock_ps: int = DEFAULT_CLOCK_PS,
    offset_ps: int = 0,
    gap: int = 0,
) -> Trace:
    """Packets as the beats of one port.

    Args:
        packets: packets, or pairs of id and payload words (from programmable logic, type 0).
        width: port width in bits.
        clock_ps: clock period in picoseconds.
        offset_ps: time of cycle 0 in picoseconds.
        gap: idle cycles between two packets.

    Raises:
        UsageError: no such width, a header field out of its range, a negative gap.
        InputError: payload that is not 32-bit words.
    """
    if width not in WIDTHS:
        raise UsageError(f"a PLIO port is 32, 64 or 128 bits wide, not {width}")
    if gap < 0:
        raise UsageError(f"a gap of {gap} cycles is negative")
    every = [p if isinstance(p, Packet) else Packet(p[0], _words(p[1])) for p in packets]
    lanes = width // 32
    payload = [_words(p.payload) for p in every]
    sizes = np.array([1 + len(p) for p in payload], np.int64)
    beats = -(-sizes // lanes)
    n = int(beats.sum())
    words = np.zeros(n * lanes, "<u4")
    there = np.zeros(n * lanes, np.bool_)
    first = (np.cumsum(beats) - beats) * lanes
    flat = np.zeros(int(sizes.sum()), "<u4")
    starts = np.cumsum(sizes) - sizes
    body = np.ones(len(flat), np.bool_)
    body[starts] = False
    if every:
        columns = zip(*[(p.packet_id, p.packet_type, p.row, p.col) for p in every], strict=True)
        flat[starts] = make_header(*(np.array(c) for c in columns))
        flat[starts] ^= np.where([p.parity_ok for p in every], 0, _PARITY).astype(np.uint32)
        flat[body] = np.concatenate(payload)
    place = np.arange(len(flat)) + np.repeat(first - starts, sizes)
    words[place] = flat
    there[place] = True
    last = np.zeros(n, np.bool_)
    last[np.cumsum(beats) - 1] = True
    step = np.ones(n, np.int64)
    step[(np.cumsum(beats) - beats)[1:]] += gap
    return Trace.from_bytes(
        words.view(np.uint8).reshape(n, width // 8),
        keep=np.repeat(there, WORD_BYTES).reshape(n, width // 8),
        last=last,
        cycle=np.cumsum(step) - 1,
        clock_ps=clock_ps,
        offset_ps=offset_ps,
    )


def _words(payload: npt.ArrayLike) -> npt.NDArray[np.uint32]:
    """Payload words given as any integers, signed or unsigned."""
    array = np.asarray(payload)
    if array.size == 0:
        return np.zeros(0, np.uint32)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(f"payload of shape {array.shape}, {array.dtype}", "32-bit words of shape (n,)")
    bad = (array < -(1 << 31)) | (array >= 1 << 32)
    if bad.any():
        raise InputError(f"payload word {array[int(np.argmax(bad))]}", "a 32-bit word")
    return array.astype(np.uint32)


def trace_to_packets(
    trace: Trace, *, strict: bool = False, name: str | None = None, lines: Sequence[int] | None = None
) -> list[Packet]:
    """The packets of a port's history.

    Args:
        trace: beats; a header opens the trace and follows every TLAST.
        strict: refuse headers of even parity; otherwise such packets have ``parity_ok`` False.
        name: file the trace came from, for messages.
        lines: the line of each beat in that file.

    Raises:
        InputError: the first beat that is wrong: a header with a reserved bit set (``strict``: or of even parity), bytes
            missing other than whole words at the high end of a TLAST beat, no TLAST at the end.
        UsageError: no such port width.
    """
    if trace.width not in WIDTHS:
        raise UsageError(f"a PLIO port is 32, 64 or 128 bits wide, not {trace.width}")
    n, lanes = len(trace), trace.width // 32
    if n == 0:
        return []
    count = trace.keep.sum(axis=1, dtype=np.int64)
    hole = (trace.keep != (np.arange(trace.width // 8) < count[:, None])).any(axis=1)
    ragged = hole | (count % WORD_BYTES != 0) | (count == 0) | (~trace.last & (count != trace.width // 8))
    words = trace.data.reshape(-1).view("<u4").reshape(n, lanes)
    starts = frame_starts(trace.last)
    header = parse_header(words[:, 0])
    unended = np.zeros(n, np.bool_)
    unended[-1] = not trace.last[-1]
    bad = ragged | (starts & ~((header.parity_ok | (not strict)) & header.reserved_ok)) | unended
    if bad.any():
        beat = int(np.argmax(bad))
        if ragged[beat]:
            found, expected = _ragged(trace, beat)
        elif starts[beat] and strict and not header.parity_ok[beat]:
            found, expected = f"packet header 0x{words[beat, 0]:08X} of even parity", "odd parity"
        elif starts[beat] and not header.reserved_ok[beat]:
            found, expected = f"packet header 0x{words[beat, 0]:08X}", "bits 11:5, 15 and 30:28 zero"
        else:
            found, expected = "the end of the stream inside a packet", "TLAST on the last beat"
        line = None if lines is None else int(lines[beat])
        raise InputError(f"{found} in beat {beat}", expected, file=name, line=line)
    valid = np.arange(lanes) < (count // WORD_BYTES)[:, None]
    flat = words[valid].astype(np.uint32)
    heads = np.flatnonzero(starts)
    beats = np.diff(heads, append=n)
    ends = np.cumsum(valid.sum(axis=1))[heads + beats - 1]
    begins = np.concatenate([[0], ends[:-1]])
    fields = (*(c[heads] for c in header[:4]), begins, ends, heads, beats, header.parity_ok[heads])
    columns = zip(*(field.tolist() for field in fields), strict=True)
    return [
        Packet(packet_id, flat[begin + 1 : end], kind, row, col, first, size, parity_ok)
        for packet_id, kind, row, col, begin, end, first, size, parity_ok in columns
    ]


def _ragged(trace: Trace, beat: int) -> tuple[str, str]:
    """What is wrong with the TKEEP of a beat: what was found, what was expected."""
    keep = "".join("1" if k else "0" for k in trace.keep[beat][::-1])
    return f"keep {keep}", "whole words from the low end on, all of them without TLAST"


def file_to_packets(file: PlioFile, *, strict: bool = False, name: str | None = None) -> list[Packet]:
    """The packets of a PLIO file; messages name the line. See :func:`trace_to_packets`."""
    return trace_to_packets(file.trace, strict=strict, name=name, lines=file.lines.tolist())
