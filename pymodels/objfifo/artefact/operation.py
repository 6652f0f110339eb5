# SPDX-License-Identifier: Apache-2.0
"""One operation of a compiled file: a register write, a wait, or what only the container needs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

_COLUMN, _ROW, _OFFSET = 25, 20, 0xFFFFF
_BASE = 30
"""An array's base address is a multiple of this power of two; its 32 columns are below it."""


class OpKind(StrEnum):
    """What an operation does; the values are the mnemonics of the listing."""

    WRITE = "write"
    BLOCK = "block"
    SET = "set"
    MASK = "mask"
    POLL = "poll"
    POLL_BUSY = "pollbusy"
    NOOP = "noop"
    PREEMPT = "preempt"
    PDI = "pdi"
    WAIT = "wait"
    PATCH = "patch"
    CUSTOM = "custom"
    COMMAND = "command"


@dataclass(frozen=True)
class RegisterOp:
    """One operation.

    Attributes:
        kind: what it does.
        address: of the (first) register, with the array's base.
        values: words that are written or compared; for ``set`` one word.
        mask: of a masked write or poll.
        numbers: what else belongs to the kind: the count of ``set``, the level of ``preempt``, id, bytes and address
            (low, high) of ``pdi``, direction, column, row, columns, rows and channel of ``wait``, argument and byte
            offset of ``patch``, the operation code of ``custom`` and ``command``, the timeout of a CDO's ``poll``.
        words: as they stand in the file.
        offset: byte offset of its first word in the file.
    """

    kind: OpKind
    address: int = 0
    values: tuple[int, ...] = ()
    mask: int = 0
    numbers: tuple[int, ...] = ()
    words: tuple[int, ...] = ()
    offset: int = 0

    @property
    def meaning(self) -> tuple[object, ...]:
        """All of it but how and where it is stored."""
        return self.kind, self.address, self.values, self.mask, self.numbers


def array_address(column: int, row: int, offset: int, base: int = 0) -> int:
    """The address of a tile's register."""
    return base | column << _COLUMN | row << _ROW | offset


def split_address(address: int) -> tuple[int, int, int, int]:
    """Base of the array, column, row and offset in the tile."""
    base = address >> _BASE << _BASE
    rest = address - base
    return base, rest >> _COLUMN, rest >> _ROW & 0x1F, rest & _OFFSET
