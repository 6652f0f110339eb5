# SPDX-License-Identifier: Apache-2.0
"""Text to tokens and tokens to numbers, whole blocks at a time: the quick half of the readers.

Nothing here explains an error. A function that meets anything but the plain case gives up, and the
careful reader looks at the block again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.plio_file.words import F32_MAX, accepted_range, either_sign, to_parts
from goldbeat.pymodels.samples import SampleType

Index = npt.NDArray[np.int64]

BLOCK = 1 << 18
"""Bytes read at a time: the arrays of a block stay in the cache."""

_BEFORE = 24
_AFTER = 8
_ZEROS = np.uint64(0x3030303030303030)
_TENS = np.uint64(0x7676767676767676)
_HIGH = np.uint64(0x8080808080808080)
_LAST_BYTES = np.array([0] + [((1 << 8 * n) - 1) << 8 * (8 - n) for n in range(1, 9)], np.uint64)
"""Masks that keep the last n of eight characters."""
_POWER = 10.0 ** np.arange(23)
"""Powers of ten that a float64 holds exactly."""
_CASE = 0x20
_COMMA, _LF, _CR, _TAB, _BLANK = b",\n\r\t "


class Tape:
    """A file's bytes with room on both sides, so that eight characters can be looked at from anywhere.

    Attributes:
        raw: the padded bytes; blank lines at the end are cut off, the last line has its newline.
        chars: the same as numbers.
        window: ``window[i]`` is ``chars[i : i + 8]`` as one little-endian number.
        begin, end: where the text lies in ``raw``.
    """

    def __init__(self, raw: bytes) -> None:
        used = _without_blanks(raw)
        newline = raw.find(b"\n", used)
        text, tail = (raw, b"\n") if newline < 0 else (memoryview(raw)[: newline + 1], b"")
        if not used:
            text = tail = b""
        self.raw = b"".join([b" " * _BEFORE, text, tail, b" " * _AFTER])
        self.begin = _BEFORE
        self.end = len(self.raw) - _AFTER
        self.chars = np.frombuffer(self.raw, np.uint8)
        self.window: npt.NDArray[np.uint64] = np.ndarray((len(self.raw) - 7,), "<u8", self.raw, 0, (1,))

    def cut(self, begin: int) -> int:
        """End of the block that begins at ``begin``, after a newline."""
        if begin + BLOCK >= self.end:
            return self.end
        return self.raw.index(b"\n", begin + BLOCK) + 1

    def lines(self, begin: int, end: int) -> Iterator[bytes]:
        """The lines of a block, without their newlines."""
        return iter(self.raw[begin : end - 1].split(b"\n"))


def _without_blanks(raw: bytes) -> int:
    """Where the last character that is not blank ends."""
    end = len(raw)
    while end:
        piece = raw[max(0, end - 4096) : end]
        bare = len(piece.rstrip(b" \t\r\n"))
        end -= len(piece) - bare
        if bare:
            break
    return end


class Tokens(NamedTuple):
    """The tokens of a block of text.

    Attributes:
        start, end: (t,) where each token begins and ends in the tape.
        first: (l,) index of each line's first token.
        size: (l,) tokens of each line.
        newline: (l,) where each line ends in the tape.
    """

    start: Index
    end: Index
    first: Index
    size: Index
    newline: Index


def tokens_of_block(tape: Tape, begin: int, end: int, *, csv: bool = False) -> Tokens | None:
    """Tokens between blanks (and commas), or None where a line is blank or a character is odd."""
    chars = tape.chars[begin:end]
    newline = np.flatnonzero(chars == _LF)
    if chars.max() > 126 or np.count_nonzero(chars < _BLANK) != len(newline):
        returns = np.flatnonzero(chars == _CR)
        others = np.count_nonzero(chars == _TAB) + len(returns) + len(newline)
        if np.count_nonzero((chars < _BLANK) | (chars > 126)) != others or (chars[returns + 1] != _LF).any():
            return None
    # One more place in front, so that a token at the very beginning has an edge too.
    gap = np.ones(len(chars) + 1, np.bool_)
    np.less_equal(chars, _BLANK, out=gap[1:])
    if csv:
        commas = chars == _COMMA
        gap[1:] |= commas
    edge = np.flatnonzero(gap[1:] != gap[:-1])
    start, stop = edge[0::2], edge[1::2]
    if not len(start):
        return None
    opens = chars[start - 1] == _LF
    opens[0] = True
    if np.count_nonzero(opens) != len(newline):
        # Lines that begin with blanks, or blank lines.
        line = np.cumsum(chars == _LF)[start]
        opens[1:] = line[1:] != line[:-1]
        if np.count_nonzero(opens) != len(newline):
            return None
    first = np.flatnonzero(opens)
    if csv:
        inner = np.ones(len(start), np.bool_)
        inner[first[1:] - 1] = inner[-1] = False
        # A comma right after each cell but the last, and no other.
        if np.count_nonzero(commas) != np.count_nonzero(inner) or (chars[stop[inner]] != _COMMA).any():
            return None
    return Tokens(start + begin, stop + begin, first, np.diff(first, append=len(start)), newline + begin)


class Integers(NamedTuple):
    """Parsed integers: (n,) uint64 magnitude and (n,) bool sign."""

    magnitude: npt.NDArray[np.uint64]
    negative: npt.NDArray[np.bool_]


def integers(tape: Tape, start: Index, end: Index) -> Integers | None:
    """Decimal integers with an optional sign; None where a token is not one or does not fit 64 bits."""
    head = tape.chars[start]
    negative = head == ord("-")
    size = end - start
    size -= negative
    size -= head == ord("+")
    if not len(size):
        return Integers(np.zeros(0, np.uint64), negative)
    longest = int(size.max())
    if int(size.min()) < 1 or longest > 20:
        return None
    value = _eight_digits(tape, end, np.minimum(size, 8))
    if value is not None and longest > 8:
        value = _add_digits(tape, value, size, end, 8)
    if value is not None and longest > 16:
        value = _add_digits(tape, value, size, end, 16)
    return None if value is None else Integers(value, negative)


def _add_digits(
    tape: Tape, value: npt.NDArray[np.uint64], size: Index, end: Index, behind: int
) -> npt.NDArray[np.uint64] | None:
    """Add the (up to eight) digits that stand before the last ``behind`` ones."""
    at = np.flatnonzero(size > behind)
    upper = _eight_digits(tape, end[at] - behind, np.minimum(size[at] - behind, 8))
    if upper is None:
        return None
    scale = 10**behind
    most, rest = divmod((1 << 64) - 1, scale)
    if ((upper > most) | ((upper == most) & (value[at] > rest))).any():
        return None
    value[at] += upper * np.uint64(scale)
    return value


def _eight_digits(tape: Tape, end: Index, size: Index) -> npt.NDArray[np.uint64] | None:
    """The number written in the last ``size`` (1..8) characters before ``end``; None where one is no digit."""
    digits = tape.window[end - 8]
    digits ^= _ZEROS
    digits &= _LAST_BYTES[size]
    if int(np.bitwise_or.reduce((digits + _TENS) | digits) & _HIGH):
        return None
    # Neighbours, then pairs, then fours: a multiplication adds 10 (100, 10000) times the higher to the lower.
    digits *= np.uint64(2561)
    digits >>= np.uint64(8)
    digits &= np.uint64(0x00FF00FF00FF00FF)
    digits *= np.uint64(6553601)
    digits >>= np.uint64(16)
    digits &= np.uint64(0x0000FFFF0000FFFF)
    digits *= np.uint64(42949672960001)
    digits >>= np.uint64(32)
    return digits


class Parts(NamedTuple):
    """Parsed parts: (n,) in the type's ``part_dtype``, and which were written as 2**31 or more (or None)."""

    values: npt.NDArray[Any]
    big: npt.NDArray[np.bool_] | None


def parts_of(tape: Tape, kind: SampleType, start: Index, end: Index) -> Parts | None:
    """Tokens as parts of a sample type, or None where one is not."""
    if not kind.is_integer:
        single = _floats(tape, start, end)
        if single is None:
            return None
        floats = to_parts(single, kind)
        return None if floats is None else Parts(floats, None)
    numbers = integers(tape, start, end)
    if numbers is None:
        return None
    value, negative = numbers
    low, high = accepted_range(kind)
    if (value > np.where(negative, np.uint64(-low), np.uint64(high))).any():
        return None
    bits = np.where(negative, np.uint64(0) - value, value).astype(f"<u{kind.part_dtype.itemsize}")
    big = (value >= 1 << 31) & ~negative if either_sign(kind) else None
    return Parts(bits.view(kind.part_dtype), big)


def _floats(tape: Tape, start: Index, end: Index) -> npt.NDArray[np.float32] | None:
    """Decimal numbers as float32 (by way of float64), or None where a token is odd or too large."""
    value, done = _scientific(tape, start, end)
    if not done.all():
        left = ~done
        text = [tape.raw[a:b] for a, b in zip(start[left].tolist(), end[left].tolist(), strict=True)]
        try:
            value[left] = list(map(float, text))
        except ValueError:
            return None
        if any(b"_" in t for t in text):
            return None
    if (np.isfinite(value) & (np.abs(value) >= F32_MAX)).any() or _overflows(tape, value, start):
        return None
    return value.astype(np.float32)


def _overflows(tape: Tape, value: npt.NDArray[np.float64], start: Index) -> bool:
    """Whether an infinity comes from a number, not from the word."""
    infinite = np.isinf(value)
    if not infinite.any():
        return False
    at = start[infinite]
    head = tape.chars[at]
    head = np.where((head == ord("-")) | (head == ord("+")), tape.chars[at + 1], head)
    return bool((head | _CASE != ord("i")).any())


def _scientific(tape: Tape, start: Index, end: Index) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Numbers as ``%.9e`` prints them, exactly rounded, and which of the tokens were such numbers.

    The ten digits make a whole number that float64 holds; times or divided by a power of ten that it holds
    too, there is one rounding only.
    """
    chars = tape.chars
    negative = chars[start] == ord("-")
    at = start + negative
    done = end - at == 15
    value = np.zeros(len(start), np.float64)
    pick = np.flatnonzero(done)
    if not len(pick):
        return value, done
    at = at[pick]
    sign = chars[at + 12]
    lead, tenth, ten, one = (chars[at + k] ^ ord("0") for k in (0, 2, 13, 14))
    digits = tape.window[at + 3] ^ _ZEROS
    good = (
        (chars[at + 1] == ord(".")) & (chars[at + 11] | _CASE == ord("e")) & ((sign == ord("+")) | (sign == ord("-")))
    )
    good &= (lead < 10) & (tenth < 10) & (ten < 10) & (one < 10) & (((digits + _TENS) | digits) & _HIGH == 0)
    power = ten.astype(np.int64) * 10 + one
    power = np.where(sign == ord("-"), -power, power) - 9
    good &= np.abs(power) < len(_POWER)
    pick, at, power = pick[good], at[good], power[good]
    low = _eight_digits(tape, at + 11, np.full(len(at), 8))
    assert low is not None
    whole = lead[good].astype(np.uint64) * np.uint64(10**9) + tenth[good] * np.uint64(10**8) + low
    scale = _POWER[np.abs(power)]
    number = whole.astype(np.float64)
    number = np.where(power < 0, number / scale, number * scale)
    value[pick] = np.where(negative[pick], -number, number)
    done[:] = False
    done[pick] = True
    return value, done
