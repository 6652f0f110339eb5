# SPDX-License-Identifier: Apache-2.0
"""Synchronisers in one vector, as ``sync <= {sync[0], request}``: Verilator's tree with a variable for each of their bits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from goldbeat.tb.design.pin_names import is_reset

Node = Mapping[str, Any]
_MOST = 8
"""Bits of a vector: no synchroniser has more stages."""


def with_bits(tree: Node) -> Node:
    """The same tree, with small vectors that are shifted taken apart, as ``name[0]``, ``name[1]``.

    Such a vector gets constants and concatenations. A bit of it is read as a variable, all of it as a
    concatenation. What Verilator has made a choice of is a branch again: ``if (reset) sync <= 0; else sync <= request;``.

    Args:
        tree: of a design in one module.
    """
    tree = _branched(tree)
    widths = {str(one["addr"]): _width_of_type(one) for one in _all(tree) if one.get("type") == "BASICDTYPE"}
    return _Bits(tree, widths).rebuilt(tree)


def _all(node: Node) -> Iterator[Node]:
    yield node
    for value in node.values():
        for child in value if isinstance(value, list) else ():
            if isinstance(child, dict):
                yield from _all(child)


def _branched(node: Node) -> Node:
    """A tree in which a flip-flop that takes one of two values takes them under a condition and otherwise."""
    right = node.get("rhsp", ())
    if node.get("type") == "ASSIGNDLY" and len(right) == 1 and (choice := _choice(right[0])) is not None:
        asked, *both = choice
        one, other = ([_branched({**node, "rhsp": [value]})] for value in both)
        return {"type": "IF", "name": "", "condp": [asked], "thensp": one, "elsesp": other}
    if not any(isinstance(value, list) for value in node.values()):
        return node
    return {
        key: [_branched(c) if isinstance(c, dict) else c for c in value] if isinstance(value, list) else value
        for key, value in node.items()
    }


def _choice(node: Node) -> list[Node] | None:
    """A condition and two values; of one bit, a reset beside a value makes it a constant; None: it is no choice."""
    parts = _operands(node)
    if node.get("type") == "COND":
        return parts
    if node.get("type") in ("AND", "OR") and len(parts) == 2:
        for reset, value in (parts, parts[::-1]):
            (asked,) = _operands(reset) if reset.get("type") == "NOT" else (reset,)
            if asked.get("type") == "VARREF" and is_reset(str(asked["name"]).rpartition(".")[2]):
                return [asked, value, {**value, "type": "CONST", "name": "1'h0"}]
    return None


def _width_of_type(node: Node) -> int:
    high, _, low = str(node.get("range", "0:0")).partition(":")
    return int(high) - int(low) + 1 if low == "0" and high.isdigit() else 0


def _number(node: Node) -> int | None:
    """The value of a constant; None: it is none."""
    if node.get("type") != "CONST":
        return None
    try:
        return int(str(node["name"]).rpartition("h")[2], 16)
    except ValueError:
        return None


def _operands(node: Node) -> list[Node]:
    return [c for value in node.values() if isinstance(value, list) for c in value if isinstance(c, dict)]


class _Bits:
    """Which variables are taken apart.

    Args:
        tree: of a design.
        widths: of types, by address; 0: another type than bits from 0 on.
    """

    def __init__(self, tree: Node, widths: Mapping[str, int]) -> None:
        self._widths = widths
        found: dict[str, int] = {}
        never, shifted = set[str](), set[str]()
        for node in _all(tree):
            if node.get("type", "").startswith("ASSIGN"):
                self._look(node, found, never, shifted)
        self._vectors = {name: bits for name, bits in found.items() if name in shifted - never and 1 < bits <= _MOST}

    def _look(self, node: Node, found: dict[str, int], never: set[str], shifted: set[str]) -> None:
        right, left = node.get("rhsp", ()), node.get("lhsp", ())
        written = {str(one["name"]) for side in left for one in _all(side) if one.get("type") == "VARREF"}
        whole = len(left) == len(right) == 1 and left[0].get("type") == "VARREF"
        if whole and node["type"] == "ASSIGNDLY" and (pieces := self._pieces(right[0])):
            name, bits = str(left[0]["name"]), self._width(left[0])
            if sum(self._width(piece) for piece in pieces) == bits and all(map(self._width, pieces)):
                found[name] = bits
                if len(pieces) > 1 and any(one.get("name") == name for piece in pieces for one in _all(piece)):
                    shifted.add(name)
                return
        never |= written

    def _pieces(self, node: Node) -> list[Node]:
        """What a concatenation has, from the highest bit on; of a constant, itself."""
        if node.get("type") == "CONCAT":
            return [piece for one in _operands(node) for piece in self._pieces(one)]
        return [node] if node.get("type") in ("SEL", "VARREF", "CONST") else []

    def _width(self, node: Node) -> int:
        """Bits of an expression; 0: unknown."""
        return int(node.get("widthConst") or self._widths.get(str(node.get("dtypep")), 0))

    def rebuilt(self, node: Node) -> Node:
        """A tree with the vectors taken apart."""
        if (bits := self._read(node)) is not None:
            return bits[0] if len(bits) == 1 else {"type": "CONCAT", "name": "", "lhsp": bits}
        made = dict(node)
        for key, value in node.items():
            if isinstance(value, list):
                made[key] = [one for child in value for one in self._statement(child)]
        return made

    def _statement(self, node: Any) -> Iterator[Any]:
        """A statement, or one for each bit of a vector that it changes."""
        if not isinstance(node, dict):
            yield node
            return
        left = node.get("lhsp", ())
        whole = node.get("type") == "ASSIGNDLY" and len(left) == 1 and left[0].get("type") == "VARREF"
        if not (whole and (name := str(left[0]["name"])) in self._vectors):
            yield self.rebuilt(node)
            return
        (right,) = node["rhsp"]
        given = [bit for piece in self._pieces(right) for bit in self._bits(piece)]
        for number, value in enumerate(reversed(given)):
            target = {**left[0], "name": f"{name}[{number}]"}
            yield {**node, "rhsp": [value], "lhsp": [target]}

    def _bits(self, piece: Node) -> list[Node]:
        """A part of a concatenation, bit by bit, from the highest on."""
        bits = self._read(piece)
        return [self.rebuilt(piece)] * self._width(piece) if bits is None else bits

    def _read(self, node: Node) -> list[Node] | None:
        """The bits that a tree reads of a vector that is taken apart, from the highest on; None: it is another tree."""
        if node.get("type") == "VARREF":
            bits = self._vectors.get(str(node["name"]))
            return None if bits is None else [_bit(node, number) for number in reversed(range(bits))]
        if node.get("type") != "SEL" or len(parts := _operands(node)) != 2 or parts[0].get("type") != "VARREF":
            return None
        lowest, count = _number(parts[1]), self._vectors.get(str(parts[0]["name"]))
        width = self._width(node)
        if count is None or lowest is None or not 0 < lowest + width <= count:
            return None
        return [_bit(parts[0], number) for number in reversed(range(lowest, lowest + width))]


def _bit(node: Node, number: int) -> Node:
    return {**node, "name": f"{node['name']}[{number}]"}
