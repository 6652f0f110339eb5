# SPDX-License-Identifier: Apache-2.0
"""The kinds of commands that the command front end knows: the tables of docs/tpu-engine.md.

These are the design's own tables, as the page has them; the decoder's (:mod:`goldbeat.pymodels.tpu.streams.tables`)
are not used, so that a slip in either shows.
"""

from __future__ import annotations

BM1684X, BM1688, BM1690 = range(3)
"""Values of the parameter CHIP."""

BLOCK = 128
"""Bytes of a block, of which streams are made, and of the longest command."""

Masks = dict[int, tuple[int, int, int]]
"""By type, one mask a chip: bit n says that sub-operation n is there."""

TIU: Masks = {
    0: (0x00000007, 0x00000001, 0x00000017),
    1: (0x000000F7, 0x000001FB, 0x000001FB),
    2: (0x0000007E, 0x00000072, 0x000000F2),
    3: (0x7FFDFFFF, 0x6C7DFFFF, 0x1CFDFFFF),
    4: (0x0000003F, 0x0000001B, 0x0000001B),
    5: (0x0000003F, 0x0000003F, 0x0000003F),
    6: (0x0007FFFF, 0x0007E37F, 0x0007E37B),
    7: (0x7FFFFFFF, 0x00000000, 0x0007FFFF),
    8: (0x00000000, 0x00000000, 0x00000007),
    9: (0x0002B000, 0x0002B000, 0x0002B000),
    10: (0x00300002, 0x00300002, 0x00300002),
    12: (0x00000000, 0x00000001, 0x00000001),
    13: (0x07C00000, 0x07C00000, 0x0FC00000),
    14: (0x0091BFBD, 0x0091BFBD, 0x0091BFBD),
    15: (0xC000003F, 0xC000031E, 0xC000033F),
}
ONE_FORM = (7, 12, 15)
"""TIU types without a short flag: 16 bytes long."""
LONG_ONLY = (8,)
"""TIU types that have no short form."""
NO_DEPENDENCY = (7, 12)
"""TIU types that wait for no DMA command."""

DMA_LONG: Masks = {
    0: (0x7F, 0x7F, 0x1B),
    1: (0x03, 0x03, 0x03),
    2: (0x01, 0x03, 0x03),
    3: (0x03, 0x03, 0x03),
    4: (0x01, 0x01, 0x01),
    5: (0x01, 0x01, 0x01),
    7: (0x01, 0x01, 0x01),
    8: (0x01, 0x01, 0x03),
    9: (0x00, 0x0F, 0x0F),
    10: (0x00, 0x03, 0x03),
    11: (0x00, 0x03, 0x03),
    12: (0x00, 0x00, 0x03),
    13: (0x00, 0x00, 0x03),
    15: (0x00, 0x00, 0x7F),
    16: (0x00, 0x00, 0x01),
}
DMA_SHORT: Masks = {
    1: (0x03, 0x00, 0x00),
    2: (0x01, 0x00, 0x00),
    3: (0x03, 0x00, 0x00),
    5: (0x01, 0x00, 0x00),
    6: (0x03, 0x1F, 0xFF),
}

TIU_SYSTEM, DMA_SYSTEM = 15, 6
"""Types of the system commands, among them END, SEND and WAIT."""

_SHORT_BYTES = {0: 64, 1: 64, 6: 48, 13: 48, 14: 48, 4: 32, 5: 32, 9: 32, 10: 32}


def tiu_bytes(short: int, type_: int, sub: int) -> int:
    """Length of a TIU command."""
    if type_ in ONE_FORM:
        return 16
    if not short:
        return BLOCK
    if type_ == 2:
        return 48 if sub <= 3 else 32
    if type_ == 3:
        return 16 if sub in (24, 25) else 64
    return _SHORT_BYTES.get(type_, 16)


def dma_bytes(type_: int) -> int:
    """Length of a DMA command."""
    return 16 if type_ == DMA_SYSTEM else 96
