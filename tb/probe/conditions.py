# SPDX-License-Identifier: Apache-2.0
"""What the conditions of an elaborated hierarchy look at together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from goldbeat.tb.build.compiling import operator_of, symbol_kind
from goldbeat.tb.design.pin_names import holds_up
from goldbeat.tb.probe.taken import inside, settled_arms, visit_taken
from goldbeat.tb.probe.wiring import (
    Graph,
    blocking_terms,
    is_and,
    is_or,
    names_in,
    negated_and,
    plain_value,
    signed_terms,
    without_casts,
)

_COMPARES = ("Equality", "Inequality", "BinaryXor", "BinaryXnor")


class Conditions:
    """Names that conditions mention together; blocks that only complain have none.

    Args:
        top: pyslang's instance symbol.
        graph: of it.

    Attributes:
        joined: names of each conjunction, and of each ``if`` with those around it.
        chosen: names of each disjunction, of each ``?:``, and of each ``if`` or ``case`` with the ``case`` around it.
        terms: what each conjunction needs: names, with ``!`` those that must be low.
        blocks: what each disjunction needs to be low, likewise: of ``!valid || ready``, a valid and no ready. A conjunction
            that only makes a wire of a stall, such as ``valid && !ready``, is here as well.
        compared: pairs of single bits that are compared with each other.
        claims: names of each assertion, and of each block that only complains.
    """

    def __init__(self, top: Any, graph: Graph) -> None:
        self.joined: list[set[str]] = []
        self.chosen: list[set[str]] = []
        self.terms: list[frozenset[str]] = []
        self.blocks: list[frozenset[str]] = []
        self.claims: list[set[str]] = [names_in(body) for body in graph.checks]
        self.compared: set[tuple[str, str]] = set()
        self._checks = [body.sourceRange for body in graph.checks]
        self._asked: set[str] = {f"{'!' * turned}{path}" for path, turned in graph.plain.values()}
        visit_taken(top, self._look)
        kept = [terms for terms in _holds(graph) if terms in self.terms]
        for terms in dict.fromkeys(kept):
            # A register that keeps what it has waits: that is no condition for the next one.
            self.terms.remove(terms)
            self.blocks.append(terms)
        for path, terms in _conjunctions(graph):
            if self._stalls(path) and terms in self.terms:
                self.terms.remove(terms)
                self.blocks.append(terms)

    def _look(self, node: Any) -> None:
        kind = symbol_kind(node)
        if kind == "ConcurrentAssertion":
            self.claims.append(names_in(node))
        elif kind == "UnaryOp" and (refused := negated_and(node)) is not None and not self._complains(node):
            self.blocks.append(frozenset(signed_terms(refused)))
        elif kind in ("BinaryOp", "ConditionalOp") and not self._complains(node):
            self._operator(kind, node)
        elif kind == "ProceduralBlock" and not self._complains(node.body):
            self._walk(node.body, frozenset(), frozenset())

    def _stalls(self, wire: str) -> bool:
        """Whether everything that looks at a wire goes on while it is low, or its name says so."""
        uses = self._asked.union(*self.terms, *(map(_turned, one) for one in self.blocks)) & {wire, _turned(wire)}
        return uses == {_turned(wire)} or (not uses and holds_up(wire.rpartition(".")[2]))

    def _complains(self, node: Any) -> bool:
        place = node.sourceRange
        return any(one.start <= place.start and place.end <= one.end for one in self._checks)

    def _operator(self, kind: str, node: Any) -> None:
        if kind == "ConditionalOp":
            self.chosen.append(set().union(*(names_in(one.expr) for one in node.conditions), names_in(node.left)))
        elif is_and(node):
            self.joined.append(names_in(node))
            self.terms.append(frozenset(signed_terms(node)))
        elif is_or(node):
            self.chosen.append(names_in(node))
            self.blocks.append(frozenset(blocking_terms(node)))
        elif operator_of(node) in _COMPARES and node.left.type.bitWidth == 1:
            sides = [value[0] for one in (node.left, node.right) if (value := plain_value(one)) is not None]
            if len(sides) == 2:
                self.compared |= {(sides[0], sides[1]), (sides[1], sides[0])}

    def _walk(self, statement: Any, tested: frozenset[str], cases: frozenset[str]) -> None:
        """Note the decisions below a statement.

        Args:
            statement: where.
            tested: what ``if`` looks at around it.
            cases: what ``case`` looks at around it.
        """
        kind = symbol_kind(statement)
        if kind == "Conditional" and settled_arms(statement) is None:
            tested = tested.union(*(names_in(one.expr) for one in statement.conditions))
            self._asked |= {f"{'!' * low}{path}" for one in statement.conditions for path, low in _plain(one.expr)}
            self.joined.append(set(tested))
            if cases:
                self.chosen.append({*tested, *cases})
            self._walk(statement.ifTrue, tested, cases)
            if statement.ifFalse is not None:
                self._walk(statement.ifFalse, tested, cases)
            return
        if kind == "Case" and settled_arms(statement) is None:
            cases |= names_in(statement.expr)
            self.chosen.append({*tested, *cases})
        for inner in inside(statement):
            self._walk(inner, tested, cases)


def _plain(expression: Any) -> Iterator[tuple[str, bool]]:
    """The value that an expression is, if it is no more than that or its negation."""
    if (value := plain_value(expression)) is not None:
        yield value


def _turned(term: str) -> str:
    """The other level of a term."""
    return term.removeprefix("!") if term.startswith("!") else f"!{term}"


def _conjunctions(graph: Graph) -> Iterator[tuple[str, frozenset[str]]]:
    """The wires that a conjunction makes, and what each needs."""
    for kind, node in graph.makes:
        if kind == "ContinuousAssign":
            target, right = plain_value(node.assignment.left), without_casts(node.assignment.right)
        elif kind == "Net":
            target, right = (str(node.hierarchicalPath), False), without_casts(node.initializer)
        else:
            continue
        if target is not None and symbol_kind(right) == "BinaryOp" and is_and(right):
            yield target[0], frozenset(signed_terms(right))


def _holds(graph: Graph) -> Iterator[frozenset[str]]:
    """What holds where a register of one bit stays high by its equation: ``full <= put | (full & ~take)``."""
    made: dict[str, Any] = {}
    steps: list[tuple[str, Any]] = []
    for kind, node in graph.makes:
        if kind in ("ContinuousAssign", "Net"):
            left = (
                plain_value(node.assignment.left) if kind == "ContinuousAssign" else (str(node.hierarchicalPath), False)
            )
            right = node.assignment.right if kind == "ContinuousAssign" else node.initializer
            made |= {} if left is None else {left[0]: right}
        elif kind == "ProceduralBlock" and symbol_kind(node.body) == "Timed":
            steps += _steps(node.body.stmt)
    for target, right in steps:
        value = plain_value(right)
        right = made.get(value[0], right) if value is not None and not value[1] else right
        for one in _disjuncts(right):
            if symbol_kind(one) == "BinaryOp" and is_and(one) and one.type.bitWidth == 1:
                terms = frozenset(signed_terms(one))
                if target in terms:
                    yield terms


def _steps(statement: Any) -> Iterator[tuple[str, Any]]:
    """The registers that a block of a clock makes as a whole, and of what."""
    kind = symbol_kind(statement)
    if kind == "ExpressionStatement" and symbol_kind(statement.expr) == "Assignment":
        target = plain_value(statement.expr.left)
        if target is not None:
            yield target[0], statement.expr.right
    elif kind == "Conditional" and settled_arms(statement) is None:
        for arm in filter(None, (statement.ifTrue, statement.ifFalse)):
            yield from _steps(arm)
    else:
        for one in inside(statement):
            yield from _steps(one)


def _disjuncts(expression: Any) -> Iterator[Any]:
    """The parts of a disjunction."""
    inner = without_casts(expression)
    if symbol_kind(inner) == "BinaryOp" and is_or(inner):
        yield from _disjuncts(inner.left)
        yield from _disjuncts(inner.right)
    else:
        yield inner
