# SPDX-License-Identifier: Apache-2.0
"""What the readers of operations share: the cursor, what was declared so far, regions."""

from __future__ import annotations

import re
from collections.abc import Callable

from goldbeat.pymodels.objfifo.mlir_text.lexer import Token, TokenCursor
from goldbeat.pymodels.objfifo.mlir_text.lines import DeviceLines
from goldbeat.pymodels.objfifo.plan.tile import Tile

_WHOLE = re.compile(r"-?\d+|0x[0-9A-Fa-f]+")
Operation = Callable[[list[str], Token], None]
"""Reads an operation behind its name: its results and the name."""


class DeviceScope:
    """A device while it is read.

    Attributes:
        cursor: on the text.
        lines: what was read.
        constants: integers by value.
    """

    def __init__(self, cursor: TokenCursor, lines: DeviceLines) -> None:
        self.cursor = cursor
        self.lines = lines
        self.constants: dict[str, int] = {}

    def region(self, operation: Operation) -> None:
        """``{`` operations ``}``; each is given its results and its name."""
        cursor = self.cursor
        first = cursor.expect("{")
        while not cursor.accept("}"):
            if cursor.now.kind == "end":
                cursor.fail(f"'}}' for the '{{' of line {first.line}")
            if cursor.now.kind == "block":
                operation([], cursor.take())
                continue
            results: list[str] = []
            while cursor.now.kind == "ssa":
                results.append(cursor.take().text.partition(":")[0])
                cursor.accept(",")
            if results:
                cursor.expect("=")
            name = cursor.take()
            if name.kind not in ("word", "string"):
                cursor.fail("an operation", name)
            if name.text == "arith.constant":
                self._constant(results)
            else:
                operation(results, name)

    def _constant(self, results: list[str]) -> None:
        """Whole numbers are kept: bounds of loops, values of locks, sizes of transfers."""
        token = self.cursor.now
        if token.kind == "number" and _WHOLE.fullmatch(token.text):
            for result in results:
                self.constants[result] = int(token.text, 0)
        self.cursor.skip_operation()

    def passed(self, name: Token) -> None:
        """Pass over an operation of another dialect; one of aie or aiex is an error."""
        if name.text.strip('"').partition(".")[0] in ("aie", "aiex"):
            self.cursor.fail("an operation that is read: see docs/objfifo-mlir.md", name)
        self.cursor.skip_operation()

    def tile(self) -> Tile:
        """A tile's value."""
        token = self.cursor.kind("ssa", "the value of a tile such as %tile_0_2")
        if token.text not in self.lines.tiles:
            self.cursor.fail("a tile that was declared", token)
        return self.lines.tiles[token.text]

    def number(self) -> int:
        """A number, with a type or without."""
        value = self.cursor.integer()
        if self.cursor.accept(":"):
            self.cursor.kind("word", "an integer type")
        return value
