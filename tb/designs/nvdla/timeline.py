# SPDX-License-Identifier: Apache-2.0
"""Timelines of NVDLA: operations per engine and group, and interrupts, as the host's program makes and sees them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from goldbeat.pymodels.nvdla.engines.registers import csb_register, register_at
from goldbeat.pymodels.nvdla.timed.activity import ENGINES, OPERATIONS
from goldbeat.tb.designs.nvdla.ports import CSB, INTERRUPT
from goldbeat.tb.timeline.compose import OwnRows
from goldbeat.tb.timeline.rows import Column, Entry, Named, Slices
from goldbeat.tb.timeline.side import TimedAccess, TimelineSide

_BITS = {"SDP": 0, "CDP": 2, "PDP": 4, "CDMA": 16, "CACC": 20}
"""Of GLB's interrupt status for group 0 (docs/nvdla-hardware.md); group 1 is the next one."""
_SHIFT = 16
"""Between the groups in S_STATUS."""
_READS = ("read", "poll")
_SEEN = ("S_STATUS", "GLB S_INTR_STATUS", "never")


@dataclass
class _Operation:
    """A group of an engine from the write that enables it to the moment in which the host sees it idle."""

    block: str
    group: int
    begin: int
    first: int
    end: int | None = None
    last: int = -1
    seen: int = 2


def nvdla_timeline(side: TimelineSide) -> OwnRows:
    """Operations and interrupts; memory traffic by id is among the rows of every design."""
    steps = side.accesses.get(CSB.name, ())
    operations = _operations(steps)
    end_ps = max((step.end for step in steps), default=0)
    by_row: dict[str, list[_Operation]] = defaultdict(list)
    for one in operations:
        by_row[f"{one.block} group {one.group}"].append(one)
    entries: list[Entry] = [_row(row, ran, end_ps) for row, ran in sorted(by_row.items())]
    return OwnRows([*entries, *_interrupts(steps), *_at_work(side)])


def _at_work(side: TimelineSide) -> Iterator[Entry]:
    """Of the model: what each engine does, from its start to its status bit, with bytes and waits."""
    rows = side.outcome.details.get(OPERATIONS)
    if rows is None:
        return
    for number, engine in enumerate(ENGINES):
        mine = rows[rows["engine"] == number]
        if len(mine):
            begin, end = (side.moments(CSB.name, mine[name] + 1, behind=False) for name in ("start", "done"))
            args: dict[str, Column] = {name: mine[name] for name in rows.dtype.names or () if name != "engine"}
            yield Slices(f"{engine} at work", begin, end, engine, np.arange(len(mine)), args)


def _operations(steps: Sequence[TimedAccess]) -> list[_Operation]:
    status = csb_register("GLB", "S_INTR_STATUS").address
    pointer: dict[str, int] = defaultdict(int)
    running: dict[tuple[str, int], _Operation] = {}
    found: list[_Operation] = []
    for step in steps:
        access = step.access
        one = register_at(access.address)
        if one is None or access.op not in ("write", "post", *_READS):
            continue
        value = access.value or 0
        if access.op in _READS:
            if access.address == status:
                _done(
                    running,
                    step,
                    [(b, g) for b, bit in _BITS.items() for g in (0, 1) if (step.value or 0) >> bit + g & 1],
                    1,
                )
            elif one.name == "S_STATUS" and step.value is not None:
                idle = [(one.block, g) for g in (0, 1) if not step.value >> _SHIFT * g & 3]
                _done(running, step, idle, 0)
        elif one.name == "S_POINTER":
            pointer[one.block] = value & 1
        elif one.name == "D_OP_ENABLE" and value & 1 and (one.block, pointer[one.block]) not in running:
            made = _Operation(one.block, pointer[one.block], step.begin, step.first)
            running[one.block, made.group] = made
            found.append(made)
    return found


def _done(
    running: dict[tuple[str, int], _Operation], step: TimedAccess, over: Sequence[tuple[str, int]], seen: int
) -> None:
    for key in over:
        if (one := running.pop(key, None)) is not None:
            one.end, one.last, one.seen = step.end, step.last, seen


def _row(row: str, ran: Sequence[_Operation], end_ps: int) -> Slices:
    begin = np.array([one.begin for one in ran], np.int64)
    end = np.array([end_ps if one.end is None else one.end for one in ran], np.int64)
    args: dict[str, Column] = {
        "enabled_cycle": np.array([one.first for one in ran], np.int64),
        "seen_cycle": np.array([one.last for one in ran], np.int64),
        "seen_in": Named(_SEEN, np.array([one.seen for one in ran], np.int64)),
    }
    return Slices(row, begin, end, ran[0].block, np.arange(len(ran)), args)


def _interrupts(steps: Sequence[TimedAccess]) -> Iterator[Entry]:
    """What the host waits for at the interrupt, and the status bits that it reads."""
    waits = [step for step in steps if step.access.op == "wait_for" and step.access.port == INTERRUPT.name]
    if waits:
        yield Slices(
            f"{INTERRUPT.name}",
            np.array([step.begin for step in waits], np.int64),
            np.array([step.end for step in waits], np.int64),
            Named(("wait for 0", "wait for 1"), np.array([step.access.wanted & 1 for step in waits], np.int64)),
            None,
            {"first_cycle": np.array([s.first for s in waits]), "last_cycle": np.array([s.last for s in waits])},
        )
