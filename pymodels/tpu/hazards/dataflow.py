# SPDX-License-Identifier: Apache-2.0
"""Local memory that is read without having been written, and results that nothing reads: what a missing command leaves behind."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.hazards.access import Accesses
from goldbeat.pymodels.tpu.hazards.latest import NOTHING, greatest_overlap

Column = npt.NDArray[np.int64]


def never_written(table: Accesses, time: Column) -> Column:
    """Reads of local memory before which nothing wrote any byte between their first and their last one.

    A write whose bytes are not known may have been any.

    Args:
        table: operands.
        time: (n,) when the command of each starts, in any order that keeps the dependencies.

    Returns:
        Indices into the table.
    """
    found = []
    for rows in _memories(table):
        wrote, read = rows[table.write[rows] > 0], rows[(table.write[rows] == 0) & (table.part[rows] == 0)]
        first = -greatest_overlap(*_spans(table, wrote), -time[wrote], *_spans(table, read))
        unknown = int(time[wrote[table.part[wrote] > 0]].min(initial=-NOTHING))
        found.append(read[np.minimum(first, unknown) >= time[read]])
    rows = np.sort(np.concatenate([np.zeros(0, np.int64), *found]))
    return rows[~idle(table)[rows]]


def never_read(table: Accesses, time: Column) -> Column:
    """Writes of local memory after which nothing reads any byte between their first and their last one.

    A command is listed only if this is so for all that it writes. A read whose bytes are not known may be of any, and a write
    whose bytes are not known may be read by any. Arguments and result as in :func:`never_written`.
    """
    dead = np.zeros(len(table), np.bool_)
    for rows in _memories(table):
        wrote, read = rows[table.write[rows] > 0], rows[table.write[rows] == 0]
        last = greatest_overlap(*_spans(table, read), time[read], *_spans(table, wrote))
        unknown = int(time[read[table.part[read] > 0]].max(initial=NOTHING))
        ever = int(time[read].max(initial=NOTHING))
        last = np.where(table.part[wrote] > 0, ever, np.maximum(last, unknown))
        dead[wrote] = last <= time[wrote]
    whole = (table.lane_of << 40) + table.row
    alive = np.unique(whole[(table.write > 0) & ~dead])
    return np.flatnonzero(dead & ~np.isin(whole, alive) & ~idle(table))


def _spans(table: Accesses, rows: Column) -> tuple[Column, Column]:
    return table.offset[rows], table.end[rows]


def _memories(table: Accesses) -> list[Column]:
    """The operands of each local memory."""
    memories = np.unique(table.memory[table.lanes > 1]).tolist()
    return [np.flatnonzero(table.memory == memory) for memory in memories]


def idle(table: Accesses) -> npt.NDArray[np.bool_]:
    """(n,) whether a command copies one element onto itself, as the compiler does for BM1688 to pass the time."""
    single = (table.n * table.c * table.h * table.w == 1) & (table.lanes > 1)
    place = np.stack([table.lane_of, table.row, table.memory, table.lane, table.offset], 1)
    read = {row.tobytes() for row in place[single & (table.write == 0)]}
    idle = np.zeros(len(table), np.bool_)
    for index in np.flatnonzero(single & (table.write > 0)).tolist():
        idle[index] = place[index].tobytes() in read
    of = (table.lane_of << 40) + table.row
    found: npt.NDArray[np.bool_] = np.isin(of, of[idle]) & single
    return found
