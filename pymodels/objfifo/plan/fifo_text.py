# SPDX-License-Identifier: Apache-2.0
"""A design as MLIR text before lowering: object FIFOs, links, the order of acquires and releases, the host's transfers.

What cores compute is not part of a design, and not of the text: ``--core`` names a function for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.plan.access import ENDLESS, LockAccess, Loop, Steps, varying
from goldbeat.pymodels.objfifo.plan.design import Dims, Fifo, FifoDesign, Link, Transfer
from goldbeat.pymodels.objfifo.plan.layout import DesignLayout
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd
from goldbeat.pymodels.objfifo.plan.tile import Tile


def fifos_to_mlir(design: FifoDesign) -> str:
    """The text.

    Args:
        design: with object FIFOs.

    Raises:
        UsageError: a design that was read in lowered form, or a part that text does not have.
    """
    if design.fixed is not None:
        raise UsageError("the design was read in lowered form: it has no object FIFOs")
    if design.unplanned:
        raise UsageError(f"parts that are only executed: {'; '.join(design.unplanned)}")
    layout = DesignLayout(design)
    tiles = sorted({t for f in design.fifos for t in (f.producer, *f.consumers)} | {c.tile for c in design.cores})
    lines = [f"%{tile.name} = aie.tile({tile.col}, {tile.row})" for tile in tiles]
    lines += [_fifo(fifo) for fifo in design.fifos]
    lines += [_link(link) for link in design.links]
    for core, steps in zip(design.cores, layout.programs.values(), strict=True):
        if varying(steps):
            raise UsageError(f"{core.name}: a loop whose passes differ has no text")
        lines += _core(core.tile, steps, core.endless)
    lines += _sequence(design)
    return "\n".join(["module {", f"  aie.device({design.device.name}) {{", *(f"    {x}" for x in lines), "  }", "}"])


def _type(obj: ObjectType) -> str:
    kind = obj.dtype.kind
    name = "bf16" if obj.bfloat else {"i": "i", "u": "ui", "f": "f", "b": "i"}.get(kind, "")
    if not name:
        raise UsageError(f"elements of {obj.dtype} have no type in text")
    return f"memref<{'x'.join(map(str, obj.shape))}x{name if obj.bfloat else f'{name}{8 * obj.dtype.itemsize}'}>"


def _dims(word: str, dims: Dims) -> str:
    pairs = ", ".join(f"<size = {size}, stride = {stride}>" for size, stride in dims)
    return f" {word} [{pairs}]" if dims else ""


def _fifo(fifo: Fifo) -> str:
    ends = [f"%{t.name}{_dims('dimensionsFromStream', fifo.dims_from(n))}" for n, t in enumerate(fifo.consumers)]
    depth = fifo.depth
    count = f"{depth} : i32" if isinstance(depth, int) else f"[{', '.join(f'{d} : i32' for d in depth)}]"
    more = _attributes(fifo)
    text = f"aie.objectfifo @{fifo.name}(%{fifo.producer.name}{_dims('dimensionsToStream', fifo.to_stream)}, "
    text += f"{{{', '.join(ends)}}}, {count})" + (f" {{{', '.join(more)}}}" if more else "")
    text += f" : !aie.objectfifo<{_type(fifo.obj)}>"
    if fifo.init_values is not None:
        text += f" = [{', '.join(_dense(one, fifo.obj) for one in fifo.init_values)}]"
    return text


def _attributes(fifo: Fifo) -> list[str]:
    named = {"plio": fifo.plio, "via_DMA": fifo.via_dma, "disable_synchronization": fifo.free_running}
    found = [f"{name} = true" for name, value in named.items() if value]
    numbers = {"iter_count": fifo.iter_count, "repeat_count": None if fifo.repeat_count == 1 else fifo.repeat_count,
               "padValue": fifo.pad_value or None}  # fmt: skip
    if fifo.stream is not None:
        numbers |= {"aie_stream": fifo.stream[0], "aie_stream_port": fifo.stream[1]}
    found += [f"{name} = {value} : i32" for name, value in numbers.items() if value is not None]
    if fifo.shared_only:
        found.append("transport = #aie.transport<shared_mem>")
    if fifo.packet is not None:
        number, kind = fifo.packet
        fields = [f"pkt_type = {kind}", *([] if number is None else [f"pkt_id = {number}"])]
        found.append(f"transport = #aie.transport<dma, packet = #aie.packet_info<{', '.join(fields)}>>")
    if fifo.channels:
        first, *others = (fifo.channel(end) for end in range(1 + len(fifo.consumers)))
        found += [] if first is None else [f"prod_dma_channel = {first} : i32"]
        if any(one is not None for one in others):
            found.append(f"cons_dma_channels = array<i32: {', '.join(str(-1 if n is None else n) for n in others)}>")
    if fifo.padding:
        pads = ", ".join(f"<const_pad_before = {before}, const_pad_after = {after}>" for before, after in fifo.padding)
        found.append(f"padDimensions = #aie<bd_pad_layout_array[{pads}]>")
    return found


def _dense(values: npt.NDArray[np.generic], obj: ObjectType) -> str:
    raw = np.ascontiguousarray(values).astype(obj.dtype, copy=False).tobytes()
    return f'dense<"0x{raw.hex().upper()}"> : {_type(obj)}'


def _link(link: Link) -> str:
    ins, outs = (", ".join(f"@{name}" for name in names) for names in (link.ins, link.outs))
    offsets = " ".join(f"[{', '.join(map(str, some))}]" for some in (link.src_offsets, link.dst_offsets))
    mode = " {mode = #aie.link_mode<time>}" if link.turns else ""
    return f"aie.objectfifo.link [{ins}] -> [{outs}]({offsets}){mode}"


def _core(tile: Tile, steps: Steps, endless: bool) -> Iterator[str]:
    yield f"%core_{tile.col}_{tile.row} = aie.core(%{tile.name}) {{"
    whole: Steps = (Loop(None, steps),) if endless and steps else steps
    for number in sorted({0, 1, *_counts(whole)}):
        yield f"  %c{number} = arith.constant {number} : index"
    yield from (f"  {line}" for line in _steps(whole, ""))
    yield "  aie.end"
    yield "}"


def _counts(steps: Iterable[LockAccess | Loop]) -> Iterator[int]:
    for step in steps:
        if isinstance(step, Loop):
            yield ENDLESS if step.count is None else step.count
            yield from _counts(step.body)


def _steps(steps: Sequence[LockAccess | Loop], place: str) -> Iterator[str]:
    """``place`` makes names of values unique."""
    for number, step in enumerate(steps):
        here = f"{place}_{number}"
        if isinstance(step, Loop):
            yield f"scf.for %i{here} = %c0 to %c{ENDLESS if step.count is None else step.count} step %c1 {{"
            yield from (f"  {line}" for line in _steps(step.body, here))
            yield "}"
            continue
        end = f"@{step.fifo}({'Produce' if step.port is FifoEnd.PRODUCE else 'Consume'}, {step.count})"
        yield f"%w{here} = aie.objectfifo.acquire {end}" if step.acquire else f"aie.objectfifo.release {end}"


def _sequence(design: FifoDesign) -> Iterator[str]:
    kinds = {host.name: host.obj for host in design.hosts}
    arguments = ", ".join(f"%{name}: {_type(obj)}" for name, obj in kinds.items())
    yield f"aie.runtime_sequence({arguments}) {{"
    pending: list[str] = []
    for number, move in enumerate(design.transfers):
        if move.waited:
            yield from (f"  aiex.npu.dma_wait {{symbol = @{name}}}" for name in pending)
            pending.clear()
        yield f"  {_move(move, kinds[move.host], number)}"
        pending += [move.fifo] if move.token else []
    yield from (f"  aiex.npu.dma_wait {{symbol = @{name}}}" for name in pending)
    yield "}"


def _move(move: Transfer, obj: ObjectType, number: int) -> str:
    dims = [(1, 0)] * (4 - len(move.dims)) + list(move.dims)
    place = next((n for n in (3, 2, 1, 0) if dims[n][1] and move.offset % dims[n][1] == 0), None)
    if place is None and move.offset:
        raise UsageError(f"{move.fifo}: a transfer from element {move.offset} on has no text")
    offsets = [move.offset // dims[n][1] if n == place else 0 for n in range(4)]
    lists = (offsets, [size for size, _ in dims], [stride for _, stride in dims])
    brackets = "".join(f"[{', '.join(map(str, one))}]" for one in lists)
    token = ", issue_token = true" if move.token else ""
    bd = "" if move.bd is None else f"id = {move.bd} : i64, "
    return f"aiex.npu.dma_memcpy_nd(%{move.host}{brackets}) {{{bd}metadata = @{move.fifo}{token}}} : {_type(obj)}"
