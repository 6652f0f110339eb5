# SPDX-License-Identifier: Apache-2.0
"""What an episode did, as hashes and some values: small enough to commit, and enough to say what changed, in data or in time.

The hashes of a port are those of its blocks of beats, so that a change has a place. Data are hashed apart from cycles.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from goldbeat.pymodels.stimulus import MemoryContents, Stimulus
from goldbeat.pymodels.stimulus_file import canonical_text
from goldbeat.pymodels.trace import SIDEBANDS, Trace
from goldbeat.tb.inside.job import Record

_WHOLE, _SHORT = 16, 4
"""Bytes of the hash of a port, and of a block."""
_BLOCKS = 16
"""Blocks of a port, at most."""
_LEAST = 16
"""Beats of a block, at least."""
_SHOWN = 4
"""Beats of a port that are kept as they are."""
_CYCLES = frozenset({"offered", "cycle", "first", "last", "done"})
"""Columns of a memory's log that are cycles."""

_HEX = r"^[0-9a-f]*$"


class _Mark(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class PortMark(_Mark):
    """What a stream port did.

    Attributes:
        beats, frames: how many.
        clock_ps: period of its clock.
        data, time: hashes over all beats, and over all cycles.
        block: beats of a block.
        cycles: of the first beat of each block, and of the last beat.
        data_blocks, time_blocks: hashes by block.
        values: the first beats, ``DATA @CYCLE``, the high byte first.
    """

    beats: int = Field(ge=0)
    frames: int = Field(ge=0)
    clock_ps: int = Field(gt=0)
    data: str = Field(pattern=_HEX)
    time: str = Field(pattern=_HEX)
    block: int = Field(gt=0)
    cycles: list[int]
    data_blocks: list[str]
    time_blocks: list[str]
    values: list[str]


class ValueMark(_Mark):
    """What something other than a stream did: a register program, bursts, a memory.

    Attributes:
        count: how many values.
        data, time: hashes over them, and over their cycles.
    """

    count: int = Field(ge=0)
    data: str = Field(pattern=_HEX)
    time: str = Field(pattern=_HEX)


class EpisodeMark(_Mark):
    """What an episode did.

    Attributes:
        stimulus: hash of what was driven.
        ports: the stream ports.
        values: everything else, by what messages call it.
        status: status outputs at the end; none for an episode that a reset has cut off.
    """

    stimulus: str = Field(pattern=_HEX)
    ports: dict[str, PortMark]
    values: dict[str, ValueMark] = {}
    status: dict[str, int] = {}

    @property
    def count(self) -> int:
        """How many beats and values there are."""
        parts = (*(p.beats for p in self.ports.values()), *(v.count for v in self.values.values()))
        return sum(parts) + len(self.status)


def mark_episode(stimulus: Stimulus, record: Record) -> EpisodeMark:
    """What an episode did.

    Args:
        stimulus: what was driven.
        record: what came of it.
    """
    whole = stimulus.stop_ps is None
    return EpisodeMark(
        stimulus=_stimulus_hash(stimulus),
        ports={name: mark_trace(trace) for name, trace in record.outcome.ports.items()},
        values=dict(_marks(stimulus, record)),
        status={name: int(value) for name, value in record.outcome.status.items()} if whole else {},
    )


def _hash(size: int, *parts: Any) -> str:
    digest = hashlib.blake2b(digest_size=size)
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype.str}{part.shape}".encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        else:
            digest.update(repr(part).encode())
    return digest.hexdigest()


def _data_columns(trace: Trace) -> Iterator[Any]:
    masked = trace.masked()
    yield from (masked.data, trace.keep, trace.last)
    for name in SIDEBANDS:
        if (column := getattr(trace, name)) is not None:
            yield from (name, column)


def mark_trace(trace: Trace) -> PortMark:
    """What a stream port did."""
    block = max(_LEAST, -(-len(trace) // _BLOCKS))
    cycles, data, time, frames = list[int](), list[str](), list[str](), 0
    for start in range(0, len(trace), block):
        part = trace[start : start + block]
        cycles.append(int(part.cycle[0]))
        frames += int(np.count_nonzero(part.last))
        data.append(_hash(_SHORT, *_data_columns(part)))
        time.append(_hash(_SHORT, part.cycle))
    if len(trace):
        cycles.append(int(trace[-1:].cycle[0]))
    first = trace[:_SHOWN]
    rows = zip(first.masked().data[:, ::-1], first.cycle.tolist(), strict=True)
    return PortMark(
        beats=len(trace),
        frames=frames,
        clock_ps=trace.clock_ps,
        data=_hash(_WHOLE, trace.width, data),
        time=_hash(_WHOLE, trace.clock_ps, trace.offset_ps, time),
        block=block,
        cycles=cycles,
        data_blocks=data,
        time_blocks=time,
        values=[f"{row.tobytes().hex()} @{cycle}" for row, cycle in rows],
    )


def _mark(count: int, data: Iterable[Any], time: Iterable[Any]) -> ValueMark:
    return ValueMark(count=count, data=_hash(_WHOLE, *data), time=_hash(_WHOLE, *time))


def _marks(stimulus: Stimulus, record: Record) -> Iterator[tuple[str, ValueMark]]:
    """Of register programs, bursts and memories."""
    for port, results in record.accesses.items():
        answers = [(one.value, one.error) for one in results]
        yield f"accesses of {port}", _mark(len(results), [answers], [[one.cycle for one in results]])
    for port, found in record.bursts.items():
        used = stimulus.bursts[port].bursts.lanes(found.data.shape[1])
        data = np.where(used, found.data, 0).astype(np.uint8)
        times = (found.offered, found.first, found.done)
        yield f"bursts of {port}", _mark(len(found.response), (found.response, data), times)
    if stimulus.stop_ps is not None:
        return
    for port, memory in record.outcome.memories.items():
        yield f"memory {port}", _mark_memory(memory)


def _mark_memory(memory: MemoryContents) -> ValueMark:
    held = [item for name in sorted(memory.regions) for item in (name, memory.regions[name])]
    log = memory.log
    if log is None:
        return _mark(len(memory.regions), held, ())
    names = log.dtype.names or ()
    data = [np.ascontiguousarray(log[name]) for name in names if name not in _CYCLES]
    times = [np.ascontiguousarray(log[name]) for name in names if name in _CYCLES]
    return _mark(len(log), (*held, *data), times)


def _stimulus_hash(stimulus: Stimulus) -> str:
    """Of everything that is driven."""
    parts: list[Any] = [canonical_text(replace(stimulus, inputs={}))]
    for name, trace in sorted(stimulus.inputs.items()):
        parts.append(name)
        for part in trace.parts():
            parts += [*_data_columns(part), part.cycle]
    return _hash(_WHOLE, *parts)


# -- what changed -----------------------------------------------------------------------------------------------------


def mark_changes(was: EpisodeMark, now: EpisodeMark) -> list[str]:
    """What an episode does other than it was recorded to do, a text for each port and kind; empty: nothing.

    Args:
        was: as recorded.
        now: as it is.
    """
    if was.stimulus != now.stimulus:
        return ["the stimulus differs from the recorded one, so nothing can be compared"]
    found = list[str]()
    found += _by_name("port", was.ports, now.ports, _port_changes)
    found += _by_name("", was.values, now.values, _value_changes)
    for name in sorted({*was.status, *now.status}):
        old, new = was.status.get(name), now.status.get(name)
        if old != new:
            found.append(f"status {name}: was {_or_none(old)}, is {_or_none(new)}")
    return found


def _or_none(value: int | None) -> str:
    return "not there" if value is None else str(value)


def _by_name(
    kind: str, was: Mapping[str, Any], now: Mapping[str, Any], changes: Callable[[Any, Any], Iterator[str]]
) -> Iterator[str]:
    for name in (*was, *(n for n in now if n not in was)):
        title = f"{kind} {name}".strip()
        if name not in now or name not in was:
            yield f"{title}: {'is no longer there' if name in was else 'was not there'}"
            continue
        yield from (f"{title}: {text}" for text in changes(was[name], now[name]))


def _port_changes(was: PortMark, now: PortMark) -> Iterator[str]:
    count = "" if was.beats == now.beats else f"; {was.beats} beats were recorded, there are {now.beats}"
    if was.data != now.data:
        at = _first_unlike(was.data_blocks, now.data_blocks)
        shown = _shown_change(was, now, lambda text: text.partition(" @")[0])
        yield f"data changed{_place(was, now, at)}{shown}{count}"
    if was.time != now.time:
        if was.clock_ps != now.clock_ps:
            yield f"time changed: the clock had a period of {was.clock_ps} ps, it has {now.clock_ps} ps"
            return
        at = _first_unlike(was.time_blocks, now.time_blocks)
        shown = _shown_change(was, now, lambda text: text.partition(" @")[2], "in cycle ")
        if not shown and at is not None and at < min(len(was.cycles), len(now.cycles)) - 1:
            before, after = was.cycles[at], now.cycles[at]
            shown = f"; beat {at * was.block} was in cycle {before}, is in {after}" if before != after else ""
        yield f"time changed{_place(was, now, at)}{shown}{_end(was, now)}{'' if was.data != now.data else count}"


def _end(was: PortMark, now: PortMark) -> str:
    if not (was.cycles and now.cycles) or was.cycles[-1] == now.cycles[-1]:
        return ""
    return f"; the last beat was in cycle {was.cycles[-1]}, is in {now.cycles[-1]}"


def _first_unlike(was: Sequence[str], now: Sequence[str]) -> int | None:
    pairs = zip(was, now, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), None)


def _place(was: PortMark, now: PortMark, at: int | None) -> str:
    """Among which beats the first change is."""
    if was.block != now.block:
        return ""
    if at is None:
        return f" behind beat {min(was.beats, now.beats) - 1}" if was.beats != now.beats else ""
    return f", first in beats {at * was.block} to {min((at + 1) * was.block, was.beats) - 1}"


def _shown_change(was: PortMark, now: PortMark, part: Callable[[str], str], what: str = "") -> str:
    """The first of the kept beats that differs."""
    for beat, (old, new) in enumerate(zip(was.values, now.values, strict=False)):
        if part(old) != part(new):
            return f"; beat {beat} was {what}{part(old)}, is {what}{part(new)}"
    return ""


def _value_changes(was: ValueMark, now: ValueMark) -> Iterator[str]:
    count = "" if was.count == now.count else f"; {was.count} were recorded, there are {now.count}"
    if was.data != now.data:
        yield f"data changed{count}"
    if was.time != now.time:
        yield f"time changed{'' if was.data != now.data else count}"
