# SPDX-License-Identifier: Apache-2.0
"""Which command made an element of a tensor: the last one that wrote its bytes, followed back through moves that change nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from goldbeat.pymodels.tpu.compare.watch import CommandKey, TakenTensor, command_order
from goldbeat.pymodels.tpu.execute.memories import Extent
from goldbeat.pymodels.tpu.execute.model import StaticNet
from goldbeat.pymodels.tpu.execute.step import FormBatch
from goldbeat.pymodels.tpu.hazards.builder import OPERANDS

_FLAT = ("DMA_tensor", "DMA_general")
_MATRIX = ("DMA_matrix",)
Index = tuple[int, ...]


@dataclass(frozen=True)
class BytePlace:
    """A byte: memory as operands number it, lane, and offset in the lane or address."""

    memory: int
    lane: int
    offset: int


def byte_of(x: Extent, index: Index) -> BytePlace:
    """The first byte of an element (n, c, h, w) of an operand."""
    n, c, h, w = index
    row, lane = divmod(x.lane + c, x.lanes)
    return BytePlace(x.memory, lane, x.offset + n * x.n_stride + row * x.row_stride + h * x.h_stride + w * x.w_stride)


def element_at(x: Extent, byte: BytePlace) -> Index | None:
    """The element of an operand that has a byte, None if it has not."""
    if x.part or x.memory != byte.memory or not 0 <= byte.offset - x.offset < x.end - x.offset:
        return None
    rows = (x.lane + x.c - 1) // x.lanes + 1
    n, row, h = np.ix_(*(np.arange(many) for many in (x.n, rows, x.h)))
    left = byte.offset - x.offset - n * x.n_stride - row * x.row_stride - h * x.h_stride
    w = np.minimum(left // x.w_stride, x.w - 1) if x.w_stride else np.zeros_like(left)
    rest, c = left - w * x.w_stride, row * x.lanes + byte.lane - x.lane
    found = np.argwhere((left >= 0) & (rest < x.size) & (c >= 0) & (c < x.c) & np.ones_like(n, np.bool_))
    if not len(found):
        return None
    a, b, d = found[-1].tolist()
    return a, b * x.lanes + byte.lane - x.lane, d, int(np.broadcast_to(w, left.shape)[a, b, d])


def makers(net: StaticNet, tensor: TakenTensor, index: Index) -> list[CommandKey]:
    """The commands that an element came through, the last one first; the last of the list has calculated it.

    Args:
        net: that has run.
        tensor: as it was taken.
        index: of the element.
    """
    piece, inside = _piece(tensor, index)
    byte, order = byte_of(piece[0], inside), command_order(net)
    found: list[CommandKey] = []
    for at in range(piece[1] - 1, -1, -1):
        number, member, row = order[at]
        batch = _batch(net, order[at])
        listed = batch.extents.get(row, ()) if batch else ()
        hit = next(((x, place) for x in listed if x.write and (place := element_at(x, byte)) is not None), None)
        if hit is None:
            continue
        found.append((number, member, row))
        before = _moved_from(batch, row, *hit) if batch else None
        if before is None:
            break
        byte = byte_of(*before)
    return found


def _batch(net: StaticNet, key: CommandKey) -> FormBatch | None:
    number, member, row = key
    program = net.programs[number]
    listed = program.members[member][1]
    return program.batches[member].get(listed.engine.kinds[int(listed.kind[row])].name)


def _piece(tensor: TakenTensor, index: Index) -> tuple[tuple[Extent, int], Index]:
    """Operand, when it was taken, and the element in it."""
    for piece in tensor.pieces:
        cut = piece.where or tuple(slice(0, size) for size in tensor.values.shape)
        if all(one.start <= i < one.stop for one, i in zip(cut, index, strict=True)):
            near = tuple(i - one.start for one, i in zip(cut, index, strict=True))
            flat = int(np.ravel_multi_index(near, tuple(one.stop - one.start for one in cut))) if cut else 0
            return (piece.extent, piece.when), tuple(map(int, np.unravel_index(flat, piece.extent.shape)))
    raise ValueError(f"{tensor.name} has no element {index}")


def _moved_from(batch: FormBatch, row: int, target: Extent, index: Index) -> tuple[Extent, Index] | None:
    """Operand and element that a move took an element from; None of other commands, and of moves that turn something."""
    place = batch.place[row]
    if batch.form not in _FLAT + _MATRIX or batch.func[place] or batch.field("fill_constant_en")[place]:
        return None
    parts: dict[str, list[Extent]] = {"src": [], "dst": []}
    for x in batch.extents.get(row, ()):
        parts.setdefault(OPERANDS[x.operand], []).append(x)
    if batch.form in _MATRIX:
        return _element_of(parts["src"], *_cell(parts["dst"], target, index))
    if len(parts["src"]) != 1 or np.prod(parts["src"][0].shape) != np.prod(target.shape):
        return None
    source = parts["src"][0]
    flat = int(np.ravel_multi_index(index, target.shape))
    return source, tuple(map(int, np.unravel_index(flat, source.shape)))


def _cell(parts: Sequence[Extent], target: Extent, index: Index) -> tuple[int, int]:
    """Row and column of an element of a matrix, whose columns are cut into channels."""
    before = sum(x.c * x.w for x in parts[: parts.index(target)])
    n, c, h, w = index
    return n * target.h + h, before + c * target.w + w


def _element_of(parts: Sequence[Extent], row: int, column: int) -> tuple[Extent, Index] | None:
    """The operand's part and element at a row and a column of a matrix."""
    for x in parts:
        if column < x.c * x.w and row < x.n * x.h:
            return x, (row // x.h, column // x.w, row % x.h, column % x.w)
        column -= x.c * x.w
    return None
