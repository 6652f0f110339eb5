# SPDX-License-Identifier: Apache-2.0
"""One command to execute: its fields, and its operands as arrays."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from goldbeat.pymodels.tpu.execute.honoured import not_honoured
from goldbeat.pymodels.tpu.execute.memories import Array, Extent, NotModelledError, TpuMemories, extents
from goldbeat.pymodels.tpu.execute.numbers import BF16, FP16, Element, to_numbers
from goldbeat.pymodels.tpu.execute.sums import flushed
from goldbeat.pymodels.tpu.hazards.builder import OPERANDS, Builder
from goldbeat.pymodels.tpu.hazards.memory import MEMORY

_MISSING = {MEMORY["BM1684X2"]: (BF16,)}
"""Types that the functional model of a chip does not have."""


class FormBatch:
    """All commands of one form of a stream.

    Args:
        builder: with the operands of the form in it.
        core: whose commands they are.
        stream: its name, for messages.
    """

    def __init__(self, builder: Builder, core: int, stream: str) -> None:
        self.builder, self.core, self.stream = builder, core, stream
        self.form = builder.kind.name
        self.extents = extents(builder.table())
        self.func = builder.func.tolist()
        self.place = {row: index for index, row in enumerate(builder.rows.tolist())}
        self.left: dict[int, list[str]] = {}
        for operand, reason, rows in builder.left:
            for row in rows.tolist():
                self.left.setdefault(row, []).append(f"{operand}: {reason}")
        for operand, rows in builder.empty:
            for row in rows.tolist():
                self.left.setdefault(row, []).append(f"{operand} has no elements")
        for field, rows in not_honoured(builder):
            for row in rows.tolist():
                self.left.setdefault(row, []).append(f"field {field}")
        self._fields: dict[str, list[int]] = {}

    def field(self, name: str) -> list[int]:
        """The values of a field, 0 where the form has none; made into a list once."""
        found = self._fields.get(name)
        if found is None:
            found = self._fields[name] = self.builder[name].tolist()
        return found


class TpuStep:
    """One command.

    Args:
        batch: that it belongs to.
        row: its place in the stream.
        id: its number, for messages.
        op: the operation's name.
        memories: that it works on.
        registers: of its core's TIU, by number.
    """

    def __init__(
        self, batch: FormBatch, row: int, number: int, op: str, memories: TpuMemories, registers: dict[int, int]
    ) -> None:
        self.batch, self.row, self.number, self.op = batch, row, number, op
        self.memories, self.registers = memories, registers
        self._index = batch.place[row]

    def __getitem__(self, name: str) -> int:
        return self.batch.field(name)[self._index]

    def has(self, name: str) -> bool:
        """Whether the form has a field."""
        return self.batch.builder.has(name)

    @property
    def func(self) -> int:
        """Sub-operation."""
        return int(self.batch.func[self._index])

    def stop(self, reason: str) -> NotModelledError:
        """The error that names this command."""
        return NotModelledError(f"{self.name} is not modelled: {reason}")

    @property
    def name(self) -> str:
        """The command with its stream, for messages."""
        engine = self.batch.builder.engine
        return f"{self.batch.stream}: {engine} command {self.number} ({self.op}, {self.batch.form})"

    # -- operands -----------------------------------------------------------------------------------------------

    @cached_property
    def operands(self) -> dict[str, list[Extent]]:
        """By name; a matrix may have two parts.

        Raises:
            NotModelledError: what an operand covers is not known.
        """
        left = self.batch.left.get(self.row)
        if left:
            raise self.stop("; ".join(left))
        found: dict[str, list[Extent]] = {}
        for one in self.batch.extents.get(self.row, ()):
            if one.lanes > 1 and one.end > self.memories.chip.lane_bytes:
                raise self.stop(f"{OPERANDS[one.operand]} reaches over the end of a lane")
            found.setdefault(OPERANDS[one.operand], []).append(one)
        return found

    def named(self, code: int, signed: bool) -> Element:
        """The type of a code, of which one chip has a single one for both types of 16 bits: the sign tells them apart."""
        return Element(BF16) if self.flushes and code == FP16 and signed else Element(code, signed)

    def element(self, operand: str, signed: bool | None = None) -> Element:
        """The type of an operand: ``<operand>_prec`` and, unless given, ``<operand>_sign``.

        Raises:
            NotModelledError: it is int4 or fp8, or the chip has no such type.
        """
        sign = bool(self[f"{operand}_sign"])
        code = self[f"{operand}_prec"]
        if code in _MISSING.get(self.memories.chip, ()):
            raise self.stop(f"{operand} of type {Element(code).name}")
        found = self.named(code, sign)
        if found.code == code:
            found = Element(code, sign if signed is None else signed)
        if not found.known:
            raise self.stop(f"{operand} of type {found.name}")
        return found

    def element_like(self, operand: str, other: Element) -> Element:
        """The type of an operand that has the precision of another one, which its own field, if any, must confirm.

        Raises:
            NotModelledError: the types differ.
        """
        sign = bool(self[f"{operand}_sign"])
        own = self.has(f"{operand}_prec")
        found = self.named(self[f"{operand}_prec"], sign) if own else Element(other.code, sign)
        if found.code != other.code:
            raise self.stop(f"{operand} of type {found.name} with {other.name}")
        return found

    def whole(self, operand: str) -> Extent:
        """An operand that is in one part.

        Raises:
            NotModelledError: it has no elements, or several parts.
        """
        found = self.operands.get(operand, [])
        if len(found) != 1:
            raise self.stop(f"{operand} has {len(found)} parts" if found else f"{operand} has no elements")
        return found[0]

    def load(self, operand: str, element: Element) -> Array:
        """(n, c, h, w) an operand as it is stored; a constant is (1, 1, 1, 1)."""
        if self[f"{operand}_const"]:
            return self.constant(self[f"{operand}_addr"], element)
        return self.memories.read(self.whole(operand), element.stored)

    @property
    def flushes(self) -> bool:
        """Whether the chip takes 16-bit floats below the least normal one for zeros, when it calculates."""
        return self.memories.chip is MEMORY["BM1684X2"]

    @property
    def zero(self) -> float:
        """What sums in two chains begin with."""
        return 0.0 if self.memories.chip is MEMORY["BM1684X"] else -0.0

    def numbers(self, operand: str, element: Element, *, plain: bool = False) -> Array:
        """The same as numbers: float32 or int64; ``plain``: of an operation that does not calculate, but chooses."""
        found = to_numbers(self.load(operand, element), element)
        return found if plain else self.settled(operand, found, element)

    def settled(self, operand: str, values: Array, element: Element) -> Array:
        """Numbers of a type as the chip calculates with them, or leaves them.

        Raises:
            NotModelledError: there are bf16 numbers below the least normal one, of which nothing is known.
        """
        if not self.flushes or element.code not in (FP16, BF16):
            return values
        found = flushed(values, element)
        if element.code == BF16 and (found != values).any():
            raise self.stop(f"{operand} has bf16 numbers below the least normal one")
        return found

    @staticmethod
    def constant(bits: int, element: Element) -> Array:
        """(1, 1, 1, 1) what the low bytes of a word mean."""
        raw = np.array([bits & 0xFFFFFFFF], np.uint32).view(np.uint8)[: element.stored.itemsize]
        return raw.view(element.stored).reshape(1, 1, 1, 1)

    def save(self, operand: str, stored: Array, element: Element) -> None:
        """Write (n, c, h, w), or what broadcasts to it."""
        for one in self.operands.get(operand, ()):
            self.memories.write(one, stored, element.stored)
