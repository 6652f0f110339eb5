# SPDX-License-Identifier: Apache-2.0
"""A plan as compiled files: configuration object and instruction stream, for reading them back.

Streams are routed by circuit (or by packet) straight up and down their column.
"""

from __future__ import annotations

import struct
from collections import defaultdict

from goldbeat.pymodels.objfifo.artefact import tile_registers as reg
from goldbeat.pymodels.objfifo.artefact.cdo import MAGICS, Cdo, cdo_words
from goldbeat.pymodels.objfifo.artefact.operation import OpKind, RegisterOp, array_address
from goldbeat.pymodels.objfifo.artefact.transaction import Transaction, TxnHeader, usual_words
from goldbeat.pymodels.objfifo.plan.device import ANY
from goldbeat.pymodels.objfifo.plan.plan import Bd, Direction, Flow, Plan
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind


def bd_registers(tile: Tile, bd: Bd) -> list[int]:
    """A descriptor's words."""
    fields, words = reg.BD_FIELDS[tile.kind], [0] * reg.bd_words(tile.kind)
    mem = tile.kind is TileKind.MEM

    def put(name: str, value: int) -> None:
        assert 0 <= value <= fields[name].most, (name, value)
        fields[name].put(words, value)

    put("valid", 1)
    put("length", bd.length)
    if tile.kind is not TileKind.SHIM:
        put("base", bd.base_words + (0x20000 if mem else 0))
    for number, dim in enumerate(bd.dims):
        put(f"step{number}", dim.step - 1)
        if f"wrap{number}" in fields and (number + 1 < len(bd.dims) or number < len(bd.padding)):
            put(f"wrap{number}", dim.size)
    for number, pad in enumerate(bd.padding):
        put(f"before{number}", pad.before)
        put(f"after{number}", pad.after)
    if bd.iteration.size > 1:
        put("iteration_wrap", bd.iteration.size - 1)
        put("iteration_step", bd.iteration.step - 1)
        put("iteration_current", bd.iteration.current)
    if bd.acquire is not None:
        put("acquire", 1)
        put("acquire_lock", bd.acquire.lock + (64 if mem else 0))
        put("acquire_value", 128 - bd.acquire.value)
    if bd.release is not None:
        put("release_lock", bd.release.lock + (64 if mem else 0))
        put("release_value", bd.release.value)
    if bd.next is not None:
        put("use_next", 1)
        put("next", bd.next)
    if bd.packet is not None:
        put("packet", 1)
        put("packet_id", bd.packet.id)
        put("packet_type", bd.packet.type)
    put("tlast_off", int(bd.suppress_tlast))
    return words


def _op(kind: OpKind, tile: Tile, offset: int, *values: int) -> RegisterOp:
    return RegisterOp(kind, array_address(tile.col, tile.row, offset), values)


class _Switches:
    """Routes in one column."""

    def __init__(self) -> None:
        self.ops: list[RegisterOp] = []
        self.lanes: defaultdict[tuple[int, int, str], int] = defaultdict(int)
        self.slots: defaultdict[tuple[Tile, str, int], int] = defaultdict(int)
        self.shim = [0, 0]

    def connect(self, tile: Tile, slave: tuple[str, int], master: tuple[str, int], flow: Flow) -> None:
        """One connection in one switch."""
        layout = reg.TILE_MAPS[tile.kind]
        source, target = layout.slaves.index(slave), layout.masters.index(master)
        if flow.packet is None:
            self.ops.append(_op(OpKind.WRITE, tile, layout.slave + 4 * source, 1 << 31))
            self.ops.append(_op(OpKind.WRITE, tile, layout.master + 4 * target, 1 << 31 | source))
            return
        msel, arbiter = divmod(target, 8)
        slot = self.slots[tile, *slave]
        self.slots[tile, *slave] += 1
        self.ops.append(_op(OpKind.WRITE, tile, layout.slave + 4 * source, 3 << 30))
        entry = flow.packet.id << 24 | 0x1F << 16 | 1 << 8 | msel << 4 | arbiter
        self.ops.append(_op(OpKind.WRITE, tile, layout.slots + 16 * source + 4 * slot, entry))
        drop = master[0] == "DMA" or (tile.kind is TileKind.SHIM and master[0] == "South")
        self.ops.append(_op(OpKind.WRITE, tile, layout.master + 4 * target, 3 << 30 | drop << 7 | 8 << msel | arbiter))

    def run(self, flow: Flow) -> None:
        """All connections of a stream."""
        for dest in flow.dests:
            at, slave = flow.source.tile, ("DMA", flow.source.channel)
            if at.kind is TileKind.SHIM:
                port = next(p for p, c in reg.SHIM_MM2S.items() if c == flow.source.channel)
                slave = ("South", port)
                self.shim[0] |= 1 << reg.MUX_PORTS[port]
            while at != dest.tile:
                assert at.col == dest.tile.col
                way, step, back = ("North", 1, "South") if dest.tile.row > at.row else ("South", -1, "North")
                lane = self.lanes[at.col, at.row, way]
                self.lanes[at.col, at.row, way] += 1
                self.connect(at, slave, (way, lane), flow)
                at, slave = ANY.tile(at.col, at.row + step), (back, lane)
            master = ("DMA", dest.channel)
            if at.kind is TileKind.SHIM:
                port = next(p for p, c in reg.SHIM_S2MM.items() if c == dest.channel)
                master = ("South", port)
                self.shim[1] |= 1 << reg.DEMUX_PORTS[port]
            self.connect(at, slave, master, flow)
        shim = ANY.tile(flow.source.tile.col, 0)
        self.ops.append(_op(OpKind.WRITE, shim, reg.SHIM_MUX, self.shim[0]))
        self.ops.append(_op(OpKind.WRITE, shim, reg.SHIM_DEMUX, self.shim[1]))


def _queue(tile: Tile, direction: Direction, channel: int, value: int) -> RegisterOp:
    return _op(OpKind.WRITE, tile, reg.TILE_MAPS[tile.kind].control[direction] + 8 * channel + 4, value)


def configuration(plan: Plan, *, code: bool = True) -> bytes:
    """The configuration object of a plan: memory, locks, rings, routes, starts."""
    ops: list[RegisterOp] = []
    starts: list[RegisterOp] = []
    for one in plan.tiles:
        tile, layout = one.tile, reg.TILE_MAPS[one.tile.kind]
        if tile.kind is TileKind.SHIM:
            continue
        if code and tile.kind is TileKind.CORE:
            ops.append(_op(OpKind.BLOCK, tile, reg.PROGRAM_MEMORY, *range(1, 33)))
        for buffer in one.buffers:
            if buffer.initial is not None:
                ops.append(_op(OpKind.BLOCK, tile, buffer.address, *(v & 0xFFFFFFFF for v in buffer.initial)))
        for lock in one.locks:
            ops.append(_op(OpKind.WRITE, tile, layout.locks.base + 0x10 * lock.id, lock.initial))
        for channel in one.channels:
            for bd in channel.bds:
                words = bd_registers(tile, bd)
                ops.append(_op(OpKind.BLOCK, tile, layout.bds.base + 0x20 * bd.id, *words))
            for task in channel.queue:
                starts.append(
                    _queue(tile, channel.direction, channel.index, task.bd | task.repeat << 16 | task.token << 31)
                )
    switches = _Switches()
    for flow in plan.flows:
        switches.run(flow)
    done = [*ops, *switches.ops, *starts]
    return Cdo(
        MAGICS[0], 0x200, tuple(RegisterOp(o.kind, o.address, o.values, words=cdo_words(o)) for o in done)
    ).encode()


def instructions(plan: Plan, version: tuple[int, int] = (0, 1)) -> bytes:
    """The instruction stream of a plan: the shim's descriptors, starts, and a wait for each S2MM channel."""
    ops: list[RegisterOp] = []
    names = [h.name for h in plan.hosts]
    for one in plan.tiles:
        if one.tile.kind is not TileKind.SHIM:
            continue
        for channel in sorted(one.channels, key=lambda c: c.direction is Direction.MM2S):
            for task in channel.queue:
                bd = next(b for b in channel.bds if b.id == task.bd)
                offset = 0x1D000 + 0x20 * bd.id
                ops.append(_op(OpKind.BLOCK, one.tile, offset, *bd_registers(one.tile, bd)))
                host = plan.hosts[names.index(bd.buffer)]
                address = array_address(one.tile.col, 0, offset + 4)
                ops.append(
                    RegisterOp(OpKind.PATCH, address, numbers=(names.index(bd.buffer), bd.base_bytes - host.address))
                )
                token = channel.direction is Direction.S2MM
                ops.append(
                    _queue(one.tile, channel.direction, channel.index, task.bd | task.repeat << 16 | token << 31)
                )
        for channel in one.channels:
            if channel.direction is Direction.S2MM and channel.queue:
                ops.append(RegisterOp(OpKind.WAIT, numbers=(0, one.tile.col, 0, 1, 1, channel.index)))
    header = TxnHeader(*version, columns=max(t.tile.col for t in plan.tiles) + 1)
    made = tuple(RegisterOp(o.kind, o.address, o.values, o.mask, o.numbers, usual_words(o, version)) for o in ops)
    return Transaction(header, made).encode()


def words_of(text: str) -> tuple[int, ...]:
    """Hexadecimal words."""
    return tuple(struct.unpack("<I", int(w, 16).to_bytes(4, "little"))[0] for w in text.split())
