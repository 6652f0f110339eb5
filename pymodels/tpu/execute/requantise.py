# SPDX-License-Identifier: Apache-2.0
"""Integers of 32 bits to narrow ones and back: multiplier, shift and zero point, for each channel or for all.

Found on the vendor's functional models (tpu_mlir 1.30.2), from outside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldbeat.pymodels.tpu.execute.numbers import (
    FP32,
    HALF_DOWN,
    INT32,
    Array,
    Element,
    round_to_integers,
    rounded_shift,
    to_numbers,
    to_stored,
)
from goldbeat.pymodels.tpu.execute.step import TpuStep
from goldbeat.pymodels.tpu.hazards.memory import MEMORY

MULTIPLIER, SHIFT, ZERO_POINT, KERNEL_ZERO = 6, 32, 33, 5
"""Registers of the TIU with what is the same for all channels."""
_RQ_FLOAT, _RQ_WHOLE, _DQ_FLOAT, _DQ_WHOLE = 0, 1, 3, 4


def _signed(value: Array | int, bits: int) -> Array:
    """The low bits as a signed number."""
    spare = np.int64(64 - bits)
    found: Array = np.asarray(value, np.int64) << spare >> spare
    return found


def _zero(value: Array, *, signed: bool) -> Array:
    """A zero point of 16 bits; on BM1684X it has a sign if the integers that it belongs to have one."""
    return _signed(value, 16) if signed else np.asarray(value, np.int64) & np.int64(0xFFFF)


@dataclass(frozen=True)
class Requantisation:
    """``round(x * multiplier * 2**shift) + zero``, all (1, c, 1, 1) or (1, 1, 1, 1)."""

    multiplier: Array
    shift: Array
    zero: Array

    def __call__(self, values: Array, mode: int) -> Array:
        """int64 in, int64 out; a product has 63 bits."""
        product = values * self.multiplier
        # What is moved to the left out of 63 bits is held at their end.
        most = np.int64(1 << 62) >> np.clip(self.shift, 0, 62)
        product = np.where(self.shift > 0, np.clip(product, -most, most), product)
        found: Array = rounded_shift(product, -self.shift, mode) + self.zero
        return found


def _words(step: TpuStep, operand: str, words: int) -> list[Array]:
    """Numbers of 32 bits that lie side by side for each channel: (1, c, 1, 1) each."""
    found = step.load(operand, Element(INT32)).astype(np.int64)
    if found.shape[3] != words:
        raise step.stop(f"{operand} with {found.shape[3]} numbers for each channel")
    return [found[..., word : word + 1] for word in range(words)]


def requantisation(step: TpuStep) -> Requantisation:
    """That of sCONV, sPorD and sMM2: in registers, or in local memory with shift and zero point in one word."""
    if step["opd5_const"]:
        read = step.registers.get
        words = [np.full((1, 1, 1, 1), read(at, 0), np.int64) for at in (MULTIPLIER, SHIFT, ZERO_POINT)]
        return Requantisation(_signed(words[0], 32), _signed(words[1], 8), _signed(words[2], 16))
    multiplier, rest = _words(step, "opd5", 2)
    return Requantisation(_signed(multiplier, 32), _signed(rest, 8), _signed(rest >> 16, 16))


def save_requantised(step: TpuStep, sums: Array) -> None:
    """Sums of 32 bits, cut off below 0 if asked for, scaled and held within the limits of the result."""
    target = step.element("res0")
    if target.floating:
        raise step.stop(f"requantisation to {target.name}")
    if step["relu"]:
        sums = np.maximum(sums, 0)
    step.save("res0", to_stored(requantisation(step)(sums, step["opd2_n_str"]), target), target)


def quantising(step: TpuStep) -> None:
    """Execute one sRQ&sDQ command."""
    source = step.element("opd0")
    target = step.element("res0", signed=bool(step["opd2_sign" if step.has("opd2_sign") else "res0_sign"]))
    values, mode = step.numbers("opd0", source), step["opd2_n_str"]
    old = step.memories.chip is MEMORY["BM1684X"]
    if max(mode & 7, mode >> 3) > HALF_DOWN or (mode > HALF_DOWN and step.func != _RQ_FLOAT):
        raise step.stop(f"rounding mode {mode}")
    if source.floating or target.floating != (step.func == _DQ_FLOAT):
        raise step.stop(f"from {source.name} to {target.name}")
    if old and (
        step.func == _DQ_WHOLE
        or target.code == INT32
        or (step.func != _DQ_FLOAT and source.name in ("int8", "uint8", "uint32"))
    ):
        raise step.stop(f"from {source.name} to {target.name}, which BM1684X does in a way of its own")
    if step.func == _RQ_WHOLE:
        found = _whole(step, signed=target.signed)(values, mode)
    elif step.func == _DQ_WHOLE:
        scale = _whole(step, signed=True)
        found = rounded_shift((values - scale.zero) * scale.multiplier, -scale.shift, mode)
    elif step.func == _DQ_FLOAT and target.code == FP32:
        zero, factor = _zero_and_factor(step, signed=source.signed or not old)
        found = (values - zero).astype(np.float32) * factor
    elif step.func == _RQ_FLOAT:
        factor, offset = _factor_and_offset(step)
        # The low bits are the mode of integers to fp32, the next ones that of fp32 to integers.
        wide = to_numbers(to_stored(values, Element(FP32), mode & 7), Element(FP32))
        found = round_to_integers(wide * factor + offset, mode >> 3)
    else:
        raise step.stop(f"from {source.name} to {target.name}")
    step.save("res0", to_stored(found, target), target)


def _whole(step: TpuStep, *, signed: bool) -> Requantisation:
    old = step.memories.chip is MEMORY["BM1684X"]
    if step["opd1_const"]:
        multiplier, rest = (np.full((1, 1, 1, 1), step[f"opd{n}_addr"], np.int64) for n in (1, 2))
        shift, zero = rest, rest >> 16
    elif old:
        multiplier, shift, zero = _words(step, "opd1", 3)
    else:
        multiplier, shift = _words(step, "opd1", 2)
        zero = shift >> 16
    return Requantisation(_signed(multiplier, 32), _signed(shift, 8), _zero(zero, signed=signed or not old))


def _pair(step: TpuStep) -> list[Array]:
    """Two words of 32 bits: (1, c, 1, 1) or (1, 1, 1, 1)."""
    if step["opd1_const"]:
        found = [np.full((1, 1, 1, 1), step[f"opd{n}_addr"], np.int64) for n in (1, 2)]
    else:
        found = _words(step, "opd1", 2)
    return [one & 0xFFFFFFFF for one in found]


def _as_float(word: Array) -> Array:
    return word.astype(np.uint32).view(np.float32)


def _factor_and_offset(step: TpuStep) -> tuple[Array, Array]:
    factor, offset = _pair(step)
    return _as_float(factor), _as_float(offset)


def _zero_and_factor(step: TpuStep, *, signed: bool) -> tuple[Array, Array]:
    """In local memory the zero point comes first, in commands of the newer chips the factor."""
    zero, factor = _pair(step)
    if step["opd1_const"] and step.memories.chip is not MEMORY["BM1684X"]:
        zero, factor = factor, zero
    return _zero(zero, signed=signed), _as_float(factor)
