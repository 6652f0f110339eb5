# SPDX-License-Identifier: Apache-2.0
"""What the readers of operations share: what was declared so far, numbers, tiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from goldbeat.pymodels.objfifo.mlir_text.lexer import TokenCursor
from goldbeat.pymodels.objfifo.mlir_text.lines import DeviceLines
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirOp
from goldbeat.pymodels.objfifo.plan.tile import Tile


class DeviceScope:
    """A device while it is read.

    Attributes:
        lines: what was read.
    """

    def __init__(self, lines: DeviceLines) -> None:
        self.lines = lines

    def passed(self, op: MlirOp) -> None:
        """Pass over an operation of another dialect; one of aie or aiex is an error."""
        dialect, _, name = op.name.partition(".")
        if dialect in ("aie", "aiex") and name != "end" and not name.startswith("trace"):
            op.fail(repr(op.name), "an operation that is read: see docs/objfifo-mlir.md")

    def tile(self, cursor: TokenCursor) -> Tile:
        """A tile's value."""
        token = cursor.kind("ssa", "the value of a tile such as %tile_0_2")
        if token.text not in self.lines.tiles:
            cursor.fail("a tile that was declared", token)
        return self.lines.tiles[token.text]


def whole(op: MlirOp, name: str, default: int = 0, found: Mapping[str, Any] | None = None) -> int:
    """An attribute that is a whole number, of an operation or of what else is ``found`` at it."""
    value = (op.attributes if found is None else found).get(name, default)
    if not isinstance(value, int | np.integer):
        op.fail(f"{name} = {value}", f"a whole number for {name}")
    return int(value)


def within(op: MlirOp, what: str, value: int, most: int, least: int = 0) -> int:
    """A number that fits its field."""
    if not least <= value <= most:
        op.fail(f"{what} {value}", f"{least} to {most}")
    return value


def typed_number(cursor: TokenCursor) -> int:
    """A number, with a type or without."""
    value = cursor.integer()
    if cursor.accept(":"):
        cursor.kind("word", "an integer type")
    return value


def number_of(cursor: TokenCursor, numbers: Mapping[str, Any]) -> int:
    """A number, or a value that stands for one."""
    if cursor.now.kind != "ssa":
        return typed_number(cursor)
    token = cursor.take()
    if not isinstance(numbers.get(token.text), int | np.integer):
        cursor.fail("a number that is known", token)
    return int(numbers[token.text])


def word_or_text(cursor: TokenCursor, what: str) -> str:
    """A word, with quotation marks in some texts."""
    if cursor.now.kind == "string":
        return cursor.take().text.strip('"')
    return cursor.kind("word", what).text
