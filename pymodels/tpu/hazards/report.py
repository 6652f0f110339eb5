# SPDX-License-Identifier: Apache-2.0
"""Hazards of all streams of a file, as findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.hazards.access import Accesses, join_accesses
from goldbeat.pymodels.tpu.hazards.builder import OPERANDS, Omission
from goldbeat.pymodels.tpu.hazards.coverage import unwritten_bytes
from goldbeat.pymodels.tpu.hazards.dataflow import idle, never_read, never_written
from goldbeat.pymodels.tpu.hazards.memory import STATIC_BYTES, ChipMemory
from goldbeat.pymodels.tpu.hazards.operands import chip_memory, engine_operands
from goldbeat.pymodels.tpu.hazards.order import Order
from goldbeat.pymodels.tpu.hazards.races import Race, find_races, shifted_results
from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.checks import Finding, is_system
from goldbeat.pymodels.tpu.streams.container import commands
from goldbeat.pymodels.tpu.streams.decode import Commands
from goldbeat.pymodels.tpu.streams.groups import JoinedGroups, Member, groups_together
from goldbeat.pymodels.tpu.streams.schedule import NONE, OTHER, schedule
from goldbeat.pymodels.tpu.streams.tables import Chip

HAZARD_RULES = {
    "read-after-write": "a read that nothing orders behind the write that it needs",
    "write-after-read": "a write that nothing orders behind a read of the old data",
    "write-after-write": "two writes of the same bytes that nothing orders",
    "message-reuse": "a message that is used again before all WAITs for it have been granted",
    "waits-end": "a dependency on END of the other engine: a command may be missing before it",
    "unwritten": "local memory that is read before anything is written to it",
    "part-unwritten": "local memory of which bytes are read that nothing wrote, in an operand that was written in part",
    "unread": "a result in local memory that nothing reads",
    "repeated": "a command equal to the one before it, which changes nothing",
    "repeated-in-place": "a command equal to the one before it, which works on its own result",
    "over-operand": "a result that covers a part of an operand of the same command, and begins elsewhere",
    "no-elements": "an operand or a result of the TIU with a size of 0",
    "outside": "an operand that reaches beyond the end of a lane or memory, or lies in none",
}
"""Every rule of this check by name."""
HAZARD_ADVICE = frozenset({"repeated-in-place", "over-operand"})
"""Rules that are unusual rather than wrong."""
_RACES = ("read-after-write", "write-after-read", "write-after-write")
MOST = 1_000
"""Findings of one rule and group that are listed."""


@dataclass
class HazardReport:
    """What was found.

    Attributes:
        findings: in the order of groups.
        operands, commands: how many were checked.
        waits: how many commands are SENDs or WAITs, or wait for one of the other engine.
        modelled: operands of which all bytes are known.
        omitted: operands whose bytes are not known, how often.
        unchecked: groups that were not checked, with the reason.
    """

    findings: list[Finding] = field(default_factory=list)
    operands: int = 0
    commands: int = 0
    waits: int = 0
    modelled: int = 0
    omitted: Counter[Omission] = field(default_factory=Counter)
    unchecked: list[str] = field(default_factory=list)

    @property
    def partial(self) -> list[str]:
        """Why the absence of findings means nothing: there is nothing to check, or it was not checked."""
        found = [f"hazards not checked: {text}" for text in self.unchecked]
        if not self.commands:
            found.append("no commands to check")
        elif not (self.operands or self.omitted or self.waits):
            found.append("nothing to check: no command has an operand, a message or a dependency")
        elif self.omitted and not self.modelled:
            found.append("hazards not checked: no operand is modelled")
        return found

    def as_json(self) -> dict[str, Any]:
        """For machines: counts, and what is not modelled."""
        left = [
            {"engine": o.engine, "operation": o.op, "operand": o.operand, "reason": o.reason, "count": n}
            for o, n in sorted(self.omitted.items(), key=lambda item: str(item[0]))
        ]
        return {
            "commands": self.commands,
            "operands": self.operands,
            "modelled": self.modelled,
            "not_modelled": left,
            "unchecked": self.unchecked,
        }


class _Groups(JoinedGroups):
    """Streams of groups that are checked together, with what their commands read and write, by lane and row."""

    def __init__(self, memory: ChipMemory | None, groups: Sequence[Sequence[Member]], report: HazardReport) -> None:
        super().__init__(groups)
        self.memory = memory
        self.engines = [one.engine for one in self.lanes]
        parts = []
        self.empty: list[tuple[int, int, str]] = []
        for (index, group), (stream, found) in self.members.items():
            table, omitted, empty = engine_operands(memory, found, index, stream.core)
            first = self.bounds[index][group]
            self.empty += [(index, first + row, operand) for operand, rows in empty for row in rows.tolist()]
            parts.append(replace(table, row=table.row + self.bounds[index][group]))
            report.omitted.update(omitted)
            report.commands += len(found)
        report.waits += sum(int(((one.role != NONE) | (one.dep > 0)).sum()) for one in self.lanes)
        table = join_accesses(parts)
        self.table = table.take(np.lexsort((table.row, table.lane_of)))
        report.operands += len(self.table)
        report.modelled += int((self.table.part == 0).sum())

    def finding(self, rule: str, index: int, row: int, text: str, **details: Any) -> Finding:
        """A finding at a command of an engine."""
        stream, found, row = self.at(index, row)
        at = stream.offset + int(found.offset[row])
        return Finding(rule, stream.name, text, int(found.id[row]), at, details)

    def named(self, index: int, row: int) -> str:
        """A command in words: engine, id, operation."""
        stream, found, here = self.at(index, row)
        core = f"core {stream.core} " if len({one.core for one in self.lanes}) > 1 else ""
        return f"{core}{found.engine.name} {self.command(index, row)} ({found.op(here)})"

    def operand(self, place: int) -> str:
        """An operand in words."""
        table = self.table
        shape = "x".join(str(int(getattr(table, axis)[place])) for axis in "nchw")
        what = "the first byte of " if table.part[place] else f"{shape} elements of {int(table.size[place])} bytes, "
        at = f"{_memory(int(table.memory[place]))} "
        if table.lanes[place] > 1:
            first, last = int(table.first_lane[place]), int(table.last_lane[place])
            at += f"lane {first} " if first == last else f"lanes {first} to {last} "
        at += f"{int(table.offset[place]):#x} to {int(table.end[place]) - 1:#x}"
        return f"{OPERANDS[int(table.operand[place])]} ({what}{at})"

    def place(self, at: int) -> dict[str, Any]:
        """A command and its operand for machines."""
        table = self.table
        stream, found, row = self.at(int(table.lane_of[at]), int(table.row[at]))
        return {
            "stream": stream.name,
            "core": stream.core,
            "group": stream.group,
            "engine": found.engine.name,
            "id": int(found.id[row]),
            "operation": found.op(row),
            "operand": OPERANDS[int(table.operand[at])],
            "access": "write" if table.write[at] else "read",
            "memory": _memory(int(table.memory[at])),
            "lane": int(table.lane[at]),
            "start": int(table.offset[at]),
            "end": int(table.end[at]),
            "shape": [int(getattr(table, axis)[at]) for axis in "nchw"],
            "strides": [int(getattr(table, f"{axis}_stride")[at]) for axis in ("n", "row", "h", "w")],
            "element_bytes": int(table.size[at]),
        }


def _memory(index: int) -> str:
    if index <= 0:
        return "no memory" if index else "global memory"
    core, static = divmod(index - 1, 2)
    return f"{'static' if static else 'local'} memory of core {core}"


def check_hazards(
    chip: Chip,
    streams: Iterable[CommandStream],
    file: str | PathLike[str] | None = None,
    step: Callable[[], None] = lambda: None,
) -> HazardReport:
    """Find commands of different engines that touch the same bytes in no order, and what missing commands leave behind.

    Groups of several cores, or with messages, are compared with each other. Streams that cannot be decoded to their end are left
    out; :func:`~goldbeat.pymodels.tpu.streams.checks.check_streams` tells why.

    Args:
        chip: whose streams they are.
        streams: of one file, or bare ones that belong together.
        file: for messages.
        step: called behind each group.
    """
    report = HazardReport()
    members = [(stream, one) for stream in streams for one in commands(chip, stream, file, strict=False).values()]
    last: dict[tuple[int, int, int], int] = {}
    for stream, _ in members:
        subnet = stream.net, stream.stage, stream.subnet
        last[subnet] = max(last.get(subnet, 0), stream.group)
    for groups in groups_together(members):
        one, final = groups[0][0][0], groups[-1][0][0]
        subnet = one.net, one.stage, one.subnet
        _check_groups(chip, groups, report, first=one.group == 0, last=final.group == last[subnet])
        for _ in groups:
            step()
    return report


def said_of_races(chip: Chip, streams: Iterable[CommandStream]) -> str:
    """Why a result of these streams is one of several; empty: no commands race.

    Args:
        chip: whose streams they are.
        streams: of one file, or bare ones that belong together.
    """
    found = [one for one in check_hazards(chip, streams).findings if one.rule in _RACES]
    if not found:
        return ""
    first = found[0]
    return (
        f"{len(found)} hazard(s), the first {first.rule} in {first.stream}: the result is one of several; see tpu check"
    )


def _check_groups(chip: Chip, groups: list[list[Member]], report: HazardReport, *, first: bool, last: bool) -> None:
    name = groups[0][0][0].name.rsplit(".", 1)[0]
    if any(p.fatal for members in groups for _, found in members for p in found.problems):
        report.unchecked.append(f"{name}: not decoded to its end")
        return
    memory = chip_memory(chip.name)
    group = _Groups(memory, groups, report)
    report.findings += islice(_repeated(group), MOST)
    report.findings += islice(_waits_for_end(group), MOST)
    report.findings += islice(_empty(group), MOST)
    order = Order(group.lanes, group.bounds)
    report.findings += islice(_reused(group, order), MOST)
    if memory is None:
        return
    if not order.complete:
        report.unchecked.append(f"{name}: messages that never arrive{_stuck(group, order)}")
        return
    report.findings += islice(_outside(group, memory), MOST)
    report.findings += islice(_over_operands(group, memory), MOST)
    races = islice(find_races(order, group.table, memory.lane_bytes), MOST)
    found = [_hazard(group, order, race) for race in races]
    report.findings += found
    # Where commands race, what is read and written depends on luck.
    if not found and {"tiu", "gdma"} <= set(group.engines):
        report.findings += islice(_dataflow(group, first=first, last=last), MOST)


def _stuck(group: _Groups, order: Order) -> str:
    """The first WAIT that is never granted, with its message."""
    if not order.stuck:
        return ""
    index, row = order.stuck[0]
    stream, found, here = group.at(index, row)
    at = stream.offset + int(found.offset[here])
    more = f" ({len(order.stuck) - 1} more such)" if len(order.stuck) > 1 else ""
    wait = f"{group.named(index, row)} of {stream.name} waits for message {int(group.lanes[index].message[row])}"
    return f": {wait}{more} (byte {at:#x})"


def _over_operands(group: _Groups, memory: ChipMemory) -> Iterator[Finding]:
    table = group.table
    for one, two, lane, byte in shifted_results(table, memory.lane_bytes):
        at = int(table.lane_of[one]), int(table.row[one])
        place = f"lane {lane} byte {byte:#x}" if table.lanes[one] > 1 else f"byte {byte:#x}"
        text = f"{group.named(*at)} writes {group.operand(one)} over its own {group.operand(two)} from {place} on; "
        yield group.finding("over-operand", *at, f"{text}what it reads there depends on the order of the hardware")


def _hazard(group: _Groups, order: Order, race: Race) -> Finding:
    table = group.table
    kind = race.kind(table)
    one, two = ((int(table.lane_of[p]), int(table.row[p])) for p in (race.first, race.second))
    verb = ["writes" if table.write[p] else "reads" for p in (race.first, race.second)]
    needed, engine = int(group.lanes[one[0]].id[one[1]]), group.engines[one[0]]
    if order.partner[two[0]] == one[0]:
        dep = group.lanes[two[0]].dep[two[1]]
        told = f"it waits for {engine} command {int(dep)}" if dep else f"it waits for no {engine} command"
        edge = f"{told}, expected {needed} or later"
    else:
        edge = "no chain of dependencies and messages orders them"
    lane_text = f"lane {race.lane} " if table.lanes[race.first] > 1 else ""
    text = f"{group.named(*two)} {verb[1]} {group.operand(race.second)}, which {group.named(*one)} {verb[0]} as "
    text += f"{group.operand(race.first)}; both reach {lane_text}byte {race.byte:#x}; {edge}"
    return group.finding(
        kind,
        *two,
        text,
        first=group.place(race.first),
        second=group.place(race.second),
        overlap={"memory": _memory(int(table.memory[race.first])), "lane": race.lane, "byte": race.byte},
        missing={"before": needed, "engine": engine, "core": group.lanes[one[0]].core, "known": race.waits},
    )


def _repeated(group: _Groups) -> Iterator[Finding]:
    """Equal commands one after the other; where ids are in the head, all but the id."""
    table = group.table
    for (index, number), (_, found) in group.members.items():
        first = group.bounds[index][number]
        system = np.array([is_system(kind) for kind in found.engine.kinds], np.bool_)[found.kind]
        same = np.flatnonzero((np.diff(found.kind) == 0) & ~system[1:] & (np.diff(found.segment) == 0)) + 1
        mine = table.lane_of == index
        for row in (same[_equal(found, same)] + first).tolist():
            here = np.flatnonzero(mine & (table.row == row))
            rule = "repeated-in-place" if _in_place(table, here) else "repeated"
            yield group.finding(rule, index, row, f"{group.named(index, row)} is the same as the one before it")


def _equal(found: Commands, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """(n,) whether commands have the bytes of those before them, but for the id."""
    equal = np.zeros(len(rows), np.bool_)
    lengths = found.length[rows]
    bit, width = found.engine.head.get("id", (0, 0))
    for length in np.unique(lengths).tolist():
        mine = np.flatnonzero(lengths == length)
        span = np.arange(length)
        mask = (((1 << 8 * length) - 1) & ~(((1 << width) - 1) << bit)).to_bytes(length, "little")
        keep = np.frombuffer(mask, np.uint8)
        # Most differ in their first bytes already.
        for part in (span[: length // 2], span[length // 2 :]):
            two = [found.data[found.offset[rows[mine] - back][:, None] + part] & keep[part] for back in (0, 1)]
            mine = mine[(two[0] == two[1]).all(axis=1)]
        equal[mine] = True
    return equal


def _empty(group: _Groups) -> Iterator[Finding]:
    for index, row, operand in sorted(group.empty):
        text = f"{operand} of {group.named(index, row)} has a size of 0, expected 1 or more elements along each axis"
        yield group.finding("no-elements", index, row, text)


def _in_place(table: Accesses, here: npt.NDArray[np.int64]) -> bool:
    """Whether a command reads from where it writes, as far as its operands are known."""
    write = table.write[here] > 0
    for a in here[write]:
        for b in here[~write]:
            if table.memory[a] == table.memory[b] and table.offset[a] < table.end[b] and table.offset[b] < table.end[a]:
                return True
    return not len(here)


def _reused(group: _Groups, order: Order) -> Iterator[Finding]:
    for one in order.early:
        command, waiter = group.named(*one.command), group.named(*one.waiter)
        text = (
            f"{command} uses message {one.message} again, and nothing orders it behind {waiter}, which may still wait"
        )
        yield group.finding("message-reuse", *one.command, f"{text}; expected another message, or a barrier in between")


def _waits_for_end(group: _Groups) -> Iterator[Finding]:
    place = {(one.core, one.engine): index for index, one in enumerate(group.lanes)}
    for (index, number), (stream, found) in group.members.items():
        other = place.get((stream.core, OTHER.get(found.engine.name, "")))
        if other is None or (other, number) not in group.members:
            continue
        theirs = group.members[other, number][1]
        ends = {(int(theirs.segment[row]), int(theirs.id[row])) for row in np.flatnonzero(theirs.is_end)}
        for segment, last in sorted(one for one in ends if one[1]):
            for row in np.flatnonzero((found.dep == last) & (found.segment == segment)).tolist():
                row += group.bounds[index][number]
                text = f"{group.named(index, row)} waits for {theirs.engine.name} command {last}, which is END"
                yield group.finding("waits-end", index, row, text)


def _outside(group: _Groups, memory: ChipMemory) -> Iterator[Finding]:
    table = group.table
    local, static = table.lanes > 1, (table.lanes == 1) & (table.memory > 0)
    for where, expected in (
        (table.memory < 0, "an address of a memory"),
        (local & (table.lane >= memory.lanes), f"one of the {memory.lanes} lanes"),
        (local & (table.end > memory.lane_bytes), f"at most {memory.lane_bytes:#x} bytes in a lane"),
        (static & (table.end > STATIC_BYTES), f"at most {STATIC_BYTES:#x} bytes of static memory"),
    ):
        for place in np.flatnonzero(where).tolist():
            index, row = int(table.lane_of[place]), int(table.row[place])
            text = f"{group.named(index, row)} {'writes' if table.write[place] else 'reads'} {group.operand(place)}"
            yield group.finding("outside", index, row, f"{text}, expected {expected}")


def _part_unwritten(group: _Groups, time: npt.NDArray[np.int64], whole: npt.NDArray[np.int64]) -> Iterator[Finding]:
    """Operands written in part; those of which nothing was written are another rule's."""
    assert group.memory is not None
    passing, left = idle(group.table), set(whole.tolist())
    for one in unwritten_bytes(group.table, time, group.memory.lane_bytes):
        if one.place in left or passing[one.place]:
            continue
        index, row = int(group.table.lane_of[one.place]), int(group.table.row[one.place])
        text = (
            f"{group.named(index, row)} reads {group.operand(one.place)}; nothing wrote {one.count} of its bytes: {one}"
        )
        spans = [{"lane": lane, "start": start, "end": end} for lane, start, end in one.spans[:MOST]]
        yield group.finding("part-unwritten", index, row, text, operand=group.place(one.place), unwritten=spans)


def _dataflow(group: _Groups, *, first: bool, last: bool) -> Iterator[Finding]:
    times = schedule(group.lanes, [1] * len(group.lanes), group.bounds)
    if times.blocked:
        return
    time = np.zeros(len(group.table), np.int64)
    for index, start in enumerate(times.start):
        mine = group.table.lane_of == index
        time[mine] = start[group.table.row[mine]]
    found: list[tuple[str, npt.NDArray[np.int64], str]] = []
    if first:
        found.append(("unwritten", never_written(group.table, time), "reads {}, which nothing wrote before"))
        yield from _part_unwritten(group, time, found[0][1])
    if last:
        found.append(("unread", never_read(group.table, time), "writes {}, which nothing reads"))
    for rule, places, text in found:
        for place in places.tolist():
            index, row = int(group.table.lane_of[place]), int(group.table.row[place])
            what = text.format(group.operand(place))
            yield group.finding(rule, index, row, f"{group.named(index, row)} {what}", operand=group.place(place))
