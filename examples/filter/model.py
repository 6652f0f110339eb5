# SPDX-License-Identifier: Apache-2.0
"""Golden model of saturate: values and cycles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from goldbeat import Outcome, Stimulus
from goldbeat.pymodels.pattern import NextReady


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """Samples limited to -LIMIT..LIMIT; a beat leaves one cycle after it is accepted, or later if the sink waits."""
    offered = stimulus.inputs["s_axis"]
    gaps = np.diff(offered.cycle, prepend=-1) - 1
    next_ready = NextReady(stimulus.pattern("m_axis"))
    accepted, left = [], []
    for gap in gaps.tolist():
        offer = (accepted[-1] if accepted else -1) + 1 + gap
        # The register is free in the cycle in which the previous beat leaves it; reset ends before cycle 1.
        accepted.append(max(offer, left[-1] if left else 1))
        left.append(next_ready(accepted[-1] + 1))
    samples = np.clip(offered.data.view("<i2"), -params["LIMIT"], params["LIMIT"])
    taken = replace(offered, cycle=np.array(accepted, np.int64))
    return Outcome(
        {"s_axis": taken, "m_axis": replace(taken, data=samples.view(np.uint8), cycle=np.array(left, np.int64))}
    )
