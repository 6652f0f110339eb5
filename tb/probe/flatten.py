# SPDX-License-Identifier: Apache-2.0
"""Whether a module needs a wrapper with plain ports, and how it comes to be: slang reads the module in it twice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.compiling import Compiled, compile_sources, symbol_kind
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.design.pin_names import is_clock
from goldbeat.tb.design.ports.recognition import Dimension
from goldbeat.tb.probe.flat import SUFFIX, FlatModule, PackedFields, Shell, array_text, make_flat
from goldbeat.tb.probe.flat_names import FreeNames, instances
from goldbeat.tb.probe.flat_parameters import FlatParameters, plain
from goldbeat.tb.probe.interfaces import interface_name, written
from goldbeat.tb.probe.leaves import (
    COMPOUND,
    Compound,
    NoLeavesError,
    interface_of,
    peel,
    ranges,
    take_apart,
    written_type,
)
from goldbeat.tb.probe.own_ports import OwnPorts
from goldbeat.tb.probe.type_guesses import Reading, TypeGuess, guess_types, lacking_members, only_vectors
from goldbeat.tb.probe.wiring import Graph

_UNSET = ("", "logic")
_ROUNDS = 5
"""Errors of one round may hide others."""


@dataclass(frozen=True)
class _Attempt:
    """A wrapper for one reading of names."""

    reading: Reading
    flat: FlatModule
    compiled: Compiled
    errors: tuple[str, ...]


def needs_flat(body: Any) -> bool:
    """Whether a module has ports that are no plain vectors, or types that nobody has set."""
    return bool(unset_types(body)) or any(_is_compound(port) for port in body.portList)


def _is_compound(port: Any) -> bool:
    kind = symbol_kind(port)
    if kind != "Port" or port.isNullPort:
        return kind == "InterfacePort"
    _, inner = peel(port.type, "FixedSizeUnpackedArrayType")
    _, element = peel(inner, "PackedArrayType")
    return type(element.canonicalType).__name__ in COMPOUND


def unset_types(body: Any) -> dict[str, str]:
    """Type parameters whose default may mean nothing, with that default as written."""
    defaults = type_defaults(body)
    mine = (str(p.name) for p in body.parameters if not p.isLocalParam and not hasattr(p, "value"))
    return {name: default for name in mine if (default := defaults.get(name, "")) in _UNSET}


def type_defaults(body: Any) -> dict[str, str]:
    """Type parameters and their defaults as written."""
    mine = (p for p in body.parameters if not p.isLocalParam and not hasattr(p, "value"))
    written = ((str(p.name), getattr(p.syntax, "assignment", None)) for p in mine)
    return {name: plain(default.type) for name, default in written if default is not None}


class Flattener:
    """Makes the wrapper of one module.

    Args:
        sources: what is compiled.
        body: slang's body of the module, as a top by itself.
        name: of the module.
        overrides: values of parameters, the module's and its interfaces'.
        packs: as :attr:`~goldbeat.tb.probe.flat.FlatModule.packs`.
    """

    def __init__(
        self,
        sources: Sources,
        body: Any,
        name: str,
        overrides: Mapping[str, str],
        packs: Mapping[str, PackedFields],
    ) -> None:
        self.packs = dict(packs)
        self.sources = sources
        self.body = body
        self.name = name
        modules = FreeNames(d.name for d in body.compilation.getDefinitions())
        self.flat_name = modules.claim(f"{name}{SUFFIX}")
        self.overrides = dict(overrides)
        self.notes: list[str] = []
        self.used: set[str] = set()

    def run(self) -> tuple[FlatModule, Compiled]:
        """The wrapper, and the sources compiled with it as the top.

        Raises:
            UsageError: a port has no flat form, or no such parameter.
        """
        attempts: list[_Attempt] = []
        for reading in self._readings():
            attempt = self._attempt(reading)
            if reading.default != "guessed" and (attempt.errors or attempt.compiled.indexes_scalars()):
                # What such a default cannot be, it was not meant to be.
                continue
            attempts.append(attempt)
            if not attempt.errors:
                break
        best = min(attempts, key=lambda one: len(one.errors))
        if lacking_members(best.errors):
            best = min([best, *self._by_use(best.reading)], key=lambda one: len(one.errors))
        return best.flat, best.compiled

    def _attempt(self, reading: Reading) -> _Attempt:
        self.notes = []
        flat, compiled = self._once(reading)
        return _Attempt(reading, flat, compiled, compiled.errors())

    def _by_use(self, reading: Reading) -> Iterator[_Attempt]:
        """With requests and responses that have what the sources use of them, as errors tell it."""
        members: dict[str, tuple[str, ...]] = {}
        for _ in range(_ROUNDS):
            attempt = self._attempt(replace(reading, own=True, members=dict(members)))
            yield attempt
            lacking = lacking_members(attempt.errors)
            if not lacking:
                return
            for name, more in lacking.items():
                members[name] = (*members.get(name, ()), *more)

    def _readings(self) -> Iterator[Reading]:
        """What names may mean, the likeliest first."""

        def by_name(stem: str) -> bool:
            return "lite" in stem

        def by_module(stem: str) -> bool:
            return "full" not in stem

        unset = unset_types(self.body)
        first, second = (by_module, by_name) if "lite" in self.name else (by_name, by_module)
        if any(unset.values()) and only_vectors(unset, self._values(), Reading(first)):
            # A default that elaborates is what the module says of itself.
            yield Reading(first, default="kept")
            yield Reading(first, default="indexed")
        yield Reading(first)
        if "chan_t" in unset:
            yield Reading(first, address_channels=True)
        if unset:
            yield Reading(second)

    def _values(self) -> list[str]:
        """The parameters that are no types."""
        return [p.name for p in self.body.parameters if not p.isLocalParam and hasattr(p, "value")]

    def _once(self, reading: Reading) -> tuple[FlatModule, Compiled]:
        guess = guess_types(unset_types(self.body), self._values(), reading)
        ports = [p for p in self.body.portList if symbol_kind(p) == "InterfacePort"]
        first = self._shell(guess, ports, {}, {})
        bare = compile_sources(self.sources, self.flat_name, {}, {"first": first.text("", (), {})})
        dut = _inside(bare, first)
        connected = {p.name: p for p in dut.portList}
        # The interfaces' own parameters are known once they are there.
        bound = {p.name: i for p in ports if (i := interface_of(connected[p.name])) is not None}
        shell = self._shell(guess, ports, bound, connected)
        known = compile_sources(self.sources, self.flat_name, {}, {"second": shell.text("", (), {})})
        dut = _inside(known, shell)
        bare_ports = any(symbol_kind(p) == "InterfacePort" and not p.modport for p in dut.portList)
        driven = written(dut) if bare_ports else frozenset()
        self._tell(dut, shell.types)
        types = type_defaults(self.body) | dict(shell.types)
        apart = [_without_own(self._apart(port, known, driven, types), shell) for port in dut.portList]
        clocked = any(map(is_clock, (*(port.name for port in apart), *shell.own.pins)))
        flat, compiled = self._final(apart, shell, clocked=clocked or _follows_ports(known, shell, dut))
        return replace(flat, guessed=_guessed_ports(dut, guess)), compiled

    def _final(self, ports: list[Compound], shell: Shell, *, clocked: bool) -> tuple[FlatModule, Compiled]:
        literal: frozenset[str] = frozenset()
        own_enums = any(piece.own_enum for port in ports for piece in port.pieces)
        for _ in range(2):
            notes = (*shell.parameters.notes, *shell.own.notes, *self.notes)
            flat, expected = make_flat(ports, shell, notes, literal, self.packs, clocked=clocked)
            text = {f"{flat.name}.sv": flat.text}
            compiled = compile_sources(self.sources, flat.name, {}, text, own_enums=own_enums)
            (top,) = [t for t in compiled.tops() if t.name == flat.name]
            got = {p.name: p.type.bitstreamWidth for p in top.body.portList}
            wrong = frozenset(name for name, bits in expected.items() if got.get(name) != bits)
            if not wrong:
                break
            literal |= wrong
        return flat, compiled

    def _tell(self, dut: Any, types: Mapping[str, str]) -> None:
        """Note what types and interface ports do not say themselves."""
        unset = unset_types(self.body)
        if guessed := [name for name in types if name in unset]:
            self.notes.append(f"types {', '.join(guessed)}: guessed from their names, as their defaults are empty")
        self.notes += [f"type {name}: its default, {unset[name]}" for name in unset if name not in types]
        for port in dut.portList:
            if symbol_kind(port) != "InterfacePort" or (instance := interface_of(port)) is None:
                continue
            name = instance.body.definition.name
            generic = f"{port.name}: a generic interface: {name}, which fits" if port.interfaceDef is None else ""
            bare = f"{port.name}: {name} without a modport: directions inferred from what the module writes"
            self.notes += [note for note in (generic, bare * (not port.modport)) if note and note not in self.notes]

    def _apart(self, port: Any, compiled: Compiled, driven: frozenset[str], types: Mapping[str, str]) -> Compound:
        try:
            return take_apart(port, compiled.manager, driven, types)
        except NoLeavesError as reason:
            where = f"{compiled.manager.getFileName(port.location)}:{compiled.manager.getLineNumber(port.location)}"
            raise UsageError(f"{self.name}: no wrapper can be made: port {port.name} ({where}): {reason}") from None

    def _interface(self, port: Any) -> str:
        try:
            return interface_name(port, self.body.compilation, self.overrides)
        except UsageError as reason:
            raise UsageError(f"{self.name}: no wrapper can be made: {reason}") from None

    def _shell(
        self, guess: TypeGuess, ports: list[Any], bound: Mapping[str, Any], connected: Mapping[str, Any]
    ) -> Shell:
        parameters = FlatParameters(self.overrides)
        for name, value in guess.parameters.items():
            parameters.declare(name, "int unsigned", self.overrides.get(name, str(value)))
            parameters.used |= {name} & self.overrides.keys()
        parameters.add_module(self.body.parameters)
        known = {n: n for n in parameters.declared}
        order = [port.name for port in self.body.portList]
        begin = instances([p.name for p in ports], {*order, *known})
        interfaces = {}
        for port in ports:
            dimensions = _dimensions(connected.get(port.name, port))
            array = array_text(dimensions, known)
            interfaces[port.name] = begin[port.name], self._interface(port), array
            if port.name in bound:
                match = re.fullmatch(r"\[(\w*[A-Za-z]\w*)(?:-1:0)?\]", array)
                count = match[1] if match is not None else ""
                parameters.add_interface(port.name, begin[port.name].upper(), bound[port.name], count)
            parameters.used |= {port.name} & self.overrides.keys() if port.interfaceDef is None else set()
        self.used = parameters.used
        free = FreeNames({*order, *parameters.declared, *begin.values()})
        own = OwnPorts(self.body.portList, free)
        for name, instance in bound.items():
            own.add(name, instance)
        inside = free.claim("dut")
        return Shell(self.flat_name, self.name, inside, parameters, guess.types, guess.typedefs, interfaces, own, order)


def _guessed_ports(dut: Any, guess: TypeGuess) -> dict[str, str]:
    """Ports of a type whose width is a guess, and why."""
    names = {port.name: _type_name(port) for port in dut.portList}
    return {
        port: f"its type {name} is {guess.types[name]} by its name"
        for port, name in names.items()
        if name in guess.vectors
    }


def _type_name(port: Any) -> str:
    """The name of a port's type as it is declared; empty: it has none."""
    declared = getattr(getattr(port, "internalSymbol", None), "declaredType", None)
    return "" if declared is None else written_type(declared.typeSyntax)[0]


def _without_own(port: Compound, shell: Shell) -> Compound:
    """A port without what the interface itself gets from elsewhere."""
    own = shell.own.connected.get(port.name, {})
    return replace(port, pieces=tuple(piece for piece in port.pieces if not own.keys() & {*piece.path[:1]}))


def _dimensions(port: Any) -> list[Dimension]:
    texts = ranges(getattr(port.syntax, "dimensions", None))
    bounds = list(port.declaredRange or [])
    if len(texts) != len(bounds):
        texts = [""] * len(bounds)
    return [Dimension(r.left, r.right, t) for r, t in zip(bounds, texts, strict=True)]


def _inside(compiled: Compiled, shell: Shell) -> Any:
    """The body of the module in its wrapper."""
    return _outside(compiled, shell).body.find(shell.inside).body


def _outside(compiled: Compiled, shell: Shell) -> Any:
    (top,) = [t for t in compiled.tops() if t.name == shell.name]
    return top


def _follows_ports(compiled: Compiled, shell: Shell, dut: Any) -> bool:
    """Whether flip-flops follow a port of the module, whatever its name is."""
    graph = Graph(_outside(compiled, shell))
    ports = {f"{shell.name}.{shell.inside}.{port.name}" for port in dut.portList}
    return any(graph.origin(path)[0] in ports for path in graph.blocks)
