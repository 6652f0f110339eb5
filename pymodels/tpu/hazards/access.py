# SPDX-License-Identifier: Apache-2.0
"""Sets of bytes that operands cover: tensors dealt over lanes, with strides, as columns of numbers.

An operand of a command is a tensor of ``n * c * h * w`` elements. Channel ``c`` lies in lane ``(lane + c) % lanes``, in row
``(lane + c) // lanes`` of it; its element ``(n, h, w)`` begins at byte ``offset + row * row_stride + n * n_stride + h * h_stride +
w * w_stride`` of the lane and covers ``size`` bytes. Memories without lanes have one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.order.byte_walk import ByteWalk, packed_walk

Column = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Accesses:
    """(n,) operands as columns; strides in bytes.

    Attributes:
        lane_of: which engine's, an index.
        row: the command, an index into the engine's.
        operand: an index into the names that go with the table.
        write: whether it is written.
        memory: which memory, an index; local memories of two cores are two memories.
        lanes: how many lanes the memory has.
        lane, offset: where the tensor begins.
        n, c, h, w: its shape, all at least 1.
        n_stride, row_stride, h_stride, w_stride, size: in bytes.
        part: whether this is only a known part of what the operand covers.
    """

    lane_of: Column
    row: Column
    operand: Column
    write: Column
    memory: Column
    lanes: Column
    lane: Column
    offset: Column
    n: Column
    c: Column
    h: Column
    w: Column
    n_stride: Column
    row_stride: Column
    h_stride: Column
    w_stride: Column
    size: Column
    part: Column

    def __len__(self) -> int:
        return len(self.row)

    def take(self, rows: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> Accesses:
        """Some of them."""
        return Accesses(*(getattr(self, one.name)[rows] for one in fields(self)))

    @property
    def rows(self) -> Column:
        """(n,) rows of a lane that the tensor reaches."""
        found: Column = (self.lane + self.c - 1) // self.lanes + 1
        return found

    @property
    def first_lane(self) -> Column:
        """(n,) the lowest lane."""
        return np.where(self.lane + self.c > self.lanes, 0, self.lane)

    @property
    def last_lane(self) -> Column:
        """(n,) the highest lane."""
        found: Column = np.minimum(self.lane + self.c, self.lanes) - 1
        return found

    @property
    def end(self) -> Column:
        """(n,) the byte behind the last one, of all lanes."""
        far: Column = self.offset + (self.rows - 1) * self.row_stride + (self.n - 1) * self.n_stride + self.size
        far += (self.h - 1) * self.h_stride + (self.w - 1) * self.w_stride
        return far


def empty_accesses() -> Accesses:
    """None at all."""
    return Accesses(*(np.zeros(0, np.int64) for _ in fields(Accesses)))


def join_accesses(parts: Iterable[Accesses]) -> Accesses:
    """All of them, one after the other."""
    some = [empty_accesses(), *parts]
    return Accesses(*(np.concatenate([getattr(one, each.name) for one in some]) for each in fields(Accesses)))


def boxes(table: Accesses, index: int, lane_bytes: int) -> list[ByteWalk]:
    """The bytes of one operand in an address space in which lane ``l`` begins at ``l * lane_bytes``.

    A tensor that is dealt over lanes gives up to three boxes: the lanes of the first row, the rows that are full, the last row.
    """
    lanes, lane, channels = int(table.lanes[index]), int(table.lane[index]), int(table.c[index])
    step = int(table.row_stride[index])
    inner = [
        (int(table.n[index]), int(table.n_stride[index])),
        (int(table.h[index]), int(table.h_stride[index])),
        (int(table.w[index]), int(table.w_stride[index])),
    ]
    start, size = int(table.offset[index]), int(table.size[index])
    made = []
    row, left = 0, channels
    first = min(lanes - lane, channels)
    for begin, many, rows in (
        (lane, first, 1),
        (0, lanes, (channels - first) // lanes),
        (0, (channels - first) % lanes, 1),
    ):
        if many and rows:
            at = start + begin * lane_bytes + row * step
            made.append(packed_walk(0, at, size, [(many, lane_bytes), (rows, step), *inner]))
        row += rows if many else 0
        left -= many * rows
    return made
