# SPDX-License-Identifier: Apache-2.0
"""Operations of the level of object FIFOs: tiles, fifos, links."""

from __future__ import annotations

from goldbeat.pymodels.objfifo.mlir_text.lexer import Token
from goldbeat.pymodels.objfifo.mlir_text.lines import FifoLine, LinkLine
from goldbeat.pymodels.objfifo.mlir_text.scope import DeviceScope
from goldbeat.pymodels.objfifo.mlir_text.values import Pairs, attributes, dense, named_numbers, read_memref
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType

DIMS = ("size", "stride")
"""Of a dimension."""


def read_tile(scope: DeviceScope, results: list[str], name: Token) -> None:
    """``aie.tile``."""
    cursor = scope.cursor
    cursor.expect("(")
    column = cursor.integer("a column")
    cursor.expect(",")
    row = cursor.integer("a row")
    cursor.expect(")")
    attributes(cursor)
    device = scope.lines.device
    if column < 0 or row < 0 or column >= device.columns or row >= device.rows:
        cursor.fail(f"a tile of {device.name}: {device.columns} columns, {device.rows} rows", name,
                    f"tile({column}, {row})")  # fmt: skip
    for result in results:
        scope.lines.tiles[result] = device.tile(column, row)


def _dims(scope: DeviceScope, word: str) -> Pairs:
    if not scope.cursor.accept(word):
        return ()
    if scope.cursor.now.text != "[":
        scope.cursor.fail("'['")
    return named_numbers(scope.cursor, scope.cursor.balanced(), *DIMS)


def read_fifo(scope: DeviceScope, _: list[str], name: Token) -> None:
    """``aie.objectfifo``."""
    cursor = scope.cursor
    symbol = cursor.symbol()
    cursor.expect("(")
    producer, to_stream = scope.tile(), _dims(scope, "dimensionsToStream")
    cursor.expect(",")
    cursor.expect("{")
    consumers, walks = [], []
    while not cursor.accept("}"):
        consumers.append(scope.tile())
        walks.append(_dims(scope, "dimensionsFromStream"))
        cursor.accept(",")
    cursor.expect(",")
    depth = _depth(scope)
    cursor.expect(")")
    found = attributes(cursor)
    cursor.expect(":")
    obj = _object(scope)
    values = None
    if cursor.accept("="):
        cursor.expect("[")
        values = []
        while not cursor.accept("]"):
            values.append(dense(cursor, obj))
            cursor.accept(",")
    walks_ = tuple(walks) if any(walks) else ()
    scope.lines.fifos.append(
        FifoLine(
            name,
            symbol,
            producer,
            tuple(consumers),
            depth,
            obj,
            to_stream,
            walks_,
            found,
            None if values is None else tuple(values),
        )
    )


def _depth(scope: DeviceScope) -> int | tuple[int, ...]:
    cursor = scope.cursor
    if not cursor.accept("["):
        return scope.number()
    found = []
    while not cursor.accept("]"):
        found.append(scope.number())
        cursor.accept(",")
    return tuple(found)


def _object(scope: DeviceScope) -> ObjectType:
    cursor = scope.cursor
    kind = cursor.now
    if kind.text not in ("!aie.objectfifo", "!AIE.objectfifo"):
        cursor.fail("!aie.objectfifo<memref<...>>")
    cursor.take()
    cursor.expect("<")
    found = read_memref(cursor)
    cursor.expect(">")
    return found


def read_link(scope: DeviceScope, _: list[str], name: Token) -> None:
    """``aie.objectfifo.link``."""
    cursor = scope.cursor
    ins = _symbols(scope)
    cursor.expect("->")
    outs = _symbols(scope)
    offsets: list[tuple[int, ...]] = []
    cursor.expect("(")
    while not cursor.accept(")"):
        cursor.expect("[")
        row = []
        while not cursor.accept("]"):
            row.append(scope.number())
            cursor.accept(",")
        offsets.append(tuple(row))
        cursor.accept(",")
    attributes(cursor)
    offsets += [()] * (2 - len(offsets))
    scope.lines.links.append(LinkLine(name, ins, outs, (offsets[0], offsets[1])))


def _symbols(scope: DeviceScope) -> tuple[str, ...]:
    cursor = scope.cursor
    cursor.expect("[")
    found = []
    while not cursor.accept("]"):
        found.append(cursor.symbol())
        cursor.accept(",")
    return tuple(found)
