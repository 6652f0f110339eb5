# SPDX-License-Identifier: Apache-2.0
"""Instruction streams and configuration objects inside of ELF files."""

import struct

import pytest
from objfifo_compiled import LONG_TXN, SHORT_TXN, cdo_bytes, hex_bytes

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.artefact.cdo import Cdo
from goldbeat.pymodels.objfifo.artefact.listing import decode_compiled, from_listing, to_listing
from goldbeat.pymodels.objfifo.artefact.transaction import Transaction
from goldbeat.pymodels.objfifo.compiled_design import load_compiled


def elf(*sections, kind=b"\x01\x01", entry=40):
    """An ELF file of named sections, their headers at the end."""
    names, data = b"\0", bytearray(52)
    headers = [bytes(40)]
    for name, content in [*sections, (b".shstrtab", None)]:
        at = len(names)
        names += name + b"\0"
        body = names if content is None else content
        data += bytes(-len(data) % 4)
        headers.append(struct.pack("<10I", at, 3 if content is None else 1, 0, 0, len(data), len(body), 0, 0, 0, 0))
        data += body
    data += bytes(-len(data) % 4)
    table = len(data)
    data[:16] = b"\x7fELF" + kind + bytes([1] + [0] * 9)
    data[32:36] = struct.pack("<I", table)
    data[46:52] = struct.pack("<3H", entry, len(headers), len(headers) - 1)
    return bytes(data) + b"".join(headers)


def test_streams_and_objects_there_and_back():
    long, short = hex_bytes(LONG_TXN), hex_bytes(SHORT_TXN)
    data = elf((b".pdi.1", bytes(16) + cdo_bytes()), (b".ctrltext.0", long), (b".ctrltext.1", short + bytes(8)))
    found = decode_compiled(data)
    kinds = [type(p.content) for p in found.parts if not isinstance(p.content, bytes)]
    assert kinds == [Cdo, Transaction, Transaction]
    assert found.encode() == data
    assert from_listing("\n".join(to_listing(found))).encode() == data
    assert [p.content.encode() for p in found.parts if isinstance(p.content, Transaction)] == [long, short]


def test_several_programs_are_not_loaded_as_one(tmp_path):
    file = tmp_path / "aie.elf"
    file.write_bytes(elf((b".ctrltext.0", hex_bytes(LONG_TXN)), (b".ctrltext.1", hex_bytes(LONG_TXN))))
    with pytest.raises(UsageError, match="several programs"):
        load_compiled(file)
    file.write_bytes(elf((b".ctrltext", hex_bytes(LONG_TXN))))
    assert load_compiled(file).unsupported


def test_damage_has_the_offset_in_the_file():
    good = hex_bytes(LONG_TXN)
    bad = good[:12] + struct.pack("<I", 0x7FFF) + good[16:]
    with pytest.raises(InputError) as caught:
        decode_compiled(elf((b".ctrltext", bad)))
    assert caught.value.offset == 52 + 12


@pytest.mark.parametrize(
    ("data", "offset"),
    [
        (elf((b".ctrltext", b""), kind=b"\x02\x01"), 4),
        (elf((b".ctrltext", b""), entry=64), 46),
        (elf((b".text", bytes(16))), 0),
        (elf()[:60], 52),
    ],
)
def test_files_without_a_stream(data, offset):
    with pytest.raises(InputError) as caught:
        decode_compiled(data)
    assert caught.value.offset is not None
    assert caught.value.offset >= offset
