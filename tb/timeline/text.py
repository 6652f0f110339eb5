# SPDX-License-Identifier: Apache-2.0
"""JSON lines out of numpy columns, many at once: every line is laid out in fixed places, and what is not used falls out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from goldbeat.tb.timeline.rows import Column, HexNumbers, Named

_BLOCK = 1 << 15
"""Lines that are laid out at once."""
_Bytes = npt.NDArray[np.uint8]
Part = bytes | Column
"""What stands in every line, or a column of it."""
_ZERO, _MINUS, _POINT = 0x30, 0x2D, 0x2E
_HEX = np.frombuffer(b"0123456789abcdef", np.uint8)


class Microseconds:
    """A column of times in nanoseconds, written in microseconds as the format has them.

    Args:
        ns: (n,) at least 0.
    """

    def __init__(self, ns: npt.NDArray[np.int64]) -> None:
        self.ns = ns

    def __len__(self) -> int:
        return len(self.ns)

    def __getitem__(self, rows: slice) -> Microseconds:
        return Microseconds(self.ns[rows])


def json_lines(parts: Sequence[Part | Microseconds]) -> Iterator[bytes]:
    """The lines, a block at a time.

    Args:
        parts: what a line is made of, in order; at least one is a column, and all have one length.
    """
    n = next(len(part) for part in parts if not isinstance(part, bytes))
    for start in range(0, n, _BLOCK):
        rows = slice(start, min(n, start + _BLOCK))
        yield _block([part if isinstance(part, bytes) else part[rows] for part in parts], rows.stop - start)


def _block(parts: Sequence[Part | Microseconds], n: int) -> bytes:
    fields = [np.frombuffer(part, np.uint8) if isinstance(part, bytes) else _field(part) for part in parts]
    lines = np.empty((n, sum(field.shape[-1] for field in fields)), np.uint8)
    at = 0
    for field in fields:
        lines[:, at : at + field.shape[-1]] = field
        at += field.shape[-1]
    # No byte of a text is 0: what is not used falls out.
    flat = lines.reshape(-1)
    found: bytes = flat[flat != 0].tobytes()
    return found


def _field(column: Column | Microseconds) -> _Bytes:
    """(n, width) a column's texts, zeros where they are shorter."""
    if isinstance(column, Microseconds):
        return _microseconds(column.ns)
    if isinstance(column, Named):
        texts = [json.dumps(text).encode() for text in column.table] or [b'""']
        wide = max(map(len, texts))
        table = np.array([list(text.ljust(wide, b"\0")) for text in texts], np.uint8)
        found: _Bytes = table[column.index]
        return found
    if isinstance(column, HexNumbers):
        return _hex(column.values)
    return _numbers(column)


def _numbers(values: npt.NDArray[np.generic]) -> _Bytes:
    """(n, width) integers without leading zeros."""
    signed = values.astype(np.int64)
    negative = signed < 0
    digits = _digits(np.abs(signed))
    _strip(digits, digits.shape[1] - 1)
    if not negative.any():
        return digits
    sign = np.where(negative, _MINUS, 0).astype(np.uint8)[:, None]
    return np.concatenate([sign, digits], axis=1)


def _digits(values: npt.NDArray[np.int64], least: int = 1) -> _Bytes:
    """(n, width) decimal digits with leading zeros."""
    wide = max(least, len(str(int(values.max(initial=0)))))
    digits = np.empty((len(values), wide), np.uint8)
    # Divisions of 32 bits take a fraction of the time.
    rest = values.astype(np.uint32) if wide < 10 else values.astype(np.uint64)
    for place in range(wide - 1, -1, -1):
        higher = rest // rest.dtype.type(10)
        digits[:, place] = (rest - higher * rest.dtype.type(10)).astype(np.uint8) + _ZERO
        rest = higher
    return digits


def _strip(digits: _Bytes, most: int) -> None:
    """Take leading zeros away, at most so many."""
    leading = np.ones(len(digits), np.bool_)
    for place in range(most):
        leading &= digits[:, place] == _ZERO
        if not leading.any():
            return
        digits[leading, place] = 0


def _microseconds(ns: npt.NDArray[np.int64]) -> _Bytes:
    """(n, width) thousandths, without a fraction where all are whole."""
    if not (ns % 1000).any():
        return _numbers(ns // 1000)
    digits = _digits(ns, least=4)
    _strip(digits, digits.shape[1] - 4)
    point = np.full((len(ns), 1), _POINT, np.uint8)
    return np.concatenate([digits[:, :-3], point, digits[:, -3:]], axis=1)


def _hex(values: npt.NDArray[np.uint64]) -> _Bytes:
    """(n, width) ``"0x1f00"``."""
    wide = max(1, len(f"{int(values.max(initial=0)):x}"))
    digits = np.empty((len(values), wide), np.uint8)
    for place in range(wide):
        nibble = (values >> np.uint64(4 * (wide - 1 - place))) & np.uint64(15)
        digits[:, place] = _HEX[nibble.astype(np.intp)]
    _strip(digits, wide - 1)
    front = np.broadcast_to(np.frombuffer(b'"0x', np.uint8), (len(values), 3))
    back = np.full((len(values), 1), ord('"'), np.uint8)
    return np.concatenate([front, digits, back], axis=1)
