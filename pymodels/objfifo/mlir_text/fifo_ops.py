# SPDX-License-Identifier: Apache-2.0
"""Operations of the level of object FIFOs: tiles, fifos, links."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from goldbeat.pymodels.objfifo.mlir_text.lexer import TokenCursor
from goldbeat.pymodels.objfifo.mlir_text.lines import FifoLine, LinkLine
from goldbeat.pymodels.objfifo.mlir_text.scope import DeviceScope, typed_number
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirOp
from goldbeat.pymodels.objfifo.mlir_text.values import DIMS, Pairs, dense, named_numbers, read_memref
from goldbeat.pymodels.objfifo.plan.limits import beyond_any_memory
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind

T = TypeVar("T")


def read_tile(scope: DeviceScope, op: MlirOp) -> None:
    """``aie.tile``, or ``aie.logical_tile`` with or without a place."""
    cursor = op.cursor
    if op.name == "aie.logical_tile":
        while cursor.now.text != "(" and cursor.now.kind != "end":
            cursor.take()
    cursor.expect("(")
    if cursor.now.kind == "number" or op.name == "aie.tile":
        column = cursor.integer("a column")
        cursor.expect(",")
        row = cursor.integer("a row")
        cursor.expect(")")
        device = scope.lines.device
        if column < 0 or row < 0 or column >= device.columns or row >= device.rows:
            op.fail(f"tile({column}, {row})", f"a tile of {device.name}: {device.columns} columns, {device.rows} rows")
        tile = device.tile(column, row)
    else:
        tile = _unplaced(scope, op)
    for result in op.results:
        scope.lines.tiles[result] = tile


def _unplaced(scope: DeviceScope, op: MlirOp) -> Tile:
    """A tile without a place: the first free core in order of columns; the first shim or memory tile, which may be shared."""
    device = scope.lines.device
    taken = set(scope.lines.tiles.values())
    kind = TileKind.SHIM if "Shim" in op.text else TileKind.MEM if "Mem" in op.text else TileKind.CORE
    spots = (device.tile(c, r) for c in range(min(device.columns, 8)) for r in range(device.rows))
    found = next((t for t in spots if t.kind is kind and (kind is not TileKind.CORE or t not in taken)), None)
    if found is None:
        op.fail(f"a {kind} tile more", f"one that {device.name} has")
    return found


def bracketed(cursor: TokenCursor, one: Callable[[], T], ends: str = "[]") -> list[T]:
    """``[``, items with commas, ``]``."""
    cursor.expect(ends[0])
    found: list[T] = []
    while not cursor.accept(ends[1]):
        found.append(one())
        if not cursor.accept(",") and cursor.now.text != ends[1]:
            cursor.fail(f"',' or {ends[1]!r}")
    return found


def _dims(cursor: TokenCursor, word: str) -> Pairs:
    if not cursor.accept(word):
        return ()
    if cursor.now.text != "[":
        cursor.fail("'['")
    return named_numbers(cursor, cursor.balanced(), *DIMS)


def read_fifo(scope: DeviceScope, op: MlirOp) -> None:
    """``aie.objectfifo``."""
    cursor = op.cursor
    symbol = cursor.symbol()
    cursor.expect("(")
    producer, to_stream = scope.tile(cursor), _dims(cursor, "dimensionsToStream")
    cursor.expect(",")
    ends = bracketed(cursor, lambda: (scope.tile(cursor), _dims(cursor, "dimensionsFromStream")), "{}")
    cursor.expect(",")
    several = cursor.now.text == "["
    depth = tuple(bracketed(cursor, lambda: typed_number(cursor))) if several else typed_number(cursor)
    cursor.expect(")")
    cursor.expect(":")
    obj = _object(cursor)
    if (wrong := beyond_any_memory(depth, obj.size)) is not None:
        op.fail(*wrong)
    values = tuple(bracketed(cursor, lambda: dense(cursor, obj))) if cursor.accept("=") else None
    walks = tuple(walk for _, walk in ends)
    scope.lines.fifos.append(
        FifoLine(
            op, symbol, producer, tuple(t for t, _ in ends), depth, obj, to_stream, walks if any(walks) else (), values
        )
    )


def _object(cursor: TokenCursor) -> ObjectType:
    if cursor.now.text not in ("!aie.objectfifo", "!AIE.objectfifo"):
        cursor.fail("!aie.objectfifo<memref<...>>")
    cursor.take()
    cursor.expect("<")
    found = read_memref(cursor)
    cursor.expect(">")
    return found


def read_link(scope: DeviceScope, op: MlirOp) -> None:
    """``aie.objectfifo.link``."""
    cursor = op.cursor
    ins = tuple(bracketed(cursor, cursor.symbol))
    cursor.expect("->")
    outs = tuple(bracketed(cursor, cursor.symbol))
    cursor.expect("(")
    offsets: list[tuple[int, ...]] = []
    while not cursor.accept(")"):
        offsets.append(tuple(bracketed(cursor, lambda: typed_number(cursor))))
        cursor.accept(",")
    offsets += [()] * (2 - len(offsets))
    scope.lines.links.append(LinkLine(op, ins, outs, (offsets[0], offsets[1]), _takes_turns(op)))


def _takes_turns(op: MlirOp) -> bool:
    """``mode = #aie.link_mode<time>``: whole objects take turns."""
    mode = op.attributes.get("mode")
    if mode is None:
        return False
    text = "".join(t.text for t in mode) if isinstance(mode, list) else str(mode)
    if text not in ("time", "space"):
        op.fail(f"mode {text}", "#aie.link_mode<time> or <space>")
    return text == "time"
