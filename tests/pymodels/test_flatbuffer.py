# SPDX-License-Identifier: Apache-2.0
"""FlatBuffers: what a reader can be told of a format, beyond what the formats' own tests show."""

import struct

import pytest

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.flatbuffer import Reader, Writer

SCHEMA = {
    "Root": [("version", "Version"), ("small", "u16"), ("signed", "i16"), ("many", "[u16]"), ("parts", "[Part]")],
    "Part": [("name", "string")],
}
FULL = {
    "version": (1, 2, 3),
    "small": 65535,
    "signed": -32768,
    "many": [1, 2, 3],
    "parts": [{"name": "a"}, {"name": "€"}],
}


def test_short_numbers_and_an_identifier():
    raw = Writer(SCHEMA).write("Root", FULL, b"GBFB")
    assert raw[4:8] == b"GBFB"
    assert Reader(memoryview(raw), SCHEMA).root("Root") == FULL


def test_the_place_of_a_field_of_the_root():
    raw = Writer(SCHEMA).write("Root", {"version": (1, 2, 3), "small": 0x1234})
    reader = Reader(memoryview(raw), SCHEMA)
    at = reader.place("Root", "version")
    assert raw[at : at + 3] == bytes((1, 2, 3))
    assert struct.unpack_from("<H", raw, reader.place("Root", "small")) == (0x1234,)
    # One in a slot that the vtable has, the others behind its end.
    assert reader.place("Root", "parts") is None
    later = Reader(memoryview(Writer(SCHEMA).write("Root", {"signed": 1})), SCHEMA)
    assert later.place("Root", "version") is None
    with pytest.raises(InputError, match="Root of 4 bytes at 0"):
        Reader(memoryview(b""), SCHEMA).place("Root", "version")


def test_a_table_that_is_larger_than_its_vtable_says():
    raw = bytearray(Writer(SCHEMA).write("Root", {"version": (1, 2, 3)}))
    root = struct.unpack_from("<I", raw)[0]
    vtable = root - struct.unpack_from("<i", raw, root)[0]
    struct.pack_into("<H", raw, vtable + 2, 4)
    with pytest.raises(InputError, match=r"Root\.version at byte 4, expected it inside the 4 bytes of its table"):
        Reader(memoryview(bytes(raw)), SCHEMA, base=100).root("Root")
    assert Reader(memoryview(bytes(raw)), SCHEMA, sized=False).root("Root") == {"version": (1, 2, 3)}
    # What lies outside of the buffer is refused all the same.
    struct.pack_into("<H", raw, vtable + 4, 60000)
    with pytest.raises(InputError, match=r"Root\.version of 3 bytes at \d+, expected it inside the buffer"):
        Reader(memoryview(bytes(raw)), SCHEMA, sized=False).root("Root")


def test_how_often_parts_may_be_shared_is_the_formats():
    raw = bytearray(Writer(SCHEMA).write("Root", {"parts": [{"name": "x" * 4096}] * 64}))
    root = Reader(memoryview(bytes(raw)), SCHEMA).place("Root", "parts")
    vector = root + struct.unpack_from("<I", raw, root)[0]
    # All elements are the first one: 64 times the same string, in a file that is cut behind it.
    first = vector + 4 + struct.unpack_from("<I", raw, vector + 4)[0]
    for i in range(64):
        struct.pack_into("<I", raw, vector + 4 + 4 * i, first - vector - 4 - 4 * i)
    shared = memoryview(bytes(raw[: first + 2 * 4096]))
    with pytest.raises(InputError, match="larger together than 4 times the buffer, parts being used over and over"):
        Reader(shared, SCHEMA).root("Root")
    assert len(Reader(shared, SCHEMA, reuse=64).root("Root")["parts"]) == 64


def test_text_that_is_no_utf8_is_told_with_its_place():
    raw = bytearray(Writer(SCHEMA).write("Root", {"parts": [{"name": "abcd"}]}))
    at = raw.index(b"abcd")
    raw[at + 2] = 0xFF
    with pytest.raises(InputError, match=r"Root\.parts\[0\]\.name with byte 0xff, expected UTF-8") as caught:
        Reader(memoryview(bytes(raw)), SCHEMA, base=16).root("Root")
    assert caught.value.offset == 16 + at + 2
