# SPDX-License-Identifier: Apache-2.0
"""Lowered text as a design without fifos: buffers, locks, rings, streams, the host's transfers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from goldbeat.pymodels.objfifo.artefact.raw_design import RawChannel, RawDesign, RawFlow
from goldbeat.pymodels.objfifo.mlir_text.dma_ops import (
    BdLine,
    Numbers,
    StartLine,
    bd_line,
    bd_op,
    check_walk,
    claimed_number,
    fits_fields,
    header_line,
    inside_host,
    lock_uses,
    next_block,
    read_short,
    read_start,
    require_channel,
    walk_of,
    whole_constants,
)
from goldbeat.pymodels.objfifo.mlir_text.host_ops import MoveLine, SequenceLines
from goldbeat.pymodels.objfifo.mlir_text.lexer import MlirError
from goldbeat.pymodels.objfifo.mlir_text.lines import DeviceLines, RegionLine
from goldbeat.pymodels.objfifo.mlir_text.scope import whole
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirBlock, MlirOp
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
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.plan.strides import in_words, pads_in_words, product, stretched
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, TileKind

_OF_BLOCKS = ("aie.dma_bd", "aie.dma_bd_packet", "aie.use_lock", "aie.next_bd", "aie.end", "aie.buffer", "aie.lock")


def lowered_design(lines: DeviceLines, sequence: SequenceLines, file: Path | None) -> RawDesign:
    """The design that lowered text describes.

    Args:
        lines: what was read.
        sequence: the host's transfers.
        file: for errors.

    Raises:
        MlirError: something is missing, or is not a whole word.
        RuleError: ``transfer-inside``.
    """
    return _Lowered(lines, file).run(sequence)


class _Lowered:
    def __init__(self, lines: DeviceLines, file: Path | None) -> None:
        self.lines = lines
        self.file = file
        self.raw = RawDesign(lines.device)
        self.locks: dict[str, tuple[Tile, int]] = {}
        self.taken: dict[Tile, set[int]] = {}
        self.numbers: Numbers = {}
        """Constants of the device and of the region at hand."""

    def run(self, sequence: SequenceLines) -> RawDesign:
        for host in self.lines.hosts.values():
            if host.obj is not None:
                self.raw.hosts[host.name] = host.obj
        self._locks()
        self._buffers()
        for core in self.lines.cores:
            line = core.op.token.line
            place = f"line {line}" if self.file is None else f"{self.file}:{line}"
            self.raw.tile(core.tile).program = f"a program ({place})"
        for region in self.lines.regions:
            asked = (whole(op, "bd_id") for op in region.op.everything if "bd_id" in op.attributes)
            self.taken.setdefault(region.tile, set()).update(asked)
        for region in self.lines.regions:
            self._region(region)
        for move in sequence.moves:
            self._move(move)
        self.raw.unsupported += sequence.unplanned
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

    # -- DMA programs

    def _region(self, region: RegionLine) -> None:
        self.numbers = {**self.lines.values, **whole_constants(region.op.everything)}
        known: dict[str, int] = {}
        blocks = {block.label: block for block in region.op.blocks}
        for block in region.op.blocks:
            for op in block.ops:
                if op.name == "aie.dma_start":
                    self._start(region.tile, read_start(op, self.numbers), blocks, known)
                elif op.name == "aie.dma":
                    start, short = read_short(op)
                    self._start(region.tile, start, {one.label: one for one in short}, {})
                elif op.name.startswith("aie") and op.name not in _OF_BLOCKS:
                    op.fail(repr(op.name), "an operation that is read: see docs/objfifo-mlir.md")

    def _start(self, tile: Tile, start: StartLine, blocks: dict[str, MlirBlock], known: dict[str, int]) -> None:
        require_channel(start.op, tile, start.direction, start.channel)
        channel = self.raw.tile(tile).channels.setdefault((Direction(start.direction), start.channel), RawChannel())
        channel.pad_value = start.pad_value
        if start.op.attributes.get("out_of_order"):
            self.raw.unsupported.append(f"line {start.op.token.line}: out-of-order reception")
        label: str | None = start.block
        chain: list[tuple[MlirBlock, BdLine]] = []
        while label is not None and label not in known:
            block = blocks[label]
            op = bd_op(block)
            if op is None:
                break
            bd = bd_line(op, self.numbers)
            known[label] = claimed_number(bd, tile, start.channel, lambda: self.taken.setdefault(tile, set()))
            chain.append((block, bd))
            label = next_block(block)
        if start.block not in known:
            return
        for block, line in chain:
            bd_made = self._bd(tile, line, known[block.label], self._header(block))
            take, give = self._uses(tile, block)
            following = next_block(block)
            after = None if following is None else known.get(following)
            channel.bds.append(replace(bd_made, acquire=take, release=give, next=after))
        channel.queue.append(Task(known[start.block], start.repeat, start.token))

    def _header(self, block: MlirBlock) -> PacketHeader | None:
        return next((header_line(op) for op in block.ops if op.name == "aie.dma_bd_packet"), None)

    def _uses(self, tile: Tile, block: MlirBlock) -> tuple[LockUse | None, LockUse | None]:
        uses = lock_uses(block, self.numbers)
        made: list[LockUse | None] = []
        for use in uses:
            if use is None:
                made.append(None)
                continue
            if use.lock not in self.locks:
                use.op.fail(use.lock, "a lock that was declared")
            where, number = self.locks[use.lock]
            if where != tile:
                self.raw.unsupported.append(f"line {use.op.token.line}: a lock of {where} used by {tile}")
            if use.action == "Acquire":
                self.raw.unsupported.append(f"line {use.op.token.line}: acquires a lock that equals {use.count}")
            made.append(LockUse(number, use.count) if use.count else None)
        return made[0], made[1]

    def _words(self, op: MlirOp, elements: int, item: int, what: str) -> int:
        size = elements * item
        if size % WORD_BYTES:
            op.fail(f"{what} of {size} bytes", "whole words of 32 bits")
        return size // WORD_BYTES

    def _place(self, tile: Tile, line: BdLine) -> tuple[str, int, ObjectType]:
        """The buffer's name, its address and its type."""
        host = self.lines.hosts.get(line.buffer)
        if host is not None and host.obj is not None:
            return host.name, 0, host.obj
        found = self.lines.buffers.get(line.buffer)
        if found is None:
            line.op.fail(line.buffer, "a buffer that was declared")
        if found.tile != tile:
            self.raw.unsupported.append(f"line {line.op.token.line}: a buffer of {found.tile} used by {tile}")
        place = next(b for b in self.raw.tile(found.tile).buffers if b.name == found.name)
        return found.name, place.address, found.obj

    def _bd(self, tile: Tile, line: BdLine, number: int, header: PacketHeader | None) -> Bd:
        name, address, obj = self._place(tile, line)
        obj = line.obj or obj
        item = obj.dtype.itemsize
        what = f"{self.file}:{line.op.token.line}"
        offset = self._words(line.op, line.offset, item, "an offset")
        length = self._words(line.op, line.total(obj), item, "a length")
        inner = line.dims[-3:] if tile.kind is TileKind.SHIM else walk_of(line, tile)
        fits_fields(line.op, tile, length, inner, item, padded=bool(line.pads))
        dims, pads = (
            in_words(walk_of(line, tile), item, what, padded=bool(line.pads)),
            pads_in_words(line.pads, item, what)[:3],
        )
        if tile.kind is not TileKind.SHIM and address + 4 * (offset + 1) > (tile.limits.memory or 0):
            line.op.fail(f"{length} words at {offset}", "words inside the memory")
        check_walk(line, tile, obj)
        if line.compressed:
            self.raw.unsupported.append(f"line {line.op.token.line}: compression")
        turn = line.iteration
        return Bd(
            number,
            name,
            address + offset * WORD_BYTES,
            length,
            dims if pads else stretched(dims, length),
            Iteration(turn.size, self._words(line.op, turn.step, item, "an iteration's stride"), turn.current),
            pads,
            packet=line.packet or header,
        )

    # -- the host

    def _move(self, move: MoveLine) -> None:
        found = self.lines.allocations.get(move.metadata)
        if found is None:
            move.op.fail(f"@{move.metadata}", "metadata of an aie.shim_dma_allocation")
        if found.packet is not None:
            self.raw.unsupported.append(f"line {move.op.token.line}: packets of an allocation")
        channel = self.raw.tile(found.tile).channels.setdefault(
            (Direction(found.direction), found.channel), RawChannel()
        )
        host = self.lines.hosts[move.host]
        assert host.obj is not None
        try:
            inside_host(move.op, host.name, host.obj, move.offset, move.dims)
        except MlirError as error:
            raise RuleError("transfer-inside", str(error)) from error
        item = host.obj.dtype.itemsize
        dims = tuple(d for d in move.dims[:-1] if d[0] > 1) + move.dims[-1:]
        repeat, iteration = 0, Iteration()
        if len(dims) > 3 or (len(dims) > 1 and dims[0][1] == 0):
            size, stride = dims[0]
            repeat, dims = size - 1, dims[1:]
            iteration = Iteration(size, self._words(move.op, stride, item, "a stride"))
        walk: tuple[Dim, ...] = in_words(dims, item, f"{self.file}:{move.op.token.line}")
        length = product(walk)
        if len(walk) == 1 and walk[0].step == 1:
            walk = ()
        offset = self._words(move.op, move.offset, item, "an offset")
        taken = self.taken.setdefault(found.tile, set())
        number = move.bd if move.bd is not None else 0
        while number in taken:
            number += found.tile.limits.bds if move.bd is not None else 1
        taken.add(number)
        channel.bds.append(Bd(number, host.name, offset * WORD_BYTES, length, walk, iteration))
        channel.queue.append(Task(number, repeat, move.token))

    # -- streams

    def _flows(self) -> None:
        groups: dict[tuple[StreamEnd, int | None], list[StreamEnd]] = {}
        for flow in self.lines.flows:
            ends = (flow.source, *flow.dests)
            other = next((f"{bundle} of {tile}" for tile, bundle, _ in ends if bundle != "DMA"), None)
            if other is not None:
                self.raw.unsupported.append(f"line {flow.op.token.line}: a stream of {other}")
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
