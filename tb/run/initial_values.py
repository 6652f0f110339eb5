# SPDX-License-Identifier: Apache-2.0
"""``--x-check``: every episode once more, with other initial values of all registers and memories; nothing may differ.

Verilator has no X. RTL that depends on what a flip-flop or a memory without reset holds passes by luck, and differs
from one set of initial values to the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.sidebands import SIDEBANDS
from goldbeat.pymodels.stimulus import Access, MemoryContents, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.inside.job import AccessResult, Episode, Record

OTHER_SEED = 0x5A17
"""Between the seeds of the initial values of the two runs."""

_NEVER = 1 << 62
_LATE = _NEVER >> 1


def with_other_values(episodes: Sequence[Episode]) -> list[Episode]:
    """The same episodes with other initial values; those that begin with what the one before left still do."""
    return [e if e.seed is None else replace(e, seed=e.seed + OTHER_SEED) for e in episodes]


@dataclass(frozen=True)
class Difference:
    """What two runs of an episode differ in.

    Attributes:
        text: the first thing, and how many there are.
        seen_ps: when a stream differed first, counted from the origin; 0: none did, or it is not known.
    """

    text: str
    seen_ps: int = 0


def in_episode(number: int, stimuli: Sequence[Stimulus], text: str) -> str:
    """A text about an episode, which says which one where there are several."""
    if len(stimuli) == 1:
        return text
    label = stimuli[number].label
    return f"episode {number}{f' ({label})' if label else ''}: {text}"


def differing_episodes(stimuli: Sequence[Stimulus], records: Sequence[Record], others: Sequence[Record]) -> list[str]:
    """What :func:`first_difference` says of each pair of runs, with the number of the episode.

    Args:
        stimuli: of the episodes.
        records: with the initial values of the seed.
        others: with others; empty: nothing was run twice.
    """
    pairs = enumerate(zip(stimuli, records, others, strict=False))
    found = [(number, first_difference(*pair)) for number, pair in pairs]
    return [in_episode(number, stimuli, one.text) for number, one in found if one is not None]


def first_difference(stimulus: Stimulus, one: Record, other: Record) -> Difference | None:
    """The first thing in which two runs of an episode differ; None: they are equal.

    Data that do not count are left out: bytes without TKEEP or TSTRB, lanes that a burst does not use, and what a burst reads that
    nothing has written.

    Args:
        stimulus: of both.
        one: with the initial values of the seed.
        other: with others.
    """
    found = [
        *_traces(one, other),
        *_bursts(stimulus, one, other),
        *_registers(stimulus, one, other),
        *_ends(one, other),
    ]
    if not found:
        return None
    seen, text = min(found, key=lambda difference: difference[0])
    more = f"; {len(found)} ports and values differ in all" if len(found) > 1 else ""
    said = f"x_check: with other initial values of registers and memories, {text}{more}"
    return Difference(said, seen if seen < _LATE else 0)


_Difference = tuple[int, str]
"""A time in picoseconds, by which the first one is told, and what differs."""


def _traces(one: Record, other: Record) -> Iterator[_Difference]:
    for name, trace in one.outcome.ports.items():
        found = _trace(trace, other.outcome.ports[name])
        if found is not None:
            yield found[0], f"{name} differs: {found[1]}"


def _trace(one: Trace, other: Trace) -> _Difference | None:
    both = min(len(one), len(other))
    columns = _columns(one[:both]), _columns(other[:both])
    differs = np.zeros(both, np.bool_)
    for name in columns[0]:
        unlike = columns[0][name] != columns[1][name]
        differs |= unlike.any(axis=tuple(range(1, unlike.ndim)))
    if not differs.any():
        if len(one) == len(other):
            return None
        longer = one if len(one) > both else other
        return int(longer.time_ps[both]), f"beat {both} in cycle {longer.cycle[both]} comes in one run alone"
    at = int(np.argmax(differs))
    texts = [
        f"{name} {_text(columns[0][name][at])} and {_text(columns[1][name][at])}"
        for name in columns[0]
        if (columns[0][name][at] != columns[1][name][at]).any()
    ]
    when = min(int(one.time_ps[at]), int(other.time_ps[at]))
    return when, f"beat {at} in cycle {one.cycle[at]}: {', '.join(texts)}"


def _columns(trace: Trace) -> Mapping[str, npt.NDArray[Any]]:
    masked = trace.masked()
    sides = {name: column for name in SIDEBANDS if (column := getattr(trace, name)) is not None}
    return {"cycle": trace.cycle, "data": masked.data, "keep": trace.keep, "last": trace.last, **sides}


def _text(value: Any) -> str:
    """A row of bytes or bits as a number, lowest first; anything else as it is."""
    if getattr(value, "ndim", 0) == 0:
        return str(int(value))
    if value.dtype == np.bool_:
        return "0b" + "".join("1" if bit else "0" for bit in value[::-1])
    return "0x" + bytes(value[::-1]).hex()


def _bursts(stimulus: Stimulus, one: Record, other: Record) -> Iterator[_Difference]:
    for port, answers in one.bursts.items():
        program, again = stimulus.bursts[port], other.bursts[port]
        bursts = program.bursts
        # What is not predicted is storage that nothing has written.
        used = bursts.lanes(answers.data.shape[1]) & program.checked
        rows = ((answers.data != again.data) & used).any(axis=1)
        differs = (answers.response != again.response) | (answers.done != again.done)
        np.logical_or.at(differs, bursts.of_beat, rows)
        if differs.any():
            at = int(np.argmax(differs))
            cycles = f"over in cycles {answers.done[at]} and {again.done[at]}"
            more = ", other read data" if rows[bursts.of_beat == at].any() else ""
            yield (
                0,
                f"{port} differs: burst {at} at 0x{int(bursts.address[at]):x}, {cycles}, "
                f"responses {answers.response[at]} and {again.response[at]}{more}",
            )


def _registers(stimulus: Stimulus, one: Record, other: Record) -> Iterator[_Difference]:
    for port, results in one.accesses.items():
        again = other.accesses.get(port, ())
        asked = (*stimulus.program.get(port, ()), *stimulus.after.get(port, ()))
        for at, (first, second) in enumerate(zip(results, again, strict=False)):
            if _alike(asked[at] if at < len(asked) else None, first, second):
                continue
            name = f" ({asked[at].name})" if at < len(asked) else ""
            what = f"0x{first.value or 0:x} and 0x{second.value or 0:x} in cycles {first.cycle} and {second.cycle}"
            yield 0, f"{port} differs: access {at}{name}: {what}"
            break
        else:
            if len(results) != len(again):
                yield 0, f"{port} differs: {len(results)} and {len(again)} accesses were answered"


def _alike(access: Access | None, one: AccessResult, other: AccessResult) -> bool:
    """Whether two answers are equal in what counts: not in the data of errors, nor in bits that nothing has set."""
    if access is not None and access.op == "read" and (access.unset or one.error):
        known = 0 if one.error else ~access.unset
        one, other = (replace(answer, value=(answer.value or 0) & known) for answer in (one, other))
    return (one, one.cycle) == (other, other.cycle)


def _ends(one: Record, other: Record) -> Iterator[_Difference]:
    """Status outputs and memories as they stand at the end."""
    for name, value in one.outcome.status.items():
        if value != other.outcome.status[name]:
            yield _NEVER, f"status {name} ends as {value} and {other.outcome.status[name]}"
    for name, contents in one.outcome.memories.items():
        yield from _memory(name, contents, other.outcome.memories[name])


def _memory(name: str, one: MemoryContents, other: MemoryContents) -> Iterator[_Difference]:
    for region, data in one.regions.items():
        wrong = np.flatnonzero(data != other.regions[region])
        if len(wrong):
            at = int(wrong[0])
            yield (
                _NEVER,
                (
                    f"memory {name}, region {region} differs in {len(wrong)} bytes, the first at offset 0x{at:x}: "
                    f"0x{data[at]:02x} and 0x{other.regions[region][at]:02x}"
                ),
            )
    if one.log is not None and other.log is not None and not np.array_equal(one.log, other.log):
        both = min(len(one.log), len(other.log))
        differs = np.flatnonzero(one.log[:both] != other.log[:both])
        at = int(differs[0]) if len(differs) else both
        yield _NEVER - 1, f"memory {name} sees other bursts, from number {at} on"
