# SPDX-License-Identifier: Apache-2.0
"""Events of actors and which of them happens before which, by vector clocks."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError


class PartialOrder:
    """Events, each after the earlier ones of its actor, and edges between actors."""

    def __init__(self) -> None:
        self._actors: dict[Hashable, int] = {}
        self._last: list[int] = []
        self._actor: list[int] = []
        self._place: list[int] = []
        self._previous: list[int] = []
        self._edges: dict[int, list[int]] = {}

    def copy(self) -> PartialOrder:
        """The same events and edges, for more of them."""
        other = PartialOrder()
        other._actors = dict(self._actors)
        for name in ("_last", "_actor", "_place", "_previous"):
            setattr(other, name, list(getattr(self, name)))
        other._edges = {after: list(before) for after, before in self._edges.items()}
        return other

    def __len__(self) -> int:
        return len(self._actor)

    def event(self, actor: Hashable, *after: int) -> int:
        """The next event of an actor.

        Args:
            actor: its earlier events happen before this one.
            after: other events that happen before it.
        """
        number = self._actors.setdefault(actor, len(self._actors))
        if number == len(self._last):
            self._last.append(-1)
        previous, one = self._last[number], len(self)
        self._actor.append(number)
        self._place.append(1 if previous < 0 else self._place[previous] + 1)
        self._previous.append(previous)
        self._last[number] = one
        self._forget()
        for earlier in after:
            self.edge(earlier, one)
        return one

    def events_by_actor(self) -> list[list[int]]:
        """The events of each actor, in its order."""
        found: list[list[int]] = [[] for _ in self._last]
        for event, actor in enumerate(self._actor):
            found[actor].append(event)
        return found

    def actor(self, event: int) -> Hashable:
        """Whose event it is."""
        return list(self._actors)[self._actor[event]]

    def edges(self) -> list[tuple[int, int]]:
        """The edges between events that were given, each as the event before and the one after."""
        return [(one, after) for after, before in self._edges.items() for one in before]

    def edge(self, before: int, after: int) -> None:
        """One event happens before another one."""
        self._edges.setdefault(after, []).append(before)
        self._forget()

    def _forget(self) -> None:
        for name in ("_sorted", "_clocks"):
            self.__dict__.pop(name, None)

    @cached_property
    def _sorted(self) -> list[int]:
        """Events in an order that keeps all edges; without those of cycles and behind them."""
        later: list[list[int]] = [[] for _ in range(len(self))]
        missing = [0] * len(self)
        for one, previous in enumerate(self._previous):
            sources = self._edges.get(one, ())
            missing[one] = len(sources) + (previous >= 0)
            if previous >= 0:
                later[previous].append(one)
            for source in sources:
                later[source].append(one)
        found = [one for one, count in enumerate(missing) if not count]
        for one in found:
            for then in later[one]:
                missing[then] -= 1
                if not missing[then]:
                    found.append(then)
        return found

    def cycle(self) -> tuple[int, ...]:
        """Events that wait for each other, each for the one before it and the first for the last; empty if none do."""
        left = set(range(len(self))) - set(self._sorted)
        if not left:
            return ()
        one = min(left)
        path: list[int] = []
        seen: dict[int, int] = {}
        while one not in seen:
            seen[one] = len(path)
            path.append(one)
            one = next(e for e in (self._previous[one], *self._edges.get(one, ())) if e in left)
        return tuple(reversed(path[seen[one] :]))

    @cached_property
    def _clocks(self) -> tuple[npt.NDArray[np.int32], list[int]]:
        """Rows with the number of each actor's events that have happened, and the row of each event.

        Events without an edge from elsewhere share the row of their actor's event before.
        """
        if len(self._sorted) < len(self):
            raise UsageError(f"events {', '.join(map(str, self.cycle()))} wait for each other")
        rows = np.zeros((len(self._edges) + 1, len(self._last)), np.int32)
        row, used = [0] * len(self), 0
        for one in self._sorted:
            previous, sources = self._previous[one], self._edges.get(one)
            row[one] = row[previous] if previous >= 0 else 0
            if sources is None:
                continue
            used += 1
            clock = rows[used]
            clock[:] = rows[row[one]]
            for source in sources:
                np.maximum(clock, rows[row[source]], out=clock)
                actor = self._actor[source]
                clock[actor] = max(clock[actor], self._place[source])
            row[one] = used
        return rows, row

    def before(self, one: int, other: int) -> bool:
        """Whether an event is another one, or happens before it under every legal timing.

        Raises:
            UsageError: events wait for each other.
        """
        actor = self._actor[one]
        if actor == self._actor[other]:
            return self._place[one] <= self._place[other]
        rows, row = self._clocks
        return bool(rows[row[other], actor] >= self._place[one])

    def positions(self) -> list[int]:
        """The place of each event in one order that keeps all edges.

        Raises:
            UsageError: events wait for each other.
        """
        _ = self._clocks
        found = [0] * len(self)
        for place, one in enumerate(self._sorted):
            found[one] = place
        return found
