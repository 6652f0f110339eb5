# SPDX-License-Identifier: Apache-2.0
"""A wrapper with plain ports for a module whose ports are interfaces, structs, enums or arrays of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.harness import WRAPPER_MARK
from goldbeat.tb.design.ports.recognition import Dimension
from goldbeat.tb.probe.flat_names import FreeNames, pin_names
from goldbeat.tb.probe.flat_parameters import FlatParameters, renamed, words
from goldbeat.tb.probe.leaves import Compound, Leaf, Piece
from goldbeat.tb.probe.own_ports import OwnPorts

SUFFIX = "_flat"
"""What follows the module's name in its wrapper's."""


@dataclass(frozen=True)
class PackedFields:
    """Ports that make one vector of whole bytes, or one for each stream of an array.

    Attributes:
        ports: highest bits first; none: the vector says nothing.
        way: of the vector.
        count: of the streams; each has the same share of every port.
        vector: the wrapper's port that they make; empty: there is no wrapper yet.
        padding: its highest bits, or those of each stream, that no port has.
    """

    ports: tuple[str, ...]
    way: str
    count: int = 1
    vector: str = ""
    padding: int = 0


@dataclass(frozen=True)
class FlatModule:
    """A wrapper.

    Attributes:
        module: the module inside.
        name: its own.
        text: SystemVerilog.
        notes: what was guessed.
        packs: bundles whose TDATA it makes -> what these are made of.
        guessed: ports whose width is a guess -> why.
    """

    module: str
    name: str
    text: str
    notes: tuple[str, ...] = ()
    packs: Mapping[str, PackedFields] = field(default_factory=dict)
    guessed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Shell:
    """All of a wrapper but its pins.

    Attributes:
        name: the wrapper's.
        module: the module inside.
        inside: the name of its instance.
        parameters: of the wrapper.
        types: the module's type parameters -> types.
        typedefs: what these need.
        interfaces: interface ports of the module: name -> the instance, its interface, and its array as text.
        own: what the ports of the interfaces themselves are connected to.
        order: all ports of the module.
    """

    name: str
    module: str
    inside: str
    parameters: FlatParameters
    types: Mapping[str, str]
    typedefs: Sequence[str]
    interfaces: Mapping[str, tuple[str, str, str]]
    own: OwnPorts
    order: Sequence[str]

    def text(self, pins: str, body: Sequence[str], connections: Mapping[str, str]) -> str:
        """The whole wrapper; ``connections`` has the ports that are no interfaces."""
        lines = [f"  {line}" for line in self.typedefs]
        done = set()
        for port, (name, kind, array) in self.interfaces.items():
            if name in done:
                continue
            done.add(name)
            values = ", ".join(f".{n}({w})" for n, w in self.parameters.of_interface.get(port, {}).items())
            ties = ", ".join(f".{own}({value})" for own, value in self.own.connected.get(port, {}).items())
            lines.append(f"  {kind} {f'#({values}) ' * bool(values)}{name}{array} ({ties});")
        passed = [f".{n}({w})" for n, w in (*self.parameters.of_module.items(), *self.types.items())]
        connected = {port: name for port, (name, _, _) in self.interfaces.items()} | dict(connections)
        # Verilator tells generic interfaces by their place.
        ports = [f".{port}({connected[port]})" for port in self.order if port in connected]
        start = f"  {self.module}{' #(' + ', '.join(passed) + ')' if passed else ''} {self.inside} (\n    "
        head = f"{WRAPPER_MARK} of {self.module}.\nmodule {self.name}{self.parameters.text()} ({pins});\n"
        return head + "\n".join(
            [*lines, *(f"  {line}" for line in body), start + ",\n    ".join(ports) + "\n  );\nendmodule\n"]
        )


def array_text(dimensions: Sequence[Dimension], known: Mapping[str, str]) -> str:
    """The ranges of an array, by parameters where they say them."""
    texts = []
    for one in dimensions:
        usable = one.text and not words(one.text) - known.keys()
        texts.append(f"[{renamed(one.text, known)}]" if usable else f"[{one.left}:{one.right}]")
    return "".join(texts)


class _Pins:
    """The pins of a wrapper, and what connects them."""

    def __init__(
        self, ports: Sequence[Compound], shell: Shell, literal: frozenset[str], packs: Mapping[str, PackedFields]
    ) -> None:
        fixed = {port.name for port in ports if not port.joined} | {name for name, _, _ in shell.interfaces.values()}
        self.free = FreeNames({*fixed, *shell.own.pins, *shell.parameters.declared, shell.inside})
        self.names = pin_names(ports, self.free)
        self.shell = shell
        self.literal = literal
        self.module_names = dict(shell.parameters.of_module)
        self.module_names |= {n: n for n in shell.parameters.declared if n not in self.module_names}
        self.declared: list[str] = []
        self.body: list[str] = []
        self.connections: dict[str, str] = {}
        self.expected: dict[str, int] = {}
        fields = [pin for pack in packs.values() for pin in pack.ports]
        self.free.release(fields)
        self.packs = {name: replace(pack, vector=self.free.claim(f"{name}_tdata")) for name, pack in packs.items()}
        self.nets = {pin: self.free.claim(pin) for pin in fields}
        self.names = {place: self.nets.get(pin, pin) for place, pin in self.names.items()}
        self.packed = {*self.nets.values()}
        self.index: list[str] = []
        for name, bits in shell.own.pins.items():
            self.declared.append(f"input  logic {f'[{bits - 1}:0] ' * (bits > 1)}{name}")
            self.expected[name] = bits
        for port in ports:
            self._port(port)
        self.packs = {name: self._pack(name, pack) for name, pack in self.packs.items()}

    def _pack(self, name: str, pack: PackedFields) -> PackedFields:
        """One vector of whole bytes for several pins."""
        pins, vector = [self.nets[pin] for pin in pack.ports], pack.vector
        gone = next((pin for pin in pins if pin not in self.expected), None)
        if gone is not None:
            raise UsageError(f"--bundle {name}: {gone} is no port of its own, as its type is not known")
        widths = [self.expected.pop(pin) // pack.count for pin in pins]
        total = sum(widths)
        width = max(1, -(-total // 8)) * 8
        self.expected[vector] = width * pack.count
        if pack.count > 1:
            self._pack_array(pack, dict(zip(pins, widths, strict=True)), width)
            return replace(pack, padding=width - total)
        self.declared.append(f"{pack.way:6} logic [{width - 1}:0] {vector}")
        together = "{" + ", ".join(pins) + "}"
        if pack.way == "output":
            self.body.append(f"assign {vector} = " + (f"{width}'({together});" if pins else "'0;"))
        elif pins:
            self.body.append(f"assign {together} = {vector}[{total - 1}:0];")
        return replace(pack, padding=width - total)

    def _pack_array(self, pack: PackedFields, widths: Mapping[str, int], width: int) -> None:
        """One vector for each stream of an array.

        Args:
            pack: what is packed.
            widths: bits of each pin in one stream.
            width: of a vector.
        """
        self.declared.append(f"{pack.way:6} logic [{pack.count - 1}:0][{width - 1}:0] {pack.vector}")
        number, inward = self.free.claim("lane"), pack.way == "input"
        parts, total = [], sum(widths.values())
        for pin, bits in widths.items():
            flat = self.free.claim(f"{pin}_bits")
            self.body.append(f"logic [{bits * pack.count - 1}:0] {flat};")
            self.body.append(f"assign {pin} = {flat};" if inward else f"assign {flat} = {pin};")
            parts.append(f"{flat}[{number}*{bits}+:{bits}]")
        together, vector = "{" + ", ".join(parts) + "}", f"{pack.vector}[{number}]"
        if inward and not parts:
            return
        if inward:
            text = f"assign {together} = {vector}[{total - 1}:0];"
        else:
            text = f"assign {vector} = {width}'({together});" if parts else f"assign {vector} = '0;"
        loop = f"for (genvar {number} = 0; {number} < {pack.count}; {number}++)"
        self.body.append(f"{loop} begin : {self.free.claim(f'gen_{pack.vector}')} {text} end")

    def _known(self, port: Compound) -> Mapping[str, str]:
        if port.kind == "interface":
            return self.shell.parameters.of_interface.get(port.name, {})
        return self.module_names

    def _bits(self, leaf: Leaf, name: str, port: Compound) -> str:
        known = self._known(port)
        if leaf.text and "." not in leaf.text and name not in self.literal and not words(leaf.text) - known.keys():
            return f"[{renamed(leaf.text, known)}]"
        return "" if leaf.width == 1 else f"[{leaf.width - 1}:0]"

    def _total(self, port: Compound) -> str:
        """The bits of one element, by the parameters that say them."""
        number, terms = 0, []
        for leaf in port.leaves:
            bits = self._bits(leaf, self.names[port.name, leaf.path], port)
            match = re.fullmatch(r"\[(.*[A-Za-z].*)-1:0\]", bits)
            terms += [f"({match[1]})"] if match is not None else []
            number += 0 if match is not None else leaf.width
        return " + ".join([*terms, str(number)]) if terms else str(number)

    def _port(self, port: Compound) -> None:
        dimensions = (*port.unpacked, *port.packed)
        count = 1
        for one in dimensions:
            count *= one.size
        outer = "".join(f"[{_top(self._size(one))}:0]" for one in dimensions)
        for leaf in port.leaves:
            name = self.names[port.name, leaf.path]
            bits = self._bits(leaf, name, port)
            sort = "wire " if leaf.way == "inout" else "logic"
            if name in self.packed:
                self.body.append(f"logic {outer}{bits}".rstrip() + f" {name};")
            else:
                self.declared.append(f"{leaf.way:6} {sort} {outer}{bits}".rstrip() + f" {name}")
            self.expected[name] = leaf.width * count
        if port.kind == "plain" and not dimensions:
            (piece,) = port.pieces
            self.connections[port.name] = _cast(piece, self._vector(port, piece, ""))
            return
        if port.kind == "local":
            self._local(port, dimensions)
            return
        if port.kind == "interface":
            target = self.shell.interfaces[port.name][0]
        else:
            target = self.free.claim(f"{port.name}_all")
            packed = "".join(f"[{_top(self._size(one))}:0]" for one in port.packed)
            kind = port.type_name or f"logic {packed}[{self._total(port)}-1:0]"
            array = array_text(port.unpacked, self.module_names)
            self.body.append(f"{kind} {target}{' ' * bool(array)}{array};")
            self.connections[port.name] = target
        self.body += self._loops(port, target, dimensions)

    def _local(self, port: Compound, dimensions: Sequence[Dimension]) -> None:
        """A struct that only the module can name: a pattern goes in, what comes out is taken from inside."""
        if port.pieces[0].leaves[0].way == "output":
            self.connections[port.name] = ""
            self.body += self._loops(port, f"{self.shell.inside}.{port.name}", dimensions)
            return
        texts = {piece.path: _cast(piece, self._vector(port, piece, "")) for piece in port.pieces}
        self.connections[port.name] = _pattern(texts)

    def _size(self, one: Dimension) -> str:
        """How many elements an array has, by the parameter that says it."""
        match = re.fullmatch(r"(?:0:)?(\w+)(?:-1(?::0)?)?", one.text)
        name = self.module_names.get(match[1], "") if match is not None else ""
        plain_size = match is not None and one.text in (match[1], f"{match[1]}-1:0", f"0:{match[1]}-1")
        return name if name and plain_size else str(one.size)

    def _vector(self, port: Compound, piece: Piece, index: str) -> str:
        names = [f"{self.names[port.name, leaf.path]}{index}" for leaf in piece.leaves]
        return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"

    def _loops(self, port: Compound, target: str, dimensions: Sequence[Dimension]) -> Iterator[str]:
        outside, inside = "", ""
        self.index += [self.free.claim(f"i{depth}") for depth in range(len(self.index), len(dimensions))]
        for depth, one in enumerate(dimensions):
            low = min(one.left, one.right)
            number = self.index[depth]
            outside += f"[{number}]"
            inside += f"[{number} + {low}]" if low else f"[{number}]"
            loop = f"for (genvar {number} = 0; {number} < {self._size(one)}; {number}++)"
            yield f"{'  ' * depth}{loop} begin : {self.free.claim(f'gen_{port.name}_{depth}')}"
        indent = "  " * len(dimensions)
        for piece in port.pieces:
            there = target + inside + "".join(f"[{p}]" if p.isdigit() else f".{p}" for p in piece.path)
            here = self._vector(port, piece, outside)
            left, right = (there, _cast(piece, here)) if piece.leaves[0].way == "input" else (here, there)
            yield f"{indent}assign {left} = {right};"
        for depth in reversed(range(len(dimensions))):
            yield f"{'  ' * depth}end"


def _pattern(members: Mapping[tuple[str, ...], str]) -> str:
    """An assignment pattern of members, those of arrays by their place."""
    heads = dict.fromkeys(path[0] for path in members)
    inner = {head: {path[1:]: text for path, text in members.items() if path[0] == head} for head in heads}
    parts = {head: one[()] if () in one else _pattern(one) for head, one in inner.items()}
    return "'{" + ", ".join(text if head.isdigit() else f"{head}: {text}" for head, text in parts.items()) + "}"


def _cast(piece: Piece, text: str) -> str:
    return f"{piece.cast}'({text})" if piece.cast else text


def _top(size: str) -> str:
    """The highest index of so many."""
    return str(int(size) - 1) if size.isdigit() else f"{size}-1"


def make_flat(
    ports: Sequence[Compound],
    shell: Shell,
    notes: Sequence[str],
    literal: frozenset[str],
    packs: Mapping[str, PackedFields],
    *,
    clocked: bool,
) -> tuple[FlatModule, Mapping[str, int]]:
    """Write a wrapper.

    Args:
        ports: the module's, taken apart.
        shell: what is inside beside the connections.
        notes: what was guessed.
        literal: pins whose widths must be numbers, since their text does not hold in the wrapper.
        packs: as :attr:`FlatModule.packs`.
        clocked: one of the ports is a clock.

    Returns:
        the wrapper, and the bits that each pin must have.
    """
    pins = _Pins(ports, shell, literal, packs)
    if not clocked and "clk" not in pins.expected:
        # Its ports have to be driven and sampled at some edge.
        pins.declared.insert(0, "input  logic clk")
    head = "\n  " + ",\n  ".join(pins.declared) + "\n"
    text = shell.text(head, pins.body, pins.connections)
    return FlatModule(shell.module, shell.name, text, tuple(notes), pins.packs), pins.expected
