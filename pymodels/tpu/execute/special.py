# SPDX-License-Identifier: Apache-2.0
"""Special functions: polynomials, the inverse square root, and the division that is made of it.

Found by comparison with the vendor's functional models of BM1684X, BM1688 and CV184X (TPU-MLIR 1.30.2), to which all bits are
equal: a first guess from the bits of the number, then one Newton step more than the command asks for, each operation rounded to
the type.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.execute.numbers import (
    BF16,
    FP16,
    FP32,
    FRACTION_BITS,
    INT16,
    INT32,
    Array,
    Element,
    least_normal,
    to_numbers,
    to_stored,
)
from goldbeat.pymodels.tpu.execute.step import TpuStep
from goldbeat.pymodels.tpu.hazards.memory import MEMORY, ChipMemory

TAYLOR_4X, TAYLOR, NORMALIZE, INVERSE_ROOT = 12, 13, 15, 17
_GUESS = {FP32: 0x5F3759DF, FP16: 0x59BA, BF16: 0x5F37}
"""From which half of a number's bits are taken."""
_LEAST = np.float32(2.0**-126)
_NO_ROOT, _NO_ROOT_BM1688 = np.array([0x7FFFFFFF, 0xFFC00000], np.uint32).view(np.float32)
"""The inverse root of a negative number."""
_ITERATIONS = 3
"""Two bits of the field count."""
_OLD = "BM1684X"
"""The chip on which infinite numbers take the road of all others, and only fp32 is divided."""
_KEEP_SMALL = (MEMORY["BM1684X"], MEMORY["BM1688"])
"""Chips that find the exponent of numbers below the least normal one of fp32 and bf16 as that of others."""
Floats = npt.NDArray[np.float32]


def _rounded(values: Array, element: Element) -> Floats:
    """float32 rounded to a type; of fp32, numbers below the least normal one are zero."""
    if element.code != FP32:
        rounded: Floats = to_numbers(to_stored(values, element), element)
        return rounded
    x = np.asarray(values, np.float32)
    return np.where(np.abs(x) < _LEAST, np.copysign(np.float32(0), x), x)


def inverse_root(values: Array, iterations: int, element: Element) -> Floats:
    """1 / sqrt(x) of numbers of a type that are not negative, with ``iterations`` + 1 Newton steps."""

    def product(a: Array, b: Array) -> Floats:
        return _rounded(np.multiply(a, b, dtype=np.float32), element)

    stored = to_stored(np.ascontiguousarray(values, np.float32), element)
    bits = stored.view(f"<u{stored.itemsize}")
    guess = (bits.dtype.type(_GUESS[element.code]) - (bits >> bits.dtype.type(1))).view(element.stored)
    y: Floats = to_numbers(guess, element)
    half = product(values, np.full((1, 1, 1, 1), 0.5, np.float32))
    for _ in range((iterations & _ITERATIONS) + 1):
        y = product(y, _rounded(np.float32(1.5) - product(product(half, y), y), element))
    return y


def quotient(a: Array, b: Array, iterations: int, element: Element, memory: ChipMemory) -> Floats:
    """A / b of floats: a times the square of 1 / sqrt(|b|).

    Args:
        a: (n, c, h, w) dividend.
        b: divisor; of the same shape, or one spreads over the other.
        iterations: of the command, two bits.
        element: type of both.
        memory: of the chip.
    """
    with np.errstate(all="ignore"):
        root = inverse_root(np.abs(b), iterations, element)
        if memory is not MEMORY[_OLD]:
            root = np.where(np.isinf(b), np.float32(0), root)
        square = _rounded(root * root, element)
        found = _rounded(_rounded(a, element) * square, element)
    return np.where(np.signbit(b), -found, found)


def special_function(step: TpuStep) -> None:
    """Execute one sSFU command."""
    source, target = step.element("opd0"), step.element("res0")
    if step.func == NORMALIZE:
        _save_exponent(step, source, target)
        return
    if not source.floating or source.code != target.code:
        raise step.stop(f"{source.name} to {target.name}")
    if step.func in (TAYLOR_4X, TAYLOR):
        if step["opd1_const"]:
            raise step.stop("a constant in place of the coefficients")
        step.save("res0", _polynomial(step, source), target)
    elif step.func == INVERSE_ROOT and source.code == FP32:
        step.save("res0", _root(step.numbers("opd0", source), step), target)
    elif step.func == INVERSE_ROOT and step.memories.chip is not MEMORY[_OLD] and not step.flushes:
        step.save("res0", _root_of_halves(step.numbers("opd0", source), step, source), target)
    else:
        raise step.stop(f"function {step.func} of {source.name}")


def _save_exponent(step: TpuStep, source: Element, target: Element) -> None:
    """The exponent as it is stored, one more for positive numbers above 4/3 of a power; as a float, that power with the sign."""
    whole = target.code in (INT16, INT32) and target.stored.itemsize == source.stored.itemsize
    if not source.floating or not (whole or target.code == source.code):
        raise step.stop(f"{source.name} to {target.name}")
    fraction = FRACTION_BITS[source.code]
    bits = step.load("opd0", source).view(f"<i{source.stored.itemsize}").astype(np.int64)
    largest = np.int64(np.iinfo(f"i{source.stored.itemsize}").max)
    power, rest = (bits & largest) >> fraction, bits & (1 << fraction) - 1
    found = power + ((bits >= 0) & (rest > round((1 << fraction) / 3)))
    if source.code != FP16 and step.memories.chip not in _KEEP_SMALL:
        found = np.where(power == 0, 0, found)
    if not whole:
        found = found << fraction & largest | bits & ~largest
    step.save("res0", found.astype(f"<i{source.stored.itemsize}").view(target.stored), target)


def _polynomial(step: TpuStep, element: Element) -> Array:
    """By Horner's rule, every product and every sum rounded to the type; each lane has coefficients of its own."""
    x, table = step.numbers("opd0", element), step.numbers("opd1", element)[0, :, 0]
    lane = np.arange(x.shape[1]) % len(table)
    coefficients = [table[lane, place][None, :, None, None] for place in range(table.shape[1])]
    total = np.broadcast_to(coefficients[-1], x.shape)
    for coefficient in reversed(coefficients[:-1]):
        with np.errstate(all="ignore"):
            product = step.settled("res0", _rounded(total * x, element), element)
            total = step.settled("res0", _rounded(product + coefficient, element), element)
    return to_stored(total, element)


def _root(x: Array, step: TpuStep) -> Floats:
    old = step.memories.chip is MEMORY[_OLD]
    if old and np.signbit(x).any():
        raise step.stop("the inverse root of negative numbers on this chip")
    with np.errstate(all="ignore"):
        found = inverse_root(x, step["opd2_n_str"], Element(FP32))
        if old:
            return found
        none = _NO_ROOT_BM1688 if step.memories.chip is MEMORY["BM1688"] else _NO_ROOT
        found = np.where(np.isposinf(x), np.float32(0), np.where(x < 0, none, found))
        return np.where(np.abs(x) < _LEAST, np.copysign(np.float32(np.inf), x), found)


def _root_of_halves(x: Array, step: TpuStep, element: Element) -> Array:
    """fp16 and bf16, as they are stored; bf16 numbers below the least normal one count as zero, except on BM1688."""
    small = (x != 0) & (np.abs(x) < least_normal(element))
    unknown = small & (x < 0) if element.code == FP16 else small & (step.memories.chip is MEMORY["BM1688"])
    if unknown.any():
        raise step.stop("the inverse root of numbers below the least normal one")
    with np.errstate(all="ignore"):
        found = to_stored(inverse_root(x, step["opd2_n_str"], element), element).view("<u2")
        zero = (x == 0) | (small & (element.code == BF16))
        infinite = to_stored(np.copysign(np.float32(np.inf), x), element).view("<u2")
    found = np.where(np.isposinf(x), 0, np.where((x < 0) | np.isnan(x), 0x7FFF, found))
    stored: Array = np.where(zero, infinite, found).astype("<u2").view(element.stored)
    return stored
