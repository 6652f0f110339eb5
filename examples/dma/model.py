# SPDX-License-Identifier: Apache-2.0
"""Commands for mm2s, and the frames that must come of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from goldbeat import CaseContext, MemoryContents, Outcome, Stimulus, Trace
from goldbeat.pymodels.axi.memory import MemoryImage, Region
from goldbeat.pymodels.fields import pack_fields, unpack_fields
from goldbeat.pymodels.frames import trace_of_frames

COMMAND = {"address": 32, "words": 16}
WORDS = 4096


def commands(setting: CaseContext, rng: np.random.Generator, beats: int) -> Stimulus:
    """Frames of random length from random words of a random memory."""
    count, clock = 1 + beats // 10, setting.clocks["clk"]
    words = rng.integers(1, 200, count)
    columns = {"address": 4 * rng.integers(0, WORDS - words), "words": words}
    stream = Trace.from_bytes(pack_fields(columns, COMMAND), clock_ps=clock.period_ps)
    memory = Region("data", 0, rng.integers(0, 256, 4 * WORDS, dtype=np.uint8))
    return Stimulus({"s_axis_cmd": stream}, clocks=setting.clocks, memories={"m_axi": MemoryImage((memory,))})


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """One frame per command: the words that it names, in order."""
    taken, memory = stimulus.inputs["s_axis_cmd"], stimulus.memories["m_axi"].regions[0].data
    asked = unpack_fields(taken.data, COMMAND)
    starts, sizes = asked["address"].astype(int), 4 * asked["words"].astype(int)
    frames = [memory[start : start + size] for start, size in zip(starts, sizes, strict=True)]
    sent = trace_of_frames(frames, 32, stimulus.clocks["clk"])
    return Outcome({"s_axis_cmd": taken, "m_axis": sent}, memories={"m_axi": MemoryContents({"data": memory})})
