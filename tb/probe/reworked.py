# SPDX-License-Identifier: Apache-2.0
"""Whether a hierarchy only stores and selects words, or does something with them: asks what they are, changes or adds some."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from goldbeat.tb.build.compiling import operator_of, symbol_kind
from goldbeat.tb.probe.taken import fixed_number, inside, settled_arms
from goldbeat.tb.probe.wiring import Graph, closure, is_and, is_or, names_in, path_of, without_casts

_NAMED = ("NamedValue", "HierarchicalValue")
_SELECTS = ("ElementSelect", "RangeSelect", "MemberAccess")
_JOINS = ("Concatenation", "SimpleAssignmentPattern", "StructuredAssignmentPattern")
_SHIFTS = ("LogicalShiftLeft", "LogicalShiftRight", "ArithmeticShiftLeft", "ArithmeticShiftRight")
_ARRAY = 1 << 30
"""Bits of what has no number of them."""
_Part = tuple[str, int]
"""Path of a value, and how many bits of it."""


@dataclass
class _Value:
    """What an expression may give.

    Attributes:
        parts: values that it has as they are.
        constant: it has bits of a constant that is not 0.
    """

    parts: list[_Part] = field(default_factory=list)
    constant: bool = False


@dataclass
class _Given:
    """An assignment.

    Attributes:
        targets: what it changes.
        values: of which it gives one.
    """

    targets: list[_Part]
    values: list[_Value]

    @cached_property
    def wide(self) -> int:
        """Bits of all targets."""
        return sum(bits for _, bits in self.targets)


class Reworks:
    """All assignments of a hierarchy, and all values that anything but storage and selection looks at.

    Args:
        graph: of the hierarchy.
    """

    def __init__(self, graph: Graph) -> None:
        self._given: list[_Given] = []
        self._asked: list[tuple[_Part, tuple[str, ...]]] = []
        self._before: dict[str, set[str]] = defaultdict(set)
        self._moved: dict[str, set[str]] = defaultdict(set)
        self._whole: dict[str, int] = {}
        self._partly: dict[str, set[str]] = defaultdict(set)
        self._checks = [body.sourceRange for body in graph.checks]
        for kind, node in graph.makes:
            if kind == "ContinuousAssign":
                self._assign(node.assignment.left, node.assignment.right)
            elif kind == "Net":
                self._give([(str(node.hierarchicalPath), node.type.bitWidth)], node.initializer)
            elif kind == "Instance":
                for connection in node.portConnections:
                    self._connect(connection)
            elif kind == "PrimitiveInstance":
                ends = [end for end in node.portConnections if end is not None]
                self._ask((n for end in ends if symbol_kind(end) != "Assignment" for n in names_in(end)), ())
            elif kind == "ProceduralBlock" and not self._complains(node.body):
                self._walk(node.body)

    def __call__(self, inputs: Collection[str], outputs: Collection[str], beside: Iterable[str], bits: int) -> str:
        """What is done with words, for people; empty: they are stored and selected alone.

        Args:
            inputs: paths of the data of inputs.
            outputs: paths of those of outputs.
            beside: paths of the other outputs of handshakes.
            bits: of the narrowest.
        """
        # All bits of the ports are words.
        ports = {*inputs, *outputs}
        mixed = self._mixed((), ports)
        words = self._words(inputs, mixed, bits)
        while (fresh := mixed & self._mixed(words, ports)) != mixed:
            mixed = fresh
            words = self._words(inputs, mixed, bits)
        shown = self._shown(outputs, mixed, bits)
        makers = closure([*outputs, *beside], lambda name: self._before.get(name, ()))
        for (path, wide), changes in self._asked:
            if path in words and (wide >= bits or path not in mixed) and (not changes or makers & {*changes}):
                return f"{_short(path)} is looked at or changed{_for(changes)}, and not only stored"
        for one in self._given:
            made = [path for path, _ in one.targets if path in shown and (one.wide >= bits or path not in mixed)]
            for value in one.values if made else ():
                if not any(path in words for path, _ in value.parts) and (value.constant or value.parts):
                    return f"{_short(made[0])} gets words that do not come in"
        return ""

    def _mixed(self, words: Container[str], ports: Container[str]) -> set[str]:
        """Values that have several things in them, as a word beside its flags.

        Args:
            words: what is known as no flag.
            ports: that have nothing else.
        """
        found = set[str]()
        for path, sources in self._partly.items():
            if len(sources) > 1 and any(name not in words for name in sources):
                found.add(path)
        for one in self._given:
            names = [{part for part, _ in value.parts} for value in one.values]
            if any(len(more) > 1 and any(name not in words for name in more) for more in names):
                found |= {path for path, _ in one.targets}
        found = {path for path in found if path not in ports}
        return closure(found, lambda name: (path for path in self._moved[name] if path not in ports))

    def _words(self, inputs: Iterable[str], mixed: Container[str], bits: int) -> set[str]:
        """Everything that has words as they came in, or some of their bits."""
        found, more = set(inputs), True
        while more:
            more = False
            for one in self._given:
                parts = [part for value in one.values for part in value.parts if part[0] in found]
                whole = any(path not in mixed for path, _ in parts)
                if whole or any(wide >= bits for _, wide in parts):
                    alone = whole or len(one.targets) == 1
                    fresh = {path for path, wide in one.targets if (alone or wide >= bits) and path not in found}
                    more |= bool(fresh)
                    found |= fresh
        return found

    def _shown(self, outputs: Iterable[str], mixed: Container[str], bits: int) -> set[str]:
        """Everything that outputs show as it is."""
        found, more = set(outputs), True
        while more:
            more = False
            for one in self._given:
                mine = [path for path, _ in one.targets if path in found]
                whole = len(one.targets) == 1 and any(path not in mixed for path in mine)
                parts = {path for value in one.values for path, wide in value.parts if whole or wide >= bits}
                if mine and not parts <= found:
                    found |= parts
                    more = True
        return found

    # -- the walk -----------------------------------------------------------------------------------------------

    def _complains(self, node: Any) -> bool:
        place = node.sourceRange
        return any(one.start <= place.start and place.end <= one.end for one in self._checks)

    def _connect(self, connection: Any) -> None:
        inner, expression = getattr(connection.port, "internalSymbol", None), connection.expression
        if inner is None or expression is None:
            return
        mine = (str(inner.hierarchicalPath), inner.type.bitWidth)
        if symbol_kind(expression) == "Assignment":
            targets = list(self._targets(expression.left))
            self._given.append(_Given(targets, [_Value([mine])]))
            for path, _ in targets:
                self._before[path].add(mine[0])
        else:
            self._give([mine], expression)

    def _walk(self, statement: Any, around: frozenset[str] = frozenset()) -> None:
        kind = symbol_kind(statement)
        if kind == "Conditional" and settled_arms(statement) is None:
            for one in statement.conditions:
                self._ask(one.expr, ())
                around |= names_in(one.expr)
            for arm in filter(None, (statement.ifTrue, statement.ifFalse)):
                self._walk(arm, around)
        elif kind == "ExpressionStatement" and symbol_kind(statement.expr) == "Assignment":
            self._assign(statement.expr.left, statement.expr.right, around)
        elif kind == "VariableDeclaration":
            if (value := statement.symbol.initializer) is not None:
                self._give([(str(statement.symbol.hierarchicalPath), statement.symbol.type.bitWidth)], value, around)
        else:
            if kind == "Case" and settled_arms(statement) is None:
                self._ask(statement.expr, ())
                for label in (one for item in statement.items for one in item.expressions):
                    self._ask(label, ())
                around |= names_in(statement.expr)
            for one in inside(statement):
                self._walk(one, around)

    def _assign(self, left: Any, right: Any, around: frozenset[str] = frozenset()) -> None:
        self._give(list(self._targets(left)), right, around)

    def _give(self, targets: list[_Part], right: Any, around: frozenset[str] = frozenset()) -> None:
        names = tuple(path for path, _ in targets)
        given = _Given(targets, list(self._values(right, names)))
        self._given.append(given)
        for path, bits in (part for value in given.values for part in value.parts):
            if len(targets) == 1 and targets[0][1] == bits:
                self._moved[path].add(targets[0][0])
        for path, wide in targets:
            self._before[path] |= around | names_in(right)
            if wide < self._whole.get(path, 0):
                self._partly[path] |= {part for value in given.values for part, _ in value.parts}

    def _targets(self, left: Any) -> Iterator[_Part]:
        left = without_casts(left)
        if symbol_kind(left) in _JOINS:
            for one in left.operands if symbol_kind(left) == "Concatenation" else left.elements:
                yield from self._targets(one)
            return
        wide = left.type.bitWidth
        while symbol_kind(left) in _SELECTS:
            self._selector(left, ())
            left = without_casts(left.value)
        if symbol_kind(left) in _NAMED:
            self._whole[path_of(left)] = left.type.bitWidth
            yield path_of(left), wide

    def _selector(self, select: Any, names: tuple[str, ...]) -> None:
        """What an index looks at."""
        for one in ("selector", "left", "right"):
            if symbol_kind(select) != "MemberAccess" and (index := getattr(select, one, None)) is not None:
                self._ask(index, names)

    def _ask(self, what: Any, names: tuple[str, ...]) -> None:
        """Note values that something looks at; ``what``: an expression, or paths."""
        parts = self._mentions(what) if hasattr(what, "kind") else ((path, 1) for path in what)
        self._asked += [(part, names) for part in parts]

    def _mentions(self, expression: Any) -> Iterator[_Part]:
        """The values in an expression, with the bits of them that it has."""
        expression = without_casts(expression)
        kind = symbol_kind(expression)
        if kind in (*_NAMED, *_SELECTS):
            wide, inner = expression.type.bitWidth, expression
            while symbol_kind(inner) in _SELECTS:
                for one in ("selector", "left", "right"):
                    if symbol_kind(inner) != "MemberAccess" and (index := getattr(inner, one, None)) is not None:
                        yield from self._mentions(index)
                inner = without_casts(inner.value)
            if symbol_kind(inner) in _NAMED:
                yield path_of(inner), wide
        elif kind == "UnaryOp":
            yield from self._mentions(expression.operand)
        elif kind == "BinaryOp":
            yield from self._mentions(expression.left)
            yield from self._mentions(expression.right)
        elif kind == "ConditionalOp":
            for one in (*(asked.expr for asked in expression.conditions), expression.left, expression.right):
                yield from self._mentions(one)
        elif kind == "Concatenation":
            for one in expression.operands:
                yield from self._mentions(one)
        else:
            yield from ((path, _ARRAY) for path in names_in(expression))

    def _values(self, expression: Any, names: tuple[str, ...]) -> Iterator[_Value]:
        """What an expression may give; what it looks at for that, and what it changes, is noted."""
        expression = without_casts(expression)
        kind = symbol_kind(expression)
        if (number := fixed_number(expression)) is not None:
            yield _Value(constant=number != 0)
        elif kind in _NAMED:
            yield _Value([(path_of(expression), expression.type.bitWidth or _ARRAY)])
        elif kind in _SELECTS:
            self._selector(expression, names)
            wide = expression.type.bitWidth
            for value in self._values(expression.value, names):
                yield _Value([(path, min(bits, wide)) for path, bits in value.parts], value.constant)
        elif kind == "ConditionalOp":
            for one in expression.conditions:
                self._ask(one.expr, names)
            yield from self._values(expression.left, names)
            yield from self._values(expression.right, names)
        elif kind in _JOINS:
            inner = expression.operands if kind == "Concatenation" else expression.elements
            made = [values for one in inner if (values := [*self._values(one, names)])]
            for number in range(max(map(len, made), default=0)):
                found = [values[number % len(values)] for values in made]
                yield _Value([part for value in found for part in value.parts], any(value.constant for value in found))
        elif kind == "Replication":
            yield from self._values(expression.concat, names)
        elif kind == "BinaryOp":
            yield from self._operation(expression, names)
        else:
            self._ask(expression, names)

    def _operation(self, expression: Any, names: tuple[str, ...]) -> Iterator[_Value]:
        """A shift, and what ``{N{select}} & word | ...`` selects, change no word; everything else does."""
        left, right = without_casts(expression.left), without_casts(expression.right)
        if is_or(expression):
            yield from self._values(left, names)
            yield from self._values(right, names)
        elif operator_of(expression) in _SHIFTS:
            self._ask(right, names)
            yield from self._values(left, names)
        elif is_and(expression) and (masks := [one for one in (left, right) if _is_mask(one)]):
            self._ask(masks[0], names)
            yield from self._values(right if masks[0] is left else left, names)
        else:
            self._ask(expression, names)


def _is_mask(expression: Any) -> bool:
    """Whether all bits of an expression are one bit, or their opposite."""
    while symbol_kind(expression) == "UnaryOp":
        expression = without_casts(expression.operand)
    return symbol_kind(expression) == "Replication" and expression.concat.type.bitWidth == 1


def _short(path: str) -> str:
    """A path without the top module."""
    return path.partition(".")[2] or path


def _for(changes: Iterable[str]) -> str:
    """What is made of a value, for people."""
    names = [_short(one) for one in changes]
    return f" for {names[0]}" if names else ""
