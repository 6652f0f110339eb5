# SPDX-License-Identifier: Apache-2.0
"""Two commands of different engines that touch the same byte, one of them writing, and nothing orders them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.order.byte_walk import first_common_byte
from goldbeat.pymodels.tpu.hazards.access import Accesses, boxes
from goldbeat.pymodels.tpu.hazards.candidates import touching
from goldbeat.pymodels.tpu.hazards.order import Order

Column = npt.NDArray[np.int64]
_FLAT = 1 << 62


@dataclass(frozen=True)
class Race:
    """A hazard.

    Attributes:
        first, second: indices into the table of operands; the missing edge that is nearest goes from first to second.
        lane, byte: of the memory, a byte that both touch.
        waits: how many commands of the first's engine the second knows to have ended.
    """

    first: int
    second: int
    lane: int
    byte: int
    waits: int

    def kind(self, table: Accesses) -> str:
        """What goes wrong when second does not wait for first."""
        if not table.write[self.first]:
            return "write-after-read"
        return "write-after-write" if table.write[self.second] else "read-after-write"


class _Exact:
    """Whether operands really share a byte; what was found once of a pair of shapes is kept."""

    def __init__(self, table: Accesses, lane_bytes: int) -> None:
        self.table, self.lane_bytes = table, lane_bytes
        self.columns = np.stack(
            [
                *(getattr(table, n) for n in ("lanes", "lane", "n", "c", "h", "w")),
                *(getattr(table, n) for n in ("n_stride", "row_stride", "h_stride", "w_stride", "size")),
            ]
        ).T
        self.found: dict[tuple[bytes, bytes, int], tuple[int, int] | None] = {}

    def shared(self, one: int, two: int) -> tuple[int, int] | None:
        """Lane and byte of the first byte that both cover."""
        table = self.table
        start = int(table.offset[one])
        key = (self.columns[one].tobytes(), self.columns[two].tobytes(), int(table.offset[two]) - start)
        if key not in self.found:
            whole = self.lane_bytes if table.lanes[one] > 1 else _FLAT
            least: int | None = None
            for a in boxes(table, one, whole):
                for b in boxes(table, two, whole):
                    at = first_common_byte(a, b)
                    least = at if least is None or (at is not None and at < least) else least
            self.found[key] = None if least is None else (least // whole, least % whole - start)
        known = self.found[key]
        return None if known is None else (known[0], known[1] + start)


def find_races(order: Order, table: Accesses, lane_bytes: int) -> Iterator[Race]:
    """All pairs of operands that race, one pair for a pair of commands.

    Args:
        order: of the group's commands.
        table: operands, sorted by engine and command; ``lane_of`` is the index of the engine in the order.
        lane_bytes: of local memory.
    """
    exact = _Exact(table, lane_bytes)
    engines = len(order.lanes)
    places = [np.flatnonzero(table.lane_of == index) for index in range(engines)]
    memories = [np.unique(table.memory[rows]).tolist() for rows in places]
    for one in range(engines):
        for two in range(one + 1, engines):
            for memory in sorted(set(memories[one]) & set(memories[two])):
                mine, theirs = (rows[table.memory[rows] == memory] for rows in (places[one], places[two]))
                yield from _between(order, exact, (one, two), mine, theirs)


def shifted_results(table: Accesses, lane_bytes: int) -> Iterator[tuple[int, int, int, int]]:
    """Results that share bytes with an operand of their command, and begin elsewhere: what is read depends on the hardware's order.

    Args:
        table: operands of all commands.
        lane_bytes: of local memory.

    Yields:
        The operand that is written, the one that is read, the lane and the byte of the first byte that both have.
    """
    exact, command = _Exact(table, lane_bytes), (table.lane_of << 40) + table.row
    writes, reads = np.flatnonzero(table.write > 0), np.flatnonzero(table.write == 0)
    reads = reads[np.argsort(command[reads], kind="stable")]
    low, high = (np.searchsorted(command[reads], command[writes], side) for side in ("left", "right"))
    for step in range(int((high - low).max(initial=0))):
        there = low + step < high
        one, two = writes[there], reads[(low + step)[there]]
        near = (table.memory[one] == table.memory[two]) & (table.offset[one] < table.end[two])
        near &= (table.offset[two] < table.end[one]) & (table.first_lane[one] <= table.last_lane[two])
        near &= table.first_lane[two] <= table.last_lane[one]
        near &= (table.offset[one] != table.offset[two]) | (table.lane[one] != table.lane[two])
        for i, j in zip(one[near].tolist(), two[near].tolist(), strict=True):
            where = exact.shared(i, j)
            if where is not None:
                yield i, j, *where


def _between(order: Order, exact: _Exact, pair: tuple[int, int], mine: Column, theirs: Column) -> Iterator[Race]:
    table = exact.table
    known, knows = order.before(*pair), order.before(pair[1], pair[0])
    a, b = table.take(mine), table.take(theirs)
    low = np.searchsorted(b.row, known[a.row])
    # The first command of the other engine that starts after this one has ended.
    after = np.searchsorted(knows, a.row + 1)
    high = np.searchsorted(b.row, after)
    seen: set[tuple[int, int]] = set()
    for one, two in touching(a, b, low, high):
        for i, j in zip(one.tolist(), two.tolist(), strict=True):
            rows = int(a.row[i]), int(b.row[j])
            if rows in seen:
                continue
            where = exact.shared(int(mine[i]), int(theirs[j]))
            if where is None:
                continue
            seen.add(rows)
            gaps = rows[1] + 1 - int(known[rows[0]]), rows[0] + 1 - int(knows[rows[1]])
            # Of two edges that are as near, the one by which data flow: a read follows the write.
            if gaps[0] < gaps[1] or (gaps[0] == gaps[1] and table.write[theirs[j]] > 0):
                yield Race(int(theirs[j]), int(mine[i]), *where, int(known[rows[0]]))
            else:
                yield Race(int(mine[i]), int(theirs[j]), *where, int(knows[rows[1]]))
