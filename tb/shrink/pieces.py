# SPDX-License-Identifier: Apache-2.0
"""What can be taken out of an episode: beats, register accesses, bursts; and how an episode looks without some of them.

A stimulus holds some of its own answers: what a read of a register or of a memory must give. A piece is therefore never less than
what has to go together for the rest to stay right: a write goes only with every read of the same word.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.burst import WRITE, Bursts
from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.pymodels.trace import SIDEBANDS, Trace

BEATS, PROGRAM, AFTER, BURSTS = "beats", "program", "after", "bursts"
KINDS = (BEATS, PROGRAM, AFTER, BURSTS)
_WORD = 8
"""Bytes; no register is wider."""


@dataclass(frozen=True)
class EpisodePiece:
    """Something that goes as a whole.

    Attributes:
        kind: one of :data:`KINDS`.
        port: of which port.
        items: numbers of its beats, accesses or bursts.
    """

    kind: str
    port: str
    items: tuple[int, ...]


def lengths(stimulus: Stimulus) -> dict[tuple[str, str], int]:
    """How many beats, accesses and bursts there are, by kind and port."""
    found = {(BEATS, port): len(trace) for port, trace in stimulus.inputs.items()}
    found |= {(PROGRAM, port): len(steps) for port, steps in stimulus.program.items()}
    found |= {(AFTER, port): len(steps) for port, steps in stimulus.after.items()}
    found |= {(BURSTS, port): len(program.bursts) for port, program in stimulus.bursts.items()}
    return {key: count for key, count in found.items() if count}


def beats_of(stimuli: Sequence[Stimulus]) -> int:
    """Beats, accesses and bursts of all episodes."""
    return sum(sum(lengths(one).values()) for one in stimuli)


def moving(stimuli: Sequence[Stimulus]) -> int:
    """Beats and bursts of all episodes: what a bench of streams or memories has to see."""
    return sum(n for one in stimuli for (kind, _), n in lengths(one).items() if kind in (BEATS, BURSTS))


def frames(stimulus: Stimulus) -> list[EpisodePiece]:
    """Whole frames of every stream, in order of their begin; single beats of a stream of one frame."""
    found = []
    for port, trace in stimulus.inputs.items():
        bounds = trace.frame_bounds().tolist()
        if len(bounds) < 2:
            bounds = [[n, n + 1] for n in range(len(trace))]
        found += [EpisodePiece(BEATS, port, tuple(range(first, end))) for first, end in bounds]
    return found


def single_beats(stimulus: Stimulus) -> list[EpisodePiece]:
    """Every beat of every stream."""
    return [EpisodePiece(BEATS, port, (n,)) for port, trace in stimulus.inputs.items() for n in range(len(trace))]


def steps(stimulus: Stimulus) -> list[EpisodePiece]:
    """Accesses and bursts, as far as they can go one by one."""
    found = []
    for kind, programs in ((PROGRAM, stimulus.program), (AFTER, stimulus.after)):
        for port, accesses in programs.items():
            found += [EpisodePiece(kind, port, items) for items in _access_groups(accesses)]
    for port, program in stimulus.bursts.items():
        found += [EpisodePiece(BURSTS, port, items) for items in _burst_groups(program.bursts)]
    return found


def _access_groups(accesses: Sequence[Access]) -> list[tuple[int, ...]]:
    """Reads one by one; writes with all accesses of the same word, where a read says what it must give."""
    words: dict[int, list[int]] = {}
    for n, one in enumerate(accesses):
        if one.op in ("write", "post", "read"):
            words.setdefault(one.address // _WORD, []).append(n)
    groups: list[tuple[int, ...]] = [(n,) for n, one in enumerate(accesses) if one.op not in ("write", "post")]
    for members in words.values():
        told = any(accesses[n].op == "read" and accesses[n].value is not None for n in members)
        written = [n for n in members if accesses[n].op in ("write", "post")]
        groups += [tuple(members)] if told and written else [(n,) for n in written]
    return sorted(set(groups))


def _burst_groups(bursts: Bursts) -> list[tuple[int, ...]]:
    """Reads one by one, then writes with whatever touches their bytes; exclusive pairs stay."""
    lowest, span = bursts.span
    plain = bursts.lock == 0
    groups: list[tuple[int, ...]] = [(int(n),) for n in np.flatnonzero((bursts.kind != WRITE) & plain)]
    for n in np.flatnonzero((bursts.kind == WRITE) & plain):
        near = (lowest < lowest[n] + span[n]) & (lowest[n] < lowest + span)
        if plain[near].all() and not (near & (bursts.kind == WRITE) & (np.arange(len(bursts)) != n)).any():
            groups.append(tuple(int(k) for k in np.flatnonzero(near)))
    return groups


def thinned(stimulus: Stimulus, pieces: Collection[EpisodePiece]) -> Stimulus:
    """The stimulus without some pieces. A frame whose last beat goes ends with the beat before it."""
    gone: dict[tuple[str, str], set[int]] = {}
    for piece in pieces:
        gone.setdefault((piece.kind, piece.port), set()).update(piece.items)
    keep = {key: [n for n in range(count) if n not in gone.get(key, ())] for key, count in lengths(stimulus).items()}
    return _only(stimulus, keep)


def first_part(stimulus: Stimulus, share: tuple[int, int]) -> Stimulus:
    """The begin of everything: ``share[0]`` of ``share[1]`` parts, at least one of each where there is any."""
    part, whole = share
    keep = {key: list(range(max(1, -(-count * part // whole)))) for key, count in lengths(stimulus).items()}
    return _only(stimulus, keep)


def _only(stimulus: Stimulus, keep: Mapping[tuple[str, str], Sequence[int]]) -> Stimulus:
    def chosen(kind: str, port: str) -> list[int]:
        return list(keep.get((kind, port), ()))

    return replace(
        stimulus,
        inputs={port: _beats(trace, chosen(BEATS, port)) for port, trace in stimulus.inputs.items()},
        program={port: tuple(a[n] for n in chosen(PROGRAM, port)) for port, a in stimulus.program.items()},
        after={port: tuple(a[n] for n in chosen(AFTER, port)) for port, a in stimulus.after.items()},
        bursts={port: _some_bursts(p, chosen(BURSTS, port)) for port, p in stimulus.bursts.items()},
    )


def _beats(trace: Trace, keep: Sequence[int]) -> Trace:
    if len(keep) == len(trace):
        return trace
    kept = np.array(keep, np.int64)
    # Where the end of a frame goes, the last beat that stays of it becomes its end.
    frame = np.concatenate([[0], np.cumsum(trace.last)[:-1]])[: len(trace)].astype(np.int64)
    ended = np.isin(frame[kept], frame[np.flatnonzero(trace.last)])
    last = ended & (np.append(frame[kept][1:], -1) != frame[kept]) if len(kept) else np.zeros(0, np.bool_)
    gaps = trace.gaps[kept] if len(kept) else np.zeros(0, np.int64)
    sides: dict[str, Any] = {n: None if (c := getattr(trace, n)) is None else c[kept] for n in SIDEBANDS}
    cycle = np.cumsum(gaps + 1) - 1
    return replace(trace, data=trace.data[kept], keep=trace.keep[kept], last=last, cycle=cycle, **sides)


def _some_bursts(program: BurstProgram, keep: Sequence[int]) -> BurstProgram:
    if len(keep) == len(program.bursts):
        return program
    kept = np.array(keep, np.int64)
    rows = np.isin(program.bursts.of_beat, kept)
    columns: dict[str, npt.NDArray[Any]] = {name: column[kept] for name, column in vars(program.bursts).items()}
    return replace(
        program,
        bursts=Bursts(**columns),
        data=program.data[rows],
        strobe=program.strobe[rows],
        checked=program.checked[rows],
        response=program.response[kept],
        write_gaps=None if program.write_gaps is None else program.write_gaps[rows],
        beat_response=None if program.beat_response is None else program.beat_response[rows],
    )
