# SPDX-License-Identifier: Apache-2.0
"""Single tokens of PLIO files, one at a time: numbers, units, TKEEP values. The careful half of the readers.

The fast readers read whole files at once and only come here when something is odd.
"""

from __future__ import annotations

import math
import re
import struct

import numpy as np
import numpy.typing as npt

from pymodels.samples import SampleType, float_to_bfloat16

UNITS = ("ps", "ns", "us", "ms", "s")
"""Time units, each a thousand times the one before."""

MAX_TIME_PS = (1 << 63) - 1

_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_FLOAT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?", re.ASCII | re.IGNORECASE)
_NAN = re.compile(r"([+-]?)nan(?:\(0x([0-9a-f]{1,6})\))?", re.ASCII | re.IGNORECASE)
_INFINITY = re.compile(r"[+-]?inf(?:inity)?", re.ASCII | re.IGNORECASE)
_HEX = re.compile(r"0x[0-9a-f]+", re.ASCII | re.IGNORECASE)
F32_MAX = 3.4028235677973366e38
"""The first number that rounds to float32 infinity: halfway between the largest float32 and 2**128."""


class TokenError(ValueError):
    """A token that is not what it should be; the message says what was expected."""


def either_sign(kind: SampleType) -> bool:
    """Whether the type's numbers are 32-bit words, which files hold in signed and in unsigned decimal."""
    return kind.is_integer and kind.part_bits == 32 and kind.parts == 1


def accepted_range(kind: SampleType) -> tuple[int, int]:
    """Smallest and largest integer a part may be written as."""
    if either_sign(kind):
        return -(1 << 31), (1 << 32) - 1
    return kind.part_range


def parse_integer(token: str, low: int, high: int, what: str) -> int:
    """A decimal integer in a range."""
    if not _INTEGER.fullmatch(token):
        raise TokenError(f"a whole number for {what}")
    # Python refuses very long numbers; none of them is in range.
    value = int(token) if len(token) < 1000 else high + 1
    if not low <= value <= high:
        raise TokenError(f"{what} from {low} to {high}")
    return value


def parse_part(token: str, kind: SampleType) -> int:
    """One part as its bit pattern in ``kind.part_dtype`` (floats as unsigned patterns).

    Raises:
        TokenError: not a number, or one that the type cannot hold.
    """
    if kind.is_integer:
        low, high = accepted_range(kind)
        mask = (1 << kind.part_bits) - 1
        return parse_integer(token, low, high, kind.name) & mask
    bits = parse_float32(token, kind.name)
    if kind.kind == "float":
        return bits
    half = to_bfloat16(np.array([bits], "<u4").view("<f4"))
    if half is None:
        raise TokenError("a number that bfloat16 can hold")
    return int(half[0])


def to_bfloat16(values: npt.NDArray[np.float32]) -> npt.NDArray[np.uint16] | None:
    """Nearest bfloat16 patterns; NaNs keep the bits that fit. None where a finite number becomes infinite."""
    half = float_to_bfloat16(values)
    if ((half & 0x7FFF == 0x7F80) & np.isfinite(values)).any():
        return None
    odd = np.isnan(values)
    if odd.any():
        cut = (values.view("<u4") >> 16).astype(np.uint16)
        half = np.where(odd & (cut & 0x7F != 0), cut, half)
    return half


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
        raise TokenError(f"a number for {what}")
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
    """A TKEEP value as the number of valid bytes, or -1 for all of them.

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
        return -1
    if not last:
        raise TokenError("-1, 0x0 or all ones, as TKEEP counts on TLAST beats only")
    count = value.bit_count()
    if value != (1 << count) - 1 or count == 0 or count % 4:
        raise TokenError("whole 32-bit words from the low end on a TLAST beat")
    return count
