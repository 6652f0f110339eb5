# SPDX-License-Identifier: Apache-2.0
"""From an array's registers to a design: descriptors, rings, locks, buffers, streams, the host's transfers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from goldbeat.pymodels.objfifo.artefact import tile_registers as reg
from goldbeat.pymodels.objfifo.artefact.array_state import ArrayState, QueuePush, StoredBd
from goldbeat.pymodels.objfifo.artefact.descriptors import EXECUTED, read_bd
from goldbeat.pymodels.objfifo.artefact.raw_design import RawChannel, RawDesign, RawFlow, untyped_words
from goldbeat.pymodels.objfifo.artefact.routes import trace_route
from goldbeat.pymodels.objfifo.plan.device import Device
from goldbeat.pymodels.objfifo.plan.plan import Bd, Buffer, Direction, PacketHeader, StreamEnd, Task
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, TileKind

_MOST_WORDS = 1 << 26
"""Longest transfer that is run: 256 MiB."""
Span = tuple[int, int]
"""First byte and end."""


def lift_design(state: ArrayState, device: Device) -> RawDesign:
    """The design that an array's registers hold.

    Args:
        state: after all writes.
        device: what they are for.
    """
    return _Lift(state, device).run()


class _Lift:
    def __init__(self, state: ArrayState, device: Device) -> None:
        self.state = state
        self.raw = RawDesign(device, unsupported=list(state.unsupported))
        for text in state.late:
            self.raw.lacks(text, executed=True)
        self.chains: dict[tuple[Tile, Direction, int, tuple[StoredBd, ...]], int] = {}
        self.taken: dict[Tile, set[int]] = {}
        self.ends: dict[str, list[tuple[int, int, bool, str]]] = {}

    def run(self) -> RawDesign:
        for tile in sorted(self.state.registers):
            self._locks(tile)
        for tile, code in self.state.code.items():
            self.raw.tile(tile).program = f"a program of {code} bytes"
        for push in self.state.pushes:
            self._push(push)
        for tile, one in self.raw.tiles.items():
            if tile.kind is not TileKind.SHIM:
                self._buffers(tile, list(one.channels.values()))
        self._flows()
        self._round_trips()
        return self.raw

    def _locks(self, tile: Tile) -> None:
        block = reg.TILE_MAPS[tile.kind].locks
        for offset, value in self.state.registers[tile].items():
            found = block.find(offset)
            if found is not None and value and tile.kind is not TileKind.SHIM:
                self.raw.tile(tile).locks[found[0]] = value & 0x3F

    # -- descriptors

    def _push(self, push: QueuePush) -> None:
        one = self.raw.tile(push.tile)
        channel = one.channels.setdefault((push.direction, push.channel), RawChannel())
        control = {name: field.of((push.control,)) for name, field in reg.CONTROL_FIELDS.items()}
        for name in ("tlast_mode", "compression", "out_of_order"):
            if control[name]:
                self._refuse(push, f"{name.replace('_', '-')} mode", executed=name != "tlast_mode")
        key = (push.tile, push.direction, push.channel, push.chain)
        if self.raw.device.pad_values and push.tile.kind is TileKind.MEM and push.direction is Direction.MM2S:
            offset = reg.PAD_VALUES.base + reg.PAD_VALUES.stride * push.channel
            channel.pad_value = self.state.registers[push.tile].get(offset, 0)
        if key not in self.chains:
            self.chains[key] = self._chain(push, channel)
        channel.queue.append(Task(self.chains[key], push.repeat, push.token))

    def _chain(self, push: QueuePush, channel: RawChannel) -> int:
        """New descriptors for a chain; those that were written again get numbers that the tile does not have."""
        taken = self.taken.setdefault(push.tile, set())
        count = reg.TILE_MAPS[push.tile.kind].bds.count
        numbers = {}
        for stored in push.chain:
            number = stored.id
            while number in taken:
                number += count
            taken.add(number)
            numbers[stored.id] = number
        for stored in push.chain:
            found, lacks = read_bd(push.tile, stored.id, stored.words)
            for text in lacks:
                self._refuse(push, f"descriptor {stored.id} {text}", executed=text.startswith(EXECUTED))
            bd = replace(found, id=numbers[stored.id])
            if bd.length > _MOST_WORDS:
                self._refuse(push, f"descriptor {stored.id} has {bd.length} words, at most {_MOST_WORDS} are run")
                bd = replace(bd, length=1)
            if bd.next is not None:
                bd = replace(bd, next=numbers[bd.next])
            if push.tile.kind is TileKind.SHIM:
                bd = self._host(push, stored, bd)
            channel.bds.append(bd)
        return numbers[push.bd]

    def _refuse(self, push: QueuePush, text: str, *, executed: bool = False) -> None:
        self.raw.lacks(f"{push.place}: {push.direction} {push.channel} of {push.tile}: {text}", executed=executed)

    def _host(self, push: QueuePush, stored: StoredBd, bd: Bd) -> Bd:
        if stored.patch is None:
            self._refuse(push, f"descriptor {stored.id} walks no argument of the host")
            argument, offset = 0, 0
        else:
            argument, offset = stored.patch
        if offset % WORD_BYTES:
            self._refuse(push, f"descriptor {stored.id} begins at byte {offset} of argument {argument}")
        name = f"arg{argument}"
        bd = replace(bd, buffer=name, base_bytes=offset // WORD_BYTES * WORD_BYTES)
        low, high = _span(bd)
        before = self.raw.hosts.get(name, untyped_words(1))
        self.raw.hosts[name] = untyped_words(max(before.elements, high // WORD_BYTES))
        self.ends.setdefault(name, []).append((low, high, push.direction is Direction.MM2S, push.place))
        return bd

    def _round_trips(self) -> None:
        """What the array writes and reads again: only the host's waits put that in order."""
        self.raw.hosts = dict(sorted(self.raw.hosts.items(), key=lambda item: int(item[0][3:])))
        for name, spans in self.ends.items():
            for low, high, read, place in spans:
                if read and any(a < high and low < b for a, b, other, _ in spans if not other):
                    text = f"{place}: {name} is read and written; waits between channels are not run"
                    self.raw.lacks(text, executed=True)
                    break

    # -- buffers

    def _buffers(self, tile: Tile, channels: list[RawChannel]) -> None:
        """Places in memory that descriptors walk; those that overlap are one."""
        limit = tile.limits.memory or 0
        kept: list[Span] = []
        for low, high in sorted({_span(bd) for channel in channels for bd in channel.bds}):
            if kept and low < kept[-1][1]:
                kept[-1] = (kept[-1][0], max(high, kept[-1][1]))
            else:
                kept.append((low, high))
        buffers = []
        for number, (low, high) in enumerate(kept):
            if high > limit:
                self.raw.unsupported.append(f"{tile}: a descriptor reaches byte {high}, its memory has {limit}")
            name = f"{tile.name}_buff_{number}"
            first = tuple(self._initial(tile, low, high))
            bank = min(low // (limit // tile.limits.banks), tile.limits.banks - 1)
            buffers.append(Buffer(name, low, high - low, bank, name, number, first if any(first) else None))
        self.raw.tile(tile).buffers = buffers
        for channel in channels:
            channel.bds = [replace(bd, buffer=_in(buffers, bd)) for bd in channel.bds]

    def _initial(self, tile: Tile, low: int, high: int) -> Iterable[int]:
        words = self.state.registers[tile]
        return (words.get(offset, 0) for offset in range(low, high, WORD_BYTES))

    # -- streams

    def _flows(self) -> None:
        receivers: dict[StreamEnd, StreamEnd] = {}
        for tile, one in sorted(self.raw.tiles.items()):
            for (direction, index), channel in sorted(one.channels.items()):
                if direction is Direction.MM2S:
                    self._flow(StreamEnd(tile, index), channel, receivers)

    def _flow(self, source: StreamEnd, channel: RawChannel, receivers: dict[StreamEnd, StreamEnd]) -> None:
        what = f"MM2S {source.channel} of {source.tile}"
        headers = {bd.packet for bd in channel.bds}
        if len(headers) > 1:
            self.raw.lacks(f"{what}: descriptors with different packet ids", executed=True)
        header: PacketHeader | None = channel.bds[0].packet
        route = trace_route(self.state, source, None if header is None else header.id)
        for other in route.others:
            self.raw.lacks(f"{what}: goes to {other}, which is no DMA channel")
        for end in route.headed:
            text = f"{what}: S2MM {end.channel} of {end.tile} gets the packet header as a word"
            self.raw.lacks(text, executed=True)
        for end in route.dests:
            if end in receivers:
                before = f"MM2S {receivers[end].channel} of {receivers[end].tile}"
                text = f"{what}: S2MM {end.channel} of {end.tile} gets words from {before} too"
                self.raw.lacks(text, executed=True)
            receivers.setdefault(end, source)
        dests = tuple(end for end in route.dests if receivers[end] == source)
        for end in dests:
            self.raw.tile(end.tile).channels.setdefault((Direction.S2MM, end.channel), RawChannel())
        if dests:
            self.raw.flows.append(RawFlow(source, dests, header))


def _span(bd: Bd) -> Span:
    """The bytes that a descriptor walks, over all its iterations; steps are never negative."""
    reach = sum((dim.size - 1) * dim.step for dim in bd.dims) if bd.dims else max(1, bd.length) - 1
    reach += (bd.iteration.size - 1) * bd.iteration.step
    return bd.base_bytes, bd.base_bytes + (reach + 1) * WORD_BYTES


def _in(buffers: list[Buffer], bd: Bd) -> str:
    low, _ = _span(bd)
    return next(b.name for b in buffers if b.address <= low < b.address + b.size)
