# SPDX-License-Identifier: Apache-2.0
"""Signals of RTL that nothing drives: they never change, whatever the traffic."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.build.comparisons import is_taken, slang_design
from goldbeat.tb.build.compiling import operator_of, symbol_kind
from goldbeat.tb.build.harness import MADE_MARK
from goldbeat.tb.design.design import Design

_STEPS = ("Preincrement", "Predecrement", "Postincrement", "Postdecrement")
_SCOPES = ("GenerateBlock", "GenerateBlockArray", "InstanceArray")
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


def undriven_signals(design: Design, params: Mapping[str, Any]) -> list[Undriven]:
    """Those of a design's sources; none where slang cannot read them.

    Args:
        design: whose sources.
        params: parameter values.
    """
    try:
        compiled = slang_design(design, params)
        tops = compiled.tops()
    except GoldbeatError:
        return []
    drivers = _Drivers()
    for top in tops:
        drivers.top(top)
    sources = design.sources()
    own = {str(path): n for n, path in enumerate(sources) if not path.read_text(errors="replace").startswith(MADE_MARK)}
    nowhere = drivers.nowhere()
    found: dict[tuple[int, int, str], list[str | None]] = defaultdict(list)
    for path, symbol in drivers.signals.items():
        number = own.get(compiled.manager.getFileName(symbol.location))
        if number is not None:
            place = (number, compiled.manager.getLineNumber(symbol.location), str(symbol.name))
            found[place].append(path if path in nowhere else None)
    return [
        Undriven(*place, read=any(drivers.reads[path] and path not in drivers.inputs for path in paths if path))
        for place, paths in found.items()
        if None not in paths
    ]


class _Drivers:
    """What drives and what reads the signals of a hierarchy, by path."""

    def __init__(self) -> None:
        self.signals: dict[str, Any] = {}
        self.driven: set[str] = set()
        self.inputs: dict[str, list[str]] = {}
        self.reads: Counter[str] = Counter()

    def top(self, instance: Any) -> None:
        """Note everything below a top module, whose inputs somebody drives."""
        for port in instance.body.portList:
            if (inner := getattr(port, "internalSymbol", None)) is not None:
                path = str(inner.hierarchicalPath)
                self.driven |= {path} if _way(port) != "Out" else set()
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
        for member in scope:
            kind = symbol_kind(member)
            if kind in _SCOPES:
                if is_taken(member):
                    self._scope(member)
            elif kind == "Instance":
                self._instance(member)
            else:
                self._member(kind, member)

    def _member(self, kind: str, member: Any) -> None:
        if kind in ("Net", "Variable"):
            self.signals[str(member.hierarchicalPath)] = member
            plain = kind == "Variable" or str(member.netType.netKind).rpartition(".")[2] in _PLAIN
            if member.initializer is not None or not plain:
                self.driven.add(str(member.hierarchicalPath))
        if kind in ("Net", "Variable", "ContinuousAssign", "ProceduralBlock", "Subroutine"):
            member.visit(self._look)
        elif kind not in ("Parameter", "TypeParameter", "Port", "Genvar", "StatementBlock"):
            # Primitives and whatever else has connections.
            self.driven |= self._mentioned(member)

    def _instance(self, instance: Any) -> None:
        for connection in instance.portConnections:
            inner, given = getattr(connection.port, "internalSymbol", None), connection.expression
            path = "" if inner is None else str(inner.hierarchicalPath)
            if _way(connection.port) == "In" and inner is not None and instance.isModule:
                names = [] if given is None else list(self._mentioned(given))
                if given is None or names:
                    self.inputs[path] = names
                else:
                    self.driven.add(path)
            else:
                self.driven |= {path} if _way(connection.port) != "Out" else set()
                self.driven |= set() if given is None else self._mentioned(given)
            if given is not None:
                given.visit(self._look)
                self.reads[path] += 1
        before = set(self.signals)
        self._scope(instance.body)
        if not instance.isModule:
            # Whoever has a modport may drive it.
            self.driven |= self.signals.keys() - before

    def _look(self, node: Any) -> None:
        kind = symbol_kind(node)
        if kind in ("NamedValue", "HierarchicalValue"):
            self.reads[str(node.symbol.hierarchicalPath)] += 1
        elif kind == "Assignment":
            self._drive(node.left)
        elif kind == "Call":
            self.driven |= self._mentioned(node)
        elif kind == "UnaryOp" and operator_of(node) in _STEPS:
            self._drive(node.operand)

    def _drive(self, target: Any) -> None:
        names = self._mentioned(target)
        self.driven |= names
        # The visit counts the target as read.
        self.reads.subtract(names)

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


def _way(port: Any) -> str:
    return str(getattr(port, "direction", "")).rpartition(".")[2]
