# SPDX-License-Identifier: Apache-2.0
"""Scalar arithmetic of MLIR's ``arith`` dialect on Python numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from goldbeat.pymodels.objfifo.mlir_text.values import bf16_bits

Number = Any
_WIDTHS = {"index": 64, "i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "ui8": 8, "ui16": 16, "ui32": 32, "si32": 32}


class OperationError(ArithmeticError):
    """Values that an operation has no result for."""

    def __init__(self, found: str, expected: str) -> None:
        self.expected = expected
        super().__init__(found)


def width_of(kind: str) -> int | None:
    """Bits of an integer type; None of another."""
    return _WIDTHS.get(kind)


def wrapped(value: Number, kind: str) -> Number:
    """A result in its type: integers wrap to signed ones, floats round."""
    bits = _WIDTHS.get(kind)
    if bits is None:
        return _rounded(value, kind)
    if isinstance(value, float) and not math.isfinite(value):
        raise OperationError(f"{value} as {kind}", "a finite number")
    if bits == 1:
        return int(value) & 1
    value = int(value) & ((1 << bits) - 1)
    return value - (1 << bits) if value >> (bits - 1) else value


def _rounded(value: Number, kind: str) -> float:
    if kind == "bf16":
        return bf16_value(bf16_bits(value))
    return float(np.float32(value)) if kind == "f32" else float(np.float16(value)) if kind == "f16" else float(value)


def bf16_value(bits: int) -> float:
    """The number that 16 bits of bfloat16 stand for."""
    return float(np.array([int(bits) << 16], np.uint32).view(np.float32)[0])


def unsigned(value: Number, kind: str) -> int:
    """An integer's bits as a number without sign."""
    return int(value) & ((1 << (_WIDTHS.get(kind) or 64)) - 1)


def _over(divide: Callable[[int, int], int]) -> Callable[[int, int], int]:
    def done(a: int, b: int) -> int:
        if not b:
            raise OperationError("a division by zero", "a divisor other than 0")
        return divide(a, b)

    return done


def shift_count(count: Number, kind: str) -> int:
    """The bits that a shift moves a value of a type by; its width or more has no result."""
    most = (_WIDTHS.get(kind) or 64) - 1
    if not 0 <= count <= most:
        raise OperationError(f"a shift by {count} of {kind}", f"0 to {most}")
    return int(count)


def _ratio(a: float, b: float) -> float:
    """As IEEE 754 has it: by zero it is infinite, or not a number."""
    with np.errstate(all="ignore"):
        return float(np.float64(a) / np.float64(b))


def _rest(a: float, b: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.fmod(a, b))


def _quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


SIGNED: dict[str, Callable[[Number, Number], Number]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "divsi": _over(_quotient),
    "remsi": _over(lambda a, b: a - b * _quotient(a, b)),
    "floordivsi": _over(lambda a, b: a // b),
    "ceildivsi": _over(lambda a, b: -(-a // b)),
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
    "maxsi": max,
    "minsi": min,
    "addf": lambda a, b: a + b,
    "subf": lambda a, b: a - b,
    "mulf": lambda a, b: a * b,
    "divf": _ratio,
    "maximumf": max,
    "minimumf": min,
    "remf": _rest,
}
"""Operations on two numbers of the type at the end."""
UNSIGNED: dict[str, Callable[[int, int], int]] = {
    "divui": _over(lambda a, b: a // b),
    "ceildivui": _over(lambda a, b: -(-a // b)),
    "remui": _over(lambda a, b: a % b),
    "maxui": max,
    "minui": min,
}
SHIFTS: dict[str, Callable[[int, int], int]] = {
    "shli": lambda a, b: a << b,
    "shrsi": lambda a, b: a >> b,
    "shrui": lambda a, b: a >> b,
}
"""Shifts; the value of the last one has no sign."""
COMPARE: dict[str, Callable[[Number, Number], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
"""Comparisons without the letter that says signed, unsigned or ordered."""
