# SPDX-License-Identifier: Apache-2.0
"""Descriptors as text and scripts write them, in elements of a buffer, and what they are in an array: in words of a memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from goldbeat.pymodels.objfifo.live.dma import OUT_OF_ORDER_IDS, LiveBd, LiveWords
from goldbeat.pymodels.objfifo.live.walk import element_walk, outer_turns
from goldbeat.pymodels.objfifo.plan.limits import beyond_descriptor
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import Bd, Iteration, PacketHeader
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, TileKind
from goldbeat.pymodels.objfifo.plan.written_bd import WrittenBd, walked

Fail = Callable[[str, str], NoReturn]
"""Raises an error: what was found, what was expected."""


@dataclass(frozen=True)
class WalkTarget:
    """What a descriptor walks.

    Attributes:
        name: of the buffer or of the host's array.
        memory: the words of its tile, or its own.
        base: where it begins in them, in bytes.
        obj: its type.
    """

    name: str
    memory: LiveWords
    base: int
    obj: ObjectType


def placed_bd(written: WrittenBd, tile: Tile, target: WalkTarget, fail: Fail, where: str, moved: int = 0) -> LiveBd:
    """A descriptor of an array, without locks and without one that follows.

    Length ends the walk: its outermost dimension goes on until then. Of a shim's four dimensions the outermost moves the
    walk from use to use.

    Args:
        written: as it is written.
        tile: whose it is.
        target: what it walks.
        fail: raises an error.
        where: its place, for messages.
        moved: elements that a parameter moves it by.
    """
    obj, item, turn = target.obj, target.obj.dtype.itemsize, written.iteration
    dims, pads = list(written.dims), written.pads if any(map(any, written.pads)) else ()
    turns: tuple[int, ...] = ()
    inside = tile.kind is not TileKind.SHIM
    for size, stride in dims:
        least = int(inside and size > 1)
        if size < 1 or stride < least:
            fail(f"size {size}, a stride of {stride}", f"sizes from 1, strides of at least {least}")
    if not inside:
        if len(dims) > 3:
            turns, dims = outer_turns(dims[:-3], item, where), dims[-3:]
    elif not pads:
        dims = [one for one in dims if one[0] > 1] or dims[-1:]
    whole = walked(dims, pads) if dims else obj.elements
    length = whole if written.length is None else written.length
    walk = element_walk(written.offset + moved, _until(dims, length, pads), item, where, pads)[
        : length * item // WORD_BYTES
    ]
    for found, expected in beyond_descriptor(tile, len(walk), dims, item, padded=bool(pads)):
        fail(found, expected)
    if inside and dims and length > whole:
        fail(f"a length of {length}", f"at most {whole}, the product of the sizes")
    step = turn.step * item // WORD_BYTES
    reach = int(walk.max(initial=0)) + max(turns, default=0) + (turn.size - 1) * step
    if (last := (reach + 1) * WORD_BYTES // item - 1) >= obj.elements:
        fail(f"a walk up to element {last} of {target.name}", f"at most element {obj.elements - 1}, its last one")
    walk = np.where(walk < 0, -1, walk + target.base // WORD_BYTES)
    bd = Bd(
        -1,
        target.name,
        target.base,
        len(walk),
        iteration=Iteration(turn.size, step, turn.current),
        packet=written.packet,
    )
    slot = (written.slot or 0) & OUT_OF_ORDER_IDS
    return LiveBd(bd, target.memory, pad=written.pad_value, slot=slot, walk=walk, turns=turns, where=where)


def _until(dims: Sequence[tuple[int, int]], length: int, pads: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    if not dims:
        return [(length, 1)]
    if pads and sum(pads[0]):
        return list(dims)
    return [(-(-length // walked(dims[1:], pads[1:])), dims[0][1]), *dims[1:]]


def placed_move(
    offset: int,
    dims: Sequence[tuple[int, int]],
    tile: Tile,
    target: WalkTarget,
    packet: PacketHeader | None,
    fail: Fail,
    where: str,
) -> LiveBd:
    """A transfer of a host's array; dimensions beyond the inner three repeat it.

    Args:
        offset: first element.
        dims: size and stride in elements, outermost first.
        tile: the shim.
        target: the array.
        packet: header of its packets.
        fail: raises an error.
        where: its place, for messages.
    """
    item = target.obj.dtype.itemsize
    walk = element_walk(offset, dims, item, f"{where}: {target.name}")
    for size, stride in dims:
        if stride < 0:
            fail(f"size {size}, stride {stride}", "strides from 0")
    outer, inner = dims[:-3], dims[-3:]
    for found, expected in beyond_descriptor(tile, len(walk) // math.prod(n for n, _ in outer), inner, item):
        fail(found, expected)
    most = 1 << tile.limits.step_bits
    for size, stride in outer:
        if size > 1 and (step := stride * item // WORD_BYTES) > most:
            fail(f"a first stride of {step} words", f"at most {most}")
    room = len(target.memory) * WORD_BYTES // item
    if (last := offset + sum((size - 1) * stride for size, stride in dims)) >= room:
        fail(f"elements {offset} to {last} of {target.name}", f"elements 0 to {room - 1}, which it has")
    return LiveBd(Bd(-1, target.name, 0, len(walk), packet=packet), target.memory, walk=walk, where=where)
