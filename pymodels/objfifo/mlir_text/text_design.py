# SPDX-License-Identifier: Apache-2.0
"""A design from MLIR text, at the level of object FIFOs or lowered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.artefact.raw_design import CoreHandle, RawDesign, StandIn, fixed_design
from goldbeat.pymodels.objfifo.mlir_text.lexer import TokenCursor
from goldbeat.pymodels.objfifo.mlir_text.lines import AccessLine, CoreLine, DeviceLines, FifoLine
from goldbeat.pymodels.objfifo.mlir_text.lowered_text import lowered_design
from goldbeat.pymodels.objfifo.mlir_text.module import read_device
from goldbeat.pymodels.objfifo.mlir_text.values import named_numbers
from goldbeat.pymodels.objfifo.plan.access import CodeLine, LockAccess, Loop, Steps
from goldbeat.pymodels.objfifo.plan.design import Core, Fifo, FifoDesign, Host, Link, Transfer
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind

_TAKEN = {"via_DMA", "plio", "repeat_count", "iter_count", "padDimensions", "padValue", "disable_synchronization",
          "aie_stream", "aie_stream_port", "dimensionsToStream", "dimensionsFromStreamPerConsumer"}  # fmt: skip


def text_lines(path: Path) -> tuple[DeviceLines, TokenCursor]:
    """A file's device, and a cursor for errors at its tokens.

    Raises:
        InputError: no file, no text, or text that is not understood, with line and column.
    """
    if not path.is_file():
        raise InputError("no file", "MLIR text", file=path)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError("bytes that are no UTF-8", "MLIR text", file=path, offset=error.start) from None
    return read_device(text, path), TokenCursor("", path)


def text_design(path: Path, stand_ins: Mapping[Tile, StandIn] | None = None) -> FifoDesign:
    """A design from a file of MLIR text.

    Args:
        path: the file.
        stand_ins: Python functions for cores; of a core without one only the order of its acquires is known.

    Raises:
        InputError: text that is not understood.
        RuleError: a rule that is broken.
    """
    lines, cursor = text_lines(path)
    given = dict(stand_ins or {})
    if not lines.fifos:
        return fixed_design(lowered_design(lines, cursor), given)
    if lines.regions:
        cursor.fail("a device with object FIFOs or with DMA programs, not with both", lines.fifos[0].token)
    return _fifo_design(lines, cursor, given)


def lowered_file(path: Path) -> RawDesign:
    """What lowered text says of an array, for use with an instruction stream.

    Raises:
        InputError: text that is not understood, or that is not lowered.
    """
    lines, cursor = text_lines(path)
    if lines.fifos:
        cursor.fail("lowered text (aie.mem, aie.flow): run aie-objectFifo-stateful-transform", lines.fifos[0].token)
    return lowered_design(lines, cursor)


def _fifo_design(lines: DeviceLines, cursor: TokenCursor, stand_ins: dict[Tile, StandIn]) -> FifoDesign:
    fifos = [fifo_of_line(line, cursor) for line in lines.fifos]
    names = {f.name: f for f in fifos}
    links = []
    for link in lines.links:
        for name in (*link.ins, *link.outs):
            if name not in names:
                cursor.fail("a fifo that was declared", link.token, f"@{name}")
        links.append(Link(link.ins, link.outs, *link.offsets))
    cores = [_core(core, names, cursor, stand_ins.pop(core.tile, None)) for core in lines.cores]
    if stand_ins:
        raise UsageError(f"a stand-in for {min(stand_ins)}: the text has no core there")
    transfers = []
    for move in lines.moves:
        found = names.get(move.metadata)
        if found is None:
            cursor.fail("metadata of a fifo that was declared", move.token, f"@{move.metadata}")
        port = FifoEnd.PRODUCE if found.producer.kind is TileKind.SHIM else FifoEnd.CONSUME
        transfers.append(Transfer(found.name, port, move.host, move.offset, move.dims, move.wants_token, move.bd))
    hosts = [Host(name, obj) for name, obj in lines.hosts.items()]
    return FifoDesign(lines.device, fifos, links, cores, hosts, transfers)


def fifo_of_line(line: FifoLine, cursor: TokenCursor) -> Fifo:
    """A fifo from its line; an error for attributes that are not read."""
    found = line.attributes
    for name in found:
        if name not in _TAKEN:
            cursor.fail("attributes that are read: see docs/objfifo-mlir.md", line.token, f"{name} of @{line.name}")
    pads = found.get("padDimensions", [])
    iterations = found.get("iter_count")
    stream = None
    if "aie_stream" in found or "aie_stream_port" in found:
        if not ("aie_stream" in found and "aie_stream_port" in found):
            cursor.fail("aie_stream and aie_stream_port together", line.token, f"one of them at @{line.name}")
        stream = (int(found["aie_stream"]), int(found["aie_stream_port"]))
    return Fifo(
        line.name,
        line.producer,
        line.consumers,
        line.depth,
        line.obj,
        line.to_stream,
        line.from_stream,
        line.values,
        bool(found.get("via_DMA", False)),
        bool(found.get("plio", False)),
        named_numbers(cursor, pads, "const_pad_before", "const_pad_after") if pads else (),
        None if iterations is None else int(iterations),
        int(found.get("repeat_count", 1)),
        int(found.get("padValue", 0)),
        bool(found.get("disable_synchronization", False)),
        stream=stream,
    )


def _core(line: CoreLine, fifos: dict[str, Fifo], cursor: TokenCursor, stand_in: StandIn | None) -> Core:
    name = f"core_{line.tile.col}_{line.tile.row}"
    steps = _steps(line.body, line.tile, fifos, cursor)
    if stand_in is None:
        for one in _branches(line.body):
            cursor.fail(
                f"a stand-in for the core ({line.tile.col},{line.tile.row}=FILE.py:FUNCTION): what it acquires depends "
                "on values that are not read",
                one.token,
                f"{one.token.text} with an acquire or release",
            )
        return Core(line.tile, name, None, False, None, steps)
    handles: list[CoreHandle] = []
    for access in _each(steps):
        handle = CoreHandle(access.fifo, access.port, access.consumer)
        if handle not in handles:
            handles.append(handle)
    return Core(line.tile, name, partial(stand_in, *handles))


def _steps(body: Sequence[AccessLine], tile: Tile, fifos: dict[str, Fifo], cursor: TokenCursor) -> Steps:
    found: list[LockAccess | Loop] = []
    for line in body:
        if line.body is not None:
            found.append(Loop(line.passes, _steps(line.body, tile, fifos, cursor)))
            continue
        fifo = fifos.get(line.fifo)
        if fifo is None:
            cursor.fail("a fifo that was declared", line.token, f"@{line.fifo}")
        port = FifoEnd.PRODUCE if line.port == "Produce" else FifoEnd.CONSUME
        ends = (fifo.producer,) if port is FifoEnd.PRODUCE else fifo.consumers
        if tile not in ends:
            cursor.fail(f"a {line.port} end at {tile}", line.token, f"@{line.fifo}")
        number = 0 if port is FifoEnd.PRODUCE else ends.index(tile)
        written = CodeLine(str(cursor.file), line.token.line)
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
