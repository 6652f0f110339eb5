# SPDX-License-Identifier: Apache-2.0
"""Read a register map written in SystemRDL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from systemrdl.compiler import RDLCompiler
from systemrdl.messages import RDLCompileError
from systemrdl.node import AddressableNode, AddrmapNode, FieldNode, Node, RegfileNode, RegNode, RootNode
from systemrdl.rdltypes.builtin_enums import AccessType, OnReadType, OnWriteType

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.register_map import Field

_ON_WRITE = {OnWriteType.woclr: "1c", OnWriteType.wot: "1t", OnWriteType.wclr: "c"}


@dataclass(frozen=True)
class MapField:
    """A field and what the docs and the checks of access need besides.

    Attributes:
        field: name, bits, access, reset value.
        text: its description.
        constant: the hardware never changes it, and nobody can write it.
        tested: ordinary accesses have no side effects; the checks of access may make them.
        sign_extended: the bits above it read as its sign.
        by_parameters: the reset value or the width depends on the parameters.
    """

    field: Field
    text: str
    constant: bool
    tested: bool
    sign_extended: bool = False
    by_parameters: bool = False


@dataclass(frozen=True)
class MapRegister:
    """A register or an array of them.

    Attributes:
        block: the block of a map of blocks, else empty.
        group: the group of registers that it is a member of, else empty.
        name: without block and group.
        address: byte address, of the first of an array.
        offset: from the start of its group.
        fields: from the lowest bit up; a field that is read and another that is written may share bits.
        stride, entries: of the array, or of the array of its group; 0 and 1 without one.
        index: letter that counts them.
        text: its description.
        word_constant: the package of a map of blocks names its word.
    """

    block: str
    group: str
    name: str
    address: int
    offset: int
    fields: tuple[MapField, ...]
    stride: int
    entries: int
    index: str
    text: str
    word_constant: bool = False

    @property
    def full_name(self) -> str:
        """``NAME`` or ``GROUP.NAME``."""
        return f"{self.group}.{self.name}" if self.group else self.name


@dataclass(frozen=True)
class RegisterMap:
    """A register map.

    Attributes:
        path: of the ``.rdl``.
        python: the module (.py) or table (.json) for the golden models, below ``pymodels``.
        address_bits: width of the byte address.
        registers: by address.
        blocks: name to base address, of a map of blocks.
        absent: blocks that the hardware leaves out.
    """

    path: Path
    python: str
    address_bits: int
    registers: tuple[MapRegister, ...]
    blocks: Mapping[str, int]
    absent: frozenset[str]

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem

    @property
    def groups(self) -> tuple[MapRegister, ...]:
        """The first register of each group."""
        return tuple(r for r in self.registers if r.group and not r.offset)


def read_map(path: Path, parameters: Mapping[str, int] | None = None) -> RegisterMap:
    """Read a map.

    Args:
        path: the ``.rdl``.
        parameters: values in place of the largest ones, which the file gives.

    Raises:
        InputError: the file is not a register map; the compiler has printed where and why.
    """
    found = _flatten(path, _elaborate(path, parameters or {}))
    if parameters is not None:
        return found
    # What the parameters decide differs when each is one less.
    defaults = {name: int(value) for name, value in _elaborate(path, {}).parameters.items()}
    if not defaults:
        return found
    other = _flatten(path, _elaborate(path, {name: value - 1 for name, value in defaults.items()}))
    return replace(found, registers=tuple(map(_marked, found.registers, other.registers)))


def _marked(one: MapRegister, other: MapRegister) -> MapRegister:
    pairs = zip(one.fields, other.fields, strict=True)
    return replace(one, fields=tuple(replace(a, by_parameters=a.field != b.field) for a, b in pairs))


def _elaborate(path: Path, parameters: Mapping[str, int]) -> AddrmapNode:
    compiler = RDLCompiler()
    try:
        compiler.compile_file(str(path))
        root: RootNode = compiler.elaborate(parameters=dict(parameters))
    except RDLCompileError as error:
        raise InputError(str(error), "a register map in SystemRDL", file=path) from None
    return root.top


def _flatten(path: Path, top: AddrmapNode) -> RegisterMap:
    blocks = [child for child in top.children() if isinstance(child, AddrmapNode)]
    registers = (
        register for node in (blocks or [top]) for register in _registers(node, "" if node is top else node.inst_name)
    )
    if top.inst_name != path.stem:
        raise InputError(f"addrmap {top.inst_name}", f"addrmap {path.stem}", file=path)
    for name in ("python", "address_bits"):
        if not top.get_property(name):
            raise InputError(f"no property {name}", "one in the addrmap", file=path)
    bits = int(top.get_property("address_bits"))
    ordered = tuple(sorted(registers, key=lambda r: r.address))
    last = max(r.address + r.stride * (r.entries - 1) for r in ordered)
    if last >> bits:
        raise InputError(f"registers up to {last:#x}", f"them below {1 << bits:#x}, as address_bits says", file=path)
    return RegisterMap(
        path,
        _text(top, "python"),
        bits,
        ordered,
        {b.inst_name: b.absolute_address for b in blocks},
        frozenset(b.inst_name for b in blocks if b.get_property("absent")),
    )


def _registers(parent: AddrmapNode | RegfileNode, block: str) -> Iterator[MapRegister]:
    for node in parent.children():
        if isinstance(node, RegfileNode):
            yield from _registers(node, block)
        elif isinstance(node, RegNode):
            yield _register(node, block)


def _register(node: RegNode, block: str) -> MapRegister:
    parent = node.parent
    group = parent if isinstance(parent, RegfileNode) else None
    array: AddressableNode = group or node
    return MapRegister(
        block,
        group.inst_name if group else "",
        node.inst_name,
        node.raw_absolute_address,
        node.raw_address_offset,
        tuple(sorted(map(_field, node.fields()), key=lambda f: f.field.lsb)),
        array.array_stride or 0,
        array.n_elements,
        _text(array, "index"),
        _text(node, "desc"),
        bool(node.get_property("word_constant") or (block and parent.get_property("word_constant"))),
    )


def _field(node: FieldNode) -> MapField:
    readable, writable = node.is_sw_readable, node.is_sw_writable
    clears = node.get_property("onread") is OnReadType.rclr
    effect = node.get_property("onwrite")
    access = "r" * readable + "w" * writable + (_ON_WRITE[effect] if effect else "") + "c" * clears
    reset = node.get_property("reset")
    constant = access == "r" and node.get_property("hw") is AccessType.na
    field = Field(node.inst_name, node.lsb, node.width, access, reset if isinstance(reset, int) else 0)
    tested = not (node.get_property("donttest") or node.parent.get_property("donttest"))
    return MapField(field, _text(node, "desc"), constant, tested, bool(node.get_property("sign_extended")))


def _text(node: Node, name: str) -> str:
    return " ".join(str(node.get_property(name) or "").split())
