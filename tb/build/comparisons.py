# SPDX-License-Identifier: Apache-2.0
"""What Verilator does not count of comparisons and counters: watched by a module that is bound to each module.

Comparisons inside larger expressions; those beside inputs that decide whether they count; two values that are equal where the RTL
asks which one is larger; counters up and down that are full. What is watched has its kind and the place of its text as its name,
so that whoever reads the counts needs nothing else.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.build.compiling import Compiled, compile_sources, operator_of, symbol_kind
from goldbeat.tb.build.harness import literal
from goldbeat.tb.design.design import Design

FILE = "comparisons.sv"
"""The generated file."""
_NAME = re.compile(r"(at|true|false|equal|full)_(\d+)_(\d+)_(\d+)")
_COMPARING = re.compile(r"((Case|Wildcard)?(Equality|Inequality)|(LessThan|GreaterThan)(Equal)?)")
_REDUCING = ("BitwiseAnd", "BitwiseOr", "BitwiseNand", "BitwiseNor")
"""Of all bits of a value: it is compared with all ones, or with zero."""
_LEAST_BITS = 4
"""Of a value whose reduction is a comparison; fewer bits are flags."""
_COUNTED = ("LogicalAnd", "LogicalOr", "BinaryAnd", "BinaryOr", "BinaryXor", "LogicalNot", "BitwiseNot")
"""Operators of bits below which Verilator counts a comparison itself."""
_RELATIONS = ("LessThan", "LessThanEqual", "GreaterThan", "GreaterThanEqual")
_ANSWERS = re.compile(r"(?i).*[br]_?valid(_?i)?")
"""Of a slave that the bench plays: it answers what was asked, so none comes beside a counter of requests that is 0."""
_LARGEST_COUNTER = 5
"""Bits of counters up and down that can be asked to be full."""
_RUNS = ("Always", "AlwaysComb", "AlwaysFF", "AlwaysLatch")

Place = tuple[int, int, int]
"""Number of the source, and where in it the text begins and ends, in bytes."""
Watched = dict[tuple[str, Place], str]
"""By kind and place the expression. ``at``: a comparison; ``true`` and ``false``: while the inputs beside it are 1; ``equal``: its
sides; ``full``: a counter."""


def comparison_watch(design: Design, params: Mapping[str, Any]) -> str:
    """A module that watches the comparisons of each of a design's modules; empty: there are none, or slang cannot read them.

    Args:
        design: whose sources.
        params: parameter values.
    """
    found = watched_comparisons(design, params)
    lines = []
    for module, watched in sorted(found.items()):
        names = {f"{kind}_{'_'.join(map(str, place))}": text for (kind, place), text in sorted(watched.items())}
        lines += [f"module goldbeat_watch_{module} ("]
        lines += [",\n".join(f"  input logic {name}" for name in names), ");", "endmodule"]
        ports = ", ".join(f".{name}({text})" for name, text in names.items())
        lines.append(f"bind {module} goldbeat_watch_{module} goldbeat_watch ({ports});")
    return "\n".join([*lines, ""]) if lines else ""


def watched_place(name: str) -> tuple[str, Place] | None:
    """The kind and the place of what is watched under this name."""
    match = _NAME.fullmatch(name)
    return None if match is None else (match[1], (int(match[2]), int(match[3]), int(match[4])))


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


def watched_comparisons(design: Design, params: Mapping[str, Any]) -> dict[str, Watched]:
    """What is watched in each module; nothing where slang cannot read them."""
    files = design.sources()
    found: dict[str, Watched] = defaultdict(dict)
    try:
        compiled = slang_design(design, params)
        tops = compiled.tops()
    except GoldbeatError:
        return found
    numbers = {str(path): number for number, path in enumerate(files)}
    driven = {*design.ties, *design.ignored, *(one.reset for one in design.clocks if one.reset is not None)}
    texts = [path.read_bytes() for path in files]

    def visit(body: Any) -> None:
        module = body.definition.name
        if module in found:
            return
        watched = found[module]

        def place_of(node: Any) -> tuple[Place, str] | None:
            where, end = node.sourceRange.start, node.sourceRange.end
            number = numbers.get(compiled.manager.getFileName(where))
            if number is None:
                return None
            return (number, where.offset, end.offset), texts[number][where.offset : end.offset].decode(errors="replace")

        watch = _Watch(body)
        for one in watch.found():
            if (at := place_of(one)) is not None:
                watched["at", at[0]] = at[1]
        for one, beside in watch.decided(driven) if body.definition.name == design.top else ():
            if (at := place_of(one)) is not None:
                watched["true", at[0]] = f"{beside} && ({at[1]})"
                watched["false", at[0]] = f"{beside} && !({at[1]})"
        for one in watch.related():
            sides = place_of(one), place_of(one.left), place_of(one.right)
            if sides[0] and sides[1] and sides[2]:
                watched["equal", sides[0][0]] = f"({sides[1][1]}) == ({sides[2][1]})"
        for one in watch.counters():
            if (at := place_of(one)) is not None:
                watched["full", at[0]] = f"&{at[1]}"
        for inner in instances_below(body):
            visit(inner.body)

    for top in tops:
        visit(top.body)
    return {module: watched for module, watched in found.items() if watched}


def is_taken(scope: Any) -> bool:
    """Whether it is no generate block that these parameter values leave out."""
    return not getattr(scope, "isUninstantiated", False)


def members_below(scope: Any) -> Iterator[Any]:
    """The members of a scope, and those of its generate blocks that are taken and of its arrays of instances."""
    for member in scope:
        if symbol_kind(member) not in ("GenerateBlock", "GenerateBlockArray", "InstanceArray"):
            yield member
        elif is_taken(member):
            yield from members_below(member)


def instances_below(scope: Any) -> Iterator[Any]:
    """The modules of a scope and of its generate blocks that are taken."""
    return (member for member in members_below(scope) if symbol_kind(member) == "Instance" and member.isModule)


class _Watch:
    """The comparisons of a module that the design makes while it runs, and that depend on the module's own signals alone."""

    def __init__(self, body: Any) -> None:
        self.body, self.scope = body, body.hierarchicalPath
        self.roots: list[Any] = []
        self.simple: list[Any] = []
        self.assigned: list[tuple[Any, Any]] = []
        for member in body:
            kind = symbol_kind(member)
            if kind == "ProceduralBlock" and str(member.procedureKind).rpartition(".")[2] in _RUNS:
                member.body.visit(self._statement)
            elif kind == "ContinuousAssign" and symbol_kind(member.assignment) == "Assignment":
                self.roots.append(member.assignment.right)
            elif kind == "Net" and member.initializer is not None:
                self.roots.append(member.initializer)

    def found(self) -> list[Any]:
        """Comparisons inside larger expressions."""
        found: dict[tuple[int, int], Any] = {}
        for root in self.roots:
            # Alone, it is no condition either.
            self._look(root, found, counted=symbol_kind(root) == "ConditionalOp" or self._is_counted(root))
        return list(found.values())

    def decided(self, driven: Collection[str]) -> Iterator[tuple[Any, str]]:
        """Comparisons beside inputs of this module that say whether they count, with these inputs.

        Args:
            driven: inputs that are none of the traffic's.
        """
        for root in self.roots:
            for chain in self._chains(root):
                pins = [one.symbol.name for one in chain if self._is_input(one) and one.symbol.name not in driven]
                pins = [name for name in pins if not _ANSWERS.fullmatch(name)]
                for one in chain if pins else ():
                    inner = one.operand if symbol_kind(one) == "UnaryOp" and "Not" in str(one.op) else one
                    if symbol_kind(inner) == "BinaryOp" and self._compares(inner) and self._is_own(inner):
                        yield inner, " && ".join(pins)

    def _chains(self, node: Any) -> Iterator[list[Any]]:
        """The operands of each `&&` or `&` of bits below an expression."""
        if self._is_and(node):
            operands, left = [], [node]
            while left:
                one = left.pop()
                if self._is_and(one):
                    left += [one.right, one.left]
                else:
                    operands.append(one)
            yield operands
            for one in operands:
                yield from self._chains(one)
        else:
            for child in _children(node):
                yield from self._chains(child)

    @staticmethod
    def _is_and(node: Any) -> bool:
        ands = ("LogicalAnd", "BinaryAnd")
        return symbol_kind(node) == "BinaryOp" and operator_of(node) in ands and node.type.bitWidth == 1

    def _is_input(self, node: Any) -> bool:
        if symbol_kind(node) != "NamedValue" or node.type.bitWidth != 1:
            return False
        port = self.body.findPort(node.symbol.name)
        return port is not None and str(getattr(port, "direction", "")).endswith("In")

    def related(self) -> Iterator[Any]:
        """Comparisons that ask which of two values is larger."""

        def look(node: Any) -> Iterator[Any]:
            if (
                symbol_kind(node) == "BinaryOp"
                and operator_of(node) in _RELATIONS
                and all(side.constant is None and self._is_own(side) for side in (node.left, node.right))
            ):
                yield node
            for child in _children(node):
                yield from look(child)

        for root in (*self.roots, *self.simple):
            yield from look(root)

    def counters(self) -> Iterator[Any]:
        """Registers that count up and down, and that nothing compares with anything but 0."""
        bounded = {name for root in (*self.roots, *self.simple) for name in self._bounded(root)}
        for left, right in self.assigned:
            if symbol_kind(left) != "NamedValue" or not 1 < left.type.bitWidth <= _LARGEST_COUNTER:
                continue
            name, signs = left.symbol.name, _signs(right)
            if name not in bounded and {"+", "-"} <= signs.keys() and name in signs["+"] and self._is_own(left):
                yield left

    def _bounded(self, node: Any) -> Iterator[str]:
        """Names that are compared with something that is not 0."""
        if self._compares(node) and symbol_kind(node) == "BinaryOp":
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if not _is_zero(other):
                    yield from value_names(one)
        for child in _children(node):
            yield from self._bounded(child)

    def _statement(self, node: Any) -> Any:
        kind = symbol_kind(node)
        if kind == "Assignment":
            self.roots.append(node.right)
            self.assigned.append((node.left, node.right))
        elif kind == "Conditional":
            for one in node.conditions:
                is_nested = symbol_kind(one.expr) != "BinaryOp" or self._nested(one.expr)
                (self.roots if is_nested else self.simple).append(one.expr)
        elif kind == "Case":
            self.roots.append(node.expr)

    def _nested(self, expression: Any) -> bool:
        """Whether a condition is more than one comparison, which Verilator counts as a branch."""
        return not (self._compares(expression) and not any(map(self._has_comparison, _children(expression))))

    def _look(self, node: Any, found: dict[tuple[int, int], Any], *, counted: bool) -> None:
        """Collect what is below an expression; ``counted``: Verilator counts this one."""
        kind = symbol_kind(node)
        if not counted and self._is_and(node) and self._is_own(node) and self._joins(node):
            found.setdefault((node.sourceRange.start.offset, node.sourceRange.end.offset), node)
        # Of a reduction, Verilator counts the bits.
        if self._compares(node) and (kind == "UnaryOp" or not counted) and self._is_own(node):
            found.setdefault((node.sourceRange.start.offset, node.sourceRange.end.offset), node)
        below = self._is_counted(node)
        for child in _children(node):
            self._look(child, found, counted=below or (kind == "ConditionalOp" and self._compares(child)))

    def _compares(self, node: Any) -> bool:
        kind = symbol_kind(node)
        if kind == "UnaryOp":
            wide = operator_of(node) in _REDUCING and int(node.operand.type.bitWidth) >= _LEAST_BITS
            # A constant among the bits, as in `&{1'b0, unused}`, decides the answer or has no say in it.
            return wide and not any("Literal" in symbol_kind(one) for one in _children(node.operand))
        return kind == "BinaryOp" and _COMPARING.fullmatch(operator_of(node)) is not None

    def _joins(self, node: Any) -> bool:
        """Whether several comparisons decide together, in what is no condition."""
        return sum(map(self._has_comparison, next(self._chains(node)))) > 1

    def _has_comparison(self, node: Any) -> bool:
        return self._compares(node) or any(map(self._has_comparison, _children(node)))

    @staticmethod
    def _is_counted(node: Any) -> bool:
        if symbol_kind(node) not in ("BinaryOp", "UnaryOp") or operator_of(node) not in _COUNTED:
            return False
        return bool(node.type.bitWidth == 1)

    def _is_own(self, node: Any) -> bool:
        return stands_alone(node, self.scope)


def stands_alone(node: Any, scope: str) -> bool:
    """Whether an expression can be written anywhere in its module: no macro, no loop variable, no constant.

    Args:
        node: slang's expression.
        scope: path of the instance of the module.
    """
    if node.constant is not None or node.sourceRange.start.buffer != node.sourceRange.end.buffer:
        return False
    signals, strange = [], []

    def look(one: Any) -> None:
        kind = symbol_kind(one)
        if kind == "NamedValue":
            symbol = one.symbol
            if symbol_kind(symbol) in ("Variable", "Net") and symbol.hierarchicalPath == f"{scope}.{symbol.name}":
                signals.append(symbol)
            elif symbol_kind(symbol) not in ("Parameter", "EnumValue"):
                strange.append(symbol)
        elif kind in ("HierarchicalValue", "Call", "Assignment"):
            strange.append(one)

    node.visit(look)
    return bool(signals) and not strange


def _is_zero(node: Any) -> bool:
    try:
        return node.constant is not None and int(node.constant.value) == 0
    except (TypeError, ValueError):
        # Some bits are X, or it is no number.
        return False


def value_names(node: Any) -> set[str]:
    """Of the values of an expression."""
    found: set[str] = set()
    node.visit(lambda one: found.add(one.symbol.name) if symbol_kind(one) == "NamedValue" else None)
    return found


def _signs(node: Any) -> dict[str, set[str]]:
    """The values of a sum, by their sign."""
    if symbol_kind(node) == "Conversion":
        return _signs(node.operand)
    operator = operator_of(node) if symbol_kind(node) == "BinaryOp" else ""
    if operator not in ("Add", "Subtract"):
        return {"+": value_names(node)}
    found = _signs(node.left)
    if operator == "Subtract":
        return {**found, "-": found.get("-", set()) | value_names(node.right)}
    more = _signs(node.right)
    return {sign: found.get(sign, set()) | more.get(sign, set()) for sign in found.keys() | more.keys()}


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
