# SPDX-License-Identifier: Apache-2.0
"""What takes the place of an expression, by its kind in the syntax."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_SWAPS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "AddExpression": ("arithmetic", ("-",)),
    "SubtractExpression": ("arithmetic", ("+",)),
    "MultiplyExpression": ("arithmetic", ("+",)),
    "DivideExpression": ("arithmetic", ("*",)),
    "ModExpression": ("arithmetic", ("/",)),
    "LessThanExpression": ("relational", ("<=", ">=")),
    "LessThanEqualExpression": ("relational", ("<", ">")),
    "GreaterThanExpression": ("relational", (">=", "<=")),
    "GreaterThanEqualExpression": ("relational", (">", "<")),
    "EqualityExpression": ("relational", ("!=",)),
    "InequalityExpression": ("relational", ("==",)),
    "LogicalAndExpression": ("logical", ("||",)),
    "LogicalOrExpression": ("logical", ("&&",)),
    "BinaryAndExpression": ("bitwise", ("|",)),
    "BinaryOrExpression": ("bitwise", ("&", "^")),
    "BinaryXorExpression": ("bitwise", ("|",)),
    "LogicalShiftLeftExpression": ("shift", (">>",)),
    "LogicalShiftRightExpression": ("shift", ("<<",)),
    "ArithmeticShiftLeftExpression": ("shift", (">>",)),
    "ArithmeticShiftRightExpression": ("shift", (">>", "<<<")),
}
_SIDES = ("LogicalAndExpression", "LogicalOrExpression")
_UNARY: Mapping[str, tuple[str, ...]] = {
    "UnaryLogicalNotExpression": ("",),
    "UnaryBitwiseNotExpression": ("",),
    "UnaryMinusExpression": ("",),
    "UnaryBitwiseAndExpression": ("|",),
    "UnaryBitwiseOrExpression": ("&",),
    "UnaryBitwiseXorExpression": ("|",),
}
_COMPLEMENTED = ("EqualityExpression", "InequalityExpression", "UnaryLogicalNotExpression")
_ONE_BIT = (
    *(kind for kind, (operator, _) in _SWAPS.items() if operator in ("relational", "logical")),
    "UnaryLogicalNotExpression",
)


def text_of(node: Any) -> str:
    """A piece of syntax as it is written, without what stands before it."""
    return str(node).strip()


def changes(node: Any) -> Iterator[tuple[str, str]]:
    """Kind of change and new text, for an expression.

    Args:
        node: an expression of ``pyslang``.
    """
    kind = node.kind.name
    if kind in _SWAPS:
        left, right = text_of(node.left), text_of(node.right)
        operator, others = _SWAPS[kind]
        for other in others:
            yield operator, f"({left}) {other} ({right})"
        if kind in _SIDES:
            yield operator, left
            yield operator, right
    elif kind in _UNARY:
        for other in _UNARY[kind]:
            yield "unary", f"{other}({text_of(node.operand)})"
    elif kind == "IntegerLiteralExpression":
        value = int(text_of(node).replace("_", ""))
        yield "constant", str(value + 1)
        if value > 0:
            yield "constant", str(value - 1)
    elif kind == "IntegerVectorExpression":
        yield from _vector(text_of(node))
    elif kind == "UnbasedUnsizedLiteralExpression":
        filled = {"'0": "'1", "'1": "'0"}.get(text_of(node))
        if filled:
            yield "constant", filled


def negated(node: Any) -> Iterator[tuple[str, str]]:
    """The same for a condition: it is taken for its opposite, where no other change does that."""
    if node.kind.name not in _COMPLEMENTED:
        yield "condition", f"!({text_of(node)})"


def stuck(node: Any) -> Iterator[tuple[str, str]]:
    """The same for what a control signal of one bit gets, as far as its syntax tells that it has one bit."""
    if node.kind.name in _ONE_BIT:
        yield "stuck", "1'b0"
        yield "stuck", "1'b1"


def wrong_reset(node: Any) -> Iterator[tuple[str, str]]:
    """The same for a value at reset that is no plain number."""
    if "Literal" not in node.kind.name and "Vector" not in node.kind.name and "Pattern" not in node.kind.name:
        yield "reset", f"~({text_of(node)})"


def _vector(text: str) -> Iterator[tuple[str, str]]:
    found = re.fullmatch(r"(\d*)\s*'\s*([sS]?)[bodhBODH]\s*([0-9a-fA-FxXzZ?_]+)", text, re.DOTALL)
    size, sign, value = found.groups("")  # type: ignore[union-attr]
    if not re.search("[xXzZ?]", value):
        # One number without a sign would take the sign from all that is around it, in the original too.
        yield "constant", f"{text} ^ {size or 32}'{sign}d1"
