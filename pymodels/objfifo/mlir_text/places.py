# SPDX-License-Identifier: Apache-2.0
"""Where programs stand in text, and the memories and locks that they reach."""

from __future__ import annotations

from goldbeat.pymodels.objfifo.mlir_text.dma_ops import next_block, read_start, read_use, whole_constants
from goldbeat.pymodels.objfifo.mlir_text.lines import BufferLine, CoreLine, DeviceLines, LockLine, RegionLine
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirOp
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind

PROGRAM_KINDS = {"aie.core": TileKind.CORE, "aie.mem": TileKind.CORE, "aie.memtile_dma": TileKind.MEM,
         "aie.shim_dma": TileKind.SHIM}  # fmt: skip
"""Programs of a tile, and the kind of tile that has them."""
_TASKS = ("aiex.dma_configure_task", "aiex.dma_configure_task_for")


def check_places(lines: DeviceLines) -> None:
    """Every program, buffer and lock against the tile where it is.

    Raises:
        MlirError: a tile of another kind, a second program of a tile, or a memory or lock that a program does not reach.
    """
    for buffer in lines.buffers.values():
        if buffer.tile.kind is TileKind.SHIM:
            buffer.op.fail(f"a buffer of {buffer.tile}", "a tile with memory: a core or memory tile")
    _fit(lines)
    seen: dict[tuple[str, Tile], MlirOp] = {}
    programs: list[CoreLine | RegionLine] = [*lines.cores, *lines.regions]
    for program in programs:
        op, tile = program.op, program.tile
        if tile.kind is not PROGRAM_KINDS[op.name]:
            op.fail(f"{op.name} on {tile}", f"a {PROGRAM_KINDS[op.name]} tile")
        first = seen.setdefault((op.name, tile), op)
        if first is not op:
            what = op.name.removeprefix("aie.")
            op.fail(f"a second {what} of {tile}", f"one {what} per tile: the first is in line {first.token.line}")
        _uses(lines, op, tile)
        _numbers(op, tile)
        _starts(op, tile)
        for use in op.everything:
            if use.name == "aie.use_lock" and len(use.operands) == 1:
                read_use(use, {})
    for sequence in lines.sequences:
        for op in sequence.everything:
            if op.name in _TASKS and op.operands and op.operands[0] in lines.tiles:
                _uses(lines, op, lines.tiles[op.operands[0]])


def _uses(lines: DeviceLines, program: MlirOp, tile: Tile) -> None:
    ops = [*program.everything]
    own = {name for op in ops for name in op.results}.difference(lines.buffers, lines.locks)
    own.update(name for region in program.regions for block in region for name in block.arguments)
    for op in ops:
        for name in op.operands:
            found: BufferLine | LockLine | None = lines.buffers.get(name) or lines.locks.get(name)
            if found is None or name in own:
                continue
            what = "lock" if name in lines.locks else "buffer"
            if program.name == "aie.core" and not tile.reaches(found.tile):
                op.fail(f"{name}, a {what} of {found.tile}, in the core of {tile}", f"one of {_core_reach(tile)}")
            if program.name != "aie.core" and not tile.dma_reaches(found.tile):
                op.fail(f"{name}, a {what} of {found.tile}, in a DMA of {tile}", f"one of {_dma_reach(tile)}")


def _numbers(program: MlirOp, tile: Tile) -> None:
    """Descriptors of a program have numbers of their own: all of them are written before the first one is used."""
    first: dict[object, MlirOp] = {}
    for op in program.everything:
        number = op.attributes.get("bd_id") if op.name == "aie.dma_bd" else None
        if number is not None and first.setdefault(number, op) is not op:
            op.fail(
                f"bd_id {number} of {tile} a second time", f"another: the first is in line {first[number].token.line}"
            )


def _starts(program: MlirOp, tile: Tile) -> None:
    """A second start of a channel waits in its queue: behind a ring it would never begin."""
    rings: dict[tuple[str, int], MlirOp] = {}
    for op in program.everything:
        if op.name != "aie.dma_start":
            continue
        start = read_start(op, whole_constants(program.everything))
        ring = rings.get((start.direction, start.channel))
        if ring is not None:
            found = f"a second start of {start.direction} {start.channel} of {tile}"
            op.fail(found, f"none behind the ring of line {ring.token.line}, which never ends")
        if _is_ring(program, start.block):
            rings[start.direction, start.channel] = op


def _is_ring(program: MlirOp, first: str) -> bool:
    blocks = {block.label: block for block in program.blocks}
    seen: set[str] = set()
    at: str | None = first
    while at in blocks and at not in seen:
        seen.add(at)
        at = next_block(blocks[at])
    return at in seen


def _fit(lines: DeviceLines) -> None:
    """Buffers fit the memory of their tile; those of a memory tile may reach into the ones beside it."""
    used: dict[Tile, int] = {}
    for buffer in lines.buffers.values():
        tile, size = buffer.tile, buffer.obj.size
        most = (tile.limits.memory or 0) * (3 if tile.kind is TileKind.MEM else 1)
        if buffer.address is None:
            end = used[tile] = used.get(tile, 0) + size
        else:
            end = buffer.address + size
        if end > most:
            buffer.op.fail(f"buffers of {end} bytes in {tile}", f"at most {most}")


def _core_reach(tile: Tile) -> str:
    return f"{tile} or of the core tiles to its west, north and south"


def _dma_reach(tile: Tile) -> str:
    return f"{tile}" + (" or of the memory tiles beside it" if tile.kind is TileKind.MEM else "")
