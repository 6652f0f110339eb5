# SPDX-License-Identifier: Apache-2.0
"""Conditions of the RTL that can be written anywhere in their module, with the conditions under which they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.build.comparisons import instances_below, slang_design, stands_alone, value_names
from goldbeat.tb.build.compiling import operator_of, symbol_kind
from goldbeat.tb.build.settled import COMPARISONS
from goldbeat.tb.design.design import Design

Node = Any


@dataclass(frozen=True)
class Branch:
    """A condition of a module.

    Attributes:
        module: its name.
        source: number of its file.
        begin, end: of its text, in bytes; of an arm of a ``case``, of its labels.
        text: SystemVerilog that is 1 where it is true.
        path: that is 1 where it is asked for; empty: always.
        chosen, chosen_end: of a choice, where its first arm begins and ends; None, 0: it is none.
        arm: it is an arm of a ``case``.
    """

    module: str
    source: int
    begin: int
    end: int
    text: str
    path: str = ""
    chosen: int | None = None
    chosen_end: int = 0
    arm: bool = False


@dataclass(frozen=True)
class ModuleSpan:
    """Where a module stands.

    Attributes:
        module: its name.
        source: number of its file.
        begin, end: of its text, in bytes.
    """

    module: str
    source: int
    begin: int
    end: int


def branches(design: Design, params: Mapping[str, Any]) -> tuple[list[Branch], list[ModuleSpan]]:
    """The conditions and the modules of a design; none where slang cannot read it.

    A condition that reads what its own block assigns before has another value there than behind the block, so it is left out.
    """
    try:
        compiled = slang_design(design, params)
        tops = compiled.tops()
    except GoldbeatError:
        return [], []
    numbers = {str(path): number for number, path in enumerate(design.sources())}
    texts = [path.read_bytes() for path in design.sources()]
    found: dict[Branch, None] = {}
    spans: dict[str, ModuleSpan] = {}

    def place(node: Node) -> tuple[int, int, int] | None:
        where, end = node.sourceRange.start, node.sourceRange.end
        number = numbers.get(compiled.manager.getFileName(where))
        return None if number is None or where.buffer != end.buffer else (number, where.offset, end.offset)

    def visit(body: Node) -> None:
        module = str(body.definition.name)
        if module in spans:
            return
        at = place(body.definition.syntax)
        if at is not None:
            spans[module] = ModuleSpan(module, *at)
            found.update(dict.fromkeys(_Reader(module, body, texts, place).found()))
        for inner in instances_below(body):
            visit(inner.body)

    for top in tops:
        visit(top.body)
    return list(found), list(spans.values())


class _Reader:
    """The conditions of one module."""

    def __init__(self, module: str, body: Node, texts: list[bytes], place: Callable[[Node], Any]) -> None:
        self.module, self.body, self.scope = module, body, body.hierarchicalPath
        self._texts, self._place = texts, place
        self._assigned: set[str] = set()

    def found(self) -> Iterator[Branch]:
        """All of them."""
        for member in self.body:
            kind = symbol_kind(member)
            if kind == "ProceduralBlock":
                self._assigned = _blocking(member.body)
                yield from self._statement(member.body, ())
            elif kind == "ContinuousAssign":
                self._assigned = set()
                yield from self._expressions(member.assignment)
            elif kind == "Net" and member.initializer is not None:
                self._assigned = set()
                yield from self._expressions(member.initializer)

    def _statement(self, node: Node, path: tuple[str, ...]) -> Iterator[Branch]:
        kind = symbol_kind(node)
        if kind == "Block":
            yield from self._statement(node.body, path)
        elif kind == "List":
            for one in node.list:
                yield from self._statement(one, path)
        elif kind == "Timed":
            yield from self._statement(node.stmt, path)
        elif kind == "Conditional" and len(node.conditions) == 1:
            yield from self._if(node, path)
        elif kind == "Case":
            yield from self._case(node, path)
        elif kind == "ExpressionStatement":
            yield from self._expressions(node.expr)

    def _if(self, node: Node, path: tuple[str, ...]) -> Iterator[Branch]:
        condition = node.conditions[0].expr
        text = self._text(condition)
        yield from self._expressions(condition)
        if text is not None:
            number, begin, end = self._place(condition)
            yield Branch(self.module, number, begin, end, text, " && ".join(path))
        # What is not known of the path leaves more possible.
        yield from self._statement(node.ifTrue, (*path, f"({text})") if text else path)
        if node.ifFalse is not None:
            yield from self._statement(node.ifFalse, (*path, f"!({text})") if text else path)

    def _case(self, node: Node, path: tuple[str, ...]) -> Iterator[Branch]:
        chosen = self._text(node.expr) if str(node.condition).endswith("Normal") else None
        for item in node.items:
            labels = [self._source(one) for one in item.expressions if _is_constant(one)]
            first, last = self._place(item.expressions[0]), self._place(item.expressions[-1])
            inner = path
            if chosen is not None and first and last and len(labels) == len(item.expressions):
                text = " || ".join(f"(({chosen}) == ({label}))" for label in labels)
                yield Branch(self.module, first[0], first[1], last[2], text, " && ".join(path), arm=True)
                inner = (*path, f"({text})")
            yield from self._statement(item.stmt, inner)
        if node.defaultCase is not None:
            yield from self._statement(node.defaultCase, path)

    def _expressions(self, root: Node) -> Iterator[Branch]:
        """Comparisons and choices of an expression."""
        nodes: list[Node] = []
        root.visit(nodes.append)
        for node in nodes:
            kind = symbol_kind(node)
            arm = node.left if kind == "ConditionalOp" and len(node.conditions) == 1 else None
            asked = node if kind == "BinaryOp" and operator_of(node) in COMPARISONS else None
            asked = node.conditions[0].expr if arm is not None else asked
            text = None if asked is None else self._text(asked)
            if text is None:
                continue
            number, begin, end = self._place(asked)
            first, last = (None, 0) if arm is None else (arm.sourceRange.start.offset, arm.sourceRange.end.offset)
            yield Branch(self.module, number, begin, end, text, chosen=first, chosen_end=last)

    def _text(self, node: Node) -> str | None:
        """Its text, if it means the same at the edge of the module."""
        if self._place(node) is None or not stands_alone(node, self.scope) or value_names(node) & self._assigned:
            return None
        return self._source(node)

    def _source(self, node: Node) -> str:
        number, begin, end = self._place(node)
        return bytes(self._texts[number][begin:end]).decode(errors="replace")


def _blocking(body: Node) -> set[str]:
    """Names that a block assigns at once."""
    found: set[str] = set()

    def look(node: Node) -> None:
        if symbol_kind(node) == "Assignment" and not node.isNonBlocking:
            found.update(value_names(node.left))

    body.visit(look)
    return found


def _is_constant(node: Node) -> bool:
    """Of a label; slang has no constant of some literals."""
    return node.constant is not None or symbol_kind(node) == "IntegerLiteral"
