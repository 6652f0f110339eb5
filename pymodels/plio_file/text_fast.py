# SPDX-License-Identifier: Apache-2.0
"""The quick reader of PLIO text: a block at a time, no loop over lines."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.plio_file.beats import WORD_BYTES, Beats
from goldbeat.pymodels.plio_file.lex import Index, Tape, Tokens, integers, parts_of, tokens_of_block
from goldbeat.pymodels.plio_file.words import MAX_TIME_PS, UNITS
from goldbeat.pymodels.samples import SampleType

_TLAST = np.uint64(int.from_bytes(b"\0\0\0tlast", "little"))
_CASE5 = np.uint64(0x2020202020000000)
_LAST5 = np.uint64(0xFFFFFFFFFF000000)
_SCALE = np.array([1000**k for k in range(len(UNITS))], np.uint64)
_MOST = np.uint64(MAX_TIME_PS) // _SCALE
_UNIT = np.full(128, -1, np.int64)
"""Index in UNITS by a unit's first letter; they all end in s, and all but s itself have two letters."""
for _index, _name in enumerate(UNITS):
    _UNIT[[ord(_name[0]), ord(_name[0].upper())]] = _index


def quick_block(
    tape: Tape, begin: int, end: int, line: int, kind: SampleType, width: int, timed: bool | None, latest: int
) -> tuple[Beats, int] | None:
    """The beats of a block that begins with a beat.

    Args:
        tape: the file.
        begin: where the block begins.
        end: where it ends, after a newline.
        line: number of its first line.
        kind: sample type.
        width: port width in bits.
        timed: whether the beats before had times; None: there were none.
        latest: the time before in picoseconds.

    Returns:
        The beats up to the block's last data line and where that line ends, or None: anything but the plain case.
    """
    tokens = tokens_of_block(tape, begin, end)
    if tokens is None:
        return None
    start, stop, first, count, newline = tokens
    word = tape.chars[start[first]] | 0x20 == ord("t")
    data = np.flatnonzero(~word)
    if not len(data):
        return None
    final = int(data[-1])
    at = np.flatnonzero(word[:final])
    length = stop[first[at]] - start[first[at]]
    time_at = at[length == 1]
    last_at = at[length == 5]
    if len(time_at) + len(last_at) != len(at):
        return None
    n = len(data)
    last = _marks(tape, tokens, last_at, data)
    if last is None:
        return None
    counts = count[data]
    if not _whole_words(counts, last, kind, width):
        return None
    has_times = len(time_at) > 0
    if timed is not None and timed != has_times:
        return None
    time = None
    if has_times:
        # As many as data lines, one before each: then T line i belongs to data line i.
        if len(time_at) != n or (time_at > data).any() or (time_at[1:] < data[:-1]).any():
            return None
        time = _times(tape, tokens, time_at, latest)
        if time is None:
            return None
    where = _numbers(int(first[final] + count[final]), first[at], first[time_at])
    parts = parts_of(tape, kind, start[where], stop[where])
    if parts is None:
        return None
    lines = (data + line).astype(np.int32)
    time_lines = (time_at + line).astype(np.int32) if has_times else None
    beats = Beats(parts.values, counts.astype(np.int8), last, None, time, None, lines, time_lines, parts.big)
    return beats, int(newline[final]) + 1


def _whole_words(counts: Index, last: npt.NDArray[np.bool_], kind: SampleType, width: int) -> bool:
    """Whether every beat is full, or the short end of a frame in whole words."""
    full = kind.per_beat(width) * kind.parts
    short = counts != full
    if not short.any():
        return True
    whole = (counts % kind.parts == 0) & (counts * kind.part_bits % (8 * WORD_BYTES) == 0)
    return not (short & ~(last & (counts < full) & whole)).any()


def _numbers(tokens: int, words: Index, times: Index) -> Index | slice:
    """Which tokens are parts of samples: all but TLAST, T, and the two that follow a T."""
    if not len(words):
        return slice(0, tokens)
    number = np.ones(tokens, np.bool_)
    number[words] = False
    number[times + 1] = False
    number[times + 2] = False
    return np.flatnonzero(number)


def _marks(tape: Tape, tokens: Tokens, last_at: Index, data: Index) -> npt.NDArray[np.bool_] | None:
    """(n,) which data lines follow a TLAST line."""
    last = np.zeros(len(data), np.bool_)
    if not len(last_at):
        return last
    at = tokens.first[last_at]
    text = (tape.window[tokens.end[at] - 8] & _LAST5) | _CASE5
    if (text != _TLAST).any() or (tokens.size[last_at] != 1).any():
        return None
    beat = np.searchsorted(data, last_at)
    last[beat] = True
    return last if np.count_nonzero(last) == len(beat) else None


def _times(tape: Tape, tokens: Tokens, time_at: Index, latest: int) -> npt.NDArray[np.int64] | None:
    """(n,) times of T lines in picoseconds."""
    at = tokens.first[time_at]
    if (tokens.size[time_at] != 3).any():
        return None
    number = integers(tape, tokens.start[at + 1], tokens.end[at + 1])
    if number is None or number.negative.any():
        return None
    start, end = tokens.start[at + 2], tokens.end[at + 2]
    unit = _UNIT[tape.chars[start]]
    size = np.where(unit == len(UNITS) - 1, 1, 2)
    if int(unit.min()) < 0 or (end - start != size).any() or (tape.chars[end - 1] | 0x20 != ord("s")).any():
        return None
    if (number.magnitude > _MOST[unit]).any():
        return None
    time: npt.NDArray[np.int64] = (number.magnitude * _SCALE[unit]).astype(np.int64)
    if int(time[0]) <= latest or (time[1:] <= time[:-1]).any():
        return None
    return time
