# SPDX-License-Identifier: Apache-2.0
"""Addresses of buffers in a tile's memory: spread over the banks where they fit, else one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from goldbeat.pymodels.objfifo.plan.plan import Buffer
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind

ALIGN = 32
"""Bytes: a core loads vectors of 256 bit."""
STACK = 1024
"""Bytes at the start of a core's memory that its stack takes; mlir-aie's default."""


def reserved(tile: Tile) -> int:
    """Bytes at the start of a tile's memory that no buffer gets."""
    return STACK if tile.kind is TileKind.CORE else 0


def place_buffers(tile: Tile, buffers: Sequence[Buffer]) -> tuple[tuple[Buffer, ...], int]:
    """Give every buffer an address.

    The buffers of a pool go to one bank after the other, so that the channel that fills one and the channel that
    empties the next do not meet. If some buffer fits no bank any more, all are laid one after the other instead.

    Returns:
        the buffers, and the first byte after the last of them.
    """
    memory = tile.limits.memory
    assert memory is not None
    size = memory // tile.limits.banks
    ends = [bank * size for bank in range(tile.limits.banks)]
    ends[0] += reserved(tile)
    placed: list[Buffer] = []
    bank = 0
    for buffer in buffers:
        for turn in range(len(ends)):
            spot = (bank + turn) % len(ends)
            if ends[spot] + buffer.size <= (spot + 1) * size:
                placed.append(replace(buffer, address=ends[spot], bank=spot))
                ends[spot] = _up(ends[spot] + buffer.size)
                bank = (spot + 1) % len(ends)
                break
        else:
            return _in_a_row(tile, buffers, size)
    return tuple(placed), max((b.address + b.size for b in placed), default=reserved(tile))


def _in_a_row(tile: Tile, buffers: Sequence[Buffer], size: int) -> tuple[tuple[Buffer, ...], int]:
    at, placed = reserved(tile), []
    for buffer in buffers:
        placed.append(replace(buffer, address=at, bank=min(at // size, tile.limits.banks - 1)))
        at = _up(at + buffer.size)
    return tuple(placed), max((b.address + b.size for b in placed), default=at)


def _up(address: int) -> int:
    return -(-address // ALIGN) * ALIGN
