# SPDX-License-Identifier: Apache-2.0
"""DMA programs in text: descriptors, their locks and starts. Plans and executions read them here, whatever the numbers are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from goldbeat.pymodels.objfifo.mlir_text.attribute_names import STARTS, check_names
from goldbeat.pymodels.objfifo.mlir_text.lexer import Token, TokenCursor
from goldbeat.pymodels.objfifo.mlir_text.scope import number_of, whole, within, word_or_text
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirBlock, MlirOp
from goldbeat.pymodels.objfifo.mlir_text.values import DIMS, MOST, Pairs, attribute, named_numbers, read_memref
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import Iteration, PacketHeader
from goldbeat.pymodels.objfifo.plan.tile import (
    ITERATIONS,
    LOCK_MAX,
    PACKET_IDS,
    PACKET_TYPES,
    REPEATS,
    Tile,
    bd_ids,
)
from goldbeat.pymodels.objfifo.plan.written_bd import WrittenBd

Numbers = Mapping[str, Any]
"""Values by their names, as far as they are known."""
PADS = ("const_pad_before", "const_pad_after")
_DIRECTIONS = ("S2MM", "MM2S")
_ACTIONS = ("AcquireGreaterEqual", "Acquire", "Release")


@dataclass
class BdLine(WrittenBd):
    """``aie.dma_bd``: the operation, the buffer's value, and its type where the text says it."""

    op: MlirOp
    buffer: str
    obj: ObjectType | None

    @property
    def compressed(self) -> bool:
        """It asks for compression."""
        return any(self.op.attributes.get(name) for name in ("compression", "enable_compression"))


@dataclass(frozen=True)
class StartLine:
    """``aie.dma_start``."""

    op: MlirOp
    direction: str
    channel: int
    block: str
    repeat: int
    token: bool
    pad_value: int


@dataclass(frozen=True)
class UseLine:
    """``aie.use_lock``: the lock's value, the action, how many units."""

    op: MlirOp
    lock: str
    action: str
    count: int


def bd_line(op: MlirOp, numbers: Numbers) -> BdLine:
    """``aie.dma_bd`` in any of its forms: offset and length with names or without, lists of dimensions with names or without."""
    cursor = op.cursor
    cursor.expect("(")
    found = BdLine(op, cursor.kind("ssa", "a buffer").text, None)
    if cursor.accept(":"):
        found.obj = read_memref(cursor)
    named: dict[str, Any] = dict(op.attributes)
    plain: list[int] = []
    seen: set[str] = set()
    while not cursor.accept(")"):
        if cursor.accept(","):
            continue
        if cursor.accept("pad"):
            cursor.accept("=")
        if cursor.now.text == "[":
            inner = cursor.balanced()
            pads = any(t.text in PADS for t in inner)
            pairs = named_numbers(cursor, inner, *(PADS if pads else DIMS))
            found.pads, found.dims = (pairs, found.dims) if pads else (found.pads, pairs)
        elif cursor.now.kind == "word":
            if cursor.now.text in seen:
                op.fail(f"{cursor.now.text} twice", "it once")
            check_names(op, [cursor.now.text])
            seen.add(cursor.now.text)
            _named(cursor, named, numbers)
        else:
            plain.append(number_of(cursor, numbers))
    if len(plain) > 2:
        op.fail(f"{len(plain)} numbers", "an offset and a length")
    for name, count in (("offset", 1), ("len", 2)):
        if name in seen and len(plain) >= count:
            op.fail(f"{name} twice, by its place and by its name", "it once")
    found.offset = plain[0] if plain else whole(op, "offset", 0, named)
    if len(plain) > 1 or "len" in named:
        found.length = plain[1] if len(plain) > 1 else whole(op, "len", 0, named)
    _shape(op, found, named)
    return found


def _named(cursor: TokenCursor, named: dict[str, Any], numbers: Numbers) -> None:
    """``name = value`` inside the brackets of a descriptor, or a name and a value."""
    name = cursor.take()
    if not cursor.accept("="):
        named[name.text] = number_of(cursor, numbers)
    elif name.text in ("sizes", "strides"):
        named[name.text] = _row(cursor, numbers)
    elif cursor.now.kind in ("ssa", "number"):
        named[name.text] = number_of(cursor, numbers)
    else:
        named[name.text] = attribute(cursor)


def _row(cursor: TokenCursor, numbers: Numbers) -> list[int]:
    cursor.expect("[")
    found = []
    while not cursor.accept("]"):
        found.append(number_of(cursor, numbers))
        if not cursor.accept(",") and cursor.now.text != "]":
            cursor.fail("',' or ']'")
    return found


def _shape(op: MlirOp, found: BdLine, named: Mapping[str, Any]) -> None:
    """What else a descriptor says; sizes below 1 and lengths of nothing are errors."""
    if "sizes" in named or "strides" in named:
        sizes, strides = named.get("sizes", []), named.get("strides", [])
        if len(sizes) != len(strides):
            op.fail(f"{len(sizes)} sizes and {len(strides)} strides", "as many of both")
        found.dims = tuple(zip(sizes, strides, strict=True))
    if found.length is not None and found.length < 1:
        op.fail(f"a length of {found.length}", "a descriptor that moves at least one element")
    if found.offset < 0:
        op.fail(f"an offset of {found.offset}", "an offset that is not negative")
    only_whole(op, [size for size, _ in found.dims])
    only_forward(op, found.dims)
    if found.length is not None and found.length > MOST:
        op.fail(f"a length of {found.length}", f"at most {MOST} elements")
    found.iteration = _iteration(op, named.get("iteration"))
    found.packet = packet_of(op, named.get("packet"))
    found.number = None if "bd_id" not in named else whole(op, "bd_id", 0, named)
    found.slot = None if "out_of_order_id" not in named else whole(op, "out_of_order_id", 0, named)
    found.pad_value = whole(op, "pad_value", 0, named)


def only_whole(op: MlirOp, sizes: list[int]) -> None:
    """Sizes of a walk are at least 1: one of 0 moves nothing, and on silicon never ends."""
    for size in sizes:
        if size < 1:
            op.fail(f"a size of {size}", "sizes of at least 1")
    if math.prod(sizes) > MOST:
        op.fail(f"a walk of {math.prod(sizes)} elements", f"at most {MOST}")


def only_forward(op: MlirOp, dims: Pairs, least: int = 0) -> None:
    """Strides are not negative; inside the array they are at least 1 where they are taken."""
    for size, stride in dims:
        if stride < 0 or (size > 1 and stride < least):
            op.fail(f"a stride of {stride}", f"strides of at least {least}")


def claimed_number(line: BdLine, tile: Tile, channel: int, taken: Callable[[], set[int]]) -> int:
    """The number of a descriptor: its own, or the first free one that the channel reaches, which is taken from now on.

    Args:
        line: the descriptor.
        tile: whose it is.
        channel: number of the channel.
        taken: gives the numbers of the tile that are in use, where it has none of its own.

    Raises:
        MlirError: the channel does not reach its own number, or no number is free.
    """
    free = bd_ids(tile, channel)
    if line.number is not None:
        if line.number not in free:
            line.op.fail(f"bd_id {line.number} for channel {channel} of {tile}", f"{free.start} to {free.stop - 1}")
        return line.number
    used = taken()
    number = next((n for n in free if n not in used), None)
    if number is None:
        line.op.fail(f"more than {len(free)} descriptors", "at most that many")
    used.add(number)
    return number


def _iteration(op: MlirOp, found: Any) -> Iteration:
    if not isinstance(found, list):
        return Iteration()
    named = angle_numbers(op, found)
    size = within(op, "an iteration of size", named.get("size", 1), ITERATIONS, 1)
    current = within(op, "a current iteration of", named.get("current", 0), ITERATIONS - 1)
    return Iteration(size, named.get("stride", 0), current)


def packet_of(op: MlirOp, found: Any) -> PacketHeader | None:
    """``#aie.packet_info<pkt_type = 0, pkt_id = 1>``; None without one."""
    if not isinstance(found, list):
        return None
    named = angle_numbers(op, found)
    return packet_header(op, named["pkt_id"], named.get("pkt_type", 0)) if "pkt_id" in named else None


def packet_header(op: MlirOp, number: int, kind: int = 0) -> PacketHeader:
    """A header whose numbers fit their fields."""
    return PacketHeader(
        within(op, "packet id", number, PACKET_IDS - 1), within(op, "packet type", kind, PACKET_TYPES - 1)
    )


def angle_numbers(op: MlirOp, tokens: list[Token]) -> dict[str, int]:
    """``a = 1, b = 2`` among tokens."""
    cursor = TokenCursor.on([t for t in tokens if t.text not in "<>"], op.token, op.file)
    found: dict[str, int] = {}
    while cursor.now.kind != "end":
        name = cursor.kind("word", "a name such as size").text
        cursor.expect("=")
        found[name] = cursor.integer()
        if cursor.accept(":"):
            cursor.take()
        cursor.accept(",")
    return found


def header_line(op: MlirOp) -> PacketHeader:
    """``aie.dma_bd_packet(0, 1)``: type and id."""
    cursor = op.cursor
    cursor.expect("(")
    kind = cursor.integer("the type of a packet")
    cursor.expect(",")
    return packet_header(op, cursor.integer("the id of a packet"), kind)


def read_use(op: MlirOp, numbers: Numbers) -> UseLine:
    """``aie.use_lock``."""
    cursor = op.cursor
    cursor.expect("(")
    lock = cursor.kind("ssa", "a lock").text
    cursor.expect(",")
    token = cursor.now
    action = word_or_text(cursor, "AcquireGreaterEqual, Acquire or Release")
    if action not in _ACTIONS:
        cursor.fail("AcquireGreaterEqual, Acquire or Release", token)
    count = number_of(cursor, numbers) if cursor.accept(",") else 1
    cursor.expect(")")
    return UseLine(op, lock, action, within(op, "units of a lock:", count, LOCK_MAX))


def lock_uses(block: MlirBlock, numbers: Numbers) -> tuple[UseLine | None, UseLine | None]:
    """The lock that a block's descriptor acquires, and the one that it releases: it has a field for one of each.

    Raises:
        MlirError: a second one.
    """
    take = give = None
    for op in block.ops:
        if op.name != "aie.use_lock":
            continue
        use = read_use(op, numbers)
        releases = use.action == "Release"
        if (give if releases else take) is not None:
            what = "release" if releases else "acquire"
            op.fail(f"a second {what}, of {use.lock}", f"at most one {what} per buffer descriptor")
        take, give = (take, use) if releases else (use, give)
    return take, give


def read_start(op: MlirOp, numbers: Numbers) -> StartLine:
    """``aie.dma_start``."""
    cursor = op.cursor
    cursor.expect("(")
    direction, channel = _channel(cursor)
    cursor.expect(",")
    block = cursor.kind("block", "a block").text
    named: dict[str, Any] = dict(op.attributes)
    while cursor.accept(","):
        if cursor.now.kind == "block":
            cursor.take()
        else:
            name = cursor.kind("word", "repeat_count").text
            check_names(op, [name], STARTS)
            named[name] = number_of(cursor, numbers) if cursor.accept("=") else True
    cursor.expect(")")
    pad = whole(op, "pad_value", 0, named) & 0xFFFFFFFF
    return StartLine(op, direction, channel, block, _repeat(op, named), bool(named.get("issue_token", False)), pad)


def _repeat(op: MlirOp, named: Mapping[str, Any]) -> int:
    return within(op, "a repeat count of", whole(op, "repeat_count", 0, named), REPEATS - 1)


def _channel(cursor: TokenCursor) -> tuple[str, int]:
    token = cursor.now
    direction = word_or_text(cursor, "S2MM or MM2S")
    if direction not in _DIRECTIONS:
        cursor.fail("S2MM or MM2S", token)
    cursor.expect(",")
    return direction, cursor.integer("a channel")


def require_channel(op: MlirOp, tile: Tile, direction: str, channel: int) -> None:
    """Refuse a channel that the tile does not have."""
    if not 0 <= channel < tile.limits.channels:
        op.fail(f"channel {direction} {channel} of {tile}", f"{direction} 0 to {tile.limits.channels - 1}")


def read_short(op: MlirOp) -> tuple[StartLine, list[MlirBlock]]:
    """``aie.dma(S2MM, 0) [{...}, {...}]``: its start, and a block for each descriptor; a ring unless ``loop = false``."""
    cursor = op.cursor
    cursor.expect("(")
    direction, channel = _channel(cursor)
    count = len(op.regions)
    if not count:
        op.fail("no descriptor", "one")
    blocks = []
    for number, region in enumerate(op.regions):
        target = Token("block", f"^{(number + 1) % count}", op.token.line, op.token.column)
        following = MlirOp("aie.next_bd", op.token, [], [target], file=op.file)
        goes_on = op.attributes.get("loop", True) or number < count - 1
        blocks.append(MlirBlock(f"^{number}", ops=[*region[0].ops, *([following] if goes_on else [])]))
    pad = whole(op, "pad_value") & 0xFFFFFFFF
    return StartLine(op, direction, channel, "^0", _repeat(op, op.attributes), False, pad), blocks


def whole_constants(ops: Iterable[MlirOp]) -> dict[str, int]:
    """Whole numbers among operations, by value."""
    found: dict[str, int] = {}
    for op in ops:
        if (
            op.name == "arith.constant"
            and op.tokens[:1]
            and op.tokens[0].kind == "number"
            and "." not in op.tokens[0].text
        ):
            found.update(dict.fromkeys(op.results, int(op.tokens[0].text, 0)))
    return found


def next_block(block: MlirBlock) -> str | None:
    """Label of the block behind; None at the end of a chain."""
    op = next((op for op in block.ops if op.name == "aie.next_bd"), None)
    return None if op is None else op.cursor.kind("block", "a block").text


def bd_op(block: MlirBlock) -> MlirOp | None:
    """The descriptor of a block; an error at a second one."""
    found = [op for op in block.ops if op.name == "aie.dma_bd"]
    if len(found) > 1:
        found[1].fail(f"{len(found)} descriptors", f"one aie.dma_bd in {block.label or 'a block'}")
    return found[0] if found else None
