# SPDX-License-Identifier: Apache-2.0
"""What an elaborated hierarchy looks at beside a value, wherever the value changes something."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from goldbeat.tb.build.compiling import symbol_kind
from goldbeat.tb.probe.taken import fixed_number, inside, settled_arms
from goldbeat.tb.probe.wiring import Graph, is_and, is_or, names_in, path_of, without_casts

_NAMED = ("NamedValue", "HierarchicalValue")
_Use = tuple[frozenset[str], frozenset[str]]
"""What is looked at beside a value, and what the value then changes."""


class Looks:
    """Every use of every value.

    Args:
        graph: of the hierarchy.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.uses: dict[str, list[_Use]] = defaultdict(list)
        for kind, node in graph.makes:
            if kind == "ContinuousAssign":
                self._note([node.assignment.right], frozenset(), frozenset(names_in(node.assignment.left)))
            elif kind == "Net":
                self._note([node.initializer], frozenset(), frozenset({str(node.hierarchicalPath)}))
            elif kind == "Instance":
                for connection in node.portConnections:
                    self._connection(connection)
            elif kind == "ProceduralBlock":
                body = node.body
                self._walk(body.stmt if symbol_kind(body) == "Timed" else body, (), frozenset())

    def moves_blindly(self, flag: str, enable: Iterable[str]) -> bool:
        """Whether a register that makes a flag moves with an enable where nothing looks at the flag, or at what makes it.

        Args:
            flag: path of the flag.
            enable: paths of the enable.
        """
        makers = self.graph.makers(flag)
        told, kept = {flag, *makers & self.graph.driven}, makers & self.graph.flops.keys()
        seen = set(enable)
        todo = list(seen)
        while todo:
            for beside, targets in self.uses[todo.pop()]:
                if any(not told.isdisjoint(self.graph.makers(one)) for one in beside):
                    continue
                if targets & kept:
                    return True
                fresh = targets - seen - self.graph.flops.keys()
                seen |= fresh
                todo += fresh
        return False

    def _connection(self, connection: Any) -> None:
        inner, expression = getattr(connection.port, "internalSymbol", None), connection.expression
        if inner is None or expression is None:
            return
        path = str(inner.hierarchicalPath)
        if symbol_kind(expression) == "Assignment":
            self.uses[path].append((frozenset(), frozenset(names_in(expression.left))))
        else:
            self._note([expression], frozenset(), frozenset({path}))

    def _walk(self, statement: Any, asked: tuple[Any, ...], left: frozenset[str]) -> None:
        """Note the uses below a statement.

        Args:
            statement: where.
            asked: the conditions around it that hold.
            left: what the conditions have that do not hold.
        """
        kind = symbol_kind(statement)
        if kind == "Conditional" and settled_arms(statement) is None:
            here = tuple(one.expr for one in statement.conditions)
            self._walk(statement.ifTrue, asked + here, left)
            if statement.ifFalse is not None:
                # Where a conjunction does not hold, each of its terms may: it checks nothing.
                more = frozenset[str]() if len(here) > 1 or _both(here[0]) else frozenset(names_in(here[0]))
                self._walk(statement.ifFalse, asked, left | more)
        elif kind == "Case" and settled_arms(statement) is None:
            for one in inside(statement):
                self._walk(one, (*asked, statement.expr), left)
        elif kind == "ExpressionStatement" and symbol_kind(statement.expr) == "Assignment":
            targets = frozenset(names_in(statement.expr.left))
            self._note([*asked, statement.expr.right], left, targets)
        else:
            for one in inside(statement):
                self._walk(one, asked, left)

    def _note(self, parts: Sequence[Any], beside: frozenset[str], targets: frozenset[str]) -> None:
        """Note the uses in conditions and in what is assigned.

        Args:
            parts: the expressions.
            beside: what is looked at around them.
            targets: what they change.
        """
        named = [frozenset(names_in(one)) for one in parts]
        for number, one in enumerate(parts):
            around = beside.union(*(names for other, names in enumerate(named[:-1]) if other != number))
            for name, near in _used(one, around | _cases(one) if number < len(parts) - 1 else around):
                self.uses[name].append((near - {name}, targets))


def _both(expression: Any) -> bool:
    """Whether an expression is a conjunction."""
    expression = without_casts(expression)
    return symbol_kind(expression) == "BinaryOp" and is_and(expression)


def _cases(asked: Any) -> set[str]:
    """What ``case ({put, full})`` looks at together."""
    asked = without_casts(asked)
    parts = asked.operands if symbol_kind(asked) == "Concatenation" else ()
    return {path_of(one) for one in map(without_casts, parts) if symbol_kind(one) in _NAMED}


def _used(expression: Any, beside: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """The values in an expression, each with what is looked at beside it: the other half of a conjunction, and what selects."""
    expression = without_casts(expression)
    kind = symbol_kind(expression)
    if kind in _NAMED:
        yield path_of(expression), beside
    elif kind == "UnaryOp":
        yield from _used(expression.operand, beside)
    elif kind == "BinaryOp":
        for one, other in ((expression.left, expression.right), (expression.right, expression.left)):
            checks = is_and(expression) or (is_or(expression) and not _both(other))
            if not (is_and(expression) and fixed_number(other) == 0):
                yield from _used(one, beside | names_in(other) if checks else beside)
    elif kind == "ConditionalOp":
        asked = [one.expr for one in expression.conditions]
        for one in asked:
            yield from _used(one, beside)
        for one in (expression.left, expression.right):
            yield from _used(one, beside.union(*map(names_in, asked)))
    elif kind == "Concatenation":
        for one in expression.operands:
            yield from _used(one, beside)
    else:
        for name in names_in(expression):
            yield name, beside
