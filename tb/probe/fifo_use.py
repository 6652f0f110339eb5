# SPDX-License-Identifier: Apache-2.0
"""How an elaborated FIFO uses its ports: whether it looks at full and empty itself, and when its data come."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from goldbeat.tb.build.compiling import symbol_kind
from goldbeat.tb.probe.fifos import FifoSide
from goldbeat.tb.probe.module import FifoUse
from goldbeat.tb.probe.wiring import Graph, closure, names_in, plain_value

_AND = ("LogicalAnd", "BinaryAnd")


def fifo_uses(top: Any, sides: Iterable[FifoSide]) -> dict[str, FifoUse]:
    """What the RTL says of each side, by the side's enable.

    Args:
        top: pyslang's instance symbol.
        sides: of the FIFO that it is.
    """
    code = _Code(top)
    return {side.enable.name: code.use(side) for side in sides}


class _Code:
    """Conditions of a hierarchy, and the conditions of every assignment to a register."""

    def __init__(self, top: Any) -> None:
        self.graph = Graph(top)
        self.prefix = f"{top.name}."
        self.together: list[set[str]] = []
        self.claims: list[set[str]] = []
        self.loads: dict[str, list[frozenset[str]]] = defaultdict(list)
        self.needs: dict[str, frozenset[str]] = {}
        self.outputs: dict[str, str] = {}
        # A block that only complains is a claim, and what it looks at is no condition.
        self.claims += [names_in(body) for body in self.graph.checks]
        self.ranges = [body.sourceRange for body in self.graph.checks]
        top.visit(self._look)

    def _look(self, node: Any) -> None:
        kind = symbol_kind(node)
        if kind == "BinaryOp" and is_and(node):
            if not any(one.start <= node.sourceRange.start and node.sourceRange.end <= one.end for one in self.ranges):
                self.together.append(names_in(node))
        elif kind == "ContinuousAssign" and symbol_kind(node.assignment) == "Assignment":
            self._wire(plain_value(node.assignment.left), node.assignment.right)
        elif kind == "Net" and node.initializer is not None:
            self._wire((node.hierarchicalPath, False), node.initializer)
        elif kind == "ProceduralBlock":
            if node.body not in self.graph.checks:
                self._walk(node.body, frozenset(), frozenset())
        elif kind == "ConcurrentAssertion":
            self.claims.append(names_in(node))
        elif kind == "Instance":
            for connection in node.portConnections:
                self._port(connection)

    def _port(self, connection: Any) -> None:
        """What an instance drives."""
        inner, expression = getattr(connection.port, "internalSymbol", None), connection.expression
        if inner is not None and expression is not None and symbol_kind(expression) == "Assignment":
            outer = plain_value(expression.left)
            if outer is not None:
                self.outputs[outer[0]] = inner.hierarchicalPath

    def _wire(self, target: tuple[str, bool] | None, right: Any) -> None:
        if target is not None:
            self.needs[target[0]] = frozenset(_conjuncts(right))

    def _walk(self, statement: Any, needed: frozenset[str], seen: frozenset[str]) -> None:
        """Note the assignments below a statement.

        Args:
            statement: where.
            needed: what must be high for it.
            seen: what is looked at for it.
        """
        kind = symbol_kind(statement)
        if kind == "Conditional":
            conditions = [one.expr for one in statement.conditions]
            seen = seen.union(*map(names_in, conditions))
            self.together.append(set(seen))
            self._walk(statement.ifTrue, needed.union(*map(_conjuncts, conditions)), seen)
            if statement.ifFalse is not None:
                self._walk(statement.ifFalse, needed, seen)
        elif kind == "ExpressionStatement" and symbol_kind(statement.expr) == "Assignment":
            # A constant is what a reset gives.
            if names_in(statement.expr.right):
                for name in names_in(statement.expr.left):
                    self.loads[name].append(needed)
        else:
            for inner in inside(statement):
                self._walk(inner, needed, seen)

    # -- questions ----------------------------------------------------------------------------------------------

    def use(self, side: FifoSide) -> FifoUse:
        """What is known of a side."""
        enable, flag, data = (self.prefix + pin.name for pin in side.ports[:1] + side.ports[2:] + side.ports[1:2])
        mine = {name for name in self.graph.after if self.graph.origin(name) == (enable, False)} | {enable}
        makers = self._makers(flag) - mine
        guarded = any(one & mine and one & makers for one in map(self._spelled, self.together))
        # Who asserts that both are never high relies on it, whatever else is looked at.
        guarded = guarded and not any(one & mine and one & (makers | {flag}) for one in self.claims)
        register = self._register(data)
        loads = [] if register is None else [self._spelled(one) for one in self.loads[register]]
        return FifoUse(guarded, register is not None, bool(loads) and all(one & mine for one in loads))

    def _makers(self, flag: str) -> set[str]:
        """What a flag is made of, up to the registers."""
        return closure([flag], lambda name: () if name in self.graph.flops else self.graph.before.get(name, ()))

    def _register(self, data: str) -> str | None:
        """The register that an output is; None: there is logic in between."""
        seen: set[str] = set()
        while data not in seen:
            seen.add(data)
            if data in self.graph.flops:
                return data
            data = self.outputs.get(data) or self.graph.origin(data)[0]
        return None

    def _spelled(self, names: Iterable[str]) -> set[str]:
        return self.graph.conjuncts(names, self.needs)


def is_and(node: Any) -> bool:
    """Whether an operator is a conjunction."""
    return str(node.op).rpartition(".")[2] in _AND


def signed_terms(expression: Any) -> Iterator[str]:
    """What must be high, or with ``!`` low, for an expression to be high."""
    while symbol_kind(expression) == "Conversion":
        expression = expression.operand
    if symbol_kind(expression) == "BinaryOp" and is_and(expression):
        yield from signed_terms(expression.left)
        yield from signed_terms(expression.right)
    elif (value := plain_value(expression)) is not None:
        yield f"{'!' * value[1]}{value[0]}"


def _conjuncts(expression: Any) -> set[str]:
    """What must be high for an expression to be."""
    while symbol_kind(expression) == "Conversion":
        expression = expression.operand
    if symbol_kind(expression) == "BinaryOp" and is_and(expression):
        return _conjuncts(expression.left) | _conjuncts(expression.right)
    value = plain_value(expression)
    return {value[0]} if value is not None and not value[1] else set()


def inside(statement: Any) -> Iterator[Any]:
    """The statements right below one that is no decision."""
    kind = symbol_kind(statement)
    if kind == "List":
        yield from statement.list
    elif kind == "Case":
        yield from (item.stmt for item in statement.items)
        if statement.defaultCase is not None:
            yield statement.defaultCase
    else:
        # Blocks and loops have a body, timing controls a statement.
        below = getattr(statement, "body", None) or getattr(statement, "stmt", None)
        if below is not None:
            yield below
