# SPDX-License-Identifier: Apache-2.0
"""Timed golden model: engines that run in order, wait for each other, and take given times.

A command starts when the command before it on its engine has ended and the command that it waits for has ended, a cycle
later: ``start = max(end of the one before, end of the one waited for) + 1``, the first one at 0, and ``end = start +
duration - 1``. This reproduces every start and end in the compiler's own timelines. A SEND counts for its message when it
has ended, a WAIT ends when the SENDs it counts have; a message id is used again, so the j-th WAIT of an engine on a
message needs j times its count of SENDs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pymodels.errors import UsageError
from pymodels.tpu.decode import Commands

OTHER = {"tiu": "gdma", "gdma": "tiu"}
"""Whose ids a dependency means. The other engines wait for messages only."""
NONE, SEND, WAIT = range(3)


@dataclass(frozen=True, eq=False)
class Lane:
    """One engine of one core, with the commands of one group.

    Attributes:
        core, engine: which.
        id, dep: (n,) int64.
        role: (n,) int8, SEND, WAIT or NONE.
        message, count: (n,) int64, of SEND and WAIT.
    """

    core: int
    engine: str
    id: npt.NDArray[np.int64]
    dep: npt.NDArray[np.int64]
    role: npt.NDArray[np.int8]
    message: npt.NDArray[np.int64]
    count: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.id)

    @property
    def name(self) -> str:
        """``core 0 tiu``."""
        return f"core {self.core} {self.engine}"


def lane(commands: Commands, core: int = 0) -> Lane:
    """A lane from decoded commands."""
    engine, n = commands.engine, len(commands)
    role = np.zeros(n, np.int8)
    message, count = np.zeros(n, np.int64), np.zeros(n, np.int64)
    if engine.send is not None and engine.wait is not None and engine.end is not None:
        kind = engine.end[0]
        for what, spec in ((SEND, engine.send), (WAIT, engine.wait)):
            rows = np.flatnonzero((commands.kind == kind.index) & (commands.func == spec.func))
            if len(rows) == 0:
                continue
            value = commands.fields(kind, rows, [spec.field])[spec.field].astype(np.uint64)
            role[rows] = what
            for column, (bit, width) in ((message, spec.id), (count, spec.count)):
                column[rows] = (value >> np.uint64(bit) & np.uint64((1 << width) - 1)).astype(np.int64)
    return Lane(core, engine.name, commands.id, commands.dep, role, message, count)


@dataclass(frozen=True)
class Blocked:
    """A command that never ends."""

    lane: str
    row: int
    id: int
    reason: str

    def __str__(self) -> str:
        return f"{self.lane} command {self.id} waits for {self.reason}"


@dataclass(frozen=True, eq=False)
class Schedule:
    """When everything happens, in cycles from the group's start; -1 where it does not.

    Attributes:
        start, end: (n,) for each lane.
        blocked: what the engines stand still at, empty if all ends.
    """

    start: list[npt.NDArray[np.int64]]
    end: list[npt.NDArray[np.int64]]
    blocked: list[Blocked] = field(default_factory=list)

    @property
    def last(self) -> int:
        """The last cycle in which anything runs, -1 if nothing does."""
        return max((int(end.max()) for end in self.end if len(end)), default=-1)


def schedule(lanes: Sequence[Lane], durations: Sequence[npt.ArrayLike | int]) -> Schedule:
    """Start and end of every command.

    Args:
        lanes: the engines; a core has at most one of each name.
        durations: for each lane (n,) cycles, or one number for all; 0 for what takes no time.
    """
    if len(durations) != len(lanes):
        raise UsageError(f"durations for {len(durations)} engines, expected {len(lanes)}")
    by_name = {(one.core, one.engine): index for index, one in enumerate(lanes)}
    if len(by_name) < len(lanes):
        raise UsageError("two lanes of one engine of one core")
    return _Run(lanes, durations, by_name).run()


class _Run:
    def __init__(
        self, lanes: Sequence[Lane], durations: Sequence[npt.ArrayLike | int], by_name: Mapping[tuple[int, str], int]
    ) -> None:
        self.lanes = lanes
        self.other = [by_name.get((one.core, OTHER.get(one.engine, ""))) for one in lanes]
        self.took: list[list[int]] = []
        self.need: list[list[int]] = []  # how many commands of the other engine must have ended
        for index, (one, given) in enumerate(zip(lanes, durations, strict=True)):
            cycles = np.broadcast_to(np.asarray(given, np.int64), (len(one),))
            if len(cycles) and int(cycles.min()) < 0:
                raise UsageError(f"{one.name}: a duration of {int(cycles.min())} cycles, expected 0 or more")
            self.took.append(cycles.tolist())
            other = self.other[index]
            ids = np.maximum.accumulate(lanes[other].id) if other is not None else np.zeros(0, np.int64)
            need = np.where(one.dep > 0, np.searchsorted(ids, one.dep) + 1, 0)
            self.need.append(need.tolist() if one.engine in OTHER else [0] * len(one))
        self.start: list[list[int]] = [[] for _ in lanes]
        self.end: list[list[int]] = [[] for _ in lanes]
        self.sends: dict[int, list[int]] = {}
        self.waits: list[dict[int, int]] = [{} for _ in lanes]
        self.role = [one.role.tolist() for one in lanes]

    def run(self) -> Schedule:
        moved = True
        while moved:
            moved = False
            for index in range(len(self.lanes)):
                moved |= self._advance(index)
        blocked = [self._why(i) for i, one in enumerate(self.lanes) if len(self.end[i]) < len(one)]
        filled = [
            [
                np.array(times + [-1] * (len(one) - len(times)), np.int64)
                for times, one in zip(part, self.lanes, strict=True)
            ]
            for part in (self.start, self.end)
        ]
        return Schedule(filled[0], filled[1], blocked)

    def _advance(self, index: int) -> bool:
        start, end, need, took = self.start[index], self.end[index], self.need[index], self.took[index]
        role = self.role[index]
        other = self.other[index]
        theirs = self.end[other] if other is not None else []
        row, total = len(end), len(need)
        before = row
        last = end[-1] if end else -1
        while row < total:
            wait = need[row]
            if wait > len(theirs):
                break
            begin = last + 1
            if wait and theirs[wait - 1] >= begin:
                begin = theirs[wait - 1] + 1
            done = begin + took[row] - 1
            if role[row] == WAIT:
                arrived = self._arrived(index, row)
                if arrived is None:
                    break
                done = max(done, arrived)
                message = int(self.lanes[index].message[row])
                self.waits[index][message] = self.waits[index].get(message, 0) + 1
            elif role[row] == SEND:
                self.sends.setdefault(int(self.lanes[index].message[row]), []).append(done)
            start.append(begin)
            end.append(done)
            last = done
            row += 1
        return row > before

    def _arrived(self, index: int, row: int) -> int | None:
        """When the SENDs that a WAIT needs had all ended, None while some have not."""
        one = self.lanes[index]
        message, count = int(one.message[row]), int(one.count[row])
        turn = self.waits[index].get(message, 0)
        sends = self.sends.get(message, [])
        if len(sends) < (turn + 1) * count:
            return None
        return max(sorted(sends)[: (turn + 1) * count], default=-1)

    def _why(self, index: int) -> Blocked:
        one, row = self.lanes[index], len(self.end[index])
        other = self.other[index]
        if other is None and self.need[index][row]:
            reason = f"{OTHER[one.engine]} command {int(one.dep[row])}, and there is no {OTHER[one.engine]} stream"
        elif other is not None and self.need[index][row] > len(self.end[other]):
            reason = f"{self.lanes[other].engine} command {int(one.dep[row])}"
            last = int(self.lanes[other].id.max(initial=0))
            if self.need[index][row] > len(self.lanes[other]):
                reason += f", and there are {last} only"
        else:
            message, count = int(one.message[row]), int(one.count[row])
            got = len(self.sends.get(message, [])) - self.waits[index].get(message, 0) * count
            reason = f"message {message}: {got} of {count} SENDs"
        return Blocked(one.name, row, int(one.id[row]), reason)


@dataclass(frozen=True)
class Cost:
    """Cycles of a form: ``base + per_element * elements``, rounded up."""

    base: float = 1.0
    per_element: float = 0.0


_SIZES = (
    ("res0_n", "res0_c", "res0_h", "res0_w"),
    ("src_nsize", "src_csize", "src_hsize", "src_wsize"),
    ("src_n", "src_c", "src_h", "src_w"),
)


def costs(commands: Commands, model: Mapping[str, Cost], default: Cost | None = None) -> npt.NDArray[np.int64]:
    """(n,) durations by form and size.

    Args:
        commands: decoded.
        model: cost by the name of the form.
        default: of forms that are not in it; END takes no time in any case.
    """
    took = np.zeros(len(commands), np.int64)
    for kind in commands.kinds():
        cost = model.get(kind.name, default)
        if cost is None:
            raise UsageError(f"no cost for {commands.engine.name} {kind.name}, and no default")
        rows = commands.rows(kind)
        elements = np.ones(len(rows), np.float64)
        if cost.per_element:
            names = [name for name in next((s for s in _SIZES if s[-1] in kind.by_name), ()) if name in kind.by_name]
            for column in commands.fields(kind, rows, names).values():
                elements *= np.maximum(column, 1)
        took[rows] = np.ceil(cost.base + cost.per_element * elements).astype(np.int64)
    took[commands.is_end] = 0
    return took


def in_sequence(schedules: Iterable[Schedule]) -> Schedule:
    """Groups one after the other: each begins the cycle after all engines are done with the one before."""
    start: list[list[npt.NDArray[np.int64]]] = []
    end: list[list[npt.NDArray[np.int64]]] = []
    offset = 0
    for one in schedules:
        if one.blocked:
            raise UsageError(f"a group that never ends: {one.blocked[0]}")
        for lists, times in ((start, one.start), (end, one.end)):
            while len(lists) < len(times):
                lists.append([])
            for lane_times, part in zip(lists, times, strict=False):
                lane_times.append(part + offset)
        offset += one.last + 1
    empty = np.zeros(0, np.int64)
    return Schedule([np.concatenate([empty, *p]) for p in start], [np.concatenate([empty, *p]) for p in end])
