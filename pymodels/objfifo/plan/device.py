# SPDX-License-Identifier: Apache-2.0
"""Devices: how many columns and rows, and what stands in each row.

Source: mlir-aie's target models: row 0 is the shim's, memory tiles are above it, cores above those.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind


@dataclass(frozen=True)
class Device:
    """One device, or the part of it that a design is given.

    Attributes:
        name: as MLIR text names it.
        columns, mem_rows, core_rows: how large it is.
        pad_values: a channel of a memory tile has a register for what its padding holds (AIE2P); else that is 0.
    """

    name: str
    columns: int
    mem_rows: int = 1
    core_rows: int = 4
    pad_values: bool = False

    @property
    def cols(self) -> int:
        """Number of columns."""
        return self.columns

    @property
    def rows(self) -> int:
        """Number of rows."""
        return 1 + self.mem_rows + self.core_rows

    def resolve(self) -> AIEDevice:
        """The member of :class:`AIEDevice`; a :class:`UsageError` for a device without a name of its own."""
        for one in AIEDevice:
            if one.value == self:
                return one
        raise UsageError(f"{self.name} is no device by name; known: {', '.join(d.name for d in AIEDevice)}")

    def tile(self, col: int, row: int) -> Tile:
        """The tile at a place, whether the device reaches so far or not."""
        kind = TileKind.SHIM if row == 0 else TileKind.MEM if row <= self.mem_rows else TileKind.CORE
        return Tile(int(col), int(row), kind)

    def require(self, tile: Tile) -> None:
        """Raise ``tile-exists`` for a tile outside."""
        if tile.col >= self.columns or tile.row >= self.rows:
            raise RuleError(
                "tile-exists", f"{tile} is not in {self.name}, which has {self.columns} columns and {self.rows} rows"
            )


def _npu(generation: int, columns: int, whole: int) -> Device:
    return Device(
        f"npu{generation}" + ("" if columns == whole else f"_{columns}col"), columns, pad_values=generation == 2
    )


class AIEDevice(Enum):
    """Devices by the names of the placed level."""

    npu1 = _npu(1, 4, 4)
    npu1_1col = _npu(1, 1, 4)
    npu1_2col = _npu(1, 2, 4)
    npu1_3col = _npu(1, 3, 4)
    npu1_4col = npu1
    npu2 = _npu(2, 8, 8)
    npu2_1col = _npu(2, 1, 8)
    npu2_2col = _npu(2, 2, 8)
    npu2_3col = _npu(2, 3, 8)
    npu2_4col = _npu(2, 4, 8)
    npu2_5col = _npu(2, 5, 8)
    npu2_6col = _npu(2, 6, 8)
    npu2_7col = _npu(2, 7, 8)
    xcve2802 = Device("xcve2802", 38, 2, 8)


ANY = Device("npu", 64, pad_values=True)
"""For designs that name no device: the rows of an NPU, columns without end, and what any NPU has."""


def device_of(value: Any) -> Device:
    """A device from an enumeration member, a :class:`Device`, or None for :data:`ANY`."""
    if value is None:
        return ANY
    found = value.value if isinstance(value, AIEDevice) else value
    if not isinstance(found, Device):
        raise UsageError(f"{value!r} is no device; known: {', '.join(d.name for d in AIEDevice)}")
    return found


def NPU1() -> Device:  # noqa: N802 - upstream's name
    """The first NPU, four columns."""
    return AIEDevice.npu1.value


def NPU1Col1() -> Device:  # noqa: N802 - upstream's name
    """One column of the first NPU."""
    return AIEDevice.npu1_1col.value


def NPU1Col2() -> Device:  # noqa: N802 - upstream's name
    """Two columns of the first NPU."""
    return AIEDevice.npu1_2col.value


def NPU1Col3() -> Device:  # noqa: N802 - upstream's name
    """Three columns of the first NPU."""
    return AIEDevice.npu1_3col.value


def NPU2() -> Device:  # noqa: N802 - upstream's name
    """The second NPU, eight columns."""
    return AIEDevice.npu2.value


def NPU2Col1() -> Device:  # noqa: N802 - upstream's name
    """One column of the second NPU."""
    return AIEDevice.npu2_1col.value
