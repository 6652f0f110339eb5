# SPDX-License-Identifier: Apache-2.0
"""Recorded episodes on the engine's model."""

from __future__ import annotations

from goldbeat.pymodels.objfifo.engine.alone import predict
from goldbeat.pymodels.objfifo.engine.registers import EngineShape
from goldbeat.pymodels.objfifo.live.record_scene import LiveEpisode
from goldbeat.tb.designs.objfifo.bench_engine import DESIGN
from goldbeat.tb.designs.objfifo.live_scene import engine_for, live_stimulus, memory_left, words_sent
from goldbeat.tb.run.runs import Request


def played(episode: LiveEpisode, profile: int = 0) -> tuple[dict[int, list[int]], list[int]]:
    """What the engine's model sends, and what it leaves in memory."""
    request = Request(DESIGN, DESIGN.case("forward"), params={**engine_for([episode]), "PROFILE": profile})
    stimulus = live_stimulus(episode, request.setting(0))
    outcome = predict(request.all_params, stimulus)
    sent = {n: words_sent(episode, n, outcome.ports).tolist() for n in episode.wanted}
    left = memory_left(episode, outcome.accesses["s_axil"], EngineShape.of(request.all_params))
    return sent, left.tolist()


def right(episode: LiveEpisode, profile: int = 0) -> bool:
    """The model sends and leaves what the execution did."""
    sent, left = played(episode, profile)
    wanted = {n: words.tolist() for n, words in episode.wanted.items()}
    return sent == wanted and left == [int(w) for words in episode.final.values() for w in words]
