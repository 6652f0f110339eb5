# SPDX-License-Identifier: Apache-2.0
"""The decoder: a stream of bytes becomes columns, one row a command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.tpu.streams.framing import Problem, Walked, find_commands, heads, records, stream_words
from goldbeat.pymodels.tpu.streams.tables import Chip, CommandField, CommandForm, EngineTable, extract

_BLOCK = 1 << 14
"""Commands whose fields are taken out in one go, so that what lies between stays in the cache."""

Column = npt.NDArray[np.unsignedinteger]


def column_type(width: int) -> type[np.unsignedinteger]:
    """The narrowest unsigned type that holds a field."""
    for bits, dtype in ((8, np.uint8), (16, np.uint16), (32, np.uint32)):
        if width <= bits:
            return dtype
    return np.uint64


@dataclass(frozen=True, eq=False)
class Commands:
    """The commands of one stream of one engine, as columns.

    Attributes:
        engine: whose they are.
        data: (bytes,) uint8, the stream.
        offset: (n,) int64, where each begins.
        kind: (n,) int16, index into ``engine.kinds``.
        func: (n,) uint16, the head's func.
        id: (n,) int64: as the head says, or counted from 1 in each segment where the head has none.
        dep: (n,) int64: the id of the other engine, in the same segment, that must be done before; 0 for none.
        segment: (n,) int32, counted up behind each END.
        place: (n,) int64, place in a sequence that both engines share (CV18xx records), else 0, 1, 2, ...
        problems: what is wrong with the framing.
    """

    engine: EngineTable
    data: npt.NDArray[np.uint8]
    offset: npt.NDArray[np.int64]
    kind: npt.NDArray[np.int16]
    func: npt.NDArray[np.uint16]
    id: npt.NDArray[np.int64]
    dep: npt.NDArray[np.int64]
    segment: npt.NDArray[np.int32]
    place: npt.NDArray[np.int64]
    problems: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        return len(self.offset)

    @cached_property
    def length(self) -> npt.NDArray[np.int64]:
        """(n,) bytes of each command."""
        return np.array([kind.bytes for kind in self.engine.kinds], np.int64)[self.kind]

    @cached_property
    def is_end(self) -> npt.NDArray[np.bool_]:
        """(n,) whether it is END."""
        if self.engine.end is None:
            return np.zeros(len(self), np.bool_)
        kind, func = self.engine.end
        found: npt.NDArray[np.bool_] = (self.kind == kind.index) & (self.func == func)
        return found

    @cached_property
    def words(self) -> npt.NDArray[np.uint64]:
        """The stream as 64-bit words."""
        return stream_words(self.data)

    def rows(self, kind: CommandForm) -> npt.NDArray[np.int64]:
        """The rows of one form."""
        return np.flatnonzero(self.kind == kind.index)

    def kinds(self) -> Iterator[CommandForm]:
        """The forms that occur."""
        for index in np.flatnonzero(np.bincount(self.kind, minlength=len(self.engine.kinds))):
            yield self.engine.kinds[int(index)]

    def fields(
        self, kind: CommandForm, rows: npt.NDArray[np.int64] | None = None, names: Sequence[str] | None = None
    ) -> dict[str, Column]:
        """The fields of all commands of one form.

        Args:
            kind: the form.
            rows: which commands, all of the form unless given.
            names: which fields, all unless given.

        Returns:
            Name to (n,) column of the narrowest unsigned type.
        """
        if rows is None:
            rows = self.rows(kind)
        chosen = kind.fields if names is None else [kind.by_name[name] for name in names]
        columns: dict[str, Column] = {f.name: np.empty(len(rows), column_type(f.width)) for f in chosen}
        words = self.words
        for begin in range(0, len(rows), _BLOCK):
            part = slice(begin, begin + _BLOCK)
            first = self.offset[rows[part]] >> 3
            parts = [words[first + w] for w in range(kind.bytes // 8)]
            for one in chosen:
                _take(parts, one, columns[one.name][part])
        return columns

    def raw(self, row: int) -> bytes:
        """The bytes of one command."""
        at = int(self.offset[row])
        return self.data[at : at + int(self.length[row])].tobytes()

    def op(self, row: int) -> str:
        """The operation's name."""
        return self.engine.kinds[int(self.kind[row])].op(int(self.func[row]))


def _take(words: Sequence[npt.NDArray[np.uint64]], one: CommandField, out: Column) -> None:
    """Bits into a narrow column: what is above them goes by the narrowing, and only where that is not enough by a mask."""
    word, shift = divmod(one.bit, 64)
    if shift + one.width > 64:
        out[:] = extract(words, one.bit, one.width)
        return
    out[:] = words[word] >> np.uint64(shift) if shift else words[word]
    if one.width != 8 * out.itemsize and shift + one.width != 64:
        out &= out.dtype.type((1 << one.width) - 1)


def as_bytes(data: bytes | bytearray | memoryview | npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """A stream as a (bytes,) array."""
    if isinstance(data, np.ndarray):
        return np.ascontiguousarray(data, np.uint8)
    return np.frombuffer(data, np.uint8)


def decode_stream(
    engine: EngineTable,
    data: bytes | bytearray | memoryview | npt.NDArray[np.uint8],
    *,
    strict: bool = True,
    first_id: int = 1,
) -> Commands:
    """Decode the stream of one engine.

    Args:
        engine: from the tables.
        data: the stream, with END and padding where the engine has them.
        strict: raise what is fatally wrong with the framing; otherwise it is in ``problems``.
        first_id: of the first command, where the head has no id; behind an END ids begin at 1 again.

    Raises:
        InputError: with the byte offset.
    """
    array = as_bytes(data)
    found = find_commands(engine, array)
    if strict:
        _raise(found)
    return _columns(engine, array, found, np.arange(len(found.offset), dtype=np.int64), first_id)


def decode_records(
    chip: Chip, data: bytes | bytearray | memoryview | npt.NDArray[np.uint8], *, strict: bool = True
) -> dict[str, Commands]:
    """Decode a CV18xx command section, whose records belong to both engines."""
    array = as_bytes(data)
    found, places = records(chip, array)
    if strict:
        for one in found.values():
            _raise(one)
    return {name: _columns(chip.engines[name], array, one, places[name], 1) for name, one in found.items()}


def decode_any(
    chip: Chip, engine: str, data: bytes | bytearray | memoryview | npt.NDArray[np.uint8], *, strict: bool = True
) -> dict[str, Commands]:
    """Decode whatever the chip writes: records of both engines, or the stream of one."""
    if chip.magic is not None:
        return decode_records(chip, data, strict=strict)
    one = chip.engine(engine)
    return {one.name: decode_stream(one, data, strict=strict)}


def places(segment: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """(n,) the place of each command in its segment: 0, 1, 2, ... and 0 again behind each END."""
    rows = np.arange(len(segment), dtype=np.int64)
    if not len(segment) or segment[-1] == 0:
        return rows
    first = np.concatenate([[0], np.flatnonzero(np.diff(segment)) + 1])
    rows -= np.repeat(first, np.diff(np.append(first, len(segment))))
    return rows


def _raise(found: Walked) -> None:
    for problem in found.problems:
        if problem.fatal:
            raise InputError(problem.found, problem.expected, offset=problem.offset)


def _columns(
    engine: EngineTable,
    data: npt.NDArray[np.uint8],
    found: Walked,
    place: npt.NDArray[np.int64],
    first_id: int,
) -> Commands:
    n = len(found.offset)
    func = np.zeros(n, np.uint16)
    ids = places(found.segment) + 1
    ids[found.segment == 0] += first_id - 1
    dep = np.zeros(n, np.int64)
    if n and engine.head:
        low, high = heads(engine, stream_words(data), found.offset >> 3)
        func = engine.item("func", low, high).astype(np.uint16)
        if "id" in engine.head:
            has = np.array([kind.has_id for kind in engine.kinds], np.bool_)[found.kind]
            ids = np.where(has, engine.item("id", low, high).astype(np.int64), ids)
        if "dep" in engine.head:
            dep = engine.item("dep", low, high).astype(np.int64)
            if "dep_enable" in engine.head:
                dep *= engine.item("dep_enable", low, high).astype(np.int64)
            dep *= np.array([kind.has_dep for kind in engine.kinds], np.int64)[found.kind]
    return Commands(engine, data, found.offset, found.kind, func, ids, dep, found.segment, place, found.problems)
