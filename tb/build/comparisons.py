# SPDX-License-Identifier: Apache-2.0
"""Comparisons inside larger expressions, which Verilator does not count: watched by a module that is bound to each module.

What is watched has the place of its text as its name, so that whoever reads the counts needs nothing else.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.build.compiling import Compiled, compile_sources, symbol_kind
from goldbeat.tb.build.harness import literal
from goldbeat.tb.design.design import Design

FILE = "comparisons.sv"
"""The generated file."""
_NAME = re.compile(r"at_(\d+)_(\d+)_(\d+)")
_COMPARING = re.compile(r"((Case|Wildcard)?(Equality|Inequality)|(LessThan|GreaterThan)(Equal)?)")
_REDUCING = ("BitwiseAnd", "BitwiseOr", "BitwiseNand", "BitwiseNor")
"""Of all bits of a value: it is compared with all ones, or with zero."""
_LEAST_BITS = 4
"""Of a value whose reduction is a comparison; fewer bits are flags."""
_COUNTED = ("LogicalAnd", "LogicalOr", "BinaryAnd", "BinaryOr", "BinaryXor", "LogicalNot", "BitwiseNot")
"""Operators of bits below which Verilator counts a comparison itself."""
_RUNS = ("Always", "AlwaysComb", "AlwaysFF", "AlwaysLatch")

Place = tuple[int, int, int]
"""Number of the source, and where in it the text begins and ends, in bytes."""


def comparison_watch(design: Design, params: Mapping[str, Any]) -> str:
    """A module that watches the comparisons of each of a design's modules; empty: there are none, or slang cannot read them.

    Args:
        design: whose sources.
        params: parameter values.
    """
    found = _comparisons(design, params)
    lines = []
    for module, places in sorted(found.items()):
        names = {f"at_{'_'.join(map(str, place))}": text for place, text in sorted(places.items())}
        lines += [f"module goldbeat_watch_{module} ("]
        lines += [",\n".join(f"  input logic {name}" for name in names), ");", "endmodule"]
        ports = ", ".join(f".{name}({text})" for name, text in names.items())
        lines.append(f"bind {module} goldbeat_watch_{module} goldbeat_watch ({ports});")
    return "\n".join([*lines, ""]) if lines else ""


def watched_place(name: str) -> Place | None:
    """The place of a comparison that is watched under this name."""
    match = _NAME.fullmatch(name)
    return None if match is None else (int(match[1]), int(match[2]), int(match[3]))


def slang_design(design: Design, params: Mapping[str, Any]) -> Compiled:
    """A design as slang reads it.

    Raises:
        GoldbeatError: slang is not there.
    """
    macros = dict(text.partition("=")[::2] for text in design.macros())
    files, folders = tuple(design.sources()), tuple(design.include_paths())
    sources = replace(design.listed(), files=files, include_dirs=folders, defines=macros)
    values = {name: str(value) for name, value in params.items() if isinstance(value, int)}
    texts = {name: value for name, value in params.items() if isinstance(value, str) and name in design.parameters}
    values |= {name: literal(name, design.parameters[name], value) for name, value in texts.items()}
    return compile_sources(sources, design.top, values)


def _comparisons(design: Design, params: Mapping[str, Any]) -> dict[str, dict[Place, str]]:
    files = design.sources()
    found: dict[str, dict[Place, str]] = defaultdict(dict)
    try:
        compiled = slang_design(design, params)
        tops = compiled.tops()
    except GoldbeatError:
        return found
    numbers = {str(path): number for number, path in enumerate(files)}
    texts = [path.read_bytes() for path in files]

    def visit(body: Any) -> None:
        module = body.definition.name
        if module in found:
            return
        places = found[module]
        for one in _Watch(body).found():
            where, end = one.sourceRange.start, one.sourceRange.end
            number = numbers.get(compiled.manager.getFileName(where))
            if number is not None:
                place = (number, where.offset, end.offset)
                places[place] = texts[number][where.offset : end.offset].decode(errors="replace")
        for inner in instances_below(body):
            visit(inner.body)

    for top in tops:
        visit(top.body)
    return {module: places for module, places in found.items() if places}


def is_taken(scope: Any) -> bool:
    """Whether it is no generate block that these parameter values leave out."""
    return not getattr(scope, "isUninstantiated", False)


def instances_below(scope: Any) -> Iterator[Any]:
    """The modules of a scope and of its generate blocks that are taken."""
    for member in scope:
        kind = symbol_kind(member)
        if kind == "Instance" and member.isModule:
            yield member
        elif kind in ("GenerateBlock", "GenerateBlockArray", "InstanceArray") and is_taken(member):
            yield from instances_below(member)


class _Watch:
    """The comparisons of a module that the design makes while it runs, and that depend on the module's own signals alone."""

    def __init__(self, body: Any) -> None:
        self.body, self.scope = body, body.hierarchicalPath
        self.roots: list[Any] = []

    def found(self) -> list[Any]:
        """Expressions."""
        for member in self.body:
            kind = symbol_kind(member)
            if kind == "ProceduralBlock" and str(member.procedureKind).rpartition(".")[2] in _RUNS:
                member.body.visit(self._statement)
            elif kind == "ContinuousAssign" and symbol_kind(member.assignment) == "Assignment":
                self.roots.append(member.assignment.right)
            elif kind == "Net" and member.initializer is not None:
                self.roots.append(member.initializer)
        found: dict[tuple[int, int], Any] = {}
        for root in self.roots:
            # Alone, it is no condition either.
            self._look(root, found, counted=symbol_kind(root) == "ConditionalOp" or self._is_counted(root))
        return list(found.values())

    def _statement(self, node: Any) -> Any:
        kind = symbol_kind(node)
        if kind == "Assignment":
            self.roots.append(node.right)
        elif kind == "Conditional":
            self.roots += [
                one.expr for one in node.conditions if symbol_kind(one.expr) != "BinaryOp" or self._nested(one.expr)
            ]
        elif kind == "Case":
            self.roots.append(node.expr)

    def _nested(self, expression: Any) -> bool:
        """Whether a condition is more than one comparison, which Verilator counts as a branch."""
        return not (self._compares(expression) and not any(map(self._has_comparison, _children(expression))))

    def _look(self, node: Any, found: dict[tuple[int, int], Any], *, counted: bool) -> None:
        """Collect what is below an expression; ``counted``: Verilator counts this one."""
        kind = symbol_kind(node)
        # Of a reduction, Verilator counts the bits.
        if self._compares(node) and (kind == "UnaryOp" or not counted) and self._is_own(node):
            found.setdefault((node.sourceRange.start.offset, node.sourceRange.end.offset), node)
        below = self._is_counted(node)
        for child in _children(node):
            self._look(child, found, counted=below or (kind == "ConditionalOp" and self._compares(child)))

    def _compares(self, node: Any) -> bool:
        kind = symbol_kind(node)
        if kind == "UnaryOp":
            wide = str(node.op).rpartition(".")[2] in _REDUCING and int(node.operand.type.bitWidth) >= _LEAST_BITS
            # A constant among the bits, as in `&{1'b0, unused}`, decides the answer or has no say in it.
            return wide and not any("Literal" in symbol_kind(one) for one in _children(node.operand))
        return kind == "BinaryOp" and _COMPARING.fullmatch(str(node.op).rpartition(".")[2]) is not None

    def _has_comparison(self, node: Any) -> bool:
        return self._compares(node) or any(map(self._has_comparison, _children(node)))

    @staticmethod
    def _is_counted(node: Any) -> bool:
        if symbol_kind(node) not in ("BinaryOp", "UnaryOp") or str(node.op).rpartition(".")[2] not in _COUNTED:
            return False
        return bool(node.type.bitWidth == 1)

    def _is_own(self, node: Any) -> bool:
        """Whether it can be written anywhere in the module: no macro, no loop variable, no constant."""
        if node.constant is not None or node.sourceRange.start.buffer != node.sourceRange.end.buffer:
            return False
        signals, strange = [], []

        def look(one: Any) -> None:
            kind = symbol_kind(one)
            if kind == "NamedValue":
                symbol = one.symbol
                if (
                    symbol_kind(symbol) in ("Variable", "Net")
                    and symbol.hierarchicalPath == f"{self.scope}.{symbol.name}"
                ):
                    signals.append(symbol)
                elif symbol_kind(symbol) not in ("Parameter", "EnumValue"):
                    strange.append(symbol)
            elif kind in ("HierarchicalValue", "Call", "Assignment"):
                strange.append(one)

        node.visit(look)
        return bool(signals) and not strange


def _children(node: Any) -> list[Any]:
    """The expressions of an expression."""
    kind = symbol_kind(node)
    if kind == "BinaryOp":
        return [node.left, node.right]
    if kind in ("UnaryOp", "Conversion"):
        return [node.operand]
    if kind == "ConditionalOp":
        return [*(one.expr for one in node.conditions), node.left, node.right]
    if kind == "Concatenation":
        return list(node.operands)
    if kind == "Replication":
        return [node.concat]
    if kind in ("StructuredAssignmentPattern", "SimpleAssignmentPattern"):
        return list(node.elements)
    if kind in ("ElementSelect", "RangeSelect", "MemberAccess"):
        return [node.value, *([node.selector] if kind == "ElementSelect" else [])]
    if kind == "Call":
        return list(node.arguments)
    return []
