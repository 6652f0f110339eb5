# SPDX-License-Identifier: Apache-2.0
"""What a port is made of: the vectors inside interfaces, structs, enums and arrays of them, without slang's objects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from goldbeat.tb.build.compiling import direction_of, symbol_kind
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


NO_TYPES: Mapping[str, str] = MappingProxyType({})
"""Nothing is known of type parameters."""


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
        kind: ``plain``, ``interface``, ``named`` (an unpacked struct) or ``local`` (one that only the module can name).
        pieces: what is inside.
        unpacked, packed: the array that it is of such, outermost first.
        type_name: of the interface or the struct.
        where: ``file:line``.
    """

    name: str
    kind: Literal["plain", "interface", "named", "local"]
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


def written_type(syntax: Any) -> tuple[str, list[str]]:
    """The name of a type where it is called by one, and its packed ranges as written."""
    name: Any = getattr(syntax, "name", None)
    name = getattr(name, "right", name)
    if not hasattr(name, "identifier"):
        return "", ranges(getattr(syntax, "dimensions", None))
    selectors = [re.sub(r"\s+", "", str(one)) for one in getattr(name, "selectors", None) or ()]
    return str(name.identifier.valueText), [one[1:-1] for one in selectors]


def _written(symbol: Any, kind: Any) -> str:
    """The only range of a vector as it is declared, at the symbol or at the type that it names."""
    syntax = getattr(getattr(symbol, "declaredType", None), "typeSyntax", None)
    if syntax is None and symbol_kind(symbol) == "Field":
        syntax = symbol.syntax.parent.type
    texts = ranges(getattr(syntax, "dimensions", None))
    if not texts and symbol_kind(kind) == "TypeAlias":
        return _written(kind, kind.targetType.type) if hasattr(kind, "targetType") else ""
    return texts[0] if len(texts) == 1 else ""


def vector_text(symbol: Any, kind: Any, types: Mapping[str, str]) -> str:
    """The range of a vector as written; empty where it is no vector of single bits."""
    if _name(kind) != "PackedArrayType" or kind.canonicalType.elementType.canonicalType.bitWidth != 1:
        return ""
    syntax = symbol.syntax.parent.type if symbol_kind(symbol) == "Field" else symbol.declaredType.typeSyntax
    match = re.fullmatch(r"logic \[([^\[\]]+)\]", types.get(written_type(syntax)[0], ""))
    return match[1] if match is not None else _written(symbol, kind)


def packed_leaves(
    kind: Any, path: tuple[str, ...], way: Way, symbol: Any = None, types: Mapping[str, str] = NO_TYPES
) -> Iterator[Leaf]:
    """What a packed type is made of, highest bits first."""
    inner = kind.canonicalType
    name = type(inner).__name__
    if name == "PackedStructType":
        for field in inner:
            if symbol_kind(field) == "Field":
                yield from packed_leaves(field.type, (*path, field.name), way, field, types)
    elif name == "PackedArrayType" and _name(inner.elementType) == "PackedStructType":
        for index in _indices(inner.range):
            yield from packed_leaves(inner.elementType, (*path, str(index)), way, types=types)
    else:
        yield Leaf(path, way, inner.bitWidth, "" if symbol is None else vector_text(symbol, kind, types))


def _indices(bounds: Any) -> range:
    """The indices of a range, leftmost first."""
    step = 1 if bounds.left <= bounds.right else -1
    return range(bounds.left, bounds.right + step, step)


def reachable_name(kind: Any) -> str:
    """How a module beside names a type; empty where it cannot."""
    outside = symbol_kind(kind) == "TypeAlias" and kind.parentScope.containingInstance is None
    return str(kind.hierarchicalPath) if outside else ""


def pieces(
    kind: Any, path: tuple[str, ...], way: Way, symbol: Any = None, types: Mapping[str, str] = NO_TYPES
) -> Iterator[Piece]:
    """What a type is made of, each piece as large as one assignment; ``types`` as of :func:`take_apart`.

    Raises:
        NoLeavesError: something in it has no bits.
    """
    if kind.isError:
        raise NoLeavesError("a type that slang cannot resolve")
    name = _name(kind)
    if name == "UnpackedStructType":
        for field in kind.canonicalType:
            if symbol_kind(field) == "Field":
                yield from pieces(field.type, (*path, field.name), way, field, types)
    elif name == "FixedSizeUnpackedArrayType":
        inner = kind.canonicalType
        for index in _indices(inner.range):
            yield from pieces(inner.elementType, (*path, str(index)), way, types=types)
    elif not kind.isIntegral:
        raise NoLeavesError(f"{COMPOUND.get(name, f'type {kind}')}")
    else:
        # An enum that only the module knows gets a vector: the wrapper is then read with relaxed rules.
        cast = reachable_name(kind) if name == "EnumType" and way == "input" else ""
        own = name == "EnumType" and way == "input" and not cast
        yield Piece(path, tuple(packed_leaves(kind, path, way, symbol, types)), cast, own)


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
        way = WAYS.get(direction_of(member))
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


def take_apart(
    port: Any, manager: Any, driven: frozenset[str] = frozenset(), types: Mapping[str, str] = NO_TYPES
) -> Compound:
    """A port as what it is made of.

    Args:
        port: slang's, of a module whose interfaces are connected.
        manager: slang's, for the place.
        driven: paths of what the module writes, which tells the directions in interfaces without a modport.
        types: what the module's type parameters are, where the wrapper says it.

    Raises:
        NoLeavesError: it has no flat form.
    """
    kind = symbol_kind(port)
    if kind == "InterfacePort":
        return _interface(port, manager, driven)
    if kind != "Port" or port.isNullPort:
        raise NoLeavesError("a port made of several expressions")
    way = WAYS.get(direction_of(port))
    if way is None:
        raise NoLeavesError("a ref port")
    symbol, where = port.internalSymbol, _where(port, manager)
    unpacked, inner = peel(port.type, "FixedSizeUnpackedArrayType", ranges(getattr(symbol.syntax, "dimensions", None)))
    if _name(inner) in ("UnpackedStructType", "UnpackedUnionType"):
        found = tuple(pieces(inner, (), way, types=types))
        named = reachable_name(inner)
        if not named and unpacked and way == "input":
            raise NoLeavesError("an array of unpacked structs of a local type: move the type to a package")
        return Compound(port.name, "named" if named else "local", found, unpacked, type_name=named, where=where)
    if way == "inout" and unpacked:
        raise NoLeavesError("an array of inout ports")
    packed, inner = _packed(inner, symbol)
    whole = tuple(pieces(inner, (), way, symbol, types))
    return Compound(port.name, "plain", whole, unpacked, packed, where=where)


def _packed(kind: Any, symbol: Any) -> tuple[tuple[Dimension, ...], Any]:
    """The packed array that a port is of structs or of something with a name, and its element."""
    named, texts = written_type(symbol.declaredType.typeSyntax)
    dimensions, element = peel(kind, "PackedArrayType", texts)
    if dimensions and _name(element) == "PackedStructType":
        return dimensions, element
    if not named:
        return (), kind
    for _ in texts:
        kind = kind.canonicalType.elementType
    return tuple(Dimension(d.left, d.right, text) for d, text in zip(dimensions, texts, strict=False)), kind
