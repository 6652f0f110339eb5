# SPDX-License-Identifier: Apache-2.0
"""MLIR text as a tree of operations, whatever their dialect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from goldbeat.pymodels.objfifo.mlir_text.lexer import MlirError, Token, TokenCursor
from goldbeat.pymodels.objfifo.mlir_text.values import attribute

_NAME = re.compile(
    r"\"?(?:aie|aiex|arith|memref|scf|func|cf|affine|math|vector|llvm|builtin|index|ub|linalg)\.[\w.]+\"?"
)
_BARE = ("call", "return", "module", "func")
_REGIONS = {
    "module": 1, "builtin.module": 1, "func": 1, "func.func": 1, "aie.device": 1, "aie.core": 1, "aie.mem": 1,
    "aie.memtile_dma": 1, "aie.shim_dma": 1, "aie.packet_flow": 1, "aie.runtime_sequence": 1, "aiex.runtime_sequence": 1,
    "aiex.dma_configure_task": 1, "aiex.dma_configure_task_for": 1, "aiex.configure": 1, "scf.for": 1, "affine.for": 1,
    "scf.if": 2, "scf.while": 2, "scf.forall": 1, "scf.parallel": 1, "scf.execute_region": 1, "aie.switchbox": 1,
    "aie.shim_mux": 1,
}  # fmt: skip
"""Operations with regions and how many: ``{}`` is one of them, and not attributes without a name."""
_PAIRS = {"(": (")",), "[": ("]", ")")}
"""What ends a group; ``[3, 4)`` is a range."""
Code = Callable[[dict[str, Any]], Any]
FlowCode = Callable[[dict[str, Any]], Any]
"""As code that gives a generator: it may wait."""


@dataclass
class MlirBlock:
    """Operations behind a label; ``arguments`` are its values' names, ``tokens`` these with their types."""

    label: str
    arguments: list[str] = field(default_factory=list)
    ops: list[MlirOp] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)


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
        kinds: types of the attributes that are numbers and name one.
        file: its text's, for errors.
        code: how it is executed, once that is known; ``flows`` where that may wait.
    """

    name: str
    token: Token
    results: list[str]
    tokens: list[Token] = field(default_factory=list)
    regions: list[list[MlirBlock]] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    file: Path | None = None
    code: Code | None = None
    flow: FlowCode | None = None

    @property
    def place(self) -> str:
        """File, line and column, for messages."""
        return f"{self.file or 'text'}:{self.token.line}:{self.token.column}"

    def fail(self, found: str, expected: str) -> NoReturn:
        """Raise an error at the operation."""
        raise MlirError(found, expected, file=self.file, line=self.token.line, column=self.token.column)

    @property
    def cursor(self) -> TokenCursor:
        """A cursor on what is behind its name, which ends where the operation does."""
        return TokenCursor.on(self.tokens, self.tokens[-1] if self.tokens else self.token, self.file)

    @property
    def blocks(self) -> list[MlirBlock]:
        """Blocks of its first region; one without operations where it has none."""
        return self.regions[0] if self.regions else [MlirBlock("")]

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
        """Everything up to the end of the text; aliases and resources are passed over."""
        found = []
        cursor = self.cursor
        while cursor.now.kind != "end":
            if self._starts():
                found.append(self._op())
            elif cursor.now.kind == "hash" and cursor.ahead().text == "=":
                cursor.take()
                cursor.take()
                while cursor.now.kind not in ("end", "hash") and not self._starts():
                    cursor.take()
            elif cursor.now.text == "{-#":
                while cursor.now.kind != "end" and cursor.take().text != "#-}":
                    pass
            else:
                cursor.fail("an operation")
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
        op = MlirOp(token.text.strip('"'), token, results, file=cursor.file)
        while cursor.now.kind != "end" and not (cursor.now.kind == "punct" and cursor.now.text in "})]"):
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
            if self._is_attributes(op):
                self._attributes(op)
            else:
                op.regions.append(self._region())
        elif text in ("(", "["):
            first = cursor.take()
            op.tokens.append(first)
            while not (cursor.now.kind == "punct" and cursor.now.text in _PAIRS[text]):
                if cursor.now.kind == "end" or (cursor.now.kind == "punct" and cursor.now.text in ")]}"):
                    cursor.fail(f"{_PAIRS[text][0]!r} for the {text!r} of line {first.line}")
                self._part(op)
            op.tokens.append(cursor.take())
        else:
            op.tokens.append(cursor.take())

    def _is_attributes(self, op: MlirOp) -> bool:
        first, second = self.cursor.ahead(1), self.cursor.ahead(2)
        more = _REGIONS.get(op.name, 0) > len(op.regions)
        if first.text == "}" or first.text in _BARE:
            return not more or (bool(op.tokens) and op.tokens[-1].text == "attributes")
        if first.kind == "ssa":
            return second.text not in ("=", ":")
        named = first.kind in ("word", "string") and not _NAME.fullmatch(first.text)
        return named and second.text in ("=", ",", "}")

    def _attributes(self, op: MlirOp) -> None:
        cursor = self.cursor
        if cursor.ahead(1).kind == "ssa":  # a list of values, as consumers of a fifo
            inner = cursor.balanced()
            ends = (Token("punct", mark, op.token.line, op.token.column) for mark in "{}")
            op.tokens += [next(ends), *inner, next(ends)]
            return
        cursor.expect("{")
        while not cursor.accept("}"):
            name = cursor.take()
            if name.kind not in ("word", "string"):
                cursor.fail("the name of an attribute", name)
            key = name.text.strip('"')
            start = cursor.at + 1
            op.attributes[key] = attribute(cursor) if cursor.accept("=") else True
            if cursor.at == start + 3 and cursor.tokens[start].kind == "number":
                op.kinds[key] = cursor.tokens[start + 2].text
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
        return blocks if blocks[0].ops else blocks[1:] or blocks

    def _label(self) -> MlirBlock:
        cursor = self.cursor
        block = MlirBlock(cursor.take().text)
        if cursor.now.text == "(":
            block.tokens = cursor.balanced()
            block.arguments = [t.text for t in block.tokens if t.kind == "ssa"]
        cursor.expect(":")
        return block
