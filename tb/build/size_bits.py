# SPDX-License-Identifier: Apache-2.0
"""Bits of RTL that only ever hold bits of AxSIZE which stay 0, as no beat is wider than its bus: registers that copy AxSIZE."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.build.comparisons import members_below, slang_design
from goldbeat.tb.build.compiling import direction_of, operator_of, symbol_kind
from goldbeat.tb.build.settled import value_range
from goldbeat.tb.design.design import Design

_FILLS = re.compile(r"read|scan|gets|args|cast")
"""System calls that change what they are given."""
_BITS = 3
"""Of AxSIZE."""
_NAMES = ("NamedValue", "HierarchicalValue")
_SELECTS = ("ElementSelect", "RangeSelect", "MemberAccess")

_Bit = tuple[str, int]
"""Path of a signal, and a bit; of an array, that bit of any element."""
_Sources = frozenset[_Bit] | None
"""Bits of which a bit is a copy, none of them for a constant 0; None: anything."""
_ZERO: _Sources = frozenset()


def size_bits(design: Design, params: Mapping[str, Any]) -> dict[tuple[int, int, str], frozenset[int]]:
    """By source, line and name of a signal or a field of it: bits that stay 0 in each instance, and each element of an array.

    Args:
        design: whose sources; ports of AXI4 say what goes into AxSIZE.
        params: parameter values.
    """
    roots = dict(_roots(design, params))
    if not roots:
        return {}
    try:
        compiled = slang_design(design, params)
        tops = compiled.tops()
    except GoldbeatError:
        return {}
    copies = _Copies()
    for top in tops:
        copies.top(top, roots)
    quiet = copies.quiet()
    numbers = {str(path): number for number, path in enumerate(design.sources())}
    found: dict[tuple[int, int, str], list[frozenset[int]]] = defaultdict(list)
    for path, symbol in copies.signals.items():
        number = numbers.get(compiled.manager.getFileName(symbol.location))
        if number is not None:
            line = compiled.manager.getLineNumber(symbol.location)
            for name, bits in _named(str(symbol.name), symbol.type, quiet.get(path, ())):
                found[number, line, name].append(bits)
    return {place: bits for place, many in found.items() if (bits := frozenset.intersection(*many))}


def _roots(design: Design, params: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Inputs with AxSIZE, and the lowest of its bits that stays 0."""
    for port in design.memory_ports(params):
        for role in ("awsize", "arsize"):
            if port.direction == "in" and port.has(role):
                largest = (int(port.data_width) // 8).bit_length() - 1
                yield port.pin(role), largest.bit_length()


class _Copies:
    """What the bits of a hierarchy are copies of."""

    def __init__(self) -> None:
        self.signals: dict[str, Any] = {}
        self._given: dict[_Bit, set[_Bit]] = defaultdict(set)
        self._other: set[_Bit] = set()
        self._roots: set[_Bit] = set()

    def top(self, instance: Any, roots: Mapping[str, int]) -> None:
        """Note everything below a top module."""
        for port in instance.body.portList:
            if (inner := getattr(port, "internalSymbol", None)) is None or direction_of(port) == "Out":
                continue
            path, width = str(inner.hierarchicalPath), _width(inner.type)
            lowest = roots.get(str(port.name), _BITS)
            rooted = {(path, bit) for bit in range(width) if width % _BITS == 0 and bit % _BITS >= lowest}
            self._roots |= rooted
            self._other |= {(path, bit) for bit in range(width)} - rooted
        self._scope(instance.body)

    def quiet(self) -> dict[str, set[int]]:
        """Bits that are copies of what stays 0 and of nothing else, by path."""
        readers: dict[_Bit, list[_Bit]] = defaultdict(list)
        for bit, sources in self._given.items():
            for source in sources:
                readers[source].append(bit)
        reached = _reached(self._roots, readers)
        # What nothing drives may be anything.
        open_ends = {one for sources in self._given.values() for one in sources} - self._given.keys() - self._roots
        spoilt = _reached(self._other | open_ends, readers)
        found: dict[str, set[int]] = defaultdict(set)
        for path, number in reached - spoilt:
            found[path].add(number)
        return found

    def _scope(self, scope: Any) -> None:
        for member in members_below(scope):
            kind = symbol_kind(member)
            if kind == "Instance":
                self._instance(member)
            elif kind in ("Net", "Variable"):
                self.signals[str(member.hierarchicalPath)] = member
                if member.initializer is not None:
                    self._assign(member, member.initializer)
            elif kind in ("ContinuousAssign", "ProceduralBlock", "Subroutine"):
                member.visit(self._look)
            elif kind not in ("Parameter", "TypeParameter", "Port", "Genvar", "StatementBlock"):
                self._spoil(member)

    def _instance(self, instance: Any) -> None:
        for connection in instance.portConnections:
            inner, given = getattr(connection.port, "internalSymbol", None), connection.expression
            way = direction_of(connection.port)
            if given is None or inner is None or not instance.isModule or way not in ("In", "Out"):
                if given is not None:
                    self._spoil(given)
                if inner is not None and way != "Out":
                    self._other |= {(str(inner.hierarchicalPath), bit) for bit in range(_width(inner.type))}
            elif way == "In":
                self._assign(inner, given)
            else:
                # slang has the target of an output as an assignment without a right side.
                target = given.left if symbol_kind(given) == "Assignment" else given
                self._drive(
                    target, [frozenset({(str(inner.hierarchicalPath), bit)}) for bit in range(_width(inner.type))]
                )
        self._scope(instance.body)

    def _look(self, node: Any) -> None:
        kind = symbol_kind(node)
        if kind == "Assignment":
            known = not (node.isCompound or node.isLValueArg)
            self._drive(node.left, _sources(node.right) if known else [None] * _width(node.left.type))
        elif kind == "Call":
            if node.isSystemCall and _FILLS.search(node.subroutineName):
                self._spoil(node)
        elif kind == "UnaryOp" and operator_of(node).endswith("crement"):
            self._spoil(node)

    def _assign(self, symbol: Any, value: Any) -> None:
        """Note a value of a whole signal."""
        path = str(symbol.hierarchicalPath)
        self._put(path, [frozenset({bit}) for bit in range(_width(symbol.type))], _sources(value))

    def _drive(self, target: Any, sources: Sequence[_Sources]) -> None:
        if symbol_kind(target) == "Concatenation":
            at = len(sources)
            for operand in target.operands:
                at -= _width(operand.type)
                self._drive(operand, sources[max(at, 0) : at + _width(operand.type)])
        elif (places := _places(target)) is None:
            self._spoil(target)
        else:
            self._put(*places, sources)

    def _put(self, path: str, places: Sequence[frozenset[int]], sources: Sequence[_Sources]) -> None:
        """Note what bits get; where it is not known which of them gets it, each may."""
        for number, bits in enumerate(places):
            given = sources[number] if len(sources) == len(places) else None
            if given is None:
                self._other |= {(path, bit) for bit in bits}
            else:
                for bit in bits:
                    self._given[path, bit] |= given

    def _spoil(self, node: Any) -> None:
        """All that is mentioned may get anything."""

        def look(inner: Any) -> None:
            if symbol_kind(inner) in _NAMES:
                path, width = str(inner.symbol.hierarchicalPath), _width(inner.symbol.type)
                self._other |= {(path, bit) for bit in range(width)}

        node.visit(look)


def _sources(node: Any) -> Sequence[_Sources]:
    """What each bit of an expression is a copy of, lowest first."""
    kind, width = symbol_kind(node), _width(node.type)
    unknown: Sequence[_Sources] = [None] * width
    if node.type.isIntegral and kind not in _SELECTS:
        low, high = value_range(node)
        if low == high:
            return [None if low >> bit & 1 else _ZERO for bit in range(width)]
    if kind == "Conversion":
        inner = _sources(node.operand)
        signed = getattr(node.operand.type, "isSigned", False)
        return [*inner, *[(inner[-1] if signed and inner else _ZERO)] * (width - len(inner))][:width]
    if kind == "Concatenation":
        return [one for operand in reversed(node.operands) for one in _sources(operand)]
    if kind == "Replication":
        inner = _sources(node.concat)
        return list(inner) * (width // max(1, len(inner)))
    if kind == "ConditionalOp" or (kind == "BinaryOp" and operator_of(node) == "BinaryOr"):
        pairs = zip(_sources(node.left), _sources(node.right), strict=False)
        return [None if a is None or b is None else a | b for a, b in pairs]
    if kind == "BinaryOp" and operator_of(node) == "BinaryAnd":
        # A gate lets through what stays 0, whatever it is itself.
        sides = [_sources(node.left), _sources(node.right)]
        kept = [side for side in sides if len(set(side)) > 1]
        return kept[0] if len(kept) == 1 else unknown
    if kind == "StructuredAssignmentPattern":
        return _pattern(node, width)
    places = _places(node)
    if places is None:
        return unknown
    return [frozenset((places[0], bit) for bit in bits) for bits in places[1]]


def _pattern(node: Any, width: int) -> Sequence[_Sources]:
    """The same of a pattern with the members of a packed struct, or with one value for all of an array."""
    if node.defaultSetter is not None and not (node.memberSetters or node.typeSetters or node.indexSetters):
        given = _sources(node.defaultSetter)
        return given if len(given) == width else [None] * width
    found: list[_Sources] = [None] * width
    for one in node.memberSetters if node.type.isIntegral else ():
        for bit, source in enumerate(_sources(one.expr)):
            found[one.member.bitOffset + bit] = source
    return found


def _places(node: Any) -> tuple[str, list[frozenset[int]]] | None:
    """The signal whose bits an expression is, and which bit each of them may be; None: it is something else."""
    kind = symbol_kind(node)
    if kind in _NAMES:
        return str(node.symbol.hierarchicalPath), [frozenset({bit}) for bit in range(_width(node.symbol.type))]
    if kind not in _SELECTS or (inner := _places(node.value)) is None:
        return None
    path, bits = inner
    whole, width = node.value.type.canonicalType, _width(node.type)
    if symbol_kind(whole) == "FixedSizeUnpackedArrayType":
        return inner
    if not whole.isIntegral or len(bits) != _width(whole):
        return None
    if kind == "MemberAccess":
        return path, bits[node.member.bitOffset :][:width]
    step = _width(whole.elementType) if symbol_kind(whole) == "PackedArrayType" else 1
    if (low := _lowest(node, whole, step)) is not None:
        return (path, bits[low:][:width]) if 0 <= low <= len(bits) - width else None
    return path, [frozenset[int]().union(*bits[number % step :: step]) for number in range(width)]


def _lowest(node: Any, whole: Any, step: int) -> int | None:
    """The lowest bit of a selection; None: it varies."""
    simple = symbol_kind(node) == "ElementSelect" or str(node.selectionKind).endswith("Simple")
    ends = (
        [node.selector] if symbol_kind(node) == "ElementSelect" else [node.left, node.right] if simple else [node.left]
    )
    values = [value_range(one) for one in ends]
    if any(low != high for low, high in values) or not hasattr(whole, "fixedRange"):
        return None
    numbers = [low for low, _ in values]
    if not simple:
        more = _width(node.type) // step - 1
        numbers.append(numbers[0] + (more if str(node.selectionKind).endswith("Up") else -more))
    left, right = int(whole.fixedRange.left), int(whole.fixedRange.right)
    return step * min(number - right if left >= right else right - number for number in numbers)


def _reached(begin: Collection[_Bit], readers: Mapping[_Bit, Sequence[_Bit]]) -> set[_Bit]:
    found, left = set(begin), list(begin)
    while left:
        for one in readers.get(left.pop(), ()):
            if one not in found:
                found.add(one)
                left.append(one)
    return found


def _named(name: str, kind: Any, bits: Collection[int]) -> Iterator[tuple[str, frozenset[int]]]:
    """The parts of a signal without their indices, and the bits that are in the set in every element."""
    kind = kind.canonicalType
    if symbol_kind(kind) == "FixedSizeUnpackedArrayType":
        yield from _named(name, kind.elementType, bits)
    elif symbol_kind(kind) == "PackedStructType":
        for field in kind:
            low, width = field.bitOffset, _width(field.type)
            yield from _named(f"{name}.{field.name}", field.type, {bit - low for bit in bits if 0 <= bit - low < width})
    elif symbol_kind(kind) == "PackedArrayType" and (step := _width(kind.elementType)) > 1:
        places = range(0, _width(kind), step)
        yield from _named(
            name, kind.elementType, {bit for bit in range(step) if all(at + bit in bits for at in places)}
        )
    elif symbol_kind(kind) == "ScalarType" or (symbol_kind(kind) == "PackedArrayType" and kind.fixedRange.right == 0):
        yield name, frozenset(bits)


def _width(kind: Any) -> int:
    """Bits of a type; of an array, those of an element."""
    kind = kind.canonicalType
    while symbol_kind(kind) == "FixedSizeUnpackedArrayType":
        kind = kind.elementType.canonicalType
    return int(kind.bitWidth) if kind.isIntegral else 0
