# SPDX-License-Identifier: Apache-2.0
"""Operations of the lowered level: buffers, locks, streams, the shim's channels."""

from __future__ import annotations

import numpy as np

from goldbeat.pymodels.objfifo.mlir_text.dma_ops import packet_header, packet_of, require_channel
from goldbeat.pymodels.objfifo.mlir_text.lexer import TokenCursor
from goldbeat.pymodels.objfifo.mlir_text.lines import (
    AllocationLine,
    BufferLine,
    FlowLine,
    HostLine,
    LockLine,
    StreamPort,
)
from goldbeat.pymodels.objfifo.mlir_text.scope import DeviceScope, typed_number, whole, within, word_or_text
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirOp
from goldbeat.pymodels.objfifo.mlir_text.values import dense, read_memref
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.tile import LOCK_MAX, PACKET_IDS, WORD_BYTES


def read_buffer(scope: DeviceScope, op: MlirOp) -> None:
    """``aie.buffer``."""
    cursor = op.cursor
    cursor.expect("(")
    tile = scope.tile(cursor)
    cursor.expect(")")
    cursor.expect(":")
    obj = read_memref(cursor)
    values = dense(cursor, obj) if cursor.accept("=") else op.attributes.get("initial_value")
    if values is not None and not isinstance(values, np.ndarray):
        op.fail("an initial value of another kind", "dense<...>")
    if values is not None and (values.shape, values.dtype) != (obj.shape, obj.dtype):
        op.fail(f"initial values of {ObjectType(values.shape, values.dtype)}", f"values of {obj}")
    place = whole(op, "address") if "address" in op.attributes else None
    if place is not None and (place < 0 or place % WORD_BYTES):
        op.fail(f"a buffer at address {place}", f"a multiple of {WORD_BYTES} from 0 on")
    within(op, "mem_bank", whole(op, "mem_bank"), tile.limits.banks - 1)
    for result in op.results:
        label = str(op.attributes.get("sym_name", result[1:]))
        scope.lines.buffers[result] = BufferLine(op, tile, label, obj, place, values)


def read_external(scope: DeviceScope, op: MlirOp) -> None:
    """``aie.external_buffer``: an array of the host."""
    cursor = op.cursor
    cursor.expect(":")
    obj = read_memref(cursor)
    for result in op.results:
        scope.lines.hosts[result] = HostLine(str(op.attributes.get("sym_name", result[1:])), obj)


def read_lock(scope: DeviceScope, op: MlirOp) -> None:
    """``aie.lock``."""
    cursor = op.cursor
    cursor.expect("(")
    tile = scope.tile(cursor)
    number = cursor.integer("the number of a lock") if cursor.accept(",") else None
    cursor.expect(")")
    if number is not None and not 0 <= number < tile.limits.locks:
        op.fail(f"lock {number}", f"one of the {tile.limits.locks} of {tile}")
    initial = within(op, "an initial value of", whole(op, "init"), LOCK_MAX)
    for result in op.results or [f"%{op.token.line}"]:
        label = str(op.attributes.get("sym_name", result[1:]))
        scope.lines.locks[result] = LockLine(op, tile, label, number, initial)


def _port(scope: DeviceScope, op: MlirOp, cursor: TokenCursor, direction: str) -> StreamPort:
    tile = scope.tile(cursor)
    cursor.expect(",")
    bundle = word_or_text(cursor, "a port such as DMA")
    cursor.expect(":")
    channel = cursor.integer("a channel")
    if bundle == "DMA":
        require_channel(op, tile, direction, channel)
    return tile, bundle, channel


def read_flow(scope: DeviceScope, op: MlirOp) -> None:
    """``aie.flow``."""
    cursor = op.cursor
    cursor.expect("(")
    source = _port(scope, op, cursor, "MM2S")
    cursor.expect(",")
    dest = _port(scope, op, cursor, "S2MM")
    cursor.expect(")")
    scope.lines.flows.append(FlowLine(op, source, (dest,)))


def read_packet_flow(scope: DeviceScope, op: MlirOp) -> None:
    """``aie.packet_flow``."""
    cursor = op.cursor
    cursor.expect("(")
    packet = packet_header(op, cursor.integer("a packet id")).id
    cursor.expect(")")
    ends: dict[str, list[StreamPort]] = {"aie.packet_source": [], "aie.packet_dest": []}
    for one in op.ops:
        if one.name not in ends:
            scope.passed(one)
            continue
        inner = one.cursor
        inner.expect("<")
        ends[one.name].append(_port(scope, one, inner, "MM2S" if one.name == "aie.packet_source" else "S2MM"))
        inner.expect(">")
    sources, dests = ends.values()
    if not sources or not dests:
        op.fail(f"{len(sources)} sources and {len(dests)} targets", "aie.packet_source and aie.packet_dest")
    mask = within(op, "mask", whole(op, "mask", PACKET_IDS - 1), PACKET_IDS - 1)
    keep = bool(op.attributes.get("keep_pkt_header", False))
    scope.lines.flows += [FlowLine(op, source, tuple(dests), packet, mask, keep) for source in sources]


def read_allocation(scope: DeviceScope, op: MlirOp) -> None:
    """``aie.shim_dma_allocation``: with a tile, or (older) with a column."""
    cursor = op.cursor
    symbol = cursor.symbol()
    cursor.expect("(")
    tile = None
    if cursor.now.kind == "ssa":
        tile = scope.tile(cursor)
        cursor.expect(",")
    token = cursor.now
    direction = word_or_text(cursor, "S2MM or MM2S")
    if direction not in ("S2MM", "MM2S"):
        cursor.fail("S2MM or MM2S", token)
    cursor.expect(",")
    channel = typed_number(cursor)
    if tile is None:
        cursor.expect(",")
        column = typed_number(cursor)
        if not 0 <= column < scope.lines.device.columns:
            op.fail(f"column {column}", f"one of the {scope.lines.device.columns} of {scope.lines.device.name}")
        tile = scope.lines.device.tile(column, 0)
    packet = packet_of(op, cursor.balanced()) if cursor.accept(",") and cursor.now.text == "<" else None
    cursor.expect(")")
    if not 0 <= channel < tile.limits.channels:
        op.fail(f"channel {channel}", f"one of the {tile.limits.channels} of {tile}")
    scope.lines.allocations[symbol] = AllocationLine(op, tile, direction, channel, packet)


def read_cascade(scope: DeviceScope, op: MlirOp) -> None:
    """``aie.cascade_flow``."""
    cursor = op.cursor
    cursor.expect("(")
    source = scope.tile(cursor)
    cursor.expect(",")
    scope.lines.cascades.append((op, source, scope.tile(cursor)))
    cursor.expect(")")
