# SPDX-License-Identifier: Apache-2.0
"""Random bursts on storage, however it is reached: of every kind, size and length, and every byte that they read is known.

Reads and writes overlap unless they touch the same bytes: what comes later waits then (``barrier``), as AXI leaves the order of the
two open (IHI 0022, A5.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.attributes import AttributeDraw
from goldbeat.pymodels.axi.burst import DECERR, EXOKAY, FIXED, INCR, OKAY, READ, SLVERR, WRAP, WRITE, Bursts
from goldbeat.pymodels.axi.program import ANY_ERROR, BurstProgram
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.telling import telling_strobes

_TELLING = 1 / 8
"""Share of the words, IDs and numbers of beats that are not drawn evenly."""
PAGE = 4096
"""Bytes that no burst goes beyond the end of (IHI 0022, A3.4.1)."""
_SHORT = 16
"""Beats of most bursts, and of all FIXED and exclusive ones at most."""
LONGEST_EXCLUSIVE = 128
"""Bytes."""
_LONGEST_LOST = 1 / 3
"""Share of the bursts to where nothing is that are as long as can be."""
_LONGEST_RUNS = 8
"""Runs of the longest bursts that :func:`queued_bursts` ends with."""
_READ_BEATS = 2048
"""Beats that a run reads, or more: it asks for them again."""
_FEW_IDS = (0, 1, 4)
"""IDs of a run; 0: any."""
_OTHER_ID = 1 / 16
"""Share of the bursts that have another one where a run has one."""
_FEW_BEATS = 4
"""Beats of bursts that meet others."""
CROWDS = 2
"""How often each half of the storage is written while the other is read."""
_AGAIN, _MOST_AGAIN = 1 / 32, 5
"""Share of the bursts that are made again at once, read or written, and how often at most."""
MERGED = ("any", "first", "last", "worst")
"""Which of several errors a write may be answered with; ``worst``: DECERR."""
_ALONE = 1 / 8
"""Share of the accesses to words by themselves, where there are some."""


@dataclass(eq=False)
class Window:
    """A stretch of addresses behind which there is storage; drawing bursts changes what it holds.

    Attributes:
        base: address of the first byte; no page ends inside unless a multiple of it begins there.
        data: (bytes,) uint8, what it holds.
        known: (bytes,) where ``data`` is what a read must give.
        answers: (2, bytes) as those of a :class:`~goldbeat.pymodels.axi.memory.Region`; None: OKAY.
        exclusive: least and most bytes of exclusive accesses that succeed; most 0: none are made.
        alone: a word by itself, which tells addresses apart: it is written and read back in any case, and drawn seldom.
        whole: part of storage that is worked on from end to end.
    """

    base: int
    data: npt.NDArray[np.uint8]
    known: npt.NDArray[np.bool_]
    answers: npt.NDArray[np.uint8] | None = None
    exclusive: tuple[int, int] = (0, 0)
    alone: bool = False
    whole: bool = False

    @classmethod
    def unknown(cls, base: int, size: int) -> Window:
        """Storage that holds anything."""
        return cls(base, np.zeros(size, np.uint8), np.zeros(size, np.bool_))

    @staticmethod
    def draw(rng: np.random.Generator, windows: Sequence[Window]) -> Window:
        """One of them; a word by itself for every eighth access."""
        alone = [one for one in windows if one.alone]
        some = alone if alone and rng.random() < _ALONE else [one for one in windows if not one.alone]
        return some[int(rng.integers(len(some)))]

    def refused(self, kind: int, at: int, size: int) -> npt.NDArray[np.uint8]:
        """(size,) the response to an access to each byte of a word, which begins ``at`` bytes behind the base."""
        return np.zeros(size, np.uint8) if self.answers is None else self.answers[kind, at : at + size]


@dataclass(frozen=True)
class BurstShape:
    """What bursts a port can make.

    Attributes:
        width: bytes of the data bus.
        id_width: bits; 0: no IDs.
        longest: beats.
        reads, writes: its channels are there.
        narrow: beats narrower than the bus.
        kinds: of bursts.
        strobes: bytes may be left out of writes.
        exclusive: exclusive pairs are made everywhere, and must be answered EXOKAY.
        answers: reads, and writes, have a response that can be compared.
        attributes: draws AxCACHE, AxQOS, AxREGION and AxUSER, and AxPROT by address; None: AxPROT alone varies.
        numbers: of the RTL, which are tried as data, IDs and numbers of beats.
        merged: which of several errors a write is answered with: one of :data:`MERGED`.
    """

    width: int
    id_width: int = 0
    longest: int = 256
    reads: bool = True
    writes: bool = True
    narrow: bool = True
    kinds: tuple[int, ...] = (INCR, WRAP, FIXED)
    strobes: bool = True
    exclusive: bool = False
    answers: tuple[bool, bool] = (True, True)
    attributes: AttributeDraw | None = None
    numbers: Sequence[int] = ()
    merged: str = "any"


@dataclass
class _Row:
    """One burst as it is drawn."""

    kind: int
    address: int
    beats: int
    size: int
    burst: int
    id: int
    lock: int = 0
    apart: bool = False
    response: int = OKAY


def telling_data(rng: np.random.Generator, words: int, size: int, numbers: Sequence[int] = ()) -> npt.NDArray[np.uint8]:
    """(words, size) uint8: random data; some words are 0, all ones, a single bit, a number of the RTL, or the word before again."""
    data = rng.integers(0, 256, (words, size), dtype=np.uint8)
    fitting = [number for number in numbers if number >> 8 * size == 0]
    for at in np.flatnonzero(rng.random(words) < _TELLING).tolist():
        kind = int(rng.integers(5 if fitting else 4))
        if kind < 2:
            data[at] = 0xFF * kind
        elif kind == 2 and at:
            data[at] = data[at - 1]
        else:
            value = 1 << int(rng.integers(8 * size)) if kind < 4 else fitting[int(rng.integers(len(fitting)))]
            data[at] = np.frombuffer(value.to_bytes(size, "little"), np.uint8)
    return data


def storage_bursts(
    rng: np.random.Generator,
    windows: Sequence[Window],
    shape: BurstShape,
    count: int,
    *,
    outside: Sequence[tuple[int, int]] = (),
) -> BurstProgram:
    """Write what is not known, then write and read at random, then read all of it.

    Args:
        rng: randomness.
        windows: the storage; holds afterwards what the program leaves.
        shape: what the port can do.
        count: bursts between the first writes and the last reads.
        outside: addresses without storage, and for how many bytes: a few bursts go there, and must be answered DECERR.
    """
    rows: list[_Row] = []
    if shape.writes:
        # What is not known is written whole, and comes first.
        rows += [row for window in windows if not window.known.all() for row in _whole(rng, window, shape, WRITE)]
        rows += [
            row
            for window in windows
            if window.alone and window.known.all()
            for row in _whole(rng, window, shape, WRITE)
        ]
    for _ in range(count):
        window = Window.draw(rng, windows)
        if outside and rng.random() < 0.03:
            rows.append(_lost(rng, outside, shape))
        elif (share := _exclusive_share(window, shape)) and rng.random() < share:
            rows += _exclusive(rng, window, shape)
        else:
            rows.append(_draw(rng, window, shape))
            if rng.random() < _AGAIN:
                rows += [
                    replace(rows[-1], kind=_kind(rng, shape)) for _ in range(int(rng.integers(1, _MOST_AGAIN + 1)))
                ]
    if shape.reads:
        rows += [row for window in windows for row in _whole(rng, window, shape, READ)]
    return _program(rng, rows, windows, shape)


def near_bursts(
    rng: np.random.Generator, pairs: Sequence[tuple[Window, Window]], shape: BurstShape, count: int
) -> BurstProgram | None:
    """Reads and writes of few words in turn, of all kinds and sizes; None without pairs.

    Args:
        rng: randomness.
        pairs: lines of words that differ in one address bit.
        shape: what the port can do.
        count: bursts of each pair.
    """
    rows: list[_Row] = []
    for pair in pairs:
        rows += [
            row
            for window in pair
            if shape.writes and not window.known.all()
            for row in _whole(rng, window, shape, WRITE)
        ]
        rows += [_draw(rng, pair[int(rng.integers(2))], shape) for _ in range(count)]
    windows = list({id(window): window for pair in pairs for window in pair}.values())
    return _program(rng, rows, windows, shape) if rows else None


def queued_bursts(
    rng: np.random.Generator, windows: Sequence[Window], shape: BurstShape, count: int, pause: int
) -> BurstProgram:
    """Long runs of bursts that wait for none: in random order windows are written, then read, with bursts of many lengths.

    Half of the runs end with one window before they begin with the next, so that many bursts are open at one place. Some
    have one ID, with another one at times, or few, so that many are open of each.

    Behind the first burst of a run, which waits for all before it, nothing is asked for during a pause. Windows that are
    ``whole`` are run over once, others as long as it takes.

    Args:
        rng: randomness.
        windows: as for :func:`storage_bursts`.
        shape: what the port can do.
        count: bursts, or a few more; then some runs of bursts as long as can be.
        pause: cycles.
    """
    rows: list[_Row] = []
    starts: list[int] = []
    ends = [window for window in windows if not window.whole]

    def run(longest: int, over: Sequence[Window]) -> None:
        parts = [_whole(rng, window, shape, WRITE, longest) for window in over]
        tiles = [tile for part in parts for tile in part]
        places = [place for place, part in enumerate(parts) for _ in part]
        few = [_id(rng, shape) for _ in range(int(rng.choice(_FEW_IDS)))]
        together = rng.random() < 0.5
        for kind in [WRITE] * shape.writes + [READ] * shape.reads:
            starts.append(len(rows))
            order = rng.permutation(len(tiles)).tolist()
            if kind == READ:
                order *= -(-_READ_BEATS // sum(tile.beats for tile in tiles))
            for at in sorted(order, key=places.__getitem__) if together else order:
                # Beside many bursts of one ID there is at times one of another.
                other = not few or (len(few) == 1 and rng.random() < _OTHER_ID)
                name = _id(rng, shape) if other else few[int(rng.integers(len(few)))]
                rows.append(replace(tiles[at], kind=kind, id=name))

    run(_SHORT, windows)
    run(2, ends)
    while len(rows) < count:
        run(1, ends)
    for _ in range(_LONGEST_RUNS):
        run(shape.longest, ends)
    apart = np.zeros(len(rows), np.bool_)
    gap = np.zeros(len(rows), np.int64)
    for start in starts:
        apart[start : start + 2] = True
        gap[start + 1 : start + 2] = pause
    made = _program(rng, rows, windows, replace(shape, strobes=False), apart)
    return replace(made, bursts=replace(made.bursts, gap=gap))


def crowded_bursts(
    rng: np.random.Generator, windows: Sequence[Window], shape: BurstShape, count: int
) -> BurstProgram | None:
    """Half of the storage is written while the other half is read, in turn, without a pause; None where there are no halves.

    Args:
        rng: randomness.
        windows: as for :func:`storage_bursts`.
        shape: what the port can do.
        count: bursts of each phase, half of them reads.
    """
    tiles = [tile for window in windows for tile in _whole(rng, window, shape, WRITE, _FEW_BEATS)]
    tiles = [tiles[at] for at in rng.permutation(len(tiles))[:count].tolist()]
    halves = tiles[::2], tiles[1::2]
    if not (halves[1] and shape.writes and shape.reads):
        return None
    rows = [*halves[0]]
    starts = [0]
    for number, (written, read) in enumerate((halves[::-1], halves) * CROWDS):
        starts.append(len(rows))
        for one, other in zip(written, read, strict=False):
            pair = replace(one, id=_id(rng, shape)), _around(rng, replace(other, kind=READ), shape)
            # In every other phase all masters use one ID, as most do that need none.
            rows += pair if number % 2 else [replace(burst, id=0) for burst in pair]
    apart = np.zeros(len(rows), np.bool_)
    apart[starts] = True
    return _program(rng, rows, windows, replace(shape, strobes=False), apart)


def _around(rng: np.random.Generator, row: _Row, shape: BurstShape) -> _Row:
    """A burst, or the same bytes from some place on, back to the first one."""
    total = row.beats << row.size
    if WRAP not in shape.kinds or row.beats not in (2, 4) or row.address % total or rng.random() < 0.5:
        return row
    return replace(row, burst=WRAP, address=row.address + (int(rng.integers(row.beats)) << row.size))


def single_bursts(
    rng: np.random.Generator, windows: Sequence[Window], shape: BurstShape, count: int, gap: int
) -> BurstProgram:
    """Writes and then reads of single words with ID 0, all alike, that do not wait for each other.

    Args:
        rng: randomness.
        windows: as for :func:`storage_bursts`.
        shape: what the port can do.
        count: bursts of each kind.
        gap: cycles between two of them at most.
    """
    tiles = [replace(tile, id=0) for window in windows for tile in _whole(rng, window, shape, WRITE, 1)]
    kinds = [WRITE] * shape.writes + [READ] * shape.reads
    rows = [replace(tiles[number % len(tiles)], kind=kind) for kind in kinds for number in range(count)]
    apart = np.zeros(len(rows), np.bool_)
    apart[::count] = True
    made = _program(rng, rows, windows, replace(shape, strobes=False), apart)
    return replace(made, bursts=replace(made.bursts, gap=rng.integers(gap + 1, size=len(rows))))


def even_bursts(rng: np.random.Generator, windows: Sequence[Window], shape: BurstShape, beats: int) -> BurstProgram:
    """A read and a write of the beginning of the first window, with up to so many beats, that do not wait for each other."""
    beats = min(beats, shape.longest, len(windows[0].data) // shape.width)
    size = shape.width.bit_length() - 1
    kinds = [READ] * shape.reads + [WRITE] * shape.writes
    rows = [_Row(kind, windows[0].base, beats, size, INCR, _id(rng, shape)) for kind in kinds]
    return _program(rng, rows, windows, shape, np.zeros(len(rows), np.bool_))


def _whole(rng: np.random.Generator, window: Window, shape: BurstShape, kind: int, longest: int = _SHORT) -> list[_Row]:
    """INCR bursts over all of a window."""
    size = shape.width.bit_length() - 1
    longest = min(longest, shape.longest, PAGE // shape.width)
    step = longest * shape.width
    return [
        _Row(kind, window.base + at, min(step, len(window.data) - at) // shape.width, size, INCR, _id(rng, shape))
        for at in range(0, len(window.data), step)
    ]


def _id(rng: np.random.Generator, shape: BurstShape) -> int:
    if shape.numbers and rng.random() < _TELLING and (number := _number(rng, shape)) >> shape.id_width == 0:
        return number
    return int(rng.integers(1 << min(shape.id_width, 16)))


def _number(rng: np.random.Generator, shape: BurstShape) -> int:
    return shape.numbers[int(rng.integers(len(shape.numbers)))]


def _kind(rng: np.random.Generator, shape: BurstShape) -> int:
    if not (shape.reads and shape.writes):
        return READ if shape.reads else WRITE
    return int(rng.integers(2))


def _draw(rng: np.random.Generator, window: Window, shape: BurstShape) -> _Row:
    full = shape.width.bit_length() - 1
    size = int(rng.integers(full + 1)) if shape.narrow and rng.random() < 0.5 else full
    burst = int(shape.kinds[0] if rng.random() < 0.5 else rng.choice(shape.kinds))
    room = min(len(window.data), PAGE) >> size
    longest = min(shape.longest, room)
    if burst == WRAP:
        fitting = [n for n in (2, 4, 8, 16) if n <= longest]
        beats, burst = (int(rng.choice(fitting)), WRAP) if fitting else (1, INCR)
    else:
        longest = min(longest, _SHORT) if burst == FIXED or rng.random() < 0.8 else longest
        beats = int(rng.integers(1, longest + 1))
        if shape.numbers and rng.random() < _TELLING:
            beats = min(max(1, _number(rng, shape) + int(rng.integers(-1, 2))), min(shape.longest, room))
            beats = min(beats, _SHORT) if burst == FIXED else beats
    bytes_, total = 1 << size, beats << size
    if burst == WRAP:
        block = int(rng.integers(len(window.data) // total)) * total
        address = window.base + block + int(rng.integers(beats)) * bytes_
    else:
        span = bytes_ if burst == FIXED else total
        address = window.base + int(rng.integers((len(window.data) - span) // bytes_ + 1)) * bytes_
        # Kept on its page.
        address = min(address, (address // PAGE + 1) * PAGE - span)
        if rng.random() < 0.3:
            address += int(rng.integers(bytes_))
    return _Row(_kind(rng, shape), address, beats, size, burst, _id(rng, shape))


def _lost(rng: np.random.Generator, outside: Sequence[tuple[int, int]], shape: BurstShape) -> _Row:
    """A burst to where nothing is, of any kind and length; of each third, as long as can be."""
    address, room = outside[int(rng.integers(len(outside)))]
    room = min(room, PAGE - address % PAGE)
    # Blocks of bursts that wrap are aligned only from the begin of a page on.
    kinds = shape.kinds if address % PAGE == 0 else tuple(kind for kind in shape.kinds if kind != WRAP) or (INCR,)
    if room < shape.width:
        return _Row(_kind(rng, shape), address, 1, shape.width.bit_length() - 1, INCR, _id(rng, shape), response=DECERR)
    row = _draw(rng, Window.unknown(address, room), replace(shape, kinds=kinds))
    if row.burst == INCR and rng.random() < _LONGEST_LOST:
        row = replace(row, address=address, beats=min(shape.longest, room >> row.size))
    return replace(row, response=DECERR)


def _exclusive_bytes(window: Window, shape: BurstShape) -> tuple[int, int]:
    """Least and most bytes of an exclusive access; none can be made where the least is more than the most."""
    least, most = (0, LONGEST_EXCLUSIVE) if shape.exclusive else window.exclusive
    if not (shape.reads and shape.writes):
        most = 0
    return max(shape.width, least), min(len(window.data), most, shape.width * min(_SHORT, shape.longest))


def _exclusive_share(window: Window, shape: BurstShape) -> float:
    """Share of exclusive pairs; each makes all that is under way wait, so that few are made where nobody asks for them."""
    least, most = _exclusive_bytes(window, shape)
    return 0 if least > most else 0.15 if shape.exclusive else 0.04


def _exclusive(rng: np.random.Generator, window: Window, shape: BurstShape) -> list[_Row]:
    """An exclusive read and write; at times another write of the same bytes comes between, and the second one must fail."""
    size = shape.width.bit_length() - 1
    least, most = _exclusive_bytes(window, shape)
    total = 1 << int(rng.integers(least.bit_length() - 1, most.bit_length()))
    address = window.base + int(rng.integers(len(window.data) // total)) * total
    name, beats = _id(rng, shape), total >> size
    if window.answers is not None and window.answers[:, address - window.base :][:, :total].any():
        return [_draw(rng, window, shape)]
    pair = [_Row(kind, address, beats, size, INCR, name, 1, True, EXOKAY) for kind in (READ, WRITE)]
    if rng.random() < 0.3:
        pair[1].response = OKAY
        pair.insert(1, _Row(WRITE, address, beats, size, INCR, name, apart=True))
    return pair


def _program(
    rng: np.random.Generator,
    rows: Sequence[_Row],
    windows: Sequence[Window],
    shape: BurstShape,
    apart: npt.NDArray[np.bool_] | None = None,
) -> BurstProgram:
    """The rows as a program; ``apart``: those that wait for all before them, None: those that meet others."""
    if not rows:
        raise UsageError("a burst program without bursts: the port has no channels to make any")
    bursts = Bursts(
        kind=[row.kind for row in rows],
        address=np.array([row.address for row in rows], np.uint64),
        len=[row.beats - 1 for row in rows],
        size=[row.size for row in rows],
        burst=[row.burst for row in rows],
        id=[row.id for row in rows],
        lock=[row.lock for row in rows],
        # Both halves of an exclusive pair have one AxPROT (IHI 0022, A7.2.4), as they have one ID.
        prot=[
            row.id % 8 if row.lock else drawn for row, drawn in zip(rows, rng.integers(0, 8, len(rows)), strict=True)
        ],
    )
    if shape.attributes is not None:
        # For the same reason, both have those of the read.
        kind = np.where(bursts.lock != 0, READ, bursts.kind).astype(np.uint8)
        bursts = replace(bursts, **shape.attributes.columns(kind, bursts.address))
    bursts = replace(bursts, barrier=_apart(bursts, rows) if apart is None else apart)
    lanes = bursts.lanes(shape.width)
    wanted = np.array([row.response for row in rows], np.int64)
    refused = _refused(bursts, wanted, windows, shape.width)
    data = telling_data(rng, len(lanes), shape.width, shape.numbers)
    strobe = lanes & (bursts.kind == WRITE)[bursts.of_beat][:, None]
    if shape.strobes:
        # Of a third of the writes; exclusive ones stay whole.
        some = (rng.random(len(rows)) < 0.3) & (bursts.lock == 0) & ~_first_writes(rows, windows)
        strobe &= ~some[bursts.of_beat][:, None] | _strobes(rng, lanes)
        # Of what is refused a byte is asked for: a beat without any may be left out on the way.
        asked = lanes & (refused > OKAY)
        bare = (bursts.kind == WRITE)[bursts.of_beat] & asked.any(axis=1) & ~(strobe & asked).any(axis=1)
        strobe[bare, np.argmax(asked[bare] * rng.random((int(bare.sum()), shape.width)), axis=1)] = True
    touched = np.where((bursts.kind == WRITE)[bursts.of_beat][:, None], strobe, lanes)
    answers = np.maximum(wanted[bursts.of_beat], (refused * touched).max(axis=1))
    response = np.maximum.reduceat(answers, bursts.rows)
    program = BurstProgram(bursts, data, strobe, np.zeros_like(lanes), response, beat_response=answers)
    _carry_out(program, lanes, windows, refused)
    # A beat beside what is refused in its word: nobody knows whether the whole word is asked for.
    beside = np.logical_or.reduceat((refused.max(axis=1) > OKAY) & (answers <= EXOKAY), bursts.rows)
    merged = np.where(beside, -1, _merged(bursts, answers, response, shape.merged))
    return replace(program, response=np.where(np.array(shape.answers)[bursts.kind], merged, -1))


def _strobes(rng: np.random.Generator, lanes: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """(beats, width) strobes: at random, and for half of the beats that use the whole word each telling pattern in turn."""
    drawn = rng.random(lanes.shape) < 0.6
    width = lanes.shape[1]
    whole = np.flatnonzero(lanes.all(axis=1) & (rng.random(len(lanes)) < 0.5))
    patterns = telling_strobes(width)
    table = np.array([[pattern >> lane & 1 for lane in range(width)] for pattern in patterns], np.bool_)
    drawn[whole] = rng.permutation(table)[np.arange(len(whole)) % len(table)]
    return drawn


def _merged(
    bursts: Bursts, answers: npt.NDArray[np.int64], response: npt.NDArray[np.int64], rule: str
) -> npt.NDArray[np.int64]:
    """(n,) the responses, those of writes that meet several errors by a rule of :data:`MERGED`."""
    merged = response.copy()
    for at in np.flatnonzero((bursts.kind == WRITE) & (response == DECERR)).tolist():
        errors = errors_of(bursts, answers, at)
        if errors.min() != errors.max():
            merged[at] = ANY_ERROR if rule == "any" else merged_error(errors, rule)
    return merged


def errors_of(bursts: Bursts, answers: npt.NDArray[np.int64], at: int) -> npt.NDArray[np.int64]:
    """The errors that a burst meets, in the order of its beats, by what each beat of all bursts is answered."""
    found = answers[bursts.rows[at] : bursts.rows[at] + int(bursts.len[at]) + 1]
    return found[found >= SLVERR]


def merged_error(errors: npt.NDArray[np.int64], rule: str) -> int:
    """What a write that meets these errors is answered by a rule of :data:`MERGED` but ``any``."""
    return int({"first": errors[0], "last": errors[-1], "worst": errors.max()}[rule])


def _refused(
    bursts: Bursts, response: npt.NDArray[np.int64], windows: Sequence[Window], width: int
) -> npt.NDArray[np.uint8]:
    """(beats, width) the error with which each byte of the word of each beat is refused, that of its burst included; else OKAY."""
    address, kind = bursts.addresses() // np.uint64(width) * np.uint64(width), bursts.kind[bursts.of_beat]
    errors = np.where(response > EXOKAY, response, OKAY).astype(np.uint8)[bursts.of_beat]
    refused = np.repeat(errors[:, None], width, axis=1)
    for window in windows:
        if window.answers is not None:
            here = (address >= np.uint64(window.base)) & (address < np.uint64(window.base + len(window.data)))
            at = (address[here] - np.uint64(window.base)).astype(np.int64)
            refused[here] = window.answers[kind[here][:, None], at[:, None] + np.arange(width)]
    return refused


def _first_writes(rows: Sequence[_Row], windows: Sequence[Window]) -> npt.NDArray[np.bool_]:
    """(n,) the writes that fill windows of which nothing is known: no byte is left out."""
    first = np.zeros(len(rows), np.bool_)
    left = sum(len(window.data) for window in windows if not window.known.all())
    for at, row in enumerate(rows):
        if left <= 0:
            break
        first[at], left = True, left - (row.beats << row.size)
    return first


def _apart(bursts: Bursts, rows: Sequence[_Row]) -> npt.NDArray[np.bool_]:
    """(n,) the bursts that wait for all before them: they touch bytes that one of these writes, or write bytes that one touches."""
    lowest, span = bursts.span
    apart = np.zeros(len(rows), np.bool_)
    since: list[tuple[int, int, bool]] = []
    behind = False
    for at, row in enumerate(rows):
        low, write = int(lowest[at]), row.kind == WRITE
        high = low + int(span[at])
        meets = any(low < end and begin < high and (write or wrote) for begin, end, wrote in since)
        if row.apart or behind or meets:
            apart[at], since = True, []
        since.append((low, high, write))
        behind = row.apart
    return apart


def _carry_out(
    program: BurstProgram, lanes: npt.NDArray[np.bool_], windows: Sequence[Window], refused: npt.NDArray[np.uint8]
) -> None:
    """Do the bursts one after the other: fills in what reads must give, and leaves in the windows what is written.

    Words of which a part is refused keep what the other part holds: nobody knows whether that is written.
    """
    partly = (refused.max(axis=1) > OKAY) & (refused.min(axis=1) == OKAY)
    bursts, width = program.bursts, lanes.shape[1]
    address, rows, lost, answers = bursts.addresses(), bursts.rows, program.lost, program.beat_answers
    ordered = sorted(windows, key=lambda one: one.base)
    of = np.searchsorted(np.array([one.base for one in ordered], np.uint64), address, "right") - 1
    for at in range(len(bursts)):
        for row in range(int(rows[at]), int(rows[at]) + int(bursts.len[at]) + 1):
            start = int(address[row]) // width * width
            window = ordered[of[row]]
            if partly[row] and bursts.kind[at] == WRITE:
                kept = np.flatnonzero(refused[row] == OKAY)
                program.data[row, kept] = window.data[start - window.base + kept]
            if answers[row] > EXOKAY:
                continue
            used = np.flatnonzero(program.strobe[row] if bursts.kind[at] == WRITE else lanes[row])
            where = start - window.base + used
            if bursts.kind[at] == READ:
                program.data[row] = 0
                program.data[row, used] = window.data[where]
                program.checked[row, used] = window.known[where] & ~partly[row]
            elif not lost[at]:
                if len(used) < width and not partly[row]:
                    # A byte that is left out, and stored all the same, shows.
                    held = window.data[start - window.base :][:width]
                    program.data[row] ^= np.where(program.data[row] == held, 0xFF, 0).astype(np.uint8)
                window.data[where] = program.data[row, used]
                window.known[where] = True
