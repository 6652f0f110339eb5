# SPDX-License-Identifier: Apache-2.0
"""Conditions that widths and constants settle, whatever the traffic: ``x > 15`` of four bits is never true."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.build.comparisons import instances_below, is_taken, slang_design
from goldbeat.tb.build.compiling import Compiled, operator_of, symbol_kind
from goldbeat.tb.design.design import Design

Range = tuple[int, int]
Place = tuple[int, int, int, int | None, int]

COMPARISONS = {
    "LessThan": lambda a, b: (a[1] < b[0], a[0] >= b[1]),
    "LessThanEqual": lambda a, b: (a[1] <= b[0], a[0] > b[1]),
    "GreaterThan": lambda a, b: (a[0] > b[1], a[1] <= b[0]),
    "GreaterThanEqual": lambda a, b: (a[0] >= b[1], a[1] < b[0]),
    "Equality": lambda a, b: (a[0] == a[1] == b[0] == b[1], a[1] < b[0] or a[0] > b[1]),
    "Inequality": lambda a, b: (a[1] < b[0] or a[0] > b[1], a[0] == a[1] == b[0] == b[1]),
}
"""Of two ranges, whether the comparison is always true, and always false."""


@dataclass(frozen=True)
class Settled:
    """A condition that has one value in every instance.

    Attributes:
        source: number of its file.
        begin, end: of its text, in bytes.
        value: what it always is.
        chosen, chosen_end: of a choice, where its first arm begins and ends; None, 0: another condition.
        folded: constants alone decide it, so that the simulator never asks.
        arm: these are the labels of an arm of a ``case`` that is never taken.
        unasked: what stands before it in ``&&`` or ``||`` decides.
        dead: where the statement begins and ends that an ``if`` never takes; None: no ``if``, or it has none.
    """

    source: int
    begin: int
    end: int
    value: bool
    chosen: int | None = None
    chosen_end: int = 0
    folded: bool = False
    arm: bool = False
    unasked: bool = False
    dead: tuple[int, int] | None = None


def settled_conditions(design: Design, params: Mapping[str, Any]) -> list[Settled]:
    """Those of a design's sources; none where slang cannot read them."""
    try:
        compiled = slang_design(design, params)
        tops = compiled.tops()
    except GoldbeatError:
        return []
    conditions = _Conditions(compiled, {str(path): number for number, path in enumerate(design.sources())})
    for top in tops:
        conditions.visit(top.body)
    return conditions.settled()


class _Conditions:
    """The conditions of modules, and what each is in all instances.

    Args:
        compiled: the sources.
        numbers: of their files.
    """

    def __init__(self, compiled: Compiled, numbers: Mapping[str, int]) -> None:
        from pyslang.ast import VisitAction

        self._compiled, self._numbers, self._skip = compiled, numbers, VisitAction.Skip
        self._found: dict[Place, set[bool | None]] = defaultdict(set)
        self._folded: set[Place] = set()
        self._unasked: set[Place] = set()
        self._statements: dict[Place, tuple[Any, Any]] = {}
        self._arms: dict[tuple[int, int, int], bool] = {}
        self._seen: set[tuple[str, ...]] = set()

    def settled(self) -> list[Settled]:
        """Those that have one value."""
        unused = [Settled(*place, value=False, arm=True) for place, never in self._arms.items() if never]
        known = ((place, value) for place, values in self._found.items() if len(values) == 1 for value in values)
        return unused + [
            Settled(
                *place[:3],
                value,
                *place[3:],
                folded=place in self._folded,
                unasked=place in self._unasked,
                dead=_extent(self._statements.get(place, (None, None))[bool(value)]),
            )
            for place, value in known
            if value is not None
        ]

    def visit(self, body: Any) -> None:
        """Read a module and those below it, each once for each set of parameter values."""
        values = [str(one.value) for one in body.parameters if hasattr(one, "value")]
        key = (body.definition.name, *values)
        if key in self._seen:
            return
        self._seen.add(key)
        for member in own_members(body):
            member.visit(self._look)
        for inner in instances_below(body):
            self.visit(inner.body)

    def _look(self, node: Any) -> Any:
        kind = symbol_kind(node)
        if kind == "BinaryOp" and operator_of(node) in COMPARISONS:
            self._note(node)
        elif kind == "BinaryOp" and (beside := _never_asked(node)) is not None:
            node.left.visit(self._look)
            beside.visit(self._ignore)
            return self._skip
        elif kind in ("Conditional", "ConditionalOp") and len(node.conditions) == 1:
            place = self._note(node.conditions[0].expr, node.left if kind == "ConditionalOp" else None)
            if kind == "Conditional" and place is not None:
                self._statements[place] = node.ifTrue, node.ifFalse
        elif kind == "Case" and str(node.condition).endswith("Normal"):
            self._choose(node)
        return None

    def _place(self, node: Any, arm: Any = None) -> Place | None:
        where, end = node.sourceRange.start, node.sourceRange.end
        number = self._numbers.get(self._compiled.manager.getFileName(where))
        if number is None or where.buffer != end.buffer:
            return None
        arms = (None, 0) if arm is None else (arm.sourceRange.start.offset, arm.sourceRange.end.offset)
        return (number, where.offset, end.offset, *arms)

    def _note(self, node: Any, arm: Any = None) -> Place | None:
        if (place := self._place(node, arm)) is not None:
            self._found[place].add(_truth(node))
            if node.constant is not None:
                self._folded.add(place)
        return place

    def _ignore(self, node: Any) -> None:
        """Note a comparison that is asked by nothing."""
        compares = symbol_kind(node) == "BinaryOp" and operator_of(node) in COMPARISONS
        if compares and (place := self._place(node)) is not None:
            self._found[place].add(False)
            self._folded.add(place)
            self._unasked.add(place)

    def _choose(self, case: Any) -> None:
        for item, never in _unchosen(case):
            first, last = item.expressions[0].sourceRange.start, item.expressions[-1].sourceRange.end
            number = self._numbers.get(self._compiled.manager.getFileName(first))
            if number is not None and first.buffer == last.buffer:
                place = (number, first.offset, last.offset)
                self._arms[place] = never and self._arms.get(place, True)


def _extent(statement: Any) -> tuple[int, int] | None:
    """Where a statement begins and ends in its file, in bytes."""
    return None if statement is None else (statement.sourceRange.start.offset, statement.sourceRange.end.offset)


def _never_asked(node: Any) -> Any:
    """The right side of ``&&`` or ``||`` that constants on the left side decide; None: it is asked."""
    decides = {"LogicalAnd": False, "LogicalOr": True}.get(operator_of(node))
    return node.right if decides is not None and _truth(node.left) is decides else None


def _unchosen(case: Any) -> Iterator[tuple[Any, bool]]:
    """The arms of a ``case``, and whether constants never choose each."""
    low, high = value_range(case.expr)
    for item in case.items:
        labels = (value_range(one) for one in item.expressions)
        yield item, low == high and all(least == most != low for least, most in labels)


def own_members(scope: Any) -> Iterator[Any]:
    """Members of a scope that are no instances, and those of its generate blocks that are taken."""
    for member in scope:
        kind = symbol_kind(member)
        if kind in ("GenerateBlock", "GenerateBlockArray"):
            yield from own_members(member) if is_taken(member) else ()
        elif kind not in ("Instance", "InstanceArray"):
            yield member


def _truth(node: Any) -> bool | None:
    """What a condition always is; None: it depends."""
    low, high = value_range(node)
    return True if low > 0 or high < 0 else False if low == high == 0 else None


def _whole(node: Any) -> Range:
    """Everything that a type can hold."""
    bits = int(node.type.bitWidth)
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if node.type.isSigned and bits else (0, (1 << bits) - 1)


def value_range(node: Any) -> Range:
    """The least and the largest value of an expression, by widths and constants."""
    whole = _whole(node)
    low, high = _tight(node, symbol_kind(node), whole)
    return (low, high) if whole[0] <= low and high <= whole[1] else whole


def _tight(node: Any, kind: str, whole: Range) -> Range:
    """The same, which may go beyond the type."""
    # slang has a value of some literals, and no constant.
    if node.constant is not None or kind == "IntegerLiteral":
        try:
            value = int(node.value if node.constant is None else node.constant.value)
        except (TypeError, ValueError):
            # Some bits are X, or it is no number.
            return whole
        return value, value
    if kind == "Conversion" and node.operand.type.isIntegral:
        return value_range(node.operand)
    if kind == "ConditionalOp":
        arms = [value_range(node.left), value_range(node.right)]
        return min(low for low, _ in arms), max(high for _, high in arms)
    if kind == "UnaryOp" and operator_of(node) == "LogicalNot":
        truth = _truth(node.operand)
        return (0, 1) if truth is None else (int(not truth),) * 2
    if kind == "UnaryOp" and operator_of(node) == "Minus":
        low, high = value_range(node.operand)
        return -high, -low
    if kind == "BinaryOp" and node.left.type.isIntegral and node.right.type.isIntegral:
        return _combined(operator_of(node), node, whole)
    return whole


def _combined(operator: str, node: Any, whole: Range) -> Range:
    a, b = value_range(node.left), value_range(node.right)
    if operator in COMPARISONS:
        always, never = COMPARISONS[operator](a, b)
        return (int(always), int(not never))
    if operator in ("LogicalAnd", "LogicalOr"):
        ends = all if operator == "LogicalAnd" else any
        truths = [_truth(node.left), _truth(node.right)]
        return int(ends(one is True for one in truths)), int(ends(one is not False for one in truths))
    if operator == "Add":
        return a[0] + b[0], a[1] + b[1]
    if operator == "Subtract":
        return a[0] - b[1], a[1] - b[0]
    if operator == "BinaryAnd" and min(a[0], b[0]) >= 0:
        return 0, min(a[1], b[1])
    if operator == "Mod" and a[0] >= 0 and b[0] > 0:
        return 0, min(a[1], b[1] - 1)
    return whole
