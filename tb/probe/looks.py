# SPDX-License-Identifier: Apache-2.0
"""What an elaborated hierarchy looks at beside a value, wherever the value changes something."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from goldbeat.tb.build.compiling import symbol_kind
from goldbeat.tb.probe.taken import fixed_number, inside, settled_arms
from goldbeat.tb.probe.wiring import Graph, assigned_names, is_and, is_or, names_in, path_of, without_casts

_NAMED = ("NamedValue", "HierarchicalValue")
_Use = tuple[frozenset[str], frozenset[str], bool]
"""What is looked at beside a value, what the value then changes, and whether it only decides about that."""


@dataclass(frozen=True)
class _Change:
    """An assignment in a block.

    Attributes:
        asked: what the conditions have that hold for it.
        left: what those have that do not hold.
        value: path of what it gives as it is; None: it gives something else.
        constant: it gives a number.
    """

    asked: frozenset[str]
    left: frozenset[str]
    value: str | None
    constant: bool


class Looks:
    """Every use of every value.

    Args:
        graph: of the hierarchy.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.uses: dict[str, list[_Use]] = defaultdict(list)
        self.selects: dict[str, set[str]] = defaultdict(set)
        self._changes: dict[str, list[_Change]] = defaultdict(list)
        for kind, node in graph.makes:
            if kind == "ContinuousAssign":
                self._note([node.assignment.right], frozenset(), frozenset(assigned_names(node.assignment.left)))
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
            for beside, targets, _ in self.uses[todo.pop()]:
                if any(not told.isdisjoint(self.graph.makers(one)) for one in beside):
                    continue
                if targets & kept:
                    return True
                fresh = targets - seen - self.graph.flops.keys()
                seen |= fresh
                todo += fresh
        return False

    def begins(self, strobe: str, data: Iterable[str], echoes: Container[str]) -> bool:
        """Whether an input that stores others begins something that goes on by itself, so the next one may have to wait.

        That is a register which goes on without the input, and which has to have a value for the others to be stored, or gets
        a constant from the input.

        Args:
            strobe: path of the input.
            data: paths of the others.
            echoes: registers that stand for the input, a cycle later.
        """
        beside = set[str]()
        for target, near in self._stored(data):
            beside |= {flop for one in near for flop in self._kept(one) if flop != target and flop not in echoes}
        mine = {strobe, *(flop for flop in self.graph.flops if flop in echoes)}
        beside |= {
            target
            for target, changes in self._changes.items()
            if target in self.graph.flops and any(one.constant and self._of(one.asked, mine) for one in changes)
        }
        return any(self._goes_on(flop, mine) for flop in beside)

    def indexed(self, data: str, inputs: Container[str]) -> bool:
        """Whether what is stored of an input is a word that another input selects."""
        selects = (one for target, _ in self._stored([data], values=True) for one in self.selects[target])
        return any(maker in inputs for one in selects for maker in self.graph.makers(one))

    def stores(self, data: str) -> bool:
        """Whether a register has a part of an input."""
        return next(self._stored([data], values=True), None) is not None

    def clears(self, path: str, *, high: bool) -> bool:
        """Whether registers get constants where an input alone has a level."""
        plain = ([path], []) if high else ([], [path])
        return any(
            target in self.graph.flops and one.constant and ([*one.asked], [*one.left]) == plain
            for target, changes in self._changes.items()
            for one in changes
        )

    def _stored(self, data: Iterable[str], *, values: bool = False) -> Iterator[tuple[str, frozenset[str]]]:
        """The registers that depend on values, each with what is looked at for that.

        Args:
            data: paths of the values.
            values: only where they have a part in what is stored, and do not only decide.
        """
        seen = set(data)
        todo = [(one, frozenset[str]()) for one in seen]
        while todo:
            name, before = todo.pop()
            for beside, targets, decides in self.uses[name]:
                for target in () if decides and values else targets:
                    if target in self.graph.flops:
                        yield target, before | beside
                    elif target not in seen:
                        seen.add(target)
                        todo.append((target, before | beside))

    def _kept(self, name: str) -> set[str]:
        return self.graph.makers(name) & self.graph.flops.keys()

    def _of(self, names: Iterable[str], mine: Container[str]) -> bool:
        """Whether any of some values is made of an input, or of what stands for it."""
        return any(maker in mine for one in names for maker in self.graph.makers(one))

    def _goes_on(self, flop: str, mine: Container[str]) -> bool:
        """Whether registers decide that a register changes, and an input has no part in that."""
        changes = [*self._changes[flop]]
        for value in {one.value for one in changes if one.value is not None} - self.graph.flops.keys():
            # What is to come next is made without the clock.
            changes += self._changes[value]
        return any(
            one.value != flop
            and not self._of(one.asked, mine)
            and any(self._kept(name) for name in one.asked | one.left if not self._of([name], mine))
            for one in changes
        )

    def _connection(self, connection: Any) -> None:
        inner, expression = getattr(connection.port, "internalSymbol", None), connection.expression
        if inner is None or expression is None:
            return
        path = str(inner.hierarchicalPath)
        if symbol_kind(expression) == "Assignment":
            self.uses[path].append((frozenset(), frozenset(names_in(expression.left)), False))
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
            self._assign(statement.expr, asked, left)
        else:
            for one in inside(statement):
                self._walk(one, asked, left)

    def _assign(self, assignment: Any, asked: tuple[Any, ...], left: frozenset[str]) -> None:
        targets, right = frozenset(assigned_names(assignment.left)), without_casts(assignment.right)
        self._note([*asked, right], left, targets)
        value = path_of(right) if symbol_kind(right) in _NAMED else None
        around = frozenset().union(*map(names_in, asked))
        for target in targets:
            self.selects[target] |= names_in(assignment.left) - targets
            self._changes[target].append(_Change(around, left, value, fixed_number(assignment.right) is not None))

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
            asks = number < len(parts) - 1
            for name, near, decides in _used(one, around | _cases(one) if asks else around):
                self.uses[name].append((near - {name}, targets, asks or decides))


def _both(expression: Any) -> bool:
    """Whether an expression is a conjunction."""
    expression = without_casts(expression)
    return symbol_kind(expression) == "BinaryOp" and is_and(expression)


def _cases(asked: Any) -> set[str]:
    """What ``case ({put, full})`` looks at together."""
    asked = without_casts(asked)
    parts = asked.operands if symbol_kind(asked) == "Concatenation" else ()
    return {path_of(one) for one in map(without_casts, parts) if symbol_kind(one) in _NAMED}


def _used(expression: Any, beside: frozenset[str]) -> Iterator[tuple[str, frozenset[str], bool]]:
    """The values in an expression, each with what is looked at beside it, and whether it only selects among others.

    That is the other half of a conjunction, and what selects.
    """
    expression = without_casts(expression)
    kind = symbol_kind(expression)
    if kind in _NAMED:
        yield path_of(expression), beside, False
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
            yield from ((name, near, True) for name, near, _ in _used(one, beside))
        for one in (expression.left, expression.right):
            yield from _used(one, beside.union(*map(names_in, asked)))
    elif kind == "Concatenation":
        for one in expression.operands:
            yield from _used(one, beside)
    else:
        for name in names_in(expression):
            yield name, beside, False
