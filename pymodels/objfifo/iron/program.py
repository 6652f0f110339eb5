# SPDX-License-Identifier: Apache-2.0
"""From fifos, workers and a sequence without tiles to a design with tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy.typing as npt

from goldbeat.pymodels.objfifo.iron.endpoint import LinkPlace, PinnedPlace, Place
from goldbeat.pymodels.objfifo.iron.fifo import ObjectFifo, ObjectFifoHandle, Pairs
from goldbeat.pymodels.objfifo.iron.placement import place_tiles
from goldbeat.pymodels.objfifo.iron.resolved import ResolvedModule
from goldbeat.pymodels.objfifo.iron.runtime import Move, Runtime
from goldbeat.pymodels.objfifo.iron.scope import Scope, scope
from goldbeat.pymodels.objfifo.iron.worker import Worker
from goldbeat.pymodels.objfifo.plan.design import Core, Dims, Fifo, FifoDesign, Host, Link, Transfer
from goldbeat.pymodels.objfifo.plan.device import device_of
from goldbeat.pymodels.objfifo.plan.host_array import initial_values
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.plan.tile import Tile


class Program:
    """A device and the host's sequence on it.

    Args:
        device: such as ``NPU1Col1()``, or None for one without end.
        rt: the sequence.
        workers: those that the sequence does not start.
    """

    def __init__(self, device: Any, rt: Runtime, workers: Sequence[Worker] | None = None) -> None:
        self._device = device_of(device)
        self._rt = rt
        self._workers = [*rt.workers, *(w for w in workers or () if w not in rt.workers)]
        scope().programs.append((rt, self._workers))

    def resolve_program(self, placer: Any = None) -> ResolvedModule:
        """Place everything and check nothing yet.

        Returns:
            what prints as MLIR-like text and holds the design.

        Raises:
            RuleError: ``fifo-ends``, ``tile-exists`` or ``channels``, where there is no placement.
        """
        if not scope().live:
            self._rt.declare()
        known = _reachable([*self._workers, *self._rt.places])
        design = _resolve(self._device, known, self._workers, [self._rt])
        scope().designs.append(design)
        return ResolvedModule(design)


def open_design(where: Scope) -> FifoDesign:
    """The design of all that a scope declared without a program."""
    return _resolve(where.device, where.open_fifos, where.workers, where.runtimes)


def _reachable(places: Sequence[Place]) -> list[ObjectFifo]:
    found: dict[int, ObjectFifo] = {}
    seen: set[int] = set()
    stack = list(places)
    while stack:
        one = stack.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        for handle in one.handles():
            found[id(handle.fifo)] = handle.fifo
            for far in [handle.fifo.producer, *handle.fifo.consumers]:
                if far is not None and far.endpoint is not None:
                    stack.append(far.endpoint)
    return sorted(found.values(), key=lambda f: f.number)


def _resolve(
    device: Any, fifos: Sequence[ObjectFifo], workers: Sequence[Worker], runtimes: Sequence[Runtime]
) -> FifoDesign:
    links: list[LinkPlace] = []
    pinned: list[PinnedPlace] = []
    for fifo in fifos:
        for handle in [fifo.producer, *fifo.consumers]:
            if handle is not None and isinstance(handle.endpoint, LinkPlace) and handle.endpoint not in links:
                links.append(handle.endpoint)
            if handle is not None and isinstance(handle.endpoint, PinnedPlace):
                handle.endpoint.held = [handle]
                pinned.append(handle.endpoint)
    shims = [p for rt in runtimes for p in rt.places]
    place_tiles(device, [*workers, *links, *pinned, *shims])
    design = FifoDesign(device)
    design.fifos = [_fifo(f) for f in fifos]
    design.links = [
        Link(
            tuple(h.name for h in link.ins),
            tuple(h.name for h in link.outs),
            tuple(link.src_offsets),
            tuple(link.dst_offsets),
            link.rechunk,
            link.turns,
        )
        for link in links
    ]
    for worker in workers:
        assert worker.tile is not None
        design.cores.append(Core(worker.tile, worker.what, worker.run, worker.while_true, worker.declared()))
    return replace(design, **transfers_of(runtimes))


def transfers_of(runtimes: Sequence[Runtime]) -> dict[str, Any]:
    """The host's arrays and its transfers, as far as they are declared."""
    return {
        "hosts": [Host(d.name, d.obj) for rt in runtimes for d in rt.data],
        "transfers": [_transfer(move) for rt in runtimes for move in rt.moves],
    }


def _transfer(move: Move) -> Transfer:
    dims = pairs(list(zip(move.tap.sizes, move.tap.strides, strict=True)))
    handle, first = move.handle, int(move.tap.offset)
    return Transfer(
        handle.name, handle.port, move.data.name, first, dims, move.wait, where=move.where, waited=move.waited
    )


def pairs(value: Pairs | None) -> Dims:
    """Pairs of integers; ``dims-form`` if it is anything else."""
    try:
        return tuple((int(size), int(stride)) for size, stride in value or ())
    except (TypeError, ValueError):
        raise RuleError("dims-form", f"{value!r}: expected a list of (size, stride) pairs") from None


def initial(name: str, obj: ObjectType, values: Sequence[Any] | None) -> tuple[npt.NDArray[Any], ...] | None:
    """Initial values as arrays of the object's type; ``init-shape`` if one does not fit."""
    if values is None:
        return None
    out = []
    for number, value in enumerate(values):
        array = initial_values(f"initial value {number} of {name}", obj, value)
        if array.size != obj.elements:
            raise RuleError(
                "init-shape", f"{name}: initial value {number} has shape {array.shape}, the object {obj.shape}"
            )
        out.append(array.reshape(obj.shape))
    return tuple(out)


def _where(fifo: ObjectFifo, handle: ObjectFifoHandle | None, what: str) -> Tile:
    if handle is None or handle.endpoint is None or handle.endpoint.tile is None:
        raise RuleError("fifo-ends", f"{fifo.name} has no {what}: no worker, link or host transfer uses that end")
    return handle.endpoint.tile


def _fifo(fifo: ObjectFifo) -> Fifo:
    if not fifo.consumers:
        raise RuleError("fifo-ends", f"{fifo.name} has no consumer: nobody called cons()")
    depths = [h.depth for h in [fifo.producer, *fifo.consumers] if h is not None]
    literal = not isinstance(fifo.depth, int) and fifo.depth is not None
    depth = tuple(depths) if literal or len(set(depths)) > 1 else depths[0]
    return Fifo(
        name=fifo.name,
        producer=_where(fifo, fifo.producer, "producer"),
        consumers=tuple(_where(fifo, h, "consumer") for h in fifo.consumers),
        depth=depth,
        obj=fifo.object,
        to_stream=pairs(fifo.dims_to_stream),
        from_stream=tuple(pairs(h.dims_from_stream) for h in fifo.consumers),
        init_values=initial(fifo.name, fifo.object, fifo.init_values),
        via_dma=fifo.via_dma,
        plio=fifo.plio,
        padding=pairs(fifo.pad_dimensions),
        iter_count=fifo.iter_count,
        repeat_count=fifo.repeat_count,
        pad_value=fifo.pad_value,
        free_running=fifo.free_running,
        stream=fifo.stream,
        shared_only=fifo.transport.mode == "shared_mem",
        packet=None if fifo.transport.packet is None else (fifo.transport.packet.id, 0),
        channels=tuple(None if h is None else h.channel for h in (fifo.producer, *fifo.consumers)),
    )
