# SPDX-License-Identifier: Apache-2.0
"""Where commands begin: heads and lengths first, fields later.

The head of *every* 16-byte granule is looked at with numpy, whether a command begins there or not; what is left for
Python is to hop from one command to the next over a list of steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.streams.tables import GRANULE, LINE, Chip, EngineTable

_CHUNK = 1 << 16
"""Granules looked at in one go; what bounds the memory beyond the result."""
_END = 128
_MANY = 1000
"""So many lines of garbage are named."""


@dataclass(frozen=True)
class Problem:
    """Something wrong with the framing of a stream.

    Attributes:
        rule: one of :data:`RULES`.
        offset: byte offset.
        found, expected: in words.
        fatal: whether nothing behind it can be read.
    """

    rule: str
    offset: int
    found: str
    expected: str
    fatal: bool = True


RULES = {
    "unknown-kind": "a head that is no command of this engine",
    "truncated": "the stream stops within a command",
    "missing-end": "no END command behind the last command",
    "padding": "bytes that are not zero between an END and the next line of 128 bytes",
    "record": "a CV18xx record of another magic number, engine or length",
    "early-last": "the last-command flag before the last command",
}
"""What :func:`find_commands` can find, and what it means."""


@dataclass(frozen=True, eq=False)
class Walked:
    """Where n commands are.

    Attributes:
        offset: (n,) int64 bytes.
        kind: (n,) int16 index of the form.
        segment: (n,) int32, counted up behind each END.
        problems: in the order of the stream; a fatal one is the last.
    """

    offset: npt.NDArray[np.int64]
    kind: npt.NDArray[np.int16]
    segment: npt.NDArray[np.int32]
    problems: tuple[Problem, ...]


def _used(data: npt.NDArray[np.uint8]) -> int:
    """Bytes up to the last one that is not zero, found from the end in bounded steps."""
    at = len(data)
    while at:
        begin = max(0, at - (1 << 20))
        hot = np.flatnonzero(data[begin:at])
        if len(hot):
            return begin + int(hot[-1]) + 1
        at = begin
    return 0


def stream_words(data: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    """The stream as 64-bit words; copied only where the length is not a multiple of 8."""
    if len(data) % 8 or not data.flags.c_contiguous:
        data = np.concatenate([data, np.zeros(-len(data) % 8, np.uint8)])
    return data.view("<u8")


def heads(
    engine: EngineTable, words: npt.NDArray[np.uint64], at: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """The first two 64-bit words of the commands at word indexes ``at``."""
    low = words[at]
    needs = any(bit + width > 64 for bit, width in engine.head.values())
    return low, words[np.minimum(at + 1, len(words) - 1)] if needs else low


def find_commands(engine: EngineTable, data: npt.NDArray[np.uint8]) -> Walked:
    """Find the commands of a stream of one engine.

    Args:
        engine: whose stream it is.
        data: (bytes,) uint8.
    """
    if not engine.head:
        return _frames(engine, data)
    return _frames(engine, data) if engine.end is None else _chained(engine, data)


def _frames(engine: EngineTable, data: npt.NDArray[np.uint8]) -> Walked:
    """Commands of one length without END: as many as there are up to the last byte that is not zero."""
    size = engine.fixed_bytes
    used = _used(data)
    count, whole = -(-used // size), len(data) // size
    problems: list[Problem] = []
    if count > whole:
        problems.append(Problem("truncated", whole * size, f"{len(data) - whole * size} bytes", f"a command of {size}"))
        count = whole
    offset = np.arange(count, dtype=np.int64) * size
    kind = np.zeros(count, np.int16)
    if engine.head and count:
        words = stream_words(data)
        low, high = heads(engine, words, offset // 8)
        kind = engine.lookup[engine.key(low, high)]
        bad = np.flatnonzero(kind < 0)
        if len(bad):
            first = int(bad[0])
            problems = [_unknown(engine, int(offset[first]), int(low[first]))]
            offset, kind, low = offset[:first], kind[:first], low[:first]
        if engine.last is not None:
            bit = np.uint64(engine.last[0])
            early = np.flatnonzero((low[:-1] >> bit) & np.uint64(1))
            problems[:0] = [
                Problem("early-last", int(offset[i]), "the last-command flag", "it on the last command only", False)
                for i in early[:16]
            ]
    return Walked(offset, kind, np.zeros(len(offset), np.int32), tuple(problems))


def _unknown(engine: EngineTable, offset: int, head: int) -> Problem:
    return Problem("unknown-kind", offset, f"head {head:016x}", f"a {engine.name} command of {engine.chip}")


def _steps(engine: EngineTable) -> npt.NDArray[np.uint8]:
    """Steps in granules by head key: 0 for no command, with the top bit for END.

    As bytes they are looked up without making a Python number of each.
    """
    assert engine.end is not None
    lengths = np.array([kind.bytes // GRANULE for kind in engine.kinds] + [0], np.uint8)
    steps = lengths[engine.lookup]
    _, types, funcs = engine.widths
    end, end_func = engine.end
    keys = np.arange(len(engine.lookup))
    is_end = (engine.lookup == end.index) & (keys >> types & ((1 << funcs) - 1) == end_func)
    steps[is_end] |= _END
    return steps


def _behind_all(at: int, begun: bool, used: int, size: int) -> list[Problem]:
    """What is wrong with a stream whose last whole granule is over: bytes that are left, or no END."""
    rest = size - at * GRANULE
    if rest and used > at * GRANULE:
        return [Problem("truncated", at * GRANULE, f"{rest} bytes", "a command")]
    return [Problem("missing-end", at * GRANULE, "the end of the stream", "END")] if begun else []


def _padding(data: npt.NDArray[np.uint8], begin: int, end: int) -> list[Problem]:
    """The first byte behind an END that is not zero."""
    hot = np.flatnonzero(data[begin:end])
    if not len(hot):
        return []
    where = begin + int(hot[0])
    return [Problem("padding", where, f"byte {int(data[where]):#04x}", "zeros", False)]


def _walked(
    engine: EngineTable,
    data: npt.NDArray[np.uint8],
    offset: npt.NDArray[np.int64],
    kind: npt.NDArray[np.int16],
    segments: list[int],
    problems: list[Problem],
) -> Walked:
    """All commands, less a last one of which only the beginning is there."""
    if len(offset):
        size = engine.kinds[int(kind[-1])].bytes
        if int(offset[-1]) + size > len(data):
            last = int(offset[-1])
            problems = [p for p in problems if p.offset < last]
            problems.append(Problem("truncated", last, f"{len(data) - last} bytes", f"a command of {size}"))
            offset, kind = offset[:-1], kind[:-1]
    marks = np.zeros(len(offset) + 2, np.int32)
    marks[np.minimum(np.array(segments, np.int64), len(offset) + 1)] = 1
    segment = np.cumsum(marks, dtype=np.int32)[: len(offset)]
    return Walked(offset, kind, segment, tuple(problems))


def _chained(engine: EngineTable, data: npt.NDArray[np.uint8]) -> Walked:
    used = _used(data)
    granules = len(data) // GRANULE
    steps_by_key = _steps(engine)
    view = stream_words(data)[: 2 * granules]
    found: list[npt.NDArray[np.int64]] = []
    kinds: list[npt.NDArray[np.int16]] = []
    segments: list[int] = []  # commands up to and with each END
    problems: list[Problem] = []
    at = total = 0
    begun = False
    done = used == 0
    if done:
        nothing = "nothing but zeros" if len(data) else "an empty stream"
        problems.append(Problem("missing-end", 0, nothing, "commands and END"))
    while not done:
        if at >= granules:
            problems += _behind_all(at, begun, used, len(data))
            break
        base = at
        stop = min(granules, base + _CHUNK)
        low, high = view[2 * base : 2 * stop : 2], view[2 * base + 1 : 2 * stop : 2]
        here = engine.key(low, high)
        steps = steps_by_key[here].tobytes()
        positions: list[int] = []
        while at < stop:
            step = steps[at - base]
            if 0 < step < _END:
                if at * GRANULE >= used:
                    problems.append(Problem("missing-end", at * GRANULE, "zeros to the end of the stream", "END"))
                    done = True
                    break
                positions.append(at)
                at += step
                begun = True
                continue
            if step == 0:
                problems.append(_unknown(engine, at * GRANULE, int(view[2 * at])))
                done = True
                break
            positions.append(at)
            begun = False
            segments.append(total + len(positions))
            behind = at + step - _END
            line = -(-behind * GRANULE // LINE) * LINE // GRANULE
            if len(problems) < _MANY:
                problems += _padding(data, behind * GRANULE, line * GRANULE)
            at = line
            if at * GRANULE >= used:
                done = True
                break
            # Whole lines of zeros are padding too.
            while at < granules and not data[at * GRANULE : at * GRANULE + LINE].any():
                at += LINE // GRANULE
        total += len(positions)
        found.append(np.array(positions, np.int64))
        kinds.append(engine.lookup[here[found[-1] - base]])
    offset = (np.concatenate(found) if found else np.zeros(0, np.int64)) * GRANULE
    kind = np.concatenate(kinds) if kinds else np.zeros(0, np.int16)
    return _walked(engine, data, offset, kind, segments, problems)


def records(chip: Chip, data: npt.NDArray[np.uint8]) -> tuple[dict[str, Walked], dict[str, npt.NDArray[np.int64]]]:
    """Find the commands in the records of a CV18xx stream: an 8-byte header and a command each.

    Returns:
        By engine: where the commands (not the headers) are, and the place of each in the sequence of records.
    """
    assert chip.magic is not None
    offsets: dict[str, list[int]] = {name: [] for name in chip.record_engines.values()}
    places: dict[str, list[int]] = {name: [] for name in chip.record_engines.values()}
    used, size = _used(data), len(data)
    problem: list[Problem] = []
    at = count = 0
    raw = data.tobytes()
    while at < used:
        if at + 8 > size:
            problem = [Problem("truncated", at, f"{size - at} bytes", "a record header of 8")]
            break
        name = chip.record_engines.get(raw[at + 2] & 15)
        if raw[at] != chip.magic or name is None:
            found = f"magic {raw[at]:#04x}, engine {raw[at + 2] & 15}"
            engines = " or ".join(str(number) for number in chip.record_engines)
            problem = [Problem("record", at, found, f"magic {chip.magic:#04x}, engine {engines}")]
            break
        length = chip.engines[name].fixed_bytes
        if raw[at + 1] != length:
            problem = [Problem("record", at + 1, f"a {name} record of {raw[at + 1]} bytes", f"{length}")]
            break
        if at + 8 + length > size:
            problem = [Problem("truncated", at, f"{size - at} bytes", f"a record of {8 + length}")]
            break
        offsets[name].append(at + 8)
        places[name].append(count)
        count += 1
        at += 8 + length
    result: dict[str, Walked] = {}
    for name, where in offsets.items():
        offset = np.array(where, np.int64)
        engine = chip.engines[name]
        kind = np.zeros(0, np.int16)
        mine = list(problem)
        if len(offset):
            low, high = heads(engine, stream_words(data), offset // 8)
            kind = engine.lookup[engine.key(low, high)]
            bad = np.flatnonzero(kind < 0)
            if len(bad):
                first = int(bad[0])
                mine = [_unknown(engine, int(offset[first]), int(low[first]))]
                offset, kind = offset[:first], kind[:first]
        places[name] = places[name][: len(offset)]
        result[name] = Walked(offset, kind, np.zeros(len(offset), np.int32), tuple(mine))
    return result, {name: np.array(place, np.int64) for name, place in places.items()}
