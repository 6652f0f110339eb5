# SPDX-License-Identifier: Apache-2.0
"""Golden model of decimate: sums of pairs, for frames of even length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from goldbeat import CaseContext, Outcome, Stimulus, Trace


def frames(setting: CaseContext, rng: np.random.Generator, beats: int) -> Stimulus:
    """Frames of 64 random samples."""
    count = 64 * (1 + beats // 64)
    data = rng.integers(0, 256, (count, 4), dtype=np.uint8)
    clock = setting.clocks["aclk"]
    return Stimulus({"s_axis": Trace.from_bytes(data, last=np.arange(count) % 64 == 63, clock_ps=clock.period_ps)})


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """Real and imaginary parts wrap at 16 bits; TLAST is that of the second sample."""
    taken = stimulus.inputs["s_axis"]
    parts = taken.data.view("<i2")
    sums = parts[0:-1:2] + parts[1::2]
    sent = Trace.from_bytes(sums.view(np.uint8), last=taken.last[1::2], clock_ps=taken.clock_ps)
    return Outcome({"s_axis": taken, "m_axis": sent})
