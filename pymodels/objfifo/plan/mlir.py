# SPDX-License-Identifier: Apache-2.0
"""A plan as text in the manner of MLIR's aie dialect: for reading and for diffs against mlir-aie's own output."""

from __future__ import annotations

from collections.abc import Iterator

from goldbeat.pymodels.objfifo.plan.plan import Bd, Plan, TilePlan
from goldbeat.pymodels.objfifo.plan.tile import TileKind

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
            start = "" if buffer.initial is None else " // holds initial values"
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
            ends = (
                f"(%{flow.source.tile.name}, DMA : {flow.source.channel}, %{dest.tile.name}, DMA : {dest.channel})"
                f" // {flow.fifo}"
            )
            yield f"aie.flow{ends}" if flow.packet is None else f"aie.packet_flow({flow.packet.id}) {ends}"
    for one in plan.tiles:
        if any(channel.bds for channel in one.channels):
            yield from _dma(one)


def _dma(one: TilePlan) -> Iterator[str]:
    yield f"%{_REGION[one.tile.kind]}_{one.tile.col}_{one.tile.row} = aie.{_REGION[one.tile.kind]}(%{one.tile.name}) {{"
    locks = {lock.id: lock.name for lock in one.locks}
    for channel in one.channels:
        labels = {bd.id: f"^bd{bd.id}" for bd in channel.bds}
        for task in channel.queue:
            repeat = f", repeat_count = {task.repeat}" if task.repeat else ""
            token = ", issue_token" if task.token else ""
            yield f"  aie.dma_start({channel.direction}, {channel.index}, {labels[task.bd]}{repeat}{token}) // {channel.fifo}"
        for bd in channel.bds:
            yield f"{labels[bd.id]}:"
            if bd.acquire is not None:
                yield f"  aie.use_lock(%{locks[bd.acquire.lock]}, AcquireGreaterEqual, {bd.acquire.value})"
            yield f"  {_bd(bd, one)}"
            if bd.release is not None:
                yield f"  aie.use_lock(%{locks[bd.release.lock]}, Release, {bd.release.value})"
            yield "  aie.end" if bd.next is None else f"  aie.next_bd {labels[bd.next]}"
    yield "}"


def _bd(bd: Bd, one: TilePlan) -> str:
    start = 0
    for buffer in one.buffers:
        if buffer.name == bd.buffer:
            start = buffer.address // 4
    offset = bd.base_words - start if one.buffers else bd.base_words
    text = f"aie.dma_bd(%{bd.buffer}, {offset}, {bd.length}"
    if bd.dims:
        text += ", [" + ", ".join(f"<size = {d.size}, stride = {d.step}>" for d in reversed(bd.dims)) + "]"
    if bd.padding:
        pads = ", ".join(f"<const_pad_before = {p.before}, const_pad_after = {p.after}>" for p in reversed(bd.padding))
        text += f", [{pads}]"
    extra = [f"bd_id = {bd.id}"]
    if bd.packet is not None:
        extra.append(f"packet = <pkt_type = {bd.packet.type}, pkt_id = {bd.packet.id}>")
    if bd.iteration.size > 1:
        extra.append(f"iteration = <size = {bd.iteration.size}, stride = {bd.iteration.step}>")
    return text + f") {{{', '.join(extra)}}}"
