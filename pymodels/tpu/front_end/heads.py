# SPDX-License-Identifier: Apache-2.0
"""What the command front end makes of a command's first beat (docs/tpu-engine.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from goldbeat.pymodels.tpu.front_end.kinds import (
    BM1684X,
    BM1688,
    BM1690,
    DMA_COUNT,
    DMA_LONG,
    DMA_SHORT,
    DMA_SYSTEM,
    LONG_ONLY,
    MESSAGE_BITS,
    NO_DEPENDENCY,
    ONE_FORM,
    TIU,
    TIU_SYSTEM,
    dma_bytes,
    tiu_bytes,
)
from goldbeat.pymodels.tpu.front_end.register_values import StreamSettings

_NOT_THERE = (0,) * 6
ERRORS = {
    "BUS": 1,
    "BAD_KIND": 2,
    "OVERRUN": 3,
    "BAD_ID": 4,
    "END_EARLY": 5,
    "END_MISSING": 6,
    "BAD_DEPENDENCY": 7,
    "BAD_MESSAGE": 8,
    "DEADLOCK": 9,
}
"""Codes of the register ERROR."""

Role = Literal["", "send", "wait"]


@dataclass(frozen=True)
class Head:
    """A command as its first beat has it.

    Attributes:
        kind: the 10 bits of ``tuser``.
        bytes: length.
        dep: id waited for, 0 for none.
        is_end: whether it is END.
        role: SEND, WAIT or neither.
        message, count: of SEND and WAIT.
    """

    kind: int
    bytes: int
    dep: int
    is_end: bool
    role: Role
    message: int
    count: int


def _bits(value: int, high: int, low: int) -> int:
    return value >> low & (1 << high - low + 1) - 1


class Heads:
    """The decoder of one engine: 0 the TIU, others DMA."""

    def __init__(self, chip: int, engine: int, nmsg: int) -> None:
        self._chip = chip
        self._dma = engine > 0
        self._nmsg = nmsg

    def decode(
        self, beat: bytes, good: bool, place: int, number: int, stream: StreamSettings, others: int
    ) -> tuple[Head, int]:
        """Decode a command's first beat.

        Args:
            beat: 16 bytes.
            good: whether it came with OKAY.
            place: beats of the stream before it.
            number: the id that was generated for it.
            stream: where it comes from.
            others: count of the engine whose ids it waits for.

        Returns:
            The head, and the code of its fault, 0 for none.
        """
        value = int.from_bytes(beat, "little")
        head, known, id_ = self._dma_head(value) if self._dma else self._tiu_head(value)
        last = place + head.bytes // 16
        total = 8 * stream.size
        fault = 0
        if not good:
            fault = ERRORS["BUS"]
        elif not known:
            fault = ERRORS["BAD_KIND"]
        elif last > total:
            fault = ERRORS["OVERRUN"]
        elif id_ is not None and id_ != number & 0xFFFFF:
            fault = ERRORS["BAD_ID"]
        elif head.is_end and number < stream.count:
            fault = ERRORS["END_EARLY"]
        elif not head.is_end and (number == stream.count or last == total):
            fault = ERRORS["END_MISSING"]
        elif head.dep > others:
            fault = ERRORS["BAD_DEPENDENCY"]
        elif head.role and (head.message >= self._nmsg or head.count == 0):
            fault = ERRORS["BAD_MESSAGE"]
        return head, fault

    def _tiu_head(self, value: int) -> tuple[Head, bool, int | None]:
        type_ = _bits(value, 44, 41)
        eu = _bits(value, 47 if type_ == 12 else 49, 45)
        short = 0 if type_ in ONE_FORM else value & 1
        known = bool(TIU.get(type_, _NOT_THERE)[self._chip] >> eu & 1) and not (short and type_ in LONG_ONLY)
        dep = 0
        if type_ not in NO_DEPENDENCY:
            if self._chip == BM1684X:
                dep = _bits(value, 40, 21)
            elif self._chip == BM1688:
                dep = _bits(value, 40, 17)
            else:
                dep = _bits(value, 36, 17) * _bits(value, 37, 37)
        id_ = _bits(value, 20, 1) if self._chip == BM1684X and type_ != 7 else None
        role: Role = ""
        message = count = 0
        if self._chip != BM1684X and type_ == TIU_SYSTEM and eu in (8, 9):
            role = "send" if eu == 8 else "wait"
            message = _bits(value, 63 + MESSAGE_BITS[self._chip], 64)
            count = _bits(value, 86, 80)
        size = tiu_bytes(self._chip, short, type_, eu)
        return (
            Head(short << 9 | type_ << 5 | eu, size, dep, (type_, eu) == (TIU_SYSTEM, 31), role, message, count),
            known,
            id_,
        )

    def _dma_head(self, value: int) -> tuple[Head, bool, int | None]:
        wide = self._chip >= BM1690
        type_ = _bits(value, 36 if wide else 35, 32)
        func = _bits(value, 39, 37) if wide else _bits(value, 38, 36)
        short = _bits(value, 3, 3)
        table = DMA_SHORT if short else DMA_LONG
        known = bool(table.get(type_, _NOT_THERE)[self._chip] >> func & 1)
        if self._chip == BM1684X:
            dep = _bits(value, 83, 64)
        elif self._chip == BM1688:
            dep = _bits(value, 87, 64)
        else:
            dep = _bits(value, 83, 64) * _bits(value, 84, 84)
        id_ = _bits(value, 28, 9) if self._chip == BM1684X else None
        role: Role = ""
        message = count = 0
        if self._chip != BM1684X and type_ == DMA_SYSTEM and short and func in (3, 4):
            role = "send" if func == 3 else "wait"
            message = _bits(value, 95 + MESSAGE_BITS[self._chip], 96)
            first = DMA_COUNT[self._chip]
            count = _bits(value, first + 6, first)
        kind = short << 8 | type_ << 3 | func
        end = (type_, func, short) == (DMA_SYSTEM, 0, 1)
        return Head(kind, dma_bytes(type_), dep, end, role, message, count), known, id_
