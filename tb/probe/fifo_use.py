# SPDX-License-Identifier: Apache-2.0
"""How an elaborated FIFO uses its ports: whether it looks at full and empty itself, and when its data come."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from goldbeat.tb.build.compiling import symbol_kind
from goldbeat.tb.probe.conditions import Conditions
from goldbeat.tb.probe.fifos import FifoSide
from goldbeat.tb.probe.looks import Looks
from goldbeat.tb.probe.module import FifoUse
from goldbeat.tb.probe.taken import inside, settled_arms, visit_taken
from goldbeat.tb.probe.wiring import Graph, closure, names_in, plain_value, signed_terms, values_moved


class FifoUses:
    """What the RTL says of a module's FIFOs, and of outputs that are taken as if they were one's.

    Args:
        top: pyslang's instance symbol.
        graph: of it.
        conditions: of it.
        looks: of it, made when they are needed.
    """

    def __init__(self, top: Any, graph: Graph, conditions: Conditions, looks: Callable[[], Looks]) -> None:
        # Few modules ask, and it is another walk through the hierarchy.
        self._code = cache(lambda: _Code(top, graph, conditions))
        self._looks = looks

    def of(self, sides: Iterable[FifoSide]) -> dict[str, FifoUse]:
        """What is known of each side, by the side's enable."""
        return {side.enable.name: self._code().use(side, self._looks()) for side in sides}

    def comes_late(self, data: str, enable: str, flag: str) -> bool:
        """Whether an output comes a cycle after the input that takes it; ``flag``: the output that says that it is there."""
        return self._code().comes_late(data, enable, flag)


class _Code:
    """The conditions of every assignment to a register."""

    def __init__(self, top: Any, graph: Graph, conditions: Conditions) -> None:
        self.graph, self.conditions = graph, conditions
        self.prefix = f"{top.name}."
        self.loads: dict[str, list[frozenset[str]]] = defaultdict(list)
        self.needs: dict[str, frozenset[str]] = {}
        self.moved: dict[str, set[str]] = defaultdict(set)
        visit_taken(top, self._look)

    def _look(self, node: Any) -> None:
        kind = symbol_kind(node)
        if kind == "ContinuousAssign" and symbol_kind(node.assignment) == "Assignment":
            self._wire(plain_value(node.assignment.left), node.assignment.right)
            self._move(node.assignment)
        elif kind == "Net" and node.initializer is not None:
            self._wire((node.hierarchicalPath, False), node.initializer)
            self.moved[node.hierarchicalPath] |= values_moved(node.initializer)
        elif kind == "ProceduralBlock":
            self._walk(node.body, frozenset())

    def _wire(self, target: tuple[str, bool] | None, right: Any) -> None:
        if target is not None:
            self.needs[target[0]] = frozenset(_conjuncts(right))

    def _move(self, assignment: Any) -> None:
        for name in values_moved(assignment.left):
            self.moved[name] |= values_moved(assignment.right)

    def _walk(self, statement: Any, needed: frozenset[str]) -> None:
        """Note the assignments below a statement; ``needed``: what must be high for it."""
        kind = symbol_kind(statement)
        if kind == "Conditional" and settled_arms(statement) is None:
            self._walk(statement.ifTrue, needed.union(*(_conjuncts(one.expr) for one in statement.conditions)))
            if statement.ifFalse is not None:
                self._walk(statement.ifFalse, needed)
        elif kind == "ExpressionStatement" and symbol_kind(statement.expr) == "Assignment":
            self._move(statement.expr)
            # A constant is what a reset gives.
            if names_in(statement.expr.right):
                for name in names_in(statement.expr.left):
                    self.loads[name].append(needed)
        else:
            for inner in inside(statement):
                self._walk(inner, needed)

    # -- questions ----------------------------------------------------------------------------------------------

    def use(self, side: FifoSide, looks: Looks) -> FifoUse:
        """What is known of a side.

        Args:
            side: the side.
            looks: of the whole hierarchy.
        """
        enable, flag, data = (self.prefix + pin.name for pin in side.ports[:1] + side.ports[2:] + side.ports[1:2])
        mine = self._same(enable)
        makers = self.graph.makers(flag) - mine
        guarded = any(one & mine and one & makers for one in map(self._spelled, self.conditions.joined))
        # Who asserts that both are never high relies on it, whatever else is looked at.
        guarded = guarded and not any(one & mine and one & (makers | {flag}) for one in self.conditions.claims)
        # A count that moves with the enable alone is wrong for ever, although memory and pointer look at the flag.
        guarded = guarded and not looks.moves_blindly(flag, mine)
        # Data that no logic makes are a register.
        register = self.graph.origin(data)[0] in self.graph.flops
        return FifoUse(guarded, register, self.comes_late(*(pin.name for pin in (side.data, side.enable, side.flag))))

    def comes_late(self, data: str, enable: str, flag: str) -> bool:
        """Whether every register that gives a value is loaded only with the enable, and not all of what makes the flag.

        What selects among registers gives no value. Where the flag moves with its data alone, it says when they are there.
        """
        data, enable, flag = (self.prefix + name for name in (data, enable, flag))
        mine = self._same(enable)
        behind = closure([data], lambda one: () if one in self.graph.flops else self._given_by(one))
        given = {one for one in behind if one in self.graph.flops or not self._given_by(one)}
        makers = self.graph.makers(flag) & self.graph.flops.keys()
        return given <= self.graph.flops.keys() and self._only(given, mine) and not self._only(makers, mine)

    def _only(self, names: Iterable[str], mine: set[str]) -> bool:
        """Whether these are loaded, and only with the enable."""
        loads = [[self._spelled(needed) & mine for needed in self.loads[one]] for one in names]
        return all(each and all(each) for each in loads)

    def _same(self, enable: str) -> set[str]:
        return {name for name in self.graph.after if self.graph.origin(name) == (enable, False)} | {enable}

    def _given_by(self, name: str) -> set[str]:
        return self.moved.get(name) or ({self.graph.plain[name][0]} if name in self.graph.plain else set())

    def _spelled(self, names: Iterable[str]) -> set[str]:
        return self.graph.conjuncts(names, self.needs)


def _conjuncts(expression: Any) -> set[str]:
    """What must be high for an expression to be."""
    return {term for term in signed_terms(expression) if not term.startswith("!")}
