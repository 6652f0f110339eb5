# SPDX-License-Identifier: Apache-2.0
"""Two traces side by side: per event, where they part.

The clocks of two traces begin anywhere, so each module of one is moved by a number of cycles to fit the other: the
difference of the first event that both have. From there on events are paired in order. A pair may be further apart than
the one before by a bound; beyond it either an event is missing on one side, or time drifted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from goldbeat.pymodels.objfifo.trace_unit.spans import Span, merged_spans
from goldbeat.pymodels.objfifo.trace_unit.timeline_json import ModuleKey, ModuleTrace

BOUND = 8
"""Cycles that a pair of events may be apart unless another bound is given."""


@dataclass(frozen=True)
class TraceParting:
    """Where two traces part.

    Attributes:
        kind: ``missing`` (on one side), ``drift`` (in time), ``length`` (of a span), ``order`` (of two events) or
            ``module`` (not traced on one side).
        where: module and event.
        text: what was found.
        index: number of the event's occurrence, from 0.
        cycle: time in the first trace, in its own cycles; None where it has none.
        other: the same of the second trace.
    """

    kind: str
    where: str
    text: str
    index: int = 0
    cycle: int | None = None
    other: int | None = None


@dataclass(frozen=True)
class EventMatch:
    """One event of one module.

    Attributes:
        module, event: which.
        counts: occurrences in both traces.
        paired: of them, those that were paired.
        largest: the largest distance of a pair in cycles, after the module's move.
        active: cycles in which it was active in both traces.
    """

    module: str
    event: str
    counts: tuple[int, int]
    paired: int
    largest: int
    active: tuple[int, int]


@dataclass(frozen=True)
class LinedUp:
    """The outcome.

    Attributes:
        bound: as given.
        moves: cycles by which each module of the second trace was moved.
        events: each event that both traces have.
        partings: where they part, by module, the earliest of each event first; empty if they do not.
        only: events that one side alone traced, which are not compared.
    """

    bound: int
    moves: dict[str, int]
    events: tuple[EventMatch, ...]
    partings: tuple[TraceParting, ...]
    only: tuple[str, ...]

    def json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "format": 1,
            "bound": self.bound,
            "same": not self.partings,
            "moves": self.moves,
            "events": [asdict(e) for e in self.events],
            "partings": [asdict(p) for p in self.partings],
            "only": list(self.only),
        }


@dataclass(frozen=True)
class _Names:
    """What the two traces are called."""

    first: str
    second: str


def line_up(
    first: Sequence[ModuleTrace],
    second: Sequence[ModuleTrace],
    *,
    bound: int = BOUND,
    names: tuple[str, str] = ("silicon", "run"),
) -> LinedUp:
    """Line two traces up.

    Args:
        first: its modules.
        second: its modules.
        bound: cycles.
        names: what they are called in texts.
    """
    called = _Names(*names)
    mine, others = {m.key: m for m in first}, _shifted(first, second)
    moves: dict[str, int] = {}
    events: list[EventMatch] = []
    partings: list[TraceParting] = []
    only: list[str] = []
    for key, module in mine.items():
        other = others.get(key)
        title = str(module.source)
        if other is None:
            only.append(f"{title} ({called.first})")
            continue
        both = [n for n in module.events if n in other.events]
        only += [f"{title} {n} ({called.first})" for n in module.events if n not in both and module.events[n]]
        only += [f"{title} {n} ({called.second})" for n in other.events if n not in both and other.events[n]]
        rows = {n: (merged_spans(module.events[n]), merged_spans(other.events[n])) for n in both}
        moves[title] = move = _move(rows)
        partings += _order(title, rows, move, bound, called)
        for name, (a, b) in rows.items():
            match, found = _pair(title, name, a, [(s + move, e + move) for s, e in b], bound, called, move)
            events.append(match)
            partings += found
    only += [f"{m.source} ({called.second})" for key, m in others.items() if key not in mine]
    if not events:
        partings.append(TraceParting("module", "all", "no module and event is in both traces"))
    return LinedUp(bound, moves, tuple(events), tuple(partings), tuple(only))


def _shifted(first: Sequence[ModuleTrace], second: Sequence[ModuleTrace]) -> dict[ModuleKey, ModuleTrace]:
    """The second trace by the first one's columns: a partition may begin anywhere."""
    wanted = {m.key for m in first}
    shifts = sorted({a.source.column - b.source.column for a in first for b in second} | {0}, key=abs)

    def moved(shift: int) -> dict[ModuleKey, ModuleTrace]:
        return {(m.source.kind, m.source.row, m.source.column + shift): m for m in second}

    best = max(shifts, key=lambda s: (len(wanted & moved(s).keys()), -abs(s)), default=0)
    return moved(best)


def _move(rows: Mapping[str, tuple[list[Span], list[Span]]]) -> int:
    """Cycles to add to the second side: of the event that comes first on the first side and is on both."""
    firsts = [(a[0][0], a[0][0] - b[0][0]) for a, b in rows.values() if a and b]
    return min(firsts)[1] if firsts else 0


def _pair(
    title: str, name: str, a: list[Span], b: list[Span], bound: int, called: _Names, move: int
) -> tuple[EventMatch, list[TraceParting]]:
    """Pair the occurrences of one event in order."""
    where = f"{title} {name}"
    found: dict[str, TraceParting] = {}
    i = j = paired = largest = 0
    drift = 0
    while i < len(a) and j < len(b):
        gap = a[i][0] - b[j][0]
        if gap - drift > bound and j + 1 < len(b) and abs(a[i][0] - b[j + 1][0] - drift) <= bound:
            _missing(found, where, called.first, j, None, b[j][0] - move)
            j += 1
            continue
        if drift - gap > bound and i + 1 < len(a) and abs(a[i + 1][0] - b[j][0] - drift) <= bound:
            _missing(found, where, called.second, i, a[i][0], None)
            i += 1
            continue
        length = (a[i][1] - a[i][0]) - (b[j][1] - b[j][0])
        if abs(gap) > bound and "drift" not in found:
            text = f"{called.first} is {abs(gap)} cycles {'later' if gap > 0 else 'earlier'} than {called.second}"
            found["drift"] = TraceParting("drift", where, text, i, a[i][0], b[j][0] - move)
        if abs(length) > bound and "length" not in found:
            text = f"active for {a[i][1] - a[i][0]} cycles in {called.first}, {b[j][1] - b[j][0]} in {called.second}"
            found["length"] = TraceParting("length", where, text, i, a[i][0], b[j][0] - move)
        largest, drift, paired = max(largest, abs(gap)), gap, paired + 1
        i, j = i + 1, j + 1
    if i < len(a):
        _missing(found, where, called.second, i, a[i][0], None, len(a) - i)
    if j < len(b):
        _missing(found, where, called.first, j, None, b[j][0] - move, len(b) - j)
    active = sum(e - s for s, e in a), sum(e - s for s, e in b)
    match = EventMatch(title, name, (len(a), len(b)), paired, largest, active)
    return match, sorted(found.values(), key=lambda p: p.index)


def _missing(
    found: dict[str, TraceParting],
    where: str,
    side: str,
    index: int,
    cycle: int | None,
    other: int | None,
    more: int = 1,
) -> None:
    key = f"missing in {side}"
    if key not in found:
        rest = f", and {more - 1} behind it" if more > 1 else ""
        found[key] = TraceParting(
            "missing", where, f"occurrence {index} is missing in {side}{rest}", index, cycle, other
        )


def _order(
    title: str, rows: Mapping[str, tuple[list[Span], list[Span]]], move: int, bound: int, called: _Names
) -> list[TraceParting]:
    """The first occurrence of two events in another order, further apart than the bound on both sides."""
    firsts = [(a[0][0], b[0][0] + move, n) for n, (a, b) in rows.items() if a and b]
    for x in sorted(firsts):
        for y in firsts:
            if y[0] - x[0] > bound and x[1] - y[1] > bound:
                text = f"{x[2]} begins before {y[2]} in {called.first}, behind it in {called.second}"
                return [TraceParting("order", f"{title} {x[2]}", text, 0, x[0], x[1] - move)]
    return []
