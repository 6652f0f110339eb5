# SPDX-License-Identifier: Apache-2.0
"""The host's sequence: its transfers, and for plans those that are the same whatever else the sequence does."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from goldbeat.pymodels.objfifo.mlir_text.dma_ops import (
    BdLine,
    Numbers,
    bd_line,
    bd_op,
    next_block,
    only_forward,
    only_whole,
    packet_of,
    whole_constants,
)
from goldbeat.pymodels.objfifo.mlir_text.fifo_ops import bracketed
from goldbeat.pymodels.objfifo.mlir_text.lines import DeviceLines
from goldbeat.pymodels.objfifo.mlir_text.scope import number_of, whole, within
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirOp
from goldbeat.pymodels.objfifo.mlir_text.values import Pairs
from goldbeat.pymodels.objfifo.plan.plan import PacketHeader
from goldbeat.pymodels.objfifo.plan.tile import ITERATIONS, LIMITS, REPEATS, TileKind

CONFIGURES = ("aiex.dma_configure_task", "aiex.dma_configure_task_for")
_WAITS = ("aiex.npu.dma_wait", "aiex.npu.sync", "aiex.dma_await_task")
_ORDER = (*_WAITS, "aiex.dma_free_task")
"""They order what is in order already."""
NOTHING = ("aie.end", "aiex.npu.preempt")
EXECUTED = (
    "aiex.npu.write32", "aiex.npu.maskwrite32", "aiex.npu.blockwrite", "aiex.npu.writebd", "aiex.npu.push_queue",
    "aiex.npu.address_patch", "aiex.npu.rtp_write", "aiex.set_lock", "aiex.dma_channel_reset",
    "aiex.dma_channel_reset_for", "aiex.core_reset", "aiex.buffer_clear", "aiex.dma_bd_pool_pop",
    "aiex.dma_bd_pool_push", "aiex.configure", "aiex.npu.load_pdi", "aiex.sync_scratchpad_parameters_from_host",
    "aiex.npu.create_scratchpad", "aiex.npu.update_from_scratchpad",
)  # fmt: skip
"""What no plan has a place for."""


@dataclass(frozen=True)
class MoveLine:
    """A transfer of the host's sequence.

    Attributes:
        op: the operation.
        host: the array's value.
        metadata: the fifo or allocation.
        offset, dims: in elements; sizes and strides outermost first.
        token: it is waited for.
        bd: ``id``.
        packet: a header of its own.
        waited: the host waits for a token before it, and after the transfer before it.
    """

    op: MlirOp
    host: str
    metadata: str
    offset: int
    dims: Pairs
    token: bool
    bd: int | None = None
    packet: PacketHeader | None = None
    waited: bool = False


@dataclass
class SequenceLines:
    """What a plan takes of a sequence; ``unplanned`` says what it leaves out, ``waited`` that it waits after the moves."""

    moves: list[MoveLine] = field(default_factory=list)
    waited: bool = False
    unplanned: list[str] = field(default_factory=list)


def read_move(op: MlirOp, numbers: Numbers) -> MoveLine:
    """``aiex.npu.dma_memcpy_nd``."""
    cursor = op.cursor
    cursor.expect("(")
    while cursor.now.kind == "number":  # column and row, which older text has
        cursor.take()
        cursor.expect(",")
    host = cursor.kind("ssa", "an argument of the sequence").text
    offsets, sizes, strides = (bracketed(cursor, lambda: number_of(cursor, numbers)) for _ in range(3))
    packet = op.attributes.get("packet")
    while cursor.accept(","):
        name = cursor.kind("word", "packet = <...>")
        cursor.expect("=")
        if name.text != "packet" or cursor.now.kind == "end":
            cursor.fail("packet = <...>: a transfer without padding", name)
        if cursor.now.kind in ("hash", "word"):
            cursor.take()
        packet = cursor.balanced() if cursor.now.text == "<" else cursor.fail("'<'")
    cursor.expect(")")
    strides = strides if len(strides) == len(sizes) else [*strides, 1]
    if not len(offsets) == len(sizes) == len(strides) == 4:
        op.fail(
            f"{len(offsets)} offsets, {len(sizes)} sizes, {len(strides)} strides", "four offsets, sizes and strides"
        )
    if "metadata" not in op.attributes:
        op.fail("no metadata", "metadata = @fifo")
    only_whole(op, sizes)
    within(op, "a first size of", sizes[0], ITERATIONS, 1)
    only_forward(op, tuple(zip(sizes, strides, strict=True)))
    offset = sum(o * s for o, s in zip(offsets, strides, strict=True))
    if offset < 0:
        op.fail(f"an offset of {offset}", "an offset that is not negative")
    return MoveLine(
        op,
        host,
        str(op.attributes["metadata"]),
        offset,
        tuple(zip(sizes, strides, strict=True)),
        bool(op.attributes.get("issue_token", False)),
        shim_descriptor(op, whole(op, "id")) if "id" in op.attributes else None,
        packet_of(op, packet),
    )


def shim_descriptor(op: MlirOp, number: int) -> int:
    """A descriptor of a shim."""
    return within(op, "descriptor", number, LIMITS[TileKind.SHIM].bds - 1)


def planned_sequence(lines: DeviceLines, op: MlirOp) -> SequenceLines:
    """The transfers of a sequence, in order.

    Raises:
        MlirError: an operation of ``aiex`` that no command knows.
    """
    found = SequenceLines()
    numbers = {**lines.values, **whole_constants(op.ops)}
    tasks: dict[str, MoveLine | None] = {}
    for one in op.ops:
        if one.name == "aiex.npu.dma_memcpy_nd":
            move = read_move(one, numbers) if _known(one, numbers) else None
            _take(lines, found, one, move)
        elif one.name in CONFIGURES:
            tasks[one.results[0] if one.results else ""] = _task(lines, one, numbers)
        elif one.name == "aiex.dma_start_task":
            _take(lines, found, one, tasks.get(one.operands[0] if one.operands else ""))
        elif one.regions or one.name in EXECUTED:
            for inner in one.everything:
                _known_operation(inner)
            if one.name in EXECUTED or any(inner.name.startswith("aie") for inner in one.everything):
                found.unplanned.append(f"line {one.token.line}: {one.name}")
        else:
            _known_operation(one)
            found.waited |= one.name in _WAITS
    return found


def _known_operation(op: MlirOp) -> None:
    known = ("aiex.npu.dma_memcpy_nd", "aiex.dma_start_task", "aie.dma_bd", "aie.use_lock", "aie.next_bd",
             "aie.dma_bd_packet", "aiex.run", *CONFIGURES, *_ORDER, *NOTHING, *EXECUTED)  # fmt: skip
    if op.name.startswith(("aie.", "aiex.")) and not op.name.startswith("aie.trace") and op.name not in known:
        op.fail(repr(op.name), "an operation that is read: see docs/objfifo-mlir.md")


def _known(op: MlirOp, numbers: Numbers) -> bool:
    """The numbers of a transfer are known before the sequence runs."""
    return all(name in numbers for name in op.operands[1:])


def _take(lines: DeviceLines, found: SequenceLines, op: MlirOp, move: MoveLine | None) -> None:
    if move is None or move.packet is not None or "offset_parameter" in move.op.attributes:
        found.unplanned.append(f"line {op.token.line}: {op.name}")
        return
    host = lines.hosts.get(move.host)
    if host is None or host.obj is None:
        arrays = [value for value, one in lines.hosts.items() if one.obj is not None]
        move.op.fail(move.host, f"one of {', '.join(arrays) or 'no arguments'}")
    found.moves.append(replace(move, waited=found.waited))
    found.waited = False


def _task(lines: DeviceLines, op: MlirOp, numbers: Numbers) -> MoveLine | None:
    """A task of one descriptor as a transfer; None for another, which is executed only."""
    blocks = [block for block in op.blocks if bd_op(block) is not None]
    for block in op.blocks:
        for inner in block.ops:
            _known_operation(inner)
    if not blocks:
        op.fail("a task without a descriptor", "aie.dma_bd")
    bd = bd_op(blocks[0])
    metadata = op.symbols[0] if op.name.endswith("_for") and op.symbols else _allocation(lines, op)
    alone = len(blocks) == 1 and next_block(blocks[0]) is None and len(blocks[0].ops) - len(_ends(blocks[0].ops)) == 1
    if (
        bd is None
        or metadata is None
        or not alone
        or not _known(bd, numbers)
        or lines.hosts.keys().isdisjoint(bd.operands[:1])
    ):
        return None
    return _as_move(op, metadata, bd_line(bd, numbers))


def _ends(ops: list[MlirOp]) -> list[MlirOp]:
    return [op for op in ops if op.name in ("aie.end", "arith.constant")]


def _allocation(lines: DeviceLines, op: MlirOp) -> str | None:
    """The allocation of a task's channel."""
    words = [t.text for t in op.tokens if t.kind in ("word", "number")]
    tile = lines.tiles.get(op.operands[0]) if op.operands else None
    for name, one in lines.allocations.items():
        if [one.direction, str(one.channel)] == words[:2] and one.tile == tile:
            return name
    return None


def _as_move(op: MlirOp, metadata: str, bd: BdLine) -> MoveLine | None:
    repeat = within(op, "a repeat count of", whole(op, "repeat_count"), REPEATS - 1)
    if bd.number is not None:
        shim_descriptor(bd.op, bd.number)
    if bd.length is None or bd.pads or bd.iteration.size > 1 or bd.packet is not None or "repeat" in op.text:
        return None
    dims = bd.dims or ((bd.length, 1),)
    if repeat:
        if bd.dims and len(dims) >= 4:
            return None
        dims = ((repeat + 1, 0), *dims)
    return MoveLine(op, bd.buffer, metadata, bd.offset, dims, bool(op.attributes.get("issue_token", False)))
