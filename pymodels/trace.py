# SPDX-License-Identifier: Apache-2.0
"""The common currency: one port's history as numpy columns.

Sources take a trace, sinks give one, golden models map traces to traces, the scoreboard compares two, a PLIO file is
one as text. There is no second representation of a stream in Goldbeat.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels import sidebands, trace_file
from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.samples import SampleType, sample_type

Time = Literal["exact", "ignore"] | int
"""How times are compared: exactly, not at all, or within this number of picoseconds."""
SIDEBANDS = sidebands.SIDEBANDS
_COLUMNS = ("data", "keep", "last", "cycle")
COLUMNS = (*_COLUMNS, *SIDEBANDS)
_BLOCK = 1 << 20
"""Beats that are looked at at once."""
PART_BEATS = 1 << 18
"""Beats of a part of a long trace."""


def same(one: npt.NDArray[Any] | None, other: npt.NDArray[Any] | None) -> bool:
    """Whether two columns are equal; in blocks, as a comparison takes room too."""
    if one is None or other is None:
        return one is other
    if one.shape != other.shape:
        return False
    return all(np.array_equal(one[k : k + _BLOCK], other[k : k + _BLOCK]) for k in range(0, len(one), _BLOCK))


@dataclass(frozen=True, eq=False)
class Trace:
    """n beats of one AXI-Stream port.

    As stimulus, ``cycle`` says when beats are offered: the distance between two cycles, less one, is the number of
    idle cycles between the transfer of one beat and the offer of the next. As a result, it is the
    clock cycle in which the beat transferred, cycle 0 being the first rising edge after reset (or after the
    streams were started).

    Attributes:
        data: (n, B) uint8, byte 0 is ``tdata[7:0]``.
        keep: (n, B) bool, ``tkeep``.
        last: (n,) bool, ``tlast``.
        cycle: (n,) int64, strictly increasing.
        clock_ps: period of the port's clock in picoseconds.
        offset_ps: time of cycle 0 in picoseconds.
        tid, tdest, tuser: (n,) uint64, or None where the port has no such signal.
        tstrb: (n,) uint64, bit i for byte i, or None: every byte that is kept is a data byte. A byte with keep and without strobe
            is a position byte: it stays in the stream, and its data do not count (IHI 0051).
    """

    data: npt.NDArray[np.uint8]
    keep: npt.NDArray[np.bool_]
    last: npt.NDArray[np.bool_]
    cycle: npt.NDArray[np.int64]
    clock_ps: int
    offset_ps: int = 0
    tid: npt.NDArray[np.uint64] | None = None
    tdest: npt.NDArray[np.uint64] | None = None
    tuser: npt.NDArray[np.uint64] | None = None
    tstrb: npt.NDArray[np.uint64] | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "data", np.ascontiguousarray(self.data, dtype=np.uint8))
        if self.data.ndim != 2:
            raise InputError(f"data of shape {self.data.shape}", "(beats, bytes)")
        n, width = self.data.shape
        for name, dtype, shape in (("keep", np.bool_, (n, width)), ("last", np.bool_, (n,)), ("cycle", np.int64, (n,))):
            column = np.ascontiguousarray(getattr(self, name), dtype=dtype)
            if column.shape != shape:
                raise InputError(f"{name} of shape {column.shape}", f"shape {shape}")
            put(self, name, column)
        for name in SIDEBANDS:
            value = getattr(self, name)
            if value is not None:
                column = np.ascontiguousarray(value, dtype=np.uint64)
                if column.shape != (n,):
                    raise InputError(f"{name} of shape {column.shape}", f"shape {(n,)}")
                put(self, name, column)
        if int(self.clock_ps) != self.clock_ps or self.clock_ps <= 0:
            raise InputError(f"clock_ps {self.clock_ps!r}", "a positive whole number of picoseconds")
        put(self, "clock_ps", int(self.clock_ps))
        put(self, "offset_ps", int(self.offset_ps))
        for start in range(0, n - 1, _BLOCK):
            step = np.diff(self.cycle[start : start + _BLOCK + 1])
            if int(step.min()) < 1:
                at = start + int(np.argmax(step < 1))
                raise InputError(
                    f"cycle {self.cycle[at + 1]} after cycle {self.cycle[at]} at beat {at + 1}", "increasing cycles"
                )

    # -- making one ---------------------------------------------------------------------------------------------

    @classmethod
    def from_bytes(
        cls,
        data: npt.ArrayLike,
        *,
        clock_ps: int,
        keep: npt.ArrayLike | None = None,
        last: npt.ArrayLike | None = None,
        cycle: npt.ArrayLike | None = None,
        offset_ps: int = 0,
        **sidebands: npt.ArrayLike | None,
    ) -> Trace:
        """A trace from (n, B) bytes; all bytes valid, no TLAST and back to back unless said otherwise."""
        array = np.asarray(data, dtype=np.uint8)
        n = len(array)
        return cls(
            data=array,
            keep=np.ones(array.shape, np.bool_) if keep is None else np.asarray(keep, dtype=np.bool_),
            last=np.zeros(n, np.bool_) if last is None else np.asarray(last, dtype=np.bool_),
            cycle=np.arange(n, dtype=np.int64) if cycle is None else np.asarray(cycle, dtype=np.int64),
            clock_ps=clock_ps,
            offset_ps=offset_ps,
            **{k: None if v is None else np.asarray(v, dtype=np.uint64) for k, v in sidebands.items()},
        )

    @classmethod
    def from_samples(
        cls,
        samples: npt.ArrayLike,
        dtype: str | SampleType,
        width: int,
        *,
        clock_ps: int,
        frame: int | None = None,
        last: bool = False,
        offset_ps: int = 0,
    ) -> Trace:
        """Pack samples into back-to-back beats of ``width`` bits.

        Args:
            samples: as :class:`~goldbeat.pymodels.samples.SampleType` describes them.
            dtype: sample type.
            width: port width in bits.
            clock_ps: clock period in picoseconds.
            frame: samples per frame; each frame starts on a new beat and ends with TLAST, its last beat may be short.
            last: without ``frame``: put TLAST on the last beat (only then may that beat be short).
            offset_ps: time of cycle 0.

        Raises:
            InputError: the samples do not fill whole beats and no TLAST allows a short one.
            UsageError: the type does not fit the width.
        """
        kind = sample_type(dtype)
        # Counted in groups: samples that share a byte are never parted.
        per_beat = kind.per_beat(width) // kind.group
        raw = kind.encode(samples).reshape(-1, kind.bytes)
        total = len(raw)
        if total and frame is not None and (frame < 1 or frame % kind.group):
            expected = f"a multiple of {kind.group}, as they share a byte" if kind.group > 1 else "at least 1"
            raise InputError(f"frames of {int(frame)} samples", expected)
        size = total if frame is None else int(frame) // kind.group
        if frame is None and not last and total % per_beat:
            need = per_beat * kind.group
            raise InputError(f"{total * kind.group} samples", f"a multiple of {need} without TLAST")
        index = np.arange(total, dtype=np.int64)
        beats_a_frame = -(-size // per_beat) if total else 0
        within = index % size if total else index
        beat = (index // size if total else index) * beats_a_frame + within // per_beat
        lane = within % per_beat
        n = int(beat[-1]) + 1 if total else 0
        data = np.zeros((n, per_beat, kind.bytes), np.uint8)
        keep = np.zeros((n, per_beat, kind.bytes), np.bool_)
        data[beat, lane] = raw
        keep[beat, lane] = True
        ends = np.zeros(n, np.bool_)
        if frame is not None and n:
            ends[beats_a_frame - 1 :: beats_a_frame] = True
        if n and (last or frame is not None):
            # A remainder of fewer samples than a frame is still a frame: it would be lost without its TLAST.
            ends[-1] = True
        shape = (n, width // 8)
        return cls.from_bytes(
            data.reshape(shape), keep=keep.reshape(shape), last=ends, clock_ps=clock_ps, offset_ps=offset_ps
        )

    @classmethod
    def empty(cls, width: int, *, clock_ps: int, offset_ps: int = 0) -> Trace:
        """A trace of no beats on a port of ``width`` bits."""
        return cls.from_bytes(np.zeros((0, width // 8), np.uint8), clock_ps=clock_ps, offset_ps=offset_ps)

    # -- what it says -------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        frames = int(self.last.sum())
        span = f", cycles {self.cycle[0]}..{self.cycle[-1]}" if len(self) else ""
        return f"<Trace {len(self)} beats x {self.width} bit, {frames} TLAST{span}, {self.clock_ps} ps>"

    @property
    def width(self) -> int:
        """Port width in bits."""
        return int(self.data.shape[1]) * 8

    @property
    def sides(self) -> tuple[str, ...]:
        """The sidebands that the port has."""
        return tuple(name for name in SIDEBANDS if getattr(self, name) is not None)

    @property
    def time_ps(self) -> npt.NDArray[np.int64]:
        """(n,) time of each beat in picoseconds."""
        return self.offset_ps + self.cycle * self.clock_ps

    @property
    def gaps(self) -> npt.NDArray[np.int64]:
        """(n,) idle cycles before each beat; before the first one, those since cycle 0."""
        return self.gaps_after(-1)

    def gaps_after(self, cycle: int) -> npt.NDArray[np.int64]:
        """(n,) idle cycles before each beat; before the first one, those since ``cycle``, in which the beat before it was."""
        return np.diff(self.cycle, prepend=cycle) - 1

    def beats_before(self, time_ps: int) -> int:
        """How many beats transferred before that time."""
        if not len(self) or int(self[-1:].time_ps[0]) < time_ps:
            return len(self)
        low, high = 0, len(self) - 1
        while high - low > _BLOCK:
            middle = (low + high) // 2
            low, high = (middle, high) if int(self[middle : middle + 1].time_ps[0]) < time_ps else (low, middle)
        return low + int(np.searchsorted(self[low : high + 1].time_ps, time_ps))

    def parts(self, beats: int | None = None) -> Iterator[Trace]:
        """The beats, at most so many at a time, each part a trace that keeps its cycles and has at least one beat.

        Args:
            beats: None: as many as suit the trace.
        """
        size = PART_BEATS if beats is None else beats
        if 0 < len(self) <= size:
            yield self
            return
        for start in range(0, len(self), size):
            yield self[start : start + size]

    def samples(self, dtype: str | SampleType) -> npt.NDArray[Any]:
        """All data bytes as samples of one type; bytes whose keep is 0, and position bytes, are left out.

        Raises:
            InputError: a beat's valid bytes are not a whole number of samples.
        """
        kind = sample_type(dtype)
        kind.per_beat(self.width)
        ragged = self.ragged(kind)
        if ragged is not None:
            raise ragged
        return kind.decode(self.data[self.data_bytes])

    @property
    def data_bytes(self) -> npt.NDArray[np.bool_]:
        """(n, B) bytes that hold data: kept, and no position bytes."""
        return self.keep if self.tstrb is None else self.keep & sidebands.strobe_lanes(self.tstrb, self.data.shape[1])

    def valid_bytes(self) -> npt.NDArray[np.int64]:
        """(n,) data bytes of each beat: position bytes do not count."""
        held = self.data_bytes
        n, lanes = held.shape
        count: npt.NDArray[np.int64]
        if lanes not in (2, 4, 8):
            count = held.sum(axis=1, dtype=np.int64)
            return count
        # The sum of a word's bytes is the highest byte of its product with 0x01..01: ten times as fast as sums of short rows.
        word = np.dtype(f"<u{lanes}")
        ones = word.type(int.from_bytes(b"\1" * lanes, "little"))
        total = (held.view(word).reshape(n) * ones) >> word.type(8 * (lanes - 1))
        count = total.astype(np.int64)
        return count

    def ragged(self, dtype: str | SampleType) -> InputError | None:
        """What :meth:`samples` would raise for a beat whose valid bytes are no whole samples; None where all are whole."""
        kind = sample_type(dtype)
        start = 0
        for part in self.parts():
            count = part.valid_bytes()
            ragged = count % kind.bytes != 0
            if ragged.any():
                at = int(np.argmax(ragged))
                found = f"{count[at]} valid bytes in beat {start + at}"
                return InputError(found, f"a multiple of {kind.bytes} for {kind.name}")
            start += len(part)
        return None

    def frame_bounds(self) -> npt.NDArray[np.int64]:
        """(f, 2) first beat and one past the last beat of each frame; beats after the last TLAST make one more."""
        ends = np.flatnonzero(self.last) + 1
        if len(self) and (ends.size == 0 or ends[-1] != len(self)):
            ends = np.append(ends, len(self))
        return (
            np.stack([np.concatenate([[0], ends[:-1]]), ends], axis=1).astype(np.int64)
            if ends.size
            else np.zeros((0, 2), np.int64)
        )

    def frames(self) -> Iterator[Trace]:
        """The frames one after the other, each a trace that keeps its cycles."""
        for first, end in self.frame_bounds():
            yield self[int(first) : int(end)]

    # -- making others of it ------------------------------------------------------------------------------------

    def __getitem__(self, index: slice | npt.NDArray[Any]) -> Trace:
        """Some of the beats (slice, mask or increasing indices), cycles and all."""
        if not isinstance(index, slice):
            index = np.asarray(index)
        columns: dict[str, Any] = {name: getattr(self, name)[index] for name in _COLUMNS}
        columns |= {s: None if (col := getattr(self, s)) is None else col[index] for s in SIDEBANDS}
        if isinstance(index, slice) and index.step in (None, 1):
            # A part of what has been checked.
            part = object.__new__(type(self))
            vars(part).update(vars(self), **columns)
            return part
        return replace(self, **columns)

    def with_cycles(self, cycle: npt.ArrayLike) -> Trace:
        """The same beats at other cycles."""
        return replace(self, cycle=np.asarray(cycle, dtype=np.int64))

    def with_gaps(self, gaps: npt.ArrayLike) -> Trace:
        """The same beats with ``gaps[i]`` idle cycles before beat i."""
        return self.with_cycles(np.cumsum(np.asarray(gaps, dtype=np.int64) + 1) - 1)

    def on_edges(self, clock_ps: int, offset_ps: int) -> Trace:
        """The same beats in the same cycles of another clock: its period, and the time of its cycle 0."""
        if (clock_ps, offset_ps) == (self.clock_ps, self.offset_ps):
            return self
        return replace(self, clock_ps=clock_ps, offset_ps=offset_ps)

    def masked(self) -> Trace:
        """The same trace with every byte that is no data byte set to 0."""
        return replace(self, data=np.where(self.data_bytes, self.data, 0).astype(np.uint8))

    @staticmethod
    def concat(traces: Sequence[Trace], *, gap: int | None = None) -> Trace:
        """One trace after the other.

        Args:
            traces: at least one, all of one width, clock and set of sidebands.
            gap: idle cycles between them; None keeps each trace's own cycles, which must then increase.
        """
        first = traces[0]
        for other in traces[1:]:
            if (other.width, other.clock_ps, other.offset_ps) != (first.width, first.clock_ps, first.offset_ps):
                raise InputError(repr(other), f"a trace like {first!r}")
            if any((getattr(other, s) is None) != (getattr(first, s) is None) for s in SIDEBANDS):
                raise InputError("other sidebands", "the first trace's sidebands")
        cycles = [t.cycle for t in traces]
        if gap is not None:
            base, shifted = 0, []
            for t in traces:
                if len(t):
                    shifted.append(t.cycle - t.cycle[0] + base)
                    base = int(shifted[-1][-1]) + 1 + gap
            cycles = shifted or [first.cycle]
        names = ["data", "keep", "last", *(s for s in SIDEBANDS if getattr(first, s) is not None)]
        columns: dict[str, Any] = {n: np.concatenate([getattr(t, n) for t in traces]) for n in names}
        return replace(first, **columns, cycle=np.concatenate(cycles))

    # -- equality -----------------------------------------------------------------------------------------------

    def differences(
        self, other: Trace, *, time: Time = "exact", tlast: bool = True
    ) -> list[tuple[str, npt.NDArray[np.bool_]]]:
        """Where the beats of two traces of equal width and length differ, column by column.

        Args:
            other: what came out, where this is what was expected: its data are compared where this trace has data bytes, its
                sidebands where this trace has them.
            time: ``"exact"``, ``"ignore"``, or a tolerance in picoseconds.
            tlast: compare TLAST.

        Returns:
            (name, (n,) which beats differ) for each column compared.
        """
        rows = [
            ("data", ((self.data != other.data) & self.data_bytes).any(axis=1)),
            ("keep", (self.keep != other.keep).any(axis=1)),
        ]
        if tlast:
            rows.append(("last", self.last != other.last))
        for name in SIDEBANDS:
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine is not None:
                rows.append((name, np.ones(len(self), np.bool_) if theirs is None else mine != theirs))
        if time != "ignore":
            off = np.abs(self.time_ps - other.time_ps)
            rows.append(("time", off > (0 if time == "exact" else time)))
        return rows

    def __eq__(self, other: object) -> bool:
        """Same port and same beats: data under keep, keep, last, sidebands and time."""
        if not isinstance(other, Trace):
            return NotImplemented
        if self.width != other.width or len(self) != len(other):
            return False
        pairs = in_step(self, other)
        return not any(rows.any() for _, one, two in pairs for _, rows in one.differences(two))

    __hash__ = None  # type: ignore[assignment]

    # -- files --------------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write as a trace file (:mod:`goldbeat.pymodels.trace_file`), overwriting nothing but ``path`` itself."""
        trace_file.save(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Trace:
        """Read what :meth:`save` wrote, or a ``.npz`` of older versions.

        Raises:
            InputError: not such a file, or damaged.
        """
        return trace_file.load(path, cls)


def in_step(one: Trace, other: Trace, beats: int = PART_BEATS) -> Iterator[tuple[int, Trace, Trace]]:
    """Two traces side by side, as far as both go: number of the first beat, and as many beats of each."""
    n = min(len(one), len(other))
    for start in range(0, n, beats):
        rows = slice(start, min(n, start + beats))
        yield start, one[rows], other[rows]
