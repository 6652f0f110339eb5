# SPDX-License-Identifier: Apache-2.0
"""Files that configuration objects come in: PDI (a boot image) and xclbin.

Sources: XRT's xclbin.h (section table, AIE_PARTITION); the configuration object inside a PDI is found by its header,
whose checksum must be right.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from goldbeat.pymodels.objfifo.artefact.cdo import HEADER_WORDS, Cdo, decode_cdo, is_cdo
from goldbeat.pymodels.objfifo.artefact.words import WordFile

XCLBIN_MAGIC = b"xclbin2\0"
_HEADER = 0x130
_COUNT_AT = _HEADER + 0x90
_SECTIONS_AT = _COUNT_AT + 8
_SECTION_BYTES = 40
_AIE_PARTITION = 32
_PARTITION_BYTES = 184
_PDI_AT = 0x78
_PDI_BYTES = 96


@dataclass(frozen=True)
class Part:
    """A run of bytes of a container: a configuration object, or what is between them.

    Attributes:
        offset: of its first byte.
        data: its bytes.
        cdo: the object, None for other bytes.
    """

    offset: int
    data: bytes
    cdo: Cdo | None


def split_container(data: bytes, file: Path | None = None) -> tuple[Part, ...]:
    """Cut a PDI, an xclbin or a bare CDO into configuration objects and other bytes; joined they are the file.

    Raises:
        InputError: no configuration object, or damage, with the byte offset.
    """
    source = WordFile(data, file)
    images = _images(source) if data.startswith(XCLBIN_MAGIC) else [(0, len(data))]
    parts: list[Part] = []
    at = 0
    for first, end in sorted(set(images)):
        for cdo in _objects(source, first, end):
            if cdo.offset < at:
                raise source.error(cdo.offset, "a CDO inside another", "images that do not overlap")
            if cdo.offset > at:
                parts.append(Part(at, data[at : cdo.offset], None))
            size = len(cdo.encode())
            parts.append(Part(cdo.offset, data[cdo.offset : cdo.offset + size], cdo))
            at = cdo.offset + size
    if not parts:
        raise source.error(0, "no CDO header", "a CDO, a PDI or an xclbin with one")
    if at < len(data):
        parts.append(Part(at, data[at:], None))
    return tuple(parts)


def _objects(source: WordFile, first: int, end: int) -> list[Cdo]:
    found = []
    at = first
    while at + 4 * HEADER_WORDS <= end:
        if is_cdo(source.data, at):
            found.append(decode_cdo(source, at, end))
            at += len(found[-1].encode())
        else:
            at += 4
    return found


def _images(source: WordFile) -> list[tuple[int, int]]:
    """First byte and end of every PDI of an xclbin."""
    images = []
    for at in range(_sections(source)):
        where = _SECTIONS_AT + _SECTION_BYTES * at
        kind = source.word(where, "a section header")
        if kind != _AIE_PARTITION:
            continue
        low, high, size_low, size_high = source.words(where + 24, 4, "a section header")
        offset, size = low | high << 32, size_low | size_high << 32
        if offset + size > len(source.data) or size < _PARTITION_BYTES:
            expected = f"at least {_PARTITION_BYTES} within the file's {len(source.data)}"
            raise source.error(where + 24, f"AIE_PARTITION of {size} bytes at {offset}", expected)
        images += _partition(source, offset, size)
    if not images:
        raise source.error(_COUNT_AT, "no PDI in an AIE_PARTITION section", "one or more")
    return images


def _sections(source: WordFile) -> int:
    count = source.word(_COUNT_AT, "the number of sections")
    most = (len(source.data) - _SECTIONS_AT) // _SECTION_BYTES
    if count > most:
        raise source.error(_COUNT_AT, f"{count} sections", f"at most {most}, which the file has room for")
    return count


def _partition(source: WordFile, offset: int, size: int) -> list[tuple[int, int]]:
    count, table = source.words(offset + _PDI_AT, 2, "the PDI table")
    if table + count * _PDI_BYTES > size:
        raise source.error(offset + _PDI_AT, f"{count} PDIs at {table}", f"a table within the section's {size} bytes")
    images = []
    for number in range(count):
        where = offset + table + number * _PDI_BYTES + 16
        length, start = source.words(where, 2, "a PDI's place")
        if start + length > size:
            raise source.error(where, f"a PDI of {length} bytes at {start}", f"one within the section's {size} bytes")
        images.append((offset + start, offset + start + length))
    return images
