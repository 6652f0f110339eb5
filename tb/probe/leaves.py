# SPDX-License-Identifier: Apache-2.0
"""What a port is made of: the vectors inside interfaces, structs, enums and arrays of them, without slang's objects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from goldbeat.tb.design.ports.recognition import Dimension

Way = Literal["input", "output", "inout"]

WAYS: dict[str, Way] = {"In": "input", "Out": "output", "InOut": "inout"}
"""slang's names of directions."""
COMPOUND = {
    "PackedStructType": "packed struct",
    "PackedUnionType": "packed union",
    "UnpackedStructType": "unpacked struct",
    "UnpackedUnionType": "unpacked union",
    "EnumType": "enum",
}
"""slang's types that are no plain vectors, in words."""


class NoLeavesError(Exception):
    """A port has no flat form; the text says why. It never reaches a user as an error."""


@dataclass(frozen=True)
class Leaf:
    """A vector somewhere inside a port.

    Attributes:
        path: the names that lead to it; none where the port is the vector.
        way: seen from the module.
        width: its bits, in one element of an array of ports.
        text: its range as the source has it, empty where that is not one range.
    """

    path: tuple[str, ...]
    way: Way
    width: int
    text: str = ""


@dataclass(frozen=True)
class Piece:
    """Something that can be assigned as a whole.

    Attributes:
        path: from the port to it.
        leaves: what it is made of, highest bits first.
        cast: type that a vector must be cast to before it is assigned, empty: none.
        own_enum: it is an enum whose name only the module knows.
    """

    path: tuple[str, ...]
    leaves: tuple[Leaf, ...]
    cast: str = ""
    own_enum: bool = False


@dataclass(frozen=True)
class Compound:
    """A port, taken apart.

    Attributes:
        name: the module's.
        kind: ``plain``, ``interface`` or ``named`` (an unpacked struct).
        pieces: what is inside.
        unpacked, packed: the array that it is of such, outermost first.
        type_name: of the interface or the struct.
        where: ``file:line``.
    """

    name: str
    kind: Literal["plain", "interface", "named"]
    pieces: tuple[Piece, ...]
    unpacked: tuple[Dimension, ...] = ()
    packed: tuple[Dimension, ...] = ()
    type_name: str = ""
    where: str = ""

    @property
    def leaves(self) -> Iterator[Leaf]:
        """Everything inside."""
        return (leaf for piece in self.pieces for leaf in piece.leaves)

    @property
    def joined(self) -> bool:
        """It has members."""
        return any(leaf.path for leaf in self.leaves)


def symbol_kind(symbol: Any) -> str:
    """The last word of slang's kind."""
    return str(symbol.kind).rpartition(".")[2]


def _name(kind: Any) -> str:
    return type(kind.canonicalType).__name__


def peel(kind: Any, name: str, texts: list[str] | None = None) -> tuple[tuple[Dimension, ...], Any]:
    """The dimensions of one sort of array, and the type of its elements.

    Args:
        kind: slang's type.
        name: slang's name of the sort of array.
        texts: the ranges as written; empty where they are not known.
    """
    found = []
    inner = kind
    while type(inner.canonicalType).__name__ == name:
        found.append(inner.canonicalType.range)
        inner = inner.canonicalType.elementType
    if texts is None or len(texts) != len(found):
        texts = [""] * len(found)
    return tuple(Dimension(r.left, r.right, t) for r, t in zip(found, texts, strict=True)), inner


def ranges(dimensions: Any) -> list[str]:
    """The texts of written ranges."""
    return [
        re.sub(r"\s+", "", str(d.specifier)) if d.specifier is not None else ""
        for d in dimensions or []
        if hasattr(d, "specifier")
    ]


def _written(symbol: Any, kind: Any) -> str:
    """The only range of a vector as it is declared, at the symbol or at the type that it names."""
    syntax = getattr(getattr(symbol, "declaredType", None), "typeSyntax", None)
    if syntax is None and symbol_kind(symbol) == "Field":
        syntax = symbol.syntax.parent.type
    texts = ranges(getattr(syntax, "dimensions", None))
    if not texts and symbol_kind(kind) == "TypeAlias":
        return _written(kind, kind.targetType.type) if hasattr(kind, "targetType") else ""
    return texts[0] if len(texts) == 1 else ""


def vector_text(symbol: Any, kind: Any) -> str:
    """The range of a vector as written; empty where it is no vector of single bits."""
    plain = _name(kind) == "PackedArrayType" and kind.canonicalType.elementType.canonicalType.bitWidth == 1
    return _written(symbol, kind) if plain else ""


def packed_leaves(kind: Any, path: tuple[str, ...], way: Way, symbol: Any = None) -> Iterator[Leaf]:
    """What a packed type is made of, highest bits first."""
    inner = kind.canonicalType
    name = type(inner).__name__
    if name == "PackedStructType":
        for field in inner:
            if symbol_kind(field) == "Field":
                yield from packed_leaves(field.type, (*path, field.name), way, field)
    elif name == "PackedArrayType" and _name(inner.elementType) == "PackedStructType":
        for index in _indices(inner.range):
            yield from packed_leaves(inner.elementType, (*path, str(index)), way)
    else:
        yield Leaf(path, way, inner.bitWidth, "" if symbol is None else vector_text(symbol, kind))


def _indices(bounds: Any) -> range:
    """The indices of a range, leftmost first."""
    step = 1 if bounds.left <= bounds.right else -1
    return range(bounds.left, bounds.right + step, step)


def reachable(kind: Any) -> str:
    """How a module beside names a type.

    Raises:
        NoLeavesError: it cannot.
    """
    if symbol_kind(kind) == "TypeAlias" and kind.parentScope.containingInstance is None:
        return str(kind.hierarchicalPath)
    raise NoLeavesError(f"{COMPOUND.get(_name(kind), 'a type')} that only the module knows: move its type to a package")


def _cast(kind: Any) -> str:
    """The name of an enum, empty where only the module knows it: the wrapper is then read with relaxed rules."""
    try:
        return reachable(kind)
    except NoLeavesError:
        return ""


def pieces(kind: Any, path: tuple[str, ...], way: Way, symbol: Any = None) -> Iterator[Piece]:
    """What a type is made of, each piece as large as one assignment.

    Raises:
        NoLeavesError: something in it has no bits.
    """
    if kind.isError:
        raise NoLeavesError("a type that slang does not understand")
    name = _name(kind)
    if name == "UnpackedStructType":
        for field in kind.canonicalType:
            if symbol_kind(field) == "Field":
                yield from pieces(field.type, (*path, field.name), way, field)
    elif name == "FixedSizeUnpackedArrayType":
        inner = kind.canonicalType
        for index in _indices(inner.range):
            yield from pieces(inner.elementType, (*path, str(index)), way)
    elif not kind.isIntegral:
        raise NoLeavesError(f"{COMPOUND.get(name, f'type {kind}')}")
    else:
        cast = _cast(kind) if name == "EnumType" and way == "input" else ""
        own = name == "EnumType" and way == "input" and not cast
        yield Piece(path, tuple(packed_leaves(kind, path, way, symbol)), cast, own)


def _where(port: Any, manager: Any) -> str:
    return f"{manager.getFileName(port.location)}:{manager.getLineNumber(port.location)}"


def interface_of(port: Any) -> Any:
    """The instance that an interface port is connected to, the first one of an array; None: none."""
    instance = port.connection[0] if port.connection else None
    while instance is not None and symbol_kind(instance) == "InstanceArray":
        instance = instance.elements[0] if len(instance.elements) else None
    return instance


def _members(port: Any, instance: Any, driven: frozenset[str]) -> Iterator[tuple[Any, Way, Any]]:
    """What an interface port has, which way it goes, and its symbol in the interface."""
    if not port.modport:
        for member in variables(instance):
            yield member, "output" if member.hierarchicalPath in driven else "input", member
        return
    for member in instance.body.find(port.modport):
        if symbol_kind(member) != "ModportPort":
            continue
        way = WAYS.get(str(member.direction).rpartition(".")[2])
        if way is None or way == "inout":
            raise NoLeavesError(f"its member {member.name} is {way or 'a reference'}")
        yield member, way, member.internalSymbol


def _interface(port: Any, manager: Any, driven: frozenset[str]) -> Compound:
    instance = interface_of(port)
    if instance is None:
        raise NoLeavesError("an interface that nothing is connected to")
    found: list[Piece] = []
    for member, way, inner in _members(port, instance, driven):
        found += pieces(member.type, (member.name,), way, inner)
    texts = ranges(getattr(port.syntax, "dimensions", None))
    bounds = list(port.declaredRange or [])
    if len(texts) != len(bounds):
        texts = [""] * len(bounds)
    unpacked = tuple(Dimension(r.left, r.right, t) for r, t in zip(bounds, texts, strict=True))
    return Compound(
        port.name,
        "interface",
        tuple(found),
        unpacked,
        type_name=instance.body.definition.name,
        where=_where(port, manager),
    )


def variables(instance: Any) -> Iterator[Any]:
    """What an interface is made of, without its own ports."""
    ports = {port.name for port in instance.body.portList}
    for member in instance.body:
        if symbol_kind(member) in ("Variable", "Net") and member.name not in ports:
            yield member


def take_apart(port: Any, manager: Any, driven: frozenset[str] = frozenset()) -> Compound:
    """A port as what it is made of.

    Args:
        port: slang's, of a module whose interfaces are connected.
        manager: slang's, for the place.
        driven: paths of what the module writes, which tells the directions in interfaces without a modport.

    Raises:
        NoLeavesError: it has no flat form.
    """
    kind = symbol_kind(port)
    if kind == "InterfacePort":
        return _interface(port, manager, driven)
    if kind != "Port" or port.isNullPort:
        raise NoLeavesError("a port made of several expressions")
    way = WAYS.get(str(port.direction).rpartition(".")[2])
    if way is None:
        raise NoLeavesError("a ref port")
    symbol = port.internalSymbol
    unpacked, inner = peel(port.type, "FixedSizeUnpackedArrayType", ranges(getattr(symbol.syntax, "dimensions", None)))
    if _name(inner) in ("UnpackedStructType", "UnpackedUnionType"):
        found = tuple(pieces(inner, (), way))
        return Compound(port.name, "named", found, unpacked, type_name=reachable(inner), where=_where(port, manager))
    packed: tuple[Dimension, ...] = ()
    if way == "inout" and unpacked:
        raise NoLeavesError("an array of inout ports")
    if _name(inner) == "PackedArrayType":
        dimensions, element = peel(
            inner, "PackedArrayType", ranges(getattr(symbol.declaredType.typeSyntax, "dimensions", None))
        )
        if _name(element) == "PackedStructType":
            packed, inner = dimensions, element
    return Compound(
        port.name, "plain", tuple(pieces(inner, (), way, symbol)), unpacked, packed, where=_where(port, manager)
    )
