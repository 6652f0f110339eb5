# SPDX-License-Identifier: Apache-2.0
"""Traffic that shows what the pipeline can carry."""

from __future__ import annotations

import numpy as np

from goldbeat import CaseContext, Stimulus, Trace

FRAME = 64


def stream(setting: CaseContext) -> list[Stimulus]:
    """Random words without gaps, in frames of 64 beats."""
    rng = np.random.default_rng(setting.seed)
    beats = int(setting.options["beats"])
    data = rng.integers(0, 256, (beats, 4), dtype=np.uint8)
    clock = setting.clocks["aclk"]
    last = np.arange(beats) % FRAME == FRAME - 1
    trace = Trace.from_bytes(data, last=last, clock_ps=clock.period_ps, offset_ps=clock.offset_ps)
    return [Stimulus({"s_axis": trace}, {"m_axis": setting.pattern("ready")}, setting.clocks)]
