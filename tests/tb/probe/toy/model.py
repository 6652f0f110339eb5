# SPDX-License-Identifier: Apache-2.0
"""Golden model of toy_invert, cycles and all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from goldbeat.pymodels.pattern import NextReady
from goldbeat.pymodels.stimulus import Outcome, Stimulus

_FIRST = 1
"""A source that starts with the reset's end is seen from edge 1 on."""


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """accept[i] = max(offer[i], out[i-1]); out[i] = the first ready cycle from accept[i] + 1 on."""
    given = stimulus.inputs["rx"]
    ready = NextReady(stimulus.pattern("tx"))
    accepted, gone, out = [], -1, -1
    for gap in given.gaps.tolist():
        earliest = gone + 1 + gap
        gone = max(earliest, _FIRST, out)
        out = ready(gone + 1)
        accepted.append((gone, out))
    taken = given.with_cycles([a for a, _ in accepted])
    given_out = given.with_cycles([o for _, o in accepted])
    frames = int(given.last.sum()) % 256
    return Outcome({"rx": taken, "tx": replace(given_out, data=~given.data)}, {"frames": frames})
