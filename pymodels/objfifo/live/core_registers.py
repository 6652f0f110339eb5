# SPDX-License-Identifier: Apache-2.0
"""A core's way to the registers of its own tile: ``write_tm`` and ``read_tm`` of compiled kernels.

Source: mlir-aie's programming_examples/basic/dma_compression: a core's first access waits until its processor bus is
enabled, and takes effect before what the host does next.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Protocol

from goldbeat.pymodels.objfifo.live.agent import Blocked
from goldbeat.pymodels.objfifo.plan.tile import Tile


@dataclass(frozen=True)
class RegisterWrite:
    """Yielded by a kernel's stand-in: write a word of the core's own tile; the offset counts bytes in the tile."""

    offset: int
    value: int


@dataclass(frozen=True)
class RegisterRead:
    """Yielded by a kernel's stand-in: read a word of the core's own tile."""

    offset: int


class ArrayRegisters(Protocol):
    """The registers of an array."""

    def await_bus(self, tile: Tile) -> Blocked:
        """What a core waits for before it reads or writes registers."""

    def write(self, tile: Tile, offset: int, value: int) -> Iterator[Blocked]:
        """A write of one word."""

    def value(self, tile: Tile, offset: int) -> int:
        """What a register holds."""


def serve_register(
    registers: ArrayRegisters, tile: Tile, wish: RegisterWrite | RegisterRead
) -> Generator[Blocked, None, int | None]:
    """Do what the core of a tile wishes; the word that was read."""
    yield registers.await_bus(tile)
    if isinstance(wish, RegisterRead):
        return registers.value(tile, wish.offset)
    yield from registers.write(tile, wish.offset, wish.value)
    return None
