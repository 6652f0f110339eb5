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
    origins = {name: graph.origin(path) for name, path in paths.items()}
    names: dict[str, list[str]] = {}
    for name, (path, _) in origins.items():
        names.setdefault(path, []).append(name)

    def levels(terms: Iterable[str]) -> dict[str, bool]:
        """The level that each of some terms needs, by where it comes from."""
        return {path: (term[0] != "!") != low for term in terms for path, low in (graph.origin(term.lstrip("!")),)}

    stored = {
        data: frozenset(
            (name, high != origins[name][1])
            for _, needed in branches
            for term in needed
            for path, high in levels([term]).items()
            for name in names.get(path, ())
        )
        for data, branches in used.items()
    }
    signed = [levels(terms) for terms in conditions.terms]
    blocks = [levels(terms) for terms in conditions.blocks]
    sets = [frozenset(graph.origin(name)[0] for name in one) for one in (*conditions.joined, *conditions.chosen)]
    mine = {name: {path, origins[name][0]} for name, path in paths.items()}
    makers = {name: {graph.origin(one)[0] for one in graph.makers(path)} for name, path in paths.items()}

    def level(one: str, other: str, high: bool) -> bool | None:
        """Whether the other must be high where the first has a level; None: nothing tells, or both ways."""
        (of, of_low), (at, at_low) = origins[one], origins[other]
        # Room is free unless something is there and is not taken: that says more than a conjunction, which may be a stall.
        for kinds, taken in ((blocks, False), (signed, True)):
            near = [terms for terms in kinds if terms.get(of) == (high != of_low) and at != of]
            found = {(terms[at] != at_low) == taken for terms in near if at in terms}
            if len(found) == 1:
                return found.pop()
        return None

    def joined(one: str, other: str) -> bool:
        own, theirs = mine[one], (makers[other] | mine[other]) - mine[one]
        return any(seen & own and seen & theirs for seen in sets)

    def follows(one: str, other: str) -> bool:
        return bool(mine[one] & makers[other])

    steps = Steps(graph, ports)

    def guarded_late(one: str, other: str, high: bool) -> bool:
        return guarded(one, other, high, steps.echoes(other))

    def begins(strobe: str, data: Iterable[str]) -> bool:
        return looks().begins(paths[strobe], [paths[one] for one in data], steps.echoes(strobe))

    def indexed(name: str) -> bool:
        return looks().indexed(paths[name], ways[0])

    def kept(name: str) -> bool:
        return looks().stores(paths[name])

    def clears(name: str, high: bool) -> bool:
        return looks().clears(paths[name], high=high)

    told = {
        name: getattr(steps, name) for name in ("turns", "related", "falls_alone", "only_stored", "edges", "beside")
    }
    return Gates(
        stored,
        joined,
        level,
        guarded,
        guarded_late=guarded_late,
        begins=begins,
        kept=kept,
        indexed=indexed,
        clears=clears,
        follows=follows,
        **told,
    )
