# SPDX-License-Identifier: Apache-2.0
"""Traces that stay in files: read a part at a time, or whole where somebody asks for a column."""

from __future__ import annotations

import os
import shutil
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, count
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels import trace_file
from goldbeat.pymodels.trace import PART_BEATS, Trace
from goldbeat.pymodels.trace_file import SUFFIX, TraceReader, TraceWriter

_numbers = count()


class Chunks(Protocol):
    """Where the beats of a stored trace come from."""

    @property
    def width(self) -> int:
        """Bits of a beat."""

    @property
    def clock_ps(self) -> int:
        """Period of the clock."""

    @property
    def offset_ps(self) -> int:
        """Time of its edge 0."""

    @property
    def sides(self) -> Sequence[str]:
        """Sidebands that there are."""

    @property
    def lengths(self) -> Sequence[int]:
        """Beats of each chunk."""

    def part(self, number: int) -> Trace:
        """A chunk."""


class TraceFile:
    """A trace file that is opened when it is first read; goes to another process as its path.

    Args:
        path: the file.

    Raises:
        InputError: from each access: not such a file, or damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._opened: TraceReader[Trace] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return TraceFile, (self.path,)

    @property
    def _reader(self) -> TraceReader[Trace]:
        if self._opened is None:
            self._opened = TraceReader(self.path, Trace)
        return self._opened

    @property
    def width(self) -> int:
        """Bits of a beat."""
        return self._reader.width

    @property
    def clock_ps(self) -> int:
        """Period of the clock."""
        return self._reader.clock_ps

    @property
    def offset_ps(self) -> int:
        """Time of its edge 0."""
        return self._reader.offset_ps

    @property
    def sides(self) -> Sequence[str]:
        """Sidebands that there are."""
        return self._reader.sides

    @property
    def lengths(self) -> Sequence[int]:
        """Beats of each chunk."""
        return self._reader.lengths

    def part(self, number: int) -> Trace:
        """A chunk."""
        return self._reader.part(number)


class StoredTrace(Trace):
    """A trace whose beats stay in a file.

    It is a trace in every respect, and each column may be asked for; but a column is read whole. What works on long traces takes
    :meth:`parts`, or slices: a slice is a stored trace too, and reads what it has.

    Args:
        source: of the beats.
        start, end: the beats of the source that the trace has; None: to the last one.
        edges: period of the clock and time of its cycle 0; None: as the source has them.
    """

    def __new__(cls, *args: Any, **columns: Any) -> Any:
        """A trace with other columns than the file's, as :func:`dataclasses.replace` makes it, is a plain one."""
        return Trace(**columns) if "data" in columns else object.__new__(cls)

    def __init__(
        self, source: Chunks, start: int = 0, end: int | None = None, edges: tuple[int, int] | None = None
    ) -> None:
        ends = list(accumulate(source.lengths))
        edges = (source.clock_ps, source.offset_ps) if edges is None else edges
        self._set(source, ends, start, (ends or [0])[-1] if end is None else end, edges)

    def _set(self, source: Chunks, ends: list[int], start: int, end: int, edges: tuple[int, int]) -> None:
        put = object.__setattr__
        put(self, "_source", source)
        put(self, "_ends", ends)
        put(self, "_start", start)
        put(self, "_end", end)
        put(self, "_columns", None)
        put(self, "_latest", [])
        put(self, "clock_ps", edges[0])
        put(self, "offset_ps", edges[1])

    _source: Chunks
    _ends: list[int]
    _start: int
    _end: int
    _columns: Trace | None
    _latest: list[tuple[int, Trace]]
    """The chunk that was read last, with its number; slices share it."""

    @classmethod
    def open(cls, path: Path) -> StoredTrace:
        """The trace of a trace file.

        Raises:
            InputError: not such a file, or damaged; also when its beats are read.
        """
        found: StoredTrace = cls(TraceFile(path))
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return StoredTrace, (self._source, self._start, self._end, self._edges)

    # -- what it says -------------------------------------------------------------------------------------------

    @property
    def _edges(self) -> tuple[int, int]:
        return self.clock_ps, self.offset_ps

    def __len__(self) -> int:
        return self._end - self._start

    def __repr__(self) -> str:
        return f"<StoredTrace {len(self)} beats x {self.width} bit, {self.clock_ps} ps>"

    @property
    def width(self) -> int:
        """Port width in bits."""
        return self._source.width

    @property
    def sides(self) -> tuple[str, ...]:
        """The sidebands that the port has."""
        return tuple(self._source.sides)

    def whole(self) -> Trace:
        """All beats, in memory from now on."""
        if self._columns is None:
            first = bisect_right(self._ends, self._start)
            pieces = []
            while first < len(self._ends) and self._begin(first) < self._end:
                begin = self._begin(first)
                low, high = max(0, self._start - begin), self._end - begin
                chunk = self._chunk(first)
                pieces.append(chunk if low == 0 and high >= len(chunk) else chunk[low:high])
                first += 1
            columns = pieces[0] if len(pieces) == 1 else Trace.concat([self._none(), *pieces])
            object.__setattr__(self, "_columns", columns)
            return columns
        return self._columns

    def _begin(self, number: int) -> int:
        return self._ends[number - 1] if number else 0

    def _chunk(self, number: int) -> Trace:
        if not self._latest or self._latest[0][0] != number:
            self._latest[:] = [(number, self._source.part(number).on_edges(*self._edges))]
        return self._latest[0][1]

    def _none(self) -> Trace:
        """A trace of no beats at this port."""
        sides: dict[str, Any] = {name: np.zeros(0, np.uint64) for name in self.sides}
        none = np.zeros((0, self.width // 8), np.uint8)
        return Trace.from_bytes(none, clock_ps=self.clock_ps, offset_ps=self.offset_ps, **sides)

    @property
    def data(self) -> npt.NDArray[np.uint8]:
        """(n, B) bytes."""
        return self.whole().data

    @property
    def keep(self) -> npt.NDArray[np.bool_]:
        """(n, B) which of them count."""
        return self.whole().keep

    @property
    def last(self) -> npt.NDArray[np.bool_]:
        """(n,) TLAST."""
        return self.whole().last

    @property
    def cycle(self) -> npt.NDArray[np.int64]:
        """(n,) cycles."""
        return self.whole().cycle

    @property
    def tid(self) -> npt.NDArray[np.uint64] | None:
        """(n,) TID."""
        return self.whole().tid

    @property
    def tdest(self) -> npt.NDArray[np.uint64] | None:
        """(n,) TDEST."""
        return self.whole().tdest

    @property
    def tuser(self) -> npt.NDArray[np.uint64] | None:
        """(n,) TUSER."""
        return self.whole().tuser

    @property
    def tstrb(self) -> npt.NDArray[np.uint64] | None:
        """(n,) TSTRB."""
        return self.whole().tstrb

    def __getitem__(self, index: slice | npt.NDArray[Any]) -> Trace:
        """Some of the beats: a slice is read when it is looked at."""
        if not isinstance(index, slice) or index.step not in (None, 1):
            return self.whole()[index]
        start, end, _ = index.indices(len(self))
        part: StoredTrace = object.__new__(StoredTrace)
        part._set(self._source, self._ends, self._start + start, self._start + max(start, end), self._edges)
        object.__setattr__(part, "_latest", self._latest)
        return part

    def on_edges(self, clock_ps: int, offset_ps: int) -> Trace:
        """The same beats in the same cycles of another clock; they stay where they are."""
        moved: StoredTrace = object.__new__(StoredTrace)
        moved._set(self._source, self._ends, self._start, self._end, (clock_ps, offset_ps))
        return moved

    def parts(self, beats: int | None = None) -> Iterator[Trace]:
        """The beats, at most so many at a time; None: as they are stored."""
        if beats is not None:
            yield from super().parts(beats)
            return
        at = self._start
        while at < self._end:
            end = min(self._end, self._ends[bisect_right(self._ends, at)])
            yield self[at - self._start : end - self._start]
            at = end

    # -- files --------------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write as a trace file; the very file where that is possible."""
        source = self._source
        as_stored = isinstance(source, TraceFile) and (source.clock_ps, source.offset_ps) == self._edges
        if not isinstance(source, TraceFile) or not as_stored or len(self) < (self._ends or [0])[-1]:
            trace_file.save(self, path)
            return
        Path(path).unlink(missing_ok=True)
        try:
            os.link(source.path, path)
        except OSError:
            shutil.copyfile(source.path, path)


class Shelf:
    """A folder for traces that are too long to hold.

    Args:
        folder: made when it is needed, or what makes it then; None: every trace stays in memory.
        part_beats: longer traces are stored, in parts of so many beats.

    Attributes:
        told: is told how many beats have been stored in all, part by part; it stays in this process.
    """

    def __init__(self, folder: Path | Callable[[], Path] | None = None, part_beats: int = PART_BEATS) -> None:
        self._folder = folder
        self.part_beats = part_beats
        self.told: Callable[[int], None] = lambda beats: None
        self._stored = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return Shelf, (None if callable(self._folder) else self._folder, self.part_beats)

    def keep(self, parts: Iterable[Trace]) -> Trace:
        """Parts one after the other as one trace; at least one, which may have no beats."""
        with self.slot() as slot:
            for part in parts:
                slot.add(part)
        return slot.trace()

    def long(self, trace: Trace) -> Trace:
        """The same trace, stored if it is long."""
        if self._folder is None or len(trace) <= self.part_beats or isinstance(trace, StoredTrace):
            return trace
        return self.keep(trace.parts(self.part_beats))

    def slot(self) -> Slot:
        """Room for a trace that comes in parts."""
        return Slot(None if self._folder is None else self._place, self.part_beats, self._tell)

    def _tell(self, beats: int) -> None:
        self._stored += beats
        self.told(self._stored)

    def _place(self) -> Path:
        """A name for another trace file."""
        if callable(self._folder):
            self._folder = self._folder()
        folder = self._folder
        assert folder is not None
        folder.mkdir(parents=True, exist_ok=True)
        # Several processes of a run put theirs into one folder.
        names = (folder / f"{os.getpid()}-{number}{SUFFIX}" for number in _numbers)
        return next(path for path in names if not path.exists())


class Slot:
    """A trace that comes in parts; a context manager, behind which :meth:`trace` has it.

    Args:
        place: names the trace file that a long one becomes; None: it stays in memory.
        part_beats: what is longer is long.
        told: is told how many beats have just been stored.
    """

    def __init__(self, place: Callable[[], Path] | None, part_beats: int, told: Callable[[int], None]) -> None:
        self._place, self._part_beats, self._told = place, part_beats, told
        self._path: Path | None = None
        self._held: list[Trace] = []
        self._beats = 0
        self._writer: TraceWriter | None = None

    def __enter__(self) -> Slot:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: Any) -> None:
        if self._writer is not None:
            if kind is None:
                self._flush(0)
            self._writer.__exit__(kind, *error)

    def add(self, part: Trace) -> None:
        """Append beats."""
        self._held.append(part)
        self._beats += len(part)
        if self._place is None or (self._writer is None and self._beats <= self._part_beats):
            return
        if self._writer is None:
            self._path = self._place()
            self._writer = TraceWriter(self._path, part)
            self._writer.__enter__()
        self._flush(self._part_beats)

    def _flush(self, least: int) -> None:
        """Write what is held, in parts of the shelf's size as long as there are so many beats."""
        while self._held and sum(map(len, self._held)) >= max(1, least):
            whole = self._held[0] if len(self._held) == 1 else Trace.concat(self._held)
            assert self._writer is not None
            self._writer.add(whole[: self._part_beats])
            self._told(min(len(whole), self._part_beats))
            self._held = [whole[self._part_beats :]] if len(whole) > self._part_beats else []

    def trace(self) -> Trace:
        """All that came."""
        if self._writer is not None:
            assert self._path is not None
            return StoredTrace.open(self._path)
        return self._held[0] if len(self._held) == 1 else Trace.concat(self._held)
