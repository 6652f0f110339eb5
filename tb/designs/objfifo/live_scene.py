# SPDX-License-Identifier: Apache-2.0
"""Episodes of a recorded run on an engine of some shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.registers import EngineShape, memory_reads
from goldbeat.pymodels.objfifo.live.record_scene import LiveEpisode
from goldbeat.pymodels.objfifo.plan.tile import TileKind
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.designs.objfifo.scene import EngineScene, engine_stimulus

_FEW, _MANY = 3, 6
"""Channels of each direction: few sizes, so that few engines are built."""


def engine_for(episodes: Sequence[LiveEpisode]) -> dict[str, int]:
    """Parameters of an engine that all episodes fit."""
    channels = max((len(ends) for e in episodes for ends in (e.sources, e.sinks)), default=0)
    words = max((e.used for e in episodes), default=0)
    size = 1024
    while size < words:
        size *= 4
    count = _MANY if channels > _FEW else _FEW
    bds = 64 if any(len(e.descriptors) > 48 for e in episodes) else 48
    return {"NS": count, "NM": count, "NBD": bds, "MEM_WORDS": size}


def live_scene(episode: LiveEpisode, shape: EngineShape) -> EngineScene:
    """An episode on an engine. Of 128-bit words each one stands for a word of the tile.

    Raises:
        UsageError: the engine is too small.
    """
    needs = {
        "NS": (len(episode.sources), shape.ns),
        "NM": (len(episode.sinks), shape.nm),
        "NBD": (len(episode.descriptors), shape.nbd),
        "MEM_WORDS": (episode.used, shape.mem_words),
        "NLOCK": (max(episode.locks, default=0) + 1, shape.nlock),
    }
    for name, (needed, there) in needs.items():
        if needed > there:
            raise UsageError(f"{episode.label} needs {name} = {needed}; the engine has {there}")
    tasks = [replace(t, channel=t.channel if t.channel >= 0 else shape.ns - 1 - t.channel) for t in episode.tasks]
    scene = EngineScene(dict(episode.descriptors), tasks, dict(episode.locks))
    scene.words = {c: _wide(words, shape) for c, words in episode.words.items()}
    scene.memory = {at: _wide(words, shape) for at, words in episode.memory.items()}
    scene.pads, scene.out_of_order = dict(episode.pads), episode.out_of_order
    scene.core, scene.cores = episode.tile.kind is TileKind.CORE, episode.cores
    return scene


def live_stimulus(episode: LiveEpisode, context: CaseContext) -> Stimulus:
    """The same as stimulus; what is compared of the memory is read at the end."""
    shape = EngineShape.of(context.params)
    scene = live_scene(episode, shape)
    scene.read_back = (0, 0)
    made = engine_stimulus(scene, context)
    reads: tuple[Access, ...] = ()
    for at, words in episode.final.items():
        reads += memory_reads(at, len(words) * shape.lanes)
    return replace(made, after={"s_axil": (*made.after["s_axil"], *reads)}, label=episode.label)


def words_sent(episode: LiveEpisode, number: int, ports: Mapping[str, Trace]) -> npt.NDArray[np.uint32]:
    """What an MM2S channel has sent, at most as many words as the execution has."""
    trace = ports[f"m_axis_{number}"]
    lanes = trace.data.view("<u4").reshape(len(trace), -1) if len(trace) else np.zeros((0, 1), np.uint32)
    return lanes[: len(episode.wanted[number]), 0].astype(np.uint32)


def memory_left(episode: LiveEpisode, answers: Sequence[Any], shape: EngineShape) -> npt.NDArray[np.uint32]:
    """The words of ``final`` as they were read, from the answers to all accesses."""
    found: list[int] = []
    at = len(answers) - sum(1 + len(words) * shape.lanes for words in episode.final.values())
    for words in episode.final.values():
        # The first one sets the address.
        values = answers[at + 1 : at + 1 + len(words) * shape.lanes : shape.lanes]
        found += [int(a.value or 0) for a in values]
        at += 1 + len(words) * shape.lanes
    return np.array(found, np.uint32)


def _wide(words: npt.NDArray[np.uint32], shape: EngineShape) -> npt.NDArray[np.uint32]:
    """In a wider word the value stands in the lowest part."""
    wide = np.zeros((len(words), shape.lanes), np.uint32)
    wide[:, 0] = words
    return wide.reshape(-1)
