# SPDX-License-Identifier: Apache-2.0
"""The header word of a packet stream.

Bits 4:0 packet id, 14:12 packet type, 20:16 source row, 27:21 source column, 31 odd parity over the whole word; the
rest are zero. From programmable logic, row and column are all ones. Source: UG1079, AM009.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError

WORD_BYTES = 4
"""Of a header."""
PL_ROW = 31
"""Source row of packets from programmable logic."""
PL_COL = 127
"""Source column of packets from programmable logic."""

RESERVED = 0x7000_8FE0
"""Bits that are zero in every header."""

_FIELDS = {"packet_id": (0, 5), "packet_type": (12, 3), "row": (16, 5), "col": (21, 7)}


class Header(NamedTuple):
    """Columns of n parsed header words, each of shape (n,).

    Attributes:
        packet_id: 0..31.
        packet_type: 0..7.
        row: source row, 0..31.
        col: source column, 0..127.
        parity_ok: the number of ones in the word is odd.
        reserved_ok: no reserved bit is set.
    """

    packet_id: npt.NDArray[np.int64]
    packet_type: npt.NDArray[np.int64]
    row: npt.NDArray[np.int64]
    col: npt.NDArray[np.int64]
    parity_ok: npt.NDArray[np.bool_]
    reserved_ok: npt.NDArray[np.bool_]


def make_header(
    packet_id: npt.ArrayLike, packet_type: npt.ArrayLike = 0, row: npt.ArrayLike = PL_ROW, col: npt.ArrayLike = PL_COL
) -> npt.NDArray[np.uint32]:
    """Header words; the arguments broadcast against each other.

    Raises:
        UsageError: a field out of its range.
    """
    word = np.zeros(np.broadcast_shapes(*(np.shape(v) for v in (packet_id, packet_type, row, col))), np.uint32)
    for (name, (low, bits)), value in zip(_FIELDS.items(), (packet_id, packet_type, row, col), strict=True):
        field = np.asarray(value)
        if field.size and field.dtype.kind not in "iu":
            raise UsageError(f"{name} of type {field.dtype} is not a whole number")
        if field.size and (int(field.min()) < 0 or int(field.max()) >= 1 << bits):
            worst = int(field.min()) if int(field.min()) < 0 else int(field.max())
            raise UsageError(f"{name} {worst} is not in 0..{(1 << bits) - 1}")
        word = word | (field.astype(np.uint32) << np.uint32(low))
    even = np.bitwise_count(word) % 2 == 0
    header: npt.NDArray[np.uint32] = word | (even.astype(np.uint32) << np.uint32(31))
    return header


def parse_header(words: npt.ArrayLike) -> Header:
    """The fields of header words, shape (n,) uint32."""
    word = np.asarray(words).astype(np.uint32)
    fields = {
        name: ((word >> np.uint32(low)) & np.uint32((1 << bits) - 1)).astype(np.int64)
        for name, (low, bits) in _FIELDS.items()
    }
    return Header(
        **fields,
        parity_ok=np.bitwise_count(word) % 2 == 1,
        reserved_ok=(word & np.uint32(RESERVED)) == 0,
    )


def headers_ok(words: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """(n,) whether each word is a header: parity odd and reserved bits zero."""
    header = parse_header(words)
    return header.parity_ok & header.reserved_ok


def header_places(words: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """(f,) which first words of frames of floats are headers, if it is certain that there are any.

    Certain is a word from programmable logic (its row and column are all ones), or one that no float32 equals. Where
    there is such a word, every one whose reserved bits are zero is a header.
    """
    header = parse_header(words)
    from_pl = (header.row == PL_ROW) & (header.col == PL_COL)
    inexact = words.astype(np.float32).astype(np.float64) != words
    sure = header.reserved_ok & (from_pl | inexact)
    return header.reserved_ok if sure.any() else np.zeros(len(words), np.bool_)
