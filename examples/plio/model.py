# SPDX-License-Identifier: Apache-2.0
"""Golden model of decimate: sums of pairs, for frames of even length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from goldbeat import CaseContext, Outcome, Stimulus, Trace
from goldbeat.pymodels.pattern import NextReady


def frames(setting: CaseContext, rng: np.random.Generator, beats: int) -> Stimulus:
    """Frames of 64 random samples."""
    count = 64 * (1 + beats // 64)
    data = rng.integers(0, 256, (count, 4), dtype=np.uint8)
    clock = setting.clocks["aclk"]
    return Stimulus({"s_axis": Trace.from_bytes(data, last=np.arange(count) % 64 == 63, clock_ps=clock.period_ps)})


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """Real and imaginary parts wrap at 16 bits; TLAST is that of the second sample."""
    offered = stimulus.inputs["s_axis"]
    accepts, outs = _cycles(offered, NextReady(stimulus.pattern("m_axis")))
    parts = offered.data.view("<i2")
    sums = parts[0:-1:2] + parts[1::2]
    sent = Trace.from_bytes(sums.view(np.uint8), last=offered.last[1::2], clock_ps=offered.clock_ps, cycle=outs)
    return Outcome({"s_axis": offered.with_cycles(accepts), "m_axis": sent})


def _cycles(offered: Trace, ready: NextReady) -> tuple[list[int], list[int]]:
    """Cycles of the transfers at both ports: a second sample waits until the output register is empty or emptied."""
    accepts, outs, accept, out = [], [], -1, -1
    for beat, gap in enumerate(offered.gaps.tolist()):
        accept = max(1, accept + 1 + gap, out if beat % 2 else 0)
        accepts.append(accept)
        if beat % 2:
            out = ready(accept + 1)
            outs.append(out)
    return accepts, outs
