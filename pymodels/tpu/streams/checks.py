# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with command streams beyond their framing: ids, dependencies, counts, barriers, deadlock."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np

from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.container import Container, commands
from goldbeat.pymodels.tpu.streams.decode import Commands, places
from goldbeat.pymodels.tpu.streams.framing import RULES as FRAMING
from goldbeat.pymodels.tpu.streams.groups import JoinedGroups, Member, groups_together
from goldbeat.pymodels.tpu.streams.schedule import OTHER, SEND, WAIT, Lane, lane, schedule
from goldbeat.pymodels.tpu.streams.tables import Chip, CommandForm
from goldbeat.pymodels.tpu.streams.uses import MessageUse, MessageUses

RULES = {
    **FRAMING,
    "checksum": "coefficients whose bytes are not those of the checksum in the container",
    "count": "another number of commands than the container says",
    "length": "another length of the commands than the container says",
    "id-order": "ids that do not go 1, 2, 3, ...",
    "id-width": "more commands in a group than ids can count",
    "never-met": "a dependency on a command that the other engine never reaches",
    "dep-order": "a dependency on an earlier command than a command before it waited for, or on none",
    "sync-count": "a message whose SENDs, WAITs and counts do not agree across engines and cores",
    "deadlock": "commands that wait for each other",
}
"""Every rule by name."""
ADVICE = frozenset({"dep-order"})
"""Rules that are unusual rather than wrong: they do not fail a check."""
_SHOWN = 16
_PLACE = re.compile(r"(?:net(\d+)[.]stage(\d+)[.])?core(\d+)[.]sub(\d+)(?:[.]g(\d+))?")


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong.

    Attributes:
        rule: of :data:`RULES`.
        stream: its name, empty for the whole file.
        text: what.
        id: of the command, None where there is none.
        offset: byte offset in the file, None where there is none.
        details: more for machines.
    """

    rule: str
    stream: str
    text: str
    id: int | None = None
    offset: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        where = f"{self.stream}: " if self.stream else ""
        at = "" if self.offset is None else f" (byte {self.offset:#x})"
        return f"{self.rule}: {where}{self.text}{at}"

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        found = {"rule": self.rule, "stream": self.stream, "text": self.text, "id": self.id, "offset": self.offset}
        return {**found, **self.details}


def stream_place(name: str) -> tuple[int, int, int, int, int] | None:
    """Net, stage, core, sub-net and group out of a stream's name, None if it has another form."""
    found = _PLACE.match(name)
    if found is None:
        return None
    net, stage, core, sub, group = (int(part or 0) for part in found.groups())
    return net, stage, core, sub, group


def check_streams(
    chip: Chip,
    streams: Iterable[CommandStream],
    container: Container | None = None,
    file: str | PathLike[str] | None = None,
) -> list[Finding]:
    """Check all streams of a file.

    Args:
        chip: whose streams they are.
        streams: of one container, or bare ones.
        container: where they come from; without one, engines whose streams are not there are not held to anything.
        file: for messages.
    """
    found: list[Finding] = []
    if container is not None:
        found += [
            Finding(
                "checksum", one.name, f"found {one.found[:16]}..., expected {one.expected[:16]}...", None, one.offset
            )
            for one in container.coefficients()
            if not one.ok
        ]
    members: list[Member] = []
    broken: set[tuple[int, int, int, int]] = set()
    for stream in streams:
        for commands_ in commands(chip, stream, file, strict=False).values():
            here = list(_framing(stream, commands_))
            found += here
            fatal = any(p.fatal for p in commands_.problems)
            if fatal:
                broken.add(_group(stream))
            found += _alone(chip, stream, commands_, fatal)
            members.append((stream, commands_))
    for groups in groups_together(members):
        # Behind a broken head nothing is known of the rest: waiting for it is no finding of its own.
        if not any(_group(group[0][0]) in broken for group in groups):
            found += _together(groups, container is not None or chip.magic is not None)
    return found


def _group(stream: CommandStream) -> tuple[int, int, int, int]:
    return stream.net, stream.stage, stream.subnet, stream.group


def failed(findings: Iterable[Finding]) -> bool:
    """Whether any of them is more than advice."""
    return any(one.rule not in ADVICE for one in findings)


def _framing(stream: CommandStream, found: Commands) -> Iterable[Finding]:
    for problem in found.problems:
        text = f"found {problem.found}, expected {problem.expected}"
        yield Finding(problem.rule, stream.name, text, None, stream.offset + problem.offset)


def _first(rows: np.ndarray[Any, Any]) -> tuple[list[int], str]:
    more = len(rows) - _SHOWN
    return [int(row) for row in rows[:_SHOWN]], f" ({more} more)" if more > 0 else ""


def _alone(chip: Chip, stream: CommandStream, found: Commands, fatal: bool) -> Iterable[Finding]:
    """What one engine's stream says about itself."""
    name, n = stream.name, len(found)
    at = stream.offset + found.offset
    if stream.count is not None and chip.magic is None and not fatal and stream.count != n:
        yield Finding("count", name, f"found {n} commands, expected {stream.count}")
    if stream.bytes is not None and chip.magic is None:
        used = int(found.offset[-1] + found.length[-1]) if n else 0
        if not used <= stream.bytes <= len(stream.data):
            text = f"found {stream.bytes} bytes of commands, expected {used} (used) to {len(stream.data)} (there)"
            yield Finding("length", name, text)
    if "id" in found.engine.head:
        expected = places(found.segment) + 1
        wrong = np.flatnonzero(found.id != expected)
        if len(wrong):
            row = int(wrong[0])
            text = (
                f"found {found.engine.name} id {int(found.id[row])} at place {row + 1}, expected {int(expected[row])}"
            )
            text += f" ({len(wrong)} ids differ)" if len(wrong) > 1 else ""
            yield Finding("id-order", name, text, int(found.id[row]), int(at[row]))
    width = found.engine.head.get("id", (0, 0))[1] or _dep_width(chip, found.engine.name)
    most = int(np.bincount(found.segment).max(initial=0))
    if width and most >= 1 << width:
        yield Finding("id-width", name, f"found {most} commands in a group, expected at most {(1 << width) - 1}")
    if found.engine.name in OTHER and n:
        yield from _falling(stream, found, chip.magic is None)


def _falling(stream: CommandStream, found: Commands, every: bool) -> Iterable[Finding]:
    """Commands that wait for less than one before them.

    System commands, which touch no tensors, may wait for nothing; ``every`` other command may not.
    """
    system = np.array([is_system(kind) or not kind.has_dep for kind in found.engine.kinds], np.bool_)[found.kind]
    rows = np.flatnonzero((~system & every) | (found.dep > 0))
    dep, segment = found.dep[rows], found.segment[rows].astype(np.int64)
    most = np.maximum.accumulate((segment << 32) + dep)
    falling = rows[(segment << 32) + dep < most]
    if not len(falling):
        return
    row = int(falling[0])
    what = (
        f"waits for {OTHER[found.engine.name]} command {int(found.dep[row])}" if found.dep[row] else "waits for nothing"
    )
    text = f"command {int(found.id[row])} {what}, a command before it for one later"
    text += f" ({len(falling)} such)" if len(falling) > 1 else ""
    yield Finding("dep-order", stream.name, text, int(found.id[row]), stream.offset + int(found.offset[row]))


def is_system(kind: CommandForm) -> bool:
    """Whether commands of a form are END, messages or registers."""
    return "sys" in kind.name.lower()


def _dep_width(chip: Chip, engine: str) -> int:
    other = chip.engines.get(OTHER.get(engine, ""))
    return 0 if other is None else other.head.get("dep", (0, 0))[1]


def _together(groups: Sequence[Sequence[Member]], complete: bool) -> Iterable[Finding]:
    """What the engines and cores of groups that are checked together say about each other."""
    never = [
        one
        for members in groups
        for one in _never([lane(found, stream.core) for stream, found in members], members, complete)
    ]
    yield from never
    joined = JoinedGroups(groups)
    lanes = joined.lanes
    taken = {(one.core, one.engine) for one in lanes}
    sync = list(_sync(joined)) if complete or len(lanes) > 1 else []
    yield from sync
    hidden = {(f.stream, f.offset) for f in never}
    if not complete:
        # Bare streams: what waits for an engine that was not given is taken as met.
        lanes = [
            one if (one.core, OTHER.get(one.engine, "")) in taken else replace(one, dep=np.zeros_like(one.dep))
            for one in lanes
        ]
        if len(lanes) == 1:
            lanes = [replace(lanes[0], role=np.zeros_like(lanes[0].role))]
    result = schedule(lanes, [1] * len(lanes), joined.bounds)
    if result.blocked and not (sync and not never):
        names = {one.name: index for index, one in enumerate(lanes)}
        for blocked in result.blocked:
            index = names[blocked.lane]
            stream, found, row = joined.at(index, blocked.row)
            at = stream.offset + int(found.offset[row])
            if (stream.name, at) in hidden:
                continue
            command = joined.command(index, blocked.row)
            text = f"{blocked.lane} is stuck at {command}, which waits for {blocked.reason}"
            yield Finding("deadlock", stream.name, text, blocked.id, at)


def _never(lanes: Sequence[Lane], owners: Sequence[Member], complete: bool) -> Iterable[Finding]:
    by_name = {(one.core, one.engine): one for one in lanes}
    for one, (stream, found) in zip(lanes, owners, strict=True):
        if one.engine not in OTHER:
            continue
        other = by_name.get((one.core, OTHER[one.engine]))
        if other is None and not complete:
            continue
        lasts = np.zeros(0, np.int64) if other is None else other.lasts()
        segments = int(found.segment[-1]) + 1 if len(found) else 0
        last = np.pad(lasts, (0, max(0, segments - len(lasts))))[found.segment]
        rows, more = _first(np.flatnonzero(one.dep > last))
        for count, row in enumerate(rows):
            where = f" of segment {int(found.segment[row]) + 1}" if segments > 1 else ""
            text = f"command {int(one.id[row])} ({found.op(row)}){where} waits for {OTHER[one.engine]} "
            text += (
                f"command {int(one.dep[row])}, the last one is {int(last[row])}{more if count == len(rows) - 1 else ''}"
            )
            yield Finding("never-met", stream.name, text, int(one.id[row]), stream.offset + int(found.offset[row]))


def _sync(joined: JoinedGroups) -> Iterable[Finding]:
    """A SEND's count is the number of WAITs to come, a WAIT's that of SENDs needed: both make up the same whole rounds.

    Where a message has several counts, each of its uses is such a round.
    """
    lanes = joined.lanes
    division = MessageUses(lanes, joined.bounds)
    users: dict[int, list[int]] = {}
    for index, one in enumerate(lanes):
        for message in np.unique(one.message[one.role > 0]).tolist():
            users.setdefault(message, []).append(index)
    for message, engines in users.items():
        if message in division.changing:
            yield from _changing(joined, division, message)
            continue
        uses = {role: [_counts(lanes[index], message, role) for index in engines] for role in (SEND, WAIT)}
        first = int(np.flatnonzero((lanes[engines[0]].role > 0) & (lanes[engines[0]].message == message))[0])
        stream = joined.at(engines[0], first)[0].name
        many = {role: sum(map(len, listed)) for role, listed in uses.items()}
        waits, sends = (next((n for found in uses[role] for n in found), 0) for role in (SEND, WAIT))
        if waits and sends and many[SEND] % sends == 0 and many[SEND] * waits == many[WAIT] * sends:
            continue
        text = f"message {message}: {many[SEND]} SENDs, each for {waits} WAITs, and {many[WAIT]} WAITs, each for {sends} SENDs"
        each = list(zip(engines, *uses.values(), strict=True))
        odd = [f"{lanes[i].name} has {len(s)} SENDs and {len(w)} WAITs" for i, s, w in each if len(s) != len(w)]
        yield Finding("sync-count", stream, "; ".join([text, *odd[:_SHOWN]]))


def _changing(joined: JoinedGroups, division: MessageUses, message: int) -> Iterable[Finding]:
    """Uses of a message whose counts change: SENDs and WAITs of one use agree."""
    lanes, uses = joined.lanes, division.uses.get(message, [])
    for number, use in enumerate(uses, 1):
        # What something else stops is a finding of its own.
        if division.agrees(use) or not (use.cleared or division.ended or message in division.stuck):
            continue
        label = f"message {message}: " + (f"use {number}: " if len(uses) > 1 else "")
        said: dict[int, set[int]] = {}
        for index, row in (*use.sends, *use.waits):
            said.setdefault(index, set()).add(int(lanes[index].count[row]))
        odd, usual = _odd(lanes, use)
        if odd is None:
            sends, waits = (int(lanes[one[0][0]].count[one[0][1]]) if one else 0 for one in (use.waits, use.sends))
            odd = (*use.sends, *use.waits)[0]
            text = f"{len(use.sends)} SENDs, each for {waits} WAITs, and {len(use.waits)} WAITs, each for {sends} SENDs"
            text += f"; {lanes[odd[0]].name} {joined.command(*odd)} begins it"
        else:
            who = (f"{lanes[i].name} says {', '.join(map(str, sorted(said[i])))}" for i in sorted(said))
            text = f"counts differ: {'; '.join(who)}; {lanes[odd[0]].name} {joined.command(*odd)} "
            text += f"says {int(lanes[odd[0]].count[odd[1]])}, expected {usual}"
        stream, found, row = joined.at(*odd)
        at = stream.offset + int(found.offset[row])
        yield Finding("sync-count", stream.name, label + text, int(found.id[row]), at)


def _odd(lanes: Sequence[Lane], use: MessageUse) -> tuple[tuple[int, int] | None, int]:
    """The first SEND or WAIT whose count is not that of most others, and theirs."""
    for listed in (use.sends, use.waits):
        each = [int(lanes[index].count[row]) for index, row in listed]
        usual = max(sorted(set(each)), key=each.count, default=0)
        for place, count in zip(listed, each, strict=True):
            if count != usual:
                return place, usual
    return None, 0


def _counts(one: Lane, message: int, role: int) -> list[int]:
    """What the SENDs or the WAITs of an engine on a message say."""
    found: list[int] = one.count[(one.role == role) & (one.message == message)].tolist()
    return found


def bare(stream: CommandStream) -> CommandStream:
    """A bare stream with core, sub-net and group from its name, where that tells them."""
    where = stream_place(stream.name)
    if where is None:
        return stream
    net, stage, core, sub, group = where
    return replace(stream, net=net, stage=stage, core=core, subnet=sub, group=group)
