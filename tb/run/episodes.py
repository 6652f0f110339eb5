# SPDX-License-Identifier: Apache-2.0
"""What sign-off needs of a run: when every port transferred, in every whole episode of every seed, in one small file.

Limits are about times, frames and numbers of bytes, never about data. So the file has three columns a beat, of which most bits are
equal from beat to beat and compress well: cycles since the beat before, valid bytes, TLAST; and clock and phase an episode. The
columns of a port run through all episodes, in parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.packed import PackedReader, PackedWriter, narrow
from goldbeat.pymodels.trace import Trace

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
    """

    seed: int
    episode: int
    ports: Mapping[str, Trace]


def save_episodes(episodes: Sequence[WholeEpisode], path: Path) -> None:
    """Keep the timing of episodes; all have the same ports."""
    names = list(episodes[0].ports) if episodes else []
    with PackedWriter(path) as archive:
        archive.add("format", _FORMAT)
        archive.add("ports", np.array(names, dtype=np.str_))
        archive.add("seed", np.array([e.seed for e in episodes], np.int64))
        archive.add("episode", np.array([e.episode for e in episodes], np.int64))
        for number, name in enumerate(names):
            traces = [e.ports[name] for e in episodes]
            archive.add(f"{number}.width", np.array([t.width for t in traces], np.int64))
            archive.add(f"{number}.clock", np.array([(t.clock_ps, t.offset_ps) for t in traces], np.int64))
            archive.add(f"{number}.length", np.array([len(t) for t in traces], np.int64))
            for part, (step, size, last) in enumerate(_parts(traces)):
                archive.add(f"{number}.{part}.step", narrow(step))
                archive.add(f"{number}.{part}.bytes", narrow(size))
                archive.add(f"{number}.{part}.last", np.packbits(last))


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

    Raises:
        InputError: not such a file, or damaged.
    """
    with PackedReader(path, _WHAT) as archive:
        try:
            form = int(archive.get("format"))
            if form not in (1, _FORMAT):
                raise InputError(f"format {form}", f"format {_FORMAT}", file=path)
            names = [str(name) for name in archive.get("ports")]
            ports = {name: list(_traces(archive, f"{n}.")) for n, name in enumerate(names)}
            pairs = zip(archive.get("seed").tolist(), archive.get("episode").tolist(), strict=True)
            return [WholeEpisode(s, e, {name: ports[name][n] for name in names}) for n, (s, e) in enumerate(pairs)]
        except (ValueError, KeyError, TypeError, IndexError, OverflowError) as error:
            raise InputError(str(error) or type(error).__name__, _WHAT, file=path) from error


def _columns(archive: PackedReader, key: str, total: int) -> _Part:
    """The columns of a port through all episodes."""
    if f"{key}step" in archive:
        # Format 1 has each in one piece.
        keys, lengths = [key], [total]
    else:
        keys, lengths = [], []
        while f"{key}{len(keys)}.step" in archive:
            keys.append(f"{key}{len(keys)}.")
            lengths.append(len(archive.get(f"{keys[-1]}step")))
    columns: list[npt.NDArray[Any]] = [
        np.concatenate([np.zeros(0, np.int64), *(archive.get(f"{k}{name}").astype(np.int64) for k in keys)])
        for name in ("step", "bytes")
    ]
    lasts = [np.unpackbits(archive.get(f"{k}last"), count=n) for k, n in zip(keys, lengths, strict=True)]
    last = np.concatenate([np.zeros(0, np.uint8), *lasts]).astype(np.bool_)
    if any(len(column) != total for column in (*columns, last)):
        raise ValueError(f"columns of {len(columns[0])} beats, where {total} were expected")
    return columns[0], columns[1], last


def _traces(archive: PackedReader, key: str) -> Iterator[Trace]:
    lengths = archive.get(f"{key}length")
    steps, sizes, lasts = _columns(archive, key, int(lengths.sum()))
    start = 0
    for length, width, (clock_ps, offset_ps) in zip(
        lengths.tolist(), archive.get(f"{key}width").tolist(), archive.get(f"{key}clock").tolist(), strict=True
    ):
        beats = slice(start, start + length)
        lanes = np.arange(width // 8)
        yield Trace.from_bytes(
            np.zeros((length, width // 8), np.uint8),
            keep=lanes < sizes[beats, None],
            last=lasts[beats],
            cycle=np.cumsum(steps[beats]) - 1,
            clock_ps=clock_ps,
            offset_ps=offset_ps,
        )
        start += length
