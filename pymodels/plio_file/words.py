# SPDX-License-Identifier: Apache-2.0
"""Single tokens of PLIO files, one at a time: numbers, units, TKEEP values. The careful half of the readers.

The fast readers read whole files at once and only come here when something is odd.
"""

from __future__ import annotations

import math
import re
import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.samples import SampleType

UNITS = ("ps", "ns", "us", "ms", "s")
"""Time units, each a thousand times the one before."""

MAX_TIME_PS = (1 << 63) - 1

_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_FLOAT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?", re.ASCII | re.IGNORECASE)
_NAN = re.compile(r"([+-]?)nan(?:\(0x([0-9a-f]{1,6})\))?", re.ASCII | re.IGNORECASE)
_INFINITY = re.compile(r"[+-]?inf(?:inity)?", re.ASCII | re.IGNORECASE)
_HEX = re.compile(r"0x[0-9a-f]+", re.ASCII | re.IGNORECASE)
_BARE_HEX = re.compile(r"[0-9a-f]*[a-f][0-9a-f]*", re.ASCII | re.IGNORECASE)
KEEP_IGNORED = -2
"""All bytes are valid: a TKEEP of 0x0 outside TLAST beats, which the hardware ignores."""
INT32_MAX = (1 << 31) - 1
"""Integers beyond it are written in unsigned decimal."""
F32_MAX = 3.4028235677973366e38
"""The first number that rounds to float32 infinity: halfway between the largest float32 and 2**128."""


class TokenError(ValueError):
    """A token that is not what it should be; the message says what was expected."""


def either_sign(kind: SampleType) -> bool:
    """Whether the type's numbers are 32-bit words, which files hold in signed and in unsigned decimal."""
    return kind.is_integer and kind.part_bits == 32 and kind.parts == 1


def holds_headers(kind: SampleType) -> bool:
    """Whether a part can hold the header of a packet: 32-bit words, as integers or as floats."""
    return either_sign(kind) or kind.kind == "float"


def accepted_range(kind: SampleType) -> tuple[int, int]:
    """Smallest and largest integer a part may be written as."""
    if either_sign(kind):
        return -(1 << 31), (1 << 32) - 1
    return kind.part_range


def parse_integer(token: str, low: int, high: int, what: str) -> int:
    """A decimal integer in a range."""
    if not _INTEGER.fullmatch(token):
        raise TokenError(f"a whole number for {what}{_hint(token)}")
    # Python refuses very long numbers; none of them is in range.
    value = int(token) if len(token) < 1000 else high + 1
    if not low <= value <= high:
        raise TokenError(f"{what} from {low} to {high}")
    return value


def _hint(token: str) -> str:
    """What may have been meant by something that is no number."""
    if "," in token:
        return ", with blanks between numbers (commas are for CSV files, which begin with CMD,D)"
    return " (hexadecimal ones begin with 0x)" if _BARE_HEX.fullmatch(token) else ""


def is_hex(token: str) -> bool:
    """Whether a token is a hexadecimal bit pattern."""
    return _HEX.fullmatch(token) is not None


def is_big(token: str) -> bool:
    """Whether a decimal integer is beyond int32, so that it can only be an unsigned one."""
    return len(token) > 9 and not is_hex(token) and int(token) > INT32_MAX


def _parse_pattern(token: str, kind: SampleType) -> int:
    """A hexadecimal number: the bits of a part, of an integer as of a float."""
    value = int(token, 16) if len(token) < 1000 else 1 << kind.part_bits
    if value >> kind.part_bits:
        raise TokenError(f"at most {kind.part_bits} bits for {kind.name}")
    if kind.kind == "int" and kind.part_bits < 8 and value >> (kind.part_bits - 1):
        # Half a byte in a beat, but a whole one in an array: the sign goes all the way up.
        value += 256 - (1 << kind.part_bits)
    return value


def parse_part(token: str, kind: SampleType) -> int:
    """One part as its bit pattern in ``kind.part_dtype`` (floats as unsigned patterns).

    ``0x`` begins the bit pattern of a part of any type.

    Raises:
        TokenError: not a number, or one that the type cannot hold.
    """
    if is_hex(token):
        return _parse_pattern(token, kind)
    if kind.is_integer:
        low, high = accepted_range(kind)
        mask = (1 << 8 * kind.part_dtype.itemsize) - 1
        return parse_integer(token, low, high, kind.name) & mask
    bits = parse_float32(token, kind.name)
    if kind.kind == "float":
        return bits
    parts = to_parts(np.array([bits], "<u4").view("<f4"), kind)
    if parts is None:
        raise TokenError(f"a number that {kind.name} can hold")
    return int(parts[0])


def to_parts(values: npt.NDArray[np.float32], kind: SampleType) -> npt.NDArray[Any] | None:
    """Parts of a float type; NaNs keep the bits that fit. None where the type cannot hold a number."""
    if kind.kind == "float":
        return values
    parts = kind.from_float(values)
    if kind.overflows(values, parts).any():
        return None
    if kind.kind == "bfloat" and (odd := np.isnan(values)).any():
        cut = (values.view("<u4") >> 16).astype(np.uint16)
        parts = np.where(odd & (cut & 0x7F != 0), cut, parts)
    return parts


def parse_float32(token: str, what: str) -> int:
    """A number as the bits of the nearest float32; ``nan(0x123456)`` gives the 23 fraction bits of a NaN."""
    if match := _NAN.fullmatch(token):
        fraction = 0x400000 if match[2] is None else int(match[2], 16)
        if not 0 < fraction < 1 << 23:
            raise TokenError("a NaN with 1 to 23 fraction bits")
        return (0x80000000 if match[1] == "-" else 0) | 0x7F800000 | fraction
    if _INFINITY.fullmatch(token):
        return 0xFF800000 if token[0] == "-" else 0x7F800000
    if not _FLOAT.fullmatch(token):
        raise TokenError(f"a number for {what}{_hint(token)}")
    value = float(token)
    if math.isinf(value) or abs(value) >= F32_MAX:
        raise TokenError(f"a number that {what} can hold")
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def parse_time(number: str, unit: str) -> int:
    """A time in picoseconds."""
    if unit.lower() not in UNITS:
        raise TokenError(f"a time unit: {', '.join(UNITS)}")
    scale: int = 1000 ** UNITS.index(unit.lower())
    return parse_integer(number, 0, MAX_TIME_PS // scale, f"a time in {unit.lower()}") * scale


def parse_keep(token: str, size: int, last: bool) -> int:
    """A TKEEP value as the number of valid bytes, or -1 for all of them; :data:`KEEP_IGNORED`: all, whatever it says.

    Outside TLAST beats the hardware ignores TKEEP; values that say "all" are taken (0x0 among them), anything else
    is refused, as the file means something that will not happen. On a TLAST beat whole words from the low end on are
    valid.
    """
    every = (1 << size) - 1
    if token == "-1":
        return -1
    if not _HEX.fullmatch(token):
        raise TokenError("-1 or a hexadecimal TKEEP (0x...)")
    value = int(token, 16) if len(token) < 1000 else every + 1
    if value > every:
        raise TokenError(f"a TKEEP of {size} bits")
    if value == every or (value == 0 and not last):
        return -1 if value else KEEP_IGNORED
    if not last:
        raise TokenError("-1, 0x0 or all ones, as TKEEP counts on TLAST beats only")
    count = value.bit_count()
    if value != (1 << count) - 1 or count == 0 or count % 4:
        raise TokenError("whole 32-bit words from the low end on a TLAST beat")
    return count
