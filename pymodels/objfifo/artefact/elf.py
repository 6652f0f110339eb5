# SPDX-License-Identifier: Apache-2.0
"""Control code in an ELF file: sections ``.ctrltext`` with an instruction stream, beside PDIs.

Sources: the ELF specification (32-bit, little-endian); names of the sections from files of mlir-aie and XRT.
"""

from __future__ import annotations

from goldbeat.pymodels.objfifo.artefact.words import WordFile

ELF_MAGIC = b"\x7fELF"
_KIND = b"\x01\x01"
_PROGRAM = 1
_SECTION_BYTES = 40


def control_sections(source: WordFile) -> list[tuple[int, int]]:
    """First byte and size of every section of control code, in the order of the file.

    Raises:
        InputError: not a 32-bit little-endian ELF file, or a table that reaches past the end.
    """
    if source.data[4:6] != _KIND:
        raise source.error(4, f"class and order {source.data[4:6].hex()}", "0101: 32 bit, little-endian")
    (table,) = source.words(32, 1, "the place of the section table")
    sizes, names = source.words(44, 2, "the section table's size")
    entry, count, strings = sizes >> 16, names & 0xFFFF, names >> 16
    if entry != _SECTION_BYTES:
        raise source.error(46, f"section headers of {entry} bytes", f"{_SECTION_BYTES}")
    headers = [source.words(table + _SECTION_BYTES * n, 10, "a section header") for n in range(count)]
    if strings >= count:
        raise source.error(50, f"section {strings} for names", f"less than {count}")
    first = headers[strings][4]
    found = []
    for number, header in enumerate(headers):
        at = first + header[0]
        name = source.data[at : at + 64].split(b"\0")[0]
        if header[1] != _PROGRAM or not name.startswith(b".ctrltext"):
            continue
        offset, size = header[4], header[5]
        if offset + size > len(source.data):
            where = table + _SECTION_BYTES * number + 16
            raise source.error(where, f"a section of {size} bytes at {offset}", f"one within {len(source.data)} bytes")
        found.append((offset, size))
    return sorted(found)
