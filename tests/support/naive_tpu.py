# SPDX-License-Identifier: Apache-2.0
"""What TPU commands compute, the plain way: fields to addresses and numbers, one element after the other."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from goldbeat.pymodels.tpu.hazards.memory import ChipMemory

Shape = tuple[int, int, int, int]
SIZE = {0: 1, 1: 2, 2: 4, 3: 2, 4: 4, 5: 2}
FLOATS = (1, 2, 5)
ALIGNED, COMPACT, STRIDED = 0, 1, 3


def cells(shape: Shape) -> Iterator[Shape]:
    """All indices of a tensor."""
    yield from product(*map(range, shape))


def bits_to_number(bits: int, prec: int, signed: bool) -> float | int:
    """An element of a type."""
    if prec in FLOATS:
        if prec == 5:
            return float(struct.unpack("<f", struct.pack("<I", bits << 16))[0])
        return float(struct.unpack("<e" if prec == 1 else "<f", struct.pack("<H" if prec == 1 else "<I", bits))[0])
    width = 8 * SIZE[prec]
    return bits - (1 << width) if signed and bits >> (width - 1) else bits


def number_to_bits(value: float | int, prec: int) -> int:
    """Rounded to nearest even, or cut down to the width of an integer."""
    if prec not in FLOATS:
        return int(value) & (1 << 8 * SIZE[prec]) - 1
    wide = np.float32(value)
    if prec == 2:
        return int(wide.view(np.uint32))
    if prec == 1:
        with np.errstate(over="ignore"):
            return int(np.float16(wide).view(np.uint16))
    bits = int(wide.view(np.uint32))
    low = bits & 0xFFFF
    return ((bits >> 16) + (low > 0x8000 or (low == 0x8000 and bits >> 16 & 1))) & 0xFFFF


def rounded(value: Fraction, mode: int) -> int:
    """To an integer: ties to even, ties away, to zero, floor, ceiling, ties up, ties down."""
    low = math.floor(value)
    rest = value - low
    if mode in (2, 3, 4):
        return {2: math.trunc(value), 3: low, 4: math.ceil(value)}[mode]
    tie = {0: low % 2 == 1, 1: value > 0, 5: True, 6: False}[mode]
    return low + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and tie))


def held(value: int, prec: int, signed: bool) -> int:
    """Within the limits of a type."""
    width = 8 * SIZE[prec]
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    return max(low, min(high, value))


class NaiveTpu:
    """A command on copies of memories.

    Args:
        memory: of the chip.
        local: (bytes,) the lanes, one behind the other.
        far: start of the global memory in use, and its bytes.
        fields: of the command, without prefixes of their names.
        func: sub-operation.
    """

    def __init__(
        self, memory: ChipMemory, local: np.ndarray, far: tuple[int, np.ndarray], fields: dict[str, int], func: int
    ) -> None:
        self.memory, self.local, self.start, self.far = memory, local, *far
        self.f: Callable[[str], int] = lambda name: int(fields.get(name, 0))
        self.func = func

    # -- elements -----------------------------------------------------------------------------------------------

    def load(self, place: tuple[np.ndarray, int], size: int) -> int:
        data, at = place
        return int.from_bytes(data[at : at + size].tobytes(), "little")

    def put(self, place: tuple[np.ndarray, int], size: int, bits: int) -> None:
        data, at = place
        data[at : at + size] = np.frombuffer(bits.to_bytes(size, "little"), np.uint8)

    def lane(self, address: int, index: Shape, strides: Shape, size: int) -> tuple[np.ndarray, int]:
        """An element of a tensor over lanes; strides in elements, that of c is the one of rows."""
        lane, offset = divmod(address, self.memory.lane_bytes)
        n, c, h, w = index
        row, at = divmod(lane + c, self.memory.lanes)
        elements = n * strides[0] + row * strides[1] + h * strides[2] + w * strides[3]
        return self.local, at * self.memory.lane_bytes + offset + elements * size

    def own_strides(self, address: int, shape: Shape, size: int, layout: int = ALIGNED) -> Shape:
        """Of the aligned and of the compact layout, in elements."""
        _, c, h, w = shape
        unit = self.memory.unit // size
        row = h * w if layout == COMPACT else -(-h * w // unit) * unit
        rows = -(-(address // self.memory.lane_bytes + c) // self.memory.lanes)
        return rows * row, row, w, 1

    def tensor(self, name: str, shape: Shape, layout: int = ALIGNED) -> Callable[[Shape], tuple[np.ndarray, int]]:
        """Where the elements of an operand are."""
        address, size = self.f(f"{name}_addr"), SIZE[self.prec(name)]
        if layout == STRIDED:
            strides = tuple(self.f(f"{name}_{axis}_str") for axis in "nchw")
        else:
            strides = self.own_strides(address, shape, size, layout)
        return lambda index: self.lane(address, index, strides, size)

    def prec(self, name: str) -> int:
        if name == "opd1" and not self.f("own_types"):
            return self.f("opd0_prec")
        if name == "opd2" and self.f("bias_prec"):
            return self.f("bias_prec")
        return self.f(f"{name}_prec")

    def number(self, name: str, shape: Shape, layout: int = ALIGNED) -> Callable[[Shape], float | int]:
        """The numbers of an operand, or its constant."""
        prec, signed = self.prec(name), bool(self.f(f"{name}_sign"))
        if self.f(f"{name}_const"):
            bits = self.f(f"{name}_addr") & (1 << 8 * SIZE[prec]) - 1
            return lambda _: bits_to_number(bits, prec, signed)
        where = self.tensor(name, shape, layout)
        return lambda index: bits_to_number(self.load(where(index), SIZE[prec]), prec, signed)

    def store(self, name: str, shape: Shape, found: dict[Shape, int], layout: int = ALIGNED) -> None:
        """Write bits."""
        where, size = self.tensor(name, shape, layout), SIZE[self.prec(name)]
        for index, bits in found.items():
            self.put(where(index), size, bits)

    @property
    def shape(self) -> Shape:
        return self.f("res0_n"), self.f("res0_c"), self.f("res0_h"), self.f("res0_w")
