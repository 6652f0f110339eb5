# SPDX-License-Identifier: Apache-2.0
"""The quick reader of PLIO CSV rows: a block at a time, no loop over rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.plio_file.beats import MAX_BEATS, MAX_STALL, Rows
from goldbeat.pymodels.plio_file.lex import Index, Tape, integers, parts_of, tokens_of_block
from goldbeat.pymodels.plio_file.words import TokenError, parse_keep
from goldbeat.pymodels.samples import SampleType

_DATA = np.uint64(int.from_bytes(b"data", "little"))
_STALL = np.uint64(int.from_bytes(b"stall", "little"))
_CASE4 = np.uint64(0x20202020)
_CASE5 = np.uint64(0x2020202020)
_FIRST4 = np.uint64(0xFFFFFFFF)
_FIRST5 = np.uint64(0xFFFFFFFFFF)
_KEEPS = 64
"""More different TKEEP values than this in one block are not plain."""


def quick_rows(
    tape: Tape, begin: int, end: int, line: int, kind: SampleType, width: int, tail: Mapping[str, int]
) -> tuple[Rows, int] | None:
    """The DATA rows of a block.

    Args:
        tape: the file.
        begin: where the block begins.
        end: where it ends, after a newline.
        line: number of its first line.
        kind: sample type.
        width: port width in bits.
        tail: columns of TLAST and TKEEP by name.

    Returns:
        The rows, and the idle cycles after the last of them; None: anything but the plain case.
    """
    tokens = tokens_of_block(tape, begin, end, csv=True)
    if tokens is None:
        return None
    start, stop, first, count, _ = tokens
    full = kind.per_beat(width) * kind.parts
    cells = 1 + full + len(tail)
    head = tape.window[start[first]]
    data = (head | _CASE4) & _FIRST4 == _DATA
    stall = (head | _CASE5) & _FIRST5 == _STALL
    # What stands behind STALL may be its number.
    if not (data | stall).all() or not data.any() or (count != np.where(stall, 1, cells)).any():
        return None
    times = _repeats(tape, start[first], stop[first], np.where(data, 4, 5))
    if times is None or (times > np.where(data, MAX_BEATS, MAX_STALL)).any():
        return None
    row = np.flatnonzero(data)
    at = first[row]
    where = (at[:, None] + np.arange(1, 1 + full)).reshape(-1)
    parts = parts_of(tape, kind, start[where], stop[where])
    if parts is None:
        return None
    last = np.zeros(len(row), np.bool_)
    if "TLAST" in tail:
        mark = at + tail["TLAST"]
        bit = tape.chars[start[mark]] ^ ord("0")
        if (stop[mark] - start[mark] != 1).any() or (bit > 1).any():
            return None
        last = bit == 1
    keep = None
    if "TKEEP" in tail:
        mark = at + tail["TKEEP"]
        keep = _keeps(tape, start[mark], stop[mark], last, width // 8)
        if keep is None or ((keep >= 0) & (keep % kind.bytes != 0)).any():
            return None
    if keep is not None and (keep == -1).all():
        keep = None
    # Idle cycles pile up over STALL rows and are taken by the next DATA row.
    idle = np.cumsum(np.where(data, 0, times))
    gap = np.diff(idle[row], prepend=0)
    rows = Rows(parts.values, parts.big, last, keep, gap, times[row], (row + line).astype(np.int32))
    return rows, int(idle[-1] - idle[row[-1]])


def _repeats(tape: Tape, start: Index, stop: Index, word: Index) -> npt.NDArray[np.int64] | None:
    """(l,) the n of ``DATA:n`` and ``STALL:n``, 1 without."""
    times = np.ones(len(start), np.int64)
    more = np.flatnonzero(stop - start != word)
    if not len(more):
        return times
    colon = start[more] + word[more]
    if (tape.chars[colon] != ord(":")).any():
        return None
    number = integers(tape, colon + 1, stop[more])
    if number is None or number.negative.any() or (number.magnitude < 1).any() or (number.magnitude > MAX_STALL).any():
        return None
    times[more] = number.magnitude.astype(np.int64)
    return times


def _keeps(
    tape: Tape, start: Index, stop: Index, last: npt.NDArray[np.bool_], size: int
) -> npt.NDArray[np.int64] | None:
    """(r,) valid bytes of each row, -1 for all."""
    length = stop - start
    keep = np.full(len(start), -1, np.int64)
    minus = (length == 2) & (tape.chars[start] == ord("-")) & (tape.chars[start + 1] == ord("1"))
    other = np.flatnonzero(~minus)
    if not len(other):
        return keep
    if int(length[other].max()) > 7:
        return None
    # The token and its TLAST in one number: there are few different ones.
    shift = (8 * (8 - length[other])).astype(np.uint64)
    key = (tape.window[start[other]] << shift) >> shift
    key |= last[other].astype(np.uint64) << np.uint64(63)
    distinct, index = np.unique(key, return_inverse=True)
    if len(distinct) > _KEEPS:
        return None
    values = []
    for value in distinct.tolist():
        token = (value & ~(1 << 63)).to_bytes(8, "little").rstrip(b"\0").decode("ascii")
        try:
            values.append(parse_keep(token, size, bool(value >> 63)))
        except TokenError:
            return None
    keep[other] = np.array(values)[index]
    return keep
