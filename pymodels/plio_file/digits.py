# SPDX-License-Identifier: Apache-2.0
"""Numbers to characters, whole columns at a time.

A column of n numbers becomes an (n, w) matrix of characters in which every unused place is NUL; rows are put together
side by side, and removing the NULs gives the text.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.samples import SampleType

Chars = npt.NDArray[np.uint8]

FLOAT_CHARS = 24
"""Room for a float: ``-3.402823466e+38`` has 16 characters, ``-nan(0x400001)`` has 14."""

_GROUP = 10_000
_POWER = 10.0 ** np.arange(23)
"""Powers of ten that a float64 holds exactly."""


@cache
def _groups() -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Four characters each for 0..9999, for a number's last group and for the others.

    Indices 0..9999 are groups with something before them, leading zeros printed; from 10000 on they are a number's
    first group, with NULs instead: in the last group a lone zero is printed, in the others it is not.
    """
    value = np.arange(_GROUP, dtype=np.int64)
    power = 10 ** np.arange(3, -1, -1)
    chars = (value[:, None] // power % 10 + ord("0")).astype(np.uint8)
    bare = np.where(value[:, None] >= power, chars, 0).astype(np.uint8)
    other = np.concatenate([chars, bare])
    final = other.copy()
    final[_GROUP, 3] = ord("0")
    return final.view("<u4").reshape(-1), other.view("<u4").reshape(-1)


def integer_chars(values: npt.NDArray[Any]) -> Chars:
    """(n,) integers of any type to (n, w) characters, sign first."""
    n = len(values)
    negative = values < 0
    signed = bool(negative.any())
    rest = values.astype(np.uint64)
    if signed:
        rest = np.where(negative, np.uint64(0) - rest, rest)
    top = int(rest.max()) if n else 0
    if top < 1 << 32:
        rest = rest.astype(np.uint32)
    digits = len(str(top))
    count = -(-digits // 4)
    table, other = _groups()
    out = np.zeros((n, 1 + count), "<u4")
    for column in range(count, 0, -1):
        above = rest // rest.dtype.type(_GROUP)
        low = (rest - above * rest.dtype.type(_GROUP)).astype(np.int64)
        out[:, column] = table[low + (above == 0) * _GROUP]
        rest, table = above, other
    chars: Chars = out.view(np.uint8).reshape(n, -1)
    # No number needs more than `digits` places, and the sign one more.
    begin = 4 * (1 + count) - digits - signed
    if signed:
        chars[:, begin] = negative * np.uint8(ord("-"))
    return chars[:, begin:]


@cache
def _short_table(bits: int, signed: bool) -> tuple[npt.NDArray[np.uint64], int]:
    """Characters for every value of up to 16 bits, indexed by its bit pattern, eight places each; and those used."""
    value = np.arange(1 << bits, dtype=np.int64)
    if signed:
        value = np.where(value >> (bits - 1), value - (1 << bits), value)
    chars = integer_chars(value)
    used = chars.shape[1]
    out = np.zeros((len(value), 8), np.uint8)
    out[:, :used] = chars
    return out.view(np.uint64).reshape(-1), used


def part_chars(parts: npt.NDArray[Any], kind: SampleType, floats: str) -> Chars:
    """(m,) parts in ``kind.part_dtype`` to (m, w) characters.

    Args:
        parts: one part a number; 32-bit integers may also come as int64, to be printed as they are.
        kind: the sample type.
        floats: ``scientific`` or ``shortest``.
    """
    if kind.is_integer:
        if kind.part_bits > 16:
            return integer_chars(parts)
        pattern = parts.view(f"u{parts.dtype.itemsize}") & ((1 << kind.part_bits) - 1)
        table, used = _short_table(kind.part_bits, kind.kind == "int")
        short: Chars = table[pattern].view(np.uint8).reshape(-1, 8)
        return short[:, :used]
    return _float_chars(kind.to_float(parts), floats)


def hex_chars(patterns: npt.NDArray[Any], bits: int) -> Chars:
    """(m,) unsigned bit patterns to (m, w) characters: ``0x`` and all digits, in capitals."""
    shifts = np.arange(bits - 4, -4, -4).astype(patterns.dtype)
    digits = (patterns[:, None] >> shifts) & patterns.dtype.type(0xF)
    chars = np.empty((len(patterns), 2 + len(shifts)), np.uint8)
    chars[:, :2] = np.frombuffer(b"0x", np.uint8)
    chars[:, 2:] = np.frombuffer(b"0123456789ABCDEF", np.uint8)[digits]
    return chars


def _float_chars(values: npt.NDArray[np.float32], floats: str) -> Chars:
    if floats == "scientific":
        chars = _scientific(values)
    else:
        chars = values.astype(f"S{FLOAT_CHARS}").view(np.uint8).reshape(len(values), FLOAT_CHARS)
    odd = np.isnan(values)
    if odd.any():
        for at in np.flatnonzero(odd):
            bits = int(values[at : at + 1].view(np.uint32)[0])
            payload = "" if bits & 0x7FFFFF == 0x400000 else f"(0x{bits & 0x7FFFFF:x})"
            word = f"{'-' if bits >> 31 else ''}nan{payload}".encode()
            chars[at] = np.frombuffer(word.ljust(FLOAT_CHARS, b"\0"), np.uint8)
    return chars


def _scientific(values: npt.NDArray[np.float32]) -> Chars:
    """``%.9e`` of every number, exactly as printf rounds it.

    Scaled to ten digits before the point, a float32 is off by 1e-6 at most in float64: where that could change the
    rounding, and for the smallest and largest exponents, Python prints the number.
    """
    m = len(values)
    finite = np.isfinite(values)
    magnitude = np.abs(np.where(finite, values, np.float32(0)).astype(np.float64))
    exponent = np.floor(np.log10(np.where(magnitude > 0, magnitude, 1))).astype(np.int64)
    scaled = _times_power(magnitude, 9 - exponent)
    exponent += (scaled >= 1e10).astype(np.int64) - ((scaled < 1e9) & (magnitude > 0))
    scaled = _times_power(magnitude, 9 - exponent)
    unsure = np.abs(scaled - np.floor(scaled) - 0.5) < 1e-5
    # 24 bits times 10**12 is exact, ties and all.
    unsure &= (exponent > 9) | (exponent < -3)
    done = finite & ~unsure & (np.abs(9 - exponent) < len(_POWER))
    whole = np.where(done, np.rint(scaled), 0).astype(np.uint64)
    over = whole == 10**10
    whole[over] = 10**9
    exponent += over
    above = whole // np.uint64(10**8)
    below = (whole - above * np.uint64(10**8)).astype(np.uint32)
    upper = below // np.uint32(_GROUP)
    table, _ = _groups()
    chars = np.zeros((m, FLOAT_CHARS), np.uint8)
    chars[:, 0] = np.signbit(values) * np.uint8(ord("-"))
    chars[:, 1] = above // np.uint64(10) + np.uint64(ord("0"))
    chars[:, 2] = ord(".")
    chars[:, 3] = above % np.uint64(10) + np.uint64(ord("0"))
    chars[:, 4:8] = table[upper].view(np.uint8).reshape(m, 4)
    chars[:, 8:12] = table[below - upper * np.uint32(_GROUP)].view(np.uint8).reshape(m, 4)
    chars[:, 12] = ord("e")
    chars[:, 13] = np.where(exponent < 0, ord("-"), ord("+"))
    chars[:, 14:16] = table[np.abs(exponent)].view(np.uint8).reshape(m, 4)[:, 2:]
    left = np.flatnonzero(~done)
    if len(left):
        text = (f"%-{FLOAT_CHARS}.9e" * len(left) % tuple(values[left].tolist())).encode().replace(b" ", b"\0")
        chars[left] = np.frombuffer(text, np.uint8).reshape(-1, FLOAT_CHARS)
    return chars


def _times_power(values: npt.NDArray[np.float64], power: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """``values * 10**power``, rounded once where float64 holds the power of ten (up to 22)."""
    scale = _POWER[np.minimum(np.abs(power), len(_POWER) - 1)]
    return np.where(power < 0, values / scale, values * scale)


def row_text(columns: list[Chars | bytes], n: int) -> bytes:
    """N rows of text from columns: (n, w) characters, or bytes that stand in every row."""
    width = sum(c.shape[1] if isinstance(c, np.ndarray) else len(c) for c in columns)
    matrix = np.empty((n, width), np.uint8)
    at = 0
    for column in columns:
        if isinstance(column, np.ndarray):
            size = column.shape[1]
            # One item of `size` bytes a row copies faster than `size` items.
            there = np.ndarray((n, 1), f"V{size}", matrix, at, (width, size))
            there[:] = column.view(f"V{size}")
        else:
            size = len(column)
            matrix[:, at : at + size] = np.frombuffer(column, np.uint8)
        at += size
    return matrix.tobytes().translate(None, b"\0")


def choose_chars(mask: npt.NDArray[np.bool_], text: bytes) -> Chars:
    """(n, len(text)) characters: ``text`` where the mask is set, nothing elsewhere."""
    chars = np.zeros((len(mask), len(text)), np.uint8)
    chars[mask] = np.frombuffer(text, np.uint8)
    return chars


def pick(index: npt.NDArray[np.integer[Any]], texts: list[bytes]) -> Chars:
    """(n, w) characters: ``texts[index[i]]`` in row i."""
    size = max(map(len, texts))
    table = np.frombuffer(b"".join(t.ljust(size, b"\0") for t in texts), f"V{size}")
    chars: Chars = table[index].view(np.uint8).reshape(-1, size)
    return chars
