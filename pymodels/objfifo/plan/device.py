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


class NpuDevice(Device):
    """A device that is a class of its own in mlir-aie."""

    size = (0, 0, 0)
    """Generation, columns, columns of the whole NPU."""

    def __init__(self) -> None:
        generation, columns, whole = self.size
        name = f"npu{generation}" + ("" if columns == whole else f"_{columns}col")
        super().__init__(name, columns, pad_values=generation == 2)


def _npu(generation: int, columns: int, whole: int) -> Device:
    """The device, of a class whose name is that of mlir-aie."""
    name = f"NPU{generation}" + ("" if columns == whole else f"Col{columns}")
    found: Device = type(name, (NpuDevice,), {"size": (generation, columns, whole)})()
    return found


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


DEVICE_CLASSES = {type(one.value).__name__: type(one.value) for one in AIEDevice if isinstance(one.value, NpuDevice)}
"""``NPU1``, ``NPU2Col3`` and the others by their names."""
NPU1, NPU1Col1, NPU1Col2, NPU1Col3 = (DEVICE_CLASSES[f"NPU1{n}"] for n in ("", "Col1", "Col2", "Col3"))
NPU2, NPU2Col1 = (DEVICE_CLASSES[f"NPU2{n}"] for n in ("", "Col1"))

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
