# SPDX-License-Identifier: Apache-2.0
"""From the fields of commands of one form to their operands, all commands of the form at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.hazards.access import Accesses, join_accesses
from goldbeat.pymodels.tpu.hazards.memory import GLOBAL, LOCAL, NOWHERE, STATIC, ChipMemory
from goldbeat.pymodels.tpu.streams.decode import Commands
from goldbeat.pymodels.tpu.streams.tables import CommandForm

Column = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Value = Column | int

OPERANDS = ("res0", "res1", "opd0", "opd1", "opd2", "opd3", "opd4", "opd5", "src", "dst", "index")
"""Names of operands, as the tables call them."""
BYTES = np.array([1, 2, 4, 2, 4, 2, 0, 1], np.int64)
"""Bytes of an element by its precision: int8, fp16, fp32, int16, int32, bf16, int4 (two in a byte: not modelled), fp8."""
ALIGNED, COMPACT, OFFSET, STRIDED, LINES, TABLE = range(6)
"""Layouts of local memory; the first four are the values in commands."""


@dataclass(frozen=True)
class Tensor:
    """Shape, layout and, where the layout is STRIDED, strides in elements; numbers or (n,) columns."""

    shape: tuple[Value, Value, Value, Value]
    layout: Value = ALIGNED
    strides: tuple[Value, Value, Value, Value] = (0, 0, 0, 0)


@dataclass(frozen=True)
class Omission:
    """Operands of an operation whose bytes are not known: how often, and why."""

    engine: str
    op: str
    operand: str
    reason: str


class Builder:
    """Operands of the commands of one form.

    Args:
        memory: of the chip.
        commands: of one engine.
        kind: the form.
        lane_of: index of the engine, for the table.
        core: whose local memory it is.
        register: (commands,) what register 6 holds when each command starts.

    Attributes:
        left: operand, reason and rows of what is not known.
        empty: TIU operands with a size of 0, and their rows.
        constants: TIU operands whose value is in the command: name, rows and precision.
    """

    def __init__(
        self,
        memory: ChipMemory,
        commands: Commands,
        kind: CommandForm,
        lane_of: int = 0,
        core: int = 0,
        register: Column | None = None,
    ) -> None:
        self.memory, self.kind, self.lane_of, self.core = memory, kind, lane_of, core
        self.engine = commands.engine.name
        self.rows = commands.rows(kind)
        self.register = np.zeros(len(self.rows), np.int64) if register is None else register[self.rows]
        self.func = commands.func[self.rows].astype(np.int64)
        if kind.func_bits is not None:
            self.func &= (1 << kind.func_bits) - 1
        wanted = [
            f.name for f in kind.fields if f.width <= 64 and not f.name.lower().startswith(("rsvd", "reser", "unn"))
        ]
        self._columns = {k: v.astype(np.int64) for k, v in commands.fields(kind, self.rows, wanted).items()}
        self.parts: list[Accesses] = []
        self.omitted: dict[Omission, int] = {}
        self.left: list[tuple[str, str, Column]] = []
        self.empty: list[tuple[str, Column]] = []
        self.constants: list[tuple[str, Column, Column]] = []

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> Column:
        """A field; chips put ``opt_`` or ``short_`` before some names, or keep the upper two bits apart. 0 if there is none."""
        for prefix in ("", "opt_", "short_", "short_short_"):
            found = self._columns.get(prefix + name)
            if found is not None:
                return found
        low, high = self._columns.get(f"{name}_15_0"), self._columns.get(f"{name}_17_16")
        if low is not None and high is not None:
            return low | high << 16
        return np.zeros(len(self), np.int64)

    def has(self, name: str) -> bool:
        """Whether the form has a field."""
        return any(p + name in self._columns for p in ("", "opt_", "short_", "short_short_")) or (
            f"{name}_15_0" in self._columns
        )

    def shape(self, operand: str, axes: str = "nchw") -> tuple[Column, Column, Column, Column]:
        """``res0_n``, ``res0_c``, ... as a shape."""
        n, c, h, w = (self[f"{operand}_{axis}"] for axis in axes)
        return n, c, h, w

    def strides(self, operand: str) -> tuple[Column, Column, Column, Column]:
        """``opd0_n_str``, ... in elements."""
        n, c, h, w = (self[f"{operand}_{axis}_str"] for axis in "nchw")
        return n, c, h, w

    def column(self, value: Value) -> Column:
        """A number as a column."""
        return np.broadcast_to(np.asarray(value, np.int64), (len(self),))

    # -- what operands cover ------------------------------------------------------------------------------------

    def tiu(self, operand: str, tensor: Tensor, precision: Value, where: Flags | None = None, plus: Value = 0) -> None:
        """An operand in local memory, at ``<operand>_addr``; with ``<operand>_const``, the constant there instead."""
        use = np.ones(len(self), np.bool_) if where is None else where
        constant = use & (self[f"{operand}_const"] != 0)
        if constant.any():
            self.constants.append((operand, self.rows[constant], self.column(precision)[constant]))
        memory, address = self.memory.tiu(self[f"{operand}_addr"] + plus)
        self.place(operand, memory, address, tensor, self.size(precision), use & ~constant)

    def size(self, precision: Value) -> Column:
        """(n,) bytes of an element; 0 where that is not known."""
        value = self.column(precision)
        return np.where(value < len(BYTES), BYTES[np.clip(value, 0, len(BYTES) - 1)], 0)

    def place(
        self,
        operand: str,
        memory: Column,
        address: Column,
        tensor: Tensor,
        size: Column,
        where: Flags | None = None,
        write: bool | None = None,
    ) -> None:
        """An operand anywhere; what cannot be told of it is counted, and its first byte taken."""
        use = np.ones(len(self), np.bool_) if where is None else where
        shape = [np.maximum(self.column(axis), 1) for axis in tensor.shape]
        # An operand without elements covers nothing. DMA engines move nothing then; the TIU has no such tensors.
        filled = np.logical_and.reduce([self.column(axis) > 0 for axis in tensor.shape])
        if self.engine == "tiu" and (use & ~filled).any():
            self.empty.append((operand, self.rows[use & ~filled]))
        use = use & filled
        lost = use & (memory == NOWHERE)
        for reason, unknown in (("an address in no memory", lost), ("element type", use & ~lost & (size == 0))):
            if unknown.any():
                self.omit(operand, reason, unknown, memory=memory, address=address, write=write)
                use = use & ~unknown
        if not use.any():
            return
        local = memory == LOCAL
        lane = np.where(local, address // self.memory.lane_bytes, 0)
        offset = np.where(local, address % self.memory.lane_bytes, address)
        n_stride, row_stride, h_stride, w_stride = self._strides(tensor, shape, lane, size, local)
        self._add(
            operand,
            use,
            memory=memory,
            lane=lane,
            offset=offset,
            shape=shape,
            strides=(n_stride, row_stride, h_stride, w_stride),
            size=size,
            write=write,
        )

    def _strides(
        self, tensor: Tensor, shape: Sequence[Column], lane: Column, size: Column, local: Flags
    ) -> tuple[Column, Column, Column, Column]:
        """(n,) strides in bytes that a layout means."""
        unit, lanes = self.memory.unit, self.memory.lanes
        _, c, h, w = shape
        layout = self.column(tensor.layout)
        given = [self.column(one) * size for one in tensor.strides]
        line = np.where(layout == LINES, -(-w * size // unit) * unit, w * size)
        row = h * line
        row = np.where(layout == ALIGNED, -(-row // unit) * unit, row)
        n = (lane + c + lanes - 1) // lanes * row
        own = [n, row, line, size]
        offsets = [0 * size, size, 0 * size, 0 * size]
        table = [0 * size, 0 * size, -(-w * size // unit) * unit, size]
        picked = [
            np.where(layout == STRIDED, g, np.where(layout == OFFSET, o, np.where(layout == TABLE, t, p)))
            for g, o, t, p in zip(given, offsets, table, own, strict=True)
        ]
        return picked[0], picked[1], picked[2], picked[3]

    def _add(
        self,
        operand: str,
        use: Flags,
        *,
        memory: Column,
        lane: Column,
        offset: Column,
        shape: Sequence[Column],
        strides: Sequence[Column],
        size: Column,
        part: int = 0,
        write: bool | None = None,
    ) -> None:
        which = np.flatnonzero(use)
        many = len(which)
        written = operand in ("res0", "res1", "dst") if write is None else write
        space = np.where(memory == GLOBAL, 0, 2 * self.core + np.where(memory == STATIC, 2, 1))
        space = np.where(memory == NOWHERE, -1, space)
        columns: list[Column] = [
            space,
            np.where(memory == LOCAL, self.memory.lanes, 1),
            lane,
            offset,
            *shape,
            *strides,
            size,
        ]
        fixed = [
            np.full(many, self.lane_of),
            self.rows[which],
            np.full(many, OPERANDS.index(operand)),
            np.full(many, int(written)),
        ]
        picked = [np.asarray(one, np.int64)[which] for one in columns]
        whole = [*fixed, *picked, np.full(many, part)]
        self.parts.append(Accesses(*whole))

    # -- what is not known --------------------------------------------------------------------------------------

    def omit(
        self,
        operand: str,
        reason: str,
        where: Flags | None = None,
        *,
        memory: Column | None = None,
        address: Column | None = None,
        write: bool | None = None,
    ) -> None:
        """Count operands whose bytes are not documented; where the address is known, their first byte takes part."""
        use = np.ones(len(self), np.bool_) if where is None else where
        for func in np.unique(self.func[use]):
            key = Omission(self.engine, self.kind.op(int(func)), operand, reason)
            self.omitted[key] = self.omitted.get(key, 0) + int((use & (self.func == func)).sum())
        self.left.append((operand, reason, self.rows[use]))
        if memory is None and self.has(f"{operand}_addr"):
            memory, address = self.memory.tiu(self[f"{operand}_addr"])
            use = use & (memory == LOCAL)
        if memory is None or address is None:
            return
        one = np.ones(len(self), np.int64)
        local = memory == LOCAL
        lane = np.where(local, address // self.memory.lane_bytes, 0)
        offset = np.where(local, address % self.memory.lane_bytes, address)
        self._add(
            operand,
            use,
            memory=memory,
            lane=lane,
            offset=offset,
            shape=[one] * 4,
            strides=[0 * one] * 4,
            size=one,
            part=1,
            write=write,
        )

    def table(self) -> Accesses:
        """All operands."""
        return join_accesses(self.parts)
