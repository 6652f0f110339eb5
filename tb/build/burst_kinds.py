# SPDX-License-Identifier: Apache-2.0
"""Which kinds of AXI bursts RTL tells apart: one that never asks for WRAP does the same for it as for INCR."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.build.comparisons import slang_design
from goldbeat.tb.build.compiling import operator_of, symbol_kind
from goldbeat.tb.design.design import Design

KINDS = ("fixed", "incr", "wrap")
"""By the value of AxBURST."""
_ALL = frozenset(KINDS)
_BITS = 2
_BURST = re.compile(r"(?i).*burst.*")
_EQUAL = re.compile(r"(Case|Wildcard)?(Equality|Inequality)")


def kinds_asked_for(design: Design, params: Mapping[str, Any]) -> frozenset[str]:
    """The kinds that values called ``burst`` are compared with; all where their bits are used in another way.

    Args:
        design: whose sources.
        params: parameter values.
    """
    found, entered = set[str](), set[str]()

    def look(node: Any) -> None:
        kind = symbol_kind(node)
        if kind in ("ElementSelect", "RangeSelect"):
            found.update(_ALL if _is_burst(node.value) else ())
        elif kind == "Call":
            enter(node)
        elif kind == "UnaryOp" and _is_burst(node.operand) and operator_of(node) in ("LogicalNot", "BitwiseOr"):
            found.add("fixed")
        else:
            found.update(*(_asked(other) for one, other in _compared(node, kind) if _is_burst(one)))

    def enter(call: Any) -> None:
        """Into a function that is called with a burst, where its argument is called so, too."""
        places = [place for place, one in enumerate(call.arguments) if _is_burst(one)]
        arguments = [] if call.isSystemCall else call.subroutine.arguments
        if any(place >= len(arguments) or not _is_burst_name(arguments[place]) for place in places):
            found.update(_ALL)
        elif places and call.subroutine.name not in entered:
            entered.add(call.subroutine.name)
            call.subroutine.body.visit(look)

    try:
        for top in slang_design(design, params).tops():
            top.visit(look)
    except GoldbeatError:
        return _ALL
    return frozenset(found)


def _compared(node: Any, kind: str) -> Iterator[tuple[Any, Any]]:
    """What is compared for equality with what."""
    if kind == "BinaryOp" and _EQUAL.fullmatch(operator_of(node)):
        yield from ((node.left, node.right), (node.right, node.left))
    elif kind == "Inside":
        yield from ((node.left, one) for one in node.rangeList)
    elif kind == "Case":
        yield from ((node.expr, one) for item in node.items for one in item.expressions)


def _is_burst(node: Any) -> bool:
    """Whether an expression is a burst's kind, by name and width."""
    while symbol_kind(node) == "Conversion":
        node = node.operand
    symbol = getattr(node, "symbol", None) or getattr(node, "member", None)
    if symbol_kind(node) in ("ElementSelect", "RangeSelect"):
        # One of an array.
        return bool(node.type.bitWidth == _BITS) and _is_burst_name(getattr(node.value, "symbol", None))
    return _is_burst_name(symbol) and bool(node.type.bitWidth == _BITS)


def _is_burst_name(symbol: Any) -> bool:
    return symbol is not None and _BURST.fullmatch(symbol.name) is not None


def _asked(other: Any) -> frozenset[str]:
    """The kind that a value is compared with; all where it is no constant."""
    constant = other.constant if other.constant is not None else getattr(getattr(other, "symbol", None), "value", None)
    try:
        return frozenset([KINDS[int(constant.value)]])  # type: ignore[union-attr]
    except (AttributeError, IndexError, TypeError, ValueError):
        return _ALL
