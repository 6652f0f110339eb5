# SPDX-License-Identifier: Apache-2.0
"""SDP's element-wise stage (EW, Y): multiplier, adder and lookup table, with converters of the operands.

Source: public C model of nvdla/hw, branch nvdlav1 (``cmod/hls/sdp/sdp_y*``, ``cmod/hls_wrapper/sdp_hls_wrapper.cpp``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldbeat.pymodels.nvdla.engines.arithmetic import Ints, shift_right
from goldbeat.pymodels.nvdla.engines.lookup import Lookup, Widths
from goldbeat.pymodels.rounding import saturate

WIDTHS = Widths(result=32, fraction=35, slope=32, sum_rounded=True)
ALGORITHMS = ("max", "min", "sum")
"""By code; the fourth one compares and writes nothing."""
_DATA_BITS, _LONGEST_PRODUCT = 32, 64


@dataclass(frozen=True)
class OperandConverter:
    """``(x - offset) * scale``, shifted right, saturated to 32 bits."""

    offset: int = 0
    scale: int = 1
    shift: int = 0

    def __call__(self, operand: Ints) -> Ints:
        """8- or 16-bit numbers in, 32-bit numbers out, any shape."""
        return shift_right((operand - self.offset) * self.scale, self.shift, 49, _DATA_BITS)


@dataclass(frozen=True, eq=False)
class ElementWise:
    """The stage, its operands as they come out of registers or converters.

    Attributes:
        multiply: whether the multiplier works.
        mul_operand: 32-bit numbers that spread over the data.
        shift: of the product, 0..1023.
        prelu: numbers that are not negative pass multiplier and shift unchanged.
        alu: ``max``, ``min``, ``sum``, or None where the adder is bypassed.
        alu_operand: 32-bit numbers that spread over the data.
        lookup: the tables, or None where they are bypassed.
    """

    multiply: bool = False
    mul_operand: Ints | int = 1
    shift: int = 0
    prelu: bool = False
    alu: str | None = None
    alu_operand: Ints | int = 0
    lookup: Lookup | None = None

    def __call__(self, data: Ints) -> Ints:
        """32-bit numbers in, 32-bit numbers out, any shape."""
        out = np.asarray(data, np.int64)
        if self.multiply:
            product = _shifted_product(out, np.asarray(self.mul_operand, np.int64), self.shift)
            out = np.where(out >= 0, out, product) if self.prelu else product
        if self.alu is not None:
            operand = np.asarray(self.alu_operand, np.int64)
            out = saturate({"max": np.maximum, "min": np.minimum, "sum": np.add}[self.alu](out, operand), _DATA_BITS)
        return out if self.lookup is None else self.lookup(out)


def _shifted_product(data: Ints, operand: Ints, shift: int) -> Ints:
    """A product of two 32-bit numbers, shifted right, halves away from zero, saturated to 32 bits.

    -2**31 times itself with half a unit added needs 64 bits without a sign.
    """
    if shift >= _LONGEST_PRODUCT:
        return np.zeros(np.broadcast_shapes(data.shape, operand.shape), np.int64)
    product = data * operand
    size = np.abs(product).astype(np.uint64)
    if shift:
        size = (size + (np.uint64(1) << np.uint64(shift - 1))) >> np.uint64(shift)
    negative = (data < 0) != (operand < 0)
    most = np.uint64(1 << (_DATA_BITS - 1))
    size = np.minimum(size, np.where(negative, most, most - np.uint64(1))).astype(np.int64)
    found: Ints = np.where(negative, -size, size)
    return found
