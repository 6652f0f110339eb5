# SPDX-License-Identifier: Apache-2.0
"""Small compiled files, made by hand from the lists of fields."""

from __future__ import annotations

import struct
from pathlib import Path

from goldbeat.pymodels.objfifo.artefact.emit import configuration, instructions
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.plan import Plan
from goldbeat.pymodels.objfifo.plan.tile import TileKind

LONG_TXN = """
06030100 00000101 00000007 00000110 00000001 00000000 0001D020 00000030
00000040 00000000 00000000 00000000 80000000 00000000 00000000 02000000
00000081 00000030 00000000 00000000 00000000 00000000 0001D024 00000000
00000002 00000000 00000000 00000000 00000000 00000000 0001D204 00000000
80000001 00000018 00000001 00000000 0001D000 00000030 00000040 00000000
00000000 00000000 80000000 00000000 00000000 02000000 00000081 00000030
00000000 00000000 00000000 00000000 0001D004 00000000 00000000 00000000
00000000 00000000 00000000 00000000 0001D214 00000000 00000000 00000018
00000080 00000010 00000000 00010100
"""
SHORT_TXN = """
06030001 00000101 00000007 000000C0 00000001 0001D020 0000002C 00000040
00000000 00000000 00000000 80000000 00000000 00000000 02000000 00000081
00000018 0001D024 00000002 00000000 00000000 00000000 0001D204 80000001
00000001 0001D000 0000002C 00000040 00000000 00000000 00000000 80000000
00000000 00000000 02000000 00000081 00000018 0001D004 00000000 00000000
00000000 00000000 0001D214 00000000 00000080 00000010 00000000 00010100
"""
"""Drain of 64 words into argument 2 by BD 1, fill from argument 0 by BD 0, wait for S2MM 0; both versions."""

XLNX = 0x584C4E58


def hex_bytes(text: str) -> bytes:
    """Hexadecimal words as little-endian bytes."""
    return b"".join(struct.pack("<I", int(word, 16)) for word in text.split())


def cdo_bytes(commands: list[list[int]] | None = None, magic: int = XLNX) -> bytes:
    """A configuration object of these commands; without any, one of each sort."""
    if commands is None:
        commands = [
            [0x00030108, 0, 0x0201D000 | 2 << 20, 0x1234],
            [0x00040107, 0, 0x0021DE00, 0xFF00, 0x0F00],
            [0x00050106, 0, 0x0021DF00, 1, 1, 100],
            [0x00040105, 0, 0x0021F000, 1, 2],
            [0x00FF0105, 302, 0, 0x00220000, *range(300)],
            [0x00000111],
            [0x00000100],
        ]
    body = [word for command in commands for word in command]
    head = [4, magic, 0x200, len(body)]
    return struct.pack(f"<{5 + len(body)}I", *head, ~sum(head) & 0xFFFFFFFF, *body)


def pdi_bytes(cdo: bytes | None = None) -> bytes:
    """Something like a boot image: other bytes, the object, and padding."""
    return bytes(range(64)) * 2 + (cdo or cdo_bytes()) + b"\xff" * 24


def xclbin_bytes(pdi: bytes | None = None) -> bytes:
    """An xclbin with one other section and an AIE_PARTITION with one PDI."""
    image = pdi or pdi_bytes()
    first = 0x130 + 0x98
    other, at = b"metadata" * 4, first + 80
    partition = bytearray(184)
    struct.pack_into("<2I", partition, 0x78, 1, 184)
    entry = bytearray(96)
    struct.pack_into("<2I", entry, 16, len(image), 184 + 96)
    data = bytearray(b"xclbin2\0" + bytes(first - 8))
    struct.pack_into("<I", data, 0x130 + 0x90, 2)
    whole = bytes(partition) + bytes(entry) + image
    data += struct.pack("<I16sIQQ", 2, b"other", 0, at, len(other))
    data += struct.pack("<I16sIQQ", 32, b"aie", 0, at + len(other), len(whole))
    return bytes(data) + other + whole


def words_of(text: str) -> tuple[int, ...]:
    """Hexadecimal words."""
    return struct.unpack(f"<{len(text.split())}I", hex_bytes(text))


def write_compiled(
    folder: Path, design: FifoDesign, plan: Plan, version: tuple[int, int] = (0, 1)
) -> tuple[Path, Path]:
    """The compiled files of a plan, with 32 words of code in each core: ``insts.bin`` and ``main.cdo``."""
    insts, config = folder / "insts.bin", folder / "main.cdo"
    insts.write_bytes(instructions(design, plan, version))
    cores = [one.tile for one in plan.tiles if one.tile.kind is TileKind.CORE]
    config.write_bytes(configuration(plan, dict.fromkeys(cores, range(1, 33))))
    return insts, config
