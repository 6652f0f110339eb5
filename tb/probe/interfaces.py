# SPDX-License-Identifier: Apache-2.0
"""Interface ports that do not say all: generic ones, and those without a modport, whose directions are in the module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.compiling import symbol_kind
from goldbeat.tb.probe.taken import visit_taken


def interface_name(port: Any, compilation: Any, given: Mapping[str, str]) -> str:
    """The interface of a port: its own, the one that the user gives a generic port, or the only one that fits.

    Args:
        port: slang's interface port.
        compilation: slang's, with all interfaces of the sources.
        given: generic port -> interface.

    Raises:
        UsageError: a generic port that several interfaces fit, or none.
    """
    if port.interfaceDef is not None:
        return str(port.interfaceDef.name)
    known = {d.name: _modports(d) for d in compilation.getDefinitions() if _is_interface(d)}
    if (named := given.get(port.name)) is not None:
        if named in known:
            return named
        raise UsageError(f"-G {port.name}={named}: no such interface; there are: {', '.join(known) or 'none'}")
    fitting = [name for name, modports in known.items() if not port.modport or port.modport in modports]
    if len(fitting) == 1:
        return str(fitting[0])
    what = f"generic interface{f' with modport {port.modport}' * bool(port.modport)}"
    raise UsageError(
        f"port {port.name} is a {what}: name one with -G {port.name}=INTERFACE; "
        f"those that fit: {', '.join(fitting) or 'none'}"
    )


def _is_interface(definition: Any) -> bool:
    return str(definition.definitionKind).rpartition(".")[2] == "Interface"


def _modports(definition: Any) -> set[str]:
    return {
        item.name.valueText
        for member in definition.syntax.members
        if symbol_kind(member) == "ModportDeclaration"
        for item in member.items
        if hasattr(item, "name")
    }


def written(top: Any) -> frozenset[str]:
    """Paths of everything that something below a module assigns or drives."""
    found: set[str] = set()

    def target(node: Any) -> None:
        if symbol_kind(node) in ("NamedValue", "HierarchicalValue"):
            symbol = node.symbol
            if symbol_kind(symbol) == "ModportPort":
                symbol = symbol.internalSymbol
            found.add(str(symbol.hierarchicalPath))

    def look(node: Any) -> None:
        kind = symbol_kind(node)
        if kind == "Assignment":
            # Indices are read, but no member of an interface is one.
            node.left.visit(target)
        elif kind == "Instance":
            for connection in node.portConnections:
                if connection.expression is not None and symbol_kind(connection.expression) == "Assignment":
                    connection.expression.left.visit(target)

    visit_taken(top, look)
    return frozenset(found)
