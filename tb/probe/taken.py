# SPDX-License-Identifier: Apache-2.0
"""What parameter values leave of the RTL: generate blocks, and arms of decisions about constants, that are taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from goldbeat.tb.build.compiling import symbol_kind


def visit_taken(node: Any, look: Callable[[Any], object]) -> None:
    """Show everything below a node to a function, except what these parameter values leave out.

    Decisions about constants are left out as well; their taken arms are shown.

    Args:
        node: slang's.
        look: gets each node.
    """
    blocks, decisions, skip = _classes()

    def each(one: Any) -> Any:
        kind = type(one)
        if kind in blocks:
            if one.isUninstantiated:
                return skip
        elif kind in decisions and (arms := settled_arms(one)) is not None:
            for arm in arms:
                arm.visit(each)
            return skip
        look(one)
        return None

    node.visit(each)


@cache
def _classes() -> tuple[tuple[type, ...], tuple[type, ...], Any]:
    from pyslang import ast

    decisions = (ast.ConditionalStatement, ast.ConditionalExpression, ast.CaseStatement)
    return (ast.GenerateBlockSymbol,), decisions, ast.VisitAction.Skip


def settled_arms(node: Any) -> tuple[Any, ...] | None:
    """The arm that an ``if``, ``?:`` or ``case`` about constants takes, if it has one; None: signals decide."""
    kind = symbol_kind(node)
    if kind == "Case":
        return _settled_case(node)
    truths = [fixed_number(one.expr) for one in node.conditions]
    if any(one is None for one in truths):
        return None
    first, second = (node.ifTrue, node.ifFalse) if kind == "Conditional" else (node.left, node.right)
    arm = first if all(truths) else second
    return () if arm is None else (arm,)


def _settled_case(node: Any) -> tuple[Any, ...] | None:
    value = fixed_number(node.expr)
    if value is None:
        return None
    for item in node.items:
        labels = [fixed_number(one) for one in item.expressions]
        if None in labels:
            return None
        if value in labels:
            return (item.stmt,)
    return () if node.defaultCase is None else (node.defaultCase,)


def fixed_number(expression: Any) -> int | None:
    """The value of a constant expression; None: it has none, or one with unknown bits."""
    constant = expression.constant
    while constant is None and symbol_kind(expression) == "Conversion":
        expression = expression.operand
        constant = expression.constant
    value: Any = getattr(expression, "value", None) if constant is None else constant.value
    if symbol_kind(expression) == "NamedValue" and constant is None:
        value = getattr(getattr(expression.symbol, "value", None), "value", None)
    if type(value).__name__ == "SVInt" and value.hasUnknown:
        return None
    return int(value) if isinstance(value, int) or type(value).__name__ == "SVInt" else None


def inside(statement: Any) -> Iterator[Any]:
    """The statements right below one that no signal decides about."""
    kind = symbol_kind(statement)
    if kind in ("Conditional", "Case") and (arms := settled_arms(statement)) is not None:
        yield from arms
    elif kind == "List":
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
