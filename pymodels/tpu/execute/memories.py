# SPDX-License-Identifier: Apache-2.0
"""The memories that commands work on, as numpy arrays of bytes, and operands as arrays in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.tpu.hazards.access import Accesses
from goldbeat.pymodels.tpu.hazards.memory import STATIC_BYTES, ChipMemory

Array = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]
LIMIT = 1 << 33
"""Bytes of global memory that a run may take."""
_PAGE = 1 << 12


class NotModelledError(UsageError):
    """A command, or what it works on, of which nothing public says what it does."""


@dataclass(frozen=True, slots=True)
class Extent:
    """The bytes of one operand, as :class:`~goldbeat.pymodels.tpu.hazards.access.Accesses` has them; strides in bytes."""

    operand: int
    write: bool
    memory: int
    lanes: int
    lane: int
    offset: int
    n: int
    c: int
    h: int
    w: int
    n_stride: int
    row_stride: int
    h_stride: int
    w_stride: int
    size: int
    part: bool

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """n, c, h, w."""
        return self.n, self.c, self.h, self.w

    @property
    def bytes_alike(self) -> tuple[int, ...]:
        """Place, shape and the strides that count: equal for operands with the same bytes in the same order."""
        rows = (self.lane + self.c - 1) // self.lanes + 1
        steps = zip(
            (self.n, rows, self.h, self.w), (self.n_stride, self.row_stride, self.h_stride, self.w_stride), strict=True
        )
        counted = (step if many > 1 else 0 for many, step in steps)
        return self.memory, self.lane, self.offset, *self.shape, *counted, self.size, self.part

    @property
    def end(self) -> int:
        """The byte behind the last one, of all lanes."""
        rows = (self.lane + self.c - 1) // self.lanes
        parts = ((self.n - 1, self.n_stride), (rows, self.row_stride), (self.h - 1, self.h_stride))
        return self.offset + sum(a * b for a, b in parts) + (self.w - 1) * self.w_stride + self.size


_COLUMNS = tuple(one.name for one in fields(Extent))


def extents(table: Accesses) -> dict[int, list[Extent]]:
    """The operands of each command, by its row."""
    found: dict[int, list[Extent]] = {}
    columns = [getattr(table, name).tolist() for name in _COLUMNS]
    for row, *values in zip(table.row.tolist(), *columns, strict=True):
        found.setdefault(row, []).append(Extent(*values))
    return found


def merged_pages(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """(start, end) of addresses, rounded out to pages, those that touch being one; in order."""
    found: list[tuple[int, int]] = []
    for start, end in sorted((s // _PAGE * _PAGE, -(-e // _PAGE) * _PAGE) for s, e in spans if e > s):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


class TpuMemories:
    """Global memory, and local and static memory of every core. All begin as zeros.

    Args:
        chip: layout of the memories.
        spans: (start, end) of the addresses of global memory that are used.
        cores: how many.
        tables: offset and elements of what the static memory holds.

    Raises:
        UsageError: they use more than :data:`LIMIT`.
    """

    def __init__(
        self,
        chip: ChipMemory,
        spans: Iterable[tuple[int, int]],
        cores: int = 1,
        tables: Iterable[tuple[int, Array]] = (),
    ) -> None:
        self.chip = chip
        self.spans = merged_pages(spans)
        total = sum(end - start for start, end in self.spans)
        if total > LIMIT:
            raise UsageError(f"the commands use {total} bytes of global memory, expected at most {LIMIT}")
        self.far: list[Bytes] = [np.zeros(end - start, np.uint8) for start, end in self.spans]
        self.local: list[Bytes] = [np.zeros(chip.bytes, np.uint8) for _ in range(cores)]
        self.static: list[Bytes] = [np.zeros(STATIC_BYTES, np.uint8) for _ in range(cores)]
        self.tables = list(tables)
        for at, data in self.tables:
            for static in self.static:
                static[at : at + data.nbytes] = data.view(np.uint8)

    def block(self, memory: int, start: int) -> tuple[Bytes, int]:
        """A memory as bytes, and where an address lies in it.

        Raises:
            UsageError: nothing said that this address of global memory is used.
        """
        if memory:
            core, static = divmod(memory - 1, 2)
            return (self.static if static else self.local)[core], start
        for (low, high), data in zip(self.spans, self.far, strict=True):
            if low <= start < high:
                return data, start - low
        raise UsageError(f"global memory at {start:#x} is not one of the parts in use")

    def far_bytes(self, start: int, size: int) -> Bytes:
        """``size`` bytes of global memory, to read and to write."""
        data, at = self.block(0, start)
        if at + size > len(data):
            raise UsageError(f"global memory at {start:#x} ends before {size} bytes")
        return data[at : at + size]

    def pieces(self, x: Extent, kind: npt.DTypeLike) -> Iterator[tuple[slice, Array]]:
        """The channels of an operand and where they lie, (n, rows, lanes, h, w): first row of lanes, full rows, last row."""
        data, start = self.block(x.memory, x.offset)
        step = self.chip.lane_bytes
        strides = (x.n_stride, x.row_stride, step, x.h_stride, x.w_stride)
        if x.lanes == 1:
            # In a memory without lanes a channel is a row.
            yield slice(0, x.c), _array(data, (x.n, x.c, 1, x.h, x.w), kind, start, strides)
            return
        if x.lane >= x.lanes:
            raise UsageError(f"an operand begins at lane {x.lane} of {x.lanes}")
        done, lane, row = 0, x.lane, 0
        while done < x.c:
            if lane:
                rows, lanes = 1, min(x.lanes - lane, x.c - done)
            elif x.c - done >= x.lanes:
                rows, lanes = (x.c - done) // x.lanes, x.lanes
            else:
                rows, lanes = 1, x.c - done
            at = start + lane * step + row * x.row_stride
            many = rows * lanes
            yield slice(done, done + many), _array(data, (x.n, rows, lanes, x.h, x.w), kind, at, strides)
            done, lane, row = done + many, 0, row + rows

    def read(self, x: Extent, kind: npt.DTypeLike) -> Array:
        """(n, c, h, w) a copy of an operand."""
        parts = [view.reshape(x.n, -1, x.h, x.w) for _, view in self.pieces(x, kind)]
        return parts[0].copy() if len(parts) == 1 else np.concatenate(parts, axis=1)

    def write(self, x: Extent, values: Array, kind: npt.DTypeLike) -> None:
        """Store (n, c, h, w), or what broadcasts to it."""
        whole = np.broadcast_to(values, x.shape)
        for channels, view in self.pieces(x, kind):
            view[...] = whole[:, channels].reshape(view.shape)


def _array(data: Bytes, shape: tuple[int, ...], kind: npt.DTypeLike, at: int, strides: tuple[int, ...]) -> Array:
    end = at + sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + np.dtype(kind).itemsize
    if end > len(data):
        raise UsageError(f"an operand ends at byte {end:#x} of a memory of {len(data):#x} bytes")
    return np.ndarray(shape, kind, data.data, at, strides)
