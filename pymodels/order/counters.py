# SPDX-License-Identifier: Apache-2.0
"""Counting semaphores: which releases an acquire cannot do without.

An acquire waits until the counter has reached an amount, and takes it. A release orders those acquires that could not have
succeeded without it: without the release and all that happens after it, all other releases that may come first leave too
little. The same holds for any other event that releases depend on. Where several releases may have let an acquire go on, any of
them may be the one: they are *possible* edges.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from goldbeat.pymodels.order.partial_order import PartialOrder

_ROUNDS = 10
"""Of deriving edges from edges; each one is sound by itself."""


@dataclass
class _Uses:
    """Releases or acquires of one actor, in its order: events, and the amounts up to each."""

    events: list[int] = field(default_factory=list)
    sums: list[int] = field(default_factory=lambda: [0])

    def add(self, event: int, amount: int) -> None:
        self.events.append(event)
        self.sums.append(self.sums[-1] + amount)

    def until_after(self, order: PartialOrder, event: int) -> int:
        """How many of them are not after an event."""
        return bisect_left(self.events, True, key=lambda one: order.before(event, one))

    def sure_before(self, order: PartialOrder, event: int) -> int:
        """How many of them happen before an event."""
        return bisect_left(self.events, True, key=lambda one: not order.before(one, event))


class CountingSemaphore:
    """What has been done to a counter, in the order in which it was done.

    Args:
        initial: its first value.
    """

    def __init__(self, initial: int) -> None:
        self.initial = initial
        self.releases: dict[Hashable, _Uses] = {}
        self.acquires: dict[Hashable, _Uses] = {}
        self._trace: list[tuple[int, bool, Hashable]] = []
        self._equal: list[tuple[int, int]] = []

    def release(self, actor: Hashable, event: int, amount: int) -> None:
        """An actor adds an amount."""
        self.releases.setdefault(actor, _Uses()).add(event, amount)
        self._trace.append((event, True, actor))

    def acquire(self, actor: Hashable, event: int, amount: int) -> None:
        """An actor has waited for an amount and takes it."""
        self.acquires.setdefault(actor, _Uses()).add(event, amount)
        self._trace.append((event, False, actor))

    def equals(self, actor: Hashable, event: int, value: int) -> None:
        """An actor has waited until the counter has a value, and leaves it as it is."""
        self._equal.append((event, value))
        self._trace.append((event, False, actor))

    @property
    def simple(self) -> bool:
        """Whether one actor releases and one acquires: then it is known which release an acquire has waited for."""
        return len(self.releases) <= 1 and len(self.acquires) <= 1 and not self._equal

    def simple_edges(self, order: PartialOrder) -> None:
        """Add the edges of a simple counter."""
        for uses in self.acquires.values():
            for given in self.releases.values():
                for event, total in zip(uses.events, uses.sums[1:], strict=True):
                    needed = bisect_left(given.sums, total - self.initial)
                    if 0 < needed < len(given.sums):
                        order.edge(given.events[needed - 1], event)

    def sure_edges(self, order: PartialOrder) -> list[tuple[int, int]]:
        """Edges that are not in the order yet: releases that an acquire cannot do without."""
        found = []
        for uses in self.acquires.values():
            for event in uses.events:
                # What it takes itself is among the amounts that are sure.
                found += self._needed(order, event, self.releases, self.initial - self._taken(order, event), 0)
        for event, value in self._equal:
            found += self._needed(order, event, self.releases, self.initial - self._taken(order, event), value)
            given = sum(one.sums[one.sure_before(order, event)] for one in self.releases.values())
            found += self._needed(order, event, self.acquires, -self.initial - given, -value)
        return found

    def _taken(self, order: PartialOrder, event: int) -> int:
        return sum(one.sums[one.sure_before(order, event)] for one in self.acquires.values())

    def _needed(
        self, order: PartialOrder, event: int, by_actor: dict[Hashable, _Uses], start: int, least: int
    ) -> list[tuple[int, int]]:
        """Per actor the last event without which the sum cannot be reached before an event."""
        before = {actor: uses.until_after(order, event) for actor, uses in by_actor.items()}
        found = []
        for events in order.events_by_actor():

            def enough(one: int) -> bool:
                rest = sum(
                    uses.sums[min(before[actor], uses.until_after(order, one))] for actor, uses in by_actor.items()
                )
                return start + rest >= least or order.before(event, one)

            count = bisect_left(events, True, key=enough)
            if count and not order.before(events[count - 1], event):
                found.append((events[count - 1], event))
        return found

    def possible_edges(self, order: PartialOrder) -> list[tuple[int, int]]:
        """For each acquire the last release of each actor that came first here."""
        found, last = [], dict[Hashable, int]()
        for event, release, actor in self._trace:
            if release:
                last[actor] = event
            else:
                found += [(one, event) for one in last.values() if not order.before(one, event)]
        return found


def order_counters(order: PartialOrder, counters: Iterable[CountingSemaphore]) -> PartialOrder | None:
    """Add the edges of counters to an order.

    Returns:
        The order with all edges that are possible; None if no acquire is in doubt.
    """
    others: list[CountingSemaphore] = []
    for counter in counters:
        if counter.simple:
            counter.simple_edges(order)
        else:
            others.append(counter)
    for _ in range(_ROUNDS):
        if not _add(order, [edge for one in others for edge in one.sure_edges(order)]):
            break
    possible = order.copy()
    return possible if _add(possible, [edge for one in others for edge in one.possible_edges(order)]) else None


def _add(order: PartialOrder, edges: Sequence[tuple[int, int]]) -> bool:
    for before, after in edges:
        order.edge(before, after)
    return bool(edges)
