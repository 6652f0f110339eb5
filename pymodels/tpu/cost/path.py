# SPDX-License-Identifier: Apache-2.0
"""What waits for what in a schedule, and the chain of commands that its length comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.streams.schedule import (
    OTHER,
    SEND,
    WAIT,
    Lane,
    Schedule,
    needed_commands,
    segment_gates,
)

Place = tuple[int, int]
"""Lane and row."""


@dataclass(frozen=True, eq=False)
class Stalls:
    """How long the engine of one lane stood still, and for whom.

    Attributes:
        stood: (n,) cycles between the end of the command before and the start, or in a WAIT until its message was there.
        blocker: (n, 2) lane and row of the command that ended just before; -1 where the engine did not stand still.
    """

    stood: npt.NDArray[np.int64]
    blocker: npt.NDArray[np.int64]


def stalls(lanes: Sequence[Lane], plan: Schedule, took: Sequence[npt.NDArray[np.int64]]) -> list[Stalls]:
    """Of each lane, of a schedule in which all commands end.

    Args:
        lanes: as they were scheduled.
        plan: their schedule.
        took: (n,) durations of each lane's commands.
    """
    by_name = {(one.core, one.engine): index for index, one in enumerate(lanes)}
    sends: dict[tuple[int, int], Place] = {}
    for index, one in enumerate(lanes):
        for row in np.flatnonzero(one.role == SEND).tolist():
            sends[int(one.message[row]), int(plan.end[index][row])] = (index, row)
    made = []
    for index, one in enumerate(lanes):
        before = np.concatenate([[-1], plan.end[index][:-1]])
        stood = plan.start[index] - before - 1
        blocker = np.full((len(one), 2), -1, np.int64)
        other = by_name.get((one.core, OTHER.get(one.engine, "")))
        if other is not None:
            need = needed_commands(one, lanes[other])
            gates = segment_gates(one, lanes[other])
            for row in np.flatnonzero(stood > 0).tolist():
                blocker[row] = other, max(need[row], gates.get(row, 0)) - 1
        late = plan.end[index] - plan.start[index] + 1 - took[index]
        for row in np.flatnonzero((one.role == WAIT) & (late > 0)).tolist():
            stood[row] += late[row]
            blocker[row] = sends.get((int(one.message[row]), int(plan.end[index][row])), (-1, -1))
        made.append(Stalls(stood, blocker))
    return made


def critical_path(plan: Schedule, found: Sequence[Stalls]) -> list[Place]:
    """Commands from the first to the one that ends last: each starts because the one before it in the list has ended."""
    ends = [(int(end[-1]), index) for index, end in enumerate(plan.end) if len(end)]
    if not ends:
        return []
    _, lane = max(ends)
    row = len(plan.end[lane]) - 1
    path: dict[Place, None] = {}
    while row >= 0:
        path[lane, row] = None
        other, there = found[lane].blocker[row].tolist()
        # SENDs and WAITs that take no time can name each other: several of them end in one cycle.
        ahead = other >= 0 and (other, there) not in path
        lane, row = (other, there) if ahead else (lane, row - 1)
        while (lane, row) in path:
            row -= 1
    return list(path)[::-1]
