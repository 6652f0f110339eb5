# SPDX-License-Identifier: Apache-2.0
"""Accesses to the same byte, at least one of them a write, that nothing orders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np

from goldbeat.pymodels.order.byte_walk import AnyWalk, ByteRanges, common_bytes
from goldbeat.pymodels.order.partial_order import PartialOrder


@dataclass(frozen=True)
class OrderedAccess:
    """An access between two events.

    Attributes:
        who: the operation that makes it, as reports name it; accesses of one operation never conflict.
        walk: the bytes.
        write: written, or else read.
        begin: the event from which on it may happen.
        end: the event by which it has happened; None: ``begin``.
    """

    who: Hashable
    walk: AnyWalk
    write: bool
    begin: int
    end: int | None = None

    @property
    def done(self) -> int:
        """The event by which it has happened."""
        return self.begin if self.end is None else self.end


@dataclass(frozen=True, eq=False)
class OrderConflict:
    """Two accesses that nothing orders.

    Attributes:
        first, second: the accesses; an edge from the end of one to the begin of the other would order them.
        ranges: the bytes of both.
        undecided: one of several candidates may order them.
    """

    first: OrderedAccess
    second: OrderedAccess
    ranges: ByteRanges
    undecided: bool = False

    @property
    def count(self) -> int:
        """How many bytes both touch."""
        return int((self.ranges[:, 1] - self.ranges[:, 0]).sum())


def find_conflicts(
    order: PartialOrder, accesses: Iterable[OrderedAccess], possible: PartialOrder | None = None
) -> list[OrderConflict]:
    """The pairs that nothing orders, in an order that keeps all edges.

    Args:
        order: the edges that hold under every legal timing.
        accesses: of all actors.
        possible: the same events with more edges, of which some hold; what they order is undecided.

    Raises:
        UsageError: events wait for each other.
    """
    place = order.positions()
    given = sorted((one for one in accesses if not one.walk.empty), key=lambda one: place[one.begin])
    touching = _touching(given)
    writes: dict[AnyWalk, list[OrderedAccess]] = defaultdict(list)
    reads: dict[AnyWalk, list[OrderedAccess]] = defaultdict(list)
    found = []
    for one in given:
        for walk, ranges in touching[one.walk]:
            for earlier in (*writes[walk], *(reads[walk] if one.write else ())):
                if earlier.who != one.who and not order.before(earlier.done, one.begin):
                    undecided = possible is not None and (
                        possible.before(earlier.done, one.begin) or possible.before(one.done, earlier.begin)
                    )
                    found.append(OrderConflict(earlier, one, ranges, undecided))
        # What is ordered before this access is ordered before all that this access is ordered before.
        for kept in (reads, writes) if one.write else (reads,):
            kept[one.walk] = [e for e in kept[one.walk] if not order.before(e.done, one.begin)]
        (writes if one.write else reads)[one.walk].append(one)
    return found


def _touching(accesses: list[OrderedAccess]) -> dict[AnyWalk, list[tuple[AnyWalk, ByteRanges]]]:
    """For each walk those that touch it, itself included, with the common bytes; reads beside reads left out."""
    written = {one.walk for one in accesses if one.write}
    found: dict[AnyWalk, list[tuple[AnyWalk, ByteRanges]]] = {one.walk: [] for one in accesses}
    by_memory: dict[Hashable, list[AnyWalk]] = defaultdict(list)
    for walk in found:
        by_memory[walk.memory].append(walk)
    for walks in by_memory.values():
        walks.sort(key=lambda walk: walk.outline)
        outlines = np.array([walk.outline for walk in walks], np.int64)
        for number, walk in enumerate(walks):
            behind = int(np.searchsorted(outlines[:, 0], outlines[number, 1], "left"))
            for other in walks[number:behind]:
                if walk not in written and other not in written:
                    continue
                if len(ranges := common_bytes(walk, other)):
                    found[walk].append((other, ranges))
                    if other is not walk:
                        found[other].append((walk, ranges))
    return found
