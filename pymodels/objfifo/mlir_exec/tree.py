# SPDX-License-Identifier: Apache-2.0
"""MLIR text as a tree of operations, whatever their dialect."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

from goldbeat.pymodels.objfifo.live.agent import Blocked
from goldbeat.pymodels.objfifo.mlir_text.lexer import Token, TokenCursor
from goldbeat.pymodels.objfifo.mlir_text.values import attribute

_NAME = re.compile(
    r"\"?(?:aie|aiex|arith|memref|scf|func|cf|affine|math|vector|llvm|builtin|index|ub|linalg)\.[\w.]+\"?"
)
_BARE = ("call", "return", "module", "func")
_PAIRS = {"(": (")",), "[": ("]", ")")}
"""What ends a group; ``[3, 4)`` is a range."""
Code = Callable[[dict[str, Any]], Any]
FlowCode = Callable[[dict[str, Any]], Generator[Blocked | None, None, Any]]


@dataclass
class MlirBlock:
    """Operations behind a label; ``arguments`` are its values' names."""

    label: str
    arguments: list[str] = field(default_factory=list)
    ops: list[MlirOp] = field(default_factory=list)


@dataclass
class MlirOp:
    """One operation.

    Attributes:
        name: with its dialect.
        token: where it stands.
        results: names of its values.
        tokens: what is behind its name, without regions and attributes.
        regions: each a list of blocks.
        attributes: by name.
        at: number of the token behind its name.
        code: how it is executed, once that is known; ``flows`` where that may wait.
    """

    name: str
    token: Token
    results: list[str]
    tokens: list[Token] = field(default_factory=list)
    regions: list[list[MlirBlock]] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)
    at: int = 0
    code: Code | None = None
    flow: FlowCode | None = None

    @property
    def operands(self) -> list[str]:
        """Names of the values it uses, in the order of the text."""
        return [t.text for t in self.tokens if t.kind == "ssa"]

    @property
    def symbols(self) -> list[str]:
        """Symbols it names, without the sign."""
        return [t.text.rpartition("@")[2].strip('"') for t in self.tokens if t.kind == "symbol"]

    @property
    def text(self) -> str:
        """What is behind its name, in one line without spaces."""
        return "".join(t.text for t in self.tokens)

    @property
    def ops(self) -> Iterator[MlirOp]:
        """Operations of its regions, without those further inside."""
        return (op for region in self.regions for block in region for op in block.ops)

    @property
    def everything(self) -> Iterator[MlirOp]:
        """Operations of its regions, with those further inside."""
        for op in self.ops:
            yield op
            yield from op.everything


class MlirTree:
    """Reads operations.

    Args:
        cursor: on the text.
    """

    def __init__(self, cursor: TokenCursor) -> None:
        self.cursor = cursor

    def top(self) -> list[MlirOp]:
        """Everything up to the end of the text; what is no operation (aliases) is passed over."""
        found = []
        while self.cursor.now.kind != "end":
            if self._starts():
                found.append(self._op())
            else:
                self.cursor.take()
        return found

    def _starts(self) -> bool:
        """An operation begins here."""
        ahead = 0
        cursor = self.cursor
        while cursor.ahead(ahead).kind == "ssa":
            ahead += 1
            if cursor.ahead(ahead).text == ",":
                ahead += 1
        if ahead and cursor.ahead(ahead).text != "=":
            return False
        token = cursor.ahead(ahead + 1 if ahead else 0)
        if token.kind not in ("word", "string"):
            return False
        if _NAME.fullmatch(token.text):
            return True
        before = cursor.tokens[cursor.at - 1] if cursor.at else None
        at_line = bool(ahead) or before is None or before.line < token.line
        return at_line and token.text in _BARE

    def _op(self) -> MlirOp:
        cursor = self.cursor
        results: list[str] = []
        while cursor.now.kind == "ssa":
            name, _, count = cursor.take().text.partition(":")
            results += [name] if not count else [f"{name}#{n}" for n in range(int(count))]
            cursor.accept(",")
        if results:
            cursor.expect("=")
        token = cursor.take()
        op = MlirOp(token.text.strip('"'), token, results, at=cursor.at)
        while cursor.now.kind != "end" and cursor.now.text not in ("}", ")", "]"):
            if self._starts() or (cursor.now.kind == "block" and self._labels()):
                break
            self._part(op)
        return op

    def _labels(self) -> bool:
        """A block begins: its label stands at the start of a line, with a colon or arguments behind it."""
        cursor = self.cursor
        return cursor.tokens[cursor.at - 1].line < cursor.now.line

    def _part(self, op: MlirOp) -> None:
        cursor = self.cursor
        text = cursor.now.text if cursor.now.kind == "punct" else ""
        if text == "{":
            if self._is_attributes():
                self._attributes(op)
            else:
                op.regions.append(self._region())
        elif text in ("(", "["):
            op.tokens.append(cursor.take())
            while cursor.now.text not in _PAIRS[text]:
                if cursor.now.kind == "end":
                    cursor.fail(_PAIRS[text][0])
                self._part(op)
            op.tokens.append(cursor.take())
        else:
            op.tokens.append(cursor.take())

    def _is_attributes(self) -> bool:
        first, second = self.cursor.ahead(1), self.cursor.ahead(2)
        if first.text == "}":
            return True
        if first.kind == "ssa":
            return second.text in ("}", ",")
        named = first.kind in ("word", "string") and not _NAME.fullmatch(first.text)
        return named and second.text in ("=", ",", "}")

    def _attributes(self, op: MlirOp) -> None:
        cursor = self.cursor
        if cursor.ahead(1).kind == "ssa":  # a list of values, as consumers of a fifo
            inner = cursor.balanced()
            op.tokens += [Token("punct", "{", op.token.line, 0), *inner, Token("punct", "}", op.token.line, 0)]
            return
        cursor.expect("{")
        while not cursor.accept("}"):
            name = cursor.take()
            if name.kind not in ("word", "string"):
                cursor.fail("the name of an attribute", name)
            op.attributes[name.text.strip('"')] = attribute(cursor) if cursor.accept("=") else True
            if not cursor.accept(",") and cursor.now.text != "}":
                cursor.fail("',' or '}'")

    def _region(self) -> list[MlirBlock]:
        cursor = self.cursor
        first = cursor.expect("{")
        blocks = [MlirBlock("")]
        while not cursor.accept("}"):
            if cursor.now.kind == "end":
                cursor.fail(f"'}}' for the '{{' of line {first.line}")
            if cursor.now.kind == "block":
                blocks.append(self._label())
            elif self._starts():
                blocks[-1].ops.append(self._op())
            else:
                cursor.fail("an operation")
        return blocks

    def _label(self) -> MlirBlock:
        cursor = self.cursor
        block = MlirBlock(cursor.take().text)
        if cursor.now.text == "(":
            block.arguments = [t.text for t in cursor.balanced() if t.kind == "ssa"]
        cursor.expect(":")
        return block
