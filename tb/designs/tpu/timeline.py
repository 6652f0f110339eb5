# SPDX-License-Identifier: Apache-2.0
"""Timelines of the front end: commands per engine, and what they waited for as arrows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.tpu.front_end.kinds import BLOCK
from goldbeat.pymodels.tpu.streams.decode import Commands, decode_stream
from goldbeat.pymodels.tpu.streams.schedule import SEND, WAIT, Lane, lane
from goldbeat.pymodels.tpu.streams.tables import chip
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.designs.tpu.scene import CHIP_TABLES, ENGINES
from goldbeat.tb.timeline.compose import OwnRows
from goldbeat.tb.timeline.rows import Arrows, Column, Entry, Named, Numbers, Slices
from goldbeat.tb.timeline.side import TimelineSide

_ROLES = ("", "SEND", "WAIT")
_ID_SHIFT = 10


@dataclass(frozen=True, eq=False)
class _Ran:
    """What an engine has dispatched.

    Attributes:
        core, engine: which.
        row: its row.
        trace: the dispatch port's.
        start: (n,) cycle of each command's dispatch.
        end: (n,) the first cycle behind each command; of one that has not ended, the cycle behind its dispatch.
        lane: decoded; None where the bytes are none that the tables know.
        names: of the operations.
    """

    core: int
    engine: int
    row: str
    trace: Trace
    start: Numbers
    end: Numbers
    lane: Lane | None
    names: Named

    @property
    def id(self) -> Numbers:
        assert self.trace.tuser is not None
        return (self.trace.tuser >> np.uint64(_ID_SHIFT)).astype(np.int64)


def tpu_timeline(side: TimelineSide) -> OwnRows:
    """A row per engine with its commands, arrows for ids and messages that they waited for."""
    cores, engines = int(side.params["CORES"]), int(side.params["ENGINES"])
    ran = [_ran(side, core, engine, engines) for core in range(cores) for engine in range(engines)]
    entries: list[Entry] = []
    for one in ran:
        entries.append(_commands(side, one))
    for core in range(cores):
        for one in ran:
            if one.core == core:
                others = [o for o in ran if o.core == core and (o.engine == 1 if one.engine == 0 else o.engine == 0)]
                entries += [arrow for other in others for arrow in _dependencies(side, one, other)]
    entries += _messages(side, ran)
    covered = {"start", *(f"{name}_{n}" for n in range(cores * engines) for name in ("m_axis", "evt"))}
    return OwnRows(entries, frozenset(covered))


def _ran(side: TimelineSide, core: int, engine: int, engines: int) -> _Ran:
    number = core * engines + engine
    trace, events = side.outcome.ports[f"m_axis_{number}"], side.outcome.ports[f"evt_{number}"]
    start = trace.cycle
    # Commands end in order, one event each.
    end = start + 1
    done = events.cycle[: len(start)]
    end[: len(done)] = np.maximum(done, end[: len(done)])
    decoded = _decoded(side, engine, trace)
    row = f"core {core} {ENGINES[engine].upper()}"
    if decoded is None:
        assert trace.tuser is not None
        kinds = (trace.tuser & np.uint64((1 << _ID_SHIFT) - 1)).astype(np.int64)
        names, index = np.unique(kinds, return_inverse=True)
        return _Ran(core, engine, row, trace, start, end, None, Named([f"kind {n:#x}" for n in names.tolist()], index))
    return _Ran(core, engine, row, trace, start, end, lane(decoded, core), _names(decoded))


def _decoded(side: TimelineSide, engine: int, trace: Trace) -> Commands | None:
    table = chip(CHIP_TABLES[int(side.params["CHIP"])]).engine(ENGINES[engine])
    try:
        found = decode_stream(table, _stream(trace), strict=False)
    except GoldbeatError:
        return None
    # Damaged streams, and broken RTL, dispatch bytes that are no commands.
    return found if len(found) == len(trace) else None


def _stream(trace: Trace) -> bytes:
    """The commands as streams have them: what follows an END begins with a block of its own."""
    groups = []
    for first, end in trace.frame_bounds().tolist():
        raw = trace.data[first:end][trace.keep[first:end]].tobytes()
        groups.append(raw.ljust(-(-len(raw) // BLOCK) * BLOCK, b"\0"))
    return b"".join(groups)


def _names(commands: Commands) -> Named:
    """What each operation is called; a name is looked up once for each kind and function."""
    keys = commands.kind.astype(np.int64) << 16 | commands.func.astype(np.int64)
    _, first, index = np.unique(keys, return_index=True, return_inverse=True)
    return Named([commands.op(int(row)) for row in first], index)


def _commands(side: TimelineSide, one: _Ran) -> Slices:
    n = len(one.start)
    args: dict[str, Column] = {"id": one.id, "cycle": one.start, "cycles": one.end - one.start}
    if one.lane is not None:
        role = one.lane.role.astype(np.int64)
        args["waits_for_id"] = one.lane.dep.astype(np.int64)
        if role.any():
            args |= {"role": Named(_ROLES, role), "message": one.lane.message, "count": one.lane.count}
    begin, end = side.beats(one.trace, one.start), side.beats(one.trace, one.end)
    assert len(begin) == n
    return Slices(one.row, begin, end, one.names, None, args, ("cycles",))


def _last_cycle(side: TimelineSide, one: _Ran, rows: npt.NDArray[np.int64]) -> Numbers:
    """The last cycle of commands, in which an arrow that leaves them begins."""
    return side.beats(one.trace, one.end[rows] - 1)


def _dependencies(side: TimelineSide, one: _Ran, other: _Ran) -> Iterator[Entry]:
    """From the command that had the id waited for: ids begin anew in every group, so it is the latest that has ended."""
    if one.lane is None or not len(other.start):
        return
    waiting = np.flatnonzero(one.lane.dep > 0)
    # Sorted by id and end, the command in question is the one right before (id, start).
    span = int(max(one.start.max(initial=0), other.end.max(initial=0))) + 2
    keys = other.id * span + other.end
    order = np.argsort(keys, kind="stable")
    wanted = one.lane.dep[waiting].astype(np.int64) * span + one.start[waiting]
    at = np.searchsorted(keys[order], wanted, "right") - 1
    found = order[np.maximum(at, 0)]
    met = (at >= 0) & (other.id[found] == one.lane.dep[waiting])
    rows, sources = waiting[met], found[met]
    if len(rows):
        begin = side.beats(one.trace, one.start[rows])
        yield Arrows("dependency", other.row, _last_cycle(side, other, sources), one.row, begin)


def _messages(side: TimelineSide, ran: Sequence[_Ran]) -> list[Entry]:
    """From the SEND that completed what a WAIT counts, to the WAIT."""
    events: dict[int, list[tuple[int, int, int, int, int]]] = defaultdict(list)
    for number, one in enumerate(ran):
        if one.lane is None:
            continue
        for row in np.flatnonzero(one.lane.role > 0).tolist():
            sends = one.lane.role[row] == SEND
            # A WAIT is granted before its dispatch, and before the SENDs of the same edge count.
            when = int(one.end[row]) - 1 if sends else int(one.start[row]) - 1
            events[int(one.lane.message[row])].append(
                (when, SEND if sends else WAIT, number, row, int(one.lane.count[row]))
            )
    pairs: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for found in events.values():
        for sent, awaited in _met(sorted(found, key=lambda event: (event[0], -event[1]))):
            pairs[sent[0], awaited[0]].append((sent[1], awaited[1]))
    entries: list[Entry] = []
    for (source_of, target_of), rows in pairs.items():
        source, target = ran[source_of], ran[target_of]
        sends, waits = (np.array(column, np.int64) for column in zip(*rows, strict=True))
        begin = side.beats(target.trace, target.start[waits])
        entries.append(Arrows("message", source.row, _last_cycle(side, source, sends), target.row, begin))
    return entries


_Place = tuple[int, int]


def _met(events: Sequence[tuple[int, int, int, int, Any]]) -> Iterator[tuple[_Place, _Place]]:
    """The SEND and the WAIT of each arrow of one message, by engine and command (docs/tpu-engine.md, Messages)."""
    sent: list[_Place] = []
    left = 0
    for _, role, number, row, count in events:
        if role == SEND:
            sent.append((number, row))
            left = count
            continue
        if len(sent) >= count > 0:
            yield sent[count - 1], (number, row)
        left -= 1
        if left <= 0:
            # What was sent since counts for the next ones.
            sent = sent[count:]
