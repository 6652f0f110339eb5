# SPDX-License-Identifier: Apache-2.0
"""What a picture shows of two accesses that nothing orders: the actors around them, their events and edges, the missing edge."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from goldbeat.pymodels.order.conflicts import OrderedAccess
from goldbeat.pymodels.order.partial_order import PartialOrder

_AROUND = 3
"""Events of the two actors that are shown before and after their accesses."""
_OTHERS = 4
"""Other actors that are shown."""


@dataclass(frozen=True)
class PicturedAccess:
    """An access as a bar.

    Attributes:
        row: of its actor.
        begin, end: columns.
        write: it writes.
    """

    row: int
    begin: int
    end: int
    write: bool


@dataclass(frozen=True)
class OrderPicture:
    """A finding as rows of actors and columns of events; time goes to the right, without a scale.

    Attributes:
        text: the finding.
        rows: names of the actors, the two that access first.
        events: row, column and what happens.
        edges: pairs of places in ``events``: the first happens before the second under every timing.
        accesses: the two; an edge from the end of the first to the begin of the second is missing.
    """

    text: str
    rows: tuple[str, ...]
    events: tuple[tuple[int, int, str], ...]
    edges: tuple[tuple[int, int], ...]
    accesses: tuple[PicturedAccess, PicturedAccess]

    @property
    def columns(self) -> int:
        """How many there are."""
        return 1 + max(column for _, column, _ in self.events)


def order_picture(
    order: PartialOrder,
    accesses: tuple[OrderedAccess, OrderedAccess],
    text: str,
    name: Callable[[Hashable], str],
    label: Callable[[int], str],
) -> OrderPicture:
    """A picture of a finding.

    Args:
        order: the edges that hold.
        accesses: the two that nothing orders.
        text: the finding, as reports say it.
        name: of an actor.
        label: of an event.
    """
    place = order.positions()
    sides = sorted(accesses, key=lambda one: place[one.begin])
    by_actor = {order.actor(events[0]): events for events in order.events_by_actor() if events}
    shown = {event for one in sides for event in _around(by_actor, order, one)}
    actors = list(dict.fromkeys(order.actor(event) for one in sides for event in (one.begin, one.done)))
    near = [(one, other) for one, other in order.edges() if one in shown or other in shown]
    for pair in sorted(near, key=lambda pair: place[pair[0]]):
        for event in pair:
            actor = order.actor(event)
            if actor not in actors and len(actors) < 2 + _OTHERS:
                actors.append(actor)
            if actor in actors:
                shown.add(event)
    drawn = sorted(shown, key=lambda event: place[event])
    column = {event: number for number, event in enumerate(drawn)}
    return OrderPicture(
        text,
        tuple(name(actor) for actor in actors),
        tuple((actors.index(order.actor(event)), column[event], label(event)) for event in drawn),
        tuple((column[a], column[b]) for a, b in near if a in column and b in column),
        (_bar(sides[0], order, actors, column), _bar(sides[1], order, actors, column)),
    )


def _around(by_actor: dict[Hashable, list[int]], order: PartialOrder, access: OrderedAccess) -> list[int]:
    found = []
    for event in (access.begin, access.done):
        mine = by_actor[order.actor(event)]
        at = mine.index(event)
        found += mine[max(at - _AROUND, 0) : at + _AROUND + 1]
    return found


def _bar(access: OrderedAccess, order: PartialOrder, actors: list[Hashable], column: dict[int, int]) -> PicturedAccess:
    return PicturedAccess(
        actors.index(order.actor(access.done)), column[access.begin], column[access.done], access.write
    )
