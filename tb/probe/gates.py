# SPDX-License-Identifier: Apache-2.0
"""Which ports of an elaborated module gate each other: what is looked at together, and what is stored under which condition."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from goldbeat.tb.build.compiling import symbol_kind
from goldbeat.tb.probe.fifo_use import inside, is_and, signed_terms
from goldbeat.tb.probe.module import Branch, Gates
from goldbeat.tb.probe.wiring import Graph, closure, names_in

_OR = ("LogicalOr", "BinaryOr")


def find_gates(top: Any, ports: Iterable[str], used: dict[str, frozenset[Branch]]) -> Gates:
    """Which inputs are stored under which ports, and which ports are looked at together.

    Args:
        top: pyslang's instance symbol.
        ports: names of its ports.
        used: as :attr:`~goldbeat.tb.probe.module.PortValues.used`.
    """
    code, prefix = _Conditions(top), f"{top.name}."
    names: dict[str, list[str]] = {}
    for name in ports:
        names.setdefault(code.origin(prefix + name)[0], []).append(name)
    mine = {name: {prefix + name, code.origin(prefix + name)[0]} for name in ports}
    turned = {name: code.origin(prefix + name)[1] for name in ports}
    stored = {
        data: frozenset(
            (name, (one[0] != "!") != (low != turned[name]))
            for _, needed in branches
            for one in needed
            for path, low in (code.origin(one.lstrip("!")),)
            for name in names.get(path, ())
        )
        for data, branches in used.items()
    }
    sets = [frozenset(code.origin(name)[0] for name in one) for one in code.together]
    makers = {name: frozenset(code.origin(one)[0] for one in code.makers(prefix + name)) for name in ports}

    signed = [
        {code.origin(one.lstrip("!"))[0]: (one[0] != "!") != code.origin(one.lstrip("!"))[1] for one in terms}
        for terms in code.terms
    ]

    def level(one: str, other: str) -> bool | None:
        """Whether the other must be high where the first is; None: they are in no conjunction, or in both ways."""
        of, at = code.origin(prefix + one), code.origin(prefix + other)
        high = [terms for terms in signed if terms.get(of[0]) == (not of[1]) and at[0] != of[0]]
        found = {terms[at[0]] != at[1] for terms in high if at[0] in terms}
        return found.pop() if len(found) == 1 else None

    def joined(one: str, other: str) -> bool:
        own, theirs = mine[one], (makers[other] | mine[other]) - mine[one]
        return any(seen & own and seen & theirs for seen in sets)

    return Gates(stored, joined, level)


class _Conditions:
    """Names that conditions of a hierarchy mention together."""

    def __init__(self, top: Any) -> None:
        self.graph = Graph(top)
        self.together: list[set[str]] = []
        self.terms: list[frozenset[str]] = []
        self.driven: dict[str, str] = {}
        top.visit(self._look)

    def _look(self, node: Any) -> None:
        kind = symbol_kind(node)
        if kind == "BinaryOp" and (is_and(node) or str(node.op).rpartition(".")[2] in _OR):
            self.together.append(names_in(node))
            if is_and(node):
                self.terms.append(frozenset(signed_terms(node)))
        elif kind == "ConditionalOp":
            self.together.append(set().union(*(names_in(one.expr) for one in node.conditions), names_in(node.left)))
        elif kind == "ProceduralBlock":
            self._walk(node.body, frozenset())
        elif kind == "Instance":
            for connection in node.portConnections:
                inner, expression = getattr(connection.port, "internalSymbol", None), connection.expression
                if inner is not None and expression is not None and symbol_kind(expression) == "Assignment":
                    for outer in names_in(expression.left):
                        self.driven[outer] = inner.hierarchicalPath

    def _walk(self, statement: Any, seen: frozenset[str]) -> None:
        kind = symbol_kind(statement)
        if kind == "Conditional":
            seen = seen.union(*(names_in(one.expr) for one in statement.conditions))
            self.together.append(set(seen))
            self._walk(statement.ifTrue, seen)
            if statement.ifFalse is not None:
                self._walk(statement.ifFalse, seen)
        elif kind == "Case":
            self._cases(statement, seen | names_in(statement.expr))
        else:
            for inner in inside(statement):
                self._walk(inner, seen)

    def _cases(self, statement: Any, seen: frozenset[str]) -> None:
        self.together.append(set(seen))
        for inner in inside(statement):
            self._walk(inner, seen)

    def origin(self, path: str) -> tuple[str, bool]:
        """Where a value comes from, through ports of instances too, and whether it arrives inverted."""
        seen: set[str] = set()
        inverted = False
        while path not in seen:
            seen.add(path)
            path, turned = self.graph.origin(path)
            inverted ^= turned
            path = self.driven.get(path, path)
        return path, inverted

    def makers(self, path: str) -> set[str]:
        """What a value is made of, up to the registers."""
        return closure([path], lambda name: () if name in self.graph.flops else self.graph.before.get(name, ()))
