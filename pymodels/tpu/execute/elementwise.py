# SPDX-License-Identifier: Apache-2.0
"""sAR: arithmetic element by element, with strides and constants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from goldbeat.pymodels.tpu.execute.numbers import (
    BF16,
    DOWN,
    FP16,
    FP32,
    HALF_DOWN,
    HALF_UP,
    INT16,
    UP,
    ZERO,
    Array,
    Element,
    round_to_integers,
    rounded_shift,
    to_numbers,
    to_stored,
)
from goldbeat.pymodels.tpu.execute.special import quotient
from goldbeat.pymodels.tpu.execute.step import TpuStep
from goldbeat.pymodels.tpu.execute.sums import rounded_to
from goldbeat.pymodels.tpu.hazards.memory import MEMORY

MUL, NOT, ADD, SUB, MAX, MIN, LOGIC_SHIFT, AND, OR, XOR, GREATER, EQUAL, DIV, LESS, CAST, ADD_HELD = range(16)
SUB_HELD = 16
CLAMP, MULTIPLY_ADD = 17, 18
COPY, MUL_HELD, SHIFT, ROTATE = range(19, 23)
ABS, DISTANCE, COPY_BATCH = 26, 27, 28
_SELECTS = {GREATER: np.greater, EQUAL: np.equal, LESS: np.less}
_BITWISE = {AND: np.bitwise_and, OR: np.bitwise_or, XOR: np.bitwise_xor}
_BEYOND_FP16 = 1 << 16
_WORD = 62
"""Bits that are exact before a result is shifted and held within its limits."""
_OF_ONE_TYPE = (*_BITWISE, MAX, MIN, DISTANCE)
_HELD = (ADD_HELD, SUB_HELD, MUL_HELD)
_WITHOUT_FP32 = (MEMORY["CV184X"], MEMORY["SGTPUV8"])
"""Chips that calculate in bf16."""
_OF_THREE = (*_SELECTS, MUL, ADD, SUB, *_HELD)
"""What is chosen, or a shift of integers."""


LINEAR, SQUARE_SUM, SQUARE_DIFFERENCE = 1, 20, 21


def linear(step: TpuStep) -> None:
    """Execute one sLIN command: each channel of floats times one number plus another, or its square apart from one."""
    kind = step.element("res0")
    if not kind.floating or (step.has("opd0_prec") and step["opd0_prec"] != step["res0_prec"]):
        raise step.stop(f"to {kind.name}")
    shape = tuple(step[f"opd1_{axis}"] for axis in "nchw")
    if step.has("opd1_str") and not step["opd1_const"] and (step["opd1_str"], shape) != (1, (1, step["res0_c"], 1, 1)):
        raise step.stop("opd1 with a layout of its own")
    x, a = step.numbers("opd0", kind), step.numbers("opd1", kind)
    with np.errstate(all="ignore"):
        first = x * a if step.func == LINEAR else x + a if step.func == SQUARE_SUM else x - a
        first = step.settled("res0", rounded_to(first, kind), kind)
        found = first + step.numbers("opd2", kind) if step.func == LINEAR else first * first
        found = step.settled("res0", rounded_to(found, kind), kind)
    step.save("res0", to_stored(found, kind), kind)


def result_element(step: TpuStep) -> Element:
    """The type of the result: signed if an operand is, or of a difference; of a conversion the command tells."""
    signed = bool(step["opd0_sign"] or (step["opd1_sign"] and step["tsk_opd_num"] > 1) or step.func == SUB_HELD)
    if step.func == CAST:
        signed = bool(step["opd2_sign"])
    return step.element("res0", signed=signed)


def cut_to(values: Array, element: Element) -> Array:
    """int64 cut down to the bits of a type."""
    return values.astype(np.int64).astype(element.stored)


def arithmetic(step: TpuStep) -> None:
    """Execute one sAR command."""
    if step.func == CLAMP:
        step.save("res0", *_clamped(step))
        return
    target = result_element(step)
    if step["tsk_opd_num"] > 2 and (step.func not in _OF_THREE or (target.floating and step.func not in _SELECTS)):
        raise step.stop("a third operand")
    if step.func in (COPY, COPY_BATCH, CAST, NOT, ABS):
        step.save("res0", _one(step, target), target)
        return
    first, second = step.element("opd0"), step.element("opd1")
    if step.func in (LOGIC_SHIFT, SHIFT, ROTATE):
        second = replace(second, signed=True)
    if step.func in _SELECTS:
        step.save("res0", _selected(step, first, second, target), target)
        return
    chooses = step.func in (MAX, MIN)
    a, b = step.numbers("opd0", first, plain=chooses), step.numbers("opd1", second, plain=chooses)
    mixed = not first.code == second.code == target.code
    if mixed and (first.floating or second.floating or target.floating or step.func in _OF_ONE_TYPE):
        raise step.stop(f"{first.name} with {second.name} to {target.name}")
    if first.floating:
        step.save("res0", combined_floats(step, a, b, target), target)
    else:
        step.save("res0", _integers(step, a, b, first, target), target)


def _one(step: TpuStep, target: Element) -> Array:
    """Operations of one operand."""
    source = step.element("opd0")
    stored = step.load("opd0", source)
    if step.func == COPY_BATCH and step.memories.chip is not MEMORY["BM1684X"]:
        raise step.stop("copies of images on this chip")
    if step.func != CAST and (source.code != target.code or (step.func == NOT and source.floating)):
        raise step.stop(f"{source.name} to {target.name}")
    if step.func in (COPY, COPY_BATCH):
        return stored.view(target.stored)
    if step.func == NOT:
        turned: Array = np.invert(stored.view(f"<u{stored.itemsize}")).view(target.stored)
        return turned
    if step.func == ABS:
        values = np.abs(to_numbers(stored, source))
        return to_stored(values, target) if source.floating else cut_to(values, target)
    mode = step["opd2_n_str"]
    if mode > HALF_DOWN:
        raise step.stop(f"rounding mode {mode}")
    if step.memories.chip is MEMORY["BM1684X"] and not source.floating and target.floating:
        _refuse_own_rounding(step, source, target, to_numbers(stored, source))
    return converted(stored, source, target, mode)


def _clamped(step: TpuStep) -> tuple[Array, Element]:
    """Held between the second and the third operand, of the type of the first; what is not a number becomes the second."""
    kind = step.element("opd0")
    if not kind.floating or any(step[f"{name}_prec"] != step["opd0_prec"] for name in ("opd1", "opd2", "res0")):
        raise step.stop(f"{kind.name} and another type")
    x, low, high = (to_numbers(step.load(f"opd{n}", kind), kind) for n in range(3))
    if np.isnan(low).any() or np.isnan(high).any():
        raise step.stop("limits that are not numbers")
    found = np.where(x > low, x, low)
    return to_stored(np.where(found < high, found, high), kind), kind


def _refuse_own_rounding(step: TpuStep, source: Element, target: Element, values: Array) -> None:
    """The functional model of BM1684X rounds some integers to floats in a way of its own."""
    mode = step["opd2_n_str"]
    beyond = target.code == FP16 and mode in (ZERO, DOWN, UP) and np.abs(values).max() >= _BEYOND_FP16
    if beyond or (source.code == INT16 and mode in (HALF_UP, HALF_DOWN)):
        raise step.stop(f"{source.name} to {target.name} with rounding mode {mode}")


def converted(stored: Array, source: Element, target: Element, mode: int) -> Array:
    """A conversion of types, by a rounding mode. What is not a number has all bits set in another type."""
    values = to_numbers(stored, source)
    if source.floating and source.code == target.code:
        found = to_stored(round_to_integers(values, mode).astype(np.float32), target)
        return np.where(np.isnan(values), stored, found)
    found = to_stored(values, target, mode)
    if source.floating and target.floating and (source.code, target.code) != (BF16, FP32) and np.isnan(values).any():
        ones = np.dtype(f"<u{found.itemsize}").type(-1 % (1 << 8 * found.itemsize))
        nan = np.where(np.signbit(values), ones, ones >> 1).astype(ones.dtype).view(found.dtype)
        return np.where(np.isnan(values), nan, found)
    return found


def _selected(step: TpuStep, first: Element, second: Element, target: Element) -> Array:
    """Third operand where the comparison is true, 0 elsewhere."""
    if first.code != second.code:
        raise step.stop(f"{first.name} compared with {second.name}")
    wider = target.stored.itemsize > first.stored.itemsize
    if wider and (first.floating or step.memories.chip is MEMORY["BM1684X"]):
        raise step.stop(f"comparison of {first.name} to {target.name}")
    a, b = step.numbers("opd0", first, plain=True), step.numbers("opd1", second, plain=True)
    if step.flushes and first.floating and step.func == EQUAL:
        # This chip compares the bits.
        a, b = (step.load(name, first).view(f"<u{first.stored.itemsize}") for name in ("opd0", "opd1"))
    third = step.element("opd2", signed=True)
    if third.code != target.code:
        raise step.stop(f"{third.name} selected into {target.name}")
    chosen = step.load("opd2", third).view(target.stored)
    return np.where(_SELECTS[step.func](a, b), chosen, target.stored.type(0))


def combined_floats(step: TpuStep, a: Array, b: Array, target: Element) -> Array:
    """What a command makes of two operands of floats.

    Args:
        step: the command.
        a: numbers of the first operand, of any shape.
        b: those of the second, of the same shape or one that numpy broadcasts to it.
        target: type of the result.

    Returns:
        the result as it is stored.
    """
    func = step.func
    if func in (MAX, MIN):
        return to_stored(np.maximum(a, b) if func == MAX else np.minimum(a, b), target)
    with np.errstate(all="ignore"):
        if func in (MUL, ADD, SUB):
            found = a * b if func == MUL else a + b if func == ADD else a - b
        elif func == DISTANCE:
            found = np.abs(a - b)
        elif func == MULTIPLY_ADD and target.code == (BF16 if step.memories.chip in _WITHOUT_FP32 else FP32):
            old = to_numbers(step.memories.read(step.whole("res0"), target.stored), target)
            found = rounded_to(a * b, target) + old
        elif func == DIV and _divides(step, target):
            return to_stored(_quotient(step, a, b, target), target)
        else:
            raise step.stop("floating point")
    return to_stored(step.settled("res0", rounded_to(found, target), target), target)


def _quotient(step: TpuStep, a: Array, b: Array, target: Element) -> Array:
    """A division, of which nothing is known where one chip takes numbers for zeros."""
    found = quotient(a, b, step["opd2_n_str"], target, step.memories.chip)
    given = (to_numbers(step.load(name, target), target) for name in ("opd0", "opd1"))
    if step.flushes and any((step.settled("res0", one, target) != one).any() for one in (*given, found)):
        raise step.stop("a division with numbers below the least normal one")
    return found


def _divides(step: TpuStep, target: Element) -> bool:
    """Whether operands and result are of one type, and the chip divides it."""
    same = step["opd0_prec"] == step["opd1_prec"] == target.code
    return same and (target.code == FP32 or step.memories.chip is not MEMORY["BM1684X"])


def _integers(step: TpuStep, a: Array, b: Array, first: Element, target: Element) -> Array:
    func = step.func
    if func in _BITWISE:
        return cut_to(_BITWISE[func](a, b), target)
    if func in (MAX, MIN):
        return cut_to(np.maximum(a, b) if func == MAX else np.minimum(a, b), target)
    if func in (LOGIC_SHIFT, SHIFT, ROTATE):
        return _shifted(step, a, b, first, target)
    if func in (MUL, ADD, SUB, *_HELD):
        found = {MUL: np.multiply, ADD: np.add, SUB: np.subtract}.get(func) or {
            ADD_HELD: np.add,
            SUB_HELD: np.subtract,
            MUL_HELD: np.multiply,
        }[func]
        bits = (
            step.numbers("opd2", step.element("opd2", signed=True))
            if step["tsk_opd_num"] > 2
            else np.zeros(1, np.int64)
        )
        largest = [int(np.abs(one).max(initial=0)) for one in (a, b)]
        size = largest[0] * largest[1] if func in (MUL, MUL_HELD) else sum(largest)
        # Cutting to the low bits is exact in any case, unless higher ones come back by a shift.
        if (func in _HELD or bits.min() < 0) and size << max(0, int(bits.max())) >= 1 << _WORD:
            raise step.stop(f"results of more than {_WORD} bits")
        values = found(a, b)
        if step["tsk_opd_num"] > 2:
            values = rounded_shift(values, -bits, step["opd2_n_str"])
        return to_stored(values, target) if func in _HELD else cut_to(values, target)
    raise step.stop("integers")


def _shifted(step: TpuStep, a: Array, b: Array, first: Element, target: Element) -> Array:
    """Positive amounts to the left, negative ones to the right; only arithmetic shifts round."""
    bits = 8 * first.stored.itemsize
    if np.abs(b).max() > bits:
        raise step.stop("shifts by more than the bits of an element")
    mode = step["opd2_n_str"]
    if step.func == SHIFT:
        return cut_to(rounded_shift(a, -b, mode), target)
    mask = np.int64((1 << bits) - 1)
    raw = a & mask
    if step.func == ROTATE:
        if target.code != first.code or step.element("opd1").stored.itemsize > first.stored.itemsize:
            raise step.stop(f"rotation of {first.name} to {target.name}")
        left = b % bits
        return cut_to((raw << left | raw >> (bits - left)) & mask, target)
    return cut_to(rounded_shift(raw, -b, mode), target)
