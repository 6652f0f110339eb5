# SPDX-License-Identifier: Apache-2.0
"""Golden models for run_bugs.py: frame FIFOs that drop what their parameters say, in values and order."""

from __future__ import annotations

from typing import Any

import numpy as np

from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.pymodels.trace import Trace


def _of(stimulus: Stimulus, chosen: list[Trace]) -> Outcome:
    taken = stimulus.inputs["s_axis"]
    whole = Trace.concat(chosen, gap=0) if chosen else taken[:0]
    whole = whole.with_cycles(np.arange(len(whole)))
    return Outcome({"s_axis": taken, "m_axis": whole})


def good_frames(params: dict[str, Any], stimulus: Stimulus) -> Outcome:
    """What DROP_BAD_FRAME leaves: frames whose last TUSER has no masked bit as the bad value has it."""
    mask, bad = int(params["USER_BAD_FRAME_MASK"]), int(params["USER_BAD_FRAME_VALUE"])
    frames = stimulus.inputs["s_axis"].frames()
    return _of(stimulus, [one for one in frames if one.tuser is not None and not mask & ~(int(one.tuser[-1]) ^ bad)])


def frames_that_fit(params: dict[str, Any], stimulus: Stimulus) -> Outcome:
    """What a FIFO of DEPTH beats leaves that drops longer frames whole."""
    room = int(params["DEPTH"])
    return _of(stimulus, [frame for frame in stimulus.inputs["s_axis"].frames() if len(frame) <= room])
