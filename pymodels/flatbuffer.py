# SPDX-License-Identifier: Apache-2.0
"""FlatBuffers by schema: a reader that believes no offset, and a writer.

The layout is the public one of FlatBuffers (https://flatbuffers.dev/internals): a table begins with a signed distance
back to its vtable, the vtable says where in the table each field lies, references are unsigned distances forward.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from goldbeat.pymodels.errors import InputError, UsageError

Schema = Mapping[str, Sequence[tuple[str, str]]]
"""Fields of each table in the order of their ids. Types: a scalar, ``string``, a struct, a table, or one in brackets."""

SCALARS = {
    "u8": ("<B", 1),
    "i8": ("<b", 1),
    "bool": ("<?", 1),
    "u16": ("<H", 2),
    "i16": ("<h", 2),
    "i32": ("<i", 4),
    "u32": ("<I", 4),
    "i64": ("<q", 8),
    "u64": ("<Q", 8),
    "f32": ("<f", 4),
}
STRUCTS = {"Binary": ("<QQ", 16, 8), "Version": ("<BBB", 3, 1)}
"""Format, size and alignment: the structs of all formats that are read here."""

Table = dict[str, Any]
"""A table as read: fields that are there, tables as dicts, vectors as lists (of bytes: as bytes), structs as tuples."""


class Reader:
    """Reads tables out of bytes.

    Every byte belongs to one object (strings, vtables and, with some writers, tables may be shared), so that the bytes of all
    objects together are not many times more than there are: a buffer whose references multiply or go round in circles is refused
    before it fills the memory.

    Args:
        data: the buffer, beginning with the reference to the root table.
        schema: what is in it.
        file: for messages.
        base: byte offset of the buffer in the file, for messages.
        reuse: how many times the buffer's size may be read in all.
        sized: fields lie within the size that their table's vtable says; there are writers that put structs behind it.
    """

    def __init__(
        self,
        data: memoryview,
        schema: Schema,
        *,
        file: str | PathLike[str] | None = None,
        base: int = 0,
        reuse: int = 4,
        sized: bool = True,
    ) -> None:
        self._data = data
        self._schema = schema
        self._file = file
        self._base = base
        self._reuse = reuse
        self._sized = sized
        self._left = reuse * len(data) + 1024

    def root(self, table: str) -> Table:
        """The root table."""
        return self._table(table, self._reference(0, table), table)

    def place(self, table: str, field: str) -> int | None:
        """Byte in the buffer at which a field of the root table lies; None where it is absent."""
        at = self._reference(0, table)
        slots, _, _ = self._slots(at, table)
        index, kind = next((i, kind) for i, (name, kind) in enumerate(self._schema[table]) if name == field)
        if index >= len(slots) or slots[index] == 0:
            return None
        self._take(at + slots[index], self._width(kind), f"{table}.{field}")
        return at + slots[index]

    def _wrong(self, at: int, found: str, expected: str) -> InputError:
        return InputError(found, expected, file=self._file, offset=self._base + at)

    def _take(self, at: int, size: int, what: str) -> None:
        if at < 0 or at + size > len(self._data):
            raise self._wrong(at, f"{what} of {size} bytes at {at}", f"it inside the buffer of {len(self._data)} bytes")
        self._left -= size
        if self._left < 0:
            found = (
                f"objects that are larger together than {self._reuse} times the buffer, parts being used over and over"
            )
            raise self._wrong(at, found, "each byte in one object")

    def _scalar(self, kind: str, at: int, what: str) -> Any:
        form, size = SCALARS[kind]
        self._take(at, size, what)
        return struct.unpack_from(form, self._data, at)[0]

    def _reference(self, at: int, what: str) -> int:
        return at + int(self._scalar("u32", at, what))

    def _slots(self, at: int, what: str) -> tuple[tuple[int, ...], int, int]:
        """Where in a table its fields lie, 0 for absent ones; the table's size; where the vtable lies."""
        vtable = at - int(self._scalar("i32", at, what))
        self._take(vtable, 4, f"vtable of {what}")
        vtable_size, size = struct.unpack_from("<HH", self._data, vtable)
        if vtable_size < 4 or vtable_size % 2 or size < 4:
            raise self._wrong(
                vtable,
                f"vtable of {what} with {vtable_size} bytes, for {size}",
                "an even number of at least 4, and at least 4",
            )
        self._take(vtable, vtable_size, f"vtable of {what}")
        if self._sized:
            self._take(at, size, what)
        return struct.unpack_from(f"<{vtable_size // 2 - 2}H", self._data, vtable + 4), size, vtable

    def _table(self, name: str, at: int, what: str) -> Table:
        slots, size, vtable = self._slots(at, what)
        made: Table = {}
        for index, ((field, kind), where) in enumerate(zip(self._schema[name], slots, strict=False)):
            if where == 0:
                continue
            if self._sized and (where < 4 or where + self._width(kind) > size):
                found = f"{what}.{field} at byte {where}"
                raise self._wrong(vtable + 4 + 2 * index, found, f"it inside the {size} bytes of its table")
            made[field] = self._value(kind, at + where, f"{what}.{field}")
        return made

    def _width(self, kind: str) -> int:
        if kind in SCALARS:
            return SCALARS[kind][1]
        return STRUCTS[kind][1] if kind in STRUCTS else 4

    def _value(self, kind: str, at: int, what: str) -> Any:
        if kind in SCALARS:
            return self._scalar(kind, at, what)
        if kind in STRUCTS:
            form, size, _ = STRUCTS[kind]
            self._take(at, size, what)
            return struct.unpack_from(form, self._data, at)
        to = self._reference(at, what)
        if kind == "string":
            return self._string(to, what)
        if kind.startswith("["):
            return self._vector(kind[1:-1], to, what)
        return self._table(kind, to, what)

    def _string(self, at: int, what: str) -> str:
        size = int(self._scalar("u32", at, what))
        self._take(at + 4, size, what)
        try:
            return bytes(self._data[at + 4 : at + 4 + size]).decode("utf-8")
        except UnicodeDecodeError as error:
            found = f"{what} with byte 0x{self._data[at + 4 + error.start]:02x}"
            raise self._wrong(at + 4 + error.start, found, "UTF-8") from None

    def _vector(self, kind: str, at: int, what: str) -> Any:
        count = int(self._scalar("u32", at, what))
        width = self._width(kind)
        self._take(at + 4, count * width, what)
        if kind == "u8":
            return bytes(self._data[at + 4 : at + 4 + count])
        if kind in SCALARS:
            return list(struct.unpack_from(f"<{count}{SCALARS[kind][0][1:]}", self._data, at + 4))
        return [self._value(kind, at + 4 + i * width, f"{what}[{i}]") for i in range(count)]


class Writer:
    """Writes tables: parents first, what they refer to behind them."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._out = bytearray()

    def write(self, table: str, root: Table, identifier: bytes = b"") -> bytes:
        """The buffer, its length a multiple of 8.

        Args:
            table: name of the root table.
            root: its fields as :class:`Reader` gives them; what is missing or None is left out.
            identifier: four bytes behind the reference to the root table, or none.
        """
        self._out = bytearray(4) + identifier
        struct.pack_into("<I", self._out, 0, self._table(table, root))
        self._align(8)
        return bytes(self._out)

    def _align(self, to: int) -> None:
        self._out += bytes(-len(self._out) % to)

    def _size(self, kind: str) -> tuple[int, int]:
        """Size and alignment of a value in place."""
        if kind in SCALARS:
            return SCALARS[kind][1], SCALARS[kind][1]
        return STRUCTS[kind][1:] if kind in STRUCTS else (4, 4)

    def _table(self, name: str, value: Table) -> int:
        fields = self._schema[name]
        unknown = set(value) - {field for field, _ in fields}
        if unknown:
            raise UsageError(f"{name} has no field {', '.join(sorted(unknown))}")
        there = [(i, field, kind) for i, (field, kind) in enumerate(fields) if value.get(field) is not None]
        slots = [0] * (max((i for i, _, _ in there), default=-1) + 1)
        at = 4
        # Large ones first: little is lost to alignment.
        order = sorted(there, key=lambda one: -self._size(one[2])[1])
        for index, _, kind in order:
            size, align = self._size(kind)
            at += -at % align
            slots[index] = at
            at += size
        self._align(8)
        # So that the table behind the vtable begins at a multiple of 8.
        self._out += bytes(-(4 + 2 * len(slots)) % 8)
        vtable = len(self._out)
        self._out += struct.pack(f"<HH{len(slots)}H", 4 + 2 * len(slots), at, *slots)
        begin = len(self._out)
        self._out += bytes(at)
        struct.pack_into("<i", self._out, begin, begin - vtable)
        for index, field, kind in there:
            self._put(f"{name}.{field}", kind, begin + slots[index], value[field])
        return begin

    def _put(self, what: str, kind: str, at: int, value: Any) -> None:
        try:
            if kind in SCALARS:
                struct.pack_into(SCALARS[kind][0], self._out, at, value)
                return
            if kind in STRUCTS:
                struct.pack_into(STRUCTS[kind][0], self._out, at, *value)
                return
        except (struct.error, TypeError) as error:
            raise UsageError(f"{what}: found {value!r}, expected {kind} ({error})") from None
        if kind == "string":
            to = self._bytes(str(value).encode("utf-8"), b"\0")
        elif kind.startswith("["):
            to = self._vector(what, kind[1:-1], value)
        else:
            to = self._table(kind, value)
        struct.pack_into("<I", self._out, at, to - at)

    def _bytes(self, raw: bytes, end: bytes = b"") -> int:
        self._align(4)
        begin = len(self._out)
        self._out += struct.pack("<I", len(raw)) + raw + end
        return begin

    def _vector(self, what: str, kind: str, values: Any) -> int:
        if kind == "u8":
            return self._bytes(bytes(values))
        size, align = self._size(kind)
        self._align(8)
        # The elements, not the count before them, lie at a multiple of their size.
        self._out += bytes((4 - align) % 8 if align > 4 else 0)
        begin = len(self._out)
        self._out += struct.pack("<I", len(values)) + bytes(size * len(values))
        for index, value in enumerate(values):
            self._put(f"{what}[{index}]", kind, begin + 4 + index * size, value)
        return begin
