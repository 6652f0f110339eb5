# SPDX-License-Identifier: Apache-2.0
"""Traces as files: written and read in chunks, in the fewest bits that hold a column, compressed.

A trace file is a packed archive (:mod:`goldbeat.pymodels.packed`). Chunk k has ``k.data``, and those of the other
arrays that say something:

* ``k.data``: (n, B) uint8;
* ``k.keep``: (n, ceil(B / 8)) uint8, bit 0 of the first byte is ``keep[:, 0]``; absent: all bytes valid;
* ``k.last``: (ceil(n / 8),) uint8, bit 7 of the first byte is ``last[0]``; absent: no TLAST;
* ``k.gaps``: (n,) idle cycles before each beat, 0 for the first of a chunk; absent: back to back;
* ``k.tid``, ``k.tdest``, ``k.tuser``: (n,); absent: all 0.

``head`` is (width in bits, clock_ps, offset_ps, bits of the sidebands that there are), ``chunks`` is (chunks, 3): beats, cycle of
the first one, bits of the arrays that there are beside ``data``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError, naming
from goldbeat.pymodels.packed import PackedReader, PackedWriter, narrow
from goldbeat.pymodels.sidebands import SIDEBANDS

SUFFIX = ".trace"
_FORMAT = 2
_OPTIONAL = ("keep", "last", "gaps", *SIDEBANDS)
_WHAT = "a trace"
_CHUNK_BYTES = 1 << 22
"""Of TDATA in a chunk: what a compressor is quick on, and next to nothing beside a trace that is long."""


class FileTrace(Protocol):
    """A trace, as its file sees it; :class:`goldbeat.pymodels.trace.Trace`."""

    @property
    def data(self) -> npt.NDArray[np.uint8]:
        """(n, B) bytes."""

    @property
    def keep(self) -> npt.NDArray[np.bool_]:
        """(n, B) which of them count."""

    @property
    def last(self) -> npt.NDArray[np.bool_]:
        """(n,) TLAST."""

    @property
    def cycle(self) -> npt.NDArray[np.int64]:
        """(n,) cycles."""

    @property
    def clock_ps(self) -> int:
        """Period of the clock."""

    @property
    def offset_ps(self) -> int:
        """Time of its edge 0."""

    @property
    def width(self) -> int:
        """Bits of a beat."""

    @property
    def sides(self) -> Sequence[str]:
        """Sidebands that there are."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: slice) -> FileTrace: ...


T = TypeVar("T", bound=FileTrace)


def chunk_beats(width: int) -> int:
    """Beats of a chunk of a port of ``width`` bits."""
    return max(1, min(1 << 18, _CHUNK_BYTES * 8 // width)) if width else 1 << 18


class TraceWriter:
    """Writes a trace in parts; a context manager, at whose end the file is whole.

    Args:
        path: the file, overwritten.
        like: a trace with the width, clock and sidebands of all parts.
    """

    def __init__(self, path: str | PathLike[str], like: FileTrace) -> None:
        self._archive = PackedWriter(path)
        self._width = like.width
        self._sides = list(like.sides)
        flags = sum(1 << SIDEBANDS.index(name) for name in self._sides)
        self._head = (like.width, like.clock_ps, like.offset_ps, flags)
        self._chunks: list[tuple[int, int, int]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._archive:
            if kind is None:
                self._archive.add("format", _FORMAT)
                self._archive.add("head", np.array(self._head, np.int64))
                self._archive.add("chunks", np.array(self._chunks, np.int64).reshape(-1, 3))

    def add(self, part: FileTrace) -> None:
        """Append beats; their cycles are later than those before."""
        size = chunk_beats(self._width)
        for start in range(0, len(part), size):
            self._add(part[start : start + size])

    def _add(self, beats: FileTrace) -> None:
        columns: dict[str, npt.NDArray[Any]] = {}
        if not beats.keep.all():
            columns["keep"] = np.packbits(beats.keep, axis=1, bitorder="little")
        if beats.last.any():
            columns["last"] = np.packbits(beats.last)
        gaps = np.diff(beats.cycle, prepend=beats.cycle[0] - 1) - 1
        for name, column in (("gaps", gaps), *((s, getattr(beats, s)) for s in self._sides)):
            if column.any():
                columns[name] = narrow(column)
        number = len(self._chunks)
        for name, column in {"data": beats.data, **columns}.items():
            self._archive.add(f"{number}.{name}", column)
        there = sum(1 << _OPTIONAL.index(name) for name in columns)
        self._chunks.append((len(beats), int(beats.cycle[0]), there))


class TraceReader(Generic[T]):
    """Reads a trace file chunk by chunk; a context manager.

    Args:
        path: the file.
        kind: the class of traces, :class:`goldbeat.pymodels.trace.Trace`.

    Raises:
        InputError: not such a file, or damaged.
    """

    def __init__(self, path: str | PathLike[str], kind: type[T]) -> None:
        self._path = path
        self._kind: Any = kind
        self._archive = PackedReader(path, _WHAT)
        try:
            with _plain_errors(path):
                _check_format(self._archive, _FORMAT)
                head: list[int] = self._archive.get("head").astype(np.int64).tolist()
                self.width, self.clock_ps, self.offset_ps, flags = head
                self.sides = [name for n, name in enumerate(SIDEBANDS) if flags >> n & 1]
                self._chunks = [
                    (int(n), int(first), int(bits)) for n, first, bits in self._archive.get("chunks").tolist()
                ]
        except BaseException:
            self._archive.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.__exit__()

    def __len__(self) -> int:
        return sum(n for n, _, _ in self._chunks)

    @property
    def lengths(self) -> list[int]:
        """Beats of each chunk."""
        return [n for n, _, _ in self._chunks]

    def part(self, number: int) -> T:
        """A chunk.

        Raises:
            InputError: damaged.
        """
        with _plain_errors(self._path):
            return self._part(number, *self._chunks[number])

    def parts(self) -> Iterator[T]:
        """The trace, a chunk at a time; raises as :meth:`part` does."""
        return (self.part(number) for number in range(len(self._chunks)))

    def _part(self, number: int, beats: int, first: int, there: int) -> T:
        lanes = self.width // 8
        if not 0 < beats <= chunk_beats(self.width):
            raise ValueError(f"chunk {number} of {beats} beats")
        data = self._archive.get(f"{number}.data")
        if data.shape != (beats, lanes) or data.dtype != np.uint8:
            raise ValueError(f"chunk {number} of {data.dtype} {data.shape}, where {(beats, lanes)} bytes were expected")
        found = {name: self._archive.get(f"{number}.{name}") for n, name in enumerate(_OPTIONAL) if there >> n & 1}
        shapes = {"keep": (beats, (lanes + 7) // 8), "last": ((beats + 7) // 8,)}
        for name, column in found.items():
            if column.shape != shapes.get(name, (beats,)):
                raise ValueError(f"{name} of chunk {number} has the shape {column.shape}")
        keep, last, gaps = (found.get(name) for name in ("keep", "last", "gaps"))
        made: T = self._kind.from_bytes(
            data,
            keep=None if keep is None else np.unpackbits(keep, axis=1, count=lanes, bitorder="little"),
            last=None if last is None else np.unpackbits(last, count=beats),
            cycle=first + (np.arange(beats) if gaps is None else np.cumsum(gaps.astype(np.int64) + 1) - 1),
            clock_ps=self.clock_ps,
            offset_ps=self.offset_ps,
            **{name: found.get(name, np.zeros(beats, np.uint64)) for name in self.sides},
        )
        return made


@contextmanager
def _plain_errors(path: str | PathLike[str]) -> Iterator[None]:
    """Every error of what a file holds names the file."""
    try:
        with naming(path):
            yield
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(str(error) or type(error).__name__, _WHAT, file=path) from error


def _check_format(archive: PackedReader, expected: int) -> None:
    form = int(archive.get("format"))
    if form != expected:
        raise InputError(f"trace format {form}", f"format {expected}")


def save(trace: FileTrace, path: str | PathLike[str]) -> None:
    """Write a whole trace."""
    with TraceWriter(path, trace) as writer:
        writer.add(trace)


def load(path: str | PathLike[str], kind: type[T]) -> T:
    """Read a trace file, or a ``.npz`` of format 1.

    Raises:
        InputError: not such a file, or damaged.
    """
    with PackedReader(path, _WHAT) as archive:
        if "chunks" not in archive:
            return _load_old(archive, path, kind)
    with TraceReader(path, kind) as reader, _plain_errors(path):
        sides: Any = {name: np.zeros(0, np.uint64) for name in reader.sides}
        none = np.zeros((0, reader.width // 8), np.uint8)
        make: Any = kind
        start = make.from_bytes(none, clock_ps=reader.clock_ps, offset_ps=reader.offset_ps, **sides)
        found: T = make.concat([start, *reader.parts()])
        return found


def _load_old(archive: PackedReader, path: str | PathLike[str], kind: type[T]) -> T:
    """A trace as versions before chunks wrote it: every column whole."""
    with _plain_errors(path):
        _check_format(archive, 1)
        columns: dict[str, Any] = {n: archive.get(n) for n in ("data", "keep", "last", "cycle")}
        columns |= {n: archive.get(n) for n in SIDEBANDS if n in archive}
        make: Any = kind
        found: T = make(clock_ps=int(archive.get("clock_ps")), offset_ps=int(archive.get("offset_ps")), **columns)
        return found
