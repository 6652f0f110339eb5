# SPDX-License-Identifier: Apache-2.0
"""Signals of RTL that nothing drives, or that get constants alone: bits that never change, whatever the traffic."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.build.comparisons import members_below, slang_design
from goldbeat.tb.build.compiling import direction_of, operator_of, symbol_kind
from goldbeat.tb.build.harness import MADE_MARK
from goldbeat.tb.build.settled import value_range
from goldbeat.tb.design.design import Design

_STEPS = ("Preincrement", "Predecrement", "Postincrement", "Postdecrement")
_PLAIN = ("Wire", "Tri", "UWire")
"""Nets that have no value of their own."""


@dataclass(frozen=True)
class Undriven:
    """A signal that nothing drives in any instance.

    Attributes:
        source: number of its file.
        line: of its declaration.
        name: its name.
        read: the RTL reads it, or it is an output; an input of an instance never is.
    """

    source: int
    line: int
    name: str
    read: bool


@dataclass(frozen=True)
class ConstantSignal:
    """A signal that gets constants alone, in any instance.

    Attributes:
        source: number of its file.
        line: of its declaration.
        name: its name.
        ones: bits that are 1 in some of them.
        zeros: bits that are 0 in some of them.
    """

    source: int
    line: int
    name: str
    ones: int
    zeros: int


@dataclass(frozen=True)
class QuietSignals:
    """Signals with bits that never change.

    Attributes:
        undriven: nothing drives them.
        constant: they get constants alone.
    """

    undriven: list[Undriven]
    constant: list[ConstantSignal]


def quiet_signals(design: Design, params: Mapping[str, Any]) -> QuietSignals:
    """Those of a design's sources; none where slang cannot read them.

    Args:
        design: whose sources.
        params: parameter values.
    """
    try:
        compiled = slang_design(design, params)
        tops = compiled.tops()
    except GoldbeatError:
        return QuietSignals([], [])
    drivers = _Drivers()
    for top in tops:
        drivers.top(top)
    sources = design.sources()
    own = {str(path): n for n, path in enumerate(sources) if not path.read_text(errors="replace").startswith(MADE_MARK)}
    nowhere = drivers.nowhere()
    found: dict[tuple[int, int, str], list[str | None]] = defaultdict(list)
    given: dict[tuple[int, int, str], set[int | None]] = defaultdict(set)
    for path, symbol in drivers.signals.items():
        number = own.get(compiled.manager.getFileName(symbol.location))
        if number is not None:
            place = (number, compiled.manager.getLineNumber(symbol.location), str(symbol.name))
            found[place].append(path if path in nowhere else None)
            given[place] |= drivers.constants.get(path, {None})
    undriven = [
        Undriven(*place, read=any(drivers.reads[path] and path not in drivers.inputs for path in paths if path))
        for place, paths in found.items()
        if None not in paths
    ]
    numbers = {
        place: [one for one in values if one is not None] for place, values in given.items() if None not in values
    }
    constant = [ConstantSignal(*place, reduce(or_, many), ~reduce(and_, many)) for place, many in numbers.items()]
    return QuietSignals(undriven, constant)


class _Drivers:
    """What drives and what reads the signals of a hierarchy, by path."""

    def __init__(self) -> None:
        self.signals: dict[str, Any] = {}
        self.driven: set[str] = set()
        self.constants: dict[str, set[int | None]] = defaultdict(set)
        self.inputs: dict[str, list[str]] = {}
        self.reads: Counter[str] = Counter()

    def top(self, instance: Any) -> None:
        """Note everything below a top module, whose inputs somebody drives."""
        for port in instance.body.portList:
            if (inner := getattr(port, "internalSymbol", None)) is not None:
                path = str(inner.hierarchicalPath)
                self._driven({path} if direction_of(port) != "Out" else set())
                self.reads[path] += 1
        self._scope(instance.body)

    def nowhere(self) -> set[str]:
        """Paths of signals without a driver; an input of an instance gets what nothing drives from such signals alone."""
        found = self.signals.keys() - self.driven - self.inputs.keys()
        while True:
            more = {path for path, given in self.inputs.items() if path not in found and found.issuperset(given)}
            more -= self.driven
            if not more:
                return found
            found |= more

    def _scope(self, scope: Any) -> None:
        for member in members_below(scope):
            kind = symbol_kind(member)
            if kind == "Instance":
                self._instance(member)
            else:
                self._member(kind, member)

    def _member(self, kind: str, member: Any) -> None:
        if kind in ("Net", "Variable"):
            self.signals[str(member.hierarchicalPath)] = member
            plain = kind == "Variable" or str(member.netType.netKind).rpartition(".")[2] in _PLAIN
            if member.initializer is not None or not plain:
                value = member.initializer if plain and _is_plain(member.type.canonicalType) else None
                self._driven({str(member.hierarchicalPath)}, value)
        if kind in ("Net", "Variable", "ContinuousAssign", "ProceduralBlock", "Subroutine"):
            member.visit(self._look)
        elif kind not in ("Parameter", "TypeParameter", "Port", "Genvar", "StatementBlock"):
            # Primitives and whatever else has connections.
            self._driven(self._mentioned(member))

    def _instance(self, instance: Any) -> None:
        for connection in instance.portConnections:
            inner, given = getattr(connection.port, "internalSymbol", None), connection.expression
            path = "" if inner is None else str(inner.hierarchicalPath)
            if direction_of(connection.port) == "In" and inner is not None and instance.isModule:
                names = [] if given is None else list(self._mentioned(given))
                if given is None or names:
                    self.inputs[path] = names
                else:
                    self._driven({path})
            else:
                self._driven({path} if direction_of(connection.port) != "Out" else set())
                self._driven(set() if given is None else self._mentioned(given))
            if given is not None:
                given.visit(self._look)
                self.reads[path] += 1
        before = set(self.signals)
        self._scope(instance.body)
        if not instance.isModule:
            # Whoever has a modport may drive it.
            self._driven(self.signals.keys() - before)

    def _look(self, node: Any) -> None:
        kind = symbol_kind(node)
        if kind in ("NamedValue", "HierarchicalValue"):
            self.reads[str(node.symbol.hierarchicalPath)] += 1
        elif kind == "Assignment":
            self._drive(node.left, node.right)
        elif kind == "Call":
            self._driven(self._mentioned(node))
        elif kind == "UnaryOp" and operator_of(node) in _STEPS:
            self._drive(node.operand)

    def _drive(self, target: Any, value: Any = None) -> None:
        names = self._mentioned(target)
        plain = symbol_kind(target) == "NamedValue" and _is_plain(target.type.canonicalType)
        self._driven(names, value if plain else None)
        # The visit counts the target as read.
        self.reads.subtract(names)

    def _driven(self, names: Collection[str], value: Any = None) -> None:
        """Note signals that something drives, and the number that they get; ``value``: what they get; None: anything."""
        self.driven.update(names)
        low, high = (0, 1) if value is None or not value.type.isIntegral else value_range(value)
        for name in names:
            self.constants[name].add(low if low == high else None)

    @staticmethod
    def _mentioned(node: Any) -> set[str]:
        found: set[str] = set()

        def look(inner: Any) -> None:
            if symbol_kind(inner) in ("NamedValue", "HierarchicalValue"):
                symbol = inner.symbol
                if symbol_kind(symbol) == "ModportPort" and symbol.internalSymbol is not None:
                    found.add(str(symbol.internalSymbol.hierarchicalPath))
                found.add(str(symbol.hierarchicalPath))

        node.visit(look)
        return found


def _is_plain(kind: Any) -> bool:
    """Whether a type has bits that are counted from 0 and nothing else: no fields and no elements."""
    if symbol_kind(kind) == "PackedArrayType":
        return kind.fixedRange.right == 0 and symbol_kind(kind.elementType) == "ScalarType"
    return symbol_kind(kind) in ("ScalarType", "PredefinedIntegerType")
