# SPDX-License-Identifier: Apache-2.0
"""What a compiled model did on the front end: stalls and their reasons, utilisation, operations, the compiler's timeline."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.streams.schedule import OTHER, WAIT, lane
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.measurements import MeasurementTable, RunAnswer
from goldbeat.tb.designs.tpu.model_case import Model, dispatched, model_of, unit_of
from goldbeat.tb.designs.tpu.scene import ENGINES

REASONS = ("dependency", "message", "fetch", "group")
"""What an engine waits for: an id of another engine, a SEND, its stream (or its consumer), the end of a group."""
_SHOWN = 12
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class EngineRan:
    """The commands of an engine in one group.

    Attributes:
        start, end: (n,) first and last cycle of each.
        stall: (n, reasons) cycles before the start.
        names: operations.
        planned: (n,) start by the profile, -1: it does not say.
    """

    core: int
    group: int
    engine: int
    id: Numbers
    start: Numbers
    end: Numbers
    stall: Numbers
    names: list[str]
    planned: Numbers


Times = dict[tuple[int, int, int], tuple[Numbers, Numbers]]
"""First and last cycle of each command, by core, group and engine."""


def _times(context: CaseContext, record: Any, model: Model) -> Times | None:
    """None if not all commands have ended."""
    engines = int(context.params["ENGINES"])
    made: Times = {}
    used: Counter[tuple[int, int]] = Counter()
    for (core, group, engine), part in sorted(model.parts.items()):
        first = used[core, engine]
        used[core, engine] += len(part.rows)
        start = dispatched(context, record, core, engine).cycle[first : used[core, engine]]
        end = record.outcome.ports[f"evt_{core * engines + engine}"].cycle[first : used[core, engine]] - 1
        if len(end) < len(part.rows):
            return None
        made[core, group, engine] = (start, end)
    return made


def _stall(model: Model, times: Times, key: tuple[int, int, int], before: Numbers) -> Numbers:
    """(n, reasons) cycles before each command; ``before``: the last cycle of the command before it."""
    part, (start, _) = model.parts[key], times[key]
    one = part.commands
    stall = np.zeros((len(start), len(REASONS)), np.int64)
    left = start - before - 1
    name = OTHER.get(one.engine.name)
    other = (key[0], key[1], ENGINES.index(name)) if name is not None else key
    if name is not None and other in model.parts:
        theirs = model.parts[other]
        ids = np.maximum.accumulate(theirs.commands.id[theirs.rows])
        dep = one.dep[part.rows]
        place = np.searchsorted(ids, dep)
        there = (dep > 0) & (place < len(ids))
        met = np.where(there, times[other][1][np.minimum(place, len(ids) - 1)], -1)
        held = np.clip(met - before, 0, left)
        stall[:, REASONS.index("dependency")] = held
        left = left - held
    stall[0, REASONS.index("group")], left[0] = left[0], 0
    waits = lane(one, key[0]).role[part.rows] == WAIT
    stall[:, REASONS.index("message")] = np.where(waits, left, 0)
    stall[:, REASONS.index("fetch")] = np.where(waits, 0, left)
    return stall


def _ran(context: CaseContext, record: Any, model: Model) -> list[EngineRan]:
    """What ran; empty if not all commands have ended."""
    times = _times(context, record, model)
    made = []
    last: dict[tuple[int, int], int] = {}
    begin = min((int(start[0]) for start, _ in (times or {}).values() if len(start)), default=0)
    for key, (start, end) in (times or {}).items():
        if not len(start):
            continue
        core, group, engine = key
        before = np.concatenate([[last.get((core, engine), begin - 1)], end[:-1]])
        stall = _stall(model, times or {}, key, before)
        last[core, engine] = int(end[-1])
        part = model.parts[key]
        ids = part.commands.id[part.rows]
        made.append(EngineRan(core, group, engine, ids, start, end, stall, part.operations, part.start))
    return made


def timeline_verdict(ran: list[EngineRan], unit: int) -> dict[str, Any]:
    """How the run agrees with the compiler's timeline: every command starts in the cycle that the profile has.

    Within a group, cycles count from the command that starts first; one cycle of the profile is ``unit`` of the front end.
    """
    equal = compared = 0
    first: str | None = None
    for key in sorted({(one.core, one.group) for one in ran}):
        here = [(one, np.flatnonzero(one.planned >= 0)) for one in ran if (one.core, one.group) == key]
        here = [(one, rows) for one, rows in here if len(rows)]
        if not here:
            continue
        lead, rows = min(here, key=lambda pair: int(pair[0].planned[pair[1][0]]))
        late = int(lead.start[rows[0]]) - unit * int(lead.planned[rows[0]])
        for one, rows in here:
            found = (one.start[rows] - late) // unit
            wrong = np.flatnonzero(found != one.planned[rows])
            compared, equal = compared + len(rows), equal + len(rows) - len(wrong)
            if len(wrong) and first is None:
                row = int(rows[wrong[0]])
                what = f"core {one.core} {ENGINES[one.engine]} command {int(one.id[row])} ({one.names[row]})"
                first = f"{what} starts in cycle {int(found[wrong[0]])}, in the profile in {int(one.planned[row])}"
    return {"equal": compared > 0 and equal == compared, "compared": compared, "same": equal, "first": first}


def model_answer(context: CaseContext, stimulus: Any, record: Any) -> RunAnswer | None:
    """Stalls, utilisation and operations of each engine; None for a case without a model."""
    if "bmodel" not in context.options:
        return None
    model = model_of(context.options)
    subject = Path(str(context.options["bmodel"])).name
    ran = _ran(context, record, model)
    if not ran:
        return RunAnswer(subject, lines=["not all commands ended: no report of stalls"])
    begin, last = min(int(one.start[0]) for one in ran), max(int(one.end[-1]) for one in ran)
    span = last - begin + 1
    rows, facts = [], []
    for core, engine in sorted({(one.core, one.engine) for one in ran}):
        parts = [one for one in ran if (one.core, one.engine) == (core, engine)]
        busy = sum(int((one.end - one.start + 1).sum()) for one in parts)
        stall = np.sum([one.stall.sum(0) for one in parts], axis=0).tolist()
        count = sum(len(one.start) for one in parts)
        fact = {"core": core, "engine": ENGINES[engine], "commands": count, "groups": len(parts), "busy": busy}
        fact |= {"first_cycle": int(parts[0].start[0]), "last_cycle": int(parts[-1].start[-1])}
        facts.append({**fact, "utilisation": round(busy / span, 4), "stall": dict(zip(REASONS, stall, strict=True))})
        rows.append((f"core {core} {ENGINES[engine]}", str(count), f"{busy / span:.1%}", *map(str, stall)))
    tables = [MeasurementTable("engines", ("engine", "commands", "busy", *REASONS), tuple(rows)), _operations(ran)]
    lines = [
        f"{span} cycles from the first command to the end of the last; every command in {{folder}}/output/commands.csv"
    ]
    known: dict[str, Any] = {"engines": facts, "cycles": span}
    if model.profiled:
        verdict = timeline_verdict(ran, unit_of(context.options, model))
        known["compiler_timeline"] = verdict
        text = (
            "equal to the compiler's timeline"
            if verdict["equal"]
            else f"not the compiler's timeline: {verdict['first']}"
        )
        lines.append(f"{text} ({verdict['same']} of {verdict['compared']} commands start in its cycle)")
    return RunAnswer(subject, facts=known, tables=tables, lines=lines, files={"commands.csv": _listing(ran)})


def _operations(ran: list[EngineRan]) -> MeasurementTable:
    """The operations that take most cycles."""
    count: Counter[tuple[str, str]] = Counter()
    busy: Counter[tuple[str, str]] = Counter()
    stall: Counter[tuple[str, str]] = Counter()
    for one in ran:
        for name, took, held in zip(
            one.names, (one.end - one.start + 1).tolist(), one.stall.sum(1).tolist(), strict=True
        ):
            key = (ENGINES[one.engine], name)
            count[key] += 1
            busy[key] += took
            stall[key] += held
    rows = [(*key, str(count[key]), str(cycles), str(stall[key])) for key, cycles in busy.most_common(_SHOWN)]
    return MeasurementTable("operations", ("engine", "operation", "commands", "cycles", "waited"), tuple(rows))


def _listing(ran: list[EngineRan]) -> bytes:
    """Every command as a line of CSV."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(("core", "engine", "group", "id", "operation", "start", "end", *REASONS))
    for one in ran:
        for row, name in enumerate(one.names):
            place = (one.core, ENGINES[one.engine], one.group, int(one.id[row]), name)
            out.writerow((*place, int(one.start[row]), int(one.end[row]), *one.stall[row].tolist()))
    return text.getvalue().encode()
