# SPDX-License-Identifier: Apache-2.0
"""What sign-off needs of a run: when every port transferred, in every whole episode of every seed, in one small file.

Limits are about times, frames and numbers of bytes, never about data. So the file has three columns a beat, of which most bits are
equal from beat to beat and compress well: cycles since the beat before, valid bytes, TLAST; and clock and phase an episode. The
columns of a port run through all episodes, in parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.packed import PackedReader, PackedWriter, narrow
from goldbeat.pymodels.stored_trace import StoredTrace
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.transactions import Transactions

FILE = "episodes.pack"
OLD_FILE = "episodes.npz"
"""What versions before parts wrote."""
_FORMAT = 2
_WHAT = "the episodes of a run"
_PART = 1 << 18
"""Beats of a part."""


@dataclass(frozen=True)
class WholeEpisode:
    """An episode that ran to its end.

    Attributes:
        seed: of the run.
        episode: its number within the seed, counted from 0, those that a reset cut off included.
        ports: the trace of every stream port.
        transactions: of the bus ports that had traffic whose cycles were counted.
        registers: it is about registers alone, and says nothing of streams.
    """

    seed: int
    episode: int
    ports: Mapping[str, Trace]
    transactions: Mapping[str, Transactions] = field(default_factory=dict)
    registers: bool = False


def save_episodes(episodes: Sequence[WholeEpisode], path: Path) -> None:
    """Keep the timing of episodes; all have the same ports."""
    names = list(episodes[0].ports) if episodes else []
    with PackedWriter(path) as archive:
        archive.add("format", _FORMAT)
        archive.add("ports", np.array(names, dtype=np.str_))
        archive.add("seed", np.array([e.seed for e in episodes], np.int64))
        archive.add("episode", np.array([e.episode for e in episodes], np.int64))
        archive.add("registers", np.array([e.registers for e in episodes], np.bool_))
        _save_transactions(archive, [e.transactions for e in episodes])
        for number, name in enumerate(names):
            traces = [e.ports[name] for e in episodes]
            archive.add(f"{number}.width", np.array([t.width for t in traces], np.int64))
            archive.add(f"{number}.clock", np.array([(t.clock_ps, t.offset_ps) for t in traces], np.int64))
            archive.add(f"{number}.length", np.array([len(t) for t in traces], np.int64))
            for part, (step, size, last) in enumerate(_parts(traces)):
                archive.add(f"{number}.{part}.step", narrow(step))
                archive.add(f"{number}.{part}.bytes", narrow(size))
                archive.add(f"{number}.{part}.last", np.packbits(last))


def _save_transactions(archive: PackedWriter, episodes: Sequence[Mapping[str, Transactions]]) -> None:
    """The transactions of all episodes: for each port, which episodes have how many, and their columns one behind the other."""
    names = list(dict.fromkeys(name for episode in episodes for name in episode))
    archive.add("buses", np.array(names, dtype=np.str_))
    for number, name in enumerate(names):
        held = [(n, episode[name]) for n, episode in enumerate(episodes) if name in episode]
        facts = [(n, len(t), t.period_ps) for n, t in held]
        archive.add(f"bus{number}.episodes", np.array(facts, np.int64))
        for column in Transactions.columns():
            joined = np.concatenate([getattr(t, column) for _, t in held])
            archive.add(f"bus{number}.{column}", joined if joined.dtype == np.bool_ else narrow(joined))


def _load_transactions(archive: PackedReader, episodes: int) -> list[dict[str, Transactions]]:
    """What :func:`_save_transactions` kept, by episode."""
    found: list[dict[str, Transactions]] = [{} for _ in range(episodes)]
    for number, name in enumerate(archive.get("buses").tolist() if "buses" in archive else ()):
        columns = {column: archive.get(f"bus{number}.{column}") for column in Transactions.columns()}
        at = 0
        for episode, length, period in archive.get(f"bus{number}.episodes").tolist():
            rows = {column: values[at : at + length] for column, values in columns.items()}
            found[episode][str(name)] = Transactions.of(period, **rows)
            at += length
        if any(len(values) != at for values in columns.values()):
            raise ValueError(f"transactions of {name}: columns of other lengths than {at}")
    return found


_Part = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.bool_]]


def _parts(traces: Sequence[Trace]) -> Iterator[_Part]:
    """Cycles since the beat before (or since cycle -1), valid bytes and TLAST of all traces one after the other."""
    held: list[_Part] = []
    beats = 0
    for trace in traces:
        before = -1
        for start in range(0, len(trace), _PART):
            part = trace[start : start + _PART]
            step = part.gaps_after(before) + 1
            before = int(part.cycle[-1])
            held.append((step, part.valid_bytes(), part.last))
            beats += len(step)
            if beats >= _PART:
                yield _joined(held)
                held, beats = [], 0
    if held:
        yield _joined(held)


def _joined(parts: Sequence[_Part]) -> _Part:
    step, size, last = (np.concatenate(column) for column in zip(*parts, strict=True))
    return step, size, last


def load_episodes(path: Path) -> list[WholeEpisode]:
    """Read what :func:`save_episodes` wrote. The traces have their times, TLAST and numbers of valid bytes; their data are 0.

    They are read again, part by part, whenever somebody looks at them.

    Raises:
        InputError: not such a file, or damaged.
    """
    archive = PackedReader(path, _WHAT)
    try:
        form = int(archive.get("format"))
        if form not in (1, _FORMAT):
            raise InputError(f"format {form}", f"format {_FORMAT}", file=path)
        names = [str(name) for name in archive.get("ports")]
        ports = {name: _traces(archive, f"{n}.") for n, name in enumerate(names)}
        pairs = zip(archive.get("seed").tolist(), archive.get("episode").tolist(), strict=True)
        buses = _load_transactions(archive, len(archive.get("seed")))
        alone = archive.get("registers").tolist() if "registers" in archive else [False] * len(buses)
        return [
            WholeEpisode(s, e, {name: ports[name][n] for name in names}, buses[n], alone[n])
            for n, (s, e) in enumerate(pairs)
        ]
    except (ValueError, KeyError, TypeError, IndexError, OverflowError) as error:
        raise InputError(str(error) or type(error).__name__, _WHAT, file=path) from error


class _Columns:
    """The columns of a port through all episodes, of which the part that was read last is held."""

    def __init__(self, archive: PackedReader, key: str) -> None:
        self._archive = archive
        self._latest: tuple[int, _Part] | None = None
        # Format 1 has each in one piece.
        self.keys = [key] if f"{key}step" in archive else []
        while f"{key}{len(self.keys)}.step" in archive:
            self.keys.append(f"{key}{len(self.keys)}.")

    def part(self, number: int) -> _Part:
        """Cycles since the beat before, valid bytes, TLAST."""
        if self._latest is None or self._latest[0] != number:
            key = self.keys[number]
            step, size = (self._archive.get(f"{key}{name}").astype(np.int64) for name in ("step", "bytes"))
            last = np.unpackbits(self._archive.get(f"{key}last"), count=len(step)).astype(np.bool_)
            if len(size) != len(step) or len(last) != len(step):
                raise ValueError(f"part {number}: columns of {len(step)}, {len(size)} and {len(last)} beats")
            self._latest = (number, (step, size, last))
        return self._latest[1]


@dataclass(frozen=True)
class _Piece:
    """What an episode has of a part: some of its beats, and the cycle of the beat before them (-1: there is none)."""

    part: int
    beats: slice
    before: int


@dataclass(frozen=True)
class _PortEpisode:
    """An episode of a port, as a stored trace reads it."""

    columns: _Columns
    pieces: Sequence[_Piece]
    width: int
    clock_ps: int
    offset_ps: int
    sides: Sequence[str] = ()

    @property
    def lengths(self) -> list[int]:
        """Beats of each piece."""
        return [p.beats.stop - p.beats.start for p in self.pieces]

    def part(self, number: int) -> Trace:
        """A piece."""
        piece = self.pieces[number]
        step, size, last = (column[piece.beats] for column in self.columns.part(piece.part))
        return Trace.from_bytes(
            np.zeros((len(step), self.width // 8), np.uint8),
            keep=np.arange(self.width // 8) < size[:, None],
            last=last,
            cycle=piece.before + np.cumsum(step),
            clock_ps=self.clock_ps,
            offset_ps=self.offset_ps,
        )


def _traces(archive: PackedReader, key: str) -> list[Trace]:
    """The traces of a port, episode by episode."""
    columns = _Columns(archive, key)
    lengths = archive.get(f"{key}length").tolist()
    pieces: list[list[_Piece]] = [[] for _ in lengths]
    episode, left, before, total = -1, 0, -1, 0
    for number in range(len(columns.keys)):
        step = columns.part(number)[0]
        total += len(step)
        at = 0
        while at < len(step):
            while left == 0:
                episode, before = episode + 1, -1
                left = lengths[episode] if episode < len(lengths) else len(step)
            end = min(len(step), at + left)
            if episode < len(lengths):
                pieces[episode].append(_Piece(number, slice(at, end), before))
            before += int(step[at:end].sum())
            left, at = left - (end - at), end
    if total != sum(lengths):
        raise ValueError(f"columns of {total} beats, where {sum(lengths)} were expected")
    facts = zip(archive.get(f"{key}width").tolist(), archive.get(f"{key}clock").tolist(), pieces, strict=True)
    return [StoredTrace(_PortEpisode(columns, mine, width, *clock)) for width, clock, mine in facts]
