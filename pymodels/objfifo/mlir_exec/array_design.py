# SPDX-License-Identifier: Apache-2.0
"""The array of lowered text as a design without fifos: buffers, locks, rings, streams, and the host's transfers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.artefact.raw_design import RawChannel, RawDesign, RawFlow
from goldbeat.pymodels.objfifo.engine.walk_fit import fit_dims
from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.dma import LiveBd, LiveChannel
from goldbeat.pymodels.objfifo.mlir_text.host_ops import MoveLine, SequenceLines
from goldbeat.pymodels.objfifo.mlir_text.lines import DeviceLines
from goldbeat.pymodels.objfifo.plan.plan import (
    Bd,
    Buffer,
    Dim,
    Direction,
    Iteration,
    LockUse,
    PacketHeader,
    Pad,
    StreamEnd,
    Task,
)
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.plan.strides import host_walk
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile


def raw_of_array(array: LiveArray, lines: DeviceLines, sequence: SequenceLines, file: Path) -> RawDesign:
    """The design that an array holds before its sequence runs, with the transfers of the sequence.

    Args:
        array: of the text.
        lines: the text.
        sequence: the host's transfers.
        file: for messages.

    Raises:
        MlirError: something is missing, or is not a whole word.
        RuleError: ``transfer-inside``.
    """
    return _View(array, lines, file).run(sequence)


class _View:
    def __init__(self, array: LiveArray, lines: DeviceLines, file: Path) -> None:
        self.array, self.lines, self.file = array, lines, file
        self.raw = RawDesign(lines.device)
        self.locks = {id(lock): (tile, n) for tile, locks in array.locks.items() for n, lock in locks.items()}
        self.homes = {id(words): tile for tile, words in array.memories.items()}

    def run(self, sequence: SequenceLines) -> RawDesign:
        for host in self.lines.hosts.values():
            if host.obj is not None:
                self.raw.hosts[host.name] = host.obj
        for tile, locks in self.array.locks.items():
            for number, lock in locks.items():
                self.raw.tile(tile).locks[number] = lock.initial
                self.raw.tile(tile).names[number] = lock.name
        self._buffers()
        for core in self.lines.cores:
            self.raw.tile(core.tile).program = f"a program ({self.file}:{core.op.token.line})"
        for (tile, direction, index), channel in self.array.channels.items():
            if channel.queue:
                self.raw.tile(tile).channels[direction, index] = self._channel(channel)
        for move in sequence.moves:
            self._move(move)
        self.raw.unsupported += sequence.unplanned
        self._flows()
        return self.raw

    def _buffers(self) -> None:
        for one in self.array.buffers.values():
            words = None
            if one.initial is not None:
                raw = np.ascontiguousarray(one.initial).reshape(-1).view(np.uint8)
                words = tuple(np.pad(raw, (0, -len(raw) % WORD_BYTES)).view("<u4").tolist())
            size = -(-one.obj.size // WORD_BYTES) * WORD_BYTES
            mine, limits = self.raw.tile(one.tile).buffers, one.tile.limits
            bank = min((one.address or 0) // ((limits.memory or 1) // limits.banks), limits.banks - 1)
            mine.append(Buffer(one.name, one.address or 0, size, bank, one.name, len(mine), words))

    # -- rings

    def _channel(self, channel: LiveChannel) -> RawChannel:
        found = RawChannel()
        if not channel.ordered:
            self.raw.unsupported.append(f"{channel.name}: out-of-order reception")
        keys: dict[object, None] = {}
        for task in channel.queue:
            key: object = task.bd
            found.queue.append(Task(int(str(key)), task.repeat, task.token))
            while key is not None and key not in keys:
                keys[key] = None
                key = self.array.bds[channel.tile][key].next
        for key in keys:
            live = self.array.bds[channel.tile][key]
            found.bds.append(self._bd(channel.tile, int(str(key)), live))
            found.pad_value = live.pad
        return found

    def _lacks(self, live: LiveBd, text: str) -> None:
        self.raw.unsupported.append(f"{live.where}: {text}")

    def _use(self, tile: Tile, live: LiveBd, lock: object, count: int) -> LockUse | None:
        where, number = self.locks[id(lock)]
        if where != tile:
            self._lacks(live, f"a lock of {where} used by {tile}")
        return LockUse(number, count) if count else None

    def _bd(self, tile: Tile, number: int, live: LiveBd) -> Bd:
        acquire = None if live.takes is None else self._use(tile, live, live.takes[0], live.takes[1])
        if live.takes is not None and live.takes[2]:
            self._lacks(live, f"acquires a lock that equals {live.takes[1]}")
        release = None if live.gives is None else self._use(tile, live, live.gives[0], live.gives[1])
        home = self.homes.get(id(live.memory))
        if home is not None and home != tile:
            self._lacks(live, f"a buffer of {home} used by {tile}")
        turn = live.bd.iteration
        if live.turns:
            step = live.turns[1] - live.turns[0] if len(live.turns) > 1 else 0
            turn = Iteration(len(live.turns), step)
            if live.turns != tuple(step * n for n in range(turn.size)):
                self._lacks(live, "dimensions outside of the walk that no iteration has")
        made = replace(self._walked(live), id=number, iteration=turn, acquire=acquire, release=release)
        return replace(made, next=None if live.next is None else int(str(live.next)), packet=live.bd.packet)

    def _walked(self, live: LiveBd) -> Bd:
        """The walk in the fewest dimensions, and its buffer."""
        assert live.walk is not None
        data = live.walk[live.walk >= 0]
        base = int(data[0]) * WORD_BYTES if len(data) else 0
        name, home = live.bd.buffer, self.homes.get(id(live.memory))
        if home is None:
            name = self.lines.hosts[name].name
        else:
            placed = ((n, one) for n, one in self.array.buffers.items() if one.tile == home)
            name = next(n for n, one in placed if one.address == live.bd.base_bytes)
        try:
            dims = fit_dims(live.walk)
        except UsageError as error:
            self._lacks(live, str(error))
            return Bd(0, name, base, len(live.walk))
        pads = tuple(Pad(one.before, one.after) for one in dims[:3])
        padded = any(one.before or one.after for one in pads)
        plain = not padded and len(dims) == 1 and dims[0].step == 1
        walk = () if plain else tuple(Dim(one.size, one.step) for one in dims)
        return Bd(0, name, base, len(live.walk), walk, padding=pads if padded else ())

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
        last = move.offset + sum((size - 1) * stride for size, stride in move.dims)
        if last >= host.obj.elements:
            text = f"{move.op.place}: found elements {move.offset} to {last} of {host.name}"
            raise RuleError("transfer-inside", f"{text}, expected elements 0 to {host.obj.elements - 1}, which it has")
        item = host.obj.dtype.itemsize
        walk, length, repeat, iteration = host_walk(move.dims, item, f"{self.file}:{move.op.token.line}")
        if (offset := move.offset * item) % WORD_BYTES:
            move.op.fail(f"an offset of {offset} bytes", "whole words of 32 bits")
        taken = {bd.id for way in self.raw.tile(found.tile).channels.values() for bd in way.bds}
        number = move.bd if move.bd is not None else 0
        while number in taken:
            number += found.tile.limits.bds if move.bd is not None else 1
        channel.bds.append(Bd(number, host.name, offset, length, walk, iteration))
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
