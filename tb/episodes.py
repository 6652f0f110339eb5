# SPDX-License-Identifier: Apache-2.0
"""What sign-off needs of a run: when every port transferred, in every whole episode of every seed, in one small file.

Limits are about times, frames and numbers of bytes, never about data. So the file has four columns a beat, of which most bits are
equal from beat to beat and compress well: cycles since the beat before, valid bytes, TLAST; and clock and phase an episode.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pymodels.arrays import load_archive
from pymodels.errors import InputError
from pymodels.trace import Trace

FILE = "episodes.npz"
_FORMAT = 1


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
    columns: dict[str, Any] = {
        "format": np.array(_FORMAT),
        "ports": np.array(names, dtype=np.str_),
        "seed": np.array([e.seed for e in episodes], np.int64),
        "episode": np.array([e.episode for e in episodes], np.int64),
    }
    for number, name in enumerate(names):
        traces = [e.ports[name] for e in episodes]
        columns[f"{number}.width"] = np.array([t.width for t in traces], np.int64)
        columns[f"{number}.clock"] = np.array([(t.clock_ps, t.offset_ps) for t in traces], np.int64)
        columns[f"{number}.length"] = np.array([len(t) for t in traces], np.int64)
        columns[f"{number}.step"] = _small(np.concatenate([t.gaps + 1 for t in traces]))
        columns[f"{number}.bytes"] = _small(np.concatenate([t.keep.sum(axis=1, dtype=np.int64) for t in traces]))
        columns[f"{number}.last"] = np.packbits(np.concatenate([t.last for t in traces]))
    with path.open("wb") as stream:
        np.savez_compressed(stream, **columns)


def _small(values: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    if not len(values):
        return values
    kinds = np.min_scalar_type(int(values.min())), np.min_scalar_type(int(values.max()))
    return values.astype(np.result_type(*kinds))


def load_episodes(path: Path) -> list[WholeEpisode]:
    """Read what :func:`save_episodes` wrote. The traces have their times, TLAST and numbers of valid bytes; their data are 0.

    Raises:
        InputError: not such a file, or damaged.
    """
    columns = load_archive(path, "the episodes of a run (.npz)")
    try:
        form = int(columns["format"])
        if form != _FORMAT:
            raise InputError(f"format {form}", f"format {_FORMAT}", file=path)
        names = [str(name) for name in columns["ports"]]
        ports = {name: list(_traces(columns, f"{n}.")) for n, name in enumerate(names)}
        pairs = zip(columns["seed"].tolist(), columns["episode"].tolist(), strict=True)
        return [WholeEpisode(s, e, {name: ports[name][n] for name in names}) for n, (s, e) in enumerate(pairs)]
    except (ValueError, KeyError, TypeError, IndexError, OverflowError) as error:
        raise InputError(str(error) or type(error).__name__, "the episodes of a run (.npz)", file=path) from error


def _traces(columns: Mapping[str, npt.NDArray[Any]], key: str) -> Iterator[Trace]:
    lengths = columns[f"{key}length"]
    total = int(lengths.sum())
    steps, sizes = (columns[f"{key}{name}"].astype(np.int64) for name in ("step", "bytes"))
    lasts = np.unpackbits(columns[f"{key}last"], count=total).astype(np.bool_)
    start = 0
    for length, width, (clock_ps, offset_ps) in zip(
        lengths.tolist(), columns[f"{key}width"].tolist(), columns[f"{key}clock"].tolist(), strict=True
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
