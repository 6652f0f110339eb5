# SPDX-License-Identifier: Apache-2.0
"""A plan as text in the manner of MLIR's aie dialect: for reading and for diffs against mlir-aie's own output."""

from __future__ import annotations

from collections.abc import Iterator

from goldbeat.pymodels.objfifo.plan.plan import Bd, Buffer, Plan, TilePlan
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind, bd_number

_REGION = {TileKind.CORE: "mem", TileKind.MEM: "memtile_dma", TileKind.SHIM: "shim_dma"}


def to_mlir(plan: Plan) -> str:
    """The plan as text; dims are outermost first and in 32-bit words."""
    lines = ["module {", f"  aie.device({plan.device}) {{"]
    lines += [f"    {line}" for line in _body(plan)]
    return "\n".join([*lines, "  }", "}"])


def _body(plan: Plan) -> Iterator[str]:
    for one in plan.tiles:
        yield f"%{one.tile.name} = aie.tile({one.tile.col}, {one.tile.row})"
    for one in plan.tiles:
        for buffer in one.buffers:
            start = (
                "" if buffer.initial is None else f" = dense<[{', '.join(str(v) for v in _signed(buffer.initial))}]>"
            )
            yield (
                f"%{buffer.name} = aie.buffer(%{one.tile.name}) "
                f"{{address = {buffer.address} : i32, mem_bank = {buffer.bank} : i32}} : memref<{buffer.size // 4}xi32>{start}"
            )
        for lock in one.locks:
            yield (
                f'%{lock.name} = aie.lock(%{one.tile.name}, {lock.id}) {{init = {lock.initial} : i32, sym_name = "{lock.name}"}}'
            )
    for host in plan.hosts:
        yield f"%{host.name} = aie.external_buffer : memref<{host.size // 4}xi32>"
    for flow in plan.flows:
        for dest in flow.dests:
            source = f"%{flow.source.tile.name}, {flow.source.bundle} : {flow.source.channel}"
            target = f"%{dest.tile.name}, {dest.bundle} : {dest.channel}"
            if flow.packet is None:
                yield f"aie.flow({source}, {target}) // {flow.fifo}"
            else:
                yield f"aie.packet_flow({flow.packet.id}) {{ // {flow.fifo}"
                yield f"  aie.packet_source<{source}>"
                yield f"  aie.packet_dest<{target}>"
                yield "}"
    for one in plan.tiles:
        if any(channel.bds for channel in one.channels):
            yield from _dma(one, plan)


def _dma(one: TilePlan, plan: Plan) -> Iterator[str]:
    yield f"%{_REGION[one.tile.kind]}_{one.tile.col}_{one.tile.row} = aie.{_REGION[one.tile.kind]}(%{one.tile.name}) {{"
    locks = {lock.id: lock.name for lock in one.locks}
    for channel in one.channels:
        labels = {bd.id: f"^bd{bd.id}" for bd in channel.bds}
        for task in channel.queue:
            repeat = f", repeat_count = {task.repeat}" if task.repeat else ""
            token = ", issue_token" if task.token else ""
            value = next(_signed((channel.pad_value,)))
            pad = f" {{pad_value = {value} : i32}}" if value else ""
            start = f"{channel.direction}, {channel.index}, {labels[task.bd]}{repeat}{token}"
            yield f"  aie.dma_start({start}){pad} // {channel.fifo}"
        for bd in channel.bds:
            yield f"{labels[bd.id]}:"
            if bd.acquire is not None:
                yield f"  aie.use_lock(%{locks[bd.acquire.lock]}, AcquireGreaterEqual, {bd.acquire.value})"
            yield f"  {_bd(bd, one.buffers or plan.hosts, one.tile)}"
            if bd.release is not None:
                yield f"  aie.use_lock(%{locks[bd.release.lock]}, Release, {bd.release.value})"
            yield "  aie.end" if bd.next is None else f"  aie.next_bd {labels[bd.next]}"
    yield "}"


def _signed(words: tuple[int, ...]) -> Iterator[int]:
    return (w - (1 << 32) if w & 1 << 31 else w for w in words)


def _bd(bd: Bd, buffers: tuple[Buffer, ...], tile: Tile) -> str:
    start = next((b.address // 4 for b in buffers if b.name == bd.buffer), 0)
    offset = bd.base_words - start
    text = f"aie.dma_bd(%{bd.buffer}, {offset}, {bd.length}"
    if bd.dims:
        text += ", [" + ", ".join(f"<size = {d.size}, stride = {d.step}>" for d in reversed(bd.dims)) + "]"
    if bd.padding:
        pads = ", ".join(f"<const_pad_before = {p.before}, const_pad_after = {p.after}>" for p in reversed(bd.padding))
        text += f", [{pads}]"
    number = bd_number(tile, bd.id)
    # The text has each number once.
    extra = [f"bd_id = {number}"] if number == bd.id else []
    if bd.packet is not None:
        extra.append(f"packet = <pkt_type = {bd.packet.type}, pkt_id = {bd.packet.id}>")
    if bd.iteration.size > 1:
        extra.append(f"iteration = <size = {bd.iteration.size}, stride = {bd.iteration.step}>")
    text += f") {{{', '.join(extra)}}}" if extra else ")"
    return text if number == bd.id else f"{text} // bd_id = {number} again, after a wait"
