# SPDX-License-Identifier: Apache-2.0
"""DMA programs in text, as descriptors, rings and chains of an array that runs."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

from goldbeat.pymodels.objfifo.live.array import LiveArray, LiveBuffer
from goldbeat.pymodels.objfifo.live.dma import LiveBd, LiveChannel, LiveTask
from goldbeat.pymodels.objfifo.live.lock import LiveLock
from goldbeat.pymodels.objfifo.live.written_bd import WalkTarget, placed_bd
from goldbeat.pymodels.objfifo.mlir_text.dma_ops import (
    BdLine,
    StartLine,
    UseLine,
    bd_line,
    bd_op,
    claimed_number,
    header_line,
    lock_uses,
    next_block,
    packet_header,
    read_short,
    read_start,
    require_channel,
    whole_constants,
)
from goldbeat.pymodels.objfifo.mlir_text.scope import whole, within
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirBlock, MlirOp
from goldbeat.pymodels.objfifo.plan.plan import Direction, PacketHeader
from goldbeat.pymodels.objfifo.plan.tile import Tile

_OF_BLOCKS = ("aie.dma_bd", "aie.dma_bd_packet", "aie.use_lock", "aie.next_bd", "aie.end", "aie.buffer", "aie.lock")


class HostArgument(str):
    """An argument of the sequence, by its name."""


class HostScalar(str):
    """A number that is handed to the sequence, by its name."""


class DmaText:
    """Reads DMA programs into an array.

    Args:
        array: what they become part of.
    """

    def __init__(self, array: LiveArray) -> None:
        self.array = array
        self.taken: dict[Tile, set[int]] = {}
        self._tasks = 0

    # -- programs of a tile

    def region(self, op: MlirOp, tile: Tile, env: dict[str, Any]) -> None:
        """``aie.mem``, ``aie.memtile_dma`` or ``aie.shim_dma``."""
        self.reserve(tile, op)
        known = {**env, **whole_constants(op.everything)}
        for block in op.blocks:
            for one in block.ops:
                if one.name == "aie.dma_start":
                    self._start(read_start(one, known), tile, op.blocks, known)
                elif one.name == "aie.dma":
                    start, blocks = read_short(one)
                    self._start(start, tile, blocks, known)
                elif one.name.startswith("aie") and one.name not in _OF_BLOCKS:
                    one.fail(repr(one.name), "an operation that is read: see docs/objfifo-mlir.md")

    def _taken(self, tile: Tile) -> set[int]:
        return self.taken.setdefault(tile, {key for key in self.array.bds[tile] if isinstance(key, int)})

    def reserve(self, tile: Tile, op: MlirOp) -> None:
        """Numbers that descriptors ask for are nobody else's."""
        asked = (whole(o, "bd_id") for o in op.everything if o.name == "aie.dma_bd" and "bd_id" in o.attributes)
        self._taken(tile).update(asked)

    def _start(self, start: StartLine, tile: Tile, blocks: list[MlirBlock], env: dict[str, Any]) -> None:
        require_channel(start.op, tile, start.direction, start.channel)
        channel = self.array.channel(tile, Direction(start.direction), start.channel)
        first = self.chain(start, tile, blocks, env)
        self.order(start.op, channel)
        if channel.fifo:
            start.op.fail(f"{channel.name}, which is used by fifo {channel.fifo}", "a channel that is free")
        if first is not None:
            channel.queue.append(LiveTask(first, start.repeat, start.token))

    def order(self, op: MlirOp, channel: LiveChannel) -> None:
        """``out_of_order``: the headers of packets name the descriptors."""
        if not op.attributes.get("out_of_order", False):
            return
        if channel.direction is not Direction.S2MM:
            op.fail(f"out_of_order on {channel.name}", "a channel that receives (S2MM)")
        channel.ordered = False

    # -- chains

    def chain(self, start: StartLine, tile: Tile, blocks: list[MlirBlock], env: dict[str, Any]) -> Any:
        """The descriptors from a block on; the key of the first, None where there is none."""
        named = {b.label: b for b in blocks}
        lines: dict[str, BdLine] = {}
        keys: dict[str, Any] = {}
        at: str | None = start.block
        while at is not None and at not in keys:
            op = bd_op(named[at])
            if op is None:
                break
            lines[at] = bd_line(op, env)
            keys[at] = claimed_number(lines[at], tile, start.channel, lambda: self._taken(tile))
            at = next_block(named[at])
        for name, line in lines.items():
            following = next_block(named[name])
            after = None if following is None else keys.get(following)
            bd = self.descriptor(tile, named[name], line, env, after)
            bd.pad = start.pad_value
            self.array.bds[tile][keys[name]] = bd
        return next(iter(keys.values()), None)

    def task(self, op: MlirOp, tile: Tile, env: dict[str, Any], packet: PacketHeader | None = None) -> Any:
        """A chain of the host's sequence: descriptors without a number get keys of their own.

        Args:
            op: the task.
            tile: where its channel is.
            env: values at hand.
            packet: of the allocation that it names.
        """
        number, header = behind(op, "bd_id", env), packet_between(op) or packet
        known = {**env, **whole_constants(op.ops)}
        keys: dict[str, Any] = {}
        lines: dict[str, BdLine] = {}
        for block in op.blocks:
            bd = bd_op(block)
            if bd is not None:
                self._tasks += 1
                line = lines[block.label] = bd_line(bd, known)
                drawn = behind(bd, "bd_id_val", env)
                asked = number if drawn is None else drawn
                own = ("task", self._tasks) if asked is None else asked
                keys[block.label] = own if line.number is None else line.number
        if len(keys) > 1 and number is not None:
            op.fail(f"one bd_id for {len(keys)} descriptors", "a chain of one")
        if not keys:
            op.fail("a task without a descriptor", "aie.dma_bd")
        for block in op.blocks:
            if block.label in keys:
                following = next_block(block)
                after = None if following is None else keys.get(following)
                made = self.descriptor(tile, block, lines[block.label], known, after, header)
                self.write(op, tile, keys[block.label], made)
        return next(iter(keys.values()))

    def write(self, op: MlirOp, tile: Tile, key: Any, bd: LiveBd) -> None:
        """Write a descriptor while the array runs; one that is in use must not be written."""
        if isinstance(key, int):
            within(op, f"descriptor of {tile}:", key, tile.limits.bds - 1)
        if name := self.array.writes_bd(tile, key, op.place):
            op.fail(f"descriptor {key} of {tile} is written while {name} uses it", "a wait before")
        self.array.bds[tile][key] = bd

    # -- one descriptor

    def descriptor(
        self,
        tile: Tile,
        block: MlirBlock,
        line: BdLine,
        env: dict[str, Any],
        following: Any,
        header: PacketHeader | None = None,
    ) -> LiveBd:
        """The descriptor of a block; ``header``: of its packets where it names none."""
        takes: tuple[LiveLock, int, bool] | None = None
        gives: tuple[LiveLock, int] | None = None
        take, give = lock_uses(block, env)
        if take is not None:
            equal = take.action == "Acquire"
            takes = (lock_of(take, env), take.count, equal) if take.count or equal else None
        if give is not None:
            gives = (lock_of(give, env), give.count) if give.count else None
        for op in block.ops:
            if op.name == "aie.dma_bd_packet":
                header = header_line(op)
        made = self._bd(line, tile, env)
        if header is not None and made.bd.packet is None:
            made.bd = replace(made.bd, packet=header)
        if line.slot is not None and made.bd.packet is None:
            line.op.fail("out_of_order_id without a packet", "aie.dma_bd_packet, or a packet of the descriptor")
        made.takes, made.gives, made.next = takes, gives, following
        return made

    def _bd(self, line: BdLine, tile: Tile, env: dict[str, Any]) -> LiveBd:
        target = env.get(f"buffer {line.buffer}", env.get(line.buffer))
        if isinstance(target, HostArgument):
            memory, base, kept = self.array.hosts[target], 0, self.array.host_types[target]
        elif isinstance(target, LiveBuffer):
            memory, base, kept = self.array.memory(target.tile), target.address or 0, target.obj
        else:
            line.op.fail(f"{line.buffer}, which is no buffer", "a buffer or an argument of the sequence")
        if line.compressed:
            line.op.fail("compression", "a descriptor without it")
        place = WalkTarget(line.buffer, memory, base, line.obj or kept)
        return placed_bd(line, tile, place, line.op.fail, line.op.place, self.moved(line.op))

    def moved(self, op: MlirOp) -> int:
        """Elements that a parameter of the scratchpad moves a transfer by."""
        name = op.attributes.get("offset_parameter")
        return 0 if name is None else self.array.scratchpad.offset(str(name))


def lock_of(use: UseLine, env: dict[str, Any]) -> LiveLock:
    """The lock of ``aie.use_lock``."""
    found = env.get(use.lock)
    if not isinstance(found, LiveLock):
        use.op.fail(use.lock, "a lock that was declared")
    return found


def behind(op: MlirOp, word: str, env: dict[str, Any]) -> int | None:
    """The value behind a word, as in ``repeat %n``; None without one."""
    for token, value in pairwise(op.tokens):
        if token.text == word and value.kind == "ssa":
            return int(env[value.text])
    return None


def packet_between(op: MlirOp) -> PacketHeader | None:
    """The header of ``<pkt_type = 0, pkt_id = 1>`` among an operation's tokens; None without one."""
    texts = [t.text for t in op.tokens]
    if "pkt_id" not in texts:
        return None

    def value(name: str) -> int:
        return int(texts[texts.index(name) + 2], 0) if name in texts else 0

    return packet_header(op, value("pkt_id"), value("pkt_type"))
