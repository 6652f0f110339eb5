# SPDX-License-Identifier: Apache-2.0
"""Bytes that commands read and that nothing has written before, of operands that were written in part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.order.byte_walk import ByteWalk
from goldbeat.pymodels.tpu.hazards.access import Accesses, boxes

Column = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
_WALK = ("memory", "lane", "offset", "n", "c", "h", "w", "n_stride", "row_stride", "h_stride", "w_stride", "size")
_STEPS = (("n", "n_stride"), ("h", "h_stride"), ("w", "w_stride"))
_SHOWN_SPANS = 3
_NEVER = 1 << 62


@dataclass(frozen=True)
class UnwrittenBytes:
    """What of an operand nothing has written.

    Attributes:
        place: index into the table.
        spans: (lane, first byte, byte behind the last one), in order.
        lanes: of the memory.
    """

    place: int
    spans: tuple[tuple[int, int, int], ...]
    lanes: int

    @property
    def count(self) -> int:
        """How many bytes."""
        return sum(end - start for _, start, end in self.spans)

    def __str__(self) -> str:
        named = [f"{f'lane {lane} ' if self.lanes > 1 else ''}{a:#x} to {b - 1:#x}" for lane, a, b in self.spans]
        more = len(named) - _SHOWN_SPANS
        return ", ".join(named[:_SHOWN_SPANS]) + (f" and {more} more" if more > 0 else "")


def unwritten_bytes(
    table: Accesses, time: Column, lane_bytes: int, given: Sequence[tuple[int, int]] | None = None
) -> list[UnwrittenBytes]:
    """Reads before which some of their bytes were not written, byte by byte; each walk over the same bytes once.

    Operands of which only a part is known, and reads after a write whose bytes are not known, are left out.

    Args:
        table: operands.
        time: (n,) when the command of each starts, in any order that keeps the dependencies.
        lane_bytes: of local memory.
        given: (start, end) of global memory that is filled before; None: reads of global memory are not checked.
    """
    found: list[UnwrittenBytes] = []
    near = (table.lanes > 1) & (table.end <= lane_bytes)
    for memory in np.unique(table.memory[near | ((table.memory == 0) & (given is not None))]).tolist():
        rows = np.flatnonzero((table.memory == memory) & (near | (table.lanes == 1)))
        unknown = int(time[rows[(table.write[rows] > 0) & (table.part[rows] > 0)]].min(initial=_NEVER))
        rows = rows[(table.part[rows] == 0) & (time[rows] <= unknown)]
        found += _missing(table, _once(table, rows, time), lane_bytes, given if memory == 0 else ())
    return sorted(found, key=lambda one: one.place)


def _once(table: Accesses, rows: Column, time: Column) -> list[int]:
    """The first write and the first read of each walk in order of time, without reads that one earlier write covers.

    A walk is known by a number, which its columns make as digits.
    """
    if not len(rows):
        return []
    # A command reads before it writes.
    rows = rows[np.lexsort((table.write[rows], time[rows]))]
    walks, write = np.zeros(len(rows), np.int64), table.write[rows] > 0
    single = {stride: getattr(table, count)[rows] == 1 for count, stride in _STEPS} | {
        "row_stride": table.rows[rows] == 1
    }
    span = 1
    for name in _WALK:
        column = getattr(table, name)[rows]
        column = np.where(single[name], 0, column) if name in single else column
        if int(column.max() - column.min()) >> 31:
            column = np.unique(column, return_inverse=True)[1]
        width = int(column.max() - (low := column.min())) + 1
        if span * width >= _NEVER:
            walks = np.unique(walks, return_inverse=True)[1]
            span = int(walks.max()) + 1
        walks, span = walks * width + (column - low), span * width
    walks = np.unique(walks, return_inverse=True)[1]
    first = np.full((int(walks.max()) + 1, 2), len(rows))
    np.minimum.at(first, (walks, write.astype(np.int64)), np.arange(len(rows)))
    at = np.arange(len(rows))
    found: list[int] = rows[(first[walks, write.astype(np.int64)] == at) & (write | (first[walks, 1] > at))].tolist()
    return found


def _missing(
    table: Accesses, places: Sequence[int], lane_bytes: int, given: Sequence[tuple[int, int]] | None
) -> Iterator[UnwrittenBytes]:
    """Walk over writes and reads with a flag for each byte."""
    if not any(table.write[place] == 0 for place in places):
        return
    flags = _Flags([box for place in places for box in boxes(table, place, lane_bytes)])
    for start, end in given or ():
        flags.fill(start, end)
    for place in places:
        walked = boxes(table, place, lane_bytes)
        if table.write[place]:
            for box in walked:
                flags.view(box)[...] = True
        elif not all(flags.view(box).all() for box in walked):
            lanes = int(table.lanes[place])
            addresses = np.unique(np.concatenate([flags.unset(box) for box in walked]))
            yield UnwrittenBytes(place, tuple(_spans(addresses, lane_bytes if lanes > 1 else None)), lanes)


class _Flags:
    """A flag for every byte between the first and the last one of boxes that lie near each other."""

    def __init__(self, walked: Sequence[ByteWalk]) -> None:
        self._parts: list[tuple[int, int]] = []
        for start, end in sorted(walk.outline for walk in walked):
            if self._parts and start <= self._parts[-1][1]:
                self._parts[-1] = self._parts[-1][0], max(self._parts[-1][1], end)
            else:
                self._parts.append((start, end))
        self._starts = np.array([start for start, _ in self._parts], np.int64)
        self._flags = [np.zeros(end - start, np.bool_) for start, end in self._parts]

    def fill(self, start: int, end: int) -> None:
        """Set a run of bytes, as far as it is near a box."""
        for (low, high), flags in zip(self._parts, self._flags, strict=True):
            if start < high and low < end:
                flags[max(start - low, 0) : end - low] = True

    def view(self, box: ByteWalk) -> Flags:
        """The flags of a box."""
        part = int(np.searchsorted(self._starts, box.first, "right")) - 1
        shape, steps = (*(count for count, _ in box.steps), box.run), (*(step for _, step in box.steps), 1)
        return np.ndarray(shape, np.bool_, self._flags[part].data, box.first - self._parts[part][0], steps)

    def unset(self, box: ByteWalk) -> Column:
        """Addresses whose flag is not set."""
        at = np.array(box.first, np.int64)
        for count, step in (*box.steps, (box.run, 1)):
            at = at[..., None] + np.arange(count) * step
        return at[~self.view(box)]


def _spans(addresses: Column, lane_bytes: int | None) -> Iterable[tuple[int, int, int]]:
    """(lane, start, end) of addresses in order that follow each other, in one lane."""
    lane = addresses // lane_bytes if lane_bytes else np.zeros_like(addresses)
    cuts = np.flatnonzero((np.diff(addresses) != 1) | (np.diff(lane) != 0)) + 1
    for run in np.split(addresses, cuts):
        where, base = (int(run[0]) // lane_bytes, int(run[0]) // lane_bytes * lane_bytes) if lane_bytes else (0, 0)
        yield where, int(run[0]) - base, int(run[-1]) - base + 1
