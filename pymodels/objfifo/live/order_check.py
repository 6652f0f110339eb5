# SPDX-License-Identifier: Apache-2.0
"""Accesses of an array that nothing orders, from the record of one run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.order_record import Accessor, OrderRecorder
from goldbeat.pymodels.objfifo.plan.tile import Tile
from goldbeat.pymodels.order.conflicts import OrderConflict, OrderedAccess, find_conflicts
from goldbeat.pymodels.order.counters import order_counters
from goldbeat.pymodels.order.order_picture import OrderPicture, order_picture
from goldbeat.pymodels.order.partial_order import PartialOrder


@dataclass(frozen=True)
class ArrayFinding:
    """Two accesses that nothing orders.

    Attributes:
        text: both, their bytes, and the edge that is missing.
        actors: who makes them; the first one came first in this run.
        undecided: one of several releases may order them.
        in_tile: of a tile's memory, which locks keep; False for a host array.
        written: the tile and the bytes that both programs write; None for others.
        picture: makes the picture of it.
    """

    text: str
    actors: tuple[str, str]
    undecided: bool
    in_tile: bool
    written: tuple[Tile, int, int] | None
    picture: Callable[[], OrderPicture] = field(compare=False, repr=False)


def array_findings(recorder: OrderRecorder) -> list[ArrayFinding]:
    """What a recorded run leaves to timing, each pair of places once, those that are sure first.

    Args:
        recorder: of a run that is over.
    """
    recorder.finish()
    possible = order_counters(recorder.order, recorder.counters.values())
    found: dict[tuple[object, ...], _Pair] = {}
    doubtful = _doubtful(recorder) if possible is not None else {}
    for conflict in find_conflicts(recorder.order, recorder.accesses, possible):
        first, second = sorted((conflict.first, conflict.second), key=lambda one: one.begin)
        for name, low, high in _buffers(recorder.array, conflict):
            key = (_side(first), first.write, _side(second), second.write, name, conflict.undecided)
            pair = found.setdefault(key, _Pair(first, second, name, low, high, conflict.undecided))
            pair.low, pair.high = min(pair.low, low), max(pair.high, high)
            pair.ranges.append((int(conflict.ranges[0, 0]), int(conflict.ranges[-1, 1])))
            if conflict.undecided and not pair.locks:
                pair.locks = _deciding(recorder.order, conflict, doubtful)
    sure = {key[:-1] for key, pair in found.items() if not pair.undecided}
    pairs = [pair for key, pair in found.items() if not pair.undecided or key[:-1] not in sure]
    return [pair.finding(recorder) for pair in sorted(pairs, key=lambda one: one.undecided)]


Edges = list[tuple[int, int]]


def _doubtful(recorder: OrderRecorder) -> dict[str, Edges]:
    """Locks with several releases that may have let an acquire go on: those edges."""
    found = {recorder.lock_names[key]: one.possible_edges(recorder.order)
             for key, one in recorder.counters.items() if not one.simple}  # fmt: skip
    return {name: edges for name, edges in found.items() if edges}


def _deciding(order: PartialOrder, conflict: OrderConflict, doubtful: Mapping[str, Edges]) -> dict[str, None]:
    """The locks of which a release may order two accesses by itself; else all that are in doubt, of which several do together."""
    one, other = conflict.first, conflict.second
    ways = (one.done, other.begin), (other.done, one.begin)

    def leads(before: int, after: int) -> bool:
        return before == after or order.before(before, after)

    found = {
        name: None
        for name, edges in doubtful.items()
        if any(leads(done, before) and leads(after, begin) for before, after in edges for done, begin in ways)
    }
    return found or dict.fromkeys(doubtful)


@dataclass
class _Pair:
    """Accesses of two places to a buffer."""

    first: OrderedAccess
    second: OrderedAccess
    name: str
    low: int
    high: int
    undecided: bool
    ranges: list[tuple[int, int]] = field(default_factory=list)
    locks: dict[str, None] = field(default_factory=dict)

    def written(self) -> tuple[Tile, int, int] | None:
        memory = self.first.walk.memory
        programs = _who(self.first).place and _who(self.second).place
        if not (programs and self.first.write and self.second.write and isinstance(memory, Tile)):
            return None
        return memory, min(low for low, _ in self.ranges), max(high for _, high in self.ranges)

    def finding(self, recorder: OrderRecorder) -> ArrayFinding:
        sides = []
        for one in (self.first, self.second):
            since = f" after it {_who(one).since}" if _who(one).since else ""
            sides.append(f"{_side(one)} {'writes' if one.write else 'reads'}{since}")
        actors = (_who(self.first).actor, _who(self.second).actor)
        what = f"{sides[0]}, {sides[1]}: bytes {self.low} to {self.high - 1} of {self.name}"
        if self.undecided:
            locks = " or ".join(f"lock {name}" for name in self.locks)
            text = f"undecided: {what}; one of several releases of {locks} may order them"
        else:
            text = f"unordered: {what}; missing: {actors[1]} waits until {actors[0]} is done"
        label = partial(_label, recorder.labels)
        picture = partial(order_picture, recorder.order, (self.first, self.second), text, str, label)
        in_tile = isinstance(self.first.walk.memory, Tile)
        return ArrayFinding(text, actors, self.undecided, in_tile, self.written(), picture)


def _label(labels: Mapping[int, str], event: int) -> str:
    return labels.get(event, "")


def _who(access: OrderedAccess) -> Accessor:
    assert isinstance(access.who, Accessor)
    return access.who


def _side(access: OrderedAccess) -> str:
    who = _who(access)
    return f"{who.place}: {who.actor}" if who.place else who.actor


def _buffers(array: LiveArray, conflict: OrderConflict) -> Iterator[tuple[str, int, int]]:
    """The buffers or the host array that two accesses share, with the first byte and the byte after the last one."""
    memory = conflict.first.walk.memory
    low, high = int(conflict.ranges[0, 0]), int(conflict.ranges[-1, 1])
    if not isinstance(memory, Tile):
        yield str(memory), low, high
        return
    named = False
    for buffer in array.buffers.values():
        first = buffer.address or 0
        if buffer.tile != memory or first >= high or first + buffer.obj.size <= low:
            continue
        inside = [r for r in conflict.ranges.tolist() if r[0] < first + buffer.obj.size and r[1] > first]
        if inside:
            named = True
            yield buffer.name, max(inside[0][0], first) - first, min(inside[-1][1], first + buffer.obj.size) - first
    if not named:
        yield f"the memory of {memory}", low, high
