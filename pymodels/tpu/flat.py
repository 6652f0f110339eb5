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

from pymodels.errors import InputError, UsageError

Schema = Mapping[str, Sequence[tuple[str, str]]]
"""Fields of each table in the order of their ids. Types: a scalar, ``string``, a struct, a table, or one in brackets."""

SCALARS = {
    "u8": ("<B", 1),
    "i8": ("<b", 1),
    "bool": ("<?", 1),
    "i32": ("<i", 4),
    "u32": ("<I", 4),
    "i64": ("<q", 8),
    "u64": ("<Q", 8),
    "f32": ("<f", 4),
}
STRUCTS = {"Binary": ("<QQ", 16, 8), "Version": ("<BBB", 3, 1)}
"""Format, size and alignment: both containers' structs."""

Table = dict[str, Any]
"""A table as read: fields that are there, tables as dicts, vectors as lists (of bytes: as bytes), structs as tuples."""


class Reader:
    """Reads tables out of bytes.

    Every byte belongs to one object, so that the bytes of all objects together are no more than there are (strings and
    vtables may be shared); a buffer whose references go round in circles is refused before it fills the memory.

    Args:
        data: the buffer, beginning with the reference to the root table.
        schema: what is in it.
        file: for messages.
        base: byte offset of the buffer in the file, for messages.
    """

    def __init__(
        self, data: memoryview, schema: Schema, *, file: str | PathLike[str] | None = None, base: int = 0
    ) -> None:
        self._data = data
        self._schema = schema
        self._file = file
        self._base = base
        self._left = 4 * len(data) + 1024

    def root(self, table: str) -> Table:
        """The root table."""
        return self._table(table, self._reference(0))

    def _wrong(self, at: int, found: str, expected: str) -> InputError:
        return InputError(found, expected, file=self._file, offset=self._base + at)

    def _take(self, at: int, size: int, what: str) -> None:
        if at < 0 or at + size > len(self._data):
            raise self._wrong(at, f"{what} of {size} bytes at {at}", f"it inside the buffer of {len(self._data)} bytes")
        self._left -= size
        if self._left < 0:
            raise self._wrong(at, "objects that are larger together than the buffer", "each byte in one object")

    def _scalar(self, kind: str, at: int) -> Any:
        form, size = SCALARS[kind]
        self._take(at, size, kind)
        return struct.unpack_from(form, self._data, at)[0]

    def _reference(self, at: int) -> int:
        return at + int(self._scalar("u32", at))

    def _table(self, name: str, at: int) -> Table:
        vtable = at - int(self._scalar("i32", at))
        self._take(vtable, 4, "a vtable")
        vtable_size, size = struct.unpack_from("<HH", self._data, vtable)
        if vtable_size < 4 or vtable_size % 2 or size < 4:
            raise self._wrong(vtable, f"a vtable of {vtable_size} bytes for a table of {size}", "at least 4 and 4")
        self._take(vtable, vtable_size, "a vtable")
        self._take(at, size, f"table {name}")
        made: Table = {}
        for index, (field, kind) in enumerate(self._schema[name]):
            slot = 4 + 2 * index
            where = struct.unpack_from("<H", self._data, vtable + slot)[0] if slot + 2 <= vtable_size else 0
            if where == 0:
                continue
            width = self._width(kind)
            if where < 4 or where + width > size:
                raise self._wrong(
                    vtable + slot, f"{name}.{field} at byte {where}", f"it inside the {size} bytes of its table"
                )
            made[field] = self._value(kind, at + where)
        return made

    def _width(self, kind: str) -> int:
        if kind in SCALARS:
            return SCALARS[kind][1]
        return STRUCTS[kind][1] if kind in STRUCTS else 4

    def _value(self, kind: str, at: int) -> Any:
        if kind in SCALARS:
            return self._scalar(kind, at)
        if kind in STRUCTS:
            form, size, _ = STRUCTS[kind]
            self._take(at, size, kind)
            return struct.unpack_from(form, self._data, at)
        to = self._reference(at)
        if kind == "string":
            return self._string(to)
        if kind.startswith("["):
            return self._vector(kind[1:-1], to)
        return self._table(kind, to)

    def _string(self, at: int) -> str:
        size = int(self._scalar("u32", at))
        self._take(at + 4, size, "a string")
        try:
            return bytes(self._data[at + 4 : at + 4 + size]).decode("utf-8")
        except UnicodeDecodeError:
            raise self._wrong(at + 4, "bytes that are no UTF-8", "a string") from None

    def _vector(self, kind: str, at: int) -> Any:
        count = int(self._scalar("u32", at))
        width = self._width(kind)
        self._take(at + 4, count * width, f"a vector of {count} {kind}")
        if kind == "u8":
            return bytes(self._data[at + 4 : at + 4 + count])
        if kind in SCALARS:
            return list(struct.unpack_from(f"<{count}{SCALARS[kind][0][1:]}", self._data, at + 4))
        return [self._value(kind, at + 4 + i * width) for i in range(count)]


class Writer:
    """Writes tables: parents first, what they refer to behind them."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._out = bytearray(4)

    def write(self, table: str, root: Table) -> bytes:
        """The buffer, its length a multiple of 8."""
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
