# SPDX-License-Identifier: Apache-2.0
"""Loadables: the files that NVDLA's compilers write, schema 0.7.0.

Source: the public schema of nvdla/sw (``umd/core/src/common/loadable.fbs``). Earlier schemas have other fields in the
middle of their tables, so they would be read as garbage: the version is looked at before anything else.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.flatbuffer import SCALARS, Reader, Schema, Table, Writer

SCHEMA_VERSION = (0, 7, 0)
IDENTIFIER = b"NVDA"
ALLOC, SET, INPUT, OUTPUT = 1, 2, 4, 8
"""Flags of a memory."""
MEMORY_FLAGS = {ALLOC: "alloc", SET: "set", INPUT: "input", OUTPUT: "output"}
INTERFACES = ("none", "DLA1", "EMU1")
SUB_INTERFACES = ("none", "addr0", "deps", "ops", "surfs", "luts")
DOMAINS = ("DRAM", "SRAM")
DATA_TYPES = ("unknown", "float", "half", "int16", "int8")
DATA_FORMATS = ("unknown", "NCHW", "NHWC")
DATA_CATEGORIES = ("image", "weight", "feature", "planar", "bias")
EVENT_OPS = ("wait", "signal")
RELOCATIONS = ("none", "line stride", "surface stride")
LARGEST_MEMORY = 1 << 32
"""A memory of more bytes is taken for damage."""
_REUSE = 16
"""How many times a file's size may be read in all: a file whose tables share parts is legal, a bomb is not."""

SCHEMA: Schema = {
    "Loadable": (
        ("version", "Version"),
        ("tasks", "[Task]"),
        ("memories", "[Memory]"),
        ("addresses", "[Address]"),
        ("events", "[Event]"),
        ("blobs", "[Blob]"),
        ("tensors", "[Tensor]"),
        ("relocations", "[Relocation]"),
        ("submits", "[Submit]"),
    ),
    "Blob": (
        ("name", "string"),
        ("size", "u64"),
        ("interface", "u32"),
        ("sub_interface", "u32"),
        ("version", "Version"),
        ("data", "[u8]"),
    ),
    "Memory": (
        ("id", "u16"),
        ("domain", "u8"),
        ("flags", "u16"),
        ("size", "u64"),
        ("alignment", "u32"),
        ("contents", "[string]"),
        ("offsets", "[u64]"),
        ("bind_id", "u16"),
        ("tensor_desc_id", "u16"),
    ),
    "Address": (("id", "u16"), ("mem_id", "u16"), ("offset", "u64"), ("size", "u64")),
    "Task": (
        ("id", "u16"),
        ("interface", "u32"),
        ("instance", "i16"),
        ("address_list", "[u16]"),
        ("pre_actions", "[u16]"),
        ("post_actions", "[u16]"),
    ),
    "Submit": (("id", "u16"), ("task_id", "[u16]")),
    "Event": (("id", "u16"), ("type", "u8"), ("target", "u16"), ("val", "u32"), ("op", "u8")),
    "Relocation": (
        ("address_id", "u16"),
        ("write_id", "u16"),
        ("offset", "u64"),
        ("interface", "u32"),
        ("sub_interface", "u32"),
        ("reloc_type", "u8"),
    ),
    "Tensor": (
        ("name", "string"),
        ("id", "u16"),
        ("mem_id", "u16"),
        ("size", "u64"),
        ("offset", "u64"),
        ("data_format", "u8"),
        ("data_type", "u8"),
        ("data_category", "u8"),
        ("pixel_format", "u8"),
        ("pixel_mapping", "u8"),
        ("n", "i32"),
        ("c", "i32"),
        ("h", "i32"),
        ("w", "i32"),
        *((f"stride_{i}", "u32") for i in range(8)),
    ),
}


class Version(NamedTuple):
    """``major.minor.sub``."""

    major: int
    minor: int
    sub_minor: int

    def __str__(self) -> str:
        return ".".join(map(str, self))


@dataclass(frozen=True, eq=False)
class Blob:
    """Named bytes; ``size`` is what the file says, ``len(data)`` what is there."""

    name: str
    size: int = 0
    interface: int = 0
    sub_interface: int = 0
    version: Version | None = None
    data: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))


@dataclass(frozen=True)
class LoadableMemory:
    """A stretch of memory; ``contents`` are names of blobs, put at ``offsets``."""

    id: int
    domain: int = 0
    flags: int = 0
    size: int = 0
    alignment: int = 0
    contents: tuple[str, ...] = ()
    offsets: tuple[int, ...] = ()
    bind_id: int = 0
    tensor_desc_id: int = 0

    @property
    def flag_names(self) -> tuple[str, ...]:
        """Which flags are set."""
        return tuple(name for bit, name in MEMORY_FLAGS.items() if self.flags & bit)


@dataclass(frozen=True)
class Address:
    """A place in a memory; ``size`` may be 0."""

    id: int
    mem_id: int
    offset: int = 0
    size: int = 0


@dataclass(frozen=True)
class LoadableTask:
    """Work for an engine: descriptors speak of addresses as positions in ``address_list``, which holds ids."""

    id: int
    interface: int
    instance: int = -1
    address_list: tuple[int, ...] = ()
    pre_actions: tuple[int, ...] = ()
    post_actions: tuple[int, ...] = ()


@dataclass(frozen=True)
class Submit:
    """Tasks that are handed over together."""

    id: int
    task_id: tuple[int, ...] = ()


@dataclass(frozen=True)
class Event:
    """A synchronisation between tasks; the runtime ignores it."""

    id: int
    type: int = 0
    target: int = 0
    val: int = 0
    op: int = 0


@dataclass(frozen=True)
class Relocation:
    """A stride that the runtime may write anew; ``reloc_type`` 1 line stride, 2 surface stride."""

    address_id: int
    write_id: int
    offset: int = 0
    interface: int = 0
    sub_interface: int = 0
    reloc_type: int = 0


@dataclass(frozen=True)
class LoadableTensor:
    """An input or output of the network."""

    name: str
    id: int
    mem_id: int
    size: int = 0
    offset: int = 0
    data_format: int = 0
    data_type: int = 0
    data_category: int = 0
    pixel_format: int = 0
    pixel_mapping: int = 0
    n: int = 0
    c: int = 0
    h: int = 0
    w: int = 0
    strides: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Loadable:
    """Everything in a file. Lists keep the file's order; entries refer to each other by id."""

    version: Version
    tasks: tuple[LoadableTask, ...] = ()
    memories: tuple[LoadableMemory, ...] = ()
    addresses: tuple[Address, ...] = ()
    events: tuple[Event, ...] = ()
    blobs: tuple[Blob, ...] = ()
    tensors: tuple[LoadableTensor, ...] = ()
    relocations: tuple[Relocation, ...] = ()
    submits: tuple[Submit, ...] = ()
    file: Path | None = None

    def memory(self, ident: int) -> LoadableMemory:
        """A memory by id."""
        return _by_id(self.memories, ident, "memory", self.file)

    def address(self, ident: int) -> Address:
        """An address by id."""
        return _by_id(self.addresses, ident, "address", self.file)

    def task(self, ident: int) -> LoadableTask:
        """A task by id."""
        return _by_id(self.tasks, ident, "task", self.file)

    def blob(self, name: str) -> Blob | None:
        """A blob by name."""
        return next((b for b in self.blobs if b.name == name), None)

    def blobs_of(self, memory: LoadableMemory) -> tuple[tuple[int, Blob], ...]:
        """Offset and blob of everything that a memory is set to.

        An empty name stands for nothing; without offsets the first blob goes to the beginning.

        Raises:
            InputError: a name that no blob has, or a blob that does not fit.
        """
        found = []
        for i, name in enumerate(memory.contents):
            if not name:
                continue
            blob = self.blob(name)
            if blob is None:
                raise InputError(f"memory {memory.id} with contents {name!r}", "the name of a blob", file=self.file)
            if i >= len(memory.offsets) and i > 0:
                raise InputError(
                    f"memory {memory.id} with {len(memory.offsets)} offsets for {len(memory.contents)} contents",
                    "one each",
                    file=self.file,
                )
            offset = memory.offsets[i] if memory.offsets else 0
            if offset + len(blob.data) > memory.size:
                raise InputError(
                    f"blob {name!r} of {len(blob.data)} bytes at {offset} of memory {memory.id}",
                    f"to fit into {memory.size} bytes",
                    file=self.file,
                )
            found.append((offset, blob))
        return tuple(found)

    def image(self, memory: LoadableMemory) -> npt.NDArray[np.uint8]:
        """(size,) bytes of a memory before the network runs, 0 where nothing is set.

        Raises:
            InputError: as :meth:`blobs_of`, or a size beyond :data:`LARGEST_MEMORY`.
        """
        if memory.size > LARGEST_MEMORY:
            raise InputError(f"memory {memory.id} of {memory.size} bytes", f"at most {LARGEST_MEMORY}", file=self.file)
        blobs = self.blobs_of(memory)
        data = np.zeros(memory.size, np.uint8)
        for offset, blob in blobs:
            data[offset : offset + len(blob.data)] = blob.data
        return data

    def filled(self, address: Address) -> int:
        """Bytes from an address to the end of the last blob behind it, 0 if there is none.

        Raises:
            InputError: as :meth:`blobs_of`.
        """
        ends = (offset + len(blob.data) for offset, blob in self.blobs_of(self.memory(address.mem_id)))
        return max(0, max(ends, default=0) - address.offset)

    def window(self, address: Address, size: int, what: str) -> npt.NDArray[np.uint8]:
        """(size,) bytes at an address, without making the image of a large memory.

        Raises:
            InputError: the memory ends before.
        """
        memory = self.memory(address.mem_id)
        if address.offset + size > memory.size:
            raise InputError(
                f"{what} of {size} bytes at {address.offset} of memory {memory.id}",
                f"to fit into {memory.size} bytes",
                file=self.file,
            )
        data = np.zeros(size, np.uint8)
        for offset, blob in self.blobs_of(memory):
            first = max(offset, address.offset)
            last = min(offset + len(blob.data), address.offset + size)
            if first < last:
                data[first - address.offset : last - address.offset] = blob.data[first - offset : last - offset]
        return data


def read_loadable(path: str | PathLike[str]) -> Loadable:
    """Read a loadable.

    Raises:
        InputError: damaged, or of another schema version.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError("no such file", "a loadable", file=path) from None
    except OSError as error:
        raise InputError(error.strerror or "a file that cannot be read", "a loadable", file=path) from None
    return parse_loadable(data, path)


def parse_loadable(data: bytes, file: str | PathLike[str] | None = None) -> Loadable:
    """A loadable from the bytes of its file. The identifier ``NVDA`` is not asked for: good files lack it.

    Raises:
        InputError: damaged, or of another schema version.
    """
    if len(data) < 8:
        raise InputError(f"{len(data)} bytes", "a loadable of nvdla_compiler", file=file, offset=0)
    if int.from_bytes(data[:4], "little") >= len(data):
        raise InputError("another kind of file", "a loadable of nvdla_compiler", file=file, offset=0)
    reader = Reader(memoryview(data), SCHEMA, file=file, reuse=_REUSE, sized=False)
    place = reader.place("Loadable", "version")
    if place is None:
        raise InputError("no version", "Loadable.version", file=file)
    version = Version(*data[place : place + 3])
    if version != SCHEMA_VERSION:
        wanted = f"schema version {Version(*SCHEMA_VERSION)}"
        raise InputError(f"loadable of schema version {version}", wanted, file=file, offset=place)
    return Loadable(**_values("Loadable", reader.root("Loadable")), file=None if file is None else Path(file))


def _values(name: str, table: Table) -> dict[str, Any]:
    """The fields of a table as the classes here have them; absent numbers are 0, absent texts and vectors empty."""
    values = {field: _value(kind, table.get(field)) for field, kind in SCHEMA[name]}
    if name == "Tensor":
        values["strides"] = tuple(values.pop(f"stride_{i}") for i in range(8))
    return values


def _value(kind: str, value: Any) -> Any:
    if kind == "Version":
        return None if value is None else Version(*value)
    if kind == "[u8]":
        return np.frombuffer(value or b"", np.uint8)
    if kind == "string":
        return value or ""
    if kind in SCALARS:
        return value or 0
    entry = _ENTRIES.get(kind[1:-1])
    return tuple(value or ()) if entry is None else tuple(entry(**_values(kind[1:-1], one)) for one in value or ())


_ENTRIES: dict[str, Any] = {
    "Blob": Blob,
    "Memory": LoadableMemory,
    "Address": Address,
    "Task": LoadableTask,
    "Submit": Submit,
    "Event": Event,
    "Relocation": Relocation,
    "Tensor": LoadableTensor,
}
"""By the name of the table in the file's schema."""


def to_bytes(loadable: Loadable, *, identifier: bytes = IDENTIFIER) -> bytes:
    """The file of a loadable, as small compilers would write it; whatever ``version`` it carries.

    Args:
        loadable: what to write.
        identifier: ``NVDA``, or none.
    """
    lists: dict[str, Any] = {"version": loadable.version}
    for one in fields(loadable):
        if one.name not in ("version", "file"):
            lists[one.name] = [_plain(entry) for entry in getattr(loadable, one.name)]
    return Writer(SCHEMA).write("Loadable", _filled(lists), identifier)


def _plain(entry: Any) -> dict[str, Any]:
    values = {f.name: getattr(entry, f.name) for f in fields(entry)}
    for i, stride in enumerate(values.pop("strides", ())):
        values[f"stride_{i}"] = stride
    return _filled(values)


def _filled(values: dict[str, Any]) -> dict[str, Any]:
    """Without empty texts and vectors, which such compilers leave out."""
    return {k: v for k, v in values.items() if not isinstance(v, (str, tuple, list, np.ndarray)) or len(v)}


_Entry = TypeVar("_Entry", LoadableMemory, Address, LoadableTask)


def _by_id(entries: tuple[_Entry, ...], ident: int, what: str, file: Path | None) -> _Entry:
    for entry in entries:
        if entry.id == ident:
            return entry
    raise InputError(f"{what} id {ident}", f"one of {', '.join(str(e.id) for e in entries) or 'none'}", file=file)
