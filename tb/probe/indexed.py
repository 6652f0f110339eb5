# SPDX-License-Identifier: Apache-2.0
"""From which bit on an input selects one of the words that a module stores, by the width of these words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from goldbeat.tb.build.compiling import operator_of, symbol_kind
from goldbeat.tb.probe.taken import fixed_number, visit_taken
from goldbeat.tb.probe.wiring import path_of, without_casts

_Piece = tuple[str, int, int]
"""Of what an expression shows: a path, how many places its bit 0 is above that of the whole (below it: negative), and the
lowest of its bits that there is."""
_SHIFTS = {"LogicalShiftRight": -1, "ArithmeticShiftRight": -1, "LogicalShiftLeft": 1, "ArithmeticShiftLeft": 1}

_MOST = 64
"""Bits of an address: what shifts itself goes on for ever."""


def index_bits(top: Any, inputs: Iterable[str]) -> dict[str, dict[int, int]]:
    """The lowest bit of each input that has a part in an index, by bits of what is indexed.

    Args:
        top: pyslang's instance symbol.
        inputs: names of its input ports.
    """
    indices = _Indices(top)
    found = {name: indices.of(f"{top.name}.{name}") for name in inputs}
    return {name: lowest for name, lowest in found.items() if lowest}


class _Indices:
    """Where values go unchanged, as parts of others or shifted, and what they index."""

    def __init__(self, top: Any) -> None:
        self.after: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
        self.direct: dict[str, dict[int, int]] = defaultdict(dict)
        visit_taken(top, self._look)

    def of(self, start: str) -> dict[int, int]:
        """The lowest bits of a path that have a part in an index, by bits of what is indexed."""
        found: dict[int, int] = {}
        # Bit n of the input is bit n + shift of a value that is made of it.
        todo, seen = [(start, 0, 0)], {(start, 0)}
        while todo:
            path, shift, lowest = todo.pop()
            for width, bit in self.direct.get(path, {}).items():
                there = max(bit - shift, lowest)
                found[width] = min(found.get(width, there), there)
            for target, more, least in self.after.get(path, ()):
                there = max(lowest, least - shift)
                if there <= _MOST and (target, there) not in seen:
                    seen.add((target, there))
                    todo.append((target, shift + more, there))
        return found

    def _look(self, node: Any) -> None:
        kind = symbol_kind(node)
        if kind == "Assignment":
            self._move(node.left, node.right)
        elif kind in ("Net", "Variable") and node.initializer is not None:
            self._goes(str(node.hierarchicalPath), 0, node.initializer)
        elif kind == "Instance":
            for connection in node.portConnections:
                inner, expression = getattr(connection.port, "internalSymbol", None), connection.expression
                if inner is not None and expression is not None and symbol_kind(expression) != "Assignment":
                    self._goes(str(inner.hierarchicalPath), 0, expression)
        elif kind == "ElementSelect" and node.type.bitWidth > 1:
            for path, shift, lowest in _pieces(node.selector):
                known, bit = self.direct[path], max(-shift, lowest)
                known[node.type.bitWidth] = min(known.get(node.type.bitWidth, bit), bit)

    def _move(self, left: Any, right: Any) -> None:
        for target, shift, lowest in _pieces(left):
            if lowest + shift == 0:
                self._goes(target, lowest, right)

    def _goes(self, target: str, place: int, right: Any) -> None:
        """Note what a value shows from one of its bits on."""
        for path, shift, lowest in _pieces(right):
            self.after[path].append((target, shift + place, lowest))


def _pieces(expression: Any) -> Iterator[_Piece]:
    """The values that an expression shows, each with its place there; sums and choices have those of all their terms."""
    expression = without_casts(expression)
    kind = symbol_kind(expression)
    if kind in ("NamedValue", "HierarchicalValue"):
        yield path_of(expression), 0, 0
    elif kind in ("ElementSelect", "RangeSelect") and (low := _lowest(expression, kind)) is not None:
        for path, shift, lowest in _pieces(expression.value):
            yield path, shift - low, max(lowest, low - shift)
    elif kind == "Concatenation":
        place = 0
        for part in reversed(expression.operands):
            yield from _shifted(_pieces(part), place)
            place += part.type.bitWidth
    elif kind == "ConditionalOp":
        yield from _pieces(expression.left)
        yield from _pieces(expression.right)
    elif kind == "BinaryOp" and operator_of(expression) in _SHIFTS:
        by = fixed_number(expression.right)
        if by is not None:
            yield from _shifted(_pieces(expression.left), by * _SHIFTS[operator_of(expression)])
    elif kind == "BinaryOp" and operator_of(expression) in ("Add", "Subtract"):
        yield from _pieces(expression.left)
        yield from _pieces(expression.right)


def _shifted(pieces: Iterable[_Piece], by: int) -> Iterator[_Piece]:
    for path, shift, lowest in pieces:
        if (least := max(lowest, -shift - by)) >= 0:
            yield path, shift + by, least


def _lowest(select: Any, kind: str) -> int | None:
    """The lowest bit that a selection of constants takes of a vector; None: it is another selection."""
    kind_of = select.value.type.canonicalType
    bounds = getattr(kind_of, "range", None)
    if not kind_of.isIntegral or bounds is None or bounds.left < bounds.right:
        return None
    if kind == "ElementSelect":
        low = fixed_number(select.selector) if select.type.bitWidth == 1 else None
    else:
        right, left = fixed_number(select.right), fixed_number(select.left)
        how = str(select.selectionKind).rpartition(".")[2]
        low = right if how == "Simple" else left
        if how == "IndexedDown" and left is not None and right is not None:
            low = left - right + 1
    return None if low is None or low < bounds.right else low - bounds.right
