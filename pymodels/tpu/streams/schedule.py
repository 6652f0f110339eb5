# SPDX-License-Identifier: Apache-2.0
"""Timed golden model: engines that run in order, wait for each other, and take given times.

A command starts when the command before it on its engine has ended and the command that it waits for has ended, a cycle
later: ``start = max(end of the one before, end of the one waited for) + 1``, the first one at 0, and ``end = start +
duration - 1``. This reproduces every start and end in the compiler's own timelines. A SEND counts for its message when it
has ended, a WAIT ends when the SENDs it counts have; a message id is used again, so a WAIT needs the SENDs that earlier
WAITs of its engine on the message count too.

A stream may go on behind an END: a segment, whose ids begin at 1 again. Dependencies mean commands of the same segment,
and TIU and GDMA of a core begin a segment when both are done with the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import cast

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.tpu.streams.decode import Commands

OTHER = {"tiu": "gdma", "gdma": "tiu"}
"""Whose ids a dependency means. The other engines wait for messages only."""
NONE, SEND, WAIT = range(3)
MAX_CYCLES = 1 << 40
"""The longest duration of a command: far beyond any, and sums of them stay within 64 bits."""
_MAX_SUM = float(1 << 62)


@dataclass(frozen=True, eq=False)
class Lane:
    """One engine of one core, with the commands of one group.

    Attributes:
        core, engine: which.
        id, dep: (n,) int64.
        role: (n,) int8, SEND, WAIT or NONE.
        message, count: (n,) int64, of SEND and WAIT.
        segment: (n,) int32, counted up behind each END; None: one segment.
    """

    core: int
    engine: str
    id: npt.NDArray[np.int64]
    dep: npt.NDArray[np.int64]
    role: npt.NDArray[np.int8]
    message: npt.NDArray[np.int64]
    count: npt.NDArray[np.int64]
    segment: npt.NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.id)

    def bounds(self) -> list[int]:
        """Where segments begin, and the number of commands: one more than there are segments."""
        if self.segment is None or not len(self) or self.segment[-1] == 0:
            return [0, len(self)]
        return [int(row) for row in np.searchsorted(self.segment, np.arange(int(self.segment[-1]) + 2))]

    def lasts(self) -> npt.NDArray[np.int64]:
        """(segments,) the greatest id of each segment, 0 where there is none."""
        bounds = self.bounds()
        return np.array([self.id[a:b].max(initial=0) for a, b in pairwise(bounds)], np.int64)

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
    return Lane(core, engine.name, commands.id, commands.dep, role, message, count, commands.segment)


@dataclass(frozen=True)
class BlockedCommand:
    """A command that never ends; ``segment`` is counted from 0."""

    lane: str
    row: int
    id: int
    reason: str
    segment: int = 0

    @property
    def command(self) -> str:
        """``command 3``, and its segment if it is not the first one."""
        return f"command {self.id}" + (f" of segment {self.segment + 1}" if self.segment else "")

    def __str__(self) -> str:
        return f"{self.lane} {self.command} waits for {self.reason}"


@dataclass(frozen=True, eq=False)
class Schedule:
    """When everything happens, in cycles from the group's start; -1 where it does not.

    Attributes:
        start, end: (n,) for each lane.
        blocked: what the engines stand still at, empty if all ends.
    """

    start: list[npt.NDArray[np.int64]]
    end: list[npt.NDArray[np.int64]]
    blocked: list[BlockedCommand] = field(default_factory=list)

    @property
    def last(self) -> int:
        """The last cycle in which anything runs, -1 if nothing does."""
        return max((int(end.max()) for end in self.end if len(end)), default=-1)


def schedule(
    lanes: Sequence[Lane], durations: Sequence[npt.ArrayLike | int], borders: Sequence[Sequence[int]] = ()
) -> Schedule:
    """Start and end of every command.

    Args:
        lanes: the engines; a core has at most one of each name.
        durations: for each lane (n,) cycles, or one number for all; 0 for what takes no time.
        borders: for each lane the first command of every group, and how many commands there are; all engines of a core are
            done with a group before one of them starts the next. Empty: one group.
    """
    if len(durations) != len(lanes):
        raise UsageError(f"durations for {len(durations)} engines, expected {len(lanes)}")
    by_name = {(one.core, one.engine): index for index, one in enumerate(lanes)}
    if len(by_name) < len(lanes):
        raise UsageError("two lanes of one engine of one core")
    return _Run(lanes, durations, by_name, borders).run()


def needed_commands(one: Lane, other: Lane | None) -> list[int]:
    """For each command, how many of the other engine must have ended; more than there are where that never comes."""
    need = np.zeros(len(one), np.int64)
    never = 1 if other is None else len(other) + 1
    theirs = [0] if other is None else other.bounds()
    for segment, (begin, end) in enumerate(pairwise(one.bounds())):
        ids = np.zeros(0, np.int64)
        if other is not None and segment + 1 < len(theirs):
            ids = np.maximum.accumulate(other.id[theirs[segment] : theirs[segment + 1]])
        dep = one.dep[begin:end]
        place = np.searchsorted(ids, dep)
        found = np.where(place < len(ids), place + theirs[min(segment, len(theirs) - 1)] + 1, never)
        need[begin:end] = np.where(dep > 0, found, 0)
    made: list[int] = need.tolist()
    return made


def segment_gates(one: Lane, other: Lane) -> dict[int, int]:
    """First commands of further segments, and how many of the other engine must have ended before them."""
    theirs = other.bounds()
    return {row: theirs[min(s, len(theirs) - 1)] for s, row in enumerate(one.bounds()[1:-1], 1)}


def command_gates(lanes: Sequence[Lane], borders: Sequence[Sequence[int]]) -> list[dict[int, dict[int, int]]]:
    """How many commands of other lanes must have ended before the first one of each further segment and group.

    Args:
        lanes: the engines.
        borders: as in :func:`schedule`.

    Returns:
        For each lane, by command, the numbers by lane.
    """
    by_name = {(one.core, one.engine): index for index, one in enumerate(lanes)}
    found: list[dict[int, dict[int, int]]] = []
    for one in lanes:
        other = by_name.get((one.core, OTHER.get(one.engine, "")))
        gates = {} if other is None else segment_gates(one, lanes[other])
        found.append({row: {cast(int, other): many} for row, many in gates.items()})
    for index, mine in enumerate(borders):
        own = [other for other, one in enumerate(lanes) if one.core == lanes[index].core and other != index]
        for group, row in enumerate(mine[1:-1], 1):
            found[index].setdefault(row, {}).update({other: borders[other][group] for other in own})
    return found


class _Run:
    def __init__(
        self,
        lanes: Sequence[Lane],
        durations: Sequence[npt.ArrayLike | int],
        by_name: Mapping[tuple[int, str], int],
        borders: Sequence[Sequence[int]],
    ) -> None:
        self.lanes = lanes
        self.other = [by_name.get((one.core, OTHER.get(one.engine, ""))) for one in lanes]
        self.took: list[list[int]] = []
        self.need: list[list[int]] = []  # how many commands of the other engine must have ended
        for index, (one, given) in enumerate(zip(lanes, durations, strict=True)):
            try:
                cycles = np.broadcast_to(np.asarray(given, np.int64), (len(one),))
            except (OverflowError, ValueError, TypeError) as error:
                raise UsageError(f"{one.name}: durations that are not {len(one)} numbers of 64 bits: {error}") from None
            if len(cycles) and int(cycles.min()) < 0:
                raise UsageError(f"{one.name}: a duration of {int(cycles.min())} cycles, expected 0 or more")
            if float(cycles.sum(dtype=np.float64)) > _MAX_SUM / len(lanes):
                raise UsageError(f"{one.name}: durations that add up to more than 64 bits hold")
            self.took.append(cycles.tolist())
            other = self.other[index]
            self.need.append(
                needed_commands(one, None if other is None else lanes[other]) if one.engine in OTHER else [0] * len(one)
            )
        self.gates = command_gates(lanes, borders)
        self.start: list[list[int]] = [[] for _ in lanes]
        self.end: list[list[int]] = [[] for _ in lanes]
        self.sends: dict[int, list[int]] = {}
        # How many SENDs earlier WAITs needed.
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
        gates = self.gates[index]
        while row < total:
            if gates and row in gates:
                if self._ahead(index, row) is not None:
                    break
                last = max(last, *(self.end[of][many - 1] if many else -1 for of, many in gates[row].items()))
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
                self.waits[index][message] = self.waits[index].get(message, 0) + int(self.lanes[index].count[row])
            elif role[row] == SEND:
                self.sends.setdefault(int(self.lanes[index].message[row]), []).append(done)
            start.append(begin)
            end.append(done)
            last = done
            row += 1
        return row > before

    def _ahead(self, index: int, row: int) -> int | None:
        """The first engine that is not done with what comes before a segment or group."""
        gate = self.gates[index].get(row, {})
        return next((other for other, many in gate.items() if many > len(self.end[other])), None)

    def _arrived(self, index: int, row: int) -> int | None:
        """When the SENDs that a WAIT needs had all ended, None while some have not."""
        one = self.lanes[index]
        message, count = int(one.message[row]), int(one.count[row])
        need = self.waits[index].get(message, 0) + count
        sends = self.sends.get(message, [])
        if len(sends) < need:
            return None
        return max(sorted(sends)[:need], default=-1)

    def _why(self, index: int) -> BlockedCommand:
        one, row = self.lanes[index], len(self.end[index])
        other = self.other[index]
        segment = 0 if one.segment is None else int(one.segment[row])
        ahead = self._ahead(index, row)
        if ahead is not None:
            reason = f"the end of segment {segment} of {self.lanes[ahead].engine}"
        elif other is None and self.need[index][row]:
            reason = f"{OTHER[one.engine]} command {int(one.dep[row])}, and there is no {OTHER[one.engine]} stream"
        elif other is not None and self.need[index][row] > len(self.end[other]):
            reason = f"{self.lanes[other].engine} command {int(one.dep[row])}"
            if self.need[index][row] > len(self.lanes[other]):
                lasts = self.lanes[other].lasts()
                reason += f", and there are {int(lasts[segment]) if segment < len(lasts) else 0} only"
        else:
            message, count = int(one.message[row]), int(one.count[row])
            got = len(self.sends.get(message, [])) - self.waits[index].get(message, 0)
            reason = f"message {message}: {got} of {count} SENDs"
        return BlockedCommand(one.name, row, int(one.id[row]), reason, segment)


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
        cycles = np.ceil(cost.base + cost.per_element * elements)
        # Written so that what is no number is refused too.
        if not ((cycles >= 0) & (cycles <= MAX_CYCLES)).all():
            most = float(np.max(cycles))
            raise UsageError(f"cost of {kind.name}: {most:g} cycles for a command, expected 0 to {MAX_CYCLES}")
        took[rows] = cycles.astype(np.int64)
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
