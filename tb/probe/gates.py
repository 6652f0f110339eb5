# SPDX-License-Identifier: Apache-2.0
"""Which ports of an elaborated module gate each other: what is looked at together, and what is stored under which condition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from goldbeat.tb.probe.conditions import Conditions
from goldbeat.tb.probe.looks import Looks
from goldbeat.tb.probe.module import Branch, Gates
from goldbeat.tb.probe.steps import Steps
from goldbeat.tb.probe.wiring import Graph


def find_gates(
    graph: Graph,
    conditions: Conditions,
    ways: tuple[Mapping[str, str], Mapping[str, str]],
    used: Mapping[str, Iterable[Branch]],
    looks: Callable[[], Looks],
    guarded: Callable[..., bool],
) -> Gates:
    """Which inputs are stored under which ports, and which ports are looked at together.

    Args:
        graph: of the module.
        conditions: of the module.
        ways: names of the inputs and of the outputs by path.
        used: as :attr:`~goldbeat.tb.probe.module.PortValues.used`.
        looks: of the module, made when they are needed.
        guarded: as :attr:`~goldbeat.tb.probe.module.Gates.guarded`, with registers that stand for the second port.
    """
    ports = {**ways[0], **ways[1]}
    paths = {name: path for path, name in ports.items()}
    near = _Near(graph, conditions, paths)
    steps = Steps(graph, ports)

    def guarded_late(one: str, other: str, high: bool) -> bool:
        return guarded(one, other, high, steps.echoes(other))

    def guarded_beside(one: str, other: str, high: bool, take: str) -> bool:
        return guarded(one, other, high, (graph.origin(paths[take])[0],))

    def begins(strobe: str, data: Iterable[str]) -> bool:
        return looks().begins(paths[strobe], [paths[one] for one in data], steps.echoes(strobe))

    def indexed(name: str) -> bool:
        return looks().indexed(paths[name], ways[0])

    def kept(name: str) -> bool:
        return looks().stores(paths[name])

    def clears(name: str, high: bool) -> bool:
        return looks().clears(paths[name], high=high)

    names = ("turns", "related", "tells_of", "falls_alone", "only_stored", "edges", "beside", "pops")
    told = {name: getattr(steps, name) for name in names}
    return Gates(
        near.stored(used),
        near.joined,
        near.level,
        guarded,
        guarded_late=guarded_late,
        guarded_beside=guarded_beside,
        begins=begins,
        kept=kept,
        indexed=indexed,
        clears=clears,
        opposite=near.opposite,
        follows=near.follows,
        **told,
    )


class _Near:
    """The ports of a module among its conditions.

    Args:
        graph: of the module.
        conditions: of the module.
        paths: of the ports by name.
    """

    def __init__(self, graph: Graph, conditions: Conditions, paths: Mapping[str, str]) -> None:
        self._graph = graph
        self._origins = {name: graph.origin(path) for name, path in paths.items()}
        self._signed = [self._levels(terms) for terms in conditions.terms]
        self._blocks = [self._levels(terms) for terms in conditions.blocks]
        sets = (*conditions.joined, *conditions.chosen)
        self._sets = [frozenset(graph.origin(name)[0] for name in one) for one in sets]
        self._mine = {name: {path, self._origins[name][0]} for name, path in paths.items()}
        self._makers = {name: {graph.origin(one)[0] for one in graph.makers(path)} for name, path in paths.items()}

    def _levels(self, terms: Iterable[str]) -> dict[str, bool]:
        """The level that each of some terms needs, by where it comes from."""
        return {
            path: (term[0] != "!") != low for term in terms for path, low in (self._graph.origin(term.lstrip("!")),)
        }

    def stored(self, used: Mapping[str, Iterable[Branch]]) -> dict[str, frozenset[tuple[str, bool]]]:
        """As :attr:`~goldbeat.tb.probe.module.Gates.stored`."""
        names: dict[str, list[str]] = {}
        for name, (path, _) in self._origins.items():
            names.setdefault(path, []).append(name)
        return {
            data: frozenset(
                (name, high != self._origins[name][1])
                for _, needed in branches
                for term in needed
                for path, high in self._levels([term]).items()
                for name in names.get(path, ())
            )
            for data, branches in used.items()
        }

    def level(self, one: str, other: str, high: bool) -> bool | None:
        """Whether the other must be high where the first has a level; None: nothing tells, or both ways."""
        (of, of_low), (at, at_low) = self._origins[one], self._origins[other]
        # Room is free unless something is there and is not taken: that says more than a conjunction, which may be a stall.
        for kinds, taken in ((self._blocks, False), (self._signed, True)):
            near = [terms for terms in kinds if terms.get(of) == (high != of_low) and at != of]
            found = {(terms[at] != at_low) == taken for terms in near if at in terms}
            if len(found) == 1:
                return found.pop()
        return None

    def joined(self, one: str, other: str) -> bool:
        """Whether one port and another, or what makes it, are looked at together."""
        own = self._mine[one]
        theirs = (self._makers[other] | self._mine[other]) - own
        return any(seen & own and seen & theirs for seen in self._sets)

    def opposite(self, one: str, other: str) -> bool:
        """Whether one port is the negation of the other."""
        (path, low), (same, turned) = self._origins[one], self._origins[other]
        return path == same and low != turned

    def follows(self, one: str, other: str) -> bool:
        """Whether the first has a part in the second at once."""
        return bool(self._mine[one] & self._makers[other])
