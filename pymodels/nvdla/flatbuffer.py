# SPDX-License-Identifier: Apache-2.0
"""FlatBuffers, read with every offset checked against the file, and written for small files.

Source: FlatBuffers internals (binary format): tables begin with a signed offset to their vtable; a vtable holds its
size, the table's size and one offset a field, 0 for a field that is absent; all other offsets are unsigned and point
forwards.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from pymodels.errors import InputError

SCALARS = {"u8": "<B", "u16": "<H", "i16": "<h", "u32": "<I", "i32": "<i", "u64": "<Q"}
ARRAYS: dict[str, npt.DTypeLike] = {"[u8]": "<u1", "[u16]": "<u2", "[u64]": "<u8"}
_AMPLIFICATION = 16
"""How many times the file's size may be read in all: a file whose tables share parts is legal, a bomb is not."""

Schema = Mapping[str, Sequence[tuple[str, str]]]
"""Fields of each table in the order of their slots: name and kind. Kinds are those of :data:`SCALARS`, :data:`ARRAYS`, ``string``,
``[string]``, ``bytes3`` (a structure of three bytes), and ``[Name]`` for a vector of tables."""


class Buffer:
    """Bytes with checked access.

    Args:
        data: the whole file.
        file: for messages.
    """

    def __init__(self, data: bytes, file: str | PathLike[str] | None = None) -> None:
        self.data = data
        self.file = file
        self._left = _AMPLIFICATION * len(data) + 4096

    def fail(self, found: str, expected: str, offset: int) -> InputError:
        """An error that says where."""
        return InputError(found, expected, file=self.file, offset=offset)

    def check(self, offset: int, size: int, what: str) -> int:
        """``offset``, when ``size`` bytes are there."""
        if offset < 0 or offset + size > len(self.data):
            raise self.fail(
                f"{what} at byte {offset} of {size} bytes", f"to stay inside of {len(self.data)} bytes", offset
            )
        self._left -= size
        if self._left < 0:
            raise self.fail(f"{what} among parts that are used over and over", "a file of ordinary structure", offset)
        return offset

    def scalar(self, offset: int, kind: str, what: str) -> int:
        """A number."""
        form = SCALARS[kind]
        value: int = struct.unpack_from(form, self.data, self.check(offset, struct.calcsize(form), what))[0]
        return value

    def follow(self, offset: int, what: str) -> int:
        """Where an unsigned offset points to."""
        distance = self.scalar(offset, "u32", what)
        if distance < 4:
            raise self.fail(f"{what} with offset {distance}", "an offset that leads forwards", offset)
        return self.check(offset + distance, 4, what)

    def table(self, offset: int, what: str) -> Table:
        """The table at an offset."""
        vtable = offset - self.scalar(offset, "i32", what)
        size = self.scalar(vtable, "u16", f"vtable of {what}")
        if size < 4 or size % 2:
            raise self.fail(f"vtable of {what} with {size} bytes", "an even number of at least 4", vtable)
        self.check(vtable, size, f"vtable of {what}")
        slots = struct.unpack_from(f"<{size // 2 - 2}H", self.data, vtable + 4)
        return Table(self, offset, slots, what)

    def count(self, offset: int, size: int, what: str) -> int:
        """The length of a vector of ``size`` bytes an element."""
        n = self.scalar(offset, "u32", what)
        self.check(offset + 4, n * size, what)
        return n

    def text(self, offset: int, what: str) -> str:
        """The string at an offset."""
        n = self.count(offset, 1, what)
        try:
            return self.data[offset + 4 : offset + 4 + n].decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.fail(f"{what} with byte 0x{self.data[offset + 4 + error.start]:02x}", "UTF-8", offset) from None


@dataclass(frozen=True)
class Table:
    """A table of a buffer."""

    buffer: Buffer
    offset: int
    slots: tuple[int, ...]
    what: str

    def place(self, slot: int) -> int | None:
        """Where a field stands; None if absent."""
        if slot >= len(self.slots) or self.slots[slot] == 0:
            return None
        return self.offset + self.slots[slot]

    def read(self, schema: Schema, name: str, make: Callable[[str, dict[str, Any]], Any]) -> Any:
        """The table as ``make`` builds it from its fields, absent numbers being 0, absent texts and vectors empty."""
        fields = {
            field: self._field(schema, slot, field, kind, make) for slot, (field, kind) in enumerate(schema[name])
        }
        return make(name, fields)

    def _field(
        self, schema: Schema, slot: int, field: str, kind: str, make: Callable[[str, dict[str, Any]], Any]
    ) -> Any:
        buffer, place, what = self.buffer, self.place(slot), f"{self.what}.{field}"
        if kind in SCALARS:
            return 0 if place is None else buffer.scalar(place, kind, what)
        if kind == "bytes3":
            return None if place is None else tuple(buffer.data[buffer.check(place, 3, what) : place + 3])
        if kind == "string":
            return "" if place is None else buffer.text(buffer.follow(place, what), what)
        at = None if place is None else buffer.follow(place, what)
        if kind in ARRAYS:
            dtype = np.dtype(ARRAYS[kind])
            if at is None:
                return np.zeros(0, dtype)
            return np.frombuffer(buffer.data, dtype, buffer.count(at, dtype.itemsize, what), at + 4)
        if at is None:
            return ()
        places = range(at + 4, at + 4 + 4 * buffer.count(at, 4, what), 4)
        if kind == "[string]":
            return tuple(buffer.text(buffer.follow(p, f"{what}[{i}]"), f"{what}[{i}]") for i, p in enumerate(places))
        inner = kind[1:-1]
        return tuple(
            buffer.table(buffer.follow(p, f"{what}[{i}]"), f"{what}[{i}]").read(schema, inner, make)
            for i, p in enumerate(places)
        )


class Builder:
    """Writes tables from front to back: what a table points to comes behind it."""

    def __init__(self) -> None:
        self._data = bytearray()

    def finish(self, schema: Schema, root: str, fields: Mapping[str, Any], identifier: bytes = b"") -> bytes:
        """A file with one root table.

        Args:
            schema: of all tables.
            root: name of the root table.
            fields: its fields as :meth:`Table.read` gives them; inner tables are mappings, too. What is missing, None or
                empty is left out.
            identifier: four bytes, or none.
        """
        self._data = bytearray(4) + identifier
        self._point(0, self._table(schema, root, fields))
        return bytes(self._data)

    def _align(self, to: int) -> int:
        self._data += bytes(-len(self._data) % to)
        return len(self._data)

    def _point(self, place: int, target: int) -> None:
        struct.pack_into("<I", self._data, place, target - place)

    def _table(self, schema: Schema, name: str, fields: Mapping[str, Any]) -> int:
        there = [
            (slot, field, kind)
            for slot, (field, kind) in enumerate(schema[name])
            if (value := fields.get(field)) is not None and (kind in SCALARS or kind == "bytes3" or len(value))
        ]
        sizes = {slot: _size(kind) for slot, _, kind in there}
        offsets, end = {}, 4
        for slot in sorted(sizes, key=lambda s: (-sizes[s], s)):
            step = 1 if sizes[slot] == 3 else sizes[slot]
            end += -end % step
            offsets[slot], end = end, end + sizes[slot]
        slots = max(sizes, default=-1) + 1
        self._align(2)
        # The table itself begins at a multiple of eight, behind its vtable.
        vtable = len(self._data) + -(len(self._data) + 4 + 2 * slots) % 8
        self._data += bytes(vtable - len(self._data))
        self._data += struct.pack(f"<HH{slots}H", 4 + 2 * slots, end, *(offsets.get(s, 0) for s in range(slots)))
        at = len(self._data)
        self._data += struct.pack("<i", at - vtable) + bytes(end - 4)
        for slot, field, kind in there:
            place, value = at + offsets[slot], fields[field]
            if kind in SCALARS:
                struct.pack_into(SCALARS[kind], self._data, place, value)
            elif kind == "bytes3":
                self._data[place : place + 3] = bytes(value)
            else:
                self._point(place, self._vector(schema, kind, value))
        return at

    def _vector(self, schema: Schema, kind: str, value: Any) -> int:
        if kind == "string":
            return self._text(value)
        if kind in ARRAYS:
            dtype = np.dtype(ARRAYS[kind])
            raw = np.asarray(value, dtype).tobytes()
            # The elements are aligned, and the length stands right before them.
            self._align(4)
            while (len(self._data) + 4) % dtype.itemsize:
                self._data += bytes(4)
            at = len(self._data)
            self._data += struct.pack("<I", len(raw) // dtype.itemsize) + raw
            return at
        at = self._align(4)
        self._data += struct.pack("<I", len(value)) + bytes(4 * len(value))
        for i, one in enumerate(value):
            inner = self._text(one) if kind == "[string]" else self._table(schema, kind[1:-1], one)
            self._point(at + 4 + 4 * i, inner)
        return at

    def _text(self, value: str) -> int:
        raw = value.encode("utf-8")
        at = self._align(4)
        self._data += struct.pack("<I", len(raw)) + raw + b"\0"
        return at


def _size(kind: str) -> int:
    if kind in SCALARS:
        return struct.calcsize(SCALARS[kind])
    return 3 if kind == "bytes3" else 4
