# SPDX-License-Identifier: Apache-2.0
"""Which kinds of AXI bursts RTL tells apart: one that never asks for WRAP does the same for it as for INCR."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
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
    """The kinds that values called ``burst``, and copies of them, are compared with; all where their bits are used otherwise.

    Args:
        design: whose sources.
        params: parameter values.
    """
    try:
        return _Bursts(slang_design(design, params).tops()).asked()
    except GoldbeatError:
        return _ALL


class _Bursts:
    """Values of two bits that are called ``burst`` or are copies of such a value, and what the RTL asks of them."""

    def __init__(self, tops: Sequence[Any]) -> None:
        self.nodes: list[tuple[Any, str]] = []
        self._entered: set[str] = set()
        self._copied: set[str] = set()
        for top in tops:
            top.visit(self._look)
        pairs = [(target, value) for node, kind in self.nodes for target, value in _copies(node, kind)]
        known = -1
        while known != len(self._copied):
            known = len(self._copied)
            self._copied |= {str(target.hierarchicalPath) for target, value in pairs if self._is_burst(value)}

    def _look(self, node: Any) -> None:
        kind = symbol_kind(node)
        self.nodes.append((node, kind))
        if kind == "Call" and not node.isSystemCall and node.subroutine.name not in self._entered:
            self._entered.add(node.subroutine.name)
            node.subroutine.body.visit(self._look)

    def asked(self) -> frozenset[str]:
        """The kinds that are compared with."""
        found = set[str]()
        for node, kind in self.nodes:
            if kind in ("ElementSelect", "RangeSelect"):
                found.update(_ALL if self._is_burst(node.value) else ())
            elif kind == "UnaryOp" and operator_of(node) in ("LogicalNot", "BitwiseOr"):
                found.update(["fixed"] if self._is_burst(node.operand) else ())
            elif kind == "Call":
                found.update(_ALL if any(map(self._is_burst, _taken_otherwise(node))) else ())
            else:
                found.update(*(_asked(other) for one, other in _compared(node, kind) if self._is_burst(one)))
        return frozenset(found)

    def _is_burst(self, node: Any) -> bool:
        """Whether an expression is a burst's kind, by name and width."""
        while symbol_kind(node) == "Conversion":
            node = node.operand
        symbol = getattr(node, "symbol", None) or getattr(node, "member", None)
        if symbol_kind(node) in ("ElementSelect", "RangeSelect"):
            # One of an array.
            return bool(node.type.bitWidth == _BITS) and self._is_named(getattr(node.value, "symbol", None))
        return self._is_named(symbol) and bool(node.type.bitWidth == _BITS)

    def _is_named(self, symbol: Any) -> bool:
        if symbol is None:
            return False
        return _BURST.fullmatch(symbol.name) is not None or str(symbol.hierarchicalPath) in self._copied


def _copies(node: Any, kind: str) -> Iterator[tuple[Any, Any]]:
    """Symbols of two bits that an assignment, a port or a call gives a value to, and the values."""
    pairs: list[tuple[Any, Any]] = []
    if kind == "Assignment":
        sides = [side.operands if symbol_kind(side) == "Concatenation" else [side] for side in (node.left, node.right)]
        if [one.type.bitWidth for one in sides[0]] == [one.type.bitWidth for one in sides[1]]:
            targets = [getattr(one, "symbol", None) or getattr(one, "member", None) for one in sides[0]]
            pairs = list(zip(targets, sides[1], strict=True))
    elif kind in ("Variable", "Net") and node.initializer is not None:
        pairs = [(node, node.initializer)]
    elif kind == "Instance":
        pairs = [(getattr(one.port, "internalSymbol", None), one.expression) for one in node.portConnections]
    elif kind == "Call" and not node.isSystemCall:
        pairs = list(zip(node.subroutine.arguments, node.arguments, strict=False))
    for symbol, value in pairs:
        if symbol is not None and value is not None and getattr(symbol.type, "bitWidth", 0) == _BITS:
            yield symbol, value


def _taken_otherwise(call: Any) -> Iterator[Any]:
    """Values that a call takes as something else than two bits: what it does with them is not known."""
    formal = [] if call.isSystemCall else call.subroutine.arguments
    for place, value in enumerate(call.arguments):
        if place >= len(formal) or formal[place].type.bitWidth != _BITS:
            yield value


def _compared(node: Any, kind: str) -> Iterator[tuple[Any, Any]]:
    """What is compared for equality with what."""
    if kind == "BinaryOp" and _EQUAL.fullmatch(operator_of(node)):
        yield from ((node.left, node.right), (node.right, node.left))
    elif kind == "Inside":
        yield from ((node.left, one) for one in node.rangeList)
    elif kind == "Case":
        yield from ((node.expr, one) for item in node.items for one in item.expressions)


def _asked(other: Any) -> frozenset[str]:
    """The kind that a value is compared with; all where it is no constant."""
    constant = other.constant if other.constant is not None else getattr(getattr(other, "symbol", None), "value", None)
    try:
        return frozenset([KINDS[int(constant.value)]])  # type: ignore[union-attr]
    except (AttributeError, IndexError, TypeError, ValueError):
        return _ALL
