# SPDX-License-Identifier: Apache-2.0
"""The compiler's own timeline, ``compiler_profile_N.txt`` of core N: start, end and duration of every command.

Two columns of entries ``NAME|OPERATION|s:START|b:TIU id|g:GDMA id|e:END|t:DURATION``, TIU left, GDMA right; of b and g one
is the command's own id and the other the id that it waits for. Each sub-net has a section, closed by a line ``API_END``,
and in each section ids begin at 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from pathlib import Path

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.tpu.streams.decode import Commands
from goldbeat.pymodels.tpu.streams.framing import heads
from goldbeat.pymodels.tpu.streams.schedule import MAX_CYCLES, OTHER

# An entry begins a word: without that, a long line without any entry would be searched from each of its characters on.
_ENTRY = re.compile(r"(?<!\S)([^|\s]*)\|(\w+)\|s:(\d+)\|b:(\d+)\|g:(\d+)\|e:(\d+)\|t:(\d+)(\|dr:)?", flags=re.ASCII)
_MARK = "API_END"
_DIGITS = 15
"""Decimal digits of the greatest number that is read: it fits 64 bits."""
_CORE = re.compile(r"compiler_profile_(\d{1,4})(?!\d)")


@dataclass(frozen=True, eq=False)
class Timeline:
    """One engine's entries, in order of their ids.

    Attributes:
        id, dep, start, end, duration: (n,) int64.
        name: the operation of each.
        line: (n,) int64, line in the text.
    """

    id: npt.NDArray[np.int64]
    dep: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    duration: npt.NDArray[np.int64]
    name: list[str]
    line: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True, eq=False)
class Section:
    """The entries of one sub-net.

    Attributes:
        line: the first line.
        runs: by engine (``tiu``, ``gdma``), the entries with ids from 1 on: one timeline, more where a sub-net has
            several groups.
    """

    line: int
    runs: dict[str, list[Timeline]]

    @property
    def empty(self) -> bool:
        """Whether there is no entry."""
        return not any(self.runs.values())


_Row = tuple[int, int, int, int, int, str, int]


def parse_profile(text: str) -> dict[str, Timeline]:
    """Read the timeline of one sub-net: by engine, ``tiu`` and ``gdma``.

    Raises:
        InputError: there is no entry, an entry contradicts itself, or there are several sub-nets or groups.
    """
    found = [section for section in parse_sections(text) if not section.empty]
    if len(found) > 1:
        raise InputError(f"sections of {len(found)} sub-nets", "one sub-net", line=found[1].line)
    runs = found[0].runs
    if any(len(parts) > 1 for parts in runs.values()):
        raise InputError("ids that begin again", "one group", line=found[0].line)
    return {engine: parts[0] if parts else _timeline([]) for engine, parts in runs.items()}


def parse_sections(text: str, file: str | PathLike[str] | None = None) -> list[Section]:
    """Read all sections, also those without entries (a sub-net that leaves this core idle).

    Raises:
        InputError: there is no entry, or an entry contradicts itself; with the line.
    """
    made: list[Section] = []
    rows: dict[str, list[_Row]] = {"tiu": [], "gdma": []}
    begin = 1
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith(_MARK):
            made.append(_section(begin, rows))
            rows, begin = {"tiu": [], "gdma": []}, number + 1
        for engine, row in _entries(line, number, file):
            rows[engine].append(row)
    if any(rows.values()):
        made.append(_section(begin, rows))
    if all(section.empty for section in made):
        raise InputError("no entry", "NAME|OPERATION|s:..|b:..|g:..|e:..|t:..", file=file)
    return made


def read_sections(path: str | PathLike[str]) -> list[Section]:
    """Read all sections of a file.

    Raises:
        InputError: it is no text, has no entry, or an entry contradicts itself.
    """
    raw = Path(path).read_bytes()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte {raw[error.start]:#04x}"
        raise InputError(found, "the text of a compiler_profile_N.txt", file=path, offset=error.start) from None
    return parse_sections(text, path)


def core_of(path: str | PathLike[str]) -> int | None:
    """The core that a file's name tells (``compiler_profile_1.txt``), None if it tells none."""
    found = _CORE.search(Path(path).name)
    return None if found is None else int(found[1])


def _entries(line: str, number: int, file: str | PathLike[str] | None) -> Iterator[tuple[str, _Row]]:
    for name, op, *numbers, dma in _ENTRY.findall(line):
        longest = max(map(len, numbers))
        if longest > _DIGITS:
            raise InputError(f"a number of {longest} digits", f"at most {_DIGITS}", file=file, line=number)
        start, tiu, gdma, end, took = (int(n) for n in numbers)
        if end != start + took - 1:
            raise InputError(f"{name}: {start} to {end} in {took} cycles", "e = s + t - 1", file=file, line=number)
        if took > MAX_CYCLES:
            raise InputError(f"{name}: {took} cycles", f"at most {MAX_CYCLES}", file=file, line=number)
        own, other = (gdma, tiu) if dma else (tiu, gdma)
        yield ("gdma" if dma else "tiu"), (own, other, start, end, took, op, number)


def _section(line: int, rows: dict[str, list[_Row]]) -> Section:
    runs: dict[str, list[Timeline]] = {}
    for engine, found in rows.items():
        # Ids rise within a group and begin again in the next one.
        begins = [i for i, row in enumerate(found) if i == 0 or row[0] <= found[i - 1][0]]
        runs[engine] = [_timeline(found[a:b]) for a, b in pairwise([*begins, len(found)])]
    return Section(line, runs)


def _timeline(rows: Sequence[_Row]) -> Timeline:
    columns = np.array([[*row[:5], row[6]] for row in rows], np.int64).reshape(len(rows), 6)
    id_, dep, start, end, duration, line = columns.T
    return Timeline(id_, dep, start, end, duration, [row[5] for row in rows], line)


@dataclass(frozen=True, eq=False)
class Durations:
    """What a profile says of one stream: cycles and start of the commands in ``rows``."""

    rows: npt.NDArray[np.int64]
    cycles: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]


SubNet = tuple[str, Sequence[Commands]]
"""Its name for messages, and the commands of its groups in their order, of TIU and GDMA."""


def fit(
    sections: Sequence[Section], subnets: Sequence[SubNet], file: str | PathLike[str] | None = None
) -> list[tuple[Commands, Durations]]:
    """The durations that a core's profile gives to the core's sub-nets.

    Raises:
        InputError: the profile is not of these sub-nets: another number of them or of groups, commands that the
            streams have not, or dependencies other than theirs.
    """
    made: list[tuple[Commands, Durations]] = []
    for section, (name, found) in _pairs(sections, subnets, file):
        for engine, runs in section.runs.items():
            groups = [part for one in found if one.engine.name == engine for part in _groups(one)]
            if runs and len(runs) != len(groups):
                told = f"{len(runs)} times {engine} ids from the beginning"
                raise InputError(told, f"{len(groups)}, the groups of {name}", file=file, line=section.line)
            for run, (one, rows) in zip(runs, groups, strict=False):
                _check(run, one, rows, name, file)
                made.append((one, Durations(rows[run.id - 1], run.duration, run.start)))
    return made


def _pairs(
    sections: Sequence[Section], subnets: Sequence[SubNet], file: str | PathLike[str] | None
) -> list[tuple[Section, SubNet]]:
    """Section and sub-net that belong together; those without work may have no section, or an empty one."""
    if len(sections) == len(subnets):
        return list(zip(sections, subnets, strict=True))
    full = [section for section in sections if not section.empty]
    busy = [one for one in subnets if any(not part.is_end.all() for part in one[1])]
    if len(full) != len(busy):
        raise InputError(f"{len(full)} sections", f"{len(busy)}, one per sub-net", file=file, line=full[-1].line)
    return list(zip(full, busy, strict=True))


def _groups(found: Commands) -> Iterator[tuple[Commands, npt.NDArray[np.int64]]]:
    """The rows of each segment that has more than its END."""
    bounds = np.flatnonzero(np.diff(found.segment)) + 1
    for rows in np.split(np.arange(len(found), dtype=np.int64), bounds):
        if not found.is_end[rows].all():
            yield found, rows


def _check(
    run: Timeline, found: Commands, rows: npt.NDArray[np.int64], name: str, file: str | PathLike[str] | None
) -> None:
    """Whether a timeline's commands are there and wait for what it says."""
    engine = found.engine
    bad = np.flatnonzero((run.id < 1) | (run.id > len(rows)))
    if len(bad):
        first = int(bad[0])
        told = f"{engine.name} command {int(run.id[first])}"
        raise InputError(told, f"1 to {len(rows)}, the commands of {name}", file=file, line=int(run.line[first]))
    if "dep" not in engine.head:
        return
    mine = rows[run.id - 1]
    low, high = heads(engine, found.words, found.offset[mine] >> 3)
    # Where the wait is switched off, the field may hold what the profile says all the same.
    field = engine.item("dep", low, high).astype(np.int64)
    has = np.array([kind.has_dep for kind in engine.kinds], np.bool_)[found.kind[mine]]
    dep = found.dep[mine]
    wrong = np.flatnonzero(has & (run.dep != dep) & ((dep != 0) | (run.dep != field)))
    if len(wrong):
        first = int(wrong[0])
        other = OTHER[engine.name]
        told = f"{engine.name} command {int(run.id[first])} that waits for {other} command {int(run.dep[first])}"
        wanted = f"{other} command {int(dep[first])}, as in {name}"
        raise InputError(told, wanted, file=file, line=int(run.line[first]))
