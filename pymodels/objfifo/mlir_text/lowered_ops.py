# SPDX-License-Identifier: Apache-2.0
"""Operations of the lowered level: buffers, locks, streams, programs of DMAs."""

from __future__ import annotations

from goldbeat.pymodels.objfifo.mlir_text.fifo_ops import DIMS
from goldbeat.pymodels.objfifo.mlir_text.lexer import Token
from goldbeat.pymodels.objfifo.mlir_text.lines import (
    BdLine,
    BlockLines,
    BufferLine,
    DmaRegion,
    FlowLine,
    LockLine,
    StartLine,
)
from goldbeat.pymodels.objfifo.mlir_text.scope import DeviceScope
from goldbeat.pymodels.objfifo.mlir_text.values import Pairs, attribute, attributes, dense, named_numbers, read_memref
from goldbeat.pymodels.objfifo.plan.tile import Tile

_PADS = ("const_pad_before", "const_pad_after")


def read_buffer(scope: DeviceScope, results: list[str], name: Token) -> None:
    """``aie.buffer``."""
    cursor = scope.cursor
    cursor.expect("(")
    tile = scope.tile()
    cursor.expect(")")
    found = attributes(cursor)
    cursor.expect(":")
    obj = read_memref(cursor)
    values = dense(cursor, obj) if cursor.accept("=") else None
    for result in results:
        label = str(found.get("sym_name", result[1:]))
        scope.lines.buffers[result] = BufferLine(tile, label, obj, found.get("address"), values)


def read_external(scope: DeviceScope, results: list[str], name: Token) -> None:
    """``aie.external_buffer``: an array of the host."""
    cursor = scope.cursor
    found = attributes(cursor)
    cursor.expect(":")
    obj = read_memref(cursor)
    for result in results:
        label = str(found.get("sym_name", result[1:]))
        scope.lines.hosts[label] = obj
        scope.lines.values[result] = label


def read_lock(scope: DeviceScope, results: list[str], name: Token) -> None:
    """``aie.lock``."""
    cursor = scope.cursor
    cursor.expect("(")
    tile = scope.tile()
    number = cursor.integer("the number of a lock") if cursor.accept(",") else None
    cursor.expect(")")
    found = attributes(cursor)
    for result in results:
        label = str(found.get("sym_name", result[1:]))
        scope.lines.locks[result] = LockLine(tile, label, number, int(found.get("init", 0)))


def _end(scope: DeviceScope) -> tuple[Tile, str, int]:
    tile = scope.tile()
    scope.cursor.expect(",")
    bundle = scope.cursor.kind("word", "a port such as DMA").text
    scope.cursor.expect(":")
    return tile, bundle, scope.cursor.integer("a channel")


def read_flow(scope: DeviceScope, _: list[str], name: Token) -> None:
    """``aie.flow``."""
    cursor = scope.cursor
    cursor.expect("(")
    source = _end(scope)
    cursor.expect(",")
    dest = _end(scope)
    cursor.expect(")")
    attributes(cursor)
    scope.lines.flows.append(FlowLine(name, source, (dest,), None))


def read_packet_flow(scope: DeviceScope, _: list[str], name: Token) -> None:
    """``aie.packet_flow``."""
    cursor = scope.cursor
    cursor.expect("(")
    packet = cursor.integer("a packet id")
    cursor.expect(")")
    source: list[tuple[Tile, str, int]] = []
    dests: list[tuple[Tile, str, int]] = []

    def inside(_: list[str], one: Token) -> None:
        if one.text in ("aie.packet_source", "aie.packet_dest"):
            cursor.expect("<")
            (source if one.text == "aie.packet_source" else dests).append(_end(scope))
            cursor.expect(">")
        elif one.text != "aie.end":
            scope.passed(one)

    scope.region(inside)
    attributes(cursor)
    if len(source) != 1 or not dests:
        cursor.fail("one aie.packet_source and at least one aie.packet_dest", name)
    scope.lines.flows.append(FlowLine(name, source[0], tuple(dests), packet))


def read_allocation(scope: DeviceScope, _: list[str], name: Token) -> None:
    """``aie.shim_dma_allocation``: with a tile, or (older) with a column."""
    cursor = scope.cursor
    symbol = cursor.symbol()
    cursor.expect("(")
    tile = None
    if cursor.now.kind == "ssa":
        tile = scope.tile()
        cursor.expect(",")
    direction = cursor.kind("word", "S2MM or MM2S").text
    cursor.expect(",")
    channel = scope.number()
    if tile is None:
        cursor.expect(",")
        tile = scope.lines.device.tile(scope.number(), 0)
    cursor.expect(")")
    attributes(cursor)
    scope.lines.allocations[symbol] = (tile, direction, channel)


def read_dma(scope: DeviceScope, _: list[str], name: Token) -> None:
    """``aie.mem``, ``aie.memtile_dma`` and ``aie.shim_dma``."""
    cursor = scope.cursor
    cursor.expect("(")
    found = DmaRegion(scope.tile())
    cursor.expect(")")
    block = BlockLines()

    def inside(results: list[str], one: Token) -> None:
        nonlocal block
        if one.kind == "block":
            block = found.blocks.setdefault(one.text, BlockLines())
            if cursor.now.text == "(":
                cursor.fail("a block without arguments")
            cursor.expect(":")
        elif one.text == "aie.dma_start":
            found.starts.append(_start(scope, one))
        elif one.text == "aie.dma_bd":
            block.bds.append(read_bd_line(scope, one))
        elif one.text == "aie.use_lock":
            block.locks.append((*_use(scope, one), bool(block.bds)))
        elif one.text == "aie.next_bd":
            block.next = cursor.kind("block", "a block").text
        elif one.text == "aie.end":
            block.end = True
        elif one.text == "aie.buffer":
            read_buffer(scope, results, one)
        elif one.text == "aie.lock":
            read_lock(scope, results, one)
        elif one.text == "aie.dma":
            cursor.fail("aie.dma_start with blocks", one)
        else:
            scope.passed(one)

    scope.region(inside)
    scope.lines.regions.append(found)


def _start(scope: DeviceScope, name: Token) -> StartLine:
    cursor = scope.cursor
    cursor.expect("(")
    direction = cursor.kind("word", "S2MM or MM2S")
    if direction.text not in ("S2MM", "MM2S"):
        cursor.fail("S2MM or MM2S", direction)
    cursor.expect(",")
    channel = cursor.integer("a channel")
    cursor.expect(",")
    block = cursor.kind("block", "a block").text
    repeat, token = 0, False
    while cursor.accept(","):
        if cursor.now.kind == "block":
            cursor.take()
        elif cursor.accept("issue_token"):
            token = True
        else:
            cursor.expect("repeat_count")
            cursor.expect("=")
            repeat = cursor.integer()
    cursor.expect(")")
    pad = int(attributes(cursor).get("pad_value", 0)) & 0xFFFFFFFF
    return StartLine(name, direction.text, channel, block, repeat, token, pad)


def _use(scope: DeviceScope, name: Token) -> tuple[Token, str, str, int]:
    cursor = scope.cursor
    cursor.expect("(")
    lock = cursor.kind("ssa", "a lock")
    if lock.text not in scope.lines.locks:
        cursor.fail("a lock that was declared", lock)
    cursor.expect(",")
    action = cursor.kind("word", "AcquireGreaterEqual or Release")
    if action.text not in ("AcquireGreaterEqual", "Acquire", "Release"):
        cursor.fail("AcquireGreaterEqual, Acquire or Release", action)
    value = 1
    if cursor.accept(","):
        value = _operand(scope)
    cursor.expect(")")
    attributes(cursor)
    return name, lock.text, action.text, value


def _operand(scope: DeviceScope) -> int:
    cursor = scope.cursor
    if cursor.now.kind == "ssa":
        token = cursor.take()
        if token.text not in scope.constants:
            cursor.fail("a constant", token)
        return scope.constants[token.text]
    return scope.number()


def read_bd_line(scope: DeviceScope, name: Token) -> BdLine:
    """``aie.dma_bd``."""
    cursor = scope.cursor
    cursor.expect("(")
    buffer = cursor.kind("ssa", "a buffer").text
    obj = read_memref(cursor) if cursor.accept(":") else None
    numbers: list[int] = []
    lists: list[Pairs] = []
    # Newer text names offset and length.
    for word in ("offset", "len"):
        if cursor.accept(word):
            cursor.expect("=")
            numbers += [0] * (("offset", "len").index(word) - len(numbers))
            numbers.append(_operand(scope))
    while cursor.accept(","):
        if cursor.now.text == "[":
            inner = cursor.balanced()
            pads = any(t.text in _PADS for t in inner)
            if pads and not lists:
                lists.append(())
            lists.append(named_numbers(cursor, inner, *(_PADS if pads else DIMS)))
        elif cursor.now.kind == "word":
            cursor.take()
            cursor.expect("=")
            attribute(cursor)
        else:
            numbers.append(_operand(scope))
    cursor.expect(")")
    found = attributes(cursor)
    lists += [()] * (2 - len(lists))
    offset = numbers[0] if numbers else int(found.get("offset", 0))
    length = numbers[1] if len(numbers) > 1 else found.get("len")
    return BdLine(name, buffer, obj, offset, length, lists[0], lists[1], found)
