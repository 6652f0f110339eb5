# SPDX-License-Identifier: Apache-2.0
"""Packets of a trace buffer: a header word and seven words of frames each, of all traced modules mixed.

Source: mlir-aie's trace parser (``python/utils/trace/utils.py``); aie-rt's stream packet header.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import numpy as np

from goldbeat.pymodels.errors import InputError, UsageError

WORDS = 8
"""Words of a packet, its header included."""
FILLER = 0xFEFEFEFE
EMPTY = (0, FILLER, 0xA5A5A5A5, 0xFFFFFFFF)
"""What a buffer holds where nothing was written: zeros, filler, or the pattern it was filled with."""


class TraceKind(IntEnum):
    """What a trace unit belongs to; its number is the packet type."""

    CORE = 0
    MEM = 1
    SHIM = 2
    MEMTILE = 3

    @property
    def label(self) -> str:
        """``core``, ``mem``, ``shim`` or ``memtile``, as in upstream's JSON."""
        return self.name.lower()


@dataclass(frozen=True, order=True)
class TraceSource:
    """A trace unit: the fields of its packets' headers.

    Attributes:
        kind: packet type.
        row, column: of the tile in the array.
        id: packet id.
    """

    kind: TraceKind
    row: int
    column: int
    id: int = 0

    @property
    def header(self) -> int:
        """The header word, with odd parity."""
        word = self.id | self.kind << 12 | self.row << 16 | self.column << 21
        return word | (word.bit_count() + 1) % 2 << 31

    def __str__(self) -> str:
        return f"{self.kind.label}_trace for tile{self.row},{self.column}"


def read_header(word: int) -> TraceSource | None:
    """The source that a header word names; None if it is no header of a trace packet."""
    kind = word >> 12 & 7
    if word.bit_count() % 2 == 0 or word & 0x70008FE0 or kind > max(TraceKind):
        return None
    return TraceSource(TraceKind(kind), word >> 16 & 0x1F, word >> 21 & 0x7F, word & 0x1F)


@dataclass(frozen=True)
class TraceBytes:
    """The frames of one source, its packets joined.

    Attributes:
        data: bytes in order.
        offsets: byte offset in the file of each packet's first byte of frames.
    """

    data: bytes
    offsets: tuple[int, ...]

    def place(self, at: int) -> int:
        """Byte offset in the file of a byte of ``data``; frames are stored from a word's highest byte down."""
        packet, rest = divmod(at, 4 * (WORDS - 1))
        if packet >= len(self.offsets):
            return self.offsets[-1] + 4 * (WORDS - 1) if self.offsets else 0
        return self.offsets[packet] + (rest & ~3) + 3 - (rest & 3)


def split_packets(words: Sequence[int], file: Path | None = None) -> dict[TraceSource, TraceBytes]:
    """Sort the packets of a buffer by source, in the order of first appearance. It ends where only filler follows.

    Raises:
        InputError: a word that should be a header and is none, with its byte offset.
    """
    filled = len(words)
    while filled and words[filled - 1] in EMPTY:
        filled -= 1
    found: dict[TraceSource, list[tuple[int, bytes]]] = {}
    for at in range(0, filled, WORDS):
        source = read_header(words[at])
        if source is None:
            if all(w in EMPTY for w in words[at : at + WORDS]):
                continue
            raise InputError(
                f"the word {words[at]:08X}",
                "a trace packet's header: type 0 to 3, odd parity",
                file=file,
                offset=4 * at,
            )
        payload = b"".join(w.to_bytes(4, "big") for w in words[at + 1 : at + WORDS])
        found.setdefault(source, []).append((4 * at + 4, payload))
    return {
        source: TraceBytes(b"".join(p for _, p in packets), tuple(o for o, _ in packets))
        for source, packets in found.items()
    }


def join_packets(frames: Mapping[TraceSource, bytes]) -> list[int]:
    """Words of a buffer: the packets of one source after those of the other, the last ones filled with padding."""
    words: list[int] = []
    size = 4 * (WORDS - 1)
    for source, data in frames.items():
        for at in range(0, len(data), size):
            piece = data[at : at + size].ljust(size, b"\xfe")
            words += [source.header, *(int.from_bytes(piece[n : n + 4], "big") for n in range(0, size, 4))]
    return words


def read_trace_words(file: Path) -> list[int]:
    """The words of a trace file: 32-bit little-endian, or text with one hexadecimal word per line.

    Raises:
        InputError: no file, no words, or a line that is none.
    """
    if not file.is_file():
        raise InputError("no file", "trace words", file=file)
    data = file.read_bytes()
    if not data:
        raise InputError("an empty file", "trace words", file=file)
    if re.fullmatch(rb"[\s0-9a-fA-FxX_,]*", data[:4096]):
        return _text_words(data, file)
    if len(data) % 4:
        raise InputError(f"{len(data)} bytes", "a multiple of 4", file=file, offset=len(data) // 4 * 4)
    return [int(w) for w in np.frombuffer(data, "<u4")]


def _text_words(data: bytes, file: Path) -> list[int]:
    words = []
    for number, line in enumerate(data.decode("ascii", "replace").splitlines(), 1):
        text = line.strip().rstrip(",")
        if not text:
            continue
        if not re.fullmatch(r"(0[xX])?[0-9a-fA-F]{1,8}", text):
            raise InputError(repr(text), "a word of up to eight hexadecimal digits", file=file, line=number)
        words.append(int(text, 16))
    if not words:
        raise InputError("no word", "trace words", file=file)
    return words


def trace_text(words: Sequence[int]) -> str:
    """Words as upstream's ``trace.txt`` has them: one per line, eight hexadecimal digits.

    Raises:
        UsageError: a word of more than 32 bits.
    """
    if any(not 0 <= w < 1 << 32 for w in words):
        raise UsageError("a trace word has more than 32 bits")
    return "".join(f"{w:08x}\n" for w in words)
