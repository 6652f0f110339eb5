# SPDX-License-Identifier: Apache-2.0
"""A design from MLIR text at the level of object FIFOs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.artefact.raw_design import CoreHandle, StandIn
from goldbeat.pymodels.objfifo.mlir_text.core_ops import AccessLine, core_accesses
from goldbeat.pymodels.objfifo.mlir_text.dma_ops import PADS
from goldbeat.pymodels.objfifo.mlir_text.fifo_way import WAYS, fifo_way
from goldbeat.pymodels.objfifo.mlir_text.host_ops import SequenceLines
from goldbeat.pymodels.objfifo.mlir_text.lines import CoreLine, DeviceLines, FifoLine
from goldbeat.pymodels.objfifo.mlir_text.scope import whole
from goldbeat.pymodels.objfifo.mlir_text.values import named_numbers
from goldbeat.pymodels.objfifo.plan.access import CodeLine, LockAccess, Loop, Steps
from goldbeat.pymodels.objfifo.plan.design import Core, Fifo, FifoDesign, Host, Link, Transfer
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind

_TAKEN = {*WAYS, "plio", "repeat_count", "iter_count", "padDimensions", "padValue", "disable_synchronization",
          "dimensionsToStream", "dimensionsFromStreamPerConsumer"}  # fmt: skip


def fifo_design(
    lines: DeviceLines, sequence: SequenceLines, path: Path, stand_ins: Mapping[Tile, StandIn]
) -> FifoDesign:
    """The design of text at the level of object FIFOs.

    Args:
        lines: the device.
        sequence: its transfers.
        path: the file.
        stand_ins: Python functions for cores; of a core without one only the order of its acquires is known.

    Raises:
        InputError: text that is not understood.
        RuleError: a rule that is broken.
    """
    made = _fifo_design(lines, sequence, path, dict(stand_ins))
    own = [f"line {op.token.line}: {op.name}" for op in (*(r.op for r in lines.regions), *(f.op for f in lines.flows))]
    for core in lines.cores:
        if core.tile not in stand_ins:
            own += [
                f"line {one.op.token.line}: {one.op.name} with an acquire or release of a core without a stand-in"
                for one in _branches(core_accesses(core.op, lines.values))
            ]
    return replace(made, unplanned=(*own, *sequence.unplanned))


def _fifo_design(lines: DeviceLines, sequence: SequenceLines, path: Path, stand_ins: dict[Tile, StandIn]) -> FifoDesign:
    fifos = [fifo_of_line(line) for line in lines.fifos]
    names = {f.name: f for f in fifos}
    links = links_of(lines)
    cores = [_core(core, lines, names, path, stand_ins.pop(core.tile, None)) for core in lines.cores]
    if stand_ins:
        raise UsageError(f"a stand-in for {min(stand_ins)}: the text has no core there")
    transfers = []
    for move in sequence.moves:
        found = names.get(move.metadata)
        if found is None:
            move.op.fail(f"@{move.metadata}", "metadata of a fifo that was declared")
        port = FifoEnd.PRODUCE if found.producer.kind is TileKind.SHIM else FifoEnd.CONSUME
        host = lines.hosts[move.host].name
        transfers.append(
            Transfer(found.name, port, host, move.offset, move.dims, move.token, move.bd, move.op.place, move.waited)
        )
    hosts = [Host(one.name, one.obj) for one in lines.hosts.values() if one.obj is not None]
    places = places_of(lines, links, path)
    return FifoDesign(lines.device, fifos, links, cores, hosts, transfers, places=places)


def links_of(lines: DeviceLines) -> list[Link]:
    """The links; an error for fifos that are not declared."""
    names = {line.name for line in lines.fifos}
    for link in lines.links:
        for name in (*link.ins, *link.outs):
            if name not in names:
                link.op.fail(f"@{name}", "a fifo that was declared")
    return [Link(link.ins, link.outs, *link.offsets, turns=link.turns) for link in lines.links]


def places_of(lines: DeviceLines, links: Sequence[Link], path: Path) -> dict[str, str]:
    """Where fifos and links are declared, for messages."""
    found = {str(link): line.op.place for link, line in zip(links, lines.links, strict=True)}
    return {"": str(path), **{line.name: line.op.place for line in lines.fifos}, **found}


def fifo_of_line(line: FifoLine) -> Fifo:
    """A fifo from its line; an error for attributes that are not read."""
    found = line.op.attributes
    for name in found:
        if name not in _TAKEN:
            line.op.fail(f"{name} of @{line.name}", "attributes that are read: see docs/objfifo-mlir.md")
    pads = found.get("padDimensions", [])
    iterations = found.get("iter_count")
    way = fifo_way(line)
    return Fifo(
        line.name,
        line.producer,
        line.consumers,
        line.depth,
        line.obj,
        line.to_stream,
        line.from_stream,
        line.values,
        way.via_dma,
        bool(found.get("plio", False)),
        named_numbers(line.op.cursor, pads, *PADS) if pads else (),
        None if iterations is None else whole(line.op, "iter_count"),
        whole(line.op, "repeat_count", 1),
        whole(line.op, "padValue"),
        bool(found.get("disable_synchronization", False)),
        stream=way.stream,
        shared_only=way.shared_only,
        packet=way.packet,
        channels=way.channels,
    )


def _core(line: CoreLine, lines: DeviceLines, fifos: dict[str, Fifo], path: Path, stand_in: StandIn | None) -> Core:
    name = f"core_{line.tile.col}_{line.tile.row}"
    accesses = core_accesses(line.op, lines.values)
    steps = _steps(accesses, line.tile, fifos, path)
    if stand_in is None:
        return Core(line.tile, name, None, False, None, steps)
    handles: list[CoreHandle] = []
    for access in _each(steps):
        handle = CoreHandle(access.fifo, access.port, access.consumer)
        if handle not in handles:
            handles.append(handle)
    return Core(line.tile, name, partial(stand_in, *handles))


def _steps(body: Sequence[AccessLine], tile: Tile, fifos: dict[str, Fifo], path: Path) -> Steps:
    found: list[LockAccess | Loop] = []
    for line in body:
        if line.body is not None:
            found.append(Loop(line.passes, _steps(line.body, tile, fifos, path)))
            continue
        fifo = fifos.get(line.fifo)
        if fifo is None:
            line.op.fail(f"@{line.fifo}", "a fifo that was declared")
        port = FifoEnd.PRODUCE if line.port == "Produce" else FifoEnd.CONSUME
        ends = (fifo.producer,) if port is FifoEnd.PRODUCE else fifo.consumers
        if tile not in ends:
            line.op.fail(f"@{line.fifo}", f"a {line.port} end at {tile}")
        number = 0 if port is FifoEnd.PRODUCE else ends.index(tile)
        written = CodeLine(str(path), line.op.token.line)
        found.append(LockAccess(line.acquire, line.fifo, port, number, line.count, written))
    return tuple(found)


def _branches(body: Sequence[AccessLine]) -> list[AccessLine]:
    """Branches and loops without known bounds."""
    found = [line for line in body if line.branch]
    return found + [inner for line in body for inner in _branches(line.body or ())]


def _each(steps: Steps) -> list[LockAccess]:
    found: list[LockAccess] = []
    for step in steps:
        found += [step] if isinstance(step, LockAccess) else _each(step.body)
    return found
