# SPDX-License-Identifier: Apache-2.0
"""What the command front end makes of a command's first beat: the tables of docs/tpu-engine.md.

These are the design's own tables, as the page has them; the decoder's (:mod:`pymodels.tpu.tables`) are not used, so that
a slip in either shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pymodels.tpu.engine_program import Stream

BM1684X, BM1688, BM1690 = range(3)
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

# Bit eu of a mask: the sub-operation is there. None: no such type.
_TIU_MASKS: dict[int, tuple[int | None, int | None, int | None]] = {
    0: (0x00000007, 0x00000001, 0x00000017),
    1: (0x000000F7, 0x000001FB, 0x000001FB),
    2: (0x0000007E, 0x00000072, 0x000000F2),
    3: (0x7FFDFFFF, 0x6C7DFFFF, 0x1CFDFFFF),
    4: (0x0000003F, 0x0000001B, 0x0000001B),
    5: (0x0000003F, 0x0000003F, 0x0000003F),
    6: (0x0007FFFF, 0x0007E37F, 0x0007E37B),
    7: (0x7FFFFFFF, None, 0x0007FFFF),
    8: (None, None, 0x00000007),
    9: (0x0002B000, 0x0002B000, 0x0002B000),
    10: (0x00300002, 0x00300002, 0x00300002),
    12: (None, 0x00000001, 0x00000001),
    13: (0x07C00000, 0x07C00000, 0x0FC00000),
    14: (0x0091BFBD, 0x0091BFBD, 0x0091BFBD),
    15: (0xC000003F, 0xC000031E, 0xC000033F),
}
_TIU_LONG_ONLY = {8}
_ONE_FORM = {7, 12, 15}

# (mask, forms): "l" long only, "s" short only, "b" both.
_DMA_MASKS: dict[int, tuple[tuple[int, str] | None, tuple[int, str] | None, tuple[int, str] | None]] = {
    0: ((0x7F, "l"), (0x7F, "l"), (0x1B, "l")),
    1: ((0x03, "b"), (0x03, "l"), (0x03, "l")),
    2: ((0x01, "b"), (0x03, "l"), (0x03, "l")),
    3: ((0x03, "b"), (0x03, "l"), (0x03, "l")),
    4: ((0x01, "l"), (0x01, "l"), (0x01, "l")),
    5: ((0x01, "b"), (0x01, "l"), (0x01, "l")),
    6: ((0x03, "s"), (0x1F, "s"), (0xFF, "s")),
    7: ((0x01, "l"), (0x01, "l"), (0x01, "l")),
    8: ((0x01, "l"), (0x01, "l"), (0x03, "l")),
    9: (None, (0x0F, "l"), (0x0F, "l")),
    10: (None, (0x03, "l"), (0x03, "l")),
    11: (None, (0x03, "l"), (0x03, "l")),
    12: (None, None, (0x03, "l")),
    13: (None, None, (0x03, "l")),
    15: (None, None, (0x7F, "l")),
    16: (None, None, (0x01, "l")),
}
_SHORT_BYTES = {0: 64, 1: 64, 6: 48, 13: 48, 14: 48, 4: 32, 5: 32, 9: 32, 10: 32}


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

    def decode(self, beat: bytes, good: bool, place: int, number: int, stream: Stream, others: int) -> tuple[Head, int]:
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
        short = 0 if type_ in _ONE_FORM else value & 1
        mask = _TIU_MASKS.get(type_, (None, None, None))[self._chip]
        known = mask is not None and bool(mask >> eu & 1) and not (short and type_ in _TIU_LONG_ONLY)
        dep = 0
        if type_ not in (7, 12):
            if self._chip == BM1684X:
                dep = _bits(value, 40, 21)
            elif self._chip == BM1688:
                dep = _bits(value, 40, 17)
            else:
                dep = _bits(value, 36, 17) * _bits(value, 37, 37)
        id_ = _bits(value, 20, 1) if self._chip == BM1684X and type_ != 7 else None
        role: Role = ""
        message = count = 0
        if self._chip != BM1684X and type_ == 15 and eu in (8, 9):
            role = "send" if eu == 8 else "wait"
            message = _bits(value, 70 if self._chip == BM1688 else 72, 64)
            count = _bits(value, 86, 80)
        size = self._tiu_bytes(short, type_, eu)
        return Head(short << 9 | type_ << 5 | eu, size, dep, (type_, eu) == (15, 31), role, message, count), known, id_

    @staticmethod
    def _tiu_bytes(short: int, type_: int, eu: int) -> int:
        if type_ in _ONE_FORM:
            return 16
        if not short:
            return 128
        if type_ == 2:
            return 48 if eu <= 3 else 32
        if type_ == 3:
            return 16 if eu in (24, 25) else 64
        return _SHORT_BYTES.get(type_, 16)

    def _dma_head(self, value: int) -> tuple[Head, bool, int | None]:
        wide = self._chip == BM1690
        type_ = _bits(value, 36 if wide else 35, 32)
        func = _bits(value, 39, 37) if wide else _bits(value, 38, 36)
        short = _bits(value, 3, 3)
        there = _DMA_MASKS.get(type_, (None, None, None))[self._chip]
        known = there is not None and bool(there[0] >> func & 1) and (there[1] == "b" or there[1] == "ls"[short])
        if self._chip == BM1684X:
            dep = _bits(value, 83, 64)
        elif self._chip == BM1688:
            dep = _bits(value, 87, 64)
        else:
            dep = _bits(value, 83, 64) * _bits(value, 84, 84)
        id_ = _bits(value, 28, 9) if self._chip == BM1684X else None
        role: Role = ""
        message = count = 0
        if self._chip != BM1684X and type_ == 6 and short and func in (3, 4):
            role = "send" if func == 3 else "wait"
            message = _bits(value, 104 if wide else 102, 96)
            count = _bits(value, 111, 105) if wide else _bits(value, 110, 104)
        kind = short << 8 | type_ << 3 | func
        end = (type_, func, short) == (6, 0, 1)
        return Head(kind, 16 if type_ == 6 else 96, dep, end, role, message, count), known, id_
