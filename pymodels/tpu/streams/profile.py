# SPDX-License-Identifier: Apache-2.0
"""The compiler's own timeline, ``compiler_profile_N.txt`` of core N: start, end and duration of every command.

Columns of entries ``NAME|OPERATION|s:START|b:TIU id|g:GDMA id|e:END|t:DURATION``, one column per engine under a line of their
names. Chips with more engines have ``h:HAU id|sd:SDMA id`` before ``e``. Of b and g one is the command's own id and the other
the id that it waits for. Messages take no time, so that one at 0 ends at -1. The compiler has no name and no time for reversed
moves: their OPERATION is empty, their duration 0. Some other moves have no time either. Each sub-net has a section, closed by a
line ``API_END``, and in each section ids begin at 1.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from os import PathLike
from pathlib import Path

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.tpu.streams.decode import Commands
from goldbeat.pymodels.tpu.streams.framing import heads
from goldbeat.pymodels.tpu.streams.moved import MARK as _MOVED_MARK
from goldbeat.pymodels.tpu.streams.moved import check_moved
from goldbeat.pymodels.tpu.streams.schedule import MAX_CYCLES, OTHER

_COUNT = r"(?:0|[1-9]\d{0,14})"
"""A count as the compiler writes it: no sign, no leading zeros, at most 15 digits."""
_WORD = re.compile(r"\S+", flags=re.ASCII)
_ENTRY = re.compile(r"([^|]*)\|(\w*)((?:\|[a-z]+:[^|]*)+)", flags=re.ASCII)
_NUMBER = re.compile(r"0|-?[1-9]\d*", flags=re.ASCII)
_RATE = re.compile(r"(?:0|[1-9]\d*)(?:\.\d+)?|-?inf|-?nan", flags=re.ASCII)
_MARK, _CYCLE_MARK, _COLUMNS = "API_END", "TCYC", "ENGINE_"
_MOVED = re.compile(r"\|dr\[(\d)\]\s*(\w+):(-?\d+)(?=\||\s*$)", flags=re.ASCII)
"""The bytes of a direction; other chips write numbers with decimals, whose unit no source tells."""
_WAY_NAMES = ("S2L", "L2S", "S2S", "L2L")
_MOVED_FORM = "GDMA SUMMARY : |dr[0] S2L:N|dr[1] L2S:N|dr[2] S2S:N|dr[3] L2L:N"
_UNSIZED = re.compile(r"_(?:CONSTANT|NOP|SYS|\w+_MSG)$", flags=re.ASCII)
"""Entries without bytes."""
_MOVE = ("size", "direction")
_NO_ENTRY = np.zeros(0, np.int64)
_LEGEND = "s: start"
_OTHER = re.compile(rf"\s*(?:[-#]{{2,}}\s*$|{_LEGEND}|GDMA SUMMARY|DDR |flops:)", flags=re.ASCII)
"""Lines without entries: rules, the legend, and sums at the end."""
_SUMS = re.compile(rf"\s*API_END\s+total_cycle:({_COUNT})\|b:({_COUNT})\|g:({_COUNT})\s*", flags=re.ASCII)
_CYCLES = re.compile(
    rf"\s*TCYC\s*:\s*({_COUNT})\.?(?:\s*\(bdc_cycle:({_COUNT}), gdma_cycle:({_COUNT})\))?\s*", flags=re.ASCII
)
_SUM = re.compile(r":\s*([^\s:|,]+)", flags=re.ASCII)
_AMOUNT = re.compile(
    r"(?:0|-?[1-9]\d*|-?(?:0|[1-9]\d*)(?:\.\d+(?:e[+-]?\d+)?|e[+-]?\d+)|-?inf|-?nan)(?:[kKMGTPE]?|[mun]?s|%)",
    flags=re.ASCII,
)
"""A number of a sum, perhaps with a unit."""
_NUMBERS = ("s", "b", "g", "e", "t")
_FROM_0 = ("s", "b", "g", "h", "sd", "t")
_KEYS = ("s", "b", "g", "h", "sd", "e", "t", "dr", "sz", "bw")
"""Fields of an entry, as the compiler orders them."""
_WHOLE = {*_KEYS} - {"bw"}
_ENGINES = {"BD": "tiu", "GDMA": "gdma", "SDMA": "sdma", "HAU": "hau", "CDMA": "cdma"}
_OWN = {"tiu": "b", "gdma": "g", "sdma": "sd", "hau": "h"}
_DIRECTIONS = 3
"""The greatest direction of a move: local memory to global and back, and within each of them."""
_FORM = "NAME|OPERATION|s:..|b:..|g:..|e:..|t:.."
_SUMS_FORM = "API_END total_cycle:N|b:N|g:N"
_CYCLES_FORM = "TCYC : N. (bdc_cycle:N, gdma_cycle:N)"
_SHOWN = 40
"""Characters of a line that are no entry."""
_DIGITS = 15
"""Decimal digits of the greatest number that is read: it fits 64 bits."""
_SUBNET = re.compile(r"sub(\d+)$", flags=re.ASCII)
_CORE = re.compile(r"(?:^|_)profile_(\d{1,4})(?!\d)", flags=re.ASCII)


@dataclass(frozen=True, eq=False)
class Timeline:
    """One engine's entries, in order of their ids.

    Attributes:
        id, dep, start, end, duration: (n,) int64.
        name: the operation of each.
        layer: the operation of the compiler's final MLIR that each is of, with its line there, such as ``Conv2D_19``.
        line: (n,) int64, line in the text.
        size: (n,) int64, bytes that a move says; -1 where it says none.
        direction: (n,) int64, of a move; -1 where it says none.
    """

    id: npt.NDArray[np.int64]
    dep: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    duration: npt.NDArray[np.int64]
    name: list[str]
    layer: list[str]
    line: npt.NDArray[np.int64]
    size: npt.NDArray[np.int64]
    direction: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True, eq=False)
class Section:
    """The entries of one sub-net.

    Attributes:
        line: the first line.
        runs: by engine (``tiu``, ``gdma``, ``sdma``), the entries with ids from 1 on: one timeline, more where a sub-net has
            several groups, or where entries are not in order.
        end: line of API_END; 0: there is none, the text ends before it.
        sums: what API_END says: cycles, TIU and GDMA commands; empty: nothing.
        cycles: line of TCYC and what it says: all cycles, those of TIU and of GDMA commands; empty: nothing.
        moved: line of GDMA SUMMARY, direction and bytes for each that it says; empty: nothing.
        words: the entries as they are written.
    """

    line: int
    runs: dict[str, list[Timeline]]
    end: int = 0
    sums: tuple[int, ...] = ()
    cycles: tuple[int, ...] = ()
    moved: tuple[tuple[int, int, int], ...] = ()
    words: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there is no entry."""
        return not any(self.runs.values())


_Row = tuple[int, int, int, int, int, str, str, int, int, int]
_Columns = list[tuple[int, str]]


def parse_profile(text: str) -> dict[str, Timeline]:
    """Read the timeline of one sub-net: by engine, ``tiu`` and ``gdma``.

    Raises:
        InputError: there is no entry, an entry contradicts itself, or there are several sub-nets or groups.
    """
    found = [section for section in parse_sections(text) if not section.empty]
    if len(found) > 1:
        raise InputError(f"sections of {len(found)} sub-nets", "one sub-net", line=found[1].line)
    if not found:
        raise InputError("no entry", _FORM)
    runs = found[0].runs
    if any(len(parts) > 1 for parts in runs.values()):
        raise InputError("ids that begin again", "one group", line=found[0].line)
    return {engine: runs[engine][0] if runs.get(engine) else _timeline([]) for engine in ("tiu", "gdma", *runs)}


def parse_sections(text: str, file: str | PathLike[str] | None = None) -> list[Section]:
    """Read all sections, also those without entries (a sub-net that leaves this core idle); none of a blank text.

    Raises:
        InputError: there is text but no entry, an entry contradicts itself, or a line is no part of a profile; with the line.
    """
    if not text.strip():
        return []
    reader = _Reader()
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        reader.read(line, InputPlace(file, number))
    return reader.sections(file)


class _Reader:
    """Sections, as lines come in."""

    def __init__(self) -> None:
        self._made: list[Section] = []
        self._rows: dict[str, list[_Row]] = {"tiu": [], "gdma": []}
        self._columns: _Columns = []
        self._cycles: dict[int, tuple[int, ...]] = {}
        self._moved: dict[int, tuple[tuple[int, int, int], ...]] = {}
        self._begin = 1
        self._words: list[str] = []

    def read(self, line: str, place: InputPlace) -> None:
        """Take the next line."""
        words = line.lstrip()
        if words.startswith(_MARK):
            self._end(line, place)
        elif words.startswith(_COLUMNS):
            found = [*_WORD.finditer(line)]
            for word in found:
                if word[0].removeprefix(_COLUMNS) not in _ENGINES:
                    raise place.error(
                        f"{word[0][:_SHOWN]!r}", f"one of {', '.join(_COLUMNS + one for one in _ENGINES)}"
                    )
            self._columns = [(word.start(), _ENGINES.get(word[0].removeprefix(_COLUMNS), "")) for word in found]
        elif words.startswith(_CYCLE_MARK):
            self._said_cycles(line, place)
        elif _OTHER.match(line):
            _check_amounts(line, place)
            if words.startswith(_MOVED_MARK):
                self._said_moved(line, place)
        else:
            for word in _WORD.finditer(line):
                engine, row = _entry(word, self._columns, place)
                self._words.append(word[0])
                self._rows.setdefault(engine, []).append(row)

    def sections(self, file: str | PathLike[str] | None) -> list[Section]:
        """All sections, after the last line."""
        if any(self._rows.values()):
            self._made.append(replace(_section(self._begin, self._rows), words=tuple(self._words)))
        if all(section.empty for section in self._made):
            raise InputError("no entry", _FORM, file=file)
        # One line for several sections does not say which it adds up.
        every = set(range(len(self._made)))
        cycles = self._cycles if self._cycles.keys() == every else {}
        moved = self._moved if self._moved.keys() == every else {}
        return [replace(one, cycles=cycles.get(i, ()), moved=moved.get(i, ())) for i, one in enumerate(self._made)]

    def _end(self, line: str, place: InputPlace) -> None:
        said = _SUMS.fullmatch(line)
        if said is None:
            raise place.error(repr(line.strip()[:_SHOWN]), _SUMS_FORM)
        sums = tuple(map(int, said.groups()))
        if any(sums) and not any(self._rows.values()):
            raise place.error("API_END without an entry before it", "one per section, or zeros for an idle sub-net")
        made = _section(self._begin, self._rows, place.line, sums)
        self._made.append(replace(made, words=tuple(self._words)))
        self._rows, self._begin, self._words = {"tiu": [], "gdma": []}, place.line + 1, []

    def _said_moved(self, line: str, place: InputPlace) -> None:
        section = len(self._made) - 1
        if section < 0 or any(self._rows.values()):
            raise place.error(f"{_MOVED_MARK} before API_END", "API_END first")
        if section in self._moved:
            raise place.error(f"{_MOVED_MARK} again", "it once per API_END")
        found = [(int(way), name, size) for way, name, size in _MOVED.findall(line)]
        known = [one for one in found if _WAY_NAMES[one[0] : one[0] + 1] == (one[1],) and re.fullmatch(_COUNT, one[2])]
        said = {way: int(size) for way, _, size in known}
        if len(said) < len(found) or "|dr[" not in line:
            raise place.error(repr(line.strip()[:_SHOWN]), _MOVED_FORM)
        # What is not named has moved nothing.
        ways = range(len(_WAY_NAMES)) if said else ()
        self._moved[section] = tuple((place.line, way, said.get(way, 0)) for way in ways)

    def _said_cycles(self, line: str, place: InputPlace) -> None:
        said, section = _CYCLES.fullmatch(line), len(self._made) - 1
        if said is None:
            raise place.error(repr(line.strip()[:_SHOWN]), _CYCLES_FORM)
        if section < 0:
            raise place.error("TCYC before API_END", "API_END first")
        if section in self._cycles:
            raise place.error("TCYC again", f"it once per API_END, as on line {self._cycles[section][0]}")
        self._cycles[section] = (place.line, *(int(text) for text in said.groups() if text))


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


@dataclass(frozen=True)
class InputPlace:
    """A line of a profile, for messages."""

    file: str | PathLike[str] | None
    line: int

    def error(self, found: str, expected: str) -> InputError:
        """What is wrong there."""
        return InputError(found, expected, file=self.file, line=self.line)


def _check_amounts(line: str, place: InputPlace) -> None:
    """Whether a line of sums has numbers."""
    if _LEGEND not in line:
        for found in _SUM.finditer(line):
            if not _AMOUNT.fullmatch(found[1]):
                raise place.error(f"{found[1][:_SHOWN]!r}", "a number")


def _entry(word: re.Match[str], columns: _Columns, place: InputPlace) -> tuple[str, _Row]:
    """Engine and row of one entry."""
    text = word[0]
    found = _ENTRY.fullmatch(text)
    if found is None:
        raise place.error(f"{text[:_SHOWN]!r}", _FORM)
    name, op, rest = found[1], found[2], found[3]
    pairs = [part.split(":", 1) for part in rest[1:].split("|")]
    values = dict(pairs)
    if len(values) != len(pairs):
        raise place.error(f"{name}|{op} with a field twice", _FORM)
    engine = _engine(op, word.start(), columns, "dr" in values)
    _check_column(engine, f"{name}|{op}", word.start(), columns, place)
    own, other = _OWN.get(engine, ""), {"tiu": "g", "gdma": "b"}.get(engine, "")
    for key, value in values.items():
        if key not in _KEYS:
            raise place.error(f"{name}|{op} with {key}:{value[:_SHOWN]}", f"the fields {', '.join(_KEYS)}")
        if not (_NUMBER if key in _WHOLE else _RATE).fullmatch(value):
            raise place.error(f"{name}|{op} with {key}:{value[:_SHOWN]}", _FORM)
        if key in _WHOLE and len(value.lstrip("-")) > _DIGITS:
            raise place.error(f"a number of {len(value)} digits", f"at most {_DIGITS}")
    for key in dict.fromkeys((*_NUMBERS, own or "b")):
        if key not in values:
            raise place.error(f"{name}|{op} without {key}", _FORM)
    numbers = {key: int(value) for key, value in values.items() if key in _WHOLE}
    start, end, took = numbers["s"], numbers["e"], numbers["t"]
    low = next((key for key in _FROM_0 if numbers.get(key, 0) < 0), None)
    if low is not None:
        told = f"{name}: {start} to {end} in {took} cycles" if low in "st" else f"{name}|{op} with {low}:{numbers[low]}"
        raise place.error(told, f"{low} of at least 0")
    if end != start + took - 1:
        raise place.error(f"{name}: {start} to {end} in {took} cycles", f"e = s + t - 1 = {start + took - 1}")
    if took and not op:
        raise place.error(f"{name} without an operation in {took} cycles", "0 cycles, or an operation")
    if took > MAX_CYCLES:
        raise place.error(f"{name}: {took} cycles", f"at most {MAX_CYCLES}")
    if numbers.get("sz", 0) < 0:
        raise place.error(f"{name}|{op} with sz:{numbers['sz']}", "a size of at least 0")
    if not 0 <= numbers.get("dr", 0) <= _DIRECTIONS:
        raise place.error(f"{name}|{op} with dr:{numbers['dr']}", f"a direction of 0 to {_DIRECTIONS}")
    if took and not math.isfinite(float(values.get("bw", 0))):
        raise place.error(f"{name}|{op} with bw:{values['bw']}", f"a bandwidth: it takes {took} cycles")
    return engine, (
        *(numbers.get(own, 0), numbers.get(other, 0), start, end, took, op, name),
        *(place.line, numbers.get("sz", -1), numbers.get("dr", -1)),
    )


def _check_column(engine: str, what: str, at: int, columns: _Columns, place: InputPlace) -> None:
    """Long entries to the left move one to the right, never to the left of its column."""
    begin = next((begin for begin, one in columns if one == engine), 0)
    if at < begin:
        raise place.error(f"{what} at character {at + 1}", f"{begin + 1} or later, the column of {engine}")


def _engine(op: str, at: int, columns: _Columns, moves: bool) -> str:
    """By the operation's name, else by what only moves have, else by the column."""
    told = _ENGINES.get(op.split("_", 1)[0])
    if told is not None and "_" in op:
        return told
    if moves:
        return "gdma"
    return next((engine for begin, engine in reversed(columns) if begin <= at and engine), "tiu")


def _section(line: int, rows: dict[str, list[_Row]], end: int = 0, sums: tuple[int, ...] = ()) -> Section:
    runs: dict[str, list[Timeline]] = {}
    for engine, found in rows.items():
        # Ids rise within a group and begin again in the next one.
        begins = [i for i, row in enumerate(found) if i == 0 or row[0] <= found[i - 1][0]]
        runs[engine] = [_timeline(found[a:b]) for a, b in pairwise([*begins, len(found)])]
    return Section(line, runs, end, sums)


def _timeline(rows: Sequence[_Row]) -> Timeline:
    columns = np.array([[*row[:5], *row[7:]] for row in rows], np.int64).reshape(len(rows), 8)
    id_, dep, start, end, duration, line, size, direction = columns.T
    names, layers = [row[5] for row in rows], [row[6] for row in rows]
    return Timeline(id_, dep, start, end, duration, names, layers, line, size, direction)


@dataclass(frozen=True, eq=False)
class Durations:
    """What a profile says of one stream: cycles and start of the commands in ``rows``, directions, lines, layers."""

    rows: npt.NDArray[np.int64]
    cycles: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    direction: npt.NDArray[np.int64]
    line: npt.NDArray[np.int64]
    layer: list[str]


SubNet = tuple[str, Sequence[Commands]]
"""Its name for messages, and the commands of its groups in their order, of TIU and GDMA."""


def fit(
    sections: Sequence[Section],
    subnets: Sequence[SubNet],
    file: str | PathLike[str] | None = None,
    *,
    alone: bool = False,
) -> list[tuple[Commands, Durations]]:
    """The durations that a core's profile gives to the core's sub-nets.

    Args:
        sections: of the profile.
        subnets: of the core.
        file: for messages.
        alone: there are no other cores, so API_END's sums are those of these sub-nets.

    Raises:
        InputError: the profile is not of these sub-nets: another number of them or of groups, commands that the
            streams have not, commands twice, other operations, dependencies or sums, or one that starts before the end of
            the one before.
    """
    made: list[tuple[Commands, Durations]] = []
    for section, subnet in _pairs(sections, subnets, file):
        found = _durations(section, subnet, file)
        if alone and section.sums:
            _check_sums(section, subnet, found, file)
        made += found
    return made


def choose_section(
    sections: Sequence[Section],
    subnets: Sequence[SubNet],
    file: str | PathLike[str] | None = None,
    section: int | None = None,
) -> int:
    """The section of the only sub-net: the one given, that of the sub-net's number if it fits, else the only one that fits.

    Raises:
        InputError: there is no such section, there are several sub-nets, or none or several sections fit.
    """
    if len(subnets) != 1:
        raise InputError(f"{len(subnets)} sub-nets", "one, to choose a section for", file=file)
    if section is not None:
        if not 0 <= section < len(sections) or sections[section].empty:
            raise InputError(f"section {section} of {len(sections)}", "a section with entries", file=file)
        return section
    (subnet,) = subnets
    problems = [_problem(one, subnet, file) for one in sections]
    fitting = [place for place, problem in enumerate(problems) if problem is None]
    for one, two in pairwise(fitting):
        if sections[one].words == sections[two].words:
            found = f"section {two}, whose entries are those of section {one} again"
            expected = "different sections; remove one, or choose it with --section"
            raise InputError(found, expected, file=file, line=sections[two].line)
    told = _SUBNET.search(subnet[0])
    named = int(told[1]) if told else -1
    if named in fitting or len(fitting) == 1:
        return named if named in fitting else fitting[0]
    if fitting:
        many = ", ".join(map(str, fitting))
        raise InputError(f"sections {many} that fit {subnet[0]}", "one; choose it with --section", file=file)
    raise problems[named if 0 <= named < len(problems) else 0] or InputError("no section", "one that fits", file=file)


def _problem(section: Section, subnet: SubNet, file: str | PathLike[str] | None) -> InputError | None:
    """Why a section is not that of a sub-net."""
    if section.empty:
        return InputError("no entry", "a section with entries", file=file, line=section.line)
    try:
        _durations(section, subnet, file)
    except InputError as error:
        return error
    return None


def _durations(section: Section, subnet: SubNet, file: str | PathLike[str] | None) -> list[tuple[Commands, Durations]]:
    """Those of a section's entries."""
    name, found = subnet
    made: list[tuple[Commands, Durations]] = []
    placed: dict[tuple[str, int, int], tuple[Timeline, npt.NDArray[np.int64]]] = {}
    for engine, parts in section.runs.items():
        groups = [part for one in found if one.engine.name == engine for part in _groups(one)]
        streams = [one for one in found if one.engine.name == engine]
        runs = [_in_order(parts, engine, file)] if len(groups) == 1 and parts else parts
        if runs and len(runs) != len(groups):
            told = f"{len(runs)} times {engine} ids from the beginning"
            raise InputError(told, f"{len(groups)}, the groups of {name}", file=file, line=section.line)
        for run, (one, rows) in zip(runs, groups, strict=False):
            _check(run, one, rows, name, file)
            placed[engine, streams.index(one), int(one.segment[rows[0]])] = run, one.dep[rows[run.id - 1]]
            made.append((one, Durations(rows[run.id - 1], run.duration, run.start, run.direction, run.line, run.layer)))
    for (engine, *group), (run, dep) in placed.items():
        if engine in OTHER and (waited := placed.get((OTHER[engine], group[0], group[1]))) is not None:
            _check_starts(engine, run, dep, waited[0], file)
    return made


def _check_starts(
    engine: str, run: Timeline, dep: npt.NDArray[np.int64], waited: Timeline, file: str | PathLike[str] | None
) -> None:
    """Whether commands start after the end of those of the other engine that they wait for."""
    last = np.searchsorted(waited.id, dep, "right") - 1
    early = np.flatnonzero((dep > 0) & (last >= 0) & (run.start <= waited.end[np.maximum(last, 0)]))
    if len(early):
        first = int(early[0])
        before = int(last[first])
        told = f"{engine} command {int(run.id[first])} that starts at {int(run.start[first])}"
        end, number = int(waited.end[before]) + 1, int(waited.id[before])
        wanted = f"at least {end}, after the end of {OTHER[engine]} command {number}, for which it waits"
        raise InputError(told, wanted, file=file, line=int(run.line[first]))


def _check_sums(
    section: Section, subnet: SubNet, made: Sequence[tuple[Commands, Durations]], file: str | PathLike[str] | None
) -> None:
    """Whether API_END says as many commands as the sub-net has, and the cycle behind the last one."""
    name, found = subnet
    place = InputPlace(file, section.end)
    for key, engine, said in zip("bg", OTHER, section.sums[1:], strict=True):
        counts = [len(rows) for one in found if one.engine.name == engine for _, rows in _groups(one)]
        if len(counts) == 1 and said != counts[0]:
            raise place.error(f"API_END with {key}:{said}", f"{counts[0]}, the {engine} commands of {name}")
    last = max((int(part.start[-1] + part.cycles[-1]) for _, part in made if len(part.rows)), default=0)
    whole = sum(len(part.rows) for _, part in made) == sum(int((~one.is_end).sum()) for one in found)
    if section.sums[0] < last or (whole and section.sums[0] != last):
        raise place.error(f"API_END with total_cycle:{section.sums[0]}", f"{last}, the end of the last command")
    _check_cycles(section, made, file, whole=whole)
    runs = section.runs.get("gdma", [])
    if section.moved:
        size, direction = (np.concatenate([getattr(one, of) for one in runs] or [_NO_ENTRY]) for of in _MOVE)
        check_moved(section.moved, size, direction, file, whole=whole and not unsized_moves(section))


def _check_cycles(
    section: Section, made: Sequence[tuple[Commands, Durations]], file: str | PathLike[str] | None, *, whole: bool
) -> None:
    """Whether TCYC says what API_END says, and the sums of the entries' cycles; entries that are missing may have more."""
    place = InputPlace(file, section.cycles[0] if section.cycles else 0)
    if section.cycles and section.cycles[1] != section.sums[0]:
        raise place.error(f"TCYC : {section.cycles[1]}", f"{section.sums[0]}, as API_END on line {section.end}")
    constant = sum(int(part.cycles[part.direction < 0].sum()) for one, part in made if one.engine.name == "gdma")
    sums = [sum(int(part.cycles.sum()) for one, part in made if one.engine.name == engine) for engine in OTHER]
    # For some chips the compiler counts moves of constants, which have no direction, among the TIU's.
    if section.cycles[2:] == (sums[0] + constant, sums[1] - constant):
        return
    for key, engine, said, found in zip(("bdc", "gdma"), OTHER, section.cycles[2:], sums, strict=False):
        if said < found or (whole and said != found):
            raise place.error(f"{key}_cycle:{said}", f"{found}, the cycles of the {engine} entries")


def unsized_moves(section: Section) -> int:
    """How many moves say no bytes, so that GDMA SUMMARY is not compared; constants and messages never say any."""
    if not section.moved:
        return 0
    runs = section.runs.get("gdma", [])
    named = ((name, size) for run in runs for name, size in zip(run.name, run.size.tolist(), strict=True))
    return sum(size < 0 and not _UNSIZED.search(name) for name, size in named)


def untimed_moves(section: Section) -> int:
    """How many moves with bytes, or without a name, take 0 cycles: the compiler does not know their time."""
    runs = chain.from_iterable(found for engine, found in section.runs.items() if engine != "tiu")
    named = ((run.name, run.size, run.duration) for run in runs)
    rows = chain.from_iterable(zip(name, size.tolist(), took.tolist(), strict=True) for name, size, took in named)
    return sum(took == 0 and (size > 0 or not name) for name, size, took in rows)


def unclosed(sections: Sequence[Section]) -> bool:
    """Whether the text ends before API_END: entries may be missing."""
    return bool(sections) and not sections[-1].end


def _in_order(parts: Sequence[Timeline], engine: str, file: str | PathLike[str] | None) -> Timeline:
    """The entries of one group, sorted by their ids.

    Raises:
        InputError: two are of one command.
    """
    rows = [row for part in parts for row in _rows(part)]
    rows.sort(key=lambda row: row[0])
    for one, two in pairwise(rows):
        if one[0] == two[0]:
            raise InputError(
                f"{engine} command {two[0]} again", f"it once, as on line {one[7]}", file=file, line=two[7]
            )
    return _timeline(rows)


def _rows(one: Timeline) -> list[_Row]:
    columns = (one.id, one.dep, one.start, one.end, one.duration)
    rest = (one.line, one.size, one.direction)
    numbers = (c.tolist() for c in columns)
    return list(zip(*numbers, one.name, one.layer, *(c.tolist() for c in rest), strict=True))


def missing_commands(found: Commands, said: Iterable[Durations]) -> int:
    """How many commands have no entry in a profile; END never has one."""
    there = found.is_end.copy()
    for one in said:
        there[one.rows] = True
    return int(len(found) - there.sum())


def _pairs(
    sections: Sequence[Section], subnets: Sequence[SubNet], file: str | PathLike[str] | None
) -> list[tuple[Section, SubNet]]:
    """Section and sub-net that belong together; those without work may have no section, or an empty one."""
    if len(sections) == len(subnets):
        return list(zip(sections, subnets, strict=True))
    full = [section for section in sections if not section.empty]
    busy = [one for one in subnets if any(not part.is_end.all() for part in one[1])]
    if len(full) != len(busy):
        line = full[-1].line if full else None
        raise InputError(f"{len(full)} sections", f"{len(busy)}, one per sub-net", file=file, line=line)
    return list(zip(full, busy, strict=True))


def _groups(found: Commands) -> Iterator[tuple[Commands, npt.NDArray[np.int64]]]:
    """The rows of each segment that has more than its END, without that."""
    bounds = np.flatnonzero(np.diff(found.segment)) + 1
    for rows in np.split(np.arange(len(found), dtype=np.int64), bounds):
        rows = rows[~found.is_end[rows]]
        if len(rows):
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
    mine = rows[run.id - 1]
    _check_names(run, found, mine, name, file)
    _check_sizes(run, found, mine, file)
    early = np.flatnonzero(run.start[1:] <= run.end[:-1])
    if len(early):
        first = int(early[0])
        told = f"{engine.name} command {int(run.id[first + 1])} that starts at {int(run.start[first + 1])}"
        wanted = f"at least {int(run.end[first]) + 1}, after the end of command {int(run.id[first])}"
        raise InputError(told, wanted, file=file, line=int(run.line[first + 1]))
    if "dep" not in engine.head or engine.name not in OTHER:
        return
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


_SIZED = ("DMA_tensor", "DMA_matrix")
_FORMAT_BYTES = np.array([1, 2, 4, 2, 4, 2, 0], np.int64)
"""Of elements by ``src_data_format``; 0: not known."""
_FORMS = {
    "FUSED_CMP": ("CMP",),
    **dict.fromkeys(("STATIC_BC", "LANE_BC", "LANE_COPY", "DISTRIBUTE_BC", "TRANS"), ("TRANS&BC", "CW&BC")),
    **dict.fromkeys(("BD_SEND_MSG", "BD_WAIT_MSG"), ("SYS",)),
    "BD_SYS_TRWR": ("SYS_TR_WR", "SYS_TR_ACC"),
    **{one: (one,) for one in ("AR", "CONV", "MM", "MM2", "PorD", "SFU", "SG", "SGL")},
    "": ("DMA_reverse",),
    "GDMA_TENSOR": ("DMA_tensor", "DMA_scatter"),
    **dict.fromkeys(("GDMA_BROADCAST", "SDMA_TENSOR"), ("DMA_tensor",)),
    **dict.fromkeys(("GDMA_CONSTANT", "SDMA_CONSTANT"), ("DMA_tensor", "DMA_general", "DMA_matrix")),
    **dict.fromkeys(("GDMA_CW_TRANS", "SDMA_CW_TRANS"), ("DMA_tensor", "DMA_cw_transpose")),
    **{f"{dma}_{what}_MSG": ("DMA_sys",) for dma in ("GDMA", "SDMA") for what in ("SEND", "WAIT")},
}
"""Forms of commands that the compiler means by an operation; it has other names for BM1684."""
_PREFIXES = ("BD_", "HAU_", "FUSED_")
"""Of the compiler's further names."""
_MOVES = re.compile(r"[GSC]DMA_(\w+)", flags=re.ASCII)


def _check_names(
    run: Timeline, found: Commands, mine: npt.NDArray[np.int64], name: str, file: str | PathLike[str] | None
) -> None:
    """Whether operations are those of the commands."""
    forms = [re.sub(r"^s(?=[A-Z])|(?<=&)s", "", kind.name) for kind in found.engine.kinds]
    for place, (op, kind) in enumerate(zip(run.name, found.kind[mine].tolist(), strict=True)):
        if not _fits(op, forms[kind], found.op(int(mine[place]))):
            told = f"{found.engine.name} command {int(run.id[place])} with{f' the operation {op}' if op else 'out an operation'}"
            wanted = f"{found.op(int(mine[place]))}, as in {name}"
            raise InputError(told, wanted, file=file, line=int(run.line[place]))


def _fits(op: str, form: str, command: str) -> bool:
    """Whether an operation may be of a form: one of its known ones, else a name like the form's or with an engine's prefix."""
    if form.endswith("_op"):
        return True
    if op in _FORMS:
        return form in _FORMS[op]
    if (move := _MOVES.fullmatch(op)) is not None:
        # DMA_masked_select is GDMA_MASKED_SELECT, dma.sys.nop may be GDMA_NOP.
        words = re.split(r"[._]", f"{form}.{command}".lower())
        return all(word in words for word in move[1].lower().split("_"))
    return op == form.replace("&", "") or op.startswith(_PREFIXES)


def _check_sizes(run: Timeline, found: Commands, mine: npt.NDArray[np.int64], file: str | PathLike[str] | None) -> None:
    """Whether moves have the bytes of their commands: of plain ones, all that their source says."""
    for kind in found.engine.kinds:
        if kind.name not in _SIZED or "src_wsize" not in kind.by_name:
            continue
        at = np.flatnonzero((run.size >= 0) & (found.kind[mine] == found.engine.kinds.index(kind)))
        if not len(at):
            continue
        sides = ("src", "dst") if kind.name == "DMA_matrix" else ("src",)
        sizes = [[f"{side}_{axis}size" for axis in "nchw" if f"{side}_{axis}size" in kind.by_name] for side in sides]
        fields = found.fields(kind, mine[at], [*chain(*sizes), "src_data_format", "fill_constant_en"])
        code = fields["src_data_format"].astype(np.int64)
        size = _FORMAT_BYTES[np.minimum(code, len(_FORMAT_BYTES) - 1)]
        counts = [np.prod([np.maximum(fields[one].astype(np.int64), 1) for one in names], axis=0) for names in sizes]
        # Columns of a matrix are cut into channels of local memory, of which the last one may be shorter than said.
        bytes_ = np.min(counts, axis=0) * size
        wrong = np.flatnonzero((size > 0) & (fields["fill_constant_en"] == 0) & (run.size[at] != bytes_))
        if len(wrong):
            place = int(at[wrong[0]])
            told = f"{found.engine.name} command {int(run.id[place])} with sz:{int(run.size[place])}"
            raise InputError(told, f"{int(bytes_[wrong[0]])}, its bytes", file=file, line=int(run.line[place]))
