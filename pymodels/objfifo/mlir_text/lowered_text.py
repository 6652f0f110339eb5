# SPDX-License-Identifier: Apache-2.0
"""Lowered text as a design without fifos: buffers, locks, rings, streams, the host's transfers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from goldbeat.pymodels.objfifo.artefact.raw_design import RawChannel, RawDesign, RawFlow
from goldbeat.pymodels.objfifo.mlir_text.lexer import Token, TokenCursor
from goldbeat.pymodels.objfifo.mlir_text.lines import BdLine, BlockLines, DeviceLines, DmaRegion, MoveLine
from goldbeat.pymodels.objfifo.mlir_text.values import named_numbers
from goldbeat.pymodels.objfifo.plan.memory import place_buffers
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import (
    Bd,
    Buffer,
    Dim,
    Direction,
    Iteration,
    LockUse,
    PacketHeader,
    StreamEnd,
    Task,
)
from goldbeat.pymodels.objfifo.plan.strides import in_words, pads_in_words, product, stretched
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, TileKind, bd_ids


def lowered_design(lines: DeviceLines, cursor: TokenCursor) -> RawDesign:
    """The design that lowered text describes.

    Args:
        lines: what was read.
        cursor: for errors at the text's tokens.

    Raises:
        MlirError: something is missing, or is not a whole word.
    """
    return _Lowered(lines, cursor).run()


class _Lowered:
    def __init__(self, lines: DeviceLines, cursor: TokenCursor) -> None:
        self.lines = lines
        self.cursor = cursor
        self.raw = RawDesign(lines.device)
        self.locks: dict[str, tuple[Tile, int]] = {}
        self.types: dict[tuple[Tile, str], ObjectType] = {}
        self.taken: dict[Tile, set[int]] = {}

    def run(self) -> RawDesign:
        for name, obj in self.lines.hosts.items():
            self.raw.hosts[name] = obj
        self._locks()
        self._buffers()
        for core in self.lines.cores:
            self.raw.tile(core.tile).program = f"a program (line {core.token.line})"
        for region in self.lines.regions:
            self.taken.setdefault(region.tile, set()).update(self._written(region))
        for region in self.lines.regions:
            self._region(region)
        for move in self.lines.moves:
            self._move(move)
        self._flows()
        return self.raw

    # -- memory and locks

    def _locks(self) -> None:
        for value, line in self.lines.locks.items():
            one = self.raw.tile(line.tile)
            number = line.id
            if number is None:
                used = {lock.id for lock in self.lines.locks.values() if lock.tile == line.tile}
                number = next(n for n in range(len(used) + len(one.locks) + 1) if n not in used and n not in one.locks)
            one.locks[number] = line.init
            one.names[number] = line.name
            self.locks[value] = (line.tile, number)

    def _buffers(self) -> None:
        for tile in {line.tile for line in self.lines.buffers.values()}:
            mine = [line for line in self.lines.buffers.values() if line.tile == tile]
            made = []
            for number, line in enumerate(mine):
                words = None
                if line.values is not None:
                    raw = np.ascontiguousarray(line.values).reshape(-1).view(np.uint8)
                    words = tuple(np.pad(raw, (0, -len(raw) % WORD_BYTES)).view("<u4").tolist())
                size = -(-line.obj.size // WORD_BYTES) * WORD_BYTES
                made.append(Buffer(line.name, line.address or 0, size, 0, line.name, number, words))
            if any(line.address is None for line in mine):
                made = list(place_buffers(tile, made)[0])
            self.raw.tile(tile).buffers = made
            for line in mine:
                self.types[tile, line.name] = line.obj

    # -- DMA programs

    def _written(self, region: DmaRegion) -> Iterator[int]:
        for block in region.blocks.values():
            for bd in block.bds:
                if "bd_id" in bd.attributes:
                    yield int(bd.attributes["bd_id"])

    def _region(self, region: DmaRegion) -> None:
        one = self.raw.tile(region.tile)
        known: dict[str, int] = {}
        for start in region.starts:
            key = (Direction(start.direction), start.channel)
            channel = one.channels.setdefault(key, RawChannel())
            channel.pad_value = start.pad_value
            label: str | None = start.block
            chain: list[tuple[str, BlockLines]] = []
            while label is not None and label not in known:
                if label not in region.blocks:
                    self.cursor.fail("a block of the region", start.token, label)
                block = region.blocks[label]
                if len(block.bds) != 1:
                    self.cursor.fail(f"one aie.dma_bd in {label}", start.token, f"{len(block.bds)}")
                known[label] = self._number(region.tile, start.channel, block.bds[0])
                chain.append((label, block))
                label = block.next
            for label, block in chain:
                bd = self._bd(region.tile, block.bds[0], known[label])
                take, give = self._uses(region.tile, block)
                following = None if block.next is None else known[block.next]
                channel.bds.append(replace(bd, acquire=take, release=give, next=following))
            channel.queue.append(Task(known[start.block], start.repeat, start.token_wanted))

    def _number(self, tile: Tile, channel: int, line: BdLine) -> int:
        if "bd_id" in line.attributes:
            return int(line.attributes["bd_id"])
        taken = self.taken.setdefault(tile, set())
        number = next((n for n in bd_ids(tile, channel) if n not in taken), None)
        if number is None:
            self.cursor.fail(f"at most {len(bd_ids(tile, channel))} descriptors", line.token)
        taken.add(number)
        return number

    def _uses(self, tile: Tile, block: BlockLines) -> tuple[LockUse | None, LockUse | None]:
        take = give = None
        for token, value, action, count, _ in block.locks:
            where, number = self.locks[value]
            if where != tile:
                self.raw.unsupported.append(f"line {token.line}: a lock of {where} used by {tile}")
            if action == "Release":
                give = LockUse(number, count) if count else None
            else:
                if action == "Acquire":
                    self.raw.unsupported.append(f"line {token.line}: acquires a lock that equals {count}")
                take = LockUse(number, count) if count else None
        return take, give

    def _words(self, token: Token, elements: int, item: int, what: str) -> int:
        size = elements * item
        if size % WORD_BYTES:
            self.cursor.fail("whole words of 32 bits", token, f"{what} of {size} bytes")
        return size // WORD_BYTES

    def _place(self, tile: Tile, line: BdLine) -> tuple[str, int, ObjectType]:
        """The buffer's name, its address and its type."""
        if line.buffer in self.lines.values:
            name = self.lines.values[line.buffer]
            return name, 0, self.lines.hosts[name]
        found = self.lines.buffers.get(line.buffer)
        if found is None:
            self.cursor.fail("a buffer that was declared", line.token, line.buffer)
        if found.tile != tile:
            self.raw.unsupported.append(f"line {line.token.line}: a buffer of {found.tile} used by {tile}")
        place = next(b for b in self.raw.tile(found.tile).buffers if b.name == found.name)
        return found.name, place.address, found.obj

    def _bd(self, tile: Tile, line: BdLine, number: int) -> Bd:
        name, address, obj = self._place(tile, line)
        obj = line.obj or obj
        item = obj.dtype.itemsize
        what = f"{self.cursor.file}:{line.token.line}"
        offset = self._words(line.token, line.offset, item, "an offset")
        length = self._words(line.token, obj.elements if line.length is None else line.length, item, "a length")
        dims, pads = in_words(line.dims, item, what), pads_in_words(line.pads, item, what)[:3]
        if length < 1 or (tile.kind is not TileKind.SHIM and address + 4 * (offset + 1) > (tile.limits.memory or 0)):
            self.cursor.fail("words inside the memory", line.token, f"{length} words at {offset}")
        for name_ in ("compression", "enable_compression"):
            if line.attributes.get(name_):
                self.raw.unsupported.append(f"line {line.token.line}: compression")
        return Bd(
            number,
            name,
            address + offset * WORD_BYTES,
            length,
            dims if pads else stretched(dims, length),
            self._iteration(line),
            pads,
            packet=self._packet(line),
        )

    def _iteration(self, line: BdLine) -> Iteration:
        found = line.attributes.get("iteration")
        if not isinstance(found, list):
            return Iteration()
        ((size, stride),) = named_numbers(self.cursor, found, "size", "stride")
        return Iteration(size, stride)

    def _packet(self, line: BdLine) -> PacketHeader | None:
        found = line.attributes.get("packet")
        if not isinstance(found, list):
            return None
        ((kind, number),) = named_numbers(self.cursor, found, "pkt_type", "pkt_id")
        return PacketHeader(number, kind)

    # -- the host

    def _move(self, move: MoveLine) -> None:
        if move.metadata not in self.lines.allocations:
            self.cursor.fail("metadata of an aie.shim_dma_allocation", move.token, f"@{move.metadata}")
        tile, direction, index = self.lines.allocations[move.metadata]
        channel = self.raw.tile(tile).channels.setdefault((Direction(direction), index), RawChannel())
        item = self.lines.hosts[move.host].dtype.itemsize
        dims = tuple(d for d in move.dims[:-1] if d[0] > 1) + move.dims[-1:]
        repeat, iteration = 0, Iteration()
        if len(dims) > 3 or (len(dims) > 1 and dims[0][1] == 0):
            size, stride = dims[0]
            repeat, dims = size - 1, dims[1:]
            iteration = Iteration(size, self._words(move.token, stride, item, "a stride"))
        walk: tuple[Dim, ...] = in_words(dims, item, f"{self.cursor.file}:{move.token.line}")
        length = product(walk)
        if len(walk) == 1 and walk[0].step == 1:
            walk = ()
        offset = self._words(move.token, move.offset, item, "an offset")
        taken = self.taken.setdefault(tile, set())
        number = move.bd if move.bd is not None else 0
        while number in taken:
            number += tile.limits.bds if move.bd is not None else 1
        taken.add(number)
        channel.bds.append(Bd(number, move.host, offset * WORD_BYTES, length, walk, iteration))
        channel.queue.append(Task(number, repeat, move.wants_token))

    # -- streams

    def _flows(self) -> None:
        groups: dict[tuple[StreamEnd, int | None], list[StreamEnd]] = {}
        for flow in self.lines.flows:
            ends = (flow.source, *flow.dests)
            other = next((f"{bundle} of {tile}" for tile, bundle, _ in ends if bundle != "DMA"), None)
            if other is not None:
                self.raw.unsupported.append(f"line {flow.token.line}: a stream of {other}")
                continue
            source, *dests = (StreamEnd(tile, channel) for tile, _, channel in ends)
            groups.setdefault((source, flow.packet), []).extend(dests)
        sources = [source for source, _ in groups]
        targets = [dest for dests in groups.values() for dest in dests]
        for ends_, what in ((sources, "MM2S"), (targets, "S2MM")):
            for end in {e for e in ends_ if ends_.count(e) > 1}:
                self.raw.unsupported.append(f"{what} {end.channel} of {end.tile} is in several streams")
        seen: set[StreamEnd] = set()
        for (source, packet), dests in groups.items():
            kept = tuple(d for d in dict.fromkeys(dests) if d not in seen)
            seen.update(kept)
            for end, direction in ((source, Direction.MM2S), *((d, Direction.S2MM) for d in kept)):
                self.raw.tile(end.tile).channels.setdefault((direction, end.channel), RawChannel())
            self.raw.flows.append(RawFlow(source, kept, None if packet is None else PacketHeader(packet)))
